"""Train MaskablePPO against the random player, save it, measure it, and show a game of it.

pip install ".[sb3]"
python examples/train_maskable_ppo.py oust --options side=4
python examples/train_maskable_ppo.py gipf --options variant=basic --steps 400000 --opponent greedy
"""

import argparse
import time

import hexgames_env
from hexgames_env.bots import bot_names
from hexgames_env.rendering import to_text

# Boards on which a laptop learns within minutes
SMALL = {"oust": ["side=4"], "rive": ["side=4"], "strands": ["layout=5"], "gipf": ["variant=basic"]}
MAX_CYCLES = 2000  # steps after which a game is cut off: one of GIPF need not end by itself


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", nargs="?", default="oust", choices=hexgames_env.game_names())
    parser.add_argument("--options", nargs="*", metavar="NAME=VALUE", help="of the game")
    parser.add_argument("--opponent", default="random", choices=bot_names())
    parser.add_argument("--steps", type=int, default=200_000, help="of the learner")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", default="hexgames_ppo", help="where the model goes")
    arguments = parser.parse_args()
    try:
        words = SMALL.get(arguments.game, []) if arguments.options is None else arguments.options
        game = hexgames_env.Game.from_string(" ".join([arguments.game, *words]))
    except hexgames_env.OptionError as error:
        parser.error(str(error))
    try:  # only now, so that --help works without them
        import rich  # noqa: F401  # with tqdm for the progress bar
        import torch
        import tqdm  # noqa: F401
        from sb3_contrib import MaskablePPO

        from hexgames_env.stacks.sb3 import HexExtractor, HexVecEnv, evaluate, play
    except ModuleNotFoundError as error:
        parser.error(f'{error.name} is not installed: pip install ".[sb3]"')

    torch.set_num_threads(1)  # so small a network gains nothing from more
    opponent = arguments.opponent
    envs = HexVecEnv(
        game.name, num_envs=64, opponent=opponent, max_cycles=MAX_CYCLES, **game.options
    )
    model = MaskablePPO(
        "MultiInputPolicy",
        envs,
        n_steps=64,
        batch_size=512,
        n_epochs=4,
        learning_rate=lambda left: 1e-3 * max(left, 0.1),  # left: of the training, 1 to 0
        gamma=1.0,  # a win counts the same, however late
        ent_coef=0.01,
        policy_kwargs={"features_extractor_class": HexExtractor, "net_arch": []},
        seed=arguments.seed,
    )
    score = evaluate(model, game, opponent, max_cycles=MAX_CYCLES)
    print(f"{game.to_string()}: before training {score}")
    begun = time.time()
    model.learn(arguments.steps, progress_bar=True)
    print(f"{model.num_timesteps} steps in {time.time() - begun:.0f} s")

    model.save(arguments.save)
    model = MaskablePPO.load(arguments.save)
    score = evaluate(model, game, opponent, games=200, max_cycles=MAX_CYCLES)
    print(f"after training {score}")
    state = play(model, game, opponent, seat=0, seed=arguments.seed, max_cycles=MAX_CYCLES)
    print(f"\nA game of it as player_0, {len(state.history)} steps:\n{to_text(state)}")


if __name__ == "__main__":
    main()
