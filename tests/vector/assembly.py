"""Compile kernels for another CPU than the host's, and list the loops of their machine code.

`python assembly.py TARGET FILE:KERNEL,KERNEL... ...` prints by "FILE:KERNEL" what `Code` says, as
JSON.  FILE is a game's name or the path of a file like a game's whose name begins with that,
``oust_before.py``; KERNEL is one of those in `compiled`.

numba's own steps run as for the host, but for another target machine: the passes ask that one how
wide its vectors are, and its assembler has the last word.  Nothing is made executable, so any host
can compile for any target.  Each instruction bears the line of the source it comes from, without
the rest of what debuggers want, which would change the code.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding as llvm
from numba import types
from numba.core import codegen, cpu, dispatcher, registry
from numba.core.caching import NullCache
from numba.core.errors import NumbaDebugInfoWarning

TARGETS = {
    "x86-64-v3": ("x86_64-unknown-linux-gnu", "x86-64-v3"),  # AVX2 and no AVX-512
    "aarch64": ("aarch64-unknown-linux-gnu", "generic"),  # NEON, which each has
}
# Stores of a whole vector, 32 bytes or 16; aarch64 can store a pair.
STORES = {
    "x86-64-v3": re.compile(r"vmov\w+\s+(%ymm\d+), [^%]*\("),
    "aarch64": re.compile(r"st[pru]+\s+(q\d+)(, q\d+)?"),
}
JUMPS = re.compile(r"(j\w+|b|b\.\w+|cbn?z|tbn?z)\s.*?(\.L\w+)$")
CALLS = ("call", "callq", "bl", "blr")


@dataclass
class Loop:
    """An innermost loop of machine code: what a jump back to a label repeats."""

    lines: dict[str, list[int]]  # of the source of which it does some work, by name of the file
    names: list[str]  # of its instructions, each once; on aarch64 with the vector's form: umax.16b
    stores: int  # how many whole vectors it stores
    straight: bool  # neither a jump inside nor a call


@dataclass
class Code:
    """The machine code of a kernel and of all that it calls."""

    names: list[str]  # of its instructions, each once
    loops: list[Loop]


class Uncached:
    """In place of each dispatcher's cache: code for another CPU must not get into one."""

    def __get__(self, dispatcher: Any, kind: Any) -> NullCache:
        return NullCache()

    def __set__(self, dispatcher: Any, cache: Any) -> None:
        pass


def compile_for(target: str) -> None:
    """From here on numba compiles for this target, and runs nothing of it."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple, name = TARGETS[target]
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=name, opt=3, reloc="pic")
    code = registry.cpu_target.target_context.codegen()
    code._tm = machine
    code._data_layout = str(machine.target_data)
    code._add_module = lambda module: None
    codegen.JITCodeLibrary._finalize_specific = lambda library: None
    cpu.CPUContext.get_executable = _get_executable
    dispatcher.Dispatcher._cache = Uncached()  # type: ignore[attr-defined]

    create = codegen.CPUCodegen._create_empty_module
    finish = cpu.CPUTargetOptions.finalize

    def create_empty_module(self: Any, name: str) -> Any:
        module = create(self, name)
        module.triple = triple
        return module

    def finalize(self: Any, flags: Any, options: Any) -> None:
        finish(self, flags, options)
        flags.debuginfo = flags.dbg_directives_only = True

    codegen.CPUCodegen._create_empty_module = create_empty_module
    cpu.CPUTargetOptions.finalize = finalize


def _get_executable(self: Any, library: Any, description: Any, environment: Any) -> Any:
    """Finish a function; what would call it is a key, and nothing more."""
    library._ensure_finalized()
    return [].append  # numba wants a builtin, each time another one


def compiled(what: str, kernels: list[str]) -> Iterator[tuple[str, Any, Any]]:
    """Each kernel's name, its dispatcher and the types of its arguments."""
    from hexgames_env import make_game
    from hexgames_env.core import loops

    path = Path(what)
    game = make_game(path.stem.partition("_")[0])
    if path.suffix:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        module = sys.modules[type(game).__module__]
    rows = types.Array(numba.from_dtype(game.row_dtype), 3, "C")
    tables = numba.typeof(game.tables)
    integer, byte, place = types.int64, types.uint8, types.uint64
    planes, integers = types.Array(types.float32, 4, "C"), types.Array(integer, 1, "C")
    random, tally = types.Array(types.uint64, 1, "C"), types.Array(integer, 2, "C")
    for kernel in kernels:
        if kernel == "play_rows":
            several = (integers, random, integers, integers)
            journal = (types.Array(types.uint16, 2, "C"), integers)
            counts = (types.uint64, *journal, integer, integer, tally, integer, integer)
            yield kernel, game.compiled(getattr(loops, kernel)), (rows, tables, *several, *counts)
            continue
        signature = {
            "mask": (rows, integer, tables),
            "step": (rows, integer, tables, integer),
            "observe": (rows, integer, tables, integer, planes),
            "_merge": (rows, place, place, place, place, byte, byte, byte, byte),
        }[kernel]
        yield kernel, getattr(module, kernel), signature


def assembly(function: Any, signature: tuple[Any, ...]) -> str:
    """The assembler text of a kernel and of all that it calls."""
    function.compile(signature)
    (text,) = (t for s, t in function.inspect_asm().items() if s == signature)
    return str(text)


def read(text: str, target: str) -> Code:
    """What a text of assembler has."""
    labels: dict[str, int] = {}
    files: dict[str, str] = {}
    code: list[tuple[str, tuple[str, int] | None]] = []
    at: tuple[str, int] | None = None
    for line in text.splitlines():
        line = re.sub(r"\s*(#|//).*", "", line).strip()
        if label := re.fullmatch(r"([.\w$]+):", line):
            labels[label[1]] = len(code)
        elif file := re.match(r'\.file\s+(\d+) .*?"([^"]*)"$', line):
            files[file[1]] = file[2]
        elif place := re.match(r"\.loc\s+(\d+) (\d+)", line):
            at = place[1], int(place[2])
        elif line and not line.startswith("."):
            code.append((line, at))
    spans = set()
    for end, (line, _) in enumerate(code):
        jump = JUMPS.match(line)
        if jump and labels.get(jump[2], end + 1) <= end:
            spans.add((labels[jump[2]], end))
    found = []
    for first, last in sorted(spans):
        if any(first <= a and b <= last for a, b in spans - {(first, last)}):
            continue
        inside = code[first : last + 1]
        lines: dict[str, set[int]] = {}
        for _, source in inside:
            if source and source[1]:
                lines.setdefault(Path(files[source[0]]).name, set()).add(source[1])
        found.append(
            Loop(
                {name: sorted(numbers) for name, numbers in lines.items()},
                sorted({_name(line) for line, _ in inside}),
                sum(_stored(line, target) for line, _ in inside),
                not any(JUMPS.match(line) or _name(line) in CALLS for line, _ in inside[:-1]),
            )
        )
    return Code(sorted({_name(line) for line, _ in code}), found)


def _name(line: str) -> str:
    """The name of an instruction; on aarch64 with the form of the first vector it writes."""
    name, _, operands = line.partition("\t")
    form = re.match(r"v\d+(\.\w+)", operands.strip())
    return name.strip() + (form[1] if form else "")


def _stored(line: str, target: str) -> int:
    """How many whole vectors an instruction stores."""
    store = STORES[target].match(line)
    return sum(group is not None for group in store.groups()) if store else 0


def main(target: str, *jobs: str) -> None:
    warnings.simplefilter("ignore", NumbaDebugInfoWarning)  # of the loops that are bound to a game
    compile_for(target)
    found = {}
    for job in jobs:
        what, _, kernels = job.rpartition(":")
        for kernel, function, signature in compiled(what, kernels.split(",")):
            found[f"{Path(what).stem}:{kernel}"] = asdict(
                read(assembly(function, signature), target)
            )
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
