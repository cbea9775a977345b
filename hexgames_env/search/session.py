"""A search that goes on: what it knows is kept from step to step."""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, SupportsIndex

from numpy.typing import NDArray

from hexgames_env.core.options import shown
from hexgames_env.core.state import State
from hexgames_env.errors import GameOverError, OptionError
from hexgames_env.search.analysis import Analysis
from hexgames_env.search.settings import Budget, as_float

SLICE = 0.02  # seconds of one call of compiled code, which nothing can stop

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


class Session(ABC):
    """Searches the positions of one game as it goes on, and keeps what it knows of what follows.

    Made by ``session`` of a bot.  One thread searches at a time; all others may call `stop`.

    Args:
        state: where it begins; a copy is kept.
        budget: when `think` ends, if it is not told otherwise.
        first: of what the budget counts, or of steps, as much as the first slice has.
    """

    def __init__(self, state: State, budget: Budget, first: int) -> None:
        self._state = check_state(state).copy()
        self._row = state.to_row()
        self._budget = budget
        self._first = first
        self._lock = threading.RLock()
        self._stopped = False
        self._began = 0.0

    @property
    def state(self) -> State:
        """The position that is searched; a copy."""
        return self._state.copy()

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
            self._began = time.perf_counter()

            def tell() -> None:
                if progress is not None and self._state.legal_actions():
                    progress(self._found())

            self._search(check_state(self._state), tell, every)
            return self._found()

    def choose(self) -> int:
        """Think, and only the action to play: at once if one is legal, and the game runs."""
        legal = self._state.legal_actions()
        if len(legal) == 1:
            return legal[0]
        with self._lock:
            self._search(check_state(self._state))
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
            row = state.to_row()
            self._follow(state, row, int(action))
            self._state, self._row = state, row

    @abstractmethod
    def _begin(self) -> None:
        """Make ready for a search, and compile what it runs."""

    @abstractmethod
    def _go_on(self, wanted: int) -> bool:
        """Do about so much; whether there is more to be done."""

    @abstractmethod
    def _found(self) -> Analysis:
        """What is known of the position, at any moment after `_begin`."""

    @abstractmethod
    def _decide(self) -> int:
        """The action to play."""

    @abstractmethod
    def _follow(self, state: State, row: NDArray[Any], action: int) -> None:
        """The next position is ``state``, after this action."""

    def _search(
        self, state: State, tell: Callable[[], None] | None = None, every: float = 0.0
    ) -> None:
        """Search in slices of compiled code until the budget is used up.

        ``tell`` is called now and then.
        """
        self._stopped = False
        budget = self._budget
        self._begin()  # no clock runs meanwhile
        clock = time.perf_counter if budget.cpu_seconds is None else time.thread_time
        limit = budget.seconds or budget.cpu_seconds or math.inf
        wanted = self._first
        began = told = clock()
        while True:
            before = clock()
            more = self._go_on(wanted)
            now = clock()
            took = max(now - before, 1e-7)
            if not more or now - began >= limit or self._stopped:
                return
            if tell is not None and now - told >= every:
                tell()
                told = now = clock()
            if self._stopped or self._state is not state:
                return
            left = max(min(SLICE, began + limit - now), 0.0)
            wanted = max(1, int(wanted * min(left / took, 4.0)))
