"""Where things stand in a picture: the board and its labels, captions, the footer, the buttons.

An empty board is the same for all positions of a game, so it is laid out once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

from hexgames_env.core.scene import Plan, Point
from hexgames_env.rendering.palette import Colour, Palette, ink_on, mix
from hexgames_env.rendering.shapes import Disc, Line, Pixel, Shape, Text, hexagon

DEFAULT_SIZE = 480
READABLE = 7.5  # pixels: smaller coordinates are left out
WIDTH_OF_LETTER = 0.6  # of the text's size, on average, with a little to spare

# In parts of the picture's size
BOARD_TOP, BOARD_BOTTOM, MARGIN = 0.02, 0.875, 0.02
FOOTER_1, FOOTER_2 = 0.915, 0.966  # the middle of its two lines
FOOTER_TEXT_1, FOOTER_TEXT_2, CAPTION_TEXT, BUTTON_TEXT = 0.045, 0.04, 0.055, 0.042
# In parts of the distance of cells
CORNER = 1 / sqrt(3)  # from a cell's middle
INSIDE = 0.93 * CORNER  # where the edge begins
STONE, RIM = 0.40, 0.04
LABEL_TEXT, NUMBER_TEXT, NAME_TEXT = 0.42, 0.5, 0.23
NAME_DOWN, NUMBER_UP = 0.275, 0.1  # from a cell's middle, if both are there


class EmptyBoard(NamedTuple):
    """A board without anything on it, laid out in a picture.

    Attributes:
        unit: pixels from one cell to the next.
        cells: the middle of each cell.
        name_size: the size of the cells' names; 0 if they are not shown.
        to_pixels: from a scene's coordinates to the picture's.
        shapes: what is drawn.
    """

    unit: float
    cells: tuple[Pixel, ...]
    name_size: float
    to_pixels: Callable[[Point], Pixel]
    shapes: tuple[Shape, ...]


@lru_cache(maxsize=32)
def empty_board(
    plan: Plan,
    size: int,
    colours: Palette,
    coordinates: bool,
    numbers: tuple[tuple[int, int], ...],
) -> EmptyBoard:
    """The board of these positions, the same object for the same arguments.

    Args:
        plan: the board.
        size: width and height of the picture in pixels.
        colours: what it is drawn in.
        coordinates: whether to show names of cells and labels, where there is room to read them.
        numbers: the cells that have a number, each with it.
    """
    reach = (0.1, 0.1) if plan.lines else (0.5, CORNER)
    box = [(x + sx * reach[0], y + sy * reach[1]) for x, y in plan.points for sx, sy in _SIGNS]
    box += [(x + sx * 0.1, y + sy * 0.1) for x, y in plan.dots for sx, sy in _SIGNS]
    unit, to_pixels = _frame(box, size)
    labels = plan.labels if coordinates else ()
    if labels:
        wide = [(x + sx * 0.3, y + sy * 0.25) for (x, y), _ in labels for sx, sy in _SIGNS]
        smaller, to_smaller = _frame(box + wide, size)
        if smaller * LABEL_TEXT >= READABLE:
            unit, to_pixels = smaller, to_smaller
        else:
            labels = ()
    cells = tuple(to_pixels(point) for point in plan.points)
    name_size = min(NAME_TEXT * unit, 0.04 * size)
    if not coordinates or plan.lines or name_size < READABLE:
        name_size = 0.0
    shapes: list[Shape] = []
    if plan.lines:
        for start, end in plan.lines:
            shapes.append(
                Line(*to_pixels(start), *to_pixels(end), max(1.0, 0.03 * unit), colours.line)
            )
        shapes += [
            Disc(x, y, max(1.5, 0.07 * unit), colours.faint) for x, y in map(to_pixels, plan.dots)
        ]
    else:
        shapes += [hexagon(x, y, CORNER * unit, colours.edge) for x, y in cells]
        by_cell = dict(numbers)
        fills = [cell_colour(colours, by_cell.get(cell)) for cell in range(len(cells))]
        for (x, y), fill in zip(cells, fills, strict=True):
            shapes.append(hexagon(x, y, INSIDE * unit, fill))
        for cell, (x, y) in enumerate(cells):
            word = str(by_cell.get(cell, ""))
            shapes += cell_texts(x, y, unit, name_size, plan.names[cell], word, fills[cell])
    for place, text in labels:
        x, y = to_pixels(place)
        shapes.append(
            Text(x, y, min(LABEL_TEXT * unit, 0.045 * size), text, colours.faint, "middle")
        )
    return EmptyBoard(unit, cells, name_size, to_pixels, tuple(shapes))


_SIGNS = ((-1, -1), (1, 1))


def _frame(box: Sequence[Point], size: int) -> tuple[float, Callable[[Point], Pixel]]:
    """Pixels a cell so that all these points fit, and the map from the scene to the picture."""
    left, right = min(x for x, _ in box), max(x for x, _ in box)
    low, high = min(y for _, y in box), max(y for _, y in box)
    room = (1 - MARGIN) * size, (BOARD_BOTTOM - BOARD_TOP) * size
    unit = min(room[0] / (right - left), room[1] / (high - low))
    middle = (left + right) / 2, (low + high) / 2
    centre = size / 2, (BOARD_TOP + BOARD_BOTTOM) / 2 * size

    def to_pixels(point: Point) -> Pixel:
        return (
            centre[0] + (point[0] - middle[0]) * unit,
            centre[1] - (point[1] - middle[1]) * unit,
        )

    return unit, to_pixels


def fit_text(text: str, size: float, room: float) -> tuple[float, str]:
    """The size and the text, no wider than ``room``: made smaller, then cut."""
    size = max(size, READABLE)
    wanted = room / (WIDTH_OF_LETTER * max(1, len(text)))
    if wanted >= size:
        return size, text
    if wanted >= READABLE:
        return wanted, text
    return READABLE, text[: max(1, int(room / (WIDTH_OF_LETTER * READABLE)) - 2)] + "..."


def cell_colour(colours: Palette, number: int | None) -> Colour:
    """A cell's colour, by the number on it."""
    return mix(colours.cell, colours.number, 0.17 * ((number or 1) - 1))


def cell_texts(
    x: float, y: float, unit: float, name_size: float, name: str, word: str, fill: Colour
) -> list[Text]:
    """What is written on an empty cell: a number or a word, and the cell's name."""
    ink, found = ink_on(fill), []
    if word and unit * NUMBER_TEXT >= 6:
        up = NUMBER_UP * unit if name_size else 0.0
        found.append(Text(x, y - up, NUMBER_TEXT * unit, word, ink, "middle"))
    if name_size:
        found.append(Text(x, y + NAME_DOWN * unit, name_size, name, mix(fill, ink, 0.62), "middle"))
    return found
