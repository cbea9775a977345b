"""What the benchmarks share: interleaved slices, medians, tables with ratios."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version

from tqdm import tqdm

Loop = Callable[[float], tuple[int, float]]
"""Runs for about so many seconds; returns the steps made and the seconds they took."""


@dataclass
class Row:
    """One line of a table: a rate in steps a second, and its ratio to the yardstick's."""

    name: str
    rate: float
    against: str | None = None
    ratio: float | None = None


def interleave(loops: Mapping[str, Loop], slices: int, seconds: float) -> dict[str, float]:
    """The median rate of each loop over slices that take turns, after one that is not counted.

    A machine has slow spells: they should hit all loops alike, so that ratios hold.
    """
    for loop in loops.values():
        loop(min(seconds, 0.1))
    rates: dict[str, list[float]] = {name: [] for name in loops}
    with tqdm(total=slices * len(loops), unit="slice", leave=False, disable=None) as progress:
        for _ in range(slices):
            for name, loop in loops.items():
                progress.set_description(name)
                steps, taken = loop(seconds)
                rates[name].append(steps / taken)
                progress.update()
    return {name: statistics.median(found) for name, found in rates.items()}


def machine() -> str:
    """The machine and the versions that a figure belongs to, in one line."""
    packages = []
    for name in ("numpy", "numba", "gymnasium", "pettingzoo", "open_spiel", "pgx", "jax"):
        try:
            packages.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(
        [_processor(), f"{os.cpu_count()} cores", f"Python {platform.python_version()}", *packages]
    )


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].strip() for line in file if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def print_table(title: str, rows: list[Row]) -> None:
    """A Markdown table, then each of its lines as JSON."""
    print(f"\n### {title}\n\n{machine()}\n\n| what | a second | ratio |\n|---|---:|:---|")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f} times {row.against}"
        print(f"| {row.name} | {row.rate:,.0f} | {ratio} |")
    print()
    for row in rows:
        print(json.dumps({"table": title, **asdict(row)}))
