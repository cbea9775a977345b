"""Compiled kernels are kept in a folder of the tests' own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"hexgames-tests-{os.getuid()}")
)
