"""Failing asserts of helpers say what they saw; kernels are kept in a folder of the tests' own."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path

import pytest

HELPERS = [
    file.stem for file in Path(__file__).parent.glob("*.py") if not file.stem.startswith("test_")
]
pytest.register_assert_rewrite(*HELPERS)  # before any of them is imported

os.environ.setdefault("HEXGAMES_QUIET", "1")  # tests compare what programs write
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"hexgames-tests-{os.getuid()}")
)


def pytest_configure() -> None:
    """Each of several workers compiles other games first, and finds the rest compiled by others."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        return
    from hexgames_env import Batch, game_names, make_game

    names = game_names()
    first = len(names) * int(worker[2:]) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for name in names[first:] + names[:first]:
        game = make_game(name)
        state = game.initial_state(0)
        state.observation_and_mask(0)
        state.step(state.sample_action(random.Random(0)))
        state.greedy_action(0)
        batch = Batch(game, 2, seed=0)
        batch.observations()
        batch.step(batch.sample_actions())
        batch.play_random(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the share that each of several workers begins with, what is slow comes first.

    A worker that has come to its end takes over from the end of others' shares (worksteal).
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1:
        slow = [item for item in items if item.get_closest_marker("slow")]
        quick = [item for item in items if not item.get_closest_marker("slow")]
        ends = [len(quick) * k // workers for k in range(workers + 1)]
        items[:] = [
            item
            for k in range(workers)
            for item in (*slow[k::workers], *quick[ends[k] : ends[k + 1]])
        ]


@pytest.fixture(autouse=True)
def _warned(monkeypatch: pytest.MonkeyPatch) -> None:
    """All has been said of illegal actions: what that is, test_silence asks."""
    from hexgames_env.envs import aec, settings, single, vector

    told = {aec.HexGameEnv, single.HexSingleAgentEnv, vector.HexVectorEnv}
    monkeypatch.setattr(settings, "_warned", told)
