"""The ways into this package, each as a loop for `common.interleave`."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from common import Loop

from hexgames_env import Batch, Game
from hexgames_env.envs.registration import gymnasium_id


def timed(chunk: Callable[[], int]) -> Loop:
    """A loop that runs ``chunk`` until the time is over; a chunk returns how many steps it made."""

    def loop(seconds: float) -> tuple[int, float]:
        steps = 0
        begin = time.perf_counter()
        while (taken := time.perf_counter() - begin) < seconds:
            steps += chunk()
        return steps, taken

    return loop


def aec_loop(
    env: Any, mask_of: Callable[[Any, Any], Any] | None = None, space: bool = False
) -> Loop:
    """``env.last()``, a legal action, ``env.step()``; resets and dead steps are not counted.

    The action is picked with numpy (``flatnonzero`` and one random number), or with ``space`` by
    ``action_space.sample(mask)``, which alone takes 9 us.
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


def state_loop(game: Game) -> Loop:
    """One `State` from Python: mask, observation into a buffer, compiled uniform choice, step."""
    rng = random.Random(0)
    planes = np.empty(game.observation_shape, np.float32)

    def play() -> int:
        steps = 0
        state = game.initial_state()
        while not state.is_over:
            state.action_mask()
            state.observation(state.to_play, planes)
            state.step(state.sample_action(rng))
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
    planes = np.empty((n, *game.observation_shape), np.float32)

    def steps() -> int:
        batch.action_mask  # noqa: B018  (a property: it makes the array)
        batch.observations(out=planes)
        batch.step(batch.sample_actions())
        return n

    return timed(steps)


def random_loop(game: Game, n: int = 256, threads: int = 1) -> Loop:
    """Random play wholly in compiled code: `Batch.play_random`."""
    batch = Batch(game, n, seed=0, threads=threads)
    return timed(lambda: batch.play_random(100).steps)


def single_loop(name: str, **options: Any) -> Loop:
    """One learner in Gymnasium's env against the random player, mask picked with numpy."""
    env: Any = gymnasium.make(gymnasium_id(name), opponent="random", **options)
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def game() -> int:
        steps, over = 0, False
        env.reset()
        while not over:
            legal = np.flatnonzero(env.unwrapped.action_masks())
            _, _, terminated, truncated, _ = env.step(legal[int(rng.random() * len(legal))])
            over = terminated or truncated
            steps += 1
        return steps

    return timed(game)


def vector_loop(name: str, num_envs: int = 256, **options: Any) -> Loop:
    """As many learners in Gymnasium's vector env against the random player, compiled choice."""
    envs: Any = gymnasium.make_vec(
        gymnasium_id(name),
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        opponent="random",
        **options,
    )
    envs.reset(seed=0)

    def step() -> int:
        envs.step(envs.unwrapped.batch.sample_actions())
        return num_envs

    return timed(step)
