"""Strands: the kernels against the reference, layouts, and positions set up by hand."""

from __future__ import annotations

import pickle
import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import against
import reference.strands as plain
from hexgames_env import State, make_game
from hexgames_env.core.board import hex_board
from hexgames_env.errors import IllegalActionError, OptionError, PositionTextError
from hexgames_env.games.strands import Strands, kernels
from volume import quick

COVERS = ("up_to", "exactly")
SIDE_2 = (3, 3, 3, 2, 1, 2, 2)
SIDE_3 = tuple(1 + (cell * cell + cell // 3) % 4 for cell in range(19))
SIDE_4 = tuple(1 + (cell * cell + cell // 5) % 6 for cell in range(37))
# How many positions are compared: the reference takes 1 ms for each on side 7.
LAYOUTS: dict[str, tuple[Any, int]] = {
    **{name: (name, 1_000) for name in ("5", "6", "6-low", "7", "6-random", "7-random")},
    "side 2": (SIDE_2, 5_000),
    "side 3": (SIDE_3, 5_000),
    "side 4": (SIDE_4, 4_500),
}


def numbers_of(state: State) -> list[int] | None:
    """The numbers that were drawn, in the order of the cells; None if the layout is fixed."""
    rows = state.fields().get("numbers")
    return None if rows is None else [int(c) for row in rows.split("/")[::-1] for c in row]


def make_reference(state: State) -> plain.Strands:
    options = state.game.options
    return plain.Strands(options["layout"], options["cover"], numbers_of(state))


# Against the reference


def is_stop(reference: plain.Strands, action: int) -> bool:
    return action == reference.stop_action


def joins(reference: plain.Strands, action: int) -> bool:
    """Whether a covering touches a stone of the player's own."""
    return not is_stop(reference, action) and any(
        reference.stones.get(near) == reference.to_play
        for near in reference.board.neighbours[action]
    )


POLICIES: tuple[against.Policy, ...] = (
    against.uniform,
    against.preferring(is_stop),
    against.preferring(lambda reference, action: not is_stop(reference, action)),
    against.preferring(joins, 0.9),
)


def decided_at(reference: plain.Strands) -> tuple[int, bool]:
    """Which groups decide an ended game, from 0, and whether one of the players has none there."""
    black, white = reference.group_sizes(0), reference.group_sizes(1)
    place = next(
        (k for k, (one, two) in enumerate(zip(black, white, strict=False)) if one != two),
        min(len(black), len(white)),
    )
    return place, place == min(len(black), len(white))


@pytest.mark.parametrize("cover", COVERS)
@pytest.mark.parametrize("name", quick(LAYOUTS, "5", "side 2"))
def test_kernels_against_the_reference(name: str, cover: str) -> None:
    layout, wanted = LAYOUTS[name]
    game = make_game("strands", layout=layout, cover=cover)
    positions = 0
    phases: Counter[str] = Counter()
    decided: Counter[tuple[int, bool]] = Counter()
    keys: dict[Any, Any] = {}
    found: dict[Any, Any] = {}
    for number, policy in enumerate(POLICIES):
        before, seed = positions, 1000 * number
        while positions - before < wanted // len(POLICIES):
            rng = random.Random(seed)
            for state, reference in against.play(game, make_reference, policy, seed):
                positions += 1
                phases[state.phase] += 1
                # Keys are equal where the reference's positions are, and nowhere else.
                assert keys.setdefault(reference.position(), state.key()) == state.key()
                assert found.setdefault(state.key(), reference.position()) == reference.position()
                if rng.random() < 0.1 or state.is_over:
                    assert_text_and_back(state, rng)
                if state.is_over:
                    decided[decided_at(reference)] += 1
            seed += 1
    assert positions >= wanted
    assert set(phases) == {"opening", "start", "continue", "over"}
    # The tie-breaks come up: by the second groups, by a second group of one player alone.
    if name == "side 2":
        assert decided[1, True] > 40, decided
    if name == "side 3":
        assert decided[1, False] > 5 and decided[1, True] > 5, decided


def test_enough_positions_are_compared() -> None:
    assert sum(wanted for _, wanted in LAYOUTS.values()) >= 20_000  # with each value of cover


def assert_text_and_back(state: State, rng: random.Random) -> None:
    """The text gives the same position, which goes on the same way."""
    restored = State.from_string(state.to_string())
    assert restored == state and restored.to_string() == state.to_string()
    assert pickle.loads(pickle.dumps(state)) == state
    one, two = state.copy(), restored.copy()
    for _ in range(8):
        assert one == two and one.legal_actions() == two.legal_actions()
        assert one.phase == two.phase and one.winner == two.winner
        assert np.array_equal(one.observation(0), two.observation(0))
        if one.is_over:
            break
        action = one.sample_action(rng)
        one.step(action)
        two.step(action)


# Ends of games


def full_board(black: set[int], num_cells: int) -> str:
    return "".join("B" if cell in black else "W" for cell in range(num_cells))


@pytest.mark.parametrize(
    ("black", "winner"),
    [
        ({1, 3, 4, 8, 11, 12, 13, 15, 17}, 0),
        ({2, 3, 5, 6, 8, 13, 14, 15, 16}, 0),
        ({1, 2, 3, 4, 5, 6, 7, 8, 9}, 1),
        ({0, 10, 11, 12, 13, 14, 15, 16, 17, 18}, 0),
        ({0, 1, 2, 3, 4}, 1),
    ],
    ids=["7 2 to 7 1 1 1", "6 3 to 6 2 2", "9 to 9 1", "9 1 to 9", "5 to 14"],
)
@pytest.mark.parametrize("last", range(19))
def test_second_largest_groups_decide(black: set[int], winner: int, last: int) -> None:
    game = make_game("strands", layout=[2] * 19)
    for swapped in (False, True):
        owners = [(cell in black) == swapped for cell in range(19)]
        stones = {cell: int(owner) for cell, owner in enumerate(owners)}
        to_play = stones.pop(last)
        state = game.state_from_cells(stones, to_play)
        assert state.legal_actions() == [last] and state.phase == "start"
        state.step(last)
        assert state.is_over and state.winner == (1 - winner if swapped else winner)
        assert state.to_play == to_play
        assert State.from_string(state.to_string()) == state


@pytest.mark.parametrize("side", range(2, 10))
def test_random_full_boards(side: int) -> None:
    """Every way to count groups: thinned, clustered and striped boards of each side."""
    num_cells = 3 * side * (side - 1) + 1
    game = make_game("strands", layout=[2] * num_cells)
    board = hex_board(side)
    rng = random.Random(side)
    seen = set()
    for share in (0.1, 0.3, 0.45, 0.5, 0.55, 0.7, 0.9, "stripes", "thirds"):
        for _ in range(6):
            if share == "stripes":
                shift = rng.randrange(2)
                black = {c for c in range(num_cells) if (board.grid[c, 0] + shift) % 2 == 0}
            elif share == "thirds":  # as many groups of one stone as there can be
                shift = rng.randrange(3)
                black = {c for c in range(num_cells) if (board.grid[c].sum() + shift) % 3 == 0}
            else:
                black = {c for c in range(num_cells) if rng.random() < float(share)}
            last = rng.randrange(num_cells)
            stones = {cell: int(cell not in black) for cell in range(num_cells)}
            to_play = stones.pop(last)
            state = game.state_from_cells(stones, to_play)
            state.step(last)
            sizes = [
                sorted(map(len, board.groups(cells)), reverse=True)
                for cells in (black, set(range(num_cells)) - black)
            ]
            assert state.winner == int(sizes[0] < sizes[1])
            seen.add(state.winner)
    assert seen == {0, 1}


# Turns


def test_turns() -> None:
    state = make_game("strands", layout=SIDE_2).initial_state()
    assert state.game.num_actions == 8 and state.phase == "opening"
    assert state.legal_actions() == [3, 5, 6]
    state.step(3)
    assert state.phase == "start" and state.to_play == 1
    assert state.legal_actions() == [0, 1, 2, 4, 5, 6]
    state.step(0)
    assert state.phase == "continue" and state.to_play == 1
    assert state.legal_actions() == [1, 2, 7]
    assert state.action_to_string(7) == "stop" and state.parse_action("stop") == 7
    for player in (0, 1):
        planes = state.observation(player)
        assert planes[..., 5].sum() == 2 and np.unique(planes[..., 6][planes[..., 0] == 1]) == [
            np.float32(2 / 6)
        ]
    state.step(7)
    assert state.phase == "start" and state.to_play == 0
    with pytest.raises(IllegalActionError, match="'stop' is not legal now"):
        state.parse_action("stop")
    state.step(1)
    assert state.fields() == {"due": "3", "left": "1"}  # not 2: a single 3 is left
    state.step(2)
    assert state.phase == "start" and state.to_play == 1  # no 3 is left
    state.step(4)
    assert state.phase == "start" and state.to_play == 0  # X = 1
    state.step(5)
    state.step(6)
    assert state.is_over and state.winner == 0 and state.to_play == 0


def test_cover_exactly() -> None:
    state = make_game("strands", layout=SIDE_2, cover="exactly").initial_state()
    for action, legal in ((3, [0, 1, 2, 4, 5, 6]), (0, [1, 2]), (1, [2]), (2, [4, 5, 6])):
        state.step(action)
        assert state.legal_actions() == legal
    assert state.to_play == 0 and state.phase == "start"


@pytest.mark.parametrize(("layout", "cover"), [(SIDE_2, "up_to"), ("6-random", "exactly")])
def test_a_game_that_was_cut_off(layout: Any, cover: str) -> None:
    state = make_game("strands", layout=layout, cover=cover).initial_state(3)
    rng = random.Random(3)
    while state.phase != "continue":
        state.step(state.sample_action(rng))
    for player in (0, 1):
        running, ended = state.observation(player), state.observation(player, ended=True)
        assert running[..., 5].any() and running[..., 6].any()
        assert not ended[..., [1, 5, 6]].any()
        assert np.array_equal(ended[..., [0, 2, 3, 4]], running[..., [0, 2, 3, 4]])


def test_observing_writes_all_of_its_row_and_nothing_else() -> None:
    game = make_game("strands", layout=SIDE_2)
    rows = np.zeros((3, *game.row_shape[1:]), game.row_dtype)
    for b in range(3):
        kernels.start(rows, b, game.tables, np.uint64(0))
    planes = np.full((3, *game.observation_shape), np.nan, np.float32)
    kernels.observe(rows, 1, game.tables, 0, planes)
    assert np.isnan(planes[[0, 2]]).all() and not np.isnan(planes[1]).any()
    assert np.array_equal(planes[1], game.initial_state().observation(0))


def test_what_a_turn_has_covered_matters_only_as_far_as_spaces_are_left() -> None:
    game = make_game("strands", layout=[2, 4, 4, 4, 4, 4, 4])
    states = []
    for names in ("a1 a2 b1 stop b2 stop b3 c1", "a1 a2 b1 b3 stop b2 stop c1"):
        state = game.initial_state()
        for name in names.split():
            state.step(state.parse_action(name))
        states.append(state)
    assert states[0] == states[1] and states[0].fields() == {"due": "4", "left": "1"}


def test_the_same_stones_with_more_or_less_to_cover_are_different_positions() -> None:
    game = make_game("strands", layout=[2, *[4] * 18])
    states = []
    for names in ("a1 a2 stop a3 stop b1 b2", "a1 a2 b1 stop a3 stop b2", "a1 b2 b1 stop a3 stop"):
        state = game.initial_state()
        for name in names.split():
            state.step(state.parse_action(name))
        states.append(state)
    states[2].step(states[2].parse_action("a2"))
    assert states[0].ground() == states[1].ground() == states[2].ground()
    assert [state.fields()["left"] for state in states] == ["2", "3", "3"]
    assert states[0] != states[1] == states[2]


# Layouts


def test_fixed_layouts() -> None:
    for name in ("5", "6", "6-low", "7"):
        game = make_game("strands", layout=name)
        assert isinstance(game, Strands) and list(game.numbers or ()) == plain.fixed_layout(name)
    assert make_game("strands").options == {"layout": "6", "cover": "up_to"}
    game = make_game("strands", layout="7")
    assert game.board.side == 7 and game.observation_shape == (13, 13, 7)


def test_custom_layouts() -> None:
    games = [
        make_game("strands", layout=layout)
        for layout in (SIDE_2, list(SIDE_2), np.array(SIDE_2, np.uint8))
    ]
    assert games[0] == games[1] == games[2] and len(set(games)) == 1
    assert games[2].options["layout"] == SIDE_2
    assert all(type(number) is int for number in games[2].options["layout"])
    assert games[0].to_string() == "strands layout=22/321/33 cover=up_to"
    text = games[0].initial_state().to_string()
    assert State.from_string(text).game == games[0]
    # A layout keeps its name, and numbers stay numbers.
    named, same = make_game("strands"), make_game("strands", layout=plain.fixed_layout("6"))
    assert named.to_string() == "strands layout=6 cover=up_to" and named != same
    assert same.observation_shape == named.observation_shape


@pytest.mark.parametrize("side", range(2, 10))
def test_sides_and_memory(side: int) -> None:
    count = 3 * side * (side - 1) + 1
    game = make_game("strands", layout=[6] * (count - 1) + [2])
    assert game.board.side == side and game.num_actions == count + 1
    assert np.prod(game.row_shape) * game.row_dtype.itemsize < 4096
    state = game.initial_state()
    assert state.legal_actions() == [count - 1]
    assert State.from_string(state.to_string()) == state


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("8", "must be one of '5', '6', '6-low', '7', '6-random', '7-random' or a sequence"),
        ("22/321/33", r"must be one of .* are read in texts: Game\.from_string"),
        (6, "got 6"),
        (None, "must be one of"),
        (True, "must be one of"),
        ({2, 3}, "must be one of"),
        (dict.fromkeys(range(7), 2), "must be one of"),
        (bytes([2] * 7), "must be one of"),
        (iter([2] * 7), "must be one of"),
        (np.full((1, 7), 2), "must be one of"),
        (np.array(2), "must be one of"),
        ([], "7, 19, 37, 61, 91, 127, 169, 217 of them, got 0"),
        ([2], "got 1"),
        ([2] * 8, "got 8"),
        ([2] * 271, "got 271"),
        ([2] * 6 + [0], r"from 1 to 6, got 0 for cell 6 \(c2\)"),
        ([2] * 3 + [7] + [2] * 3, r"got 7 for cell 3 \(b2\)"),
        ([-1] + [2] * 6, r"got -1 for cell 0 \(a1\)"),
        ([True] + [2] * 6, "got True"),
        ([2.0] + [2] * 6, r"got 2\.0"),
        (np.full(7, 2.0), "got"),
        (np.full(7, True), "got"),
        (["2"] * 7, "got '2'"),
        ([None] * 7, "got None"),
        ([1] * 7, "must have a 2, since Black opens on a space marked 2; got only 1"),
    ],
    ids=lambda value: re.sub(" at 0x.*?>", ">", repr(value)),
)
def test_refused_layouts(layout: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make_game("strands", layout=layout)


@pytest.mark.parametrize("cover", ["some", "", None, True, 1])
def test_refused_covers(cover: Any) -> None:
    with pytest.raises(OptionError, match="cover must be one of 'up_to', 'exactly', got"):
        make_game("strands", cover=cover)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("22/331/3", "rows of a board of side 2 to 9"),
        ("22/321/33/", "rows of a board"),
        ("33/33/321", "rows of a board"),
        ("/", "rows of a board"),
        ("22/3x1/33", "got 'x' for cell 3"),
        ("22/371/33", "got 7 for cell 3"),
        ("11/111/11", "must have a 2"),
        ("2222222", "must be one of"),
    ],
)
def test_refused_layouts_in_a_text(word: str, message: str) -> None:
    text = f"strands layout={word} cover=up_to board=../.../.. to_play=0 winner=none"
    with pytest.raises(OptionError, match=message):
        State.from_string(text)


# Random layouts


@pytest.mark.parametrize("name", ["6-random", "7-random"])
def test_drawn_numbers_follow_the_layout(name: str) -> None:
    game = make_game("strands", layout=name)
    drawn = [numbers_of(game.initial_state(seed)) for seed in range(40)]
    for numbers in drawn:
        assert numbers is not None
        plain.check_random_layout(name, numbers)
    assert drawn == [numbers_of(game.initial_state(seed)) for seed in range(40)]
    assert len(set(map(str, drawn))) == 40
    assert game.initial_state() != game.initial_state()
    assert game.initial_state(0) != game.initial_state(2**64 - 1)
    assert game.initial_state(5).key() != game.initial_state(6).key()


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        (
            "6-random",
            "554545/5333334/53322335/532222235/5322222234/53331122345/"
            "5322212235/532222234/43322335/4333345/554445",
        ),
        (
            "7-random",
            "5555555/53333335/533332335/4322222234/43222222235/432212111235/5432211222335/"
            "432212112234/53222122235/5322222334/533222335/53333345/5545555",
        ),
    ],
)
def test_drawn_numbers_stay_the_same(name: str, rows: str) -> None:
    """A seed means the same game in every version and on every machine."""
    assert make_game("strands", layout=name).initial_state(7).fields()["numbers"] == rows


def test_drawn_numbers_depend_on_nothing_but_the_seed() -> None:
    game = make_game("strands", layout="6-random")
    seeds = np.array([3, 1, 2**64 - 1, 3], np.uint64)
    rows = np.full((4, *game.row_shape[1:]), 255, game.row_dtype)
    for b in (2, 0, 3, 1):
        kernels.start(rows, b, game.tables, seeds[b])
    for row, seed in zip(rows, seeds.tolist(), strict=True):
        assert game.position_bytes(row) == game.position_bytes(game.initial_state(seed)._rows[0])
    assert np.array_equal(rows[0], rows[3])


@pytest.mark.parametrize("name", ["6-random", "7-random"])
def test_every_place_is_as_likely(name: str) -> None:
    """How often each cell bears its ring's highest and lowest numbers, within 5 deviations."""
    game = make_game("strands", layout=name)
    draws = 1500
    drawn = np.array([numbers_of(game.initial_state(seed)) for seed in range(draws)])
    board = plain.HexBoard(game.board.side)
    for ring in range(board.side):
        corners = board.ring_corners(ring)
        for cells in (corners, board.ring_cells(ring) - corners):
            for number in np.unique(drawn[:, sorted(cells)]):
                counts = (drawn[:, sorted(cells)] == number).sum(axis=0)
                p = counts.mean() / draws
                assert np.abs(counts - p * draws).max() <= 5 * np.sqrt(draws * p * (1 - p))


def test_drawn_numbers_belong_to_the_position() -> None:
    game = make_game("strands", layout="6-random")
    state = game.initial_state(1)
    rng = random.Random(1)
    while state.phase != "continue":
        state.step(state.sample_action(rng))
    text = state.to_string()
    assert list(state.fields()) == ["numbers", "due", "left"]
    assert State.from_string(text) == state
    first, second = game.initial_state(1), game.initial_state(2)
    drawn, other = (start.fields()["numbers"] for start in (first, second))
    assert State.from_string(first.to_string().replace(drawn, other)) == second != first
    fields = state.fields()
    cells = dict(enumerate(state.ground()))
    assert game.state_from_cells(cells, state.to_play, **fields) == state


# Symmetries


@pytest.mark.parametrize(
    ("layout", "kept"),
    [
        *(("5", 4), ("6", 12), ("6-low", 12), ("7", 2), ("6-random", 12), ("7-random", 12)),
        *((SIDE_2, 1), (SIDE_4, 1), ((2,) * 7, 12), ((1, 1, 1, 2, 1, 1, 1), 12)),
        ((2, 3, 3, 3, 3, 3, 2), 4),
    ],
    ids=str,
)
def test_symmetries_keep_the_numbers(layout: Any, kept: int) -> None:
    game = make_game("strands", layout=layout)
    symmetries = game.symmetries()
    assert len(symmetries) == kept
    rng = random.Random(4)
    state = game.initial_state(4)
    for symmetry in symmetries:
        if isinstance(game, Strands) and game.numbers is not None:
            image = game.initial_state()
            path = list(positions(state, rng))
            for (_, action), (after, _) in pairwise(path):
                image.step(int(symmetry.actions[action]))
                assert_image(after, image, symmetry)
        else:
            for after, _ in positions(state, rng):
                image = turned(after, symmetry)
                assert_image(after, image, symmetry)


def positions(state: State, rng: random.Random) -> Iterator[tuple[State, int]]:
    """A random game's first positions, each with the action that is made there."""
    state = state.copy()
    for _ in range(12):
        action = -1 if state.is_over else state.sample_action(rng)
        yield state.copy(), action
        if state.is_over:
            break
        state.step(action)


def turned(state: State, symmetry: Any) -> State:
    """The position with all stones and drawn numbers moved."""
    fields = state.fields()
    moved = [""] * state.game.board.num_cells
    for cell, number in enumerate(numbers_of(state) or ()):
        moved[symmetry.cells[cell]] = str(number)
    fields["numbers"] = state.game.board.to_rows("".join(moved))
    stones = {int(symmetry.cells[c]): what for c, what in enumerate(state.ground())}
    return state.game.state_from_cells(stones, state.to_play, **fields)


def assert_image(state: State, image: State, symmetry: Any) -> None:
    mask = symmetry.transform_mask(state.action_mask())
    assert np.array_equal(mask, image.action_mask())
    for player in (0, 1):
        planes = symmetry.transform_observation(state.observation(player))
        assert np.array_equal(planes, image.observation(player))


# Set up by hand


def test_set_up_by_hand() -> None:
    game = make_game("strands", layout=SIDE_2)
    state = game.state_from_cells({"b2": 0, "a1": "W"}, to_play=1, due=3, left=2)
    assert state.phase == "continue" and state.legal_actions() == [1, 2, 7]
    played = game.initial_state()
    played.step(3)
    played.step(0)
    assert state == played
    assert game.state_from_cells({}) == game.initial_state()
    assert game.state_from_cells({"b2": 0}, to_play=1).phase == "start"
    # Stones that no game leaves behind are playable all the same.
    assert game.state_from_cells({"a1": 1}).legal_actions() == [1, 2, 3, 4, 5, 6]


BOARD_4 = [2, 4, 4, 4, 4, 4, 4]


@pytest.mark.parametrize(
    ("layout", "board", "rest", "message"),
    [
        (SIDE_2, "../.../..", "to_play=1 winner=none", "the board is empty and to_play is 1"),
        (SIDE_2, "../.../..", "to_play=0 winner=none due=2 left=1", "has 0 stones on such spaces"),
        (SIDE_2, "../.B./W.", "to_play=1 winner=none due=3", "both due=.*got due=3 left=none"),
        (SIDE_2, "../.B./W.", "to_play=1 winner=none left=2", "got due=none left=2"),
        (SIDE_2, "../.B./W.", "to_play=1 winner=none due=0 left=2", "got due=0"),
        (SIDE_2, "../.B./W.", "to_play=1 winner=none due=7 left=2", "got due=7"),
        (SIDE_2, "../.B./W.", "to_play=1 winner=none due=33 left=2", "digits from 1 to 6; got"),
        (SIDE_2, "../.B./W.", "to_play=1 winner=none due=3 left=0", "got due=3 left=0"),
        (SIDE_2, "../.B./W.", "to_play=1 winner=none due=3 left=x", "got due=3 left=x"),
        (
            SIDE_2,
            "../.B./W.",
            "to_play=1 winner=none due=3 left=3",
            "at most 2 .*left=1 to 2",
        ),
        (
            SIDE_2,
            "../.BW/..",
            "to_play=1 winner=none due=1 left=1",
            "it is over: leave due",
        ),
        (
            SIDE_2,
            "../WBB/WW",
            "to_play=1 winner=none due=3 left=1",
            "it is over: leave due",
        ),
        (
            SIDE_2,
            "../.B./W.",
            "to_play=0 winner=none due=3 left=2",
            "Black .player_0. .* has 0 stones",
        ),
        (SIDE_2, "../.B./W.", "to_play=1 winner=none due=3 left=1", "2 or more.*has 1 stone on"),
        (SIDE_2, "../.../W.", "to_play=1 winner=none due=3 left=2", "before it comes the opening"),
        (SIDE_2, "../.B./..", "to_play=0 winner=none due=2 left=1", "before it comes the opening"),
        (BOARD_4, "../B../B.", "to_play=0 winner=none due=4 left=1", "3 or more.*has 1 stone on"),
        (SIDE_2, "../.B./W.", "to_play=1 winner=0", "4 spaces are empty|5 spaces are empty"),
        (SIDE_2, "BB/BBB/WW", "to_play=1 winner=none", "Black .player_0. has won, got winner none"),
        (SIDE_2, "BB/BBB/WW", "to_play=1 winner=1", "Black .player_0. has won, got winner 1"),
        (SIDE_2, "BB/BBB/BB", "to_play=1 winner=0", "White .player_1. has no stone: say to_play=0"),
        (SIDE_2, "BB/BBB/WW", "to_play=1 winner=0 due=3 left=1", "leave due and left out"),
        (SIDE_2, "BB/BBB/WW", "to_play=1 winner=none due=3 left=1", "leave due and left out"),
        (SIDE_2, "B./BBB/W", "to_play=1 winner=none", "rows of 2 3 2 characters"),
        (SIDE_2, "BX/BBB/WW", "to_play=1 winner=0", "out of '.BW'"),
        (SIDE_2, "../.B./W.", "to_play=1 winner=none numbers=22/321/33", "leave numbers="),
        (SIDE_2, "../.B./W.", "to_play=1 winner=none twos=1", "no field 'twos'"),
    ],
)
def test_refused_positions(layout: Any, board: str, rest: str, message: str) -> None:
    for cover in COVERS:
        game = make_game("strands", layout=layout, cover=cover)
        with pytest.raises(PositionTextError, match=message):
            State.from_string(f"{game.to_string()} board={board} {rest}")


@pytest.mark.parametrize(
    ("board", "rest"),
    [
        ("../B../BB", "to_play=0 winner=none due=4 left=2"),  # fewer left than empty: 2 covered
        ("../B../BB", "to_play=0 winner=none due=4 left=3"),
        (".W/BW./BB", "to_play=0 winner=none due=4 left=2"),  # as many as are empty: 1 or 2
        (".W/WWW/BB", "to_play=0 winner=none due=4 left=1"),
        ("WW/WWW/WB", "to_play=1 winner=1"),
    ],
)
def test_accepted_positions(board: str, rest: str) -> None:
    text = f"strands layout=44/444/24 cover=up_to board={board} {rest}"
    state = State.from_string(text)
    assert state.to_string() == text
    assert state.is_over or state.legal_actions()


def test_every_text_of_a_small_board_is_refused_or_plays_on() -> None:
    """No position that was taken can fail to go on or to be what it says."""
    game = make_game("strands", layout=[2, 3, 3, 2, 1, 3, 2])
    rng = random.Random(11)
    taken = Counter[str]()
    for _ in range(4_000):
        stones = {cell: rng.choice(".BW") for cell in range(7)}
        fields = {}
        if rng.random() < 0.8:
            fields = {"due": rng.randint(1, 4), "left": rng.randint(1, 3)}
        try:
            state = game.state_from_cells(stones, rng.randrange(2), **fields)
        except PositionTextError:
            taken["refused"] += 1
            continue
        taken[state.phase] += 1
        assert state.fields() == {name: str(value) for name, value in fields.items()}
        reference = plain.Strands.set_up(
            game.options["layout"],
            {cell: ".BW".index(what) - 1 for cell, what in stones.items() if what != "."},
            state.to_play,
        )
        if fields:
            due, left = fields["due"], fields["left"]
            reference.phase, reference.number, reference.covered = "continue", due, due - left
        elif state.phase == "opening":
            reference.phase = "opening"
        against.assert_same(state, reference)
        while not state.is_over:
            action = state.sample_action(rng)
            state.step(action)
            reference.step(action)
            against.assert_same(state, reference)
    assert taken["refused"] > 500 and taken["start"] > 200 and taken["continue"] > 100


@pytest.mark.parametrize("name", ["6-random", "7-random"])
def test_refused_numbers(name: str) -> None:
    game = make_game("strands", layout=name)
    numbers = numbers_of(game.initial_state(1))
    assert numbers is not None
    board = plain.HexBoard(game.board.side)

    def refuse(message: str, spoilt: list[int] | None, text: str | None = None) -> None:
        fields: dict[str, Any] = {}
        if spoilt is not None:
            fields = {"numbers": game.board.to_rows("".join(map(str, spoilt)))}
        elif text is not None:
            fields = {"numbers": text}
        with pytest.raises(PositionTextError, match=message):
            game.state_from_cells({}, **fields)

    refuse("says what was drawn: numbers= and rows of", None)
    refuse("says what was drawn", None, "22/321/33")
    refuse("says what was drawn", [7, *numbers[1:]])
    refuse("says what was drawn", [0, *numbers[1:]])
    refuse("never draws these numbers: the corners of ring", [6, *numbers[1:]])
    centre = board.by_axial[0, 0]
    refuse("ring 0 bear 1 in any order, got 2", [*numbers[:centre], 2, *numbers[centre + 1 :]])
    high, low = (3, 2) if name == "6-random" else (2, 1)
    spoilt = list(numbers)  # a high number away from the corners while a corner has less
    for ring in range(2, 4):
        corners = board.ring_corners(ring)
        corner = next(c for c in sorted(corners) if spoilt[c] == high)
        other = next(c for c in sorted(board.ring_cells(ring) - corners) if spoilt[c] == low)
        spoilt[corner], spoilt[other] = low, high
        refuse("never draws these numbers", spoilt)
        with pytest.raises(AssertionError):
            plain.check_random_layout(name, spoilt)
        spoilt = list(numbers)
