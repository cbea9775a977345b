"""Checks of the settings that batches and environments have in common, with one wording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hexgames_env.core.game import Game
from hexgames_env.core.options import as_integer, shown
from hexgames_env.core.registry import make_game
from hexgames_env.errors import OptionError, UnknownOptionError


def check_is_game(game: Any) -> Game:
    """OptionError for what is no `Game`."""
    if not isinstance(game, Game):
        raise OptionError(f"game must be a Game, as from make_game(), got {shown(game)}")
    return game


def as_game(game: Game | str, options: Mapping[str, Any]) -> Game:
    """A game that is given as such, or by its name with options.

    Raises:
        UnknownOptionError: an option that the game does not have; options given with a `Game`.
        OptionError: it is neither a game nor a name of one; a value that an option does not take.
    """
    if isinstance(game, str):
        return make_game(game, **options)
    found = check_is_game(game)
    if options:
        raise UnknownOptionError(
            f"{', '.join(options)}: no such setting, and options are only given to a game by its "
            f"name, here it is {found!r} already"
        )
    return found


def check_count(name: str, value: Any, *, none: bool = False) -> int:
    """A positive integer that compiled code can count to; OptionError for anything else."""
    number = as_integer(value)
    if number is None or not 1 <= number < 2**63:
        kind = "None or a positive integer" if none else "a positive integer"
        raise OptionError(f"{name} must be {kind} below 2**63, got {shown(value)}")
    return number


def no_room(setting: str, rows: int, what: str, row_bytes: int) -> OptionError:
    """The error for more rows than there is memory for, or than numpy can count."""
    return OptionError(
        f"{setting}={rows} rows of {what} take {rows * row_bytes:,} bytes, for which there is no "
        "room: take fewer rows"
    )


def check_max_cycles(value: Any) -> int | None:
    """None or a count of steps; OptionError for anything else."""
    return None if value is None else check_count("max_cycles", value, none=True)


def check_word(name: str, value: Any, words: tuple[str, ...], *, none: bool = False) -> None:
    """OptionError for anything but these words; None is allowed with ``none``."""
    if (none and value is None) or (isinstance(value, str) and value in words):
        return
    listed = list(map(repr, words))
    allowed = f"None or one of {', '.join(listed)}" if none else " or ".join(listed)
    raise OptionError(f"{name} must be {allowed}, got {shown(value)}")


def check_illegal_action(value: Any) -> None:
    """OptionError for what is neither "lose" nor "raise"."""
    check_word("illegal_action", value, ("lose", "raise"))


def check_flag(name: str, value: Any, *, none: bool = False) -> Any:
    """``value``; OptionError unless it is True or False, or with ``none`` also None."""
    if not isinstance(value, (bool, np.bool)) and not (none and value is None):
        allowed = "None, True or False" if none else "True or False"
        raise OptionError(f"{name} must be {allowed}, got {shown(value):.100}")
    return value
