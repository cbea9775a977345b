"""The ways into this package, each as a loop for `common.interleave`."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from common import Loop, only_a_part, timed
from numpy.typing import NDArray

from hexgames_env import Batch, Game
from hexgames_env.envs.registration import gymnasium_id

# Steps that a batch plays before it is timed.  Rows that began together are in the same phase of
# their games for a while, and phases differ in speed: by then the games have drifted apart.
WARM_UP = 3000


def pick(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """For each row of ``masks`` a legal action, uniformly, from one random number a row.

    Of six ways with numpy the fastest.
    """
    rows, actions = masks.shape
    legal = masks.view(np.bool_).reshape(-1).nonzero()[0]
    bounds = legal.searchsorted(np.arange(rows + 1) * actions)
    first, count = bounds[:-1], bounds[1:] - bounds[:-1]
    picked: NDArray[np.int64] = legal[first + (rng.random(rows) * count).astype(np.int64)]
    return picked % actions


def aec_loop(env: Any, space: bool = False) -> Loop:
    """``env.last()``, a legal action, ``env.step()``; resets and dead steps are not counted.

    The action is picked by ``np.flatnonzero`` and one draw of numpy's Generator, or with ``space``
    by ``action_space.sample(mask)``, which takes longer than all the rest.
    """
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def game() -> int:
        steps = 0
        env.reset()
        for agent in env.agent_iter():
            observation, _reward, termination, truncation, _info = env.last()
            if termination or truncation:
                env.step(None)
                continue
            mask = observation["action_mask"]
            if space:
                action = env.action_space(agent).sample(mask)
            else:
                legal = np.flatnonzero(mask)
                action = legal[int(rng.random() * len(legal))]
            env.step(action)
            steps += 1
        return steps

    return timed(game)


def state_loop(game: Game, mask: bool = True, compiled: bool = False) -> Loop:
    """One `State` from Python: mask, list of legal actions, observation into a buffer, step.

    The choice is one of the list by ``random.random()``, or with ``compiled`` that of
    `State.sample_action`, by the same generator and without a list.
    """
    rng = random.Random(0)
    planes = np.empty(game.observation_shape, np.float32)

    def play() -> int:
        steps = 0
        state = game.initial_state()
        while not state.is_over:
            if compiled:
                action = state.sample_action(rng)
            else:
                legal = state.legal_actions()
                action = legal[int(rng.random() * len(legal))]
            if mask:
                state.action_mask()
            state.observation(state.to_play, planes)
            state.step(action)
            steps += 1
        return steps

    return timed(play)


def copy_loop(game: Game, into: bool = False) -> Loop:
    """`State.copy` or `State.copy_into` of a position in mid-game."""
    state = game.initial_state()
    rng = random.Random(0)
    for _ in range(20):
        state.step(state.sample_action(rng))
    other = state.copy()

    def copies() -> int:
        if into:
            for _ in range(1000):
                state.copy_into(other)
        else:
            for _ in range(1000):
                state.copy()
        return 1000

    return timed(copies)


def batch_loop(game: Game, n: int = 1024, threads: int = 1) -> Loop:
    """A `Batch`, every step with mask, float32 observation, uniform choice, step and auto-reset."""
    batch = Batch(game, n, seed=0, threads=threads)
    batch.play_random(max(1, min(WARM_UP, 4_000_000 // n)))
    planes = np.empty((n, *game.observation_shape), np.float32)

    def steps() -> int:
        batch.action_mask  # noqa: B018  (a property: it makes the array)
        batch.observations(out=planes)
        batch.step(batch.sample_actions())
        return n

    return timed(steps, _clock(threads))


def random_loop(game: Game, n: int = 256, threads: int = 1) -> Loop:
    """Random play wholly in compiled code: `Batch.play_random`."""
    batch = Batch(game, n, seed=0, threads=threads)
    batch.play_random(WARM_UP)
    return timed(lambda: batch.play_random(100).steps, _clock(threads))


def _clock(threads: int) -> Callable[[], float]:
    return time.process_time if threads == 1 else time.perf_counter


def single_loop(name: str, **options: Any) -> Loop:
    """One learner in Gymnasium's env against the random player, mask picked with numpy."""
    env: Any = gymnasium.make(gymnasium_id(name), opponent="random", **options)
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def game() -> int:
        steps, over = 0, False
        observation, _ = env.reset()
        while not over:
            legal = observation["action_mask"].nonzero()[0]
            action = legal[int(rng.random() * len(legal))]
            observation, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
            steps += 1
        return steps

    return timed(game)


def vector_loop(envs: Any, warm_up: int = 300) -> Loop:
    """Learners' steps in any of Gymnasium's vector envs, picked by `pick` from its masks."""
    rng = np.random.default_rng(0)
    masks = [envs.reset(seed=0)[0]["action_mask"]]

    def step() -> int:
        masks[0] = envs.step(pick(masks[0], rng))[0]["action_mask"]
        return int(envs.num_envs)

    for _ in range(warm_up):
        step()
    return timed(step)


def sb3_loop(envs: Any, warm_up: int = 300) -> Loop:
    """The same in any of Stable-Baselines3's."""
    rng = np.random.default_rng(0)
    envs.seed(0)
    masks = [envs.reset()["action_mask"]]

    def step() -> int:
        masks[0] = envs.step(pick(masks[0], rng))[0]["action_mask"]
        return int(envs.num_envs)

    for _ in range(warm_up):
        step()
    return timed(step)


def hex_vector_env(name: str, num_envs: int, **options: Any) -> Any:
    """This package's own vector env, against the random player."""
    return gymnasium.make_vec(
        gymnasium_id(name),
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        opponent="random",
        **options,
    )


if __name__ == "__main__":
    only_a_part(__doc__)
