"""What lies where in a position, as a game says it for pictures; `rendering` decides how it looks.

A `Point` is (x, y), x to the right and y upwards, with (0, 0) in the middle of the board and
neighbouring cells 1 apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt

from hexgames_env.core.board import HexBoard

__all__ = [
    "ROW_DISTANCE",
    "TINTS",
    "BoardPlan",
    "Edge",
    "Point",
    "Scene",
    "hex_plan",
    "hex_sides",
    "plain_scene",
]

Point = tuple[float, float]
Edge = tuple[int, int]
"""A cell, and which of its hexagon's six edges: 0 is on its right, then counter-clockwise to 5."""

ROW_DISTANCE = sqrt(3) / 2
TINTS = ("blue", "green", "yellow")
"""Colours that a cell can be tinted in, beside those of the players."""


@dataclass(frozen=True, eq=False)
class BoardPlan:
    """The layout of an empty board, the same object for all positions of a game.

    Attributes:
        points: the middle of each cell.
        names: the name of each cell.
        labels: coordinates at the edge of the board, each with the point it is centred on.
        lines: for a board of lines, where stones lie on crossings, the two ends of each line;
            without lines the cells are hexagons.
        dots: points outside the board, at the ends of lines.
        upright: whether the cells of a row stand above each other instead of side by side.
    """

    points: Sequence[Point]
    names: Sequence[str]
    labels: Sequence[tuple[Point, str]] = ()
    lines: Sequence[tuple[Point, Point]] = ()
    dots: Sequence[Point] = ()
    upright: bool = False


@lru_cache(maxsize=32)
def hex_plan(board: HexBoard, names: tuple[str, ...]) -> BoardPlan:
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
        left, y = points[begin]
        labels.append(((left - 0.8, y), names[begin][:1]))
        begin += length
    return BoardPlan(points, names, tuple(labels))


_DIRECTIONS = ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))
"""By edge the step across it, as rows and columns of the grid."""


def hex_sides(board: HexBoard) -> tuple[tuple[Edge, ...], ...]:
    """The edges of cells along each of the board's six sides, for `Scene.edges`.

    The first side is the one at the bottom, then they go counter-clockwise.  A corner belongs to
    both sides that meet there, and the edge in its middle too.

    >>> hex_sides(HexBoard(2))[0]
    ((0, 4), (0, 5), (1, 4), (1, 5))
    """
    outer = [
        {
            edge
            for edge, (dr, dc) in enumerate(_DIRECTIONS)
            if board.cell_on_grid(r + dr, c + dc) is None
        }
        for r, c in board.grid.tolist()
    ]
    pairs = [((4 + k) % 6, (5 + k) % 6) for k in range(6)]
    return tuple(
        tuple((cell, edge) for cell, free in enumerate(outer) if free >= set(pair) for edge in pair)
        for pair in pairs
    )


@dataclass
class Scene:
    """One position: what lies on which cell, and what else to show.

    Attributes:
        plan: the layout of the board.
        stones: by cell, the player whose stone lies there, and how many pieces high it is.
        written: by cell, the label of something other than a stone, in a character or two.
        numbers: by cell, its number, 1 to 6; shown while no stone covers it.
        area: cells to highlight as a group, such as the one from which stones are removed.
        focus: cells of that group to mark, such as the stone placed in this turn.
        targets: cells to outline: those that the next step chooses from.
        rows: the same for whole rows of cells, each from end to end.
        beside: for each player the captions in a corner of the picture: a count, shown large,
            then lines of small text.
        places: by action, where to show it if not on its cells.
        dark: the player with the dark stones.
        tints: by cell, the colour of its ground: a player's number, or one of `TINTS`.
        edges: for each player edges of cells that are drawn thick in the player's colour, such as
            the sides of the board that the player connects, from `hex_sides`.  An edge that both
            players have is halved.  Boards of lines have none.
        gone: by cell, the player whose stone the last step took off the board there.  None: where
            a stone lay before the step and none does now, of the players who have fewer pieces
            than before; a game in which stones also move may know better.
    """

    plan: BoardPlan
    stones: dict[int, tuple[int, int]] = field(default_factory=dict)
    written: dict[int, str] = field(default_factory=dict)
    numbers: Mapping[int, int] = field(default_factory=dict)
    area: Iterable[int] = ()
    focus: Iterable[int] = ()
    targets: Iterable[int] = ()
    rows: list[Sequence[int]] = field(default_factory=list)
    beside: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    places: Mapping[int, Point] = field(default_factory=dict)
    dark: int = 0
    tints: Mapping[int, int | str] = field(default_factory=dict)
    edges: tuple[Collection[Edge], Collection[Edge]] = ((), ())
    gone: Mapping[int, int] | None = None


def plain_scene(plan: BoardPlan, ground: str, symbols: str) -> Scene:
    """The stones on a board, with each player's number of stones as a caption.

    Args:
        plan: the layout of the board.
        ground: one of ``symbols`` for each cell.
        symbols: an empty cell, a stone of player_0, a stone of player_1; any others become labels.
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
