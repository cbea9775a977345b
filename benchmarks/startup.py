"""How long a process takes to import the package and to play its first game, cold and warm.

    python benchmarks/startup.py

Cold: nothing compiled is kept yet.  Warm: the rules come from the cache.  Each line is a process of
its own; imports are counted beyond those of numpy, numba, gymnasium and pettingzoo.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile

from hexgames_env import game_names

CODE = """
import sys, time
import gymnasium, numba, numpy as np, pettingzoo
begin = time.perf_counter()
import hexgames_env
imported = time.perf_counter()
from hexgames_env.envs.aec import make_env
env = make_env(sys.argv[1])
env.reset(seed=0)
rng = np.random.default_rng(0)
for _ in env.agent_iter():
    observation, _, termination, truncation, _ = env.last()
    over = termination or truncation
    env.step(None if over else rng.choice(observation["action_mask"].nonzero()[0]))
played = time.perf_counter()
print(f"import {imported - begin:.2f} s, first game {played - imported:.2f} s")
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", metavar="game", help="all without any")
    for name in parser.parse_args().games or game_names():
        with tempfile.TemporaryDirectory() as cache:
            for kind in ("cold", "warm"):
                done = subprocess.run(
                    [sys.executable, "-c", CODE, name],
                    env={**os.environ, "NUMBA_CACHE_DIR": cache},
                    capture_output=True,
                    text=True,
                    check=True,
                )
                print(f"{name}, {kind}: {done.stdout.strip()}")


if __name__ == "__main__":
    main()
