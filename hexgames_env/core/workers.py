"""Threads that run compiled loops side by side, and survive Ctrl-C at any moment.

Not `concurrent.futures`: an interruption inside its locks, which are Python code, leaves them
locked, and whoever waits for the threads then waits for ever.  The queues here are C code, which
is interrupted before or after what it does.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from queue import SimpleQueue
from threading import Thread
from typing import Any

Task = Callable[[], Any]


def processors() -> int:
    """How many threads of this process can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Crew:
    """Runs compiled loops over rows, in a chunk for each of ``threads`` threads.

    The threads are started when they are first needed.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._workers: Workers | None = None

    def run(self, loop: Callable[..., Any], rows: Any, *arguments: Any) -> list[Any]:
        """What ``loop(rows, *arguments, lo, hi)`` returns for each chunk lo to hi - 1.

        Raises:
            RuntimeError: the threads can't all be started; nothing has been run then.
        """
        if self.threads == 1:
            return [loop(rows, *arguments, 0, len(rows))]
        bounds = pairwise([*self.starts(len(rows)), len(rows)])
        own, *others = [partial(loop, rows, *arguments, lo, hi) for lo, hi in bounds]
        workers = self._workers
        if workers is None or not workers.fit(len(others)):
            workers = Workers(len(others))
        self._workers = None  # if an exception ends this, the threads have ended
        answers = workers.run(own, others)
        self._workers = workers
        return answers

    def starts(self, n: int) -> list[int]:
        """The first row of each thread's chunk of ``n`` rows."""
        return [n * k // self.threads for k in range(self.threads)]


class Workers:
    """``n`` threads, all of them running, so that no step finds out halfway that one is missing.

    Raises:
        RuntimeError: they can't all be started; none is left then.
    """

    def __init__(self, n: int) -> None:
        self._tasks: list[SimpleQueue[Task | None]] = [SimpleQueue() for _ in range(n)]
        self._answers: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()
        self._ended = [True] * n
        self._process = os.getpid()  # threads do not survive a fork
        weakref.finalize(self, _send_home, self._tasks)
        started = 0
        try:
            for started in range(n):
                queues = self._tasks[started], self._answers
                self._ended[started] = False
                thread = Thread(target=_work, args=(started, *queues, self._ended), daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    self._ended[started] = True
                    raise
        except RuntimeError as error:
            self.stop()
            raise RuntimeError(
                f"only {started + 1} of {n + 1} threads can run at once here ({error}): make the "
                "batch with fewer, or allow this process more.  Nothing has changed"
            ) from error

    def fit(self, n: int) -> bool:
        """Whether they are ``n``, and of this process."""
        return len(self._tasks) == n and self._process == os.getpid()

    def run(self, own: Task, others: Sequence[Task]) -> list[Any]:
        """What the tasks return: ``own``, which is done here, then the others', one a thread.

        Whatever exception ends this, no task runs any more then; but the threads have ended too.
        """
        found: list[Any] = [None] * len(others)
        try:
            for tasks, task in zip(self._tasks, others, strict=False):
                tasks.put(task)
            first = own()
            for _ in others:
                k, answer, error = self._answers.get()
                if error is not None:
                    raise error
                found[k] = answer
        except BaseException:
            self.stop()
            raise
        return [first, *found]

    def stop(self) -> None:
        """Return when no thread runs any more: each ends what it has been given, which is soon."""
        while not all(self._ended):
            with suppress(KeyboardInterrupt):
                _send_home(self._tasks)
                time.sleep(0.0005)


def _work(k: int, tasks: Any, answers: Any, ended: list[bool]) -> None:
    while (task := tasks.get()) is not None:
        try:
            answers.put((k, task(), None))
        except BaseException as error:
            answers.put((k, None, error))
    ended[k] = True


def _send_home(tasks: Sequence[SimpleQueue[Task | None]]) -> None:
    for queue in tasks:
        queue.put(None)
