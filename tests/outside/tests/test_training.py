"""A few steps of training with a real library, which knows as little of the game as we of it."""

from __future__ import annotations

import hexgames_crossing  # noqa: F401  (makes the game known)
from sb3_contrib import MaskablePPO

from hexgames_env.bots import make_bot
from hexgames_env.stacks.sb3 import HexVecEnv


def test_masked_ppo() -> None:
    opponent = make_bot("playouts playouts=1")
    env = HexVecEnv("crossing", 8, side=3, opponent=opponent)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=32, seed=1, device="cpu")
    model.learn(512)
    assert model.num_timesteps >= 512
