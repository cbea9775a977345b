"""Duo: a fifth game in one file, as somebody else might write it.

The players fill a small board, two stones a turn.  When it is full, the player whose stone lies on
the middle cell has won.  Actions are the cells; plane 4 is 1 while a turn's second stone is due.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env import Game, HexBoard, IntegerOption, PositionTextError, kernel
from hexgames_env.engine import is_cut_off, pack_status, seer_of

# One row: uint8 (3, at least N+1)
MASK, STONES, HEADER = 0, 1, 2  # a stone: player + 1
TO_PLAY, SECOND, LEFT = 0, 1, 2  # LEFT: empty cells
# The tables: int64: N, then the place on the grid, row * columns + column, of each cell
NUM_CELLS, PLACE = 0, 1
# Planes of the observation
PLANE_NAMES = ("board", "to act", "own stones", "opponent's stones", "second stone due")
BOARD, TO_ACT, OWN, OPPONENTS, SECOND_DUE = range(5)


class Duo(Game):
    """The toy game."""

    name = "duo"
    title = "Duo"
    option_types = {"side": IntegerOption(2, 2, 3)}
    phases = ("first", "second")
    plane_names = PLANE_NAMES
    field_names = ("second",)

    def __init__(self, **options: Any) -> None:
        checked = self.check_options(options)
        board = HexBoard(checked["side"])
        places = board.grid[:, 0] * board.num_rows + board.grid[:, 1]
        super().__init__(
            checked,
            board=board,
            num_actions=board.num_cells,
            tables=np.concatenate([[board.num_cells], places]),
            row=(np.uint8, 3, board.num_cells + 1),
        )

    def action_names(self, phase: int) -> Sequence[str]:
        return self.cell_names

    def ground(self, row: NDArray[Any]) -> str:
        return "".join(self.symbols[s] for s in row[STONES, : self.board.num_cells].tolist())

    def fields(self, row: NDArray[Any]) -> dict[str, str]:
        return {"second": "true"} if row[HEADER, SECOND] else {}

    def write_position(
        self,
        row: NDArray[Any],
        ground: str,
        to_play: int,
        winner: int | None,
        fields: Mapping[str, str],
    ) -> None:
        second = fields.get("second", "false")
        if second not in ("true", "false"):
            raise PositionTextError(f"second must be true or false, got {second!r}")
        row[STONES, : len(ground)] = [self.symbols.index(symbol) for symbol in ground]
        row[HEADER, :3] = to_play, second == "true", ground.count(".")
        middle = self.symbols.index(ground[len(ground) // 2]) - 1
        won = None if "." in ground else middle
        if winner != won or ("." not in ground and second == "true"):
            raise PositionTextError(f"winner must be {won}, and nothing be due after the end")


@kernel
def start(rows: Any, b: Any, tables: Any, seed: Any) -> None:
    for plane in range(3):
        for i in range(rows.shape[2]):
            rows[b, plane, i] = 0
    rows[b, HEADER, LEFT] = tables[NUM_CELLS]


@kernel
def mask(rows: Any, b: Any, tables: Any) -> None:
    for i in range(rows.shape[2]):
        rows[b, MASK, i] = i < tables[NUM_CELLS] and rows[b, STONES, i] == 0


@kernel
def step(rows: Any, b: Any, tables: Any, action: Any) -> None:
    rows[b, STONES, action] = rows[b, HEADER, TO_PLAY] + 1
    rows[b, HEADER, LEFT] -= 1
    if rows[b, HEADER, LEFT] == 0:
        rows[b, HEADER, SECOND] = 0
    elif rows[b, HEADER, SECOND] == 0:
        rows[b, HEADER, SECOND] = 1
    else:
        rows[b, HEADER, SECOND] = 0
        rows[b, HEADER, TO_PLAY] = 1 - rows[b, HEADER, TO_PLAY]


@kernel
def status(rows: Any, b: Any) -> Any:
    stones = np.int64(0)
    for i in range(rows.shape[2]):
        stones += np.int64(rows[b, STONES, i] != 0)
    to_play, second = rows[b, HEADER, TO_PLAY], rows[b, HEADER, SECOND]
    if rows[b, HEADER, LEFT] > 0:
        return pack_status(to_play, False, 0, second)
    return pack_status(to_play, True, rows[b, STONES, stones // 2] - 1, 0)


@kernel
def observe(rows: Any, b: Any, tables: Any, view: Any, planes: Any) -> None:
    player, cut_off = np.int64(seer_of(view)), is_cut_off(view)
    running = rows[b, HEADER, LEFT] > 0 and not cut_off
    columns = planes.shape[2]
    for row in range(planes.shape[1]):
        for column in range(columns):
            for plane in range(len(PLANE_NAMES)):
                planes[b, row, column, plane] = 0
    for cell in range(tables[NUM_CELLS]):
        place = tables[PLACE + cell]
        row, column = place // columns, place % columns
        stone = np.int64(rows[b, STONES, cell])
        planes[b, row, column, BOARD] = 1
        planes[b, row, column, TO_ACT] = running and rows[b, HEADER, TO_PLAY] == player
        planes[b, row, column, OWN] = stone == player + 1
        planes[b, row, column, OPPONENTS] = stone == 2 - player
        planes[b, row, column, SECOND_DUE] = running and rows[b, HEADER, SECOND] == 1
