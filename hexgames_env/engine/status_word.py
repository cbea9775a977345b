"""The status word of a position, and the view of an observer.

=====  =====================================================================
bit
=====  =====================================================================
0      the player to act; after the end the player of the last step
1      1 if the game is over
2      the winner, once it is over
3 on   the phase: which kind of action is due, an index into ``game.phases``
=====  =====================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.engine.jit import inlined

PLAYER, OVER = 1, 2  # status & PLAYER, status & OVER
WINNER, PHASE = 2, 3  # status >> WINNER & 1 after the end, status >> PHASE
CUT_OFF = 2
"""Added to the player who looks, in a view, if the game is over otherwise than by its rules."""

_1 = np.uint64(1)


@inlined
def pack_status(to_play: Any, over: Any, winner: Any, phase: Any) -> Any:
    """A status, int64."""
    low = np.int64(to_play) | np.int64(over) << 1
    return low | np.int64(winner) << WINNER | np.int64(phase) << PHASE


@inlined
def seer_of(view: Any) -> Any:
    """The player who looks, uint64."""
    return np.uint64(view) & _1


@inlined
def is_cut_off(view: Any) -> Any:
    """Whether the game is over for who looks, whatever the position says."""
    return np.uint64(view) > _1
