"""Arguments that commands and scripts share, those of examples/ and benchmarks/ too."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hexgames_env.core.game import Game
from hexgames_env.core.registry import game_names
from hexgames_env.core.state import State
from hexgames_env.errors import OptionError


def add_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], None], what: str, example: str
) -> argparse.ArgumentParser:
    """A sub-command, to which its arguments are still to be added.

    Args:
        commands: what ``ArgumentParser.add_subparsers`` returned.
        name: the word that calls it.
        run: what it does with the arguments.
        what: the same in words.
        example: a line that runs as it stands.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=what,
        description=f"Show {what}." if name == "show" else f"{what[0].upper()}{what[1:]}.",
        epilog=f"example: {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


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


MOST = 100_000  # characters of standard input: more than any position has, less than the memory


def add_position_argument(parser: argparse.ArgumentParser) -> None:
    """Let a parser take a position; `given_position` reads it."""
    parser.add_argument("position", nargs="+", help="the text, in quotes or not; - reads it")


def given_position(given: argparse.Namespace) -> State:
    """The position that a command line, or standard input, has the text of.

    Raises:
        OptionError, PositionTextError: it is none.
    """
    text = " ".join(given.position)
    if text == "-":
        text = sys.stdin.read(MOST) if sys.stdin else ""
    return State.from_string(text)


def find_bots_here() -> None:
    """Let bots of the user's own, ``module:callable``, be found in the folder where the user is."""
    if "" not in sys.path:
        sys.path.append("")


def add_seed_argument(
    parser: argparse.ArgumentParser, default: int | None = None, below: int = 2**64
) -> None:
    """The option ``--seed``, an integer from 0 to below - 1; with None as its default chance."""

    def seed(word: str) -> int:
        number = whole(word)
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
    number = whole(word)
    if not number:
        raise argparse.ArgumentTypeError(f"must be an integer from 1 on, got {word!r}")
    return number


def whole(word: str) -> int | None:
    """The integer from 0 on that a word is, None if it is none.

    Python's int() takes "+7" and "0_7" too, and fails by itself with thousands of digits.
    """
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 20 else None
