"""What environments have in common: how games end, and of one learner settings and spaces."""

from __future__ import annotations

from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from hexgames_env.core.game import Game
from hexgames_env.core.options import as_integer, shown
from hexgames_env.core.settings import check_illegal_action, check_max_cycles
from hexgames_env.core.state import State
from hexgames_env.core.words import cut_off_words, illegal_action_words
from hexgames_env.errors import OptionError

LEARNER = "learner"  # its name in records
MAX_TRIES = 100  # games in a row that may end before the learner has come to act
_warned: set[type] = set()  # the classes of environments that have told of an illegal action

Seat = Literal["random", 0, 1]
Observation = dict[str, NDArray[Any]] | NDArray[np.float32]


def observation_space(game: Game, flat: bool) -> spaces.Space[Any]:
    """Of one learner: Dict of planes and mask, or with ``flat`` the planes as a vector."""
    if flat:
        size = int(np.prod(game.observation_shape))
        return spaces.Box(0.0, 1.0, (size,), np.float32)
    return spaces.Dict(
        {
            "observation": spaces.Box(0.0, 1.0, game.observation_shape, np.float32),
            "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
        }
    )


def check_settings(
    seat: object, flat: object, max_cycles: object, illegal_action: object
) -> int | None:
    """OptionError for a wrong one; ``max_cycles`` as an int or None."""
    if not (isinstance(seat, str) and seat == "random") and as_integer(seat) not in (0, 1):
        raise OptionError(f"seat must be 'random', 0 or 1, got {shown(seat)}")
    if not isinstance(flat, bool):
        raise OptionError(f"flat must be True or False, got {shown(flat)}")
    check_illegal_action(illegal_action)
    return check_max_cycles(max_cycles)


def no_game_began(max_cycles: int | None) -> RuntimeError:
    """The error for games that end again and again before the learner has come to act."""
    return RuntimeError(
        f"{MAX_TRIES} games in a row ended before the learner came to act: with "
        f"max_cycles={max_cycles} the opponent's first turn is all there is of a game"
    )


def unusual_end(state: State, illegal_action: int | None, ended: bool, length: int) -> str | None:
    """What pictures say of a game that ended otherwise than by its rules, None of any other.

    Args:
        state: the last position.
        illegal_action: what lost the game there, if that did.
        ended: whether the game has ended.
        length: how many steps it had.
    """
    if illegal_action is not None:
        return illegal_action_words(state, illegal_action)
    return cut_off_words(length) if ended and not state.is_over else None


def is_to_warn(env: object) -> bool:
    """Whether no environment of this class has told of an illegal action yet."""
    return type(env) not in _warned


def warn_of_illegal_action(env: object, state: State, action: int, row: int | None = None) -> None:
    """Tell of the first illegal action that loses, once for each class of environments.

    Args:
        env: called by its user, by a function that calls this one.
        state: where it was tried.
        action: what was tried.
        row: of a vector environment.
    """
    if not is_to_warn(env):
        return
    _warned.add(type(env))
    where = "" if row is None else f" in row {row}"
    gymnasium.logger.warn(
        "%s",
        f"action {action}{where}: {illegal_action_words(state, action)}.  The action mask was "
        'ignored: choose where it is 1.  With illegal_action="raise" this is an error that changes '
        'nothing.  This is said once; info["illegal_action"] is 1 whenever it happens',
        stacklevel=3,
    )
