"""What the pages of the games draw and tell of cells and numbers is so, and `help` shows them."""

from __future__ import annotations

import inspect
import pydoc
import re
from importlib import import_module
from itertools import accumulate

import pytest

from hexgames_env import HexBoard, game_names, make_game
from hexgames_env.core.registry import game_class
from hexgames_env.games.strands.layouts import FIXED


def page_of(game: str) -> str:
    return inspect.getdoc(import_module(f"hexgames_env.games.{game}")) or ""


GAMES = [name for name in game_names() if game_class(name).__module__.startswith("hexgames_env.")]


@pytest.mark.parametrize("name", GAMES)
def test_help_prints_the_page_and_the_class(name: str) -> None:
    """Of each constant it printed numpy's description of the type, a thousand lines in all."""
    module = import_module(f"hexgames_env.games.{name}")
    text = pydoc.plain(pydoc.render_doc(module))
    sections = "Rules, in order of play", "Options", "Actions", "Planes of the observation"
    for title in (*sections, "Deviations", "Versions", "Source: "):
        assert title in text
    assert "unsigned integer type" not in text and len(text.splitlines()) < 420
    assert module.__all__ == [game_class(name).__name__]


@pytest.mark.parametrize("game", ["oust", "rive", "strands"])
def test_cells_are_where_the_page_draws_them(game: str) -> None:
    page = page_of(game)
    drawn = page.partition("On side 3::\n\n")[2].partition("\n\n")[0]
    board = HexBoard(3)
    names = re.findall(r"\b[a-e]\d\b", drawn)
    places = re.findall(r"\b\d,\d\b", drawn)
    numbers = re.findall(r"(?<![\w,])\d+(?![\d,])", drawn)
    order = [
        cell
        for end, length in reversed(
            list(zip(accumulate(board.row_lengths), board.row_lengths, strict=True))
        )
        for cell in range(end - length, end)
    ]
    assert names == [board.names[cell] for cell in order]
    assert numbers == [str(cell) for cell in order]
    assert places == ["{},{}".format(*board.grid[cell]) for cell in order]


def test_points_of_gipf_are_where_the_page_says() -> None:
    game = make_game("gipf")
    for name, cell in game.cell_by_name.items():
        row = ord(name[0]) - ord("b")
        assert game.board.grid[cell].tolist() == [row, int(name[1:]) - 2 + max(0, row - 3)]
    for name, row, column in re.findall(r"(\w\d)\sat\s(\d),(\d)", page_of("gipf")):
        assert game.board.grid[game.cell_by_name[name]].tolist() == [int(row), int(column)]


@pytest.mark.parametrize("layout", FIXED)
def test_layouts_of_strands_are_drawn_as_they_are(layout: str) -> None:
    lines = page_of("strands").splitlines()
    (head,) = (k for k, line in enumerate(lines) if re.search(rf'^ +.*"{layout}"( |$)', line))
    begin = lines[head].index(f'"{layout}"')
    rows = FIXED[layout].split("/")
    width = 2 * max(map(len, rows))
    drawn = [line[begin : begin + width] for line in lines[head + 1 : head + 1 + len(rows)]]
    assert [re.sub(" ", "", row) for row in drawn] == rows
    assert [len(row) - len(row.lstrip()) for row in drawn] == [
        max(map(len, rows)) - len(row) for row in rows
    ]
