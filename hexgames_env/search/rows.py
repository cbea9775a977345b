"""Many positions searched side by side: what searches of all kinds share."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.batch import Batch
from hexgames_env.core.workers import Crew
from hexgames_env.search.session import SLICE, check_state
from hexgames_env.search.tree import ROW


def choose_rows(
    batch: Batch,
    which: NDArray[np.int64],
    loop: Callable[..., Any],
    arrays: Callable[[int], tuple[Any, ...]],
    settings: tuple[Any, ...],
    at_once: int,
) -> NDArray[np.int64]:
    """An action for each of these rows, searched on the batch's threads by each row's own numbers.

    Args:
        batch: where the rows stand.
        which: int64 (k,), checked.
        loop: searches rows from one number to another, as `search_rows` does.
        arrays: what it writes into, for so many threads.
        settings: what it is told last.
        at_once: how much a thread does in the first call, which nothing can stop.

    Raises:
        GameOverError: the game of a row has ended.
    """
    found = np.concatenate([check_state(batch.state(row)).to_row() for row in which.tolist()])
    seeds = batch.draw_bits(which)
    actions = np.empty(len(which), np.int64)
    crew = Crew(min(batch.threads, len(which)))
    starts = np.array(crew.starts(len(which)), np.int64)
    places = np.zeros((crew.threads, 2), np.int64)
    places[:, ROW] = starts
    ends = np.array([*starts[1:], len(which)])
    written = *arrays(crew.threads), places, starts, actions, seeds
    arguments = found, batch.game.tables, *written, *settings
    while (places[:, ROW] < ends).any():
        begin = time.perf_counter()
        crew.run(loop, np.arange(len(which)), *arguments, at_once)
        took = max(time.perf_counter() - begin, 1e-7)
        at_once = max(1, int(at_once * min(SLICE / took, 4.0)))
    return actions
