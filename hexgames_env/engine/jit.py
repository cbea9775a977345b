"""The decorators of kernels.  numba is imported here and in `cache.py`, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

import numba
import numpy as np

from hexgames_env.engine.cache import KernelCache


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

    A game that has been compiling for two seconds says so on stderr, once in a process; not with
    ``HEXGAMES_QUIET=1``.
    """
    if numba.config.DISABLE_JIT:
        # Compiled code wraps around silently, and random numbers rely on it.
        return np.errstate(over="ignore")(function)
    flags: dict[str, Any] = {
        "nogil": nogil,
        "no_cfunc_wrapper": True,  # nobody calls these from C, and each wrapper takes 6.9 ms
        "no_cpython_wrapper": inner,
        "forceinline": inline,
    }
    compiled: Any = numba.njit(copy_function(function), **flags)
    compiled._cache = KernelCache(compiled)
    return cast(Callable[..., Any], compiled)


def copy_function(function: Any, **names: Any) -> Any:
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
    random play is 8.3 % faster in Rive and 21 % in GIPF.  What is called in several places compiles
    longer.
    """
    return kernel(function, inline=True, inner=True)


def is_compiled(function: Any) -> bool:
    """Whether it is a kernel; of plain Python, with NUMBA_DISABLE_JIT=1, nobody can tell."""
    return bool(numba.config.DISABLE_JIT) or hasattr(function, "py_func")


def entry(function: Callable[..., Any], *examples: Any) -> Callable[..., Any]:
    """The compiled code of a kernel for arguments of exactly these types.

    Calling it skips numba's look at the types of the arguments, 100 ns of the 210 of a call with
    three arrays.  So the caller answers for the types: dtype, dimensions and contiguity.
    """
    if not hasattr(function, "compile"):  # with NUMBA_DISABLE_JIT=1 a kernel is plain Python
        return function
    compiled: Callable[..., Any] = function.compile(tuple(map(numba.typeof, examples)))
    return compiled
