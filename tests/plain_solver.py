"""Exact values by trying everything: the plain reference of `solve`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from hexgames_env import State
from hexgames_env.search import Value

Known = tuple[int, int]  # the winner, and steps to the end


def children(state: State) -> Iterator[tuple[int, State]]:
    for action in state.legal_actions():
        after = state.copy()
        after.step(action)
        yield action, after


def better(state: State, values: list[Known]) -> Known:
    """The value of a position from those of its children."""
    own = [steps for winner, steps in values if winner == state.to_play]
    if own:
        return state.to_play, 1 + min(own)
    return 1 - state.to_play, 1 + max(steps for _, steps in values)


class PlainSolver:
    """All positions of a game that ends, each once; no bounds, no symmetries, no order."""

    def __init__(self) -> None:
        self.known: dict[Any, Known] = {}
        self.left = 0
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 20_000))

    def value(self, state: State, most: int = 10**9) -> Known | None:
        """None after ``most`` new positions."""
        self.left = most
        try:
            return self._value(state)
        except OverflowError:
            return None

    def _value(self, state: State) -> Known:
        if state.winner is not None:
            return state.winner, 0
        key = state.key()
        if key not in self.known:
            self.left -= 1
            if self.left < 0:
                raise OverflowError
            values = [self._value(after) for _, after in children(state)]
            self.known[key] = better(state, values)
        return self.known[key]


def forced(state: State, within: int, known: dict[Any, Known | None]) -> Known | None:
    """Who can force a win within so many steps, and in how many; None if nobody can."""
    if state.winner is not None:
        return state.winner, 0
    if within == 0:
        return None
    key = state.key(), within
    if key not in known:
        values = [forced(after, within - 1, known) for _, after in children(state)]
        found = [value for value in values if value is not None]
        if any(winner == state.to_play for winner, _ in found) or len(found) == len(values):
            known[key] = better(state, found)
        else:
            known[key] = None
    return known[key]


def as_known(value: Value) -> Known | None:
    """What `solve` says, in the same form; it must be exact, or open."""
    if value.winner is None:
        return None
    assert value.distance is not None
    return value.winner, value.distance
