"""GIPF, slow and plain, written from its rules alone: the truth in the tests.

The rules stand at the top of hexgames_env/games/gipf.py, in order of play.

Pieces are the texts "W" and "B" (single pieces), "GW" and "GB" (GIPF pieces); points and dots are
their names. The board is a dict from point name to piece; an empty point is not in it.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator

import numpy as np

# ---------------------------------------------------------------------------------------------
# Board: 37 points in 21 lines, 24 dots around it
# ---------------------------------------------------------------------------------------------

GridPlace = tuple[int, int]


def on_board(place: GridPlace) -> bool:
    """Point [r, c] of the 7x7 grid is on the board where |r-c| <= 3."""
    r, c = place
    return 0 <= r <= 6 and 0 <= c <= 6 and abs(r - c) <= 3


def name_of(place: GridPlace) -> str:
    """Name of a point, or of a dot one place off the board: column letter a-i, number upwards."""
    r, c = place
    return "abcdefghi"[r + 1] + str(2 + c - max(0, r - 3))


# Column b is row 0, its points counted upwards, and so on: point 0 is b2, point 36 is h5.
PLACES: list[GridPlace] = [(r, c) for r in range(7) for c in range(7) if on_board((r, c))]
POINTS: list[str] = [name_of(place) for place in PLACES]
PLACE_OF: dict[str, GridPlace] = dict(zip(POINTS, PLACES, strict=True))
POINT_NUMBER: dict[str, int] = {name: number for number, name in enumerate(POINTS)}


def _lines() -> tuple[list[list[str]], list[tuple[str, str]]]:
    """The points of each line, and its two dots (before the first point, after the last point)."""
    along: list[tuple[list[GridPlace], GridPlace]] = []  # places of the line, step along it
    for r in range(7):  # 0..6: the columns b..h
        along.append(([(r, c) for c in range(7) if on_board((r, c))], (0, 1)))
    for c in range(7):  # 7..13: fixed c, growing r
        along.append(([(r, c) for r in range(7) if on_board((r, c))], (1, 0)))
    for difference in range(-3, 4):  # 14..20: fixed c-r, growing r
        places = [(r, r + difference) for r in range(7) if on_board((r, r + difference))]
        along.append((places, (1, 1)))
    lines: list[list[str]] = []
    dots: list[tuple[str, str]] = []
    for places, (dr, dc) in along:
        (first_r, first_c), (last_r, last_c) = places[0], places[-1]
        lines.append([name_of(place) for place in places])
        dots.append((name_of((first_r - dr, first_c - dc)), name_of((last_r + dr, last_c + dc))))
    return lines, dots


LINES, DOTS = _lines()

# ---------------------------------------------------------------------------------------------
# Pieces
# ---------------------------------------------------------------------------------------------

COLOURS = ("W", "B")  # of player 0 and player 1
Board = dict[str, str]
Position = tuple[object, ...]

RESERVE = {"basic": 12, "standard": 12, "tournament": 18}
TOTAL = {"basic": 15, "standard": 18, "tournament": 18}
MOST_GIPF = {"basic": 0, "standard": 3, "tournament": 9}
START = ({"e2", "b5", "h5"}, {"b2", "e8", "h2"})  # White's, Black's; basic and standard


def is_gipf(piece: str) -> bool:
    return piece.startswith("G")


def owner(piece: str) -> int:
    """The player whose colour the piece has."""
    return COLOURS.index(piece[-1])


def worth(piece: str) -> int:
    """A GIPF piece is two pieces stacked."""
    return 2 if is_gipf(piece) else 1


def start_board(variant: str) -> Board:
    board: Board = {}
    if variant == "tournament":
        return board
    for player in (0, 1):
        for point in START[player]:
            board[point] = ("G" if variant == "standard" else "") + COLOURS[player]
    return board


def count_gipf(board: Board, player: int) -> int:
    """The number of GIPF pieces of the player on the board."""
    return sum(1 for piece in board.values() if is_gipf(piece) and owner(piece) == player)


def count_worth(board: Board, player: int) -> int:
    """The player's pieces on the board, GIPF pieces counted 2."""
    return sum(worth(piece) for piece in board.values() if owner(piece) == player)


# ---------------------------------------------------------------------------------------------
# Rows
# ---------------------------------------------------------------------------------------------


def row_on(board: Board, line: int, player: int) -> list[str]:
    """The four or more pieces of the player next to each other on the line; [] if none.

    A line has at most 7 points, so it never bears two rows.
    """
    run: list[str] = []
    for point in LINES[line]:
        if point in board and owner(board[point]) == player:
            run.append(point)
        elif len(run) >= 4:
            return run
        else:
            run = []
    return run if len(run) >= 4 else []


def stretch_around(board: Board, line: int, row: list[str]) -> list[str]:
    """The whole occupied stretch of the line around the row, up to an empty point or the edge."""
    points = LINES[line]
    low = points.index(row[0])
    while low - 1 >= 0 and points[low - 1] in board:
        low -= 1
    high = points.index(row[-1])
    while high + 1 < len(points) and points[high + 1] in board:
        high += 1
    return points[low : high + 1]


# ---------------------------------------------------------------------------------------------
# Actions
# ---------------------------------------------------------------------------------------------

NUM_ACTIONS = 143
PUSH_SINGLE = 0  # + 2l or 2l+1
PUSH_GIPF = 42  # + 2l or 2l+1
REMOVE_ROW = 84  # + l
KEEP = 105
TAKE = 106  # + p


def action_name(action: int) -> str:
    """The text of an action; in GIPF it does not depend on the position."""
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"{action} is no action of the game")
    if action < REMOVE_ROW:
        gipf = action >= PUSH_GIPF
        line, end = divmod(action - (PUSH_GIPF if gipf else PUSH_SINGLE), 2)
        point = LINES[line][0] if end == 0 else LINES[line][-1]
        return ("G" if gipf else "") + DOTS[line][end] + "-" + point
    if action < KEEP:
        points = LINES[action - REMOVE_ROW]
        return "x" + points[0] + "-" + points[-1]
    if action == KEEP:
        return "keep"
    return "x" + POINTS[action - TAKE]


ACTION_OF_NAME: dict[str, int] = {action_name(action): action for action in range(NUM_ACTIONS)}

# What a player of the tournament variant may push; in the other variants always SINGLES.
FIRST = "first"  # has pushed nothing yet: must push a GIPF piece
OPENING = "opening"  # has pushed GIPF pieces only: may push either
SINGLES = "singles"  # single pieces only


class Gipf:
    """One game of GIPF."""

    num_actions: int = NUM_ACTIONS

    def __init__(self, variant: str = "standard") -> None:
        assert variant in RESERVE
        self.variant = variant
        self.board: Board = start_board(variant)
        self.reserve: list[int] = [RESERVE[variant]] * 2
        self.lost: list[int] = [0, 0]  # out of the game
        self.may_push: list[str] = [FIRST if variant == "tournament" else SINGLES] * 2
        self.to_play = 0
        self.phase = "push"
        self.winner: int | None = None
        self.events: Counter[str] = Counter()
        # The turn in progress.
        self.pusher = 0  # whose turn it is: the player who pushes
        self.remover = 0  # whose rows are being removed
        self.removed_lines: set[int] = set()  # lines removed by the remover in this turn
        # The removal in progress (phase "take").
        self.left: set[str] = set()  # GIPF pieces of the stretch not yet taken
        self.took: set[int] = set()  # players of whom this removal took a GIPF piece
        # For the events only.
        self._all_gipf = False  # the stretch being removed is all GIPF pieces
        self._taken = 0  # number of GIPF pieces this removal took
        self._pushed_last = False  # the push of this turn took the last piece of the reserve

    @classmethod
    def set_up(
        cls,
        variant: str,
        board: Board,
        reserve: tuple[int, int],
        to_play: int,
        may_bring_gipf: tuple[bool, bool] = (False, False),
    ) -> Gipf:
        """A position before a push. What is neither on the board nor in reserve is out of the game.

        A tournament player with all 18 in reserve has still to push its first piece, a GIPF piece.
        Rows may stand on the board (in play only rows of four kept GIPF pieces do).
        """
        game = cls(variant)
        assert set(board) <= set(POINTS), "no such point"
        assert set(board.values()) <= {"W", "B", "GW", "GB"}, "no such piece"
        game.board = dict(board)
        game.reserve = list(reserve)
        game.to_play = game.pusher = game.remover = to_play
        for player in (0, 1):
            assert count_gipf(board, player) <= MOST_GIPF[variant], "too many GIPF pieces"
            assert reserve[player] >= 0
            game.lost[player] = TOTAL[variant] - reserve[player] - count_worth(board, player)
            assert game.lost[player] >= 0, "too many pieces"
            if variant == "tournament":
                if reserve[player] == TOTAL[variant]:
                    game.may_push[player] = FIRST
                else:
                    game.may_push[player] = OPENING if may_bring_gipf[player] else SINGLES
                if game.may_push[player] == OPENING:
                    assert COLOURS[player] not in board.values(), "has pushed a single piece"
            else:
                assert not may_bring_gipf[player], "GIPF pieces are brought in tournament only"
        assert to_play in (0, 1) and reserve[to_play] > 0, "must push and has no piece"
        assert any(point not in board for point in POINTS), "no line takes a push"
        return game

    def copy(self) -> Gipf:
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, object]) -> Gipf:
        other = Gipf.__new__(Gipf)
        for name, value in self.__dict__.items():
            mutable = isinstance(value, (dict, list, set))  # of unchangeable things
            other.__dict__[name] = copy.copy(value) if mutable else value
        return other

    @property
    def is_over(self) -> bool:
        return self.phase == "over"

    # -- legal actions ------------------------------------------------------------------------

    def legal_actions(self) -> list[int]:
        if self.phase == "push":
            return sorted(self._legal_pushes())
        if self.phase == "row":
            return sorted(REMOVE_ROW + line for line in self.rows_to_remove())
        if self.phase == "take":
            return sorted({KEEP} | {TAKE + POINT_NUMBER[point] for point in self.left})
        return []

    def _legal_pushes(self) -> set[int]:
        """A piece from the reserve on a dot; only a full line can't take a push."""
        actions: set[int] = set()
        for line, points in enumerate(LINES):
            if all(point in self.board for point in points):
                continue
            for end in (0, 1):
                if self._may_push_single(self.to_play):
                    actions.add(PUSH_SINGLE + 2 * line + end)
                if self._may_push_gipf(self.to_play):
                    actions.add(PUSH_GIPF + 2 * line + end)
        return actions

    def _may_push_single(self, player: int) -> bool:
        """In the tournament variant the first piece must be a GIPF piece."""
        return self.may_push[player] != FIRST and self.reserve[player] >= 1

    def _may_push_gipf(self, player: int) -> bool:
        """Until the player's first single piece, and it costs 2 from the reserve."""
        return self.may_bring_gipf(player) and self.reserve[player] >= 2

    def may_bring_gipf(self, player: int) -> bool:
        """Tournament, and no single piece pushed yet; whatever the reserve."""
        return self.may_push[player] in (FIRST, OPENING)

    # -- steps --------------------------------------------------------------------------------

    def step(self, action: int) -> None:
        assert action in self.legal_actions(), f"{action} is not legal"
        if self.phase == "push":
            self._push(action)
            self._begin_rows_of(self.pusher)
            self._next_row()
        elif self.phase == "row":
            self._remove_row(action - REMOVE_ROW)
        elif action == KEEP:
            self.events["keep"] += 1
            self._complete_removal()
        else:
            self._take_gipf(POINTS[action - TAKE])
            if not self.left:
                self._complete_removal()

    # 1. Push

    def _push(self, action: int) -> None:
        player = self.to_play
        gipf = action >= PUSH_GIPF
        line, end = divmod(action - (PUSH_GIPF if gipf else PUSH_SINGLE), 2)
        piece = ("G" if gipf else "") + COLOURS[player]
        points = LINES[line] if end == 0 else LINES[line][::-1]
        gap = next(i for i, point in enumerate(points) if point not in self.board)
        for i in range(gap, 0, -1):  # pieces in the way move one point on, up to the first gap
            self.board[points[i]] = self.board[points[i - 1]]
        self.board[points[0]] = piece
        self.reserve[player] -= worth(piece)
        self.may_push[player] = OPENING if gipf else SINGLES
        self._pushed_last = self.reserve[player] == 0
        if self._pushed_last:
            self.events["last_piece_pushed"] += 1

    # 2. Rows

    def rows_to_remove(self) -> dict[int, list[str]]:
        """The remover's rows (line to row), looked at afresh, without the lines it has removed."""
        rows: dict[int, list[str]] = {}
        for line in range(len(LINES)):
            row = row_on(self.board, line, self.remover)
            if row and line not in self.removed_lines:
                rows[line] = row
        return rows

    def _begin_rows_of(self, player: int) -> None:
        self.remover = player
        self.removed_lines = set()

    def _next_row(self) -> None:
        """After the push or a complete removal: what is next to be done in this turn."""
        rows = self.rows_to_remove()
        if len(rows) >= 2:  # the player chooses which to remove next
            self.events["two_rows_to_choose"] += 1
            self.phase = "row"
            self.to_play = self.remover
        elif len(rows) == 1:  # a single row is taken without asking
            self.events["single_row_without_asking"] += 1
            (line,) = rows
            self._remove_row(line)
        elif self.remover == self.pusher:  # then the opponent removes all of its own
            self._begin_rows_of(1 - self.pusher)
            self._next_row()
        else:
            self._end_turn()

    def _remove_row(self, line: int) -> None:
        """Single pieces of the stretch leave at once; then GIPF pieces may be taken."""
        if self.remover != self.pusher:
            self.events["opponent_removal"] += 1
        stretch = stretch_around(self.board, line, row_on(self.board, line, self.remover))
        self.removed_lines.add(line)
        self.left = {point for point in stretch if is_gipf(self.board[point])}
        self.took = set()
        self._taken = 0
        self._all_gipf = len(self.left) == len(stretch)
        if self._all_gipf:
            self.events["all_gipf_row"] += 1
        for point in stretch:
            if not is_gipf(self.board[point]):
                self._leave_board(point)
        if self.left:
            self.phase = "take"
            self.to_play = self.remover
        else:
            self._complete_removal()

    def _leave_board(self, point: str) -> None:
        """Pieces of the row's owner go back to its reserve, the others out of the game."""
        piece = self.board.pop(point)
        if owner(piece) == self.remover:
            self.reserve[owner(piece)] += worth(piece)
        else:
            self.lost[owner(piece)] += worth(piece)

    def _take_gipf(self, point: str) -> None:
        player = owner(self.board[point])
        self.events["gipf_taken_own" if player == self.remover else "gipf_taken_other"] += 1
        self.left.remove(point)
        self.took.add(player)
        self._taken += 1
        self._leave_board(point)

    def _took_last(self, player: int) -> bool:
        """This removal took the player's last GIPF piece on the board."""
        return player in self.took and count_gipf(self.board, player) == 0

    # 3. End

    def _complete_removal(self) -> None:
        """The test for the end comes when a row's removal is complete, before any other row."""
        if self._all_gipf and self._taken == 0:
            self.events["all_gipf_row_all_kept"] += 1
        kept, self.left = self.left, set()
        own, other = self.remover, 1 - self.remover
        if self._took_last(other):  # also if it took its own last one as well
            self.events["win_by_last_gipf"] += 1
            if self._took_last(own):
                self.events["both_last_gipf_in_one_row"] += 1
            self._end_game(winner=own)
        elif self._took_last(own):
            self.events["own_last_gipf_lost"] += 1
            self._end_game(winner=other)
        else:
            self.took = set()
            if any(kept & set(row) for row in self.rows_to_remove().values()):
                self.events["crossing_kept_second_row"] += 1
            self._next_row()

    def _end_turn(self) -> None:
        """After all rows are removed. A player who must push and has no piece in reserve loses."""
        if self._pushed_last and self.reserve[self.pusher] > 0:
            self.events["last_piece_recovered_by_row"] += 1
        next_pusher = 1 - self.pusher
        if self.reserve[next_pusher] == 0:
            self.events["loss_by_empty_reserve"] += 1
            self._end_game(winner=self.pusher)
            return
        self.pusher = self.to_play = next_pusher
        self._begin_rows_of(next_pusher)
        self.phase = "push"

    def _end_game(self, winner: int) -> None:
        """`to_play` stays the player of the last step."""
        self.winner = winner
        self.phase = "over"

    # -- observation --------------------------------------------------------------------------

    def observation(self, player: int) -> np.ndarray:
        """Float32 (7, 7, 14), seen from the player."""
        own, other = player, 1 - player
        row_step = self.phase in ("row", "take")
        planes: list[set[str]] = [set() for _ in range(14)]
        values: list[float] = [1.0] * 14
        everywhere = set(POINTS)
        planes[0] = everywhere
        if not self.is_over and self.to_play == player:
            planes[1] = everywhere
        for point, piece in self.board.items():
            if owner(piece) == own:
                planes[3 if is_gipf(piece) else 2].add(point)
            else:
                planes[5 if is_gipf(piece) else 4].add(point)
        planes[6], values[6] = everywhere, self.reserve[own] / 18
        planes[7], values[7] = everywhere, self.reserve[other] / 18
        if self.phase == "row":
            planes[8] = everywhere
        if row_step:
            for line, row in self.rows_to_remove().items():
                planes[9] |= set(stretch_around(self.board, line, row))
        if self.phase == "take":
            planes[10] = set(self.left)
        if self.may_bring_gipf(own):
            planes[11] = everywhere
        if self.may_bring_gipf(other):
            planes[12] = everywhere
        if row_step and self.pusher == player:
            planes[13] = everywhere
        array = np.zeros((7, 7, 14), dtype=np.float32)
        for plane in range(14):
            for point in planes[plane]:
                r, c = PLACE_OF[point]
                array[r, c, plane] = values[plane]
        return array

    # -- positions ----------------------------------------------------------------------------

    def position(self) -> Position:
        """Equal if and only if the positions are the same for the rest of the game.

        What is out of the game follows from the board and the reserves. While rows are removed no
        piece is added, so a removed line matters only while it still bears a row of the remover;
        this also holds for the line being emptied.
        """
        common = (
            self.variant,
            frozenset(self.board.items()),
            tuple(self.reserve),
            tuple(self.may_push),
            self.phase,
            self.to_play,
        )
        if self.phase == "push":
            return common
        if self.phase == "over":
            return (*common, self.winner)
        standing = frozenset(
            line for line in self.removed_lines if row_on(self.board, line, self.remover)
        )
        if self.phase == "row":
            return (*common, self.pusher, standing)
        took_last = (self._took_last(0), self._took_last(1))
        return (*common, self.pusher, standing, frozenset(self.left), took_last)

    def board_position(self) -> Position:
        """The position after a complete turn (or the end of the game)."""
        assert self.phase in ("push", "over")
        return self.position()

    # -- texts --------------------------------------------------------------------------------

    def action_to_string(self, action: int) -> str:
        return action_name(action)

    def parse_action(self, text: str) -> int:
        if text not in ACTION_OF_NAME:
            raise ValueError(f"{text!r} is no action of the game")
        action = ACTION_OF_NAME[text]
        if action not in self.legal_actions():
            raise ValueError(f"{text!r} is not legal now")
        return action


# ---------------------------------------------------------------------------------------------
# Counting
# ---------------------------------------------------------------------------------------------


def turns(game: Gipf) -> Iterator[Gipf]:
    """The games after one complete turn (up to the next push, or the end), one for each sequence
    of actions: the push, then all removals it leads to, by both players."""
    assert game.phase in ("push", "over")
    unfinished = [game]
    while unfinished:
        before = unfinished.pop()
        for action in before.legal_actions():
            after = before.copy()
            after.step(action)
            if after.phase in ("push", "over"):
                yield after
            else:
                unfinished.append(after)


def perft(game: Gipf, depth: int) -> int:
    """The number of sequences of exactly `depth` complete turns (the last one may end the game)."""
    if depth == 0:
        return 1
    return sum(perft(after, depth - 1) for after in turns(game))


def counts(game: Gipf, pushes: int) -> tuple[int, int]:
    """Turn sequences and different positions after so many pushes; merges equal positions."""
    sequences: dict[Position, int] = {game.board_position(): 1}
    games: dict[Position, Gipf] = {game.board_position(): game}
    for _ in range(pushes):
        next_sequences: Counter[Position] = Counter()
        next_games: dict[Position, Gipf] = {}
        for position, before in games.items():
            for after in turns(before):
                next_sequences[after.board_position()] += sequences[position]
                next_games[after.board_position()] = after
        sequences, games = next_sequences, next_games
    return sum(sequences.values()), len(games)


def positions(game: Gipf, pushes: int) -> int:
    """The number of different positions after so many pushes."""
    return counts(game, pushes)[1]
