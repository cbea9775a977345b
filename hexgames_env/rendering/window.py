"""A window that shows a game while it is played, and the legal action under the mouse."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from math import hypot
from typing import Any

from hexgames_env.core.state import State
from hexgames_env.rendering.arguments import check_fps, check_headline, check_size, check_state
from hexgames_env.rendering.composition import compose
from hexgames_env.rendering.palette import palette
from hexgames_env.rendering.pixels import Painter, load_pygame
from hexgames_env.rendering.shapes import HitArea, Picture

POLLS_PER_SECOND = 30
NOBODY_SEES = ("offscreen", "dummy")  # drivers that SDL takes by itself where there is no screen
CHOSEN_DRIVER = ("SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER")


class NoScreenError(RuntimeError):
    """A window can't be shown, for there is no screen."""


class Window:
    """One window on the screen, opened by the first `show`.

    The user may close it at any time: the game goes on, and `show` does nothing until `close` has
    been called; the `show` after that opens another window.  A ``pygame.quit()`` anywhere in the
    program closes the window too; then the next `show` opens another at once.

    Args:
        size: width and height in pixels.
        fps: positions a second: `show` returns after 1 / ``fps`` seconds; 0 does not wait.
        theme: ``"light"`` or ``"dark"``.

    Raises:
        OptionError: ``size``, ``fps`` or ``theme`` is invalid.
        ModuleNotFoundError: pygame-ce is not installed.
    """

    def __init__(self, size: int, fps: float = 0, theme: str = "light") -> None:
        self.size = check_size(size)
        self.fps = check_fps(fps)
        palette(theme)
        self.theme = theme
        self._pygame = load_pygame("a window")
        self._painter: Painter | None = None
        self._window: Any = None
        self._mouse: tuple[int, int] | None = None
        self._shows: object = None
        self._was_closed = False

    @property
    def is_open(self) -> bool:
        """Whether there is a window on the screen."""
        if self._window is None or not self._pygame.display.get_init():
            return False
        try:
            self._window.id  # noqa: B018
        except self._pygame.error:  # pygame's display was quit and initialised again
            return False
        return True

    def show(self, state: State, headline: str | None = None, fps: float | None = None) -> bool:
        """Show a position for 1 / ``fps`` seconds; whether the window is still open.

        A position that is on show already is not waited for again.

        Args:
            state: the position.
            headline: shown instead of whose step it is.
            fps: instead of the window's own, for this position.

        Raises:
            TypeError: ``state`` is not a `State`.
            OptionError: ``headline`` is not a str, or ``fps`` not a number from 0 up.
            NoScreenError: there is no screen.
        """
        check_state(state)
        check_headline(headline)
        fps = self.fps if fps is None else check_fps(fps)
        if self._was_closed:
            return False
        if not self.is_open:
            self.close()
            self._open(state.game.title)
        shows = state.key(), state.last_action, headline
        end = time.monotonic() + (1 / fps if fps and shows != self._shows else 0.0)
        self._shows = shows
        hit_areas = self._draw(state, headline, None).hit_areas
        shown: int | None = None
        while True:
            self._handle_events()
            if self._was_closed:
                return False
            pointed = self._pointed_action(hit_areas)
            if pointed != shown:
                self._draw(state, headline, pointed)
                shown = pointed
            left = end - time.monotonic()
            if left <= 0:
                return True
            time.sleep(min(left, 1 / POLLS_PER_SECOND))

    def close(self) -> None:
        """Close the window; a later `show` opens another."""
        if self._window is not None:
            self._window.destroy()
        self._window = self._painter = self._mouse = self._shows = None
        self._was_closed = False

    def _open(self, title: str) -> None:
        pygame = self._pygame
        self._find_screen()
        pygame.event.clear([pygame.QUIT])  # left over from an earlier window
        self._painter = Painter(self.size)
        self._window = pygame.Window(title, (self.size, self.size))

    def _find_screen(self) -> None:
        """NoScreenError if nobody would see a window; not if the user has chosen that."""
        display = self._pygame.display
        remedy = (
            "render_mode='rgb_array' and 'ansi' need none, and with SDL_VIDEODRIVER=dummy in the "
            "environment the game goes on in a window that nobody sees"
        )
        try:
            display.init()
        except self._pygame.error as error:
            raise NoScreenError(f"there is no screen for a window ({error}): {remedy}") from None
        is_chosen = any(os.environ.get(name) for name in CHOSEN_DRIVER)
        if display.get_driver() in NOBODY_SEES and not is_chosen:
            display.quit()
            raise NoScreenError(f"there is no screen for a window: {remedy}")

    def _draw(self, state: State, headline: str | None, pointed: int | None) -> Picture:
        picture = compose(state, self.size, theme=self.theme, headline=headline, pointed=pointed)
        assert self._painter is not None
        self._window.get_surface().blit(self._painter.paint(picture), (0, 0))
        self._window.flip()
        return picture

    def _handle_events(self) -> None:
        pygame = self._pygame
        for event in pygame.event.get():
            mine = getattr(event, "window", None) is self._window
            if event.type == pygame.QUIT or (mine and event.type == pygame.WINDOWCLOSE):
                self.close()
                self._was_closed = True
                return
            if event.type == pygame.WINDOWCLOSE:
                pygame.event.post(event)  # another window's, which will find it here
            elif mine and event.type == pygame.MOUSEMOTION:
                self._mouse = event.pos
            elif mine and event.type == pygame.WINDOWLEAVE:
                self._mouse = None

    def _pointed_action(self, hit_areas: Sequence[HitArea]) -> int | None:
        """The legal action under the mouse, the nearest if there are several."""
        if self._mouse is None:
            return None
        x, y = self._mouse
        near = [(hypot(area.x - x, area.y - y), area) for area in hit_areas]
        reached = [(distance, area.action) for distance, area in near if distance <= area.radius]
        return min(reached)[1] if reached else None
