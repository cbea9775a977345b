"""Games recorded while they go on."""

from __future__ import annotations

import datetime
import itertools
import os
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.batch import Batch
from hexgames_env.core.game import Game
from hexgames_env.core.options import as_integer, shown
from hexgames_env.core.state import State
from hexgames_env.errors import RecordError
from hexgames_env.records.arrays import Collector, GameArrays
from hexgames_env.records.facts import (
    RESULTS,
    Ending,
    Remark,
    check_visits,
    checked_ending,
    checked_illegal,
    checked_remark,
)
from hexgames_env.records.files import end_text, form_of, lock
from hexgames_env.records.json_lines import as_json, as_line, details, remark_of
from hexgames_env.records.mapped import MappedFile, writers
from hexgames_env.records.record import Record
from hexgames_env.records.text import head, remark_words, tail, usual_start, with_seed
from hexgames_env.records.turns import Turns, as_bytes
from hexgames_env.records.whole import naming


def recorder(
    path: str | os.PathLike[str],
    game: Game,
    players: tuple[str, str] = ("", ""),
    tags: Mapping[str, str] | None = None,
) -> Recorder:
    """What records games into a file, in the form that its name says.

    Args:
        path: ``.hgn`` and the like are text, written step by step: what is there stays, and games
            are put behind it.  ``.jsonl`` gets a line when a game has ended.  ``.npz`` is written
            when the recorder is closed, over what is there.  A folder, or a path that ends in a
            separator, gets a text file of its own for each recorder.
        game: what is played.
        players: who plays as player_0 and as player_1.
        tags: of all games.

    Raises:
        RecordError: the name says no form.
        OSError: the file can't be written.
    """
    name = os.fspath(path)
    if os.path.isdir(name) or name.endswith((os.sep, "/")):
        os.makedirs(name, exist_ok=True)
        name = _name_in(name, game)
    kinds: dict[str, Any] = {"text": TextRecorder, "jsonl": JsonRecorder, "npz": ArraysRecorder}
    found: Recorder = kinds[form_of(name)](name, game, players, tags or {})
    return found


def _today() -> tuple[str, float]:
    """The date, and the time at which it ends, so that not each game has to ask for it."""
    today = datetime.date.today()
    midnight = datetime.datetime.combine(today + datetime.timedelta(1), datetime.time())
    return today.isoformat(), midnight.timestamp()


def _name_in(folder: str, game: Game) -> str:
    """A file that did not exist, and does now."""
    now = f"{datetime.datetime.now():%Y-%m-%d-%H%M%S}"
    for number in itertools.count():
        name = os.path.join(folder, f"{game.name}-{now}-{os.getpid()}-{number}.hgn")
        try:
            os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        except FileExistsError:
            continue
        return name
    raise AssertionError


class Recorder(ABC):
    """Records games into a file, one after the other, as they are played.

    Args:
        name: of the file.
        game, players, tags: as for `recorder`.
    """

    def __init__(
        self, name: str, game: Game, players: tuple[str, str], tags: Mapping[str, str]
    ) -> None:
        self.name = name
        self.game = game
        self.details: dict[str, Any] = {"players": players, "tags": dict(tags)}
        Record(game.initial_state(0), **self.details)  # an error now, and not at the first end
        self._state: State | None = None  # the game that goes on
        self._is_of_parent = False
        self._day = "", 0.0  # the date, and when it ends
        writers().add(self)

    def begin(
        self, state: State, seed: int | None = None, players: tuple[str, str] | None = None
    ) -> None:
        """A game begins here; one that goes on is left unfinished.

        Args:
            state: the first position, or a later one with its history; it is stepped by its
                owner, and `step` is called then.
            seed: of the game.
            players: who plays this one, if it is not always the same.
        """
        if self._is_of_parent:
            self._refuse()
        if self._state is not None:
            self.end()
        if time.time() >= self._day[1]:
            self._day = _today()
        self.details["date"] = self._day[0]
        self.details["seed"] = seed
        if players is not None:
            self.details["players"] = players
        self._said: tuple[int, Remark] | None = None  # position, and what was said of it
        if state.last_action is None:
            self._begin(state)
        else:
            first = state.root()
            self._begin(first)
            for action in state.history:
                first.step(action)
                self.step(first)
        self._state = state

    @abstractmethod
    def step(self, state: State) -> None:
        """The last step of ``state`` has just been made."""

    def remark(self, remark: Remark) -> None:
        """Something is said of the position that was reached last.

        Raises:
            RecordError: no game goes on; it is wrong, or repeats what has been said of the same
                position.
        """
        if self._is_of_parent:
            self._refuse()
        if self._state is None:
            raise RecordError("a remark is about a position of a game, and no game goes on")
        if not isinstance(remark, Remark):
            raise RecordError(f"a remark is a Remark, got {shown(remark):.100}")
        step = len(self._state.history)
        remark = checked_remark(step, remark)
        check_visits(step, self._state, remark)
        place, before = self._said or (step, Remark())
        if not remark:
            return
        merged = remark if place != step else _merged(before, remark)
        self._remark(self._state, remark, merged)
        self._said = step, merged

    def end(
        self,
        ending: Ending | None = None,
        winner: int | None = None,
        illegal: int | None = None,
    ) -> None:
        """The game has ended, if one goes on.

        Args:
            ending: if the rules have not ended it, and no illegal action; None is "unfinished".
            winner: for "resigned" and "time".
            illegal: the action that lost the game.

        Raises:
            RecordError: they don't fit to the game, which goes on then.
        """
        state = self._state
        if state is None or self._is_of_parent:
            return
        if illegal is None and state.is_over:
            ending, winner = "rules", state.winner
        else:
            ending, winner, illegal = _checked_end(state, ending, winner, illegal)
        self._state = None
        self._end(state, ending, winner, illegal)

    def leave_to_parent(self) -> None:
        """In a fork: what is written here would stand in the middle of what the parent writes."""
        self._is_of_parent = True

    def _refuse(self) -> NoReturn:
        raise RecordError(
            f"{self.name} is recorded by another process, which has made this one: give each "
            "its own file, or a folder"
        )

    @abstractmethod
    def close(self) -> None:
        """Leave a game that goes on unfinished, and write what is not written yet."""

    @abstractmethod
    def _begin(self, state: State) -> None:
        """A game begins."""

    @abstractmethod
    def _remark(self, state: State, remark: Remark, merged: Remark) -> None:
        """A remark on ``state``; ``merged`` is all that is said of it by now."""

    @abstractmethod
    def _end(self, state: State, ending: Ending, winner: int | None, illegal: int | None) -> None:
        """The game has ended."""

    # A copy of what records does not: two would write into one file

    def __deepcopy__(self, memo: object) -> None:
        return None

    def __reduce__(self) -> Any:
        return type(None), ()


def _checked_end(
    state: State, ending: Ending | None, winner: int | None, illegal: int | None
) -> tuple[Ending, int | None, int | None]:
    """What `Recorder.end` is told of a game that its rules have not ended, or of a wrong step."""
    illegal = checked_illegal(state, illegal)
    ending = checked_ending(state, illegal, None if illegal is not None else ending)
    if illegal is not None:
        winner = 1 - state.to_play
    elif ending in ("cut off", "unfinished"):
        winner = None
    elif as_integer(winner) not in (0, 1):
        raise RecordError(f"winner must be 0 or 1 where the game ended by {ending!r}")
    return ending, winner, illegal


def _merged(before: Remark, remark: Remark) -> Remark:
    """What two remarks on one position say together."""
    if None not in (before.value, remark.value):
        raise RecordError("a position has one value, and this one has been given one before")
    twice = before.visits.keys() & remark.visits.keys()
    if twice:
        raise RecordError(f"the visits of action {min(twice)} have been given before")
    words = [comment for comment in (before.comment, remark.comment) if comment]
    value = before.value if remark.value is None else remark.value
    return Remark(" ".join(words), value, {**before.visits, **remark.visits})


class TextRecorder(Recorder):
    """Text, written with each step."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._usual = usual_start(self.game)
        self._heads: dict[tuple[tuple[str, str], str], str] = {}  # of games that begin so
        self._tails: dict[tuple[Ending, int | None], NDArray[np.uint8]] = {}
        self._file = MappedFile(self.name)
        self._turns = Turns(self.game, self._file)
        # In place of the method, for a call less in each step of an environment
        self.step = self._turns.step  # type: ignore[method-assign]

    def _begin(self, state: State) -> None:
        self._file.failure = None  # if it is still full, it says so again
        self._turns.begin(self._head_of(state), state.status_word)

    def _head_of(self, state: State) -> NDArray[np.uint8]:
        """The tags before the turns; mostly they are those of a game before."""
        details = self.details
        if state != self._usual or not self._file.size:
            gap = "\n" if self._file.size else ""
            return as_bytes(gap + head(state, **details))
        what = details["players"], details["date"]
        text = self._heads.get(what)
        if text is None:
            self._heads.clear()
            for players in (what[0], what[0][::-1]):  # who often change seats
                said = {**details, "players": players, "seed": None}
                self._heads[players, what[1]] = f"\n{head(state, **said)}"
            text = self._heads[what]
        return as_bytes(with_seed(text, details["seed"]))

    def step(self, state: State) -> None:
        """As of a `Recorder`."""
        self._turns.step(state)

    def _remark(self, state: State, remark: Remark, merged: Remark) -> None:
        self._turns.remark(remark_words(state, remark))

    def _end(self, state: State, ending: Ending, winner: int | None, illegal: int | None) -> None:
        if self._file.failure is not None:
            return  # a step may be missing, so it has no end
        text = self._tails.get((ending, winner)) if illegal is None else None
        if text is None:
            text = as_bytes(tail(state, ending, RESULTS[winner], illegal))
            if illegal is None:
                self._tails[ending, winner] = text
        self._turns.end(text)

    def close(self) -> None:
        """As of a `Recorder`."""
        self.end()
        self._file.close()


class _AtTheEnd(Recorder):
    """Writes of a game what its last state has of it."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._lines: dict[tuple[tuple[str, str], str], str] = {}

    def _begin(self, state: State) -> None:
        self._remarks: dict[str, Any] = {}

    def step(self, state: State) -> None:
        """As of a `Recorder`: all is in the state."""

    def _remark(self, state: State, remark: Remark, merged: Remark) -> None:
        self._remarks[str(len(state.history))] = remark_of(merged, state)

    def _line_of_said(self) -> str:
        """What is said of the game beside its steps, as JSON; mostly as of the game before."""
        said = self.details
        if self._remarks:
            return as_json(details(**said, remarks=self._remarks))
        what = said["players"], said["date"]
        line = self._lines.get(what)
        if line is None:
            self._lines.clear()
            for players in (what[0], what[0][::-1]):  # who often change seats
                those = {**said, "players": players, "seed": None}
                self._lines[players, what[1]] = as_json(details(**those, remarks={}))
            line = self._lines[what]
        return line if said["seed"] is None else f'{{"seed": {said["seed"]}, {line[1:]}'


class JsonRecorder(_AtTheEnd):
    """A line of JSON for each game, written when it has ended."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._handle = os.open(self.name, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o666)
        self._closing = weakref.finalize(self, os.close, self._handle)
        try:
            lock(self._handle, self.name)
            end_text(self.name)
        except BaseException:
            self._closing()
            raise

    def _end(self, state: State, ending: Ending, winner: int | None, illegal: int | None) -> None:
        result = RESULTS[winner]
        line = as_line(state.root(), state, ending, result, illegal, self._line_of_said())
        data = left = f"{line}\n".encode()
        try:
            while left:  # a disk that is nearly full takes a part of it
                left = left[os.write(self._handle, left) :]
        except OSError:
            # No part of a line, which the next one would follow
            size = os.fstat(self._handle).st_size - (len(data) - len(left))
            os.ftruncate(self._handle, size)
            with naming(self.name):
                raise

    def close(self) -> None:
        """As of a `Recorder`."""
        self.end()
        self._closing()


class ArraysRecorder(_AtTheEnd):
    """A ``.npz``, written when it is closed."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._collector = Collector(self.game)
        _check_folder_of(self.name)
        self._closing = weakref.finalize(self, _save, self._collector, self.name, os.getpid())

    def _end(self, state: State, ending: Ending, winner: int | None, illegal: int | None) -> None:
        end = ending, winner, illegal
        self._collector.add(state.root(), state.history, end, self._line_of_said())

    def close(self) -> None:
        """As of a `Recorder`; if the file can't be written, it can be called again."""
        self.end()
        _call_once(self._closing)


class BatchRecorder:
    """Collects what is played in batches, and writes a ``.npz`` when it is closed.

    Args:
        path: where to; it is replaced.
        details: of all games: ``players``, ``tags``, ``date``, as for `Record`.

    Raises:
        RecordError: the path is no ``.npz``; text and JSON lines are made from one.
        OSError: no file can be written there.
    """

    def __init__(self, path: str | os.PathLike[str], game: Game, **details: Any) -> None:
        name = os.fspath(path)
        if form_of(name) != "npz":
            raise RecordError(
                f"many games at once are recorded into a .npz, got {name!r}: "
                "`hexgames records convert` makes text or JSON lines of it"
            )
        _check_folder_of(name)
        self._parts: list[GameArrays] = []
        self._batch: list[Batch] = []
        self._details = {"date": datetime.date.today().isoformat(), **details}
        Record(game.initial_state(0), **self._details)  # an error now, and not when all is played
        arguments = name, game, self._parts, self._batch, self._details, os.getpid()
        self._closing = weakref.finalize(self, _save_batches, *arguments)

    def follow(self, batch: Batch) -> None:
        """Take what was played before, and from now on what is played in this batch."""
        self._parts += [GameArrays.from_batch(last, True, **self._details) for last in self._batch]
        self._batch[:] = [batch]

    def close(self) -> None:
        """Write the file; if that can't be done, this can be called again."""
        _call_once(self._closing)

    # A copy of what records does not: two would write one file

    def __deepcopy__(self, memo: object) -> None:
        return None

    def __reduce__(self) -> Any:
        return type(None), ()


def _save_batches(
    name: str,
    game: Game,
    parts: list[GameArrays],
    batch: list[Batch],
    details: dict[str, Any],
    process: int,
) -> None:
    if process != os.getpid():  # a fork has a copy of what records
        return
    parts += [GameArrays.from_batch(last, True, **details) for last in batch]
    batch.clear()  # if it has to be called again
    (GameArrays.joined(parts) if parts else Collector(game).games()).save(name)


def _call_once(closing: weakref.finalize[Any, Any]) -> None:
    """Call what is to be done at last, if it has not been done, and not again if it is done."""
    found = closing.peek()
    if found is not None:
        _, function, arguments, _ = found
        function(*arguments)
        closing.detach()


def _check_folder_of(name: str) -> None:
    """An error now, and not when all has been played."""
    folder = os.path.dirname(os.path.abspath(name))
    if not os.path.isdir(folder):
        raise FileNotFoundError(2, "there is no such folder", folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(13, "no file can be written in this folder", folder)


def _save(collector: Collector, name: str, process: int) -> None:
    if process == os.getpid():  # a fork has a copy of what records
        collector.games().save(name)
