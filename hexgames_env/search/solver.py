"""`solve`: who wins a position, and in how many steps, proven."""

from __future__ import annotations

import json
import os
import threading
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.loops import identify
from hexgames_env.core.options import as_integer, shown
from hexgames_env.core.settings import check_flag
from hexgames_env.core.state import State
from hexgames_env.engine.cache import fingerprint
from hexgames_env.engine.jit import is_compiled
from hexgames_env.engine.status_word import OVER, PLAYER, WINNER
from hexgames_env.errors import OptionError
from hexgames_env.records.whole import naming, replacing
from hexgames_env.search import proof
from hexgames_env.search.arrays import physical_memory
from hexgames_env.search.images import images_of
from hexgames_env.search.proof import BIAS, BOUNDS, NOW, PLY, ROOM, STORED
from hexgames_env.search.session import SLICE, check_state
from hexgames_env.search.settings import as_float
from hexgames_env.search.solution import FULL, SOLVED, STOPPED, UNDECIDED, Solution, Value

MEMORY = 256  # MiB
MOST_MEMORY = 1 << 20
LONGEST = 500  # steps to look ahead if nothing else is said: games that can be solved have fewer
MOST_WITHIN = 4000
FEWEST = 1024  # slots
FEW = 8  # positions of the first slice
FORM = 1  # of files

Progress = Callable[["Solver"], object]


def solve(
    state: State,
    within: int | None = None,
    memory: int = MEMORY,
    *,
    distances: bool = True,
    actions: bool = True,
    symmetries: bool = True,
    progress: Progress | None = None,
) -> Solution:
    """Who wins this position, and in how many steps: `Solver` tells what the arguments are.

    >>> from hexgames_env import make_game
    >>> found = solve(make_game("oust", side=2).initial_state())
    >>> found.winner, found.distance
    (1, 4)
    """
    solver = Solver(
        state, within, memory, distances=distances, actions=actions, symmetries=symmetries
    )
    return solver.solve(progress)


class Images(NamedTuple):
    """A position that runs, turned in all ways: rows, and who acts."""

    rows: NDArray[Any]
    actor: int


class End(Exception):
    """The search ends before all is known: why."""


class Solver:
    """Proves who wins a position, and goes on where it was interrupted.

    It searches depth-first all that matters, and remembers each position that it looked into, those
    that are alike up to a symmetry of the rules as one.  Answers are exact: positions are told
    apart by all that they are, and nothing is guessed.  What is proven stays when a search ends, by
    Ctrl-C, by `stop`, or for want of room: `solve` goes on, and `save` and `load` carry it to
    another process, or to one with more memory.

    The value of a position is who wins, and the number of steps to the end, those of both players,
    if the winner plays for the earliest end and the loser for the latest.

    Args:
        state: a game that runs; a copy is kept.
        within: how many steps to look ahead.  What nobody can win within so many is undecided, as
            most of GIPF, whose games can go on for ever.  None is 500.
        memory: MiB at most, for the table of positions and all else that is needed.
        distances: whether distances are found exactly, or only who wins, in a fraction of the time.
        actions: whether each legal action is valued, or only the position.
        symmetries: whether positions are taken for one that are alike up to a symmetry.

    Raises:
        TypeError: it is no `State`.
        GameOverError: the game has ended.
        OptionError: a setting that is not as it should be, or memory that is not there.

    >>> from hexgames_env import make_game
    >>> solver = Solver(make_game("oust", side=2).initial_state())
    >>> print(solver.solve().to_string())  # doctest: +ELLIPSIS
    oust side=2 pie_rule=true board=../.../.. to_play=0 winner=none
    White (player_1) wins in 4 steps
      White wins in 4 steps: a1 a2 b1 b2 b3 c1 c2
    line: a1 swap a2 b1
    15 positions stored, ... s of processor time
    """

    def __init__(
        self,
        state: State,
        within: int | None = None,
        memory: int = MEMORY,
        *,
        distances: bool = True,
        actions: bool = True,
        symmetries: bool = True,
    ) -> None:
        self._state = check_state(state).copy()
        self._within = LONGEST if within is None else _check("within", within, MOST_WITHIN)
        self._memory = _check("memory", memory, MOST_MEMORY)
        self._distances = bool(check_flag("distances", distances))
        self._actions = bool(check_flag("actions", actions))
        turned = images_of(self._state) if check_flag("symmetries", symmetries) else []
        images = turned or [(self._state, np.arange(state.game.num_actions))]
        rows = np.concatenate([image.to_row() for image, _ in images])
        self._root = Images(rows, self._state.to_play)
        self._maps = np.stack([actions for _, actions in images])
        self._make_arrays()
        game = self._state.game
        self._prove, self._enter = game.compiled(proof.prove), game.compiled(proof.enter)
        self._follow = game.compiled(proof.follow)
        self._lock = threading.RLock()
        self._stopped = False
        self._asked = ""
        self._question = -1, 0
        self._seconds = 0.0
        self._tell: Progress | None = None
        self._every = self._told = 0.0

    def _make_arrays(self) -> None:
        game, images, plies = self._state.game, len(self._maps), self._within + 2
        row = self._root.rows[:1]
        words = int(game.compiled(identify)(row, game.tables, np.zeros(row.nbytes // 8, np.uint64)))
        stack = plies * (images * game.row_bytes + 8 * proof.FRAME)
        stack += plies * game.num_actions * 8 * (3 + words)
        slot = 8 * (1 + words)
        slots = ((self._memory << 20) - stack) // slot
        if slots < FEWEST:
            least = (stack + FEWEST * slot >> 20) + 1
            raise OptionError(
                f"memory must be {least} MiB or more to look {self._within} steps ahead in "
                f"{game.to_string()}, got {self._memory}"
            )
        by_child = plies, game.num_actions
        try:
            if self._memory << 20 > physical_memory():
                raise MemoryError
            self._table = np.zeros((slots, 1 + words), np.uint64)  # taken when it is written to
            self._rows = np.empty((plies * images, *game.row_shape[1:]), game.row_dtype)
            self._frames = np.empty((plies, proof.FRAME), np.int64)
            self._children = (
                *(np.empty(by_child, np.int64), np.empty(by_child, np.int64)),
                *(np.empty(by_child, np.float64), np.empty((*by_child, words), np.uint64)),
            )
        except (MemoryError, ValueError):
            raise OptionError(
                f"memory={self._memory} MiB is more than there is room for: take less"
            ) from None
        self._one, self._key = np.empty(words, np.uint64), np.empty((1, 1, words), np.uint64)
        self._where = np.zeros(proof.MARKS, np.int64)
        self._where[PLY], self._where[ROOM] = -1, slots * 3 // 4  # a fuller table is slower

    # What is known

    @property
    def state(self) -> State:
        """The position that is solved; a copy."""
        return self._state.copy()

    @property
    def positions(self) -> int:
        """How many positions are stored."""
        return int(self._where[STORED])

    @property
    def room(self) -> int:
        """How many positions there is room for."""
        return int(self._where[ROOM])

    @property
    def asked(self) -> str:
        """What is being found out now, in a few words; "" while nothing is."""
        return self._asked

    def stop(self) -> None:
        """End the search that runs now, very soon, from any thread or from ``progress``."""
        self._stopped = True

    # What is asked

    def solve(self, progress: Progress | None = None, every: float = 0.25) -> Solution:
        """Go on until all is known that can be, there is no room, or `stop` is called.

        Ctrl-C, or whatever else ends it, loses nothing: the next call goes on.

        Args:
            progress: is called now and then with this solver.  What it raises ends the search.
            every: seconds between two such calls, at least.

        Raises:
            OptionError: ``every`` is no number from 0 on.
        """
        if not as_float(every) >= 0:
            raise OptionError(f"every must be a number of seconds from 0 on, got {shown(every)}")
        with self._lock:
            self.compile()
            begun, self._told = time.thread_time(), time.perf_counter()
            self._tell, self._every, self._stopped = progress, float(every), False
            try:
                found = self._find()
            finally:
                self._asked = ""
                self._seconds += time.thread_time() - begun
            return replace(found, seconds=self._seconds)

    def compile(self) -> None:
        """Compile all that is needed, so that no clock runs meanwhile."""
        with self._lock:
            self._step(self._root, self._state.legal_actions()[0])
            self._bounds(self._root)
            self._search(0)

    def _find(self) -> Solution:
        state = self._state
        value, ended = Value(None, 1, None), SOLVED
        values: dict[int, Value] = {}
        line: list[int] = []
        try:
            value = self._settle(self._root, self._within)
            if value.winner is None:
                ended = UNDECIDED
            if self._actions:
                legal = state.legal_actions()
                for k, action in enumerate(legal):
                    name = state.action_to_string(action)
                    values[action] = self._value_after(action, f"{name} ({k + 1}/{len(legal)}): ")
            if self._distances and value.winner is not None:
                self._find_line(value.winner, value.least, line)
        except End as end:
            ended = str(end)
            value = _value(*self._bounds(self._root))
        return Solution(
            state=self.state,
            value=value,
            values=values,
            line=tuple(line),
            ended=ended,
            within=self._within,
            positions=self.positions,
            seconds=0.0,
        )

    def _value_after(self, action: int, what: str) -> Value:
        after, winner = self._step(self._root, action)
        if winner is not None:
            return Value(winner, 1, 1)
        found = self._settle(after, self._within - 1, what)
        most = None if found.most is None else found.most + 1
        return Value(found.winner, found.least + 1, most)

    def _settle(self, images: Images, within: int, what: str = "") -> Value:
        """Ask until it is known who wins, and if wanted in how many steps; or not within so many.

        Short wins are looked for first, of either player: that takes little where there are none.
        """
        lower, upper = self._bounds(images)
        while True:
            value = _value(lower, upper)
            if value.winner is None:
                if value.least > within:
                    return value
                failed = NOW - 1 - upper, NOW - 1 + lower  # within so many steps a player can't win
                player = int(failed[1] < failed[0])
                steps = min(_deeper(failed[player]), within)
            elif self._distances and value.distance is None:
                player, steps = value.winner, _between(value.least, value.most)
            else:
                return value
            self._asked = f"{what}player_{player} within {steps}"
            lower, upper = self._ask(images, _winning(player, steps))

    def _find_line(self, winner: int, left: int, line: list[int]) -> None:
        """Append the actions that both play from the root to the end, ``left`` steps.

        The winner takes what wins within the steps that are left, the loser what does not lose
        within fewer.
        """
        state, images = self.state, self._root
        self._asked = "line"
        while left > 0:
            left -= 1
            keeps = state.to_play == winner
            target = _winning(winner, left if keeps else left - 1)
            at_least = keeps == (winner == 0)
            after = [(action, *self._step(images, action)) for action in state.legal_actions()]
            action, images = self._first(after, target, at_least)
            state.step(action)
            line.append(action)

    def _first(
        self, after: list[tuple[int, Images, int | None]], target: int, at_least: bool
    ) -> tuple[int, Images]:
        """The first of some positions that is worth ``target`` or more, or that is not.

        The search that valued the position before them has left it in the table; if that came from
        a file, perhaps only one that is alike up to a symmetry.
        """
        for asks in (False, True):
            for action, images, winner in after:
                lower = upper = NOW if winner == 0 else -NOW
                if winner is None:
                    lower, upper = self._ask(images, target) if asks else self._bounds(images)
                if lower >= target if at_least else upper < target:
                    return action, images
        raise AssertionError("a position is worth what its best action is")

    # Compiled code

    def _step(self, images: Images, action: int) -> tuple[Images, int | None]:
        """What an action leads to, and who has won there, None if the game runs."""
        rows = images.rows.copy()
        now = self._follow(rows, self._state.game.tables, self._maps, action)
        return Images(rows, now & PLAYER), now >> WINNER & 1 if now & OVER else None

    def _slot(self, images: Images, stores: bool) -> int:
        """Where a position is in the table, -1 if it is not there."""
        slot = self._enter(
            *(images.rows, self._state.game.tables, len(self._maps), self._table, self._where),
            *(self._key, self._one, stores),
        )
        return int(slot)

    def _bounds(self, images: Images) -> tuple[int, int]:
        """What is known of a position's value."""
        return self._bounds_in(self._slot(images, False))

    def _bounds_in(self, slot: int) -> tuple[int, int]:
        if slot < 0:
            return 1 - NOW, NOW - 1
        head = int(self._table[slot, BOUNDS])
        return (head & 0xFFFF) - BIAS, (head >> 16 & 0xFFFF) - BIAS

    def _ask(self, images: Images, target: int) -> tuple[int, int]:
        """Bounds of a position's value that tell whether it is ``target`` or more."""
        slot = self._slot(images, True)
        if slot < 0:
            raise End(FULL)
        lower, upper = self._bounds_in(slot)
        if lower < target <= upper:
            if self._where[PLY] < 0 or self._question != (slot, target):
                self._where[PLY] = -1
                frame = self._frames[0]
                frame[proof.NEXT], frame[proof.SLOT], frame[proof.ACTOR] = -1, slot, images.actor
                frame[proof.TARGET] = target if images.actor == 0 else 1 - target
                self._rows[: len(self._maps)] = images.rows
                self._question = slot, target
                self._where[PLY] = 0
            self._answer()  # goes on, if it was asked before
            lower, upper = self._bounds_in(slot)
        return lower, upper

    def _answer(self) -> None:
        """Search, in slices of compiled code, until the question is answered."""
        wanted = FEW
        while self._where[PLY] >= 0:
            before = time.perf_counter()
            if not self._search(wanted):
                raise End(FULL)
            now = time.perf_counter()
            if self._tell is not None and now - self._told >= self._every:
                self._tell(self)
                self._told = time.perf_counter()
            if self._stopped:
                raise End(STOPPED)
            wanted = max(1, int(wanted * min(SLICE / max(now - before, 1e-7), 4.0)))

    def _search(self, positions: int) -> bool:
        """Look into so many positions; False if there is no room for one more."""
        self._where[proof.LACKS] = 0
        self._prove(
            *(self._rows, self._state.game.tables, self._maps, self._table, self._where),
            *(self._frames, *self._children, self._one, positions),
        )
        return not self._where[proof.LACKS]

    # Files

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write all positions that are known, for `load`: the file whole, or not at all.

        Raises:
            OSError: it can't be written.
        """
        with self._lock:
            kept = self._table[self._table[:, BOUNDS] != 0]
            about = {
                "form": FORM,
                "position": self._state.to_string(),
                "rules": self._rules(),
                "seconds": self._seconds,
            }
        with replacing(file) as new, new.open("wb") as opened:
            np.savez(opened, about=np.array(json.dumps(about)), positions=kept)

    def load(self, file: str | os.PathLike[str]) -> None:
        """Take over what `save` has written, in a search of this game from whatever position.

        Raises:
            OptionError: it is no such file, damaged, of another game or other rules, or holds more
                than there is room for.
            OSError: it can't be read.
        """
        name = os.fspath(file)
        try:
            with naming(name), open(name, "rb") as opened:
                found = np.load(opened, allow_pickle=False)
                about = json.loads(str(found["about"]))
                kept = found["positions"]
                form, position = about["form"], State.from_string(about["position"])
                rules, seconds = about["rules"], float(about["seconds"])
        except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            what = f"{type(error).__name__}: {error}"
            raise OptionError(f"{name} is no file of solve, or it is damaged: {what}") from None
        game = self._state.game
        if form != FORM or position.game != game:
            of = f"is of form {form}" if form != FORM else f"is of {position.game.to_string()}"
            raise OptionError(f"{name} {of}, and {game.to_string()} in form {FORM} is solved here")
        if rules != self._rules():
            raise OptionError(
                f"{name} was written by another version of hexgames_env, or of the game: what is "
                "known by its rules does not count here"
            )
        if kept.dtype != np.uint64 or kept.shape[1:] != self._table.shape[1:]:
            raise OptionError(f"{name} is damaged: its positions are {kept.dtype} {kept.shape}")
        with self._lock:
            if self.positions + len(kept) > self.room:
                raise OptionError(
                    f"{name} holds {len(kept):,} positions, and memory={self._memory} has room for "
                    f"{self.room:,}: give more"
                )
            proof.refill(self._table, self._where, np.ascontiguousarray(kept))
            self._seconds += seconds

    def _rules(self) -> str:
        """A hash of all that is compiled here, the game's kernels too."""
        return fingerprint(self._prove) if is_compiled(self._prove) else "not compiled"


def _check(name: str, value: object, most: int) -> int:
    number = as_integer(value)
    if number is None or not 1 <= number <= most:
        raise OptionError(f"{name} must be an integer from 1 to {most}, got {shown(value)}")
    return number


def _value(lower: int, upper: int) -> Value:
    """What bounds in the table say."""
    if lower > 0:
        return Value(0, NOW - upper, NOW - lower)
    if upper < 0:
        return Value(1, NOW + lower, NOW + upper)
    return Value(None, min(NOW - upper, NOW + lower), None)


def _winning(player: int, steps: int) -> int:
    """The target that asks whether a player wins within so many steps: of player_1, not."""
    return NOW - steps if player == 0 else 1 - (NOW - steps)


def _deeper(steps: int) -> int:
    """How far to look ahead when nobody wins within so many steps."""
    return 2 * steps + 1


def _between(least: int, most: int | None) -> int:
    """Which distance to ask for next, of those that are possible."""
    return (least + (least if most is None else most)) // 2
