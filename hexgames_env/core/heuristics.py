"""Heuristics: the kernels by which positions of a game can be judged, by name.

A game's ``evaluate`` is its `PLAIN` heuristic.  Greedy play goes by that alone, so that it stays
what it is while better ones are found.  Others stand in the class attribute ``heuristics``, and
``default_heuristic`` names the one that searches go by::

    NAME(rows, b, tables, player)       how good row b, in which the game runs, is for this player:
                                        a finite number, and for the other player its negative; it
                                        may write into what is scratch in the row, and does not
                                        read the mask, which may not be made
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hexgames_env.core.options import shown
from hexgames_env.engine.jit import is_compiled
from hexgames_env.engine.loop import evaluate, loop
from hexgames_env.errors import GameOverError, OptionError

if TYPE_CHECKING:
    from hexgames_env.core.game import Game
    from hexgames_env.core.state import State

PLAIN = "plain"


def heuristic_names(game: Game) -> tuple[str, ...]:
    """The names of a game's heuristics, `PLAIN` first.

    >>> from hexgames_env import make_game
    >>> "plain" in heuristic_names(make_game("oust"))
    True
    """
    return PLAIN, *game.heuristics


def find_heuristic(game: Game, name: object) -> Any:
    """The kernel of this name, None for `PLAIN`; OptionError if the game has none of that name."""
    if not isinstance(name, str) or name not in heuristic_names(game):
        known = ", ".join(heuristic_names(game))
        raise OptionError(f"{game.name} has no heuristic {shown(name)}: its heuristics are {known}")
    return game.heuristics.get(name)


@loop
def judge(rows: Any, tables: Any, player: Any) -> Any:
    """What the heuristic says of row 0."""
    return np.float64(evaluate(rows, 0, tables, player))


def heuristic_value(state: State, player: int = 0, heuristic: str | None = None) -> float:
    """What a heuristic says of a position: how good it is for this player.

    Args:
        state: a game that runs.
        player: 0 or 1.
        heuristic: its name; None is the game's ``default_heuristic``.

    Raises:
        GameOverError: the game has ended.
        OptionError: no such player, or no such heuristic.

    >>> from hexgames_env import make_game
    >>> state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    >>> heuristic_value(state, 0, "plain"), heuristic_value(state, 1, "plain")
    (1.0, -1.0)
    """
    if state.is_over:
        raise GameOverError("the game has ended: who has won is known")
    if player not in (0, 1):
        raise OptionError(f"player must be 0 or 1, got {shown(player)}")
    game = state.game
    judge_it = game.compiled(judge, game.default_heuristic if heuristic is None else heuristic)
    return float(judge_it(state.to_row(), game.tables, int(player)))


def slip_of_heuristics(heuristics: object, default: object) -> str:
    """What is wrong with the two class attributes, and how to mend it; ``""`` if nothing."""
    if not isinstance(heuristics, Mapping):
        return f"its class attribute heuristics must be a dict, {{}} for none, got {heuristics!r}"
    for name, kernel in heuristics.items():
        if not isinstance(name, str) or not name.isidentifier() or name == PLAIN:
            return (
                f"each of its heuristics needs an identifier as its name, other than {PLAIN!r}, "
                f"which is evaluate(); got {name!r}"
            )
        if not callable(kernel) or not is_compiled(kernel):
            return (
                f"its heuristic {name!r} is no kernel: put @kernel above it, from hexgames_env "
                "import kernel"
            )
    if not isinstance(default, str) or default not in (PLAIN, *heuristics):
        known = ", ".join([repr(PLAIN), *map(repr, heuristics)])
        return f"its default_heuristic must be one of {known}, got {default!r}"
    return ""
