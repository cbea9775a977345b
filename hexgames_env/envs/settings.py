"""What the environments of one learner have in common: their settings and spaces."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from hexgames_env.core.game import Game
from hexgames_env.core.options import as_integer, shown
from hexgames_env.core.settings import check_illegal_action, check_max_cycles
from hexgames_env.errors import OptionError

MAX_TRIES = 100  # games in a row that may end before the learner has come to act

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


def headline(winner: int | None, length: int) -> str:
    """What a picture says of a game that ended otherwise than by its rules."""
    if winner is None:
        return f"cut off after {length} steps"
    return f"player_{winner} has won by an illegal action of player_{1 - winner}"
