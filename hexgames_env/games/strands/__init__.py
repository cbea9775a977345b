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

The fixed layouts, from the top row down::

    "5"                   "6"                       "6-low"
        6 4 4 4 6              6 4 4 4 4 6               3 3 3 3 3 3
       4 3 3 3 3 4            4 3 3 3 3 3 4             3 2 2 2 2 2 3
      4 2 2 2 2 2 4          4 3 2 2 2 2 3 4           3 2 2 2 2 2 2 3
     4 3 2 2 2 2 3 4        4 3 2 2 2 2 2 3 4         3 2 2 2 2 2 2 2 3
    6 3 2 2 1 2 2 3 6      4 3 2 2 2 2 2 2 3 4       3 2 2 2 2 2 2 2 2 3
     4 3 2 2 2 2 3 4      6 3 2 2 2 1 2 2 2 3 6     3 2 2 2 2 1 2 2 2 2 3
      4 2 2 2 2 2 4        4 3 2 2 2 2 2 2 3 4       3 2 2 2 2 2 2 2 2 3
       4 3 3 3 3 4          4 3 2 2 2 2 2 3 4         3 2 2 2 2 2 2 2 3
        6 4 4 4 6            4 3 2 2 2 2 3 4           3 2 2 2 2 2 2 3
                              4 3 3 3 3 3 4             3 2 2 2 2 2 3
                               6 4 4 4 4 6               3 3 3 3 3 3

    "7"
          6 6 5 5 5 6 6
         6 4 3 3 3 3 4 6
        5 3 3 2 2 2 3 3 5
       5 3 2 2 2 2 2 2 3 5
      5 3 2 2 2 2 2 2 2 3 5
     6 3 2 2 2 2 1 2 2 2 4 6
    6 4 3 2 2 1 1 1 2 2 3 4 6
     6 4 2 2 2 1 2 2 2 2 3 6
      5 3 2 2 2 2 2 2 2 3 5
       5 3 2 2 2 2 2 2 3 5
        5 3 3 2 2 2 3 3 5
         6 4 3 3 3 3 4 6
          6 6 5 5 5 6 6

The random layouts are drawn for each game from its seed, ring by ring: the highest numbers of a
ring go to its six corners, at random, the others to its other cells, at random.

Cells
-----
Rows bear letters from the bottom up; in a row, cells count from the left.  A board of side n has
N = 3n(n-1)+1 cells, numbered along each row from the bottom row up.  In an observation the cell
that is number i in row r, both from 0, lies at row r, column i + max(0, r - n + 1).  On side 3::

      e1  e2  e3               16 17 18                 4,2 4,3 4,4
    d1  d2  d3  d4           12 13 14 15              3,1 3,2 3,3 3,4
  c1  c2  c3  c4  c5        7  8  9 10 11     row,  2,0 2,1 2,2 2,3 2,4
    b1  b2  b3  b4            3  4  5  6     column   1,0 1,1 1,2 1,3
      a1  a2  a3               0  1  2                  0,0 0,1 0,2

All planes are 0 off the board, the constant ones too.  `hexgames_env.core.board` has neighbours,
corners and other coordinates.

Actions
-------
========  ===================================================================  ===============
0 to N-1  cover that space                                                     its name: ``c3``
N         stop: legal only with "up_to", after the first covering of a turn    ``stop``
========  ===================================================================  ===============

Planes of the observation
-------------------------
0 board, 1 the observing player is to act, 2 own stones, 3 opponent's stones, 4 the number on the
space (covered or not) divided by 6, 5 the spaces that may be covered now, 6 constant: how many
more this turn may still cover, divided by 6; 0 at the start of a turn.

Fields of a position
--------------------
``due`` and ``left``, inside a turn only: the number that is being covered, and how many more
spaces of it may be; never more than there are.  ``numbers``, with a random layout only: what was
drawn, rows from the top down separated by ``/``.

Deviations
----------
None.  How many spaces a turn has covered matters only through ``left``, so positions that differ
in it alone are the same.  The opening has ``left`` 0 in plane 6, as any start of a turn.  In a
position set up by hand any stones may lie anywhere; the turn in progress must be possible.

Versions
--------
v0, as in ``strands_v0``, ``hexgames/strands-v0`` and ``hexgames/Strands-v0``: rules, numbers of
actions, planes and ids stay as they are.  A change of any of those would be v1.

Source: the rules by Nick Bentley, 2022, whose own sheet's address we don't know; "up to X" as on
Board Game Arena, en.doc.boardgamearena.com/Gamehelpstrands, "exactly X" as on igGameCenter,
iggamecenter.com/info/en/strands.html.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.board import hex_board
from hexgames_env.core.game import Game
from hexgames_env.core.options import ChoiceOption
from hexgames_env.core.scene import Scene
from hexgames_env.core.state import State
from hexgames_env.core.words import number_of, player_words
from hexgames_env.errors import PositionTextError
from hexgames_env.games.strands import words
from hexgames_env.games.strands.heuristics import HEURISTICS
from hexgames_env.games.strands.kernels import (
    ANY,
    CONTINUE,
    DUE,
    EMPTY_OF,
    HEADER,
    HEADER_LENGTH,
    LEFT,
    NUM_EMPTY,
    OPENING,
    OWNED,
    OWNER,
    PHASE,
    PLANE_NAMES,
    ROW_PLANES,
    SPACE,
    START,
    TO_PLAY,
    WINNER,
    end_game,
    evaluate,
    identity,
    make_tables,
    mask,
    numbers_in,
    observe,
    start,
    status,
    step,
)
from hexgames_env.games.strands.layouts import (
    DRAWN,
    FIXED,
    SIDES,
    Block,
    LayoutOption,
    from_rows,
    make_blocks,
    to_rows,
)

__all__ = ["Strands"]
KERNELS = start, mask, step, status, observe, evaluate, identity  # `Game` finds them in this module


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
    aim = "Own the largest connected group of stones when the board is full."
    option_types = {"layout": LayoutOption(), "cover": ChoiceOption("up_to", "exactly")}
    phases = ("opening", "start", "continue")
    plane_names = PLANE_NAMES
    field_names = ("numbers", "due", "left")
    heuristics = HEURISTICS
    default_heuristic = "fill"

    # In plain words
    turn_words = words.turn_words
    due_words = words.due_words
    end_words = words.end_words
    count_words = words.count_words
    illegal_words = words.illegal_words

    def __init__(self, **options: Any) -> None:
        checked = self.check_options(options)
        layout = checked["layout"]
        self._blocks: list[Block] = []
        self.numbers: tuple[int, ...] | None = None
        if layout in DRAWN:
            board = hex_board(len(DRAWN[layout]))
            self._blocks = make_blocks(board, DRAWN[layout])
        else:
            text = from_rows(FIXED[layout]) if isinstance(layout, str) else layout
            self.numbers = tuple(map(int, text or ()))
            board = hex_board(SIDES[len(self.numbers)])
        super().__init__(
            checked,
            board=board,
            num_actions=board.num_cells + 1,
            tables=make_tables(board, self.numbers, self._blocks, checked["cover"] == "up_to"),
            row=(np.uint8, ROW_PLANES, max(board.num_cells + 1, HEADER_LENGTH)),
        )

    def action_names(self, phase: int) -> Sequence[str]:
        return [*self.cell_names, "stop"]

    def keeps_rules(self, cells: NDArray[np.int64]) -> bool:
        numbers = np.array(self.numbers)
        return self.numbers is None or bool((numbers[cells] == numbers).all())

    def ground(self, row: NDArray[Any]) -> str:
        owners = row[SPACE, : self.board.num_cells] >> OWNER
        return "".join(self.symbols[owner] for owner in owners.tolist())

    def fields(self, row: NDArray[Any]) -> dict[str, str]:
        found = {}
        if self.numbers is None:
            found["numbers"] = to_rows(self.board, numbers_in(row, self.board.num_cells))
        if row[HEADER, PHASE] == CONTINUE:
            found |= {"due": str(row[HEADER, DUE]), "left": str(row[HEADER, LEFT])}
        return found

    def position_bytes(self, row: NDArray[Any]) -> bytes:
        spaces = row[SPACE, : self.board.num_cells].tobytes()
        return bytes(spaces + row[HEADER, DUE : LEFT + 1].tobytes())

    def scene(self, state: State) -> Scene:
        scene = super().scene(state)
        scene.numbers = dict(enumerate(words.numbers_of(state)))
        if "due" in state.fields():
            scene.targets = [a for a in state.legal_actions() if a < self.board.num_cells]
        for player in (0, 1):
            sizes = words.group_sizes(state, player)
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
        row[HEADER, NUM_EMPTY] = ground.count(self.symbols[0])
        counts = np.bincount(numbers[owners == 0], minlength=7)[1:]
        row[HEADER, EMPTY_OF + 1 : EMPTY_OF + 7] = counts
        in_turn = "due" in fields or "left" in fields
        if winner is not None or not counts.any():
            self._write_end(row, winner, in_turn)
        elif in_turn:
            self._write_turn(row, fields)
        elif owners.any():
            row[HEADER, [PHASE, LEFT]] = START, ANY
        elif to_play == 0:
            row[HEADER, [PHASE, DUE, LEFT]] = OPENING, 2, 1
        else:
            raise PositionTextError(
                f"the board is empty and to_play is 1: {player_words(self, 0)} opens, so say "
                "to_play=0 or put stones on the board"
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
                f"{lengths} digits from 1 to 6 from the top down, separated by '/', got {text!r}"
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
        if row[HEADER, NUM_EMPTY]:
            raise PositionTextError(
                f"winner is {winner}, but {row[HEADER, NUM_EMPTY]} spaces are empty and the game "
                "ends when the board is full: say winner=none or cover them"
            )
        if in_turn:
            raise PositionTextError(
                "the board is full, which ends the game and the turn: leave due and left out"
            )
        owners = row[SPACE, : self.board.num_cells] >> OWNER
        to_play = int(row[HEADER, TO_PLAY])
        if not (owners == to_play + 1).any():
            raise PositionTextError(
                f"the board is full and to_play is {to_play}, the player who covered the last "
                f"space, but {player_words(self, to_play)} has no stone: say "
                f"to_play={1 - to_play}"
            )
        end_game(row[None], np.uint64(0), self.tables)
        if winner != row[HEADER, WINNER]:
            raise PositionTextError(
                "the board is full and by its groups "
                f"{player_words(self, int(row[HEADER, WINNER]))} has won, got winner "
                f"{'none' if winner is None else winner}; a game that goes on needs an empty space"
            )

    def _write_turn(self, row: NDArray[Any], fields: Mapping[str, str]) -> None:
        digits = tuple(fields.get(name, "none") for name in ("due", "left"))
        if not set(digits) <= set("123456"):
            raise PositionTextError(
                "a turn in progress has both due=, the number that is being covered, and left=, "
                f"how many more may be, digits from 1 to 6; got due={digits[0]} left={digits[1]}"
            )
        due, left = map(int, digits)
        empty = int(row[HEADER, EMPTY_OF + np.uint64(due)])
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
        own = int((spaces == due + (int(OWNED) << player)).sum())
        if own < covered:
            raise PositionTextError(
                f"due={due} left={left} says that {player_words(self, player)} has covered "
                f"{covered} or more spaces marked {due} on this turn, but it has "
                f"{number_of(own, 'stone')} on such spaces"
            )
        if self.board.num_cells - int(row[HEADER, NUM_EMPTY]) == covered:
            raise PositionTextError(
                f"due={due} left={left} says that {player_words(self, player)} has covered all "
                f"{covered} covered spaces on this turn, but before it comes the opening: leave "
                "due and left out or put another stone on the board"
            )
        row[HEADER, [PHASE, DUE, LEFT]] = CONTINUE, due, left
