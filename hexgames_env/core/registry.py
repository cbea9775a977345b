"""The games by name.  A game of the package is one line here; it is imported when first made."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hexgames_env.core.options import options_from_words, parse_words, shown
from hexgames_env.errors import OptionError, PositionTextError

if TYPE_CHECKING:
    from hexgames_env.core.game import Game

_GAMES: dict[str, str | type[Game]] = {
    "oust": "hexgames_env.games.oust:Oust",
    "rive": "hexgames_env.games.rive:Rive",
    "strands": "hexgames_env.games.strands:Strands",
    "gipf": "hexgames_env.games.gipf:Gipf",
}


def game_names() -> tuple[str, ...]:
    """The names of all games, those of the package first.

    >>> "oust" in game_names()
    True
    """
    return tuple(_GAMES)


def game_class(name: str) -> type[Game]:
    """The class of the game called ``name``; OptionError if there is none."""
    try:
        found = _GAMES[name]
    except (KeyError, TypeError):
        known = ", ".join(_GAMES)
        raise OptionError(f"there is no game {shown(name)}: the games are {known}") from None
    if isinstance(found, str):
        module, _, attribute = found.partition(":")
        game: type[Game] = getattr(import_module(module), attribute)
        return game
    return found


def make_game(name: str, **options: Any) -> Game:
    """The game called ``name`` with these options (the others at their default).

    Raises:
        UnknownOptionError: no such option; a TypeError too.
        OptionError: no such game, or a value that the option does not take.

    >>> make_game("oust", side=3).num_actions
    21
    """
    return game_class(name)(**options)


def game_from_string(text: str) -> Game:
    """The game that ``Game.to_string`` wrote; options that are left out are at their default.

    Raises:
        OptionError: no such game or option, or a value that the option does not take.

    >>> game_from_string("oust side=3")
    make_game('oust', side=3, pie_rule=True)
    """
    if not isinstance(text, str):
        raise OptionError(f"a game is named by a text such as 'oust side=5', got {shown(text)}")
    name, *words = text.split() or [""]
    found = game_class(name)
    options = options_from_words(name, found.option_types, words)
    return _shared_game(found, tuple(found.check_options(options).items()))


def game_and_fields(text: str) -> tuple[Game, dict[str, str]]:
    """The game that a position's text begins with, and what else stands there.

    Raises:
        PositionTextError: behind the name stands something else than NAME=VALUE, each name once.
        OptionError: as `game_from_string`.
    """
    name, *words = text.split(" ")
    options = game_class(name).option_types
    values = parse_words(words, PositionTextError)
    of_game = [f"{key}={values.pop(key)}" for key in [*values] if key in options]
    return game_from_string(" ".join([name, *of_game])), values


@lru_cache(maxsize=64)
def _shared_game(game: type[Game], options: tuple[tuple[str, Any], ...]) -> Game:
    # One game for many texts of its positions: to make it anew takes longer than to read one.
    made: Game = game(**dict(options))
    return made


def add_game(game: type[Game]) -> None:
    """Make ``make_game(game.name)`` find this class; a name can't be given to two classes.

    Raises:
        OptionError: it is no class of a game, its name is no identifier, or another game has it.
    """
    # Game's module imports this one, so a class is known by what Game wants of it
    needed = "name", "option_types"
    if not isinstance(game, type) or not all(hasattr(game, wanted) for wanted in needed):
        raise OptionError(
            f"a game is a class derived from Game with a name and option_types of its own, "
            f"got {shown(game)}"
        )
    if not isinstance(game.name, str) or not game.name.isidentifier():
        raise OptionError(f"a game's name must be an identifier, got {shown(game.name)}")
    if game.name in _GAMES and _GAMES[game.name] is not game:
        raise OptionError(f"there is a game {shown(game.name)} already: choose another name")
    _GAMES[game.name] = game
