"""For authors of games: does a game keep what the package promises of every game?

    from hexgames_env import register_game
    from hexgames_env.testing import check_game

    register_game(MyGame)
    check_game(MyGame)

What an author writes, and what has to hold, stands in `hexgames_env.core.game`.  Each promise is a
function in `PROMISES`; it takes a game and a seed and raises `GameCheckError` with
what it saw.  They play random games, so more seeds find more.  None of them knows the rules: that
those are the right ones only a second, plain implementation can tell.

Symmetries are tried from the turned text of the start.  Its fields turn if they are rows of the
board (``22/321/33``) or names of cells (``b2``, ``a1,b2``); a start that says in another way where
something lies must deny the symmetries that move it, by `keeps_rules`.

Compiled code does not check indices.  If a check ends in a crash or in strange numbers, run it once
more with the environment variable ``NUMBA_BOUNDSCHECK=1``, or with ``NUMBA_DISABLE_JIT=1`` in plain
Python, where errors name file and line.
"""

from __future__ import annotations

from collections.abc import Callable

from hexgames_env.core.game import Game
from hexgames_env.core.registry import game_class
from hexgames_env.errors import OptionError
from hexgames_env.testing.claims import GameCheckError
from hexgames_env.testing.of_heuristics import judges_every_position
from hexgames_env.testing.of_play import (
    NO_ACTIONS,
    begins_from_its_seed,
    can_be_drawn,
    copies_go_on_alike,
    ends_with_a_winner,
    evaluates_every_position,
    is_identified_in_words,
    is_kept_by_records,
    keys_are_exact,
    names_all_its_parts,
    reads_the_names_it_writes,
    reads_the_turns_it_writes,
    refuses_wrong_actions,
    rows_of_a_batch_play_as_single_states,
    shows_the_board,
    undoes_to_the_start,
)
from hexgames_env.testing.of_symmetries import symmetries_are_a_group, symmetries_map_whole_games
from hexgames_env.testing.of_values import NO_VALUES, NO_WORDS, is_a_value
from hexgames_env.testing.positions import (
    all_of,
    games_of,
    seen,
    small_game,
    some_positions,
    walk,
)

__all__ = [
    "NO_ACTIONS",
    "NO_VALUES",
    "NO_WORDS",
    "PROMISES",
    "GameCheckError",
    "all_of",
    "check_game",
    "games_of",
    "seen",
    "small_game",
    "some_positions",
    "walk",
]

PROMISES: tuple[Callable[[Game, int], None], ...] = (
    names_all_its_parts,
    ends_with_a_winner,
    shows_the_board,
    reads_the_names_it_writes,
    reads_the_turns_it_writes,
    refuses_wrong_actions,
    copies_go_on_alike,
    undoes_to_the_start,
    keys_are_exact,
    is_identified_in_words,
    begins_from_its_seed,
    rows_of_a_batch_play_as_single_states,
    evaluates_every_position,
    judges_every_position,
    can_be_drawn,
    symmetries_are_a_group,
    symmetries_map_whole_games,
    is_a_value,
    is_kept_by_records,
)
"""What `check_game` checks, in this order."""


def check_game(
    game: type[Game] | Game | str,
    *,
    seeds: int = 3,
    report: Callable[[str], None] | None = None,
) -> None:
    """Play a game in many ways and check all that the package promises of every game.

    Args:
        game: a class that is registered, or the name of one: checked with every combination of the
            `examples` of its options.  Or one game, to check that alone.
        seeds: how many random games each promise is tried on.
        report: called with a line for each game and promise before it is tried, such as ``print``.

    Raises:
        GameCheckError: the game breaks a promise.  What its own code raises comes through, with a
            note that names the promise.
        OptionError: the game is not registered: call ``register_game`` first.

    >>> from hexgames_env import make_game
    >>> check_game(make_game("rive", side=2), seeds=1)
    """
    for one in [game] if isinstance(game, Game) else games_of(game):
        if game_class(one.name) is not type(one):
            raise OptionError(
                f"{type(one).__qualname__} is not the game that is registered as {one.name!r}: "
                f"call register_game({type(one).__qualname__}) first"
            )
        for promise in PROMISES:
            if report is not None:
                report(f"{one.to_string()}: {promise.__doc__}")
            for seed in range(seeds):
                try:
                    promise(one, seed)
                except Exception as error:
                    where = f"{one!r}, {promise.__name__}(seed={seed}): {promise.__doc__}"
                    if isinstance(error, GameCheckError):
                        raise GameCheckError(f"{where}\n{error}") from None
                    error.add_note(f"while checking {where}")
                    raise
