"""The browser that tests look with."""

from __future__ import annotations

import os
from pathlib import Path


def chromium() -> str:
    """The program; FileNotFoundError says how to get it."""
    names = ("chromium", "chromium-browser", "google-chrome")
    for folder in os.environ["PATH"].split(os.pathsep):
        for name in names:
            if os.access(Path(folder) / name, os.X_OK):
                return str(Path(folder) / name)
    raise FileNotFoundError(f"none of {', '.join(names)} is installed: apt-get install chromium")
