"""The bot `mcts`: Monte Carlo tree search in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.bots import Bot
from hexgames_env.core.batch import Batch
from hexgames_env.core.state import State
from hexgames_env.search.analysis import Analysis, Progress
from hexgames_env.search.arrays import Arrays
from hexgames_env.search.mcts_session import MctsSession
from hexgames_env.search.rows import choose_rows
from hexgames_env.search.session import check_state
from hexgames_env.search.settings import MEMORY, Budget, Settings
from hexgames_env.search.tree import search_rows

AT_ONCE = 256  # simulations of a thread in the first call


class MctsBot(Bot):
    """Monte Carlo tree search (UCT): plays what simulations of the game have tried most.

    A simulation goes down the tree of positions that are known, each player taking the action
    whose mean value plus ``c * sqrt(log(visits of the position) / visits of the action)`` is
    largest, adds a position, values that, and adds the value to all positions on its way.  A
    value is 1 for a win and -1 for a loss.  What is proven by the ends of games is never searched
    again, and the search ends when the position itself is proven.

    With `simulations` the answer depends on the position and on ``rng`` alone.  A position with
    one legal action is not searched.

    Args:
        simulations: how many.
        seconds: how long, by the clock on the wall.
        cpu_seconds: how long, in processor time of the thread that searches.  Exactly one of the
            three is given.
        leaf: how a new position is valued.  "random": its game is played to the end at random;
            "cut": for `cut` steps, and then judged by the `heuristic`; "heuristic": it is judged
            at once.  None is what is best for the game, "random" for one that the package
            does not know.
        cut: steps; given alone it means ``leaf="cut"``.
        c: how much is explored.
        urgency: the mean value that an action is taken to have as long as it is untried; inf tries
            each once before any is tried again.
        scale: what the heuristic must say to count half a win: x is worth x / (scale + abs(x)).
        heuristic: which of the game's judges positions (`hexgames_env.core.heuristics`); None is
            its ``default_heuristic``.
        memory: MiB at most for the tree, 36 bytes a node.  A batch has a tree for each thread.  A
            tree for which there is no more room grows no more, but is searched on.

    Raises:
        OptionError: a setting that is not as it should be.

    >>> import numpy as np
    >>> from hexgames_env import make_game
    >>> bot = MctsBot(simulations=200)
    >>> bot
    make_bot('mcts', simulations=200)
    >>> state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    >>> action = bot(state, np.random.default_rng(1))
    >>> bot.analyse(state, np.random.default_rng(1)).proven[action]  # player_0 wins with it
    0
    """

    name = "mcts"

    def __init__(
        self,
        simulations: int | None = None,
        seconds: float | None = None,
        cpu_seconds: float | None = None,
        leaf: str | None = None,
        cut: int | None = None,
        c: float | None = None,
        urgency: float | None = None,
        scale: float | None = None,
        heuristic: str | None = None,
        memory: int = MEMORY,
    ) -> None:
        self._budget = Budget(self.name, simulations, seconds, cpu_seconds)
        self._settings = Settings(leaf, cut, c, urgency, scale, heuristic, memory)

    @property
    def shares_threads(self) -> bool:
        return self._budget.number is not None

    def settings(self) -> dict[str, Any]:
        given = {**self._budget.given, **vars(self._settings)}
        if given["memory"] == MEMORY:
            del given["memory"]
        return {name: value for name, value in given.items() if value is not None}

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        legal = check_state(state).legal_actions()
        if len(legal) == 1:
            rng.integers(2**64, dtype=np.uint64)  # as many numbers are drawn as for a search
            return legal[0]
        return self._session(state, rng).choose()

    def analyse(
        self,
        state: State,
        rng: np.random.Generator | None = None,
        progress: Progress | None = None,
        every: float = 0.25,
    ) -> Analysis:
        """What a search finds out, also where one action is legal.

        Args:
            state: a game that runs; it is left as it is.
            rng: decides all that is random; None draws it.
            progress: is called now and then with what is known.  What it raises ends the search.
            every: seconds between two such calls, at least.

        Raises:
            GameOverError: the game has ended.
            OptionError: there is no room for the tree, or ``every`` is no number from 0 on.

        >>> from hexgames_env import make_game
        >>> state = make_game("rive", side=2).initial_state()
        >>> found = MctsBot(simulations=5000).analyse(state)
        >>> found.winner, found.value
        (0, 1.0)
        >>> sum(found.visits.values()) == found.simulations
        True
        """
        return self._session(check_state(state), rng).think(progress, every)

    def _session(self, state: State, rng: np.random.Generator | None) -> MctsSession:
        nodes = self._settings.nodes(self._budget.number)
        return MctsSession(state, rng, self._budget, self._settings, nodes)

    def session(self, state: State, rng: np.random.Generator | None = None) -> MctsSession:
        """A search that keeps its tree while the game goes on from here.

        Raises:
            GameOverError: the game has ended.
        """
        return MctsSession(state, rng, self._budget, self._settings)

    def choose(
        self, batch: Batch, rng: np.random.Generator, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """An action for each of many positions, searched on the batch's threads.

        A row's action depends on its position and on its own random numbers, and not on other rows
        or on threads.  With `seconds` or `cpu_seconds` one row is searched after the other, each
        for so long and by ``rng``.

        Raises:
            IndexError: no such row.
            GameOverError: the game of a row has ended.
        """
        simulations = self._budget.number
        which = batch.check_rows(np.arange(batch.n) if rows is None else rows)
        if simulations is None or not len(which):
            return super().choose(batch, rng, which)
        game = batch.game
        nodes = self._settings.nodes(simulations)
        return choose_rows(
            batch,
            which,
            game.compiled(search_rows, self._settings.heuristic_of(game)),
            lambda threads: Arrays(game, nodes, threads).all,
            (*self._settings.for_game(game), simulations),
            AT_ONCE,
        )
