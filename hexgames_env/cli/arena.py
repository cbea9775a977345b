"""``hexgames arena``: bots play many games from the same openings, and get Elo."""

from __future__ import annotations

import argparse
import errno
import sys
from concurrent.futures import BrokenExecutor
from typing import Any

from hexgames_env.arena import Arena, Sprt, Undecided, run
from hexgames_env.bots.match import MAX_CYCLES
from hexgames_env.cli.arguments import (
    add_command,
    add_game_arguments,
    add_seed_argument,
    chosen_game,
    count,
)
from hexgames_env.cli.progress import interruptible, meter
from hexgames_env.core.words import number_of
from hexgames_env.errors import OptionError
from hexgames_env.records import Record
from hexgames_env.records.whole import replacing


def add_commands(commands: Any) -> None:
    """Add the command to what ``ArgumentParser.add_subparsers`` returned."""
    parser = add_command(
        commands,
        "arena",
        _arena,
        "many games of two bots or more, and their Elo",
        "hexgames arena oust side=3 --bot greedy --bot random --games 10",
    )
    add_game_arguments(parser)
    add_seed_argument(parser, 0)
    parser.add_argument(
        "--bot",
        action="append",
        default=[],
        metavar="TEXT",
        help="who plays, two or more",
    )
    parser.add_argument(
        "--games", type=count, default=100, help="of each pair, an even number; default 100"
    )
    parser.add_argument(
        "--within",
        type=count,
        metavar="N",
        help="each meets only those named up to so many places before or behind it",
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        help="keep the games in this file, .hgn or .jsonl, and go on from those that are there",
    )
    parser.add_argument("--workers", type=count, help="processes; default one for each processor")
    parser.add_argument(
        "--opening-steps",
        type=count,
        metavar="N",
        help="random steps of each opening; default two, more where there are too few openings",
    )
    parser.add_argument(
        "--any-opening",
        action="store_true",
        help="take openings as they are drawn, those too that are won already",
    )
    parser.add_argument(
        "--max-cycles",
        type=count,
        default=MAX_CYCLES,
        metavar="N",
        help=f"cut games off after so many steps, half a point for each; default {MAX_CYCLES}",
    )
    parser.add_argument(
        "--anchor", metavar="TEXT", help="the bot whose Elo is --anchor-elo; default the mean is 0"
    )
    parser.add_argument("--anchor-elo", type=_number, default=0.0, metavar="ELO")
    parser.add_argument(
        "--sprt",
        type=_number,
        nargs=2,
        metavar=("ELO0", "ELO1"),
        help="stop when it is clear whether the first of two bots is ELO0 better or ELO1",
    )
    for error, what in (("alpha", "says yes at ELO0"), ("beta", "says no at ELO1")):
        parser.add_argument(
            f"--{error}",
            type=_number,
            default=0.05,
            metavar="SHARE",
            help=f"how often --sprt wrongly {what}; default 0.05",
        )
    parser.add_argument("--markdown", action="store_true", help="write the table in Markdown")
    parser.add_argument("--svg", metavar="FILE", help="write a picture of the ratings there")
    parser.add_argument("--theme", default="light", choices=["light", "dark"])


def _number(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = float("nan")
    if not abs(number) < 1e6:
        raise argparse.ArgumentTypeError(f"must be a number below 1,000,000, got {word!r}")
    return number


def _arena(given: argparse.Namespace) -> None:
    game = chosen_game(given)
    if "" not in sys.path:
        sys.path.append("")  # bots of the user's own are found in the folder where the user is
    sprt = None
    if given.sprt is not None:
        elo0, elo1 = given.sprt
        sprt = Sprt(elo0, elo1, given.alpha, given.beta)
        if len(given.bot) != 2:
            raise OptionError(
                f"--sprt compares two bots, and --bot is given {len(given.bot)} times"
            )
    anchor = None if given.anchor is None else " ".join(given.anchor.split())
    if anchor is not None and anchor not in [" ".join(text.split()) for text in given.bot]:
        raise OptionError(f"--anchor is one of the bots, got {given.anchor!r}")
    bar = _Bar()
    if sys.stderr and sys.stderr.isatty():
        print("drawing openings ...", file=sys.stderr)
    kept = "" if given.record is None else f"; the same command goes on from {given.record}"
    try:
        arena = Arena(
            game,
            given.bot,
            given.games,
            within=given.within,
            seed=given.seed,
            steps=given.opening_steps,
            judge=None if given.any_opening else Undecided(),
            max_cycles=given.max_cycles,
        )
        with interruptible():
            table = run(arena, given.record, workers=given.workers, sprt=sprt, told=bar.told)
    except KeyboardInterrupt:
        bar.close()
        print(f"stopped after {number_of(bar.here, 'game')}{kept}")
        raise
    except BrokenExecutor:
        raise OSError(errno.ECHILD, f"a process that played was killed{kept}") from None
    finally:
        bar.close()
    table = table.anchored(anchor, given.anchor_elo)
    print(table.to_markdown() if given.markdown else table.to_string())
    if given.svg is not None:
        with replacing(given.svg) as new:
            new.write_text(table.to_svg(theme=given.theme), encoding="utf-8")
        print(f"written to {given.svg}")


class _Bar:
    """Counts the games that are played now."""

    def __init__(self) -> None:
        self.here = 0
        self._meter: Any = None

    def told(self, played: int, games: int, record: Record) -> None:
        if not self.here:
            self._meter = meter(games - played + 1, "games")
        self.here += 1
        if self._meter is not None:
            self._meter.update()

    def close(self) -> None:
        if self._meter is not None:
            self._meter.close()
