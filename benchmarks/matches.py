"""The matches by which searches are judged, from both seats; their games are kept as records.

    python benchmarks/matches.py                     # all; what has been played is not played again
    python benchmarks/matches.py --only depth2       # those with this in their names
    python benchmarks/matches.py --list
    python benchmarks/matches.py --save              # results/matches.json, and games beside it
    python benchmarks/matches.py --table             # from that the table in docs/search.md
    python benchmarks/matches.py --check             # whether it is there as it should be

Each is an arena: openings as it draws them, each of them from both seats.  Games that are cut off
count as half a point for each.  Intervals are Wilson's of 95 %, as if all games were independent;
games of one opening are not, which makes them somewhat too wide.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import RESULTS, add_isa, describe, hold_to, read, record, write

FILE = RESULTS / "matches.json"
GAMES = RESULTS / "matches"
PAGE = Path(__file__).parent.parent / "docs" / "search.md"
BEGIN, END = "<!-- matches: made by benchmarks/matches.py -->", "<!-- /matches -->"
PLAIN = "mcts leaf=random c=0.7 cpu_seconds=0.01"  # with solver, without reuse


@dataclass(frozen=True)
class Match:
    """Who plays whom, and the share of points in per cent that is asked for; None asks nothing."""

    game: str
    player: str
    opponent: str
    aim: int | None = None
    max_cycles: int = 1000


MATCHES = {
    "mcts1000-random-oust7": Match("oust side=7", "mcts simulations=1000", "random", 98),
    "mcts1000-random-strands6": Match("strands layout=6", "mcts simulations=1000", "random", 98),
    "mcts1000-random-gipf": Match("gipf", "mcts simulations=1000", "random", 98),
    "mcts1000-random-rive4": Match("rive side=4", "mcts simulations=1000", "random", 98),
    "mcts200-greedy-oust5": Match("oust side=5", "mcts simulations=200", "greedy"),
    "mcts200-greedy-rive3": Match("rive side=3", "mcts simulations=200", "greedy", 90),
    "mcts200-greedy-strands5": Match("strands layout=5", "mcts simulations=200", "greedy", 90),
    "mcts200-greedy-gipf": Match("gipf", "mcts simulations=200", "greedy", 90),
    "depth2-greedy-oust5": Match("oust side=5", "alphabeta depth=2", "greedy", 95),
    "depth2-greedy-gipf": Match("gipf", "alphabeta depth=2", "greedy", 95),
    "depth2-greedy-rive3": Match("rive side=3", "alphabeta depth=2", "greedy", 85),
    "best-plain-oust5": Match("oust side=5", "alphabeta cpu_seconds=0.01", PLAIN, 85),
    "best-plain-gipf": Match("gipf", "alphabeta cpu_seconds=0.01", PLAIN, 90),
    "best-plain-rive3": Match("rive side=3", "alphabeta cpu_seconds=0.01", PLAIN),
    "best-plain-strands5": Match("strands layout=5", "mcts cpu_seconds=0.01", PLAIN),
}


def interval(share: float, games: int) -> tuple[float, float]:
    """Wilson's interval of 95 % for a share of points."""
    z = 1.959963984540054
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games)
    half *= math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return middle - half, middle + half


def play(name: str, match: Match, games: int, folder: Path, workers: int | None) -> dict[str, Any]:
    """Play what is missing of a match; what has come of it."""
    from tqdm import tqdm

    from hexgames_env.arena import Arena, run
    from hexgames_env.records import read_records

    arena = Arena(match.game, [match.player, match.opponent], games, max_cycles=match.max_cycles)
    file = folder / f"{name}.hgn"
    with tqdm(total=games, desc=name, leave=False) as bar:

        def count(played: int, of: int, _: object) -> None:
            bar.update(played - bar.n)

        table = run(arena, file, workers=workers, told=count)
    steps, cut = 0, 0
    for game in read_records(file):
        steps += len(game)
        cut += game.ending == "cut off"
    points = float(table.points[0][1])
    low, high = interval(points / games, games)
    return {
        "game": match.game,
        "player": match.player,
        "opponent": match.opponent,
        "aim": match.aim,
        "games": games,
        "points": points,
        "per cent": round(100 * points / games, 1),
        "interval": [round(100 * low, 1), round(100 * high, 1)],
        "cut off": cut,
        "steps a game": round(steps / games, 1),
    }


def keep(name: str, folder: Path) -> None:
    """The games as arrays, a tenth as long as the text; `hexgames records convert` reads them."""
    from hexgames_env.records import GameArrays, read_records

    GAMES.mkdir(exist_ok=True)
    GameArrays.from_records(read_records(folder / f"{name}.hgn")).save(GAMES / f"{name}.npz")


HEAD = """\
| game | who | against | asked | won, % | 95 % | steps a game |
|---|---|---|---:|---:|---|---:|"""


def told(line: Mapping[str, Any]) -> str:
    """A match as a line of a table."""
    low, high = line["interval"]
    asked = "" if line["aim"] is None else line["aim"]
    players = f"`{line['player']}` | `{line['opponent']}`"
    shares = f"{line['per cent']} | {low} to {high} | {line['steps a game']}"
    return f"| {line['game']} | {players} | {asked} | {shares} |"


def page(text: str, results: Mapping[str, Any]) -> str:
    """The page with the table of these results."""
    lines = [HEAD, *map(told, results["matches"].values()), "", f"{describe(results)}."]
    before, found, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert found and end, f"{PAGE} has no marks for a table"
    return "\n".join([before + BEGIN, "", *lines, "", END + after])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_isa(parser)
    parser.add_argument("--only", metavar="PART", default="", help="of names, of those to play")
    parser.add_argument("--games", type=int, default=200, help="of each, an even number")
    parser.add_argument("--workers", type=int, help="processes; default one for each processor")
    parser.add_argument("--folder", type=Path, default=Path("matches"), help="for games in play")
    parser.add_argument("--list", action="store_true", help="the names, and nothing is played")
    parser.add_argument("--save", action="store_true", help=f"write results/{FILE.name}")
    parser.add_argument("--table", action="store_true", help=f"write it into docs/{PAGE.name}")
    parser.add_argument("--check", action="store_true", help="fail if the page says otherwise")
    given = parser.parse_args()
    if given.table or given.check:
        text = PAGE.read_text(encoding="utf-8")
        wanted = page(text, read(FILE))
        if given.table:
            PAGE.write_text(wanted, encoding="utf-8")
        elif wanted != text:
            sys.exit(f"{PAGE} is not what {FILE} says: python benchmarks/matches.py --table")
        return
    chosen = {name: match for name, match in MATCHES.items() if given.only in name}
    if not chosen:
        parser.error(f"no match has {given.only!r} in its name: see --list")
    if given.list:
        print("\n".join(chosen))
        return
    if given.save and given.only:
        parser.error("--save takes all matches")
    hold_to(given.isa)
    where = record()
    print(describe(where))
    given.folder.mkdir(exist_ok=True)
    print(f"\n{HEAD}")
    found = {}
    for name, match in chosen.items():
        line = found[name] = play(name, match, given.games, given.folder, given.workers)
        print(told(line))
    if given.save:
        for name in chosen:
            keep(name, given.folder)
        write(FILE, {**where, "matches": found})


if __name__ == "__main__":
    main()
