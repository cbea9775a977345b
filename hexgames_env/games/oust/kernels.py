"""The rules of Oust in compiled code: rows, tables, and the kernels in the order of play."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.board import HexBoard, hex_board
from hexgames_env.engine import (
    around,
    clear_eight,
    clear_row,
    in_a_row,
    inlined,
    is_cut_off,
    kernel,
    largest_of_six,
    lay_out,
    lead,
    neighbours,
    order_by_cell,
    pack_status,
    pick,
    places_in_observation,
    runs_of_cells,
    seer_of,
    write_eight,
)

# One row is uint8 (6, length), six planes over the places of the padded grid.  A pass over the
# board runs over i = 0, 1, ... SPAN - 1 and works on place i + pitch + 1, from that of cell 0 on.
# Loops over bytes are compiled to steps of 32 or 64, and the steps that remain can cost more than
# all of those.  So SPAN is rounded up to a multiple of 64, unless few remain (side 7: 193 =
# 3 * 64 + 1), and planes are made long enough for it.  What lies beyond the board stays OFF in
# LABEL and 0 in SIZE, THREAT and SCRATCH, but for the header in the last bytes of THREAT.
#
# Labels, sizes and threats are kept from step to step, so the mask is a single pass that reads the
# six neighbours.  One step in three of random play is a capture: three passes, one more for each
# larger group that it removes.  Sums and bits are cast to bytes at once, for in wider lanes a pass
# takes several times as long, and whatever a pass reads it reads in any case: see `pick`.  With
# AVX2 random play takes 180 ns a step on side 7, 120 on side 4.
MASK = np.uint64(0)  # by action: 1 where legal
LABEL = np.uint64(1)  # of the stone's group: the cell number + 1 of one of its stones; 0 empty
SIZE = np.uint64(2)  # and 3: size of the group of the stone, by player; 0 where it has no stone
THREAT = np.uint64(4)  # size of the largest enemy group that touches the stone's group
SCRATCH = np.uint64(5)  # by place, while a capture is made
ROW_PLANES = 6
HEADER_BYTES = 4  # at the end of THREAT:
TO_PLAY, OVER, STONES = np.uint64(0), np.uint64(1), np.uint64(2)  # STONES + player: how many

# The tables, uint64: seven numbers, then PLACE + cell: the place of each cell, then runs of cells
# for `order_by_cell`; then where in an observation, counted in floats, the planes of each cell
# begin, and of each grid place off the board.  PATTERNS_AT is where in PATTERNS those of this
# board begin.
NUM_CELLS, PITCH, SPAN, PIE, RUNS, OFF_BOARD, PATTERNS_AT, PLACE = map(np.uint64, range(8))

_0, _1, _2, _3, _4, _5, _6, _7, _8 = map(np.uint64, range(9))
_32 = np.uint64(32)
ZERO, ONE, OFF = np.uint8(0), np.uint8(1), np.uint8(255)
NO, YES = ZERO, ONE  # of flags

SIDES = range(2, 10)
PLANE_NAMES = ("board", "to act", "own stones", "opponent's stones", "group size", "may swap")
NUM_PLANES = np.uint64(len(PLANE_NAMES))


def _patterns(side: int) -> NDArray[np.float32]:
    """What a cell shows, as eight float32 of which the first six are the planes.

    In three blocks, for an observer who is not to act, who is, and who may swap.  Each has a
    pattern for every size of a group, from N of the opponent's down to 1, for an empty cell, and
    for own stones from 1 to N.
    """
    n = hex_board(side).num_cells
    patterns = np.zeros((3, 2 * n + 1, 8), np.float32)
    patterns[..., 0] = 1
    patterns[1:, :, 1] = 1
    patterns[2, :, 5] = 1
    patterns[:, n + 1 :, 2] = 1
    patterns[:, :n, 3] = 1
    patterns[..., 4] = np.abs(np.arange(-n, n + 1, dtype=np.float32)) / np.float32(n)
    return patterns.ravel()


PATTERNS, PATTERNS_OF_SIDE = in_a_row(_patterns, SIDES)


def make_tables(board: HexBoard, span: int, pie_rule: bool) -> NDArray[np.uint64]:
    """The tables as laid out above."""
    n = board.num_cells
    cells, off_board = places_in_observation(board.grid, board.num_rows, len(PLANE_NAMES))
    runs = runs_of_cells(board.padded, board.row_lengths)
    begin = PATTERNS_OF_SIDE[board.side]
    facts = [n, board.pitch, span, pie_rule, len(runs), len(off_board), begin]
    lists = [board.padded, runs.ravel(), cells, off_board]
    return np.concatenate([facts, *lists]).astype(np.uint64)


@kernel
def start(rows: Any, b: Any, tables: Any, seed: Any) -> None:
    b = np.uint64(b)
    clear_row(rows, b)
    lay_out(rows, b, LABEL, OFF, tables, PLACE, PLACE + tables[NUM_CELLS])


@kernel
def step(rows: Any, b: Any, tables: Any, action: Any) -> None:
    b = np.uint64(b)
    action = np.uint64(action)
    head = head_of(rows)
    player = np.uint64(rows[b, THREAT, head + TO_PLAY])
    if action < tables[NUM_CELLS]:
        _place(rows, b, tables, action, player)
    elif action == tables[NUM_CELLS]:
        rows[b, THREAT, head + TO_PLAY] = np.uint8(_1 - player)
    else:
        _swap(rows, b)


@inlined
def _swap(rows: Any, b: Any) -> None:
    """The one stone on the board becomes the second player's, and the first is to move."""
    head = head_of(rows)
    for i in range(np.uint64(rows.shape[2])):
        stone = rows[b, SIZE, i]
        rows[b, SIZE, i] = ZERO
        rows[b, SIZE + _1, i] = stone
    rows[b, THREAT, head + STONES] = ZERO
    rows[b, THREAT, head + STONES + _1] = ONE
    rows[b, THREAT, head + TO_PLAY] = ZERO


@inlined
def _place(rows: Any, b: Any, tables: Any, cell: Any, player: Any) -> None:
    """A stone on an empty cell: with no own neighbour it ends the turn, with one it captures.

    The six neighbours are looked at one by one.  They lie in a ring, so of each player at most
    three groups are among them; one more pass writes what becomes of those.
    """
    pitch, span = tables[PITCH], tables[SPAN]
    place = tables[PLACE + cell]
    own, other = SIZE + player, SIZE + _1 - player
    own_1 = own_2 = own_3 = ZERO  # labels of own groups that the stone touches
    new_1 = new_2 = new_3 = ZERO  # and of the opponent's that nothing threatened so far
    size = ONE
    threat = ZERO
    for near in neighbours(place, pitch):
        label = rows[b, LABEL, near]
        if rows[b, own, near] != ZERO:
            if label != own_1 and label != own_2 and label != own_3:
                own_1, own_2, own_3 = label, own_1, own_2
                size = np.uint8(size + rows[b, own, near])
        elif rows[b, other, near] != ZERO:
            threat = max(threat, rows[b, other, near])
            unknown = label != new_1 and label != new_2 and label != new_3
            if unknown and rows[b, THREAT, near] == ZERO:
                new_1, new_2, new_3 = label, new_1, new_2
    head = head_of(rows)
    count = head + STONES + player
    rows[b, THREAT, count] = np.uint8(rows[b, THREAT, count] + ONE)
    rows[b, own, place] = ONE
    if own_1 == ZERO:
        rows[b, LABEL, place] = np.uint8(cell + _1)
        rows[b, THREAT, place] = threat
        if new_1 != ZERO:
            new_2 = pick(new_2 == ZERO, new_1, new_2)
            new_3 = pick(new_3 == ZERO, new_1, new_3)
            _threaten(rows, b, pitch, span, (new_1, new_2, new_3))
        rows[b, THREAT, head + TO_PLAY] = np.uint8(_1 - player)
    else:
        own_2 = pick(own_2 == ZERO, own_1, own_2)
        own_3 = pick(own_3 == ZERO, own_1, own_3)
        rows[b, LABEL, place] = own_1
        _merge(rows, b, pitch, span, own, (own_1, own_2, own_3), size)
        _capture(rows, b, pitch, span, own, other, own_1, player)


@inlined
def _threaten(rows: Any, b: Any, pitch: Any, span: Any, labels: Any) -> None:
    """The groups with these labels now touch a single stone: one pass over labels and threats."""
    for i in range(span):
        place = i + pitch + _1
        label, threat = rows[b, LABEL, place], rows[b, THREAT, place]
        rows[b, THREAT, place] = pick(_is_one_of(label, labels), ONE, threat)


@inlined
def _merge(rows: Any, b: Any, pitch: Any, span: Any, own: Any, labels: Any, size: Any) -> None:
    """The groups with these labels become one of this size, labelled as the first.

    One pass over labels, own sizes and threats.  Whatever touches the group is about to be
    captured, so nothing will threaten it.
    """
    for i in range(span):
        place = i + pitch + _1
        label, old, threat = rows[b, LABEL, place], rows[b, own, place], rows[b, THREAT, place]
        inside = _is_one_of(label, labels)
        rows[b, LABEL, place] = pick(inside, labels[0], label)
        rows[b, own, place] = pick(inside, size, old)
        rows[b, THREAT, place] = pick(inside, ZERO, threat)


@inlined
def _is_one_of(label: Any, labels: Any) -> Any:
    """Whether it is among the three."""
    return (label == labels[0]) | (label == labels[1]) | (label == labels[2])


@inlined
def _capture(
    rows: Any, b: Any, pitch: Any, span: Any, own: Any, other: Any, label: Any, player: Any
) -> None:
    """Remove the enemy groups that touch the group with this label; the player goes on.

    One pass finds the enemy stones next to the group and removes those that are single, and one
    more pass each the larger groups.  The last gives own groups their new threats, and takes the
    labels off the stones removed, which SCRATCH marks until then.
    """
    group = ZERO  # the label of a larger group to be removed
    for i in range(span):
        place = i + pitch + _1
        touched = (
            (rows[b, LABEL, i] == label)
            | (rows[b, LABEL, i + _1] == label)
            | (rows[b, LABEL, i + pitch] == label)
            | (rows[b, LABEL, i + pitch + _2] == label)
            | (rows[b, LABEL, i + _2 * pitch + _1] == label)
            | (rows[b, LABEL, i + _2 * pitch + _2] == label)
        )
        enemy, name = rows[b, other, place], rows[b, LABEL, place]
        struck = pick(touched, enemy, ZERO)
        rows[b, SCRATCH, place] = struck
        rows[b, other, place] = pick(struck == ONE, ZERO, enemy)
        group = max(group, pick(struck > ONE, name, ZERO))
    while group != ZERO:
        group = _remove(rows, b, pitch, span, other, group)
    removed = _relieve(rows, b, pitch, span, own, other)
    head = head_of(rows)
    count = head + STONES + _1 - player
    rows[b, THREAT, count] = np.uint8(rows[b, THREAT, count] - removed)
    rows[b, THREAT, head + OVER] = YES if rows[b, THREAT, count] == ZERO else NO


@inlined
def _remove(rows: Any, b: Any, pitch: Any, span: Any, other: Any, group: Any) -> Any:
    """Take away a group of several stones and mark them by 1; the label of the next, or 0."""
    following = ZERO
    for i in range(span):
        place = i + pitch + _1
        label, enemy, mark = rows[b, LABEL, place], rows[b, other, place], rows[b, SCRATCH, place]
        mark = pick(label == group, ONE, mark)
        rows[b, SCRATCH, place] = mark
        rows[b, other, place] = pick(label == group, ZERO, enemy)
        following = max(following, pick(mark > ONE, label, ZERO))
    return following


@inlined
def _relieve(rows: Any, b: Any, pitch: Any, span: Any, own: Any, other: Any) -> Any:
    """Own threats after a capture, whose stones SCRATCH marks; returns how many those are.

    Single stones are looked at in the one pass that is made in any case.  A group of several
    stones touches single enemy stones only, for of two groups that touch, one of each player, one
    is a single stone.  So its threat is 1 or 0, and it can only change if one that touched it has
    gone: a tenth of the captures of random play, which take two passes more or a few.
    """
    lost = removed = ZERO  # at most all cells, so it fits; wider sums would be made in wider lanes
    for i in range(span):
        place = i + pitch + _1
        size, threat = rows[b, own, place], rows[b, THREAT, place]
        label, gone = rows[b, LABEL, place], rows[b, SCRATCH, place]
        enemy, gone_near = around(rows, b, other, i, pitch), around(rows, b, SCRATCH, i, pitch)
        threat_now = pick(size == ONE, enemy, threat)
        rows[b, LABEL, place] = pick(gone == ZERO, label, ZERO)
        rows[b, THREAT, place] = pick(gone == ZERO, threat_now, ZERO)
        removed = np.uint8(removed + gone)
        lost = max(lost, pick((size > ONE) & (threat != ZERO), gone_near, ZERO))
    if lost == ZERO:
        return removed
    group = ZERO  # the label of a group of several stones that touches an enemy stone
    for i in range(span):
        place = i + pitch + _1
        size, threat, label = rows[b, own, place], rows[b, THREAT, place], rows[b, LABEL, place]
        enemy = around(rows, b, other, i, pitch)
        several = size > ONE
        mark = pick(several & (enemy != ZERO), label, ZERO)
        rows[b, SCRATCH, place] = mark
        rows[b, THREAT, place] = pick(several, ZERO, threat)
        group = max(group, mark)
    while group != ZERO:
        following = ZERO
        for i in range(span):
            place = i + pitch + _1
            label, mark = rows[b, LABEL, place], rows[b, SCRATCH, place]
            threat = rows[b, THREAT, place]
            rows[b, THREAT, place] = pick(label == group, ONE, threat)
            following = max(following, pick(mark < group, mark, ZERO))
        group = following
    return removed


@kernel
def mask(rows: Any, b: Any, tables: Any) -> None:
    """Placements, marked by place and moved to their cells; pass if there are none; swap."""
    b = np.uint64(b)
    head, num_cells = head_of(rows), tables[NUM_CELLS]
    player = np.uint64(rows[b, THREAT, head + TO_PLAY])
    found = _mark_placements(rows, b, tables, player)
    runs = PLACE + num_cells
    order_by_cell(rows, b, MASK, MASK, tables, runs, runs + _2 * tables[RUNS], num_cells)
    rows[b, MASK, num_cells] = YES if found == NO else NO
    if tables[PIE]:
        stones = rows[b, THREAT, head + STONES], rows[b, THREAT, head + STONES + _1]
        one = (stones[0] == ONE) & (stones[1] == ZERO)
        rows[b, MASK, num_cells + _1] = np.uint8(one & (player == _1))


@inlined
def _mark_placements(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """Mark, by place, where this player may place; returns whether it may anywhere.

    A placement on an empty cell is legal if it joins no own group, or if the group that it makes
    touches an enemy and is larger than each enemy group that it touches.

    The group made touches what the stone touches and what the groups that it joins touch, and
    their THREAT says of those which is the largest.  So all is to be seen at the six neighbours.
    An own group may be at several of them: its size counts at the first one alone.
    """
    pitch = tables[PITCH]
    own, other = SIZE + player, SIZE + _1 - player
    found = NO
    for i in range(tables[SPAN]):
        l0, s0, e0 = _what_joins(rows, b, own, other, i)
        l1, s1, e1 = _what_joins(rows, b, own, other, i + _1)
        l2, s2, e2 = _what_joins(rows, b, own, other, i + pitch + _2)
        l3, s3, e3 = _what_joins(rows, b, own, other, i + _2 * pitch + _2)
        l4, s4, e4 = _what_joins(rows, b, own, other, i + _2 * pitch + _1)
        l5, s5, e5 = _what_joins(rows, b, own, other, i + pitch)
        s1 = pick(l1 == l0, ZERO, s1)
        s2 = pick((l2 == l0) | (l2 == l1), ZERO, s2)
        s3 = pick((l3 == l0) | (l3 == l1) | (l3 == l2), ZERO, s3)
        s4 = pick((l4 == l0) | (l4 == l1) | (l4 == l2) | (l4 == l3), ZERO, s4)
        s5 = pick((l5 == l0) | (l5 == l1) | (l5 == l2) | (l5 == l3) | (l5 == l4), ZERO, s5)
        # Sizes of different groups sum to 217 at most: no overflow.
        joined = np.uint8(np.uint8(np.uint8(s0 + s1) + np.uint8(s2 + s3)) + np.uint8(s4 + s5))
        enemy = largest_of_six(e0, e1, e2, e3, e4, e5)
        joins_none = joined == ZERO
        captures = (enemy != ZERO) & (enemy <= joined)  # the new stone counts, too
        place = i + pitch + _1
        empty = rows[b, LABEL, place] == ZERO  # so no place off the board
        legal = pick(empty & (joins_none | captures), YES, NO)
        rows[b, MASK, place] = legal
        found = np.uint8(found | legal)
    return found


@inlined
def _what_joins(rows: Any, b: Any, own: Any, other: Any, at: Any) -> Any:
    """Of a neighbour its label, own size, and the largest enemy that it adds.

    At an enemy stone that is its group, at an own one the largest that touches its group.
    """
    label, size = rows[b, LABEL, at], rows[b, own, at]
    return label, size, pick(size == ZERO, rows[b, other, at], rows[b, THREAT, at])


@kernel
def status(rows: Any, b: Any) -> Any:
    head = head_of(rows)
    to_play, over = rows[b, THREAT, head + TO_PLAY], rows[b, THREAT, head + OVER]
    return pack_status(to_play, over, to_play, 0)  # only a player's own step can win


@inlined
def head_of(rows: Any) -> Any:
    """Where the header begins in the plane THREAT."""
    return np.uint64(rows.shape[2]) - np.uint64(HEADER_BYTES)


@kernel
def observe(rows: Any, b: Any, tables: Any, view: Any, planes: Any) -> None:
    """Write what each cell shows: one of PATTERNS, by what lies there.

    See `write_eight`.  The two floats too many are zeros; they fall on a place off the board, or
    on the next cell before it is written.  With AVX2 160 ns a board of side 7.
    """
    b, seer = np.uint64(b), seer_of(view)
    head = head_of(rows)
    runs = (rows[b, THREAT, head + OVER] == NO) & (not is_cut_off(view))
    to_act = runs & (rows[b, THREAT, head + TO_PLAY] == seer)
    own, other = SIZE + seer, SIZE + _1 - seer
    n = tables[NUM_CELLS]
    empty = tables[PATTERNS_AT] + _8 * n  # the pattern of an empty cell
    if to_act:
        swap = (tables[PIE] == _1) & (rows[b, MASK, n + _1] != NO)
        empty += _8 * (_2 * n + _1) * (_2 if swap else _1)
    out = planes.flat
    begin = b * np.uint64(planes.shape[1] * planes.shape[2]) * NUM_PLANES
    cells = PLACE + n + _2 * tables[RUNS]
    for at in range(cells + n, cells + n + tables[OFF_BOARD]):
        clear_eight(out, begin + tables[at])
    for cell in range(n - _1):
        place = tables[PLACE + cell]
        i = empty + _8 * (np.uint64(rows[b, own, place]) - np.uint64(rows[b, other, place]))
        write_eight(out, begin + tables[cells + cell], PATTERNS, i)
    place = tables[PLACE + n - _1]
    i = empty + _8 * (np.uint64(rows[b, own, place]) - np.uint64(rows[b, other, place]))
    for plane in range(NUM_PLANES):
        out[begin + tables[cells + n - _1] + plane] = PATTERNS[i + plane]


@kernel
def evaluate(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """Own stones less the opponent's."""
    return lead(rows, b, THREAT, head_of(rows) + STONES, player)


@kernel
def identity(rows: Any, b: Any, tables: Any, words: Any) -> Any:
    """Two bits a cell, 32 cells a word; the first word is the status.

    Whether one may swap is seen from the stones: a single one is only there after the first step.
    """
    b, n = np.uint64(b), tables[NUM_CELLS]
    words[0] = np.uint64(status(rows, b))
    at = 1
    for first in range(_0, n, _32):
        word = _0
        for cell in range(first, min(first + _32, n)):
            place = tables[PLACE + cell]
            black, white = rows[b, SIZE, place] != ZERO, rows[b, SIZE + _1, place] != ZERO
            word |= (np.uint64(black) | np.uint64(white) << _1) << (_2 * (cell - first))
        words[at] = word
        at += 1
    return at
