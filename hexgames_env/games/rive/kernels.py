"""The rules of Rive in compiled code: rows, tables, and the kernels in the order of play."""

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

# One row: uint8 (8, places).  Places are those of the padded grid, here of side 2 (* no cell):
#
#     20* 21* 22* 23* 24*        A pass over the board runs over i = 0, 1, ... and works on place
#     15* 16* 17  18  19*        i + pitch + 1, here from 6 (cell 0) to 18 (cell 6).  It goes on to
#     10* 11  12  13  14*        a multiple of 64 (SPAN), and planes are long enough for that: loops
#      5*  6   7   8*  9*        over bytes are compiled to steps of up to 64, and what is left over
#      0*  1*  2*  3*  4*        costs more (side 4: 7.8 ns a pass, rounded up 3.5 ns).
#
# Random play on side 5 takes 110 ns a step, 9 million a second on one core (side 9: 4.9 million):
# mask 47 (placements) or 58 (removals), choice 9.2.  A pass takes 3.7 ns if all of it stays in
# bytes and PITCH and SPAN are read before anything is written, else several times as long.
MASK = np.uint64(0)  # by action, not by place: 1 where legal
LABEL = np.uint64(1)  # of the stone's group: the cell number + 1 of one of its stones; 0 no stone
SIZE = np.uint64(2)  # of the stone's group; 0 no stone
COLOUR = np.uint64(3)  # EMPTY, player + 1, or OFF the board
HEADER = np.uint64(4)
SCRATCH = np.uint64(5)  # this and what follows: only for the mask, from which SCRATCH is gathered
REGION, NEXT = np.uint64(6), np.uint64(7)
ROW_PLANES = 8
EMPTY, OFF = np.uint8(0), np.uint8(3)
# In the header
TO_PLAY, OVER = np.uint64(0), np.uint64(1)
PLACED = np.uint64(2)  # while removals are due: cell number + 1 of the stone just placed; else 0
REMOVALS = np.uint64(3)  # how many are due
STONES = np.uint64(4)  # STONES + player: how many
# The tables, uint64: six numbers, then PLACE + cell: the place of each cell, then runs of cells for
# `order_by_cell`; then where in an observation, counted in floats, the planes of each cell begin,
# and of each grid place off the board.  PATTERNS_AT is where in PATTERNS those of this board begin.
NUM_CELLS, PITCH, SPAN, RUNS, OFF_BOARD, PATTERNS_AT, PLACE = map(np.uint64, range(7))

_0, _1, _2, _8, _16, _32 = map(np.uint64, (0, 1, 2, 8, 16, 32))
ZERO, ONE, HIGHEST = np.uint8(0), np.uint8(1), np.uint8(255)
NO, YES = ZERO, ONE  # of flags

SIDES = range(2, 10)
PLANE_NAMES = (
    *("board", "to act", "own stones", "opponent's stones"),
    *("group size", "joined group", "stone just placed", "removals due"),
)
NUM_PLANES = np.uint64(len(PLANE_NAMES))
GROUP_SIZE, JOINED_GROUP, JUST_PLACED, REMOVALS_DUE = map(np.uint64, range(4, 8))


def _patterns(side: int) -> NDArray[np.float32]:
    """What a cell shows outside of removals: its planes, as eight float32.

    In four blocks, of player_0 and player_1, each when it is not to act and when it is.  A block
    has a pattern for an empty cell, for stones of player_0 in groups of 1 to N, and for those of
    player_1.
    """
    n = hex_board(side).num_cells
    patterns = np.zeros((2, 2, 2 * n + 1, 8), np.float32)
    patterns[..., 0] = 1
    patterns[:, 1, :, 1] = 1
    for owner in (0, 1):
        stones = patterns[:, :, 1 + n * owner : 1 + n * (owner + 1)]
        stones[owner, ..., 2] = 1
        stones[1 - owner, ..., 3] = 1
        stones[..., 4] = np.arange(1, n + 1, dtype=np.float32) / np.float32(n)
    return patterns.ravel()


PATTERNS, PATTERNS_OF_SIDE = in_a_row(_patterns, SIDES)


def make_tables(board: HexBoard, span: int) -> NDArray[np.uint64]:
    """The tables as laid out above."""
    cells, off_board = places_in_observation(board.grid, board.num_rows, len(PLANE_NAMES))
    runs = runs_of_cells(board.padded, board.row_lengths)
    begin = PATTERNS_OF_SIDE[board.side]
    facts = [board.num_cells, board.pitch, span, len(runs), len(off_board), begin]
    return np.concatenate([facts, board.padded, runs.ravel(), cells, off_board]).astype(np.uint64)


@kernel
def start(rows: Any, b: Any, tables: Any, seed: Any) -> None:
    b = np.uint64(b)
    clear_row(rows, b)
    lay_out(rows, b, COLOUR, OFF, tables, PLACE, PLACE + tables[NUM_CELLS])  # EMPTY is 0


@kernel
def step(rows: Any, b: Any, tables: Any, action: Any) -> None:
    b, cell = np.uint64(b), np.uint64(action)
    if rows[b, HEADER, REMOVALS] == ZERO:
        _place(rows, b, tables, cell)
    else:
        _remove(rows, b, tables, cell)


@inlined
def _place(rows: Any, b: Any, tables: Any, cell: Any) -> None:
    """A stone on an empty cell: the groups that it touches become one, in a pass over the labels.

    If it touched two or three, it is a capture, and removals are due until as many stones are left
    as the largest of those had, and one more; else the turn ends.
    """
    player = rows[b, HEADER, TO_PLAY]
    place, pitch, span = tables[PLACE + cell], tables[PITCH], tables[SPAN]
    # The group gets the label of the new stone.  So a group's label is always that of a stone it
    # has: of a joined group, the new stone is the one that can't be removed.
    label = np.uint8(cell + _1)
    largest = around(rows, b, SIZE, place - pitch - _1, pitch)
    n0, n1, n2, n3, n4, n5 = neighbours(place, pitch)
    l0, l1 = _or_else(rows[b, LABEL, n0], label), _or_else(rows[b, LABEL, n1], label)
    l2, l3 = _or_else(rows[b, LABEL, n2], label), _or_else(rows[b, LABEL, n3], label)
    l4, l5 = _or_else(rows[b, LABEL, n4], label), _or_else(rows[b, LABEL, n5], label)
    size = ONE
    for i in range(span):
        at = i + pitch + _1
        old = rows[b, LABEL, at]
        inside = (old == l0) | (old == l1) | (old == l2) | (old == l3) | (old == l4) | (old == l5)
        rows[b, LABEL, at] = label if inside else old
        size = np.uint8(size + _byte(inside))
    rows[b, LABEL, place] = label
    _set_size(rows, b, pitch, span, label, size)
    rows[b, COLOUR, place] = np.uint8(player + ONE)
    count = STONES + np.uint64(player)
    rows[b, HEADER, count] = np.uint8(rows[b, HEADER, count] + ONE)
    removals = np.uint8(np.uint8(size - largest) - ONE)
    if removals != ZERO:
        rows[b, HEADER, PLACED] = label
        rows[b, HEADER, REMOVALS] = removals
    elif _is_full(rows, b, tables):
        rows[b, HEADER, OVER] = YES
    else:
        rows[b, HEADER, TO_PLAY] = np.uint8(ONE - player)


@inlined
def _or_else(label: Any, instead: Any) -> Any:
    """The label of a neighbour; where no stone lies, one that changes nothing."""
    return instead if label == ZERO else label


@inlined
def _byte(condition: Any) -> Any:
    return ONE if condition else ZERO


@inlined
def _set_size(rows: Any, b: Any, pitch: Any, span: Any, label: Any, size: Any) -> None:
    """The group with this label has so many stones: one pass."""
    for i in range(span):
        at = i + pitch + _1
        old = rows[b, SIZE, at]  # read in any case: only in one it takes 49 ns a pass, so 3.7
        rows[b, SIZE, at] = size if rows[b, LABEL, at] == label else old


@inlined
def _is_full(rows: Any, b: Any, tables: Any) -> Any:
    stones = np.uint8(rows[b, HEADER, STONES] + rows[b, HEADER, STONES + _1])
    return np.uint64(stones) == tables[NUM_CELLS]


@inlined
def _remove(rows: Any, b: Any, tables: Any, cell: Any) -> None:
    """A stone of the joined group leaves, which holds together without it."""
    place, pitch, span = tables[PLACE + cell], tables[PITCH], tables[SPAN]
    size = np.uint8(rows[b, SIZE, place] - ONE)
    _set_size(rows, b, pitch, span, rows[b, HEADER, PLACED], size)
    rows[b, LABEL, place] = ZERO
    rows[b, SIZE, place] = ZERO
    count = STONES + np.uint64(rows[b, COLOUR, place]) - _1
    rows[b, HEADER, count] = np.uint8(rows[b, HEADER, count] - ONE)
    rows[b, COLOUR, place] = EMPTY
    removals = np.uint8(rows[b, HEADER, REMOVALS] - ONE)
    rows[b, HEADER, REMOVALS] = removals
    if removals == ZERO:
        rows[b, HEADER, PLACED] = ZERO


@kernel
def mask(rows: Any, b: Any, tables: Any) -> None:
    """What is legal is marked by place, in SCRATCH, and then by cell."""
    b = np.uint64(b)
    if rows[b, HEADER, REMOVALS] == ZERO:
        _mark_placements(rows, b, tables)
    else:
        _mark_removals(rows, b, tables)
    num_cells = tables[NUM_CELLS]
    runs = PLACE + num_cells
    order_by_cell(rows, b, SCRATCH, MASK, tables, runs, runs + _2 * tables[RUNS], num_cells)


@inlined
def _mark_placements(rows: Any, b: Any, tables: Any) -> None:
    """Mark the empty cells whose largest neighbouring group is the smallest: two passes."""
    pitch, span = tables[PITCH], tables[SPAN]
    least = HIGHEST
    for i in range(span):
        at = i + pitch + _1
        touched = around(rows, b, SIZE, i, pitch)
        touched = touched if rows[b, COLOUR, at] == EMPTY else HIGHEST
        rows[b, SCRATCH, at] = touched
        least = min(least, touched)
    for i in range(span):
        at = i + pitch + _1
        rows[b, SCRATCH, at] = _byte(rows[b, SCRATCH, at] == least)


@inlined
def _mark_removals(rows: Any, b: Any, tables: Any) -> None:
    """Mark the stones without which the joined group still is of one piece.

    Walk round a stone: its neighbours in the group lie in arcs, separated by gaps.  With one arc it
    can go.  With two or more it holds them together, unless the group joins them elsewhere: then
    that way round closes off one gap from another.  So a stone can go exactly if its gaps lie in
    different regions, the connected sets of what is not in the group.  If the group encloses no
    hole, there is one region, and only stones with a single arc can go.

    Holes are counted by Euler: stones - pairs of neighbours + triangles = 1 - holes.  In random
    play 95 % of removals on side 5 have none, 94 % on side 9.  Without holes the mask takes
    48 ns on side 5, with holes 180.
    """
    pitch, span, label = tables[PITCH], tables[SPAN], rows[b, HEADER, PLACED]
    size = rows[b, SIZE, tables[PLACE + np.uint64(label) - _1]]
    links = _mark_single_arcs(rows, b, pitch, span, label)
    if np.uint8(links + ONE) != size:
        _find_regions(rows, b, tables, label)
        _mark_by_regions(rows, b, pitch, span)


@inlined
def _mark_single_arcs(rows: Any, b: Any, pitch: Any, span: Any, label: Any) -> Any:
    """Mark stones with one arc of the group round them; returns its pairs less its triangles."""
    links = ZERO
    for i in range(span):
        at = i + pitch + _1
        g0 = rows[b, LABEL, i] == label
        g1 = rows[b, LABEL, i + _1] == label
        g2 = rows[b, LABEL, i + pitch + _2] == label
        g3 = rows[b, LABEL, i + _2 * pitch + _2] == label
        g4 = rows[b, LABEL, i + _2 * pitch + _1] == label
        g5 = rows[b, LABEL, i + pitch] == label
        # Kept in single bytes by these casts, or with 8 bytes each: a mask of 110 ns instead of 48.
        arcs_01 = np.uint8(_byte(g0 & (not g1)) + _byte(g1 & (not g2)))
        arcs_23 = np.uint8(_byte(g2 & (not g3)) + _byte(g3 & (not g4)))
        arcs_45 = np.uint8(_byte(g4 & (not g5)) + _byte(g5 & (not g0)))
        arcs = np.uint8(np.uint8(arcs_01 + arcs_23) + arcs_45)
        inside = rows[b, LABEL, at] == label
        rows[b, SCRATCH, at] = _byte(inside & (arcs <= ONE))
        forwards = np.uint8(_byte(g2 & (not g3)) + _byte(g3 | g4))
        links = np.uint8(links + (forwards if inside else ZERO))
    return links


@inlined
def _find_regions(rows: Any, b: Any, tables: Any, label: Any) -> None:
    """Write REGION: 0 in the group, else the same number for all places of a region.

    Numbers start as cell + 1, 255 off the board, and the largest spreads.
    """
    for i in range(np.uint64(rows.shape[2])):
        rows[b, REGION, i] = HIGHEST
        rows[b, NEXT, i] = HIGHEST
    pitch, span = tables[PITCH], tables[SPAN]
    for cell in range(tables[NUM_CELLS]):
        at = tables[PLACE + cell]
        rows[b, REGION, at] = ZERO if rows[b, LABEL, at] == label else np.uint8(cell + _1)
    changed = YES
    source, target = REGION, NEXT
    while changed != NO:
        changed = _spread(rows, b, pitch, span, source, target)
        source, target = target, source


@inlined
def _spread(rows: Any, b: Any, pitch: Any, span: Any, source: Any, target: Any) -> Any:
    """Each place outside the group takes the largest number around it; whether any has changed."""
    changed = NO
    for i in range(span):
        at = i + pitch + _1
        old = rows[b, source, at]
        new = pick(old == ZERO, ZERO, max(old, around(rows, b, source, i, pitch)))
        rows[b, target, at] = new
        changed = np.uint8(changed | _byte(old != new))
    return changed


@inlined
def _mark_by_regions(rows: Any, b: Any, pitch: Any, span: Any) -> None:
    """Mark the stones of the group whose gaps lie in different regions."""
    for i in range(span):
        at = i + pitch + _1
        r0, r1 = rows[b, REGION, i], rows[b, REGION, i + _1]
        r2, r3 = rows[b, REGION, i + pitch + _2], rows[b, REGION, i + _2 * pitch + _2]
        r4, r5 = rows[b, REGION, i + _2 * pitch + _1], rows[b, REGION, i + pitch]
        # The region of a gap at the place where the gap begins, 0 elsewhere.
        g0, g1 = ZERO if r5 != ZERO else r0, ZERO if r0 != ZERO else r1
        g2, g3 = ZERO if r1 != ZERO else r2, ZERO if r2 != ZERO else r3
        g4, g5 = ZERO if r3 != ZERO else r4, ZERO if r4 != ZERO else r5
        same = (
            _same(g0, g2)
            | _same(g0, g3)
            | _same(g0, g4)
            | _same(g1, g3)
            | _same(g1, g4)
            | _same(g1, g5)
            | _same(g2, g4)
            | _same(g2, g5)
            | _same(g3, g5)
        )
        rows[b, SCRATCH, at] = _byte((rows[b, REGION, at] == ZERO) & (not same))


@inlined
def _same(one: Any, other: Any) -> Any:
    return (one == other) & (one != ZERO)


@kernel
def status(rows: Any, b: Any) -> Any:
    b = np.uint64(b)
    winner = rows[b, HEADER, STONES + _1] > rows[b, HEADER, STONES]
    phase = rows[b, HEADER, REMOVALS] != ZERO
    return pack_status(rows[b, HEADER, TO_PLAY], rows[b, HEADER, OVER], winner, phase)


@kernel
def observe(rows: Any, b: Any, tables: Any, view: Any, planes: Any) -> None:
    """Write what each cell shows: one of PATTERNS, by what lies there.

    See `write_eight`.  What belongs to removals is written over it.  With AVX2 110 ns a board of
    side 5.
    """
    b, seer = np.uint64(b), seer_of(view)
    runs = (rows[b, HEADER, OVER] == NO) & (not is_cut_off(view))
    to_act = np.uint64(runs & (rows[b, HEADER, TO_PLAY] == seer))
    n = tables[NUM_CELLS]
    patterns = tables[PATTERNS_AT] + _8 * (_2 * n + _1) * (_2 * seer + to_act)
    out = planes.flat
    begin = b * np.uint64(planes.shape[1] * planes.shape[2]) * NUM_PLANES
    cells = PLACE + n + _2 * tables[RUNS]
    for at in range(cells + n, cells + n + tables[OFF_BOARD]):
        clear_eight(out, begin + tables[at])
    for cell in range(n):
        place = tables[PLACE + cell]
        size, colour = np.uint64(rows[b, SIZE, place]), np.uint64(rows[b, COLOUR, place])
        what = size + n * (colour >> _1)  # colour 2 is that of player_1
        write_eight(out, begin + tables[cells + cell], PATTERNS, patterns + _8 * what)
    placed = rows[b, HEADER, PLACED]
    if runs & (placed != ZERO):
        due = PATTERNS[patterns + _8 * np.uint64(rows[b, HEADER, REMOVALS]) + GROUP_SIZE]
        for cell in range(n):
            at = begin + tables[cells + cell]
            joined = rows[b, LABEL, tables[PLACE + cell]] == placed
            out[at + JOINED_GROUP] = np.float32(joined)
            out[at + REMOVALS_DUE] = due
        out[begin + tables[cells + np.uint64(placed) - _1] + JUST_PLACED] = np.float32(1)


@kernel
def evaluate(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """Own stones less the opponent's."""
    return lead(rows, b, HEADER, STONES, player)


@kernel
def identity(rows: Any, b: Any, tables: Any, words: Any) -> Any:
    """Status, stone just placed and removals due, then two bits a cell, 32 cells a word."""
    b, n = np.uint64(b), tables[NUM_CELLS]
    placed, removals = np.uint64(rows[b, HEADER, PLACED]), np.uint64(rows[b, HEADER, REMOVALS])
    words[0] = np.uint64(status(rows, b)) | placed << _8 | removals << _16
    at = 1
    for first in range(_0, n, _32):
        word = _0
        for cell in range(first, min(first + _32, n)):
            colour = np.uint64(rows[b, COLOUR, tables[PLACE + cell]])
            word |= colour << (_2 * (cell - first))
        words[at] = word
        at += 1
    return at
