"""The transposition table of `alphabeta`: what is known of positions, by what they are.

An entry is ``2 + w`` words of uint64: `ABOUT`, which packs some numbers, `VALUE`, the bits of a
float64, and from `KEY` on the ``w`` words that the game's `identity` has for the position.  All of
them are compared, so an entry is never taken for that of another position.  Its place follows from
a hash of those words, and is one of two that lie side by side: one keeps what took the deeper
search, the other what came last.

Each search has a number, its *age*.  An entry is never cleared: that of an earlier search is
overwritten when its place is wanted, and a search says from which age on entries count.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.engine.jit import inlined
from hexgames_env.engine.rng import below, mix

ABOUT, VALUE, KEY = range(3)  # of an entry
DEPTH_BITS, BOUND_BITS, AGE_BITS = 16, 2, 24  # of ABOUT, from below; then the action + 1
BOUND, AGE, ACTION = DEPTH_BITS, DEPTH_BITS + BOUND_BITS, DEPTH_BITS + BOUND_BITS + AGE_BITS
AT_LEAST, AT_MOST, EXACT = 1, 2, 3  # what the value says; 0 in a place that is empty
LAST_AGE = (1 << AGE_BITS) - 1

_SEED = np.uint64(0x9E3779B97F4A7C15)
_1, _2, _KEY = np.uint64(1), np.uint64(2), np.uint64(KEY)


@inlined
def place_of(keys: Any, ply: Any, places: Any) -> Any:
    """The first of the two places of the position with the key ``keys[ply]``."""
    code = _SEED
    for i in range(np.uint64(keys.shape[1])):
        code = mix(code ^ keys[ply, i])
    return below(code, places >> 1) * _2


@inlined
def is_entry_of(table: Any, place: Any, keys: Any, ply: Any, oldest: Any) -> Any:
    """Whether this place holds the position with the key ``keys[ply]``, and that counts."""
    differs = np.uint64(0)
    for i in range(np.uint64(keys.shape[1])):
        differs |= table[place, _KEY + i] ^ keys[ply, i]
    return differs == 0 and table[place, ABOUT] != 0 and age_of(table, place) >= oldest


@inlined
def find(table: Any, keys: Any, ply: Any, oldest: Any) -> Any:
    """The place that holds the position, not from before the age ``oldest``; -1 if none does."""
    place = place_of(keys, ply, len(table))
    found = np.int64(-1)
    for at in (place, place + _1):
        if is_entry_of(table, at, keys, ply, oldest):
            found = np.int64(at)
    return found


@inlined
def put(
    table: Any,
    values: Any,
    keys: Any,
    ply: Any,
    value: Any,
    bound: Any,
    depth: Any,
    action: Any,
    age: Any,
    oldest: Any,
) -> None:
    """Keep what is known of the position; ``values`` is the table as float64.

    What does not count any more decides nothing here either: it lies there as if it did not.
    """
    first = place_of(keys, ply, len(table))
    place = first + _1
    shallow = age_of(table, first) != age or depth_of(table, first) <= depth
    if is_entry_of(table, first, keys, ply, oldest) or (
        shallow and not is_entry_of(table, place, keys, ply, oldest)
    ):
        place = first
    facts = depth | bound << BOUND | age << AGE | (action + 1) << ACTION
    table[place, ABOUT] = np.uint64(facts)
    values[place, VALUE] = value
    for i in range(np.uint64(keys.shape[1])):
        table[place, _KEY + i] = keys[ply, i]


@inlined
def depth_of(table: Any, place: Any) -> Any:
    return np.int64(table[place, ABOUT]) & ((1 << DEPTH_BITS) - 1)


@inlined
def bound_of(table: Any, place: Any) -> Any:
    return np.int64(table[place, ABOUT]) >> BOUND & ((1 << BOUND_BITS) - 1)


@inlined
def age_of(table: Any, place: Any) -> Any:
    return np.int64(table[place, ABOUT]) >> AGE & LAST_AGE


@inlined
def action_of(table: Any, place: Any) -> Any:
    """-1 if no action is known."""
    return (np.int64(table[place, ABOUT]) >> ACTION) - 1
