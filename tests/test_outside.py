"""The distribution of an outside author, in `tests/outside`, needs public names alone.

`.ci/run outside` installs it and runs its tests; here its syntax trees are read.
"""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

OUTSIDE = Path(__file__).parent / "outside"
FILES = sorted(OUTSIDE.rglob("*.py"))


def public_names(module: str) -> list[str]:
    """What a module of the package names in ``__all__``, read: its libraries need not be there."""
    spec = find_spec(module)
    assert spec is not None and spec.origin is not None
    (names,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    found: list[str] = names
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(OUTSIDE)))
def test_it_uses_public_names_alone(file: Path) -> None:
    wrong = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            wrong += [a.name for a in node.names if a.name.split(".")[0] == "hexgames_env"]
        elif isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "hexgames_env":
            public = public_names(str(node.module))
            wrong += [f"{node.module}.{a.name}" for a in node.names if a.name not in public]
        elif isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            wrong.append(f"line {node.lineno}: {ast.unparse(node)}")
    assert not [name for name in wrong if not name.endswith(".__init__")]


def test_all_its_parts_are_there() -> None:
    """A game, a bot, a compiled loop, a type of option and an environment."""
    names = {file.stem for file in FILES}
    assert names >= {"game", "kernels", "bots", "loops", "options", "envs", "test_crossing"}


def test_public_names_are_what_they_say() -> None:
    """No file of the engine has the name of something that it hands out, and hides it."""
    engine = import_module("hexgames_env.engine")
    modules = [name for name in engine.__all__ if isinstance(getattr(engine, name), ModuleType)]
    assert not modules
