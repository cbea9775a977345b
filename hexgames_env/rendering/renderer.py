"""Positions in the mode that an environment was given as ``render_mode``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.settings import check_word
from hexgames_env.core.state import State
from hexgames_env.rendering.arguments import check_fps, check_headline, check_size, check_state
from hexgames_env.rendering.composition import compose
from hexgames_env.rendering.layout import DEFAULT_SIZE
from hexgames_env.rendering.palette import palette
from hexgames_env.rendering.pixels import Painter, require_pygame
from hexgames_env.rendering.text import to_text

if TYPE_CHECKING:
    from hexgames_env.rendering.window import Window

RENDER_MODES = ("ansi", "rgb_array", "human")
RENDER_FPS = 4  # positions a second


class Renderer:
    """Shows positions in one mode.  Copied or unpickled, it opens a window of its own.

    Args:
        mode: ``"ansi"``: text.  ``"rgb_array"``: pixels.  ``"human"``: a window, in which each
            position stands for 1 / ``fps`` seconds.  None: nothing.
        size: width and height in pixels; None is 480.
        fps: positions a second in a window; 0 does not wait.
        theme: ``"light"`` or ``"dark"``.

    Raises:
        OptionError: ``mode``, ``size``, ``fps`` or ``theme`` is invalid.
        ModuleNotFoundError: the mode needs pygame-ce, and it is not installed.
    """

    def __init__(
        self,
        mode: str | None,
        size: int | None = None,
        fps: float = RENDER_FPS,
        theme: str = "light",
    ) -> None:
        check_word("render_mode", mode, RENDER_MODES, none=True)
        self.mode = mode
        self.size = DEFAULT_SIZE if size is None else check_size(size)
        self.fps = check_fps(fps)
        palette(theme)
        self.theme = theme
        self._painter: Painter | None = None
        self._window: Window | None = None
        if mode in ("rgb_array", "human"):
            require_pygame(f"render_mode={mode!r}")

    def render(
        self, state: State, headline: str | None = None, fps: float | None = None
    ) -> str | NDArray[np.uint8] | None:
        """Show a position.

        Args:
            state: the position; its last turn is marked.
            headline: shown instead of whose step it is, for what a position does not know, such
                as a game that was cut off.
            fps: instead of the renderer's own, for this position in a window.

        Returns:
            For "ansi" the text; for "rgb_array" uint8 (size, size, 3), a new array; else None.

        Raises:
            TypeError: ``state`` is not a `State`.
            OptionError: ``headline`` is not a str, or ``fps`` not a number from 0 up.
            NoScreenError: the mode is "human", and there is no screen.
        """
        check_state(state)
        check_headline(headline)
        if self.mode == "ansi":
            return to_text(state, headline=headline)
        if self.mode == "rgb_array":
            if self._painter is None:
                self._painter = Painter(self.size, "render_mode='rgb_array'")
            picture = compose(state, self.size, theme=self.theme, headline=headline)
            return self._painter.array(picture)
        if self.mode == "human":
            if self._window is None:
                from hexgames_env.rendering.window import Window

                self._window = Window(self.size, self.fps, self.theme)
            self._window.show(state, headline, self.fps if fps is None else fps)
        return None

    def close(self) -> None:
        """Close the window, if there is one; `render` opens another."""
        if self._window is not None:
            self._window.close()
        self._window = self._painter = None

    def __reduce__(self) -> tuple[Callable[..., Renderer], tuple[Any, ...]]:
        return Renderer, (self.mode, self.size, self.fps, self.theme)


def render(
    state: State, mode: str, size: int | None = None, theme: str = "light"
) -> str | NDArray[np.uint8] | None:
    """Show one position.  For many of them, and for ``"human"``, use a `Renderer`.

    >>> from hexgames_env import make_game
    >>> print(render(make_game("oust", side=2).initial_state(), "ansi"))
    oust side=2 pie_rule=true to_play=0 winner=none
      c   . .
     b   . . .
      a   . .
    Black (player_0) to play: place a stone
    B Black: 0 stones, W White: 0 stones
    """
    return Renderer(mode, size, theme=theme).render(state)
