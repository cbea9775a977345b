"""Compiled kernels are cached in a folder of the tests' own, keyed by the sources.

So no test ever runs a kernel that was compiled from another version of the package.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "hexgames_env"


def _sources() -> str:
    digest = hashlib.sha256()
    for file in sorted(PACKAGE.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


if "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = str(
        Path(tempfile.gettempdir()) / f"hexgames-tests-{os.getuid()}-{_sources()}"
    )
