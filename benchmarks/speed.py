"""How fast each game is by each way into the package, and how that scales.

    pip install hexgames-env tqdm
    python benchmarks/speed.py              # all games, all surfaces
    python benchmarks/speed.py --scaling    # boards, numbers of rows, threads, memory

Figures are medians of slices that take turns.  For other packages beside these see `peers.py`.
"""

from __future__ import annotations

import argparse

from common import Loop, Row, interleave, print_table
from surfaces import (
    aec_loop,
    batch_loop,
    copy_loop,
    random_loop,
    single_loop,
    state_loop,
    vector_loop,
)

from hexgames_env import Batch, game_names, make_game
from hexgames_env.envs.aec import make_env
from hexgames_env.options import IntegerOption


def surfaces(slices: int, seconds: float) -> None:
    """Every game by every way, one table a game."""
    for name in game_names():
        game = make_game(name)
        loops: dict[str, Loop] = {
            "AEC loop, numpy sampler": aec_loop(make_env(name)),
            "AEC loop, action_space.sample(mask)": aec_loop(make_env(name), space=True),
            "State: mask, observation, compiled choice, step": state_loop(game),
            "State.copy()": copy_loop(game),
            "State.copy_into()": copy_loop(game, into=True),
            "Batch of 1,024: mask, observation, choice, step": batch_loop(game),
            "the same with 2 threads": batch_loop(game, threads=2),
            "compiled random play": random_loop(game),
            "the same with 2 threads ": random_loop(game, threads=2),
            "Gymnasium env against random, learner's steps, numpy sampler": single_loop(name),
            "Gymnasium vector env of 256 against random, compiled choice": vector_loop(name),
        }
        rates = interleave(loops, slices, seconds)
        title = f"{game.to_string()}, {Batch(game, 1).row_bytes} bytes a row"
        print_table(title, [Row(what.strip(), rate) for what, rate in rates.items()])


def scaling(slices: int, seconds: float) -> None:
    """Boards from side 3 to 9, and from 1 row to 65,536."""
    for name in game_names():
        kind = make_game(name).option_types.get("side")
        if isinstance(kind, IntegerOption):
            games = [make_game(name, side=side) for side in range(3, kind.high + 1)]
            loops = {game.to_string(): random_loop(game) for game in games}
            rates = interleave(loops, slices, seconds)
            rows = [
                Row(f"{game.to_string()}, {Batch(game, 1).row_bytes} bytes a row", rate)
                for game, rate in zip(games, rates.values(), strict=True)
            ]
            print_table(f"{name}: compiled random play by side", rows)
        game = make_game(name)
        for threads in (1, 2):
            loops = {
                f"{n} rows": batch_loop(game, n, threads) for n in (1, 16, 256, 1024, 4096, 65_536)
            }
            rates = interleave(loops, slices, seconds)
            print_table(
                f"{name}: mask, observation, choice and step by number of rows, {threads} thread"
                + "s" * (threads > 1),
                [Row(what, rate) for what, rate in rates.items()],
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--slices", type=int, default=5, help="slices for each loop")
    parser.add_argument("--seconds", type=float, default=0.4, help="seconds a slice")
    parser.add_argument("--scaling", action="store_true", help="boards, rows, threads, memory")
    arguments = parser.parse_args()
    (scaling if arguments.scaling else surfaces)(arguments.slices, arguments.seconds)


if __name__ == "__main__":
    main()
