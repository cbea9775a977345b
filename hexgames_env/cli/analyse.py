"""``hexgames analyse``: what a search finds out about a position, in words and as a picture."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import Any

import numpy as np

from hexgames_env.bots import make_bot
from hexgames_env.cli.arguments import (
    add_command,
    add_position_argument,
    add_seed_argument,
    count,
    find_bots_here,
    given_position,
)
from hexgames_env.cli.pictures import add_picture_arguments, check_pictures, write_pictures
from hexgames_env.cli.progress import interruptible, meter
from hexgames_env.core.state import State
from hexgames_env.errors import OptionError
from hexgames_env.records import Record, Remark, write_records
from hexgames_env.records.files import form_of
from hexgames_env.rendering import to_text
from hexgames_env.search import Analysis, Analyst
from hexgames_env.search.analysis import MOST

BOT = "mcts simulations=10000"
EVERY = 0.1  # seconds between two looks at a search, whose last is what Ctrl-C leaves


def add_commands(commands: Any) -> None:
    """Add the command to what ``ArgumentParser.add_subparsers`` returned."""
    parser = add_command(
        commands,
        "analyse",
        _analyse,
        "what a bot that searches thinks of a position",
        "hexgames analyse 'oust side=2 board=../B.W/.. to_play=0 winner=none' --svg heat.svg",
    )
    add_position_argument(parser)
    parser.add_argument("--bot", default=BOT, metavar="TEXT", help=f"who searches; default {BOT!r}")
    parser.add_argument(
        "--top", type=count, default=MOST, metavar="N", help=f"actions to tell of; default {MOST}"
    )
    parser.add_argument(
        "--record", metavar="FILE", help="put the position, with what was found, behind its games"
    )
    add_seed_argument(parser)
    add_picture_arguments(parser)


def _analyse(given: argparse.Namespace) -> None:
    check_pictures(given)
    if given.record is not None and form_of(given.record) == "npz":
        raise OptionError(
            f"--record takes .hgn or .jsonl, which keep remarks, got {given.record!r}"
        )
    state = given_position(given)
    find_bots_here()
    bot = make_bot(given.bot)
    if not isinstance(bot, Analyst):
        raise OptionError(
            f"bot {given.bot!r} does not search, and has nothing to tell: take one that does, such "
            f"as {BOT!r}"
        )
    if not state.legal_actions():
        raise OptionError(f"there is nothing to search: {state.words().outcome}")
    print(to_text(state))
    look = _Look(state, bot.settings().get("simulations"))
    try:
        found = bot.analyse(state, np.random.default_rng(given.seed), look, EVERY)
    except KeyboardInterrupt:
        look.close()
        if look.found is not None:
            _tell(given, state, look.found)
            print("stopped before its end")
        raise
    finally:
        look.close()
    _tell(given, state, found)


def _tell(given: argparse.Namespace, state: State, found: Analysis) -> None:
    print(found.to_string(state, given.top))
    visits = {action: number for action, number in found.visits.items() if number}
    write_pictures(given, state, visits)
    if given.record is not None:
        remark = Remark(" ".join(given.bot.split()), found.value, visits)
        write_records(given.record, [Record(state, remarks={0: remark})], append=True)
        print(f"written to {given.record}")


class _Look:
    """Looks at a search that goes on: shows how far it is, and keeps what Ctrl-C would lose.

    Until it has looked once, Ctrl-C ends the process at once: code may still be compiled, and there
    is nothing to tell.
    """

    def __init__(self, state: State, simulations: int | None) -> None:
        self.found: Analysis | None = None
        self._state, self._simulations = state, simulations
        self._meter: Any = None
        self._open = ExitStack()

    def __call__(self, found: Analysis) -> None:
        if self.found is None:
            self._meter = meter(self._simulations, "simulations")
            self._open.enter_context(interruptible())
        if self._meter is not None:
            self._meter.update(found.simulations - (self.found.simulations if self.found else 0))
            self._meter.set_postfix_str(
                f"{self._state.action_to_string(found.action)} {found.value:+.3f}"
            )
        self.found = found

    def close(self) -> None:
        self._open.close()
        if self._meter is not None:
            self._meter.close()
