"""Layers: imports point down only, and importing the package costs and does next to nothing."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from processes import run
from test_docs import needs

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
BARS = {"cli.progress"}  # by tqdm, if it is there

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


class Private(NamedTuple):
    """A name with an underscore where it is defined, or where it is used."""

    module: str
    line: int
    owner: str  # "self" inside a class, else the expression before the dot, or the module imported
    name: str
    inside: str  # the class, or ""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def privates_used(module: str, tree: ast.AST, inside: str = "") -> Iterator[Private]:
    """Attributes, names of other modules, and strings that ask for an attribute."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            owner = ast.unparse(node.value)
            own = inside and owner in ("self", "cls", "super()", inside)
            yield Private(module, node.lineno, "self" if own else owner, node.attr, inside)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if is_private(alias.name):
                    yield Private(module, node.lineno, str(node.module), alias.name, inside)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "setattr"):
            what, name = node.args[:2]
            asked = name.value if isinstance(name, ast.Constant) else ""
            if is_private(str(asked)):
                yield Private(module, node.lineno, ast.unparse(what), str(asked), inside)
        within = node.name if isinstance(node, ast.ClassDef) else inside
        yield from privates_used(module, node, within)


def privates_defined(module: str, tree: ast.AST) -> Iterator[Private]:
    """What classes define: methods, class attributes, slots, and attributes of self."""
    for owner in ast.walk(tree):
        if not isinstance(owner, ast.ClassDef):
            continue
        names = {node.name for node in owner.body if isinstance(node, ast.FunctionDef)}
        settings = [node for node in owner.body if isinstance(node, (ast.Assign, ast.AnnAssign))]
        of_class = [node for setting in settings for node in ast.walk(setting)]
        for node in ast.walk(owner):
            match node:
                case ast.Name(ctx=ast.Store(), id=name) if node in of_class:
                    names.add(name)
                case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store(), attr=name):
                    names.add(name)
        for name in filter(is_private, names):
            yield Private(module, owner.lineno, "self", name, owner.name)


def trees() -> dict[str, ast.Module]:
    return {module: ast.parse(file.read_text(encoding="utf-8")) for module, file in MODULES.items()}


def privates_of_others(modules: dict[str, ast.Module]) -> list[Private]:
    """Uses of names with an underscore that are another room's, or that might be.

    On ``self`` a name is right if the class defines it, or one of this room from which it is
    derived.  On anything else a class of this room must define it, and none of another room that
    could stand here, from the rooms below: what such an expression is can't be seen from its text.
    """
    defined: dict[str, set[tuple[str, str]]] = {}
    bases: dict[tuple[str, str], list[str]] = {}
    for module, tree in modules.items():
        room = module.split(".")[0]
        for private in privates_defined(module, tree):
            defined.setdefault(private.name, set()).add((room, private.inside))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases[room, node.name] = [ast.unparse(base) for base in node.bases]
    wrong = []
    for module, tree in modules.items():
        room = module.split(".")[0]
        for used in privates_used(module, tree):
            owners = defined.get(used.name, set())
            if used.owner == "self":
                line = [used.inside]
                for name in line:  # which grows meanwhile
                    line += bases.get((room, name), [])
                fine = any((room, name) in owners for name in line)
            else:
                fine = any(other == room for other, _ in owners) and not any(
                    room_of(other) < room_of(module) for other, _ in owners if other != room
                )
            if not fine:
                wrong.append(used)
    return wrong


@pytest.mark.parametrize("module", MODULES)
def test_a_module_can_be_read_at_a_sitting(module: str) -> None:
    assert len(MODULES[module].read_text(encoding="utf-8").splitlines()) <= 600


def test_no_room_uses_the_privates_of_another() -> None:
    """Names with an underscore belong to the class that defines them, and to its room."""
    wrong = privates_of_others(trees())
    found = {(used.module, used.name) for used in wrong}
    assert not [used for used in wrong if (used.module, used.name) not in OF_LIBRARIES]
    assert found == set(OF_LIBRARIES), "these are used no more"


def test_a_class_hides_nothing_that_one_of_another_room_keeps_to_itself() -> None:
    """`Game` has names with an underscore: a game that used one for itself would break it."""
    defined: dict[str, set[str]] = {}
    for module, tree in trees().items():
        for private in privates_defined(module, tree):
            defined.setdefault(f"{module}:{private.inside}", set()).add(private.name)
    compared = 0
    for where, names in defined.items():
        module, _, name = where.partition(":")
        if not all(find_spec(library) for library in needs(MODULES[module])):
            continue
        owner = getattr(import_module(f"hexgames_env.{module}"), name)
        for base in owner.__mro__[1:]:
            kept = defined.get(f"{base.__module__.removeprefix('hexgames_env.')}:{base.__name__}")
            if kept and base.__module__.split(".")[1] != module.split(".")[0]:
                assert not names & kept, f"{where} hides what {base.__name__} has"
                compared += 1
    assert compared > 2


PLANTED = {
    "bots": "def ask(batch):\n    return batch._rows",
    "stacks": "class Env:\n    def __init__(self):\n        self._rows = 1\n"
    "    def ask(self, batch):\n        return batch._rows",
    "games": "class Chess(Game):\n    def ask(self):\n        return self._advance",
    "envs": "from hexgames_env.core.registry import _GAMES",
    "rendering": "def ask(state):\n    return getattr(state, '_status')",
}


@pytest.mark.long
@pytest.mark.parametrize("room", PLANTED)
def test_privates_of_another_room_are_found(room: str) -> None:
    """Also where a class of this room has the same name for something of its own."""
    modules = {**trees(), f"{room}.planted": ast.parse(PLANTED[room])}
    assert [used for used in privates_of_others(modules) if used.module == f"{room}.planted"]


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
    ("engine.jit", "_cache"): None,  # set by numba's Dispatcher when it is made
    ("engine.cache", "_cache"): None,
    ("engine.cache", "_fields"): None,  # of any named tuple, as Python documents it
    ("engine.cache", "_asdict"): COMPILED,  # one too
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
            allowed = any(fnmatch(module, name) for name in FOR_TRAINING) or (
                library == "tqdm" and module in BARS and in_function
            )
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
