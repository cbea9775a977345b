"""Train MaskablePPO by self-play: its opponents are its own earlier selves, and the random player.

pip install ".[sb3]"
python examples/self_play_ppo.py --options side=4 --steps 300000
"""

import argparse

from hexgames_env import Game, OptionError
from hexgames_env.bots import BotPool

MAX_CYCLES = 2000  # steps after which a game is cut off


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--options", nargs="*", default=["side=4"], metavar="NAME=VALUE", help="of Oust"
    )
    parser.add_argument("--steps", type=int, default=300_000, help="of the learner")
    parser.add_argument("--every", type=int, default=10, help="updates from one copy to the next")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", default="hexgames_self_play", help="where the model goes")
    arguments = parser.parse_args()

    try:  # only now, so that --help works without them
        import rich  # noqa: F401  # with tqdm for the progress bar
        import torch
        import tqdm  # noqa: F401
        from sb3_contrib import MaskablePPO

        from hexgames_env.stacks.sb3 import HexExtractor, HexVecEnv, SelfPlayCallback, evaluate
    except ModuleNotFoundError as error:
        parser.error(f'{error.name} is not installed: pip install ".[sb3]"')

    torch.set_num_threads(1)  # so small a network gains nothing from more
    # Every game in every row draws its opponent from the pool: one half of them the newest.
    pool = BotPool(["random"], newest=0.5)
    try:
        game = Game.from_string(" ".join(["oust", *arguments.options]))
        callback = SelfPlayCallback(pool, every=arguments.every)
    except OptionError as error:
        parser.error(str(error))
    envs = HexVecEnv("oust", num_envs=64, opponent=pool, max_cycles=MAX_CYCLES, **game.options)
    model = MaskablePPO(
        "MultiInputPolicy",
        envs,
        n_steps=64,
        batch_size=512,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"features_extractor_class": HexExtractor, "net_arch": []},
        seed=arguments.seed,
    )
    model.learn(arguments.steps, callback=callback, progress_bar=True)
    model.save(arguments.save)

    copies = pool.members[1:]
    print(f"{len(pool)} opponent{'s' if copies else ''} in the pool")
    if not copies:
        updates = model.num_timesteps // (64 * 64)
        print(f"no copy was taken: {updates} updates, and one every {arguments.every} before the")
        print("last: give more --steps or a smaller --every")
    some = copies if len(copies) < 4 else [*copies[:2], copies[-1]]
    for opponent in ("random", "greedy", *some):
        score = evaluate(model, game, opponent, deterministic=False, max_cycles=MAX_CYCLES)
        print(f"against {opponent!r}: {score}")


if __name__ == "__main__":
    main()
