"""The kernels as plain Python, with NUMBA_DISABLE_JIT=1, play the same games."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from digests import lines

TESTS = Path(__file__).parent


def test_plain_python_plays_the_same_games() -> None:
    done = subprocess.run(
        [sys.executable, str(TESTS / "digests.py")],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(TESTS.parent)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == lines()


def test_an_illegal_action_does_not_reach_a_kernel() -> None:
    code = """
from conformance import NO_ACTIONS, small_game, walk
from hexgames_env import game_names
for name in game_names():
    game = small_game(name)
    inside = game.drivers["advance"].__globals__
    step, stepped = inside["step"], []
    def watched(rows, b, tables, action, step=step, stepped=stepped):
        stepped.append(action)
        return step(rows, b, tables, action)
    inside["step"] = watched
    for state in walk(game, 1):
        stepped.clear()
        illegal = set(range(-3, game.num_actions + 3)) - set(state.legal_actions())
        for action in (*illegal, *NO_ACTIONS):
            try:
                state.step(action)
            except (ValueError, RuntimeError):
                continue
            raise AssertionError(f"{action!r} was let through")
        assert stepped == [], stepped
    assert state.is_over
    print(name)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}",
        },
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) >= 4
