"""Heuristics of GIPF.

The weights of ``ring`` are those of a logistic fit to what searches won from 10,500 positions: in
pieces, a GIPF piece is worth 1.46 and a place on the ring 0.31, and the centre nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.engine import count_bits, kernel
from hexgames_env.games.gipf.geometry import BITS, GRID
from hexgames_env.games.gipf.kernels import GIPF, RESERVE, STATE, WHITE

# The twelve points two steps away from the middle, [3, 3] on the grid; the edge is three away.
RING = np.uint64(
    sum(
        1 << bit
        for (r, c), bit in zip(GRID, BITS, strict=True)
        if max(abs(r - 3), abs(c - 3), abs(c - r)) == 2
    )
)
GIPF_MORE, ON_RING = 0.5, 0.3
_2 = np.uint64(2)


@kernel
def ring(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """Own pieces in reserve and on the board less the opponent's.

    A GIPF piece on the board counts 1.5, and each piece on the ring next to the edge 0.3 more.
    """
    b, player = np.uint64(b), np.uint64(player)
    gipf = rows[b, STATE, GIPF]
    value = 0.0
    for side in range(_2):
        pieces = rows[b, STATE, WHITE + side]
        worth = np.float64(rows[b, STATE, RESERVE + side] + count_bits(pieces))
        worth += GIPF_MORE * np.float64(count_bits(pieces & gipf))
        worth += ON_RING * np.float64(count_bits(pieces & RING))
        value += worth if side == player else -worth
    return value


HEURISTICS = {"ring": ring}
