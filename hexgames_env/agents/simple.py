"""The two simplest players."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hexgames_env.agents.base import Agent, check_rows
from hexgames_env.batch import Batch
from hexgames_env.errors import GameOverError
from hexgames_env.players import GREEDY, RANDOM
from hexgames_env.state import State


class RandomAgent(Agent):
    """Each legal action with the same probability."""

    name = "random"
    compiled = RANDOM

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        return state.sample_action(rng)

    def choose(
        self, batch: Batch, rng: np.random.Generator, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        which = check_rows(batch, rows)
        actions = np.empty(len(which), np.int64)
        batch._share(batch.game.drivers["random_in"], which, batch._rows, batch._random, actions)
        return actions


class GreedyAgent(Agent):
    """The step after which the position is best by the game's ``evaluate``, ties at random.

    A step that wins comes before all others, one that loses after them.  It looks no further
    than its own step, also when its turn goes on after it.
    """

    name = "greedy"
    compiled = GREEDY

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        if state.is_over:
            raise GameOverError("the game has ended: there is no action to choose")
        game = state.game
        scratch = np.empty_like(state._row)
        random = rng.integers(2**64, size=1, dtype=np.uint64)
        action: int = game.drivers["greedy"](state._row, game.tables, scratch, random)
        return action

    def choose(
        self, batch: Batch, rng: np.random.Generator, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        which = check_rows(batch, rows)
        actions = np.empty(len(which), np.int64)
        batch._share(
            batch.game.drivers["greedy_in"],
            which,
            batch._rows,
            batch.game.tables,
            batch._random,
            np.empty((len(which), *batch._rows.shape[1:]), batch._rows.dtype),
            actions,
        )
        return actions
