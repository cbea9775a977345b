"""Kernels: the decorator that compiles them, loops bound to a game, random numbers.

A *kernel* works on one row of an array of positions; `drivers.py` has the loops over rows.  numba
is imported here and in `_cache.py`, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

import numba
import numpy as np

from hexgames_env._cache import KernelCache


def kernel(
    function: Callable[..., Any], *, nogil: bool = True, inline: bool = False, inner: bool = False
) -> Callable[..., Any]:
    """Compile ``function`` on its first call, cached on disk where possible.

    It runs without the GIL, unless ``nogil`` is False: to give it back and take it again takes
    36 ns a call.

    Compiled code checks no bounds and no legality: whoever calls a kernel has checked the action.
    Set ``NUMBA_BOUNDSCHECK=1`` to have indices checked, or ``NUMBA_DISABLE_JIT=1`` to run the same
    source as plain Python.  While numba compiles, it may turn Ctrl-C into an error of its own, and
    now and then is of no use afterwards: then start the process anew.
    """
    if numba.config.DISABLE_JIT:
        # Compiled code wraps around silently, and random numbers rely on it.
        return np.errstate(over="ignore")(function)
    flags: dict[str, Any] = {
        "nogil": nogil,
        "no_cfunc_wrapper": True,  # nobody calls these from C, and each wrapper takes 7.6 ms
        "no_cpython_wrapper": inner,
        "forceinline": inline,
    }
    compiled: Any = numba.njit(_copy(function), **flags)
    compiled._cache = KernelCache(compiled)
    return cast(Callable[..., Any], compiled)


def _copy(function: Any, **names: Any) -> Any:
    """The same code, with these globals too; the cache gives it a name of its own."""
    copied = FunctionType(
        function.__code__,
        {**function.__globals__, **names} if names else function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copied.__qualname__ = function.__qualname__
    copied.__module__ = function.__module__
    copied.__doc__ = function.__doc__
    return copied


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that only other kernels call, and never Python: that would crash.

    It has no entry from Python, which saves time to compile.
    """
    return kernel(function, inner=True)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """An `inner` kernel that becomes a part of each kernel that calls it.

    A call from one kernel to another counts references to its arrays, atomically: without those
    random play is 13 % faster in Rive and 19 % in GIPF.  What is called in several places compiles
    longer.
    """
    return kernel(function, inline=True, inner=True)


def bind(template: Any, names: dict[str, Any], game: type, *, nogil: bool) -> Callable[..., Any]:
    """Compile ``template`` with ``names``, a game's kernels, among its globals.

    Loops over rows are written once, in plain Python, and bound to each game's kernels.  This
    is neither a closure nor a call with kernels as arguments, because numba makes those anew in
    each process.
    """
    function = _copy(template, **names)
    function.__qualname__ = f"{game.__qualname__}.{template.__name__}"
    return kernel(function, nogil=nogil)


def entry(function: Callable[..., Any], *examples: Any) -> Callable[..., Any]:
    """The compiled code of a kernel for arguments of exactly these types.

    Calling it skips numba's look at the types of the arguments, 100 ns of the 210 of a call with
    three arrays.  So the caller answers for the types: dtype, dimensions and contiguity.
    """
    if not hasattr(function, "compile"):  # with NUMBA_DISABLE_JIT=1 a kernel is plain Python
        return function
    compiled: Callable[..., Any] = function.compile(tuple(map(numba.typeof, examples)))
    return compiled


_1, _2, _3, _4, _5, _6, _7 = map(np.uint64, range(1, 8))


@inlined
def write_eight(target: Any, at: Any, table: Any, i: Any) -> None:
    """Copy the eight floats from ``table[i]`` on to ``target[at]`` and on.

    All are read before one is written, so that reading and writing are one vector operation each.
    """
    f0, f1, f2, f3 = table[i], table[i + _1], table[i + _2], table[i + _3]
    f4, f5, f6, f7 = table[i + _4], table[i + _5], table[i + _6], table[i + _7]
    target[at], target[at + _1], target[at + _2], target[at + _3] = f0, f1, f2, f3
    target[at + _4], target[at + _5], target[at + _6], target[at + _7] = f4, f5, f6, f7


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
