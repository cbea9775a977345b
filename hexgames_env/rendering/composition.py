"""From a position to shapes: the one place that decides how things look.

`compose` makes a `Picture`: shapes in pixels, to be drawn in their order.  The SVG, the pixels and
the window draw nothing but these, so they agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import hypot

from hexgames_env.core.scene import Scene
from hexgames_env.core.state import State
from hexgames_env.rendering.arguments import (
    Heat,
    check_flag,
    check_headline,
    check_heat,
    check_pointed,
    check_size,
    check_state,
)
from hexgames_env.rendering.layout import (
    BOARD_BOTTOM,
    BUTTON_TEXT,
    CAPTION_TEXT,
    DEFAULT_SIZE,
    FOOTER_1,
    FOOTER_2,
    FOOTER_TEXT_1,
    FOOTER_TEXT_2,
    INSIDE,
    MARGIN,
    READABLE,
    RIM,
    STONE,
    WIDTH_OF_LETTER,
    cell_colour,
    cell_texts,
    empty_board,
    fit_text,
)
from hexgames_env.rendering.palette import Colour, Palette, ink_on, mix, palette
from hexgames_env.rendering.shapes import (
    Disc,
    HitArea,
    Line,
    Picture,
    Polygon,
    Ring,
    Text,
    hexagon,
)


def compose(
    state: State,
    size: int = DEFAULT_SIZE,
    *,
    theme: str = "light",
    coordinates: bool = True,
    legal: bool = False,
    heat: Heat | None = None,
    headline: str | None = None,
    pointed: int | None = None,
) -> Picture:
    """The picture of a position.

    Args:
        state: the position; its last step is marked.
        size: width and height in pixels.
        theme: ``"light"`` or ``"dark"``.
        coordinates: whether to show names of cells, where there is room to read them.
        legal: whether to mark the legal actions.
        heat: a number for each action, such as a policy or visit counts, none below 0; a mapping
            may leave actions out.  The largest is shown strongest, and 0 not at all.
        headline: shown instead of whose step it is.
        pointed: a legal action to be shown as pointed at.

    Raises:
        TypeError: ``state`` is not a `State`.
        OptionError: ``size``, ``theme``, ``coordinates``, ``legal`` or ``headline`` is invalid.
        ValueError: ``heat`` is neither a mapping nor a sequence, is of another length, or has an
            invalid action or number.
        IllegalActionError: ``pointed`` is not legal.
    """
    check_state(state)
    size = check_size(size)
    colours = palette(theme)
    check_flag("coordinates", coordinates)
    check_flag("legal", legal)
    check_headline(headline)
    heats = check_heat(heat, state.game.num_actions)
    pointed = check_pointed(pointed, state)
    drawing = _Drawing(state, size, colours, bool(coordinates), bool(legal), heats, pointed)
    drawing.bars()
    drawing.cells()
    drawing.stones()
    drawing.dots()
    drawing.captions()
    drawing.buttons()
    drawing.footer(headline)
    drawing.find_hit_areas()
    return drawing.picture


def last_cells(state: State, scene: Scene) -> tuple[list[int], dict[int, int]]:
    """The cells of the last step; and those it emptied, with the player whose stone lay there."""
    last = state.last_action
    if last is None:
        return [], {}
    before = state.copy()
    before.undo()
    old, new = state.game.scene(before).stones, scene.stones
    gone = {cell: player for cell, (player, _) in old.items() if cell not in new}
    cells = list(state.game.cells_of_action(last))
    if not cells:  # such as a swap: the cells that changed hands
        cells = [cell for cell in old if cell in new and old[cell] != new[cell]]
    return cells, gone


class _Drawing:
    """A picture while it is being made; each method adds one layer.

    Attributes:
        legal: the legal actions; ``marked`` those of them that are to be marked, all or none.
        heats: by action its part, from 0 to 1, of the greatest heat.
        pointed: the action to be shown as pointed at.
        last, gone: see `last_cells`.
    """

    def __init__(
        self,
        state: State,
        size: int,
        colours: Palette,
        coordinates: bool,
        legal: bool,
        heats: dict[int, float],
        pointed: int | None,
    ) -> None:
        self.state, self.game, self.scene = state, state.game, state.game.scene(state)
        self.words = state.words()
        self.size, self.colours = size, colours
        self.legal = state.legal_actions()
        self.marked = self.legal if legal else []
        self.heats, self.pointed = heats, pointed
        plan = self.scene.plan
        numbers = tuple(self.scene.numbers.items())
        self.board = empty_board(plan, size, colours, coordinates, numbers)
        self.unit, self.points = self.board.unit, self.board.cells
        self.picture = Picture(size, colours.page, self.board.shapes, self.points, self.unit)
        self.add = self.picture.shapes.append
        self.is_lined = bool(plan.lines)
        self.last, self.gone = last_cells(state, self.scene)

    # Layers

    def bars(self) -> None:
        """Actions on several cells, as bars behind their stones."""
        colours = self.colours
        bars: list[tuple[Sequence[int], Colour, float]] = []
        if len(self.last) > 1:
            bars.append((self.last, colours.last, 0.12))
        bars += [(row, colours.target, 0.3) for row in self.scene.rows]
        shown = dict.fromkeys(self.marked, (colours.target, 0.3))
        for action, part in self.heats.items():
            shown[action] = self._heat_colour(part, colours.page), 0.3
        if self.pointed is not None:
            shown[self.pointed] = colours.ink, 0.4
        rows = {frozenset(row) for row in self.scene.rows}
        for action, (colour, width) in shown.items():
            cells = self.game.cells_of_action(action)
            if len(cells) > 1 and (colour != colours.target or not rows):
                inside = [row for row in rows if row <= set(cells)]
                cells = [cell for cell in cells if not inside or cell in inside[0]]
                bars.append((cells, colour, width))
        for cells, colour, width in bars:
            (x0, y0), (x1, y1) = self.points[cells[0]], self.points[cells[-1]]
            long = hypot(x1 - x0, y1 - y0) or 1.0
            dx, dy = ((b - a) / long * 0.42 * self.unit for a, b in ((x0, x1), (y0, y1)))
            self.add(Line(x0 - dx, y0 - dy, x1 + dx, y1 + dy, width * self.unit, colour))

    def cells(self) -> None:
        """Cells that are not as on the empty board: other colours, outlines, texts."""
        scene, colours = self.scene, self.colours
        warm = self._by_cell(self.heats)
        outlined = dict.fromkeys(scene.targets, colours.target)
        outlined |= dict.fromkeys(self._by_cell(dict.fromkeys(self.marked, 1.0)), colours.target)
        if self.pointed is not None:
            outlined |= dict.fromkeys(self._by_cell({self.pointed: 1.0}), colours.ink)
        area = set(scene.area)
        for cell in range(len(self.points)):
            number = scene.numbers.get(cell)
            plain = fill = cell_colour(colours, number)
            if cell in area:
                fill = mix(fill, colours.area, 0.6)
            if cell in warm:
                fill = self._heat_colour(warm[cell], colours.cell)
            is_bare = cell not in scene.stones and cell not in self.gone
            word = scene.written.get(cell, "")
            if fill == plain and is_bare and not word and cell not in outlined:
                continue  # as in the base
            self._fill(cell, fill, outlined.get(cell), fill != plain)
            if is_bare:
                word = word or str(number or "")
                x, y = self.points[cell]
                name, name_size = scene.plan.names[cell], self.board.name_size
                for text in cell_texts(x, y, self.unit, name_size, name, word, fill):
                    self.add(text)

    def stones(self) -> None:
        """Stones, crosses where some have just gone, and a ring on the last one."""
        scene, colours, unit = self.scene, self.colours, self.unit
        warm = self._by_cell(self.heats)
        focus = set(scene.focus)
        for cell, (player, height) in scene.stones.items():
            x, y = self.points[cell]
            if height > 1:
                self._stone(x, y + 0.09 * unit, STONE * unit, player)
            self._stone(x, y, STONE * unit, player)
            fill, _ = self._stone_colours(player)
            if height > 1:
                self.add(Ring(x, y, 0.2 * unit, 0.05 * unit, mix(fill, ink_on(fill), 0.7)))
            if cell in warm:
                self.add(Disc(x, y, 0.15 * unit, self._heat_colour(warm[cell], colours.cell)))
            if cell in focus:
                r = 0.17 * unit
                diamond = ((x - r, y), (x, y - r), (x + r, y), (x, y + r))
                self.add(Polygon(diamond, mix(fill, colours.area, 0.9)))
        for cell, player in self.gone.items():
            self._cross(cell, player)
        if len(self.last) == 1 and self.last[0] not in self.gone:
            x, y = self.points[self.last[0]]
            self.add(Ring(x, y, 0.3 * unit, max(1.5, 0.08 * unit), colours.last))

    def dots(self) -> None:
        """Actions that have a place of their own."""
        colours, last = self.colours, self.state.last_action
        shown = dict.fromkeys(self.marked, (colours.target, 0.09))
        for action, part in self.heats.items():
            shown[action] = self._heat_colour(part, colours.page), 0.05 + 0.07 * part
        if last is not None and last not in shown:
            shown[last] = colours.last, 0.09
        if self.pointed is not None:
            shown[self.pointed] = colours.ink, 0.13
        for action, (colour, radius) in shown.items():
            place = self.scene.places.get(action)
            if place is not None:
                self.add(Disc(*self.board.to_pixels(place), max(1.5, radius * self.unit), colour))

    def captions(self) -> None:
        """What the scene says beside the board of each player, in the corners above."""
        size, colours = self.size, self.colours
        radius, text = 0.027 * size, CAPTION_TEXT * size
        for player, lines in enumerate(self.scene.beside):
            if not lines:
                continue
            side = 1 - 2 * player
            x = MARGIN * size if player == 0 else (1 - MARGIN) * size
            x, y = x + side * radius * 1.2, 0.05 * size
            anchor = "start" if player == 0 else "end"
            if player == self.state.to_play and not self.state.is_over:
                self.add(Disc(x, y, 1.3 * radius, colours.target))
                self.add(Disc(x, y, 1.12 * radius, colours.page))
            self._stone(x, y, radius, player)
            big, small = 0.75 * text, 0.045 * size
            self.add(Text(x + side * 1.7 * radius, y, text, lines[0], colours.ink, anchor))
            for row, line in enumerate(lines[1:]):
                down = y + radius + big * 0.6 + 1.25 * small * row + 0.01 * size
                edge = x - side * radius * 1.2
                fit, line = fit_text(line, small, 0.23 * size)
                self.add(Text(edge, down, fit, line, colours.ink, anchor))

    def buttons(self) -> None:
        """Actions on no cell, as buttons in the lower right corner."""
        shown = dict.fromkeys(self._without_cells(self.marked), self.colours.target)
        for action in self._without_cells(self.heats):
            shown[action] = self._heat_colour(self.heats[action], self.colours.page)
        if self.pointed is not None:
            shown |= dict.fromkeys(self._without_cells([self.pointed]), self.colours.ink)
        for action, (x, y, half, text) in self._button_places().items():
            if action in shown:
                colour = shown[action]
                name = self.state.action_to_string(action)
                self.add(Line(x - half, y, x + half, y, 1.5 * text, colour))
                self.add(Text(x, y, text, name, ink_on(colour), "middle"))

    def footer(self, headline: str | None) -> None:
        """What is due or why it is over, what has happened, and the action pointed at."""
        state, size, colours = self.state, self.size, self.colours
        player = state.to_play if state.winner is None else state.winner
        left = MARGIN * size
        icon = 0.0
        if headline is None:
            headline = self.words.headline
            radius = 0.021 * size
            self._stone(left + radius, FOOTER_1 * size, radius, player)
            icon = 0.06 * size
        room = (1 - 2 * MARGIN) * size
        fit, headline = fit_text(headline, FOOTER_TEXT_1 * size, room - icon)
        self.add(Text(left + icon, FOOTER_1 * size, fit, headline, colours.ink, "start"))
        happened = self.words.happened
        if self.pointed is not None:
            here = state.action_to_string(self.pointed)
            fit, here = fit_text(here, FOOTER_TEXT_2 * size, room * 0.35)
            self.add(Text(size - left, FOOTER_2 * size, fit, here, colours.ink, "end"))
        if happened:
            share = 1.0 if self.pointed is None else 0.63
            fit, happened = fit_text(happened, FOOTER_TEXT_2 * size, room * share)
            self.add(Text(left, FOOTER_2 * size, fit, happened, colours.faint, "start"))

    def find_hit_areas(self) -> None:
        buttons = self._button_places()
        add = self.picture.hit_areas.append
        for action in self.legal:
            cells = self.game.cells_of_action(action)
            place = self.scene.places.get(action)
            if place is not None:
                add(HitArea(action, *self.board.to_pixels(place), 0.3 * self.unit))
            elif action in buttons:
                x, y, half, text = buttons[action]
                add(HitArea(action, x, y, half + 0.75 * text))
            else:
                for cell in cells:
                    add(HitArea(action, *self.points[cell], 0.5 * self.unit))

    # Helpers

    def _heat_colour(self, part: float, background: Colour) -> Colour:
        """The colour of a part from 0 to 1 of the greatest heat, on a background."""
        return mix(background, self.colours.hot, 0.2 + 0.8 * part)

    def _by_cell(self, actions: Mapping[int, float]) -> dict[int, float]:
        """The values of those actions that are shown on their one cell, by cell."""
        found = {}
        for action, value in actions.items():
            cells = self.game.cells_of_action(action)
            if len(cells) == 1 and action not in self.scene.places:
                found[cells[0]] = value
        return found

    def _without_cells(self, actions: Iterable[int]) -> list[int]:
        """Those of these actions that are on no cell and have no place of their own."""
        return [
            action
            for action in actions
            if action not in self.scene.places and not self.game.cells_of_action(action)
        ]

    def _button_places(self) -> dict[int, tuple[float, float, float, float]]:
        """By legal action its button: the middle, half the straight part, the size of the text."""
        found = {}
        text = max(READABLE, BUTTON_TEXT * self.size)
        y = BOARD_BOTTOM * self.size - 0.75 * text
        for action in self._without_cells(self.legal)[:3]:
            name = self.state.action_to_string(action)
            fit, _ = fit_text(name, text, 0.2 * self.size)
            half = WIDTH_OF_LETTER * fit * len(name) / 2
            found[action] = (1 - MARGIN) * self.size - half - 0.75 * fit, y, half, fit
            y -= 1.8 * text
        return found

    def _fill(self, cell: int, fill: Colour, outline: Colour | None, is_tinted: bool) -> None:
        x, y = self.points[cell]
        if self.is_lined:
            if is_tinted:
                self.add(Disc(x, y, 0.47 * self.unit, fill))
            if outline is not None:
                self.add(Ring(x, y, 0.46 * self.unit, 0.07 * self.unit, outline))
            return
        inside = INSIDE
        if outline is not None:
            self.add(hexagon(x, y, INSIDE * self.unit, outline))
            inside = 0.87 * INSIDE
        self.add(hexagon(x, y, inside * self.unit, fill))

    def _stone_colours(self, player: int) -> tuple[Colour, Colour]:
        colours = self.colours
        if player == self.scene.dark:
            return colours.dark, colours.dark_rim
        return colours.light, colours.light_rim

    def _stone(self, x: float, y: float, radius: float, player: int) -> None:
        fill, rim = self._stone_colours(player)
        self.add(Disc(x, y, radius, rim))
        self.add(Disc(x, y, radius - max(1.0, RIM * radius / STONE), fill))

    def _cross(self, cell: int, player: int) -> None:
        """A stone that was just removed."""
        x, y = self.points[cell]
        unit = self.unit
        fill, rim = self._stone_colours(player)
        around = self.colours.page if self.is_lined else self.colours.cell
        self.add(Disc(x, y, 0.27 * unit, mix(rim, around, 0.2)))
        self.add(Disc(x, y, 0.23 * unit, mix(fill, around, 0.4)))
        arm, width = 0.24 * unit, max(1.2, 0.08 * unit)
        for dx, dy in ((arm, arm), (arm, -arm)):
            self.add(Line(x - dx, y - dy, x + dx, y + dy, width, self.colours.last))
