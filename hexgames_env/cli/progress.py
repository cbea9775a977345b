"""Bars for who waits in front of a terminal, and a way out for who won't wait."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


def meter(total: int | None, unit: str, what: str | None = None) -> Any:
    """tqdm's bar on stderr, if that is a terminal and tqdm is there; else None."""
    if not sys.stderr or not sys.stderr.isatty():
        return None
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return None
    return tqdm(total=total, desc=what, unit=f" {unit}", leave=False)


def bar(items: Sequence[T], what: str, unit: str) -> Iterator[T]:
    """The items, while a `meter` counts them."""
    counted = meter(len(items), unit, what)
    if counted is None:
        yield from items
        return
    with counted:
        for item in items:
            yield item
            counted.update()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt, unless it is ignored; nothing is compiled meanwhile."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if before is signal.SIG_DFL:
            signal.signal(signal.SIGINT, before)
