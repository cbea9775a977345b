"""GIPF (Kris Burm, 1997).

The board has 37 points in 21 lines and 24 dots around it.  Columns are named a to i, numbers
count from the bottom; the ring outside is the dots::

              e9                points are numbered up the columns: 0 is b2, 3 b5, 4 c2, 36 h5
            d8  f8
          c7  e8  g7            line   its points in order
        b6  d7  f7  h6          0      b2 b3 b4 b5         the columns upwards
      a5  c6  e7  g6  i5        ...
        b5  d6  f6  h5          6      h2 h3 h4 h5
      a4  c5  e6  g5  i4        7      b2 c2 d2 e2         to the right and down
        b4  d5  f5  h4          ...
      a3  c4  e5  g4  i3        13     e8 f7 g6 h5
        b3  d4  f4  h3          14     e2 f2 g2 h2         to the right and up
      a2  c3  e4  g3  i2        ...
        b2  d3  f3  h2          20     b5 c6 d7 e8
      a1  c2  e3  g2  i1
        b1  d2  f2  h1
          c1  e2  g1
            d1  f1
              e1

In an observation a point lies at row r, its column's letter counted from b as 0, and column
number - 2 + max(0, r - 3): b2 at 0,0, e5 at 3,3 and h5 at 6,6.  All planes are 0 off the board, the
constant ones too.  `hexgames_env.core.board` has neighbours and other coordinates.

Rules, in order of play
-----------------------
player_0 is White and moves first.  A GIPF piece is two pieces stacked: it costs two from the
reserve and counts as one piece on the board.

- Push: the player puts a piece from its reserve on a dot and pushes it onto the first point of a
  line; the pieces in the way move one point on, up to the first gap.  Only a full line can't take
  a push.  Any piece can be pushed.
- In the tournament variant a player's first piece must be a GIPF piece; it may go on with GIPF
  pieces, one a turn, until its first single piece, and from then on only single pieces.  Each
  player for itself.
- Rows: a row is four or more pieces of one colour next to each other on a line.  It takes with it
  the whole occupied stretch of the line around it, both colours, up to an empty point or the edge
  on each side.  First the player who pushed removes all its rows, then the opponent all of its
  own; rows are looked at afresh after each removal.  A single row is taken without asking; with
  two or more the player chooses which to remove next.
- The single pieces of the stretch leave at once: those of the row's owner go back to its reserve,
  the others out of the game.  If the stretch holds GIPF pieces, of either colour, the row's owner
  then takes any of them, one a step (its own back to the reserve, the opponent's out of the
  game), and keeps the rest on the board.
- Each line is removed at most once by a player in one turn.  So four GIPF pieces in a row that
  are all kept stand, until their owner is asked again in the next turn.
- End, tested when a row's removal is complete: if it took the opponent's last GIPF piece on the
  board, the row's owner wins (also if it took its own last one as well); if it took only the
  owner's own last one, the owner loses.  A player who must push and has no piece in reserve
  loses: tested after all rows are removed.

There are no draws.  Nothing bounds the length of a game: pieces come back to the reserve, so
players who help each other can go on for ever.

Options
-------
``variant``: what each player begins with.

======================  =========================  ==========
value                   on the board               in reserve
======================  =========================  ==========
standard (the default)  three GIPF pieces          12
basic                   three single pieces        12
tournament              nothing                    18
======================  =========================  ==========

In basic there are no GIPF pieces.  White's points are e2, b5 and h5, Black's b2, e8 and h2.

Actions
-------
===================  ==================================================  =====================
2l, 2l+1             push a single piece onto the first, last point of   ``e1-e2``: dot, first
                     line l                                              point
42 + 2l, 42 + 2l+1   the same with a GIPF piece                          ``Ge1-e2``
84 + l               remove the row on line l                            ``xe2-e8``
105                  keep the GIPF pieces of the stretch that are left   ``keep``
106 + p              take the GIPF piece on point p                      ``xe5``
===================  ==================================================  =====================

Planes of the observation
-------------------------
0 board, 1 the observing player is to act, 2 own single pieces, 3 own GIPF pieces, 4 opponent's
single pieces, 5 opponent's GIPF pieces, 6 and 7 own and opponent's reserve divided by 18, 8
constant 1 when the player to act chooses a row, 9 in a row step the stretches of the rows of the
player to act that are still to be removed (not the one being emptied), 10 the GIPF pieces that may
be taken now, 11 and 12 constant 1 while own and opponent may still bring in GIPF pieces, 13 in a
row step constant 1 if the observing player made this turn's push.

Fields of a position's text
---------------------------
On the board a single piece is ``w`` or ``b``, a GIPF piece ``W`` or ``B``.  What is out of the
game is what is neither there nor in reserve.  Fields are left out at their usual value:

=======  ==================================================  ====================================
field    value                                               usual
=======  ==================================================  ====================================
reserve  White's and Black's pieces in reserve: ``8,12``     nothing is out of the game
bring    players who may still bring in GIPF pieces:         in the tournament variant those with
         ``0,1``, ``0``, ``1`` or ``none``                   18 in reserve, otherwise none
pusher   in a row step, who has pushed this turn             no row step
removed  lines that the player to act has removed this turn  none
         and that still bear its row: ``e2-e8,b2-h5``
left     the GIPF pieces that may be taken now: ``e5,e6``    none
=======  ==================================================  ====================================

Official notation
-----------------
``game.notations["official"]`` writes and reads whole turns as the author's records have them:
``[x-list;]push[;x-list]``, such as ``xe7,e8;c7-e7`` or ``Gd8-f7`` (`hexgames_env.core.notation`).

- A push onto an empty point is that point alone (``e3``, ``Ge8``), any other its dot and the point
  where the last piece that it moves comes to lie (``e1-e4``, ``Ga2-c4``).  Both are read for a push
  onto an empty point.  It leads to the same from each dot there: the action with the lowest number
  is taken.
- A list names the pieces that leave, ``G`` before a GIPF piece, ``*`` behind one of the other's, in
  the order of the points.  Kept GIPF pieces are in none.  Before the push stands what the other's
  push has made for the player, after it what the own push has made.
- Of several rows each has a list of its own, in the order of removal: ``e1-e5;xb2,c3;xd2,g3``.  One
  list for several rows is read too.
- Letters may be small or capital, and white space may stand around ``;`` and ``,``.

Deviations
----------
None.  Read so where the rules leave room:

- Who keeps a GIPF piece on the crossing of two of its rows must remove the second row as well.
  Board Game Arena's text, taken literally, lets it take one of the two and keep that piece; the
  author's rules don't, and the package follows them.
- What a player has removed is forgotten when the other removes its rows, and at the next push.
- A removed line is part of a position only while it bears a row of the player who removed it.
  Nothing is added to the board in a row step, so a line without a row stays without one.
- A removal that takes no GIPF piece ends no game, whatever stands on the board.
- Every row must be removed, and single pieces leave with it.  So a row on the board when a push is
  due, or a row that its owner has removed this turn, stands in a stretch of GIPF pieces alone: a
  position where it does not is refused.  In basic and standard no row at all stands at a push, for
  there are no four GIPF pieces of a colour.
- Whether play from the start could lead to a position is not asked beyond that.
- In the official notation the second point of a push is its end, never the first point of its line
  as in our texts of actions: ``e1-e2`` with a piece on e2 is refused, for it tells of another
  position.
- A record may end with a removal that no push follows: its last turn is a list alone, or ``keep``
  if nothing leaves.  What is not begun is left to the next turn; what is begun only has no text.
- A bare ``x``, which does not name the pieces, is read if it can lead to one position only.

Versions
--------
v0, as in ``gipf_v0``, ``hexgames/gipf-v0`` and ``hexgames/Gipf-v0``: rules, numbers of
actions, planes and ids stay as they are.  A change of any of those would be v1.

Source: Kris Burm, 1997: short rules of the tournament game, gipf.com/gipf/rules/rules.html, and
frequent questions, gipf.com/gipf/faq/faq.html; basic, standard and tournament rules retold,
ultraboardgames.com/gipf/standard-rules.php and tournament-rules.php.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.board import hex_board
from hexgames_env.core.game import Game
from hexgames_env.core.notation import Notation
from hexgames_env.core.options import ChoiceOption
from hexgames_env.core.scene import Scene
from hexgames_env.core.state import State
from hexgames_env.games.gipf import notation, words
from hexgames_env.games.gipf.geometry import (
    LINE_NAMES,
    LINES,
    POINT_NAMES,
    PUSHES,
    board_of,
    why_no_line,
)
from hexgames_env.games.gipf.heuristics import HEURISTICS
from hexgames_env.games.gipf.kernels import (
    KEEP,
    NUM_ACTIONS,
    PLANE_NAMES,
    POSITION,
    PUSH_GIPF,
    REMOVE,
    STATE,
    TAKE,
    evaluate,
    identity,
    mask,
    observe,
    start,
    status,
    step,
)
from hexgames_env.games.gipf.official import OfficialNotation
from hexgames_env.games.gipf.scene import scene_of
from hexgames_env.games.gipf.variants import START_POINTS, VARIANTS, Variant

__all__ = ["Gipf"]
KERNELS = start, mask, step, status, observe, evaluate, identity  # `Game` finds them in this module


class Gipf(Game):
    """GIPF; the module's docstring is the game's page.

    >>> from hexgames_env import make_game
    >>> state = make_game("gipf", variant="basic").state_from_cells(
    ...     {"e2": "w", "e3": "w", "e4": "w", "e5": "b", "c4": "b"}, reserve="1,6"
    ... )
    >>> state.step(state.parse_action("e1-e2"))  # the row takes the points e2 to e6
    >>> state.ground().strip(".")
    'b'
    >>> state.fields()
    {'reserve': '4,6'}
    """

    name = "gipf"
    title = "GIPF"
    aim = "Take pieces by rows of four, until the opponent has none in reserve or no GIPF piece."
    player_names = notation.PLAYER_NAMES
    option_types = {"variant": ChoiceOption(*VARIANTS)}
    phases = ("push", "row", "take")
    turn_phases = ("push",)  # a turn is a push and all rows that are removed after it, by either
    plane_names = PLANE_NAMES
    heuristics = HEURISTICS
    default_heuristic = "ring"
    symbols = notation.SYMBOLS
    field_names = notation.FIELD_NAMES
    notations: ClassVar[Mapping[str, Notation]] = {"official": OfficialNotation()}
    variants: ClassVar[Mapping[str, Variant]] = VARIANTS

    # In plain words
    turn_words = words.turn_words
    due_words = words.due_words
    end_words = words.end_words
    count_words = words.count_words
    illegal_words = words.illegal_words

    def __init__(self, **options: Any) -> None:
        checked = self.check_options(options)
        self.variant: str = checked["variant"]
        self._facts = facts = self.variants[self.variant]
        pieces = [0, 0]
        if facts.on_board:
            for name, player in START_POINTS.items():
                pieces[player] |= board_of([POINT_NAMES.index(name)])
        gipf = sum(pieces) if facts.on_board == "W" else 0
        super().__init__(
            checked,
            board=hex_board(4),
            num_actions=NUM_ACTIONS,
            tables=np.array([*pieces, gipf, facts.reserve, facts.brings], dtype=np.uint64),
            row=(np.uint64, 2, 18),
        )

    # Names and symmetries

    @property
    def cell_names(self) -> tuple[str, ...]:
        return POINT_NAMES

    def action_names(self, phase: int) -> Sequence[str]:
        pushes = [f"{dot}-{point}" for dot, point in PUSHES]
        return [
            *pushes,
            *("G" + push for push in pushes),
            *("x" + name for name in LINE_NAMES),
            "keep",
            *("x" + name for name in POINT_NAMES),
        ]

    def why_no_action(self, text: str) -> str:
        kinds = super().why_no_action(text)
        found = re.fullmatch(r"(x|G?)(\w+)-(\w+)", text)
        return f"{why_no_line(*found.groups())}; {kinds}" if found else kinds

    def cells_of_action(self, action: int) -> Sequence[int]:
        if action < REMOVE:  # the point that the pushed piece lies on
            line, end = divmod(action % int(PUSH_GIPF), 2)
            return [LINES[line][-end]]
        if action < KEEP:
            return LINES[action - int(REMOVE)]
        return [action - int(TAKE)] if action >= TAKE else []

    def map_actions(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        pushes, lines = [], []
        for line in LINES:
            image = tuple(cells[list(line)].tolist())
            turned = image not in LINES  # its points change order
            lines.append(LINES.index(image[::-1] if turned else image))
            pushes += [2 * lines[-1] + turned, 2 * lines[-1] + 1 - turned]
        return np.array(
            [
                *pushes,
                *(int(PUSH_GIPF) + push for push in pushes),
                *(int(REMOVE) + line for line in lines),
                int(KEEP),
                *(int(TAKE) + cell for cell in cells.tolist()),
            ]
        )

    def scene(self, state: State) -> Scene:
        return scene_of(state, self._facts)

    # Positions

    def ground(self, row: NDArray[Any]) -> str:
        return notation.ground_of(row)

    def position_bytes(self, row: NDArray[Any]) -> bytes:
        return row[STATE, POSITION].tobytes()

    def fields(self, row: NDArray[Any]) -> dict[str, str]:
        return notation.fields_of(self._facts, row)

    def write_position(
        self,
        row: NDArray[Any],
        ground: str,
        to_play: int,
        winner: int | None,
        fields: Mapping[str, str],
    ) -> None:
        notation.write_position(self._facts, row, ground, to_play, winner, fields)
