"""Watch two bots play: in a window or, with --gif, in an animated picture that needs no screen.

    python examples/watch_game.py rive --bots greedy greedy
    python examples/watch_game.py oust --options side=4 --gif oust.gif

Needs ``pip install "hexgames-env[render]"``.
"""

import argparse
from pathlib import Path

import numpy as np

from hexgames_env import Game, OptionError, game_names
from hexgames_env.bots import make_bot
from hexgames_env.rendering import Renderer
from hexgames_env.rendering.window import Window


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", nargs="?", default="rive", choices=game_names())
    parser.add_argument("--options", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--bots", nargs=2, default=["greedy", "greedy"], help="such as greedy")
    parser.add_argument("--seed", type=int, default=0, help="decides the whole game")
    parser.add_argument("--gif", metavar="FILE", help="write this file instead of opening a window")
    parser.add_argument("--size", type=int, default=480, help="pixels across")
    parser.add_argument("--theme", default="light", choices=["light", "dark"])
    parser.add_argument("--fps", type=float, default=4, help="steps a second")
    parser.add_argument("--hold", type=float, default=3, help="seconds the last position stands")
    parser.add_argument("--max-steps", type=int, default=1000, help="stop after so many")
    arguments = parser.parse_args()
    file = Path(arguments.gif or "none.gif")
    if file.suffix.lower() != ".gif" or not file.parent.is_dir():
        parser.error(f"--gif {file}: its name must end in .gif, and its folder must exist")
    if not arguments.fps > 0 or not arguments.hold >= 0:
        parser.error("--fps must be greater than 0 and --hold at least 0")
    try:  # only now, so that --help works without it
        from PIL import Image

        game = Game.from_string(" ".join([arguments.game, *arguments.options]))
        state = game.initial_state(arguments.seed)
        bots = [make_bot(text) for text in arguments.bots]
        pixels = Renderer("rgb_array", arguments.size, theme=arguments.theme)
        window = None if arguments.gif else Window(arguments.size, arguments.fps, arguments.theme)
    except OptionError as error:
        parser.error(str(error))
    except ModuleNotFoundError as error:
        parser.error(f'pictures need more: pip install ".[render]" ({error})')

    rng = np.random.default_rng(arguments.seed)
    frames, steps = [], 0
    while window is None or window.show(state):
        if window is None:
            frames.append(pixels.render(state))
        if state.is_over or steps >= arguments.max_steps:
            break
        state.step(bots[state.to_play](state, rng))
        steps += 1
    who = "nobody has won yet" if state.winner is None else f"player_{state.winner} wins"
    outcome = f"{who} after {steps} steps"
    if window is not None:
        window.fps = 1 / arguments.hold if arguments.hold else 0
        window.show(state, outcome)  # which does nothing if the user has closed it
    else:
        some = np.concatenate(frames[:: 1 + len(frames) // 10])
        # One palette for all: what stays the same is not stored again
        palette, plain = Image.fromarray(some).quantize(64), Image.Dither.NONE
        images = [Image.fromarray(x).quantize(palette=palette, dither=plain) for x in frames]
        times = [round(1000 / arguments.fps)] * (len(images) - 1) + [round(1000 * arguments.hold)]
        images[0].save(file, save_all=True, append_images=images[1:], duration=times, loop=0)
        print(f"{file}: {len(images)} pictures")
    print(outcome)


if __name__ == "__main__":
    main()
