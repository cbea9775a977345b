"""The command line: ``hexgames COMMAND`` or ``python -m hexgames_env COMMAND``.

Its exit codes stand in `EXIT_CODES`, which ``hexgames --help`` shows.  The user's mistakes are told
in words, without a traceback; a bot of the user's own that fails shows where it did.

A script of your own takes a game in the same way:

>>> parser = GameParser()
>>> add_game_arguments(parser)
>>> chosen_game(parser.parse_args(["oust", "side=4"]))
make_game('oust', side=4, pie_rule=True)
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hexgames_env.bots import Bot, bot_names, make_bot
from hexgames_env.core.batch import Batch
from hexgames_env.core.game import Game
from hexgames_env.core.registry import game_class, game_names
from hexgames_env.core.state import State
from hexgames_env.core.words import number_of, player_words
from hexgames_env.errors import IllegalActionError, OptionError, PositionTextError
from hexgames_env.rendering import to_text

EXIT_CODES = """\
exit codes: 0 done, 1 a file can't be read or written, 2 a mistake in what was given,
130 interrupted, 141 nobody reads the output any more"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; what it returns is the exit code.

    Raises:
        SystemExit: argparse's, after help, a version or a command line that can't be read.
    """
    if arguments is None:
        _be_a_program()
    command = "hexgames"
    try:
        try:
            given = _parser().parse_args(arguments)
            command = f"hexgames {given.command}"
            given.run(given)
        finally:
            sys.stdout.flush()  # here, where it may still fail
    except (OptionError, PositionTextError) as error:
        print(f"{command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # as with `| head`
        _drop_what_can_not_be_written()
        return 141
    except OSError as error:
        _drop_what_can_not_be_written()
        where = "" if error.filename is None else f"{error.filename}: "
        print(f"{command}: {where}{error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _be_a_program() -> None:
    """What a process that is nothing but this command does with its streams and signals."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):  # what its encoding lacks fails nothing
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is None:  # as with `>&-`
        nowhere = os.open(os.devnull, os.O_WRONLY)
        sys.stdout = open(nowhere, "w", closefd=False)  # noqa: SIM115  (until the end)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # LLVM swallows a KeyboardInterrupt that comes while it compiles
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _drop_what_can_not_be_written() -> None:
    """Else Python tries again when it ends, and tells of it."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    from hexgames_env import __version__

    parser = argparse.ArgumentParser(
        prog="hexgames",
        description="Board games on hexagons.",
        epilog=f"{EXIT_CODES}\n\nexample: hexgames random oust side=3",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=GameParser
    )
    made = {}
    for name, run, what, example in (
        ("list", _list, "the games with their options, and the bots", "hexgames list"),
        (
            "show",
            _show,
            "a position, from its text or from standard input (-)",
            "hexgames show 'oust side=2 board=../B.W/.. to_play=0 winner=none' --svg oust.svg",
        ),
        (
            "random",
            _random,
            "a game of bots, step by step",
            "hexgames random rive side=3 --bot greedy --bot random --seed 1",
        ),
        (
            "bench",
            _bench,
            "how many steps a second this machine makes",
            "hexgames bench oust side=7 --seconds 1",
        ),
    ):
        made[name] = commands.add_parser(
            name,
            help=what,
            description=f"Show {what}." if name == "show" else f"{what[0].upper()}{what[1:]}.",
            epilog=f"example: {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made[name].set_defaults(run=run)
    made["show"].add_argument("position", nargs="+", help="the text, in quotes or not; - reads it")
    made["show"].add_argument("--svg", metavar="FILE", help="write a picture there")
    made["show"].add_argument("--theme", default="light", choices=["light", "dark"])
    for name in ("random", "bench"):
        add_game_arguments(made[name])
        add_seed_argument(made[name])
    made["random"].add_argument(
        "--bot",
        action="append",
        default=[],
        metavar="TEXT",
        help="who plays: once for both sides, twice for player_0 and player_1; default random",
    )
    made["random"].add_argument("--last", action="store_true", help="show the last position only")
    made["bench"].add_argument("--seconds", type=_seconds, default=1.0, help="for each figure")
    return parser


# Arguments that scripts share, those of examples/ and benchmarks/ too


class GameParser(argparse.ArgumentParser):
    """Finds the words of a game wherever they stand; argparse stops where the first of them end."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        given, unknown = super().parse_known_args(args, namespace)
        if hasattr(given, "game_words"):
            given.game_words += [word for word in unknown if not word.startswith("-")]
            unknown = [word for word in unknown if word.startswith("-")]
        return given, unknown


def add_game_arguments(
    parser: argparse.ArgumentParser,
    default: str | None = None,
    boards: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Let a parser take a game and its options, in any order; `chosen_game` reads them.

    Args:
        parser: a `GameParser`, if other arguments may stand between them.
        default: the game if none is named; None wants one.
        boards: for some games the options if none are given, such as ``{"oust": ["side=4"]}``.
    """
    usual = f"; {default} if none is named" if default else ""
    parser.add_argument(
        "game_words",
        nargs="*",
        metavar="GAME",
        help=f"one of {', '.join(game_names())}{usual}; its options may follow as NAME=VALUE",
    )
    small = "; without any a small board" if boards else ""
    parser.add_argument(
        "--options",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help=f"those of the game, too; `hexgames list` shows them{small}",
    )
    parser.set_defaults(usual_game=default, usual_boards=boards or {})


def chosen_game(given: argparse.Namespace) -> Game:
    """The game that a command line names: words with "=" are options, the one without is the game.

    Raises:
        OptionError: no game, more than one or none of this name, or an option it does not take.
    """
    words = [*given.game_words, *given.options]
    names = [word for word in words if "=" not in word]
    known = ", ".join(game_names())
    for name in names:
        if name not in game_names():
            what = f"{name!r} is not NAME=VALUE, and " if name in given.options else ""
            raise OptionError(
                f"{what}there is no game {name!r}: the games are {known}; "
                f"options are written NAME=VALUE"
            )
    if len(names) > 1:
        raise OptionError(f"one game is wanted, got {' and '.join(map(repr, names))}")
    name = names[0] if names else given.usual_game
    if name is None:
        raise OptionError(f"no game is named: the games are {known}")
    options = [word for word in words if "=" in word] or given.usual_boards.get(name, [])
    return Game.from_string(" ".join([name, *options]))


def add_seed_argument(
    parser: argparse.ArgumentParser, default: int | None = None, below: int = 2**64
) -> None:
    """The option ``--seed``, an integer from 0 to below - 1; with None as its default chance."""

    def seed(word: str) -> int:
        number = _whole(word)
        if number is None or number >= below:
            bits = below.bit_length() - 1
            raise argparse.ArgumentTypeError(
                f"must be an integer from 0 to 2**{bits} - 1, got {word!r}"
            )
        return number

    usual = "" if default is None else f"; default {default}"
    parser.add_argument(
        "--seed", type=seed, default=default, help=f"decides all that is random{usual}"
    )


def count(word: str) -> int:
    """The type of arguments that count something: an integer from 1 on."""
    number = _whole(word)
    if not number:
        raise argparse.ArgumentTypeError(f"must be an integer from 1 on, got {word!r}")
    return number


def _whole(word: str) -> int | None:
    """Python's int() takes "+7" and "0_7" too, and fails by itself with thousands of digits."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 20 else None


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


MOST = 100_000  # characters of standard input: more than any position has, less than the memory


def _show(given: argparse.Namespace) -> None:
    text = " ".join(given.position)
    if text == "-":
        text = sys.stdin.read(MOST) if sys.stdin else ""
    state = State.from_string(text)
    print(to_text(state))
    if given.svg is not None:
        Path(given.svg).write_text(state.to_svg(theme=given.theme), encoding="utf-8")
        print(f"written to {given.svg}")


def _bots(texts: Sequence[str]) -> tuple[Bot, Bot]:
    if len(texts) > 2:
        raise OptionError(f"--bot is given {len(texts)} times: once for both sides, or twice")
    if "" not in sys.path:
        sys.path.append("")  # bots of the user's own are found in the folder where the user is
    first, *rest = texts or ["random"]
    return make_bot(first), make_bot(rest[0] if rest else first)


def _random(given: argparse.Namespace) -> None:
    game, bots = chosen_game(given), _bots(given.bot)
    rng = np.random.default_rng(given.seed)
    state = game.initial_state(int(rng.integers(2**63)))
    while not state.is_over:
        if not given.last:
            print(to_text(state), end="\n\n")
        bot = bots[state.to_play]
        action = bot(state.copy(), rng)
        try:
            state.step(action)
        except IllegalActionError as error:
            raise OptionError(f"bot {bot!r}: {error}") from None
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
