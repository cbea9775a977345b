"""How long a process takes to import the package and to play its first game, cold and warm.

    python benchmarks/startup.py                # all games
    python benchmarks/startup.py oust side=3    # one

Cold: nothing compiled is kept yet.  Warm: the rules come from the cache.  Each line is a process of
its own; imports are counted beyond those of numpy, numba, gymnasium and pettingzoo.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile

from hexgames_env import OptionError, game_names, make_game
from hexgames_env.cli import GameParser, add_game_arguments, chosen_game

CODE = """
import sys, time
import gymnasium, numba, numpy as np, pettingzoo
begin = time.perf_counter()
import hexgames_env
imported = time.perf_counter()
from hexgames_env import Game
from hexgames_env.envs.aec import make_env
game = Game.from_string(sys.argv[1])
env = make_env(game.name, **game.options)
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
    parser = GameParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_game_arguments(parser)
    arguments = parser.parse_args()
    games = [make_game(name) for name in game_names()]
    if arguments.game_words or arguments.options:
        try:
            games = [chosen_game(arguments)]
        except OptionError as error:
            parser.error(str(error))
    for game in games:
        with tempfile.TemporaryDirectory() as cache:
            for kind in ("cold", "warm"):
                done = subprocess.run(
                    [sys.executable, "-c", CODE, game.to_string()],
                    env={**os.environ, "NUMBA_CACHE_DIR": cache},
                    capture_output=True,
                    text=True,
                    check=True,
                )
                print(f"{game.to_string()}, {kind}: {done.stdout.strip()}")


if __name__ == "__main__":
    main()
