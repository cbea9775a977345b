"""Loops over rows, written once and bound to each game's kernels by `_jit.bind`.

A row of positions is ``rows[b]``, of shape (planes, length) and of dtype uint8 or uint64, the
game's own.  Plane 0 is always the action mask, one byte an action, 1 where legal, 0 elsewhere
and after the last action; what the other planes hold is the game's affair.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env._jit import kernel

# The kernels of a game, bound in place of these; `game.py` says what each of them does.
KERNELS = ("start", "step", "mask", "status", "observe")
start = step = mask = status = observe = None

OVER = 2  # the bits of a status: to_play, over, winner, then the phase

_ONES = np.uint64(0x0101010101010101)
_HIGHS = np.uint64(0x8080808080808080)
_0, _7, _56 = np.uint64(0), np.uint64(7), np.uint64(56)


@kernel
def count_legal(words: Any, b: Any) -> Any:
    """How many actions are legal in row b, from its mask read eight bytes at a time."""
    count = _0
    for i in range(np.uint64(words.shape[2])):
        count += (words[b, _0, i] * _ONES) >> _56
    return count


@kernel
def nth_legal(words: Any, b: Any, n: Any) -> Any:
    """The n-th legal action (from 0) of row b; n must be less than their count.

    The product of eight bytes with 0x0101... holds their prefix sums, so a whole word is
    counted, and searched, in a few operations (Knuth, TAOCP 7.1.3).  On 140 actions with the
    count before it 20 ns; a scan byte by byte 35 ns.
    """
    i = _0
    sums = words[b, _0, i] * _ONES
    while n >= sums >> _56:
        n -= sums >> _56
        i += np.uint64(1)
        sums = words[b, _0, i] * _ONES
    passed = (((n * _ONES) | _HIGHS) - sums) & _HIGHS  # a high bit for each byte with sum <= n
    return np.int64((i << np.uint64(3)) + (((passed >> _7) * _ONES) >> _56))


@kernel
def copy_row(source: Any, a: Any, target: Any, b: Any) -> None:
    """Copy row a of one array of words into row b of another; a slice takes ten times as long."""
    for plane in range(np.uint64(source.shape[1])):
        for i in range(np.uint64(source.shape[2])):
            target[b, plane, i] = source[a, plane, i]


@kernel
def clear_mask(rows: Any, b: Any) -> None:
    """No action is legal: the game is over."""
    for i in range(np.uint64(rows.shape[2])):
        rows[b, _0, i] = 0


def begin(rows: Any, tables: Any, seed: Any) -> Any:
    """Lay out the start in ``rows[0]``; returns its status."""
    start(rows, 0, tables, seed)  # type: ignore[misc]
    mask(rows, 0, tables)  # type: ignore[misc]
    return status(rows, 0)  # type: ignore[misc]


def refresh(rows: Any, tables: Any) -> Any:
    """Make the mask of a position set up by hand in ``rows[0]``; returns its status."""
    now = status(rows, 0)  # type: ignore[misc]
    if now & OVER:
        clear_mask(rows, 0)
    else:
        mask(rows, 0, tables)  # type: ignore[misc]
    return now


def advance(before: Any, rows: Any, tables: Any, action: Any) -> Any:
    """Write into ``rows[0]`` what follows ``before[0]``; returns its status.

    ``action`` must be from 0 to num_actions - 1; if it is illegal, nothing is written and -1
    returned.
    """
    if before.view(np.uint8)[0, 0, action] == 0:
        return -1
    copy_row(before.view(np.uint64), 0, rows.view(np.uint64), 0)
    step(rows, 0, tables, action)  # type: ignore[misc]
    now = status(rows, 0)  # type: ignore[misc]
    if now & OVER:
        clear_mask(rows, 0)
    else:
        mask(rows, 0, tables)  # type: ignore[misc]
    return now


def sample(rows: Any, fraction: Any) -> Any:
    """A legal action of ``rows[0]``, picked by a number from 0 to below 1; -1 if none is."""
    words = rows.view(np.uint64)
    count = count_legal(words, 0)
    if count == _0:
        return -1
    return nth_legal(words, 0, np.uint64(fraction * count))


def look(rows: Any, tables: Any, view: Any, planes: Any) -> None:
    """Write the observation of ``rows[0]`` into ``planes``; ``view`` as for `observe`."""
    observe(rows, 0, tables, view, planes.reshape((1, *planes.shape)))  # type: ignore[misc]


def show(rows: Any, tables: Any, view: Any, acting: Any, planes: Any, actions: Any) -> None:
    """`look`, and the mask of ``rows[0]`` into ``actions``, or zeros for who is not acting."""
    observe(rows, 0, tables, view, planes.reshape((1, *planes.shape)))  # type: ignore[misc]
    legal = rows.view(np.uint8)
    for action in range(np.uint64(len(actions))):
        actions[action] = np.int8(legal[0, _0, action]) if acting else np.int8(0)


SINGLE: tuple[Any, ...] = (begin, refresh, advance, sample, look, show)
MANY: tuple[Any, ...] = ()
