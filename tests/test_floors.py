"""The house: imports point down only, and importing the package costs and does next to nothing."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "hexgames_env"

# From the ground up.  A module may import from the floors below its own; a new one needs a place.
FLOORS = [
    "errors _jit",
    "board options",
    "drivers registry symmetry scene",
    "players",
    "state",
    "game",
    "games games.*",  # never each other
    "batch",
    "rendering rendering.*",
    "agents agents.*",
    "envs envs.learner envs.registration",
    "envs.aec envs.single_agent envs.vector",  # adapters: never each other
    "envs.sb3",  # what Stable-Baselines3 wants, around envs.vector
    "*_v0",
    "hexgames_env",
]
OPEN = ("rendering", "agents")  # packages whose modules may import each other
UPWARDS = {("state", "rendering")}  # when State.to_svg is called: pictures are a method of a state
NUMBA = {"_jit"}
PETTINGZOO = {"envs.aec", "envs.registration"}
GYMNASIUM = "envs.*"
DRAWING = {"pygame", "PIL", "matplotlib", "cairosvg", "cairo", "imageio"}
CORE = {"numpy", "numba", "gymnasium", "pettingzoo"}
TRAINING = {"torch", "stable_baselines3", "sb3_contrib", "tqdm", "rich"}
FOR_TRAINING = ("envs.sb3", "agents.*")

MODULES = {
    ".".join(file.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): file
    for file in sorted(PACKAGE.rglob("*.py"))
}
MODULES["hexgames_env"] = MODULES.pop("__init__")


def floor_of(module: str) -> int:
    found = [
        floor
        for floor, names in enumerate(FLOORS)
        if any(fnmatch(module, n) for n in names.split())
    ]
    assert len(found) == 1, f"{module} must have one place in FLOORS, has {found}"
    return found[0]


def imports_of(module: str, tree: ast.AST, in_function: bool = False) -> Iterator[tuple[str, bool]]:
    """What a module imports, ours without the package's name; whether only inside a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, in_function
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            base = str(node.module)
            for alias in node.names:
                inner = f"{base}.{alias.name}".removeprefix("hexgames_env.")
                yield inner if inner in MODULES else base, in_function
        else:
            inside = in_function or isinstance(node, (ast.FunctionDef, ast.Lambda))
            yield from imports_of(module, node, inside)


def all_imports() -> Iterator[tuple[str, str, bool]]:
    for module, file in MODULES.items():
        for name, in_function in imports_of(module, ast.parse(file.read_text(encoding="utf-8"))):
            yield module, name, in_function


def ours(name: str) -> str | None:
    """The module's name without the package's, None if it is no module of ours."""
    if name.split(".")[0] != "hexgames_env" and name not in MODULES:
        return None
    return name.removeprefix("hexgames_env.")


def test_imports_point_down() -> None:
    wrong = []
    for module, name, in_function in all_imports():
        target = ours(name)
        if target is None:
            continue
        above, below = floor_of(module), floor_of(target)
        package = module.split(".")[0]
        at_home = package in OPEN and target.split(".")[0] == package
        if below >= above and not at_home and not (in_function and (module, target) in UPWARDS):
            wrong.append(f"{module} imports {target}")
    assert not wrong


def test_every_module_has_its_floor() -> None:
    for module in MODULES:
        floor_of(module)
    for module, target in UPWARDS:
        assert module in MODULES and target in MODULES


def test_libraries_are_imported_in_few_places() -> None:
    wrong = []
    for module, name, in_function in all_imports():
        library = name.split(".")[0]
        if library in sys.stdlib_module_names or ours(name) is not None:
            continue
        if library == "numba":
            allowed = module in NUMBA
        elif library == "pettingzoo":
            allowed = module in PETTINGZOO
        elif library == "gymnasium":
            allowed = fnmatch(module, GYMNASIUM)
        elif library in DRAWING:
            allowed = module.startswith("rendering") and in_function
        elif library in TRAINING:
            allowed = any(fnmatch(module, name) for name in FOR_TRAINING)
        else:
            allowed = library in CORE
        if not allowed:
            wrong.append(f"{module} imports {name}")
    assert not wrong


def python(code: str, *arguments: str, **changes: str | None) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, with changes to the variables of its environment."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **changes}
    given = {name: value for name, value in env.items() if value is not None}
    return subprocess.run(
        [sys.executable, *arguments, "-c", code],
        env=given,
        cwd=given["PYTHONPATH"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


IMPORT = """
import sys, warnings
import gymnasium, numba, numpy, pettingzoo
from numba.core import event
warnings.simplefilter("error")
before = set(sys.modules)
with event.install_recorder("numba:compile") as recorder:
    import hexgames_env
    import hexgames_env.envs.registration as registration
    registration.register_all()
assert not recorder.buffer, "something was compiled"
new = {name for name in set(sys.modules) - before}
print(*sorted(new))
ids = [f"hexgames/{name}-v0" for name in hexgames_env.game_names()]
assert all(id in pettingzoo.aec_registry for id in ids), pettingzoo.aec_registry
for name in list(sys.modules):
    if name.partition(".")[0] == "hexgames_env":
        del sys.modules[name]
import hexgames_env  # anew, in a process that has the ids already
"""


def test_importing_registers_without_a_warning_and_compiles_nothing() -> None:
    done = python(IMPORT)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    new = done.stdout.split()
    assert "hexgames_env.game" in new
    assert not [name for name in new if name.startswith("hexgames_env.games.")]
    assert not {name.split(".")[0] for name in new} & (DRAWING | TRAINING)


def test_the_first_game_imports_no_drawing_library() -> None:
    done = python(
        "import sys\n"
        "from hexgames_env import oust_v0\n"
        "env = oust_v0.env(side=2, render_mode='ansi')\n"
        "env.reset(seed=1)\n"
        "env.step(0)\n"
        "print(env.render())\n"
        "print(env.game_state.to_svg()[:4])\n"
        "print(*sorted(sys.modules))"
    )
    assert done.returncode == 0, done.stderr
    assert "<svg" in done.stdout
    *_, modules = done.stdout.splitlines()
    assert not {name.split(".")[0] for name in modules.split()} & (DRAWING | TRAINING)


NOWHERE = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import hexgames_env
    assert hexgames_env.__file__.startswith({folder!r}), hexgames_env.__file__
    from hexgames_env import oust_v0
    env = oust_v0.env(side=2)
    env.reset(seed=1)
    while not any(env.terminations.values()):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    oust_v0.env(side=3)
print(env.winner)
for warning in caught:
    print(warning.category.__name__, warning.message)
"""


@pytest.fixture
def unwritable(tmp_path: Path) -> Path:
    """A copy of the package that nobody, root neither, can put compiled code beside."""
    shutil.copytree(
        PACKAGE, tmp_path / "hexgames_env", ignore=shutil.ignore_patterns("__pycache__")
    )
    for folder in (tmp_path / "hexgames_env").rglob("*"):
        if folder.is_dir():
            (folder / "__pycache__").write_text("a file where a folder should be made")
    (tmp_path / "hexgames_env" / "__pycache__").write_text("a file where a folder should be made")
    return tmp_path


def test_without_a_writable_folder_it_works_with_one_warning(unwritable: Path) -> None:
    done = python(
        NOWHERE.format(folder=str(unwritable)),
        PYTHONPATH=str(unwritable),
        PYTHONDONTWRITEBYTECODE="1",
        NUMBA_CACHE_DIR=None,
        XDG_CACHE_HOME=None,
        HOME="/dev/null",
    )
    assert done.returncode == 0, done.stderr
    winner, *caught = done.stdout.splitlines()
    assert winner in ("player_0", "player_1")
    assert len(caught) == 1 and "Set NUMBA_CACHE_DIR to a writable folder" in caught[0]
    assert caught[0].startswith("RuntimeWarning")
