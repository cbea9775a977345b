"""Pictures of a position, as several commands write them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from hexgames_env.cli.arguments import count
from hexgames_env.core.state import State
from hexgames_env.errors import OptionError
from hexgames_env.rendering import DEFAULT_SIZE, compose, to_png
from hexgames_env.rendering.arguments import check_size
from hexgames_env.rendering.pixels import require_pygame


def add_picture_arguments(parser: argparse.ArgumentParser) -> None:
    """Let a parser take files for pictures; `write_pictures` writes them."""
    parser.add_argument("--svg", metavar="FILE", help="write a picture there")
    parser.add_argument("--png", metavar="FILE", help="the same as pixels; needs [render]")
    parser.add_argument("--theme", default="light", choices=["light", "dark"])
    parser.add_argument(
        "--size", type=count, default=DEFAULT_SIZE, metavar="PIXELS", help="of --svg and --png"
    )


def check_pictures(given: argparse.Namespace) -> None:
    """OptionError, before any work is done, for pictures that can't be drawn here."""
    check_size(given.size)
    if given.png is not None:
        try:
            require_pygame("--png")
        except ModuleNotFoundError as error:
            raise OptionError(str(error)) from None


def write_pictures(
    given: argparse.Namespace, state: State, heat: Mapping[int, float] | None = None
) -> None:
    """Write those that are wanted, and say so.

    Raises:
        OSError: one can't be written; ``filename`` is its name.
    """
    if given.svg is None and given.png is None:
        return
    from hexgames_env.records.whole import replacing  # here: most positions are shown as text alone

    if given.svg is not None:
        with replacing(given.svg) as new:
            picture = state.to_svg(given.size, theme=given.theme, heat=heat)
            new.write_text(picture, encoding="utf-8")
        print(f"written to {given.svg}")
    if given.png is not None:
        with replacing(given.png) as new:
            new.write_bytes(to_png(compose(state, given.size, theme=given.theme, heat=heat)))
        print(f"written to {given.png}")
