"""Rive: the kernels against the plain reference, the sheet's figures, positions set up by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest

from against import (
    Policy,
    assert_same,
    avoiding_captures,
    compare,
    seeking_captures,
    uniform,
)
from hexgames_env import IllegalActionError, PositionTextError, State, make_game
from hexgames_env.games.rive import kernels
from reference.rive import Rive as Reference
from volume import quick

POLICIES = [uniform, seeking_captures, avoiding_captures]
every_policy = pytest.mark.parametrize("policy", POLICIES, ids=["uniform", "seeking", "avoiding"])


def reference_of(state: State) -> Reference:
    """The same position for the reference; a running game."""
    game = state.game
    owners = {".": None, "B": 0, "W": 1}
    stones = {
        cell: owner
        for cell, symbol in enumerate(state.ground())
        if (owner := owners[symbol]) is not None
    }
    reference = Reference.set_up(game.options["side"], stones, state.to_play)
    fields = state.fields()
    if fields:
        reference.phase = "removal"
        reference.placed = game.board.cell(fields["placed"])
        (reference.joined,) = (g for g in reference.groups() if reference.placed in g)
        reference.final_size = len(reference.joined) - int(fields["removals"])
    return reference


# Against the reference


@every_policy
@pytest.mark.parametrize(
    ("side", "positions"),
    quick([(2, 1800), (3, 1800), (4, 1500), (5, 1000)], (2, 1800), (3, 1800)),
)
def test_whole_games_are_those_of_the_reference(side: int, positions: int, policy: Policy) -> None:
    assert compare(make_game("rive", side=side), reference_of, policy, positions) >= positions


@every_policy
@pytest.mark.parametrize(
    ("side", "positions"),
    quick([(6, 350), (7, 350), (8, 80), (9, 80)], (9, 80)),
)
def test_stretches_of_long_games_are_those_of_the_reference(
    side: int, positions: int, policy: Policy
) -> None:
    # The reference is slow on large boards, so the package alone plays up to each stretch.
    game = make_game("rive", side=side)
    rng = random.Random(side)
    states = [game.initial_state()]
    while not states[-1].is_over:
        states.append(states[-1].copy())
        states[-1].step(states[-1].sample_action(rng))
    compared = 0
    while compared < positions:
        state = rng.choice(states[:-1]).copy()
        reference = reference_of(state)
        for _ in range(40):
            if not state.is_over:
                action = policy(rng, reference, reference.legal_actions())
                reference.step(action)
                state.step(action)
                assert_same(state, reference)
                compared += 1


def group_with_a_cut_stone(
    rng: random.Random, side: int
) -> tuple[dict[int, int], int, list[int]] | None:
    """Stones strewn at random, a cut stone among them, and the sizes of the parts it joins."""
    board = make_game("rive", side=side).board
    share = rng.uniform(0.5, 0.95)
    stones = {c: rng.randrange(2) for c in range(board.num_cells) if rng.random() < share}
    group = max(board.groups(stones), key=len, default=[])
    for placed in rng.sample(group, len(group)):
        parts = board.groups(set(group) - {placed})
        if len(parts) > 1:
            return stones, placed, sorted(map(len, parts))
    return None


def holes(state: State) -> int:
    """How many regions the group of the stone just placed encloses."""
    board = state.game.board
    joined = reference_of(state).joined
    others = board.groups(set(range(board.num_cells)) - joined)
    return sum(all(len(board.neighbours[cell]) == 6 for cell in region) for region in others)


@pytest.mark.parametrize(
    ("side", "positions"), [(3, 100), (4, 200), (5, 200), (6, 100), (7, 100), (8, 50), (9, 50)]
)
def test_removals_from_groups_with_holes_are_those_of_the_reference(
    side: int, positions: int
) -> None:
    # Random play meets a hole in one removal of 10 to 25, strewn stones do often.
    rng = random.Random(side)
    game = make_game("rive", side=side)
    compared = with_holes = 0
    while compared < positions:
        found = group_with_a_cut_stone(rng, side)
        if found is None:
            continue
        stones, placed, parts = found
        state = game.state_from_cells(
            stones,
            to_play=stones[placed],
            placed=game.cell_names[placed],
            removals=rng.randint(1, sum(parts[:-1])),
        )
        reference = reference_of(state)
        assert_same(state, reference)
        compared += 1
        with_holes += holes(state) > 0
        while state.phase == "removal" and rng.random() < 0.7:
            action = rng.choice(state.legal_actions())
            state.step(action)
            reference.step(action)
            assert_same(state, reference)
            compared += 1
    assert with_holes > positions // 20


def test_only_the_stone_that_holds_a_tongue_in_a_hole_is_a_cut_stone() -> None:
    # Each stone of the ring lies between the hole and the outside: the ring holds without it.
    # The stone just placed, d5, has the same hole on both sides: it alone holds d4.
    state = State.from_string(
        "rive side=4 board=..../.BBB./.B..B./.B.WWB./.B..B./.BBB./.... "
        "to_play=1 winner=none placed=d5 removals=1"
    )
    assert holes(state) == 1
    assert [state.action_to_string(action) for action in state.legal_actions()] == (
        "xb2 xb3 xb4 xc2 xc5 xd2 xd4 xd6 xe2 xe5 xf2 xf3 xf4".split()
    )


# Figures of the sheet

BLACK_3A = [(0, -2), (0, -1), (-2, 0), (2, 0), (-2, 1)]
WHITE_3A = [(1, -2), (2, -1), (0, 1), (0, 2)]


def cells_at(*places: tuple[int, int]) -> list[int]:
    """The cells of side 3 at these axial coordinates, ascending."""
    board = make_game("rive", side=3).board
    return sorted(board.cell_at(q, r) for q, r in places)


def figure(black: list[tuple[int, int]], white: list[tuple[int, int]], to_play: int) -> State:
    stones = dict.fromkeys(cells_at(*black), 0) | dict.fromkeys(cells_at(*white), 1)
    return make_game("rive", side=3).state_from_cells(stones, to_play)


def after(state: State, *places: tuple[int, int]) -> State:
    state = state.copy()
    for place in places:
        state.step(*cells_at(place))
    return state


@pytest.mark.parametrize("to_play", [0, 1])
def test_figure_1(to_play: int) -> None:
    state = figure([(0, -2), (-1, 1)], [(2, -1)], to_play)
    assert state.legal_actions() == cells_at((-2, 0), (1, 1), (0, 2))


def test_figures_3() -> None:
    state = figure(BLACK_3A, WHITE_3A, to_play=1)
    capturing = cells_at((1, 0), (-1, 1), (1, 1))
    assert state.legal_actions() == sorted(capturing + cells_at((-2, 2), (-1, 2)))
    for action in state.legal_actions():
        tried = state.copy()
        tried.step(action)
        assert (tried.phase == "removal") == (action in capturing)
        assert (tried.to_play == 1) == (action in capturing)

    state = after(state, (1, 0))
    assert (state.phase, state.to_play) == ("removal", 1)
    assert state.fields() == {"placed": "c4", "removals": "2"}
    state = after(state, (2, 0), (0, 2))  # 3b
    assert (state.phase, state.to_play, state.fields()) == ("placement", 1, {})
    assert state.legal_actions() == cells_at((-2, 2))  # 3c
    state = after(state, (-2, 2))
    assert (state.phase, state.to_play) == ("placement", 0)

    state = after(state, (-1, 0), (0, -2), (-2, 0), (-2, 2))  # 3d
    assert (state.phase, state.to_play) == ("placement", 0)
    left = {cell for cell, symbol in enumerate(state.ground()) if symbol != "."}
    assert cells_at((-1, 0), (0, -1), (1, -2), (-2, 1)) in state.game.board.groups(left)


# What follows from the rules


@pytest.mark.parametrize("side", [2, 3, 4, 5])
def test_group_sizes_grow_and_the_board_fills(side: int) -> None:
    game = make_game("rive", side=side)
    rng = random.Random(side)
    state = game.initial_state()
    sizes: list[int] = []
    while not state.is_over:
        state.step(state.sample_action(rng))
        if state.phase != "removal":
            ground = state.ground()
            stones = {cell for cell, symbol in enumerate(ground) if symbol != "."}
            before, sizes = sizes, sorted(map(len, game.board.groups(stones)), reverse=True)
            assert sizes > before
    assert sizes == [game.board.num_cells]
    assert state.winner == int(ground.count("W") > ground.count("B"))
    assert state.returns().tolist() == [[1, -1], [-1, 1]][state.winner]
    assert not state.action_mask().any()


# Texts and keys


@pytest.mark.parametrize(("side", "seeds"), [(2, 20), (3, 10), (4, 3), (5, 1), (9, 1)])
def test_every_position_is_read_back_and_goes_on_alike(side: int, seeds: int) -> None:
    game = make_game("rive", side=side)
    for seed in range(seeds):
        rng = random.Random(seed)
        state = game.initial_state()
        twin = State.from_string(state.to_string())
        for step in range(1000):
            if state.is_over:
                break
            action = state.sample_action(rng)
            state.step(action)
            twin.step(action)  # the twin was read back a few steps ago
            assert twin == state and twin.legal_actions() == state.legal_actions()
            restored = State.from_string(state.to_string())
            assert restored == state and restored.key() == state.key()
            assert restored.legal_actions() == state.legal_actions()
            for player in (0, 1):
                np.testing.assert_array_equal(
                    restored.observation(player), state.observation(player)
                )
            if step % 5 == 0:
                twin = restored
        assert side > 5 or state.is_over


def test_equal_positions_have_equal_keys_however_reached() -> None:
    joined = after(figure(BLACK_3A, WHITE_3A, to_play=1), (1, 0))
    one, other = after(joined, (2, 0), (0, 2)), after(joined, (0, 2), (2, 0))
    assert one == other and one.history != other.history
    assert after(joined, (2, 0)) != after(joined, (0, 2))
    # The same stones and player, inside a turn and at its start.
    by_hand = State.from_string(one.to_string())
    assert by_hand == one and hash(by_hand.key()) == hash(one.key())


def test_the_stone_just_placed_and_the_removals_are_part_of_a_position() -> None:
    def line(placed: str, removals: int) -> State:
        return State.from_string(
            "rive side=3 board=.../..../BBBBB/..../... to_play=0 winner=none "
            f"placed={placed} removals={removals}"
        )

    assert line("c3", 2) == line("c3", 2)
    assert line("c2", 1) != line("c3", 1)
    assert line("c3", 1) != line("c3", 2)
    assert line("c3", 1) != State.from_string(
        "rive side=3 board=.../..../BBBBB/..../... to_play=0 winner=none"
    )


def test_text_of_a_position() -> None:
    state = after(figure(BLACK_3A, WHITE_3A, to_play=1), (1, 0))
    assert state.to_string() == (
        "rive side=3 board=BW./.B.W/B..WB/B.W./..W to_play=1 winner=none placed=c4 removals=2"
    )


def test_names_of_actions_belong_to_the_phase() -> None:
    state = figure(BLACK_3A, WHITE_3A, to_play=1)
    placement = state.parse_action("c4")
    assert state.action_to_string(placement) == "c4"
    with pytest.raises(IllegalActionError, match="'xc5' is not legal now"):
        state.parse_action("xc5")
    state.step(placement)
    removal = state.parse_action("xc5")
    assert state.action_to_string(removal) == "xc5" and state.game.cell_names[removal] == "c5"
    for text in ("c5", "xc4", "xc1"):  # a placement, the stone just placed, another group's
        with pytest.raises(IllegalActionError, match="not legal now"):
            state.parse_action(text)
    with pytest.raises(IllegalActionError, match="is no action of rive side=3"):
        state.parse_action("xxc5")


def test_observation_of_a_game_that_was_cut_off() -> None:
    state = after(figure(BLACK_3A, WHITE_3A, to_play=1), (1, 0))
    for player in (0, 1):
        running, ended = state.observation(player), state.observation(player, ended=True)
        assert running[..., 5].sum() == 5 and running[..., 6].sum() == 1
        assert running[..., 7].max() == np.float32(2) / np.float32(19)
        np.testing.assert_array_equal(ended[..., [0, 2, 3, 4]], running[..., [0, 2, 3, 4]])
        assert not ended[..., [1, 5, 6, 7]].any()


# Positions set up by hand

LINE = "rive side=3 board=.../..../BWBBW/..../... to_play=0 winner=none"
FULL = "rive side=2 board=BW/BWB/WB to_play=0 winner=0"


@pytest.mark.parametrize("removals", [1, 2])
def test_a_removal_position_by_hand(removals: int) -> None:
    state = State.from_string(f"{LINE} placed=c3 removals={removals}")
    assert_same(state, reference_of(state))
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["xc1", "xc5"]
    for left in range(removals, 0, -1):
        assert state.fields()["removals"] == str(left)
        state.step(state.parse_action("xc5" if left == 2 else "xc1"))
    assert (state.phase, state.to_play, state.fields()) == ("placement", 0, {})


def test_labels_stay_apart_after_a_position_by_hand() -> None:
    # The joined group's first stone goes, and later a stone comes back there: were its number the
    # group's label, the new stone would count as part of that group.
    state = State.from_string(f"{LINE} placed=c3 removals=2")
    reference = reference_of(state)
    rng = random.Random(5)
    for text in ("xc1", "xc2"):
        reference.step(state.parse_action(text))
        state.step(state.parse_action(text))
    while not state.is_over:
        assert_same(state, reference)
        legal = state.legal_actions()
        action = 7 if 7 in legal else rng.choice(legal)  # c1
        state.step(action)
        reference.step(action)


def test_a_full_board_by_hand() -> None:
    state = State.from_string(FULL)
    assert state.is_over and state.winner == 0 and state.to_play == 0
    assert state.phase == "over" and not state.action_mask().any()
    assert State.from_string(FULL.replace("to_play=0", "to_play=1")).to_play == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FULL.replace("winner=0", "winner=none"), "winner must be 0.*4 and 3.*winner=none"),
        (FULL.replace("winner=0", "winner=1"), "winner must be 0.*got winner=1"),
        (FULL.replace("BW/BWB/WB", "WW/WWW/WW").replace("winner=0", "winner=1"), "last step"),
        (LINE.replace("none", "0"), "winner must be none until the board is full: .*3 and 2 of 19"),
        (FULL + " placed=b1 removals=1", "group is of one piece"),
        (LINE + " placed=c3", "come together.*only placed"),
        (LINE + " removals=1", "come together.*only removals"),
        (LINE + " placed=d9 removals=1", "a1 to e3, got 'd9'"),
        (LINE + " placed=9 removals=1", "a1 to e3, got '9'"),
        (LINE + " placed=c2 removals=1", "of the player to play, B, but on c2 lies W"),
        (LINE + " placed=a1 removals=1", "but on a1 lies ."),
        (LINE.replace("to_play=0", "to_play=1") + " placed=c5 removals=1", "joins no groups"),
        (LINE + " placed=c3 removals=0", "from 1 to 2.*parts of 2, 2 stones.*got '0'"),
        (LINE + " placed=c3 removals=3", "from 1 to 2.*got '3'"),
        (LINE + " placed=c4 removals=2", "from 1 to 1.*parts of 3, 1 stones"),
        (LINE + " placed=c3 removals=01", "from 1 to 2.*got '01'"),
        (LINE + " placed=c3 removals=-1", "from 1 to 2.*got '-1'"),
        (LINE + " placed=c3 removals=two", "from 1 to 2.*got 'two'"),
        (LINE + " turn=3", "no field 'turn': their fields are placed, removals"),
    ],
)
def test_positions_that_can_not_be(text: str, message: str) -> None:
    with pytest.raises(PositionTextError, match=message):
        State.from_string(text)


def test_a_full_board_is_no_position_of_a_game_that_runs() -> None:
    with pytest.raises(PositionTextError, match="winner must be 0"):
        make_game("rive", side=2).state_from_cells(dict.fromkeys(range(7), 0))


def test_every_removal_position_that_is_accepted_can_be_carried_through() -> None:
    # All that a line of five, a fork and a ring with tails allow; whoever is to play.
    boards = [".../..../BBBBB/..../...", "..B/..B./BBB../..B./..B", "B../.BB./.B.B./.BB./B.."]
    accepted = 0
    for board in boards:
        for cell in make_game("rive", side=3).cell_names:
            for removals in range(1, 8):
                text = f"rive side=3 board={board} to_play=0 winner=none placed={cell} "
                try:
                    state = State.from_string(f"{text}removals={removals}")
                except PositionTextError:
                    continue
                accepted += 1
                waiting = [state]
                while waiting:
                    state = waiting.pop()
                    if state.phase == "placement":
                        continue
                    assert state.legal_actions() == reference_of(state).legal_actions() != []
                    assert state.game.board.cell(cell) not in state.legal_actions()
                    for action in state.legal_actions():
                        later = state.copy()
                        later.step(action)
                        waiting.append(later)
    assert accepted > 10


# The kernels on a row among others


@pytest.mark.parametrize("side", range(2, 10))
def test_a_row_is_written_whole_and_nothing_else_is(side: int) -> None:
    game = make_game("rive", side=side)
    planes, length = game.row_shape[-2:]
    assert planes * length < 4096
    rows = np.full((3, planes, length), 0xAA, np.uint8)
    seen = np.full((3, *game.observation_shape), 7, np.float32)
    rng = random.Random(side)
    state = game.initial_state()
    kernels.start(rows, 1, game.tables, 0)
    for _ in range(400):
        kernels.mask(rows, 1, game.tables)
        assert rows[1, 0, : game.num_actions].tolist() == state.action_mask().tolist()
        assert not rows[1, 0, game.num_actions :].any()
        kernels.observe(rows, 1, game.tables, 0, seen)
        np.testing.assert_array_equal(seen[1], state.observation(0))
        action = state.sample_action(rng)
        state.step(action)
        kernels.step(rows, 1, game.tables, action)
        assert kernels.status(rows, 1) == state.key()[1][-1]
        if state.is_over:
            break
    assert (rows[[0, 2]] == 0xAA).all() and (seen[[0, 2]] == 7).all()
