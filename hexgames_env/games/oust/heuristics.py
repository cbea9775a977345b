"""Heuristics of Oust."""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.engine import inlined, kernel, lead
from hexgames_env.games.oust.kernels import (
    LABEL,
    NUM_CELLS,
    PITCH,
    PLACE,
    SIZE,
    SPAN,
    STONES,
    THREAT,
    ZERO,
    head_of,
)

_1 = np.uint64(1)


@kernel
def groups(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """Own stones, half the largest group, less half a stone for each group, less the opponent's."""
    b = np.uint64(b)
    stones = lead(rows, b, THREAT, head_of(rows) + STONES, 0)
    value = (
        stones + 0.5 * _lead_of_largest(rows, b, tables) - 0.5 * _lead_of_groups(rows, b, tables)
    )
    return value if player == 0 else -value


@inlined
def _lead_of_largest(rows: Any, b: Any, tables: Any) -> Any:
    pitch = tables[PITCH]
    black: Any = ZERO
    white: Any = ZERO
    for i in range(tables[SPAN]):
        place = i + pitch + _1
        black = max(black, rows[b, SIZE, place])
        white = max(white, rows[b, SIZE + _1, place])
    return np.float64(black) - np.float64(white)


@inlined
def _lead_of_groups(rows: Any, b: Any, tables: Any) -> Any:
    """A group is counted at the stone that it has its label from."""
    more = np.int64(0)
    for cell in range(tables[NUM_CELLS]):
        place = tables[PLACE + cell]
        first = np.uint64(rows[b, LABEL, place]) == cell + _1
        more += np.int64(first & (rows[b, SIZE, place] != ZERO))
        more -= np.int64(first & (rows[b, SIZE + _1, place] != ZERO))
    return np.float64(more)


HEURISTICS = {"groups": groups}
