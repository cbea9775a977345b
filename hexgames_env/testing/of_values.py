"""Promises of a game and its options as values."""

from __future__ import annotations

import copy
import pickle
from typing import Any

from hexgames_env.core.game import Game
from hexgames_env.core.options import Option
from hexgames_env.core.registry import make_game
from hexgames_env.errors import OptionError
from hexgames_env.testing.claims import must, refuses, short

NO_VALUES: tuple[Any, ...] = (
    *(None, object(), 3.5, "", " ", "seven", b"7", [], [True], -1, 10**9),
)
"""What options rarely take."""
NO_WORDS = ("", "+7", "0_7", "7.0", "None", "True", "\u0667", "9" * 5000, "x" * 5000)
"""What is rarely the text of an option's value."""


def is_a_value(game: Game, seed: int) -> None:
    """Equal options make equal games; copies, pickles and texts are the game again."""
    again = make_game(game.name, **game.options)
    must(again == game and hash(again) == hash(game), f"{again!r} must equal {game!r}")
    must(copy.deepcopy(game) is game, "a game is its own deep copy")
    must(pickle.loads(pickle.dumps(game)) == game, "a game equals its pickle")
    must(Game.from_string(game.to_string()) == game, f"the game read from {game.to_string()!r}")
    for name, option in game.option_types.items():
        value = game.options[name]
        word = option.to_word(value)
        must(
            word and " " not in word and word.isascii(),
            f"the text of option {name} must be one word in ASCII, got {word!r}",
        )
        must(option.from_word(name, word) == value, f"{name}={word} read back")
        must(option.check(name, value) == value, f"{name}: check() must take {value!r}")
        for odd in NO_VALUES:
            _takes_or_refuses(option, name, option.check, odd)
        for word in NO_WORDS:
            _takes_or_refuses(option, name, option.from_word, word)
    other = "_".join(["not", *game.option_types])
    message = f"{game.name} has no option {other!r}"
    refuses(OptionError, message, lambda: make_game(game.name, **{other: 1}))


def _takes_or_refuses(option: Option, name: str, function: Any, odd: Any) -> None:
    """An odd value is refused by an error that begins with the option's name, or it is a value."""
    try:
        value = function(name, odd)
    except OptionError as refusal:
        must(
            str(refusal).startswith(name),
            f"the refusal of {short(odd)} must begin with the option's name, {name}: {refusal}",
        )
    else:
        again = option.from_word(name, option.to_word(value))
        must(
            value == again == option.check(name, value),
            f"option {name} took {short(odd)} for {short(value)}, whose text is read as "
            f"{short(again)}",
        )
