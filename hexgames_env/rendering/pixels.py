"""A picture as pixels, drawn by pygame-ce on a surface in memory: no display is needed.

pygame is imported when the first picture is drawn, not before.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from io import BytesIO
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.rendering.shapes import CAPITALS, Disc, Line, Picture, Polygon, Ring, Shape

# Pictures are drawn larger and then shrunk, which smooths edges: small ones 4 times, for pygame
# draws circles at whole pixels only.  Shrunk by other than powers of 2, colours come out 1 too low.
SMALL = 300
KEPT_TEXTS = 1000
FONT_SCALE = 0.6875  # pygame draws its built-in font this much smaller than asked for
EXTRA = 'pip install "hexgames-env[render]"'


def require_pygame(what: str) -> None:
    """Raise ModuleNotFoundError if ``what`` can't be drawn here; nothing is imported."""
    if find_spec("pygame") is None:
        raise ModuleNotFoundError(
            f"{what} is drawn with pygame-ce, which is not installed: {EXTRA}", name="pygame"
        )


def load_pygame(what: str) -> ModuleType:
    """pygame-ce; ModuleNotFoundError with what to do if it is missing."""
    require_pygame(what)
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it prints when imported
    import pygame

    if not getattr(pygame, "IS_CE", False):
        raise ModuleNotFoundError(
            f"{what} is drawn with pygame-ce, but pygame is installed in its place: "
            f"pip uninstall pygame, then {EXTRA}",
            name="pygame",
        )
    module: ModuleType = pygame  # Any to a type checker that finds no pygame
    return module


def to_png(picture: Picture) -> bytes:
    """The picture as the bytes of a PNG file.

    Raises:
        ModuleNotFoundError: pygame-ce is not installed.
    """
    return Painter(picture.size, "a PNG").png(picture)


class Painter:
    """Draws pictures of one size.  Fonts, texts and the last empty board are cached."""

    def __init__(self, size: int, what: str = "a picture of pixels") -> None:
        self.size = size
        self._pygame = load_pygame(what)
        self._finer = 4 if size <= SMALL else 2
        large = (size * self._finer, size * self._finer)
        self._large = self._pygame.Surface(large, 0, 32)
        self._board = self._pygame.Surface(large, 0, 32)
        self._small = self._pygame.Surface((size, size), 0, 32)
        self._shown: object = None  # the base that _board shows
        self._init_fonts()
        self._texts: dict[object, Any] = {}

    def paint(self, picture: Picture) -> Any:
        """The picture as a pygame surface, which the next call draws over."""
        try:
            self._a_font.get_ascent()
        except self._pygame.error:  # after a pygame.quit() somewhere, earlier fonts no longer work
            self._init_fonts()
        if self._shown is not picture.base:  # pictures of one game share it
            self._board.fill(picture.page)
            for shape in picture.base:
                self._draw(self._board, shape)
            self._shown = picture.base
        self._large.blit(self._board, (0, 0))
        for shape in picture.shapes:
            self._draw(self._large, shape)
        self._pygame.transform.smoothscale(self._large, (self.size, self.size), self._small)
        return self._small

    def array(self, picture: Picture) -> NDArray[np.uint8]:
        """The picture as uint8 (height, width, 3), red, green, blue; a new array."""
        surface = self.paint(picture)
        data = bytearray(self._pygame.image.tobytes(surface, "RGB"))
        return np.frombuffer(data, np.uint8).reshape(self.size, self.size, 3)

    def png(self, picture: Picture) -> bytes:
        """The picture as the bytes of a PNG file."""
        file = BytesIO()
        self._pygame.image.save(self.paint(picture), file, ".png")
        return file.getvalue()

    def _draw(self, surface: Any, shape: Shape) -> None:
        draw, finer = self._pygame.draw, self._finer
        if isinstance(shape, Polygon):
            points = [(finer * x - 0.5, finer * y - 0.5) for x, y in shape.points]
            draw.polygon(surface, shape.colour, points)
        elif isinstance(shape, Disc):
            centre = round(finer * shape.x), round(finer * shape.y)
            draw.circle(surface, shape.colour, centre, round(finer * shape.radius))
        elif isinstance(shape, Ring):
            width = max(1, round(finer * shape.width))
            centre = round(finer * shape.x), round(finer * shape.y)
            outer = round(finer * shape.radius + width / 2)
            draw.circle(surface, shape.colour, centre, outer, width)
        elif isinstance(shape, Line):
            self._draw_line(surface, shape)
        else:
            size = round(finer * shape.size)
            text = self._text(shape.text, size, shape.colour)
            width = text.get_width()
            left = finer * shape.x - {"start": 0, "middle": width / 2, "end": width}[shape.anchor]
            baseline = finer * (shape.y + CAPITALS * shape.size)
            surface.blit(text, (round(left), round(baseline - self._font(size).get_ascent())))

    def _draw_line(self, surface: Any, line: Line) -> None:
        draw = self._pygame.draw
        half = self._finer * line.width / 2
        x0, y0, x1, y1 = (self._finer * number for number in line[:4])
        long = float(np.hypot(x1 - x0, y1 - y0)) or 1.0
        across, down = (y1 - y0) / long * half, (x1 - x0) / long * half
        corners = [
            *((x0 + across, y0 - down), (x1 + across, y1 - down)),
            *((x1 - across, y1 + down), (x0 - across, y0 + down)),
        ]
        draw.polygon(surface, line.colour, [(x - 0.5, y - 0.5) for x, y in corners])
        for x, y in ((x0, y0), (x1, y1)):
            draw.circle(surface, line.colour, (round(x), round(y)), round(half))

    def _init_fonts(self) -> None:
        self._pygame.font.init()
        self._fonts: dict[int, Any] = {}
        self._a_font = self._font(SMALL)

    def _font(self, size: int) -> Any:
        if size not in self._fonts:
            self._fonts[size] = self._pygame.font.Font(None, round(size / FONT_SCALE))
        return self._fonts[size]

    def _text(self, text: str, size: int, colour: object) -> Any:
        key = text, size, colour
        if key not in self._texts:
            if len(self._texts) >= KEPT_TEXTS:
                self._texts.clear()
            self._texts[key] = self._font(size).render(text, True, colour)
        return self._texts[key]
