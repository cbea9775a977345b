"""Grab: a toy game whose result hangs on who moves twice in succession."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env import kernel
from hexgames_env.engine import pack_status
from toy_game import HEADER, LEFT, SECOND, STONES, TO_PLAY, Duo


class Grab(Duo):
    """Who moves twice decides.

    player_0 wins with the first two cells, which it can take in its first turn.  With the third
    cell it has not won by those: then player_1 wins with two of the last three, which it can take
    in its turn.  Who takes players to alternate believes neither.
    """

    name = "grab"

    def keeps_rules(self, cells: NDArray[np.int64]) -> bool:
        """No cell is like another."""
        return bool((cells == np.arange(len(cells))).all())


@kernel
def status(rows: Any, b: Any) -> Any:
    to_play, second = rows[b, HEADER, TO_PLAY], rows[b, HEADER, SECOND]
    if rows[b, HEADER, LEFT] > 0:
        return pack_status(to_play, False, 0, second)
    last = 0
    for cell in range(4, 7):
        last += rows[b, STONES, cell] == 2
    if rows[b, STONES, 2] == 1:
        return pack_status(to_play, True, 0 if last < 2 else 1, 0)
    both = rows[b, STONES, 0] == 1 and rows[b, STONES, 1] == 1
    return pack_status(to_play, True, 0 if both else 1, 0)
