"""The bot mcts as an opponent: other processes, Ctrl-C, matches that are killed, much memory."""

from __future__ import annotations

import multiprocessing
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv

from hexgames_env import NotResetError
from hexgames_env.bots import BotPool
from hexgames_env.envs.vector import make_vector
from hexgames_env.records import open_records
from processes import be_interruptible, ended, environment, run
from test_interruptions import everywhere

pytestmark = pytest.mark.long

OPPONENT = "mcts simulations=50"


def learned(envs: Any, steps: int = 30) -> list[bytes]:
    """What a learner sees that takes the first legal action."""
    seen = []
    for _ in range(steps):
        observation, rewards, *_ = envs.step(envs.action_masks().argmax(axis=1))
        seen.append(observation["observation"].tobytes() + rewards.tobytes())
    return seen


def tell(pipe: Any, envs: Any) -> None:
    pipe.send(learned(envs))


# Other processes


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_an_env_goes_on_in_another_process(method: str) -> None:
    envs = make_vector("oust", 8, OPPONENT, threads=3, side=3)
    envs.reset(seed=1)
    learned(envs, 3)  # its threads run now, and are not those of the other process
    context = multiprocessing.get_context(method)
    here, there = context.Pipe()
    process = context.Process(target=tell, args=(there, envs))  # type: ignore[attr-defined]
    process.start()
    assert here.poll(200), "no answer"
    assert here.recv() == learned(envs)
    process.join(20)
    assert process.exitcode == 0


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_gymnasiums_processes(method: str) -> None:
    def make() -> Any:
        import hexgames_env.envs.registration  # noqa: F401  (ids, in a process of its own)

        return gymnasium.make("hexgames/Oust-v0", opponent=OPPONENT, side=2, flat=True)

    envs = AsyncVectorEnv([make] * 2, context=method)
    try:
        _, infos = envs.reset(seed=[1, 1])
        ends = 0
        for _ in range(20):
            masks = np.stack(infos["action_mask"])
            assert (masks[0] == masks[1]).all()
            _, rewards, terminated, _, infos = envs.step(masks.argmax(axis=1))
            assert rewards[0] == rewards[1]
            ends += int(terminated.sum())
            if terminated.any():
                _, infos = envs.reset(seed=[ends, ends])
        assert ends > 0
    finally:
        envs.close()


# Ctrl-C


# What is raised while threads are sent home, in a finalizer, Python tells of and goes on
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("opponent", [OPPONENT, BotPool(["random", OPPONENT])], ids=["bot", "pool"])
def test_ctrl_c_at_any_line_of_a_step(opponent: Any) -> None:
    def make() -> Any:
        envs = make_vector("oust", 6, opponent, threads=2, side=2)
        envs.reset(seed=3)
        learned(envs, 2)
        return envs

    told = 0
    for envs in everywhere(make, lambda envs: learned(envs, 1), stride=7):
        try:
            learned(envs, 1)
        except NotResetError as error:
            told += "call reset() before" in str(error)
            envs.reset(seed=9)
        planes = envs.step(envs.action_masks().argmax(axis=1))[0]["observation"]
        assert (planes[..., 1] == planes[..., 0]).all(), "a learner is not to act"
    assert told > 10


LONG_STEP = """
import signal, time
import numpy as np
from hexgames_env import NotResetError
from hexgames_env.envs.vector import make_vector
envs = make_vector("rive", 64, "mcts simulations=1", threads=2, side=3, seat=0)
envs.reset(seed=1)
envs.step(envs.action_masks().argmax(axis=1))
envs = make_vector("rive", 64, "mcts simulations=10000000 memory=16", threads=2, side=3, seat=0)
envs.reset(seed=1)
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.5)
begin = time.perf_counter()
try:
    envs.step(envs.action_masks().argmax(axis=1))
except KeyboardInterrupt:
    print("after", time.perf_counter() - begin)
try:
    envs.step(np.zeros(64, int))
except NotResetError as error:
    print(error)
envs.reset(seed=1)
print(envs.action_masks().any(axis=1).all())
"""


def test_ctrl_c_in_a_long_step() -> None:
    after, told, runs = run(LONG_STEP)[0]
    assert 0.4 < float(after.split()[1]) < 5
    assert "call reset() before step()" in told and runs == "True"


# Matches


ARENA = (
    "arena oust --bot greedy --bot 'mcts simulations=50' --options side=4 --games 12 --seed 5 "
    "--workers 2 --record"
)


def test_an_arena_that_is_killed_goes_on(tmp_path: Path) -> None:
    hexgames = (sys.executable, "-W", "error", "-m", "hexgames_env")
    whole = ended(*hexgames, *shlex.split(ARENA), str(tmp_path / "whole.hgn"))
    assert (whole.code, whole.err) == (0, "")
    torn = tmp_path / "torn.hgn"
    killed = 0
    for _ in range(20):
        process = subprocess.Popen(
            [*hexgames, *shlex.split(ARENA), str(torn)],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=be_interruptible,
        )
        before = _games(torn)
        while process.poll() is None and _games(torn) < before + 2:
            time.sleep(0.01)
        if process.poll() is None:
            killed += 1
            process.send_signal((signal.SIGKILL, signal.SIGINT, signal.SIGTERM)[killed % 3])
        out, err = process.communicate(timeout=100)
        assert err == ""
        if process.returncode == 0:
            break
    assert killed >= 2 and out == whole.out
    found = []
    for file in (torn, tmp_path / "whole.hgn"):
        with open_records(file) as records:
            found.append(sorted(record.actions for record in records))
    assert found[0] == found[1] and len(found[0]) == 12


def _games(file: Path) -> int:
    return file.read_text(encoding="utf-8").count("[Result ") if file.exists() else 0


# Memory

MILLIONS = """
import sys
from hexgames_env.bots import make_bot
from hexgames_env import make_game

def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024

state = make_game("gipf").initial_state()
make_bot("mcts simulations=10 leaf=heuristic").analyse(state)
before = status("VmRSS")
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak is counted from here
found = make_bot(f"mcts simulations=10000000 leaf=heuristic memory={sys.argv[1]}").analyse(state)
print(found.simulations, found.is_full, sum(found.visits.values()), status("VmHWM") - before)
"""


@pytest.mark.slow
def test_ten_million_simulations_stay_within_the_memory() -> None:
    """A full tree is searched on."""
    (line,), _ = run(MILLIONS, "64")
    simulations, is_full, visits, grown = line.split()
    assert (simulations, is_full, visits) == ("10000000", "True", "10000000")
    assert 60 < float(grown) < 64 + 4
