"""The examples in docstrings run, where their libraries are installed; what is named is there."""

from __future__ import annotations

import ast
import builtins
import doctest
import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "hexgames_env"
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


# Names between single backticks, and files


@cache
def names_of_the_package() -> set[str]:
    """Whatever is defined, set or taken as an argument anywhere; modules and their files."""
    found = {"concurrent.futures", *dir(builtins)}
    for file in PACKAGE.rglob("*.py"):
        found |= {file.stem, file.name, file.parent.name}
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                    found.add(name)
                case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    found.add(name)
    return found


def resolves(name: str) -> bool:
    """Whether a name that begins with the package's leads to something."""
    owner, *rest = name.split(".")
    found: object = import_module(owner)
    for part in rest:
        owner = f"{owner}.{part}"
        if not hasattr(found, part):
            try:
                found = import_module(owner)
            except ImportError:
                return False
        else:
            found = getattr(found, part)
    return True


TEXTS = [*sorted(PACKAGE.rglob("*.py")), ROOT / "docs" / "architecture.md"]
NAME = re.compile(r"(?<!`)`(\w+(?:\.\w+)*)(?:\(\))?`(?!`)")
FILE = re.compile(r"\b(?:hexgames_env|tests|benchmarks|docs|core|engine)/[\w./]+\.\w{2,4}\b")


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_what_is_named_is_there(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        text = re.sub("## What is still to come.*?\n## ", "## ", text, flags=re.DOTALL)
    else:
        strings = ast.walk(ast.parse(text))
        text = "\n".join(
            node.value
            for node in strings
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ) + "\n".join(re.findall(r"#.*", text))
    known = names_of_the_package()
    missing = [
        name
        for name in set(NAME.findall(text))
        if not (resolves(name) if name.startswith("hexgames_env.") else known >= set(parts(name)))
    ]
    missing += [
        name
        for name in set(FILE.findall(text))
        if not (ROOT / name).exists() and not (PACKAGE / name).exists()
    ]
    assert sorted(missing) == []


def parts(name: str) -> list[str]:
    """What must be known of a dotted name: all of it, or each part."""
    return [name] if name.endswith((".py", ".futures")) else name.split(".")
