"""The examples in docstrings run, those of every module whose libraries are installed."""

from __future__ import annotations

import ast
import doctest
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "hexgames_env"
EXTRAS = {"torch", "stable_baselines3", "sb3_contrib", "pygame", "PIL", "tqdm", "rich"}


def needs(file: Path) -> set[str]:
    """The libraries of an extra that a module imports at its top."""
    found = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module).split(".")[0])
    return found & EXTRAS


def modules() -> list[str]:
    files = sorted(PACKAGE.rglob("*.py"))
    names = {
        file: ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts) for file in files
    }
    return [
        name.removesuffix(".__init__")
        for file, name in names.items()
        if not name.endswith("__main__") and all(find_spec(library) for library in needs(file))
    ]


@pytest.mark.parametrize("name", modules())
def test_examples(name: str) -> None:
    module = import_module(name)
    assert module.__doc__ or name.endswith((".envs", ".games")), f"{name} has no docstring"
    failed, tried = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    written = len(re.findall(r"^ *>>> ", source, re.MULTILINE))
    assert (failed, tried) == (0, written), "examples that doctest does not find"
