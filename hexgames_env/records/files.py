"""Files of records: one game at a time, any of them by its number, in whatever form they are.

A file is read as what it begins with, and written as its name ends: ``.jsonl`` is lines of JSON,
``.npz`` arrays, and ``.hgn``, ``.txt`` and ``.pgn`` are text.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import IO, Literal

from hexgames_env.core.options import as_integer, shown
from hexgames_env.errors import RecordError
from hexgames_env.records.arrays import GameArrays
from hexgames_env.records.json_lines import from_json, to_json
from hexgames_env.records.record import Record, read_record
from hexgames_env.records.text import BEGINS, FILLER
from hexgames_env.records.whole import naming, replacing

Form = Literal["text", "jsonl", "npz"]
FORMS: dict[str, Form] = {
    ".hgn": "text",
    ".txt": "text",
    ".pgn": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".npz": "npz",
}
MAX_BYTES = 64_000_000  # of one game's text
_MARKS = {  # files in an encoding that is not read here
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\x1f\x8b": "compressed by gzip",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ": "compressed by xz",
}
_BOM = b"\xef\xbb\xbf"

Path = str | os.PathLike[str]


def form_of(path: Path) -> Form:
    """How a file of this name is written.

    Raises:
        RecordError: its name ends otherwise.
    """
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in FORMS:
        raise RecordError(
            f"the name of a file of records ends in {', '.join(FORMS)}, got {os.fspath(path)!r}"
        )
    return FORMS[ending]


class RecordFile:
    """The games in a file, as a sequence; in text and JSON only one of them is in memory at a time.

    A context manager; what is made by `open_records` has to be closed.  Iterating reads on from one
    game to the next; a number, or ``len()``, first finds out where the games begin.

    Args:
        path: the file.

    Raises:
        RecordError: it is none of the three forms, or a game in it is none.
        OSError: it can't be read.
    """

    def __init__(self, path: Path) -> None:
        self.name = os.fspath(path)
        self._file: IO[bytes] = open(self.name, "rb")  # noqa: SIM115  (until `close`)
        self._arrays: GameArrays | None = None
        self._places: list[tuple[int, int]] | None = None  # byte and line of each game
        try:
            self.form: Form = self._form()
            if self.form == "npz":
                self._arrays = GameArrays.load(self.name)
        except BaseException:
            self.close()
            raise

    def _form(self) -> Form:
        first = self._file.read(4096)
        self._file.seek(0)
        for mark, what in _MARKS.items():
            if first.startswith(mark):
                raise RecordError(
                    f"this file is {what}: records are read as UTF-8, not compressed",
                    self.name,
                    1,
                    1,
                )
        text = first.removeprefix(_BOM).lstrip()
        if first.startswith(b"PK"):
            return "npz"
        if b"\0" in first:
            raise RecordError("this file is no text, and no .npz either", self.name, 1, 1)
        return "jsonl" if text.startswith(b"{") else "text"

    def __iter__(self) -> Iterator[Record]:
        if self._arrays is not None:
            yield from self._arrays
            return
        place, line = 0, 1
        while True:
            record, place, line = self._read(place, line)
            if record is None:
                return
            yield record

    def __len__(self) -> int:
        return len(self._arrays) if self._arrays is not None else len(self._index())

    def __getitem__(self, number: int) -> Record:
        """The game of this number, from 0 on; from -1 on backwards from the last.

        Raises:
            IndexError: there are not so many games.
            RecordError: it is none.
        """
        if self._arrays is not None:
            return self._arrays[number]
        places, k = self._index(), as_integer(number)
        if k is None or not -len(places) <= k < len(places):
            raise IndexError(
                f"{self.name} has {len(places)} games, numbers 0 to {len(places) - 1}, "
                f"got {shown(number)}"
            )
        record, _, _ = self._read(*places[k])
        assert record is not None
        return record

    def close(self) -> None:
        """Close the file; what was read stays."""
        self._file.close()

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<RecordFile {self.name!r}, {self.form}>"

    # Blocks of lines, one a game

    def _index(self) -> list[tuple[int, int]]:
        if self._places is None:
            found, place, line = [], 0, 1
            while True:
                block, begin, first, place, line = self._block(place, line)
                if block is None:
                    break
                found.append((begin, first))
            self._places = found
        return self._places

    def _read(self, place: int, line: int) -> tuple[Record | None, int, int]:
        """The game that begins at this byte or behind it, and where the next one may begin."""
        block, _, first, place, line = self._block(place, line)
        if block is None:
            return None, place, line
        text = self._decoded(block, first)
        if self.form == "jsonl":
            return from_json(text.rstrip("\r\n"), self.name, first), place, line
        return read_record(text, self.name, first), place, line

    def _block(self, place: int, line: int) -> tuple[bytes | None, int, int, int, int]:
        """The lines of the next game; the byte and line where it begins; those behind it."""
        self._file.seek(place)
        lines: list[bytes] = []
        begin, first, size = place, line, 0
        while True:
            read = self._file.readline(MAX_BYTES + 1)
            size += len(read)
            if size > MAX_BYTES:
                raise RecordError(
                    f"a game has at most {MAX_BYTES:,} bytes, and here are more",
                    self.name,
                    first,
                    1,
                )
            bare = read.removeprefix(_BOM) if place == 0 and not lines else read
            is_next = bare.startswith(BEGINS) or (self.form == "jsonl" and bare.strip())
            if not read or (lines and is_next):
                return b"".join(lines) if lines else None, begin, first, place, line
            if lines or bare.strip(b" \t\r\n" + FILLER):
                if not lines and self.form == "text" and not is_next:
                    raise RecordError(
                        f'a record begins with a line such as [Game "oust side=5"], got '
                        f"{bare[:60].decode(errors='replace').strip()!r}",
                        self.name,
                        line,
                        1,
                    )
                lines.append(bare)
            else:
                begin, first, size = place + len(read), line + 1, 0
            place, line = place + len(read), line + 1

    def _decoded(self, block: bytes, line: int) -> str:
        try:
            text = block.decode()
        except UnicodeDecodeError as error:
            before = block[: error.start]
            column = len(before) - before.rfind(b"\n")
            raise RecordError(
                f"byte {block[error.start]:#04x} is no UTF-8: save the file in that encoding",
                self.name,
                line + before.count(b"\n"),
                column,
            ) from None
        if "\0" in text:
            before_text = text[: text.index("\0")]
            column = len(before_text) - before_text.rfind("\n")
            raise RecordError(
                "a zero byte is no text", self.name, line + before_text.count("\n"), column
            )
        return text.replace("\r\n", "\n")


def open_records(path: Path) -> RecordFile:
    """The games in a file, as a sequence and a context manager; see `RecordFile`."""
    return RecordFile(path)


def read_records(path: Path) -> Iterator[Record]:
    """The games in a file, one after the other; see `RecordFile`.

    Raises:
        RecordError: it is none of the three forms, or a game in it is none; then those before it
            have been given.
        OSError: it can't be read.
    """
    with RecordFile(path) as file:
        yield from file


def write_records(
    path: Path, records: Iterable[Record], *, append: bool = False, notation: str | None = None
) -> int:
    """Write games to a file, in the form that its name says; what was there is replaced.

    The file takes its name when all is written; before that it has another.  With ``append``, games
    are put behind those that are there, one after the other.

    Args:
        path: the file.
        records: all of one game, if it is a ``.npz``.
        append: keep what is there; not with ``.npz``.
        notation: of the turns in text; see `Record.to_string`.

    Returns:
        How many.

    Raises:
        RecordError: the name says no form, or a record can't be written in it.
        OSError: it can't be written.
    """
    form = form_of(path)
    if notation is not None and form != "text":
        raise RecordError(f"only text takes a notation, and {os.fspath(path)!r} is {form}")
    if form == "npz":
        if append:
            raise RecordError("nothing is appended to a .npz: write another, or text or JSON")
        games = GameArrays.from_records(records)
        games.save(path)
        return len(games)
    if append:
        with naming(os.fspath(path)), open(path, "ab") as file:
            lock(file.fileno(), os.fspath(path))
            end_text(path)
            if form == "text" and os.path.getsize(path):
                file.write(b"\n")
            return _write(file, records, form, notation)
    with replacing(path) as new, open(new, "wb") as file:
        return _write(file, records, form, notation)


def _write(file: IO[bytes], records: Iterable[Record], form: Form, notation: str | None) -> int:
    count = 0
    for record in records:
        if not isinstance(record, Record):
            raise RecordError(f"what is written is a Record, got {shown(record):.60}")
        if form == "jsonl":
            text = to_json(record) + "\n"
        else:
            text = ("\n" if count else "") + record.to_string(notation)
        file.write(text.encode())
        count += 1
    return count


def end_text(path: Path) -> None:
    """Make a file ready for more text, whatever a program that was killed has left at its end.

    A last word that may be cut off keeps one `FILLER`, so that it does not look whole when
    something follows.
    """
    cut_filler(path)
    with open(path, "r+b") as file:
        if not file.seek(0, os.SEEK_END):
            return
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
        if last not in b" \n]}":
            file.write(FILLER)
        if last != b"\n":
            file.write(b"\n")


def cut_filler(path: Path) -> None:
    """Take off the `FILLER` at the end of a file."""
    with open(path, "r+b") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            begin = max(0, end - 4096)
            file.seek(begin)
            kept = file.read(end - begin).rstrip(FILLER)
            end = begin + len(kept)
            if kept:
                break
        if end < os.path.getsize(path):
            file.truncate(end)


def lock(handle: int, name: str) -> None:
    """Keep others from writing into an open file, until it is closed.

    Raises:
        RecordError: somebody else writes into it.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RecordError(
            f"another recorder writes into {name}: give each its own file, or a folder"
        ) from None
    except OSError:  # some file systems have no locks
        return
