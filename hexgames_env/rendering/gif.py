"""A moving picture: positions one after the other, in a GIF file that any browser shows.

pillow, which writes it, is imported when it is needed, not before.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple

import numpy as np
from numpy.typing import NDArray

from hexgames_env.rendering.palette import Colour, palette

COLOURS = 256  # as many as a GIF can have
COMMON = 160  # the first of them: the commonest colours


def write_gif(
    file: str | os.PathLike[str],
    frames: Sequence[NDArray[np.uint8]],
    seconds: Sequence[float],
    theme: str = "light",
) -> None:
    """Write these pictures, which are shown again and again.

    All share one palette: the theme's colours, exact, so that marks look as in other pictures, and
    those that are commonest.  Others, at the edges of shapes, become the nearest in it.

    Args:
        file: where to; a file that is there already is replaced.
        frames: the pictures, all of one size, as `Renderer` makes them for ``"rgb_array"``.  Each
            is asked for twice and not kept, so they may be drawn when they are asked for.
        seconds: how long each of them stands.
        theme: the theme that they are drawn in.

    Raises:
        OptionError: there is no such theme.
        ValueError: there are no frames, or not as many times.
        ModuleNotFoundError: pillow is not installed.
    """
    if not len(frames) or len(frames) != len(seconds):
        raise ValueError(
            f"a GIF needs pictures, and how long each stands, got {len(frames)} pictures and "
            f"{len(seconds)} times"
        )
    own = [_number(colour) for colour in astuple(palette(theme))]
    try:
        from PIL import Image
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            'a GIF is written with pillow, which is not installed: pip install "hexgames-env'
            '[render]"',
            name=error.name,
        ) from error

    times: Counter[int] = Counter()
    for frame in frames:
        found, counts = np.unique(_numbers(frame), return_counts=True)
        times.update(dict(zip(found.tolist(), counts.tolist(), strict=True)))
    first = [colour for colour in dict.fromkeys(own) if colour in times]
    others = sorted(times.keys() - set(first), key=lambda colour: (-times[colour], colour))
    colours = np.array([*first, *others])
    kept, nearest = _choose(np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1))
    place = dict(zip(colours.tolist(), nearest.tolist(), strict=True))
    table = kept.astype(np.uint8).tobytes()

    images = []
    for frame in frames:
        found, where = np.unique(_numbers(frame), return_inverse=True)
        places = np.array([place[colour] for colour in found.tolist()], np.uint8)
        image = Image.fromarray(places[where].reshape(frame.shape[:2]))
        image.putpalette(table)
        images.append(image)
    images[0].save(
        os.fspath(file),
        format="GIF",
        save_all=True,
        append_images=images[1:],
        duration=[round(1000 * time) for time in seconds],
        loop=0,
    )


def _choose(colours: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A palette out of these colours, the most important first; for each of them its place there.

    The first are in it, then those that are farthest from all in it, so that none is far off.
    """
    kept = colours[:COMMON]
    far = ((colours[:, None] - kept) ** 2).sum(axis=2)
    nearest, far = far.argmin(axis=1), far.min(axis=1)
    while len(kept) < COLOURS and far.any():
        new = colours[far.argmax()]
        to_new = ((colours - new) ** 2).sum(axis=1)
        nearest[to_new < far] = len(kept)
        far = np.minimum(far, to_new)
        kept = np.concatenate([kept, new[None]])
    return kept, nearest


def _numbers(frame: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The colour of each pixel as `_number` writes it."""
    return frame.astype(np.int64) @ (1 << 16, 1 << 8, 1)


def _number(colour: Colour) -> int:
    red, green, blue = colour
    return red << 16 | green << 8 | blue
