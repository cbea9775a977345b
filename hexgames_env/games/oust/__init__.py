"""Oust (Mark Steere, 2007).

Rules, in order of play
-----------------------
A group is a maximal connected set of stones of one colour.  The board starts empty, and
player_0 (Black) moves first.  On its turn a player places stones of its own colour on empty
cells, one a step:

- Non-capturing placement: the stone touches no own stone (it may touch enemy stones).  It ends
  the turn.
- Capturing placement: the stone touches own stones and makes one new group with all own groups
  that it touches.  Legal only if that group touches at least one enemy group and every enemy group
  that it touches is strictly smaller.  All of those are removed, and the player must go on.
- A capture that removes the last enemy stone wins at once.
- Pass: legal exactly when the player has no legal placement, at the start of a turn or inside
  one; it ends the turn.
- Swap (``pie_rule``): the second player, on its first turn, may take over the stone on the board
  instead of placing one; then the first player is to move.

There are no draws.

Options
-------
=========  =======  ======================
side       7        cells along an edge, 2 to 9
pie_rule   True     whether the second player may swap
=========  =======  ======================

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
============  =======================================  =================
0 to N-1      place a stone on that cell               its name: ``c3``
N             pass                                     ``pass``
N+1           swap (only there with ``pie_rule``)      ``swap``
============  =======================================  =================

Planes of the observation
-------------------------
0 board, 1 the observing player is to act, 2 own stones, 3 opponent's stones, 4 size of the stone's
group divided by N, 5 constant 1 when the observing player may swap now.

Deviations
----------
None.  A position is the stones and who is to play; whether a turn has just begun or goes on after
a capture makes no difference to what follows, so it is no part of it.

Versions
--------
v0, as in ``oust_v0``, ``hexgames/oust-v0`` and ``hexgames/Oust-v0``: rules, numbers of
actions, planes and ids stay as they are.  A change of any of those would be v1.

Source: the author's sheet, Mark Steere, July 2007, gamerz.net/~pbmserv/oust.html, whose text speaks
of squares and takes any grid; about it, mindsports.nl/index.php/arena/oust/733-about-oust.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.board import hex_board
from hexgames_env.core.game import Game
from hexgames_env.core.options import FlagOption, IntegerOption
from hexgames_env.core.words import player_words
from hexgames_env.engine import (
    write_groups,
)
from hexgames_env.errors import PositionTextError
from hexgames_env.games.oust import words
from hexgames_env.games.oust.heuristics import HEURISTICS
from hexgames_env.games.oust.kernels import (
    HEADER_BYTES,
    LABEL,
    MASK,
    OFF,
    OVER,
    PLANE_NAMES,
    ROW_PLANES,
    SIDES,
    SIZE,
    STONES,
    THREAT,
    TO_PLAY,
    ZERO,
    evaluate,
    identity,
    make_tables,
    mask,
    observe,
    start,
    status,
    step,
)

__all__ = ["Oust"]
KERNELS = start, mask, step, status, observe, evaluate, identity  # `Game` finds them in this module


class Oust(Game):
    """Oust on a board of side 2 to 9; the module's docstring is the game's page."""

    name = "oust"
    title = "Oust"
    aim = "Take all stones of the opponent off the board."
    option_types = {"side": IntegerOption(7, SIDES[0], SIDES[-1]), "pie_rule": FlagOption(True)}
    phases = ("placement",)
    plane_names = PLANE_NAMES
    heuristics = HEURISTICS
    default_heuristic = "groups"

    # In plain words
    turn_words = words.turn_words
    due_words = words.due_words
    end_words = words.end_words
    illegal_words = words.illegal_words

    def __init__(self, **options: Any) -> None:
        checked = self.check_options(options)
        board = hex_board(checked["side"])
        n = board.num_cells
        span = int(board.padded[-1] - board.padded[0] + 1)
        span += -span % 64 if span % 64 > 8 else 0
        super().__init__(
            checked,
            board=board,
            num_actions=n + 1 + checked["pie_rule"],
            tables=make_tables(board, span, checked["pie_rule"]),
            row=(np.uint8, ROW_PLANES, span + 2 * board.pitch + 2 + HEADER_BYTES),
        )

    def action_names(self, phase: int) -> Sequence[str]:
        return [*self.cell_names, "pass", "swap"][: self.num_actions]

    def ground(self, row: NDArray[Any]) -> str:
        black, white = row[2:4, self.board.padded] != 0
        return "".join(self.symbols[s] for s in (black + 2 * white).tolist())

    def position_bytes(self, row: NDArray[Any]) -> bytes:
        return bytes((row[2:4] != 0).tobytes())

    def write_position(
        self,
        row: NDArray[Any],
        ground: str,
        to_play: int,
        winner: int | None,
        fields: Mapping[str, str],
    ) -> None:
        places = self.board.padded
        row[LABEL] = OFF
        row[LABEL, places] = ZERO
        header = row[THREAT, -HEADER_BYTES:]
        groups = [self._groups(ground, symbol) for symbol in self.symbols[1:]]
        for player in (0, 1):
            header[int(STONES) + player] = ground.count(self.symbols[1 + player])
            write_groups(groups[player], places, row[LABEL], row[int(SIZE) + player])
        for player in (0, 1):
            enemy = row[int(SIZE) + 1 - player]
            for group in groups[player]:
                near = [places[n] for cell in group for n in self.board.neighbours[cell]]
                threat = enemy[near].max(initial=0)
                if len(group) > 1 and threat > 1:  # then both might get stuck, and pass for ever
                    raise PositionTextError(
                        "of two groups that touch, one of each player, one is a single stone in "
                        f"any game: here the group of {self.symbols[1 + player]} at "
                        f"{self.cell_names[group[0]]} and one that it touches have {len(group)} "
                        f"and {threat} stones"
                    )
                row[THREAT, places[group]] = threat
        header[TO_PLAY] = to_play
        self._check_outcome(row, winner)
        if winner is None:
            self._check_can_end(ground)

    def _groups(self, ground: str, symbol: str) -> list[list[int]]:
        return self.board.groups(cell for cell, what in enumerate(ground) if what == symbol)

    def _check_outcome(self, row: NDArray[Any], winner: int | None) -> None:
        """Refuse a winner that can't be, and a position in which nobody can ever place."""
        header = row[THREAT, -HEADER_BYTES:]
        counts = header[2:4].tolist()
        to_play = int(header[TO_PLAY])
        if winner is not None:
            if counts[1 - winner] or counts[winner] < 2 or to_play != winner:
                raise PositionTextError(
                    f"{player_words(self, winner)} can have won only by the last step, which left "
                    f"the other no stone: here they have {counts[0]} and {counts[1]} and to_play "
                    f"is {to_play}"
                )
            header[OVER] = 1
            return
        for player in (1 - to_play, to_play):
            header[TO_PLAY] = player
            mask(row[None], 0, self.tables)
            if row[MASK, : self.board.num_cells].any():
                break
        else:
            raise PositionTextError(
                f"neither player can place a stone here, which can't come about: {self.ground(row)}"
            )
        header[TO_PLAY] = to_play

    def _check_can_end(self, ground: str) -> None:
        """Refuse a position from which the board may fill up, so that both pass for ever.

        That takes a group of several stones with no two cells next to each other outside it.  In a
        game such a group is only made by a capture of the other's last stone, which ends it.
        """
        for symbol in self.symbols[1:]:
            for group in self._groups(ground, symbol):
                if len(group) == 1:
                    continue
                outside = set(range(len(ground))).difference(group)
                if all(outside.isdisjoint(self.board.neighbours[cell]) for cell in outside):
                    raise PositionTextError(
                        f"the group of {symbol} at {self.cell_names[group[0]]} leaves the other no "
                        "two cells next to each other: it would have won when it was made"
                    )
