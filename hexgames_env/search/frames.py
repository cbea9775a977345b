"""The arrays of `alphabeta`, one set for each thread that searches."""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.core.game import Game
from hexgames_env.core.loops import identify
from hexgames_env.errors import OptionError
from hexgames_env.search.arrays import physical_memory
from hexgames_env.search.deepening import CONTROL_LENGTH, FRAME_LENGTH
from hexgames_env.search.table import KEY


class Frames:
    """What `deepen` writes into, with a first dimension of ``threads``.

    The memory is taken from the machine when it is first written.

    Args:
        game: whose positions are searched.
        memory: MiB of each table.
        depth: of the deepest search.
        threads: how many sets.

    Raises:
        OptionError: there is no room for such tables.
    """

    def __init__(self, game: Game, memory: int, depth: int, threads: int = 1) -> None:
        self.game, self.threads = game, threads
        row = np.zeros(game.row_shape, game.row_dtype)
        words = np.zeros(row.nbytes // 8, np.uint64)
        length = int(game.compiled(identify)(row, game.tables, words))
        places = (memory << 20) // (8 * (KEY + length)) & -2
        wanted = threads * (memory << 20)
        actions = game.num_actions
        try:
            if wanted > physical_memory():
                raise MemoryError
            self.table = np.zeros((threads, max(places, 2), KEY + length), np.uint64)
            self.rows = np.zeros((threads, depth + 1, *game.row_shape[1:]), game.row_dtype)
            self.moves = np.empty((threads, depth, actions), np.int32)
            self.scores = np.empty((threads, depth, actions), np.float64)
            self.keys = np.zeros((threads, depth + 1, length), np.uint64)
            self.frames = np.zeros((threads, depth, FRAME_LENGTH), np.int64)
            self.bounds = np.zeros((threads, depth, 4), np.float64)
            self.history = np.zeros((threads, 2, actions), np.int64)
            self.found = np.zeros((threads, actions), np.float64)
            self.nodes = np.zeros((threads, actions), np.int64)
            self.control = np.zeros((threads, CONTROL_LENGTH), np.int64)
            self.random = np.zeros((threads, 1), np.uint64)
        except (MemoryError, ValueError):  # more than there is, more than numpy can count
            raise OptionError(
                f"the transposition table takes {wanted:,} bytes, for which there is no room: "
                "give alphabeta less memory=, in MiB"
            ) from None

    @property
    def all(self) -> tuple[Any, ...]:
        """In the order of the arguments of `deepen` behind ``tables``, but for ``rows``."""
        return (
            *(self.table, self.keys, self.frames, self.bounds, self.moves, self.scores),
            *(self.history, self.found, self.nodes, self.control, self.random),
        )
