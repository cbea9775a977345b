"""The house: imports point down only, and importing the package costs and does next to nothing."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from processes import run

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "hexgames_env"

# The rooms from the ground up, as they stand for people to read.
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROOMS = [
    line.split()[0]
    for line in PAGE.partition("<!-- rooms: from the ground up -->\n```\n")[2]
    .partition("```")[0]
    .splitlines()
]
APART = ("games", "envs", "stacks")  # modules that never import each other, but for what is shared:
SHARED = {"games", "envs", "stacks", "envs.settings"}
UPWARDS = {  # in a function
    ("core.state", "rendering"),  # pictures are a method of a state
    ("cli", "hexgames_env"),  # the version stands there
}
NUMBA = {"engine.cache", "engine.jit"}
PETTINGZOO = {"envs.aec", "envs.registration"}
GYMNASIUM = "envs.*"
DRAWING = {"pygame", "PIL", "matplotlib", "cairosvg", "cairo", "imageio"}
CORE = {"numpy", "numba", "gymnasium", "pettingzoo"}
TRAINING = {"torch", "stable_baselines3", "sb3_contrib", "tqdm", "rich"}
FOR_TRAINING = ("stacks.*",)

MODULES = {
    ".".join(file.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): file
    for file in sorted(PACKAGE.rglob("*.py"))
}
MODULES["hexgames_env"] = MODULES.pop("__init__")


def room_of(module: str) -> int:
    """Its place in the list; the package itself is above all."""
    if module == "hexgames_env":
        return len(ROOMS)
    found = [k for k, room in enumerate(ROOMS) if fnmatch(module.split(".")[0], room)]
    assert len(found) == 1, f"{module} must be in one room of docs/architecture.md, is in {found}"
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


def uses() -> Iterator[tuple[str, str, bool]]:
    """Which module of ours uses which, and whether only inside a function."""
    for module, name, in_function in all_imports():
        target = ours(name)
        if target is not None and target != module:
            yield module, target, in_function


def test_imports_point_down() -> None:
    wrong = [
        f"{module} imports {target}"
        for module, target, in_function in uses()
        if room_of(target) > room_of(module) and not (in_function and (module, target) in UPWARDS)
    ]
    assert not wrong


def test_modules_of_a_room_make_no_circle() -> None:
    below: dict[str, set[str]] = {}
    for module, target, _ in uses():
        if room_of(module) == room_of(target):
            below.setdefault(module, set()).add(target)
    while below:
        free = [m for m, targets in below.items() if not targets & set(below)]
        assert free, f"these import each other: {below}"
        for module in free:
            del below[module]


def test_some_rooms_have_walls() -> None:
    wrong = [
        f"{module} imports {target}"
        for module, target, _ in uses()
        if target.split(".")[0] in APART
        and target not in SHARED
        and module.split(".")[0] == target.split(".")[0]
        and module not in SHARED
        and module.split(".")[1:2] != target.split(".")[1:2]
    ]
    assert not wrong


def test_every_module_has_its_room() -> None:
    for module in MODULES:
        room_of(module)
    for module, target in UPWARDS:
        assert module in MODULES and target in MODULES
    assert {
        room for room in ROOMS if not any(fnmatch(m.split(".")[0], room) for m in MODULES)
    } == set()


def test_no_room_uses_the_privates_of_another() -> None:
    """Names with an underscore belong to the module of their object, or to its room."""
    wrong, found = [], set()
    for module, file in MODULES.items():
        room = module.split(".")[0]
        own = {
            node.attr if isinstance(node, ast.Attribute) else node.name
            for other, source in MODULES.items()
            if other.split(".")[0] == room
            for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))
            or (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
        }
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
                dunder = node.attr.startswith("__")
                if not dunder and node.attr not in own:
                    if (module, node.attr) in OF_LIBRARIES:
                        found.add((module, node.attr))
                    else:
                        wrong.append(f"{module}, line {node.lineno}: {ast.unparse(node)}")
    assert not wrong
    assert found == set(OF_LIBRARIES), "these are used no more"


# Who uses what a library keeps to itself, and where the library has it
AEC_ENV = "pettingzoo:AECEnv"  # to be derived from: PettingZoo's tutorials use these names
VEC_ENV = "stable_baselines3.common.vec_env:VecEnv"  # to be derived from
COMPILED = "numba.core.compiler:CompileResult"  # whose parts are all that can be kept of a kernel
OF_LIBRARIES = {
    ("envs.aec", "_was_dead_step"): AEC_ENV,
    ("envs.aec", "_accumulate_rewards"): AEC_ENV,
    ("stacks.sb3", "_reset_seeds"): VEC_ENV,
    ("stacks.sb3", "_reset_options"): VEC_ENV,
    ("stacks.sb3", "_seeds"): None,  # VecEnv sets it in its seed()
    ("stacks.sb3", "_conv_forward"): "torch.nn:Conv2d",  # a convolution with weights of our own
    ("engine.cache", "_asdict"): COMPILED,  # as any named tuple
    ("engine.cache", "_replace"): COMPILED,
    ("engine.cache", "_reduce"): COMPILED,
    ("engine.cache", "_rebuild"): COMPILED,
}


INSTALLED = {
    where for where in OF_LIBRARIES.values() if where and find_spec(re.split(r"[.:]", where)[0])
}


@pytest.mark.parametrize("where", sorted(INSTALLED))
def test_libraries_still_have_what_they_keep_to_themselves(where: str) -> None:
    module, _, name = where.partition(":")
    owner = getattr(import_module(module), name)
    for (_, attribute), at in OF_LIBRARIES.items():
        assert at != where or hasattr(owner, attribute), attribute


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
registry = getattr(pettingzoo, "aec_registry", ids)  # before 1.27 there is none
assert all(id in registry for id in ids), registry
for name in list(sys.modules):
    if name.partition(".")[0] == "hexgames_env":
        del sys.modules[name]
import hexgames_env  # anew, in a process that has the ids already
"""


@pytest.mark.surroundings
def test_importing_registers_without_a_warning_and_compiles_nothing() -> None:
    (line,), said = run(IMPORT)
    assert said == ""
    new = line.split()
    assert "hexgames_env.core.game" in new
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
