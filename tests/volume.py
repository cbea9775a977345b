"""Which cases of a test everybody runs, and which the stage for long tests alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def quick(cases: Iterable[Any], *kept: Any) -> list[Any]:
    """All cases for ``parametrize``, and those that are not kept marked as long."""
    found = list(cases)
    assert set(kept) <= set(found), (kept, found)
    return [case if case in kept else _long(case) for case in found]


def _long(case: Any) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.long)
