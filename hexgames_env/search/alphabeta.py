"""The bot `alphabeta`: looks ahead step by step, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.bots import Bot
from hexgames_env.core.batch import Batch
from hexgames_env.core.game import Game
from hexgames_env.core.state import State
from hexgames_env.search.alphabeta_session import AlphaBetaSession
from hexgames_env.search.analysis import Analysis, Progress
from hexgames_env.search.deepening import MAX_DEPTH, deepen_rows
from hexgames_env.search.frames import Frames
from hexgames_env.search.rows import choose_rows
from hexgames_env.search.session import check_state
from hexgames_env.search.settings import TABLE_MEMORY, Budget, TableSettings, name_of_heuristic

AT_ONCE = 5000  # steps of a thread in the first call


class AlphaBetaBot(Bot):
    """Alpha-beta search: plays what is best if both go on as well as can be seen.

    It looks one step ahead, then two, and so on; steps of one player in succession count one each.
    Where the depth ends a heuristic judges.  Lines that can't change the answer are cut off, and
    what was found out about a position is kept in a table, so that it counts however the position
    comes about.  A win is played in as few steps as were found, a loss put off as long as can be;
    the search ends when the position is proven to be won or lost.

    With `depth` the answer depends on the position and on ``rng`` alone, which decides the order in
    which steps that look equally good are tried: the first of the best is played.  A position with
    one legal action is not searched.

    Args:
        depth: how many steps; so many that a game has no more, and the answer is proven.
        seconds: how long, by the clock on the wall.
        cpu_seconds: how long, in processor time of the thread that searches.  Exactly one of the
            three is given.
        heuristic: which of the game's judges positions (`hexgames_env.core.heuristics`); None is
            its ``default_heuristic``.
        memory: MiB of the table, which a batch has for each thread.  The bot keeps it from call to
            call.  By `seconds` and `cpu_seconds` it goes on with what earlier calls found out.

    Raises:
        OptionError: a setting that is not as it should be.

    >>> import numpy as np
    >>> from hexgames_env import make_game
    >>> bot = AlphaBetaBot(depth=4)
    >>> bot
    make_bot('alphabeta', depth=4)
    >>> state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    >>> state.step(bot(state, np.random.default_rng(1)))
    >>> state.winner
    0
    """

    name = "alphabeta"

    def __init__(
        self,
        depth: int | None = None,
        seconds: float | None = None,
        cpu_seconds: float | None = None,
        heuristic: str | None = None,
        memory: int = TABLE_MEMORY,
    ) -> None:
        self._budget = Budget(self.name, depth, seconds, cpu_seconds)
        self._settings = TableSettings(heuristic, memory)
        self._spare: list[Frames] = []  # what calls have left; threads take them out and put back

    @property
    def shares_threads(self) -> bool:
        return self._budget.number is not None

    def settings(self) -> dict[str, Any]:
        given = {**self._budget.given, **vars(self._settings)}
        if given["memory"] == TABLE_MEMORY:
            del given["memory"]
        return {name: value for name, value in given.items() if value is not None}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_spare": []}

    def _take(self, game: Game, threads: int = 1) -> Frames:
        """Arrays of an earlier call if there are some that fit, else new ones."""
        try:
            spare = self._spare.pop()
        except IndexError:
            spare = None
        if spare is not None and spare.game == game and spare.threads >= threads:
            return spare
        del spare
        return Frames(game, self._settings.memory, self._budget.number or MAX_DEPTH, threads)

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        legal = check_state(state).legal_actions()
        if len(legal) == 1:
            rng.integers(2**64, dtype=np.uint64)  # as many numbers are drawn as for a search
            return legal[0]
        frames = self._take(state.game)
        action = self._session(state, rng, frames).choose()
        self._spare.append(frames)
        return action

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
            rng: decides between steps that look equally good; None draws it.
            progress: is called now and then with what is known.  What it raises ends the search.
            every: seconds between two such calls, at least.

        Raises:
            GameOverError: the game has ended.
            OptionError: there is no room for the table, or ``every`` is no number from 0 on.

        >>> from hexgames_env import make_game
        >>> state = make_game("rive", side=2).initial_state()
        >>> found = AlphaBetaBot(depth=1000).analyse(state)
        >>> found.winner, found.value
        (0, 1.0)
        """
        frames = self._take(check_state(state).game)
        found = self._session(state, rng, frames).think(progress, every)
        self._spare.append(frames)
        return found

    def _session(
        self, state: State, rng: np.random.Generator | None, frames: Frames
    ) -> AlphaBetaSession:
        keeps = self._budget.number is None
        return AlphaBetaSession(state, rng, self._budget, self._settings, frames, keeps)

    def session(self, state: State, rng: np.random.Generator | None = None) -> AlphaBetaSession:
        """A search that keeps its table while the game goes on from here.

        Raises:
            GameOverError: the game has ended.
        """
        return AlphaBetaSession(state, rng, self._budget, self._settings)

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
        depth = self._budget.number
        which = batch.check_rows(np.arange(batch.n) if rows is None else rows)
        if depth is None or not len(which):
            return super().choose(batch, rng, which)
        game = batch.game
        frames = self._take(game, min(batch.threads, len(which)))
        loop = game.compiled(deepen_rows, name_of_heuristic(game, self._settings.heuristic))
        actions = choose_rows(
            batch, which, loop, lambda threads: (frames.rows, *frames.all), (depth,), AT_ONCE
        )
        self._spare.append(frames)
        return actions
