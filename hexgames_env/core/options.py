"""What an option of a game may be: check a value, write it as one word, read it back."""

from __future__ import annotations

import operator
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from hexgames_env.errors import OptionError, UnknownOptionError


def as_integer(value: Any) -> int | None:
    """``value`` as a Python int if it is an integer of any kind but bool, else None.

    Integers are what ``operator.index`` takes: numpy's and 0-d integer arrays too.  Floats,
    None, bools, time spans, arrays of shape (1,) and what a masked array hides are not.
    """
    if type(value) is int:
        return value
    if isinstance(value, np.integer) and not isinstance(value, np.timedelta64):
        return int(value)
    if isinstance(value, (bool, np.bool)) or getattr(value, "shape", ()) != ():
        return None
    if getattr(getattr(value, "dtype", None), "kind", "i") == "b" or np.ma.is_masked(value):
        return None
    try:
        return operator.index(value)
    except Exception:  # whatever a stranger's __index__ raises
        return None


def check_seed(seed: int | None) -> np.uint64:
    """``seed``, or one drawn for None; OptionError if it is no integer from 0 to 2**64 - 1."""
    number = secrets.randbits(64) if seed is None else as_integer(seed)
    if number is None or not 0 <= number < 2**64:
        raise OptionError(f"seed must be None or an integer from 0 to 2**64 - 1, got {shown(seed)}")
    return np.uint64(number)


def shown(value: object) -> str:
    """``repr(value)``, to stand in a message, or what can be said of a value without one.

    Python does not write an integer of more than 4,300 digits, nor what holds one, and what a
    stranger's ``__repr__`` raises would hide what is wrong.
    """
    try:
        return repr(value)
    except Exception:
        if isinstance(value, int):
            return f"an integer of {value.bit_length()} bits"
        return f"a value of type {type(value).__name__} that can't be written"


class Option(ABC):
    """One option: its default and the values it takes."""

    default: Any

    @abstractmethod
    def check(self, name: str, value: Any) -> Any:
        """The value in its canonical form; OptionError if the option does not take it."""

    def to_word(self, value: Any) -> str:
        """A canonical value as text without spaces."""
        return str(value)

    def from_word(self, name: str, word: str) -> Any:
        """The canonical value of such a text; OptionError for any other."""
        return self.check(name, word)

    def examples(self) -> list[Any]:
        """Some values that it takes, enough to try a game with: the default is one of them."""
        return [self.default]


class IntegerOption(Option):
    """A whole number from ``low`` to ``high``."""

    def __init__(self, default: int, low: int, high: int) -> None:
        self.default, self.low, self.high = default, low, high

    def check(self, name: str, value: Any) -> int:
        number = as_integer(value)
        if number is None or not self.low <= number <= self.high:
            raise OptionError(
                f"{name} must be an integer from {self.low} to {self.high}, got {shown(value)}"
            )
        return number

    def from_word(self, name: str, word: str) -> int:
        # Not int(word), which takes "+7", "0_7" and digits of other scripts too, and raises an
        # error of its own for thousands of digits.
        plain = word.isascii() and word.isdigit() and len(word) < 20
        return self.check(name, int(word) if plain else word)

    def examples(self) -> list[int]:
        return sorted({self.low, min(self.low + 1, self.high), self.default, self.high})


class FlagOption(Option):
    """True or False."""

    def __init__(self, default: bool) -> None:
        self.default = default

    def check(self, name: str, value: Any) -> bool:
        kind = getattr(getattr(value, "dtype", None), "kind", None)
        if isinstance(value, bool) or (kind == "b" and getattr(value, "shape", None) == ()):
            return bool(value)
        raise OptionError(f"{name} must be True or False, got {shown(value)}")

    def to_word(self, value: bool) -> str:
        return "true" if value else "false"

    def from_word(self, name: str, word: str) -> bool:
        return self.check(name, {"true": True, "false": False}.get(word, word))

    def examples(self) -> list[bool]:
        return [False, True]


class ChoiceOption(Option):
    """One of a few words; the first is the default."""

    def __init__(self, *choices: str) -> None:
        self.default, self.choices = choices[0], choices

    def check(self, name: str, value: Any) -> str:
        if isinstance(value, str) and value in self.choices:
            return str(value)
        allowed = ", ".join(repr(choice) for choice in self.choices)
        raise OptionError(f"{name} must be one of {allowed}, got {shown(value)}")

    def examples(self) -> list[str]:
        return list(self.choices)


def parse_words(words: Iterable[str], error: type[ValueError] = OptionError) -> dict[str, str]:
    """What stands behind each name in words such as ``side=4``; ``error`` if they are not such.

    >>> parse_words(["side=4", "pie_rule=true"])
    {'side': '4', 'pie_rule': 'true'}
    """
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise error(f"a list of words such as 'side=4' is wanted, got {shown(words)}")
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=") if isinstance(word, str) else ("", "", "")
        if not equals or not name or not value:
            raise error(f"{shown(word)} is not NAME=VALUE")
        if name in found:
            raise error(f"{shown(word)}: {name} is given twice")
        found[name] = value
    return found


def options_from_words(
    game: str, options: Mapping[str, Option], words: Iterable[str]
) -> dict[str, Any]:
    """The options that words such as ``side=4`` give.

    Args:
        game: its name, for the errors.
        options: what it takes, by name: ``option_types`` of its class.
        words: each of them NAME=VALUE.

    Returns:
        The values in their canonical form; only those that are given.

    Raises:
        OptionError: a word of another form, a name that is unknown or given twice, or a value
            that the option does not take.

    >>> options_from_words("demo", {"side": IntegerOption(7, 2, 9)}, ["side=4"])
    {'side': 4}
    """
    found = {}
    for name, word in parse_words(words).items():
        if name not in options:
            raise OptionError(_unknown_option(game, name, options))
        found[name] = options[name].from_word(name, word)
    return found


def _unknown_option(game: str, name: str, options: Iterable[str]) -> str:
    return f"{game} has no option {shown(name)}: its options are {', '.join(options) or 'none'}"


def check_options(
    game: str, options: Mapping[str, Option], given: Mapping[str, Any]
) -> dict[str, Any]:
    """All options of a game in order, those not given at their default.

    Raises:
        UnknownOptionError: the game has no such option.
        OptionError: a value that the option does not take.
    """
    for name in given:
        if name not in options:
            raise UnknownOptionError(_unknown_option(game, name, options))
    return {
        name: option.check(name, given.get(name, option.default))
        for name, option in options.items()
    }
