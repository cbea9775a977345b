"""Heuristics of Strands.

``fill`` covers all that is empty at random, which takes no turns and so a twentieth of the time of
a game at random, and compares the largest groups: the mean of `PAIRS` pairs of such ends.  In the
second end of a pair each space that was empty is the other player's, so that none is favoured.

What lies on the board seeds the random numbers.  So a position has one value, and those that a
search comes to from it have errors of their own, which it averages out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.engine import count_bits, inlined, kernel, mix
from hexgames_env.games.strands.kernels import (
    BALANCE,
    FACTS,
    NUM_CELLS,
    OWNED,
    OWNER,
    PLACE,
    ROOT,
    SIZE,
    SPACE,
    WIDTH,
    ZERO,
    join,
)

PAIRS = 4
IN_WORDS = np.uint64(13)  # a grid of so many rows is three words of 64 bits: side 7
STEP = np.uint64(8)  # random words of a pair: more than a grid of side 9 has
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # of splitmix64

_0, _1, _2, _5, _6, _63, _64 = map(np.uint64, (0, 1, 2, 5, 6, 63, 64))
ALL = ~_0


@kernel
def fill(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """Own largest group less the opponent's, on average, if all is covered at random.

    The grid's place p is bit p % 64 of word p // 64, as on the boards of GIPF: with at most three
    words an end takes a third of what it takes on side 5 to join cell by cell.
    """
    b = np.uint64(b)
    if tables[FACTS, WIDTH] <= IN_WORDS:
        lead = _fill_words(rows, b, tables)
    else:
        lead = _fill_cells(rows, b, tables)
    value = np.float64(lead) / np.float64(2 * PAIRS)
    return value if player == 0 else -value


@inlined
def _boards(rows: Any, b: Any, tables: Any, cell: Any, word: Any) -> Any:
    """Black's, White's and empty places of a word, whose first is ``cell``; the next word's."""
    n, end = tables[FACTS, NUM_CELLS], _64 * (word + _1)
    black: Any = _0
    white: Any = _0
    empty: Any = _0
    while cell < n and tables[PLACE, cell] < end:
        bit = _1 << (tables[PLACE, cell] & _63)
        owner = rows[b, SPACE, cell] >> OWNER
        black |= bit if owner == 1 else _0
        white |= bit if owner == 2 else _0
        empty |= bit if owner == 0 else _0
        cell += _1
    return black, white, empty, cell


@inlined
def _stir(seed: Any, black: Any, white: Any) -> Any:
    return mix(mix(seed ^ black) ^ white)


@inlined
def _draw(seed: Any, pair: Any, word: Any) -> Any:
    """64 random bits."""
    return mix(seed + (STEP * np.uint64(pair) + word + _1) * GOLDEN)


@inlined
def _fill_words(rows: Any, b: Any, tables: Any) -> Any:
    """The sum of Black's leads."""
    pitch = tables[FACTS, WIDTH]
    b0, w0, e0, cell = _boards(rows, b, tables, _0, _0)
    b1, w1, e1, cell = _boards(rows, b, tables, cell, _1)
    b2, w2, e2, cell = _boards(rows, b, tables, cell, _2)
    seed = _stir(_stir(_stir(GOLDEN, b0, w0), b1, w1), b2, w2)
    lead = np.int64(0)
    for pair in range(PAIRS):
        r0, r1, r2 = _draw(seed, pair, _0), _draw(seed, pair, _1), _draw(seed, pair, _2)
        for _ in range(2):
            lead += _largest(b0 | (e0 & r0), b1 | (e1 & r1), b2 | (e2 & r2), pitch)
            r0, r1, r2 = ~r0, ~r1, ~r2
            lead -= _largest(w0 | (e0 & r0), w1 | (e1 & r1), w2 | (e2 & r2), pitch)
    return lead


@inlined
def _largest(x0: Any, x1: Any, x2: Any, pitch: Any) -> Any:
    """The size of the largest group of these places: one group grows after the other."""
    best: Any = _0
    while count_bits(x0) + count_bits(x1) + count_bits(x2) > best:
        s0, s1, s2 = _first_bit(x0), _first_bit(x1), _first_bit(x2)
        s1 = s1 if x0 == _0 else _0
        s2 = s2 if (x0 | x1) == _0 else _0
        grows = True
        while grows:
            t0, t1, t2 = _grow(s0, s1, s2, x0, x1, x2, pitch)
            t0, t1, t2 = _grow(t0, t1, t2, x0, x1, x2, pitch)  # to ask half as often
            grows = ((s0 ^ t0) | (s1 ^ t1) | (s2 ^ t2)) != _0
            s0, s1, s2 = t0, t1, t2
        best = max(best, count_bits(s0) + count_bits(s1) + count_bits(s2))
        x0, x1, x2 = x0 ^ s0, x1 ^ s1, x2 ^ s2
    return np.int64(best)


@inlined
def _first_bit(x: Any) -> Any:
    return x & (~x + _1)


@inlined
def _grow(s0: Any, s1: Any, s2: Any, x0: Any, x1: Any, x2: Any, pitch: Any) -> Any:
    """The places s and their neighbours, of those that x has.

    A step along a row is a shift by one, to the next row by ``pitch`` and by one more.  None comes
    from the end of one row to the begin of another: one of the two is off the board.
    """
    u0, u1, u2 = _up(s0, s1, s2, _1)
    d0, d1, d2 = _down(s0, s1, s2, _1)
    v0, v1, v2 = _up(s0 | u0, s1 | u1, s2 | u2, pitch)
    w0, w1, w2 = _down(s0 | d0, s1 | d1, s2 | d2, pitch)
    return (
        (s0 | u0 | d0 | v0 | w0) & x0,
        (s1 | u1 | d1 | v1 | w1) & x1,
        (s2 | u2 | d2 | v2 | w2) & x2,
    )


@inlined
def _up(s0: Any, s1: Any, s2: Any, by: Any) -> Any:
    rest = _64 - by
    return s0 << by, s1 << by | s0 >> rest, s2 << by | s1 >> rest


@inlined
def _down(s0: Any, s1: Any, s2: Any, by: Any) -> Any:
    rest = _64 - by
    return s0 >> by | s1 << rest, s1 >> by | s2 << rest, s2 >> by


@inlined
def _fill_cells(rows: Any, b: Any, tables: Any) -> Any:
    """The sum of Black's leads, cell by cell: on the boards of side 8 and 9."""
    n = tables[FACTS, NUM_CELLS]
    cell: Any = _0
    seed: Any = GOLDEN
    for word in range(_5):
        black, white, _, cell = _boards(rows, b, tables, cell, word)
        seed = _stir(seed, black, white)
    lead = np.int64(0)
    for end in range(2 * PAIRS):
        flip = ALL if end & 1 else _0
        black_best: Any = ZERO
        white_best: Any = ZERO
        for cell in range(n):
            place = tables[PLACE, cell]
            drawn = (_draw(seed, end >> 1, place >> _6) ^ flip) >> (place & _63) & _1
            covered = rows[b, SPACE, cell] & np.uint8(~np.uint8(7))
            filled = OWNED if drawn == _1 else np.uint8(OWNED << 1)
            rows[b, BALANCE, cell] = filled if covered == ZERO else covered
            join(rows, b, tables, BALANCE, cell)
        for cell in range(n):
            if np.uint64(rows[b, ROOT, cell]) == cell:
                if rows[b, BALANCE, cell] >> OWNER == 1:
                    black_best = max(black_best, rows[b, SIZE, cell])
                else:
                    white_best = max(white_best, rows[b, SIZE, cell])
        lead += np.int64(black_best) - np.int64(white_best)
    return lead


HEURISTICS = {"fill": fill}
