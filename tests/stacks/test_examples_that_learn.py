"""The examples that learn, and the notebook: they need sb3, nbclient and ipykernel, and minutes."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

from hexgames_env import game_names
from hexgames_env.bots import evaluate
from processes import ROOT, Ended, ended

EXAMPLES = ROOT / "examples"
NOTEBOOK = EXAMPLES / "notebook.ipynb"


def run(script: str, *words: str, folder: Path) -> Ended:
    return ended(sys.executable, str(EXAMPLES / f"{script}.py"), *words, cwd=folder, timeout=600)


@pytest.mark.parametrize("name", game_names())
def test_self_play_of_every_game(name: str, tmp_path: Path) -> None:
    small = {"gipf": [], "strands": ["layout=5"]}.get(name, ["side=3"])
    words = ("--steps", "8192", name, "--every", "1", *small, "--bot", "greedy", "--save", "mine")
    done = run("self_play_ppo", *words, folder=tmp_path)
    assert done.code == 0, done
    first, *lines = done.out.splitlines()
    assert first.startswith(f"{name} ") and first.endswith(", by self-play")
    assert "2 opponents in the pool" in lines
    met = [re.findall(r"^against '(.*)': [\d.]+ % won: ", line) for line in lines]
    assert [found[0] for found in met if found] == ["random", "greedy", "after 4096 steps"]
    assert (tmp_path / "mine.zip").exists()


def test_a_model_is_an_opponent(tmp_path: Path) -> None:
    usual = ("--steps", "4096", "oust", "side=3")
    assert run("train_maskable_ppo", *usual, folder=tmp_path).code == 0
    (file,) = tmp_path.iterdir()
    bot = f"sb3 path={file.name}"
    done = run("train_maskable_ppo", *usual, "--opponent", bot, "--save", "b", folder=tmp_path)
    assert done.code == 0 and done.out.startswith(f"oust side=3 pie_rule=true, against {bot}\n")
    assert evaluate(f"sb3 path={tmp_path / 'b'}", "oust side=3", games=10).games == (5, 5)
    other = "is for another game or board than "
    for script, words, told in (
        ("train_maskable_ppo", ("rive", "side=3", "--opponent", bot), f"{other}rive side=3"),
        ("train_maskable_ppo", ("--opponent", "sb3 path=nothing"), "can be read"),
        ("self_play_ppo", ("oust", "side=4", "--bot", bot), f"{other}oust side=4"),
    ):
        wrong = run(script, *words, folder=tmp_path)
        assert wrong.code == 2 and told in wrong.err and "Traceback" not in wrong.err, wrong


# The notebook


def kinds(cell: Any) -> list[str]:
    """What a cell shows: text, or by its best form a picture."""
    found = []
    for output in cell.outputs:
        assert output.output_type in ("stream", "execute_result"), output
        data = output.get("data", {"text/plain": ""})
        found.append("picture" if "image/svg+xml" in data else "text")
        assert set(data) <= {"image/svg+xml", "text/plain"}
    return sorted(set(found))


def text(cell: Any) -> str:
    return "".join(output.get("text", "") for output in cell.outputs)


def stored() -> Any:
    found: Any = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    return found


def executed() -> Any:
    """The notebook with the outputs of now, and without the times at which they came."""
    notebook = stored()
    settings: dict[str, Any] = {"timeout": 300, "kernel_name": "python3", "record_timing": False}
    quiet = {**os.environ, "HEXGAMES_QUIET": "1"}  # not where compiled code is kept
    nbclient.NotebookClient(notebook, **settings).execute(env=quiet)
    notebook.metadata["language_info"] = {"name": "python"}  # not which Python it was
    return notebook


def test_the_notebook_shows_what_it_would_show_now() -> None:
    """If not: ``PYTHONPATH=tests python tests/stacks/test_examples_that_learn.py`` writes it."""
    nbformat.validate(stored())
    before, after = (
        [c for c in nb.cells if c.cell_type == "code"] for nb in (stored(), executed())
    )
    assert [cell.execution_count for cell in before] == [*range(1, len(before) + 1)]
    assert all(kinds(cell) for cell in before), "a cell shows nothing"
    assert [kinds(cell) for cell in after] == [kinds(cell) for cell in before]
    assert sum("picture" in kinds(cell) for cell in before) >= 5
    learns = next(k for k, cell in enumerate(before) if "import torch" in cell.source)
    assert [text(cell) for cell in after[:learns]] == [text(cell) for cell in before[:learns]]
    rates = [float(rate) for rate in re.findall(r"([\d.]+)% +[\d.]+%$", text(after[learns]), re.M)]
    assert rates[-1] > 85, "against random, at the end"


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)  # type: ignore[no-untyped-call]
