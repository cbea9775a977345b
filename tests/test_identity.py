"""The kernel `identity`: equal for equal positions, however they came about, and for no others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hexgames_env import Game, State, make_game
from hexgames_env.core.loops import identify
from toy_game import Duo

GAMES = [
    make_game("oust", side=2),
    make_game("oust", side=3, pie_rule=False),
    make_game("oust", side=4),
    make_game("rive", side=2),
    make_game("rive", side=3),
    make_game("strands", layout=[3, 3, 3, 2, 1, 2, 2]),
    make_game("strands", layout="5"),
    make_game("strands", layout="6-random", cover="exactly"),
    make_game("gipf", variant="basic"),
    make_game("gipf", variant="standard"),
    make_game("gipf", variant="tournament"),
]


def words_of(state: State) -> bytes:
    row = state.to_row()
    words = np.zeros(row.nbytes // 8, np.uint64)
    return words[: state.game.compiled(identify)(row, state.game.tables, words)].tobytes()


def positions(game: Game, seed: int, games: int) -> Iterator[State]:
    """Of random games."""
    source = random.Random(seed)
    for k in range(games):
        state = game.initial_state(k % 3)
        while not state.is_over:
            yield state
            state.step(state.sample_action(source))
        yield state


def compare(states: Iterator[State]) -> int:
    """How many positions were met again."""
    by_words: dict[bytes, Any] = {}
    by_key: dict[Any, bytes] = {}
    again = 0
    for state in states:
        words, key = words_of(state), state.key()
        again += key in by_key
        assert by_words.setdefault(words, key) == key, state
        assert by_key.setdefault(key, words) == words, state
        read = State.from_string(state.to_string())
        assert words_of(read) == words, state
    return again


@pytest.mark.parametrize("game", GAMES, ids=Game.to_string)
def test_some_positions(game: Game) -> None:
    compare(positions(game, 1, 2))


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES, ids=Game.to_string)
def test_thousands_of_positions(game: Game) -> None:
    games = 20 if game.board.side > 4 else 300
    again = compare(positions(game, 2, games))
    assert again > 20 or "random" in game.to_string()


def test_stones_alike_of_another_history() -> None:
    """Labels of groups tell how they came about; positions do not."""
    game = make_game("oust", side=4, pie_rule=False)
    one, other = game.initial_state(), game.initial_state()
    for state, names in ((one, "b2 g1 d4 a1"), (other, "d4 a1 b2 g1")):
        for name in names.split():
            state.step(state.parse_action(name))
    assert one == other and words_of(one) == words_of(other)


def test_what_a_board_does_not_show() -> None:
    """One board, and positions that differ in what is due, who acts, or what was drawn."""
    oust = make_game("oust", side=3)
    first = oust.state_from_cells({"c3": 0}, to_play=1)  # may swap
    later = oust.state_from_cells({"c3": 0}, to_play=0)
    assert words_of(first) != words_of(later)

    rive = make_game("rive", side=3)
    cells: dict[str, int | str] = {"a1": 0, "b2": 1, "c3": 0, "d3": 1, "e3": 0}
    due = {
        words_of(rive.state_from_cells(cells, to_play=0, placed="c3", removals=2)),
        words_of(rive.state_from_cells(cells, to_play=0, placed="c3", removals=1)),
        words_of(rive.state_from_cells(cells, to_play=0)),
        words_of(rive.state_from_cells(cells, to_play=1)),
    }
    assert len(due) == 4

    strands = make_game("strands", layout="5")
    number_3 = {"b2": 0, "b3": 0, "e5": 1}
    left = {
        words_of(strands.state_from_cells(number_3, to_play=0)),
        words_of(strands.state_from_cells(number_3, to_play=1)),
        *(words_of(strands.state_from_cells(number_3, due=3, left=n)) for n in (1,)),
    }
    assert len(left) == 3

    drawn = make_game("strands", layout="6-random")
    assert len({words_of(drawn.initial_state(seed)) for seed in range(20)}) == 20

    gipf = make_game("gipf")
    pieces = {"e5": "W", "d4": "b", "g4": "B", "b2": "w"}
    reserves = {
        words_of(gipf.state_from_cells(pieces, reserve=f"{white},{black}"))
        for white in range(1, 12)
        for black in range(1, 12)
    }
    assert len(reserves) == 121
    tournament = make_game("gipf", variant="tournament")
    brings = {
        words_of(tournament.state_from_cells({"e5": "W", "g4": "B"}, reserve="9,9", bring=who))
        for who in ("none", "0", "1", "0,1")
    }
    assert len(brings) == 4


def test_a_game_without_it_is_known_by_its_row() -> None:
    game = Duo()
    one, other = game.initial_state(1), game.initial_state(1)
    row = one.to_row()
    words = np.zeros(row.nbytes // 8, np.uint64)
    assert game.compiled(identify)(row, game.tables, words) == row[:, 1:].nbytes // 8
    assert words[: row[:, 1:].nbytes // 8].tobytes() == row[:, 1:].tobytes()
    assert words_of(one) == words_of(other)
    one.step(0)
    assert words_of(one) != words_of(other)
