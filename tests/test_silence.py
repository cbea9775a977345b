"""What the package says unasked: to who waits for the compiler, and of the first illegal action."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hexgames_env import register_game
from hexgames_env.envs import settings
from hexgames_env.envs.aec import HexGameEnv
from hexgames_env.envs.single import HexSingleAgentEnv
from hexgames_env.envs.vector import HexVectorEnv
from hexgames_env.testing import small_game
from processes import run
from toy_game import Duo

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


@pytest.mark.long
def test_who_waits_for_the_compiler_is_told_while_it_compiles(tmp_path: Path) -> None:
    folder = str(tmp_path / "new" / "folder")
    changes: dict[str, Any] = {"NUMBA_CACHE_DIR": folder, "HEXGAMES_QUIET": "0"}
    (first, line, last), said = run(FIRST_GAME, **changes)
    assert (first, last, said) == ("imported", "compiled", "")
    assert re.fullmatch(SAYS.format("Gipf", re.escape(folder)), line)
    assert run(FIRST_GAME, **changes) == (["imported", "compiled"], "")


@pytest.mark.long
def test_once_for_each_game(tmp_path: Path) -> None:
    code = AT_ONCE + "from toy_game import Duo\nclass Other(Duo):\n    name = 'other'\n"
    code += "for game in (Duo(), Other(), Duo()):\n    state = game.initial_state()\n"
    code += "    state.step(0)\n    state.observation(0)\n"
    told = lines_of(code, tmp_path)
    assert [line.split()[2] for line in told] == ["Duo", "Other"]
    assert lines_of(code, tmp_path) == []


@pytest.mark.parametrize("quiet", ["1", "yes"])
def test_it_can_be_silenced(quiet: str, tmp_path: Path) -> None:
    assert lines_of(AT_ONCE + "twice(1)", tmp_path, quiet) == []


@pytest.mark.long
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


@pytest.mark.long
def test_an_interruption_leaves_nothing_behind(tmp_path: Path) -> None:
    code = """
import signal, threading, time
from hexgames_env.engine import cache
cache.PATIENCE = 1.0
from hexgames_env import make_game
game = make_game("gipf")
going = True
def interrupt(*_):
    if going:
        raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.3, 0.5)  # again: LLVM may swallow one
try:
    game.initial_state()
except BaseException as error:  # numba may make an error of its own of it
    going = False
    print("interrupted")
signal.setitimer(signal.ITIMER_REAL, 0)
exec("")  # if an exec of numba's was interrupted, CPython ends by SIGINT until there is another
assert threading.active_count() == 1
time.sleep(1.5)
"""
    out, said = run(code, NUMBA_CACHE_DIR=str(tmp_path), HEXGAMES_QUIET="0")
    assert out == ["interrupted"] and "compiling" not in said


@pytest.mark.long
@pytest.mark.parametrize(
    "trouble",
    [
        "sys.stderr = None",
        "import os; sys.stderr = open(os.open('/dev/null', os.O_RDONLY), closefd=False)",
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


# Illegal actions


def lose(env: Any) -> Any:
    """An illegal action as soon as there is one: in which position, which, and what it gave."""
    env.reset(seed=1)
    while True:
        if isinstance(env, HexGameEnv):
            masks = env.observe(env.agent_selection)["action_mask"]
        else:
            masks = env.action_masks()
        if not masks.all():
            break
        env.step(masks.argmax(axis=-1))
    if isinstance(env, HexVectorEnv):
        actions = masks.argmax(axis=1)
        row = int((masks == 0).any(axis=1).argmax())
        actions[row] = masks[row].argmin()
        return env.batch.state(row), int(actions[row]), env.step(actions)
    before = env.game_state
    return before, int(masks.argmin()), env.step(int(masks.argmin()))


def made(kind: type[Any], name: str) -> Any:
    many = {"num_envs": 3} if kind is HexVectorEnv else {}
    return kind(name, **small_game(name).options, **many)


KINDS: list[type[Any]] = [HexGameEnv, HexSingleAgentEnv, HexVectorEnv]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["oust", "rive", "strands", "gipf", "duo"])
def test_the_first_illegal_action_is_told(
    name: str, kind: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    register_game(Duo)
    monkeypatch.setattr(settings, "_warned", set())
    with pytest.warns(UserWarning, match="illegal action of") as told:
        state, action, _ = lose(made(kind, name))
    (warning,) = told
    assert warning.filename == __file__  # whoever called step()
    said = str(warning.message)
    assert f"action {action}" in said and state.game.illegal_words(state, action) in said
    assert ("in row" in said) == (kind is HexVectorEnv)
    for part in ("mask was ignored", 'illegal_action="raise"', 'info["illegal_action"]'):
        assert part in said
    for again in (name, "oust"):
        lose(made(kind, again))  # a second warning would be an error


def test_each_kind_of_environment_tells_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "_warned", set())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(2):
            for kind in KINDS:
                lose(made(kind, "oust"))
    assert len(told) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_warning_that_is_an_error_finds_the_step_done(
    kind: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "_warned", set())
    env = made(kind, "oust")
    with pytest.raises(UserWarning, match="illegal action of"):
        lose(env)
    if isinstance(env, HexVectorEnv):
        env.step(env.action_masks().argmax(axis=1))
    elif isinstance(env, HexGameEnv):
        assert sorted(info["illegal_action"] for info in env.infos.values()) == [0, 1]
    else:
        assert env.winner == 1 - env.seat and not env.action_masks().any()
    lose(env)


def test_a_game_by_the_rules_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "_warned", set())
    env = HexVectorEnv("oust", 8, side=2, max_cycles=9)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(50):
        masks = env.action_masks()
        env.step((masks * rng.random(masks.shape)).argmax(axis=1))
