"""How fast each game is by each way into the package, and how that scales.

    pip install ".[benchmark]"
    python benchmarks/speed.py              # all games, all surfaces
    python benchmarks/speed.py --scaling    # boards, numbers of rows, threads, memory

Figures are steps a second: median, least and greatest of slices that take turns, in the
processor's time with one thread and by the clock with more.  For other packages beside these see
`peers.py`.
"""

from __future__ import annotations

import argparse

from common import Loop, Spread, describe, interleave, progress, record
from surfaces import (
    aec_loop,
    batch_loop,
    copy_loop,
    hex_vector_env,
    random_loop,
    single_loop,
    state_loop,
    vector_loop,
)

from hexgames_env import Batch, game_names, make_game
from hexgames_env.core.options import IntegerOption
from hexgames_env.envs.aec import make_env


def show(title: str, loops: dict[str, Loop], rounds: int, seconds: float) -> None:
    """Measure, and print a Markdown table."""
    rates = interleave(loops, progress(rounds, title), seconds)
    print(f"\n### {title}\n\n| what | a second | least | greatest |\n|---|---:|---:|---:|")
    for what, found in rates.items():
        spread = Spread.of(found)
        print(f"| {what} | {spread.median:,.0f} | {spread.min:,.0f} | {spread.max:,.0f} |")


def surfaces(rounds: int, seconds: float) -> None:
    """Every game by every way, one table a game."""
    for name in game_names():
        game = make_game(name)
        loops: dict[str, Loop] = {
            "AEC loop, numpy sampler": aec_loop(make_env(name)),
            "AEC loop, action_space.sample(mask)": aec_loop(make_env(name), space=True),
            "State: mask, observation, choice from the list, step": state_loop(game),
            "State: mask, observation, compiled choice, step": state_loop(game, compiled=True),
            "State.copy()": copy_loop(game),
            "State.copy_into()": copy_loop(game, into=True),
            "Batch of 1,024: mask, observation, choice, step": batch_loop(game),
            "the same with 2 threads": batch_loop(game, threads=2),
            "compiled random play": random_loop(game),
            "compiled random play with 2 threads": random_loop(game, threads=2),
            "Gymnasium env against random, learner's steps": single_loop(name),
            "vector env of 256 against random": vector_loop(hex_vector_env(name, 256)),
        }
        show(f"{game.to_string()}, {Batch(game, 1).row_bytes} bytes a row", loops, rounds, seconds)


def scaling(rounds: int, seconds: float) -> None:
    """Boards from side 3 to 9, and from 1 row to 65,536."""
    for name in game_names():
        kind = make_game(name).option_types.get("side")
        if isinstance(kind, IntegerOption):
            games = [make_game(name, side=side) for side in range(3, kind.high + 1)]
            loops = {
                f"{game.to_string()}, {Batch(game, 1).row_bytes} bytes a row": random_loop(game)
                for game in games
            }
            show(f"{name}: compiled random play by side", loops, rounds, seconds)
        game = make_game(name)
        for threads in (1, 2):
            loops = {
                f"{n} rows": batch_loop(game, n, threads) for n in (1, 16, 256, 1024, 4096, 65_536)
            }
            title = f"{name}: mask, observation, choice and step by number of rows"
            show(f"{title}, {threads} thread{'s' * (threads > 1)}", loops, rounds, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="slices of each loop")
    parser.add_argument("--seconds", type=float, default=0.3, help="seconds a slice")
    parser.add_argument("--scaling", action="store_true", help="boards, rows, threads, memory")
    arguments = parser.parse_args()
    print(describe(record()))
    (scaling if arguments.scaling else surfaces)(arguments.rounds, arguments.seconds)


if __name__ == "__main__":
    main()
