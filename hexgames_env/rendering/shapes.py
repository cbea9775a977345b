"""Shapes in pixels, and the picture that they make up: all that the drawing modules know.

Nothing here knows of games.  `composition` makes pictures of positions, `svg` and `pixels` draw
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, pi, sin
from typing import NamedTuple

from hexgames_env.rendering.palette import Colour

Pixel = tuple[float, float]
"""A place in a picture, x to the right and y down; it need not be whole."""

CAPITALS = 0.36
"""Half the height of capital letters, in parts of a text's size: in most fonts."""


class Polygon(NamedTuple):
    """A filled polygon."""

    points: tuple[Pixel, ...]
    colour: Colour


class Disc(NamedTuple):
    """A filled circle."""

    x: float
    y: float
    radius: float
    colour: Colour


class Ring(NamedTuple):
    """The outline of a circle; ``radius`` is that of the middle of the line."""

    x: float
    y: float
    radius: float
    width: float
    colour: Colour


class Line(NamedTuple):
    """A line whose round ends reach half its width beyond its points."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float
    colour: Colour


class Text(NamedTuple):
    """One line of text; ``y`` is the middle of its capitals, ``anchor`` start, middle or end."""

    x: float
    y: float
    size: float
    text: str
    colour: Colour
    anchor: str


Shape = Polygon | Disc | Ring | Line | Text


class HitArea(NamedTuple):
    """Where a mouse points at an action: a circle."""

    action: int
    x: float
    y: float
    radius: float


@dataclass
class Picture:
    """Shapes in pixels, x to the right and y down, in a square of ``size``.

    Attributes:
        size: width and height.
        page: the colour behind everything.
        base: shapes that are the same for all positions of a game, drawn first.
        shapes: the others, on top of them.
        hit_areas: where a mouse points at the legal actions.
        cells: the middle of each cell.
        unit: pixels from one cell to the next.
    """

    size: int
    page: Colour
    base: tuple[Shape, ...]
    cells: Sequence[Pixel]
    unit: float
    shapes: list[Shape] = field(default_factory=list)
    hit_areas: list[HitArea] = field(default_factory=list)


def hexagon(x: float, y: float, radius: float, colour: Colour) -> Polygon:
    """A hexagon that stands on a corner, ``radius`` from its middle to its corners."""
    return Polygon(tuple((x + radius * dx, y + radius * dy) for dx, dy in _CORNERS), colour)


_CORNERS = tuple((sin(k * pi / 3), -cos(k * pi / 3)) for k in range(6))
