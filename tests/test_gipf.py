"""GIPF: the kernels against the reference, records, perft, and positions set up by hand."""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reference.gipf as plain
from against import assert_same
from hexgames_env import State, make_game
from hexgames_env.core.options import ChoiceOption
from hexgames_env.engine.jit import kernel
from hexgames_env.errors import IllegalActionError, OptionError, PositionTextError
from hexgames_env.games.gipf import Gipf
from hexgames_env.games.gipf.geometry import LINE_NAMES
from hexgames_env.games.gipf.kernels import mask, status, step
from hexgames_env.games.gipf.variants import Variant
from volume import quick

VARIANTS = ("basic", "standard", "tournament")
DATA = Path(__file__).parent / "data"
SYMBOLS = {"W": "w", "B": "b", "GW": "W", "GB": "B"}  # of the reference's pieces

Pair = tuple[State, plain.Gipf]


def set_up(
    variant: str,
    board: dict[str, str],
    reserve: tuple[int, int],
    to_play: int = 0,
    bring: tuple[bool, bool] = (False, False),
) -> Pair:
    """The same position before a push, on the kernels and on the reference."""
    reference = plain.Gipf.set_up(variant, board, reserve, to_play, bring)
    may_bring = [str(p) for p in (0, 1) if reference.may_bring_gipf(p)]
    state = make_game("gipf", variant=variant).state_from_cells(
        {point: SYMBOLS[piece] for point, piece in board.items()},
        to_play,
        reserve=f"{reserve[0]},{reserve[1]}",
        bring=",".join(may_bring) or "none",
    )
    return state, reference


def set_up_rows(variant: str, board: dict[str, str], reserve: tuple[int, int], pusher: int) -> Pair:
    """The same after a push that has made two rows or more of this player."""
    reference = plain.Gipf.set_up(variant, board, reserve, pusher)
    reference._next_row()
    state = make_game("gipf", variant=variant).state_from_cells(
        {point: SYMBOLS[piece] for point, piece in board.items()},
        pusher,
        pusher=pusher,
        reserve=f"{reserve[0]},{reserve[1]}",
        bring="none",
    )
    return state, reference


def play(state: State, texts: str) -> State:
    for text in texts.split():
        state.step(state.parse_action(text))
    return state


def legal_texts(state: State) -> list[str]:
    return [state.action_to_string(action) for action in state.legal_actions()]


def pieces(points: str, piece: str) -> dict[str, str]:
    return dict.fromkeys(points.split(), piece)


# Against the reference

Policy = Callable[[random.Random, State], int]


def uniform(rng: random.Random, state: State) -> int:
    return rng.choice(state.legal_actions())


def row_seeking(rng: random.Random, state: State) -> int:
    """A push, out of twelve, that leads to a removal, if one does."""
    legal = state.legal_actions()
    if state.phase == "push":
        gaps = state.ground().count(".")
        for action in rng.sample(legal, min(12, len(legal))):
            after = state.copy()
            after.step(action)
            if after.ground().count(".") != gaps - 1:
                return action
    return rng.choice(legal)


def keep_always(rng: random.Random, state: State) -> int:
    return int(plain.KEEP) if state.phase == "take" else row_seeking(rng, state)


def take_always(rng: random.Random, state: State) -> int:
    return state.legal_actions()[-1] if state.phase == "take" else row_seeking(rng, state)


def gipf_heavy(rng: random.Random, state: State) -> int:
    legal = state.legal_actions()
    gipf = [a for a in legal if plain.PUSH_GIPF <= a < plain.REMOVE_ROW]
    if gipf and rng.random() < 0.95:
        return rng.choice(gipf)
    if state.phase == "take" and rng.random() < 0.7:
        return int(plain.KEEP)
    return rng.choice(legal)


POLICIES: dict[str, tuple[Policy, ...]] = {
    "basic": (uniform, row_seeking),
    "standard": (uniform, row_seeking, keep_always, take_always),
    "tournament": (uniform, row_seeking, keep_always, take_always, gipf_heavy),
}
POSITIONS = 8_000  # of each variant
LONGEST = 300  # steps: players who always keep can go on for ever

# What random play is known to reach; the rest are positions set up by hand below.
REACHED = {
    "basic": {
        "single_row_without_asking",
        "two_rows_to_choose",
        "opponent_removal",
        "last_piece_pushed",
        "last_piece_recovered_by_row",
        "loss_by_empty_reserve",
    },
}
REACHED["standard"] = REACHED["basic"] | {
    "keep",
    "gipf_taken_own",
    "gipf_taken_other",
    "win_by_last_gipf",
    "own_last_gipf_lost",
}
REACHED["tournament"] = REACHED["standard"] | {
    "all_gipf_row",
    "all_gipf_row_all_kept",
}


def both(pair: Pair, policy: Policy, rng: random.Random) -> Iterator[Pair]:
    """One game from this position on: each of its positions, already compared."""
    state, reference = pair
    assert_same(state, reference)
    yield pair
    for _ in range(LONGEST):
        if state.is_over:
            break
        action = policy(rng, state)
        state.step(action)
        reference.step(action)
        assert_same(state, reference)
        yield pair


class Keys:
    """Whether keys are equal exactly where the reference's positions are."""

    def __init__(self) -> None:
        self.position_of: dict[object, object] = {}
        self.key_of: dict[object, object] = {}

    def check(self, state: State, reference: plain.Gipf) -> None:
        key, position = state.key(), reference.position()
        assert self.position_of.setdefault(key, position) == position, state
        assert self.key_of.setdefault(position, key) == key, state


def assert_read_back(state: State) -> State:
    again = State.from_string(state.to_string())
    assert again == state and again.to_string() == state.to_string()
    assert again.legal_actions() == state.legal_actions()
    return again


@pytest.mark.parametrize("variant", quick(VARIANTS, "standard"))
def test_kernels_play_as_the_reference(variant: str) -> None:
    game = make_game("gipf", variant=variant)
    keys, events = Keys(), Counter[str]()
    compared = 0
    for policy in POLICIES[variant]:
        seed, enough = 0, compared + POSITIONS // len(POLICIES[variant])
        while compared < enough:
            rng = random.Random(f"{policy.__name__} {seed}")
            pair = game.initial_state(), plain.Gipf(variant)
            for state, reference in both(pair, policy, rng):
                keys.check(state, reference)
                if compared % 8 == 0 or state.phase != "push":
                    assert_read_back(state)
                compared += 1
            events += reference.events
            seed += 1
    print(variant, compared, dict(events))
    assert compared >= POSITIONS
    assert set(events) >= REACHED[variant]
    # Besides these the start and the opening return, and few others.
    assert len(keys.key_of) > 0.8 * compared


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_crowded_boards_play_as_the_reference(variant: str) -> None:
    """Boards with whole lines filled have many rows that cross, which play reaches too seldom."""
    rng = random.Random(variant)
    keys, events = Keys(), Counter[str]()
    gipf_share = {"basic": 0.0, "standard": 0.2, "tournament": 0.3}[variant]
    done = 0
    while done < 400:
        white_share = rng.choice([0.1, 0.9])
        lines = rng.sample(plain.LINES, rng.randint(2, 3))
        board = {
            point: "G" * (rng.random() < gipf_share) + "BW"[rng.random() < white_share]
            for point in sorted(
                {p for line in lines for p in line} | set(rng.sample(plain.POINTS, 5))
            )
        }
        spare = [plain.TOTAL[variant] - plain.count_worth(board, player) for player in (0, 1)]
        gipf = [plain.count_gipf(board, player) for player in (0, 1)]
        if min(spare) < 1 or max(gipf) > plain.MOST_GIPF[variant]:
            continue
        if variant != "basic" and min(gipf) == 0:
            continue
        pusher = int(white_share < 0.5)
        if sum(plain.row_on(board, line, pusher) != [] for line in range(21)) < 2:
            continue
        done += 1
        reserve = (rng.randint(1, spare[0]), rng.randint(1, spare[1]))
        pair = set_up_rows(variant, board, reserve, pusher)
        for steps, (state, reference) in enumerate(both(pair, uniform, rng)):
            keys.check(state, reference)
            if state.phase != "push":
                assert_read_back(state)
            if steps == 15:
                break
        events += reference.events
    print(variant, len(keys.key_of), dict(events))
    wanted = {"two_rows_to_choose", "opponent_removal"}
    if variant != "basic":
        wanted |= {"both_last_gipf_in_one_row", "own_last_gipf_lost", "crossing_kept_second_row"}
    assert set(events) >= wanted


TWO_ROWS = {  # e1-e2 makes d2 e3 f3 g3 and b2 c3 d4 e5, which don't meet
    **pieces("d2 f3 g3 e2 b2 c3 d4 e4", "W"),
    "e3": "B",
}
OTHERS_TWO_ROWS = {point: {"W": "B", "B": "W"}[piece] for point, piece in TWO_ROWS.items()}
CROSSING = {  # e1-e2 makes rows e2-e5 and b2 c3 d4 e5, which cross at the GIPF piece on e5
    **pieces("e2 e3 b2 c3 d4", "W"),
    "e4": "GW",
    "g2": "GW",
    "c6": "GB",
}
THREE_ROWS = {  # on column e, and i5-h5 makes two that cross it at e5 and e6
    **pieces("e3 e4 e5 e6", "GW"),
    **pieces("h5 g5 g4 h3", "W"),
    "b3": "GB",
}
BOTH = (True, True)


@dataclass(frozen=True)
class Branch:
    variant: str
    board: dict[str, str]
    reserve: tuple[int, int]
    actions: str
    events: dict[str, int]
    winner: int | None = None
    to_play: int = 0
    bring: tuple[bool, bool] = (False, False)
    then: set[str] = field(default_factory=set)  # the actions that are legal in the end, if given


BRANCHES = {
    "two rows to choose from": Branch(
        *("basic", TWO_ROWS, (3, 6), "e1-e2"),
        {"two_rows_to_choose": 1},
        then={"xd2-h3", "xb2-h5"},
    ),
    "of two rows that don't meet the second is taken without asking": Branch(
        *("basic", TWO_ROWS, (3, 6), "e1-e2 xb2-h5"),
        {"two_rows_to_choose": 1, "single_row_without_asking": 1},
    ),
    "a removal by the opponent": Branch(
        *("basic", OTHERS_TWO_ROWS, (3, 0), "e1-e2 xd2-h3"),
        {"opponent_removal": 2, "two_rows_to_choose": 1, "loss_by_empty_reserve": 0},
    ),
    "the mover's row takes a piece of the opponent's": Branch(
        *("basic", pieces("e2 e3 e4", "W") | pieces("e5 b3 c4 d5", "B"), (5, 5), "e1-e2"),
        {"opponent_removal": 0, "single_row_without_asking": 1},
    ),
    "a crossing kept": Branch(
        *("standard", CROSSING, (6, 6), "e1-e2 xe2-e8 keep"),
        {"crossing_kept_second_row": 1},
        then={"keep", "xe5"},
    ),
    "a crossing taken": Branch(
        *("standard", CROSSING, (6, 6), "e1-e2 xe2-e8 xe5"),
        {"crossing_kept_second_row": 0, "gipf_taken_own": 1},
    ),
    "a row of GIPF pieces, all kept, asked again each turn": Branch(
        *("tournament", {**pieces("e2 e3 e4", "GW"), "h5": "GB"}, (12, 16)),
        "Ge1-e2 keep Ga5-b5 keep Ga1-b2 xe3",
        {"all_gipf_row": 3, "all_gipf_row_all_kept": 2, "opponent_removal": 1},
        bring=BOTH,
        then={"keep", "xe2", "xe4", "xe5"},
    ),
    "both players have a row of GIPF pieces that they keep": Branch(
        "tournament",
        {**pieces("e2 e3 e4 e5", "GW"), **pieces("h2 h3 h4", "GB")},
        *((10, 12), "Gh1-h2 keep keep"),
        {"all_gipf_row_all_kept": 2, "opponent_removal": 1},
        to_play=1,
        bring=BOTH,
    ),
    "two rows of GIPF pieces that cross, each line once a turn": Branch(
        *("tournament", {**pieces("e2 e3 e4 b2 c3 d4", "GW"), "h2": "GB"}, (6, 16)),
        "Ge1-e2 xe2-e8 keep keep a5-b5 xb2-h5 xe5 keep",
        {"all_gipf_row_all_kept": 2, "two_rows_to_choose": 2},
        bring=BOTH,
    ),
    "a row kept, with two more to choose from": Branch(
        *("tournament", THREE_ROWS, (3, 16), "i5-h5 xe2-e8 xe3 xe4 keep", {}),
        then={"xb2-h5", "xc6-h3"},
    ),
    "a row of GIPF pieces kept, with two more to choose from": Branch(
        *("tournament", THREE_ROWS, (3, 16), "i5-h5 xe2-e8 keep", {"all_gipf_row_all_kept": 1}),
        then={"xb2-h5", "xc6-h3"},
    ),
    "a win by the last GIPF piece, with a row that stays": Branch(
        *("standard", {**TWO_ROWS, "h3": "GB", "g6": "GW"}, (3, 6), "e1-e2 xd2-h3 xh3"),
        {"win_by_last_gipf": 1, "both_last_gipf_in_one_row": 0},
        winner=0,
    ),
    "both last GIPF pieces in one row": Branch(
        *("standard", {**TWO_ROWS, "h3": "GB", "f3": "GW"}, (3, 6), "e1-e2 xd2-h3 xf3 xh3"),
        {"win_by_last_gipf": 1, "both_last_gipf_in_one_row": 1},
        winner=0,
    ),
    "own last GIPF piece, the opponent's kept": Branch(
        *("standard", {**TWO_ROWS, "h3": "GB", "f3": "GW"}, (3, 6), "e1-e2 xd2-h3 xf3 keep"),
        {"own_last_gipf_lost": 1},
        winner=1,
    ),
    "the opponent's row takes the mover's last GIPF piece": Branch(
        *("standard", {**OTHERS_TWO_ROWS, "h3": "GW", "g6": "GB"}, (3, 6), "e1-e2 xd2-h3 xh3"),
        {"win_by_last_gipf": 1, "opponent_removal": 1},
        winner=1,
    ),
    "the opponent's row takes its own last GIPF piece": Branch(
        *("standard", {**OTHERS_TWO_ROWS, "g3": "GB", "g6": "GW"}, (3, 6), "e1-e2 xd2-h3 xg3"),
        {"own_last_gipf_lost": 1, "opponent_removal": 1},
        winner=0,
    ),
    "the last GIPF piece on the board, with more to bring": Branch(
        *("tournament", {**pieces("e2 e3 e4", "W"), "e5": "GB", "g2": "GW"}, (6, 16)),
        *("e1-e2 xe6", {"win_by_last_gipf": 1}),
        winner=0,
        bring=(False, True),
    ),
    "all 18 pieces back in reserve, and lost": Branch(
        *("tournament", {**pieces("e2 e3 e4", "GW"), "e6": "GB"}, (12, 16)),
        *("Ge1-e2 xe2 xe3 xe4 xe5 keep", {"own_last_gipf_lost": 1}),
        winner=1,
        bring=BOTH,
    ),
    "all 18 pieces back in reserve, single pieces among them, and lost": Branch(
        *("tournament", {"e2": "GW", "e3": "GW", "e4": "W", "e6": "GB"}, (13, 16)),
        *("e1-e2 xe3 xe4 keep", {"own_last_gipf_lost": 1}),
        winner=1,
        bring=(False, True),
    ),
    "a loss by empty reserve": Branch(
        *("basic", {"e5": "B"}, (5, 0), "a1-b2", {"loss_by_empty_reserve": 1}),
        winner=0,
    ),
    "a loss by empty reserve after the opponent was asked": Branch(
        *("tournament", {**pieces("e2 e3 e4 e5", "GB"), "h5": "GW"}, (16, 0)),
        *("Ga5-b5 keep", {"loss_by_empty_reserve": 1}),
        winner=0,
        bring=BOTH,
    ),
    "an empty reserve refilled in the opponent's turn": Branch(
        *("basic", pieces("b2 c3 d4 e4", "B") | pieces("e2 e3", "W"), (5, 0), "e1-e2"),
        {"opponent_removal": 1, "loss_by_empty_reserve": 0},
    ),
    "the last piece pushed": Branch(
        *("basic", {"e5": "B"}, (1, 2), "a1-b2", {"last_piece_pushed": 1}),
    ),
    "the last piece pushed and recovered by a row": Branch(
        *("basic", pieces("e2 e3 e4", "W"), (1, 2), "e1-e2"),
        {"last_piece_pushed": 1, "last_piece_recovered_by_row": 1},
    ),
    "a GIPF piece is not paid with one piece": Branch(
        *("tournament", {"e5": "GW", "c4": "GB"}, (1, 16), "a1-b2", {"last_piece_pushed": 1}),
        bring=BOTH,
    ),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_rare_branch(name: str) -> None:
    branch = BRANCHES[name]
    state, reference = set_up(
        branch.variant, branch.board, branch.reserve, branch.to_play, branch.bring
    )
    assert_same(state, reference)
    read_back = assert_read_back(state)
    keys = Keys()
    for text in branch.actions.split():
        action = state.parse_action(text)
        for twin in (state, read_back, reference):
            twin.step(action)
        assert_same(state, reference)
        keys.check(state, reference)
        assert read_back == state  # what was read back goes on alike
        read_back = assert_read_back(state)
    assert state.winner == branch.winner
    assert {event: reference.events[event] for event in branch.events} == branch.events
    if branch.then:
        assert {state.action_to_string(action) for action in state.legal_actions()} == branch.then


# Whole turns, every way to play them

LONG_TURNS = {
    "a crossing": Branch("standard", CROSSING, (6, 6), "e1-e2", {}),
    "both colours in the stretches": Branch(
        *("standard", {**TWO_ROWS, "h3": "GB", "f3": "GW", "g6": "GB"}, (3, 4), "e1-e2", {}),
    ),
    "three rows": Branch("tournament", THREE_ROWS, (3, 16), "i5-h5", {}),
    "GIPF pieces that cross": Branch(
        "tournament",
        {**pieces("e2 e3 e4 b2 c3 d4", "GW"), **pieces("h2 f5", "GB")},
        *((3, 14), "Ge1-e2", {}),
        bring=BOTH,
    ),
    "GIPF pieces of the opponent's that cross": Branch(
        "tournament",
        {**pieces("e2 e3 e4 e5 d4 c3 b2", "GW"), **pieces("e6", "GB")},
        *((3, 14), "a5-b5", {}),
        to_play=1,
        bring=BOTH,
    ),
}


def every_way(pair: Pair) -> Iterator[Pair]:
    """All positions of a turn that has begun, as often as there are ways to reach them."""
    unfinished = [pair]
    while unfinished:
        state, reference = unfinished.pop()
        yield state, reference
        if state.phase in ("row", "take"):
            for action in state.legal_actions():
                after = state.copy(), reference.copy()
                for twin in after:
                    twin.step(action)
                unfinished.append(after)


@pytest.mark.parametrize("name", LONG_TURNS)
def test_keys_and_texts_inside_a_turn(name: str) -> None:
    turn = LONG_TURNS[name]
    state, reference = set_up(turn.variant, turn.board, turn.reserve, turn.to_play, turn.bring)
    action = state.parse_action(turn.actions)
    state.step(action)
    reference.step(action)
    keys, reached = Keys(), 0
    for state, reference in every_way((state, reference)):  # noqa: B020
        reached += 1
        known = state.key() in keys.position_of
        keys.check(state, reference)
        if not known:
            assert_same(state, reference)
            assert_read_back(state)
    # In most turns here the pieces are taken in many orders.
    assert reached > len(keys.key_of) > 5


def test_a_removed_line_counts_while_it_bears_a_row() -> None:
    turn = LONG_TURNS["GIPF pieces that cross"]
    state, _ = set_up(turn.variant, turn.board, turn.reserve, 0, BOTH)
    play(state, "Ge1-e2 xe2-e8")
    assert state.fields()["removed"] == "e2-e8"
    assert state.fields()["left"] == "e2,e3,e4,e5"
    play(state, "xe2")
    assert "removed" not in state.fields()
    other_order, _ = set_up(turn.variant, turn.board, turn.reserve, 0, BOTH)
    play(other_order, "Ge1-e2 xe2-e8 xe3 xe2")
    assert play(state, "xe3").key() == other_order.key()


def test_copies_pickles_and_undo_inside_a_turn() -> None:
    state, _ = set_up("standard", CROSSING, (6, 6))
    texts = [state.to_string()]
    for text in "e1-e2 xe2-e8 keep xe5".split():
        play(state, text)
        texts.append(state.to_string())
        assert pickle.loads(pickle.dumps(state)) == state.copy() == state
    for text in reversed(texts):
        assert state.to_string() == text
        if text != texts[0]:
            state.undo()


def test_an_observation_of_a_game_that_was_cut_off() -> None:
    """It speaks of no step in progress, but of all that lies there."""
    for texts in ("e1-e2", "e1-e2 xe2-e8"):
        state, reference = set_up("standard", CROSSING, (6, 6))
        for text in texts.split():
            reference.step(state.parse_action(text))
            play(state, text)
        for player in (0, 1):
            expected = reference.observation(player)
            for plane in (1, 8, 9, 10, 13):
                expected[..., plane] = 0
            cut_off = np.full(state.game.observation_shape, np.nan, np.float32)
            state.observation(player, cut_off, ended=True)
            np.testing.assert_array_equal(cut_off, expected)


# Symmetries


def image_of(state: State, symmetry: Any) -> State:
    """The position turned, set up by hand."""
    game = state.game
    cells = {int(symmetry.cells[cell]): what for cell, what in enumerate(state.ground())}
    fields = dict(state.fields())
    if "removed" in fields:
        lines = [LINE_NAMES.index(name) for name in fields["removed"].split(",")]
        images = symmetry.actions[np.array(lines) + plain.REMOVE_ROW] - plain.REMOVE_ROW
        fields["removed"] = ",".join(LINE_NAMES[line] for line in images)
    if "left" in fields:
        left = [game.cell_names.index(name) for name in fields["left"].split(",")]
        fields["left"] = ",".join(game.cell_names[cell] for cell in symmetry.cells[left])
    return game.state_from_cells(cells, state.to_play, **fields)


def assert_turned(state: State, image: State, symmetry: Any) -> None:
    mask, turned = state.action_mask(), image.action_mask()
    np.testing.assert_array_equal(symmetry.transform_mask(mask), turned)
    for player in (0, 1):
        seen, planes = state.observation(player), image.observation(player)
        np.testing.assert_array_equal(symmetry.transform_observation(seen), planes)
    assert (image.to_play, image.phase, image.winner) == (state.to_play, state.phase, state.winner)


@pytest.mark.parametrize("variant", quick(VARIANTS, "standard"))
def test_all_symmetries_map_positions_and_steps(variant: str) -> None:
    game = make_game("gipf", variant=variant)
    rng = random.Random(5)
    phases = Counter[str]()
    assert len(game.symmetries()) == 12
    for _ in range(8):
        state = game.initial_state()
        while not state.is_over:
            phases[state.phase] += 1
            action = row_seeking(rng, state)
            after = state.copy()
            after.step(action)
            for symmetry in game.symmetries() if len(state.history) % 3 == 0 else ():
                image = image_of(state, symmetry)
                assert_turned(state, image, symmetry)
                image.step(int(symmetry.actions[action]))
                assert_turned(after, image, symmetry)
                assert after.is_over or image == image_of(after, symmetry)
            state = after
    assert variant == "basic" or phases["take"] > 10


@pytest.mark.parametrize("name", LONG_TURNS)
def test_symmetries_inside_a_turn(name: str) -> None:
    turn = LONG_TURNS[name]
    start, _ = set_up(turn.variant, turn.board, turn.reserve, turn.to_play, turn.bring)
    for seed, symmetry in enumerate(start.game.symmetries()):
        rng = random.Random(seed)
        state = start.copy()
        action = state.parse_action(turn.actions)
        for _ in range(10):
            image = image_of(state, symmetry)
            assert_turned(state, image, symmetry)
            state.step(action)
            image.step(int(symmetry.actions[action]))
            assert_turned(state, image, symmetry)
            if state.is_over:
                break
            assert image == image_of(state, symmetry)
            action = rng.choice(state.legal_actions())


@pytest.mark.parametrize(("variant", "number"), [("basic", 6), ("standard", 6), ("tournament", 12)])
def test_whole_games_under_the_symmetries_that_keep_the_start(variant: str, number: int) -> None:
    game = make_game("gipf", variant=variant)
    start = game.initial_state()
    keeping = [symmetry for symmetry in game.symmetries() if image_of(start, symmetry) == start]
    assert len(keeping) == number
    for seed, symmetry in enumerate(keeping):
        rng = random.Random(seed)
        state, image = start.copy(), start.copy()
        while not state.is_over:
            action = rng.choice(state.legal_actions())
            state.step(action)
            image.step(int(symmetry.actions[action]))
            assert_turned(state, image, symmetry)


# Known counts and games

PERFT = [
    (words[0], int(words[1]), int(words[2]), int(words[3]))
    for words in map(str.split, (DATA / "perft_gipf.txt").read_text().splitlines())
    if words[0] != "#"
]


@kernel
def count_sequences(rows: Any, depths: Any, tables: Any, depth: Any) -> Any:
    """The sequences of ``depth`` turns from ``rows[0]``; the other rows are a stack."""
    legal = rows.view(np.uint8)
    found, top, here = 0, 1, len(rows) - 1
    while top > 0:
        top -= 1
        rows[here] = rows[top]
        mask(rows, here, tables)
        turns = depths[top]
        for action in range(143):
            if legal[here, 0, action]:
                rows[top, 1] = rows[here, 1]
                step(rows, top, tables, action)
                now = status(rows, top)
                over, phase = now >> 1 & 1, now >> 3
                depths[top] = turns + (over == 1 or phase == 0)
                if depths[top] == depth:
                    found += 1
                elif not over:
                    top += 1
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    ("variant", "pushes", "sequences"),
    [row[:3] for row in PERFT],
)
def test_perft_sequences(variant: str, pushes: int, sequences: int) -> None:
    game = make_game("gipf", variant=variant)
    rows = np.zeros((1000, *game.row_shape[1:]), np.uint64)
    rows[0] = game.initial_state()._rows[0]
    depths = np.zeros(len(rows), np.int64)
    assert count_sequences(rows, depths, game.tables, pushes) == sequences


def turns(state: State) -> Iterator[State]:
    """What follows a position after each way to play the turn."""
    for action in state.legal_actions():
        after = state.copy()
        after.step(action)
        if after.phase in ("push", "over"):
            yield after
        else:
            yield from turns(after)


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_perft_positions(variant: str) -> None:
    states = [make_game("gipf", variant=variant).initial_state()]
    for name, pushes, _, positions in PERFT:
        if name == variant and pushes < 5:  # the fifth push would take 10 s
            states = list(
                {after.key(): after for state in states for after in turns(state)}.values()
            )
            assert len(states) == positions


@pytest.mark.parametrize("name", ["archive_010821_01", "tournament_game"])
def test_records(name: str) -> None:
    record = json.loads((DATA / "gipf" / f"{name}.json").read_text())
    state = make_game("gipf", variant=record["variant"]).initial_state()
    for text in record["actions"]:
        play(state, text)
        assert_read_back(state)
    names = state.game.cell_names
    symbols = {n: s for n, s in zip(names, state.ground(), strict=True) if s != "."}
    assert symbols == {point: SYMBOLS[piece] for point, piece in record["final"]["board"].items()}
    reserve, lost = record["final"]["reserve"], record["final"]["lost"]
    assert state.fields()["reserve"] == f"{reserve[0]},{reserve[1]}"
    for player, single in enumerate("wb"):
        on_board = state.ground().count(single) + 2 * state.ground().count(single.upper())
        assert reserve[player] + lost[player] + on_board == 18
    assert state.winner is record["winner"] is None and state.phase == "push"


def test_short_tournament_game() -> None:
    state = make_game("gipf", variant="tournament").initial_state()
    play(state, "Ge1-e2 Ge9-e8 e1-e2 Ge9-e8 e1-e2 Ge9-e8 e1-e2 xe6 xe7 xe8")
    assert not state.is_over
    assert {state.action_to_string(action) for action in state.legal_actions()} == {"keep", "xe5"}
    play(state, "keep")
    assert state.winner == 0 and state.to_play == 0 and state.returns().tolist() == [1, -1]
    assert state.ground().strip(".") == "W"


def test_names() -> None:
    state = make_game("gipf").initial_state()
    names = {6: "e1-e2", 7: "e9-e8", 14: "a2-b2", 15: "f1-e2", 34: "a1-b2", 35: "i5-h5"}
    names |= {48: "Ge1-e2", 87: "xe2-e8", 105: "keep", 106: "xb2", 142: "xh5"}
    assert {action: state.action_to_string(action) for action in names} == names
    assert state.game.cell_names == tuple(plain.POINTS)
    assert state.to_string() == (
        "gipf variant=standard board=B..W/...../....../W.....B/....../...../B..W "
        "to_play=0 winner=none"
    )


def test_cells_of_actions() -> None:
    game = make_game("gipf")
    names = game.cell_names

    def of(text: str) -> list[str]:
        return [names[cell] for cell in game.cells_of_action(plain.ACTION_OF_NAME[text])]

    assert of("e9-e8") == of("Gf8-e8") == ["e8"]
    assert of("xb2-e2") == ["b2", "c2", "d2", "e2"]
    assert of("xh5") == ["h5"] and of("keep") == []


# Variants are facts


class Singles(Gipf):
    """Eighteen single pieces and an empty board: tournament's numbers, without GIPF pieces."""

    name = "singles"
    variants = {"singles": Variant("singles", on_board="", reserve=18, brings=False)}
    option_types = {"variant": ChoiceOption(*variants)}


class Short(Gipf):
    """Tournament with fewer pieces."""

    name = "short"
    variants = {"short": Variant("short", on_board="", reserve=9, brings=True)}
    option_types = {"variant": ChoiceOption(*variants)}


def test_eighteen_pieces_do_not_make_a_tournament() -> None:
    state = Singles().initial_state()
    assert state.fields() == {} and state.to_string().startswith("singles variant=singles ")
    for _ in range(4):
        texts = legal_texts(state)
        assert len(texts) == 42 and not any(text.startswith("G") for text in texts)
        play(state, texts[0])
    assert not state.observation(0)[..., 11:13].any()
    game = state.game
    assert game.state_from_cells({}, reserve="18,18") == game.initial_state()
    with pytest.raises(PositionTextError, match="at most 0 of a colour"):
        game.state_from_cells({"e2": "W"})
    with pytest.raises(PositionTextError, match="may bring GIPF pieces only"):
        game.state_from_cells({}, bring="0")
    rng = random.Random(1)
    for _ in range(200):
        if state.is_over:
            break
        state.step(uniform(rng, state))
        assert state.phase != "take"
    else:
        raise AssertionError("it went on")


def test_a_tournament_of_fewer_pieces() -> None:
    state = Short().initial_state()
    assert all(text.startswith("G") for text in legal_texts(state))
    play(state, "Ge1-e2")
    assert state.fields() == {"bring": "0,1"}
    assert all(text.startswith("G") for text in legal_texts(state))
    play(state, "Ge9-e8")
    assert {text[0] for text in legal_texts(state)} > {"G"}


@pytest.mark.parametrize(
    ("on_board", "reserve", "brings", "message"),
    [
        ("W", 13, False, "from 1 to 18 pieces.*; got 19 and 13"),
        ("", 0, False, "got 0 and 0"),
        ("w", 12, True, "begins on an empty board.*got on_board='w'"),
        ("", 1, True, "two pieces or more.*reserve=1"),
    ],
)
def test_variants_that_can_not_be(on_board: Any, reserve: int, brings: bool, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Variant("odd", on_board, reserve, brings)


# Bad input


@pytest.mark.parametrize("variant", ["Standard ", "Standard", "", "expert", None, 0])
def test_no_such_variant(variant: object) -> None:
    with pytest.raises(OptionError, match="must be one of 'standard', 'basic', 'tournament'"):
        make_game("gipf", variant=variant)


@pytest.mark.parametrize(
    "text", ["e2-e3", "b2-c2", "e1-e3", "a5-a4", "Ga1", "e1", "xe2", "E1-e2", "xe5-e2"]
)
def test_texts_that_are_no_actions(text: str) -> None:
    state = make_game("gipf").initial_state()
    known = text == "xe2"  # an action of the game, but not of a push
    with pytest.raises(IllegalActionError, match="not legal now" if known else "is no action"):
        state.parse_action(text)


GIPF_EACH = {"e5": "W", "c4": "B"}
KEPT_ROW = {**pieces("e2 e3 e4 e5", "W"), "h2": "B"}

WRONG: dict[str, tuple[str, dict[str, str], dict[str, Any], str]] = {
    "GIPF pieces in basic": ("basic", {"e5": "W"}, {}, "has at most 0"),
    "four GIPF pieces in standard": (
        *("standard", {**pieces("e2 e4 e6 e8", "W"), "b2": "B"}, {}),
        "White .player_0. has 4 GIPF pieces",
    ),
    "sixteen pieces": (
        *("basic", dict.fromkeys(plain.POINTS[:16], "b"), {}, "Black's: .* at most 15 and 0"),
    ),
    "more in reserve than there are": (
        *("basic", {"e5": "w"}, {"reserve": "15,3"}, "at most 14 and 15"),
    ),
    "one reserve": ("basic", {}, {"reserve": "3"}, "must be two numbers"),
    "no number": ("basic", {}, {"reserve": "3,x"}, "'x' is none of them"),
    "a reserve below none": ("basic", {}, {"reserve": "-1,3"}, "'-1' is none of them"),
    "not a digit of ours": ("basic", {}, {"reserve": "3,\u0663"}, "is none of them"),
    "nothing to push": ("basic", {}, {"reserve": "0,3"}, "must push and has nothing"),
    "no GIPF piece": ("standard", {"e5": "W"}, {}, "Black .player_1. has no GIPF piece"),
    "a tournament player without a GIPF piece": (
        *("tournament", {"e5": "W", "e6": "b"}, {}, "Black .player_1. has no GIPF piece"),
    ),
    "the whole reserve but not before the first push": (
        *("tournament", {}, {"bring": "0"}, "Black .player_1. has no GIPF piece"),
    ),
    "an opening in standard": ("standard", GIPF_EACH, {"bring": "0"}, "only in the tournament"),
    "an opening with a single piece": (
        *("tournament", {**GIPF_EACH, "e6": "b"}, {"bring": "0,1"}, "Black .player_1. may bring"),
    ),
    "nobody's opening": ("tournament", GIPF_EACH, {"bring": "2"}, "'2' is none of them"),
    "left without a pusher": ("standard", GIPF_EACH, {"left": "e5"}, "speaks of a row step"),
    "removed without a pusher": (
        *("tournament", KEPT_ROW, {"removed": "e2-e8"}, "speaks of a row step"),
    ),
    "two pushers": ("standard", GIPF_EACH, {"pusher": "0,1"}, "pusher must be 0 or 1"),
    "a row step without rows": ("standard", GIPF_EACH, {"pusher": 0}, "has 0 rows to choose from"),
    "a row step with one row": (
        *("basic", pieces("e2 e3 e4 e5", "w"), {"pusher": 1}, r"has 1 rows .*\(e2-e8\)"),
    ),
    "a row removed that stands with single pieces": (
        *("basic", pieces("e2 e3 e4 e5", "w"), {"pusher": 0, "removed": "e2-e8"}),
        "removed names e2-e8, .* lie w on e2, w on e3, w on e4, w on e5: .* leave the line out",
    ),
    "a row removed that is none": (
        *("standard", GIPF_EACH, {"pusher": 0, "removed": "e2-e8"}, "leave it out"),
    ),
    "no line": ("standard", GIPF_EACH, {"pusher": 0, "removed": "e2-e9"}, "'e2-e9' is none"),
    "a row of the pusher's while the other is asked": (
        "basic",
        {**pieces("b2 b3 b4 b5", "b"), **pieces("e2 e3 e4 e5 c3 d4", "w")},
        {"pusher": 1},
        "Black .player_1.'s row on b2-b5 can't stand when Black .player_1. has pushed and "
        "White .player_0. is asked",
    ),
    "a row of single pieces when the other is to push": (
        *("basic", pieces("e2 e3 e4 e5", "w") | {"b2": "b"}, {"to_play": 1, "reserve": "5,5"}),
        "White .player_0.'s row on e2-e8 can't stand when Black .player_1. is to push: .* lie "
        "w on e2, w on e3, w on e4, w on e5: take them off the board",
    ),
    "a row of single pieces of the player's who is to push": (
        *("basic", pieces("e2 e3 e4 e5", "w"), {"reserve": "5,5"}),
        "White .player_0.'s row on e2-e8 can't stand when White .player_0. is to push",
    ),
    "a row with a single piece in it": (
        *("standard", {"d7": "W", "e7": "W", "f6": "W", "g5": "w", "h2": "B"}, {"to_play": 1}),
        "White .player_0.'s row on d7-h4 can't stand .* lie w on g5: take",
    ),
    "a row of GIPF pieces with a single piece next to it": (
        *("tournament", {**KEPT_ROW, "e6": "b"}, {}),
        "White .player_0.'s row on e2-e8 can't stand .* lie b on e6: take",
    ),
    "a row removed with a single piece next to it": (
        *("tournament", {**KEPT_ROW, **pieces("e6 b2 c2 d2", "w")}),
        *({"pusher": 0, "removed": "e2-e8"}, "removed names e2-e8, .* lie w on e6: take"),
    ),
    "a single piece next to the pusher's kept row while the other is asked": (
        *("tournament", {**KEPT_ROW, **pieces("e6 c6 d6 f5 g2 g3 g4 g5", "b")}),
        *({"pusher": 0, "to_play": 1}, "White .player_0.'s row on e2-e8 .* lie b on e6: take"),
    ),
    "no point": ("standard", GIPF_EACH, {"pusher": 0, "left": "e9"}, "'e9' is none of them"),
    "an empty point left": ("standard", GIPF_EACH, {"pusher": 0, "left": "e6"}, "can't be left"),
    "a single piece left": (
        *("standard", {**GIPF_EACH, "e8": "w"}, {"pusher": 0, "left": "e8"}, "can't be left"),
    ),
    "left on two lines": (
        *("standard", {**GIPF_EACH, "b3": "W"}, {"pusher": 0, "left": "e5,b3"}, "can't be left"),
    ),
    "no room for a row": (
        *("standard", {"e5": "W", "e3": "b", "e7": "b", "b2": "B"} | pieces("d4 f4 c3 g5", "b")),
        *({"pusher": 0, "left": "e5"}, "room for a row of four"),
    ),
    "a piece next to those left": (
        *("tournament", {"e5": "W", "e6": "W", "b2": "B"} | pieces("d4 f4 d5 f5", "b")),
        *({"pusher": 0, "left": "e5"}, "next to them"),
    ),
    "the row that is emptied is not named": (
        *("tournament", KEPT_ROW, {"pusher": 0, "left": "e2,e3,e4,e5"}),
        "name it in removed=e2-e8",
    ),
    "an unknown field": ("basic", {}, {"lost": "0,0"}, "have no field 'lost'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_positions_are_refused(name: str) -> None:
    variant, board, fields, message = WRONG[name]
    with pytest.raises(PositionTextError, match=message):
        make_game("gipf", variant=variant).state_from_cells(board, **fields)


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ("winner=0 reserve=3,3", "Black .player_1. can't have lost"),
        ("winner=1 reserve=0,0 pusher=0", "speaks of a row step"),
        ("winner=0 reserve=3,0 left=none", "speaks of a row step"),
    ],
)
def test_wrong_ends_are_refused(position: str, message: str) -> None:
    board = "/".join("." * n for n in (4, 5, 6, 7, 6, 5, 4))
    text = f"gipf variant=basic board={board} to_play=0 {position}"
    with pytest.raises(PositionTextError, match=message):
        State.from_string(text)


def ended(board: dict[str, str]) -> str:
    """The text of a game that White has won, with Black's reserve empty."""
    game = make_game("gipf", variant="standard")
    rows = game.board.to_rows("".join(board.get(name, ".") for name in game.cell_names))
    return f"{game.to_string()} board={rows} to_play=0 winner=0 reserve=3,0"


def test_rows_after_an_end() -> None:
    """A loss by an empty reserve comes after all removals, one by GIPF pieces amid them."""
    rows = {**pieces("e2 e3 e4 e5", "w"), "b2": "W"}
    with pytest.raises(
        PositionTextError, match=r"on e2-e8 can't stand when Black .player_1. has lost"
    ):
        State.from_string(ended({**rows, "h2": "B"}))
    assert assert_read_back(State.from_string(ended(rows))).winner == 0
    assert assert_read_back(State.from_string(ended({"b2": "W", "h2": "B"}))).winner == 0


def stands_at_a_push(ground: str) -> bool:
    """Whether each row's stretch is of GIPF pieces alone, by the reference's rows."""
    back = {symbol: piece for piece, symbol in SYMBOLS.items()}
    board = {p: back[s] for p, s in zip(plain.POINTS, ground, strict=True) if s != "."}
    rows = [(line, plain.row_on(board, line, player)) for line in range(21) for player in (0, 1)]
    return all(
        plain.is_gipf(board[point])
        for line, row in rows
        if row
        for point in plain.stretch_around(board, line, row)
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_can_stand_at_a_push(variant: str) -> None:
    """All that play reaches can, and of what is like it just what the reference's rows allow."""
    rng = random.Random(variant)
    game = make_game("gipf", variant=variant)
    seen = Counter[str]()
    for seed in range(12):
        state = game.initial_state()
        policy = POLICIES[variant][seed % len(POLICIES[variant])]
        for _ in range(LONGEST):
            state.step(policy(rng, state))
            assert_read_back(state)
            if state.is_over:
                break
            if state.phase != "push":
                continue
            assert stands_at_a_push(state.ground())
            cells = dict(enumerate(state.ground()))
            line = rng.choice(plain.LINES)
            for point in line:  # the same with most of a line filled by one colour
                symbol = rng.choice("wwwbb") if rng.random() < 0.2 else "wb"[seed % 2]
                cells[plain.POINT_NUMBER[point]] = symbol
            try:
                refusal = f"none, it is {game.state_from_cells(cells, state.to_play)}"
            except PositionTextError as error:
                refusal = str(error)
            if refusal.startswith("none") or "can't stand" in refusal:  # not for its reserve
                stands = refusal.startswith("none")
                assert stands == stands_at_a_push("".join(cells.values())), refusal
                seen["stands" if stands else "refused"] += 1
    assert seen["refused"] > 30 and seen["stands"] > 30, seen


def test_lists_are_read_in_any_order() -> None:
    board = {**pieces("e2 e3 e4 e5 b2 c3 d4", "W"), "h2": "B"}
    game = make_game("gipf", variant="tournament")
    one = game.state_from_cells(board, pusher=1, removed="none", reserve="3,14", bring="1,0")
    two = game.state_from_cells(board, pusher=1, reserve="3,14", bring="0,1")
    assert one == two and one.phase == "row" and one.to_string() == two.to_string()
    one = game.state_from_cells(board, pusher=0, removed="b2-h5,e2-e8", left="e5,e4,e3,e2")
    two = game.state_from_cells(board, pusher=0, removed="e2-e8,b2-h5", left="e2,e3,e4,e5")
    assert one == two and one.phase == "take" and one.to_string() == two.to_string()


def test_a_text_that_names_a_piece_twice_is_refused() -> None:
    """It was read as another piece, the next one along the board."""
    text = (
        "gipf variant=standard board=wwbb/wwBb./b...ww/W..bwWw/w..b.b/b..ww/B... to_play=1 "
        "winner=none reserve=2,4 pusher=1 left=b2"
    )
    assert State.from_string(text).fields()["left"] == "b2"
    with pytest.raises(PositionTextError, match="twice"):
        State.from_string(text + ",b2")
