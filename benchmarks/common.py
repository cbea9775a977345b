"""What the benchmarks share: loops that take turns, ratios by the round, and where it was measured.

Nothing here imports numba or the package before `hold_to` has decided what they compile for.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

Loop = Callable[[float], tuple[int, float]]
"""Runs for about that many seconds; returns the steps made and the seconds they took."""

RESULTS = Path(__file__).parent / "results"

ROUNDS, SECONDS = 9, 0.3

# What figures may depend on; those that are there are named beside each result.
PACKAGES = (
    "hexgames-env numpy numba llvmlite gymnasium pettingzoo stable_baselines3 open_spiel pgx jax"
).split()


# What is measured


def interleave(
    loops: Mapping[str, Loop], rounds: Iterable[int], seconds: float
) -> dict[str, list[float]]:
    """The rate of each loop in each round, in steps a second.

    A machine has slow spells: in a round each loop runs once, so that a spell hits all alike.
    Before the first round each runs once uncounted.
    """
    for loop in loops.values():
        loop(min(seconds, 0.1))
    rates: dict[str, list[float]] = {name: [] for name in loops}
    for _ in rounds:
        for name, loop in loops.items():
            steps, taken = loop(seconds)
            rates[name].append(steps / taken)
    return rates


@dataclass(frozen=True)
class Spread:
    """A figure over the rounds."""

    median: float
    min: float
    max: float

    @classmethod
    def of(cls, figures: Iterable[float]) -> Spread:
        found = list(figures)
        return cls(statistics.median(found), min(found), max(found))

    @classmethod
    def of_ratios(cls, above: list[float], below: list[float]) -> Spread:
        """Of the ratios within each round: a slow spell that lasts a round leaves them alone."""
        return cls.of(a / b for a, b in zip(above, below, strict=True))

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.min:.2f} to {self.max:.2f})"


def timed(chunk: Callable[[], int], clock: Callable[[], float] = time.process_time) -> Loop:
    """A loop that runs ``chunk`` until the time is over; a chunk returns how many steps it made.

    The clock is the processor's time of this process: what else the machine does is not counted.
    With more than one thread it has to be ``time.perf_counter``.
    """

    def loop(seconds: float) -> tuple[int, float]:
        steps = 0
        begin = clock()
        while (taken := clock() - begin) < seconds:
            steps += chunk()
        return steps, taken

    return loop


def progress(rounds: int, title: str) -> Iterable[int]:
    """The rounds, with a bar on a terminal."""
    from tqdm import tqdm

    return tqdm(range(rounds), desc=title, unit="round", leave=False, disable=None)


# Where it is measured


def is_x86() -> bool:
    return platform.machine().lower() in ("x86_64", "amd64")


def held(isa: str) -> dict[str, str]:
    """The environment that holds compiled code to one core and, for ``"avx2"``, to AVX2.

    numba takes the features of the machine even for another processor's name, so they are emptied:
    then they are those of the name.  Its cache is one of its own.  numpy and the C++ of OpenSpiel
    are what their wheels are.
    """
    xla = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    if isa != "avx2":
        return {"XLA_FLAGS": xla}
    return {
        "XLA_FLAGS": f"{xla} --xla_cpu_max_isa=AVX2",
        "NUMBA_CPU_NAME": "x86-64-v3",
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_CACHE_DIR": str(Path.home() / ".cache" / "hexgames_env-benchmarks"),
    }


def hold_to(isa: str) -> None:
    """Start this script anew with the environment that `held` names, and on one core.

    Both have to be so before numba and jax are imported, and scripts import those at their top.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    wanted = held(isa)
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **wanted})


def only_a_part(doc: str | None) -> None:
    """What a module that scripts share does if it is run itself: help, or say that it is none."""
    parser = argparse.ArgumentParser(
        description=f"{doc}\nA part of the other scripts here: it does nothing by itself.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.parse_args()
    parser.error("a part of the other scripts here: it does nothing by itself")


def add_isa(parser: Any) -> None:
    """The option ``--isa``."""
    parser.add_argument(
        "--isa",
        choices=("avx2", "native"),
        default="avx2" if is_x86() else "native",
        help="what numba and XLA compile for: AVX2 whatever more the machine has, or all of it",
    )


def record() -> dict[str, Any]:
    """Machine, vector width, versions, date and command: what belongs to every figure."""
    packages = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    flags = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "XLA_FLAGS")
    return {
        "date": time.strftime("%Y-%m-%d"),
        "command": shlex.join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]]),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
        "vectors": vectors(),
        "flags": {name: os.environ[name] for name in flags if name in os.environ},
        "python": platform.python_version(),
        "packages": packages,
    }


def vectors() -> str:
    """The widest vectors that numba compiles for here, and the registers that it then uses."""
    import numba
    import numpy as np
    from llvmlite import binding

    given = os.environ.get("NUMBA_CPU_FEATURES")
    name = os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name()
    features = binding.get_host_cpu_features() if given is None else {}
    if features.get("avx512bw"):
        kind = "AVX-512"
    elif features.get("avx2") or name == "x86-64-v3":
        kind = "AVX2"
    else:
        kind = "NEON" if features.get("neon") else "other"

    @numba.njit
    def probe(a: Any, b: Any) -> None:
        for i in range(a.size):
            a[i] = max(a[i], b[i])

    probe(np.zeros(64, np.uint8), np.zeros(64, np.uint8))
    code = "".join(probe.inspect_asm().values())
    used = next((wide for wide in ("zmm", "ymm", "xmm") if wide in code), "none of x86")
    return f"{kind} (compiled for {name}, registers {used})"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].strip() for line in file if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def describe(where: Mapping[str, Any]) -> str:
    """A `record` in one line."""
    packages = ", ".join(f"{name} {number}" for name, number in where["packages"].items())
    return (
        f"{where['date']}, {where['machine']}, {where['vectors']}, "
        f"Python {where['python']}, {packages}"
    )


# Results


def read(path: Path) -> dict[str, Any]:
    """What a file of results holds; empty if there is none."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def write(path: Path, results: Mapping[str, Any]) -> None:
    """Figures are kept to four digits: more would be noise in the history of the file."""
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(rounded(results), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    print(f"written to {path}")


def rounded(value: Any) -> Any:
    if isinstance(value, Spread):
        return rounded(asdict(value))
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, Mapping):
        return {key: rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list | tuple) else value


def short(rate: float) -> str:
    """A rate for people: 228 k, 2.02 M."""
    return f"{rate / 1e6:.3g} M" if rate >= 1e6 else f"{rate / 1e3:.3g} k"


if __name__ == "__main__":
    only_a_part(__doc__)
