"""The session of `mcts`: its tree is kept from step to step."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.state import State
from hexgames_env.search.analysis import Analysis, read_tree
from hexgames_env.search.arrays import Arrays
from hexgames_env.search.session import Session
from hexgames_env.search.settings import Budget, Settings
from hexgames_env.search.tree import MOST_NODES, decide_one, follow, plant, simulate

FEW = 8  # simulations of the first slice


class MctsSession(Session):
    """A session that keeps its tree.

    Made by `MctsBot.session`.  The tree below a step that is made stays, whoever makes it, also
    within a turn.

    >>> from hexgames_env import make_game
    >>> from hexgames_env.bots import make_bot
    >>> game = make_game("oust", side=3)
    >>> session = make_bot("mcts simulations=500").session(game.initial_state())
    >>> first = session.think()
    >>> session.play(first.action)
    >>> session.known_simulations == first.visits[first.action]
    True
    >>> session.think().simulations
    500

    Args:
        state: where it begins; a copy is kept.
        rng: decides all that is random; None draws it.
        budget: when `think` ends, if it is not told otherwise.
        settings: how to search.
        nodes: of the tree; None is as many as ``settings.memory`` allows.
    """

    def __init__(
        self,
        state: State,
        rng: np.random.Generator | None,
        budget: Budget,
        settings: Settings,
        nodes: int | None = None,
    ) -> None:
        super().__init__(state, budget, FEW)
        game = state.game
        self._arrays = Arrays(game, settings.nodes() if nodes is None else nodes)
        rng = np.random.default_rng() if rng is None else rng
        self._arrays.random[0] = rng.integers(2**64, dtype=np.uint64)
        self._how = settings.for_game(game)
        self._simulate = game.compiled(simulate, settings.heuristic_of(game))
        self._made = 0
        plant(*self._arrays.tree, state.to_play)

    @property
    def known_simulations(self) -> int:
        """How many simulations went through this position, in earlier searches too."""
        return int(self._arrays.visits[0])

    def _begin(self) -> None:
        self._made = 0
        self._run(0)

    def _run(self, wanted: int) -> int:
        tables, arrays = self._state.game.tables, self._arrays
        return int(self._simulate(self._row, 0, tables, *arrays.all, *self._how, wanted))

    def _go_on(self, wanted: int) -> bool:
        most = self._budget.number or MOST_NODES
        wanted = min(wanted, most - self._made, MOST_NODES - 1 - self.known_simulations)
        made = self._run(wanted) if wanted > 0 else 0
        self._made += made
        return made == wanted and wanted > 0 and self._made < most

    def _found(self) -> Analysis:
        took = time.perf_counter() - self._began
        return read_tree(self._state, self._decide(), self._arrays.tree, self._made, took)

    def _decide(self) -> int:
        visits, totals, links, _ = self._arrays.tree
        random = self._arrays.random.copy()  # to ask changes nothing
        words = self._row.view(np.uint64)
        return int(decide_one(words, visits, totals, links, random))

    def _follow(self, state: State, row: NDArray[Any], action: int) -> None:
        tree = self._arrays.tree
        if not follow(*tree, action):
            plant(*tree, state.to_play)
