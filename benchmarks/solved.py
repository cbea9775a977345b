"""Make the table of solved positions that comes with the package, by the commands that it names.

python benchmarks/solved.py            # all of it: some minutes
python benchmarks/solved.py --check    # compare, and write nothing
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from pathlib import Path

from hexgames_env.cli import main

TABLE = Path(__file__).parent.parent / "hexgames_env" / "search" / "data" / "solved.jsonl"
COMMANDS = [
    "hexgames solve oust side=2 pie_rule=false",
    "hexgames solve oust side=2",
    "hexgames solve oust side=3 pie_rule=false",
    "hexgames solve oust side=3",
    "hexgames solve rive side=2",
    "hexgames solve strands layout=22/321/33",
    "hexgames solve strands layout=22/321/33 cover=exactly",
    "hexgames solve strands layout=22/222/22",
    "hexgames solve strands layout=22/222/22 cover=exactly",
    "hexgames solve strands layout=333/3223/32123/3223/333",
    "hexgames solve strands layout=222/2222/22222/2222/222 --winner-only --position-only",
]
UNSTEADY = "seconds"  # differs from run to run


def found_by(command: str) -> dict[str, object]:
    """What a command writes, and the command."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.json"
        code = main([*shlex.split(command)[1:], "--json", str(file)])
        if code:
            sys.exit(code)
        return {"command": command, **json.loads(file.read_text(encoding="utf-8"))}


def run() -> None:
    parser = argparse.ArgumentParser(description="Make the table of solved positions.")
    parser.add_argument("--check", action="store_true", help="compare with the table that is there")
    given = parser.parse_args()
    lines = [found_by(command) for command in COMMANDS]
    if not given.check:
        TABLE.parent.mkdir(exist_ok=True)
        TABLE.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        return
    kept = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
    for line in (*lines, *kept):
        line.pop(UNSTEADY, None)
    if lines != kept:
        sys.exit("the table is not what the commands find")


if __name__ == "__main__":
    run()
