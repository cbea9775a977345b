"""The kernels of Strands: its rules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.board import HexBoard
from hexgames_env.engine import (
    below,
    clear_row,
    inlined,
    is_cut_off,
    kernel,
    mix,
    next_random,
    pack_status,
    seer_of,
    write_eight,
)
from hexgames_env.games.strands.layouts import Block

# One row: uint8 (6, at least N+1), in the order of the cells.  What is not scratch:
#
#     MASK    | legal, by action: the N cells, then stop |
#     SPACE   | number + 8 * owner, by cell              | 0: no space of the board
#     HEADER  | TO_PLAY OVER WINNER PHASE DUE LEFT NUM_EMPTY, then the empty ones of 1, 2, ... 6
MASK, SPACE, HEADER = map(np.uint64, range(3))
ROOT = np.uint64(3)  # scratch of the count at the end: a cell of the same group, itself at its root
SIZE = np.uint64(4)  # of the group, at its root
BALANCE = np.uint64(5)  # by size of group: EVEN + groups of Black - groups of White
ROW_PLANES = 6
# In the header
TO_PLAY, OVER, WINNER, PHASE = map(np.uint64, range(4))
DUE = np.uint64(4)  # the number that must be covered; 0 any
LEFT = np.uint64(5)  # how many spaces this turn may still cover; 6 if that is not decided yet
NUM_EMPTY = np.uint64(6)  # how many spaces are empty
EMPTY_OF = np.uint64(6)  # EMPTY_OF + number: how many of those bear it
HEADER_LENGTH = 13
# The tables: uint64 (9, places of the grid)
FACTS = np.uint64(0)  # N, whether one may stop, whether numbers are drawn, places in a row
SLOT = np.uint64(1)  # cells in the order in which they get their numbers
NUMBER = np.uint64(2)  # their numbers in that order, before they are shuffled
FIRST = np.uint64(3)  # the slot from which on a slot's number can be exchanged with it
EARLIER = np.uint64(4)  # and 5, 6: the neighbours with smaller numbers; the cell itself for none
CELL_AT = np.uint64(7)  # by place of the grid: the cell there; N off the board
PLACE = np.uint64(8)  # of the grid, of each cell
NUM_CELLS, MAY_STOP, IS_DRAWN, WIDTH = map(np.uint64, range(4))

_0, _1, _2, _3, _5, _6, _7, _8 = map(np.uint64, (0, 1, 2, 3, 5, 6, 7, 8))
_16, _24, _64 = map(np.uint64, (16, 24, 64))
ZERO, ONE, TWO, ANY = np.uint8(0), np.uint8(1), np.uint8(2), np.uint8(6)
NO, YES = ZERO, ONE  # of flags
OPENING, START, CONTINUE = ZERO, ONE, TWO  # the phases
NUMBER_BITS, OWNER = np.uint8(7), np.uint8(3)  # of a space: its low bits, and a shift
OWNED = np.uint8(8)  # by player_0; 16 by player_1
EVEN = np.uint8(128)

PLANE_NAMES = (
    *("board", "to act", "own stones", "opponent's stones"),
    *("number", "may be covered", "left to cover"),
)
NUM_PLANES = np.uint64(len(PLANE_NAMES))


def _make_patterns() -> NDArray[np.float32]:
    """float32 (2*2*7*6*24, 8): the planes of a space, and one float more that is overwritten.

    By observing player, whether it is to act, the number due (0 any, 1 nothing may be covered),
    what is left of a turn in progress, and the space.
    """
    seer, to_act, due, left, space = np.indices((2, 2, 7, 6, 24))
    number, owner = space & 7, space >> 3
    on_board = (number >= 1) & (number <= 6)
    patterns = np.zeros((*space.shape, 8), np.float32)
    patterns[..., 0] = on_board
    patterns[..., 1] = to_act & on_board
    patterns[..., 2] = (owner == 1 + seer) & on_board
    patterns[..., 3] = (owner == 2 - seer) & on_board
    patterns[..., 4] = number / 6
    patterns[..., 5] = on_board & (owner == 0) & ((due == 0) | (due == number)) & (due != 1)
    patterns[..., 6] = left * on_board / 6
    return patterns.reshape(-1, 8)


PATTERNS = _make_patterns().ravel()
PATTERNS.flags.writeable = False


def make_tables(
    board: HexBoard, numbers: Sequence[int] | None, blocks: Sequence[Block], may_stop: bool
) -> NDArray[np.uint64]:
    """The tables as laid out above, of fixed numbers or, with None, of blocks to draw from."""
    n, width = board.num_cells, board.num_rows
    tables = np.zeros((9, width**2), np.uint64)
    tables[FACTS, :4] = n, may_stop, numbers is None, width
    if numbers is None:
        tables[SLOT, :n] = list(chain.from_iterable(block.cells for block in blocks))
        tables[NUMBER, :n] = list(chain.from_iterable(block.numbers for block in blocks))
        begin = 0
        for block in blocks:
            tables[FIRST, begin : begin + len(block.cells)] = begin
            begin += len(block.cells)
    else:
        tables[SLOT, :n] = range(n)
        tables[NUMBER, :n] = numbers
    for cell, near in enumerate(board.neighbours):
        earlier = [other for other in near if other < cell]
        tables[EARLIER : EARLIER + _3, cell] = (*earlier, cell, cell, cell)[:3]
    tables[PLACE, :n] = board.grid[:, 0] * width + board.grid[:, 1]
    tables[CELL_AT] = n
    tables[CELL_AT, tables[PLACE, :n]] = range(n)
    return tables


def numbers_in(row: NDArray[Any], n: int) -> list[int]:
    """The number on each of the n spaces of a position's row, covered or not."""
    numbers: list[int] = (row[SPACE, :n] & NUMBER_BITS).tolist()
    return numbers


@kernel
def start(rows: Any, b: Any, tables: Any, seed: Any) -> None:
    b = np.uint64(b)
    clear_row(rows, b)
    n = tables[FACTS, NUM_CELLS]
    for slot in range(n):
        number = tables[NUMBER, slot]
        rows[b, SPACE, tables[SLOT, slot]] = np.uint8(number)
        rows[b, HEADER, EMPTY_OF + number] += ONE
    if tables[FACTS, IS_DRAWN]:
        _shuffle(rows, b, tables, seed)
    rows[b, HEADER, NUM_EMPTY] = np.uint8(n)
    rows[b, HEADER, PHASE] = OPENING
    rows[b, HEADER, DUE] = TWO
    rows[b, HEADER, LEFT] = ONE


@inlined
def _shuffle(rows: Any, b: Any, tables: Any, seed: Any) -> None:
    """Exchange the number of each slot with that of a slot of its block up to itself.

    So every order of the numbers of a block is equally likely (Fisher and Yates).
    """
    stream = np.empty(1, np.uint64)
    stream[0] = mix(np.uint64(seed))  # so seeds that differ by splitmix's increment share nothing
    for slot in range(tables[FACTS, NUM_CELLS]):
        first = tables[FIRST, slot]
        other = tables[SLOT, first + below(next_random(stream, _0), slot - first + _1)]
        cell = tables[SLOT, slot]
        number = rows[b, SPACE, cell]
        rows[b, SPACE, cell] = rows[b, SPACE, other]
        rows[b, SPACE, other] = number


# Side 6, random play (mask, uniform choice, step, batch of 64, one core): 64 ns, 16 million steps
# a second, of which the mask takes 5.7 and the choice 8.6.  `end_game`, too long to be inlined, is
# called from here: called by `_cover`, it made numba count references to the arrays with atomic
# operations in every step, 67 ns.
@kernel
def step(rows: Any, b: Any, tables: Any, action: Any) -> None:
    b, action = np.uint64(b), np.uint64(action)
    left = ZERO
    if action != tables[FACTS, NUM_CELLS]:
        left = _cover(rows, b, action)
    if left == ZERO:
        if rows[b, HEADER, NUM_EMPTY] != ZERO:
            _end_turn(rows, b)
        else:
            end_game(rows, b, tables)


@inlined
def _cover(rows: Any, b: Any, cell: Any) -> Any:
    """Cover a space; returns how many more this turn may cover."""
    number = rows[b, SPACE, cell]
    rows[b, SPACE, cell] = np.uint8(number + (OWNED << rows[b, HEADER, TO_PLAY]))
    rows[b, HEADER, NUM_EMPTY] -= ONE
    same = EMPTY_OF + np.uint64(number)
    rows[b, HEADER, same] -= ONE
    # LEFT is 1 at the opening and 6, so no bound, at the start of a turn: no case is special.
    left = min(np.uint8(min(rows[b, HEADER, LEFT], number) - ONE), rows[b, HEADER, same])
    rows[b, HEADER, PHASE] = CONTINUE
    rows[b, HEADER, DUE] = number
    rows[b, HEADER, LEFT] = left
    return left


@inlined
def _end_turn(rows: Any, b: Any) -> None:
    rows[b, HEADER, TO_PLAY] = ONE - rows[b, HEADER, TO_PLAY]
    rows[b, HEADER, PHASE] = START
    rows[b, HEADER, DUE] = ZERO
    rows[b, HEADER, LEFT] = ANY


@kernel
def end_game(rows: Any, b: Any, tables: Any) -> None:
    """Who has won on a full board: 0.35 us a game on side 6."""
    n = tables[FACTS, NUM_CELLS]
    for cell in range(n):
        join(rows, b, tables, SPACE, cell)
    # A player has at most 113 groups on side 9 (a row of k cells has room for k/2, rounded up),
    # so a balance can't run over.
    for cell in range(n):
        rows[b, BALANCE, cell + _1] = EVEN
    for cell in range(n):
        if np.uint64(rows[b, ROOT, cell]) == cell:
            size = np.uint64(rows[b, SIZE, cell])
            if rows[b, SPACE, cell] < _2 * np.uint64(OWNED):
                rows[b, BALANCE, size] += ONE
            else:
                rows[b, BALANCE, size] -= ONE
    # Two descending lists of sizes first differ at the largest size that one has more often; there
    # is one, for else both players would have equally many stones.
    decisive = n
    while rows[b, BALANCE, decisive] == EVEN:
        decisive -= _1
    rows[b, HEADER, OVER] = YES
    rows[b, HEADER, WINNER] = np.uint8(rows[b, BALANCE, decisive] < EVEN)
    rows[b, HEADER, PHASE] = START
    rows[b, HEADER, DUE] = ZERO
    rows[b, HEADER, LEFT] = ZERO


@inlined
def join(rows: Any, b: Any, tables: Any, plane: Any, cell: Any) -> None:
    """Join a cell with the groups of its player that it touches among the cells before it.

    Owners stand in ``plane`` as in SPACE.
    """
    owner = rows[b, plane, cell] >> OWNER
    root = cell
    rows[b, ROOT, cell] = np.uint8(cell)
    rows[b, SIZE, cell] = ONE
    for k in range(_3):
        near = tables[EARLIER + k, cell]
        if rows[b, plane, near] >> OWNER == owner:
            other = np.uint64(rows[b, ROOT, near])
            while np.uint64(rows[b, ROOT, other]) != other:
                other = np.uint64(rows[b, ROOT, other])
            if other != root:
                low, high = min(root, other), max(root, other)
                rows[b, ROOT, high] = np.uint8(low)
                rows[b, SIZE, low] += rows[b, SIZE, high]
                root = low


@kernel
def mask(rows: Any, b: Any, tables: Any) -> None:
    """A space is its number alone while it is empty, so it may be covered if it lies in a range."""
    b = np.uint64(b)
    due = rows[b, HEADER, DUE]
    low = due if due != ZERO else ONE
    high = due if due != ZERO else ANY
    for i in range(np.uint64(rows.shape[2])):
        space = rows[b, SPACE, i]
        rows[b, MASK, i] = np.uint8((space >= low) & (space <= high))
    stop = (rows[b, HEADER, PHASE] == CONTINUE) & (tables[FACTS, MAY_STOP] != _0)
    rows[b, MASK, tables[FACTS, NUM_CELLS]] = np.uint8(stop)


@kernel
def status(rows: Any, b: Any) -> Any:
    b = np.uint64(b)
    to_play, over = rows[b, HEADER, TO_PLAY], rows[b, HEADER, OVER]
    return pack_status(to_play, over, rows[b, HEADER, WINNER], rows[b, HEADER, PHASE])


@kernel
def observe(rows: Any, b: Any, tables: Any, view: Any, planes: Any) -> None:
    """Write what each place of the grid shows: one of PATTERNS, by what lies there.

    See `write_eight`.  The eighth float spills into the next place, which comes later.  With AVX2
    89 ns on side 6.
    """
    b, seer = np.uint64(b), seer_of(view)
    runs = (rows[b, HEADER, OVER] == NO) & (not is_cut_off(view))
    to_act = np.uint64(runs & (np.uint64(rows[b, HEADER, TO_PLAY]) == seer))
    due = np.uint64(rows[b, HEADER, DUE]) if runs else _1
    left = _0
    if runs & (rows[b, HEADER, PHASE] == CONTINUE):
        left = np.uint64(rows[b, HEADER, LEFT])
    first = (((seer * _2 + to_act) * _7 + due) * _6 + left) * _24
    flat = planes.flat  # planes.reshape would take a call and counting of references: 29 ns
    places = np.uint64(planes.shape[1] * planes.shape[2])
    begin = b * places * NUM_PLANES
    for place in range(places - _1):
        space = np.uint64(rows[b, SPACE, tables[CELL_AT, place]])
        write_eight(flat, begin + NUM_PLANES * place, PATTERNS, _8 * (first + space))
    space = np.uint64(rows[b, SPACE, tables[CELL_AT, places - _1]])
    for plane in range(NUM_PLANES):
        flat[begin + NUM_PLANES * (places - _1) + plane] = PATTERNS[_8 * (first + space) + plane]


@kernel
def evaluate(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """The squares of the sizes of own groups less those of the opponent's."""
    b = np.uint64(b)
    n = tables[FACTS, NUM_CELLS]
    owner = np.uint8(player + 1)
    for cell in range(n):
        if rows[b, SPACE, cell] >> OWNER != ZERO:
            join(rows, b, tables, SPACE, cell)
    value = 0.0
    for cell in range(n):
        held_by = rows[b, SPACE, cell] >> OWNER
        if held_by != ZERO and np.uint64(rows[b, ROOT, cell]) == cell:
            square = np.float64(rows[b, SIZE, cell]) ** 2
            value += square if held_by == owner else -square
    return value


@kernel
def identity(rows: Any, b: Any, tables: Any, words: Any) -> Any:
    """Status and what is due, then owners, two bits a cell; five bits if numbers are drawn."""
    b, n = np.uint64(b), tables[FACTS, NUM_CELLS]
    due, left = np.uint64(rows[b, HEADER, DUE]), np.uint64(rows[b, HEADER, LEFT])
    words[0] = np.uint64(status(rows, b)) | due << _8 | left << _16
    bits, shift = (_5, _0) if tables[FACTS, IS_DRAWN] else (_2, _3)
    at, in_word = 1, _64 // bits
    for first in range(_0, n, in_word):
        word = _0
        for cell in range(first, min(first + in_word, n)):
            space = np.uint64(rows[b, SPACE, cell]) >> shift
            word |= space << (bits * (cell - first))
        words[at] = word
        at += 1
    return at
