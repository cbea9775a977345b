"""Compiled code that is kept from one process to the next is that of the right game."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
CODE = """
import sys
from digests import digest
from hexgames_env import make_game, register_game
from toy_game import Duo
register_game(Duo)
for name in sys.argv[1:]:
    print(name, digest(make_game(name), 1))
"""


def play(cache: Path, *names: str) -> list[str]:
    """Digests of these games, played in this order in a process of their own."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, *names],
        env={
            **os.environ,
            "NUMBA_CACHE_DIR": str(cache),
            "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_games_compiled_apart_play_together(tmp_path: Path) -> None:
    # Once one game ran another's loops: numba's names for both were the same.
    (oust,), (duo,) = play(tmp_path, "oust"), play(tmp_path, "duo")
    assert play(tmp_path, "oust", "duo") == [oust, duo]
    assert play(tmp_path, "duo", "oust") == [duo, oust]
