"""What the scripts of examples/, benchmarks/ and .ci/ say, without any library of an extra.

And what of the README's no other test reads.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pettingzoo
import pytest

import processes
from hexgames_env import game_names, make_game
from processes import ROOT, TESTS, Ended, ended

FOLDERS = ("examples", "benchmarks", ".ci")
SCRIPTS = sorted(
    file.relative_to(ROOT).as_posix() for folder in FOLDERS for file in (ROOT / folder).glob("*.py")
)
# What only an extra brings, or a benchmark's peer
OPTIONAL = """
IPython PIL build jax matplotlib nbclient nbformat open_spiel pgx pufferlib pygame pyspiel
readme_renderer rich ruff sb3_contrib stable_baselines3 torch tqdm twine
""".split()
BLOCK = f"""
import sys
for name in {OPTIONAL}:
    sys.modules[name] = None  # to import it raises ModuleNotFoundError
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that keeps optional libraries from every Python that has it on its path."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "sitecustomize.py").write_text(BLOCK)
    return folder


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts where nothing of the project can be harmed, and what they may write to."""
    folder = tmp_path_factory.mktemp("copy")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def run(script: str, *words: str, bare: Path, folder: Path, root: Path = ROOT) -> Ended:
    """Run one there; what it compiles it keeps where all tests do."""
    path = os.pathsep.join(map(str, (bare, ROOT, TESTS)))
    return ended(
        *(sys.executable, "-W", "error", "-B", str(root / script), *words),
        cwd=folder,
        PYTHONPATH=path,
        COLUMNS="200",
    )


def contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


# Help


def test_every_kind_of_script_is_there() -> None:
    assert {Path(name).parent.name for name in SCRIPTS} == set(FOLDERS)
    assert {"random_game", "self_play_ppo", "peers", "surfaces", "release"} <= {
        Path(name).stem for name in SCRIPTS
    }


@pytest.mark.parametrize("script", SCRIPTS)
def test_help_helps_and_does_nothing_else(
    script: str, bare: Path, copy: Path, tmp_path: Path
) -> None:
    before = contents(copy)
    done = run(script, "--help", bare=bare, folder=tmp_path, root=copy)
    assert done.code == 0 and done.err == "", done
    assert done.out.startswith(f"usage: {Path(script).name} ")
    described = done.out.partition("options:")[0]
    assert len(described.split("]\n")[-1].strip()) > 20, "it does not say what it does"
    assert contents(copy) == before and not list(tmp_path.iterdir())


def test_parts_of_other_scripts_say_so(bare: Path, tmp_path: Path) -> None:
    for name in ("common", "surfaces", "puffer"):
        done = run(f"benchmarks/{name}.py", bare=bare, folder=tmp_path)
        assert done.code == 2 and "does nothing by itself" in done.err


# A game and its options

TAKE_A_GAME = [
    "examples/random_game.py",
    "examples/self_play_ppo.py",
    "examples/train_maskable_ppo.py",
    "benchmarks/startup.py",
]
MISTAKES = {
    "oust rive": "one game is wanted, got 'oust' and 'rive'",
    "--options side=4 oust nothing=4": "oust has no option 'nothing'",
    "oust --options 4": "'4' is not NAME=VALUE",
}


@pytest.mark.long
@pytest.mark.parametrize("script", TAKE_A_GAME)
def test_a_wrong_game_is_told_in_words(script: str, bare: Path, tmp_path: Path) -> None:
    for words, told in MISTAKES.items():
        done = run(script, *words.split(), bare=bare, folder=tmp_path)
        assert done.code == 2 and done.out == "", done
        assert told in done.err and "Traceback" not in done.err


@pytest.mark.long
@pytest.mark.parametrize("script", ["self_play_ppo", "train_maskable_ppo"])
def test_trainings_name_what_is_missing_or_wrong(script: str, bare: Path, tmp_path: Path) -> None:
    option = "--bot" if script == "self_play_ppo" else "--opponent"
    for words, told in (
        ([], 'is not installed: pip install ".[sb3]"'),
        ([option, "chess"], "there is no bot 'chess': the bots are random, greedy, "),
        ([option, "greedy depth=2"], "bot 'greedy' does not take depth=2"),
        ([option, "sb3 path=model"], "bot 'sb3' can't be loaded: "),
        (["--steps", "0"], "must be an integer from 1 on, got '0'"),
        (["--seed", "-1"], "from 0 to 2**32 - 1, got '-1'"),
    ):
        done = run(f"examples/{script}.py", *words, bare=bare, folder=tmp_path)
        assert done.code == 2 and done.out == "" and told in done.err, done
        assert "Traceback" not in done.err


# The random game


def play(*words: str, bare: Path, folder: Path) -> Ended:
    return run("examples/random_game.py", *words, bare=bare, folder=folder)


@pytest.mark.parametrize("name", game_names())
def test_a_random_game_of_each(name: str, bare: Path, tmp_path: Path) -> None:
    small = {"gipf": ["variant=basic"], "strands": ["layout=5"]}.get(name, ["side=2"])
    file = tmp_path / "last.svg"
    done = play("--svg", str(file), *small, "--seed", "1", name, bare=bare, folder=tmp_path)
    assert done.code == 0 and done.err == "", done
    game = make_game(name)
    first, *_, summary, picture = done.out.splitlines()
    assert first == f"{game.title}: {game.aim}" and game.aim
    found = re.fullmatch(r"\w+ \(player_\d\) has won: (.*), after (\d+) steps\.", summary)
    assert found, summary
    assert done.out.count("to_play=") == int(found[2]) + 1
    assert picture == f"A picture of the last position: {file}"
    assert found[1] in file.read_text(encoding="utf-8")


@pytest.mark.long
def test_the_picture_goes_where_it_is_told(bare: Path, tmp_path: Path) -> None:
    words = ("oust", "--side", "2")
    plain = play(*words, bare=bare, folder=tmp_path)
    *lines, last = plain.out.splitlines()
    file = Path(last.partition(": ")[2])
    assert plain.code == 0 and not list(tmp_path.iterdir())
    assert ElementTree.fromstring(file.read_text(encoding="utf-8")).tag.endswith("svg")
    file.unlink()
    file.parent.rmdir()  # it is new, and nothing else is in it
    none = play("--no-svg", *words, bare=bare, folder=tmp_path)
    assert none == (0, "\n".join(lines) + "\n", "")
    assert play("--svg", "a.svg", *words, bare=bare, folder=tmp_path).code == 0
    assert [found.name for found in tmp_path.iterdir()] == ["a.svg"]
    for wrong in ("nowhere/a.svg", "."):
        done = play("--svg", wrong, *words, bare=bare, folder=tmp_path)
        assert done.code == 1 and "the picture can't be written: " in done.err


def test_the_first_run_is_short(bare: Path, tmp_path: Path) -> None:
    """README's first command; people read it from the end."""
    done = play("oust", "--side", "4", "--no-svg", bare=bare, folder=tmp_path)
    assert done.code == 0 and 10 <= done.out.count("to_play=") <= 25
    assert max(map(len, done.out.splitlines())) <= 100


# README

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readmes_pettingzoo_loop(capsys: pytest.CaptureFixture[str]) -> None:
    ((version, code),) = re.findall(
        r"<!-- pettingzoo ([\d.]+) -->\n```py\n(.*?)```", README, re.DOTALL
    )
    assert f"({version} or newer; `oust_v0.env(side=7)`" in README
    if not hasattr(pettingzoo, "make"):
        made = 'pettingzoo.make("aec", "hexgames/oust-v0", side=7)'
        assert made in code
        code = code.replace(made, "hexgames_env.oust_v0.env(side=7)")
    np.random.seed(1)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    assert re.match(r"player_[01] ", capsys.readouterr().out)


def test_the_readme_says_how_to_cite() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    (year,) = re.findall(r"^date-released: (\d{4})-", cited, re.MULTILINE)
    plain = re.sub(r"[{}\\]", "", README)
    for name, kind in (("title", r'^title: "(.*)"$'), ("author", r"^  - name: (.*)$")):
        (what,) = re.findall(kind, cited, re.MULTILINE)
        assert f"  {name} = {what},\n" in plain
    assert f"  year = {year}\n" in plain


def test_the_readme_lists_all_bots_and_what_is_there() -> None:
    (names,), _ = processes.run("from hexgames_env.bots import bot_names; print(*bot_names())")
    for name in names.split():  # in a process where no other test has registered one
        assert re.search(rf"^\| `{name}\b", README, re.MULTILINE), name
    for file in re.findall(r"[\w/]+\.(?:py|ipynb|md|svg|gif|cff)\b", README):
        places = (ROOT / file, ROOT / "examples" / file, ROOT / "benchmarks" / file)
        assert any(place.exists() for place in places), file
