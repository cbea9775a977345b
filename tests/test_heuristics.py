"""Heuristics: named, bound to loops, and each what its formula says, told once more in sets."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import toy_game
from hexgames_env import Game, GameOverError, OptionError, State, kernel, make_game
from hexgames_env.bots import make_bot
from hexgames_env.core.game import slips_of
from hexgames_env.core.heuristics import heuristic_names, heuristic_value, judge
from hexgames_env.core.policies import greedy
from hexgames_env.core.registry import game_class
from hexgames_env.engine.cache import fingerprint
from hexgames_env.search.tree import simulate
from hexgames_env.testing import GameCheckError, walk
from hexgames_env.testing.of_heuristics import judges_every_position
from processes import run
from reference.hexboard import HexBoard

# The formulas, slow and plain

GOLDEN = 0x9E3779B97F4A7C15
ALL = 2**64 - 1


def mix(x: int) -> int:
    """The finaliser of splitmix64."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & ALL
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & ALL
    return x ^ (x >> 31)


def fill(state: State) -> float:
    """The mean lead of Black's largest group on eight boards, four of them drawn.

    The random numbers come from the words of Black's and White's places, three of them on a grid
    of up to 192 places, else five; an empty space whose bit is set is Black's, and White's in the
    second board of a pair.
    """
    board = HexBoard(state.game.board.side)
    ground = state.ground()
    places = [row * board.size + column for row, column in board.grid]
    seed = GOLDEN
    for word in range(3 if board.size <= 13 else 5):
        for colour in "BW":
            bits = sum(
                1 << place % 64
                for place, lies in zip(places, ground, strict=True)
                if lies == colour and place // 64 == word
            )
            seed = mix(seed ^ bits)
    leads = []
    for pair in range(4):
        drawn = {
            cell
            for cell, place in enumerate(places)
            if mix(seed + (8 * pair + place // 64 + 1) * GOLDEN & ALL) >> place % 64 & 1
        }
        empty = {cell for cell, lies in enumerate(ground) if lies == "."}
        for of_black in (drawn & empty, empty - drawn):
            black = {cell for cell, lies in enumerate(ground) if lies == "B"} | of_black
            white = set(range(board.num_cells)) - black
            leads.append(largest(board, black) - largest(board, white))
    return sum(leads) / 8


def largest(board: HexBoard, cells: set[int]) -> int:
    return max(map(len, board.groups(cells)), default=0)


def ring(state: State) -> float:
    """Pieces in reserve and on the board, half more for a GIPF piece, 0.3 for a place on the ring.

    A text leaves the reserve out while nothing is out of the game: then it and the board make up
    what the variant has, a GIPF piece being two.
    """
    board = HexBoard(4)
    ground = state.ground()
    whole = 15 if state.game.options["variant"] == "basic" else 18
    reserve = state.fields().get("reserve")
    values = []
    for player, (single, gipf) in enumerate([("w", "W"), ("b", "B")]):
        cells = [cell for cell, lies in enumerate(ground) if lies in (single, gipf)]
        count = ground.count(gipf)
        left = int(reserve.split(",")[player]) if reserve else whole - len(cells) - count
        on_ring = sum(board.ring(cell) == 2 for cell in cells)
        values.append(left + len(cells) + 0.5 * count + 0.3 * on_ring)
    return values[0] - values[1]


def groups(state: State) -> float:
    """Stones, half of the largest group, and half a stone less for each group."""
    board = HexBoard(state.game.board.side)
    values = []
    for colour in "BW":
        stones = {cell for cell, lies in enumerate(state.ground()) if lies == colour}
        found = board.groups(stones)
        values.append(len(stones) + largest(board, stones) / 2 - len(found) / 2)
    return values[0] - values[1]


FORMULAS: dict[tuple[str, str], Callable[[State], float]] = {
    ("strands", "fill"): fill,
    ("gipf", "ring"): ring,
    ("oust", "groups"): groups,
}
GAMES = ("oust", "rive", "strands", "gipf")
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "oust": [{"side": side, "pie_rule": pie} for side in range(2, 10) for pie in (True, False)],
    "rive": [{"side": side} for side in range(2, 10)],
    "strands": [
        {"layout": layout, "cover": cover}
        for layout in (
            *("5", "6", "6-low", "7", "6-random", "7-random"),
            *((2,) * (3 * side * (side - 1) + 1) for side in (2, 3, 4, 8, 9)),
        )
        for cover in ("up_to", "exactly")
    ],
    "gipf": [{"variant": variant} for variant in ("standard", "basic", "tournament")],
}


def positions(game: Game, seed: int, wanted: int) -> Iterator[State]:
    """Some of those of random games, of every stage alike."""
    rng = random.Random(seed)
    for number in range(2):
        states = [state.copy() for state in walk(game, 2 * seed + number, limit=600)]
        running = [state for state in states if not state.is_over]
        yield from rng.sample(running, min(wanted // 2, len(running)))


def test_every_heuristic_has_a_formula_here() -> None:
    named = {(name, heuristic) for name in GAMES for heuristic in game_class(name).heuristics}
    assert named == set(FORMULAS)


@pytest.mark.parametrize(
    ("name", "heuristic"), FORMULAS, ids=[" ".join(which) for which in FORMULAS]
)
def test_a_heuristic_is_what_its_formula_says(name: str, heuristic: str) -> None:
    compared = 0
    for number, options in enumerate(OPTIONS[name]):
        game = make_game(name, **options)
        for state in positions(game, number, wanted=12):
            told = FORMULAS[name, heuristic](state)
            found = [heuristic_value(state, player, heuristic) for player in (0, 1)]
            assert found == pytest.approx([told, -told], abs=1e-9), state
            compared += 1
    assert compared > 8 * len(OPTIONS[name])


# Names


@pytest.mark.parametrize("name", GAMES)
def test_plain_is_a_heuristic_of_every_game(name: str) -> None:
    game = make_game(name)
    names = heuristic_names(game)
    assert names[0] == "plain" and game.default_heuristic in names
    assert game.compiled(judge, "plain") is game.compiled(judge)


@pytest.mark.parametrize("name", ["stockfish", "", "Plain", None, 3, ["plain"]])
def test_an_unknown_name_is_told_with_those_that_are_known(name: Any) -> None:
    game = make_game("strands", layout="5")
    message = re.escape(f"strands has no heuristic {name!r}: its heuristics are plain, fill")
    with pytest.raises(OptionError, match=message):
        game.compiled(judge, name)
    state = game.initial_state()
    if isinstance(name, str):
        bot = make_bot("mcts", simulations=10, heuristic=name)
        for search in (bot.analyse, bot.session):  # type: ignore[attr-defined]
            with pytest.raises(OptionError, match=message):
                search(state)
        with pytest.raises(OptionError, match=message):
            heuristic_value(state, 0, name)
    elif name is not None:
        with pytest.raises(OptionError, match="heuristic must be the name of one"):
            make_bot("mcts", simulations=10, heuristic=name)


def test_what_can_not_be_judged_is_refused() -> None:
    state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    for player in (2, -1, None):
        with pytest.raises(OptionError, match=f"player must be 0 or 1, got {player}"):
            heuristic_value(state, player)  # type: ignore[arg-type]
    over = list(walk(state.game, 1))[-1]
    with pytest.raises(GameOverError, match="the game has ended: who has won is known"):
        heuristic_value(over)


# Code


@kernel
def left(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """A heuristic of the toy game: how many cells are empty, good for player_0."""
    value = np.float64(rows[b, toy_game.HEADER, toy_game.LEFT])
    return value if player == 0 else -value


class Judged(toy_game.Duo):
    """The toy game with a heuristic of its own."""

    name = "duo_judged"
    heuristics = {"left": left}
    default_heuristic = "left"


def test_loops_are_bound_to_a_heuristic_each() -> None:
    game = Judged(side=2)
    plain, named = game.compiled(judge), game.compiled(judge, "left")
    assert plain is not named and named is game.compiled(judge, "left")
    row = game.initial_state().to_row()
    assert plain(row, game.tables, 0) == 0.0 and named(row, game.tables, 0) == 7.0
    assert named(row, game.tables, 1) == -7.0
    if hasattr(plain, "py_func"):
        assert fingerprint(plain) != fingerprint(named)


def test_loops_that_ask_no_heuristic_are_shared() -> None:
    from hexgames_env.core import loops

    game = Judged(side=2)
    assert game.compiled(loops.advance) is game.compiled(loops.advance, "left")
    assert game.compiled(simulate) is not game.compiled(simulate, "left")
    assert game.compiled(greedy) is not game.compiled(greedy, "left")  # which calls what asks


KEPT = """
import sys
from hexgames_env import make_game
from hexgames_env.core.heuristics import heuristic_value
from numba.core import event
game = make_game("strands", layout=[3, 3, 3, 2, 1, 2, 2])
state = game.initial_state()
state.step(state.parse_action("b2"))
names = sys.argv[1].split()
with event.install_recorder("numba:compile") as recorder:
    print(*[heuristic_value(state, 0, name) for name in names])
print(len(recorder.buffer))
"""


@pytest.mark.machines
def test_kept_code_of_heuristics_is_not_mixed_up(tmp_path: Any) -> None:
    """Each in a process that finds the other's code, and then both that compile nothing."""
    folder = str(tmp_path)
    (plain, _), _ = run(KEPT, "plain", NUMBA_CACHE_DIR=folder)
    (fill, compiled), _ = run(KEPT, "fill", NUMBA_CACHE_DIR=folder)
    assert plain != fill and int(compiled) > 0
    (both, compiled), _ = run(KEPT, "plain fill", NUMBA_CACHE_DIR=folder)
    assert both == f"{plain} {fill}" and compiled == "0"


# What authors get wrong


@kernel
def uneven(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    return np.float64(rows[b, toy_game.HEADER, toy_game.LEFT])


@kernel
def endless(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    return np.inf if player == 0 else -np.inf


@kernel
def masked(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    value = 0.0
    for i in range(rows.shape[2]):
        value += rows[b, toy_game.MASK, i]
    return value if player == 0 else -value


@kernel
def writing(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    rows[b, toy_game.STONES, 0] = 3
    return 0.0


@kernel
def counting(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    rows[b, toy_game.HEADER, toy_game.LEFT + 1] += 1
    value = np.float64(rows[b, toy_game.HEADER, toy_game.LEFT + 1])
    return value if player == 0 else -value


@pytest.mark.parametrize(
    ("heuristic", "message"),
    [
        (uneven, "so it must say the negative for player_1"),
        (endless, "must say a finite number"),
        (masked, "reads the mask, which may not be made"),
        (writing, "changes what follows action"),
        (counting, r"says \[.*\] first and then"),
    ],
)
def test_broken_heuristics_are_found(heuristic: Any, message: str) -> None:
    class Broken(Judged):
        name = "duo_broken"
        heuristics = {"broken": heuristic}
        default_heuristic = "broken"

    with pytest.raises(GameCheckError, match=f"heuristic 'broken' .*{message}"):
        judges_every_position(Broken(side=2), 1)
    judges_every_position(Judged(side=2), 1)


@pytest.mark.parametrize(
    ("heuristics", "default", "message"),
    [
        ([left], "left", "heuristics must be a dict"),
        ({"plain": left}, "plain", "other than 'plain', which is evaluate()"),
        ({"two words": left}, "plain", "needs an identifier as its name.*'two words'"),
        ({"left": 3}, "left", "'left' is no kernel: put @kernel above it"),
        ({"left": left}, "right", "must be one of 'plain', 'left', got 'right'"),
        ({"left": left}, ["left"], "must be one of 'plain', 'left'"),
    ],
)
def test_slips_in_a_class_are_told(heuristics: Any, default: Any, message: str) -> None:
    wrong = type("Wrong", (Judged,), {"heuristics": heuristics, "default_heuristic": default})
    assert re.search(message.replace("()", r"\(\)"), slips_of(wrong))
    assert slips_of(Judged) == ""


# What greedy play goes by stays as it is


def digest_of_evaluate(game: Game) -> str:
    """Of all values and greedy steps of some games."""
    found = hashlib.sha256()
    for seed in range(3):
        for state in walk(game, seed, limit=300):
            if not state.is_over:
                for player in (0, 1):
                    found.update(repr(heuristic_value(state, player, "plain")).encode())
                found.update(repr(state.greedy_action(seed)).encode())
    return found.hexdigest()[:16]


# Made when greedy play was the only one that asked
DIGESTS = {
    "oust side=3": "60bb0ab2a2fc76ef",
    "oust side=7": "c8787bfbf82593d5",
    "rive side=3": "3507248fc1a3608b",
    "rive side=5": "ad14133ac7b2f10e",
    "strands layout=5": "158cdb1bdb869e20",
    "strands layout=6-random cover=exactly": "c124bc3deaa73b88",
    "gipf variant=standard": "d3da0e6fa179e85d",
    "gipf variant=tournament": "833bb56bb3cdedee",
}


@pytest.mark.parametrize("text", DIGESTS)
def test_evaluate_is_as_it_was(text: str) -> None:
    assert digest_of_evaluate(Game.from_string(text)) == DIGESTS[text]
