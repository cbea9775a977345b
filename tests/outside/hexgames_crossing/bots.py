"""A bot of our own, for any game: it plays each action out at random and takes the best."""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_crossing.loops import count_wins
from hexgames_env import OptionError, State
from hexgames_env.bots import Bot


class PlayoutBot(Bot):
    """The action that wins most of ``playouts`` random games."""

    name = "playouts"

    def __init__(self, playouts: int = 20) -> None:
        if type(playouts) is not int or playouts < 1:
            raise OptionError(f"playouts must be a positive integer, got {playouts!r}")
        self.playouts = playouts

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        game = state.game
        rows = np.concatenate([state.to_row(), state.to_row()])
        wins = np.empty(game.num_actions, np.int64)
        random = rng.integers(2**63, size=2, dtype=np.uint64)
        count_wins_of_game = game.compiled(count_wins)
        count_wins_of_game(rows, game.tables, state.to_play, self.playouts, random, wins)
        return int(wins.argmax())

    def settings(self) -> dict[str, Any]:
        return {"playouts": self.playouts}
