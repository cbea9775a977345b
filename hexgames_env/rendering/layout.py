"""Where things stand in a picture: the board and its labels, captions, the footer, the buttons.

An empty board is the same for all positions of a game, so it is laid out once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import sqrt
from typing import Any

from hexgames_env.core.options import as_integer
from hexgames_env.core.scene import Plan, Point
from hexgames_env.errors import OptionError
from hexgames_env.rendering.palette import Colour, Palette, ink_on, mix
from hexgames_env.rendering.shapes import Disc, Line, Pixel, Shape, Text, hexagon

DEFAULT_SIZE = 480
SMALLEST, LARGEST = 100, 4000
READABLE = 7.5  # pixels: coordinates that would be smaller are left out
WIDTH_OF_LETTER = 0.6  # of the text's size, on average, with a little to spare

# In parts of the picture's size
BOARD_TOP, BOARD_BOTTOM, MARGIN = 0.02, 0.875, 0.02
LINE_1, LINE_2 = 0.915, 0.966
TEXT_1, TEXT_2, TEXT_BESIDE, TEXT_CHIP = 0.045, 0.04, 0.055, 0.042
# In parts of the distance of cells
CORNER = 1 / sqrt(3)  # from a cell's middle
INSIDE = 0.93 * CORNER  # where the edge begins
STONE, RIM = 0.40, 0.04
LABEL, NUMBER, NAME = 0.42, 0.5, 0.23
NAME_DOWN, NUMBER_UP = 0.275, 0.1  # from a cell's middle, if both are there


def check_size(size: Any) -> int:
    """``size`` as an int; OptionError if it is no size of a picture."""
    number = as_integer(size)
    if number is None or not SMALLEST <= number <= LARGEST:
        raise OptionError(
            f"the size of a picture is its width and height in pixels, an integer from "
            f"{SMALLEST} to {LARGEST}, got {size!r}"
        )
    return number


@lru_cache(maxsize=32)
def empty_board(
    plan: Plan,
    size: int,
    colours: Palette,
    coordinates: bool,
    numbers: tuple[tuple[int, int], ...],
) -> tuple[float, tuple[Shape, ...], tuple[Pixel, ...], float]:
    """Pixels a cell, the empty board, the middle of each cell, the size of its name or 0."""
    reach = (0.1, 0.1) if plan.lines else (0.5, CORNER)
    box = [(x + sx * reach[0], y + sy * reach[1]) for x, y in plan.points for sx, sy in _SIGNS]
    box += [(x + sx * 0.1, y + sy * 0.1) for x, y in plan.dots for sx, sy in _SIGNS]
    unit, at = _frame(box, size)
    labels = plan.labels if coordinates else ()
    if labels:
        wide = [(x + sx * 0.3, y + sy * 0.25) for (x, y), _ in labels for sx, sy in _SIGNS]
        smaller, at_smaller = _frame(box + wide, size)
        if smaller * LABEL >= READABLE:
            unit, at = smaller, at_smaller
        else:
            labels = ()
    points = tuple(at(point) for point in plan.points)
    names = min(NAME * unit, 0.04 * size)
    if not coordinates or plan.lines or names < READABLE:
        names = 0.0
    shapes: list[Shape] = []
    if plan.lines:
        for start, end in plan.lines:
            shapes.append(Line(*at(start), *at(end), max(1.0, 0.03 * unit), colours.line))
        shapes += [Disc(x, y, max(1.5, 0.07 * unit), colours.faint) for x, y in map(at, plan.dots)]
    else:
        shapes += [hexagon(x, y, CORNER * unit, colours.edge) for x, y in points]
        by_cell = dict(numbers)
        fills = [tint(colours, by_cell.get(cell)) for cell in range(len(points))]
        for (x, y), fill in zip(points, fills, strict=True):
            shapes.append(hexagon(x, y, INSIDE * unit, fill))
        for cell, (x, y) in enumerate(points):
            word = str(by_cell.get(cell, ""))
            shapes += writing(x, y, unit, names, plan.names[cell], word, fills[cell])
    for place, text in labels:
        x, y = at(place)
        shapes.append(Text(x, y, min(LABEL * unit, 0.045 * size), text, colours.faint, "middle"))
    return unit, tuple(shapes), points, names


_SIGNS = ((-1, -1), (1, 1))


def _frame(box: Sequence[Point], size: int) -> tuple[float, Callable[[Point], Pixel]]:
    """Pixels a cell so that all these points fit, and the map from the scene to the picture."""
    left, right = min(x for x, _ in box), max(x for x, _ in box)
    low, high = min(y for _, y in box), max(y for _, y in box)
    room = (1 - MARGIN) * size, (BOARD_BOTTOM - BOARD_TOP) * size
    unit = min(room[0] / (right - left), room[1] / (high - low))
    middle = (left + right) / 2, (low + high) / 2
    centre = size / 2, (BOARD_TOP + BOARD_BOTTOM) / 2 * size

    def at(point: Point) -> Pixel:
        return (
            centre[0] + (point[0] - middle[0]) * unit,
            centre[1] - (point[1] - middle[1]) * unit,
        )

    return unit, at


def fit_text(text: str, size: float, room: float) -> tuple[float, str]:
    """Text and its size so that it is no wider than ``room``; what can't be read is cut."""
    size = max(size, READABLE)
    wanted = room / (WIDTH_OF_LETTER * max(1, len(text)))
    if wanted >= size:
        return size, text
    if wanted >= READABLE:
        return wanted, text
    return READABLE, text[: max(1, int(room / (WIDTH_OF_LETTER * READABLE)) - 2)] + "..."


def tint(colours: Palette, number: int | None) -> Colour:
    """A cell's colour, by the number on it."""
    return mix(colours.cell, colours.number, 0.17 * ((number or 1) - 1))


def writing(
    x: float, y: float, unit: float, names: float, name: str, word: str, fill: Colour
) -> list[Text]:
    """What is written on an empty cell: a number or a word, and the cell's name."""
    ink, found = ink_on(fill), []
    if word and unit * NUMBER >= 6:
        up = NUMBER_UP * unit if names else 0.0
        found.append(Text(x, y - up, NUMBER * unit, word, ink, "middle"))
    if names:
        found.append(Text(x, y + NAME_DOWN * unit, names, name, mix(fill, ink, 0.62), "middle"))
    return found
