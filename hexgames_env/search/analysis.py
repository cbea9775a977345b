"""What a search has found out about a position."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from hexgames_env.core.state import State
from hexgames_env.core.words import player_words
from hexgames_env.search.tree import (
    ACTION,
    FIRST,
    FLAGS,
    FULL,
    OPENED,
    PROVEN,
    chosen_child,
)

MOST = 20  # actions that are told


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

    def to_string(self, state: State, most: int = MOST) -> str:
        """What has been found out about ``state``, for people: the answer, a table, the line.

        Args:
            state: what was analysed.
            most: actions in the table, the most visited.

        >>> from hexgames_env import make_game
        >>> state = make_game("rive", side=2).initial_state()
        >>> found = Analysis(
        ...     to_play=0, action=3, visits={0: 1, 1: 0, 3: 9}, values={0: -1.0, 3: 0.25},
        ...     proven={0: 1}, winner=None, principal_line=(3, 0), simulations=10, seconds=0.5,
        ...     is_full=False,
        ... )
        >>> print(found.to_string(state, most=2))
        b2 for Black (player_0): value +0.250, 10 simulations in 0.5 s
        action        visits   share   value
        b2                 9   90.0%  +0.250
        a1                 1   10.0%  -1.000  White (player_1) wins
        and 1 more
        line: b2, a1
        """
        game, name = state.game, state.action_to_string
        answer = (
            f"{name(self.action)} for {player_words(game, self.to_play)}: value {self.value:+.3f}, "
            f"{self.simulations:,} simulations in {self.seconds:.3g} s"
        )
        if self.winner is not None:
            answer += f"; it is proven that {player_words(game, self.winner)} wins"
        if self.is_full:
            answer += "; the memory is used up, and the tree grows no more"
        order = sorted(self.visits, key=lambda a: (a != self.action, -self.visits[a], a))
        wide = max(len("action"), *(len(name(action)) for action in order[:most]))
        whole = max(sum(self.visits.values()), 1)
        lines = [answer, f"{'action':{wide}}  {'visits':>12}   share   value"]
        for action in order[:most]:
            visits, value = self.visits[action], self.values.get(action)
            told = f"{name(action):{wide}}  {visits:12,}  {visits / whole:6.1%}"
            told += f"  {'-' if value is None else format(value, '+.3f'):>6}"
            if action in self.proven:
                told += f"  {player_words(game, self.proven[action])} wins"
            lines.append(told)
        if len(order) > most:
            lines.append(f"and {len(order) - most} more")
        return "\n".join([*lines, f"line: {', '.join(self._line(state))}"])

    def _line(self, state: State) -> Iterator[str]:
        """The texts of `principal_line`: an action's text can hang on where it is made."""
        line = state.copy()
        for action in self.principal_line:
            yield line.action_to_string(action)
            line.step(action)


Progress = Callable[[Analysis], object]


@runtime_checkable
class Analyst(Protocol):
    """A bot that can say what it thinks of a position; `hexgames analyse` takes any."""

    def analyse(
        self,
        state: State,
        rng: np.random.Generator | None = None,
        progress: Progress | None = None,
        every: float = 0.25,
    ) -> Analysis:
        """What it finds out, and by ``progress`` what it knows every so many seconds."""


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
