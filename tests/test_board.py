"""The board: numbers, names, coordinates, neighbours and symmetries as the rules number them."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable

import numpy as np
import pytest

from hexgames_env import HexBoard
from hexgames_env.core.board import hex_board
from reference.hexboard import HexBoard as Reference

SIDES = range(1, 14)


@pytest.mark.surroundings
def test_side_2() -> None:
    # c1 c2      5 6
    # b1 b2 b3   2 3 4
    # a1 a2      0 1
    board = HexBoard(2)
    assert board.num_cells == 7 and board.num_rows == 3 and board.row_lengths == (2, 3, 2)
    assert board.names == ("a1", "a2", "b1", "b2", "b3", "c1", "c2")
    assert board.grid.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 1], [2, 2]]
    assert board.axial.tolist() == [[-1, 1], [0, 1], [-1, 0], [0, 0], [1, 0], [0, -1], [1, -1]]
    assert board.neighbours == (
        (1, 2, 3),
        (0, 3, 4),
        (0, 3, 5),
        (0, 1, 2, 4, 5, 6),
        (1, 3, 6),
        (2, 3, 6),
        (3, 4, 5),
    )


@pytest.mark.parametrize("side", SIDES)
def test_numbers_as_the_rules_say(side: int) -> None:
    board = HexBoard(side)
    n = side
    assert board.side == n and board.num_cells == 3 * n * (n - 1) + 1
    assert board.num_rows == 2 * n - 1 == len(board.row_lengths)
    cell = 0
    for r in range(2 * n - 1):
        assert board.row_lengths[r] == n + min(r, 2 * n - 2 - r)
        for i in range(board.row_lengths[r]):
            column = i + max(0, r - (n - 1))
            assert board.names[cell] == "abcdefghijklmnopqrstuvwxy"[r] + str(i + 1)
            assert board.grid[cell].tolist() == [r, column]
            assert board.axial[cell].tolist() == [column - (n - 1), (n - 1) - r]
            assert board.cell(board.names[cell]) == cell
            assert board.cell_at(column - (n - 1), (n - 1) - r) == cell
            assert board.cell_on_grid(r, column) == cell
            cell += 1
    assert cell == board.num_cells
    assert board.axial[(cell - 1) // 2].tolist() == [0, 0]


@pytest.mark.parametrize("side", range(2, 10))
def test_the_board_is_that_of_the_reference(side: int) -> None:
    board, reference = HexBoard(side), Reference(side)
    assert list(board.names) == reference.names
    assert [tuple(place) for place in board.grid.tolist()] == reference.grid
    assert [tuple(place) for place in board.axial.tolist()] == reference.axial
    assert [set(near) for near in board.neighbours] == reference.neighbours
    rng = np.random.default_rng(side)
    for share in (0.1, 0.4, 0.7, 1.0):
        cells = {c for c in range(board.num_cells) if rng.random() < share}
        groups = board.groups(cells)
        assert [set(group) for group in groups] == reference.groups(cells)
        assert all(group == sorted(group) for group in groups)


@pytest.mark.parametrize("side", SIDES)
def test_neighbours_are_one_step_apart(side: int) -> None:
    board = HexBoard(side)
    for cell, near in enumerate(board.neighbours):
        q, r = board.axial[cell].tolist()
        distances = [
            max(abs(q - p), abs(r - s), abs(q + r - p - s)) for p, s in board.axial.tolist()
        ]
        assert list(near) == [other for other, d in enumerate(distances) if d == 1]


# How q and r of a cell change: first turned by 0, 60, ... 300 degrees, then swapped and turned.
Turn = Callable[[int, int], tuple[int, int]]
TURNS: list[Turn] = [
    lambda q, r: (q, r),
    lambda q, r: (-r, q + r),
    lambda q, r: (-q - r, q),
    lambda q, r: (-q, -r),
    lambda q, r: (r, -q - r),
    lambda q, r: (q + r, -q),
]


def mirrored(turn: Turn) -> Turn:
    return lambda q, r: turn(r, q)


@pytest.mark.parametrize("side", SIDES)
def test_symmetries(side: int) -> None:
    board = HexBoard(side)
    moves = [*TURNS, *map(mirrored, TURNS)]
    assert len(board.symmetries) == 12
    assert len({symmetry.tobytes() for symmetry in board.symmetries}) == (12 if side > 1 else 1)
    for symmetry, move in zip(board.symmetries, moves, strict=True):
        images = [board.cell_at(*move(q, r)) for q, r in board.axial.tolist()]
        assert symmetry.tolist() == images and symmetry.dtype == np.int64
        for cell, near in enumerate(board.neighbours):
            assert board.neighbours[symmetry[cell]] == tuple(sorted(symmetry[list(near)].tolist()))


@pytest.mark.parametrize("side", SIDES)
def test_padded_grid(side: int) -> None:
    board = HexBoard(side)
    assert board.pitch == 2 * side + 1
    cells = {place: cell for cell, place in enumerate(board.padded.tolist())}
    steps = (1, -1, board.pitch, -board.pitch, board.pitch + 1, -board.pitch - 1)
    for place, cell in cells.items():
        near = sorted(cells[place + step] for step in steps if place + step in cells)
        assert tuple(near) == board.neighbours[cell]
        assert place - board.pitch - 1 >= 0 and place + board.pitch + 1 < board.pitch**2


@pytest.mark.surroundings
def test_rows_as_text() -> None:
    board = HexBoard(2)
    assert board.to_rows("0123456") == "56/234/01"
    assert board.from_rows("56/234/01") == "0123456"
    for text in ("", "56/234", "56/234/01/", "5/6234/01", "56234/01", "01/234/567"):
        assert board.from_rows(text) is None


def test_the_board_is_a_value() -> None:
    board = HexBoard(4)
    for four in (np.int64(4), np.array(4)):
        same = HexBoard(four)  # type: ignore[arg-type]
        assert same == board and type(same.side) is int and hash(same) == hash(board)
    assert board != HexBoard(5) and board != 4
    assert repr(board) == "HexBoard(side=4)"
    assert pickle.loads(pickle.dumps(board)) == board == copy.deepcopy(board)
    assert hex_board(4) is hex_board(4)
    for array in (board.grid, board.axial, *board.symmetries):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("side", [0, 14, -1, 10**9])
def test_sides_out_of_range(side: int) -> None:
    with pytest.raises(ValueError, match="side must be from 1 to 13, got"):
        HexBoard(side)


@pytest.mark.parametrize(
    "side", [3.0, "3", None, True, np.True_, np.array([3]), np.array(True), [3]]
)
def test_sides_of_another_type(side: object) -> None:
    with pytest.raises(TypeError, match="side must be an integer from 1 to 13, got"):
        HexBoard(side)  # type: ignore[arg-type]


def test_cells_off_the_board() -> None:
    board = HexBoard(2)
    for name in ("a0", "a3", "d1", "A1", "", "a1 ", None, 0, ["a1"]):
        with pytest.raises(ValueError, match="is no cell of a board of side 2: cells are a1 to c2"):
            board.cell(name)  # type: ignore[arg-type]
    for q, r in ((2, 0), (1, 1), (-1, -1)):
        with pytest.raises(ValueError, match=f"axial {q},{r} is off a board of side 2"):
            board.cell_at(q, r)
    for q, r in (("a", 1), (0, None), (0.0, 0), (True, 0), ([0], 0)):  # type: ignore[assignment]
        with pytest.raises(ValueError, match="axial coordinates are two integers, got q="):
            board.cell_at(q, r)
    assert board.cell_at(np.int64(0), np.array(0)) == 3  # type: ignore[arg-type]
    assert board.cell_on_grid(0, 2) is None and board.cell_on_grid(-1, 0) is None


@pytest.mark.parametrize("wrong", [7, 100, -1, 1.0, "a1", None, True, np.True_, [0]])
def test_groups_of_what_is_no_cell(wrong: object) -> None:
    message = re.escape(f"{wrong!r} is no cell of a board of side 2: cells are numbered 0 to 6")
    with pytest.raises(ValueError, match=message):
        HexBoard(2).groups([0, wrong])  # type: ignore[list-item]


def test_groups_of_numpys_integers() -> None:
    groups = HexBoard(2).groups(np.array([5, 1, 0, 1]))
    assert groups == [[0, 1], [5]] and all(type(cell) is int for group in groups for cell in group)
