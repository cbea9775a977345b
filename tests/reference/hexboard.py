"""The hexhex board as hexgames_env/core/board.py tells: names, grid places, axial coordinates."""

from __future__ import annotations

from collections.abc import Iterable

# Neighbours on the grid [r, c] are at these offsets.
NEIGHBOUR_OFFSETS = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1)]


class HexBoard:
    """A hexhex board of side n: N = 3n(n-1)+1 cells in 2n-1 rows, row 0 at the bottom."""

    def __init__(self, side: int) -> None:
        n = side
        self.side: int = n
        self.size: int = 2 * n - 1  # rows and columns of the grid
        self.num_cells: int = 3 * n * (n - 1) + 1

        # Row r has n + min(r, 2n-2-r) cells, numbered from left to right, from the bottom row up.
        self.cells: list[tuple[int, int]] = []
        for row in range(2 * n - 1):
            for i in range(n + min(row, 2 * n - 2 - row)):
                self.cells.append((row, i))
        assert len(self.cells) == self.num_cells

        # The row letter from the bottom, then the place in the row from 1.
        self.names: list[str] = [chr(ord("a") + row) + str(i + 1) for row, i in self.cells]

        # Cell i of row r stands at [r, i + max(0, r-(n-1))].
        self.grid: list[tuple[int, int]] = [
            (row, i + max(0, row - (n - 1))) for row, i in self.cells
        ]

        # Axial coordinates of grid place [r, c]: q' = c-(n-1), r' = (n-1)-r.
        self.axial: list[tuple[int, int]] = [(c - (n - 1), (n - 1) - r) for r, c in self.grid]

        self.by_name: dict[str, int] = {name: cell for cell, name in enumerate(self.names)}
        self.by_grid: dict[tuple[int, int], int] = {
            place: cell for cell, place in enumerate(self.grid)
        }
        self.by_axial: dict[tuple[int, int], int] = {
            place: cell for cell, place in enumerate(self.axial)
        }

        self.neighbours: list[set[int]] = []
        for r, c in self.grid:
            around = [(r + dr, c + dc) for dr, dc in NEIGHBOUR_OFFSETS]
            self.neighbours.append({self.by_grid[p] for p in around if p in self.by_grid})

    def connected(self, start: int, among: Iterable[int]) -> set[int]:
        """The cells of `among` that are connected with `start` through cells of `among`."""
        allowed = set(among)
        assert start in allowed
        found = {start}
        queue = [start]
        while queue:
            cell = queue.pop(0)
            for other in self.neighbours[cell]:
                if other in allowed and other not in found:
                    found.add(other)
                    queue.append(other)
        return found

    def groups(self, among: Iterable[int]) -> list[set[int]]:
        """All maximal connected sets of the cells of `among`."""
        rest = set(among)
        result = []
        while rest:
            group = self.connected(min(rest), rest)
            result.append(group)
            rest -= group
        return result

    def ring(self, cell: int) -> int:
        """How many steps the cell is away from the centre (the centre 0, the edge n-1)."""
        q, r = self.axial[cell]
        return max(abs(q), abs(r), abs(q + r))

    def ring_cells(self, ring: int) -> set[int]:
        """The cells that are `ring` steps away from the centre."""
        return {cell for cell in range(self.num_cells) if self.ring(cell) == ring}

    def ring_corners(self, ring: int) -> set[int]:
        """The six corners of a ring (of ring 0: the centre alone)."""
        k = ring
        places = [(k, 0), (-k, 0), (0, k), (0, -k), (k, -k), (-k, k)]
        return {self.by_axial[place] for place in places}
