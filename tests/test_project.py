"""What the project's own pages, workflows and tests say is so: versions, stages, names of files."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import hexgames_env
from against import assert_same
from reference.oust import Oust

pytestmark = pytest.mark.surroundings

ROOT = Path(__file__).parent.parent


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def stages() -> set[str]:
    return set(re.findall(r"^stage_(\w+)\(\)", text_of(".ci/run"), re.MULTILINE))


def test_there_is_one_version() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    assert "version" not in project and "version" in project["dynamic"]
    (cited,) = re.findall(r"^version: (.*)$", text_of("CITATION.cff"), re.MULTILINE)
    assert cited == hexgames_env.__version__


def test_the_changelog_begins_with_what_is_not_released() -> None:
    headings = re.findall(r"^## (.*)$", text_of("CHANGELOG.md"), re.MULTILINE)
    version = re.escape(hexgames_env.__version__)
    assert headings[0] == "Unreleased" or re.fullmatch(rf"{version} \(.*\)", headings[0])
    dated = [re.fullmatch(r"\d+\.\d+\.\d+ \((\d{4}-\d\d-\d\d)\)", line) for line in headings[1:]]
    dates = [found[1] for found in dated if found]
    assert len(dates) == len(headings) - 1 and dates == sorted(dates, reverse=True)


def test_workflows_run_all_stages_and_no_others() -> None:
    named: set[str] = set()
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = file.read_text(encoding="utf-8")
        for words in re.findall(r"^ *stages: \[(.*)\]$", text, re.MULTILINE):
            named |= set(words.replace(",", " ").split())
        for words in re.findall(r"bash \.ci/run ([a-z ]+)$", text, re.MULTILINE):
            named |= set(words.split())
    assert named == stages() - {"extras"}  # that one is made when others need it


def test_contributing_names_stages_that_exist() -> None:
    text = text_of("CONTRIBUTING.md")
    named = {
        word for words in re.findall(r"bash \.ci/run ([a-z ]+)", text) for word in words.split()
    }
    named |= set(re.findall(r'stage\s"(\w+)"', text))
    assert named and named <= stages()


def test_contributing_names_files_that_exist() -> None:
    words = set(re.findall(r"[\w./-]+", text_of("CONTRIBUTING.md")))
    files = {word.rstrip(".") for word in words if re.search(r"\w/\w|\w\.(py|md|cff|toml)\b", word)}
    named = {name for name in files if "NAME" not in name and not name.startswith(("//", ".venv"))}
    assert {"docs/architecture.md", "tests/toy_game.py", ".ci/run", "CITATION.cff"} <= named
    assert not [name for name in sorted(named) if not (ROOT / name).exists()]
    for pattern in files - named:  # a file for each game: there is one for rive
        if re.search(r"\bNAME|_NAME", pattern) and "HOST" not in pattern:
            assert (ROOT / pattern.replace("NAME", "rive")).exists(), pattern


def test_contributing_names_all_that_a_game_must_define() -> None:
    text = text_of("CONTRIBUTING.md")
    needed = {"name", "title", "option_types", "phases", "plane_names", "field_names"}
    needed |= hexgames_env.Game.__abstractmethods__
    needed |= set(hexgames_env.core.game.NEEDED)
    assert {word for word in needed if f"`{word}`" not in text} == set()


def test_failing_asserts_of_helpers_say_what_they_saw() -> None:
    state, other = hexgames_env.make_game("oust", side=2).initial_state(), Oust(2)
    assert_same(state, other)
    other.step(3)
    with pytest.raises(AssertionError, match=r"assert \[0, 1, 2, .*\] == \[0, 1, 2, .*\]"):
        assert_same(state, other)
    helpers = {file.stem for file in (ROOT / "tests").glob("*.py")}
    for name in sorted(name for name in helpers if not name.startswith("test_")):
        if name != "conftest":
            assert "@pytest_ar" in vars(import_module(name)), f"pytest does not rewrite {name}"
