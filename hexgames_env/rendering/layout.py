"""Where things stand in a picture: the board and its labels, captions, the footer, the buttons.

An empty board is the same for all positions of a game, so it is laid out once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from math import copysign, cos, hypot, pi, sin, sqrt
from typing import NamedTuple

from hexgames_env.core.scene import TINTS, BoardPlan, Edge, Point, Scene
from hexgames_env.rendering.palette import Colour, Palette, faint_on, ink_on, mix
from hexgames_env.rendering.shapes import Disc, Line, Pixel, Polygon, Shape, Text, hexagon

DEFAULT_SIZE = 480
READABLE = 7.5  # pixels: smaller coordinates are left out
WIDTH_OF_LETTER = 0.6  # of the text's size, on average, with a little to spare

# In parts of the picture's size
BOARD_TOP, BOARD_BOTTOM, MARGIN = 0.02, 0.875, 0.02
FOOTER_1, FOOTER_2 = 0.915, 0.966  # the middle of its two lines, if there are no more
FOOTER_TOP, FOOTER_BOTTOM = 0.885, 0.992  # of more lines
FOOTER_TEXT_1, FOOTER_TEXT_2, CAPTION_TEXT, BUTTON_TEXT = 0.045, 0.04, 0.055, 0.042
BROKEN_BELOW, BROKEN_TEXT = 0.019, 0.024  # text that would be smaller on one line; at most so large
LINE_HEIGHT = 1.12  # in parts of the text's size
# In parts of the distance of cells
CORNER = 1 / sqrt(3)  # from a cell's middle
INSIDE = 0.93 * CORNER  # where the edge begins
STONE, RIM = 0.40, 0.04
LABEL_TEXT, NUMBER_TEXT, NAME_TEXT = 0.42, 0.5, 0.23
SHARE_TEXT, SMALL_SHARE_TEXT = 0.33, 0.26  # alone in a cell; under its number or on a stone
NAME_DOWN, NUMBER_UP = 0.275, 0.1  # from a cell's middle, if both are there
BAND, BAND_RIM = 1.26, 1.33  # where a player's edge of the board ends: a hexagon so much larger
AROUND_LINES = 0.2  # the board's surface reaches so far beyond the ends of its lines


class EmptyBoard(NamedTuple):
    """A board without anything on it, laid out in a picture.

    Attributes:
        unit: pixels from one cell to the next.
        cells: the middle of each cell.
        fills: the colour of each cell's ground.
        name_size: the size of the cells' names; 0 if they are not shown.
        to_pixels: from a scene's coordinates to the picture's.
        shapes: what is drawn.
    """

    unit: float
    cells: tuple[Pixel, ...]
    fills: tuple[Colour, ...]
    name_size: float
    to_pixels: Callable[[Point], Pixel]
    shapes: tuple[Shape, ...]


class Grounds(NamedTuple):
    """What a scene says of the board itself, in a form that can be looked up."""

    numbers: tuple[tuple[int, int], ...] = ()
    tints: tuple[tuple[int, int | str], ...] = ()
    edges: tuple[frozenset[Edge], frozenset[Edge]] = (frozenset(), frozenset())
    dark: int = 0


def grounds_of(scene: Scene) -> Grounds:
    """The scene's numbers, tints and edges; ValueError if its game gives wrong ones."""
    cells, players = range(len(scene.plan.points)), (0, 1)
    for cell, tint in scene.tints.items():
        if cell not in cells or tint not in (*players, *TINTS):
            raise ValueError(
                f"a scene's tints are by cell a player, 0 or 1, or one of {', '.join(TINTS)}, "
                f"got {tint!r} for cell {cell!r}"
            )
    for edge in (edge for edges in scene.edges for edge in edges):
        if len(edge) != 2 or edge[0] not in cells or edge[1] not in range(6):
            raise ValueError(
                f"a scene's edges are for each player pairs of a cell and one of its edges, "
                f"0 to 5, got {edge!r}"
            )
    first, second = scene.edges
    return Grounds(
        tuple(scene.numbers.items()),
        tuple(scene.tints.items()),
        (frozenset(first), frozenset(second)),
        scene.dark,
    )


@lru_cache(maxsize=32)
def empty_board(
    plan: BoardPlan,
    size: int,
    colours: Palette,
    coordinates: bool,
    grounds: Grounds,
) -> EmptyBoard:
    """The board of these positions, the same object for the same arguments.

    Args:
        plan: the board.
        size: width and height of the picture in pixels.
        colours: what it is drawn in.
        coordinates: whether to show names of cells and labels, where there is room to read them.
        grounds: what its cells and edges are coloured by.
    """
    has_edges = any(grounds.edges) and not plan.lines
    more = BAND_RIM if has_edges else 1.0
    reach = (0.1, 0.1) if plan.lines else (0.5 * more, CORNER * more)
    box = [(x + sx * reach[0], y + sy * reach[1]) for x, y in plan.points for sx, sy in _SIGNS]
    surface = _surface(plan) if plan.lines else []
    box += surface
    unit, to_pixels = _frame(box, size)
    labels = plan.labels if coordinates else ()
    if labels:
        if has_edges:
            middle = sum(x for x, _ in plan.points) / len(plan.points)
            labels = [((x + copysign(0.15, x - middle), y), text) for (x, y), text in labels]
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
    numbers, tints = dict(grounds.numbers), dict(grounds.tints)
    fills = tuple(
        cell_colour(colours, numbers.get(cell), _tint(colours, tints.get(cell), grounds.dark))
        for cell in range(len(cells))
    )
    shapes: list[Shape] = []
    if plan.lines:
        shapes.append(Polygon(tuple(map(to_pixels, surface)), colours.cell))
        for cell, (x, y) in enumerate(cells):
            if fills[cell] != colours.cell:
                shapes.append(Disc(x, y, 0.47 * unit, fills[cell]))
        for start, end in plan.lines:
            shapes.append(
                Line(*to_pixels(start), *to_pixels(end), max(1.0, 0.03 * unit), colours.line)
            )
        shapes += [
            Disc(x, y, max(1.5, 0.07 * unit), colours.line) for x, y in map(to_pixels, plan.dots)
        ]
    else:
        shapes += _bands(cells, unit, colours, grounds)
        shapes += [hexagon(x, y, CORNER * unit, colours.edge) for x, y in cells]
        for (x, y), fill in zip(cells, fills, strict=True):
            shapes.append(hexagon(x, y, INSIDE * unit, fill))
        for cell, (x, y) in enumerate(cells):
            word = str(numbers.get(cell, ""))
            shapes += cell_texts(x, y, unit, name_size, plan.names[cell], word, fills[cell])
    for place, text in labels:
        x, y = to_pixels(place)
        shapes.append(
            Text(x, y, min(LABEL_TEXT * unit, 0.045 * size), text, colours.faint, "middle")
        )
    return EmptyBoard(unit, cells, fills, name_size, to_pixels, tuple(shapes))


def _tint(colours: Palette, tint: int | str | None, dark: int) -> Colour | None:
    """The colour of a scene's tint."""
    if tint is None or isinstance(tint, str):
        named = {"blue": colours.blue, "green": colours.green, "yellow": colours.yellow}
        return None if tint is None else named[tint]
    return colours.for_dark if tint == dark else colours.for_light


def _surface(plan: BoardPlan) -> list[Point]:
    """The corners of the surface under a board of lines, around all that lies on it."""
    ends = {(round(x, 6), round(y, 6)) for x, y in [*plan.points, *plan.dots, *sum(plan.lines, ())]}
    hull: list[Point] = []
    for points in (sorted(ends), sorted(ends, reverse=True)):  # its lower side, then its upper one
        side: list[Point] = []
        for x, y in points:
            while len(side) > 1 and _turns_right(side[-2], side[-1], (x, y)):
                side.pop()
            side.append((x, y))
        hull += side[:-1]
    middle = sum(x for x, _ in hull) / len(hull), sum(y for _, y in hull) / len(hull)
    found = []
    for x, y in hull:
        dx, dy = x - middle[0], y - middle[1]
        larger = 1 + AROUND_LINES / (hypot(dx, dy) or 1.0)
        found.append((middle[0] + dx * larger, middle[1] + dy * larger))
    return found


def _turns_right(a: Point, b: Point, c: Point) -> bool:
    """Whether the way from a by b to c turns right or goes straight on."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) <= 1e-9


def _bands(cells: Sequence[Pixel], unit: float, colours: Palette, grounds: Grounds) -> list[Shape]:
    """The players' edges, to be drawn under the cells that they belong to."""
    rims: list[Shape] = []
    bands: list[Shape] = []
    for player, own in enumerate(grounds.edges):
        is_dark = player == grounds.dark
        fill, rim = (
            (colours.dark, colours.dark_rim) if is_dark else (colours.light, colours.light_rim)
        )
        for cell, edge in sorted(own):
            begin, end = -0.5, 0.5
            if (cell, edge) in grounds.edges[1 - player]:  # half of it, beside the player's others
                if _is_first_half(cell, edge, player, grounds.edges):
                    end = 0.0
                else:
                    begin = 0.0
            x, y = cells[cell]
            for shapes, larger, colour in ((rims, BAND_RIM, rim), (bands, BAND, fill)):
                ends = [_on_edge(edge, where) for where in (begin, end)]
                corners = [(x + dx * CORNER * unit, y + dy * CORNER * unit) for dx, dy in ends]
                outside = [(x + (u - x) * larger, y + (v - y) * larger) for u, v in corners]
                shapes.append(Polygon((*corners, *reversed(outside)), colour))
    return rims + bands


def _on_edge(edge: int, where: float) -> Pixel:
    """A point of an edge, from one corner (-0.5) to the other (0.5); corners are 1 from (0, 0)."""
    (x0, y0), (x1, y1) = (
        (cos(angle), -sin(angle)) for angle in ((2 * edge - 1) * pi / 6, (2 * edge + 1) * pi / 6)
    )
    part = where + 0.5
    return x0 + (x1 - x0) * part, y0 + (y1 - y0) * part


def _is_first_half(cell: int, edge: int, player: int, edges: Sequence[Collection[Edge]]) -> bool:
    """Which half of an edge is this player's if both have it."""
    before = [(cell, (edge - 1) % 6) in own for own in edges]
    after = [(cell, (edge + 1) % 6) in own for own in edges]
    if before[0] != before[1]:
        return before[player]
    if after[0] != after[1]:
        return not after[player]
    return player == 0


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


def fit_lines(text: str, size: float, room: float, picture: int) -> tuple[float, list[str]]:
    """The size and the lines, no wider than ``room``: made smaller, then broken in two, then cut.

    ``picture`` is the picture's size.  Two lines are of about equal length.
    """
    fit, line = fit_text(text, size, room)
    spaces = [place for place, letter in enumerate(text) if letter == " "]
    if (line == text and fit >= min(size, BROKEN_BELOW * picture)) or not spaces:
        return fit, [line]
    most = int(room / (WIDTH_OF_LETTER * READABLE))
    place = min(spaces, key=lambda place: max(place, len(text) - 1 - place))
    if len(text) - 1 - place > most:  # the first line is filled, and the second will be cut
        place = max((place for place in spaces if place <= most), default=place)
    size = min(size, BROKEN_TEXT * picture)
    parts = [fit_text(part, size, room) for part in (text[:place], text[place + 1 :])]
    return min(fit for fit, _ in parts), [part for _, part in parts]


def most_lines(picture: int) -> int:
    """Of readable text in the footer of a picture of this size."""
    return int((FOOTER_BOTTOM - FOOTER_TOP) * picture / (LINE_HEIGHT * READABLE))


def stacked(sizes: Sequence[float], picture: int) -> tuple[list[float], list[float]]:
    """The sizes of the footer's lines, made smaller if they need more room, and their middles."""
    if len(sizes) <= 2:
        return list(sizes), [FOOTER_1 * picture, FOOTER_2 * picture]
    room = (FOOTER_BOTTOM - FOOTER_TOP) * picture / LINE_HEIGHT
    largest = max(sizes)
    while largest > READABLE and sum(min(size, largest) for size in sizes) > room:
        largest -= 0.1
    fits = [min(size, largest) for size in sizes]
    line = (FOOTER_BOTTOM - FOOTER_TOP) * picture / sum(fits)
    ends = [sum(fits[: k + 1]) for k in range(len(fits))]
    return fits, [
        FOOTER_TOP * picture + (end - fit / 2) * line for end, fit in zip(ends, fits, strict=True)
    ]


def cell_colour(colours: Palette, number: int | None, tint: Colour | None = None) -> Colour:
    """A cell's colour, by the number on it and the colour that the game tints it in."""
    fill = mix(colours.cell, colours.number, 0.17 * ((number or 1) - 1))
    if tint is None:
        return fill
    return mix(fill, tint, 0.6) if number else tint


def cell_texts(
    x: float,
    y: float,
    unit: float,
    name_size: float,
    name: str,
    word: str,
    fill: Colour,
    share: str = "",
) -> list[Text]:
    """What is written on an empty cell: a number or a word, a share, and the cell's name.

    The share takes the name's place if there is a number or a word too.
    """
    ink, found = ink_on(fill), []
    large, small = SHARE_TEXT * unit, SMALL_SHARE_TEXT * unit
    is_below = bool(word) and bool(share) and small >= READABLE
    if word and unit * NUMBER_TEXT >= 6:
        up = NUMBER_UP * unit if name_size or is_below else 0.0
        found.append(Text(x, y - up, NUMBER_TEXT * unit, word, ink, "middle"))
    if is_below:
        found.append(Text(x, y + NAME_DOWN * unit, small, share, ink, "middle"))
        return found
    if share and not word and large >= READABLE:
        up = 0.04 * unit if name_size else 0.0
        found.append(Text(x, y - up, large, share, ink, "middle"))
    if name_size:
        found.append(Text(x, y + NAME_DOWN * unit, name_size, name, faint_on(fill), "middle"))
    return found
