"""Is what would be released whole and right?  Builds wheel and sdist and looks into both.

    python .ci/release.py                  the check, in a temporary folder: half a minute
    python .ci/release.py --final          and may it be published as it is?
    python .ci/release.py --keep dist      the same, and keep what was built if all is well
    python .ci/release.py --home ADDRESS   build nothing: write the repository's address everywhere

It is run in a clone, since what belongs into an sdist is what git knows of, and wants the extra
``dev``.  Every fault is told, not only the first one, and then it ends with 1.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable
from email.parser import Parser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "hexgames_env"
IN_SDIST = (  # each with something in it; the sdist must have all that git knows of as well
    *("README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "pyproject.toml"),
    *(f"{PACKAGE}/py.typed", "benchmarks", "docs", "examples", "tests", ".ci"),
)
IN_METADATA = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
URLS = {  # [project.urls], from the address of the repository
    "Source": "",
    "Documentation": "#readme",
    "Changelog": "/blob/main/CHANGELOG.md",
    "Issues": "/issues",
}


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def find(pattern: str, name: str) -> str:
    """What the one group of a pattern is in a file's lines, "" if there is no such line."""
    found = re.search(pattern, text_of(name), re.MULTILINE)
    return found[1] if found else ""


def git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"git {' '.join(words)} failed; the check wants a clone: {done.stderr.strip()}")
    return done.stdout.splitlines()


def tracked() -> set[str]:
    """All files that git knows of, but for those deleted here."""
    return set(git("ls-files")) - set(git("ls-files", "--deleted"))


def build(source: Path, into: Path, *kinds: str) -> None:
    words = [sys.executable, "-m", "build", "--outdir", str(into), *kinds, str(source)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}\nthis could not be built: {' '.join(kinds)} of {source}")


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def wheel_contents(wheel: Path) -> dict[str, str]:
    """A number for the contents of each file in a wheel."""
    with zipfile.ZipFile(wheel) as opened:
        return {name: hashlib.sha256(opened.read(name)).hexdigest() for name in opened.namelist()}


def differences(what: str, there: set[str], wanted: set[str]) -> list[str]:
    return [f"{what} lacks {name}" for name in sorted(wanted - there)] + [
        f"{what} has {name}, which does not belong there" for name in sorted(there - wanted)
    ]


def check_wheel(wheel: Path) -> list[str]:
    """The package as git knows it and its metadata, nothing else."""
    names = set(wheel_contents(wheel))
    info = "-".join(wheel.name.split("-")[:2]) + ".dist-info"
    wanted = {name for name in tracked() if name.startswith(f"{PACKAGE}/")}
    faults = differences("the wheel", names, wanted | {f"{info}/{name}" for name in IN_METADATA})
    for name in (f"{PACKAGE}/__init__.py", f"{PACKAGE}/py.typed"):
        if name not in names:
            faults.append(f"the wheel has no {name}")
    return faults


def check_sdist(sdist: Path, wheel: Path, folder: Path) -> list[str]:
    """All that git knows of, and the same wheel comes of it."""
    with tarfile.open(sdist) as opened:
        opened.extractall(folder, filter="data")
        files = [member.name for member in opened.getmembers() if member.isfile()]
    root = only(folder, "*")
    names = {name.partition("/")[2] for name in files}
    faults = differences("the sdist", names, tracked() | {"PKG-INFO"})
    faults += [f"the sdist has no {name}" for name in IN_SDIST if not (root / name).exists()]
    build(root, folder / "again", "--wheel")
    again, first = wheel_contents(only(folder / "again", "*.whl")), wheel_contents(wheel)
    faults += differences("the wheel made from the sdist", set(again), set(first))
    faults += [
        f"{name} in the wheel made from the sdist is another one"
        for name in sorted(set(first) & set(again))
        if first[name] != again[name]
    ]
    return faults


def check_metadata(files: list[Path]) -> list[str]:
    """What the package index would say of them."""
    words = [sys.executable, "-m", "twine", "check", "--strict", *map(str, files)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return [f"twine check --strict: {done.stdout.strip()}"] if done.returncode else []


def check_versions(wheel: Path) -> list[str]:
    """`__version__` is the one source; what is written or built beside it says the same."""
    version = find(r'^__version__ = "(.*)"$', f"{PACKAGE}/__init__.py")
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(opened.read(name).decode())
    told = {
        "the wheel's metadata": metadata["Version"],
        "CITATION.cff": find(r"^version: (\S+)$", "CITATION.cff"),
    }
    return [
        f"{where} has version {said or 'none'}, __version__ is {version!r}"
        for where, said in told.items()
        if said != version
    ]


def check_changelog(final: bool) -> list[str]:
    """On top stands Unreleased, or the version with its date; CITATION.cff has the same date."""
    version = find(r'^__version__ = "(.*)"$', f"{PACKAGE}/__init__.py")
    headings = re.findall(r"^## (.*)$", text_of("CHANGELOG.md"), re.MULTILINE)
    dates = dict(re.findall(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", text_of("CHANGELOG.md"), re.M))
    faults = []
    top = headings[0] if headings else "nothing"
    if top != "Unreleased" and top != f"{version} ({dates.get(version)})":
        faults.append(
            f"CHANGELOG.md has {top!r} on top; that must be 'Unreleased' or '{version} (DATE)'"
        )
    if final and top == "Unreleased":
        faults.append(f"CHANGELOG.md still has 'Unreleased' on top: make it '{version} (DATE)'")
    cited = find(r"^date-released: \"?([\d-]+)\"?$", "CITATION.cff")
    if version in dates and cited != dates[version]:
        faults.append(
            f"CITATION.cff has date-released {cited or 'none'}, CHANGELOG.md has {dates[version]}"
        )
    return faults


def check_readme(final: bool) -> list[str]:
    """It renders as on the package index: tables as tables, comments and code not as text."""
    from readme_renderer import markdown  # only now, so that --help works without it

    readme = text_of("README.md")
    shown = markdown.render(readme, variant="GFM")
    if shown is None:
        return ["README.md can't be rendered"]
    faults = []
    if shown.count("<table>") != len(re.findall(r"^\|(?::?-+:?\|)+$", readme, re.MULTILINE)):
        faults.append("a table of README.md is not rendered as one")
    if "&lt;!--" in shown or "```" in shown:
        faults.append("README.md shows a comment, or the marks of a block of code, as text")
    if final:
        links = re.findall(r'(?:\]\(|src=")(?!https?://|#)([^)"]+)', readme)
        faults += [
            f"README.md's link to {link} leads nowhere on the package index: give a whole address"
            for link in links
        ]
    return faults


def check_home(final: bool) -> list[str]:
    """The repository's address, once it has one, is the same in all places."""
    project: dict[str, Any] = tomllib.loads(text_of("pyproject.toml"))["project"]
    urls = project.get("urls", {})
    home = urls.get("Source", "")
    cited = find(r"^repository-code: \"?([^\"\s]+)\"?$", "CITATION.cff")
    if not urls and not cited:
        told = "the repository has no address yet: python .ci/release.py --home ADDRESS"
        return [told] if final else []
    faults = []
    if urls != {name: home + end for name, end in URLS.items()}:
        faults.append("[project.urls] in pyproject.toml is not what --home ADDRESS writes")
    if cited != home:
        faults.append(f"CITATION.cff has repository-code {cited or 'none'}, Source is {home!r}")
    return faults


def check_clone(final: bool) -> list[str]:
    changed = git("status", "--porcelain") if final else []
    return [f"not committed: {line}" for line in changed]


def write_home(home: str) -> None:
    """Write [project.urls] and CITATION.cff's repository-code, in place of older ones if any."""
    if not re.fullmatch(r"https://\S+[^/\s]", home):
        sys.exit(f"an address is like https://HOST/OWNER/NAME, without a last slash, got {home!r}")
    lines = "".join(f'{name} = "{home}{end}"\n' for name, end in URLS.items())
    project = re.sub(r"(?ms)^\[project\.urls\]\n.*?^\n", "", text_of("pyproject.toml"))
    project = project.replace(
        "[project.scripts]\n", f"[project.urls]\n{lines}\n[project.scripts]\n"
    )
    cited = re.sub(r"(?m)^repository-code:.*\n", "", text_of("CITATION.cff"))
    cited = cited.replace("license:", f'repository-code: "{home}"\nlicense:')
    (ROOT / "pyproject.toml").write_text(project, encoding="utf-8")
    (ROOT / "CITATION.cff").write_text(cited, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--final", action="store_true", help="is it ready to be published?")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep wheel and sdist here")
    parser.add_argument("--home", metavar="ADDRESS", help="write the repository's address")
    given = parser.parse_args()
    if given.home:
        write_home(given.home)
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(ROOT, folder / "dist", "--sdist", "--wheel")
        wheel, sdist = only(folder / "dist", "*.whl"), only(folder / "dist", "*.tar.gz")
        checks: dict[str, Callable[[], list[str]]] = {
            "wheel": lambda: check_wheel(wheel),
            "sdist": lambda: check_sdist(sdist, wheel, folder / "unpacked"),
            "metadata": lambda: check_metadata([wheel, sdist]),
            "versions": lambda: check_versions(wheel),
            "changelog": lambda: check_changelog(given.final),
            "readme": lambda: check_readme(given.final),
            "address": lambda: check_home(given.final),
            "clone": lambda: check_clone(given.final),
        }
        faulty = False
        for what, check in checks.items():
            faults = check()
            faulty = faulty or bool(faults)
            print(f"{what}: {'FAULTS' if faults else 'well'}")
            for fault in faults:
                print(f"  {fault}")
        if given.keep and not faulty:
            given.keep.mkdir(parents=True, exist_ok=True)
            for file in (wheel, sdist):
                print(shutil.copy2(file, given.keep))
    return int(faulty)


if __name__ == "__main__":
    sys.exit(main())
