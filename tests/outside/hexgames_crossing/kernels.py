"""The rules of Crossing in compiled code.

One row is uint8 (5, at least N): the mask; the stone on each cell, player + 1; whether that stone
is connected with the first side of its player; a stack of cells; and a header.  The tables are
uint64: a column of `CELL` numbers for each cell, and the last column for the whole board.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env import kernel
from hexgames_env.engine import clear_row, is_cut_off, pack_status, seer_of

MASK, STONE, JOINED, STACK, HEADER = (np.uint64(k) for k in range(5))
PLANES = 5
# In the header
TO_PLAY, OVER, SECOND, OPENED = (np.uint64(k) for k in range(4))  # OPENED: a stone was placed
# Numbers of a cell in the tables
PLACE = np.uint64(0)  # row * columns + column on the grid
SIDES = np.uint64(1)  # a bit for each side that it lies on: Black's first, second, White's two
START = np.uint64(2)  # what lies there at the start, a player + 1
NEAR = np.uint64(3)  # and up to 8: its neighbours; N for none
CELL = 9

_0, _1, _2, _6 = (np.uint64(k) for k in (0, 1, 2, 6))


@kernel
def start(rows: Any, b: Any, tables: Any, seed: Any) -> None:
    b = np.uint64(b)
    clear_row(rows, b)
    for cell in range(np.uint64(tables.shape[1] - 1)):
        stone = tables[START, cell]
        if stone:
            put(rows, b, tables, cell, stone - _1)


@kernel
def mask(rows: Any, b: Any, tables: Any) -> None:
    b = np.uint64(b)
    for cell in range(np.uint64(tables.shape[1] - 1)):
        rows[b, MASK, cell] = rows[b, STONE, cell] == 0


@kernel
def step(rows: Any, b: Any, tables: Any, action: Any) -> None:
    """A stone; the turn ends after two, the first turn of all after one."""
    b = np.uint64(b)
    player = np.uint64(rows[b, HEADER, TO_PLAY])
    if put(rows, b, tables, np.uint64(action), player):
        rows[b, HEADER, OVER] = 1
        rows[b, HEADER, SECOND] = 0
    elif rows[b, HEADER, OPENED] and not rows[b, HEADER, SECOND]:
        rows[b, HEADER, SECOND] = 1
    else:
        rows[b, HEADER, SECOND] = 0
        rows[b, HEADER, TO_PLAY] = _1 - player
    rows[b, HEADER, OPENED] = 1


@kernel
def put(rows: Any, b: Any, tables: Any, cell: Any, player: Any) -> Any:
    """Put a stone on a cell; whether its player's two sides are connected by it."""
    stone = np.uint8(player + _1)
    first, second = _1 << (_2 * player), _2 << (_2 * player)
    rows[b, STONE, cell] = stone
    joined = tables[SIDES, cell] & first != _0
    for k in range(_6):
        near = tables[NEAR + k, cell]
        if near < np.uint64(tables.shape[1] - 1) and rows[b, STONE, near] == stone:
            joined |= rows[b, JOINED, near] != 0
    if not joined:
        return False
    # All own stones that are connected with this one are now joined to the first side.
    won = False
    height = _1
    rows[b, JOINED, cell] = 1
    rows[b, STACK, _0] = np.uint8(cell)
    while height > _0:
        height -= _1
        here = np.uint64(rows[b, STACK, height])
        won |= tables[SIDES, here] & second != _0
        for k in range(_6):
            near = tables[NEAR + k, here]
            if near == np.uint64(tables.shape[1] - 1) or rows[b, JOINED, near] != 0:
                continue
            if rows[b, STONE, near] == stone:
                rows[b, JOINED, near] = 1
                rows[b, STACK, height] = np.uint8(near)
                height += _1
    return won


@kernel
def status(rows: Any, b: Any) -> Any:
    b = np.uint64(b)
    player, over = rows[b, HEADER, TO_PLAY], rows[b, HEADER, OVER]
    return pack_status(player, over, player if over else 0, rows[b, HEADER, SECOND])


@kernel
def observe(rows: Any, b: Any, tables: Any, view: Any, planes: Any) -> None:
    b, seer = np.uint64(b), seer_of(view)
    runs = not is_cut_off(view) and rows[b, HEADER, OVER] == 0
    acts = runs and rows[b, HEADER, TO_PLAY] == seer
    second = runs and rows[b, HEADER, SECOND] == 1
    columns = np.uint64(planes.shape[2])
    planes[b] = 0
    for cell in range(np.uint64(tables.shape[1] - 1)):
        row, column = tables[PLACE, cell] // columns, tables[PLACE, cell] % columns
        stone = np.uint64(rows[b, STONE, cell])
        own_sides = tables[SIDES, cell] >> (_2 * seer) & np.uint64(3)
        other_sides = tables[SIDES, cell] >> (_2 * (_1 - seer)) & np.uint64(3)
        planes[b, row, column, 0] = 1
        planes[b, row, column, 1] = acts
        planes[b, row, column, 2] = stone == seer + _1
        planes[b, row, column, 3] = stone == _2 - seer
        planes[b, row, column, 4] = own_sides != _0
        planes[b, row, column, 5] = other_sides != _0
        planes[b, row, column, 6] = second


@kernel
def evaluate(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """Own stones that are connected with a first side, less the other's."""
    b = np.uint64(b)
    value = 0.0
    for cell in range(np.uint64(tables.shape[1] - 1)):
        if rows[b, JOINED, cell]:
            value += 1.0 if rows[b, STONE, cell] == player + 1 else -1.0
    return value
