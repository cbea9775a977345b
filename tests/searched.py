"""What tests of searches share: positions to search, and who wins them, by trying everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hexgames_env import Game, State

# The player to act wins, but not at once: each step that wins is followed by another of its own.
OUST = [
    ("W.B/..BW/.W..B/W.../WWW to_play=0", "c4"),
    ("WW./..WW/W..../B..W/B.B to_play=0", "b2 b3 c2"),
    (".B./W.../W..W./..../WB. to_play=0", "a3 b2 d3"),
    ("WB./B.../...W./.W.W/B.W to_play=0", "b1 c1 d2"),
    (".B./W.../.B..W/..../... to_play=0", "b1 c1 c3 d2 e1"),
    (".W./W.../W.B.B/W.W./..B to_play=0", "a2 c4"),
    ("..W/WW../....B/..../WW. to_play=0", "d4"),
    (".../B.W./.W.WW/..../WB. to_play=0", "a3 c1"),
]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def position(game: Game, steps: int, seed: int = 1) -> State:
    """After so many random steps, in a game that is long enough."""
    source = rng(seed)
    while True:
        state = game.initial_state(int(source.integers(1000)))
        for _ in range(steps):
            if not state.is_over:
                state.step(state.sample_action(source))
        if not state.is_over:
            return state


def late(game: Game, count: int, back: int) -> Iterator[State]:
    """Positions at most ``back`` steps before the end of random games."""
    source = rng()
    for _ in range(count):
        state = game.initial_state(int(source.integers(1000)))
        while not state.is_over:
            state.step(state.sample_action(source))
        for _ in range(min(len(state.history), int(source.integers(1, back)))):
            state.undo()
        yield state


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
    for action in state.legal_actions():
        after = state.copy()
        after.step(action)
        yield after
