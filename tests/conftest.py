"""Failing asserts of helpers say what they saw; kernels are kept in a folder of the tests' own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

HELPERS = [
    file.stem for file in Path(__file__).parent.glob("*.py") if not file.stem.startswith("test_")
]
pytest.register_assert_rewrite(*HELPERS)  # before any of them is imported

os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"hexgames-tests-{os.getuid()}")
)
