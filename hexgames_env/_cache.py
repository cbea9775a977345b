"""Compiled kernels kept on disk, each in a file named by all that it was compiled from.

numba's own cache trusts one source file: after an edit elsewhere it gives old answers, it reads
sources that need not be there, and a damaged file locks a program out.  Here the name of a file is
a hash of the kernel's bytecode, of the kernels and constants that it uses, and theirs, and of the
types, processor and versions that it was compiled for.  So a file is right or not there at all:
nothing is ever out of date, and versions and processes can share a folder.

Whatever goes wrong with a file or a folder costs a compilation and a warning, never an error.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

_MAGIC = b"hexgames-kernel-1\n"
_DIGEST = hashlib.sha256().digest_size
_FLAGS = ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT")


class KernelCache:
    """What a numba dispatcher asks for kept code; the interface is that of numba's ``_Cache``."""

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher
        self._name = dispatcher.py_func.__qualname__
        self._fingerprint: str | None = None  # "" if there can be none

    @property
    def cache_path(self) -> str:
        """Where code is looked for first."""
        return str(next(iter(folders()), ""))

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The code for these types, or None; numba asks this before each compilation."""
        context.refresh()
        if self._fingerprint is None:
            self._settle_name()
        if not self._fingerprint:
            return None
        file = self._file_name(signature, context.codegen())
        for folder in folders():
            payload = _read(folder / file)
            if payload is not None:
                try:
                    return CompileResult._rebuild(context, *pickle.loads(payload))
                except Exception as error:  # whatever it is, compiling mends it
                    _warn(f"{folder / file} can't be used ({error!r}): it is replaced if it can be")
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep code that has just been compiled, wherever it can be."""
        if not self._fingerprint or compiled.lifted or compiled.library.has_dynamic_globals:
            return  # of the last two numba can't write the code
        try:
            # Its text would be made from the source file, which need not be there.
            payload = dumps(compiled._replace(type_annotation="")._reduce())
        except Exception as error:  # a numba that writes it otherwise
            _warn(f"numba {numba.__version__} can't write the code of {self._name}: {error!r}")
        else:
            _write(self._file_name(signature, compiled.codegen), payload)

    def _settle_name(self) -> None:
        """Name the function by what it is made of.

        Compiled code is linked by name: without this a kernel would be given a callee that came
        from the cache, and was made from another source, for its own.  Not before the first
        compilation, since a kernel may use names that are defined after it.
        """
        try:
            self._fingerprint = fingerprint(self._dispatcher)
        except TypeError as error:
            self._fingerprint = ""
            _warn(f"what {self._name} is compiled to is not kept, since {error}")
        else:
            self._dispatcher.py_func.__qualname__ = f"{self._name}-{self._fingerprint[:12]}"

    def _file_name(self, signature: Any, codegen: Any) -> str:
        made_for = (signature, codegen.magic_tuple(), _surroundings())
        key = _hash(f"{self._fingerprint} {made_for}".encode())
        name = "".join(c if c.isalnum() or c in "._" else "-" for c in self._name)
        return f"{name[:60]}.{key[:40]}.kernel"

    # What else numba may call

    def enable(self) -> None:
        """Code is always kept."""

    def disable(self) -> None:
        """Code is always kept."""

    def flush(self) -> None:
        """Nothing is held back."""


def _surroundings() -> tuple[object, ...]:
    flags = tuple(str(getattr(numba.config, flag, None)) for flag in _FLAGS)
    return (
        *(sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, np.__version__),
        *flags,
    )


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# Where


def folders() -> Iterator[Path]:
    """Where kept code is looked for, and written to the first that takes it."""
    if numba.config.CACHE_DIR:  # the variable NUMBA_CACHE_DIR
        yield Path(numba.config.CACHE_DIR)
        return
    yield Path(__file__).parent / "__pycache__"
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "hexgames_env"
            return
    home = os.path.expanduser("~")
    if home != "~":  # there is one
        yield Path(home) / ".cache" / "hexgames_env"


def _read(file: Path) -> bytes | None:
    """What `_write` wrote; None, with a warning unless there is no file, if it can't be had."""
    try:
        content = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        _warn(f"{file} can't be read ({error.strerror}): remove it, or let it be read")
        return None
    body = len(_MAGIC) + _DIGEST
    payload = content[body:]
    if content[:body] != _MAGIC + hashlib.sha256(payload).digest():
        _warn(f"{file} is damaged, or was written by something else: it is replaced if it can be")
        return None
    return payload


def _write(name: str, payload: bytes) -> None:
    """Into the first folder that takes it; a warning if none does."""
    failures = []
    for folder in folders():
        part = folder / f"{name}.{os.getpid()}.{os.urandom(4).hex()}.part"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            try:
                part.write_bytes(_MAGIC + hashlib.sha256(payload).digest() + payload)
                os.replace(part, folder / name)  # so nobody ever sees half of a file
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            failures.append(f"{folder} ({error.strerror})")
        else:
            return
    _warn_of_no_folder(", nor in ".join(failures) or "any folder")


def _warn(problem: str) -> None:
    warnings.warn(
        f"hexgames_env compiles rules anew, which takes a few seconds: {problem}",
        RuntimeWarning,
        stacklevel=2,
    )


@cache
def _warn_of_no_folder(failures: str) -> None:  # once a process, not once a kernel
    _warn(
        f"what is compiled can't be kept in {failures}, so each process compiles it again.  "
        "Make room there or let it be written to, or set NUMBA_CACHE_DIR to a folder that can be"
    )


# What a kernel is made of


def fingerprint(kernel: Any) -> str:
    """A hash of all that decides what a kernel compiles to, but for types and versions.

    That is its bytecode and constants, its options, and whatever it uses by global names: numbers,
    arrays, and other kernels with all of theirs.  Comments, docstrings and places of lines do not
    count.

    Raises:
        TypeError: it uses a value that can't be told from others.
    """
    digest = hashlib.sha256()
    numbers: dict[int, int] = {id(kernel): 0}  # of functions, in the order in which they are met
    functions: list[Any] = [kernel]
    for function in functions:  # which grows meanwhile
        for part in _parts(function):
            if isinstance(part, (Dispatcher, FunctionType)):
                if id(part) not in numbers:
                    numbers[id(part)] = len(functions)
                    functions.append(part)
                digest.update(b"function %d\0" % numbers[id(part)])
            else:
                digest.update(f"{part}\0".encode())
    return digest.hexdigest()


def _parts(function: Any) -> tuple[Any, ...]:
    """What a function consists of, as texts and, for those that it uses, functions."""
    options = ""
    if isinstance(function, Dispatcher):
        options = str(sorted(function.targetoptions.items()))
        function = function.py_func
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    parts: list[Any] = [function.__module__, function.__name__, options]
    parts += _flat((function.__defaults__, cells))
    parts += _code_parts(function.__code__, function.__doc__)
    names = list(dict.fromkeys(_names(function.__code__)))
    modules: list[ModuleType] = []
    for name in names:
        if name in function.__globals__:
            value = function.__globals__[name]
            parts += [name, *_flat(value)]
            if isinstance(value, ModuleType):
                modules.append(value)
    for module in modules:  # what may be used as an attribute of it
        for name in names:
            value = module.__dict__.get(name)
            if isinstance(value, ModuleType) and value not in modules:
                modules.append(value)
            elif name in module.__dict__:
                parts += [name, *_flat(value)]
    return tuple(parts)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _code_parts(code: CodeType, doc: str | None = None) -> Iterator[Any]:
    yield from (code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars)
    yield from (code.co_argcount, code.co_kwonlyargcount, code.co_flags)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_parts(constant)
        elif doc is None or constant is not doc:
            yield from _flat(constant)


def _flat(value: Any) -> Iterator[Any]:
    """A value that compiled code can contain, as texts and functions."""
    if isinstance(value, (Dispatcher, FunctionType)):
        yield value
    elif isinstance(value, (tuple, list)):
        yield f"{type(value).__name__} of {len(value)}"
        for item in value:
            yield from _flat(item)
    elif isinstance(value, np.ndarray):
        yield f"array {value.dtype} {value.shape} {_hash(value.tobytes())}"
    elif isinstance(value, np.generic):
        yield f"{value.dtype} {value.tobytes().hex()}"
    elif value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        yield f"{type(value).__name__} {value!r}"
    elif hasattr(value, "__name__"):  # a module, a type, a function of C, a ufunc
        yield f"{getattr(value, '__module__', '')} {value.__name__}"
    else:
        try:
            yield f"{type(value)} {_hash(pickle.dumps(value, 4))}"
        except Exception as error:
            raise TypeError(f"it uses {value!r}, which can't be told from others") from error
