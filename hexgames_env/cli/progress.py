"""A bar for who waits in front of a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def bar(items: Sequence[T], what: str, unit: str) -> Iterator[T]:
    """The items, with a bar on stderr if that is a terminal and tqdm is there."""
    if sys.stderr is None or not sys.stderr.isatty():
        return iter(items)
    try:
        from tqdm import tqdm
    except ImportError:
        return iter(items)
    return iter(tqdm(items, desc=what, unit=unit, leave=False))
