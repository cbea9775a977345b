"""The file of an arena's records: read and checked, mended after a kill, and added to."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import TracebackType

from hexgames_env.arena.plan import Arena
from hexgames_env.errors import RecordError
from hexgames_env.records import Record
from hexgames_env.records.files import form_of
from hexgames_env.records.json_lines import from_json, to_json
from hexgames_env.records.record import read_record

Key = tuple[str, str, int]

_BEGIN = re.compile(rb'^\[Game "', re.MULTILINE)
_END = re.compile(rb'^\[Result "(?:1-0|0-1|\*)"\](?:\n|\Z)', re.MULTILINE)
_TAG = re.compile(r'\[Arena "(.*?)"\]|"Arena": "(.*?)"')


class Results:
    """The games of an arena that have been played, in a file that no other arena writes into.

    A game is written by one call of the system, so that a kill can leave none but the last one
    incomplete; that one is cut off when the file is opened again, and is still to be played.

    A context manager.

    Args:
        path: ``.hgn`` and the like for text, ``.jsonl`` for lines of JSON; made if it is not there.
        arena: the plan that its games are of.

    Raises:
        RecordError: its name says no such form, it holds what is no game of this plan, or the
            same one twice, or another arena writes into it.  Nothing in it has changed then.
        OSError: it can't be read or written.
    """

    def __init__(self, path: str | os.PathLike[str], arena: Arena) -> None:
        self.name = os.fspath(path)
        self._arena = arena
        form = form_of(self.name)
        if form == "npz":
            raise RecordError(
                f"an arena adds one game after the other to its file, which a .npz does not take, "
                f"got {self.name!r}: take .hgn or .jsonl"
            )
        self._is_text = form == "text"
        self._handle = os.open(self.name, os.O_CREAT | os.O_RDWR, 0o666)
        try:
            _lock(self._handle, self.name)
            data = _read(self._handle)
            size = self._whole_size(data)
            self.games: Mapping[Key, Record] = self._checked(data[:size], data[size:])
            os.ftruncate(self._handle, size)
            os.lseek(self._handle, size, os.SEEK_SET)
            if size and data[size - 1 : size] != b"\n":  # an editor has taken it off
                self._write(b"\n")
        except BaseException:
            os.close(self._handle)
            raise
        self._is_empty = not size

    def add(self, record: Record) -> None:
        """Put a game behind those that are there.

        Raises:
            OSError: it can't be written; then the next to open the file cuts off what was.
        """
        if self._is_text:
            text = ("" if self._is_empty else "\n") + record.to_string()
        else:
            text = to_json(record) + "\n"
        self._write(text.encode())
        self._is_empty = False

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._handle, data) :]

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # What is there

    def _whole_size(self, data: bytes) -> int:
        """The bytes of the games that have an end."""
        if self._is_text:
            return max((found.end() for found in _END.finditer(data)), default=0)
        size = data.rfind(b"\n") + 1
        return len(data) if data[size:].endswith(b"}") and _is_json(data[size:]) else size

    def _checked(self, data: bytes, rest: bytes) -> Mapping[Key, Record]:
        """The whole games; ``rest`` is what a kill may have left of the next one."""
        games: dict[Key, Record] = {}
        for block, line in self._blocks(data):
            text = self._decoded(block, line)
            if self._is_text:
                record = read_record(text, self.name, line)
            else:
                record = from_json(text, self.name, line)
            try:
                key = self._arena.check(record)
                if key in games:
                    raise RecordError(f"the game from opening {key[2]} stands here a second time")
            except RecordError as error:
                raise RecordError(error.what, self.name, line, 1) from None
            games[key] = record
        self._check_rest(rest.decode(errors="replace").lstrip("\n"))
        return games

    def _check_rest(self, rest: str) -> None:
        """RecordError unless it is what is left of a game of this plan: nothing else is cut off."""
        game = self._arena.game.to_string()
        begin = f'[Game "{game}"]\n' if self._is_text else f'{{"game": "{game}", '
        tag = _TAG.search(rest)
        of_another = tag is not None and (tag[1] or tag[2]) != self._arena.tag
        is_more = rest.count("\n[Game ") > 0
        if of_another or is_more or not rest.startswith(begin[: len(rest)]):
            raise RecordError(
                f"at the end of this file stands what is no game of this arena: {rest[:60]!r}",
                self.name,
            )

    def _blocks(self, data: bytes) -> Iterator[tuple[bytes, int]]:
        """Each game with the number of its first line."""
        if not self._is_text:
            for line, block in enumerate(data.splitlines(), 1):
                if block.strip():
                    yield block, line
            return
        places = [found.start() for found in _BEGIN.finditer(data)]
        if data[: places[0] if places else None].strip():
            places.insert(0, 0)  # for an error at what stands before the first game
        line = 1
        for begin, end in pairwise([*places, len(data)]):
            yield data[begin:end], line + data.count(b"\n", 0, begin)

    def _decoded(self, block: bytes, line: int) -> str:
        try:
            return block.decode()
        except UnicodeDecodeError as error:
            raise RecordError(f"this is no UTF-8: {error}", self.name, line, 1) from None


def _read(handle: int) -> bytes:
    parts = []
    while part := os.read(handle, 2**24):
        parts.append(part)
    return b"".join(parts)


def _lock(handle: int, name: str) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise RecordError(f"another arena writes into {name}: give each its own file") from None


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except ValueError:
        return False
    return True
