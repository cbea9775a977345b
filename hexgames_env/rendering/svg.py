"""A picture as SVG: plain text, made without any drawing library."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from hexgames_env.rendering.palette import Colour
from hexgames_env.rendering.shapes import CAPITALS, Disc, Line, Picture, Polygon, Ring, Shape, Text


def to_svg(picture: Picture, title: str = "", description: str = "") -> str:
    """The SVG document; ``title`` is for screen readers, ``description`` for programs.

    Raises:
        TypeError: ``picture`` is not a `Picture`, or ``title`` or ``description`` not a str.
    """
    if not isinstance(picture, Picture):
        raise TypeError(
            f"to_svg() takes a Picture, as from compose(state), got {picture!r:.100}; for the SVG "
            f"of a position call state.to_svg()"
        )
    for name, text in (("title", title), ("description", description)):
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a str, got {text!r:.100}")
    size = picture.size
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" '
        f'viewBox="0 0 {size} {size}" font-family="Helvetica, Arial, sans-serif" role="img">',
        f"<title>{escape(title)}</title>",
        *([f"<desc>{escape(description)}</desc>"] if description else []),
        f'<rect width="{size}" height="{size}" fill="{_hex(picture.page)}"/>',
    ]
    shapes: Sequence[Shape] = (*picture.base, *picture.shapes)
    path: list[str] = []
    for i, shape in enumerate(shapes):
        if isinstance(shape, Polygon):
            path.append("M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in shape.points) + "z")
            following = shapes[i + 1] if i + 1 < len(shapes) else None
            if not isinstance(following, Polygon) or following.colour != shape.colour:
                lines.append(f'<path fill="{_hex(shape.colour)}" d="{"".join(path)}"/>')
                path = []
        else:
            lines.append(_element(shape))
    return "\n".join([*lines, "</svg>", ""])


def _element(shape: Disc | Ring | Line | Text) -> str:
    colour = _hex(shape.colour)
    if isinstance(shape, Disc):
        return (
            f'<circle cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}" '
            f'fill="{colour}"/>'
        )
    if isinstance(shape, Ring):
        return (
            f'<circle cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}" fill="none" '
            f'stroke="{colour}" stroke-width="{_n(shape.width)}"/>'
        )
    if isinstance(shape, Line):
        return (
            f'<path d="M{_n(shape.x0)} {_n(shape.y0)}L{_n(shape.x1)} {_n(shape.y1)}" '
            f'stroke="{colour}" stroke-width="{_n(shape.width)}" stroke-linecap="round"/>'
        )
    return (
        f'<text x="{_n(shape.x)}" y="{_n(shape.y + CAPITALS * shape.size)}" '
        f'font-size="{_n(shape.size)}" fill="{colour}" text-anchor="{shape.anchor}">'
        f"{escape(shape.text)}</text>"
    )


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
