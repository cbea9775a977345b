"""Many games at once, in one array, stepped by compiled code without a Python loop over them.

    batch = Batch(make_game("oust"), 1024, seed=1)
    for _ in range(1000):
        planes, mask = batch.observations(), batch.action_mask
        batch.step(batch.sample_actions())     # or your network's choice, int (1024,)
        batch.rewards, batch.terminated        # of this step; finished games have begun anew

Row i of a batch, game after game, depends on ``(seed, i)`` and the actions alone: not on the
number of rows, nor on threads.  Random numbers come from one stream for each (seed, row, game).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from threading import Event
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hexgames_env import drivers
from hexgames_env.errors import IllegalActionError, OptionError
from hexgames_env.game import Game, check_seed
from hexgames_env.options import as_integer
from hexgames_env.state import PICKLED, State, check_pickle, read_position, unfit_out

_CHANGING = ("_rows", "_status", "_random", "_games", "_lengths")  # arrays that steps write
_AT_ONCE = 2**18  # steps of all rows in one call of compiled code, which Ctrl-C can't interrupt


@dataclass(frozen=True, slots=True)
class _Step:
    """What came of a step: an entry for each row, then one for each game that ended."""

    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    finished: NDArray[np.int64]  # the rows whose game ended
    lengths: NDArray[np.int64]
    rows: NDArray[Any]
    status: NDArray[np.int64]


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


class Batch:
    """``n`` games of one kind, each in its own row; a game that ends begins anew in the same step.

    Arrays that a batch hands out are never changed afterwards, unless the caller gave them as
    ``out``.  A batch pickles and copies; the copy goes on with the same games and random numbers.

    When an exception such as Ctrl-C interrupts a step, the batch goes on: each row either has made
    the step or has not, and `rewards` and the like are those of no step.

    Args:
        game: the rules and the board.
        n: rows, at least 1.
        seed: 0 to 2**64 - 1, decides all that is random; None draws one, kept in ``batch.seed``.
        threads: rows are shared out among so many; results do not depend on it.
        max_cycles: truncate a game after so many steps; None never does.
        illegal_action: what `step` does with an action that its row's mask forbids.  "raise":
            `IllegalActionError` before anything changes; "lose": the actor of that row gets -1,
            the other +1, and its game has ended.

    Attributes:
        game, n, seed, threads, max_cycles, illegal_action: as given.

    Raises:
        OptionError: an argument that is none of these.

    >>> from hexgames_env import Batch, make_game
    >>> batch = Batch(make_game("oust", side=3), 4, seed=1)
    >>> batch.action_mask.shape
    (4, 21)
    >>> batch.step(batch.sample_actions())
    >>> batch.to_play.tolist()
    [1, 1, 1, 1]
    >>> batch.play_random(1000).steps
    4000
    """

    def __init__(
        self,
        game: Game,
        n: int,
        seed: int | None = None,
        threads: int = 1,
        max_cycles: int | None = None,
        illegal_action: Literal["raise", "lose"] = "raise",
    ) -> None:
        if not isinstance(game, Game):
            raise OptionError(f"game must be a Game, as from make_game(), got {game!r}")
        if not isinstance(illegal_action, str) or illegal_action not in ("raise", "lose"):
            raise OptionError(f"illegal_action must be 'raise' or 'lose', got {illegal_action!r}")
        self.game = game
        self.n = _positive("n", n)
        self.seed = int(check_seed(seed))
        self.threads = min(_positive("threads", threads), self.n)
        self.max_cycles = None if max_cycles is None else _positive("max_cycles", max_cycles)
        self.illegal_action = illegal_action
        try:
            self._rows = np.zeros((self.n, *game.row_shape[1:]), game.row_dtype)
            self._status = np.zeros(self.n, np.int64)
            self._random = np.zeros(self.n, np.uint64)
            self._games = np.zeros(self.n, np.int64)
            self._lengths = np.zeros(self.n, np.int64)
        except (MemoryError, ValueError):  # more than there is, more than numpy can count
            raise OptionError(
                f"n={self.n} rows of {game!r} take {self.n * self.row_bytes:,} bytes, for which "
                f"there is no room: take fewer rows"
            ) from None
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        self._last: _Step | None = None  # until somebody asks, after no step
        self._begin(np.arange(self.n))

    @classmethod
    def from_states(
        cls, states: Iterable[State], seed: int | None = None, threads: int = 1, **settings: Any
    ) -> Batch:
        """A batch with a row for each state, all of one game and none of them over.

        A row's next games begin at the start as ever.  ``lengths`` count from here.

        Raises:
            ValueError: no states, states of different games, or a game that is over.
        """
        try:
            found = list(states)
        except TypeError:  # nothing that one can go through
            found = []
        if not found or not all(isinstance(state, State) for state in found):
            raise ValueError(f"from_states() takes at least one state, and only states: {states!r}")
        batch = cls(found[0].game, len(found), seed, threads, **settings)
        for row, state in enumerate(found):
            batch.set_state(row, state)
        return batch

    # What is there

    @property
    def to_play(self) -> NDArray[np.int64]:
        """int64 (n,): the player to act in each row; a new array."""
        return self._status & 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """int64 (n,): steps made so far in each row's game; a new array."""
        return self._lengths.copy()

    @property
    def action_mask(self) -> NDArray[np.int8]:
        """int8 (n, num_actions): 1 for the legal actions of the player to act; a new array."""
        return self.action_mask_view.copy()

    @property
    def action_mask_view(self) -> NDArray[np.int8]:
        """The same without a copy: read-only, not contiguous, and changed by the next step."""
        view = self._rows.view(np.int8)[:, 0, : self.game.num_actions]
        view.flags.writeable = False
        return view

    @property
    def row_bytes(self) -> int:
        """Bytes of one row: its position and mask, and four numbers of 8 bytes."""
        return self.game.row_bytes + 4 * 8

    def observations(
        self, players: ArrayLike | None = None, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """The planes of each row.

        Args:
            players: who looks, 0 or 1 for all rows or int (n,); None is the player to act.
            out: float32 (n, rows, columns, planes), C-contiguous, to be filled.

        Returns:
            float32 (n, rows, columns, planes), ``out`` or a new array.
        """
        views = self.to_play if players is None else self._check_players(players, self.n)
        return self._look(self._rows, views, out)

    def final_observations(
        self, players: ArrayLike | None = None, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """The last planes of the games that ended in the last step, one for each of `finished`.

        Args:
            players: who looks, 0 or 1 or int (k,); None is the player of the last step.
            out: float32 (k, rows, columns, planes), C-contiguous, to be filled.
        """
        k = len(self.finished)
        views = self._last_step().status & 1 if players is None else self._check_players(players, k)
        return self._look(self._last_step().rows, views + 2, out)

    def _check_players(self, players: ArrayLike, n: int) -> NDArray[np.int64]:
        given = np.asarray(players)
        if given.dtype.kind not in "iu" or given.shape not in ((), (n,)):
            raise ValueError(
                f"players must be 0, 1 or integers of shape ({n},), "
                f"got {given.dtype} of shape {given.shape}"
            )
        if given.size and not (given.min() >= 0 and given.max() <= 1):
            raise ValueError(f"players must be 0 or 1, got {given.min()} to {given.max()}")
        return np.broadcast_to(given, (n,)).astype(np.int64)

    def _look(
        self, rows: NDArray[Any], views: NDArray[np.int64], out: NDArray[np.float32] | None
    ) -> NDArray[np.float32]:
        shape = (len(rows), *self.game.observation_shape)
        if out is None:
            out = np.empty(shape, np.float32)
        elif (
            type(out) is not np.ndarray
            or out.shape != shape
            or out.dtype != np.float32
            or not out.flags.carray
        ):
            raise unfit_out(out, shape)
        self._share(self.game.drivers["look_rows"], rows, self.game.tables, views, out)
        return out

    # Steps

    def sample_actions(self) -> NDArray[np.int64]:
        """int64 (n,): a legal action for each row, uniformly, from the row's random numbers."""
        actions = np.empty(self.n, np.int64)
        self._share(self.game.drivers["sample_rows"], self._rows, self._random, actions)
        return actions

    def step(self, actions: ArrayLike) -> None:
        """Make one step in each row, and begin a new game in those that ended.

        Args:
            actions: integers (n,), legal each in its row.

        Raises:
            IllegalActionError: they are not; the message names rows and actions, and nothing has
                changed.  With ``illegal_action="lose"`` only for what is no action of the game.
        """
        made = self._check_actions(actions)
        n = self.n
        rewards = np.empty((n, 2), np.float32)
        terminated, truncated = np.empty(n, np.bool_), np.empty(n, np.bool_)
        final = (
            np.empty(n, np.int64),
            np.empty(n, np.int64),
            np.empty(self._rows.shape, self._rows.dtype),
            np.empty(n, np.int64),
        )
        self._last = None
        ended = self._share(
            self.game.drivers["step_rows"],
            self._rows,
            self.game.tables,
            self._status,
            self._random,
            self._games,
            self._lengths,
            np.uint64(self.seed),
            self.max_cycles or 0,
            made,
            rewards,
            terminated,
            truncated,
            *final,
        )
        if len(ended) == 1:
            final = tuple(array[: ended[0]] for array in final)  # type: ignore[assignment]
        else:  # each thread has begun at its first row
            places = [slice(lo, lo + k) for (lo, _), k in zip(self._chunks(n), ended, strict=True)]
            final = tuple(np.concatenate([a[these] for these in places]) for a in final)  # type: ignore[assignment]
        self._last = _Step(rewards, terminated, truncated, *final)

    def _last_step(self) -> _Step:
        if self._last is None:
            self._last = _Step(
                np.zeros((self.n, 2), np.float32),
                np.zeros(self.n, np.bool_),
                np.zeros(self.n, np.bool_),
                np.zeros(0, np.int64),
                np.zeros(0, np.int64),
                self._rows[:0],
                self._status[:0],
            )
        return self._last

    @property
    def rewards(self) -> NDArray[np.float32]:
        """float32 (n, 2): of the last step, by player."""
        return self._last_step().rewards

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """bool (n,): whether the row's game was won in the last step."""
        return self._last_step().terminated

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """bool (n,): whether ``max_cycles`` ended the row's game in the last step."""
        return self._last_step().truncated

    @property
    def finished(self) -> NDArray[np.int64]:
        """int64 (k,), ascending: the rows whose game ended in the last step."""
        return self._last_step().finished

    @property
    def final_lengths(self) -> NDArray[np.int64]:
        """int64 (k,): the number of steps of the games that ended in the last step."""
        return self._last_step().lengths

    @property
    def final_returns(self) -> NDArray[np.float32]:
        """float32 (k, 2): the outcome of the games that ended in the last step, by player."""
        return self.rewards[self.finished]

    def _check_actions(self, actions: ArrayLike) -> NDArray[np.int64]:
        if np.ma.is_masked(actions):
            raise IllegalActionError(
                f"actions must be {self.n} integers, got a masked array that hides some of them: "
                f"{actions!r}; put a legal action in each place"
            )
        try:
            given = np.asarray(actions)
        except ValueError:  # a ragged list
            given = np.empty(0, np.object_)
        if given.dtype.kind not in "iu" or given.shape != (self.n,):
            raise IllegalActionError(
                f"actions must be {self.n} integers, an array of shape ({self.n},), "
                f"got {given.dtype} of shape {given.shape}"
            )
        made = given.astype(np.int64)  # a copy: nobody can change it after the check
        last = self.game.num_actions - 1
        legal = self._rows.view(np.uint8)
        wrong, illegal = drivers.count_refused(legal, made, last)
        # An unsigned number beyond int64 is less than 0 in the copy.
        if wrong:
            self._refuse(given, (given < 0) | (given > last), f"actions are 0 to {last}")
        if illegal and self.illegal_action == "raise":
            forbidden = legal[np.arange(self.n), 0, made] == 0
            self._refuse(given, forbidden, "action_mask marks the legal ones")
        return made

    def _refuse(self, actions: NDArray[Any], wrong: NDArray[np.bool_], rule: str) -> None:
        rows = np.flatnonzero(wrong)
        some = ", ".join(f"{actions[row]} in row {row}" for row in rows[:8])
        more = f" and {len(rows) - 8} more" if len(rows) > 8 else ""
        raise IllegalActionError(f"illegal actions: {some}{more}; {rule}.  Nothing has changed")

    def play_random(self, steps: int) -> RandomPlay:
        """Play every row ``steps`` steps at random, wholly in compiled code.

        The same games as by ``step(sample_actions())`` so many times.  Afterwards `rewards`,
        `terminated`, `truncated` and `finished` are those of no step.

        Returns:
            How many games ended in it, and how.
        """
        steps = _positive("steps", steps)
        tally = np.zeros((self.n, 6), np.int64)
        tally[:, 4] = np.iinfo(np.int64).max
        self._last = None
        at_once = max(1, _AT_ONCE // self.n)
        for made in range(0, steps, at_once):
            self._share(
                self.game.drivers["play_rows"],
                self._rows,
                self.game.tables,
                self._status,
                self._random,
                self._games,
                self._lengths,
                np.uint64(self.seed),
                self.max_cycles or 0,
                min(at_once, steps - made),
                tally,
            )
        wins_0, wins_1, truncated, total = tally[:, :4].sum(axis=0).tolist()
        games = wins_0 + wins_1 + truncated
        return RandomPlay(
            steps=self.n * steps,
            games=games,
            wins=(wins_0, wins_1),
            truncated=truncated,
            total_length=total,
            shortest=int(tally[:, 4].min()) if games else 0,
            longest=int(tally[:, 5].max()),
        )

    def _begin(self, which: NDArray[np.int64]) -> None:
        self.game.drivers["begin_rows"](
            self._rows,
            self.game.tables,
            self._status,
            self._random,
            self._games,
            self._lengths,
            np.uint64(self.seed),
            which,
        )

    # Single positions

    def state(self, row: int) -> State:
        """The position in a row, as a state of its own without history."""
        row = self._check_row(row)
        return State(self.game, _flat(self._rows[row]), int(self._status[row]))

    def final_state(self, k: int) -> State:
        """The last position of the k-th game in `finished`, as a state without history."""
        number = as_integer(k)
        if number is None or not 0 <= number < len(self.finished):
            raise IndexError(f"{len(self.finished)} games ended in the last step, got {k!r}")
        last = self._last_step()
        return State(self.game, _flat(last.rows[number]), int(last.status[number]))

    def set_state(self, row: int, state: State) -> None:
        """Put a position into a row; its length counts from here.

        Raises:
            ValueError: a state of another game, or one that is over.
        """
        row = self._check_row(row)
        if not isinstance(state, State):
            raise ValueError(f"a row takes a State, got {state!r}")
        if state.game != self.game:
            raise ValueError(f"this batch plays {self.game!r}, the state {state.game!r}")
        if state.is_over:
            raise ValueError("the state's game is over: a row holds a game that runs")
        self._rows[row] = state._rows[0]
        self._status[row] = state._status
        self._lengths[row] = 0

    def _check_row(self, row: int) -> int:
        number = as_integer(row)
        if number is None or not 0 <= number < self.n:
            raise IndexError(f"rows are 0 to {self.n - 1}, got {row!r}")
        return number

    # Copies

    def copy(self) -> Batch:
        """A batch of its own with the same games, random numbers and last step."""
        other = Batch.__new__(Batch)
        other.__dict__.update(self.__dict__, _pool=None)
        for name in _CHANGING:
            setattr(other, name, getattr(self, name).copy())
        return other

    def __copy__(self) -> Batch:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Batch:
        return self.copy()

    def __reduce__(self) -> tuple[Callable[..., Batch], tuple[Any, ...]]:
        # Positions as texts, for the reason that states have.
        settings = (self.n, self.seed, self.threads, self.max_cycles, self.illegal_action)
        texts = [self.state(row)._position_text() for row in range(self.n)]
        numbers = self._random, self._games, self._lengths
        last = None
        if self._last is not None:
            ended = [self.final_state(k)._position_text() for k in range(len(self.finished))]
            outcome = self.rewards, self.terminated, self.truncated
            last = (*outcome, self.finished, self.final_lengths, ended)
        return _restore, (PICKLED, self.game, settings, texts, numbers, last)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"Batch({self.game!r}, {self.n}, seed={self.seed}, threads={self.threads})"

    # Threads

    def _share(self, driver: Callable[..., Any], rows: NDArray[Any], *arguments: Any) -> list[Any]:
        """Run a driver over all rows, in a chunk for each thread; what each of them returned."""
        if self.threads == 1:
            return [driver(rows, *arguments, 0, len(rows))]
        chunks = self._chunks(len(rows))
        workers = self._workers()
        try:
            futures = [workers.submit(driver, rows, *arguments, lo, hi) for lo, hi in chunks[1:]]
            first = driver(rows, *arguments, *chunks[0])
            return [first, *(future.result() for future in futures)]
        except BaseException:
            self._pool = None
            _wait_for(workers)
            raise

    def _chunks(self, n: int) -> list[tuple[int, int]]:
        return list(pairwise([n * k // self.threads for k in range(self.threads + 1)]))

    def _workers(self) -> ThreadPoolExecutor:
        # Threads do not survive a fork: a child makes its own.
        if self._pool is None or self._pool[0] != os.getpid():
            self._pool = os.getpid(), _started_threads(self.threads - 1)
        return self._pool[1]


def _restore(
    form: int, game: Game, settings: Any, texts: list[str], numbers: Any, last: Any
) -> Batch:
    """What was pickled; ValueError (of which PositionTextError is one) if it does not fit."""
    check_pickle(form)
    batch = Batch(game, *settings)
    if len(texts) != batch.n:
        raise ValueError(f"the pickle has {len(texts)} positions for {batch.n} rows")
    for row, text in enumerate(texts):
        batch.set_state(row, read_position(game, text))
    random, games, lengths = numbers
    batch._random = _fitting(random, batch._random)
    batch._games, batch._lengths = _fitting(games, batch._games), _fitting(lengths, batch._lengths)
    if last is None:
        return batch
    rewards, terminated, truncated, finished, final_lengths, ended = last
    states = [read_position(game, text) for text in ended]
    rows = np.zeros((len(states), *game.row_shape[1:]), game.row_dtype)
    for k, state in enumerate(states):
        rows[k] = state._rows[0]
    rows.view(np.uint8)[:, 0] = 0  # nothing is legal any more, however the game ended
    none = batch._last_step()
    terminated, truncated = (_fitting(a, none.terminated) for a in (terminated, truncated))
    batch._last = _Step(
        _fitting(rewards, none.rewards),
        terminated,
        truncated,
        _fitting(finished, np.flatnonzero(terminated | truncated)),
        _fitting(final_lengths, np.zeros(len(states), np.int64)),
        rows,
        np.array([state._status for state in states], np.int64),
    )
    if len(finished) != len(states):
        raise ValueError(f"the pickle has {len(states)} last positions for {len(finished)} games")
    return batch


def _fitting(given: Any, like: NDArray[Any]) -> Any:
    """A copy, since pickles that share memory give arrays that can't be written."""
    if not isinstance(given, np.ndarray) or (given.shape, given.dtype) != (like.shape, like.dtype):
        raise ValueError(f"the pickle has {given!r} for {like.dtype} of shape {like.shape}")
    return given.copy()


def _started_threads(n: int) -> ThreadPoolExecutor:
    """A pool whose threads all run, so that no step finds out halfway that one can't be started."""
    pool = ThreadPoolExecutor(n)
    all_there = Event()
    started = 0
    try:
        for started in range(n):  # noqa: B007  (for the message)
            pool.submit(all_there.wait, 5)  # seconds, should an interruption leave it unset
    except RuntimeError as error:
        raise RuntimeError(
            f"only {started + 1} of {n + 1} threads can run at once here ({error}): make the batch "
            "with fewer, or allow this process more.  Nothing has changed"
        ) from error
    finally:
        all_there.set()
    return pool


def _wait_for(workers: ThreadPoolExecutor) -> None:
    """Return when none of them writes any more, which is soon: then the rows can be trusted."""
    while True:
        with suppress(KeyboardInterrupt):
            workers.shutdown(wait=True)
            return


def _flat(row: NDArray[Any]) -> NDArray[np.int8]:
    """A row as a state holds it: a copy of its bytes."""
    return row.ravel().copy().view(np.int8)


def _positive(name: str, value: Any) -> int:
    number = as_integer(value)
    if number is None or not 1 <= number < 2**63:
        raise OptionError(f"{name} must be a positive integer below 2**63, got {value!r}")
    return number
