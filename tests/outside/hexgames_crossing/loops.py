"""A compiled loop of our own, for any game: how often does each action win at random?"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env import loop
from hexgames_env.engine import OVER, WINNER, copy_row, draw_legal, mask, status, step


@loop
def count_wins(rows: Any, tables: Any, player: Any, playouts: Any, random: Any, wins: Any) -> None:
    """Play games at random after each legal action of row 0; row 1 is where they are played.

    Args:
        rows: two positions, of which the first is the one to be looked at.
        tables: of the game.
        player: who should win.
        playouts: games after each action.
        random: uint64 (2,), the state of the random numbers; the second is used.
        wins: int64 (num_actions,), filled with the games won; -1 for what is illegal.
    """
    legal, words = rows.view(np.uint8), rows.view(np.uint64)
    for action in range(len(wins)):
        wins[action] = -1 if legal[0, 0, action] == 0 else 0
        if wins[action] < 0:
            continue
        for _ in range(playouts):
            copy_row(words, 0, words, 1)
            chosen = action
            while True:
                step(rows, 1, tables, chosen)
                now = status(rows, 1)
                if now & OVER:
                    break
                mask(rows, 1, tables)
                chosen = draw_legal(words, 1, random)
            wins[action] += (now >> WINNER & 1) == player
