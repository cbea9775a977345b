"""Playing the games of an arena, on any executor, and going on where one was stopped."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from itertools import chain
from typing import Any

from hexgames_env.arena.plan import Arena, Fixture
from hexgames_env.arena.results import Key, Results
from hexgames_env.arena.sprt import Sprt
from hexgames_env.arena.table import Table
from hexgames_env.bots import make_bot
from hexgames_env.core.settings import check_count
from hexgames_env.core.workers import processors
from hexgames_env.errors import OptionError
from hexgames_env.records import Record

AHEAD = 4  # games for each worker that are handed to an executor before one is needed
Told = Callable[[int, int, Record], None]


class InTurn(Executor):
    """Plays one game after the other, in this very process.

    >>> with InTurn() as executor:
    ...     executor.submit(sum, [1, 2]).result()
    3
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call it at once; what it raises is the future's."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def run(
    arena: Arena,
    path: str | os.PathLike[str] | None = None,
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    sprt: Sprt | None = None,
    told: Told | None = None,
) -> Table:
    """Play what is still to be played of an arena, and tell how it has ended.

    Args:
        arena: the plan.
        path: a file of records, ``.hgn`` or ``.jsonl``, that gets each game as soon as it has been
            played.  What is there is not played again, and a game that broke off there is.  None
            keeps no games.
        executor: who plays, such as a pool of threads, or `InTurn`; it is not shut down.  None
            takes processes that are started for it: the script that calls this needs
            ``if __name__ == "__main__":``, and bots of one's own are named as module:callable.
        workers: how many processes, or how many games an executor is busy with; None is the number
            of processors that this process may use.
        sprt: stop when this test has its answer on whether the first of two bots is better.
        told: called with the number of games that have been played, of all, and the last one.

    Returns:
        The table of all games; with ``sprt`` of those that it has looked at.

    Raises:
        OptionError: an argument is invalid, or a bot fails to give an action.
        RecordError: the file is one of another arena.
        OSError: it can't be read or written.
        concurrent.futures.BrokenExecutor: a process of the executor was killed.

    >>> arena = Arena("oust side=3", ["random", "greedy"], games=20, seed=1)
    >>> table = run(arena, executor=InTurn())
    >>> table.games[1][0], table.points[1][0]
    (20, 20.0)
    """
    count = check_count("workers", processors() if workers is None else workers)
    if sprt is not None and len(arena.bots) != 2:
        raise OptionError(f"sprt compares two bots, got {len(arena.bots)}")
    with nullcontext() if path is None else Results(path, arena) as results:
        played: dict[Key, Record] = dict(results.games) if results else {}
        todo = (fixture for fixture in arena.fixtures() if fixture.key not in played)
        answer = _Answer(arena, sprt, played)
        first = next(todo, None)
        if first is not None and not answer.is_there:
            needed = min(count, len(arena) - len(played))
            with _processes(needed) if executor is None else nullcontext(executor) as pool:
                if executor is None:
                    _check_in_process(pool, arena.bots)
                goes_on = executor is not None
                for record in _played(chain([first], todo), pool, count * AHEAD, goes_on):
                    key = arena.check(record)
                    played[key] = record
                    if results:
                        results.add(record)
                    if told is not None:
                        told(len(played), len(arena), record)
                    if answer.is_there:
                        break
    return answer.table()


class _Answer:
    """What the games played so far say, in the order of the plan and not in that of their ends."""

    def __init__(self, arena: Arena, sprt: Sprt | None, played: dict[Key, Record]) -> None:
        self._arena, self._sprt, self._played = arena, sprt, played
        self._points: list[float] = []  # of the first bot, by opening

    @property
    def is_there(self) -> bool:
        """Whether no more games are needed, of those that are not played yet."""
        return self._sprt is not None and self._answer()[0] is not None

    def _answer(self) -> tuple[bool | None, int]:
        assert self._sprt is not None
        one, other = self._arena.bots
        for number in range(len(self._points), self._arena.games // 2):
            games = [self._played.get(key) for key in ((one, other, number), (other, one, number))]
            if games[0] is None or games[1] is None:
                break
            points = (_points_of(game, seat) for seat, game in enumerate(games) if game)
            self._points.append(sum(points))
        return self._sprt.answer(self._points)

    def table(self) -> Table:
        if self._sprt is None:
            return Table.from_records(self._played.values(), self._arena.bots)
        is_better, openings = self._answer()
        seen = [record for key, record in self._played.items() if key[2] < openings]
        return Table.from_records(seen, self._arena.bots, test=(self._sprt, is_better))


def _points_of(record: Record, seat: int) -> float:
    return 0.5 if record.winner is None else float(record.winner == seat)


def _check_in_process(pool: Executor, bots: tuple[str, ...]) -> None:
    """OptionError if a bot is known in this process only."""
    try:
        pool.submit(_make_all, bots).result()
    except OptionError as error:
        raise OptionError(
            f"{error} (in another process: there, a bot that was registered is not known, and "
            "module:callable is)"
        ) from None


def _make_all(bots: tuple[str, ...]) -> None:
    for bot in bots:
        make_bot(bot)


def _play(fixture: Fixture) -> Record:
    return fixture.play()


def _played(todo: Iterator[Fixture], pool: Executor, ahead: int, goes_on: bool) -> Iterator[Record]:
    """The games as they end; no more than so many are handed out at a time.

    Where the pool goes on afterwards, those that it has not begun are taken back.  One whose
    processes are ended trips over games that were.
    """
    running: list[Future[Record]] = []
    try:
        while True:
            for fixture in todo:
                running.append(pool.submit(_play, fixture))
                if len(running) >= ahead or running[-1].done():
                    break
            if not running:
                return
            ended, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in [future for future in running if future in ended]:
                running.remove(future)
                yield future.result()
    finally:
        if goes_on:
            for future in running:
                future.cancel()


# Processes


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    """Processes that end with the block, and with this process where it is killed."""
    context = multiprocessing.get_context("spawn")
    listening, leash = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, _begin_to_work, (listening,))
    try:
        yield pool
    finally:
        leash.close()  # games that still go on are wanted no more
        pool.shutdown()
        listening.close()


def _begin_to_work(listening: Any) -> None:
    """Leave Ctrl-C to the process that has started this one, and end when it does.

    A process of a pool whose owner was killed waits for ever, else.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(listening,), daemon=True).start()


def _end_with(listening: Any) -> None:
    try:
        listening.recv_bytes()
    except (EOFError, OSError):
        os.kill(os.getpid(), signal.SIGKILL)
