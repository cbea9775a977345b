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
  then takes any of them, one a step (its own back to the reserve, the other's out of the game),
  and keeps the rest on the board.
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
0 board, 1 the observing player is to act, 2 own single pieces, 3 own GIPF pieces, 4 other's
single pieces, 5 other's GIPF pieces, 6 and 7 own and other's reserve divided by 18, 8 constant 1
when the player to act chooses a row, 9 in a row step the stretches of the rows of the player to
act that are still to be removed (not the one being emptied), 10 the GIPF pieces that may be taken
now, 11 and 12 constant 1 while own and other may still bring in GIPF pieces, 13 in a row step
constant 1 if the observing player made this turn's push.

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

Deviations
----------
None.  Read so where the rules leave room:

- What a player has removed is forgotten when the other removes its rows, and at the next push.
- A removed line is part of a position only while it bears a row of the player who removed it.
  Nothing is added to the board in a row step, so a line without a row stays without one.
- A removal that takes no GIPF piece ends no game, whatever stands on the board.
- Every row must be removed, and single pieces leave with it.  So a row on the board when a push is
  due, or a row that its owner has removed this turn, stands in a stretch of GIPF pieces alone: a
  position where it does not is refused.  In basic and standard no row at all stands at a push, for
  there are no four GIPF pieces of a colour.
- Whether play from the start could lead to a position is not asked beyond that.

Source: the rules of GIPF by Kris Burm (1997), standard, basic and tournament.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.board import hex_board
from hexgames_env.core.game import Game
from hexgames_env.core.options import ChoiceOption
from hexgames_env.core.scene import ROW_DISTANCE, Plan, Point, Scene
from hexgames_env.core.state import State
from hexgames_env.engine import (
    clear_row,
    inlined,
    is_cut_off,
    kernel,
    pack_status,
    seer_of,
    write_eight,
)
from hexgames_env.errors import PositionTextError

# One row: uint64 (2, 18).  Plane 0 is the mask, eight actions a word; plane 1 are these words:
MASK, STATE = np.uint64(0), np.uint64(1)
WHITE, BLACK, GIPF = map(np.uint64, (0, 1, 2))  # boards; WHITE + player are a player's pieces
RESERVE = np.uint64(3)  # and 4: pieces in reserve, by player
BRING = np.uint64(5)  # a bit for each player who may still bring GIPF pieces
PUSHER = np.uint64(6)  # whose turn it is: who is to push or has pushed; 0 after the end
REMOVED = np.uint64(7)  # a bit for each line removed by the player to act that bears its row
LEFT = np.uint64(8)  # a board: the GIPF pieces that may be taken now
LAST = np.uint64(9)  # a bit for each player whose last GIPF piece this removal has taken
TO_PLAY, PHASE, OVER, WINNER = map(np.uint64, (10, 11, 12, 13))
POSITION = slice(0, 10)  # what a position is made of beside its status

# A board: point [r, c] of the grid is bit 8r + c.  A step along a line of the three directions
# is a shift by 1, 8 or 9.  Column 7 is always empty, so no shift runs from one line into another.
#
#     r = 6   . . . # # # # .   bits 48 to 55
#         5   . . # # # # # .
#         4   . # # # # # # .
#         3   # # # # # # # .   bits 24 to 31; bit 24 on the left is point e2
#         2   # # # # # # . .
#         1   # # # # # . . .
#         0   # # # # . . . .   bits 0 to 7; bit 0 is point b2
#     c =     0 1 2 3 4 5 6 7
#
# What is the same in all variants is kept in arrays of the module, which numba compiles in; the
# tables hold the start.  Random play takes 67 ns a step (mask 14, choice 8.1).

# Actions
PUSH_GIPF, ROW, KEEP, TAKE = map(np.uint64, (42, 84, 105, 106))
NUM_ACTIONS = 143
# Phases
PUSHING, CHOOSING, TAKING = map(np.uint64, (0, 1, 2))
# The tables: uint64; the three boards of the start, and the reserve of each player there
START_RESERVE = np.uint64(3)
ALL = np.uint64(18)  # a tournament player's whole reserve, before its first push

IN_RESERVE = {"basic": 12, "standard": 12, "tournament": 18}  # at the start
MOST_GIPF = {"basic": 0, "standard": 3, "tournament": 9}  # on the board, of each colour
PIECES = {"basic": 15, "standard": 18, "tournament": 18}  # of each colour in all
PLAYERS = {"0": 0, "1": 1}
START = {"e2": 0, "b5": 0, "h5": 0, "b2": 1, "e8": 1, "h2": 1}  # point and player


def _point_name(r: int, c: int) -> str:
    """The name of a point of the grid, or of a dot one place beside it."""
    return "abcdefghi"[r + 1] + str(2 + c - max(0, r - 3))


GRID: list[list[int]] = hex_board(4).grid.tolist()  # [r, c] by point number
NAMES = tuple(_point_name(r, c) for r, c in GRID)
LINES = tuple(  # the points of each line, in order
    tuple(point for point, (r, c) in enumerate(GRID) if (r, c, c - r + 3)[way] == which)
    for way in (0, 1, 2)
    for which in range(7)
)
LINE_NAMES = tuple(f"{NAMES[line[0]]}-{NAMES[line[-1]]}" for line in LINES)


def _dots(line: int) -> tuple[str, str]:
    """The names of the dots before a line's first point and after its last."""
    dr, dc = ((0, 1), (1, 0), (1, 1))[line // 7]
    (r0, c0), (r1, c1) = GRID[LINES[line][0]], GRID[LINES[line][-1]]
    return _point_name(r0 - dr, c0 - dc), _point_name(r1 + dr, c1 + dc)


PUSHES = [  # the dot and the point of push 2l, 2l+1
    (_dots(line)[end], NAMES[LINES[line][-end]]) for line in range(len(LINES)) for end in (0, 1)
]


def _why_no_line(kind: str, begin: str, end: str) -> str:
    """What is wrong with the text of a push, or of a row (kind ``x``), that is the name of none."""
    if kind == "x":
        return f"no line has {begin} and {end} as its first and its last point"
    dots = sorted({dot for dot, _ in PUSHES})
    if begin not in dots:
        what = "a point and no dot" if begin in NAMES else "no dot"
        return f"{begin} is {what}: a push begins on one of the dots {', '.join(dots)}"
    what = "a dot too" if end in dots else f"not next to {begin}" if end in NAMES else "no point"
    onto = " or ".join(point for dot, point in PUSHES if dot == begin)
    return f"{end} is {what}: from {begin} a push goes onto {onto}"


def _board(points: Sequence[int]) -> int:
    return sum({1 << BITS[point] for point in points})


BITS = [8 * r + c for r, c in GRID]  # by point
PLACES = np.array(BITS, np.uint64)
LINE_BOARDS = np.array([_board(line) for line in LINES], np.uint64)
SHIFTS = np.array([1, 8, 9], np.uint64).repeat(7)  # by line
ENTRIES = np.array([_board([line[-end]]) for line in LINES for end in (0, 1)], np.uint64)
EIGHTEENTHS = np.arange(19, dtype=np.float32) / np.float32(18)  # planes of reserves
# Where the planes of each place of the grid stand in an observation, counted in floats, by bit of
# a board; then for the points in order, and for the places off the board.
PLACE_AT = np.array([14 * (7 * (place >> 3) + (place & 7)) for place in range(56)], np.uint64)
POINT_AT = PLACE_AT[BITS]
OFF_AT = np.setdiff1d(np.arange(0, 14 * 49, 14, dtype=np.uint64), POINT_AT)
NO_PLANES = np.zeros(8, np.float32)

ON_BOARD = np.uint64(_board(range(37)))
COLUMN_0 = np.uint64(0x01010101010101)
GATHER = np.uint64(0x0102040810204080)  # times COLUMN_0's bits: bit 8r to bit 56 + r
ONES = np.uint64(0x0101010101010101)
SEVENS = np.uint64(0x7F7F7F7F7F7F7F7F)
TO_PAIRS = np.uint64(0x20204040808101)  # times four bits: to bits 0 and 8, 16 and 24, and so on
TWOS, FOURS, EIGHTS = map(np.uint64, (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))

_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15 = map(np.uint64, range(16))
_16, _18, _21, _24, _32, _36, _37, _49 = map(np.uint64, (16, 18, 21, 24, 32, 36, 37, 49))
_56, _127 = np.uint64(56), np.uint64(127)


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
    option_types = {"variant": ChoiceOption("standard", "basic", "tournament")}
    phases = ("push", "row", "take")
    plane_names = (
        "board",
        "to act",
        "own single pieces",
        "own GIPF pieces",
        "other's single pieces",
        "other's GIPF pieces",
        "own reserve",
        "other's reserve",
        "choosing a row",
        "rows to be removed",
        "GIPF pieces to take",
        "own may bring GIPF pieces",
        "other may bring GIPF pieces",
        "own push",
    )
    symbols = ".wbWB"
    field_names = ("reserve", "bring", "pusher", "removed", "left")

    def __init__(self, **options: Any) -> None:
        checked = self.check_options(options)
        self.variant: str = checked["variant"]
        boards = [0, 0, 0]
        if self.variant != "tournament":
            for name, player in START.items():
                boards[player] |= _board([NAMES.index(name)])
        if self.variant == "standard":
            boards[2] = boards[0] | boards[1]
        super().__init__(
            checked,
            board=hex_board(4),
            num_actions=NUM_ACTIONS,
            tables=np.array([*boards, IN_RESERVE[self.variant]], dtype=np.uint64),
            row=(np.uint64, 2, 18),
        )

    # Names and symmetries

    @property
    def cell_names(self) -> tuple[str, ...]:
        return NAMES

    def action_names(self, phase: int) -> Sequence[str]:
        pushes = [f"{dot}-{point}" for dot, point in PUSHES]
        return [
            *pushes,
            *("G" + push for push in pushes),
            *("x" + name for name in LINE_NAMES),
            "keep",
            *("x" + name for name in NAMES),
        ]

    def why_no_action(self, text: str) -> str:
        kinds = super().why_no_action(text)
        found = re.fullmatch(r"(x|G?)(\w+)-(\w+)", text)
        return f"{_why_no_line(*found.groups())}; {kinds}" if found else kinds

    def cells_of_action(self, action: int) -> Sequence[int]:
        if action < ROW:  # the point that the pushed piece lies on
            line, end = divmod(action % int(PUSH_GIPF), 2)
            return [LINES[line][-end]]
        if action < KEEP:
            return LINES[action - int(ROW)]
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
                *(int(ROW) + line for line in lines),
                int(KEEP),
                *(int(TAKE) + cell for cell in cells.tolist()),
            ]
        )

    def scene(self, state: State) -> Scene:
        ground, fields = state.ground(), state.fields()
        whole = self._whole_reserve(ground)
        reserve = [int(n) for n in fields.get("reserve", _listed(whole)).split(",")]
        scene = Scene(_plan(), places=_push_places(self.variant == "tournament"), dark=1)
        for point, symbol in enumerate(ground):
            if symbol != self.symbols[0]:
                scene.stones[point] = "wb".index(symbol.lower()), 1 + symbol.isupper()
        for player in (0, 1):
            out = whole[player] - reserve[player]
            scene.beside[player][:] = [str(reserve[player]), "in reserve"]
            if out:
                scene.beside[player].append(f"{out} out")
        if state.phase == "row":
            scene.note = "choose a row"
            four = re.compile("[" + "wbWB"[state.to_play :: 2] + "]{4}")
            for action in state.legal_actions():
                line = LINES[action - int(ROW)]
                text = "".join(ground[point] for point in line)
                scene.rows += [
                    line[run.start() : run.end()]
                    for run in re.finditer("[^.]+", text)
                    if four.search(run[0])
                ]
        elif state.phase == "take":
            scene.note = "take or keep"
            scene.targets = [a - int(TAKE) for a in state.legal_actions() if a >= TAKE]
        elif "bring" in fields and str(state.to_play) in fields["bring"]:
            scene.note = "push, GIPF or single"
        return scene

    # Positions

    def ground(self, row: NDArray[Any]) -> str:
        white, black, gipf = row[STATE, :3].tolist()
        return "".join(
            self.symbols[(white >> b & 1) + 2 * (black >> b & 1) + 2 * (gipf >> b & 1)]
            for b in BITS
        )

    def position_bytes(self, row: NDArray[Any]) -> bytes:
        return row[STATE, POSITION].tobytes()

    def fields(self, row: NDArray[Any]) -> dict[str, str]:
        words, ground = row[STATE].tolist(), self.ground(row)
        reserve = words[RESERVE : RESERVE + _2]
        bring = [player for player in (0, 1) if words[BRING] >> player & 1]
        removed = [name for line, name in enumerate(LINE_NAMES) if words[REMOVED] >> line & 1]
        left = [name for name, bit in zip(NAMES, BITS, strict=True) if words[LEFT] >> bit & 1]
        found = {}
        if reserve != self._whole_reserve(ground):
            found["reserve"] = _listed(reserve)
        if bring != self._must_bring(reserve):
            found["bring"] = _listed(bring)
        if words[PHASE] != PUSHING:
            found["pusher"] = str(words[PUSHER])
        if removed:
            found["removed"] = _listed(removed)
        if left:
            found["left"] = _listed(left)
        return found

    def _whole_reserve(self, ground: str) -> list[int]:
        """The reserves if nothing is out of the game: the pieces that are not on the board."""
        return [
            PIECES[self.variant] - ground.count("wb"[player]) - 2 * ground.count("WB"[player])
            for player in (0, 1)
        ]

    def _must_bring(self, reserve: list[int]) -> list[int]:
        """The players who have not pushed yet, and so must bring a GIPF piece."""
        return [p for p in (0, 1) if self.variant == "tournament" and reserve[p] == ALL]

    def write_position(
        self,
        row: NDArray[Any],
        ground: str,
        to_play: int,
        winner: int | None,
        fields: Mapping[str, str],
    ) -> None:
        state = row[STATE]
        for board, symbols in ((WHITE, "wW"), (BLACK, "bB"), (GIPF, "WB")):
            state[board] = _board([p for p, symbol in enumerate(ground) if symbol in symbols])
        reserve = self._read_reserve(ground, fields)
        bring = self._read_bring(ground, reserve, fields)
        state[RESERVE : RESERVE + _2] = reserve
        state[BRING] = sum(1 << player for player in bring)
        state[TO_PLAY] = to_play
        for name in ("pusher", "removed", "left"):
            if name in fields and (winner is not None or "pusher" not in fields):
                raise PositionTextError(
                    f"{name}={fields[name]!r} speaks of a row step: that takes pusher=0 or "
                    f"pusher=1 (who has pushed this turn), and no winner; else leave {name} out"
                )
        if winner is not None:
            self._check_end(ground, reserve, winner)
            state[OVER], state[WINNER] = 1, winner
        elif "pusher" in fields:
            self._write_row_step(state, ground, to_play, fields)
        elif reserve[to_play] == 0:
            raise PositionTextError(
                f"player_{to_play} must push and has nothing in reserve={_listed(reserve)}, so "
                f"the game would be over: give it a piece there"
            )
        else:
            _check_removed(ground, (0, 1), f"player_{to_play} is to push")
            state[PUSHER] = to_play
        for player in (0, 1):
            if winner is not None or self._has_gipf(ground, player):
                continue
            first = player in self._must_bring(reserve) and player in bring
            if state[LEFT] and not (first and player != to_play):
                state[LAST] |= 1 << player
            elif not first:
                raise PositionTextError(
                    f"player_{player} has no GIPF piece on the board and is not before its first "
                    f"push, so the game would be over: put one ({'WB'[player]}) on the board"
                )

    def _has_gipf(self, ground: str, player: int) -> bool:
        """Whether the player has a GIPF piece on the board, or has no use for one."""
        return self.variant == "basic" or "WB"[player] in ground

    def _read_reserve(self, ground: str, fields: Mapping[str, str]) -> list[int]:
        most = MOST_GIPF[self.variant]
        for player, symbol in enumerate("WB"):
            if ground.count(symbol) > most:
                raise PositionTextError(
                    f"player_{player} has {ground.count(symbol)} GIPF pieces ({symbol}) on the "
                    f"board, {self.variant} has at most {most} of a colour: "
                    f"a single piece is {symbol.lower()}"
                )
        whole = self._whole_reserve(ground)
        numbers = {str(number): number for number in range(PIECES[self.variant] + 1)}
        reserve = _read_list(fields, "reserve", numbers, whole)
        if len(reserve) != 2 or not all(0 <= r <= w for r, w in zip(reserve, whole, strict=True)):
            raise PositionTextError(
                f"reserve={_listed(reserve)} must be two numbers, White's and Black's: with what "
                f"lies on the board they are at most {max(whole[0], 0)} and {max(whole[1], 0)}, "
                f"for a player has {PIECES[self.variant]} pieces in all (a GIPF piece counts 2)"
            )
        return reserve

    def _read_bring(self, ground: str, reserve: list[int], fields: Mapping[str, str]) -> list[int]:
        bring = sorted(set(_read_list(fields, "bring", PLAYERS, self._must_bring(reserve))))
        for player in bring:
            if self.variant != "tournament" or "wb"[player] in ground:
                raise PositionTextError(
                    f"bring={_listed(bring)}: player_{player} may bring GIPF pieces only in the "
                    f"tournament variant and while it has pushed no single piece: name only "
                    f"players without a {'wb'[player]} on the board, or none"
                )
        return bring

    def _check_end(self, ground: str, reserve: list[int], winner: int) -> None:
        loser = 1 - winner
        if reserve[loser] and self._has_gipf(ground, loser):
            raise PositionTextError(
                f"player_{loser} can't have lost: it has {reserve[loser]} in reserve, and its "
                f"last GIPF piece was not taken ({self.variant} variant); "
                f"give winner=none, or a position after the end"
            )
        if self._has_gipf(ground, loser):  # else its last one was taken, and rows may be left
            _check_removed(ground, (0, 1), f"player_{loser} has lost by an empty reserve")

    def _write_row_step(
        self, state: NDArray[Any], ground: str, to_play: int, fields: Mapping[str, str]
    ) -> None:
        pushers = _read_list(fields, "pusher", PLAYERS, [])
        removed = _read_list(fields, "removed", {n: i for i, n in enumerate(LINE_NAMES)}, [])
        left = _read_list(fields, "left", {n: i for i, n in enumerate(NAMES)}, [])
        if len(pushers) != 1:
            raise PositionTextError(f"pusher must be 0 or 1, got {fields['pusher']!r}")
        rows = _rows(ground, to_play)
        for line in removed:
            if line not in rows:
                raise PositionTextError(
                    f"removed names {LINE_NAMES[line]}, but a line counts as removed only while it "
                    f"bears a row of kept GIPF pieces of player_{to_play}: leave it out"
                )
            if rows[line]:
                raise PositionTextError(
                    f"removed names {LINE_NAMES[line]}, but single pieces leave with a row, and in "
                    f"its stretch lie {_pieces(ground, rows[line])}: take them off the board, or "
                    f"leave the line out"
                )
        if pushers[0] != to_play:
            _check_removed(
                ground, pushers, f"player_{pushers[0]} has pushed and player_{to_play} is asked"
            )
        due = [LINE_NAMES[line] for line in rows if line not in removed]
        if left:
            _check_left(ground, to_play, left, removed)
        elif len(due) < 2:
            raise PositionTextError(
                f"player_{to_play} has {len(due)} rows to choose from ({_listed(due)}): in a row "
                f"step there are two or more, or GIPF pieces that may be taken, in left"
            )
        state[PUSHER], state[PHASE] = pushers[0], TAKING if left else CHOOSING
        state[REMOVED] = sum(1 << line for line in removed)
        state[LEFT] = _board(left)


def _place(r: int, c: int) -> Point:
    """Where a place of the grid lies in pictures: columns stand upright."""
    return (r - 3) * ROW_DISTANCE, c - 3 - (r - 3) / 2


def _ends(line: int) -> tuple[Point, Point]:
    """Where the dots at the ends of a line lie."""
    dr, dc = ((0, 1), (1, 0), (1, 1))[line // 7]
    (r0, c0), (r1, c1) = GRID[LINES[line][0]], GRID[LINES[line][-1]]
    return _place(r0 - dr, c0 - dc), _place(r1 + dr, c1 + dc)


@cache
def _plan() -> Plan:
    ends = [_ends(line) for line in range(len(LINES))]
    dots = dict(
        pair for line, both in enumerate(ends) for pair in zip(both, _dots(line), strict=True)
    )
    outside = []
    for (x, y), name in dots.items():
        further = 1 + 0.45 / hypot(x, y)
        outside.append(((x * further, y * further), name))
    points = [_place(r, c) for r, c in GRID]
    return Plan(points, NAMES, outside, ends, list(dots), upright=True)


@cache
def _push_places(both: bool) -> dict[int, Point]:
    """Between the dot and the first point; apart from each other if there are both kinds."""
    found = {}
    for line, ends in enumerate(map(_ends, range(len(LINES)))):
        for end in (0, 1):
            (x0, y0), (x1, y1) = ends[end], _place(*GRID[LINES[line][-end]])
            for kind, part in enumerate((0.25, 0.47) if both else (0.35, 0.35)):
                place = x0 + part * (x1 - x0), y0 + part * (y1 - y0)
                found[kind * int(PUSH_GIPF) + 2 * line + end] = place
    return found


def _listed(values: Iterable[object]) -> str:
    return ",".join(map(str, values)) or "none"


def _read_list(
    fields: Mapping[str, str], name: str, allowed: Mapping[str, int], usual: list[int]
) -> list[int]:
    """The values of a field: words out of ``allowed``, parted by commas."""
    if name not in fields:
        return usual
    words = [] if fields[name] == "none" else fields[name].split(",")
    wrong = [word for word in words if word not in allowed]
    if wrong:
        first, *_, last = allowed
        raise PositionTextError(
            f"{name}={fields[name]!r} is a list, parted by commas, of {first} ... {last}, or none: "
            f"{wrong[0]!r} is none of them"
        )
    if name != "reserve" and len(set(words)) < len(words):
        raise PositionTextError(f"{name}={fields[name]!r} names something twice: name each once")
    return [allowed[word] for word in words]


def _rows(ground: str, player: int) -> dict[int, list[int]]:
    """The single pieces in the stretch of the player's row, for each line that bears a row.

    A line has room for one row: it has seven points at most.
    """
    row = re.compile(("[^.]*[wW]{4}[^.]*", "[^.]*[bB]{4}[^.]*")[player])
    found = [(line, row.search("".join(ground[p] for p in LINES[line]))) for line in range(21)]
    return {
        line: [p for p in LINES[line][slice(*match.span())] if ground[p] in "wb"]
        for line, match in found
        if match
    }


def _check_removed(ground: str, players: Iterable[int], moment: str) -> None:
    """Refuse rows of these players that can't stand after they have removed theirs.

    A player goes on removing until each of its rows is on a line that it has removed this turn.
    From there the single pieces of the stretch have left, nothing is added before the next push,
    and other removals only take away: what stands is a part of the stretch, GIPF pieces alone.
    """
    for player in players:
        for line, singles in _rows(ground, player).items():
            if singles:
                raise PositionTextError(
                    f"player_{player}'s row on {LINE_NAMES[line]} can't stand when {moment}: it is "
                    f"removed before, and single pieces leave with a row, but in its stretch lie "
                    f"{_pieces(ground, singles)}: take them off the board"
                )


def _pieces(ground: str, points: Iterable[int]) -> str:
    return ", ".join(f"{ground[point]} on {NAMES[point]}" for point in points)


def _check_left(ground: str, owner: int, left: list[int], removed: list[int]) -> None:
    """Refuse what can't be left of a stretch: its ends are gaps, and its row was four or more."""
    marks = {"WB"[owner]: "O", "WB"[1 - owner]: "X", ".": "."}
    for line, points in enumerate(LINES):
        text = "".join(
            marks.get(ground[point], "#") if point in left or ground[point] == "." else "#"
            for point in points
        )
        if not set(left) <= set(points) or any(ground[point] not in "WB" for point in left):
            continue
        if LEFT_OF_STRETCH.fullmatch(text):
            if "OOOO" in text and line not in removed:
                raise PositionTextError(
                    f"the row on {LINE_NAMES[line]} is being removed and still stands: name it in "
                    f"removed={_listed([*(LINE_NAMES[r] for r in removed), LINE_NAMES[line]])}"
                )
            return
    raise PositionTextError(
        f"left={_listed(NAMES[p] for p in left)} can't be left of a stretch of player_{owner}: "
        f"they must be GIPF pieces on one line, all pieces between them and next to them on it "
        f"named too, with room for a row of four that no piece of the other interrupts"
    )


# O the owner's and X the other's GIPF pieces that are left, # a piece beyond the stretch
LEFT_OF_STRETCH = re.compile(r"([.#]*#[.])?[.OX]*[.O]{4}[.OX]*([.]#[.#]*)?")


@kernel
def start(rows: Any, b: Any, tables: Any, seed: Any) -> None:
    b = np.uint64(b)
    clear_row(rows, b)
    for board in range(_3):
        rows[b, STATE, board] = tables[board]
    for player in range(_2):
        rows[b, STATE, RESERVE + player] = tables[START_RESERVE]
    rows[b, STATE, BRING] = _3 if tables[START_RESERVE] == ALL else _0


@kernel
def step(rows: Any, b: Any, tables: Any, action: Any) -> None:
    b = np.uint64(b)
    action = np.uint64(action)
    player = rows[b, STATE, TO_PLAY]
    if action < ROW:
        _push(rows, b, action, player)
        # Nine pushes of ten make no row: to see that at once saves 7.6 of 74 ns a step.
        if not (_has_four(rows[b, STATE, WHITE]) | _has_four(rows[b, STATE, BLACK])):
            _end_turn(rows, b, player)
            return
    elif action < KEEP:
        _remove(rows, b, action - ROW, player)
    elif action == KEEP:
        rows[b, STATE, LEFT] = _0
    else:
        _take(rows, b, _1 << PLACES[action - TAKE], player)
    if rows[b, STATE, LEFT] == _0:
        _go_on(rows, b, player)


@inlined
def _push(rows: Any, b: Any, action: Any, player: Any) -> None:
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
            _remove(rows, b, _count(due - _1), remover)
            if rows[b, STATE, LEFT] != _0:
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
    rows[b, STATE, RESERVE + remover] += _count(singles & own)
    rows[b, STATE, WHITE] &= ~singles
    rows[b, STATE, BLACK] &= ~singles
    rows[b, STATE, REMOVED] |= _1 << line
    rows[b, STATE, LEFT] = left
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
def _count(board: Any) -> Any:
    """How many points a board has (TAOCP 7.1.3); compiled to one instruction where there is."""
    board -= board >> _1 & TWOS
    board = (board & FOURS) + (board >> _2 & FOURS)
    board = (board + (board >> _4)) & EIGHTS
    return (board * ONES) >> _56


@inlined
def _take(rows: Any, b: Any, point: Any, remover: Any) -> None:
    owner = _1 if rows[b, STATE, BLACK] & point else _0
    rows[b, STATE, owner] ^= point
    rows[b, STATE, GIPF] ^= point
    rows[b, STATE, LEFT] ^= point
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
    for word in (PUSHER, REMOVED, LEFT, LAST, PHASE):  # no part of a position after the end
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
    gaps = ON_BOARD & ~(rows[b, STATE, WHITE] | rows[b, STATE, BLACK])
    lines = _lines(gaps, gaps, gaps)
    reserve = rows[b, STATE, RESERVE + player]
    may_bring = (rows[b, STATE, BRING] >> player & _1) == _1
    single = _0 if may_bring & (reserve == ALL) else lines
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
        _allow(rows, b, ROW + line, due >> line & _1)


@inlined
def _mask_takes(rows: Any, b: Any) -> None:
    for i in range(_18):
        rows[b, MASK, i] = _0
    _allow(rows, b, KEEP, _1)
    for point in range(_37):
        _allow(rows, b, TAKE + point, rows[b, STATE, LEFT] >> PLACES[point] & _1)


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
    # The same floats for every point, in two moves of eight that overlap (see write_eight), then
    # the pieces one by one: with AVX2 66 ns.
    b, seer = np.uint64(b), seer_of(view)
    other = _1 - seer
    runs = (rows[b, STATE, OVER] == _0) & (not is_cut_off(view))
    phase = rows[b, STATE, PHASE] if runs else PUSHING
    to_play, bring = rows[b, STATE, TO_PLAY], rows[b, STATE, BRING]
    flat = planes.flat
    begin = b * _49 * _14  # where [0, 0] stands, a point: the others are copied from it
    for plane in range(_14):
        flat[begin + plane] = np.float32(0)
    flat[begin] = np.float32(1)
    flat[begin + _1] = np.float32(runs & (to_play == seer))
    flat[begin + _6] = EIGHTEENTHS[rows[b, STATE, RESERVE + seer]]
    flat[begin + _7] = EIGHTEENTHS[rows[b, STATE, RESERVE + other]]
    flat[begin + _8] = np.float32(phase == CHOOSING)
    flat[begin + _11] = np.float32(bring >> seer & _1)
    flat[begin + _12] = np.float32(bring >> other & _1)
    flat[begin + _13] = np.float32((phase != PUSHING) & (rows[b, STATE, PUSHER] == seer))
    for k in range(np.uint64(len(OFF_AT))):
        write_eight(flat, begin + OFF_AT[k], NO_PLANES, _0)
        write_eight(flat, begin + OFF_AT[k] + _6, NO_PLANES, _0)
    for point in range(_1, _37):
        at = begin + POINT_AT[point]
        write_eight(flat, at, flat, begin)
        write_eight(flat, at + _6, flat, begin + _6)
    theirs, gipf = rows[b, STATE, other], rows[b, STATE, GIPF]
    pieces = rows[b, STATE, seer] | theirs
    while pieces:
        place = _count(~pieces & (pieces - _1))  # of the lowest bit
        plane = _2 + (gipf >> place & _1) + _2 * (theirs >> place & _1)
        flat[begin + PLACE_AT[place] + plane] = np.float32(1)
        pieces &= pieces - _1
    if phase != PUSHING:
        _observe_row_step(rows, b, flat, begin, to_play)


@inlined
def _observe_row_step(rows: Any, b: Any, flat: Any, begin: Any, to_play: Any) -> None:
    """Planes 9 and 10."""
    pieces = rows[b, STATE, WHITE] | rows[b, STATE, BLACK]
    removed, left = rows[b, STATE, REMOVED], rows[b, STATE, LEFT]
    stretches = _0
    for line in range(_0, _21, _7):
        due = rows[b, STATE, to_play]
        for other_line in range(line, line + _7):
            if removed >> other_line & _1:
                due &= ~LINE_BOARDS[other_line]
        stretches |= _stretches(due, pieces, SHIFTS[line])
    for point in range(_37):
        at = begin + POINT_AT[point]
        flat[at + _9] = np.float32(stretches >> PLACES[point] & _1)
        flat[at + _10] = np.float32(left >> PLACES[point] & _1)


@kernel
def evaluate(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """Own pieces in reserve and on the board less the other's; a GIPF piece counts 3."""
    player = np.uint64(player)
    gipf = rows[b, STATE, GIPF]
    value = 0.0
    for side in range(_2):
        pieces = rows[b, STATE, WHITE + side]
        worth = rows[b, STATE, RESERVE + side] + _count(pieces) + _2 * _count(pieces & gipf)
        value += np.float64(worth) if side == player else -np.float64(worth)
    return value
