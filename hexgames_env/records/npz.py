"""The file of `GameArrays`: a ``.npz`` of which no more is unpacked than was asked for."""

from __future__ import annotations

import errno
import tokenize
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.errors import RecordError

ARRAYS = """\
form            1, the form of the file
game            the game's text, as UTF-8 (uint8)
actions         of all games one behind the other: uint8, or uint16 of a game with over 256 actions
offsets         int64 (games + 1,), where each game's actions begin, and where the last one's end
winners         int8, 0 or 1; -1 for nobody
endings         uint8, a place in records.ENDINGS
illegal         int32, the action that lost the game as illegal; -1 for none
starts          positions that games begin with, a line each, as UTF-8 (uint8)
start_numbers   int32, a line of starts; -1 for how the game always begins
details         what else the records say, a line of JSON each, as UTF-8 (uint8)
detail_numbers  int32, a line of details; -1 for nothing"""

FORM = 1
HEADER = 1024  # bytes, at most, before the numbers of an array
LIMIT = 2**30  # bytes that a file may have when it is unpacked, if nobody says otherwise
KINDS = {
    "form": "i",
    "game": "u1",
    "actions": "u",
    "offsets": "i8",
    "winners": "i1",
    "endings": "u1",
    "illegal": "i4",
    "starts": "u1",
    "start_numbers": "i4",
    "details": "u1",
    "detail_numbers": "i4",
}


def as_bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)


def as_text(column: NDArray[np.uint8], name: str) -> str:
    try:
        return column.tobytes().decode()
    except UnicodeDecodeError as error:
        raise RecordError(f"{name} is no UTF-8: {error}") from None


def as_lines(column: NDArray[np.uint8], name: str) -> list[str]:
    text = as_text(column, name)
    return text.split("\n") if text else []


def read_columns(name: str, limit: int) -> dict[str, NDArray[Any]]:
    """The arrays of a file, each of its kind; no more is unpacked than the limit allows."""
    try:
        with open(name, "rb") as file, zipfile.ZipFile(file) as archive:
            names = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            missing = [column for column in KINDS if column not in names]
            if missing:
                raise RecordError(
                    f"this .npz has no array {missing[0]!r}: it is no file of games", name
                )
            columns, left = {}, limit
            for column, kind in KINDS.items():
                columns[column] = _read_column(archive, names[column], kind, name, left, limit)
                left -= columns[column].nbytes
    except (RecordError, MemoryError):
        raise
    except Exception as error:  # zipfile, zlib and numpy raise anything on a file that is damaged
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # no place in the file
            raise
        raise RecordError(f"this is no .npz, or it is damaged: {error}", name) from None
    form = columns.pop("form")
    if form.shape != () or int(form) != FORM:
        raise RecordError(f"the form of this file is {form}, and {FORM} is read here", name)
    return columns


def _read_column(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, kind: str, name: str, left: int, limit: int
) -> NDArray[Any]:
    def fail(what: str) -> RecordError:
        return RecordError(f"the array {info.filename} {what}", name)

    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise fail("is not compressed as numpy does it")
    if info.file_size > left + HEADER:
        raise fail(f"expands beyond the limit of {limit:,} bytes; load(limit=...) takes another")
    with archive.open(info) as file:
        try:
            version = np.lib.format.read_magic(file)
            if version != (1, 0):
                raise fail(f"is in the unknown form {version}")
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
        except (ValueError, TypeError, SyntaxError, RecursionError, tokenize.TokenError) as error:
            raise fail(f"has no header of numpy: {error}") from None
        fits = dtype.kind == kind if len(kind) == 1 else dtype == np.dtype(f"<{kind}")
        if not fits or len(shape) != (kind != "i") or fortran or dtype.itemsize > 8:
            raise fail(f"is {dtype} of shape {shape}, and not as it is written here")
        size = dtype.itemsize * int(np.prod(shape, dtype=object))
        if size > left:
            raise fail(f"expands beyond the limit of {limit:,} bytes")
        data = file.read(size + 1)
    if len(data) != size:
        raise fail(f"has {len(data):,} bytes or more, and its header says {size:,}")
    return np.frombuffer(data, dtype).reshape(shape).copy()
