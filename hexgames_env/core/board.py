"""The hexagonal board: cells, names, coordinates, neighbours, symmetries.

A hexhex board of side n has N = 3n(n-1)+1 cells in 2n-1 rows, numbered along each row from left
to right, from the bottom row up.  Every coordinate of the package is defined here, on side 2::

      c1 c2         cell     5 6      grid [r, c]        2,1 2,2    axial (q, r)      0,-1  1,-1
     b1 b2 b3       number  2 3 4     (row 0 at the    1,0 1,1 1,2   (centre 0,0)   -1,0  0,0  1,0
      a1 a2                  0 1      bottom)            0,0 0,1                      -1,1  0,1

    corner          cell   name              grid             axial
    bottom left     0      a1                0, 0             -(n-1), n-1
    bottom right    n-1    a{n}              0, n-1           0, n-1
    right           ...    {middle}{2n-1}    n-1, 2n-2        n-1, 0
    top right       N-1    {top}{n}          2n-2, 2n-2       n-1, -(n-1)

On the (2n-1) x (2n-1) grid, and so in every observation, the six neighbours of a cell are at the
offsets (0,1) (0,-1) (1,0) (-1,0) (1,1) (-1,-1): a 3x3 convolution covers a neighbourhood.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.options import as_integer, shown

MAX_SIDE = 13
"""Rows are named by single letters, so a board has at most 26 of them (2 * 13 - 1 = 25)."""

GRID_NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1))
"""Offsets (row, column) on the grid of a cell's six neighbours."""


class HexBoard:
    """The geometry of one hexhex board; immutable.

    Args:
        side: cells along an edge, 1 to 13.

    Attributes:
        side: cells along an edge.
        num_cells: N = 3n(n-1)+1.
        num_rows: 2n-1, also the height and the width of the grid.
        names: the N names, ``names[0] == "a1"``.
        grid: int64 (N, 2), row and column of each cell on the grid.
        axial: int64 (N, 2), q and r of each cell; the centre is 0, 0 and r grows downwards.
        neighbours: for each cell the ascending tuple of the cells next to it.

    Example:
        >>> board = HexBoard(2)
        >>> board.names
        ('a1', 'a2', 'b1', 'b2', 'b3', 'c1', 'c2')
        >>> board.neighbours[board.cell("a1")]
        (1, 2, 3)
        >>> board.axial[board.cell("c2")]
        array([ 1, -1])
    """

    def __init__(self, side: int) -> None:
        number = as_integer(side)
        if number is None:
            raise TypeError(f"side must be an integer from 1 to {MAX_SIDE}, got {shown(side)}")
        if not 1 <= number <= MAX_SIDE:
            raise ValueError(f"side must be from 1 to {MAX_SIDE}, got {shown(side)}")
        self.side = number
        self.num_rows = 2 * self.side - 1
        self.row_lengths = tuple(
            self.side + min(r, self.num_rows - 1 - r) for r in range(self.num_rows)
        )
        self.num_cells = sum(self.row_lengths)
        self.names = tuple(
            f"{chr(ord('a') + r)}{i + 1}" for r, n in enumerate(self.row_lengths) for i in range(n)
        )
        self.grid = _frozen(
            [
                (r, i + max(0, r - (self.side - 1)))
                for r, n in enumerate(self.row_lengths)
                for i in range(n)
            ]
        )
        centre = self.side - 1
        self.axial = _frozen([(c - centre, centre - r) for r, c in self.grid.tolist()])
        self._numbers = frozenset(range(self.num_cells))
        self._by_name = {name: cell for cell, name in enumerate(self.names)}
        self._by_grid = {(r, c): cell for cell, (r, c) in enumerate(self.grid.tolist())}
        self.neighbours = tuple(
            tuple(
                sorted(
                    self._by_grid[r + dr, c + dc]
                    for dr, dc in GRID_NEIGHBOURS
                    if (r + dr, c + dc) in self._by_grid
                )
            )
            for r, c in self.grid.tolist()
        )

    def cell(self, name: str) -> int:
        """The number of the cell called ``name``; ValueError if there is none."""
        try:
            return self._by_name[name]
        except (KeyError, TypeError):
            raise ValueError(
                f"{shown(name)} is no cell of a board of side {self.side}: "
                f"cells are {self.names[0]} to {self.names[-1]}"
            ) from None

    def cell_at(self, q: int, r: int) -> int:
        """The number of the cell at axial ``q, r``; ValueError if it is off the board."""
        column, row = as_integer(q), as_integer(r)
        if column is None or row is None:
            raise ValueError(f"axial coordinates are two integers, got q={shown(q)}, r={shown(r)}")
        centre = self.side - 1
        try:
            return self._by_grid[centre - row, column + centre]
        except KeyError:
            raise ValueError(
                f"axial {shown(column)},{shown(row)} is off a board of side {self.side}"
            ) from None

    def cell_on_grid(self, row: int, column: int) -> int | None:
        """The number of the cell at this place of the grid, or None off the board.

        Raises:
            ValueError: these are not two integers.
        """
        place = as_integer(row), as_integer(column)
        if place[0] is None or place[1] is None:
            raise ValueError(
                f"a place of the grid is two integers, got {shown(row)}, {shown(column)}"
            )
        return self._by_grid.get((place[0], place[1]))

    def groups(self, cells: Iterable[int]) -> list[list[int]]:
        """The maximal connected sets among ``cells``, each ascending, by their first cells.

        Raises:
            ValueError: one of ``cells`` is no number of a cell, or they can't be gone through.

        >>> HexBoard(2).groups({0, 1, 5})
        [[0, 1], [5]]
        """
        left = self._checked(cells)
        found = []
        for first in sorted(left):
            if first in left:
                left.remove(first)
                group = [first]
                for cell in group:  # which grows meanwhile
                    for other in self.neighbours[cell]:
                        if other in left:
                            left.remove(other)
                            group.append(other)
                found.append(sorted(group))
        return found

    def _checked(self, cells: Iterable[int]) -> set[int]:
        """The numbers of cells, each once."""
        if not isinstance(cells, Iterable):
            raise ValueError(
                f"groups() takes numbers of cells, in a list or the like, got {shown(cells)}"
            )
        given = list(cells)
        if {int}.issuperset(map(type, given)) and self._numbers.issuperset(given):
            return set(given)  # as games call it, for each position that is read
        numbers = set()
        for cell in given:
            number = as_integer(cell)
            if number is None or not 0 <= number < self.num_cells:
                raise ValueError(
                    f"{shown(cell)} is no cell of a board of side {self.side}: "
                    f"cells are numbered 0 to {self.num_cells - 1}"
                )
            numbers.add(number)
        return numbers

    def to_rows(self, cells: str) -> str:
        """One character a cell as text: the rows from the top down, separated by ``/``.

        Raises:
            ValueError: it is no str with a character for each cell.
        """
        if not isinstance(cells, str) or len(cells) != self.num_cells:
            raise ValueError(
                f"cells must be a str with a character for each of {self.num_cells} cells, "
                f"got {shown(cells)}"
            )
        rows, begin = [], 0
        for length in self.row_lengths:
            rows.append(cells[begin : begin + length])
            begin += length
        return "/".join(reversed(rows))

    def from_rows(self, text: str) -> str | None:
        """The characters of `to_rows` in the order of the cells; None if a row's length is off.

        Raises:
            ValueError: it is no str.
        """
        if not isinstance(text, str):
            raise ValueError(f"the rows of a board are read from a str, got {shown(text)}")
        rows = text.split("/")[::-1]
        return "".join(rows) if tuple(map(len, rows)) == self.row_lengths else None

    @cached_property
    def symmetries(self) -> tuple[NDArray[np.int64], ...]:
        """The 12 rotations and reflections, each int64 (N,): cell c goes to ``symmetry[c]``.

        First the six rotations by 0, 60, ... 300 degrees, then each of them after swapping q
        and r.  The first is the identity.
        """
        found = []
        for mirrored in (False, True):
            for turns in range(6):
                images = []
                for q, r in self.axial.tolist():
                    if mirrored:
                        q, r = r, q
                    for _ in range(turns):
                        q, r = -r, q + r
                    images.append(self.cell_at(q, r))
                found.append(_frozen(images))
        return tuple(found)

    @property
    def pitch(self) -> int:
        """Places in a row of the padded grid, the form that kernels work on: 2n+1.

        The padded grid is the grid with a rim of one place all round that always reads 0, so a
        pass over the whole board needs no bounds checks.  Neighbours of a place are at the
        fixed offsets +-1, +-pitch and +-(pitch+1).
        """
        return self.num_rows + 2

    @cached_property
    def padded(self) -> NDArray[np.int64]:
        """int64 (N,): the place of each cell on the padded grid of pitch * pitch places."""
        return _frozen((self.grid[:, 0] + 1) * self.pitch + self.grid[:, 1] + 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HexBoard) and other.side == self.side

    def __hash__(self) -> int:
        return hash((HexBoard, self.side))

    def __repr__(self) -> str:
        return f"HexBoard(side={self.side})"

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return hex_board, (self.side,)


@lru_cache(maxsize=MAX_SIDE)
def hex_board(side: int) -> HexBoard:
    """The board of this side, made once: boards are immutable, so everybody can share them."""
    return HexBoard(side)


def _frozen(values: object) -> NDArray[np.int64]:
    array = np.array(values, dtype=np.int64)
    array.flags.writeable = False
    return array
