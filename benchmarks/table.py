"""README's table of speed, made from benchmarks/results/peers.json.

python benchmarks/table.py           # write it into README
python benchmarks/table.py --check   # fail if README says anything else
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from common import RESULTS, describe, read, short

README = Path(__file__).parent.parent / "README.md"
FILE = RESULTS / "peers.json"
BEGIN, END = "<!-- speed: made by benchmarks/table.py -->", "<!-- /speed -->"
GAMES = {"oust": "Oust 7", "rive": "Rive 5", "strands": "Strands 6", "gipf": "GIPF"}


def table(results: Mapping[str, Any]) -> str:
    """The lines of all parts, then where they were measured."""
    rows = [
        "| ours: steps a second, times the peer | "
        + " | ".join(GAMES.values())
        + " | the peer, steps a second | command |",
        "|---|" + "---:|" * len(GAMES) + "---|---|",
    ]
    told: dict[str, list[str]] = {}
    for name, part in results.items():
        told.setdefault(_where(part), []).append(name)
        above = ""
        for line in part["lines"]:
            what = "" if line["what"] == above else line["what"]
            above = line["what"]
            cells = [what, *(_cell(line["games"][game]) for game in GAMES)]
            peers = {short(game["peer_rate"]["median"]) for game in line["games"].values()}
            beside = line["beside"] + (f": {peers.pop()}" if len(peers) == 1 else "")
            rows.append(f"| {' | '.join([*cells, beside, f'`peers.py --only {name}`'])} |")
    notes = [f"{_names(names, told)}: {where}." for where, names in told.items()]
    return "\n".join([*rows, "", *notes])


def _cell(game: Mapping[str, Any]) -> str:
    """A rate, then the ratio; bold where ours is behind."""
    ratio = game["ratio"]
    median, least, greatest = (_ratio(ratio[key]) for key in ("median", "min", "max"))
    median = f"**{median} x**" if ratio["median"] < 1 else f"{median} x"
    return f"{short(game['rate']['median'])}, {median} ({least} to {greatest})"


def _ratio(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}"


def _where(part: Mapping[str, Any]) -> str:
    return f"{describe(part)}; {part['rounds']} rounds of {part['seconds']:g} s"


def _names(names: list[str], told: Mapping[str, Any]) -> str:
    return "Measured" if len(told) == 1 else f"Measured for {', '.join(names)}"


def put(readme: str, results: Mapping[str, Any]) -> str:
    """The README with the table of these results between its two marks."""
    pattern = re.compile(f"{re.escape(BEGIN)}\n.*?{re.escape(END)}", re.DOTALL)
    if len(pattern.findall(readme)) != 1:
        raise SystemExit(f"README needs {BEGIN} and {END}, once each")
    return pattern.sub(lambda _: f"{BEGIN}\n{table(results)}\n{END}", readme)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    readme = README.read_text(encoding="utf-8")
    wanted = put(readme, read(FILE))
    if wanted == readme:
        return
    if arguments.check:
        sys.exit(f"README's table is not that of {FILE.name}: run python benchmarks/table.py")
    README.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main()
