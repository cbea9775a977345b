"""Python in processes of their own, as tests of caches, imports and interruptions need it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

TESTS = Path(__file__).parent
ROOT = TESTS.parent

# To be run first in a process that permission bits must bind, which they do not for root.
POWERLESS = """
import ctypes
class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]
ctypes.CDLL(None).capset(ctypes.byref(Header(0x20080522, 0)), (ctypes.c_uint32 * 6)())
def must_not_write(folder):
    import os
    try:
        open(os.path.join(folder, "try"), "w").close()
    except OSError:
        return
    raise AssertionError(f"{folder} can be written to, so nothing would be tested")
"""


def be_interruptible() -> None:
    """For ``preexec_fn``: what runs in the background of some shells ignores SIGINT, else."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(
    code: str,
    *arguments: str,
    path: Path = ROOT,
    python: tuple[str, ...] = (),
    **changes: str | None,
) -> subprocess.Popen[str]:
    """Start ``code`` with the package from ``path``, and with changes to the environment."""
    return subprocess.Popen(
        [sys.executable, *python, "-c", code, *arguments],
        env=environment(path, changes),
        cwd=path if path.is_dir() else path.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=be_interruptible,
    )


def environment(
    path: Path = ROOT, changes: Mapping[str, str | None] = MappingProxyType({})
) -> dict[str, str]:
    """This process's, with the package from ``path`` and with changes; None takes a name away."""
    given: dict[str, str | None] = {
        **os.environ,
        "PYTHONPATH": f"{path}{os.pathsep}{TESTS}",
        "PYTHONUNBUFFERED": None,  # output waits in buffers, as it does for most people
        **changes,
    }
    return {name: value for name, value in given.items() if value is not None}


def finish(process: subprocess.Popen[str], timeout: float = 200) -> tuple[list[str], str]:
    """Its lines and what it wrote to stderr, once it has come to a good end."""
    try:
        out, err = process.communicate(timeout=timeout)
    except BaseException:
        process.kill()
        raise
    assert process.returncode == 0, f"ended with {process.returncode}\n{out}\n{err}"
    return out.splitlines(), err


def run(
    code: str,
    *arguments: str,
    path: Path = ROOT,
    python: tuple[str, ...] = (),
    **changes: str | None,
) -> tuple[list[str], str]:
    """`start` and `finish`."""
    return finish(start(code, *arguments, path=path, python=python, **changes))


class Ended(NamedTuple):
    """How a process ended and what it wrote."""

    code: int
    out: str
    err: str


def ended(
    *command: str | bytes,
    stdin: bytes = b"",
    cwd: Path = ROOT,
    timeout: float = 200,
    **changes: str | None,
) -> Ended:
    """Run any command to its end, good or bad."""
    done = subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        env=environment(changes=changes),
        cwd=cwd,
        timeout=timeout,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
