"""Promises of heuristics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hexgames_env.core.game import Game
from hexgames_env.core.heuristics import PLAIN, heuristic_names, judge
from hexgames_env.core.state import State
from hexgames_env.engine.loop import loop, mask, observe, status, step
from hexgames_env.engine.rows import clear_mask
from hexgames_env.engine.status_word import OVER
from hexgames_env.testing.claims import must
from hexgames_env.testing.positions import some_positions


@loop
def go_on(rows: Any, tables: Any, action: Any, planes: Any) -> Any:
    """Make a step in row 0; its status, with its mask and what player_0 sees of it."""
    step(rows, 0, tables, action)
    now = status(rows, 0)
    if now & OVER:
        clear_mask(rows, 0)
    else:
        mask(rows, 0, tables)
    observe(rows, 0, tables, 0, planes)
    return now


def judges_every_position(game: Game, seed: int) -> None:
    """Heuristics give numbers, do not read the mask, and change nothing; sides count opposite."""
    for state in some_positions(game, seed, wanted=4):
        if state.is_over:
            continue
        legal = state.legal_actions()
        action = legal[seed % len(legal)]
        follows = _what_follows(state, state.to_row(), action)
        for name in heuristic_names(game):
            ask = game.compiled(judge, name)
            row = state.to_row()
            values = [ask(row, game.tables, player) for player in (0, 1, 0, 1)]
            must(
                all(map(math.isfinite, values)),
                f"heuristic {name!r} must say a finite number, got {values[:2]} of {state}",
            )
            must(
                values[:2] == values[2:],
                f"heuristic {name!r} says {values[:2]} first and then {values[2:]} of {state}",
            )
            # An `evaluate` need not: greedy play asks it for the player who acts alone.
            must(
                name == PLAIN or values[0] == -values[1],
                f"heuristic {name!r} says {values[0]} for player_0, so it must say the negative "
                f"for player_1, got {values[1]} of {state}",
            )
            must(
                _what_follows(state, row, action) == follows,
                f"to ask heuristic {name!r} changes what follows action {action} in {state}",
            )
            row = state.to_row()
            row.view(np.uint8)[0, 0] = 0
            unmasked = ask(row, game.tables, 0)
            must(
                unmasked == values[0],
                f"heuristic {name!r} reads the mask, which may not be made: it says {values[0]} "
                f"with and {unmasked} without it of {state}",
            )


def _what_follows(state: State, row: Any, action: int) -> tuple[int, bytes, bytes]:
    """Status, mask and planes after an action in a row of this state."""
    game = state.game
    planes = np.empty((1, *game.observation_shape), np.float32)
    now = int(game.compiled(go_on)(row, game.tables, action, planes))
    return now, row.view(np.uint8)[0, 0, : game.num_actions].tobytes(), planes.tobytes()
