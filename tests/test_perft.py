"""The tables of data/perft_*.txt, which the references have made, counted by the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from hexgames_env import Game, make_game
from hexgames_env.core.registry import game_class
from perft import counts, read_table

DATA = Path(__file__).parent / "data"
TABLES = [
    block
    for name in ("oust", "rive", "strands")
    for block in read_table(DATA / f"perft_{name}.txt")
]


def game_of(heading: str) -> Game:
    name, *words = heading.split(" ")
    types = game_class(name).option_types
    given = dict(word.split("=", 1) for word in words)
    return make_game(
        name, **{field: types[field].from_word(field, given[field]) for field in given}
    )


@pytest.mark.parametrize(("heading", "table"), TABLES, ids=[heading for heading, _ in TABLES])
def test_perft(heading: str, table: list[tuple[int, ...]]) -> None:
    game = game_of(heading)
    assert game.to_string() == heading
    assert counts(game.initial_state(), len(table) - 1) == table


def test_there_are_tables_of_whole_games() -> None:
    finished = {heading.split(" ")[0] for heading, table in TABLES if table[-1][1] == 0}
    assert len(TABLES) >= 15 and finished == {"oust", "rive", "strands"}
