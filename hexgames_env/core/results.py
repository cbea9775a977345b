"""What comes of the steps of a `Batch`: of one step, and of many that it plays by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.game import Game
from hexgames_env.core.options import shown
from hexgames_env.core.state import State, replay
from hexgames_env.engine.status_word import OVER


@dataclass(frozen=True)
class RandomPlay:
    """What `Batch.play_random` played.

    Attributes:
        steps: steps made, by all rows together.
        games: games that ended.
        wins: games won by player_0 and by player_1.
        truncated: games that ended by ``max_cycles``.
        total_length: steps of the games that ended; with those, mean_length.
        shortest, longest: steps of the shortest and the longest of them, 0 without any.
    """

    steps: int
    games: int
    wins: tuple[int, int]
    truncated: int
    total_length: int
    shortest: int
    longest: int

    @property
    def mean_length(self) -> float:
        """Mean number of steps of the games that ended; nan without any."""
        return self.total_length / self.games if self.games else float("nan")

    @staticmethod
    def empty_tally(n: int) -> NDArray[np.int64]:
        """int64 (n, 6), for `loops.play_rows` to count in."""
        tally = np.zeros((n, 6), np.int64)
        tally[:, 4] = np.iinfo(np.int64).max
        return tally

    @classmethod
    def of_tally(cls, steps: int, tally: NDArray[np.int64]) -> RandomPlay:
        """What `loops.play_rows` has counted."""
        wins_0, wins_1, truncated, total = tally[:, :4].sum(axis=0).tolist()
        games = wins_0 + wins_1 + truncated
        return cls(
            steps=steps,
            games=games,
            wins=(wins_0, wins_1),
            truncated=truncated,
            total_length=total,
            shortest=int(tally[:, 4].min()) if games else 0,
            longest=int(tally[:, 5].max()),
        )


class StepResults(NamedTuple):
    """What came of a step, in the order in which `loops.step_rows` writes it.

    Attributes:
        rewards: float32 (n, 2).
        terminated, truncated: bool (n,).
        finished: int64 (k,), ascending: the rows whose game ended.
        lengths: int64 (k,), steps of those games.
        rows: (k, planes, length), their last positions.
        status: int64 (k,), the status of those.
    """

    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    finished: NDArray[np.int64]
    lengths: NDArray[np.int64]
    rows: NDArray[Any]
    status: NDArray[np.int64]

    @staticmethod
    def room(rows: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Unwritten arrays for what comes of a step of these rows, if all of their games end."""
        n = len(rows)
        return (
            np.empty((n, 2), np.float32),
            np.empty(n, np.bool_),
            np.empty(n, np.bool_),
            np.empty(n, np.int64),
            np.empty(n, np.int64),
            np.empty(rows.shape, rows.dtype),
            np.empty(n, np.int64),
        )

    @classmethod
    def written(
        cls, room: Sequence[NDArray[Any]], starts: Sequence[int], counts: Sequence[int]
    ) -> StepResults:
        """What a step has written into `room`.

        Each thread has written of as many games that ended as ``counts`` says, from its first row
        on.
        """
        if len(counts) == 1:
            return cls(*room[:3], *[array[: counts[0]] for array in room[3:]])
        places = [slice(lo, lo + k) for lo, k in zip(starts, counts, strict=True)]
        return cls(
            *room[:3], *[np.concatenate([array[these] for these in places]) for array in room[3:]]
        )

    @classmethod
    def of_no_step(cls, rows: NDArray[Any]) -> StepResults:
        """Nothing has happened in these rows."""
        n = len(rows)
        return cls(
            np.zeros((n, 2), np.float32),
            np.zeros(n, np.bool_),
            np.zeros(n, np.bool_),
            np.zeros(0, np.int64),
            np.zeros(0, np.int64),
            rows[:0].copy(),
            np.zeros(0, np.int64),
        )

    @property
    def illegal(self) -> NDArray[np.bool_]:
        """bool (n,): whether an illegal action lost the row's game; a new array."""
        found = np.zeros(len(self.terminated), np.bool_)
        found[self.finished] = self.terminated[self.finished] & (self.status & OVER == 0)
        return found

    def final_state(self, game: Game, k: int) -> State:
        """The last position of the k-th game that ended."""
        return state_of_row(game, self.rows[k], self.status[k])

    # Pickled, the last positions are texts, as in the pickles of states.

    def pickled(self, game: Game) -> tuple[Any, ...]:
        """What `unpickled` takes."""
        states = [self.final_state(game, k) for k in range(len(self.finished))]
        ended = [state.__reduce__()[1] for state in states]
        outcome = self.rewards, self.terminated, self.truncated
        return (*outcome, self.finished, self.lengths, ended)

    @classmethod
    def unpickled(cls, game: Game, rows: NDArray[Any], pickled: Any) -> StepResults:
        """What `pickled` gave, for a batch of these rows; ValueError if it does not fit."""
        rewards, terminated, truncated, finished, lengths, ended = pickled
        states = [replay(*arguments) for arguments in ended]
        last_rows = np.zeros((len(states), *rows.shape[1:]), rows.dtype)
        for k, state in enumerate(states):
            last_rows[k] = state._rows[0]
        none = cls.of_no_step(rows)
        terminated, truncated = (
            fitting(terminated, none.terminated),
            fitting(truncated, none.truncated),
        )
        which = np.flatnonzero(terminated | truncated)
        if not np.array_equal(fitting(finished, which), which) or len(which) != len(states):
            raise ValueError(
                f"the pickle has {len(states)} last positions, of rows {shown(finished)}"
            )
        return cls(
            fitting(rewards, none.rewards),
            terminated,
            truncated,
            which,
            fitting(lengths, np.zeros(len(states), np.int64)),
            last_rows,
            np.array([state._status for state in states], np.int64),
        )


def fitting(given: Any, like: NDArray[Any]) -> Any:
    """A copy of a pickled array, since those that share memory can't be written.

    Raises:
        ValueError: it is of another shape or dtype than ``like``.
    """
    if not isinstance(given, np.ndarray) or (given.shape, given.dtype) != (like.shape, like.dtype):
        raise ValueError(f"the pickle has {shown(given)} for {like.dtype} of shape {like.shape}")
    return given.copy()


def state_of_row(game: Game, row: NDArray[Any], status: int) -> State:
    """A copy of a row as a state without history."""
    return State(game, row.ravel().copy().view(np.int8), int(status))


def check_state(state: Any, game: Game) -> None:
    """ValueError if a row of a batch of ``game`` can't take this position."""
    if not isinstance(state, State):
        raise ValueError(f"a row takes a State, got {shown(state)}")
    if state.game is not game and state.game != game:
        raise ValueError(f"this batch plays {game!r}, the state {state.game!r}")
    if not state.legal_actions():
        how = "is over" if state.is_over else "was cut off"
        raise ValueError(f"the state's game {how}: a row holds a game that runs")
