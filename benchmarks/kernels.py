"""Every figure that stands in a comment of the package, measured.

    python benchmarks/kernels.py                # all of them
    python benchmarks/kernels.py --only rive    # one group
    python benchmarks/kernels.py --save         # keep them in the ledger
    python benchmarks/kernels.py --comments     # write the ledger's figures into the comments
    python benchmarks/kernels.py --check        # measure nothing: do comments and ledger agree?

The ledger, benchmarks/results/kernels.json, has a line for each comment with figures: what stands
there, median, least and greatest of what was measured, machine, command and date.  A comment's
figure that has no line is a mistake, and so is a line that no comment has.

What a comment compares with, and is no part of the package, is kept here: as a change of the text
of a game's module, which is compiled beside the true one.
"""

from __future__ import annotations

import argparse
import ast
import io
import random
import re
import sys
import time
import tokenize
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
from common import (
    RESULTS,
    ROUNDS,
    Loop,
    Spread,
    add_isa,
    describe,
    hold_to,
    interleave,
    progress,
    read,
    record,
    timed,
    write,
)
from numba import njit

from hexgames_env import Batch, Game, make_game
from hexgames_env.core.registry import game_class
from hexgames_env.engine import below, jit, kernel, next_random
from hexgames_env.engine import rows as engine_rows
from hexgames_env.games.gipf import kernels as gipf
from hexgames_env.games.oust import kernels as oust
from hexgames_env.games.rive import kernels as rive
from hexgames_env.games.strands import kernels as strands

PACKAGE = Path(jit.__file__).parent.parent
FILE = RESULTS / "kernels.json"
SECONDS = 0.1
ROWS, TIMES = 64, 50
WARM_UP = 2000  # steps, by which rows that began together have drifted apart

Seconds = dict[str, list[float]]
"""Seconds a step of each loop, by the round."""


@dataclass(frozen=True)
class Figure:
    """Figures of one comment.

    Attributes:
        file: where it stands, in the package.
        text: the words, with {} for each figure.
        values: how each figure comes from the times of the group's loops, by the round.
    """

    file: str
    text: str
    values: tuple[Callable[[Seconds], list[float]], ...]


@dataclass(frozen=True)
class Group:
    """Loops that take turns, and the comments that their times are for."""

    loops: dict[str, Loop]
    figures: list[Figure]


# From times to figures


def ns(loop: str, less: str | None = None, unit: float = 1e9) -> Callable[[Seconds], list[float]]:
    """Nanoseconds a step, or how many more than those of another loop."""

    def value(seconds: Seconds) -> list[float]:
        others = seconds[less] if less else [0.0] * len(seconds[loop])
        return [(a - b) * unit for a, b in zip(seconds[loop], others, strict=True)]

    return value


def us(loop: str, less: str | None = None) -> Callable[[Seconds], list[float]]:
    return ns(loop, less, 1e6)


def ms(loop: str, less: str | None = None) -> Callable[[Seconds], list[float]]:
    return ns(loop, less, 1e3)


def millions(loop: str) -> Callable[[Seconds], list[float]]:
    """Million steps a second."""
    return lambda seconds: [1e-6 / a for a in seconds[loop]]


def times(loop: str, of: str) -> Callable[[Seconds], list[float]]:
    """How many times as long as another loop."""
    return lambda seconds: [a / b for a, b in zip(seconds[loop], seconds[of], strict=True)]


def percent_faster(loop: str, than: str) -> Callable[[Seconds], list[float]]:
    def value(seconds: Seconds) -> list[float]:
        pairs = zip(seconds[loop], seconds[than], strict=True)
        return [(slow / fast - 1) * 100 for fast, slow in pairs]

    return value


def known(figure: float) -> Callable[[Seconds], list[float]]:
    """What was counted, not timed."""
    return lambda seconds: [figure]


# Loops


class _Branching(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "pick":
            return ast.IfExp(*node.args)
        return node


@dataclass(frozen=True)
class Variant:
    """A module of a game, with other words in its text and with ``then`` behind it.

    With ``branching`` what `pick` does is done by a conditional expression.
    """

    game: str
    swap: Mapping[str, str] = field(default_factory=dict)
    then: str = ""
    branching: bool = False
    file: str = "kernels.py"

    def source(self) -> str:
        """The text; ValueError if the true one does not hold each of the words once."""
        path = PACKAGE / "games" / self.game / self.file
        text = path.read_text(encoding="utf-8")
        for old, new in self.swap.items():
            if text.count(old) != 1:
                raise ValueError(f"{path} does not hold {old!r} once")
            text = text.replace(old, new)
        if self.branching:
            text = ast.unparse(_Branching().visit(ast.parse(text)))
        return text + self.then

    def load(self) -> Any:
        """The module, beside the true one, with the game's class, whose kernels are these."""
        count = sum(name.startswith("_variant_") for name in sys.modules)
        name = f"_variant_{self.game}_{count}"
        module = ModuleType(name)
        sys.modules[name] = module
        code = compile(self.source(), f"<{name}>", "exec", dont_inherit=True)
        exec(code, module.__dict__)
        true = game_class(self.game)
        if not hasattr(module, true.__name__):  # it stands in another file
            setattr(module, true.__name__, type(true.__name__, (true,), {"__module__": name}))
        return module


def playing(game: Game) -> Loop:
    """Random play: mask, uniform choice and step."""
    batch = Batch(game, ROWS, seed=0)
    batch.play_random(WARM_UP)
    return timed(lambda: batch.play_random(100).steps)


def rows_of(game: Game, phase: int | None = None, rows: int = ROWS) -> Any:
    """Rows of running games; with ``phase`` only those in which this kind of action is due."""
    found: list[Any] = []
    batch = Batch(game, 256, seed=1)
    batch.play_random(WARM_UP)
    while sum(map(len, found)) < rows:
        batch.play_random(7)
        due = (batch._status >> 3) == phase if phase is not None else np.ones(256, np.bool_)
        found.append(batch._rows[due])
    return np.concatenate(found)[:rows]


def observing(observe: Any, game: Game, rows: Any) -> Loop:
    """`observe` of each row as its player to act sees it."""
    planes = np.empty((len(rows), *game.observation_shape), np.float32)
    views = np.zeros(len(rows), np.int64)

    @njit
    def run(rows: Any, tables: Any, views: Any, planes: Any) -> None:
        for _ in range(TIMES):
            for b in range(rows.shape[0]):
                observe(rows, b, tables, views[b], planes)

    return _run(run, rows, game.tables, views, planes)


def masking(mask: Any, game: Game, rows: Any) -> Loop:
    """`mask` of each row."""

    @njit
    def run(rows: Any, tables: Any) -> None:
        for _ in range(TIMES):
            for b in range(rows.shape[0]):
                mask(rows, b, tables)

    return _run(run, rows, game.tables)


def choosing(
    rows: Any, nth: Any = engine_rows.nth_legal, count: Any = engine_rows.count_legal
) -> Loop:
    """A uniform choice in each row, with its random number."""

    @njit
    def run(words: Any, random: Any, chosen: Any) -> None:
        for _ in range(TIMES):
            for b in range(words.shape[0]):
                legal = count(words, b)
                chosen[b] = nth(words, b, below(next_random(random, b), legal))

    return _run(run, rows.view(np.uint64), np.ones(len(rows), np.uint64), np.zeros(len(rows), int))


def _run(run: Any, rows: Any, *more: Any) -> Loop:
    run(rows, *more)  # compiled here

    def chunk() -> int:
        run(rows, *more)
        return TIMES * len(rows)

    return timed(chunk)


def calling(function: Callable[..., Any], *arguments: Any) -> Loop:
    """Calls from Python."""
    function(*arguments)

    def chunk() -> int:
        for _ in range(1000):
            function(*arguments)
        return 1000

    return timed(chunk)


# What the package does not do


STRANDS_END = """

@kernel
def step(rows, b, tables, action):
    b, action = np.uint64(b), np.uint64(action)
    left = ZERO
    if action != tables[FACTS, NUM_CELLS]:
        left = _cover_and_end(rows, b, tables, action)
    if (left == ZERO) & (rows[b, HEADER, OVER] == NO):
        _end_turn(rows, b)


@inlined
def _cover_and_end(rows, b, tables, action):
    left = _cover(rows, b, action)
    if (left == ZERO) & (rows[b, HEADER, NUM_EMPTY] == ZERO):
        end_game(rows, b, tables)
    return left
"""


GIPF_LINES = """

@inlined
def _lines(x, y, z):
    found = _0
    for line in range(_21):
        board = x if line < _7 else (y if line < _14 else z)
        if board & LINE_BOARDS[line]:
            found |= _1 << line
    return found
"""

GIPF_AT_ONCE = """\
        if not (_has_four(rows[b, STATE, WHITE]) | _has_four(rows[b, STATE, BLACK])):
            _end_turn(rows, b, player)
            return
"""

VARIANTS = {
    "oust, not rounded up": Variant(
        "oust",
        {"        span += -span % 64 if span % 64 > 8 else 0\n": ""},
        file="__init__.py",
    ),
    "oust, branching": Variant("oust", branching=True),
    "rive, branching": Variant("rive", branching=True),
    "rive, conditional": Variant(
        "rive",
        {
            "        old = rows[b, SIZE, at]": "        # ",
            "size if rows[b, LABEL, at] == label else old": (
                "size if rows[b, LABEL, at] == label else rows[b, SIZE, at]"
            ),
        },
    ),
    # The mask of removals without the casts that keep it in bytes
    "rive, wide": Variant(
        "rive",
        {
            **{
                f"np.uint8({sum_})": sum_
                for sum_ in (
                    "_byte(g0 & (not g1)) + _byte(g1 & (not g2))",
                    "_byte(g2 & (not g3)) + _byte(g3 & (not g4))",
                    "_byte(g4 & (not g5)) + _byte(g5 & (not g0))",
                    "_byte(g2 & (not g3)) + _byte(g3 | g4)",
                )
            },
            "np.uint8(np.uint8(arcs_01 + arcs_23) + arcs_45)": "arcs_01 + arcs_23 + arcs_45",
        },
    ),
    "strands, ending": Variant("strands", then=STRANDS_END),
    "strands, reshaped": Variant("strands", {"flat = planes.flat ": "flat = planes.reshape(-1) "}),
    "gipf, in turn": Variant("gipf", then=GIPF_LINES),
    "gipf, patient": Variant("gipf", {GIPF_AT_ONCE: ""}),
    **{
        f"{name}, called": Variant(name, {"    inlined,\n": "    inner as inlined,\n"})
        for name in ("rive", "gipf")
    },
}


# The groups


def calls() -> Group:
    """What it takes to call compiled code, and to compile it."""

    def nothing(a: Any, b: Any, c: Any) -> int:
        return 0

    a, b, c = np.zeros(8, np.int8), np.zeros(8, np.float32), np.zeros(8, np.uint64)
    frozen = a.copy()
    frozen.flags.writeable = False
    holding, giving = kernel(nothing, nogil=False), kernel(nothing)

    def compiling(**flags: Any) -> Loop:
        def chunk() -> int:
            njit(**flags)(lambda a, b, c: a[0]).compile((numba.typeof(a),) * 3)
            return 1

        return timed(chunk)

    loops = {
        "entry": calling(jit.entry(holding, a, b, c), a, b, c),
        "entry that gives the GIL back": calling(jit.entry(giving, a, b, c), a, b, c),
        "dispatcher": calling(holding, a, b, c),
        "dispatcher, read-only": calling(holding, frozen, b, c),
        "compiled": compiling(no_cfunc_wrapper=True),
        "compiled with a wrapper for C": compiling(),
        "flat": calling(lambda: np.empty(1040, np.int8)[:129]),
        "planes": calling(lambda: np.empty((1, 8, 130), np.int8)[0, 0, :129]),
    }
    state = make_game("rive").initial_state()
    loops["_look"] = calling(state.observation_and_mask, 0)

    def by_parts() -> Any:
        return {"observation": state.observation(state.to_play), "action_mask": state.action_mask()}

    loops["by parts"] = calling(by_parts)
    return Group(
        loops,
        [
            Figure(
                "engine/jit.py",
                "takes {} ns a call",
                (ns("entry that gives the GIL back", "entry"),),
            ),
            Figure(
                "engine/jit.py",
                "each wrapper takes {} ms",
                (ms("compiled with a wrapper for C", "compiled"),),
            ),
            Figure(
                "engine/jit.py",
                "types of the arguments, {} ns of the {} of a call with three arrays",
                (ns("dispatcher", "entry"), ns("dispatcher")),
            ),
            Figure(
                "core/game.py",
                "passing a read-only array to a kernel takes {} ns more",
                (ns("dispatcher, read-only", "dispatcher"),),
            ),
            Figure(
                "core/state.py",
                "makes and slices an array of one dimension {} us faster",
                (us("planes", "flat"),),
            ),
            Figure(
                "core/state.py",
                "to ask for both takes {} us more",
                (us("by parts", "_look"),),
            ),
        ],
    )


def choice() -> Group:
    """The choice among 140 actions, and the copy of a row."""
    rows = rows_of(make_game("gipf"))

    @njit
    def nth_byte(words: Any, b: Any, n: Any) -> Any:
        bytes_ = words.view(np.uint8)
        for action in range(bytes_.shape[2]):
            n -= np.int64(bytes_[b, 0, action])
            if n < 0:
                return action
        return -1

    @njit
    def count_bytes(words: Any, b: Any) -> Any:
        bytes_ = words.view(np.uint8)
        count = np.uint64(0)
        for action in range(bytes_.shape[2]):
            count += bytes_[b, 0, action]
        return count

    @njit
    def copy_slice(source: Any, a: Any, target: Any, b: Any) -> None:
        target[b] = source[a]

    def copying(copy: Any) -> Loop:
        words = rows.view(np.uint64)

        @njit
        def run(source: Any, target: Any) -> None:
            for _ in range(TIMES):
                for b in range(source.shape[0]):
                    copy(source, b, target, b)

        return _run(run, words, words.copy())

    return Group(
        {
            "words": choosing(rows),
            "bytes": choosing(rows, nth_byte, count_bytes),
            "copy_row": copying(engine_rows.copy_row),
            "slice": copying(copy_slice),
        },
        [
            Figure(
                "engine/rows.py",
                "count before it {} ns; a scan byte by byte {} ns",
                (ns("words"), ns("bytes")),
            ),
            Figure(
                "engine/rows.py", "a slice takes {} times as long", (times("slice", "copy_row"),)
            ),
        ],
    )


def oust_game() -> Group:
    game, small = make_game("oust"), make_game("oust", side=4)
    rows = rows_of(game)
    branching = VARIANTS["oust, branching"].load()
    return Group(
        {
            "play": playing(game),
            "play, branching": playing(branching.Oust()),
            "side 4": playing(small),
            "side 4, not rounded up": playing(VARIANTS["oust, not rounded up"].load().Oust(side=4)),
            "mask": masking(oust.mask, game, rows),
            "choice": choosing(rows),
            "observe": observing(oust.observe, game, rows),
        },
        [
            Figure(
                "games/oust/kernels.py",
                "AVX2 random play takes {} ns a step on side 7, {} on side 4",
                (ns("play"), ns("side 4")),
            ),
            Figure(
                "engine/rows.py",
                "a step of random play then takes {} ns instead of {} in Oust",
                (ns("play, branching"), ns("play")),
            ),
            Figure(
                "games/oust/kernels.py",
                "With AVX2 {} ns a board of side 7",
                (ns("observe"),),
            ),
        ],
    )


def rive_game() -> Group:
    game, larger, small = make_game("rive"), make_game("rive", side=9), make_game("rive", side=4)
    rows, placements, removals = rows_of(game), rows_of(game, 0), rows_of(game, 1, 1024)
    whole = np.array([_encloses_nothing(rows, b, game.tables) for rows, b in _each(removals)])
    whole_9 = np.array(
        [_encloses_nothing(rows, b, larger.tables) for rows, b in _each(rows_of(larger, 1, 1024))]
    )
    conditional = VARIANTS["rive, conditional"].load()
    return Group(
        {
            "play": playing(game),
            "play, branching": playing(VARIANTS["rive, branching"].load().Rive()),
            "side 9": playing(larger),
            "mask of placements": masking(rive.mask, game, placements),
            "mask of removals": masking(rive.mask, game, removals),
            "choice": choosing(rows),
            "pass": _pass(rive, game, int(game.tables[rive.SPAN])),
            "conditional pass": _pass(conditional, game, int(game.tables[rive.SPAN])),
            "side 4, rounded up": _pass(rive, small, 64),
            "side 4, not rounded up": _pass(rive, small, _span(small)),
            "removals without holes": masking(rive.mask, game, removals[whole]),
            "removals with holes": masking(rive.mask, game, removals[~whole]),
            "wide": masking(VARIANTS["rive, wide"].load().mask, game, removals[whole]),
            "observe": observing(rive.observe, game, rows),
        },
        [
            Figure(
                "games/rive/kernels.py",
                "(side 4: {} ns a pass, rounded up {} ns)",
                (ns("side 4, not rounded up"), ns("side 4, rounded up")),
            ),
            Figure(
                "games/rive/kernels.py",
                "Random play on side 5 takes {} ns a step, {} million a second on one core "
                "(side 9: {} million): mask {} (placements) or {} (removals), choice {}. "
                "A pass takes {} ns",
                (
                    *(ns("play"), millions("play"), millions("side 9")),
                    *(ns("mask of placements"), ns("mask of removals"), ns("choice"), ns("pass")),
                ),
            ),
            Figure(
                "engine/rows.py",
                "{} ns instead of {} in Rive",
                (ns("play, branching"), ns("play")),
            ),
            Figure(
                "games/rive/kernels.py",
                "read in any case: only in one it takes {} ns a pass, so {}",
                (ns("conditional pass"), ns("pass")),
            ),
            Figure(
                "games/rive/kernels.py",
                "play {} % of removals on side 5 have none, {} % on side 9. Without holes the "
                "mask takes {} ns on side 5, with holes {}",
                (
                    *(known(100 * whole.mean()), known(100 * whole_9.mean())),
                    *(ns("removals without holes"), ns("removals with holes")),
                ),
            ),
            Figure(
                "games/rive/kernels.py",
                "with 8 bytes each: a mask of {} ns instead of {}",
                (ns("wide"), ns("removals without holes")),
            ),
            Figure("games/rive/kernels.py", "With AVX2 {} ns a board of side 5", (ns("observe"),)),
        ],
    )


def _each(rows: Any) -> list[tuple[Any, int]]:
    return [(rows, b) for b in range(len(rows))]


@njit
def _encloses_nothing(rows: Any, b: Any, tables: Any) -> Any:
    """Whether the joined group of Rive's row b has no hole, as the game's own mask counts it."""
    b = np.uint64(b)
    label = rows[b, rive.HEADER, rive.PLACED]
    size = rows[b, rive.SIZE, tables[rive.PLACE + np.uint64(label) - np.uint64(1)]]
    links = rive._mark_single_arcs(rows, b, tables[rive.PITCH], tables[rive.SPAN], label)
    return np.uint8(links + 1) == size


def _span(game: Game) -> int:
    """Places from the first cell to the last, not rounded up."""
    return int(game.board.padded[-1] - game.board.padded[0] + 1)


def _pass(module: ModuleType, game: Game, span: int) -> Loop:
    """One pass over the board: `_set_size` of Rive."""
    set_size, pitch = module._set_size, np.uint64(game.board.pitch)
    whole = np.uint64(span)

    @njit
    def run(rows: Any, span: Any, pitch: Any) -> None:
        for _ in range(TIMES):
            for b in range(rows.shape[0]):
                set_size(rows, np.uint64(b), pitch, span, np.uint8(1), np.uint8(2))

    return _run(run, rows_of(game), whole, pitch)


def strands_game() -> Group:
    game = make_game("strands")
    rows = rows_of(game)
    ending, reshaped = (VARIANTS[f"strands, {what}"].load() for what in ("ending", "reshaped"))
    return Group(
        {
            "play": playing(game),
            "play, end called by _cover": playing(ending.Strands()),
            "mask": masking(strands.mask, game, rows),
            "choice": choosing(rows),
            "end of the game": masking(strands.end_game, game, _full(game)),
            "observe": observing(strands.observe, game, rows),
            "reshaped": observing(reshaped.observe, game, rows),
        },
        [
            Figure(
                "games/strands/kernels.py",
                "(mask, uniform choice, step, batch of 64, one core): {} ns, {} million steps "
                "a second, of which the mask takes {} and the choice {}",
                (ns("play"), millions("play"), ns("mask"), ns("choice")),
            ),
            Figure(
                "games/strands/kernels.py",
                "operations in every step, {} ns",
                (ns("play, end called by _cover"),),
            ),
            Figure(
                "games/strands/kernels.py",
                "Who has won on a full board: {} us a game on side 6",
                (us("end of the game"),),
            ),
            Figure("games/strands/kernels.py", "With AVX2 {} ns on side 6", (ns("observe"),)),
            Figure(
                "games/strands/kernels.py",
                "planes.reshape would take a call and counting of references: {} ns",
                (ns("reshaped", "observe"),),
            ),
        ],
    )


def _full(game: Game) -> Any:
    """Rows of boards that have just been filled."""
    rng = random.Random(2)
    found = []
    for _ in range(ROWS):
        state = game.initial_state()
        while not state.is_over:
            state.step(state.sample_action(rng))
        found.append(state._rows)
    return np.concatenate(found)


def gipf_game() -> Group:
    game = make_game("gipf")
    rows = rows_of(game)
    in_turn, patient = (VARIANTS[f"gipf, {what}"].load() for what in ("in turn", "patient"))
    return Group(
        {
            "play": playing(game),
            "play without a look at fours": playing(patient.Gipf()),
            "mask": masking(gipf.mask, game, rows),
            "mask, line by line": masking(in_turn.mask, game, rows),
            "choice": choosing(rows),
            "observe": observing(gipf.observe, game, rows),
        },
        [
            Figure(
                "games/gipf/kernels.py",
                "Random play takes {} ns a step (mask {}, choice {})",
                (ns("play"), ns("mask"), ns("choice")),
            ),
            Figure(
                "games/gipf/kernels.py",
                "to see that at once saves {} of {} ns a step",
                (ns("play without a look at fours", "play"), ns("play without a look at fours")),
            ),
            Figure(
                "games/gipf/kernels.py",
                "Folded like this the mask takes {} ns, {} when the board of each line is asked",
                (ns("mask"), ns("mask, line by line")),
            ),
            Figure(
                "games/gipf/kernels.py",
                "then the pieces one by one: with AVX2 {} ns",
                (ns("observe"),),
            ),
        ],
    )


def inlining() -> Group:
    """Kernels that are made a part of those that call them, and the same ones called."""
    loops = {}
    for name in ("rive", "gipf"):
        called = VARIANTS[f"{name}, called"].load()
        loops[name] = playing(make_game(name))
        loops[f"{name}, called"] = playing(getattr(called, name.title())())
    return Group(
        loops,
        [
            Figure(
                "engine/jit.py",
                "random play is {} % faster in Rive and {} % in GIPF",
                tuple(percent_faster(name, f"{name}, called") for name in ("rive", "gipf")),
            )
        ],
    )


GROUPS: dict[str, Callable[[], Group]] = {
    "calls": calls,
    "choice": choice,
    "oust": oust_game,
    "rive": rive_game,
    "strands": strands_game,
    "gipf": gipf_game,
    "inlining": inlining,
}


# The ledger and the comments


def digits(figure: float) -> str:
    """A figure as it stands in a comment: two digits that count."""
    short = float(f"{figure:.2g}")
    return f"{short:,.0f}" if abs(short) >= 10 else f"{short:g}"


def pattern(text: str) -> re.Pattern[str]:
    """Where the words stand in a source, whatever the figures and the breaks of lines."""
    parts = [re.escape(part) for part in text.split("{}")]
    spaced = [re.sub(r"(\\ )+", r"\\s+(?:# *)?", part) for part in parts]
    return re.compile(r"(-?\d+(?:[.,]\d+)*)".join(spaced))


def ledger_lines(group: Group, rates: dict[str, list[float]]) -> list[dict[str, Any]]:
    """What is kept of a group: for each comment its words and what was measured."""
    seconds = {name: [1 / rate for rate in found] for name, found in rates.items()}
    lines = []
    for figure in group.figures:
        found = [Spread.of(value(seconds)) for value in figure.values]
        lines.append({"file": figure.file, "text": figure.text, "figures": found})
    return lines


def stands(line: Mapping[str, Any], package: Path = PACKAGE) -> tuple[str, ...] | None:
    """The figures that stand in the comment of a ledger's line; None if there is no such one."""
    source = (package / line["file"]).read_text(encoding="utf-8")
    found = list(pattern(line["text"]).finditer(source))
    return found[0].groups() if len(found) == 1 else None


def wanted(line: Mapping[str, Any]) -> tuple[str, ...]:
    """The figures that should stand there."""
    return tuple(digits(figure["median"]) for figure in line["figures"])


def put(line: Mapping[str, Any], package: Path = PACKAGE) -> None:
    """Write the figures of a ledger's line into its comment."""
    path = package / line["file"]
    source = path.read_text(encoding="utf-8")
    match = pattern(line["text"]).search(source)
    if match is None:
        return
    for k, figure in reversed(list(enumerate(wanted(line), 1))):
        begin, end = match.span(k)
        source = source[:begin] + figure + source[end:]
    path.write_text(source, encoding="utf-8")


_FIGURE = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)* ?(?:ns|us|ms|s|seconds|million|%)(?![\w%])")
_EXAMPLE = re.compile(r"^ *>>> .*?(?:\n[ \t]*\n|\Z)", re.MULTILINE | re.DOTALL)
# Rooms in which a share in per cent is no rate of kernels, but what games and searches tell
_TELL_SHARES = ("arena/", "records/")


def strays(source: str, lines: list[Mapping[str, Any]]) -> list[str]:
    """Figures with a unit of time or rate in comments and docstrings that no line accounts for."""
    for line in lines:
        for match in pattern(line["text"]).finditer(source):
            blank = re.sub(r"\d", "_", match.group())
            source = source[: match.start()] + blank + source[match.end() :]
    told = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    told += [
        node.value.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    told = [_EXAMPLE.sub("", text) for text in told]  # what those print is tested
    return [
        " ".join(text[max(0, match.start() - 60) : match.end() + 20].split())
        for text in told
        for match in _FIGURE.finditer(text)
    ]


def disagreements(results: Mapping[str, Any], package: Path = PACKAGE) -> list[str]:
    """Where comments and ledger differ."""
    lines = [line for group in results.values() for line in group["lines"]]
    found = []
    for line in lines:
        there = stands(line, package)
        if there is None:
            found.append(f"{line['file']}: no comment, or several, with {line['text']!r}")
        elif there != wanted(line):
            found.append(f"{line['file']}: {line['text']!r} has {there}, measured {wanted(line)}")
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        here = [line for line in lines if line["file"] == name]
        for stray in strays(path.read_text(encoding="utf-8"), here):
            if name.startswith(_TELL_SHARES) and "%" in stray:
                continue
            found.append(f"{name}: {stray!r} has no line in the ledger")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=GROUPS,
        default=list(GROUPS),
        metavar="GROUP",
        help="some of those below; default all",
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="slices of each loop")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="seconds a slice")
    parser.add_argument("--save", action="store_true", help="write the ledger")
    parser.add_argument("--comments", action="store_true", help="only write the comments, from it")
    parser.add_argument("--check", action="store_true", help="only compare them")
    parser.epilog = "groups: " + ", ".join(GROUPS)
    add_isa(parser)
    arguments = parser.parse_args()
    if arguments.comments:
        for group in read(FILE).values():
            for line in group["lines"]:
                put(line)
    if arguments.check or arguments.comments:
        found = disagreements(read(FILE))
        sys.exit("\n".join(found) if found else 0)
    hold_to(arguments.isa)
    where = record()
    print(describe(where))
    results = read(FILE)
    for name in arguments.only:
        begin = time.perf_counter()
        group = GROUPS[name]()
        rates = interleave(group.loops, progress(arguments.rounds, name), arguments.seconds)
        lines = ledger_lines(group, rates)
        print(f"{name} ({arguments.rounds} rounds, {time.perf_counter() - begin:.0f} s):")
        for loop, found in rates.items():
            print(f"  {loop}: {Spread.of(1e9 / rate for rate in found)} ns")
        for line in lines:
            print(f"  {line['file']}: {line['text'].format(*map(str, line['figures']))}")
        where["command"] = f"python benchmarks/kernels.py --only {name}"
        results[name] = {**where, "rounds": arguments.rounds, "lines": lines}
    if arguments.save:
        write(FILE, {key: results[key] for key in GROUPS if key in results})


if __name__ == "__main__":
    main()
