"""A file that is mapped into memory, and what a fork does with all that writes.

To write into it takes a tenth of the time of a call of the system, and what is written stays when
the process is killed.  The file is longer than its text then, and `FILLER` stands behind it, so
that a word that was not finished can be told from one that was.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import weakref
from functools import cache
from typing import Protocol

import numpy as np

from hexgames_env.errors import RecordError
from hexgames_env.records.files import cut_filler, end_text, lock
from hexgames_env.records.text import FILLER
from hexgames_env.records.turns import POSITION, Paper
from hexgames_env.records.whole import naming

BLOCK = 2**16  # bytes by which a file grows; a multiple of what can be mapped


class Writer(Protocol):
    """What has a file open, and is not to write into that of another process."""

    def leave_to_parent(self) -> None:
        """Called in a fork."""


@cache
def writers() -> weakref.WeakSet[Writer]:
    """All that write: a fork leaves them to its parent."""
    found: weakref.WeakSet[Writer] = weakref.WeakSet()

    def leave_to_parent() -> None:
        for one in found:
            one.leave_to_parent()

    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(after_in_child=leave_to_parent)
    return found


class MappedFile(Paper):
    """A file that text is put behind, without a call of the system for each piece.

    It is `FILLER` from the text's end on; whoever is killed leaves that there.

    Raises:
        RecordError: another recorder writes into it.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._handle = os.open(name, os.O_CREAT | os.O_RDWR, 0o666)
        try:
            lock(self._handle, name)
            end_text(name)
            self.failure: OSError | None = None  # since which something is missing
            self._begin = self._end = os.fstat(self._handle).st_size  # of what is mapped
        except BaseException:
            os.close(self._handle)
            raise
        self._name = name
        self._closing = weakref.finalize(self, _close, self._handle, name, os.getpid())
        writers().add(self)

    def leave_to_parent(self) -> None:
        """In a fork: this object has a place in the file that is not its own."""
        self.__class__ = _OfParent
        self.page = self.page[:0]

    @property
    def size(self) -> int:
        """Bytes of the text in the file."""
        return self._begin + len(self)

    def make_room(self, more: int) -> None:
        """Map from before the text's end on; written and not only reserved, so that a full disk is
        an error here and no signal later.

        Raises:
            OSError: there is no room, or was none before: then no more is written of this game.
        """
        if self.failure is not None:
            raise self.failure
        size = self.size
        if size + more <= self._end:
            return
        begin = max(0, size - 1) // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
        end = begin + (size - begin + more) // BLOCK * BLOCK + BLOCK
        place = self._end
        try:
            with naming(self._name):
                while place < end:
                    place += os.pwrite(self._handle, FILLER * (end - place), place)
                page = np.frombuffer(mmap.mmap(self._handle, end - begin, offset=begin), np.uint8)
        except OSError as error:
            self.failure = error
            begin = end = size
            page = self.page[:0]
            raise
        finally:
            self.page, self.place[POSITION] = page, size - begin
            self._begin, self._end = begin, end

    def close(self) -> None:
        """Cut the file off where its text ends."""
        self.page = self.page[:0].copy()
        self._closing()


class _OfParent(MappedFile):
    """What a fork has of a file that its parent writes into."""

    def make_room(self, more: int) -> None:
        """RecordError."""
        raise RecordError(
            f"{self._name} is recorded by another process, which has made this one: give each "
            "its own file, or a folder"
        )


def _close(handle: int, name: str, process: int) -> None:
    if process == os.getpid():  # else a fork, and the file is its parent's
        with contextlib.suppress(OSError):
            cut_filler(name)
    os.close(handle)
