"""An environment of our own, for any game: both seats in one loop, one step at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env import Game, OptionError, State


class TurnEnv:
    """``reset`` and ``step`` for whoever is to act; an illegal action loses.

    >>> from hexgames_env import make_game
    >>> env = TurnEnv(make_game("rive", side=2))
    >>> seen = env.reset(seed=1)
    >>> seen, rewards, done = env.step(3)
    >>> env.player, rewards.tolist(), done
    (1, [0.0, 0.0], False)
    """

    def __init__(self, game: Game, max_steps: int | None = None) -> None:
        if not isinstance(game, Game):
            raise OptionError(f"game must be a Game, as from make_game(), got {game!r}")
        self.game, self.max_steps = game, max_steps
        self.state: State = game.initial_state(0)
        self.length = 0

    @property
    def player(self) -> int:
        """Who is to act."""
        return self.state.to_play

    def reset(self, seed: int | None = None) -> dict[str, NDArray[Any]]:
        """Begin a game; planes and mask of the player to act."""
        self.state, self.length = self.game.initial_state(seed), 0
        return self.state.observation_and_mask(self.player)

    def step(self, action: int) -> tuple[dict[str, NDArray[Any]], NDArray[np.float32], bool]:
        """Planes and mask of who is to act now, rewards by player, whether it is over."""
        actor = self.player
        self.length += 1
        if not self.state.try_step(action):
            rewards = np.ones(2, np.float32)
            rewards[actor] = -1
            return self.state.observation_and_mask(actor, ended=True), rewards, True
        rewards = self.state.returns()
        cut_off = self.length == self.max_steps
        seen = self.state.observation_and_mask(self.player, ended=cut_off)
        return seen, rewards, cut_off or self.state.is_over
