"""What a rotation or reflection of the board does to observations, masks and policies."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.board import HexBoard


class Symmetry:
    """One symmetry of a game, to turn a position and what was learned about it.

    Attributes:
        cells: int64 (N,): cell c goes to ``cells[c]``.
        actions: int64 (num_actions,): action a goes to ``actions[a]``.

    >>> from hexgames_env import make_game
    >>> identity, turned = make_game("oust", side=2).symmetries()[:2]
    >>> turned.actions
    array([2, 0, 5, 3, 1, 6, 4, 7, 8])
    """

    def __init__(
        self, board: HexBoard, cells: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> None:
        self.cells = cells
        self.actions = actions
        # Whatever is moved is gathered: new[actions[a]] = old[a], so new[i] = old[_origin[i]].
        self._action_origin = np.argsort(actions)
        size = board.num_rows
        places = board.grid[:, 0] * size + board.grid[:, 1]
        self._place_origin = np.arange(size * size)
        self._place_origin[places[cells]] = places

    def __repr__(self) -> str:
        moved = int((self.cells != np.arange(len(self.cells))).sum())
        return f"<Symmetry that moves {moved} of {len(self.cells)} cells>"

    def transform_observation(self, observation: NDArray[Any]) -> NDArray[Any]:
        """Turn an observation (rows, columns, planes), or a batch of them (..., rows, ...)."""
        observation = np.asarray(observation)
        size = len(self._place_origin)
        side = isqrt(size)
        if observation.ndim < 3 or observation.shape[-3:-1] != (side, side):
            raise ValueError(
                f"an observation of this game is of shape (..., {side}, {side}, planes), "
                f"got shape {observation.shape}"
            )
        *batch, _, _, planes = observation.shape
        flat = observation.reshape(*batch, size, planes)
        return flat[..., self._place_origin, :].reshape(observation.shape)

    def transform_mask(self, mask: NDArray[Any]) -> NDArray[Any]:
        """Turn an action mask (num_actions,), or a batch of them (..., num_actions)."""
        return self.transform_policy(mask)

    def transform_policy(self, policy: NDArray[Any]) -> NDArray[Any]:
        """Turn values by action (num_actions,), or a batch of them (..., num_actions)."""
        policy = np.asarray(policy)
        if policy.ndim == 0 or policy.shape[-1] != len(self.actions):
            raise ValueError(f"this game has {len(self.actions)} actions, got shape {policy.shape}")
        return policy[..., self._action_origin]
