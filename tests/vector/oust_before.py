"""Some kernels of Oust as they were before their reads became unconditional.

With AVX2 random play took eleven times as long as it does now, and no test saw it: the guard in
`test_vector_code.py` shows that it would.  Nothing else is to use them, nor repair them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.engine.jit import inner, kernel

MASK, LABEL, SIZE, THREAT = (np.uint64(plane) for plane in (0, 1, 2, 4))
HEADER = 4
TO_PLAY, COUNT = np.uint64(0), np.uint64(2)
NUM_CELLS, PITCH, SPAN, PIE, PLACE = 0, 1, 2, 3, np.uint64(4)
_1, _2 = np.uint64(1), np.uint64(2)
NO, YES = np.uint8(0), np.uint8(1)


@inner
def _merge(
    rows: Any,
    b: Any,
    pitch: Any,
    span: Any,
    own: Any,
    first: Any,
    second: Any,
    third: Any,
    size: Any,
) -> None:
    for i in range(span):
        place = i + pitch + _1
        label = rows[b, LABEL, place]
        inside = (label == first) | (label == second) | (label == third)
        rows[b, LABEL, place] = first if inside else label
        rows[b, own, place] = size if inside else rows[b, own, place]
        rows[b, THREAT, place] = NO if inside else rows[b, THREAT, place]


@inner
def _max6(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
    return max(max(max(a, b), max(c, d)), max(e, f))


@kernel
def mask(rows: Any, b: Any, tables: Any) -> None:
    b = np.uint64(b)
    head, pitch, num_cells = _head(rows), tables[PITCH], tables[NUM_CELLS]
    player = np.uint64(rows[b, THREAT, head + TO_PLAY])
    own, other = SIZE + player, SIZE + _1 - player
    for i in range(tables[SPAN]):
        i1, i2, i3 = i + _1, i + pitch + _2, i + _2 * pitch + _2
        i4, i5 = i + _2 * pitch + _1, i + pitch
        l0, l1, l2 = rows[b, LABEL, i], rows[b, LABEL, i1], rows[b, LABEL, i2]
        l3, l4, l5 = rows[b, LABEL, i3], rows[b, LABEL, i4], rows[b, LABEL, i5]
        s0, s1, s2 = rows[b, own, i], rows[b, own, i1], rows[b, own, i2]
        s3, s4, s5 = rows[b, own, i3], rows[b, own, i4], rows[b, own, i5]
        e0, e1, e2 = rows[b, other, i], rows[b, other, i1], rows[b, other, i2]
        e3, e4, e5 = rows[b, other, i3], rows[b, other, i4], rows[b, other, i5]
        t0 = rows[b, THREAT, i] if s0 != NO else NO
        t1 = rows[b, THREAT, i1] if s1 != NO else NO
        t2 = rows[b, THREAT, i2] if s2 != NO else NO
        t3 = rows[b, THREAT, i3] if s3 != NO else NO
        t4 = rows[b, THREAT, i4] if s4 != NO else NO
        t5 = rows[b, THREAT, i5] if s5 != NO else NO
        e = _max6(max(e0, t0), max(e1, t1), max(e2, t2), max(e3, t3), max(e4, t4), max(e5, t5))
        s1 = NO if l1 == l0 else s1
        s2 = NO if (l2 == l0) | (l2 == l1) else s2
        s3 = NO if (l3 == l0) | (l3 == l1) | (l3 == l2) else s3
        s4 = NO if (l4 == l0) | (l4 == l1) | (l4 == l2) | (l4 == l3) else s4
        s5 = NO if (l5 == l0) | (l5 == l1) | (l5 == l2) | (l5 == l3) | (l5 == l4) else s5
        # Sizes of different groups sum to 217 at most: no overflow.
        joined = np.uint8(np.uint8(np.uint8(s0 + s1) + np.uint8(s2 + s3)) + np.uint8(s4 + s5))
        legal = (joined == NO) | ((e != NO) & (e <= joined))
        place = i + pitch + _1
        rows[b, MASK, place] = YES if legal & (rows[b, LABEL, place] == NO) else NO
    # From order by place to order by action within one plane: a cell's number is less than the
    # number of its place, so nothing is overwritten before it has been read.
    found = NO
    for cell in range(num_cells):
        legal_here = rows[b, MASK, tables[PLACE + cell]]
        rows[b, MASK, cell] = legal_here
        found |= legal_here
    for i in range(num_cells, np.uint64(rows.shape[2])):
        rows[b, MASK, i] = NO
    rows[b, MASK, num_cells] = YES - found
    if tables[PIE]:
        stones = rows[b, THREAT, head + COUNT], rows[b, THREAT, head + COUNT + _1]
        one = (stones[0] == YES) & (stones[1] == NO)
        rows[b, MASK, num_cells + _1] = np.uint8(one & (player == _1))


@inner
def _head(rows: Any) -> Any:
    """Where the header begins in the plane THREAT."""
    return np.uint64(rows.shape[2]) - np.uint64(HEADER)
