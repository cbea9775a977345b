"""Ctrl-C at any line, threads that can't be started: what is left goes on, or says what to do.

An interruption is played by a trace function, which raises KeyboardInterrupt before the n-th line
of the package that a call comes to; n runs until the call comes to its end.  (Compiled code is not
interrupted: Python sees the signal when it returns.)
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hexgames_env
from hexgames_env import Batch, NotResetError, make_game
from hexgames_env.envs.vector import make_vector
from processes import finish, run, start

PACKAGE = str(Path(hexgames_env.__file__).parent)


def interrupted(call: Callable[[], object], line: int) -> bool:
    """Whether ``call`` was interrupted before its ``line``-th line, from 0, or came to its end."""
    passed = 0

    def trace(frame: Any, event: str, argument: object) -> Any:
        nonlocal passed
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            passed += 1
            if passed > line:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    try:
        sys.settrace(trace)
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def everywhere(
    make: Callable[[], Any], call: Callable[[Any], object], stride: int = 1
) -> Iterator[Any]:
    """What is left of a thing after each interruption of the call; the last came to its end."""
    for line in range(0, 10_000, stride):
        thing = make()
        ended = not interrupted(lambda thing=thing: call(thing), line)  # type: ignore[misc]
        yield thing
        if ended:
            assert line > 5, "hardly anything was interrupted"
            return
    raise AssertionError("the call never ends")


def late_batch(threads: int) -> Batch:
    """A batch of which some games end in the next steps."""
    batch = Batch(make_game("strands", layout=[3, 3, 3, 2, 1, 2, 2]), 16, seed=5, threads=threads)
    batch.play_random(40)
    return batch


def goes_on(batch: Batch) -> None:
    """Rows all run, nothing of the last step is left, and results fit to rows from then on."""
    assert batch.rewards.shape == (batch.n, 2)
    assert batch.final_observations().shape[0] == len(batch.finished) == len(batch.final_lengths)
    assert (batch.terminated | batch.truncated).nonzero()[0].tolist() == batch.finished.tolist()
    games = batch._games.copy()
    for _ in range(30):
        mask = batch.action_mask
        actions = batch.sample_actions()
        assert (mask[np.arange(batch.n), actions] == 1).all()
        for row in range(0, batch.n, 5):
            state = batch.state(row)
            assert not state.is_over and (state.action_mask() == mask[row]).all()
            assert state.from_string(state.to_string()) == state
        batch.step(actions)
    assert (batch._games > games).any()


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 3])
def test_a_step_of_a_batch(threads: int) -> None:
    wanted = late_batch(1)
    actions = wanted.sample_actions()
    wanted.step(actions)
    assert len(wanted.finished) > 1
    undone = late_batch(1)
    undone.sample_actions()
    several = set()

    def make() -> Batch:
        batch = late_batch(threads)
        assert (batch.sample_actions() == actions).all()
        return batch

    for batch in everywhere(make, lambda batch: batch.step(actions)):
        made = (batch._lengths == wanted._lengths).sum()
        several.add(made)
        for row in range(batch.n):  # each has made the step, or has not
            assert batch.state(row) in (wanted.state(row), undone.state(row))
        if batch.rewards.any():
            assert (batch.rewards == wanted.rewards).all()
            assert (batch.finished == wanted.finished).all()
        goes_on(batch)
    assert {0, 16} <= several
    assert batch.rewards.any(), "the last of them was not interrupted"


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 3])
def test_random_play(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hexgames_env.core.batch._AT_ONCE", 64)
    for batch in everywhere(lambda: late_batch(threads), lambda batch: batch.play_random(10)):
        goes_on(batch)
    wanted = late_batch(1)
    wanted.play_random(10)
    twin = late_batch(threads)
    twin.play_random(10)
    assert (twin.action_mask == wanted.action_mask).all()


def test_random_play_counts_all_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = late_batch(1), late_batch(1)
    told = whole.play_random(200)
    assert told.games > 100
    monkeypatch.setattr("hexgames_env.core.batch._AT_ONCE", 16 * 7)
    assert parts.play_random(200) == told


def test_a_long_call_can_be_interrupted() -> None:
    code = """
import signal, sys, time
from hexgames_env import Batch, make_game
batch = Batch(make_game("gipf"), 64, seed=1)
batch.play_random(1)
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    batch.play_random(10**15)
except KeyboardInterrupt:
    batch.step(batch.sample_actions())
    print("goes on")
"""
    assert run(code)[0] == ["goes on"]


SIGNALS = """
import signal, sys
from hexgames_env import Batch, make_game
game = make_game("strands", layout=[3, 3, 3, 2, 1, 2, 2])
threads = int(sys.argv[1])
warm = Batch(game, 16, seed=5, threads=threads)
warm.step(warm.sample_actions())
signal.signal(signal.SIGALRM, signal.default_int_handler)
for trial in range(400):
    batch = Batch(game, 16, seed=trial, threads=threads)
    batch.sample_actions()  # which starts the threads
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001 + 0.000013 * trial)
        while True:
            batch.step(batch.sample_actions())
    except KeyboardInterrupt:
        pass
    assert batch.action_mask.any(axis=1).all()
    for _ in range(3):
        batch.step(batch.sample_actions())
print("all went on")
"""


@pytest.mark.long
@pytest.mark.parametrize("threads", ["1", "3"])
def test_signals_while_a_batch_steps(threads: str) -> None:
    """The same by real signals, which also come inside what Python itself provides for threads."""
    assert finish(start(SIGNALS, threads), timeout=60)[0] == ["all went on"]


def test_threads_end_with_their_batch() -> None:
    before = threading.active_count()
    batch = late_batch(4)
    batch.step(batch.sample_actions())
    assert threading.active_count() == before + 3
    del batch
    deadline = time.monotonic() + 20
    while threading.active_count() > before:
        assert time.monotonic() < deadline, "threads are left"
        time.sleep(0.01)


@pytest.mark.parametrize(
    "opponent",
    ["random", "greedy", lambda state, rng: state.legal_actions()[0]],
    ids=["random", "greedy", "own"],
)
def test_a_vector_env_goes_on_or_says_what_to_do(opponent: Any) -> None:
    def make() -> Any:
        envs = make_vector("strands", 8, opponent, layout=[3, 3, 3, 2, 1, 2, 2])
        envs.reset(seed=3)
        for _ in range(4):
            envs.step(envs.action_masks().argmax(axis=1))
        return envs

    def one_step(envs: Any) -> None:
        envs.step(envs.action_masks().argmax(axis=1))

    told = 0
    for call in (one_step, lambda envs: envs.reset(seed=4), lambda envs: envs.reset()):
        for envs in everywhere(make, call, stride=5):
            for _ in range(6):
                try:
                    one_step(envs)
                except NotResetError as error:
                    told += "call reset() before" in str(error)
                    envs.reset(seed=9)
            planes = envs.step(envs.action_masks().argmax(axis=1))[0]["observation"]
            assert (planes[..., 1] == planes[..., 0]).all(), "a learner is not to act"
    assert told > 10


@pytest.mark.parametrize("can_start", [0, 2])
def test_a_thread_that_can_not_be_started_changes_nothing(
    can_start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch, twin = late_batch(8), late_batch(1)
    actions = batch.sample_actions()  # with threads, so these must be made anew
    assert (actions == twin.sample_actions()).all()
    batch = batch.copy()
    really_start, started = threading.Thread.start, 0

    def refusing(thread: threading.Thread) -> None:
        nonlocal started
        if started == can_start:
            raise RuntimeError("can't start new thread")
        started += 1
        really_start(thread)

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refusing)
        for call in (lambda: batch.step(actions), lambda: batch.play_random(3)):
            started = 0
            with pytest.raises(RuntimeError, match=f"only {can_start + 1} of 8 threads can run"):
                call()
            assert (batch.action_mask == twin.action_mask).all()
            assert (batch.lengths == twin.lengths).all()
    batch.step(actions)
    twin.step(actions)
    assert (batch.action_mask == twin.action_mask).all() and (batch.rewards == twin.rewards).all()
