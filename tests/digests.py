"""One number for whole games of every game: the same however their kernels are run.

`python tests/digests.py` prints a line for each game.
"""

from __future__ import annotations

import hashlib
import random

from hexgames_env import Batch, Game, game_names, make_game
from hexgames_env.core.registry import game_class
from hexgames_env.testing import small_game

# Those of the package, whatever tests have registered
NAMES = [name for name in game_names() if game_class(name).__module__.startswith("hexgames_env.")]


def games() -> list[Game]:
    """Each game at its smallest and at its default."""
    return [game for name in NAMES for game in (small_game(name), make_game(name))]


def digest(game: Game, seed: int, steps: int = 40) -> str:
    """Of the actions, masks, observations and texts of a random game's first steps."""
    found = hashlib.sha256()
    rng = random.Random(seed)
    state = game.initial_state(seed)
    for _ in range(steps):
        found.update(state.to_string().encode())
        found.update(state.action_mask().tobytes())
        for player in (0, 1):
            found.update(state.observation(player).tobytes())
            found.update(state.observation(player, ended=True).tobytes())
        if state.is_over:
            break
        action = state.sample_action(rng)
        found.update(f"{action} {state.action_to_string(action)}".encode())
        state.step(action)
    return found.hexdigest()[:16]


def batch_digest(game: Game) -> str:
    """Of a batch in which games end and begin anew."""
    found = hashlib.sha256()
    batch = Batch(game, 2, seed=1, max_cycles=50)
    ended = 0
    for _ in range(70):
        batch.step(batch.sample_actions())
        ended += len(batch.finished)
        for array in (batch.rewards, batch.action_mask, batch.terminated, batch.truncated):
            found.update(array.tobytes())
    assert ended > 1
    found.update(str(batch.play_random(20)).encode())
    return found.hexdigest()[:16]


def lines() -> list[str]:
    """The digests of some seeds of each game, and of batches."""
    singles = [
        f"{game.to_string()}: {' '.join(digest(game, seed) for seed in range(3))}"
        for game in games()
    ]
    return singles + [f"batch of {name}: {batch_digest(small_game(name))}" for name in NAMES]


if __name__ == "__main__":
    print(*lines(), sep="\n")
