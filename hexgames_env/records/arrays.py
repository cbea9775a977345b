"""Many games of one kind as arrays: compact, checked in compiled code, and a source of samples.

In a file they are a ``.npz``, which ``numpy.load`` reads, too: `npz.ARRAYS` tells what is in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.batch import Batch
from hexgames_env.core.game import Game
from hexgames_env.core.journal import PlayedGames
from hexgames_env.core.options import as_integer, check_seed, shown
from hexgames_env.core.registry import game_from_string
from hexgames_env.core.settings import check_count
from hexgames_env.core.state import State, read_position
from hexgames_env.errors import OptionError, PositionTextError, RecordError
from hexgames_env.records.facts import ENDINGS, Ending
from hexgames_env.records.json_lines import as_json, details_from, details_of, parsed
from hexgames_env.records.npz import (
    FORM,
    LIMIT,
    as_bytes,
    as_lines,
    as_text,
    read_columns,
)
from hexgames_env.records.record import Record
from hexgames_env.records.replaying import replay_games, sample_games
from hexgames_env.records.text import has_drawn_start, is_usual
from hexgames_env.records.whole import replacing

# Of `core.journal` in ENDINGS
_ENDINGS = np.array(
    [ENDINGS.index(e) for e in ("rules", "illegal action", "cut off", "unfinished")]
)


class Samples(NamedTuple):
    """Positions of games, and what was done in them.

    Attributes:
        observation: float32 (k, rows, columns, planes), as the player to act sees it.
        action_mask: int8 (k, num_actions).
        action: int64 (k,).
        player: int64 (k,), who is to act.
        result: float32 (k,), what that player got in the end: +1, -1, or 0 if nobody has won.
    """

    observation: NDArray[np.float32]
    action_mask: NDArray[np.int8]
    action: NDArray[np.int64]
    player: NDArray[np.int64]
    result: NDArray[np.float32]


class GameArrays:
    """Games of one kind, all of them by the rules.  Never changed.

    Made by `from_records`, `from_batch` or `load`.

    Attributes:
        game: the rules and the board.
        actions, offsets, winners, endings, illegal: as `npz.ARRAYS` tells.

    >>> from hexgames_env import Batch, make_game
    >>> batch = Batch(make_game("oust", side=3), 4, seed=1, record=True)
    >>> played = batch.play_random(100)
    >>> games = GameArrays.from_batch(batch)
    >>> len(games) == played.games, games[0].ending
    (True, 'rules')
    >>> samples = next(games.samples(64, seed=1))
    >>> samples.observation.shape
    (64, 5, 5, 6)
    """

    def __init__(self, game: Game, columns: dict[str, NDArray[Any]]) -> None:
        self.game = game
        self.actions: NDArray[np.unsignedinteger[Any]] = columns["actions"]
        self.offsets: NDArray[np.int64] = columns["offsets"]
        self.winners: NDArray[np.int8] = columns["winners"]
        self.endings: NDArray[np.uint8] = columns["endings"]
        self.illegal: NDArray[np.int32] = columns["illegal"]
        self._start_numbers, self._detail_numbers = (
            columns["start_numbers"],
            columns["detail_numbers"],
        )
        self._starts = as_lines(columns["starts"], "starts")
        self._details = as_lines(columns["details"], "details")
        self._start_states: dict[int, State] = {}
        for array in columns.values():
            array.flags.writeable = False

    # Made

    @classmethod
    def from_records(cls, records: Iterable[Record], game: Game | None = None) -> GameArrays:
        """The games of these records.

        Args:
            records: all of one game with the same options.
            game: which one; None takes it from the first record.

        Raises:
            RecordError: they are of different games, or there is none to take the game from.
        """
        collector = Collector(game)
        for record in records:
            if not isinstance(record, Record):
                raise RecordError(f"from_records() takes Records, got {shown(record):.60}")
            collector.add(
                record.start,
                record.actions,
                (record.ending, record.winner, record.illegal),
                as_json(details_of(record)),
            )
        return collector.games()

    @classmethod
    def from_batch(cls, batch: Batch, running: bool = False, **details: Any) -> GameArrays:
        """What `Batch.take_games` takes out of a batch that records.

        Args:
            batch: made with ``record=True``.
            running: games that go on, too, as far as they have come.
            details: ``players``, ``date`` and ``tags`` of all of these games, as for `Record`.
        """
        return cls.from_played(batch.game, batch.take_games(running), **details)

    @classmethod
    def from_played(cls, game: Game, played: PlayedGames, **details: Any) -> GameArrays:
        """The games that a batch of ``game`` gave; ``details`` as for `from_batch`."""
        starts, numbers = _Numbered(), np.full(len(played.winners), -1, np.int32)
        if has_drawn_start(game):
            for k, seed in enumerate(played.seeds.tolist()):
                if k not in played.set_up:
                    text = game.initial_state(seed).position_to_string()
                    numbers[k] = starts.number(text)
        for k, state in played.set_up.items():
            numbers[k] = starts.number(state.position_to_string())
        more = details_of(Record(game.initial_state(0), **details)) if details else {}
        said = _Numbered()
        number = said.number(as_json(more))
        return cls(
            game,
            {
                "actions": played.actions.astype(dtype_of(game)),
                "offsets": played.offsets,
                "winners": played.winners,
                "endings": _ENDINGS[played.endings].astype(np.uint8),
                "illegal": played.illegal,
                "starts": starts.column(),
                "start_numbers": numbers,
                "details": said.column(),
                "detail_numbers": np.full(len(numbers), number, np.int32),
            },
        )

    @classmethod
    def joined(cls, parts: Sequence[GameArrays]) -> GameArrays:
        """The games of all of these, which are of one kind; at least one part."""
        if not parts or any(part.game != parts[0].game for part in parts):
            raise RecordError("arrays of one and the same game are joined, and at least one")
        starts, details = _Numbered(), _Numbered()
        of_start: list[NDArray[np.int32]] = []
        of_detail: list[NDArray[np.int32]] = []
        for part in parts:
            for lines, numbers, numbered, into in (
                (part._starts, part._start_numbers, starts, of_start),
                (part._details, part._detail_numbers, details, of_detail),
            ):
                new = np.array([numbered.number(line) for line in [*lines, ""]], np.int32)
                into.append(new[numbers])  # -1 takes the last one, which stands for nothing
        ends = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(
            parts[0].game,
            {
                "actions": np.concatenate([part.actions for part in parts]),
                "offsets": np.append(0, np.cumsum(ends)),
                "winners": np.concatenate([part.winners for part in parts]),
                "endings": np.concatenate([part.endings for part in parts]),
                "illegal": np.concatenate([part.illegal for part in parts]),
                "starts": starts.column(),
                "start_numbers": np.concatenate(of_start),
                "details": details.column(),
                "detail_numbers": np.concatenate(of_detail),
            },
        )

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write them to a ``.npz``; what was there before is replaced when all is written.

        It is not compressed: an action takes a byte or two, and compressing them takes longer than
        to play them.
        """
        columns: dict[str, Any] = {
            "form": np.array(FORM),
            "game": as_bytes(self.game.to_string()),
            "actions": self.actions,
            "offsets": self.offsets,
            "winners": self.winners,
            "endings": self.endings,
            "illegal": self.illegal,
            "starts": as_bytes("\n".join(self._starts)),
            "start_numbers": self._start_numbers,
            "details": as_bytes("\n".join(self._details)),
            "detail_numbers": self._detail_numbers,
        }
        with replacing(path) as new, open(new, "wb") as file:
            np.savez(file, **columns)

    @classmethod
    def load(cls, path: str | os.PathLike[str], limit: int = LIMIT) -> GameArrays:
        """The games in a ``.npz`` that `save` wrote.

        Args:
            path: the file.
            limit: how many bytes its arrays may have when they are unpacked.

        Raises:
            RecordError: it is no such file, is larger than the limit, or a game in it is wrong.
            OSError: it can't be read.
        """
        name = os.fspath(path)
        columns = read_columns(name, check_count("limit", limit))
        try:
            game = game_from_string(as_text(columns.pop("game"), "game"))
            games = cls(game, columns)
            games._check_columns()
            games._check_games()
            games._check_details()
            return games
        except OptionError as error:
            raise RecordError(str(error), name) from None
        except RecordError as error:
            raise RecordError(error.what, name) from None

    # Used

    def __len__(self) -> int:
        """The number of games."""
        return len(self.winners)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """int64 (games,): the steps of each game; a new array."""
        return np.diff(self.offsets)

    def __getitem__(self, number: int) -> Record:
        """A game as a `Record`; from -1 on backwards from the last.

        Raises:
            IndexError: there are not so many games.
        """
        k = as_integer(number)
        if k is None or not -len(self) <= k < len(self):
            raise IndexError(f"games are 0 to {len(self) - 1}, got {shown(number)}")
        k %= len(self)
        final = self._start(k)
        for action in self.actions[self.offsets[k] : self.offsets[k + 1]].tolist():
            final.step(action)
        details = {}
        if self._detail_numbers[k] >= 0:
            details = details_from(parsed(self._details[self._detail_numbers[k]]), final)
        ending: Ending = ENDINGS[self.endings[k]]
        winner, illegal = int(self.winners[k]), int(self.illegal[k])
        return Record(
            final,
            ending=ending,
            winner=winner if ending in ("resigned", "time") else None,
            illegal=None if illegal < 0 else illegal,
            **details,
        )

    def __iter__(self) -> Iterator[Record]:
        return (self[k] for k in range(len(self)))

    def samples(
        self, size: int, seed: int | None = None, in_order: bool = False
    ) -> Iterator[Samples]:
        """Every position of every game once, ``size`` of them at a time; the last may be fewer.

        Args:
            size: positions in a batch of samples.
            seed: 0 to 2**64 - 1, decides the order; None draws one.
            in_order: game after game and step after step instead.

        Raises:
            OptionError: no such size or seed.
        """
        size, rng = check_count("size", size), np.random.default_rng(int(check_seed(seed)))
        return self._samples(size, None if in_order else rng)

    def _samples(self, size: int, rng: np.random.Generator | None) -> Iterator[Samples]:
        # Games are replayed some at a time, about 16 batches of samples, and the positions of those
        # are what is shuffled: to reach a position all of its game has to be played.
        game = self.game
        order = np.arange(len(self)) if rng is None else rng.permutation(len(self))
        ends = np.cumsum(self.lengths[order])
        waiting = _room(game, 0)
        begin, loop = 0, game.compiled(sample_games)
        while begin < len(order):
            before = ends[begin - 1] if begin else 0
            end = max(begin + 1, int(np.searchsorted(ends, before + 16 * size)))
            which = order[begin:end]
            begin = end
            made = _room(game, int(self.lengths[which].sum()))
            loop(
                self._rows,
                self._start_numbers + 1,
                game.tables,
                self.actions,
                self.offsets,
                self.winners,
                which,
                self._rows[:1].copy(),
                *made,
            )
            if rng is not None:
                mixed = rng.permutation(len(made[0]))
                made = [array[mixed] for array in made]
            found = [np.concatenate(both) for both in zip(waiting, made, strict=True)]
            whole = len(found[0]) // size * size
            for first in range(0, whole, size):
                yield Samples(*(array[first : first + size].copy() for array in found))
            waiting = [array[whole:] for array in found]
        if len(waiting[0]):
            yield Samples(*waiting)

    def __repr__(self) -> str:
        steps = f"{len(self.actions):,} steps"
        return f"<GameArrays {self.game.to_string()}: {len(self):,} games, {steps}>"

    # Checks

    def _start(self, k: int) -> State:
        number = int(self._start_numbers[k])
        if number not in self._start_states:
            self._start_states[number] = self._read_start(number)
        return self._start_states[number].copy()

    def _read_start(self, number: int) -> State:
        if number < 0:
            if has_drawn_start(self.game):
                raise RecordError(f"{self.game.to_string()} begins at random: games need a start")
            return self.game.initial_state(0)
        try:
            return read_position(self.game, self._starts[number])
        except PositionTextError as error:
            raise RecordError(f"start {number}: {error}") from None

    @cached_property
    def _rows(self) -> NDArray[Any]:
        """The rows of the usual start and of `starts`; the first is empty if no game has it."""
        game = self.game
        rows = np.zeros((len(self._starts) + 1, *game.row_shape[1:]), game.row_dtype)
        for number in range(-1, len(self._starts)):
            if number >= 0 or (self._start_numbers == -1).any():
                rows[number + 1] = self._read_start(number).to_row()[0]
        return rows

    def _check_columns(self) -> None:
        games = len(self.winners)
        others = self.endings, self.illegal, self._start_numbers, self._detail_numbers
        if any(array.shape != (games,) for array in others) or self.offsets.shape != (games + 1,):
            raise RecordError("the arrays are not all of the same number of games")
        if self.actions.dtype != dtype_of(self.game):
            raise RecordError(
                f"actions of {self.game.to_string()} are {np.dtype(dtype_of(self.game))}, "
                f"got {self.actions.dtype}"
            )
        if self.actions.ndim != 1 or self.offsets[0] != 0 or self.offsets[-1] != len(self.actions):
            raise RecordError("offsets don't begin at 0 and end with the number of actions")
        if (np.diff(self.offsets) < 0).any():
            raise RecordError("offsets must ascend")
        for name, array, least, most in (
            ("winners", self.winners, -1, 1),
            ("endings", self.endings, 0, len(ENDINGS) - 1),
            ("illegal", self.illegal, -1, self.game.num_actions - 1),
            ("start_numbers", self._start_numbers, -1, len(self._starts) - 1),
            ("detail_numbers", self._detail_numbers, -1, len(self._details) - 1),
        ):
            wrong = np.flatnonzero((array < least) | (array > most))
            if len(wrong):
                k = int(wrong[0])
                raise RecordError(f"game {k + 1}: {name} must be {least} to {most}, got {array[k]}")

    def _check_games(self) -> None:
        stops = np.empty(len(self), np.int64)
        winners, to_play = np.empty(len(self), np.int8), np.empty(len(self), np.int8)
        self.game.compiled(replay_games)(
            self._rows,
            self._start_numbers + 1,
            self.game.tables,
            self.actions,
            self.offsets,
            self.illegal,
            self._rows[:1].copy(),
            stops,
            winners,
            to_play,
        )
        short = np.flatnonzero(stops != self.lengths)
        if len(short):
            k, step = int(short[0]), int(stops[short[0]])
            self._tell_illegal(k, step)
        kinds = [ENDINGS.index(kind) for kind in ("rules", "illegal action", "resigned", "time")]
        rules, by_illegal, *others = kinds
        expected = np.where(self.endings == by_illegal, 1 - to_play, winners)
        has_illegal = self.illegal >= 0
        free = np.isin(self.endings, others)
        wrong = (
            (has_illegal != (self.endings == by_illegal))
            | ((winners >= 0) != (self.endings == rules))
            | (np.where(free, self.winners < 0, self.winners != expected))
            | (has_illegal & (to_play < 0))
        )
        if wrong.any():
            k = int(wrong.argmax())
            raise RecordError(
                f"game {k + 1}: it is said to have ended by {ENDINGS[self.endings[k]]!r} with "
                f"winner {self.winners[k]} and illegal action {self.illegal[k]}, which its "
                f"{self.lengths[k]} steps don't lead to"
            )

    def _check_details(self) -> None:
        """Each line once; one with remarks for each of its games, which they have to fit."""
        found = [parsed(line) for line in self._details]
        start = self._start(0) if len(self) else None
        first = np.full(len(found), -1)
        for k, number in enumerate(self._detail_numbers.tolist()):
            if number < 0:
                continue
            try:
                if "remarks" in found[number]:
                    self[k]
                elif first[number] < 0:
                    assert start is not None
                    Record(start, **details_from(found[number], start))
            except RecordError as error:
                raise RecordError(f"game {k + 1}: {error.what}") from None
            first[number] = k

    def _tell_illegal(self, k: int, step: int) -> None:
        state = self._start(k)
        first = int(self.offsets[k])
        for action in self.actions[first : first + step].tolist():
            state.step(action)
        try:
            state.step(int(self.actions[first + step]))
        except (ValueError, RuntimeError) as error:
            raise RecordError(f"game {k + 1}, step {step + 1}: {error}") from None
        raise AssertionError  # the loop and the state are the same rules


class Collector:
    """Takes games one by one, and keeps nothing of them but what `GameArrays` has.

    Args:
        game: of which they all are; None takes it from the first.
    """

    def __init__(self, game: Game | None = None) -> None:
        self._game = game
        self._starts, self._details = _Numbered(), _Numbered()
        self._actions: list[NDArray[Any]] = []
        self._facts: list[tuple[int, int, int, int, int, int]] = []

    def add(
        self,
        start: State,
        actions: Sequence[int],
        end: tuple[Ending, int | None, int | None],
        said: str,
    ) -> None:
        """Take a game that is one by the rules.

        Args:
            start: the first position.
            actions: of the game.
            end: how it ended, the winner, and the illegal action that lost it.
            said: what else is said of it: `details_of` its record `as_json`.

        Raises:
            RecordError: it is another game, or the same with other options.
        """
        game = self._game = self._game or start.game
        if start.game is not game and start.game != game:
            raise RecordError(
                f"arrays hold games of one kind, here {game.to_string()}, and record "
                f"{len(self._facts) + 1} is of {start.game.to_string()}: write a file for each"
            )
        ending, winner, illegal = end
        self._actions.append(np.array(actions, dtype_of(game)))
        self._facts.append(
            (
                len(actions),
                -1 if winner is None else winner,
                ENDINGS.index(ending),
                -1 if illegal is None else illegal,
                self._starts.number("" if is_usual(start) else start.position_to_string()),
                self._details.number(said),
            )
        )

    def __len__(self) -> int:
        return len(self._facts)

    def games(self) -> GameArrays:
        """The games taken so far; RecordError if the game is not known."""
        if self._game is None:
            raise RecordError("there is no record to take the game from: give game=")
        facts = np.array(self._facts, np.int64).reshape(-1, 6).T
        lengths, winners, endings, illegal, of_start, of_detail = facts
        return GameArrays(
            self._game,
            {
                "actions": np.concatenate([np.empty(0, dtype_of(self._game)), *self._actions]),
                "offsets": np.append(0, np.cumsum(lengths)),
                "winners": winners.astype(np.int8),
                "endings": endings.astype(np.uint8),
                "illegal": illegal.astype(np.int32),
                "starts": self._starts.column(),
                "start_numbers": of_start.astype(np.int32),
                "details": self._details.column(),
                "detail_numbers": of_detail.astype(np.int32),
            },
        )


def dtype_of(game: Game) -> type[np.unsignedinteger[Any]]:
    """Of recorded actions."""
    return np.uint8 if game.num_actions <= 256 else np.uint16


class _Numbered:
    """Lines without repetitions, each with its number; "" has none, -1."""

    def __init__(self) -> None:
        self._numbers = {"": -1}

    def number(self, line: str) -> int:
        return self._numbers.setdefault(line, len(self._numbers) - 1)

    def column(self) -> NDArray[np.uint8]:
        return as_bytes("\n".join(list(self._numbers)[1:]))


def _room(game: Game, k: int) -> list[NDArray[Any]]:
    """Unwritten arrays for so many `Samples`."""
    return [
        np.empty((k, *game.observation_shape), np.float32),
        np.empty((k, game.num_actions), np.int8),
        np.empty(k, np.int64),
        np.empty(k, np.int64),
        np.empty(k, np.float32),
    ]
