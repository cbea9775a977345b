"""Positions in which one player makes two steps in succession, and in which that is what counts.

Who negates values from step to step takes players to alternate, and gets these wrong: `TOY`, `OUST`
and `GIPF` are questions for any search, each a position with the actions that are right in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from hexgames_env import Game, State, kernel, register_game
from hexgames_env.engine import pack_status
from toy_game import HEADER, LEFT, SECOND, STONES, TO_PLAY, Duo

Choose = Callable[[State, np.random.Generator], int]


class Grab(Duo):
    """Who moves twice decides.

    player_0 wins with the first two cells, which it can take in its first turn.  With the third
    cell it has not won by those: then player_1 wins with two of the last three, which it can take
    in its turn.  Who takes players to alternate believes neither.
    """

    name = "grab"


@kernel
def status(rows: Any, b: Any) -> Any:
    to_play, second = rows[b, HEADER, TO_PLAY], rows[b, HEADER, SECOND]
    if rows[b, HEADER, LEFT] > 0:
        return pack_status(to_play, False, 0, second)
    last = 0
    for cell in range(4, 7):
        last += rows[b, STONES, cell] == 2
    if rows[b, STONES, 2] == 1:
        return pack_status(to_play, True, 0 if last < 2 else 1, 0)
    both = rows[b, STONES, 0] == 1 and rows[b, STONES, 1] == 1
    return pack_status(to_play, True, 0 if both else 1, 0)


class Question(NamedTuple):
    """A position and its right actions."""

    state: State
    right: frozenset[int]

    def is_answered(self, choose: Choose, seeds: Iterable[int]) -> bool:
        """Whether the answers are right by all of these random numbers."""
        return all(choose(self.state, np.random.default_rng(seed)) in self.right for seed in seeds)


def _question(text: str, names: str) -> Question:
    state = State.from_string(text)
    return Question(state, frozenset(state.parse_action(name) for name in names.split()))


def toy() -> list[Question]:
    """The first turn decides, and only both of its steps together do."""
    register_game(Grab)
    return [Question(Grab().initial_state(1), frozenset({0, 1}))]


# The player to act wins, but not at once: each step that wins is followed by another of its own.
_OUST = [
    ("W.B/..BW/.W..B/W.../WWW to_play=0", "c4"),
    ("WW./..WW/W..../B..W/B.B to_play=0", "b2 b3 c2"),
    (".B./W.../W..W./..../WB. to_play=0", "a3 b2 d3"),
    ("WB./B.../...W./.W.W/B.W to_play=0", "b1 c1 d2"),
    (".B./W.../.B..W/..../... to_play=0", "b1 c1 c3 d2 e1"),
    (".W./W.../W.B.B/W.W./..B to_play=0", "a2 c4"),
    ("..W/WW../....B/..../WW. to_play=0", "d4"),
    (".../B.W./.W.WW/..../WB. to_play=0", "a3 c1"),
]


def oust() -> list[Question]:
    """Won by the second step of a turn."""
    return [
        _question(f"oust side=3 pie_rule=false board={text} winner=none", names)
        for text, names in _OUST
    ]


# The player to act is asked in the other's turn whether to take a GIPF piece of its own off the
# board.  With that piece kept, it makes a row by its push that takes the other's last GIPF piece.
_GIPF = [
    "b.ww/...wb/WBb.bb/w....ww/.....B/....w/...b to_play=1 reserve=8,8 pusher=0 left=f3",
    "b..b/wb.w./b.B.b./.w...../..BWbw/.bwwb/.bww to_play=1 reserve=8,4 pusher=0 left=f4",
    ".b../w.bbb/bW.w../..W..../....b./bwBWw/bbbw to_play=0 reserve=5,3 pusher=1 left=e4",
    "b.bb/ww..b/.bBWww/.bW...w/bb..../bw..W/w..b to_play=0 reserve=5,5 pusher=1 left=f5",
    ".wbw/w..w./WB..../w....ww/wbw.bw/.B.../.bww to_play=1 reserve=3,9 pusher=0 left=c3",
    ".w.b/..b../.b...b/wb....w/wW.WB./b...w/.b.. to_play=0 reserve=8,7 pusher=1 left=d5",
]


def gipf() -> list[Question]:
    """Won by what is kept in the other's turn, and by the push and the taking that follow it."""
    return [_question(f"gipf variant=standard board={text} winner=none", "keep") for text in _GIPF]


# Plain search


class Solver:
    """Who wins, by trying everything."""

    def __init__(self) -> None:
        self.known: dict[Any, int] = {}
        self.left = 0

    def winner(self, state: State, most: int = 2000) -> int | None:
        """None after ``most`` new positions."""
        self.left = most
        try:
            return self._winner(state)
        except OverflowError:
            return None

    def _winner(self, state: State) -> int:
        if state.winner is not None:
            return state.winner
        key = state.key()
        if key not in self.known:
            self.left -= 1
            if self.left < 0:
                raise OverflowError
            results = (self._winner(after) for after in children(state))
            wins = any(winner == state.to_play for winner in results)
            self.known[key] = state.to_play if wins else 1 - state.to_play
        return self.known[key]


def children(state: State) -> Iterator[State]:
    """What follows each legal action."""
    for action in state.legal_actions():
        after = state.copy()
        after.step(action)
        yield after


def late(game: Game, count: int, back: int, seed: int = 1) -> Iterator[State]:
    """Positions at most ``back`` steps before the end of random games."""
    source = np.random.default_rng(seed)
    for _ in range(count):
        state = game.initial_state(int(source.integers(1000)))
        while not state.is_over:
            state.step(state.sample_action(source))
        for _ in range(min(len(state.history), int(source.integers(1, back)))):
            state.undo()
        yield state
