"""The house: imports point down only, and importing the package costs and does next to nothing."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from processes import run

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "hexgames_env"

# From the ground up.  A module may import from the floors below its own; a new one needs a place.
FLOORS = [
    "errors _cache",
    "_jit",
    "options",
    "board",
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
NUMBA = {"_cache", "_jit"}
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
        if library in ("numba", "llvmlite"):
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
    (line,), said = run(IMPORT)
    assert said == ""
    new = line.split()
    assert "hexgames_env.game" in new
    assert not [name for name in new if name.startswith("hexgames_env.games.")]
    assert not {name.split(".")[0] for name in new} & (DRAWING | TRAINING)


def test_the_first_game_imports_no_drawing_library() -> None:
    lines, _ = run(
        "import sys\n"
        "from hexgames_env import oust_v0\n"
        "env = oust_v0.env(side=2, render_mode='ansi')\n"
        "env.reset(seed=1)\n"
        "env.step(0)\n"
        "print(env.render())\n"
        "print(env.game_state.to_svg()[:4])\n"
        "print(*sorted(sys.modules))"
    )
    assert "<svg" in lines
    *_, modules = lines
    assert not {name.split(".")[0] for name in modules.split()} & (DRAWING | TRAINING)
