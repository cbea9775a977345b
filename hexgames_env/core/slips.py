"""What authors get wrong in the class of a game: reported by `register_game` and `check_game`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hexgames_env.core.heuristics import slip_of_heuristics
from hexgames_env.core.notation import Notation

if TYPE_CHECKING:
    from hexgames_env.core.game import Game


def first_slip(game: type[Game], taken: Sequence[str]) -> str:
    """What is wrong with a class, and how to mend it; ``""`` if nothing.

    Args:
        game: the class.
        taken: names that it uses, and `Game` for something else.
    """
    for name in ("name", "title", "symbols"):
        word = getattr(game, name, None)
        if not isinstance(word, str) or not word:
            return f"it needs a class attribute {name}, a str that is not empty, got {word!r}"
    if not isinstance(getattr(game, "option_types", None), Mapping):
        return "it needs a class attribute option_types, a dict from names to Option; {} for none"
    notations = getattr(game, "notations", None)
    if not isinstance(notations, Mapping) or not all(
        isinstance(name, str) and isinstance(notation, Notation)
        for name, notation in notations.items()
    ):
        return (
            "its class attribute notations must be a dict from names to objects with the methods "
            f"write and read of Notation, {{}} for none, got {notations!r}"
        )
    for name in ("phases", "plane_names", "field_names", "player_names"):
        words = getattr(game, name, None)
        if not isinstance(words, tuple) or not all(isinstance(word, str) for word in words):
            return f"its class attribute {name} must be a tuple of str, got {words!r}"
        if len(set(words)) < len(words):
            return f"its class attribute {name} names something twice: {words!r}"
    if not game.phases:
        return "it needs a class attribute phases, with a word for each kind of action"
    if len(game.player_names) != 2:
        return f"its player_names must be two, got {game.player_names!r}"
    if game.plane_names[:2] != ("board", "to act"):
        return (
            "plane 0 of an observation is the board and plane 1 whether the observer is to act, so "
            f"plane_names begins with 'board', 'to act', got {game.plane_names!r}"
        )
    if "over" in game.phases:
        return 'no phase is called "over": that is what a state says after the end'
    plain = game.symbols.isascii() and game.symbols.isprintable()
    if not plain or set(game.symbols) & set(" /"):
        return (
            "symbols stand in the texts of positions, so they are printable ASCII, but neither "
            f"space nor '/', got {game.symbols!r}"
        )
    if len(game.symbols) < 3 or len(set(game.symbols)) < len(game.symbols):
        return (
            "symbols is a character for an empty cell, one for player_0's stones, one for "
            f"player_1's, and then any others, each its own, got {game.symbols!r}"
        )
    words = ["board", "to_play", "winner", *game.field_names, *game.option_types]
    for name in words:
        if not str(name).isidentifier() or words.count(name) > 1:
            return (
                "options and fields stand in a position's text as NAME=VALUE, so each is an "
                f"identifier of its own, other than board, to_play and winner, got {name!r}"
            )
    if taken:
        return f"Game keeps {taken[0]} to itself: give what you call so another name"
    for name, option in game.option_types.items():
        if option.default not in option.examples():
            return f"the examples of option {name} must hold its default, {option.default!r}"
    return slip_of_heuristics(game.heuristics, game.default_heuristic)
