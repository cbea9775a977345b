"""Train MaskablePPO by self-play: its opponents are its own earlier selves, and the random player.

pip install "hexgames-env[sb3]"
python examples/self_play_ppo.py --side 4 --steps 300000
"""

import argparse

import torch
from sb3_contrib import MaskablePPO

from hexgames_env import make_game
from hexgames_env.agents import AgentPool
from hexgames_env.envs.sb3 import HexExtractor, HexVecEnv, SelfPlayCallback, evaluate

MAX_CYCLES = 2000  # steps after which a game is cut off


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=4, help="of the board of Oust")
    parser.add_argument("--steps", type=int, default=300_000, help="of the learner")
    parser.add_argument("--every", type=int, default=10, help="updates from one copy to the next")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", default="hexgames_self_play", help="where the model goes")
    arguments = parser.parse_args()

    torch.set_num_threads(1)  # so small a network gains nothing from more
    game = make_game("oust", side=arguments.side)
    # Every game in every row draws its opponent from the pool: one half of them the newest.
    pool = AgentPool(["random"], newest=0.5)
    envs = HexVecEnv("oust", num_envs=64, opponent=pool, max_cycles=MAX_CYCLES, side=arguments.side)
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
    copies = SelfPlayCallback(pool, every=arguments.every)
    model.learn(arguments.steps, callback=copies, progress_bar=True)
    model.save(arguments.save)

    print(f"{len(pool)} opponents in the pool")
    for opponent in ("random", "greedy", *pool.members[1:3], pool.members[-1]):
        score = evaluate(model, game, opponent, deterministic=False, max_cycles=MAX_CYCLES)
        print(f"against {opponent!r}: {score}")


if __name__ == "__main__":
    main()
