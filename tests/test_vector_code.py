"""Hot loops are vector code on CPUs without AVX-512 and on ARM, seen without a clock.

Each game's kernels are compiled for two targets, and each loop listed below must be found in their
machine code with vectors of the full width: 32 bytes for x86-64-v3, which is AVX2, 16 for aarch64.
A read under a condition, or a sum in wider lanes, is enough to lose that, by a factor of ten,
and on a CPU with AVX-512 nobody would see it.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent
GAMES_FOLDER = TESTS.parent / "hexgames_env" / "games"
GAMES = ("oust", "rive", "strands", "gipf")
KERNELS = ("mask", "step", "observe", "play_rows")
TARGETS = ("x86-64-v3", "aarch64")


@dataclass(frozen=True)
class Hot:
    """What the machine code of a loop must have."""

    kernel: str  # whose part it is; what is in mask and step must be in random play, too
    stores: int  # of whole vectors, at least: one for each plane that the loop writes
    x86: str = ""  # instructions that work on a whole vector
    arm: str = ""
    arm_stores: int | None = None  # None: as many


EQUAL = ("vpcmpeqb", "cmeq.16b")
LARGEST = ("vpcmpeqb vpmaxub", "cmeq.16b umax.16b")
SUM = ("vpcmpeqb vpaddb", "cmeq.16b add.16b")
EIGHT_FLOATS = Hot("observe", 1, arm_stores=2)

# By game, function and number of the loop, of the innermost for loops of the function.
HOT = {
    ("oust", "_threaten", 0): Hot("step", 1, *EQUAL),
    ("oust", "_merge", 0): Hot("step", 3, *EQUAL),
    ("oust", "_capture", 0): Hot("step", 2, *LARGEST),
    ("oust", "_remove", 0): Hot("step", 2, *LARGEST),
    ("oust", "_relieve", 0): Hot("step", 2, "vpmaxub vpaddb", "umax.16b add.16b"),
    ("oust", "_relieve", 1): Hot("step", 2, *LARGEST),
    ("oust", "_relieve", 2): Hot("step", 1, *LARGEST),
    ("oust", "_mark_placements", 0): Hot(
        "mask", 1, "vpcmpeqb vpmaxub vpaddb", "cmeq.16b umax.16b add.16b"
    ),
    ("oust", "observe", 1): EIGHT_FLOATS,
    ("rive", "_place", 0): Hot("step", 1, *EQUAL),
    ("rive", "_set_size", 0): Hot("step", 1, *EQUAL),
    ("rive", "_mark_placements", 0): Hot("mask", 1, "vpmaxub vpminub", "umax.16b umin.16b"),
    ("rive", "_mark_placements", 1): Hot("mask", 1, *EQUAL),
    ("rive", "_mark_single_arcs", 0): Hot("mask", 1, *SUM),
    ("rive", "_spread", 0): Hot("mask", 1, *LARGEST),
    ("rive", "_mark_by_regions", 0): Hot("mask", 1, *EQUAL),
    ("rive", "observe", 1): EIGHT_FLOATS,
    ("strands", "mask", 0): Hot("mask", 1, "vpmaxub vpminub vpcmpeqb", "cmhs.16b"),
    ("strands", "observe", 0): EIGHT_FLOATS,
    # Fourteen floats, as twice eight; the LLVM of numba 0.61 makes one vector less of them.
    ("gipf", "observe", 2): Hot("observe", 1, arm_stores=3),
}
# Why the others need not be vector code.  Nor need `count_legal` of random play, which multiplies
# words of eight bytes: no vector instruction of AVX2 or NEON does that.
ONCE = "once a game"
BY_CELL = "gathers by cell"
FILL = "fills with one value, which may become a call of memset"
OFF_BOARD = "zeros for the places off the board"
PACKS = "packs cells into words, once for all the steps of a position"
UNROLLED = "no loop when compiled"
REST = {
    ("oust", "_swap", 0): ONCE,
    ("oust", "_place", 0): "six neighbours, one by one",
    ("oust", "observe", 0): OFF_BOARD,
    ("oust", "observe", 2): "the last place",
    ("oust", "identity", 0): PACKS,
    ("rive", "_find_regions", 0): FILL,
    ("rive", "_find_regions", 1): BY_CELL,
    ("rive", "observe", 0): OFF_BOARD,
    ("rive", "observe", 2): "two planes of each cell, while removals are due",
    ("rive", "identity", 0): PACKS,
    ("strands", "start", 0): ONCE,
    ("strands", "_shuffle", 0): ONCE,
    ("strands", "end_game", 0): ONCE,
    ("strands", "end_game", 1): ONCE,
    ("strands", "end_game", 2): ONCE,
    ("strands", "join", 0): ONCE,
    ("strands", "observe", 1): "the last place",
    ("strands", "identity", 0): PACKS,
    ("strands", "evaluate", 0): BY_CELL,
    ("strands", "evaluate", 1): BY_CELL,
    ("gipf", "start", 0): ONCE,
    ("gipf", "start", 1): ONCE,
    ("gipf", "_push", 0): UNROLLED,
    ("gipf", "_stretches", 0): UNROLLED,
    ("gipf", "_end_game", 0): ONCE,
    ("gipf", "_mask_pushes", 0): UNROLLED,
    ("gipf", "_mask_pushes", 1): UNROLLED,
    ("gipf", "_mask_rows", 0): UNROLLED,
    ("gipf", "_mask_rows", 1): "a bit for each line, in one turn of ten",
    ("gipf", "_mask_takes", 0): UNROLLED,
    ("gipf", "_mask_takes", 1): "a bit for each point, in few turns",
    ("gipf", "observe", 0): UNROLLED,
    ("gipf", "observe", 1): UNROLLED,
    ("gipf", "_observe_row_step", 0): "a bit for each line, in one turn of ten",
    ("gipf", "_observe_row_step", 1): "a bit for each point, in one turn of ten",
    ("gipf", "evaluate", 0): UNROLLED,
}
# GIPF counts bits; the instructions that do that, or count the zeros below the lowest.
COUNTS = {("gipf", "step"): ("popcntq", "cnt.8b"), ("gipf", "observe"): ("tzcntq", "rbit")}

# A read under a condition, planted in a hot loop of each game: the loop, the text and its place.
PLANTS = {
    ("oust", "_mark_placements", 0): (
        "pick(size == ZERO, rows[b, other, at], rows[b, THREAT, at])",
        "rows[b, other, at] if size == ZERO else rows[b, THREAT, at]",
    ),
    ("rive", "_spread", 0): (
        "pick(old == ZERO, ZERO, max(old, around(rows, b, source, i, pitch)))",
        "ZERO if old == ZERO else max(old, around(rows, b, source, i, pitch))",
    ),
    ("strands", "mask", 0): (
        "np.uint8((space >= low) & (space <= high))",
        "np.uint8(space >= low and rows[b, ROOT, i] <= high)",
    ),
    ("gipf", "observe", 2): (
        "write_eight(flat, at, flat, begin)\n"
        "        write_eight(flat, at + SECOND_EIGHT, flat, begin + SECOND_EIGHT)",
        "flat[at] = flat[begin + _6] if point == _3 else flat[at + _7]",
    ),
}
# What Oust had when its reads were conditional.
BEFORE = {
    ("oust_before", "_merge", 0): Hot("_merge", 3, *EQUAL),
    ("oust_before", "mask", 0): Hot("mask", 1, *LARGEST),
}


def kernels_of(game: str) -> Path:
    """The file of a game's kernels."""
    package = GAMES_FOLDER / game
    return package / "kernels.py" if package.is_dir() else package.with_suffix(".py")


def for_loops(source: str) -> dict[tuple[str, int], range]:
    """The lines of the innermost for loops of each kernel, by function and number."""
    found = {}
    for function in ast.parse(source).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        if not {"kernel", "inner", "inlined"} & set(map(ast.unparse, function.decorator_list)):
            continue
        loops = [node for node in ast.walk(function) if isinstance(node, ast.For)]
        inner = [loop for loop in loops if not any(o in ast.walk(loop) for o in loops if o != loop)]
        for number, loop in enumerate(sorted(inner, key=lambda loop: loop.lineno)):
            assert loop.end_lineno is not None
            found[function.name, number] = range(loop.lineno, loop.end_lineno + 1)
    return found


def compile_for(target: str, *jobs: str) -> dict[str, Any]:
    """What `vector/assembly.py` says of these jobs."""
    done = subprocess.run(
        [sys.executable, str(TESTS / "vector" / "assembly.py"), target, *jobs],
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")},
            "PYTHONPATH": str(TESTS.parent),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def is_vector_code(hot: Hot, lines: range, file: str, target: str, code: Any) -> bool:
    """Whether one of the loops of ``code`` that come from these lines is as it must be."""
    on_arm = target == "aarch64"
    names = set((hot.arm if on_arm else hot.x86).split())
    stores = hot.arm_stores if on_arm and hot.arm_stores else hot.stores
    return any(
        loop["straight"] and loop["stores"] >= stores and names <= set(loop["names"])
        for loop in code["loops"]
        if not set(lines).isdisjoint(loop["lines"].get(file, ()))
    )


@pytest.mark.machines
@pytest.mark.parametrize("target", TARGETS)
def test_hot_loops_are_vector_code(target: str) -> None:
    found = compile_for(target, *(f"{game}:{','.join(KERNELS)}" for game in GAMES))
    lines = {game: for_loops(kernels_of(game).read_text("utf-8")) for game in GAMES}
    missing = [
        f"{game} {function}, loop {number}, lines {lines[game][function, number]}, in {kernel}"
        for (game, function, number), hot in HOT.items()
        for kernel in ({hot.kernel} if hot.kernel == "observe" else {hot.kernel, "play_rows"})
        if not is_vector_code(
            hot,
            lines[game][function, number],
            kernels_of(game).name,
            target,
            found[f"{game}:{kernel}"],
        )
    ]
    missing += [
        f"{game} {kernel}: {count}"
        for (game, kernel), (x86, arm) in COUNTS.items()
        for count in [x86 if target == "x86-64-v3" else arm]
        if count not in found[f"{game}:{kernel}"]["names"]
    ]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("game", GAMES)
def test_every_loop_is_listed(game: str) -> None:
    found = {(game, *loop) for loop in for_loops(kernels_of(game).read_text("utf-8"))}
    assert found == {loop for loop in (*HOT, *REST) if loop[0] == game}


@pytest.mark.machines
@pytest.mark.parametrize("target", TARGETS)
def test_a_conditional_read_is_found(target: str, tmp_path: Path) -> None:
    """One planted in each game, and those that Oust had."""
    files = {"oust_before": TESTS / "vector" / "oust_before.py"}
    must_fail = dict(BEFORE)
    for (game, function, number), (text, planted) in PLANTS.items():
        source = kernels_of(game).read_text("utf-8")
        assert source.count(text) == 1
        name = f"{game}_planted"
        files[name] = tmp_path / f"{name}.py"
        files[name].write_text(source.replace(text, planted), "utf-8")
        must_fail[name, function, number] = HOT[game, function, number]
    jobs: dict[str, list[str]] = {}
    for (name, _, _), hot in must_fail.items():
        jobs.setdefault(name, []).append(hot.kernel)
    found = compile_for(target, *(f"{files[name]}:{','.join(jobs[name])}" for name in jobs))
    for (name, function, number), hot in must_fail.items():
        lines = for_loops(files[name].read_text("utf-8"))
        code = found[f"{name}:{hot.kernel}"]
        assert not is_vector_code(hot, lines[function, number], f"{name}.py", target, code), name
        # Nor is anything else lost, so it is the planted read that is found.
        for (game, other_function, other_number), other in HOT.items():
            loop = other_function, other_number
            planted_here = name == f"{game}_planted" and loop != (function, number)
            if planted_here and other.kernel == hot.kernel:
                assert is_vector_code(other, lines[loop], f"{name}.py", target, code), loop
