"""The two simplest bots; both play in compiled code."""

from __future__ import annotations

import numpy as np

from hexgames_env.bots.base import Bot
from hexgames_env.core.state import State


class RandomBot(Bot):
    """Each legal action with the same probability."""

    name = "random"
    compiled = "random"

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        return state.sample_action(rng)


class GreedyBot(Bot):
    """The step after which the position is best by the game's ``evaluate``, ties at random.

    A step that wins comes before all others, one that loses after them.  It looks no further
    than its own step, also when its turn goes on after it.
    """

    name = "greedy"
    compiled = "greedy"

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        return state.greedy_action(int(rng.integers(2**64, dtype=np.uint64)))
