"""Ratings as a picture: a line for each bot, with a dot at its Elo and a bar for the interval."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from hexgames_env.rendering.palette import Colour, mix, palette

WIDTH = 720
ROW = 30  # height of a bot's line
LETTER = 7.8  # width of most letters at 14 pixels
LONGEST = 44  # letters of a bot's text that there is room for
TOP, BOTTOM, SIDE, GAP = 46, 44, 16, 106  # GAP: room for the figures at the right


def plot(
    names: Sequence[str],
    elo: Sequence[float],
    margins: Sequence[float],
    *,
    title: str,
    note: str,
    theme: str = "light",
) -> str:
    """The SVG document.

    Args:
        names: of the bots, the first at the top.
        elo: of each.
        margins: half of each one's interval.
        title: above all, also for screen readers.
        note: below the axis.
        theme: ``"light"`` or ``"dark"``.

    Raises:
        OptionError: no such theme.

    >>> plot(["greedy"], [10.0], [5.0], title="Two bots", note="Elo")[:44]
    '<svg xmlns="http://www.w3.org/2000/svg" widt'
    """
    colours = palette(theme)
    labels = [name if len(name) <= LONGEST else f"{name[: LONGEST - 3]}..." for name in names]
    left = SIDE + 12 + LETTER * max(map(len, labels), default=0)
    right = WIDTH - SIDE - GAP
    bottom = TOP + ROW * max(1, len(names))
    low = min((x - m for x, m in zip(elo, margins, strict=True)), default=0.0)
    high = max((x + m for x, m in zip(elo, margins, strict=True)), default=0.0)
    step = _step(high - low)
    first, last = _floor(low, step), -_floor(-high, step)
    if first == last:
        first, last = first - step, last + step

    def place(x: float) -> float:
        return left + (x - first) / (last - first) * (right - left)

    rows = zip(names, elo, margins, strict=True)
    said = "; ".join(f"{name}: {x:.0f} +- {margin:.0f}" for name, x, margin in rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + BOTTOM}" '
        f'viewBox="0 0 {WIDTH} {bottom + BOTTOM}" font-family="Helvetica, Arial, sans-serif" '
        f'font-size="14" role="img">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(said)}</desc>",
        f'<rect width="{WIDTH}" height="{bottom + BOTTOM}" fill="{_hex(colours.page)}"/>',
        _text(SIDE, 26, title, colours.ink, size=15),
    ]
    grid = mix(colours.faint, colours.page, 0.72)
    tick = first
    while tick <= last:
        lines.append(_line(place(tick), TOP, place(tick), bottom, grid, 1))
        lines.append(_text(place(tick), bottom + 18, f"{tick:g}", colours.faint, "middle", 12))
        tick += step
    lines.append(_text((left + right) / 2, bottom + 36, note, colours.faint, "middle", 12))
    for row, (label, x, margin) in enumerate(zip(labels, elo, margins, strict=True)):
        y = TOP + ROW * (row + 0.5)
        lines.append(_text(left - 12, y + 5, label, colours.ink, "end"))
        lines.append(_line(place(x - margin), y, place(x + margin), y, colours.target, 3))
        for end in (x - margin, x + margin):
            lines.append(_line(place(end), y - 5, place(end), y + 5, colours.target, 2))
        lines.append(
            f'<circle cx="{place(x):.1f}" cy="{y:.1f}" r="4" fill="{_hex(colours.last)}"/>'
        )
        lines.append(
            _text(WIDTH - SIDE, y + 5, f"{x:+.0f} \u00b1 {margin:.0f}", colours.ink, "end")
        )
    return "\n".join([*lines, "</svg>", ""])


def _step(span: float) -> int:
    """A round number by which an axis of this length has some four to eight ticks."""
    for step in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000):
        if span <= 7 * step:
            return step
    return 10_000


def _floor(x: float, step: int) -> int:
    return int(x // step) * step


def _line(x0: float, y0: float, x1: float, y1: float, colour: Colour, width: float) -> str:
    return (
        f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" stroke="{_hex(colour)}" '
        f'stroke-width="{width:g}"/>'
    )


def _text(
    x: float, y: float, text: str, colour: Colour, anchor: str = "start", size: int = 14
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{_hex(colour)}" text-anchor="{anchor}" '
        f'font-size="{size}">{escape(text)}</text>'
    )


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
