"""Kernels compiled with a check of every index, which takes a minute: no index is out of bounds."""

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
from hexgames_env import game_names
print(*digests.lines(), sep="\\n")
for name in game_names():
    for game in conformance.games_of(name):
        for seed in range(3):
            conformance.ends_with_a_winner(game, seed)
            conformance.shows_the_board(game, seed)
    game = conformance.small_game(name)
    rng = random.Random(1)
    texts = [state.to_string() for state in conformance.some_positions(game, 1)]
    for text in texts:
        for end in range(len(text)):
            conformance.reads_or_refuses(text[:end] + rng.choice(text + ".BW019") + text[end + 1:])
"""


def test_no_index_is_out_of_bounds(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env={
            **os.environ,
            "NUMBA_BOUNDSCHECK": "1",
            "NUMBA_CACHE_DIR": str(tmp_path),
            "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}",
        },
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == lines()
