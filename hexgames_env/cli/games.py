"""The commands that need no file: ``list``, ``show``, ``random`` and ``bench``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from hexgames_env.bots import Bot, bot_names, make_bot
from hexgames_env.cli.arguments import (
    add_command,
    add_game_arguments,
    add_position_argument,
    add_seed_argument,
    chosen_game,
    find_bots_here,
    given_position,
)
from hexgames_env.cli.pictures import add_picture_arguments, check_pictures, write_pictures
from hexgames_env.core.batch import Batch
from hexgames_env.core.registry import game_class, game_names
from hexgames_env.core.words import number_of, player_words
from hexgames_env.errors import IllegalActionError, OptionError
from hexgames_env.rendering import to_text


def add_commands(commands: Any) -> None:
    """Add them to what ``ArgumentParser.add_subparsers`` returned."""
    add_command(
        commands, "list", _list, "the games with their options, and the bots", "hexgames list"
    )
    show = add_command(
        commands,
        "show",
        _show,
        "a position, from its text or from standard input (-)",
        "hexgames show 'oust side=2 board=../B.W/.. to_play=0 winner=none' --svg oust.svg",
    )
    add_position_argument(show)
    add_picture_arguments(show)
    random = add_command(
        commands,
        "random",
        _random,
        "a game of bots, step by step",
        "hexgames random rive side=3 --bot greedy --bot random --seed 1",
    )
    bench = add_command(
        commands,
        "bench",
        _bench,
        "how many steps a second this machine makes",
        "hexgames bench oust side=7 --seconds 1",
    )
    for parser in (random, bench):
        add_game_arguments(parser)
        add_seed_argument(parser)
    random.add_argument(
        "--bot",
        action="append",
        default=[],
        metavar="TEXT",
        help="who plays: once for both sides, twice for player_0 and player_1; default random",
    )
    random.add_argument("--last", action="store_true", help="show the last position only")
    random.add_argument("--record", metavar="FILE", help="put the game behind those in this file")
    bench.add_argument("--seconds", type=_seconds, default=1.0, help="for each figure")


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise argparse.ArgumentTypeError(f"must be above 0 and at most 3600, got {word!r}")
    return seconds


def _list(given: argparse.Namespace) -> None:
    for name in game_names():
        game = game_class(name)
        page = sys.modules[game.__module__].__doc__ or ""
        lines = page.strip().splitlines() or [game.title]  # python -OO keeps no pages
        print(f"{name:10}{lines[0]}")
        for option, kind in game.option_types.items():
            values = ", ".join(kind.to_word(value) for value in kind.examples())
            print(f"{'':10}{option}={kind.to_word(kind.default)} (such as {values})")
    print(f"bots: {', '.join(bot_names())}, or module:callable")


def _show(given: argparse.Namespace) -> None:
    check_pictures(given)
    state = given_position(given)
    print(to_text(state))
    write_pictures(given, state)


def _bots(texts: Sequence[str]) -> tuple[Bot, Bot]:
    if len(texts) > 2:
        raise OptionError(f"--bot is given {len(texts)} times: once for both sides, or twice")
    find_bots_here()
    first, *rest = texts or ["random"]
    return make_bot(first), make_bot(rest[0] if rest else first)


def _random(given: argparse.Namespace) -> None:
    game, bots = chosen_game(given), _bots(given.bot)
    rng = np.random.default_rng(given.seed)
    state = game.initial_state(int(rng.integers(2**63)))
    keeper = None
    if given.record is not None:
        from hexgames_env.records import recorder  # here: other commands need not wait for it

        keeper = recorder(given.record, game, (bots[0].to_string(), bots[1].to_string()))
        keeper.begin(state, given.seed)
    try:
        while not state.is_over:
            if not given.last:
                print(to_text(state), end="\n\n")
            bot = bots[state.to_play]
            action = bot(state.copy(), rng)
            try:
                state.step(action)
            except IllegalActionError as error:
                raise OptionError(f"bot {bot!r}: {error}") from None
            if keeper is not None:
                keeper.step(state)
    finally:
        if keeper is not None:
            keeper.close()
    print(to_text(state))
    winner = state.winner or 0
    print(
        f"{number_of(len(state.history), 'step')}: {player_words(game, winner)} has won, played by "
        f"{bots[winner]!r}"
    )


def _bench(given: argparse.Namespace) -> None:
    game = chosen_game(given)
    batch = Batch(game, 1024, given.seed or 0)
    planes = batch.observations()

    def observed() -> int:
        batch.observations(out=planes)
        batch.step(batch.sample_actions())
        return batch.n

    def played() -> int:
        return batch.play_random(100).steps

    for what, steps_of in (
        ("random play in compiled code", played),
        ("a batch of 1,024 with observations", observed),
    ):
        steps_of()  # which compiles
        steps, begin = 0, time.process_time()
        while (taken := time.process_time() - begin) < given.seconds:
            steps += steps_of()
        print(f"{game.to_string()}, {what}: {steps / taken:,.0f} steps a second on one core")
