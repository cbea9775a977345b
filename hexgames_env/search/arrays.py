"""The arrays of a search, for one tree or for one a thread."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.game import Game
from hexgames_env.errors import OptionError
from hexgames_env.search.tree import FULL, MAX_DEPTH, NODE_BYTES


class Arrays:
    """What `simulate` writes into, with a first dimension of ``trees``, or without it.

    The memory is taken from the machine when nodes are first written.

    Raises:
        OptionError: there is no room for so many nodes.
    """

    def __init__(self, game: Game, nodes: int, trees: int | None = None) -> None:
        many = () if trees is None else (trees,)
        wanted = (trees or 1) * nodes * NODE_BYTES
        try:
            if wanted > physical_memory():
                raise MemoryError
            self.visits = np.empty((*many, nodes), np.int32)
            self.totals = np.empty((*many, nodes), np.float64)
            self.links = np.empty((*many, nodes, 6), np.int32)
        except (MemoryError, ValueError):  # more than there is, more than numpy can count
            raise OptionError(
                f"the search tree takes up to {wanted:,} bytes, for which there is no room: give "
                "mcts less memory=, in MiB"
            ) from None
        self.free = np.zeros((*many, FULL + 1), np.int64)
        self.path = np.empty((*many, MAX_DEPTH + 1), np.int64)
        self.scratch = np.empty((trees or 1, *game.row_shape[1:]), game.row_dtype)
        self.random = np.zeros((*many, 1), np.uint64)

    @property
    def tree(self) -> tuple[NDArray[Any], ...]:
        """Visits, totals, links, free."""
        return self.visits, self.totals, self.links, self.free

    @property
    def all(self) -> tuple[NDArray[Any], ...]:
        """In the order of the arguments of `simulate`."""
        return *self.tree, self.path, self.scratch, self.random


def physical_memory() -> int:
    """Bytes of this machine's memory; without end where that can't be told."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 2**63
