"""Checks of what a caller says of rows: which of them, who observes, what is done, where to write.

Compiled code checks nothing, so these are its only guard.  What comes back is of the type that it
is compiled for, and nobody else can change it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hexgames_env.core import loops
from hexgames_env.core.options import as_integer, shown
from hexgames_env.errors import IllegalActionError

# Compared in half the time that np.float32 and np.int64 take
FLOAT32, INT64 = np.dtype(np.float32), np.dtype(np.int64)


def check_row(row: Any, n: int) -> int:
    """The number of one of ``n`` rows; IndexError if there is no such row."""
    number = as_integer(row)
    if number is None or not 0 <= number < n:
        raise IndexError(f"rows are 0 to {n - 1}, got {shown(row)}")
    return number


def check_rows(rows: ArrayLike, n: int) -> NDArray[np.int64]:
    """Numbers of some of ``n`` rows, int64 (k,).

    Raises:
        IndexError: no such row, or not an array of one dimension of integers.
    """
    given = np.asarray(rows)
    plain = given.dtype == INT64 and given.ndim == 1 and given.flags.c_contiguous
    if plain and not loops.count_outside(given, n):
        return given
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise IndexError(
            f"rows are an integer array of one dimension, got {given.dtype} of shape {given.shape}"
        )
    if given.size and not (given.min() >= 0 and given.max() < n):
        raise IndexError(f"rows are 0 to {n - 1}, got {given.min()} to {given.max()}")
    return np.ascontiguousarray(given, np.int64)


def check_rows_once(rows: ArrayLike, n: int) -> NDArray[np.int64]:
    """`check_rows`, and ValueError for a row that is given twice."""
    which = check_rows(rows, n)
    ascending = np.sort(which)
    twice = ascending[1:][ascending[1:] == ascending[:-1]]
    if len(twice):
        raise ValueError(f"row {twice[0]} is given twice")
    return which


def as_list(given: Any) -> list[Any] | None:
    """What can be iterated over as a list, None for anything else."""
    try:
        return list(given)
    except TypeError:
        return None


def check_players(players: ArrayLike, k: int) -> NDArray[np.int64]:
    """Who observes in each of ``k`` rows, int64 (k,); ValueError for what is neither 0 nor 1."""
    given = np.asarray(players)
    plain = given.dtype == INT64 and given.shape == (k,) and given.flags.c_contiguous
    if plain and not loops.count_outside(given, 2):
        return given
    if given.dtype.kind not in "iu" or given.shape not in ((), (k,)):
        raise ValueError(
            f"players must be 0, 1 or integers of shape ({k},), "
            f"got {given.dtype} of shape {given.shape}"
        )
    if given.size and not (given.min() >= 0 and given.max() <= 1):
        raise ValueError(f"players must be 0 or 1, got {given.min()} to {given.max()}")
    return np.broadcast_to(given, (k,)).astype(np.int64)


def check_out(out: Any, shape: tuple[int, ...]) -> None:
    """ValueError if compiled code can't fill ``out`` with observations of this shape."""
    if type(out) is np.ndarray and out.shape == shape and out.dtype == FLOAT32 and out.flags.carray:
        return
    got = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else repr(out)
    raise ValueError(
        f"out must be a writable C-contiguous float32 array of shape {shape}, got {got}"
    )


def check_actions(
    actions: ArrayLike,
    legal: NDArray[np.uint8],
    num_actions: int,
    rows: NDArray[np.int64] | None,
    allow_illegal: bool,
) -> NDArray[np.int64]:
    """A copy of the actions, int64 (k,).

    Args:
        actions: integers (k,).
        legal: uint8 (k, planes, bytes), the rows' bytes; plane 0 is the mask.
        num_actions: of the game.
        rows: the rows' numbers, for the message; None is 0 to k - 1.
        allow_illegal: take an action of the game that its row's mask forbids.

    Raises:
        IllegalActionError: the message names actions and rows.
    """
    k = len(legal)
    if np.ma.is_masked(actions):
        raise IllegalActionError(
            f"actions must be {k} integers, got a masked array that hides some of them: "
            f"{shown(actions)}; put a legal action in each place"
        )
    try:
        given = np.asarray(actions)
    except Exception:  # a ragged list, or one that hides what stands in it
        given = np.empty(0, np.object_)
    if given.dtype.kind not in "iu" or given.shape != (k,):
        raise IllegalActionError(
            f"actions must be {k} integers, an array of shape ({k},), "
            f"got {given.dtype} of shape {given.shape}"
        )
    made = given.astype(np.int64)  # a copy: nobody can change it after the check
    last = num_actions - 1
    wrong, illegal = loops.count_refused(legal, made, last)
    # An unsigned number beyond int64 is less than 0 in the copy.
    if wrong:
        raise _refusal(given, (given < 0) | (given > last), rows, f"actions are 0 to {last}")
    if illegal and not allow_illegal:
        forbidden = legal[np.arange(k), 0, made] == 0
        raise _refusal(given, forbidden, rows, "action_mask marks the legal ones")
    return made


def _refusal(
    actions: NDArray[Any], wrong: NDArray[np.bool_], rows: NDArray[np.int64] | None, rule: str
) -> IllegalActionError:
    places = np.flatnonzero(wrong)
    numbers = places if rows is None else rows[places]
    pairs = zip(actions[places[:8]], numbers[:8], strict=True)
    some = ", ".join(f"{action} in row {row}" for action, row in pairs)
    more = f" and {len(places) - 8} more" if len(places) > 8 else ""
    return IllegalActionError(f"illegal actions: {some}{more}; {rule}.  Nothing has changed")
