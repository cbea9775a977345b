"""What a search has found out about a position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hexgames_env.core.state import State
from hexgames_env.search.tree import (
    ACTION,
    FIRST,
    FLAGS,
    FULL,
    OPENED,
    PROVEN,
    chosen_child,
)


@dataclass(frozen=True)
class Analysis:
    """What a search has found out, as far as it has come.

    Attributes:
        to_play: the player to act, from whose side values are.
        action: the one to play.
        visits: by legal action, how many simulations of `mcts` tried it; of `alphabeta`, how many
            nodes lie below it.
        values: by action that was tried, its value for the player to act: 1 is a win, -1 a loss.
            Of `mcts` it is the mean of the simulations.  Of `alphabeta` it is what the heuristic
            says where the depth ends, as x / (scale + abs(x)), and of actions other than ``action``
            the most that they can be worth.
        proven: by action after which the game is proven to be won, the winner.
        winner: who is proven to win this position, None if that is open.
        principal_line: the actions that both play, as far as they have been tried.
        simulations: how many this search of `mcts` has made.
        seconds: how long it took.
        is_full: whether the memory of `mcts` is used up, so that the tree grows no more.
        depth: of `alphabeta`, how many steps it has looked ahead, all that it has not cut off.
        nodes: of `alphabeta`, how many positions it has come to.
    """

    to_play: int
    action: int
    visits: dict[int, int]
    values: dict[int, float]
    proven: dict[int, int]
    winner: int | None
    principal_line: tuple[int, ...]
    simulations: int
    seconds: float
    is_full: bool = False
    depth: int = 0
    nodes: int = 0

    @property
    def value(self) -> float:
        """The value of the position for the player to act: of `action`, or what is proven."""
        if self.winner is not None:
            return 1.0 if self.winner == self.to_play else -1.0
        return self.values.get(self.action, 0.0)


def read_tree(
    state: State, action: int, tree: tuple[Any, ...], simulations: int, seconds: float
) -> Analysis:
    """The analysis of the root ``state`` of a tree."""
    visits, totals, links, free = tree
    found = dict.fromkeys(state.legal_actions(), 0)
    values, proven = {}, {}
    first, opened = int(links[0, FIRST]), int(links[0, OPENED])
    for node in range(first, first + opened):
        tried, winner = int(links[node, ACTION]), _winner(links, node)
        found[tried] = int(visits[node])
        value = float(totals[node]) / found[tried]
        if winner is not None:
            proven[tried] = winner
            value = 1.0 - 2.0 * winner
        values[tried] = value if state.to_play == 0 else -value
    line, node = [action], 0
    if action in values:
        node = next(n for n in range(first, first + opened) if links[n, ACTION] == action)
        while links[node, OPENED] > 0:
            node = int(chosen_child(visits, totals, links, node))
            line.append(int(links[node, ACTION]))
    return Analysis(
        to_play=state.to_play,
        action=action,
        visits=found,
        values=values,
        proven=proven,
        winner=_winner(links, 0),
        principal_line=tuple(line),
        simulations=simulations,
        seconds=seconds,
        is_full=bool(free[FULL]),
    )


def _winner(links: Any, node: int) -> int | None:
    winner = (int(links[node, FLAGS]) >> PROVEN) - 1
    return None if winner < 0 else winner
