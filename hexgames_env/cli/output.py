"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def write_whole(file: str, write: Callable[[Path], object]) -> None:
    """Let ``write`` make a file under another name beside it, which then takes its place.

    So nothing half-written is left behind, and what stood there stays until the new one is whole.
    What is no file, such as /dev/stdout, is written to as it is.

    Raises:
        OSError: it can't be written; ``filename`` is the name that was given.
    """
    path = Path(os.path.realpath(file) if file else file)
    new = path.with_name(f".{path.name}.{os.getpid()}.part") if path.name else path
    try:
        if path.exists() and not path.is_file():
            write(path)
            return
        try:
            write(new)
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        error.filename, error.filename2 = file or ".", None
        raise


def write_text_whole(file: str, text: str) -> None:
    """The same for a text."""
    write_whole(file, lambda path: path.write_text(text, encoding="utf-8"))
