"""Crossing: each player connects two sides of the board, with two stones a turn.

Rules
-----
Black, player_0, connects the bottom side with the top side; White, player_1, the two sides on the
left with the two on the right.  A corner belongs to both sides that meet there.  Black begins with
one stone; from then on each player places two stones a turn, on any empty cells.  Whoever connects
the own sides by a chain of own stones wins at once.  There are no draws: on a full board exactly
one of the two is connected.

Options
-------
``side``: 2 to 9 cells along an edge, 4 by default.  ``stones``: cells with a black stone at the
start, as names; none by default.

Actions
-------
The number of a cell places a stone there; its text is the cell's name.

Planes of the observation
-------------------------
0 board, 1 the observing player is to act, 2 own stones, 3 opponent's stones, 4 cells of the own
sides, 5 cells of the opponent's sides, 6 constant 1 while the second stone of a turn is due.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_crossing import kernels
from hexgames_crossing.kernels import evaluate, mask, observe, start, status, step
from hexgames_crossing.options import CellsOption
from hexgames_env import Game, HexBoard, IntegerOption, OptionError, PositionTextError, State
from hexgames_env.core.scene import Scene, hex_sides

__all__ = ["Crossing", "evaluate", "mask", "observe", "start", "status", "step"]


class Crossing(Game):
    """Crossing on a board of side 2 to 9; the module's docstring is the game's page.

    Attributes:
        sides: for each player its two sides, each as a set of cells.
    """

    name = "crossing"
    title = "Crossing"
    option_types = {"side": IntegerOption(4, 2, 9), "stones": CellsOption()}
    phases = ("first", "second")
    plane_names = (
        *("board", "to act", "own stones", "opponent's stones"),
        *("own sides", "opponent's sides", "second stone due"),
    )
    field_names = ("second", "opened")

    def __init__(self, **options: Any) -> None:
        checked = self.check_options(options)
        board = HexBoard(checked["side"])
        for name in checked["stones"]:
            if name not in board.names:
                raise OptionError(
                    f"stones: there is no cell {name!r} on a board of side {board.side}"
                )
        self.sides = _sides(board)
        handicap = {board.names.index(name) for name in checked["stones"]}
        if _is_connected(board, handicap, self.sides[0]):
            raise OptionError(f"stones connect Black's sides already: {checked['stones']!r}")
        n = board.num_cells
        tables = np.full((kernels.CELL, n + 1), n, np.uint64)
        tables[kernels.PLACE, :n] = board.grid[:, 0] * board.num_rows + board.grid[:, 1]
        tables[kernels.START, :n] = [cell in handicap for cell in range(n)]
        for cell, near in enumerate(board.neighbours):
            bits = [cell in side for sides in self.sides for side in sides]
            tables[kernels.SIDES, cell] = sum(bit << k for k, bit in enumerate(bits))
            tables[kernels.NEAR : kernels.NEAR + np.uint64(len(near)), cell] = near
        super().__init__(
            checked, board=board, num_actions=n, tables=tables, row=(np.uint8, kernels.PLANES, n)
        )

    def action_names(self, phase: int) -> Sequence[str]:
        return self.cell_names

    def scene(self, state: State) -> Scene:
        scene = super().scene(state)
        bottom, lower_right, upper_right, top, upper_left, lower_left = hex_sides(self.board)
        white = lower_right + upper_right + upper_left + lower_left
        scene.edges = (bottom + top, white)
        return scene

    def ground(self, row: NDArray[Any]) -> str:
        stones = row[kernels.STONE, : self.board.num_cells].tolist()
        return "".join(self.symbols[stone] for stone in stones)

    def fields(self, row: NDArray[Any]) -> dict[str, str]:
        header = row[kernels.HEADER]
        found = {"second": "true"} if header[kernels.SECOND] else {}
        if not header[kernels.OPENED]:
            found["opened"] = "false"
        return found

    def write_position(
        self,
        row: NDArray[Any],
        ground: str,
        to_play: int,
        winner: int | None,
        fields: Mapping[str, str],
    ) -> None:
        for name, value in fields.items():
            if value not in ("true", "false"):
                raise PositionTextError(f"{name} must be true or false, got {value!r}")
        second, opened = fields.get("second") == "true", fields.get("opened") != "false"
        if not opened and (to_play or second or winner is not None):
            raise PositionTextError("opened=false is Black's first turn: to_play=0, winner=none")
        stones = [
            {cell for cell, symbol in enumerate(ground) if symbol == own}
            for own in self.symbols[1:]
        ]
        won = [p for p in (0, 1) if _is_connected(self.board, stones[p], self.sides[p])]
        if won != ([] if winner is None else [winner]):
            raise PositionTextError(f"winner={winner}, but connected are players {won}")
        if winner is not None and (winner != to_play or second):
            raise PositionTextError(f"after the end to_play is the winner, {winner}, got {to_play}")
        if second and sum(map(len, stones)) == 0:
            raise PositionTextError("second=true needs a stone on the board")
        row[kernels.STONE, : len(ground)] = [self.symbols.index(symbol) for symbol in ground]
        for player, (first, _) in enumerate(self.sides):
            for group in self.board.groups(stones[player]):
                row[kernels.JOINED, group] = bool(first & set(group))
        header = row[kernels.HEADER]
        header[kernels.TO_PLAY], header[kernels.OVER] = to_play, winner is not None
        header[kernels.SECOND], header[kernels.OPENED] = second, opened

    def keeps_rules(self, cells: NDArray[np.int64]) -> bool:
        start = {self.board.names.index(name) for name in self.options["stones"]}
        return {int(cells[cell]) for cell in start} == start and all(
            {frozenset(cells[list(side)].tolist()) for side in sides} == set(sides)
            for sides in self.sides
        )


def _is_connected(board: HexBoard, stones: set[int], sides: tuple[frozenset[int], ...]) -> bool:
    """Whether one group of these stones lies on both sides."""
    return any(all(side & set(group) for side in sides) for group in board.groups(stones))


def _sides(board: HexBoard) -> tuple[tuple[frozenset[int], frozenset[int]], ...]:
    """For each player two sides, as the cells on them."""
    last, middle = board.num_rows - 1, board.side - 1

    def cells(*conditions: NDArray[np.bool_]) -> frozenset[int]:
        return frozenset(np.flatnonzero(np.any(conditions, axis=0)).tolist())

    row, column = board.grid.T
    return (
        (cells(row == 0), cells(row == last)),
        (
            cells(row - column == middle, column == 0),
            cells(column - row == middle, column == last),
        ),
    )
