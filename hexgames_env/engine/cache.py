"""Compiled kernels kept on disk, each in a file named by all that it was compiled from.

numba's own cache trusts one source file: after an edit elsewhere it gives old answers, it reads
sources that need not be there, and a damaged file locks a program out.  Here the name of a file is
a hash of the kernel's bytecode, of the kernels and constants that it uses, and theirs, and of the
types, processor and versions that it was compiled for.  So a file is right or not there at all, and
versions and processes can share a folder.  A kernel of which that can't be said is compiled in each
process: one that uses something else than kernels, numbers, arrays and what numpy and Python
themselves provide, or whose globals have changed since it was first compiled.

Whatever goes wrong with a file or a folder costs a compilation and a warning.  The files can be
deleted at any time, and are never deleted otherwise.

Who waits for the compiler is told so by a line on stderr: see `Notice`.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum, EnumType
from functools import cache
from pathlib import Path
from threading import Timer
from types import CodeType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import event
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

_MAGIC = b"hexgames-kernel-1\n"
_DIGEST = hashlib.sha256().digest_size
_FLAGS = ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT")
PATIENCE = 2.0  # seconds of compiling, after which whoever waits is told
QUIET = "HEXGAMES_QUIET"


class KernelCache:
    """What a numba dispatcher asks for kept code; the interface is that of numba's ``_Cache``."""

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher
        self._name = dispatcher.py_func.__qualname__
        self._fingerprint: str | None = None  # "" if there can be none

    @property
    def owner(self) -> str:
        """Whose code it is: the name of a game's class, or the kernel's own."""
        return str(self._name.partition(".")[0])

    @property
    def keeps(self) -> bool:
        """Whether what is compiled can be kept, as far as the kernel goes."""
        return bool(self._fingerprint)

    @property
    def cache_path(self) -> str:
        """Where code is looked for first."""
        return str(next(iter(folders()), ""))

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The code for these types, or None; numba asks this before each compilation."""
        found = self._load(signature, context)
        if found is None:
            _listen()  # not before: a process that finds all of it kept has no need
        return found

    def _load(self, signature: Any, context: Any) -> Any:
        context.refresh()
        if self._fingerprint is None:
            self._settle_name()
        elif self._has_changed():
            self._fingerprint = ""
        if not self._fingerprint:
            return None
        file = self._file_name(signature, context.codegen())
        problems = []
        for folder in folders():
            try:
                payload = _read(folder / file)
                return CompileResult._rebuild(context, *pickle.loads(payload))
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                problems.append(f"{folder / file} can't be read ({error.strerror})")
            except Exception as error:  # whatever it is, compiling mends it
                problems.append(f"{folder / file} can't be used ({error})")
        if problems:
            _warn_once(f"{'; '.join(problems)}.  It is replaced if it can be")
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep code that has just been compiled, wherever it can be."""
        parts = compiled._asdict()
        if parts["lifted"] or parts["library"].has_dynamic_globals:
            return  # of these numba can't write the code
        if not self._fingerprint or self._has_changed():
            return
        try:
            # Its text would be made from the source file, which need not be there.
            payload = dumps(compiled._replace(type_annotation="")._reduce())
        except Exception as error:  # a numba that writes it otherwise
            _warn_once(f"numba {numba.__version__} can't write the code of {self._name}: {error!r}")
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
        except Exception as error:  # TypeError, or whatever a stranger's object raises
            self._fingerprint = ""
            _warn_once(f"what {self._name} is compiled to is not kept, since {error}")
        else:
            self._dispatcher.py_func.__qualname__ = f"{self._name}-{self._fingerprint[:12]}"

    def _has_changed(self) -> bool:
        """Whether this kernel, or one that it uses, was compiled with other globals than now."""
        try:
            return any(
                cache._fingerprint is not None and cache._fingerprint != fingerprint(function)
                for function in _reached(self._dispatcher)
                if isinstance(cache := function._cache, KernelCache)
            )
        except Exception:
            return True

    def _file_name(self, signature: Any, codegen: Any) -> str:
        fields = [t.fields for t in signature if isinstance(t, numba.types.BaseNamedTuple)]
        made_for = (signature, fields, codegen.magic_tuple(), _surroundings())
        key = _hash(f"{self._fingerprint} {made_for}".encode())
        name = "".join(c if c.isalnum() or c in "._" else "-" for c in self._name)
        return f"{name[:60]}.{key[:40]}.kernel"

    # What else numba may call

    def enable(self) -> None:
        """Code is always kept."""

    def disable(self) -> None:
        """Code is always kept."""

    def flush(self) -> None:
        """What is compiled from here on is made anew, by the globals as they are then."""
        self._fingerprint = None


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
    yield Path(__file__).parent.parent / "__pycache__"
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "hexgames_env"
            return
    home = os.path.expanduser("~")
    if home != "~":  # there is one
        yield Path(home) / ".cache" / "hexgames_env"


def _read(file: Path) -> bytes:
    """What `_write` wrote; ValueError if it is something else."""
    content = file.read_bytes()
    body = len(_MAGIC) + _DIGEST
    payload = content[body:]
    if content[:body] != _MAGIC + hashlib.sha256(payload).digest():
        raise ValueError("it is damaged, or was written by something else")
    return payload


def _write(name: str, payload: bytes) -> None:
    """Into the first folder that takes it; a warning if none does."""
    failures = []
    for folder in folders():
        part = folder / f"{name}.{os.getpid()}.{os.urandom(4).hex()}.part"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _tidy(folder)
            try:
                part.write_bytes(_MAGIC + hashlib.sha256(payload).digest() + payload)
                os.replace(part, folder / name)  # so nobody ever sees half of a file
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            failures.append(f"{folder} ({error.strerror})")
        else:
            return
    _warn_once(
        f"what is compiled can't be kept in {', nor in '.join(failures) or 'any folder'}, so each "
        "process compiles it again.  Make room there or let it be written to, or set "
        "NUMBA_CACHE_DIR to a folder that can be"
    )


@cache
def _tidy(folder: Path) -> None:
    """Remove what processes left that were killed while they wrote, once a process."""
    for part in folder.glob("*.kernel.*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > 24 * 3600:
                part.unlink()


@cache
def _warn_once(problem: str) -> None:
    warnings.warn(
        f"hexgames_env compiles rules anew, which takes a few seconds: {problem}",
        RuntimeWarning,
        stacklevel=2,
    )


# Who waits


class Notice(event.Listener):  # type: ignore[misc]  # numba has no types that mypy can see
    """Says on stderr that a game is being compiled, once for each, if it takes longer.

    A thread says it, because the one that compiles is busy.  Where nothing is compiled, since it
    was kept, nothing is said.  The variable HEXGAMES_QUIET silences it.

    numba compiles in one thread at a time, and what one kernel needs of others within its own turn.
    """

    def __init__(self) -> None:
        self._turn: Any = None  # of the kernel that is being compiled for its own sake
        self._began = 0.0
        self._timer: Timer | None = None
        self._waited: dict[str, float] = {}  # by owner, for all turns before
        self._told: set[str] = set()

    def on_start(self, event: Any) -> None:
        """A compilation begins."""
        if self._turn is not None:
            return
        self._turn, self._began = event.data, time.monotonic()
        kept = event.data["dispatcher"]._cache
        if not isinstance(kept, KernelCache) or kept.owner in self._told or _is_quiet():
            return
        wait = max(0.0, PATIENCE - self._waited.get(kept.owner, 0.0))
        timer = Timer(wait, self._tell, (kept.owner, kept.keeps))
        timer.daemon = True  # an end of the process does not wait for it
        with suppress(RuntimeError):  # no thread can be started: then nothing is said
            timer.start()
            self._timer = timer

    def on_end(self, event: Any) -> None:
        """A compilation has ended, well or by an error such as Ctrl-C."""
        if event.data is not self._turn:
            return
        self._turn = None
        kept = event.data["dispatcher"]._cache
        if isinstance(kept, KernelCache):
            before = self._waited.get(kept.owner, 0.0)
            self._waited[kept.owner] = before + time.monotonic() - self._began
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
            timer.join(0.2)  # so that a process with one thread has one thread, as for a fork

    def _tell(self, owner: str, keeps: bool) -> None:
        if owner in self._told:
            return
        self._told.add(owner)
        folder = _folder_to_write() if keeps else None
        where = "in each process" if folder is None else f"once; kept in {folder}"
        with suppress(Exception):  # there may be no stderr, or one that is closed
            sys.stderr.write(f"hexgames_env: compiling {owner} ({where}) ...\n")
            sys.stderr.flush()


def _is_quiet() -> bool:
    return os.environ.get(QUIET, "0") not in ("", "0")


def _folder_to_write() -> Path | None:
    """The first folder that would take what is compiled, as far as can be seen without trying."""
    for folder in folders():
        there = next((place for place in (folder, *folder.parents) if place.exists()), None)
        if there is not None and there.is_dir() and os.access(there, os.W_OK):
            return folder
    return None


@cache
def _listen() -> None:
    event.register("numba:compile", Notice())


# What a kernel is made of


def fingerprint(kernel: Any) -> str:
    """A hash of all that decides what a kernel compiles to, but for types and versions.

    That is its bytecode and constants, its options, and whatever it uses by global names: numbers,
    arrays, and other kernels with all of theirs.  Comments, docstrings and places of lines do not
    count.  (What another library adds to numba by its ``overload`` can't be seen from here.)

    Raises:
        TypeError: it uses a value that can't be told from others; or it stands in a module that
            Python does not know by its name, and so would not find again.
    """
    digest = hashlib.sha256()
    functions = _reached(kernel)
    for function in functions:
        module = function.py_func.__module__
        if module not in sys.modules:
            raise TypeError(f"its module {module!r} is not in sys.modules")
    numbers = {id(function): k for k, function in enumerate(functions)}
    for function in functions:
        for part in _parts(function):
            text = f"function {numbers[id(part)]}" if isinstance(part, Dispatcher) else part
            digest.update(f"{text}\0".encode())
    return digest.hexdigest()


def _reached(kernel: Any) -> list[Any]:
    """A kernel, and those that it uses, in the order in which they are met."""
    functions = [kernel]
    for function in functions:  # which grows meanwhile
        for part in _parts(function):
            if isinstance(part, Dispatcher) and not any(part is known for known in functions):
                functions.append(part)
    return functions


def _parts(dispatcher: Any) -> Iterator[Any]:
    """What a kernel consists of, as texts and, for those that it uses, kernels."""
    if not isinstance(dispatcher._cache, KernelCache):
        raise TypeError(f"it calls {dispatcher.py_func.__name__}(), which is no kernel")
    function = dispatcher.py_func
    yield from (function.__module__, function.__name__)
    for option, value in sorted(dispatcher.targetoptions.items()):
        yield option
        yield from _flat(value)
    yield from _flat(function.__defaults__)
    for cell in function.__closure__ or ():
        yield from _flat(cell.cell_contents)
    yield from _code_parts(function.__code__, function.__doc__)
    names = list(dict.fromkeys(global_names(function.__code__)))
    modules: list[ModuleType] = []
    for name in names:
        if name in function.__globals__:
            value = function.__globals__[name]
            yield name
            yield from _flat(value)
            if isinstance(value, ModuleType) and not _is_of_python(value.__name__):
                modules.append(value)
    for module in modules:  # what may be used as an attribute of it
        for name in names:
            value = getattr(module, name, modules)  # the list stands for nothing
            if isinstance(value, ModuleType) and not _is_of_python(value.__name__):
                if value not in modules:
                    modules.append(value)
            elif value is not modules:
                yield name
                yield from _flat(value)


def _is_of_python(module: str | None) -> bool:
    """Whether what a module provides depends on versions alone, which the files are named by."""
    top = (module or "").partition(".")[0]
    return top in ("builtins", "math", "operator", "_operator", "cmath", "numpy", "numba")


def global_names(code: CodeType) -> Iterator[str]:
    """The names by which code uses globals, and attributes; some of them more than once."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from global_names(constant)


def _code_parts(code: CodeType, doc: str | None = None) -> Iterator[Any]:
    yield from (code.co_code.hex(), code.co_exceptiontable.hex())
    yield from (code.co_names, code.co_varnames, code.co_freevars)
    yield from (code.co_argcount, code.co_kwonlyargcount, code.co_flags)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_parts(constant)
        elif doc is None or constant is not doc:
            yield from _flat(constant)


def _flat(value: Any) -> Iterator[Any]:
    """A value that compiled code can contain, as texts and kernels."""
    if isinstance(value, Dispatcher):
        yield value
    elif isinstance(value, Enum):
        yield f"{type(value).__qualname__} {value.name} {value.value!r}"
    elif isinstance(value, (tuple, list)):
        fields = getattr(value, "_fields", "")
        yield f"{type(value).__module__} {type(value).__qualname__} {fields} of {len(value)}"
        for item in value:
            yield from _flat(item)
    elif isinstance(value, (set, frozenset)):
        yield f"set {sorted(map(repr, value))}"
    elif isinstance(value, dict):
        yield f"dict {sorted((repr(key), repr(item)) for key, item in value.items())}"
    elif isinstance(value, np.ndarray):
        yield f"array {value.dtype} {value.shape} {_hash(value.tobytes())}"
    elif isinstance(value, np.generic):
        yield f"{value.dtype} {value.tobytes().hex()}"
    elif value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, EnumType):
        yield f"{value.__module__} {value.__qualname__}"
        members: dict[str, Any] = dict(value.__members__)
        for name, member in members.items():
            yield f"{name} {member.value!r}"
    elif isinstance(value, numba.types.Type):
        yield f"numba {value!r}"
    elif isinstance(value, ModuleType):
        yield f"module {value.__name__}"
    elif hasattr(value, "__name__") and _is_of_python(getattr(value, "__module__", None)):
        yield f"{value.__module__} {value.__name__}"
    elif isinstance(value, np.ufunc):
        yield f"ufunc {value.__name__}"
    else:
        raise TypeError(f"it uses {value!r}, which can't be told from others")
