"""Rive (Mark Steere, 2010).

Rules, in order of play
-----------------------
A group is a maximal connected set of stones of both colours.  The board starts empty, and
player_0 (Black) moves first.  On its turn a player places stones of its own colour, one a step:

- Where: give every empty cell the size of the largest group that it touches, 0 if it touches
  none.  A placement is legal exactly on the empty cells with the smallest such number, inside a
  turn too.
- Non-capturing placement: the stone touches no group or one.  It ends the turn.
- Capturing placement: the stone touches two or three groups, the largest of them of L stones, and
  joins them into one.  Then the same player removes stones of either colour from the joined group,
  one a step, until L+1 are left; a removal must not split the group.  After the last one the same
  player must place again.
- The game ends when the board is full: the player with more stones has won.

The number of cells is odd, so there are no draws.  A placement always exists, and while removals
are due, the stone just placed is what holds the joined group together, so it stays.

Options
-------
=========  =======  ======================
side       5        cells along an edge, 2 to 9
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
============  ===========================================  ====================
0 to N-1      when a placement is due: place a stone on    the cell's name:
              that cell                                    ``c3``
0 to N-1      when a removal is due: remove the stone on   ``x`` and the name:
              that cell                                    ``xc3``
============  ===========================================  ====================

Planes of the observation
-------------------------
0 board, 1 the observing player is to act, 2 own stones, 3 opponent's stones, 4 size of the stone's
group divided by N; when a removal is due, else 0: 5 stones of the joined group, 6 the stone just
placed, 7 constant: removals due divided by N.

Deviations
----------
None.  Two readings:

- A position is the stones, who is to play, and when removals are due, the stone just placed (plane
  6 shows it) and how many are due: in its text ``placed=c4 removals=2``.  Whether a turn has just
  begun or goes on after a capture makes no difference to what follows, so it is no part of it.
- A position set up by hand may be any from which play can go on by the rules; whether it can come
  about from the empty board is not asked.  When a removal is due, that means: without the stone
  just placed the joined group falls apart, and the removals leave at least its largest part.

Versions
--------
v0, as in ``rive_v0``, ``hexgames/rive-v0`` and ``hexgames/Rive-v0``: rules, numbers of
actions, planes and ids stay as they are.  A change of any of those would be v1.

Source: the author's sheet, Mark Steere, 2010, whose address we don't know; Board Game Arena's
summary, boardgamearena.com/gamepanel?game=rive, and tips, en.doc.boardgamearena.com/Tips_rive; a
retelling, boardgamewikia.com/rive-2010.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.board import hex_board
from hexgames_env.core.game import Game
from hexgames_env.core.options import IntegerOption
from hexgames_env.core.scene import Scene
from hexgames_env.core.state import State
from hexgames_env.engine import (
    write_groups,
)
from hexgames_env.errors import PositionTextError
from hexgames_env.games.rive import words
from hexgames_env.games.rive.kernels import (
    COLOUR,
    HEADER,
    LABEL,
    OFF,
    OVER,
    PLACED,
    PLANE_NAMES,
    REMOVALS,
    ROW_PLANES,
    SIDES,
    SIZE,
    TO_PLAY,
    evaluate,
    identity,
    make_tables,
    mask,
    observe,
    start,
    status,
    step,
)

__all__ = ["Rive"]
KERNELS = start, mask, step, status, observe, evaluate, identity  # `Game` finds them in this module


class Rive(Game):
    """Rive on a board of side 2 to 9; the module's docstring is the game's page."""

    name = "rive"
    title = "Rive"
    aim = "Have more stones than the opponent when the board is full."
    option_types = {"side": IntegerOption(5, SIDES[0], SIDES[-1])}
    phases = ("placement", "removal")
    plane_names = PLANE_NAMES
    field_names = ("placed", "removals")

    # In plain words
    turn_words = words.turn_words
    due_words = words.due_words
    end_words = words.end_words
    illegal_words = words.illegal_words

    def __init__(self, **options: Any) -> None:
        checked = self.check_options(options)
        board = hex_board(checked["side"])
        places = board.padded
        span = -(-int(places[-1] - places[0] + 1) // 64) * 64
        super().__init__(
            checked,
            board=board,
            num_actions=board.num_cells,
            tables=make_tables(board, span),
            row=(np.uint8, ROW_PLANES, span + 2 * board.pitch + 2),
        )

    def action_names(self, phase: int) -> Sequence[str]:
        return [f"x{name}" if phase else name for name in self.cell_names]

    def ground(self, row: NDArray[Any]) -> str:
        return "".join([self.symbols[s] for s in row[COLOUR, self.board.padded].tolist()])

    def fields(self, row: NDArray[Any]) -> dict[str, str]:
        placed, removals = row[HEADER, 2:4].tolist()
        if not removals:
            return {}
        return {"placed": self.cell_names[placed - 1], "removals": str(removals)}

    def position_bytes(self, row: NDArray[Any]) -> bytes:
        return bytes(row[COLOUR].tobytes() + row[HEADER, 2:4].tobytes())

    def scene(self, state: State) -> Scene:
        scene = super().scene(state)
        fields = state.fields()
        if fields:
            placed = self.cell_by_name[fields["placed"]]
            groups = self.board.groups(scene.stones)
            scene.area = next(group for group in groups if placed in group)
            scene.focus = [placed]
        return scene

    def write_position(
        self,
        row: NDArray[Any],
        ground: str,
        to_play: int,
        winner: int | None,
        fields: Mapping[str, str],
    ) -> None:
        places = self.board.padded
        row[COLOUR] = OFF
        row[COLOUR, places] = [self.symbols.index(symbol) for symbol in ground]
        row[HEADER, TO_PLAY] = to_play
        row[HEADER, 4:6] = ground.count(self.symbols[1]), ground.count(self.symbols[2])
        stones = {cell for cell, symbol in enumerate(ground) if symbol != self.symbols[0]}
        write_groups(self.board.groups(stones), places, row[LABEL], row[SIZE])
        self._check_outcome(row, winner)
        if fields:
            self._write_removals(row, stones, fields)

    def _check_outcome(self, row: NDArray[Any], winner: int | None) -> None:
        """Refuse a full board without its winner, and a winner without a full board."""
        counts = row[HEADER, 4:6].tolist()
        have = f"here they have {counts[0]} and {counts[1]} of {self.board.num_cells} cells"
        if sum(counts) < self.board.num_cells:
            if winner is not None:
                raise PositionTextError(
                    f"winner must be none until the board is full: {have}, got winner={winner}"
                )
            return
        most = int(counts[1] > counts[0])
        if winner != most:
            raise PositionTextError(
                f"on a full board the player with more stones has won, so winner must be {most}: "
                f"{have}, got winner={'none' if winner is None else winner}"
            )
        to_play = int(row[HEADER, TO_PLAY])
        if not counts[to_play]:
            raise PositionTextError(
                f"on a full board to_play is the player of the last step, whose stone lies there: "
                f"{have}, got to_play={to_play}"
            )
        row[HEADER, OVER] = 1

    def _write_removals(
        self, row: NDArray[Any], stones: set[int], fields: Mapping[str, str]
    ) -> None:
        """Write what is due of a capture, having checked that it can be carried through.

        With L as in the rules above, L+1 stones are to be left of the joined group.  Each of the
        two or three groups that the placed stone joined had at most L, and what is left of them
        now is the parts into which the group falls without that stone; so none is larger than L.
        That is enough: whatever is removed, two parts or more are left until L+1 stones are.
        """
        if len(fields) < 2:
            raise PositionTextError(
                f"placed=... and removals=... come together, when removals are due: "
                f"got only {next(iter(fields))}=..."
            )
        text = fields["placed"]
        if text not in self.cell_by_name:
            raise PositionTextError(
                f"placed must be the cell of the stone just placed, "
                f"{self.cell_names[0]} to {self.cell_names[-1]}, got {text!r}"
            )
        cell = self.cell_by_name[text]
        place = self.board.padded[cell]
        own = self.symbols[1 + int(row[HEADER, TO_PLAY])]
        if row[COLOUR, place] != row[HEADER, TO_PLAY] + 1:
            raise PositionTextError(
                f"placed must be a stone of the player to play, {own}, but on {text} lies "
                f"{self.symbols[row[COLOUR, place]]}"
            )
        places = self.board.padded
        group = {stone for stone in stones if row[LABEL, places[stone]] == row[LABEL, place]}
        parts = sorted(map(len, self.board.groups(group - {cell})), reverse=True)
        most = sum(parts[1:])
        if not most:
            raise PositionTextError(
                f"no removals are due after a stone on {text}: it joins no groups there, for its "
                f"group is of one piece without it.  Leave placed and removals out"
            )
        if fields["removals"] not in map(str, range(1, most + 1)):
            raise PositionTextError(
                f"removals must be from 1 to {most}, for without {text} its group falls into parts "
                f"of {', '.join(map(str, parts))} stones, and as many as the largest has, and "
                f"{text}, are left at least; got {fields['removals']!r}"
            )
        row[HEADER, PLACED] = cell + 1
        row[HEADER, REMOVALS] = int(fields["removals"])
        row[LABEL, places[list(group)]] = cell + 1
