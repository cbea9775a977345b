"""The part of the tests that runs on every Python, and with the lowest versions of the libraries.

Every game and every surface is started, stepped and pickled, in a process that has compiled nothing
and in one that finds everything compiled.  `test_conformance.py` has the rest: each game at its
defaults.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from digests import NAMES
from processes import run

pytestmark = [pytest.mark.everywhere, pytest.mark.slow]

SURFACES = """
import hashlib, pickle, sys, warnings
warnings.simplefilter("error")
import numpy as np
import gymnasium
from numba.core import event
import hexgames_env
from hexgames_env import Batch, State, make_game, register_game
from hexgames_env.envs.aec import make_env
from hexgames_env.envs.registration import gymnasium_id
from toy_game import Duo
register_game(Duo)

name, found = sys.argv[1], hashlib.sha256()
rng = np.random.default_rng(1)

def see(*arrays):
    for array in arrays:
        found.update(np.asarray(array).tobytes())

def again(thing):
    return pickle.loads(pickle.dumps(thing))

def pick(mask):
    legal = mask.nonzero()[0]
    return legal[int(rng.random() * len(legal))]

with event.install_recorder("numba:compile") as recorder:
    game = make_game(name)
    state = game.initial_state(1)
    while not state.is_over and len(state.history) < 12:
        state.step(state.sample_action(rng))
        see(state.action_mask(), state.observation(0), state.observation(1))
    assert again(state) == state == State.from_string(state.to_string())
    state.undo()

    env = make_env(name)
    env.reset(seed=1)
    for step in range(10_000):
        observation, reward, termination, truncation, _ = env.last()
        see(observation["observation"], reward)
        env.step(None if termination or truncation else pick(observation["action_mask"]))
        if step == 3:
            env = again(env)
        if not env.agents:
            break

    for opponent in ("random", "greedy"):
        single = gymnasium.make(gymnasium_id(name), opponent=opponent, max_cycles=60)
        observation, _ = single.reset(seed=2)
        over = False
        while not over:
            action = pick(observation["action_mask"])
            observation, reward, terminated, truncated, _ = single.step(action)
            over = terminated or truncated
            see(observation["observation"], reward)
        vector = {"num_envs": 5, "vectorization_mode": "vector_entry_point"}
        many = gymnasium.make_vec(gymnasium_id(name), opponent=opponent, **vector)
        many.reset(seed=3)
        for step in range(9):
            masks = many.unwrapped.action_masks()
            observation, rewards, *_ = many.step(np.array([pick(mask) for mask in masks]))
            see(observation["observation"], rewards)

    for threads in (1, 2):
        batch = Batch(game, 8, seed=4, threads=threads, max_cycles=40)
        for step in range(50):
            batch.step(batch.sample_actions())
            see(batch.observations(), batch.rewards, batch.final_observations())
        played = batch.play_random(100)
        batch = again(batch)
        assert batch.play_random(100).games > 0
        see(batch.action_mask, *played.wins)
print(found.hexdigest(), "compiled" if recorder.buffer else "kept")
"""


@pytest.mark.machines
@pytest.mark.parametrize("name", [*NAMES, "duo"])
def test_every_surface_cold_and_warm(name: str, tmp_path: Path) -> None:
    ((cold,), _) = run(SURFACES, name, NUMBA_CACHE_DIR=str(tmp_path))
    ((warm,), _) = run(SURFACES, name, NUMBA_CACHE_DIR=str(tmp_path))
    assert cold.split()[1:] == ["compiled"] and warm.split()[1:] == ["kept"]
    assert cold.split()[0] == warm.split()[0]
