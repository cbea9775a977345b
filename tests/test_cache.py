"""What is compiled is kept, found again, never taken for something else, and never in the way."""

from __future__ import annotations

import inspect
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from hexgames_env import game_names, kernel, make_game
from hexgames_env.core import loops, policies
from hexgames_env.engine.cache import fingerprint
from processes import POWERLESS, ROOT, finish, run, start

DIGESTS = """
import sys, warnings
warnings.simplefilter("always")
from digests import digest
from hexgames_env import make_game, register_game
from toy_game import Duo
register_game(Duo)
for name in sys.argv[1:]:
    print(name, digest(make_game(name), 1))
"""
# A kernel with a callee, small, so that it compiles in a moment; it tells whether it did.
SMALL = """
import sys, warnings
warnings.simplefilter("always")
from typing import Any
from numba.core import event
from hexgames_env import kernel
@kernel
def twice(x: Any) -> Any:
    return 2 * x
@kernel
def twice_and_one(x: Any) -> Any:
    return twice(x) + 1
with event.install_recorder("numba:compile") as recorder:
    print(twice_and_one(20), twice_and_one(0.5))
print("compiled" if recorder.buffer else "kept")
"""
ANSWER = "41 2.0"


def small(cache: Path, code: str = SMALL) -> tuple[str, str]:
    """Whether the small kernel was compiled, and what was said."""
    (answer, how), said = run(code, NUMBA_CACHE_DIR=str(cache))
    assert answer == ANSWER
    return how, said


def copy_of_the_package(folder: Path) -> Path:
    """Its sources, which can be changed also where those of this checkout can't."""
    copy = folder / "hexgames_env"
    shutil.copytree(ROOT / "hexgames_env", copy, ignore=shutil.ignore_patterns("__pycache__"))
    for place in (copy, *copy.rglob("*")):
        place.chmod(0o755 if place.is_dir() else 0o644)
    return copy


def kept(cache: Path) -> list[Path]:
    return sorted(cache.glob("*.kernel"))


# What is kept is right


@pytest.mark.machines
@pytest.mark.slow
def test_games_compiled_apart_play_together(tmp_path: Path) -> None:
    # Once one game ran another's loops: numba's names for both were the same.
    def digests_of(*names: str) -> list[str]:
        return run(DIGESTS, *names, NUMBA_CACHE_DIR=str(tmp_path))[0]

    (oust,), (duo,) = digests_of("oust"), digests_of("duo")
    assert digests_of("oust", "duo") == [oust, duo]
    assert digests_of("duo", "oust") == [duo, oust]


@pytest.mark.long
@pytest.mark.surroundings
def test_code_is_kept_and_found_again(tmp_path: Path) -> None:
    assert small(tmp_path) == ("compiled", "")
    assert len(kept(tmp_path)) == 4  # two kernels for two types
    assert small(tmp_path) == ("kept", "")
    assert sorted(tmp_path.iterdir()) == kept(tmp_path)  # nothing lies about


def test_loops_tell_where_they_stand() -> None:
    """Python 3.13 could not save a loop that told the file of the game with a line of another."""
    for name in game_names():
        for loop in (loops.advance, loops.step_rows, loops.play_rows, policies.duel_rows):
            function = make_game(name).compiled(loop).py_func  # type: ignore[attr-defined]
            assert f"loop\ndef {function.__name__}(" in inspect.getsource(function)


BASE = """
from typing import Any
from hexgames_env import kernel
STEP = 1
@kernel
def rule(x: Any) -> Any:
    return x + STEP
"""
LOOP = """
from typing import Any
from hexgames_env import kernel
import base
from base import rule
@kernel
def loop(x: Any) -> Any:
    return rule(x) + base.STEP + base.rule(x)
"""


def test_code_follows_every_source_it_uses(tmp_path: Path) -> None:
    # A game kept the rules of a file that had been edited, when it stood in another file.
    def answer(base: str, loop: str = LOOP) -> list[str]:
        (tmp_path / "base.py").write_text(base)
        (tmp_path / "loop.py").write_text(loop)
        cache = str(tmp_path / "cache")
        code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.dont_write_bytecode = True"
        return run(f"{code}; import loop; print(loop.loop(10))", NUMBA_CACHE_DIR=cache)[0]

    assert answer(BASE) == ["23"]
    assert answer(BASE.replace("STEP = 1", "STEP = 3")) == ["29"]
    assert answer(BASE.replace("x + STEP", "x * STEP")) == ["21"]
    assert answer(BASE, LOOP.replace("return rule", "return 5 * rule")) == ["67"]
    assert answer(BASE) == ["23"]  # and finds the first again


@pytest.mark.long
@pytest.mark.slow
def test_a_game_follows_the_file_of_its_base(tmp_path: Path) -> None:
    toy = (ROOT / "tests" / "toy_game.py").read_text()
    (tmp_path / "variant.py").write_text(
        "from base_game import Duo\nclass DuoB(Duo):\n    name = 'duo_b'\n"
    )
    code = f"""
import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.dont_write_bytecode = True
from variant import DuoB
state, players = DuoB().initial_state(0), []
for action in range(7):
    players.append(state.to_play)
    state.step(action)
print(*players)
"""

    def players(source: str) -> str:
        (tmp_path / "base_game.py").write_text(source)
        ((line,), _) = run(code, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
        return line

    two = players(toy)
    one = players(toy.replace("elif rows[b, HEADER, SECOND] == 0:", "elif False:"))
    assert two == "0 0 1 1 0 0 1" and one == "0 1 0 1 0 1 0"
    assert players(toy) == two


@pytest.mark.long
def test_a_game_in_several_files_follows_each(package: Path) -> None:
    code = """
from hexgames_env import make_game
from hexgames_env.core import loops
from hexgames_env.engine.cache import fingerprint
print(fingerprint(make_game("gipf").compiled(loops.advance)))
"""

    def made_from(file: str, old: str, new: str) -> str:
        path = package / "hexgames_env" / "games" / "gipf" / file
        source = path.read_text()
        assert source.count(old) == 1
        path.write_text(source.replace(old, new))
        ((line,), _) = run(code, path=package, PYTHONDONTWRITEBYTECODE="1")
        path.write_text(source)
        return line

    as_it_is = made_from("geometry.py", "dots = sorted(", "dots = sorted(")
    edits = [
        made_from("kernels.py", "pairs & (pairs >> (_2 * shift))", "pairs & (pairs >> shift)"),
        made_from("geometry.py", "np.array([1, 8, 9]", "np.array([1, 8, 10]"),
        made_from("geometry.py", "COLUMN_0 = np.uint64(0x01", "COLUMN_0 = np.uint64(0x00"),
    ]
    assert len({as_it_is, *edits}) == 4
    assert made_from("variants.py", "reserve=18", "reserve=16") == as_it_is  # no part of kernels


@pytest.mark.long
def test_two_versions_of_the_package_share_a_folder(tmp_path: Path) -> None:
    other = copy_of_the_package(tmp_path)
    source = (other / "engine" / "rng.py").read_text()
    edited = source.replace("np.uint64(n)) >> _32", "np.uint64(n)) >> _31")
    assert edited != source
    (other / "engine" / "rng.py").write_text(edited)
    code = """
from typing import Any
import numpy as np
from hexgames_env import kernel
from hexgames_env.engine import below
@kernel
def half(n: Any) -> Any:
    return below(np.uint64(2**63), n)
print(half(100))
"""
    cache = str(tmp_path / "cache")
    for _ in range(2):
        assert run(code, NUMBA_CACHE_DIR=cache)[0] == ["50"]
        assert run(code, path=tmp_path, NUMBA_CACHE_DIR=cache)[0] == ["100"]


@pytest.mark.long
def test_one_kernel_twice_in_a_process(tmp_path: Path) -> None:
    """As when the cell of a notebook is run again; the second finds what the first has kept."""
    begin, end = SMALL.index("@kernel"), SMALL.index("with event")
    code = SMALL[:end] + "first = twice_and_one\nfirst(1)\n" + SMALL[begin:]
    assert small(tmp_path, code)[0] == "compiled"
    assert small(tmp_path, code)[0] == "kept"


def test_a_module_that_python_does_not_know(tmp_path: Path) -> None:
    """What is compiled there could not be read again: it is not kept, and that is told."""
    file = tmp_path / "unknown.py"
    file.write_text("from hexgames_env import kernel\n@kernel\ndef half(x):\n    return x / 2\n")
    code = f"""
import sys, warnings
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("unknown", {str(file)!r})
module = module_from_spec(spec)
spec.loader.exec_module(module)
with warnings.catch_warnings(record=True) as caught:
    print(module.half(3))
print(caught[0].message)
"""
    for _ in range(2):
        (answer, told), _ = run(code, NUMBA_CACHE_DIR=str(tmp_path / "kept"))
        assert answer == "1.5" and "half" in told
        assert "is not kept, since its module 'unknown' is not in sys.modules" in told


# What a kernel is made of


def test_a_fingerprint_tells_what_matters() -> None:
    def made(body: str, *, doc: str = "", lines: int = 0, **names: Any) -> Any:
        source = "\n" * lines + f"def f(x):\n    {doc!r}\n    {body}\n"
        names = {"helper": kernel(lambda x: x), "NUMBER": 1, "TABLE": np.arange(3), **names}
        exec(compile(source, "<test>", "exec"), {"np": np, "__name__": __name__, **names}, names)
        function = names["f"]
        function.__globals__.update(names)
        return function

    body = "return helper(x) + NUMBER + TABLE[0] + np.uint64(1)"
    base = fingerprint(kernel(made(body)))
    assert fingerprint(kernel(made(body, doc="told otherwise", lines=7))) == base
    others = [
        kernel(made(body.replace("x)", "x + 1)"))),
        kernel(made(body.replace("uint64", "uint32"))),
        kernel(made(body.replace("uint64(1)", "uint64(2)"))),
        kernel(made(body, NUMBER=2)),
        kernel(made(body, NUMBER=1.0)),
        kernel(made(body, NUMBER=np.uint64(1))),
        kernel(made(body, TABLE=np.arange(1, 4))),
        kernel(made(body, TABLE=np.arange(3, dtype=np.int32))),
        kernel(made(body, helper=kernel(lambda x: x + 1))),
        kernel(made(body, helper=kernel(lambda x: x, inline=True))),
        kernel(made(body), nogil=False),
    ]
    prints = [fingerprint(other) for other in others]
    assert len({base, *prints}) == 1 + len(others)


def test_a_kernel_that_uses_itself_has_a_fingerprint() -> None:
    names: dict[str, Any] = {"__name__": __name__}
    exec("def f(x):\n    return f(x - 1) if x > 0 else 0\n", names)
    names["f"] = kernel(names["f"])
    assert names["f"](3) == 0
    assert fingerprint(names["f"]) == fingerprint(names["f"])


def test_what_can_not_be_told_apart_is_not_kept() -> None:
    class Odd:
        pass

    odd, plain = Odd(), numba.njit(lambda x: x)

    def f(x: Any) -> Any:
        return odd is x

    def g(x: Any) -> Any:
        return plain(x)

    with pytest.raises(TypeError, match="which can't be told from others"):
        fingerprint(kernel(f))
    with pytest.raises(TypeError, match="which is no kernel"):
        fingerprint(kernel(g))
    with pytest.warns(RuntimeWarning, match=r"is not kept, since it calls .* which is no kernel"):
        assert kernel(g)(3) == 3


REBOUND = """
import sys
from typing import Any
from hexgames_env import kernel
K = int(sys.argv[1])
@kernel
def g(x: Any) -> Any:
    return x + K
@kernel
def h(x: Any) -> Any:
    return g(x)
"""


@pytest.mark.machines
def test_a_global_that_changes_leaves_no_wrong_code(tmp_path: Path) -> None:
    """As in a notebook: what is compiled later has the new value, what was compiled the old one."""
    cache = str(tmp_path)
    changing = REBOUND + "print(g(0), end=' '); K = 2; print(g(0.0), h(0), end=' ')\n"
    changing += "K = 5; g.recompile(); print(g(0))"
    assert run(changing, "1", NUMBA_CACHE_DIR=cache)[0] == ["1 2.0 1 5"]
    for value in (1, 2, 5, 1, 2):
        done, _ = run(REBOUND + "print(g(0), g(0.0), h(0))", str(value), NUMBA_CACHE_DIR=cache)
        assert done == [f"{value} {float(value)} {value}"]


KINDS = {
    "an enumeration": (
        "import enum\nclass Kind(enum.IntEnum):\n    A = VALUE\n",
        "return x + Kind.A",
    ),
    "the order of fields": (
        "from collections import namedtuple\nT = namedtuple('T', 'a b' if VALUE == 1 else 'b a')\n"
        "t = T(1, 2)\n",
        "return x + t.a",
    ),
}


def test_an_exception_table_is_code_too() -> None:
    def inside(x: Any) -> Any:
        try:
            y = 1 // x
            x = y
        except Exception:
            return -1
        return x

    def outside(x: Any) -> Any:
        try:
            y = 1 // x
        except Exception:
            return -1
        else:
            x = y
        return x

    inside.__name__ = outside.__name__ = "f"
    assert fingerprint(kernel(inside)) != fingerprint(kernel(outside))


@pytest.mark.parametrize("kind", ["an enumeration", "the order of fields"])
def test_other_kinds_of_globals(kind: str) -> None:
    before, body = KINDS[kind]

    def made(value: int) -> Any:
        names: dict[str, Any] = {"VALUE": value, "__name__": __name__}
        exec(f"{before}\ndef f(x):\n    {body}\n", names)
        return kernel(names["f"])

    assert fingerprint(made(1)) == fingerprint(made(1))
    assert fingerprint(made(1)) != fingerprint(made(2))
    assert made(1)(10) + 1 == made(2)(10)


def test_a_fingerprint_is_the_same_in_each_process() -> None:
    code = """
from typing import Any
from hexgames_env import kernel
from hexgames_env.engine.cache import fingerprint
NAMES = frozenset({"ab", "cd", "ef"})
@kernel
def f(x: Any) -> Any:
    return x in {"gh", "ij", "kl"} and NAMES is x
print(fingerprint(f))
"""
    assert run(code, PYTHONHASHSEED="1")[0] == run(code, PYTHONHASHSEED="2")[0]


# Files and folders that are not as they should be


def shorten(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], Any]] = {
    "emptied": lambda file: file.write_bytes(b""),
    "cut short": shorten,
    "cut in the middle": lambda file: file.write_bytes(file.read_bytes()[:1000]),
    "zeroed": lambda file: file.write_bytes(bytes(file.stat().st_size)),
    "one bit": flip,
    "foreign": lambda file: file.write_text("something else"),
    "a pickle": lambda file: file.write_bytes(b"\x80\x04N."),
}


@pytest.mark.machines
def test_a_damaged_file_costs_a_warning_and_is_mended(tmp_path: Path) -> None:
    ways = list(DAMAGE.values())
    while ways:
        small(tmp_path)
        for file in kept(tmp_path):
            ways.pop()(file) if ways else shorten(file)
        done, said = small(tmp_path)
        assert done == "compiled" and said.count("RuntimeWarning") == len(kept(tmp_path)) == 4
        for file in kept(tmp_path):
            assert f"{file} can't be used (it is damaged, or was written by something else)" in said
        assert small(tmp_path) == ("kept", "")


@pytest.mark.long
def test_folders_in_place_of_files_cost_warnings(tmp_path: Path) -> None:
    small(tmp_path)
    files = kept(tmp_path)
    for file in files:
        file.unlink()
        file.mkdir()
    done, said = small(tmp_path)
    assert done == "compiled" and f"can't be kept in {tmp_path} (Is a directory)" in said
    for file in files:
        assert f"{file} can't be read (Is a directory)" in said
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.machines
@pytest.mark.slow
def test_a_damaged_cache_of_a_game(tmp_path: Path) -> None:
    cache: dict[str, Any] = {"NUMBA_CACHE_DIR": str(tmp_path)}
    told, _ = run(DIGESTS, "duo", **cache)
    for file in kept(tmp_path):
        shorten(file)
    again, said = run(DIGESTS, "duo", **cache)
    assert again == told and "it is damaged" in said
    assert run(DIGESTS, "duo", **cache) == (told, "")


def test_no_room_on_the_disk(tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
    done, said = small(tmp_path, limit + SMALL)
    assert done == "compiled" and said.count("RuntimeWarning") == 1
    assert f"can't be kept in {tmp_path} (File too large)" in said and "NUMBA_CACHE_DIR" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_a_folder_that_became_read_only(tmp_path: Path) -> None:
    small(tmp_path)
    code = SMALL.replace("2 * x", "x + x")  # so that nothing is found
    closed = POWERLESS + f"import os; os.chmod({str(tmp_path)!r}, 0o555)\n"
    closed += f"must_not_write({str(tmp_path)!r})\n"
    before = kept(tmp_path)
    try:
        done, said = small(tmp_path, closed + code)
        assert done == "compiled" and said.count("RuntimeWarning") == 1
        assert f"can't be kept in {tmp_path} (Permission denied)" in said
        assert small(tmp_path, closed + SMALL) == ("kept", "")
    finally:
        tmp_path.chmod(0o755)
    assert kept(tmp_path) == before


@pytest.mark.long
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    small(tmp_path)
    for file in kept(tmp_path):
        file.chmod(0)
    done, said = small(tmp_path, POWERLESS + SMALL)
    assert done == "compiled" and "can't be read (Permission denied)" in said
    assert small(tmp_path) == ("kept", "")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, to put things beside."""
    copy_of_the_package(tmp_path)
    return tmp_path


@pytest.mark.long
@pytest.mark.surroundings
def test_code_is_looked_for_in_a_folder_that_can_not_be_written_to(package: Path) -> None:
    """As in an image that was made by root: what root has compiled serves everybody."""
    home = package / "home"
    home.mkdir()
    changes: dict[str, Any] = {"NUMBA_CACHE_DIR": None, "XDG_CACHE_HOME": None, "HOME": str(home)}
    assert run(SMALL, path=package, **changes)[0] == [ANSWER, "compiled"]
    beside = package / "hexgames_env" / "__pycache__"
    assert len(kept(beside)) == 4 and not list(home.iterdir())
    beside.chmod(0o555)
    closed = POWERLESS + f"must_not_write({str(beside)!r})\n"
    assert run(closed + SMALL, path=package, **changes)[0] == [ANSWER, "kept"]
    other = closed + SMALL.replace("2 * x", "x + x")
    assert run(other, path=package, **changes) == ([ANSWER, "compiled"], "")
    assert len(kept(home / ".cache" / "hexgames_env")) == 4
    assert run(other, path=package, **changes) == ([ANSWER, "kept"], "")
    beside.chmod(0o755)


@pytest.mark.long
@pytest.mark.surroundings
@pytest.mark.parametrize("home", [None, "/dev/null"])
def test_without_any_folder_it_works_with_one_warning(package: Path, home: str | None) -> None:
    beside = package / "hexgames_env" / "__pycache__"
    beside.write_text("a file where a folder should be made")
    code = "import os, pwd\npwd.getpwuid = {}.__getitem__\n" if home is None else ""
    changes: dict[str, Any] = {"NUMBA_CACHE_DIR": None, "XDG_CACHE_HOME": None, "HOME": home}
    done, said = run(code + SMALL, path=package, PYTHONDONTWRITEBYTECODE="1", **changes)
    assert done == [ANSWER, "compiled"] and said.count("RuntimeWarning") == 1
    assert f"can't be kept in {beside}" in said and "set NUMBA_CACHE_DIR" in said


# Several processes, and their ends


@pytest.mark.long
def test_processes_that_compile_at_once(tmp_path: Path) -> None:
    processes = [start(SMALL, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(4)]
    assert [finish(process)[0][0] for process in processes] == [ANSWER] * 4
    assert small(tmp_path) == ("kept", "")
    assert sorted(tmp_path.iterdir()) == kept(tmp_path)


@pytest.mark.machines
@pytest.mark.slow
def test_a_process_killed_while_it_compiles(tmp_path: Path) -> None:
    told, _ = run(DIGESTS, "duo", NUMBA_CACHE_DIR=str(tmp_path / "other"))
    for files in (1, 3, 6):
        process = start(DIGESTS, "duo", NUMBA_CACHE_DIR=str(tmp_path))
        deadline = time.monotonic() + 100
        while len(kept(tmp_path)) < files:
            assert process.poll() is None and time.monotonic() < deadline, "it was not killed"
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    assert run(DIGESTS, "duo", NUMBA_CACHE_DIR=str(tmp_path)) == (told, "")


# Other forms of the package


@pytest.mark.machines
@pytest.mark.slow
def test_the_package_without_its_sources(package: Path) -> None:
    run(
        "import compileall; assert compileall.compile_dir('hexgames_env', quiet=1, legacy=True)",
        path=package,
    )
    for file in (package / "hexgames_env").rglob("*.py"):
        file.unlink()
    changes: dict[str, Any] = {"NUMBA_CACHE_DIR": str(package / "cache")}
    told, said = run(DIGESTS, "duo", path=package, **changes)
    assert (
        said == "" and told == run(DIGESTS, "duo", NUMBA_CACHE_DIR=os.environ["NUMBA_CACHE_DIR"])[0]
    )
    assert kept(package / "cache")


@pytest.mark.machines
@pytest.mark.slow
def test_the_package_in_a_zip(package: Path) -> None:
    archive = shutil.make_archive(str(package / "zip" / "all"), "zip", package, "hexgames_env")
    home = package / "home"
    changes: dict[str, Any] = {"NUMBA_CACHE_DIR": None, "XDG_CACHE_HOME": None, "HOME": str(home)}
    told = run(DIGESTS, "duo", path=Path(archive), **changes)
    assert told == run(DIGESTS, "duo")
    assert kept(home / ".cache" / "hexgames_env")
    assert run(DIGESTS, "duo", path=Path(archive), **changes) == told
