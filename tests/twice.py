"""Positions in which one player makes two steps in succession, and in which that is what counts.

Who negates values from step to step takes players to alternate, and gets these wrong: `toy`, `oust`
and `gipf` are questions for any search, each a position with the actions that are right in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from grab_game import Grab
from hexgames_env import State, register_game
from searched import OUST

Choose = Callable[[State, np.random.Generator], int]


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


def oust() -> list[Question]:
    """Won by the second step of a turn."""
    return [
        _question(f"oust side=3 pie_rule=false board={text} winner=none", names)
        for text, names in OUST
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
