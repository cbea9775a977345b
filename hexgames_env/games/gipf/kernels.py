"""The kernels of GIPF: its rules.  What is the same in all variants is kept in arrays of modules,
which numba compiles in; the tables hold what a variant begins with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.engine import (
    clear_eight,
    clear_row,
    count_bits,
    inlined,
    is_cut_off,
    kernel,
    pack_status,
    seer_of,
    write_eight,
)
from hexgames_env.games.gipf.geometry import (
    BITS,
    COLUMN_0,
    ENTRIES,
    LINE_BOARDS,
    ON_BOARD,
    POINT_BITS,
    SHIFTS,
)
from hexgames_env.games.gipf.variants import MOST_PIECES

# Random play takes 67 ns a step (mask 14, choice 8.1).
#
# One row: uint64 (2, 18).  Plane 0 is the mask, eight actions a word; plane 1 are these words:
MASK, STATE = np.uint64(0), np.uint64(1)
WHITE, BLACK, GIPF = map(np.uint64, (0, 1, 2))  # boards; WHITE + player are a player's pieces
RESERVE = np.uint64(3)  # and 4: pieces in reserve, by player
BRING = np.uint64(5)  # a bit for each player who may still bring GIPF pieces
PUSHER = np.uint64(6)  # whose turn it is: who is to push or has pushed; 0 after the end
REMOVED = np.uint64(7)  # a bit for each line removed by the player to act that bears its row
TAKEABLE = np.uint64(8)  # a board: the GIPF pieces that may be taken now
LAST = np.uint64(9)  # a bit for each player whose last GIPF piece this removal has taken
TO_PLAY, PHASE, OVER, WINNER = map(np.uint64, (10, 11, 12, 13))
WHOLE = np.uint64(14)  # a player's reserve before its first push: the mask reads no tables
POSITION = slice(0, 10)  # what a position is made of beside its status

# Actions
PUSH_GIPF, REMOVE, KEEP, TAKE = map(np.uint64, (42, 84, 105, 106))
NUM_ACTIONS = 143
# Phases
PUSHING, CHOOSING, TAKING = map(np.uint64, (0, 1, 2))
# The tables, uint64: the three boards of the start, the reserve of each player there, and whether
# GIPF pieces are brought in
START_RESERVE, BRINGS = np.uint64(3), np.uint64(4)

PLANE_NAMES = (
    "board",
    "to act",
    "own single pieces",
    "own GIPF pieces",
    "opponent's single pieces",
    "opponent's GIPF pieces",
    "own reserve",
    "opponent's reserve",
    "choosing a row",
    "rows to be removed",
    "GIPF pieces to take",
    "own may bring GIPF pieces",
    "opponent may bring GIPF pieces",
    "own push",
)
NUM_PLANES = np.uint64(len(PLANE_NAMES))
IN_PLAY, TO_ACT, OWN_SINGLES = map(np.uint64, range(3))
OWN_RESERVE, OTHER_RESERVE, CHOOSES, ROWS_DUE, MAY_TAKE, OWN_BRINGS, OTHER_BRINGS, OWN_PUSH = map(
    np.uint64, range(6, 14)
)
SECOND_EIGHT = NUM_PLANES - np.uint64(8)  # the planes of a point are copied in two moves of eight
# Planes of reserves, by pieces there
OF_RESERVE = np.arange(MOST_PIECES + 1, dtype=np.float32) / np.float32(MOST_PIECES)
# Where the planes of each place of the grid stand in an observation, counted in floats, by bit of
# a board; then for the points in order, and for the places off the board.
PLACE_AT = np.array([7 * (bit >> 3) + (bit & 7) for bit in range(56)], np.uint64) * NUM_PLANES
POINT_AT = PLACE_AT[BITS]
OFF_AT = np.setdiff1d(np.arange(49, dtype=np.uint64) * NUM_PLANES, POINT_AT)

GATHER = np.uint64(0x0102040810204080)  # times COLUMN_0's bits: bit 8r to bit 56 + r
ONES = np.uint64(0x0101010101010101)
SEVENS = np.uint64(0x7F7F7F7F7F7F7F7F)
TO_PAIRS = np.uint64(0x20204040808101)  # times four bits: to bits 0 and 8, 16 and 24, and so on

_0, _1, _2, _3, _4, _6, _7, _8, _9, _11, _14, _15 = map(
    np.uint64, (0, 1, 2, 3, 4, 6, 7, 8, 9, 11, 14, 15)
)
_16, _18, _21, _24, _32, _36, _37, _49 = map(np.uint64, (16, 18, 21, 24, 32, 36, 37, 49))
_56, _127 = np.uint64(56), np.uint64(127)


@kernel
def start(rows: Any, b: Any, tables: Any, seed: Any) -> None:
    b = np.uint64(b)
    clear_row(rows, b)
    for board in range(_3):
        rows[b, STATE, board] = tables[board]
    for player in range(_2):
        rows[b, STATE, RESERVE + player] = tables[START_RESERVE]
    rows[b, STATE, WHOLE] = tables[START_RESERVE]
    rows[b, STATE, BRING] = _3 if tables[BRINGS] else _0


@kernel
def step(rows: Any, b: Any, tables: Any, action: Any) -> None:
    b = np.uint64(b)
    action = np.uint64(action)
    player = rows[b, STATE, TO_PLAY]
    if action < REMOVE:
        _push(rows, b, action, player)
        # Nine pushes of ten make no row: to see that at once saves 7.6 of 74 ns a step.
        if not (_has_four(rows[b, STATE, WHITE]) | _has_four(rows[b, STATE, BLACK])):
            _end_turn(rows, b, player)
            return
    elif action < KEEP:
        _remove(rows, b, action - REMOVE, player)
    elif action == KEEP:
        rows[b, STATE, TAKEABLE] = _0
    else:
        _take(rows, b, _1 << POINT_BITS[action - TAKE], player)
    if rows[b, STATE, TAKEABLE] == _0:
        _go_on(rows, b, player)


@inlined
def _push(rows: Any, b: Any, action: Any, player: Any) -> None:
    """A piece from the reserve onto a line's first or last point; what is before the gap moves."""
    gipf = action >= PUSH_GIPF
    entry = action - PUSH_GIPF if gipf else action
    line, shift = LINE_BOARDS[entry >> _1], SHIFTS[entry >> _1]
    first, back = ENTRIES[entry], (entry & _1) == _1
    beyond = line & ~(rows[b, STATE, WHITE] | rows[b, STATE, BLACK])  # from the first gap on
    beyond |= _along(beyond, shift, back)
    beyond |= _along(beyond, _2 * shift, back)
    beyond |= _along(beyond, _4 * shift, back)
    in_the_way = line & ~beyond
    for board in range(_3):
        pieces = rows[b, STATE, board]
        moved = pieces & in_the_way
        rows[b, STATE, board] = (pieces ^ moved) | _along(moved, shift, back)
    rows[b, STATE, player] |= first
    if gipf:
        rows[b, STATE, GIPF] |= first
        rows[b, STATE, RESERVE + player] -= _2
    else:
        rows[b, STATE, RESERVE + player] -= _1
        rows[b, STATE, BRING] &= ~(_1 << player)


@inlined
def _along(board: Any, shift: Any, back: Any) -> Any:
    """The board moved along its lines; ``back`` towards their first points."""
    return board >> shift if back else board << shift


@inlined
def _has_four(pieces: Any) -> Any:
    """Whether these pieces make a row on any line."""
    return (_fours(pieces, _1) | _fours(pieces, _8) | _fours(pieces, _9)) != _0


@inlined
def _fours(pieces: Any, shift: Any) -> Any:
    """The first points of each four next to each other in the direction of this shift."""
    pairs = pieces & (pieces >> shift)
    return pairs & (pairs >> (_2 * shift))


@inlined
def _go_on(rows: Any, b: Any, remover: Any) -> None:
    """After a push or a complete removal: what is next to be done in this turn."""
    last = rows[b, STATE, LAST]
    if last != _0:
        other = _1 - remover
        _end_game(rows, b, remover if (last >> other & _1) == _1 else other)
        return
    pusher = rows[b, STATE, PUSHER]
    while True:
        lines = _lines_with_rows(rows[b, STATE, remover])
        removed = rows[b, STATE, REMOVED] & lines
        due = lines ^ removed
        if due == _0:
            if remover != pusher:
                _end_turn(rows, b, pusher)
                return
            remover = _1 - pusher
            rows[b, STATE, REMOVED] = _0
        elif due & (due - _1) != _0:  # two or more: the player is asked
            rows[b, STATE, TO_PLAY] = remover
            rows[b, STATE, PHASE] = CHOOSING
            rows[b, STATE, REMOVED] = removed
            return
        else:
            _remove(rows, b, count_bits(due - _1), remover)
            if rows[b, STATE, TAKEABLE] != _0:
                return


@inlined
def _lines_with_rows(pieces: Any) -> Any:
    """A bit for each line on which these pieces of one player make a row."""
    return _lines(_fours(pieces, _1), _fours(pieces, _8), _fours(pieces, _9))


@inlined
def _lines(x: Any, y: Any, z: Any) -> Any:
    """A bit for each line: of lines 0 to 6 those where x has a point, of 7 to 13 y, of the rest z.

    Folded like this the mask takes 14 ns, 21 when the board of each line is asked in turn.
    """
    x = ((x + SEVENS) >> _7) & COLUMN_0  # no carry, for column 7 of a board is empty
    x = (x * GATHER) >> _56
    y |= y >> _32
    y |= y >> _16
    y |= y >> _8
    z |= z >> _9
    z |= z >> _18
    z |= z >> _36  # now point [0, c] stands for line 17 + c, and [r, 0] for 17 - r
    z = (z & _15) << _3 | (z >> _6 & _4) | (z >> _15 & _2) | (z >> _24 & _1)
    return (x & _127) | (y & _127) << _7 | z << _14


@inlined
def _remove(rows: Any, b: Any, line: Any, remover: Any) -> None:
    """Single pieces of the stretch leave at once; then its GIPF pieces may be taken."""
    occupied = rows[b, STATE, WHITE] | rows[b, STATE, BLACK]
    own = LINE_BOARDS[line] & rows[b, STATE, remover]
    stretch = _stretches(own, occupied, SHIFTS[line])
    left = stretch & rows[b, STATE, GIPF]
    singles = stretch ^ left
    rows[b, STATE, RESERVE + remover] += count_bits(singles & own)
    rows[b, STATE, WHITE] &= ~singles
    rows[b, STATE, BLACK] &= ~singles
    rows[b, STATE, REMOVED] |= _1 << line
    rows[b, STATE, TAKEABLE] = left
    if left != _0:
        rows[b, STATE, REMOVED] &= _lines_with_rows(rows[b, STATE, remover])
        rows[b, STATE, TO_PLAY] = remover
        rows[b, STATE, PHASE] = TAKING


@inlined
def _stretches(pieces: Any, occupied: Any, shift: Any) -> Any:
    """The rows of these pieces in one direction, with what is next to them up to a gap or edge."""
    row = _fours(pieces, shift)
    row |= row << shift
    row |= row << (_2 * shift)
    for _ in range(3):  # a line has three points at most beside four
        row |= (row << shift | row >> shift) & occupied
    return row


@inlined
def _take(rows: Any, b: Any, point: Any, remover: Any) -> None:
    """A GIPF piece of the stretch leaves: to its owner's reserve if that is the row's, too."""
    owner = _1 if rows[b, STATE, BLACK] & point else _0
    rows[b, STATE, owner] ^= point
    rows[b, STATE, GIPF] ^= point
    rows[b, STATE, TAKEABLE] ^= point
    if owner == remover:
        rows[b, STATE, RESERVE + owner] += _2
        rows[b, STATE, REMOVED] &= _lines_with_rows(rows[b, STATE, owner])
    if rows[b, STATE, owner] & rows[b, STATE, GIPF] == _0:
        rows[b, STATE, LAST] |= _1 << owner


@inlined
def _end_turn(rows: Any, b: Any, pusher: Any) -> None:
    """No row is left: the other player is to push, and loses if its reserve is empty."""
    other = _1 - pusher
    if rows[b, STATE, RESERVE + other] == _0:
        _end_game(rows, b, pusher)
    else:
        rows[b, STATE, TO_PLAY] = other
        rows[b, STATE, PUSHER] = other
        rows[b, STATE, PHASE] = PUSHING
        rows[b, STATE, REMOVED] = _0


@inlined
def _end_game(rows: Any, b: Any, winner: Any) -> None:
    rows[b, STATE, OVER] = _1
    rows[b, STATE, WINNER] = winner
    for word in (PUSHER, REMOVED, TAKEABLE, LAST, PHASE):  # no part of a position after the end
        rows[b, STATE, word] = _0


@kernel
def mask(rows: Any, b: Any, tables: Any) -> None:
    b = np.uint64(b)
    phase, player = rows[b, STATE, PHASE], rows[b, STATE, TO_PLAY]
    if phase == PUSHING:
        _mask_pushes(rows, b, player)
    elif phase == CHOOSING:
        _mask_rows(rows, b, player)
    else:
        _mask_takes(rows, b)


@inlined
def _mask_pushes(rows: Any, b: Any, player: Any) -> None:
    """Both pushes of each line with a gap; of GIPF pieces alone before the player's first piece."""
    gaps = ON_BOARD & ~(rows[b, STATE, WHITE] | rows[b, STATE, BLACK])
    lines = _lines(gaps, gaps, gaps)
    reserve = rows[b, STATE, RESERVE + player]
    may_bring = (rows[b, STATE, BRING] >> player & _1) == _1
    single = _0 if may_bring & (reserve == rows[b, STATE, WHOLE]) else lines
    gipf = lines if may_bring & (reserve >= _2) else _0
    both = single | gipf << _21
    for i in range(_11):  # a word is eight pushes, onto four lines from both ends
        rows[b, MASK, i] = (both >> (_4 * i) & _15) * TO_PAIRS & ONES
    for i in range(_11, _18):
        rows[b, MASK, i] = _0


@inlined
def _mask_rows(rows: Any, b: Any, player: Any) -> None:
    due = _lines_with_rows(rows[b, STATE, player]) & ~rows[b, STATE, REMOVED]
    for i in range(_18):
        rows[b, MASK, i] = _0
    for line in range(_21):
        _allow(rows, b, REMOVE + line, due >> line & _1)


@inlined
def _mask_takes(rows: Any, b: Any) -> None:
    for i in range(_18):
        rows[b, MASK, i] = _0
    _allow(rows, b, KEEP, _1)
    for point in range(_37):
        _allow(rows, b, TAKE + point, rows[b, STATE, TAKEABLE] >> POINT_BITS[point] & _1)


@inlined
def _allow(rows: Any, b: Any, action: Any, bit: Any) -> None:
    rows[b, MASK, action >> _3] |= bit << ((action & _7) * _8)


@kernel
def status(rows: Any, b: Any) -> Any:
    b = np.uint64(b)
    to_play, over = rows[b, STATE, TO_PLAY], rows[b, STATE, OVER]
    return pack_status(to_play, over, rows[b, STATE, WINNER], rows[b, STATE, PHASE])


@kernel
def observe(rows: Any, b: Any, tables: Any, view: Any, planes: Any) -> None:
    """Write the same floats for every point, then the pieces one by one: with AVX2 66 ns.

    The floats are copied in two moves of eight that overlap: see `write_eight`.
    """
    b, seer = np.uint64(b), seer_of(view)
    other = _1 - seer
    runs = (rows[b, STATE, OVER] == _0) & (not is_cut_off(view))
    phase = rows[b, STATE, PHASE] if runs else PUSHING
    to_play, bring = rows[b, STATE, TO_PLAY], rows[b, STATE, BRING]
    flat = planes.flat
    begin = b * _49 * NUM_PLANES  # where [0, 0] stands, a point: the others are copied from it
    for plane in range(NUM_PLANES):
        flat[begin + plane] = np.float32(0)
    flat[begin + IN_PLAY] = np.float32(1)
    flat[begin + TO_ACT] = np.float32(runs & (to_play == seer))
    flat[begin + OWN_RESERVE] = OF_RESERVE[rows[b, STATE, RESERVE + seer]]
    flat[begin + OTHER_RESERVE] = OF_RESERVE[rows[b, STATE, RESERVE + other]]
    flat[begin + CHOOSES] = np.float32(phase == CHOOSING)
    flat[begin + OWN_BRINGS] = np.float32(bring >> seer & _1)
    flat[begin + OTHER_BRINGS] = np.float32(bring >> other & _1)
    flat[begin + OWN_PUSH] = np.float32((phase != PUSHING) & (rows[b, STATE, PUSHER] == seer))
    for k in range(np.uint64(len(OFF_AT))):
        clear_eight(flat, begin + OFF_AT[k])
        clear_eight(flat, begin + OFF_AT[k] + SECOND_EIGHT)
    for point in range(_1, _37):
        at = begin + POINT_AT[point]
        write_eight(flat, at, flat, begin)
        write_eight(flat, at + SECOND_EIGHT, flat, begin + SECOND_EIGHT)
    theirs, gipf = rows[b, STATE, other], rows[b, STATE, GIPF]
    pieces = rows[b, STATE, seer] | theirs
    while pieces:
        place = count_bits(~pieces & (pieces - _1))  # of the lowest bit
        plane = OWN_SINGLES + (gipf >> place & _1) + _2 * (theirs >> place & _1)
        flat[begin + PLACE_AT[place] + plane] = np.float32(1)
        pieces &= pieces - _1
    if phase != PUSHING:
        _observe_row_step(rows, b, flat, begin, to_play)


@inlined
def _observe_row_step(rows: Any, b: Any, flat: Any, begin: Any, to_play: Any) -> None:
    """Planes 9 and 10."""
    pieces = rows[b, STATE, WHITE] | rows[b, STATE, BLACK]
    removed, left = rows[b, STATE, REMOVED], rows[b, STATE, TAKEABLE]
    stretches = _0
    for line in range(_0, _21, _7):
        due = rows[b, STATE, to_play]
        for other_line in range(line, line + _7):
            if removed >> other_line & _1:
                due &= ~LINE_BOARDS[other_line]
        stretches |= _stretches(due, pieces, SHIFTS[line])
    for point in range(_37):
        at = begin + POINT_AT[point]
        flat[at + ROWS_DUE] = np.float32(stretches >> POINT_BITS[point] & _1)
        flat[at + MAY_TAKE] = np.float32(left >> POINT_BITS[point] & _1)


@kernel
def evaluate(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """Own pieces in reserve and on the board less the opponent's; a GIPF piece counts 3."""
    player = np.uint64(player)
    gipf = rows[b, STATE, GIPF]
    value = 0.0
    for side in range(_2):
        pieces = rows[b, STATE, WHITE + side]
        worth = rows[b, STATE, RESERVE + side] + count_bits(pieces) + _2 * count_bits(pieces & gipf)
        value += np.float64(worth) if side == player else -np.float64(worth)
    return value


@kernel
def identity(rows: Any, b: Any, tables: Any, words: Any) -> Any:
    """Pieces, and what may be taken, as boards; their bits from 56 on hold numbers."""
    b = np.uint64(b)
    now = np.uint64(status(rows, b))
    words[0] = rows[b, STATE, WHITE] | rows[b, STATE, RESERVE] << _56
    words[1] = rows[b, STATE, BLACK] | rows[b, STATE, RESERVE + _1] << _56
    words[2] = rows[b, STATE, GIPF] | now << _56
    who = rows[b, STATE, BRING] | rows[b, STATE, PUSHER] << _2 | rows[b, STATE, LAST] << _3
    words[3] = rows[b, STATE, TAKEABLE] | who << _56
    words[4] = rows[b, STATE, REMOVED]
    return 5
