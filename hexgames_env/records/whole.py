"""Files that are written whole or not at all, and errors that name the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def naming(file: str) -> Iterator[None]:
    """An OSError inside has this file's name, if it has none, as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = file
        raise


@contextmanager
def replacing(file: str | os.PathLike[str]) -> Iterator[Path]:
    """Another name to write a file under, which takes its own when the block ends well.

    So nothing half-written is left behind, and what stood there stays until the new one is whole.
    What is no file, such as /dev/stdout, is written to as it is.

    Raises:
        OSError: it can't be written; ``filename`` is the name that was given.
    """
    given = os.fspath(file)
    path = Path(os.path.realpath(given) if given else given)
    new = path
    with naming(given or "."):
        try:
            if path.name and (path.is_file() or not path.exists()):
                new = path.with_name(f".{path.name}.{os.getpid()}.part")
            yield new
            if new != path:
                new.replace(path)
        except OSError as error:
            if str(error.filename) in (str(new), str(path), ""):  # it may be a Path
                error.filename, error.filename2 = given or ".", None
            raise
        finally:
            if new != path:
                with suppress(OSError):
                    new.unlink()
