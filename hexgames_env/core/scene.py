"""What lies where in a position, as a game says it for pictures; `rendering` decides how it looks.

Positions are x to the right and y upwards, with 0,0 in the middle of the board and neighbouring
cells 1 apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt

from hexgames_env.core.board import HexBoard

Point = tuple[float, float]
ROW_DISTANCE = sqrt(3) / 2


@dataclass(frozen=True, eq=False)
class Plan:
    """A board without anything on it: one for all positions of a game.

    Attributes:
        points: the middle of each cell.
        names: the name of each cell.
        labels: what is written at the edge: coordinates.
        lines: for a board of lines, on whose crossings stones lie, each line's ends; a board
            without lines has hexagonal cells.
        dots: points beside the board, at the ends of lines.
        upright: the cells of a row stand above each other, not side by side.
    """

    points: Sequence[Point]
    names: Sequence[str]
    labels: Sequence[tuple[Point, str]] = ()
    lines: Sequence[tuple[Point, Point]] = ()
    dots: Sequence[Point] = ()
    upright: bool = False


@lru_cache(maxsize=32)
def hex_plan(board: HexBoard, names: tuple[str, ...]) -> Plan:
    """Hexagonal cells in horizontal rows, with each row's letter on its left.

    >>> hex_plan(HexBoard(1), ("a1",)).points
    ((0.0, 0.0),)
    """
    centre = board.side - 1
    points = tuple(
        (c - centre - (r - centre) / 2, (r - centre) * ROW_DISTANCE) for r, c in board.grid.tolist()
    )
    labels, begin = [], 0
    for length in board.row_lengths:
        (left, y), (right, _) = points[begin], points[begin + length - 1]
        labels += [((left - 0.8, y), names[begin][:1])]
        labels += [((right + 0.8, y), names[begin + length - 1][1:])]
        begin += length
    return Plan(points, names, tuple(labels))


@dataclass
class Scene:
    """One position: what lies on which cell, and what else is worth pointing at.

    Attributes:
        plan: the board.
        stones: by cell, the player whose stone lies there, and how many pieces high it is.
        written: by cell, a word for what lies there and is no stone.
        numbers: by cell, its number, 1 to 6; shown while no stone covers it.
        area: cells that belong together now, such as the group from which stones are removed.
        focus: the cells of that area that it is all about.
        targets: cells among which the step in progress chooses.
        rows: rows of cells among which the step in progress chooses, each from end to end.
        beside: for each player one or two short texts beside the board.
        note: what else there is to know about the step that is due, in a few words.
        places: by action, where it is shown if that is not its one cell.
        dark: the player with the dark stones.
    """

    plan: Plan
    stones: dict[int, tuple[int, int]] = field(default_factory=dict)
    written: dict[int, str] = field(default_factory=dict)
    numbers: Mapping[int, int] = field(default_factory=dict)
    area: Iterable[int] = ()
    focus: Iterable[int] = ()
    targets: Iterable[int] = ()
    rows: list[Sequence[int]] = field(default_factory=list)
    beside: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    note: str = ""
    places: Mapping[int, Point] = field(default_factory=dict)
    dark: int = 0


def plain_scene(plan: Plan, ground: str, symbols: str) -> Scene:
    """A board with what lies on it, and how many stones each player has there.

    Args:
        plan: the board.
        ground: one of ``symbols`` for each cell.
        symbols: nothing, a stone of player_0, of player_1; others are written as they are.
    """
    scene = Scene(plan)
    for cell, symbol in enumerate(ground):
        what = symbols.index(symbol)
        if what in (1, 2):
            scene.stones[cell] = what - 1, 1
        elif what:
            scene.written[cell] = symbol
    scene.beside = ([str(ground.count(symbols[1]))], [str(ground.count(symbols[2]))])
    return scene
