"""Loops: code written once that calls the kernels of whatever game it is bound to.

A loop is a function that uses the names of this module, `step`, `mask` and so on, as if they were
kernels::

    from hexgames_env.engine import loop, mask, status, step

    @loop
    def make_steps(rows, tables, actions):
        for b in range(len(actions)):
            step(rows, b, tables, actions[b])
            mask(rows, b, tables)

``game.compiled(make_steps)`` is that loop with the kernels of a game in place of the names,
compiled when it is first called.  It can stand in any file, and loops can call loops.  (It is
neither a closure nor a call with kernels as arguments, because numba makes those anew in each
process.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from hexgames_env.engine.cache import global_names
from hexgames_env.engine.jit import copy_function, kernel


class Loop:
    """A function to be bound to games; see `loop`."""

    def __init__(self, function: Callable[..., Any], **flags: bool) -> None:
        self.function: Any = function
        self.flags = flags  # of `kernel`
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: Any) -> Any:
        """Loops call loops; Python calls ``game.compiled(loop)``."""
        raise TypeError(f"{self.function.__name__}() is bound to a game by game.compiled() first")

    def __repr__(self) -> str:
        return f"<loop {self.function.__name__}>"


def loop(function: Callable[..., Any]) -> Loop:
    """A loop over rows, which runs without the GIL."""
    return Loop(function, nogil=True)


def short_loop(function: Callable[..., Any]) -> Loop:
    """A loop of a microsecond or less, for which giving back the GIL takes too long."""
    return Loop(function, nogil=False)


def inlined_loop(function: Callable[..., Any]) -> Loop:
    """A loop that becomes a part of each loop that calls it; see `inlined`."""
    return Loop(function, inline=True, inner=True)


class GameKernel:
    """The name of something that each game has of its own."""

    def __init__(self, name: str, default: Any = None) -> None:
        self.name, self.default = name, default

    def __call__(self, *arguments: Any) -> Any:
        """Only code that is bound to a game has a kernel here."""
        raise TypeError(f"{self.name} stands for a game's kernel in code that is bound to a game")


@kernel
def _all_alike(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    return 0.0


@kernel
def _whole_row(rows: Any, b: Any, tables: Any, words: Any) -> Any:
    """All of a row but its mask: equal rows are equal positions, though not the other way round."""
    source = rows.view(np.uint64)
    length = source.shape[2]
    for plane in range(1, source.shape[1]):
        for i in range(length):
            words[(plane - 1) * length + i] = source[b, plane, i]
    return (source.shape[1] - 1) * length


# What a game's module defines; `hexgames_env.core.game` says what each of them does.
start: Any = GameKernel("start")
mask: Any = GameKernel("mask")
step: Any = GameKernel("step")
status: Any = GameKernel("status")
observe: Any = GameKernel("observe")
evaluate: Any = GameKernel("evaluate", _all_alike)
identity: Any = GameKernel("identity", _whole_row)
# The form of its rows
PLANES: Any = GameKernel("PLANES")
DTYPE: Any = GameKernel("DTYPE")


@loop
def as_rows(row: Any) -> Any:
    """The bytes of one row, int8 and flat, as ``rows`` of that row alone, without a copy."""
    cells = row.view(DTYPE)
    return cells.reshape(1, PLANES, cells.size // PLANES)


class Kernels:
    """The kernels of a game, and the loops that are bound to them.

    Args:
        name: of the game's class, for the names of compiled code.
        found: kernels and facts by the names of this module's `GameKernel`.
    """

    def __init__(self, name: str, found: Mapping[str, Any]) -> None:
        self._name, self._found = name, dict(found)
        self._bound: dict[tuple[Loop, Any], Callable[..., Any]] = {}

    def bind(self, loop: Loop, judge: Any = None) -> Callable[..., Any]:
        """The compiled loop; the same one each time.

        Args:
            loop: what to compile.
            judge: the kernel that stands for `evaluate` in it and in the loops that it calls; None
                is the game's own.  A loop that does without is compiled once for all of them.
        """
        if (loop, judge) not in self._bound:
            if judge is not None and not _uses(loop, evaluate):
                bound = self.bind(loop)
            else:
                names = dict(self._names_of(loop.function, judge))
                function = copy_function(loop.function, **names)
                function.__qualname__ = f"{self._name}.{function.__name__}"
                bound = kernel(function, **loop.flags)
            self._bound[loop, judge] = bound
        return self._bound[loop, judge]

    def _names_of(self, function: Any, judge: Any) -> Iterator[tuple[str, Any]]:
        for name, value in _globals_of(function):
            if isinstance(value, Loop):
                yield name, self.bind(value, judge)
            elif value is evaluate and judge is not None:
                yield name, judge
            elif isinstance(value, GameKernel):
                yield name, self._found.get(value.name, value.default)


def _globals_of(function: Any) -> Iterator[tuple[str, Any]]:
    for name in global_names(function.__code__):
        yield name, function.__globals__.get(name)


def _uses(loop: Loop, wanted: GameKernel) -> bool:
    """Whether a loop, or one that it calls, has this kernel among its names."""
    return any(
        value is wanted or (isinstance(value, Loop) and _uses(value, wanted))
        for _, value in _globals_of(loop.function)
    )
