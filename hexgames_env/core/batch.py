"""Many games at once, in one array, stepped by compiled code without a Python loop over them.

Row i of a batch, game after game, depends on ``(seed, i)`` and the actions alone: not on the
number of rows, nor on threads.  Random numbers come from one stream for each (seed, row, game).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hexgames_env.core import checks, loops, policies
from hexgames_env.core.game import Game
from hexgames_env.core.journal import WORDS_OF_STEP, Journal, NoJournal, PlayedGames
from hexgames_env.core.options import as_integer, check_seed, shown
from hexgames_env.core.policies import Policy
from hexgames_env.core.results import RandomPlay, StepResults, check_state, fitting, state_of_row
from hexgames_env.core.settings import (
    check_count,
    check_flag,
    check_illegal_action,
    check_is_game,
    check_max_cycles,
    no_room,
)
from hexgames_env.core.state import PICKLED, State, check_pickle, read_position
from hexgames_env.core.workers import Crew
from hexgames_env.engine.status_word import CUT_OFF, PLAYER

__all__ = ["Batch", "RandomPlay"]

_CHANGING = ("_rows", "_status", "_random", "_games", "_lengths")  # arrays that steps write
_AT_ONCE = 2**18  # steps of all rows in one call of compiled code, which Ctrl-C can't interrupt


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
        threads: rows are shared out among this many; results do not depend on it.
        max_cycles: truncate a game after this many steps; None never does.
        illegal_action: what `step` does with an action that its row's mask forbids.  "raise":
            `IllegalActionError` before anything changes; "lose": the actor of that row gets -1,
            the other +1, and its game has ended.
        record: keep what is played, for `take_games`.  A copy or a pickle does not.

    Attributes:
        game, n, seed, threads, max_cycles, illegal_action, record: as given.

    Raises:
        OptionError: if an argument is invalid.

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
        record: bool = False,
    ) -> None:
        check_illegal_action(illegal_action)
        self.game = check_is_game(game)
        self.n = check_count("n", n)
        self.seed = int(check_seed(seed))
        self.threads = min(check_count("threads", threads), self.n)
        self.max_cycles = check_max_cycles(max_cycles)
        self.illegal_action = illegal_action
        self.record = check_flag("record", record)
        try:
            self._rows = np.zeros((self.n, *game.row_shape[1:]), game.row_dtype)
            self._status = np.zeros(self.n, np.int64)
            self._random = np.zeros(self.n, np.uint64)
            self._games = np.zeros(self.n, np.int64)
            self._lengths = np.zeros(self.n, np.int64)
        except (MemoryError, ValueError):  # more than there is, more than numpy can count
            raise no_room("n", self.n, repr(game), self.row_bytes) from None
        self._all = np.arange(self.n)
        self._all.flags.writeable = False
        self._crew = Crew(self.threads)
        self._last: StepResults | None = None  # until somebody asks, after no step
        self._journal = Journal(self.n, game.num_actions) if record else NoJournal()
        self._begin(self._all.copy())

    @classmethod
    def from_states(
        cls, states: Iterable[State], seed: int | None = None, threads: int = 1, **settings: Any
    ) -> Batch:
        """A batch with a row for each state, all of one game and none of them over.

        A row's next games begin at the start.

        Raises:
            ValueError: no states, or what `set_states` does not take.
        """
        found = checks.as_list(states)
        if not found or not all(isinstance(state, State) for state in found):
            raise ValueError(
                f"from_states() takes at least one state, and only states: {shown(states)}"
            )
        batch = cls(found[0].game, len(found), seed, threads, **settings)
        batch.set_states(None, found)
        return batch

    # What is there

    @property
    def to_play(self) -> NDArray[np.int64]:
        """int64 (n,): the player to act in each row; a new array."""
        return self._status & PLAYER

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
        self,
        players: ArrayLike | None = None,
        out: NDArray[np.float32] | None = None,
        *,
        rows: ArrayLike | None = None,
        ended: bool = False,
    ) -> NDArray[np.float32]:
        """The planes of each row, or of some.

        Args:
            players: who observes, 0 or 1 for all rows or int (k,); None is the player to act.
            out: float32 (k, rows, columns, planes), C-contiguous, to be filled.
            rows: int (k,), which rows; None is all of them.
            ended: show the positions as those of games that are over: nobody is to act.

        Returns:
            float32 (k, rows, columns, planes), ``out`` or a new array.

        Raises:
            IndexError: no such row.
        """
        which = None if rows is None else self.check_rows(rows)
        found = self._rows if which is None else self._rows[which]
        if players is None:
            views = self.to_play if which is None else self._status[which] & PLAYER
        else:
            views = checks.check_players(players, len(found))
        return self._observe(found, views + CUT_OFF if ended else views, out)

    def final_observations(
        self, players: ArrayLike | None = None, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """The last planes of the games that ended in the last step, one for each of `finished`.

        Args:
            players: who observes, 0 or 1 or int (k,); None is the player of the last step.
            out: float32 (k, rows, columns, planes), C-contiguous, to be filled.
        """
        k = len(self.finished)
        views = self.final_players if players is None else checks.check_players(players, k)
        return self._observe(self._last_step().rows, views + CUT_OFF, out)

    def _observe(
        self, rows: NDArray[Any], views: NDArray[np.int64], out: NDArray[np.float32] | None
    ) -> NDArray[np.float32]:
        shape = (len(rows), *self.game.observation_shape)
        if out is None:
            out = np.empty(shape, np.float32)
        else:
            checks.check_out(out, shape)
        self._crew.run(self.game.compiled(loops.observe_rows), rows, self.game.tables, views, out)
        return out

    # Steps

    def sample_actions(self) -> NDArray[np.int64]:
        """int64 (n,): a legal action for each row, uniformly, from the row's random numbers."""
        actions = np.empty(self.n, np.int64)
        self._crew.run(self.game.compiled(loops.sample_rows), self._rows, self._random, actions)
        return actions

    def step(self, actions: ArrayLike) -> None:
        """Make one step in each row, and begin a new game in those that ended.

        Args:
            actions: integers (n,), legal each in its row.

        Raises:
            IllegalActionError: they are not; the message names rows and actions, and nothing has
                changed.  With ``illegal_action="lose"`` only for an action outside the game's.
        """
        made = self.check_actions(actions)
        room = StepResults.room(self._rows)
        self._last = None
        ended = self._crew.run(
            self.game.compiled(loops.step_rows),
            self._rows,
            self.game.tables,
            self._status,
            self._random,
            self._games,
            self._lengths,
            np.uint64(self.seed),
            *self._journal.arrays_for(WORDS_OF_STEP),
            self.max_cycles or 0,
            made,
            *room,
        )
        self._last = StepResults.written(room, self._crew.starts(self.n), ended)

    def _last_step(self) -> StepResults:
        if self._last is None:
            self._last = StepResults.of_no_step(self._rows)
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
    def illegal(self) -> NDArray[np.bool_]:
        """bool (n,): whether an illegal action lost the row's game in the last step; a new array.

        Only with ``illegal_action="lose"``; such a game is one of those that `terminated`.
        """
        return self._last_step().illegal

    @property
    def finished(self) -> NDArray[np.int64]:
        """int64 (k,), ascending: the rows whose game ended in the last step."""
        return self._last_step().finished

    @property
    def final_lengths(self) -> NDArray[np.int64]:
        """int64 (k,): the number of steps of the games that ended in the last step."""
        return self._last_step().lengths

    @property
    def final_players(self) -> NDArray[np.int64]:
        """int64 (k,): who made the last step of the games that ended in the last step."""
        return self._last_step().status & PLAYER

    @property
    def final_returns(self) -> NDArray[np.float32]:
        """float32 (k, 2): the outcome of the games that ended in the last step, by player."""
        return self.rewards[self.finished]

    def check_actions(
        self, actions: ArrayLike, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """A copy of the actions, int64 (k,), for these rows or for all.

        Raises:
            IllegalActionError: as in `step`.
        """
        legal = self._rows.view(np.uint8)
        if rows is not None:
            legal = legal[rows, :1]
        allow_illegal = self.illegal_action == "lose"
        return checks.check_actions(actions, legal, self.game.num_actions, rows, allow_illegal)

    def play_random(self, steps: int) -> RandomPlay:
        """Play every row ``steps`` steps at random, wholly in compiled code.

        The same games as by ``step(sample_actions())`` that many times.  Afterwards `rewards`,
        `terminated`, `truncated` and `finished` are those of no step.

        Returns:
            How many games ended in it, and how.
        """
        steps = check_count("steps", steps)
        tally = RandomPlay.empty_tally(self.n)
        self._last = None
        at_once = min(max(1, _AT_ONCE // self.n), self._journal.room // WORDS_OF_STEP)
        for made in range(0, steps, at_once):
            now = min(at_once, steps - made)
            self._crew.run(
                self.game.compiled(loops.play_rows),
                self._rows,
                self.game.tables,
                self._status,
                self._random,
                self._games,
                self._lengths,
                np.uint64(self.seed),
                *self._journal.arrays_for(WORDS_OF_STEP * now),
                self.max_cycles or 0,
                now,
                tally,
            )
        return RandomPlay.of_tally(self.n * steps, tally)

    # Choices, and games against a bot that plays in compiled code

    def choose(self, policy: Policy, rows: ArrayLike | None = None) -> NDArray[np.int64]:
        """int64 (k,): what a compiled policy does in each of the rows, by the row's random numbers.

        Args:
            policy: "random" or "greedy".
            rows: int (k,), which rows, each once; None is all of them.

        Raises:
            IndexError: no such row.
        """
        which = self._all.copy() if rows is None else self.check_rows(rows)
        actions = np.empty(len(which), np.int64)
        scratch = np.empty((len(which), *self._rows.shape[1:]), self._rows.dtype)
        choose = self.game.compiled(policies.choose_in)
        code = policies.code_of(policy)
        arguments = self._rows, self.game.tables, self._random, code, scratch, actions
        self._crew.run(choose, which, *arguments)
        return actions

    def draw_bits(self, rows: ArrayLike) -> NDArray[np.uint64]:
        """uint64 (k,): 64 random bits for each of the rows, by the row's random numbers."""
        which = self.check_rows(rows)
        bits = np.empty(len(which), np.uint64)
        policies.draw_bits(self._random, which, bits)
        return bits

    def draw_players(self, rows: ArrayLike) -> NDArray[np.int64]:
        """int64 (k,): 0 or 1 for each of the rows, by the row's random numbers."""
        return (self.draw_bits(rows) >> np.uint64(63)).astype(np.int64)

    def step_against(
        self,
        policy: Policy | None,
        seats: ArrayLike,
        actions: ArrayLike | None = None,
        rows: ArrayLike | None = None,
    ) -> NDArray[np.int8]:
        """Make one step in each row, and then all of the other side's until ``seats`` is due.

        Unlike in `step`, a game that ends stays as it is, without a legal action, until `begin` is
        called for its row; `rewards` and the like are those of no step.

        Args:
            policy: who plays the other side, "random" or "greedy"; None leaves its steps to the
                next call.
            seats: 0 or 1 for all rows or int (n,): by row the player who is not the other side.
            actions: integers (k,); None makes no step, so that the other side can begin.
            rows: int (k,), which rows, each once; None is all of them.

        Returns:
            int8 (k,): `RUNNING`, `WON_BY` + winner, `FORFEITED_TO` + winner if an illegal action
            of the other lost the game, or `TRUNCATED`, for each of the rows.

        Raises:
            IllegalActionError: as in `step`; nothing has changed then.
            IndexError: no such row.
            ValueError: a seat that is none, another number of them than rows; a row named twice.
        """
        by_row = checks.check_players(seats, self.n)
        which = self._all.copy() if rows is None else self.check_rows(rows)
        whole = None if rows is None else which
        if self._journal.is_on and whole is not None:
            checks.check_rows_once(whole, self.n)  # room in the journal is for one step of each
        made = np.full(len(which), -1) if actions is None else self.check_actions(actions, whole)
        code = policies.code_of(policy)
        self._last = None
        outcomes = self._duel(which, made, by_row, code)
        while self._journal.is_on and code != policies.NOBODY:
            self._journal.measure()
            due = (outcomes == policies.RUNNING) & (self._status & PLAYER != by_row)[which]
            due &= self._journal.is_full(which)  # else nobody can make a step there
            if not due.any():
                break
            outcomes[due] = self._duel(which[due], np.full(due.sum(), -1), by_row, code)
        return outcomes

    def _duel(
        self, which: NDArray[np.int64], made: NDArray[np.int64], seats: NDArray[np.int64], code: int
    ) -> NDArray[np.int8]:
        outcomes = np.empty(len(which), np.int8)
        self.game.compiled(policies.duel_rows)(
            self._rows,
            self.game.tables,
            self._status,
            self._random,
            self._lengths,
            *self._journal.arrays_for(2 * WORDS_OF_STEP),
            self.max_cycles or 0,
            which,
            made,
            seats,
            code,
            self._rows[:1].copy(),
            outcomes,
        )
        return outcomes

    def take_games(self, running: bool = False) -> PlayedGames:
        """The games that were played since the last call, or since the batch was made.

        Args:
            running: those that go on, too, as far as they have come.  They are taken again, from
                their beginning, when they have ended.

        Raises:
            RuntimeError: the batch does not record.
        """
        return self._journal.take(self.seed, running)

    def begin(self, rows: ArrayLike | None = None) -> None:
        """Begin the next game in these rows, or in all, whether the last one has ended or not."""
        which = self._all.copy() if rows is None else self.check_rows(rows)
        which = np.unique(which) if self._journal.is_on else which
        self._games[which] += 1
        self._begin(which)

    def check_rows(self, rows: ArrayLike) -> NDArray[np.int64]:
        """``rows`` as int64 (k,).

        Raises:
            IndexError: no such row, or not an array of one dimension of integers.
        """
        return checks.check_rows(rows, self.n)

    def _begin(self, which: NDArray[np.int64]) -> None:
        self.game.compiled(loops.begin_rows)(
            self._rows,
            self.game.tables,
            self._status,
            self._random,
            self._games,
            self._lengths,
            np.uint64(self.seed),
            *self._journal.arrays_for(3),
            which,
        )

    # Single positions

    def state(self, row: int) -> State:
        """The position in a row, as a state of its own without history."""
        row = checks.check_row(row, self.n)
        return state_of_row(self.game, self._rows[row], self._status[row])

    def states(self) -> list[State]:
        """The position in each row, as states of their own without history."""
        return [self.state(row) for row in range(self.n)]

    def final_state(self, k: int) -> State:
        """The last position of the k-th game in `finished`, as a state without history."""
        number = as_integer(k)
        if number is None or not 0 <= number < len(self.finished):
            raise IndexError(f"{len(self.finished)} games ended in the last step, got {shown(k)}")
        return self._last_step().final_state(self.game, number)

    def set_state(self, row: int, state: State) -> None:
        """Put a position into a row; its length counts from here.

        Raises:
            IndexError: no such row.
            ValueError: as in `set_states`.
        """
        self.set_states([checks.check_row(row, self.n)], [state])

    def set_states(self, rows: ArrayLike | None, states: Iterable[State]) -> None:
        """Put positions into rows, all of them or none; the lengths of these rows count from here.

        The rows' random numbers go on, and their next games begin at the start; `rewards`
        and the like are still those of the last step.

        Args:
            rows: int (k,), which rows, each once; None is all of them.
            states: one for each of the rows, of this batch's game, with a legal action.

        Raises:
            IndexError: no such row, or not an array of one dimension of integers.
            ValueError: a row that is given twice; another number of states than of rows; what is
                no state, or one of another game, or one whose game is over or was cut off.
                Nothing has changed then, whichever it is.
        """
        which = self._all if rows is None else checks.check_rows_once(rows, self.n)
        found = checks.as_list(states)
        if found is None or len(found) != len(which):
            given = shown(states) if found is None else f"{len(found)} of them"
            raise ValueError(
                f"set_states() takes a state for each of {len(which)} rows, got {given}"
            )
        for state in found:
            check_state(state, self.game)
        self._write_states(which, found)

    def _write_states(self, which: NDArray[np.int64], states: Sequence[State]) -> None:
        if not states:
            return
        rows = np.concatenate([state._row for state in states]).view(self._rows.dtype)
        self._rows[which] = rows.reshape(len(states), *self._rows.shape[1:])
        self._status[which] = [state._status for state in states]
        self._lengths[which] = 0
        self._journal.put_into(which, states)

    # Copies

    def copy(self) -> Batch:
        """A batch of its own with the same games, random numbers and last step."""
        other = Batch.__new__(Batch)
        changes = {"_crew": Crew(self.threads), "record": False, "_journal": NoJournal()}
        other.__dict__.update(self.__dict__, **changes)
        for name in _CHANGING:
            setattr(other, name, getattr(self, name).copy())
        return other

    def __copy__(self) -> Batch:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Batch:
        return self.copy()

    def __setstate__(self, attributes: object) -> None:
        check_pickle(None)  # an older form, which held rows

    def __reduce__(self) -> tuple[Callable[..., Batch], tuple[Any, ...]]:
        # Positions as texts, for the reason that states have.
        settings = (self.n, self.seed, self.threads, self.max_cycles, self.illegal_action)
        states = self.states()
        texts = [state.position_to_string() for state in states]
        # Rows that wait for `begin`, of games that ended otherwise than by the rules
        cut_off = [row for row, state in enumerate(states) if state._was_cut_off]
        numbers = self._random, self._games, self._lengths
        last = None if self._last is None else self._last.pickled(self.game)
        return _restore, (PICKLED, self.game, settings, (texts, cut_off), numbers, last)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"Batch({self.game!r}, {self.n}, seed={self.seed}, threads={self.threads})"


def _restore(
    form: int, game: Game, settings: Any, positions: Any, numbers: Any, last: Any
) -> Batch:
    """What was pickled; ValueError (of which PositionTextError is one) if it does not fit."""
    check_pickle(form)
    batch = Batch(game, *settings)
    texts, cut_off = positions
    if len(texts) != batch.n:
        raise ValueError(f"the pickle has {len(texts)} positions for {batch.n} rows")
    batch._write_states(batch._all, [read_position(game, text) for text in texts])
    batch._rows[checks.check_rows(cut_off, batch.n), 0] = 0
    random, games, lengths = numbers
    batch._random, batch._games = fitting(random, batch._random), fitting(games, batch._games)
    batch._lengths = fitting(lengths, batch._lengths)
    if last is not None:
        batch._last = StepResults.unpickled(game, batch._rows, last)
    return batch
