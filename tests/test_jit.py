"""The cache of compiled kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hexgames_env import game_names, kernel, make_game


def test_processes_that_compile_at_once_keep_their_code_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both begin with an empty index, and compile for different types."""

    @kernel
    def double(x: Any) -> Any:
        return x + x

    file = double._cache._cache_file  # type: ignore[attr-defined]
    monkeypatch.setattr(file, "_cache_path", str(tmp_path))
    monkeypatch.setattr(file, "_load_index", dict)  # what the other saved is not seen
    assert double(2) == 4
    assert double(2.5) == 5.0
    assert len(list(tmp_path.glob("*.nbc"))) == 2


def test_loops_are_linked_under_the_name_of_their_game() -> None:
    """Helpers of the same name in two games' loops were mixed up when they came from the cache."""
    names = {
        driver.__qualname__ + driver.__module__
        for name in game_names()
        for driver in make_game(name).drivers.values()
    }
    assert len(names) == sum(len(make_game(name).drivers) for name in game_names())
