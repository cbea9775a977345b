"""``hexgames analyse``: what it prints and draws, mistakes, and searches that are broken off."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hexgames_env import State, make_game
from hexgames_env.bots import make_bot
from hexgames_env.cli import main
from hexgames_env.records import Record, open_records, write_records
from hexgames_env.search import Analysis, MctsBot
from processes import Ended, be_interruptible, environment

MIDDLE = "oust side=2 pie_rule=true board=../..W/.. to_play=0 winner=none"
LATE = "rive side=2 board=BW/W../.. to_play=0 winner=none"
BOT = "mcts simulations=200"


@pytest.fixture
def analyse(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: str) -> Ended:
        code: Any
        try:
            code = main(["analyse", *words])
        except SystemExit as error:
            code = error.code
        return Ended(code, *capsys.readouterr())

    return run


def expected(text: str, bot: str = BOT) -> Analysis:
    searcher = make_bot(bot)
    assert isinstance(searcher, MctsBot)
    return searcher.analyse(State.from_string(text), np.random.default_rng(1))


def test_it_tells_the_answer_the_table_and_the_line(analyse: Any) -> None:
    done = analyse(*MIDDLE.split(), "--bot", BOT, "--seed", "1", "--top", "3")
    assert (done.code, done.err) == (0, "")
    state, found = State.from_string(MIDDLE), expected(MIDDLE)
    names = {action: state.action_to_string(action) for action in found.visits}
    position, said = done.out.split("Black (player_0) to play: ", 1)
    assert position.startswith("oust side=2 ") and " b   . . W\n" in position
    *_, answer, header, first, second, third, more, line = said.splitlines()
    assert answer.startswith(f"{names[found.action]} for Black (player_0): value ")
    assert f"{found.simulations:,} simulations in " in answer
    assert re.fullmatch(r"action +visits +share +value", header)
    order = sorted(found.visits, key=lambda a: (a != found.action, -found.visits[a], a))
    for action, told in zip(order, (first, second, third), strict=False):
        name, visits, share, value, *_ = told.split()
        assert name == names[action] and int(visits) == found.visits[action]
        assert share == f"{found.visits[action] / found.simulations:.1%}"
        assert value == (f"{found.values[action]:+.3f}" if found.visits[action] else "-")
    assert more == f"and {len(order) - 3} more"
    walk = state.copy()
    for name in line.removeprefix("line: ").split(", "):
        walk.step(walk.parse_action(name))


def test_what_is_proven_is_told(analyse: Any) -> None:
    state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    done = analyse(state.to_string(), "--bot", BOT)
    assert done.code == 0
    assert "value +1.000" in done.out and "it is proven that Black (player_0) wins" in done.out
    assert re.search(r"^[abc][123] .* \+1\.000  Black \(player_0\) wins$", done.out, re.MULTILINE)


def test_visits_are_drawn_as_heat(analyse: Any, tmp_path: Path) -> None:
    picture = tmp_path / "heat.svg"
    words = [MIDDLE, "--bot", BOT, "--seed", "1", "--svg", str(picture)]
    done = analyse(*words, "--theme", "dark", "--size", "300")
    assert done.code == 0 and done.out.endswith(f"written to {picture}\n")
    state, found = State.from_string(MIDDLE), expected(MIDDLE)
    drawn = picture.read_text(encoding="utf-8")
    assert drawn == state.to_svg(300, theme="dark", heat=found.visits)
    assert drawn != state.to_svg(300, theme="dark")


def test_it_is_recorded(analyse: Any, tmp_path: Path) -> None:
    file = tmp_path / "found.hgn"
    write_records(file, [Record(State.from_string(LATE))])
    words = ["--bot", f" {BOT} ", "--seed", "1", "--record", str(file)]
    assert analyse(MIDDLE, *words).out.endswith(f"written to {file}\n")
    found = expected(MIDDLE)
    with open_records(file) as records:
        old, new = records
    assert old.final.to_string() == State.from_string(LATE).to_string()
    remark = new.remark(0)
    assert (new.start.to_string(), remark.comment) == (MIDDLE, BOT)
    assert remark.value == pytest.approx(found.value)
    assert remark.visits == {action: n for action, n in found.visits.items() if n}


def test_a_bot_of_ones_own_can_be_asked(analyse: Any) -> None:
    assert analyse(MIDDLE, "--bot", "test_analyse:Own").out.splitlines()[-1] == "line: a2"


class Own(MctsBot):
    """Knows already."""

    def __init__(self) -> None:
        super().__init__(simulations=1)

    def analyse(self, state: State, *arguments: Any, **more: Any) -> Analysis:
        return Analysis(0, 1, {1: 1}, {1: 0.5}, {}, None, (1,), 1, 0.0, False)


MISTAKES = {
    (): "required: position",
    ("chess side=2",): "there is no game 'chess'",
    (MIDDLE, "--bot", "greedy"): "bot 'greedy' does not search, and has nothing to tell: take one",
    (MIDDLE, "--bot", "math:floor"): "bot 'math:floor' does not search",
    (MIDDLE, "--bot", ""): "there is no bot ''",
    (MIDDLE, "--bot", "mcts simulations=9", "--bot", "stockfish"): "there is no bot 'stockfish'",
    ("oust side=2 board=B./.B./.. to_play=0 winner=0",): "there is nothing to search: Black",
    (MIDDLE, "--top", "0"): "must be an integer from 1 on, got '0'",
    (MIDDLE, "--seed", "-1"): "from 0 to 2**64 - 1, got '-1'",
    (MIDDLE, "--size", "99", "--svg", "x.svg"): "an integer from 100 to 4000, got 99",
    (MIDDLE, "--theme", "blue"): "invalid choice: 'blue'",
    (MIDDLE, "--record", "x.npz"): "--record takes .hgn or .jsonl, which keep remarks",
    (MIDDLE, "--record", "x.doc"): "ends in .hgn",
}


@pytest.mark.parametrize("words", MISTAKES, ids=lambda words: " ".join(words)[:50])
def test_a_mistake_is_told_in_words(
    analyse: Any, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = analyse(*words)
    assert (done.code, done.out) == (2, "")
    told = done.err.splitlines()[-1]
    assert told.startswith("hexgames analyse: ") and MISTAKES[words] in told
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["--svg", "--record"])
def test_a_file_that_can_not_be_written(analyse: Any, option: str) -> None:
    """What has been found is told before."""
    done = analyse(MIDDLE, "--bot", BOT, option, "/nowhere/x.hgn")
    assert done.code == 1 and "line: " in done.out
    assert re.fullmatch(r"hexgames analyse: /nowhere/x.hgn: No such file or directory\n", done.err)


def test_a_png_wants_its_library(analyse: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hexgames_env.rendering.pixels.find_spec", lambda name: None)
    done = analyse(MIDDLE, "--png", "x.png")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "hexgames analyse: --png is drawn with pygame-ce, which is not installed: "
        'pip install "hexgames-env[render]"\n'
    )


# Searches that are broken off

START = make_game("rive", side=3).initial_state().to_string()


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-m", "hexgames_env", "analyse", START]
    return subprocess.Popen(
        [*command, "--bot", "mcts seconds=1000 memory=16", *words],
        env=environment(),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=be_interruptible,
    )


@pytest.mark.long
def test_ctrl_c_ends_a_search_with_what_it_has_found(tmp_path: Path) -> None:
    expected(START, "mcts simulations=1")  # which compiles
    process = started(tmp_path, "--svg", "heat.svg", "--record", "found.hgn")
    try:
        time.sleep(6)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, err) == (130, "")
    assert "line: " in out and out.endswith("stopped before its end\n")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["found.hgn", "heat.svg"]


@pytest.mark.long
def test_sigterm_leaves_nothing(tmp_path: Path) -> None:
    process = started(tmp_path, "--svg", "heat.svg")
    try:
        time.sleep(3)
        process.terminate()
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, err) == (-signal.SIGTERM, "")
    assert not list(tmp_path.iterdir())


def test_an_interruption_in_this_process(analyse: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is known, there is nothing to tell."""

    def interrupted(self: MctsBot, *arguments: Any) -> Analysis:
        raise KeyboardInterrupt

    monkeypatch.setattr(MctsBot, "analyse", interrupted)
    done = analyse(MIDDLE)
    assert done.code == 130 and "stopped" not in done.out and done.err == ""


def test_who_waits_sees_how_far_it_is(analyse: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Meter:
        def __init__(self, total: int | None, unit: str) -> None:
            self.total, self.counted, self.said, self.is_open = total, 0, "", True
            meters.append(self)

        def update(self, number: int) -> None:
            self.counted += number

        def set_postfix_str(self, said: str) -> None:
            self.said = said

        def close(self) -> None:
            self.is_open = False

    meters: list[Meter] = []
    monkeypatch.setattr("hexgames_env.cli.analyse.meter", Meter)
    monkeypatch.setattr("hexgames_env.cli.analyse.EVERY", 0)
    big = make_game("oust", side=5).initial_state().to_string()
    assert analyse(big, "--bot", "mcts simulations=3000").code == 0
    (meter,) = meters
    assert meter.total == 3000 and 0 < meter.counted <= 3000 and not meter.is_open
    assert re.fullmatch(r"\w\d [+-][01]\.\d{3}", meter.said)
    assert analyse(big, "--bot", "mcts cpu_seconds=0.2").code == 0
    assert meters[1].total is None and meters[1].counted > 0
