"""What the package says unasked: a line for who waits for the compiler, and nothing else."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from processes import run

FIRST_GAME = """
import os, sys
os.dup2(1, 2)  # one stream, so that the order can be seen
from hexgames_env import make_game
print("imported", flush=True)
make_game("gipf").initial_state()
print("compiled", flush=True)
"""
# Small, so that it takes a moment, and told of at once.
AT_ONCE = """
import sys, threading, warnings
from typing import Any
warnings.simplefilter("error")
from hexgames_env.engine import cache
cache.PATIENCE = 0.0
from hexgames_env import kernel
@kernel
def twice(x: Any) -> Any:
    return 2 * x
"""
SAYS = r"hexgames_env: compiling {} \(once; kept in {}\) \.\.\."


def lines_of(code: str, folder: Path, quiet: str | None = "0") -> list[str]:
    """What is written to stderr, with what is compiled in a folder."""
    _, said = run(code, NUMBA_CACHE_DIR=str(folder), HEXGAMES_QUIET=quiet)
    return said.splitlines()


def test_who_waits_for_the_compiler_is_told_while_it_compiles(tmp_path: Path) -> None:
    changes = {"NUMBA_CACHE_DIR": str(tmp_path / "new" / "folder"), "HEXGAMES_QUIET": "0"}
    (first, line, last), said = run(FIRST_GAME, **changes)
    assert (first, last, said) == ("imported", "compiled", "")
    assert re.fullmatch(SAYS.format("Gipf", re.escape(changes["NUMBA_CACHE_DIR"])), line)
    assert run(FIRST_GAME, **changes) == (["imported", "compiled"], "")


def test_once_for_each_game(tmp_path: Path) -> None:
    code = AT_ONCE + "from toy_game import Duo\nclass Other(Duo):\n    name = 'other'\n"
    code += "for game in (Duo(), Other(), Duo()):\n    state = game.initial_state()\n"
    code += "    state.step(0)\n    state.observation(0)\n"
    told = lines_of(code, tmp_path)
    assert [line.split()[2] for line in told] == ["Duo", "Other"]
    assert lines_of(code, tmp_path) == []


@pytest.mark.parametrize("quiet", ["1", "yes", None])
def test_it_can_be_silenced(quiet: str | None, tmp_path: Path) -> None:
    assert quiet or "PYTEST_CURRENT_TEST" in os.environ  # which is enough
    assert lines_of(AT_ONCE + "twice(1)", tmp_path, quiet) == []


def test_threads_and_processes_say_it_once_each(tmp_path: Path) -> None:
    code = (
        AT_ONCE
        + """
threads = [threading.Thread(target=twice, args=(k,)) for k in (1, 2.0, 3j, True)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert threading.active_count() == 1
"""
    )
    assert len(lines_of(code, tmp_path / "threads")) == 1
    code = (
        AT_ONCE
        + """
import multiprocessing
def play(k):
    cache.numba.config.CACHE_DIR += f"/{k}"
    twice(k)
    twice(float(k))
if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=play, args=(k,)) for k in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
"""
    )
    told = lines_of(code, tmp_path / "forked")
    assert sorted(re.findall(r"kept in .*(forked/\d)\)", "\n".join(told))) == [
        "forked/0",
        "forked/1",
    ]


def test_an_interruption_leaves_nothing_behind(tmp_path: Path) -> None:
    code = """
import signal, threading, time
from hexgames_env.engine import cache
cache.PATIENCE = 1.0
from hexgames_env import make_game
game = make_game("gipf")
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.7)
try:
    game.initial_state()
except BaseException as error:  # numba may make an error of its own of it
    print("interrupted")
assert threading.active_count() == 1
time.sleep(1.5)
"""
    out, said = run(code, NUMBA_CACHE_DIR=str(tmp_path), HEXGAMES_QUIET="0")
    assert (out, said) == (["interrupted"], "")


@pytest.mark.parametrize(
    "trouble",
    [
        "sys.stderr = None",
        "sys.stderr = open('/dev/null')",
        "sys.stderr.close()",
        "def refused(thread):\n    raise RuntimeError('can\\'t start new thread')\n"
        "threading.Thread.start = refused",
    ],
)
def test_what_can_not_be_said_is_left_unsaid(trouble: str, tmp_path: Path) -> None:
    code = f"{AT_ONCE}{trouble}\nprint(twice(2))"
    out, said = run(code, NUMBA_CACHE_DIR=str(tmp_path), HEXGAMES_QUIET="0")
    assert (out, said) == (["4"], "")


def test_what_can_not_be_kept_says_so(tmp_path: Path) -> None:
    closed = tmp_path / "file"
    closed.write_text("in place of a folder")
    code = AT_ONCE.replace('"error"', '"ignore"') + "twice(1)"
    assert lines_of(code, closed) == ["hexgames_env: compiling twice (in each process) ..."]
