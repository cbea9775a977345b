"""Strands (Nick Bentley, 2022).

Rules, in order of play
-----------------------
Every space of the board bears a number from 1 to 6.  The board starts empty.

- Opening: player_0 (Black) covers one space marked 2.
- From then on, player_1 (White) first, the players take turns.  On a turn a player covers empty
  spaces that all bear the same number X, one a step; the first may be any empty space.
- ``cover="up_to"``: at least 1 and at most X spaces; after the first the player may stop.
- ``cover="exactly"``: X spaces, or all that are left of that number if they are fewer.
- A turn ends by itself after X spaces, or when no empty space of that number is left.
- The game ends, at once, when the board is full.  The player with the largest connected group of
  own stones wins; if those are equal the second largest decide, and so on; a missing group
  counts as 0.

There are no draws: the number of spaces is odd.

Options
-------
=======  =======  ==============================================================================
layout   "6"      the numbers: "5", "6", "6-low", "7", "6-random", "7-random" (their side comes
                  first), or those of all spaces in the order of the cells, for a side of 2 to 9
cover    "up_to"  "up_to" or "exactly"
=======  =======  ==============================================================================

The random layouts are drawn for each game from its seed, ring by ring: the highest numbers of a
ring go to its six corners, at random, the others to its other cells, at random.

Actions
-------
========  ===================================================================  ===============
0 to N-1  cover that space                                                     its name: ``c3``
N         stop: legal only with "up_to", after the first covering of a turn    ``stop``
========  ===================================================================  ===============

Planes of the observation
-------------------------
0 board, 1 the observing player is to act, 2 own stones, 3 other's stones, 4 the number on the
space (covered or not) divided by 6, 5 the spaces that may be covered now, 6 constant: how many
more this turn may still cover, divided by 6; 0 at the start of a turn.

Fields of a position
--------------------
``due`` and ``left``, inside a turn only: the number that is being covered, and how many more
spaces of it may be; never more than there are.  ``numbers``, with a random layout only: what was
drawn, rows from the top down parted by ``/``.

Deviations
----------
None.  How many spaces a turn has covered matters only through ``left``, so positions that differ
in it alone are the same.  The opening has ``left`` 0 in plane 6, as any start of a turn.  In a
position set up by hand any stones may lie anywhere; the turn in progress must be possible.

Source: the rules of Strands by Nick Bentley (2022).
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.board import HexBoard, hex_board
from hexgames_env.core.game import Game
from hexgames_env.core.options import ChoiceOption, Option, as_integer
from hexgames_env.core.scene import Scene
from hexgames_env.core.state import State
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
)
from hexgames_env.errors import OptionError, PositionTextError

# Rows from the top down.
FIXED = {
    "5": "64446/433334/4222224/43222234/632212236/43222234/4222224/433334/64446",
    "6": "644446/4333334/43222234/432222234/4322222234/63222122236/"
    "4322222234/432222234/43222234/4333334/644446",
    "6-low": "333333/3222223/32222223/322222223/3222222223/32222122223/"
    "3222222223/322222223/32222223/3222223/333333",
    "7": "6655566/64333346/533222335/5322222235/53222222235/632222122246/6432211122346/"
    "642221222236/53222222235/5322222235/533222335/64333346/6655566",
}
# For each ring from the centre, how many cells bear each number; the highest first.
DRAWN = {
    "6-random": ({1: 1}, {2: 4, 1: 2}, {3: 1, 2: 11}, {3: 6, 2: 12}, {4: 2, 3: 22}, {5: 20, 4: 10}),
    "7-random": (
        *({1: 1}, {2: 3, 1: 3}, {2: 7, 1: 5}, {2: 17, 1: 1}, {3: 9, 2: 15}),
        *({4: 2, 3: 28}, {5: 28, 4: 8}),
    ),
}
NAMES = ("5", "6", "6-low", "7", "6-random", "7-random")
SIDES = {3 * side * (side - 1) + 1: side for side in range(2, 10)}  # by the count of numbers

# One row: uint8 (6, at least N+1), in the order of the cells.  What is not scratch:
#
#     MASK    | legal, by action: the N cells, then stop |
#     SPACE   | number + 8 * owner, by cell              | 0: no space of the board
#     HEADER  | TO_PLAY OVER WINNER PHASE DUE LEFT EMPTY, then the empty spaces of 1, 2, ... 6 |
MASK, SPACE, HEADER = (np.uint64(plane) for plane in range(3))
ROOT = np.uint64(3)  # scratch of the count at the end: a cell of the same group, itself at its root
SIZE = np.uint64(4)  # of the group, at its root
BALANCE = np.uint64(5)  # by size of group: EVEN + groups of Black - groups of White
PLANES = 6
# In the header
TO_PLAY, OVER, WINNER, PHASE = (np.uint64(place) for place in range(4))
DUE = np.uint64(4)  # the number that must be covered; 0 any
LEFT = np.uint64(5)  # how many spaces this turn may still cover; 6 if that is not decided yet
EMPTY = np.uint64(6)  # how many spaces are empty
COUNT = np.uint64(6)  # COUNT + number: how many of those bear it
HEADER_LENGTH = 13
# The tables: uint64 (8, places of the grid)
FACTS = np.uint64(0)  # N, whether one may stop, whether numbers are drawn
SLOT = np.uint64(1)  # cells in the order in which they get their numbers
NUMBER = np.uint64(2)  # their numbers in that order, before they are shuffled
FIRST = np.uint64(3)  # the slot from which on a slot's number can be exchanged with it
EARLIER = np.uint64(4)  # and 5, 6: the neighbours with smaller numbers; the cell itself for none
PLACE = np.uint64(7)  # the cell at a place of the grid; N off the board
NUM_CELLS, MAY_STOP, IS_DRAWN = np.uint64(0), np.uint64(1), np.uint64(2)

_0, _1, _2, _3, _4 = (np.uint64(k) for k in range(5))
_5, _6, _7, _8, _24 = (np.uint64(k) for k in (5, 6, 7, 8, 24))
NO, YES, TWO, ANY = np.uint8(0), np.uint8(1), np.uint8(2), np.uint8(6)
OPENING, START, CONTINUE = NO, YES, TWO  # the phases
NUMBER_BITS, OWNER = np.uint8(7), np.uint8(3)  # of a space: its low bits, and a shift
BLACK = np.uint8(8)  # and 16 White
EVEN = np.uint8(128)


class LayoutOption(Option):
    """The numbers on the spaces: the name of a layout, or a number for each cell.

    A layout given by numbers is a tuple of ints once checked, and in a text its rows from the top
    down, parted by ``/``.

    >>> LayoutOption().to_word(LayoutOption().check("layout", [3, 3, 3, 2, 1, 2, 2]))
    '22/321/33'
    """

    default = "6"

    def check(self, name: str, value: Any) -> str | tuple[int, ...]:
        if isinstance(value, str) and value in NAMES:
            return str(value)
        flat = isinstance(value, np.ndarray) and value.ndim == 1
        plain = isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))
        if not flat and not plain:
            raise OptionError(
                f"{name} must be one of {', '.join(map(repr, NAMES))} or a sequence of numbers, "
                f"one for each space in the order of the cells, got {reprlib.repr(value)}"
            )
        if len(value) not in SIDES:
            raise OptionError(
                f"{name} must have a number for each space of a board of side 2 to 9, that is "
                f"{', '.join(map(str, SIDES))} of them, got {len(value)}"
            )
        numbers = []
        for cell, given in enumerate(value):
            number = as_integer(given)
            if number is None or not 1 <= number <= 6:
                raise OptionError(
                    f"{name}: the number on each space must be an integer from 1 to 6, "
                    f"got {reprlib.repr(given)} for cell {cell} "
                    f"({hex_board(SIDES[len(value)]).names[cell]})"
                )
            numbers.append(number)
        if 2 not in numbers:
            raise OptionError(
                f"{name} must have a 2, since Black opens on a space marked 2; got only "
                f"{', '.join(map(str, sorted(set(numbers))))}"
            )
        return tuple(numbers)

    def to_word(self, value: str | tuple[int, ...]) -> str:
        return value if isinstance(value, str) else _to_rows(hex_board(SIDES[len(value)]), value)

    def from_word(self, name: str, word: str) -> str | tuple[int, ...]:
        if "/" not in word:
            return self.check(name, word)
        found = _from_rows(word)
        if found is None:
            raise OptionError(
                f"{name} in a text is a name or the rows of a board of side 2 to 9 from the top "
                f"down, parted by '/', like 22/321/33; got {reprlib.repr(word)}"
            )
        return self.check(name, [int(c) if c in "0123456789" else c for c in found])

    def examples(self) -> list[str | tuple[int, ...]]:
        return [*NAMES, (3, 3, 3, 2, 1, 2, 2)]


def _to_rows(board: HexBoard, numbers: Iterable[int]) -> str:
    return board.to_rows("".join(map(str, numbers)))


def _from_rows(text: str) -> str | None:
    """The characters of the rows in the order of the cells; None if they make no board."""
    side = SIDES.get(len(text) - text.count("/"))
    return None if side is None else hex_board(side).from_rows(text)


class Strands(Game):
    """Strands on a board of side 2 to 9; the module's docstring is the game's page.

    Attributes:
        numbers: the number on each space, None if they are drawn for each game.

    >>> from hexgames_env import make_game
    >>> game = make_game("strands", layout=[3, 3, 3, 2, 1, 2, 2])
    >>> state = game.state_from_cells({"b2": 0, "a1": 1}, to_play=1, due=3, left=2)
    >>> [state.action_to_string(action) for action in state.legal_actions()]
    ['a2', 'b1', 'stop']
    >>> state.to_string()
    'strands layout=22/321/33 cover=up_to board=../.B./W. to_play=1 winner=none due=3 left=2'
    """

    name = "strands"
    title = "Strands"
    option_types = {"layout": LayoutOption(), "cover": ChoiceOption("up_to", "exactly")}
    phases = ("opening", "start", "continue")
    plane_names = (
        *("board", "to act", "own stones", "other's stones"),
        *("number", "may be covered", "left to cover"),
    )
    field_names = ("numbers", "due", "left")

    def __init__(self, **options: Any) -> None:
        checked = self.check_options(options)
        layout = checked["layout"]
        self._blocks: list[tuple[str, list[int], list[int]]] = []
        self.numbers: tuple[int, ...] | None = None
        if layout in DRAWN:
            board = hex_board(len(DRAWN[layout]))
            self._blocks = _make_blocks(board, DRAWN[layout])
        else:
            text = _from_rows(FIXED[layout]) if isinstance(layout, str) else layout
            self.numbers = tuple(map(int, text or ()))
            board = hex_board(SIDES[len(self.numbers)])
        super().__init__(
            checked,
            board=board,
            num_actions=board.num_cells + 1,
            tables=self._make_tables(board, checked["cover"] == "up_to"),
            row=(np.uint8, PLANES, max(board.num_cells + 1, HEADER_LENGTH)),
        )

    def _make_tables(self, board: HexBoard, may_stop: bool) -> NDArray[np.uint64]:
        n, width = board.num_cells, board.num_rows
        tables = np.zeros((8, width**2), np.uint64)
        tables[FACTS, :3] = n, may_stop, self.numbers is None
        if self.numbers is None:
            tables[SLOT, :n] = list(chain.from_iterable(cells for _, cells, _ in self._blocks))
            tables[NUMBER, :n] = list(chain.from_iterable(high for _, _, high in self._blocks))
            begin = 0
            for _, cells, _ in self._blocks:
                tables[FIRST, begin : begin + len(cells)] = begin
                begin += len(cells)
        else:
            tables[SLOT, :n] = range(n)
            tables[NUMBER, :n] = self.numbers
        for cell, near in enumerate(board.neighbours):
            earlier = [other for other in near if other < cell]
            tables[EARLIER : EARLIER + _3, cell] = (*earlier, cell, cell, cell)[:3]
        tables[PLACE] = n
        tables[PLACE, board.grid[:, 0] * width + board.grid[:, 1]] = range(n)
        return tables

    def action_names(self, phase: int) -> Sequence[str]:
        return [*self.cell_names, "stop"]

    def keeps_rules(self, cells: NDArray[np.int64]) -> bool:
        numbers = np.array(self.numbers)
        return self.numbers is None or bool((numbers[cells] == numbers).all())

    def numbers_on(self, row: NDArray[Any]) -> list[int]:
        """The number on each space of a position, in the order of the cells."""
        numbers: list[int] = (row[SPACE, : self.board.num_cells] & NUMBER_BITS).tolist()
        return numbers

    def ground(self, row: NDArray[Any]) -> str:
        owners = row[SPACE, : self.board.num_cells] >> OWNER
        return "".join(self.symbols[owner] for owner in owners.tolist())

    def fields(self, row: NDArray[Any]) -> dict[str, str]:
        found = {}
        if self.numbers is None:
            found["numbers"] = _to_rows(self.board, self.numbers_on(row))
        if row[HEADER, PHASE] == CONTINUE:
            found |= {"due": str(row[HEADER, DUE]), "left": str(row[HEADER, LEFT])}
        return found

    def position_bytes(self, row: NDArray[Any]) -> bytes:
        spaces = row[SPACE, : self.board.num_cells].tobytes()
        return bytes(spaces + row[HEADER, DUE : LEFT + _1].tobytes())

    def scene(self, state: State) -> Scene:
        scene = super().scene(state)
        if self.numbers is None:
            rows = state.fields()["numbers"]
            scene.numbers = dict(enumerate(map(int, self.board.from_rows(rows) or "")))
        else:
            scene.numbers = dict(enumerate(self.numbers))
        fields = state.fields()
        if "due" in fields:
            may = "up to " if self.options["cover"] == "up_to" else ""
            scene.note = f"{may}{fields['left']} more {fields['due']}s"
            scene.targets = [a for a in state.legal_actions() if a < self.board.num_cells]
        elif state.phase == "opening":
            scene.note = "open on a 2"
        for player in (0, 1):
            stones = [cell for cell, (owner, _) in scene.stones.items() if owner == player]
            sizes = sorted(map(len, self.board.groups(stones)), reverse=True)
            scene.beside[player][:] = [str(sizes[0]) if sizes else "0"]
            if sizes[1:]:
                scene.beside[player].append(" ".join(map(str, sizes[1:4])))
        return scene

    # Positions set up by hand

    def write_position(
        self,
        row: NDArray[Any],
        ground: str,
        to_play: int,
        winner: int | None,
        fields: Mapping[str, str],
    ) -> None:
        numbers = np.array(self._read_numbers(fields.get("numbers")), np.uint8)
        owners = np.array([self.symbols.index(symbol) for symbol in ground], np.uint8)
        row[SPACE, : len(ground)] = numbers | owners << OWNER
        row[HEADER, TO_PLAY] = to_play
        row[HEADER, EMPTY] = ground.count(self.symbols[0])
        counts = np.bincount(numbers[owners == 0], minlength=7)[1:]
        row[HEADER, COUNT + _1 : COUNT + _7] = counts
        in_turn = "due" in fields or "left" in fields
        if winner is not None or not counts.any():
            self._write_end(row, winner, in_turn)
        elif in_turn:
            self._write_turn(row, fields)
        elif owners.any():
            row[HEADER, [PHASE, LEFT]] = START, ANY
        elif to_play == 0:
            row[HEADER, [PHASE, DUE, LEFT]] = OPENING, TWO, YES
        else:
            raise PositionTextError(
                "the board is empty and to_play is 1: player_0 opens, so say to_play=0 or put "
                "stones on the board"
            )

    def _read_numbers(self, text: str | None) -> Sequence[int]:
        if self.numbers is not None:
            if text is not None:
                raise PositionTextError(
                    f"the numbers of {self.to_string()} are fixed: leave numbers={text} out, or "
                    f"choose one of the layouts {', '.join(DRAWN)}"
                )
            return self.numbers
        found = self.board.from_rows(text or "")
        if found is None or not set(found) <= set("123456"):
            lengths = " ".join(map(str, self.board.row_lengths))
            raise PositionTextError(
                f"a position of {self.to_string()} says what was drawn: numbers= and rows of "
                f"{lengths} digits from 1 to 6 from the top down, parted by '/', got {text!r}"
            )
        for where, cells, numbers in self._blocks:
            drawn = sorted((int(found[cell]) for cell in cells), reverse=True)
            if drawn != numbers:
                raise PositionTextError(
                    f"{self.to_string()} never draws these numbers: {where} bear "
                    f"{''.join(map(str, numbers))} in any order, got {''.join(map(str, drawn))}"
                )
        return [int(number) for number in found]

    def _write_end(self, row: NDArray[Any], winner: int | None, in_turn: bool) -> None:
        if row[HEADER, EMPTY]:
            raise PositionTextError(
                f"winner is {winner}, but {row[HEADER, EMPTY]} spaces are empty and the game ends "
                "when the board is full: say winner=none or cover them"
            )
        if in_turn:
            raise PositionTextError(
                "the board is full, which ends the game and the turn: leave due and left out"
            )
        owners = row[SPACE, : self.board.num_cells] >> OWNER
        to_play = row[HEADER, TO_PLAY]
        if not (owners == to_play + 1).any():
            raise PositionTextError(
                f"the board is full and to_play is {to_play}, the player who covered the last "
                f"space, but player_{to_play} has no stone: say to_play={1 - to_play}"
            )
        _end_game(row[None], _0, self.tables)
        if winner != row[HEADER, WINNER]:
            raise PositionTextError(
                f"the board is full and by its groups player_{row[HEADER, WINNER]} has won, got "
                f"winner {'none' if winner is None else winner}; a game that goes on needs an "
                "empty space"
            )

    def _write_turn(self, row: NDArray[Any], fields: Mapping[str, str]) -> None:
        digits = tuple(fields.get(name, "none") for name in ("due", "left"))
        if not set(digits) <= set("123456"):
            raise PositionTextError(
                "a turn in progress has both due=, the number that is being covered, and left=, "
                f"how many more may be, digits from 1 to 6; got due={digits[0]} left={digits[1]}"
            )
        due, left = map(int, digits)
        empty = int(row[HEADER, COUNT + np.uint64(due)])
        most = min(due - 1, empty)
        if left > most:
            mend = f"say left=1 to {most}" if most else "it is over: leave due and left out"
            raise PositionTextError(
                f"left is {left}, but at most {most} more can be covered on a turn that has begun "
                f"to cover up to {due} spaces marked {due}, {empty} of them still empty; {mend}"
            )
        # With fewer left than are empty it is known how many were covered; else at least one was.
        covered = due - left if left < empty else 1
        player = int(row[HEADER, TO_PLAY])
        spaces = row[SPACE, : self.board.num_cells]
        own = int((spaces == due + (int(BLACK) << player)).sum())
        if own < covered:
            raise PositionTextError(
                f"due={due} left={left} says that player_{player} has covered {covered} or more "
                f"spaces marked {due} on this turn, but it has {own} stones on such spaces"
            )
        if self.board.num_cells - int(row[HEADER, EMPTY]) == covered:
            raise PositionTextError(
                f"due={due} left={left} says that player_{player} has covered all {covered} "
                "covered spaces on this turn, but before it comes the opening: leave due and left "
                "out or put another stone on the board"
            )
        row[HEADER, [PHASE, DUE, LEFT]] = CONTINUE, due, left


def _make_blocks(
    board: HexBoard, rings: Sequence[Mapping[int, int]]
) -> list[tuple[str, list[int], list[int]]]:
    """Sets of cells that share out numbers at random: what they are, cells, numbers descending."""
    blocks = []
    distances = np.abs(np.c_[board.axial, board.axial.sum(axis=1)])  # q, r and q + r
    for ring, counts in enumerate(rings):
        cells = np.flatnonzero(distances.max(axis=1) == ring)
        at_corner = (distances[cells] == 0).any(axis=1)
        corners, others = cells[at_corner].tolist(), cells[~at_corner].tolist()
        numbers = sorted(chain.from_iterable([n] * k for n, k in counts.items()), reverse=True)
        blocks.append((f"the corners of ring {ring}", corners, numbers[: len(corners)]))
        blocks.append((f"the other cells of ring {ring}", others, numbers[len(corners) :]))
    return [block for block in blocks if block[1]]


def _make_looks() -> NDArray[np.float32]:
    """float32 (2*2*7*6*24, 8): the planes of a space, and one float more that is overwritten.

    By observing player, whether it is to act, the number due (0 any, 1 nothing may be covered),
    what is left of a turn in progress, and the space.
    """
    seer, to_act, due, left, space = np.indices((2, 2, 7, 6, 24))
    number, owner = space & 7, space >> 3
    on_board = (number >= 1) & (number <= 6)
    looks = np.zeros((*space.shape, 8), np.float32)
    looks[..., 0] = on_board
    looks[..., 1] = to_act & on_board
    looks[..., 2] = (owner == 1 + seer) & on_board
    looks[..., 3] = (owner == 2 - seer) & on_board
    looks[..., 4] = number / 6
    looks[..., 5] = on_board & (owner == 0) & ((due == 0) | (due == number)) & (due != 1)
    looks[..., 6] = left * on_board / 6
    return looks.reshape(-1, 8)


LOOKS = _make_looks().ravel()
LOOKS.flags.writeable = False


@kernel
def start(rows: Any, b: Any, tables: Any, seed: Any) -> None:
    b = np.uint64(b)
    clear_row(rows, b)
    n = tables[FACTS, NUM_CELLS]
    for slot in range(n):
        number = tables[NUMBER, slot]
        rows[b, SPACE, tables[SLOT, slot]] = np.uint8(number)
        rows[b, HEADER, COUNT + number] += YES
    if tables[FACTS, IS_DRAWN]:
        _shuffle(rows, b, tables, seed)
    rows[b, HEADER, EMPTY] = np.uint8(n)
    rows[b, HEADER, PHASE] = OPENING
    rows[b, HEADER, DUE] = TWO
    rows[b, HEADER, LEFT] = YES


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
# a second, of which the mask takes 5.7 and the choice 8.6.  `_end_game`, too long to be inlined, is
# called from here: called by `_cover`, it made numba count references to the arrays with atomic
# operations in every step, 67 ns.
@kernel
def step(rows: Any, b: Any, tables: Any, action: Any) -> None:
    b, action = np.uint64(b), np.uint64(action)
    left = NO
    if action != tables[FACTS, NUM_CELLS]:
        left = _cover(rows, b, action)
    if left == NO:
        if rows[b, HEADER, EMPTY] != NO:
            _end_turn(rows, b)
        else:
            _end_game(rows, b, tables)


@inlined
def _cover(rows: Any, b: Any, cell: Any) -> Any:
    """Cover a space; returns how many more this turn may cover."""
    number = rows[b, SPACE, cell]
    rows[b, SPACE, cell] = np.uint8(number + (BLACK << rows[b, HEADER, TO_PLAY]))
    rows[b, HEADER, EMPTY] -= YES
    same = COUNT + np.uint64(number)
    rows[b, HEADER, same] -= YES
    # LEFT is 1 at the opening and 6, so no bound, at the start of a turn: no case is special.
    left = min(np.uint8(min(rows[b, HEADER, LEFT], number) - YES), rows[b, HEADER, same])
    rows[b, HEADER, PHASE] = CONTINUE
    rows[b, HEADER, DUE] = number
    rows[b, HEADER, LEFT] = left
    return left


@inlined
def _end_turn(rows: Any, b: Any) -> None:
    rows[b, HEADER, TO_PLAY] = YES - rows[b, HEADER, TO_PLAY]
    rows[b, HEADER, PHASE] = START
    rows[b, HEADER, DUE] = NO
    rows[b, HEADER, LEFT] = ANY


@kernel
def _end_game(rows: Any, b: Any, tables: Any) -> None:
    """Who has won on a full board: 0.35 us a game on side 6."""
    n = tables[FACTS, NUM_CELLS]
    for cell in range(n):
        _join(rows, b, tables, cell)
    # A player has at most 113 groups on side 9 (a row of k cells has room for k/2, rounded up),
    # so a balance can't run over.
    for cell in range(n):
        rows[b, BALANCE, cell + _1] = EVEN
    for cell in range(n):
        if np.uint64(rows[b, ROOT, cell]) == cell:
            size = np.uint64(rows[b, SIZE, cell])
            if rows[b, SPACE, cell] < _2 * np.uint64(BLACK):
                rows[b, BALANCE, size] += YES
            else:
                rows[b, BALANCE, size] -= YES
    # Two descending lists of sizes first differ at the largest size that one has more often; there
    # is one, for else both players would have equally many stones.
    decisive = n
    while rows[b, BALANCE, decisive] == EVEN:
        decisive -= _1
    rows[b, HEADER, OVER] = YES
    rows[b, HEADER, WINNER] = np.uint8(rows[b, BALANCE, decisive] < EVEN)
    rows[b, HEADER, PHASE] = START
    rows[b, HEADER, DUE] = NO
    rows[b, HEADER, LEFT] = NO


@inlined
def _join(rows: Any, b: Any, tables: Any, cell: Any) -> None:
    """Join a cell with the groups of its player that it touches among the cells before it."""
    owner = rows[b, SPACE, cell] >> OWNER
    root = cell
    rows[b, ROOT, cell] = np.uint8(cell)
    rows[b, SIZE, cell] = YES
    for k in range(_3):
        near = tables[EARLIER + k, cell]
        if rows[b, SPACE, near] >> OWNER == owner:
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
    b = np.uint64(b)
    # A space is its number alone while it is empty, so it may be covered if it lies in a range.
    due = rows[b, HEADER, DUE]
    low = due if due != NO else YES
    high = due if due != NO else ANY
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
    b, seer = np.uint64(b), seer_of(view)
    runs = (rows[b, HEADER, OVER] == NO) & (not is_cut_off(view))
    to_act = np.uint64(runs & (np.uint64(rows[b, HEADER, TO_PLAY]) == seer))
    due = np.uint64(rows[b, HEADER, DUE]) if runs else _1
    left = _0
    if runs & (rows[b, HEADER, PHASE] == CONTINUE):
        left = np.uint64(rows[b, HEADER, LEFT])
    looks = (((seer * _2 + to_act) * _7 + due) * _6 + left) * _24
    # All seven planes of a space come from a table, as in write_eight, which is written out here
    # because a call takes a seventh longer, even inlined.  The eighth float spills into
    # the next place, which comes later.  With AVX2 89 ns on side 6.  planes.flat costs nothing
    # here, planes.reshape a call and counting of references: 29 ns.
    flat = planes.flat
    places = np.uint64(planes.shape[1] * planes.shape[2])
    begin = b * places * _7
    for place in range(places - _1):
        look = looks + np.uint64(rows[b, SPACE, tables[PLACE, place]])
        at, i = begin + _7 * place, _8 * look
        f0, f1, f2, f3 = LOOKS[i], LOOKS[i + _1], LOOKS[i + _2], LOOKS[i + _3]
        f4, f5, f6, f7 = LOOKS[i + _4], LOOKS[i + _5], LOOKS[i + _6], LOOKS[i + _7]
        flat[at], flat[at + _1], flat[at + _2], flat[at + _3] = f0, f1, f2, f3
        flat[at + _4], flat[at + _5], flat[at + _6], flat[at + _7] = f4, f5, f6, f7
    look = looks + np.uint64(rows[b, SPACE, tables[PLACE, places - _1]])
    for plane in range(_7):
        flat[begin + _7 * (places - _1) + plane] = LOOKS[_8 * look + plane]


@kernel
def evaluate(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """The squares of the sizes of own groups less those of the other's."""
    b = np.uint64(b)
    n = tables[FACTS, NUM_CELLS]
    owner = np.uint8(player + 1)
    for cell in range(n):
        if rows[b, SPACE, cell] >> OWNER != NO:
            _join(rows, b, tables, cell)
    value = 0.0
    for cell in range(n):
        held_by = rows[b, SPACE, cell] >> OWNER
        if held_by != NO and np.uint64(rows[b, ROOT, cell]) == cell:
            square = np.float64(rows[b, SIZE, cell]) ** 2
            value += square if held_by == owner else -square
    return value
