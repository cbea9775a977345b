"""The tests on every Python from 3.12 on that this machine has, and on 3.11 with lowest versions.

    python3 .ci/pythons.py                   what is marked "everywhere": a minute for each
    python3 .ci/pythons.py --whole           the whole suite, to benchmarks/results/pythons.json
    python3 .ci/pythons.py --only lowest     one of them: lowest, 3.11, 3.12, ...
    python3 .ci/pythons.py --need 3.12 3.13  fail unless these are there

Pythons are looked for on the path and among pyenv's; each gets an environment of its own in a
temporary folder.  The lowest versions are those that pyproject.toml names.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "pythons.json"
LOWEST = (3, 11)
TELL = "import sys; print(*sys.version_info[:2], sys.executable)"


def find_pythons() -> dict[tuple[int, int], str]:
    """An interpreter for each version from 3.11 on."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [sys.executable, *(f"python3.{minor}" for minor in range(11, 20))]
    candidates += sorted(map(str, pyenv.glob("3.*/bin/python")))
    found: dict[tuple[int, int], str] = {}
    for candidate in candidates:
        try:
            told = subprocess.run([candidate, "-c", TELL], capture_output=True, text=True)
        except OSError:
            continue
        if told.returncode == 0:  # pyenv's shims are there for versions that are not
            major, minor, executable = told.stdout.split(maxsplit=2)
            found.setdefault((int(major), int(minor)), executable.strip())
    return {version: found[version] for version in sorted(found) if version >= LOWEST}


def lowest_versions() -> list[str]:
    """What the core and its tests need, at the lowest versions that pyproject.toml admits."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = project["dependencies"] + project["optional-dependencies"]["test"]
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+", word) for word in needed), needed
    return [word.replace(">=", "==") for word in needed]


def test(python: str, packages: list[str], tests: list[str]) -> tuple[bool, float, str]:
    """Whether they passed, how many seconds they took, and pytest's last line."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        inside = str(Path(folder) / "bin" / "python")
        install = [inside, "-m", "pip", "install", "--quiet", *packages, f"{ROOT}[test]"]
        subprocess.run(install, check=True)
        begin = time.monotonic()
        done = subprocess.run(
            [inside, "-m", "pytest", "-q", "-n", "auto", *tests],
            cwd=ROOT,
            env={**os.environ, "NUMBA_CACHE_DIR": str(Path(folder) / "kernels")},
            stdout=subprocess.PIPE,
            text=True,
        )
        seconds = time.monotonic() - begin
    print(done.stdout if done.returncode else done.stdout.splitlines()[-1], flush=True)
    return done.returncode == 0, seconds, done.stdout.strip().splitlines()[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--whole", action="store_true", help="the whole suite, and write results")
    parser.add_argument("--need", nargs="*", default=[], help="versions that must be there")
    parser.add_argument("--only", nargs="*", default=[], help="such as lowest, 3.11, 3.13")
    arguments = parser.parse_args()
    pythons = find_pythons()
    missing = [word for word in arguments.need if tuple(map(int, word.split("."))) not in pythons]
    if missing or LOWEST not in pythons:
        there = ", ".join(f"{major}.{minor}" for major, minor in pythons) or "none"
        print(f"Python {', '.join(missing) or '3.11'} is missing; there are {there}")
        return 1
    runs = [(version, python, False) for version, python in pythons.items()]
    runs = [(LOWEST, pythons[LOWEST], True)] + [
        run for run in runs if arguments.whole or run[0] > LOWEST
    ]
    results = []
    for (major, minor), python, lowest in runs:
        if arguments.only and ("lowest" if lowest else f"{major}.{minor}") not in arguments.only:
            continue
        name = f"Python {major}.{minor}, {'lowest' if lowest else 'newest'} versions"
        print(f"--- {name}", flush=True)
        packages = lowest_versions() if lowest else []
        tests = ["-m", ""] if arguments.whole else ["-m", "everywhere"]
        passed, seconds, line = test(python, packages, tests)
        print(f"--- {name}: {'passed' if passed else 'FAILED'} in {seconds:.0f} s", flush=True)
        results.append(
            {
                "what": name,
                "date": datetime.date.today().isoformat(),
                "passed": passed,
                "seconds": round(seconds),
                "pytest": line,
            }
        )
    if arguments.whole:
        done = {result["what"]: result for result in results}
        if RESULTS.exists():  # what was not run now stays, with its date
            for old in json.loads(RESULTS.read_text(encoding="utf-8"))["results"]:
                done.setdefault(old["what"], old)
        told = {
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "command": "python3 .ci/pythons.py --whole",
            "results": [done[what] for what in sorted(done)],
        }
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 0 if all(result["passed"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
