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
    last: Colour  # marks of the last turn
    warm: Colour  # heat maps: the colour of next to nothing
    hot: Colour  # of the greatest heat; what lies between is between these
    for_dark: Colour  # cells that a game gives to the player with the dark stones
    for_light: Colour
    blue: Colour  # cells that a game tints
    green: Colour
    yellow: Colour


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
        warm=(146, 130, 214),
        hot=(66, 12, 118),
        for_dark=(172, 168, 161),
        for_light=(255, 255, 252),
        blue=(178, 210, 238),
        green=(186, 222, 176),
        yellow=(248, 222, 130),
    ),
    "dark": Palette(
        page=(22, 25, 29),
        ink=(232, 234, 237),
        faint=(160, 166, 173),
        cell=(92, 102, 113),
        edge=(44, 50, 57),
        line=(52, 59, 67),
        dark=(10, 11, 13),
        dark_rim=(214, 219, 224),
        light=(240, 240, 236),
        light_rim=(14, 15, 17),
        number=(140, 104, 36),
        area=(40, 112, 168),
        target=(124, 204, 255),
        last=(255, 140, 26),
        warm=(178, 158, 244),
        hot=(246, 238, 255),
        for_dark=(52, 58, 65),
        for_light=(134, 144, 155),
        blue=(52, 104, 152),
        green=(58, 112, 70),
        yellow=(136, 110, 30),
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


def luminance(colour: Colour) -> float:
    """How light a colour is, from 0 to 1, as guidelines for the web define it."""
    red, green, blue = (
        c / 255 / 12.92 if c < 11 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    """The contrast of two colours, from 1 to 21; text should have 4.5 and more.

    >>> contrast((0, 0, 0), (255, 255, 255))
    21.0
    """
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def ink_on(colour: Colour) -> Colour:
    """Black or white, whichever reads better on this colour."""
    return (0, 0, 0) if luminance(colour) > 0.179 else (255, 255, 255)


@lru_cache(maxsize=1024)
def faint_on(colour: Colour) -> Colour:
    """The colour of small text beside larger: as faint as can be read well on this colour."""
    ink = ink_on(colour)
    parts = (part / 20 for part in range(12, 20))
    return next(
        (faint for part in parts if contrast(faint := mix(colour, ink, part), colour) >= 4.6), ink
    )
