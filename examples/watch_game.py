"""Watch two agents play: in a window or, with --gif, in an animated picture that needs no screen.

    python examples/watch_game.py rive --agents greedy random
    python examples/watch_game.py oust --options side=4 --gif oust.gif

Needs ``pip install "hexgames-env[render]"``.
"""

import argparse

import numpy as np
from PIL import Image

from hexgames_env import OptionError, game_names, make_game
from hexgames_env.agents import make_agent
from hexgames_env.registry import game_class
from hexgames_env.rendering import Renderer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", nargs="?", default="rive", choices=game_names())
    parser.add_argument("--options", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--agents", nargs=2, default=["greedy", "random"], help="such as greedy")
    parser.add_argument("--seed", type=int, default=0, help="decides the whole game")
    parser.add_argument("--gif", metavar="FILE", help="write this file instead of opening a window")
    parser.add_argument("--size", type=int, default=480, help="pixels across")
    parser.add_argument("--theme", default="light", choices=["light", "dark"])
    parser.add_argument("--fps", type=float, default=4, help="steps a second")
    parser.add_argument("--max-steps", type=int, default=1000, help="stop after so many")
    arguments = parser.parse_args()
    try:
        options = dict(word.split("=", 1) for word in arguments.options if "=" in word)
        for name, kind in game_class(arguments.game).option_types.items():
            if name in options:
                options[name] = kind.from_word(name, options[name])
        start = make_game(arguments.game, **options).initial_state(arguments.seed)
        agents = [make_agent(text) for text in arguments.agents]
        mode = "rgb_array" if arguments.gif else "human"
        renderer = Renderer(mode, arguments.size, arguments.fps, arguments.theme)
    except (OptionError, ModuleNotFoundError) as error:
        parser.error(str(error))

    rng = np.random.default_rng(arguments.seed)
    state, frames, steps = start, [renderer.render(start)], 0
    while not state.is_over and steps < arguments.max_steps:
        state.step(agents[state.to_play](state, rng))
        steps += 1
        frames.append(renderer.render(state))
        frames = frames if arguments.gif else []
    if arguments.gif:
        some = np.concatenate(frames[:: 1 + len(frames) // 10])
        # One palette for all, so that what stays the same is not stored again
        palette = Image.fromarray(some).quantize(64)
        pictures = [
            Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)
            for frame in frames
        ]
        times = [round(1000 / arguments.fps)] * (len(pictures) - 1) + [3000]
        pictures[0].save(
            arguments.gif, save_all=True, append_images=pictures[1:], duration=times, loop=0
        )
        print(f"{arguments.gif}: {len(pictures)} pictures")
    renderer.close()
    outcome = "nobody has won yet" if state.winner is None else f"player_{state.winner} wins"
    print(f"{outcome} after {steps} steps")


if __name__ == "__main__":
    main()
