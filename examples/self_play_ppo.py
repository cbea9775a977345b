"""Train MaskablePPO by self-play: its opponents are its own earlier selves, and other bots.

    pip install ".[sb3]"
    python examples/self_play_ppo.py                            # Oust; in the pool: random
    python examples/self_play_ppo.py strands --steps 400000 --bot random --bot greedy

Every game draws its opponent from a pool: half of the time the newest, otherwise any.  Every few
updates a copy of the learner joins the pool.  Without options the board is a small one, on which a
laptop learns within minutes.  The network is that of train_maskable_ppo.py.
"""

from train_maskable_ppo import (
    MAX_CYCLES,
    ROWS,
    STEPS,
    chosen_bot,
    make_model,
    make_parser,
    measure,
    need_sb3,
)

from hexgames_env import OptionError
from hexgames_env.bots import BotPool
from hexgames_env.cli import chosen_game, count


def main() -> None:
    parser = make_parser(__doc__, save="hexgames_self_play", steps=300_000)
    parser.add_argument(
        "--bot",
        action="append",
        metavar="BOT",
        help="in the pool from the start, once for each; default random",
    )
    parser.add_argument(
        "--every", type=count, default=10, help="updates from one copy to the next; default 10"
    )
    arguments = parser.parse_args()
    try:
        game = chosen_game(arguments)
        pool = BotPool([chosen_bot(text, game) for text in arguments.bot or ["random"]], newest=0.5)
    except OptionError as error:
        parser.error(str(error))
    need_sb3(parser)
    from hexgames_env.stacks.sb3 import HexVecEnv, PolicyBot, SelfPlayCallback

    first = len(pool)
    envs = HexVecEnv(game.name, num_envs=ROWS, opponent=pool, max_cycles=MAX_CYCLES, **game.options)
    model = make_model(envs, arguments.seed, learning_rate=1e-3)
    print(f"{game.to_string()}, by self-play")
    callback = SelfPlayCallback(pool, every=arguments.every)
    model.learn(arguments.steps, callback=callback, progress_bar=True)
    model.save(arguments.save)

    copies = pool.members[first:]
    print(f"{len(pool)} opponent{'s' * (len(pool) > 1)} in the pool")
    if not copies:
        updates = model.num_timesteps // (ROWS * STEPS)
        print(f"no copy was taken: {updates} updates, and one every {arguments.every} before the")
        print("last: give more --steps or a smaller --every")
    some = copies if len(copies) < 4 else [*copies[:2], copies[-1]]
    others = {text: chosen_bot(text, game) for text in ("random", "greedy", *(arguments.bot or []))}
    learned = PolicyBot(model)
    for name, opponent in [*others.items(), *((copy.label, copy) for copy in some)]:
        print(f"against {name!r}: {measure(learned, game, opponent, f'against {name}')}")


if __name__ == "__main__":
    main()
