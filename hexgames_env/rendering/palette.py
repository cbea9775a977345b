"""The colours, by what they stand for; one table for every kind of picture.

Nothing depends on hue alone: players differ in lightness, marks in shape, and the hues are blue and
orange, which people with any of the common kinds of colour blindness can tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from hexgames_env.errors import OptionError

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Palette:
    """The colours of a theme, each (red, green, blue) from 0 to 255."""

    page: Colour  # behind everything
    ink: Colour  # text on the page
    faint: Colour  # coordinates on the page
    cell: Colour
    edge: Colour  # between cells
    line: Colour  # of a board of lines
    dark: Colour  # stones
    dark_rim: Colour
    light: Colour
    light_rim: Colour
    number: Colour  # cells are tinted towards this by their number
    area: Colour  # cells of a highlighted group are tinted towards this
    target: Colour  # outlines of what may be chosen
    last: Colour  # marks of the last step
    hot: Colour  # heat maps: cells are tinted towards this


THEMES = {
    "light": Palette(
        page=(255, 255, 255),
        ink=(28, 30, 33),
        faint=(105, 110, 117),
        cell=(240, 234, 222),
        edge=(176, 166, 148),
        line=(168, 160, 146),
        dark=(30, 32, 36),
        dark_rim=(0, 0, 0),
        light=(255, 255, 255),
        light_rim=(60, 62, 66),
        number=(196, 160, 88),
        area=(86, 180, 233),
        target=(0, 96, 170),
        last=(224, 96, 0),
        hot=(214, 84, 0),
    ),
    "dark": Palette(
        page=(22, 25, 29),
        ink=(232, 234, 237),
        faint=(160, 166, 173),
        cell=(72, 80, 89),
        edge=(35, 40, 46),
        line=(92, 101, 111),
        dark=(14, 15, 17),
        dark_rim=(190, 196, 202),
        light=(240, 240, 236),
        light_rim=(14, 15, 17),
        number=(150, 118, 52),
        area=(50, 130, 185),
        target=(110, 195, 255),
        last=(255, 150, 40),
        hot=(255, 150, 30),
    ),
}


def palette(theme: str) -> Palette:
    """The palette of a theme; OptionError if there is no such theme."""
    if not isinstance(theme, str) or theme not in THEMES:
        allowed = ", ".join(map(repr, THEMES))
        raise OptionError(f"theme must be one of {allowed}, got {theme!r}")
    return THEMES[theme]


@lru_cache(maxsize=1024)
def mix(one: Colour, other: Colour, part: float) -> Colour:
    """From ``one`` (part 0) to ``other`` (part 1).

    >>> mix((0, 0, 0), (200, 100, 50), 0.5)
    (100, 50, 25)
    """
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
    return red, green, blue


def ink_on(colour: Colour) -> Colour:
    """Black or white, whichever reads better on this colour."""
    linear = [(c / 255 / 12.92 if c < 11 else ((c / 255 + 0.055) / 1.055) ** 2.4) for c in colour]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return (0, 0, 0) if luminance > 0.179 else (255, 255, 255)
