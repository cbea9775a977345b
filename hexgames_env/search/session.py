"""A search that goes on: its tree is kept from step to step."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any, SupportsIndex

import numpy as np

from hexgames_env.core.options import shown
from hexgames_env.core.state import State
from hexgames_env.errors import GameOverError, OptionError
from hexgames_env.search.analysis import Analysis, read_tree
from hexgames_env.search.arrays import Arrays
from hexgames_env.search.settings import Budget, Settings, as_float
from hexgames_env.search.tree import MOST_NODES, decide_one, follow, plant, simulate

SLICE = 0.02  # seconds of one call of compiled code, which nothing can stop
FEW = 8  # simulations of the first slice

Progress = Callable[[Analysis], object]


def check_state(state: Any) -> State:
    """A state in which there is something to search.

    Raises:
        TypeError: it is no `State`.
        GameOverError: its game has ended, or was cut off.
    """
    if not isinstance(state, State):
        raise TypeError(f"a State is searched, got {shown(state)}")
    if not state.legal_actions():
        how = "has ended" if state.is_over else "was cut off"
        raise GameOverError(f"the game {how}: there is no action to choose")
    return state


class Session:
    """Searches the positions of one game as it goes on, and keeps what it knows of what follows.

    Made by `MctsBot.session`.  The tree below a step that is made stays, whoever makes it, also
    within a turn.  One thread searches at a time; all others may call `stop`.

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
        self._state = check_state(state).copy()
        self._budget = budget
        game = state.game
        self._arrays = Arrays(game, settings.nodes() if nodes is None else nodes)
        rng = np.random.default_rng() if rng is None else rng
        self._arrays.random[0] = rng.integers(2**64, dtype=np.uint64)
        self._how = settings.for_game(game)
        self._simulate = game.compiled(simulate, settings.heuristic_of(game))
        self._lock = threading.RLock()
        self._stopped = False
        self._row = state.to_row()
        plant(*self._arrays.tree, state.to_play)

    @property
    def state(self) -> State:
        """The position that is searched; a copy."""
        return self._state.copy()

    @property
    def known_simulations(self) -> int:
        """How many simulations went through this position, in earlier searches too."""
        return int(self._arrays.visits[0])

    def think(self, progress: Progress | None = None, every: float = 0.25) -> Analysis:
        """Search until the budget is used up, the result is proven, or `stop` is called.

        Ctrl-C, or whatever else ends it, leaves what has been found: the next call goes on.

        Args:
            progress: is called now and then with what is known.  What it raises ends the search,
                and so does a step that it makes here.
            every: seconds between two such calls, at least.

        Raises:
            GameOverError: the game has ended.
            OptionError: ``every`` is no number from 0 on.
        """
        if not as_float(every) >= 0:
            raise OptionError(f"every must be a number of seconds from 0 on, got {shown(every)}")
        with self._lock:
            begun = time.perf_counter()

            def found(made: int) -> Analysis:
                took = time.perf_counter() - begun
                return read_tree(self._state, self._decide(), self._arrays.tree, made, took)

            def tell(made: int) -> None:
                if progress is not None and self._state.legal_actions():
                    progress(found(made))

            return found(self._grow(check_state(self._state), tell, every))

    def choose(self) -> int:
        """Think, and only the action to play: at once if one is legal, and the game runs."""
        legal = self._state.legal_actions()
        if len(legal) == 1:
            return legal[0]
        with self._lock:
            self._grow(check_state(self._state))
            return self._decide()

    def stop(self) -> None:
        """End the search that runs now, very soon, from any thread or from ``progress``."""
        self._stopped = True

    def play(self, action: SupportsIndex) -> None:
        """Make a step, of whichever player, and keep what is known of all that follows it.

        While a search runs, it waits for its end: call `stop` before.

        Raises:
            GameOverError: the game has ended.
            IllegalActionError: the action is illegal.  Nothing has changed then.
        """
        with self._lock:
            state = self._state.copy()
            state.step(action)
            tree = self._arrays.tree
            row = state.to_row()
            known = follow(*tree, int(action))
            if not known:
                plant(*tree, state.to_play)
            self._state, self._row = state, row

    def _decide(self) -> int:
        visits, totals, links, _ = self._arrays.tree
        random = self._arrays.random.copy()  # to ask changes nothing
        words = self._row.view(np.uint64)
        return int(decide_one(words, visits, totals, links, random))

    def _grow(
        self, state: State, tell: Callable[[int], None] | None = None, every: float = 0.0
    ) -> int:
        """Simulate in slices of compiled code until the budget is used up; how many.

        ``tell`` is called with that number now and then.
        """
        self._stopped = False
        arrays, game, budget = self._arrays, state.game, self._budget
        arguments = self._row, 0, game.tables, *arrays.all, *self._how
        self._simulate(*arguments, 0)  # compiles it: no clock runs meanwhile
        clock = time.perf_counter if budget.cpu_seconds is None else time.thread_time
        limit = budget.seconds or budget.cpu_seconds or math.inf
        made, wanted, most = 0, FEW, budget.simulations or MOST_NODES
        began = told = clock()
        while True:
            wanted = min(wanted, most - made, MOST_NODES - 1 - self.known_simulations)
            before = clock()
            now_made = self._simulate(*arguments, wanted) if wanted > 0 else 0
            made += now_made
            now = clock()
            took = max(now - before, 1e-7)
            if now_made < wanted or made >= most or now - began >= limit or self._stopped:
                return made
            if tell is not None and now - told >= every:
                tell(made)
                told = now = clock()
            if self._stopped or self._state is not state or wanted <= 0:
                return made
            left = max(min(SLICE, began + limit - now), 0.0)
            wanted = max(1, int(wanted * min(left / took, 4.0)))
