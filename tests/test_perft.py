"""The tables of data/perft_*.txt, which the references have made, counted by the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from digests import NAMES
from hexgames_env import Game, make_game
from hexgames_env.core.registry import game_class
from perft import counts, lines_of_gipf, main, read_table

DATA = Path(__file__).parent / "data"
FILES = {file.stem.removeprefix("perft_"): file for file in sorted(DATA.glob("perft_*.txt"))}
TABLES = [
    block
    for name, file in FILES.items()
    if name != "gipf"  # which has a form of its own, and its test in test_gipf.py
    for block in read_table(file)
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


def test_every_game_has_a_table_and_most_have_one_of_whole_games() -> None:
    assert set(FILES) == set(NAMES)
    whole = {heading.split(" ")[0] for heading, table in TABLES if table[-1][1] == 0}
    assert whole == set(NAMES) - {"gipf"}  # which has no board that is small enough


@pytest.mark.long
def test_the_command_prints_a_table_anew(capsys: pytest.CaptureFixture[str]) -> None:
    main(["strands"])
    assert capsys.readouterr().out == FILES["strands"].read_text(encoding="utf-8")
    kept = FILES["gipf"].read_text(encoding="utf-8").splitlines()
    few = [line for line in kept if line[0] == "#" or int(line.split()[1]) <= 2]
    assert list(lines_of_gipf(2)) == few


@pytest.mark.parametrize("words", [[], ["chess"], ["oust", "rive"]])
def test_the_command_says_what_it_takes(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert "usage: " in capsys.readouterr().err
