"""The plain reference of GIPF by itself: counts, records, rare branches, and what always holds."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from reference.gipf import (
    DOTS,
    KEEP,
    LINES,
    NUM_ACTIONS,
    PLACE_OF,
    POINT_NUMBER,
    POINTS,
    PUSH_GIPF,
    REMOVE_ROW,
    TAKE,
    TOTAL,
    Board,
    Gipf,
    count_worth,
    counts,
    perft,
    positions,
)
from volume import quick

VARIANTS = ("basic", "standard", "tournament")
DATA = Path(__file__).parent / "data" / "gipf"


def play_texts(game: Gipf, texts: str) -> Gipf:
    """The same game, these actions later."""
    for text in texts.split():
        assert not game.is_over
        game.step(game.parse_action(text))
    return game


def legal_texts(game: Gipf) -> set[str]:
    return {game.action_to_string(action) for action in game.legal_actions()}


def points_of(observation: np.ndarray, plane: int) -> set[str]:
    """The points of a plane that are 1; all others must be 0."""
    ones = {point for point in POINTS if observation[*PLACE_OF[point], plane] == 1}
    assert observation[:, :, plane].sum() == len(ones)
    return ones


def check(game: Gipf) -> None:
    """What holds in every position."""
    for player in (0, 1):
        held = game.reserve[player] + game.lost[player] + count_worth(game.board, player)
        assert held == TOTAL[game.variant]
        assert game.reserve[player] >= 0 and game.lost[player] >= 0
    legal = game.legal_actions()
    assert legal == sorted(set(legal))
    assert all(0 <= action < NUM_ACTIONS for action in legal)
    assert bool(legal) != game.is_over
    assert game.is_over == (game.winner is not None) == (game.phase == "over")
    for action in legal:
        assert game.parse_action(game.action_to_string(action)) == action
    if game.phase == "row":
        assert len(legal) >= 2 and all(REMOVE_ROW <= action < KEEP for action in legal)
    if game.phase == "take":
        assert KEEP in legal and len(legal) >= 2 and game.left <= set(game.board)


# -- board and actions ----------------------------------------------------------------------------


def test_points_lines_and_dots() -> None:
    columns = "b2-b5 c2-c6 d2-d7 e2-e8 f2-f7 g2-g6 h2-h5".split()
    expected = [c[0] + str(n) for c in columns for n in range(int(c[1]), int(c[-1]) + 1)]
    assert expected == POINTS and len(POINTS) == 37
    assert (POINTS[0], POINTS[36]) == ("b2", "h5")
    assert len(LINES) == 21 and Counter(len(line) for line in LINES) == {4: 6, 5: 6, 6: 6, 7: 3}
    assert LINES[7] == "b2 c2 d2 e2".split()
    assert LINES[17] == "b2 c3 d4 e5 f5 g5 h5".split()
    dots = Counter(dot for pair in DOTS for dot in pair)
    corners = {"a1", "a5", "e1", "e9", "i1", "i5"}
    assert {dot for dot in dots if dots[dot] == 1} == corners  # one line each
    assert len(dots) == 24 and not set(dots) & set(POINTS)


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (6, "e1-e2"),
        (7, "e9-e8"),
        (14, "a2-b2"),
        (15, "f1-e2"),
        (34, "a1-b2"),
        (35, "i5-h5"),
        (48, "Ge1-e2"),
        (87, "xe2-e8"),
        (105, "keep"),
        (106, "xb2"),
        (142, "xh5"),
    ],
)
def test_action_texts(action: int, text: str) -> None:
    assert Gipf().action_to_string(action) == text


def test_action_texts_are_unique_and_refused_with_the_reason() -> None:
    game = Gipf()
    assert len({game.action_to_string(action) for action in range(NUM_ACTIONS)}) == NUM_ACTIONS
    with pytest.raises(ValueError, match="no action of the game"):
        game.parse_action("e1-e3")
    with pytest.raises(ValueError, match="not legal now"):
        game.parse_action("keep")
    with pytest.raises(AssertionError):
        game.step(KEEP)


# -- fixtures -------------------------------------------------------------------------------------

SEQUENCES = {
    "basic": (42, 1764, 73800),
    "standard": (42, 1764, 73800),
    "tournament": (42, 1764, 148176),
}
POSITIONS = {"basic": (24, 558, 7476), "standard": (30, 876, 15120), "tournament": (18, 336, 10392)}


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_perft(variant: str) -> None:
    for pushes in (1, 2):
        assert perft(Gipf(variant), pushes) == SEQUENCES[variant][pushes - 1]
    for pushes in (1, 2, 3):
        expected = (SEQUENCES[variant][pushes - 1], POSITIONS[variant][pushes - 1])
        assert counts(Gipf(variant), pushes) == expected
    assert positions(Gipf(variant), 2) == POSITIONS[variant][1]


@pytest.mark.parametrize("name", ["archive_010821_01", "tournament_game"])
def test_records(name: str) -> None:
    record = json.loads((DATA / f"{name}.json").read_text())
    game = Gipf(record["variant"])
    for text in record["actions"]:
        game.step(game.parse_action(text))
        check(game)
    assert game.board == record["final"]["board"]
    assert game.reserve == record["final"]["reserve"]
    assert game.lost == record["final"]["lost"]
    assert game.winner is record["winner"] is None
    assert game.phase == "push"


def test_short_tournament_game() -> None:
    game = play_texts(
        Gipf("tournament"), "Ge1-e2 Ge9-e8 e1-e2 Ge9-e8 e1-e2 Ge9-e8 e1-e2 xe6 xe7 xe8"
    )
    assert not game.is_over and game.to_play == 0 and legal_texts(game) == {"keep", "xe5"}
    play_texts(game, "keep")
    assert game.winner == 0 and game.to_play == 0 and game.board == {"e5": "GW"}
    assert game.events["win_by_last_gipf"] == 1
    assert game.observation(1)[0, 0, 12] == 0 and game.observation(1)[0, 0, 11] == 1
    check(game)


# -- symmetries -----------------------------------------------------------------------------------


def symmetries() -> list[dict[str, str]]:
    """The 12 rotations and reflections, as maps from name to name of points and dots."""
    every = {name: (r - 3, c - 3) for name, (r, c) in PLACE_OF.items()}
    for line, (before, after) in zip(LINES, DOTS, strict=True):
        (r, c), (next_r, next_c) = every[line[0]], every[line[1]]
        every[before] = (2 * r - next_r, 2 * c - next_c)
        (r, c), (next_r, next_c) = every[line[-1]], every[line[-2]]
        every[after] = (2 * r - next_r, 2 * c - next_c)
    assert len(set(every.values())) == 37 + 24
    name_at = {place: name for name, place in every.items()}
    maps = []
    for reflect in (False, True):
        for turns in range(6):
            mapping = {}
            for name, (y, x) in every.items():
                if reflect:
                    x, y = y, x
                for _ in range(turns):
                    x, y = x - y, x
                mapping[name] = name_at[y, x]
            maps.append(mapping)
    assert len({tuple(mapping.items()) for mapping in maps}) == 12
    return maps


def map_action(game: Gipf, action: int, mapping: dict[str, str]) -> int:
    text = game.action_to_string(action)
    if text == "keep":
        return KEEP
    prefix = "x" if text[0] == "x" else "G" if text[0] == "G" else ""
    names = [mapping[name] for name in text[len(prefix) :].split("-")]
    if len(names) == 1:
        return TAKE + POINT_NUMBER[names[0]]
    if prefix == "x":
        (line,) = [n for n, points in enumerate(LINES) if {points[0], points[-1]} == set(names)]
        return REMOVE_ROW + line
    for line, points in enumerate(LINES):
        for end in (0, 1):
            if (DOTS[line][end], points[-end]) == tuple(names):
                return (PUSH_GIPF if prefix else 0) + 2 * line + end
    raise AssertionError


@pytest.mark.parametrize("variant", VARIANTS)
def test_symmetries(variant: str) -> None:
    kept = 0
    for mapping in symmetries():
        start = Gipf(variant)
        if {mapping[point]: piece for point, piece in start.board.items()} != start.board:
            continue
        kept += 1
        rng = random.Random(kept)
        game, image = start, start.copy()
        while not game.is_over:
            legal = game.legal_actions()
            assert {map_action(game, a, mapping) for a in legal} == set(image.legal_actions())
            action = rng.choice(legal)
            image.step(map_action(game, action, mapping))
            game.step(action)
            assert {mapping[p]: piece for p, piece in game.board.items()} == image.board
            assert (game.reserve, game.phase, game.to_play, game.winner) == (
                image.reserve,
                image.phase,
                image.to_play,
                image.winner,
            )
    assert kept == (12 if variant == "tournament" else 6)


# -- random games ---------------------------------------------------------------------------------

Policy = Callable[[Gipf, random.Random], int]


def uniform(game: Gipf, rng: random.Random) -> int:
    return rng.choice(game.legal_actions())


def row_seeking(game: Gipf, rng: random.Random) -> int:
    """A push that leads to a removal, if there is one."""
    legal = game.legal_actions()
    if game.phase != "push":
        return rng.choice(legal)
    rng.shuffle(legal)
    for action in legal:
        after = game.copy()
        after.events.clear()
        after.step(action)
        if after.events["single_row_without_asking"] or after.events["two_rows_to_choose"]:
            return action
    return legal[0]


def keep_always(game: Gipf, rng: random.Random) -> int:
    return KEEP if game.phase == "take" else row_seeking(game, rng)


def take_always(game: Gipf, rng: random.Random) -> int:
    if game.phase == "take":
        return rng.choice([action for action in game.legal_actions() if action != KEEP])
    return row_seeking(game, rng)


def gipf_heavy(game: Gipf, rng: random.Random) -> int:
    legal = game.legal_actions()
    gipf = [action for action in legal if PUSH_GIPF <= action < REMOVE_ROW]
    if gipf and rng.random() < 0.95:
        return rng.choice(gipf)
    if game.phase == "take" and rng.random() < 0.7:
        return KEEP
    return rng.choice(legal)


@pytest.mark.parametrize("variant", quick(VARIANTS, "standard"))
@pytest.mark.parametrize("policy", [uniform, row_seeking, keep_always, take_always, gipf_heavy])
def test_random_games(variant: str, policy: Policy) -> None:
    rng = random.Random(policy.__name__ + variant)
    for _ in range(4):
        game = Gipf(variant)
        check(game)
        for _ in range(150):
            game.step(policy(game, rng))
            check(game)
            if game.is_over:
                break
        for player in (0, 1):
            observation = game.observation(player)
            assert observation.shape == (7, 7, 14) and observation.dtype == np.float32
            assert observation.min() >= 0 and observation.max() <= 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_length_of_random_play(variant: str) -> None:
    rng = random.Random(1)
    pushes = 0
    for _ in range(100):
        game = Gipf(variant)
        while not game.is_over:
            pushes += game.phase == "push"
            game.step(uniform(game, rng))
    assert pushes / 100 == pytest.approx(37 if variant == "tournament" else 30, abs=4)


def test_copies_are_independent() -> None:
    game = play_texts(Gipf("tournament"), "Ge1-e2 Ge9-e8")
    before = game.position()
    for twin in (game.copy(), copy.deepcopy(game)):
        assert twin.position() == before and twin.events == game.events
        play_texts(twin, "e1-e2")
        assert twin.position() != before == game.position()


# -- the tournament's opening, pushes -------------------------------------------------------------


def pushes_of(game: Gipf) -> set[bool]:
    """Which pushes are legal: True with a GIPF piece, False with a single piece."""
    return {action >= PUSH_GIPF for action in game.legal_actions()}


def test_each_player_for_itself_ends_its_opening() -> None:
    game = Gipf("tournament")
    assert pushes_of(game) == {True}
    play_texts(game, "Ge1-e2")
    assert pushes_of(game) == {True} and game.reserve == [16, 18]  # Black's first
    play_texts(game, "Ge9-e8")
    assert pushes_of(game) == {False, True}
    play_texts(game, "a1-b2")  # White's first single piece
    assert pushes_of(game) == {False, True}
    play_texts(game, "Ga5-b5")
    assert pushes_of(game) == {False}
    for player, (own, other) in enumerate([(0, 1), (1, 0)]):
        observation = game.observation(player)
        assert observation[0, 0, 11] == own and observation[0, 0, 12] == other


def test_gipf_piece_costs_two() -> None:
    board = {"e5": "GW", "c4": "GB"}
    for reserve, pushes in ((2, {False, True}), (1, {False})):
        game = Gipf.set_up("tournament", board, (reserve, 16), 0, (True, True))
        assert pushes_of(game) == pushes
    game = Gipf.set_up("tournament", board, (2, 16), 0, (True, True))
    play_texts(game, "Ga1-b2")
    assert game.reserve == [0, 16] and game.events["last_piece_pushed"] == 1
    assert game.observation(0)[0, 0, 11] == 1  # whatever the reserve
    with_none = Gipf.set_up("tournament", board, (2, 16), 0, (False, True))
    assert pushes_of(with_none) == {False}
    assert (
        with_none.position()
        != Gipf.set_up("tournament", board, (2, 16), 0, (True, True)).position()
    )


def test_only_a_full_line_takes_no_push() -> None:
    game = Gipf.set_up("basic", {"b2": "W", "b3": "B", "b4": "W", "b5": "B"}, (9, 9), 0)
    assert game.legal_actions() == list(range(2, 42))


def test_push_moves_up_to_the_first_gap() -> None:
    board = {"e8": "W", "e7": "GB", "e5": "W", "e4": "B"}
    game = Gipf.set_up("standard", board, (12, 12), 1)
    play_texts(game, "e9-e8")
    assert game.board == {"e8": "B", "e7": "W", "e6": "GB", "e5": "W", "e4": "B"}
    assert game.reserve == [12, 11] and game.to_play == 0


def test_set_up_checks_counts() -> None:
    with pytest.raises(AssertionError):
        Gipf.set_up("basic", {"e5": "W"}, (15, 12), 0)
    with pytest.raises(AssertionError):
        Gipf.set_up("basic", {"e5": "GW"}, (12, 12), 0)
    with pytest.raises(AssertionError):
        Gipf.set_up("standard", {}, (0, 12), 0)
    with pytest.raises(AssertionError):
        Gipf.set_up("standard", {"e9": "W"}, (10, 12), 0)
    with pytest.raises(AssertionError):
        Gipf.set_up("tournament", {"e5": "W", "e6": "GW"}, (10, 12), 0, (True, False))
    for variant in VARIANTS:
        start = Gipf(variant)
        again = Gipf.set_up(variant, start.board, (start.reserve[0], start.reserve[1]), 0)
        assert again.position() == start.position() and again.lost == [0, 0]


# -- rows -----------------------------------------------------------------------------------------


def test_stretch_goes_to_the_gap_both_colours() -> None:
    board = {"e2": "B", "e3": "W", "e4": "W", "e5": "W", "e8": "B"}
    game = play_texts(Gipf.set_up("basic", {**board, "e6": "B"}, (5, 6), 0), "e1-e2")
    assert not game.events  # W B W W W B _ became W B W W W B B: no row
    board = {"e2": "W", "e3": "W", "e4": "W", "e5": "B", "e8": "B"}
    game = play_texts(Gipf.set_up("basic", board, (5, 6), 0), "e1-e2")
    assert game.board == {"e8": "B"}  # e2-e6 left, e7 was empty
    assert game.reserve == [8, 6] and game.lost == [7, 8]  # 7 and 7 were out before
    assert game.events == {"single_row_without_asking": 1} and game.to_play == 1


TWO_ROWS: Board = {  # e1-e2 makes two rows: d2 e3 f3 g3 and b2 c3 d4 e5, which don't meet
    **dict.fromkeys("d2 f3 g3 e2".split(), "W"),
    **dict.fromkeys("b2 c3 d4 e4".split(), "W"),
    "e3": "B",
}


def test_two_rows_are_asked_even_if_they_do_not_meet() -> None:
    game = play_texts(Gipf.set_up("basic", TWO_ROWS, (3, 6), 0), "e1-e2")
    assert game.phase == "row" and legal_texts(game) == {"xd2-h3", "xb2-h5"}
    assert game.legal_actions() == [84 + 15, 84 + 17]
    for player in (0, 1):
        observation = game.observation(player)
        assert points_of(observation, 8) == set(POINTS)
        assert points_of(observation, 9) == set("d2 e3 f3 g3 b2 c3 d4 e5".split())
        assert points_of(observation, 10) == set()
        assert points_of(observation, 13) == (set(POINTS) if player == 0 else set())
        assert points_of(observation, 1) == (set(POINTS) if player == 0 else set())
    play_texts(game, "xd2-h3")  # the second is taken without asking
    assert game.board == {"e2": "W", "e4": "B"}
    assert game.reserve == [10, 6] and game.to_play == 1 and game.phase == "push"
    assert game.events == {"two_rows_to_choose": 1, "single_row_without_asking": 1}


def test_opponent_chooses_its_rows() -> None:
    board: Board = {point: "W" if piece == "B" else "B" for point, piece in TWO_ROWS.items()}
    game = play_texts(Gipf.set_up("basic", board, (3, 0), 0), "e1-e2")
    assert game.phase == "row" and game.to_play == 1
    assert legal_texts(game) == {"xd2-h3", "xb2-h5"}
    for player in (0, 1):
        observation = game.observation(player)
        assert points_of(observation, 1) == (set(POINTS) if player == 1 else set())
        assert points_of(observation, 9) == set("d2 e3 f3 g3 b2 c3 d4 e5".split())
        assert points_of(observation, 13) == (set(POINTS) if player == 0 else set())
    play_texts(game, "xb2-h5")
    assert game.events["opponent_removal"] == 2 and game.events["loss_by_empty_reserve"] == 0
    assert game.reserve == [2, 8] and game.to_play == 1 and game.phase == "push"


def test_movers_row_takes_a_piece_of_the_opponents_row() -> None:
    board = {**dict.fromkeys("e2 e3 e4".split(), "W"), **dict.fromkeys("e5 b3 c4 d5".split(), "B")}
    game = play_texts(Gipf.set_up("basic", board, (5, 5), 0), "e1-e2")
    # White's row e2-e5 with Black's e6 went; Black's row b3 c4 d5 e6 is none any more.
    assert game.board == dict.fromkeys("b3 c4 d5".split(), "B")
    assert game.reserve == [8, 5] and game.events["opponent_removal"] == 0
    assert game.events["single_row_without_asking"] == 1


def test_mover_first_then_opponent() -> None:
    board = {**dict.fromkeys("e4 e5 e6 e8".split(), "W"), **dict.fromkeys("b5 c6 d7".split(), "B")}
    game = play_texts(Gipf.set_up("basic", board, (8, 8), 1), "e9-e8")
    # Black's row b5 c6 d7 e8 takes e8 home before White's row e4-e7 is removed.
    assert game.board == {} and game.reserve == [12, 11]
    assert game.events == {"single_row_without_asking": 2, "opponent_removal": 1}
    assert game.to_play == 0 and game.phase == "push"


CROSSING: Board = {  # e1-e2 makes rows e2-e5 and b2 c3 d4 e5, crossing at the GIPF piece on e5
    **dict.fromkeys("e2 e3 b2 c3 d4".split(), "W"),
    "e4": "GW",
    "g2": "GW",
    "c6": "GB",
}


def test_gipf_at_the_crossing_kept() -> None:
    game = play_texts(Gipf.set_up("standard", CROSSING, (6, 6), 0), "e1-e2")
    assert legal_texts(game) == {"xe2-e8", "xb2-h5"}
    play_texts(game, "xe2-e8")
    assert game.phase == "take" and legal_texts(game) == {"keep", "xe5"}
    assert game.reserve == [8, 6] and "e2" not in game.board  # single pieces have left
    observation = game.observation(0)
    assert points_of(observation, 8) == set()
    assert points_of(observation, 9) == {"b2", "c3", "d4", "e5"}
    assert points_of(observation, 10) == {"e5"} and points_of(observation, 13) == set(POINTS)
    play_texts(game, "keep")
    assert game.phase == "take" and legal_texts(game) == {"keep", "xe5"}  # the second row
    assert game.reserve == [11, 6] and game.events["crossing_kept_second_row"] == 1
    assert points_of(game.observation(0), 9) == set()
    # The other row first leads to the same position.
    other = play_texts(Gipf.set_up("standard", CROSSING, (6, 6), 0), "e1-e2 xb2-h5 keep")
    assert other.position() == game.position()
    kept = play_texts(game.copy(), "keep")
    assert kept.board["e5"] == "GW" and kept.to_play == 1 and kept.phase == "push"
    play_texts(game, "xe5")
    assert game.board == {"g2": "GW", "c6": "GB"} and game.reserve == [13, 6]


def test_gipf_at_the_crossing_taken() -> None:
    game = play_texts(Gipf.set_up("standard", CROSSING, (6, 6), 0), "e1-e2 xe2-e8 xe5")
    assert game.phase == "push" and game.to_play == 1  # b2 c3 d4 is no row any more
    assert set(game.board) == {"b2", "c3", "d4", "g2", "c6"} and game.reserve == [10, 6]
    assert game.events["crossing_kept_second_row"] == 0
    assert game.events["gipf_taken_own"] == 1


def test_only_the_opponents_gipf_in_the_stretch() -> None:
    board = {**dict.fromkeys("e2 e3 e4".split(), "W"), "e5": "GB", "c6": "GB", "g2": "GW"}
    game = play_texts(Gipf.set_up("standard", board, (6, 6), 0), "e1-e2")
    assert game.phase == "take" and game.to_play == 0 and legal_texts(game) == {"keep", "xe6"}
    taken = play_texts(game.copy(), "xe6")  # complete when none is left
    assert taken.lost[1] == game.lost[1] + 2 and taken.to_play == 1 and taken.phase == "push"
    assert taken.events["gipf_taken_other"] == 1 and taken.events["keep"] == 0
    kept = play_texts(game, "keep")
    assert kept.board == {"e6": "GB", "c6": "GB", "g2": "GW"} and kept.reserve == [9, 6]


def test_four_gipf_pieces_kept_are_asked_again_every_turn() -> None:
    board = {**dict.fromkeys("e2 e3 e4".split(), "GW"), "h5": "GB"}
    game = Gipf.set_up("tournament", board, (12, 16), 0, (True, True))
    play_texts(game, "Ge1-e2")
    row = {"e2", "e3", "e4", "e5"}
    assert legal_texts(game) == {"keep", *("x" + point for point in row)}
    assert points_of(game.observation(0), 9) == set()
    assert points_of(game.observation(0), 10) == row
    play_texts(game, "keep")
    assert game.events["all_gipf_row"] == game.events["all_gipf_row_all_kept"] == 1
    assert game.phase == "push" and game.to_play == 1 and game.reserve == [10, 16]
    play_texts(game, "Ga5-b5")
    assert game.phase == "take" and game.to_play == 0 and game.pusher == 1
    assert points_of(game.observation(0), 13) == set()
    assert points_of(game.observation(1), 13) == set(POINTS)
    play_texts(game, "keep")
    assert game.events["opponent_removal"] == 1 and game.phase == "push" and game.to_play == 0
    play_texts(game, "Ga1-b2")
    assert game.phase == "take" and game.to_play == 0 and game.events["all_gipf_row"] == 3
    play_texts(game, "xe3")
    assert game.phase == "take" and legal_texts(game) == {"keep", "xe2", "xe4", "xe5"}
    play_texts(game, "keep")
    assert game.events["all_gipf_row_all_kept"] == 2
    assert game.to_play == 1 and game.reserve == [10, 14]
    play_texts(game, "Gi1-h2")
    assert game.phase == "push" and game.to_play == 0  # no row any more


def test_standing_row_waits_for_the_movers_rows() -> None:
    board = {
        **dict.fromkeys("e2 e3 e4 e5".split(), "GW"),
        **dict.fromkeys("h2 h3 h4".split(), "GB"),
    }
    game = Gipf.set_up("tournament", board, (10, 12), 1, (True, True))
    play_texts(game, "Gh1-h2")
    assert game.phase == "take" and game.to_play == 1 and "xh5" in legal_texts(game)
    play_texts(game, "keep")
    assert game.phase == "take" and game.to_play == 0 and "xe5" in legal_texts(game)
    play_texts(game, "keep")
    assert game.phase == "push" and game.to_play == 0
    assert game.events["opponent_removal"] == 1


def test_each_line_once_a_turn() -> None:
    board = {**dict.fromkeys("e2 e3 e4 b2 c3 d4".split(), "GW"), "h2": "GB"}
    game = Gipf.set_up("tournament", board, (6, 16), 0, (True, True))
    play_texts(game, "Ge1-e2 xe2-e8")
    assert points_of(game.observation(0), 9) == {"b2", "c3", "d4", "e5"}
    play_texts(game, "keep")  # column e stands, but was removed: the other is a single row
    assert game.events["single_row_without_asking"] == 1
    assert legal_texts(game) == {"keep", "xb2", "xc3", "xd4", "xe5"}
    assert points_of(game.observation(0), 9) == set()
    play_texts(game, "keep")
    assert game.phase == "push" and game.to_play == 1
    play_texts(game, "a5-b5")
    assert game.phase == "row" and game.to_play == 0  # asked again
    assert legal_texts(game) == {"xe2-e8", "xb2-h5"}
    play_texts(game, "xb2-h5 xe5")  # now neither line bears a row
    assert points_of(game.observation(1), 9) == set()
    play_texts(game, "keep")
    assert game.phase == "push" and game.to_play == 0


# -- end ------------------------------------------------------------------------------------------


def test_win_by_the_last_gipf_piece_before_any_other_row() -> None:
    board = {**TWO_ROWS, "h3": "GB", "g6": "GW"}
    game = play_texts(Gipf.set_up("standard", board, (3, 6), 0), "e1-e2 xd2-h3")
    kept = play_texts(game.copy(), "keep")
    assert not kept.is_over and kept.to_play == 1
    play_texts(game, "xh3")
    assert game.winner == 0 and game.to_play == 0 and game.legal_actions() == []
    assert {"b2", "c3", "d4", "e5"} <= set(game.board)  # the other row stays
    assert game.events["win_by_last_gipf"] == 1
    assert game.events["both_last_gipf_in_one_row"] == 0
    for player in (0, 1):
        observation = game.observation(player)
        for plane in (1, 8, 9, 10, 13):
            assert points_of(observation, plane) == set()


def test_own_last_gipf_piece_loses_before_any_other_row() -> None:
    board = {**TWO_ROWS, "h3": "GB", "f5": "GW"}
    game = play_texts(Gipf.set_up("standard", board, (3, 6), 0), "e1-e2 xb2-h5 xf5")
    assert game.winner == 1 and game.to_play == 0
    assert game.events["own_last_gipf_lost"] == 1 and "h3" in game.board


def test_both_last_gipf_pieces_in_one_row() -> None:
    board = {**TWO_ROWS, "h3": "GB", "f3": "GW"}
    game = play_texts(Gipf.set_up("standard", board, (3, 6), 0), "e1-e2 xd2-h3 xf3")
    assert not game.is_over and legal_texts(game) == {"keep", "xh3"}
    lost = play_texts(game.copy(), "keep")
    assert lost.winner == 1 and lost.events["own_last_gipf_lost"] == 1
    play_texts(game, "xh3")
    assert game.winner == 0
    assert game.events["both_last_gipf_in_one_row"] == game.events["win_by_last_gipf"] == 1
    assert game.events["own_last_gipf_lost"] == 0


def test_opponents_row_takes_the_movers_last_gipf_piece() -> None:
    board: Board = {point: "W" if piece == "B" else "B" for point, piece in TWO_ROWS.items()}
    board |= {"h3": "GW", "g6": "GB"}
    game = play_texts(Gipf.set_up("standard", board, (3, 6), 0), "e1-e2 xd2-h3 xh3")
    assert game.winner == 1 and game.to_play == 1
    assert game.events["win_by_last_gipf"] == game.events["opponent_removal"] == 1


def test_opponents_row_takes_its_own_last_gipf_piece() -> None:
    board: Board = {point: "W" if piece == "B" else "B" for point, piece in TWO_ROWS.items()}
    board |= {"g3": "GB", "g6": "GW"}
    game = play_texts(Gipf.set_up("standard", board, (3, 6), 0), "e1-e2 xd2-h3 xg3")
    assert game.winner == 0 and game.to_play == 1


def test_opening_player_loses_with_its_last_gipf_piece_on_the_board() -> None:
    board = {**dict.fromkeys("e2 e3 e4".split(), "W"), "e5": "GB", "g2": "GW"}
    game = play_texts(Gipf.set_up("tournament", board, (6, 16), 0, (False, True)), "e1-e2 xe6")
    assert game.winner == 0 and game.may_bring_gipf(1)


def test_basic_has_no_gipf_pieces_to_lose() -> None:
    board = dict.fromkeys("e2 e3 e4".split(), "W")
    game = play_texts(Gipf.set_up("basic", board, (6, 6), 0), "e1-e2")
    assert game.phase == "push" and game.board == {} and game.reserve == [9, 6]


def test_empty_reserve_loses() -> None:
    game = play_texts(Gipf.set_up("basic", {"e5": "B"}, (5, 0), 0), "a1-b2")
    assert game.winner == 0 and game.to_play == 0
    assert game.events["loss_by_empty_reserve"] == 1


def test_last_piece_may_be_pushed() -> None:
    game = play_texts(Gipf.set_up("basic", {"e5": "B"}, (1, 2), 0), "a1-b2")
    assert not game.is_over and game.to_play == 1 and game.reserve == [0, 2]
    assert game.events == {"last_piece_pushed": 1}
    play_texts(game, "i5-h5")
    assert game.winner == 1 and game.to_play == 1


def test_last_piece_recovered_by_own_row() -> None:
    board = dict.fromkeys("e2 e3 e4".split(), "W")
    game = play_texts(Gipf.set_up("basic", board, (1, 2), 0), "e1-e2")
    assert not game.is_over and game.reserve == [4, 2]
    assert game.events["last_piece_pushed"] == game.events["last_piece_recovered_by_row"] == 1


def test_empty_reserve_refilled_by_the_other_players_push() -> None:
    board = {**dict.fromkeys("b2 c3 d4 e4".split(), "B"), "e2": "W", "e3": "W"}
    game = play_texts(Gipf.set_up("basic", board, (5, 0), 0), "e1-e2")  # b2 c3 d4 e5
    assert not game.is_over and game.to_play == 1 and game.reserve == [4, 4]
    assert game.events["opponent_removal"] == 1


def test_empty_reserve_and_a_row_all_kept() -> None:
    """A removal that gives nothing back does not help."""
    board = {**dict.fromkeys("e2 e3 e4 e5".split(), "GB"), "h5": "GW"}
    game = play_texts(Gipf.set_up("tournament", board, (16, 0), 0, (True, True)), "Ga5-b5")
    assert game.phase == "take" and game.to_play == 1
    refilled = play_texts(game.copy(), "xe2 keep")
    assert refilled.phase == "push" and refilled.to_play == 1 and refilled.reserve == [14, 2]
    play_texts(game, "keep")
    assert game.winner == 0 and game.to_play == 1
    assert game.events["loss_by_empty_reserve"] == 1


# -- observation ----------------------------------------------------------------------------------


def test_observation_at_the_start() -> None:
    game = Gipf("standard")
    white, black = game.observation(0), game.observation(1)
    for observation, own, other in ((white, 3, 5), (black, 5, 3)):
        assert points_of(observation, 0) == set(POINTS)
        assert points_of(observation, own) == {"e2", "b5", "h5"}
        assert points_of(observation, other) == {"b2", "e8", "h2"}
        for plane in (2, 4, 8, 9, 10, 11, 12, 13):
            assert points_of(observation, plane) == set()
        for plane in (6, 7):
            assert observation[3, 3, plane] == np.float32(12 / 18)
            assert np.count_nonzero(observation[:, :, plane]) == 37
    assert points_of(white, 1) == set(POINTS) and points_of(black, 1) == set()
    basic = Gipf("basic").observation(1)
    assert points_of(basic, 2) == {"b2", "e8", "h2"} and points_of(basic, 3) == set()
    tournament = Gipf("tournament").observation(1)
    assert points_of(tournament, 11) == points_of(tournament, 12) == set(POINTS)
    assert points_of(tournament, 6) == points_of(tournament, 7) == set(POINTS)
