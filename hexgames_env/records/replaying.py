"""Compiled loops that play recorded games: to check them, and to make samples of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.engine.loop import loop, mask, observe, status, step
from hexgames_env.engine.rows import clear_mask, copy_row
from hexgames_env.engine.status_word import OVER, PLAYER, WINNER

# Games are given by ``actions`` of all of them and ``offsets`` of each, by ``starts``, rows with
# their masks, and by ``numbers``, the start of each game.  ``rows`` is one row to play in.


@loop
def replay_games(
    starts: Any,
    numbers: Any,
    tables: Any,
    actions: Any,
    offsets: Any,
    illegal: Any,
    rows: Any,
    stops: Any,
    winners: Any,
    to_play: Any,
) -> None:
    """Play all games by the rules.

    Writes for each game how many of its steps are legal, the winner by the rules or -1, and who is
    to act at the end: -1 if the game is over, or if the action ``illegal`` is legal there.
    """
    legal = rows.view(np.uint8)
    words, start_words = rows.view(np.uint64), starts.view(np.uint64)
    num_actions = np.uint64(legal.shape[2])
    for game in range(len(offsets) - 1):
        copy_row(start_words, numbers[game], words, 0)
        now = status(rows, 0)
        made = 0
        for place in range(offsets[game], offsets[game + 1]):
            action = actions[place]
            if action >= num_actions or now & OVER or legal[0, 0, action] == 0:
                break
            step(rows, 0, tables, np.int64(action))
            now = status(rows, 0)
            if now & OVER:
                clear_mask(rows, 0)
            else:
                mask(rows, 0, tables)
            made += 1
        stops[game] = made
        winners[game] = now >> WINNER & 1 if now & OVER else -1
        to_play[game] = now & PLAYER
        if now & OVER or (illegal[game] >= 0 and legal[0, 0, illegal[game]]):
            to_play[game] = -1


@loop
def sample_games(
    starts: Any,
    numbers: Any,
    tables: Any,
    actions: Any,
    offsets: Any,
    winners: Any,
    which: Any,
    rows: Any,
    planes: Any,
    masks: Any,
    chosen: Any,
    players: Any,
    results: Any,
) -> None:
    """Write every position of the games ``which`` and what was done in it, one behind the other.

    All actions are legal.  The five arrays at the end are those of `Samples`.
    """
    words, start_words = rows.view(np.uint64), starts.view(np.uint64)
    legal = rows.view(np.int8)
    k = 0
    for game in which:
        copy_row(start_words, numbers[game], words, 0)
        for place in range(offsets[game], offsets[game + 1]):
            player = status(rows, 0) & PLAYER
            observe(rows, 0, tables, player, planes[k : k + 1])
            for action in range(masks.shape[1]):
                masks[k, action] = legal[0, 0, action]
            chosen[k] = actions[place]
            players[k] = player
            if winners[game] < 0:
                results[k] = 0.0
            else:
                results[k] = 1.0 if winners[game] == player else -1.0
            k += 1
            step(rows, 0, tables, np.int64(actions[place]))
            if not status(rows, 0) & OVER:
                mask(rows, 0, tables)
