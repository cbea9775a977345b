"""The only import of numba: the decorator of kernels, its cache policy, random numbers.

A *kernel* works on one row of an array of positions; `drivers.py` has the loops over rows.
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import numba
import numpy as np

# numba stamps a cache file with the source of the function's own file, and so would give an old
# answer after a callee in another file has changed.  The callees that kernels and drivers have
# in other files are those in this folder, so their sources are made part of the cached name.
_SHARING = ("_jit.py", "drivers.py", "players.py")
_SHARED = hashlib.sha256(
    b"".join((Path(__file__).parent / name).read_bytes() for name in _SHARING)
).hexdigest()[:8]


def kernel(
    function: Callable[..., Any], *, nogil: bool = True, inline: bool = False, inner: bool = False
) -> Callable[..., Any]:
    """Compile ``function`` on its first call, cached on disk where possible.

    It runs without the GIL, unless ``nogil`` is False: to give it back and take it again takes
    50 ns a call.

    Compiled code checks no bounds and no legality: whoever calls a kernel has checked the action.
    Set ``NUMBA_DISABLE_JIT=1`` to run the same source as plain Python.
    """
    function.__qualname__ += "-" + _SHARED
    compiled: Any
    flags: dict[str, Any] = {
        "nogil": nogil,
        "no_cfunc_wrapper": True,  # nobody calls these from C, and each wrapper takes 20 ms
        "no_cpython_wrapper": inner,
        "forceinline": inline,
    }
    try:
        compiled = numba.njit(function, cache=True, **flags)
        _name_by_signature(compiled)
    except (RuntimeError, OSError):  # numba: "no locator available"; "could not get source code"
        if Path(function.__code__.co_filename).exists():  # not at a prompt, where nobody expects it
            _warn_of_no_cache()
        compiled = numba.njit(function, **flags)
    return cast(Callable[..., Any], compiled)


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that only other kernels call, and never Python: that would crash.

    It has no entry from Python, which saves a tenth of the time to compile.
    """
    return kernel(function, inner=True)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """An `inner` kernel that becomes a part of each kernel that calls it.

    A call from one kernel to another counts references to its arrays, atomically: without those
    random play is 12 % faster in Rive and GIPF.  What is called in several places compiles longer.
    """
    return kernel(function, inline=True, inner=True)


def _name_by_signature(compiled: Any) -> None:
    """Name the cached code of a kernel by a hash of the types it is for.

    numba numbers it as it comes: two processes that compile at the same time can give one number to
    code for different types, and whoever loads it then would crash.
    """
    file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    known = ("_data_name", "_save_data", "_save_index", "_load_index")
    # There is no file with NUMBA_DISABLE_JIT=1; another numba may have other parts: then as it is.
    if file is not None and all(hasattr(file, name) for name in known):
        file.save = partial(_save, file)


def _save(file: Any, key: Any, data: Any) -> None:
    """In place of the method ``save`` of numba's ``IndexDataCacheFile``."""
    name = file._data_name(int(hashlib.sha256(repr(key).encode()).hexdigest()[:12], 16))
    file._save_data(name, data)
    file._save_index({**file._load_index(), key: name})


@cache
def _warn_of_no_cache() -> None:
    warnings.warn(
        "hexgames_env can write neither to its own folder nor to a home folder, so compiled rules "
        "are not kept: each process compiles them anew (a few seconds a game).  Set "
        "NUMBA_CACHE_DIR to a writable folder to keep them.",
        RuntimeWarning,
        stacklevel=3,
    )


def bind(
    template: Any, names: dict[str, Any], game: type, form: str, *, nogil: bool
) -> Callable[..., Any]:
    """Compile ``template`` with ``names``, a game's kernels, among its globals.

    Loops over rows are written once, in plain Python, and bound to each game's kernels.  This
    is neither a closure nor a call with kernels as arguments, because numba can't cache those
    from one process to the next.  The cache is kept with the game's own file.

    The name has to tell the game and the ``form`` of its rows: compiled code is linked by module
    and name, and a loop would call another game's helper of the same name, if that came from the
    cache.
    """
    file = getattr(sys.modules[game.__module__], "__file__", None) or "<prompt>"
    code = template.__code__.replace(co_filename=file)
    function = FunctionType(code, {**template.__globals__, **names}, template.__name__)
    function.__module__ = game.__module__
    function.__qualname__ = f"{game.__qualname__}.{template.__name__}-{form}"
    return kernel(function, nogil=nogil)


def entry(function: Callable[..., Any], *examples: Any) -> Callable[..., Any]:
    """The compiled code of a kernel for arguments of exactly these types.

    Calling it skips numba's look at the types of the arguments, 100 ns of the 250 of a call with
    three arrays.  So the caller answers for the types: dtype, dimensions and contiguity.
    """
    if not hasattr(function, "compile"):  # with NUMBA_DISABLE_JIT=1 a kernel is plain Python
        return function
    compiled: Callable[..., Any] = function.compile(tuple(map(numba.typeof, examples)))
    return compiled


# Random numbers: splitmix64 (Steele, Lea, Flood 2014), one 64-bit state a row, so that a row's
# numbers depend on its seed alone and not on threads or the number of rows.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@kernel
def mix(x: Any) -> Any:
    """The finaliser of splitmix64: a bijection of uint64 that scrambles all bits."""
    x = (x ^ (x >> _30)) * _MIX_1
    x = (x ^ (x >> _27)) * _MIX_2
    return x ^ (x >> _31)


@kernel
def next_random(random: Any, b: Any) -> Any:
    """Advance ``random[b]`` (uint64) and return 64 random bits."""
    random[b] += _GOLDEN
    return mix(random[b])


@kernel
def below(bits: Any, n: Any) -> Any:
    """A number from 0 to n-1 (n < 2**32) from 64 random bits, uniform to within n / 2**32."""
    return ((bits >> _32) * np.uint64(n)) >> _32


@kernel
def stream(seed: Any, row: Any, game: Any) -> Any:
    """Where the random numbers of one game of one row begin: a hash of the three."""
    return mix(mix(seed + _GOLDEN * np.uint64(row + 1)) + _GOLDEN * np.uint64(game + 1))
