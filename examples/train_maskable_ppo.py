"""Train MaskablePPO against a bot, save it, measure it, and show a game of it.

    pip install ".[sb3]"
    python examples/train_maskable_ppo.py                       # Oust, against the random player
    python examples/train_maskable_ppo.py rive side=4 --opponent greedy
    python examples/train_maskable_ppo.py gipf --steps 400000 --opponent "sb3 path=hexgames_ppo.zip"

Without options the board is a small one, on which a laptop learns within minutes.
"""

import argparse
import time
from typing import Any

import numpy as np

from hexgames_env import Game, OptionError
from hexgames_env.bots import Bot, Score, bot_names, evaluate, make_bot, play
from hexgames_env.cli import GameParser, add_game_arguments, add_seed_argument, chosen_game, count
from hexgames_env.rendering import to_text

SMALL = {"oust": ["side=4"], "rive": ["side=4"], "strands": ["layout=5"], "gipf": ["variant=basic"]}
MAX_CYCLES = 2000  # steps after which a game is cut off: one of GIPF need not end by itself
ROWS, STEPS = 64, 64  # games side by side, and the learner's steps in each between two updates


def make_parser(description: str, save: str, steps: int) -> argparse.ArgumentParser:
    """The arguments that trainings share."""
    parser = GameParser(
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"Bots are named by texts: {', '.join(bot_names())}, or module:callable; settings "
        "follow\nthe name, as in 'sb3 path=FILE'.",
    )
    add_game_arguments(parser, default="oust", boards=SMALL)
    parser.add_argument(
        "--steps", type=count, default=steps, help=f"of the learner; default {steps:,}"
    )
    add_seed_argument(parser, default=0, below=2**32)
    parser.add_argument("--save", metavar="FILE", default=save, help=f"default {save}.zip")
    return parser


def need_sb3(parser: argparse.ArgumentParser) -> None:
    """End with a word of what is missing; it is imported so late that --help works without."""
    try:
        import rich  # noqa: F401  # with tqdm for the progress bar
        import sb3_contrib  # noqa: F401
        import torch
        import tqdm  # noqa: F401
    except ModuleNotFoundError as error:
        parser.error(f'{error.name} is not installed: pip install ".[sb3]"')
    torch.set_num_threads(1)  # so small a network gains nothing from more


def chosen_bot(text: str, game: Game) -> Bot:
    """The bot that a text names.

    Raises:
        OptionError: there is none, or it is a model that was trained for another game or board.
    """
    bot = make_bot(text)
    policy = getattr(bot, "policy", None)
    if policy is not None:
        seen = policy.observation_space
        planes = getattr(seen, "spaces", {"observation": seen})["observation"]
        sizes = np.prod(planes.shape), policy.action_space.n
        if sizes != (np.prod(game.observation_shape), game.num_actions):
            raise OptionError(f"bot {text!r} is for another game or board than {game.to_string()}")
    return bot


def make_model(envs: Any, seed: int, learning_rate: Any) -> Any:
    """A small network of hexagonal convolutions, and how it learns."""
    from sb3_contrib import MaskablePPO

    from hexgames_env.stacks.sb3 import HexExtractor

    return MaskablePPO(
        "MultiInputPolicy",
        envs,
        n_steps=STEPS,
        batch_size=512,
        n_epochs=4,
        learning_rate=learning_rate,
        gamma=1.0,  # a win counts the same, however late
        ent_coef=0.01,
        policy_kwargs={"features_extractor_class": HexExtractor, "net_arch": []},
        seed=seed,
    )


def measure(player: Bot, game: Game, opponent: Bot, what: str) -> Score:
    """200 games, half of them from each seat, in four parts so that a bar shows them."""
    from tqdm import tqdm

    wins, games = np.zeros(2, int), np.zeros(2, int)
    for part in tqdm(range(4), what, unit="part", leave=False, disable=None):
        score = evaluate(player, game, opponent, games=50, seed=2 * part, max_cycles=MAX_CYCLES)
        wins += score.wins
        games += score.games
    return Score(tuple(wins.tolist()), tuple(games.tolist()))


def main() -> None:
    parser = make_parser(__doc__, save="hexgames_ppo", steps=200_000)
    parser.add_argument(
        "--opponent", metavar="BOT", default="random", help="to learn against; default random"
    )
    arguments = parser.parse_args()
    try:
        game = chosen_game(arguments)
        opponent = chosen_bot(arguments.opponent, game)
    except OptionError as error:
        parser.error(str(error))
    need_sb3(parser)
    from hexgames_env.stacks.sb3 import HexVecEnv, PolicyBot, load_bot

    envs = HexVecEnv(
        game.name, num_envs=ROWS, opponent=opponent, max_cycles=MAX_CYCLES, **game.options
    )
    model = make_model(
        envs,
        arguments.seed,
        learning_rate=lambda left: 1e-3 * max(left, 0.1),  # left: of the training, 1 to 0
    )
    print(f"{game.to_string()}, against {arguments.opponent}")
    untrained = PolicyBot(model, deterministic=True)
    print(f"before training {measure(untrained, game, opponent, 'before training')}")
    begun = time.time()
    model.learn(arguments.steps, progress_bar=True)
    print(f"{model.num_timesteps:,} steps in {time.time() - begun:.0f} s")

    model.save(arguments.save)
    trained = load_bot(arguments.save)
    print(f"after training {measure(trained, game, opponent, 'after training')}")
    state = play(trained, game, opponent, seed=arguments.seed, max_cycles=MAX_CYCLES)
    print(f"\nA game of it as player_0, {len(state.history)} steps:\n{to_text(state)}")


if __name__ == "__main__":
    main()
