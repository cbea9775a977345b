"""The session of `alphabeta`: its table is kept from step to step."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.state import State
from hexgames_env.search.analysis import Analysis
from hexgames_env.search.deepening import (
    ACTION,
    AT,
    DEPTH,
    DONE,
    MAX_DEPTH,
    NODES,
    OLDEST,
    PLAY,
    PROVEN,
    begin,
    deepen,
    look_up,
)
from hexgames_env.search.frames import Frames
from hexgames_env.search.session import Session, check_state
from hexgames_env.search.settings import Budget, TableSettings, name_of_heuristic, scale_of

FEW = 200  # steps of the first slice


class AlphaBetaSession(Session):
    """A session that keeps its table.

    Made by `AlphaBetaBot.session`.  What was found out about a position is used wherever it is met
    again, also after steps of either player.

    >>> from hexgames_env import make_game
    >>> from hexgames_env.bots import make_bot
    >>> session = make_bot("alphabeta depth=4").session(make_game("oust", side=3).initial_state())
    >>> first = session.think()
    >>> session.play(first.action)
    >>> session.think().depth
    4

    Args:
        state: where it begins; a copy is kept.
        rng: decides between steps that look equally good; None draws it.
        budget: when `think` ends, if it is not told otherwise.
        settings: how to search.
        frames: to write into; None makes them.
        keeps: whether what earlier searches have left in the table counts.
    """

    def __init__(
        self,
        state: State,
        rng: np.random.Generator | None,
        budget: Budget,
        settings: TableSettings,
        frames: Frames | None = None,
        keeps: bool = True,
    ) -> None:
        super().__init__(state, budget, FEW)
        game = state.game
        self._heuristic = name_of_heuristic(game, settings.heuristic)
        self._deepen = game.compiled(deepen, self._heuristic)
        self._start, self._look_up = game.compiled(begin), game.compiled(look_up)
        self._keeps = keeps
        self._depth = budget.number or MAX_DEPTH
        self._frames = frames or Frames(game, settings.memory, self._depth)
        rng = np.random.default_rng() if rng is None else rng
        self._frames.random[0] = rng.integers(2**64, dtype=np.uint64)

    def _begin(self) -> None:
        self._begin_at(self._row)

    def _begin_at(self, row: NDArray[Any]) -> None:
        held = self._frames
        self._start(
            *(row, 0, held.rows[0], held.table[0], held.frames[0], held.bounds[0]),
            *(held.history[0], held.found[0], held.nodes[0], held.control[0]),
            *(self._depth, self._keeps),
        )
        self._go_on(1)  # the root's steps are put in order: there is something to play

    def _go_on(self, wanted: int) -> bool:
        held = self._frames
        tables = self._state.game.tables
        self._deepen(held.rows[0], tables, *(array[0] for array in held.all), wanted)
        return not held.control[0, DONE]

    def _decide(self) -> int:
        return int(self._frames.control[0, PLAY])

    def _found(self) -> Analysis:
        took = time.perf_counter() - self._began
        state, held = check_state(self._state), self._frames
        control = held.control[0].tolist()
        visits, values, proven = {}, {}, {}
        scale = scale_of(state.game, self._heuristic)
        for action in state.legal_actions():
            visits[action] = int(held.nodes[0, action])
            value = float(held.found[0, action])
            if abs(value) >= PROVEN:
                proven[action] = state.to_play if value > 0 else 1 - state.to_play
            if not math.isnan(value):
                values[action] = _scaled(value, scale)
        if control[AT] > 0:  # below this action the search goes on
            visits[int(held.frames[0, 0, ACTION])] += control[NODES]
        action = self._decide()
        winner = proven.get(action)
        if winner != state.to_play and not control[DONE]:
            winner = None  # another may be better
        return Analysis(
            to_play=state.to_play,
            action=action,
            visits=visits,
            values=values,
            proven=proven,
            winner=winner,
            principal_line=self._line(action),
            simulations=0,
            seconds=took,
            depth=control[DEPTH],
            nodes=control[NODES],
        )

    def _line(self, action: int) -> tuple[int, ...]:
        """The actions that both play, as far as the table knows them."""
        held = self._frames
        line, state = [action], self._state.copy()
        state.step(action)
        key = np.empty((1, held.keys.shape[2]), np.uint64)
        while len(line) < self._depth and not state.is_over:
            oldest = held.control[0, OLDEST]
            action = self._look_up(state.to_row(), state.game.tables, held.table[0], key, oldest)
            if action < 0:
                break
            line.append(int(action))
            state.step(action)
        return tuple(line)

    def _follow(self, state: State, row: NDArray[Any], action: int) -> None:
        if not state.is_over:
            self._begin_at(row)  # the table stays as it is


def _scaled(value: float, scale: float) -> float:
    """From -1, lost, to 1, won."""
    if abs(value) >= PROVEN:
        return math.copysign(1.0, value)
    return value / (scale + abs(value))
