"""The benchmarks: what they make of times, and what README and comments say of them.

Nothing is timed here, and no peer has to be installed.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
BENCHMARKS = ROOT / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import common  # noqa: E402
import kernels  # noqa: E402
import surfaces  # noqa: E402
import table  # noqa: E402

README = table.README.read_text(encoding="utf-8")
PEERS = common.read(table.FILE)
LEDGER = common.read(kernels.FILE)
SCRIPTS = ("peers", "table", "kernels", "speed", "startup", "records")


class Machine:
    """A clock that loops turn on; it runs slower from some round on."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slow = 1.0

    def loop(self, seconds_a_step: float) -> common.Loop:
        def chunk() -> int:
            self.now += 10 * seconds_a_step * self.slow
            return 10

        return common.timed(chunk, lambda: self.now)


def test_a_loop_runs_until_its_time_is_over() -> None:
    steps, taken = Machine().loop(0.01)(1.0)
    assert 100 <= steps <= 110
    assert taken == pytest.approx(0.01 * steps)


def test_loops_take_turns_and_a_slow_spell_leaves_ratios_alone() -> None:
    machine = Machine()

    def rounds() -> Any:
        for k in range(9):
            machine.slow = 1 + 3 * (k >= 4)
            yield k

    loops = {"ours": machine.loop(0.001), "theirs": machine.loop(0.003)}
    rates = common.interleave(loops, rounds(), 1.0)
    assert [len(found) for found in rates.values()] == [9, 9]
    assert max(rates["ours"]) == pytest.approx(4 * min(rates["ours"]))
    ratio = common.Spread.of_ratios(rates["ours"], rates["theirs"])
    assert (ratio.min, ratio.median, ratio.max) == pytest.approx((3, 3, 3))


def test_ratios_are_taken_in_each_round_not_of_medians() -> None:
    ratio = common.Spread.of_ratios([1, 2, 9], [1, 4, 3])
    assert (ratio.min, ratio.median, ratio.max) == (0.5, 1, 3)


def test_avx2_means_no_more_than_avx2() -> None:
    """Another processor's name alone leaves numba the features of this one."""
    held = common.held("avx2")
    assert held["NUMBA_CPU_FEATURES"] == ""
    assert "max_isa=AVX2" in held["XLA_FLAGS"]
    assert "NUMBA_CPU_NAME" not in common.held("native")


def test_choices_are_legal_and_uniform() -> None:
    masks = np.zeros((3000, 7), np.int8)
    masks[:, [1, 2, 6]] = 1
    masks[::2, 2] = 0
    chosen = surfaces.pick(masks, np.random.default_rng(0))
    assert (masks[np.arange(3000), chosen] == 1).all()
    assert (np.bincount(chosen[1::2], minlength=7)[[1, 2, 6]] > 430).all()


@pytest.mark.parametrize("script", SCRIPTS)
def test_help_helps_and_does_nothing_else(script: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, BENCHMARKS / f"{script}.py", "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(f"usage: {script}.py")
    assert " a second" not in done.stdout.partition("options:")[2]


# README


def test_the_table_in_the_readme_is_that_of_the_results() -> None:
    assert table.put(README, PEERS) == README


def test_other_results_make_another_table() -> None:
    changed = copy.deepcopy(PEERS)
    changed["aec"]["lines"][0]["games"]["oust"]["ratio"]["median"] += 1
    assert table.put(README, changed) != README


def test_a_ratio_below_one_stands_out() -> None:
    changed = copy.deepcopy(PEERS)
    changed["aec"]["lines"][0]["games"]["oust"]["ratio"]["median"] = 0.5
    assert "**0.50 x**" in table.table(changed)


def test_every_part_is_there_with_all_that_belongs_to_a_figure() -> None:
    assert list(PEERS) == ["aec", "state", "copy", "play", "batch", "gymnasium", "sb3", "puffer"]
    for part in PEERS.values():
        assert part["rounds"] >= 9
        assert part["vectors"].startswith("AVX2")
        assert {"date", "command", "machine", "packages", "flags"} <= set(part)
        for line in part["lines"]:
            for game in line["games"].values():
                assert 0 < game["ratio"]["min"] <= game["ratio"]["median"] <= game["ratio"]["max"]


def test_results_are_written_as_they_are_read(tmp_path: Path) -> None:
    common.write(tmp_path / "results.json", PEERS)
    assert json.loads((tmp_path / "results.json").read_text()) == PEERS


# Figures in comments


def test_every_figure_in_a_comment_is_in_the_ledger_and_the_other_way_round() -> None:
    assert kernels.disagreements(LEDGER) == []


def test_what_is_measured_is_what_the_ledger_holds() -> None:
    assert list(LEDGER) == list(kernels.GROUPS)
    for group in LEDGER.values():
        assert group["rounds"] >= 9
        assert group["vectors"].startswith("AVX2")
        assert {"date", "command", "machine"} <= set(group)


@pytest.mark.parametrize("name", kernels.VARIANTS)
def test_what_a_comment_compares_with_can_still_be_made(name: str) -> None:
    compile(kernels.VARIANTS[name].source(), name, "exec")


LINE = {"file": "a.py", "text": "takes {} ns, by bytes {}", "figures": [{"median": 12.34}] * 2}


def package(folder: Path, source: str) -> Path:
    (folder / "a.py").write_text(source)
    return folder


def test_a_comment_is_found_across_the_ends_of_its_lines(tmp_path: Path) -> None:
    there = package(tmp_path, "# This takes 12 ns, by\n# bytes 12.\n")
    assert kernels.disagreements({"a": {"lines": [LINE]}}, there) == []


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("# This takes 13 ns, by bytes 12.\n", "measured ('12', '12')"),
        ("# Nothing is said here.\n", "no comment"),
        ("# It takes 12 ns, by bytes 12, and 5 us more.\n", "5 us more"),
        ('"""It takes 12 ns, by bytes 12.\n\nOr 40 million."""\n', "40 million"),
    ],
)
def test_a_comment_that_differs_is_told(tmp_path: Path, source: str, complaint: str) -> None:
    there = package(tmp_path, source)
    (told,) = kernels.disagreements({"a": {"lines": [LINE]}}, there)
    assert complaint in told


def test_figures_are_written_into_comments(tmp_path: Path) -> None:
    there = package(tmp_path, "x = 1  # it takes 9.5 ns, by bytes 1,200\n")
    kernels.put(LINE, there)
    assert (there / "a.py").read_text() == "x = 1  # it takes 12 ns, by bytes 12\n"


@pytest.mark.parametrize(
    ("figure", "text"),
    [(113.2, "110"), (42.4, "42"), (6.94, "6.9"), (0.2412, "0.24"), (2.0, "2"), (1571, "1,600")],
)
def test_two_digits_stand_in_comments(figure: float, text: str) -> None:
    assert kernels.digits(figure) == text
