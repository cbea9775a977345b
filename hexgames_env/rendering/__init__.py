"""Pictures of positions: text, SVG, pixels and a window.

A game says what lies where (`Game.scene`, as a `hexgames_env.core.scene.Scene`), `compose` turns
that into shapes, and the SVG, the pixels and the window are drawn from these shapes alone.  An
environment makes one object for its pictures, when it is created::

    renderer = Renderer(render_mode, render_size)      # checks both; None as a mode shows nothing
    renderer.render(state, headline)                   # str, uint8 (size, size, 3) or None
    renderer.close()

``"rgb_array"`` and ``"human"`` need pygame-ce, from the extra ``hexgames-env[render]``; it is
imported when the first picture is drawn.
"""

from hexgames_env.rendering.composition import compose
from hexgames_env.rendering.gif import write_gif
from hexgames_env.rendering.layout import DEFAULT_SIZE
from hexgames_env.rendering.pixels import to_png
from hexgames_env.rendering.renderer import RENDER_FPS, RENDER_MODES, Renderer, render
from hexgames_env.rendering.shapes import Picture
from hexgames_env.rendering.svg import to_svg
from hexgames_env.rendering.text import from_text, to_text
from hexgames_env.rendering.window import NoScreenError

__all__ = [
    "DEFAULT_SIZE",
    "RENDER_FPS",
    "RENDER_MODES",
    "NoScreenError",
    "Picture",
    "Renderer",
    "compose",
    "from_text",
    "render",
    "to_png",
    "to_svg",
    "to_text",
    "write_gif",
]
