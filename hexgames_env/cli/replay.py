"""``hexgames replay``: a recorded game in the terminal, as a page, as a moving picture, as text."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from hexgames_env.cli.arguments import add_command, count, whole
from hexgames_env.cli.progress import meter
from hexgames_env.cli.terminal import browse, print_game
from hexgames_env.core.state import State
from hexgames_env.core.words import number_of
from hexgames_env.errors import BrokenOffWarning, OptionError
from hexgames_env.records import Record, open_records
from hexgames_env.records.whole import replacing
from hexgames_env.rendering import DEFAULT_SIZE, Renderer, write_gif

SECONDS, LAST_SECONDS = 0.5, 3.0  # that a position stands in a moving picture


def add_commands(commands: Any) -> None:
    """Add the command to what ``ArgumentParser.add_subparsers`` returned."""
    parser = add_command(
        commands,
        "replay",
        _replay,
        "a recorded game: in the terminal, or as a page, picture or text",
        "hexgames replay game.txt --html game.html",
    )
    parser.add_argument("file", metavar="FILE", help="where the record is")
    parser.add_argument(
        "--game", type=count, default=1, metavar="N", help="which of the file's; default the first"
    )
    parser.add_argument("--html", metavar="OUT", help="write a page that plays the game")
    parser.add_argument("--gif", metavar="OUT", help="write a moving picture; needs [render]")
    parser.add_argument("--svg", metavar="OUT", help="write a picture of one position")
    parser.add_argument("--text", action="store_true", help="print all positions")
    parser.add_argument(
        "--step",
        type=_position,
        metavar="K",
        help="the position after K steps: that of --svg, default the last; the terminal's first",
    )
    parser.add_argument(
        "--theme",
        default="auto",
        choices=["auto", "light", "dark"],
        help="auto: in a page as the reader's system says, else light",
    )
    parser.add_argument(
        "--size", type=count, default=DEFAULT_SIZE, metavar="PIXELS", help="of --svg and --gif"
    )


def _position(word: str) -> int:
    number = whole(word)
    if number is None:
        raise argparse.ArgumentTypeError(f"must be an integer from 0 on, got {word!r}")
    return number


def _replay(given: argparse.Namespace) -> None:
    with _told_on_stderr(), open_records(given.file) as records:
        if given.game > len(records):
            raise OptionError(
                f"{given.file} has {number_of(len(records), 'game')}, got --game {given.game}"
            )
        record = records[given.game - 1]
    if given.step is not None and given.step > len(record):
        raise OptionError(
            f"the game has {number_of(len(record), 'step')}, so K of --step is 0 to {len(record)}, "
            f"got {given.step}"
        )
    theme = "light" if given.theme == "auto" else given.theme
    if given.html is not None:
        _write(given.html, record.to_html(theme=given.theme))
        print(f"written to {given.html}")
    if given.svg is not None:
        state = record.final if given.step is None else record.state(given.step)
        _write(given.svg, state.to_svg(given.size, theme=theme))
        print(f"written to {given.svg}")
    if given.gif is not None:
        _write_gif(record, given.gif, given.size, theme)
        print(f"written to {given.gif}")
    is_read_by_nobody = sys.stdin is None or (sys.stdin.isatty() and not sys.stdout.isatty())
    if given.text or (is_read_by_nobody and not _is_written(given)):
        print_game(record)
    elif not _is_written(given):
        browse(record, given.step or 0)


def _write(file: str, text: str) -> None:
    with replacing(file) as new:
        new.write_text(text, encoding="utf-8")


def _is_written(given: argparse.Namespace) -> bool:
    return any(name is not None for name in (given.html, given.gif, given.svg))


@contextmanager
def _told_on_stderr() -> Iterator[None]:
    """A file that breaks off is told in words, as mistakes are, and read as far as it goes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", BrokenOffWarning)
        yield
    for warning in caught:
        if issubclass(warning.category, BrokenOffWarning):
            print(f"hexgames replay: {warning.message}", file=sys.stderr)
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


class _Frames(Sequence[NDArray[np.uint8]]):
    """The pictures of a game, each drawn when it is asked for: all at once are too much memory."""

    def __init__(self, states: Sequence[State], renderer: Renderer, progress: Any) -> None:
        self._states, self._renderer, self._progress = states, renderer, progress

    def __len__(self) -> int:
        return len(self._states)

    @overload
    def __getitem__(self, place: int) -> NDArray[np.uint8]: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[NDArray[np.uint8]]: ...

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return _Frames(self._states[place], self._renderer, self._progress)
        frame = self._renderer.render(self._states[place])
        if self._progress is not None:
            self._progress.update()
        return frame


def _write_gif(record: Record, file: str, size: int, theme: str) -> None:
    states = list(record.states())
    seconds = [SECONDS] * len(record) + [LAST_SECONDS]
    # Each is drawn twice: for its colours, and to be written
    progress = meter(2 * len(states), "pictures")
    try:
        frames = _Frames(states, Renderer("rgb_array", size, theme=theme), progress)
        with replacing(file) as new:
            write_gif(new, frames, seconds, theme)
    except ModuleNotFoundError as error:
        raise OptionError(f"--gif: {error}") from None
    finally:
        if progress is not None:
            progress.close()
