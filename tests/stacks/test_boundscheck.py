"""Kernels compiled with a check of every index, which takes minutes: no index is out of bounds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from digests import lines

TESTS = Path(__file__).parent.parent
CODE = """
import random
import conformance, digests
from hexgames_env import game_names, testing
print(*digests.lines(), sep="\\n")
for name in game_names():
    for game in testing.games_of(name):
        for seed in range(3):
            testing.ends_with_a_winner(game, seed)
            testing.shows_the_board(game, seed)
    game = testing.small_game(name)
    rng = random.Random(1)
    texts = [state.to_string() for state in testing.some_positions(game, 1)]
    for text in texts:
        for end in range(len(text)):
            conformance.reads_or_refuses(text[:end] + rng.choice(text + ".BW019") + text[end + 1:])
"""


# Of the agents and the vector environment, what plays in compiled code
SELECTED = (
    "rows or pool or greedy or random_is_uniform or same_state_and_rng or illegal_action_loses "
    "or opponents_error"
)


def run(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with every index checked, and a cache of its own."""
    return subprocess.run(
        [sys.executable, *arguments],
        env={
            **os.environ,
            "NUMBA_BOUNDSCHECK": "1",
            "NUMBA_CACHE_DIR": str(cache),
            "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}",
        },
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def test_no_index_is_out_of_bounds(tmp_path: Path) -> None:
    done = run(tmp_path, "-c", CODE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == lines()


def test_no_index_of_players_and_their_envs_is_out_of_bounds(tmp_path: Path) -> None:
    files = [str(TESTS / name) for name in ("test_bots.py", "test_gymnasium.py")]
    done = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", SELECTED, *files)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split(" passed")[0].split()[-1]) > 80, done.stdout
