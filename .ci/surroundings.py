"""The tests where little is as usual: no home, a read-only copy, one core that others use, too.

    python .ci/surroundings.py                 what is marked "surroundings": a minute
    python .ci/surroundings.py --whole         the whole suite: an hour and more
    python .ci/surroundings.py -- ARGUMENTS    whatever pytest takes
    python .ci/surroundings.py --loops 0       where enough others are at work already

All at once: HOME is unset in one round and names no folder in another; the package, the tests and
all around them are a copy that can't be written to, by a process that permissions stop (which they
do not for root, as in a container, so it gives up root's powers); one core, beside two busy loops;
another time zone; a plain locale, and a Turkish one, which on most machines is not installed.  It
runs with the Python that it is started with, in which what the tests need is installed.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "build", "dist")
UNSET = ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE", "LANG", "LC_ALL")
ROUNDS = (
    ("no HOME, plain locale", {"LC_ALL": "C", "TZ": "Pacific/Kiritimati"}),
    (
        "HOME names no folder, Turkish locale",
        {"HOME": "/nonexistent/home", "LC_ALL": "tr_TR.UTF-8", "TZ": "America/St_Johns"},
    ),
)
BUSY = "while True: pass"
PR_SET_SECUREBITS, NO_ROOT_AND_LOCKED = 28, 0b11
CAPABILITIES_3 = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def be_powerless() -> None:
    """From here on permissions stop this process and those that it starts, root or not."""
    if os.getuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECUREBITS, NO_ROOT_AND_LOCKED, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "root's powers can't be given up")
    if libc.capset(ctypes.byref(_Header(CAPABILITIES_3, 0)), (ctypes.c_uint32 * 6)()):
        raise OSError(ctypes.get_errno(), "root's powers can't be given up")


def close(folder: Path) -> None:
    """Nothing in it can be written to any more."""
    for place in (folder, *folder.rglob("*")):
        if not place.is_symlink():
            place.chmod(place.stat().st_mode & ~0o222)


def opened(folder: Path) -> None:
    for place, _, _ in os.walk(folder):
        os.chmod(place, 0o755)


def run(copy: Path, work: Path, changes: dict[str, str], arguments: list[str], busy: int) -> int:
    """pytest's exit code, beside so many busy loops."""

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # some shells' background ignores it
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        be_powerless()
        try:
            (copy / "hexgames_env" / "try").touch()
        except OSError:
            return
        raise OSError("the copy can be written to, so this would try nothing")

    environment = {name: value for name, value in os.environ.items() if name not in UNSET}
    environment |= {"TMPDIR": str(work), **changes}
    loops = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(busy)]
    try:
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *arguments],
            cwd=copy,
            env=environment,
            preexec_fn=prepare,
            check=False,
        ).returncode
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--whole", action="store_true", help="the whole suite")
    parser.add_argument("--loops", type=int, default=2, help="busy loops beside; default 2")
    parser.add_argument("pytest", nargs="*", help="what pytest takes, behind --")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that loops and copy go, too
    arguments = given.pytest or ([] if given.whole else ["-m", "surroundings"])
    failed = []
    with tempfile.TemporaryDirectory() as name:
        copy, work = Path(name, "copy"), Path(name, "work")
        shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
        work.mkdir()
        close(copy)
        try:
            for what, changes in ROUNDS:
                print(f"--- {what}", flush=True)
                begin = time.monotonic()
                if run(copy, work, changes, arguments, given.loops) != 0:
                    failed.append(what)
                print(f"--- {what}: {time.monotonic() - begin:.0f} s", flush=True)
        finally:
            opened(copy)
    print(f"--- failed: {', '.join(failed) or 'nothing'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
