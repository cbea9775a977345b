"""Count what can happen from the start of a game, for the tables in data/perft_*.txt.

`python tests/perft.py` prints the tables anew, from the plain references.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
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
COLUMNS = "# steps  sequences  positions  won 0  won 1\n"


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


def print_tables(name: str) -> None:
    import reference.oust
    import reference.rive
    import reference.strands

    tables: dict[str, list[tuple[str, Any, int]]] = {
        "oust": [
            (f"oust side={side} pie_rule={str(pie).lower()}", reference.oust.Oust(side, pie), steps)
            for side, steps in ((2, 9), (3, 4), (4, 2))
            for pie in (False, True)
        ],
        "rive": [
            (f"rive side={side}", reference.rive.Rive(side), steps)
            for side, steps in ((2, 19), (3, 5), (4, 3))
        ],
        "strands": [
            (
                f"strands layout=22/321/33 cover={cover}",
                reference.strands.Strands([3, 3, 3, 2, 1, 2, 2], cover),
                9,
            )
            for cover in ("up_to", "exactly")
        ]
        + [
            (f"strands layout={layout} cover={cover}", reference.strands.Strands(layout, cover), 2)
            for layout in ("5", "6", "6-low", "7")
            for cover in ("up_to", "exactly")
        ],
    }
    print(HEAD.format(title=name.capitalize(), name=name), end="")
    for heading, start, steps in tables[name]:
        print(f"\n{heading}\n{COLUMNS}", end="")
        for numbers in counts(start, steps, lambda game: game.position(), copy_but_board):
            print("{:7}{:11}{:11}{:7}{:7}".format(*numbers))


if __name__ == "__main__":
    print_tables(sys.argv[1])
