"""Count what can happen from the start of a game, for the tables in data/perft_*.txt.

`python tests/perft.py GAME` prints that game's tables anew, from its plain reference.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

HEAD = """\
# {title}: what can happen in so many steps from the start, by the plain reference
# tests/reference/{name}.py; python tests/perft.py {name} prints this table anew.
#
# sequences: of steps, those of finished games not counted again
# positions: different ones among their ends
# won 0, 1: sequences whose last step ends the game, by the winner
"""
COLUMNS = "# steps  sequences  positions  won 0  won 1"
HEAD_OF_GIPF = """\
# GIPF: what can have happened after so many pushes from the start.
# sequences: of turns (the push and all removals that follow it); positions: different ones.
# variant    pushes  sequences  positions
"""
Tables = list[tuple[str, Any, int]]
"""For each: game and options as in a position's text, the start, how many steps."""


def counts(
    start: Any,
    steps: int,
    key: Callable[[Any], Any] = lambda state: state.key(),
    copy: Callable[[Any], Any] = lambda state: state.copy(),
) -> list[tuple[int, int, int, int, int]]:
    """For each number of steps from 0: itself, sequences, positions, wins of player 0 and 1.

    Positions that are equal are looked at once, with the number of sequences that lead there.
    """
    table = []
    reached: dict[Any, tuple[Any, int]] = {key(start): (start, 1)}
    for step in range(steps + 1):
        won = [sum(n for state, n in reached.values() if state.winner == p) for p in (0, 1)]
        table.append((step, sum(n for _, n in reached.values()), len(reached), won[0], won[1]))
        if step == steps or not reached:
            break
        after: dict[Any, tuple[Any, int]] = {}
        for state, ways in reached.values():
            for action in state.legal_actions():
                other = copy(state)
                other.step(action)
                seen, n = after.get(key(other), (other, 0))
                after[key(other)] = (seen, n + ways)
        reached = after
    return table


def read_table(file: Path) -> list[tuple[str, list[tuple[int, ...]]]]:
    """The blocks of a table: name and options as in a position's text, and the lines of numbers."""
    blocks: list[tuple[str, list[tuple[int, ...]]]] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            if line[0].isalpha():
                blocks.append((line, []))
            else:
                blocks[-1][1].append(tuple(map(int, line.split())))
    return blocks


def copy_but_board(game: Any) -> Any:
    """A copy of a reference that shares the board, which never changes."""
    return deepcopy(game, {id(game.board): game.board})


def tables_of_rive() -> Tables:
    from reference.rive import Rive

    return [(f"rive side={side}", Rive(side), steps) for side, steps in ((2, 19), (3, 5), (4, 3))]


def tables_of_oust() -> Tables:
    from reference.oust import Oust

    return [
        (f"oust side={side} pie_rule={str(pie).lower()}", Oust(side, pie), steps)
        for side, steps in ((2, 9), (3, 4), (4, 2))
        for pie in (False, True)
    ]


def tables_of_strands() -> Tables:
    from reference.strands import Strands

    whole: Tables = [
        (
            f"strands layout=22/321/33 cover={cover}",
            Strands([3, 3, 3, 2, 1, 2, 2], cover),
            9,
        )
        for cover in ("up_to", "exactly")
    ]
    return whole + [
        (f"strands layout={layout} cover={cover}", Strands(layout, cover), 2)
        for layout in ("5", "6", "6-low", "7")
        for cover in ("up_to", "exactly")
    ]


TABLES = {"oust": tables_of_oust, "rive": tables_of_rive, "strands": tables_of_strands}


def lines_of(name: str) -> Iterator[str]:
    """The table of a game, but for GIPF."""
    yield from HEAD.format(title=name.capitalize(), name=name).splitlines()
    for heading, start, steps in TABLES[name]():
        yield from ("", heading, COLUMNS)
        for numbers in counts(start, steps, lambda game: game.position(), copy_but_board):
            yield "{:7}{:11}{:11}{:7}{:7}".format(*numbers)


def lines_of_gipf(most: int = 5) -> Iterator[str]:
    """GIPF's own, of whole turns: of up to so many pushes, where a step would split its turns."""
    from reference.gipf import Gipf, counts

    yield from HEAD_OF_GIPF.splitlines()
    for variant, pushes in (("basic", 5), ("standard", 4), ("tournament", 3)):
        for number in range(1, min(pushes, most) + 1):
            sequences, positions = counts(Gipf(variant), number)
            yield f"{variant:11}{number:3}{sequences:16}{positions:11}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Print tables of data/perft_*.txt anew.")
    parser.add_argument("game", choices=[*TABLES, "gipf"], help="a minute; gipf takes many")
    game = parser.parse_args(arguments).game
    for line in lines_of_gipf() if game == "gipf" else lines_of(game):
        print(line, flush=True)


if __name__ == "__main__":
    main()
