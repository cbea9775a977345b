"""Games recorded while they go on.

Text is written into a file that is mapped into memory: that takes a tenth of the time of a call of
the system for each step, and what is written stays when the process is killed.  The file is longer
than its text then, and `FILLER` stands behind it, so that a word that was not finished can be told
from one that was.
"""

from __future__ import annotations

import contextlib
import datetime
import itertools
import mmap
import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from typing import Any

from hexgames_env.core.batch import Batch
from hexgames_env.core.game import Game
from hexgames_env.core.options import as_integer, shown
from hexgames_env.core.state import State
from hexgames_env.errors import RecordError
from hexgames_env.records.arrays import Collector, GameArrays
from hexgames_env.records.facts import (
    Ending,
    Remark,
    check_visits,
    checked_ending,
    checked_illegal,
    checked_remark,
)
from hexgames_env.records.files import cut_filler, end_text, form_of, lock
from hexgames_env.records.json_lines import as_line, details, remark_of
from hexgames_env.records.record import Record
from hexgames_env.records.text import (
    FILLER,
    Turns,
    action_word,
    head,
    remark_words,
    tail,
)
from hexgames_env.records.whole import naming

BLOCK = 2**16  # bytes by which a file grows; a multiple of what can be mapped


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
        self._names = [game.action_names(phase) for phase in range(len(game.phases))]
        self._phases = {phase: number for number, phase in enumerate(game.phases)}
        self._has_phases = len(self._names) > 1
        self._state: State | None = None  # the game that goes on
        self._process = os.getpid()

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
        self._check_process()
        self.end()
        self.details["date"] = datetime.date.today().isoformat()
        self.details["seed"] = seed
        if players is not None:
            self.details["players"] = players
        first = state.root()
        self._said: tuple[int, Remark] | None = None  # position, and what was said of it
        self._phase = self._phases.get(first.phase, 0)
        self._begin(first)
        self._state = state
        for action in state.history:
            first.step(action)
            self.step(first)

    @abstractmethod
    def step(self, state: State) -> None:
        """The last step of ``state`` has just been made."""

    def remark(self, remark: Remark) -> None:
        """Something is said of the position that was reached last.

        Raises:
            RecordError: no game goes on; it is wrong, or repeats what has been said of the same
                position.
        """
        self._check_process()
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
        if state is None or self._process != os.getpid():
            return
        illegal = checked_illegal(state, illegal)
        if illegal is not None or state.is_over:
            ending, winner = None, state.winner if illegal is None else 1 - state.to_play
        ending = checked_ending(state, illegal, ending)
        if ending in ("resigned", "time") and as_integer(winner) not in (0, 1):
            raise RecordError(f"winner must be 0 or 1 where the game ended by {ending!r}")
        if ending in ("cut off", "unfinished"):
            winner = None
        self._state = None
        self._end(state, ending, winner, illegal)

    def _check_process(self) -> None:
        if self._process != os.getpid():
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
        self._words = [[action_word(text) for text in names] for names in self._names]
        self._has_usual_turns = type(self.game).begins_turn is Game.begins_turn
        self._turn_phases = self.game.turn_phases
        self._last_head: tuple[Any, str] | None = None
        self._file = _MappedFile(self.name)

    def _begin(self, state: State) -> None:
        self._file.failure = None  # if it is still full, it says so again
        self._turns = Turns()
        self._player = state.to_play
        self._begins_turn = True
        gap = "\n" if self._file.size else ""
        self._file.write(gap + self._head_of(state))
        self._is_empty = True

    def _head_of(self, state: State) -> str:
        """The tags before the turns; mostly they are those of the game before."""
        what = self.details["players"], self.details["date"], self.details["seed"], state.key()
        if self._last_head is None or self._last_head[0] != what:
            self._last_head = what, head(state, **self.details)
        return self._last_head[1]

    def step(self, state: State) -> None:
        """As of a `Recorder`; in one frame, since it takes a part of each step's time."""
        word = self._words[self._phase][state.last_action]  # type: ignore[index]  # there is one
        self._file.write(self._turns.step(word, self._begins_turn))
        self._is_empty = False
        if self._has_phases:
            phase = state.phase
            self._phase = self._phases.get(phase, 0)
        if not self._has_usual_turns:
            self._begins_turn = self.game.begins_turn(state)
        elif self._turn_phases:
            self._begins_turn = phase in self._turn_phases
        else:
            player = state.to_play
            self._begins_turn = player != self._player
            self._player = player

    def _remark(self, state: State, remark: Remark, merged: Remark) -> None:
        self._file.write(self._turns.remark(remark_words(state, remark)))
        self._is_empty = False

    def _end(self, state: State, ending: Ending, winner: int | None, illegal: int | None) -> None:
        if self._file.failure is not None:
            return  # a step may be missing, so it has no end
        result = {0: "1-0", 1: "0-1", None: "*"}[winner]
        gap = "" if self._is_empty else "\n\n"
        self._file.write(gap + tail(state, ending, result, illegal))

    def close(self) -> None:
        """As of a `Recorder`."""
        self.end()
        self._file.close()


class JsonRecorder(Recorder):
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

    def _begin(self, state: State) -> None:
        self._texts: list[str] = []
        self._remarks: dict[str, Any] = {}

    def step(self, state: State) -> None:
        """As of a `Recorder`; in one frame."""
        self._texts.append(self._names[self._phase][state.last_action])  # type: ignore[index]
        if self._has_phases:
            self._phase = self._phases.get(state.phase, 0)

    def _remark(self, state: State, remark: Remark, merged: Remark) -> None:
        self._remarks[str(len(self._texts))] = remark_of(merged, state)

    def _end(self, state: State, ending: Ending, winner: int | None, illegal: int | None) -> None:
        result = {0: "1-0", 1: "0-1", None: "*"}[winner]
        said = details(**self.details, remarks=self._remarks)
        line = as_line(state.root(), state, self._texts, ending, result, illegal, said)
        data = memoryview(f"{line}\n".encode())
        size = os.fstat(self._handle).st_size
        try:
            with naming(self.name):
                while data:  # a disk that is nearly full takes a part of it
                    data = data[os.write(self._handle, data) :]
        except OSError:
            os.ftruncate(self._handle, size)  # no part of a line, which the next one would follow
            raise

    def close(self) -> None:
        """As of a `Recorder`."""
        self.end()
        self._closing()


class ArraysRecorder(Recorder):
    """A ``.npz``, written when it is closed."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._collector = Collector(self.game)
        _check_folder_of(self.name)
        self._closing = weakref.finalize(self, _save, self._collector, self.name, self._process)

    def _begin(self, state: State) -> None:
        self._steps = 0
        self._remarks: dict[str, Any] = {}

    def step(self, state: State) -> None:
        """As of a `Recorder`: all is in the state."""
        self._steps += 1

    def _remark(self, state: State, remark: Remark, merged: Remark) -> None:
        self._remarks[str(self._steps)] = remark_of(merged, state)

    def _end(self, state: State, ending: Ending, winner: int | None, illegal: int | None) -> None:
        said = details(**self.details, remarks=self._remarks)
        self._collector.add(state.root(), state.history, (ending, winner, illegal), said)

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


class _MappedFile:
    """A file that text is put behind, without a call of the system for each piece.

    It is `FILLER` from the text's end on; whoever is killed leaves that there.

    Raises:
        RecordError: another recorder writes into it.
    """

    def __init__(self, name: str) -> None:
        self._handle = os.open(name, os.O_CREAT | os.O_RDWR, 0o666)
        try:
            lock(self._handle, name)
            end_text(name)
            self._map: Any = None  # until something is written
            self.failure: OSError | None = None  # since which something is missing
            self._begin = self._end = os.fstat(self._handle).st_size  # of what is mapped
        except BaseException:
            os.close(self._handle)
            raise
        self._name = name
        self._closing = weakref.finalize(self, _close, self._handle, name, os.getpid())
        _mapped().add(self)

    @property
    def size(self) -> int:
        """Bytes of the text in the file."""
        return self._end if self._map is None else self._begin + self._map.tell()

    def write(self, text: str) -> None:
        """Put text behind what is there; a new line that it begins with replaces a space before."""
        if self._map is None:
            self._grow(len(text))
        if text[0] == "\n" and self._map.tell() and self._map[self._map.tell() - 1] == 32:
            self._map[self._map.tell() - 1] = 10
            text = text[1:]
        data = text.encode()
        try:
            self._map.write(data)
        except ValueError:  # there is no room, and nothing was written
            self._grow(len(data))
            self._map.write(data)

    def _grow(self, more: int) -> None:
        """Map from before the text's end on; written and not only reserved, so that a full disk is
        an error here and no signal later."""
        if self.failure is not None:
            raise self.failure
        size = self.size
        begin = max(0, size - 1) // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
        end = begin + (size - begin + more) // BLOCK * BLOCK + BLOCK
        place = self._end
        try:
            with naming(self._name):
                while place < end:
                    place += os.pwrite(self._handle, FILLER * (end - place), place)
                self._map = mmap.mmap(self._handle, end - begin, offset=begin)
        except OSError as error:  # no more is written of this game, even if there is room later
            self.failure, self._map, self._end = error, None, size
            raise
        self._map.seek(size - begin)
        self._begin, self._end = begin, end

    def close(self) -> None:
        """Cut the file off where its text ends."""
        if self._map is not None:
            self._map.close()
        self._closing()


class _OfParent(_MappedFile):
    """What a fork has of a file that its parent writes into: a place in it that is not its own."""

    def write(self, text: str) -> None:
        """RecordError."""
        raise RecordError(
            f"{self._name} is recorded by another process, which has made this one: give each "
            "its own file, or a folder"
        )


@cache
def _mapped() -> weakref.WeakSet[_MappedFile]:
    """All that are open: a fork leaves them to its parent."""
    files: weakref.WeakSet[_MappedFile] = weakref.WeakSet()

    def leave_to_parent() -> None:
        for file in files:
            file.__class__ = _OfParent

    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(after_in_child=leave_to_parent)
    return files


def _close(handle: int, name: str, process: int) -> None:
    if process == os.getpid():  # else a fork, and the file is its parent's
        with contextlib.suppress(OSError):
            cut_filler(name)
    os.close(handle)
