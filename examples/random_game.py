"""Play a game at random through PettingZoo's interface, and print every board and the result.

python examples/random_game.py oust --side 4 --seed 1
python examples/random_game.py strands --options layout=5
"""

import argparse

import numpy as np

import hexgames_env
from hexgames_env.envs.aec import make_env


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", nargs="?", default="oust", choices=hexgames_env.game_names())
    parser.add_argument("--side", type=int, help="the same as --options side=SIDE")
    parser.add_argument(
        "--options", nargs="*", default=[], metavar="NAME=VALUE", help="of the game"
    )
    parser.add_argument("--seed", type=int, default=0, help="decides the whole game")
    arguments = parser.parse_args()
    words = arguments.options + ([] if arguments.side is None else [f"side={arguments.side}"])
    try:
        game = hexgames_env.Game.from_string(" ".join([arguments.game, *words]))
        env = make_env(arguments.game, render_mode="ansi", **game.options)
    except hexgames_env.OptionError as error:
        parser.error(str(error))

    rng = np.random.default_rng(arguments.seed)
    env.reset(seed=arguments.seed)
    print(env.render())
    steps = 0
    for _agent in env.agent_iter():
        observation, _reward, termination, truncation, _info = env.last()
        if termination or truncation:
            env.step(None)  # the way of PettingZoo: every agent is told of the end once
            continue
        env.step(rng.choice(observation["action_mask"].nonzero()[0]))
        steps += 1
        print(f"\n{env.render()}")
    print(f"\n{env.winner} wins after {steps} steps.")


if __name__ == "__main__":
    main()
