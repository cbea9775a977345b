"""Watch two bots play: in a window or, with --gif, in an animated picture that needs no screen.

    python examples/watch_game.py rive --bots greedy greedy
    python examples/watch_game.py oust --options side=4 --gif oust.gif

Needs ``pip install "hexgames-env[render]"``.
"""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from hexgames_env import Game, OptionError, State, game_names
from hexgames_env.bots import make_bot
from hexgames_env.rendering import NoScreenError, Renderer, write_gif
from hexgames_env.rendering.window import Window

NEEDS = 'pictures need more: pip install ".[render]"'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", nargs="?", choices=game_names(), help="rive, if none is given")
    parser.add_argument(
        "--options", nargs="*", default=[], metavar="NAME=VALUE", help="of the game"
    )
    parser.add_argument("--bots", nargs=2, default=["greedy", "greedy"], help="such as greedy")
    parser.add_argument("--seed", type=int, default=0, help="decides the whole game")
    parser.add_argument("--gif", metavar="FILE", help="write this file instead of opening a window")
    parser.add_argument(
        "--size", "--screen-size", type=int, default=480, metavar="PIXELS", help="width and height"
    )
    parser.add_argument("--theme", default="light", choices=["light", "dark"])
    parser.add_argument("--fps", type=float, default=4, help="steps a second")
    parser.add_argument("--hold", type=float, default=3, help="seconds the last position stands")
    parser.add_argument("--max-steps", type=int, default=1000, help="stop after so many")
    arguments = parser.parse_args()
    words = list(arguments.options)
    if arguments.game is None and words and words[-1] in game_names():
        arguments.game = words.pop()  # as in: --options side=4 oust
    file = Path(arguments.gif or "none.gif")
    if file.suffix.lower() != ".gif" or not file.parent.is_dir():
        parser.error(f"--gif {file}: its name must end in .gif, and its folder must exist")
    if not arguments.fps > 0 or not arguments.hold >= 0 or not arguments.max_steps >= 0:
        parser.error("--fps must be greater than 0, --hold and --max-steps at least 0")
    if arguments.gif and find_spec("PIL") is None:
        parser.error(NEEDS)
    try:
        game = Game.from_string(" ".join([arguments.game or "rive", *words]))
        state = game.initial_state(arguments.seed)
        bots = [make_bot(text) for text in arguments.bots]
        pixels = Renderer("rgb_array", arguments.size, theme=arguments.theme)
        window = None if arguments.gif else Window(arguments.size, arguments.fps, arguments.theme)
    except OptionError as error:
        parser.error(str(error))
    except ModuleNotFoundError as error:
        parser.error(f"{NEEDS} ({error})")

    rng = np.random.default_rng(arguments.seed)
    played: list[State] = []
    try:
        while window is None or window.show(state):
            played.append(state.copy())
            if state.is_over or len(played) > arguments.max_steps:
                break
            state.step(bots[state.to_play](state, rng))
    except NoScreenError:
        parser.error("no screen: use --gif FILE")
    outcome = state.words().outcome or "nobody has won yet"
    outcome = f"{outcome}, after {len(state.history)} steps"
    if window is not None:
        window.fps = 1 / arguments.hold if arguments.hold else 0
        window.show(state, outcome)  # which does nothing if the user has closed it
    else:
        frames = []
        for number, position in enumerate(played, start=1):
            print(f"\rdrawing picture {number} of {len(played)}", end="", file=sys.stderr)
            frames.append(pixels.render(position))
        print(f", writing {file}", file=sys.stderr)
        seconds = [1 / arguments.fps] * (len(frames) - 1) + [arguments.hold]
        write_gif(file, frames, seconds, arguments.theme)
        print(f"{file}: {len(frames)} pictures")
    print(outcome)


if __name__ == "__main__":
    main()
