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
from collections.abc import Sequence
from importlib import import_module

from hexgames_env.cli.arguments import (
    GameParser,
    add_command,
    add_game_arguments,
    add_seed_argument,
    chosen_game,
    count,
)
from hexgames_env.errors import OptionError, PositionTextError, RecordError

__all__ = [
    "EXIT_CODES",
    "GameParser",
    "add_command",
    "add_game_arguments",
    "add_seed_argument",
    "chosen_game",
    "count",
    "main",
]

# In which module of this room each command is, in the order of the help.  Only the one that is
# called is imported: with arena and search `hexgames list` would take half as long again.
MODULES = {
    "list": "games",
    "show": "games",
    "random": "games",
    "bench": "games",
    "records": "records",
    "replay": "replay",
    "analyse": "analyse",
    "solve": "solve",
    "arena": "arena",
}

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
            words = sys.argv[1:] if arguments is None else arguments
            given = _parser(words).parse_args(words)
            command = f"hexgames {given.command}"
            given.run(given)
        finally:
            sys.stdout.flush()  # here, where it may still fail
    except (OptionError, PositionTextError) as error:
        print(f"{command}: {error}", file=sys.stderr)
        return 2
    except RecordError as error:
        where = "" if error.file else f"{command}: "
        print(f"{where}{error}", file=sys.stderr)
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


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """With the command that these words begin with, or with all, for help and for mistakes."""
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
    called = MODULES.get(words[0]) if words else None
    for module in [called] if called else dict.fromkeys(MODULES.values()):
        import_module(f"hexgames_env.cli.{module}").add_commands(commands)
    return parser
