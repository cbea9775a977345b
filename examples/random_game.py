"""Play a game at random through PettingZoo's interface, and print every board and the result.

    python examples/random_game.py oust --side 4 --seed 1
    python examples/random_game.py strands layout=5

A picture of the last position goes to a new folder among the temporary files; --svg names
another place.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from hexgames_env import OptionError
from hexgames_env.cli import GameParser, add_game_arguments, add_seed_argument, chosen_game
from hexgames_env.envs.aec import make_env


def main() -> None:
    parser = GameParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_game_arguments(parser, default="oust")
    parser.add_argument("--side", metavar="CELLS", help="the same as side=CELLS")
    add_seed_argument(parser, default=0)
    parser.add_argument("--svg", metavar="FILE", type=Path, help="where the picture goes")
    parser.add_argument("--no-svg", action="store_true", help="write no picture")
    arguments = parser.parse_args()
    if arguments.side is not None:
        arguments.options.append(f"side={arguments.side}")
    try:
        game = chosen_game(arguments)
        env = make_env(game.name, render_mode="ansi", **game.options)
    except OptionError as error:
        parser.error(str(error))

    print(f"{game.title}: {game.aim}\n")
    rng = np.random.default_rng(arguments.seed)
    env.reset(seed=arguments.seed)
    print(env.render())
    for _agent in env.agent_iter():
        observation, _reward, termination, truncation, _info = env.last()
        if termination or truncation:
            env.step(None)  # the way of PettingZoo: every agent is told of the end once
            continue
        env.step(rng.choice(observation["action_mask"].nonzero()[0]))
        print(f"\n{env.render()}")
    state = env.game_state
    print(f"\n{state.words().outcome}, after {len(state.history)} steps.")

    if not arguments.no_svg:
        try:
            file = arguments.svg or Path(tempfile.mkdtemp(prefix="hexgames-")) / "random_game.svg"
            file.write_text(state.to_svg(), encoding="utf-8")
        except OSError as error:
            sys.exit(f"the picture can't be written: {error}")
        print(f"A picture of the last position: {file}")


if __name__ == "__main__":
    main()
