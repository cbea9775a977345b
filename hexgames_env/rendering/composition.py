"""From a position to shapes: the one place that decides how things look.

`compose` makes a `Picture`: shapes in pixels, to be drawn in their order.  The SVG, the pixels and
the window draw nothing but these, so they agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import hypot

from hexgames_env.core.settings import check_flag
from hexgames_env.core.state import State
from hexgames_env.rendering.arguments import (
    Heat,
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
    FOOTER_TEXT_1,
    FOOTER_TEXT_2,
    INSIDE,
    MARGIN,
    READABLE,
    RIM,
    SMALL_SHARE_TEXT,
    STONE,
    WIDTH_OF_LETTER,
    cell_texts,
    empty_board,
    fit_lines,
    fit_text,
    grounds_of,
    most_lines,
    stacked,
)
from hexgames_env.rendering.marks import turn_marks
from hexgames_env.rendering.palette import Colour, Palette, ink_on, mix, palette
from hexgames_env.rendering.shapes import (
    Disc,
    HitArea,
    Line,
    Picture,
    Pixel,
    Polygon,
    Ring,
    Text,
    hexagon,
)

LEGEND = 12  # boxes of colour in the legend of heat


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
        state: the position; the steps of its last turn are marked, the last of them strongest.
        size: width and height in pixels.
        theme: ``"light"`` or ``"dark"``.
        coordinates: whether to show names of cells, where there is room to read them.
        legal: whether to mark the legal actions.
        heat: a number for each action, such as a policy or visit counts, none below 0; a mapping
            may leave actions out.  The largest is shown strongest, and 0 not at all; where there
            is room, with each one's share of their sum in percent.
        headline: shown instead of whose step it is.
        pointed: a legal action to be shown as pointed at.

    Raises:
        TypeError: ``state`` is not a `State`.
        OptionError: ``size``, ``theme``, ``coordinates``, ``legal`` or ``headline`` is invalid.
        ValueError: ``heat`` is neither a mapping nor a sequence, is of another length, or has an
            invalid action or number; or the game's scene has invalid tints or edges.
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
    drawing.legend()
    drawing.footer(headline)
    drawing.find_hit_areas()
    return drawing.picture


class _Drawing:
    """A picture while it is being made; each method adds one layer.

    Attributes:
        legal: the legal actions; ``marked`` those of them that are to be marked, all or none.
        heats: by action its part, from 0 to 1, of the greatest heat.
        shares: by action its share of all heat, in words.
        pointed: the action to be shown as pointed at.
        turn: what to mark of the last turn.
        warm: by cell the heated action that is shown on it.
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
        self.board = empty_board(plan, size, colours, coordinates, grounds_of(self.scene))
        self.unit, self.points = self.board.unit, self.board.cells
        self.picture = Picture(size, colours.page, self.board.shapes, self.points, self.unit)
        self.add = self.picture.shapes.append
        self.is_lined = bool(plan.lines)
        self.turn = turn_marks(state, self.scene)
        whole = sum(heats.values())
        self.shares = {action: _percent(part / whole) for action, part in heats.items()}
        self.warm = self._by_cell(heats)

    # Layers

    def bars(self) -> None:
        """Actions on several cells, as bars behind their stones."""
        colours = self.colours
        bars: list[tuple[Sequence[int], Colour, float]] = [
            (step.cells, colours.last, 0.12 if step.is_last else 0.06)
            for step in self.turn.steps
            if len(step.cells) > 1
        ]
        bars += [(row, colours.target, 0.3) for row in self.scene.rows]
        shown = dict.fromkeys(self.marked, (colours.target, 0.3))
        for action, part in self.heats.items():
            shown[action] = self._heat_colour(part), 0.3
        if self.pointed is not None:
            shown[self.pointed] = colours.ink, 0.4
        for action, (colour, width) in shown.items():
            cells = self._bar_of(action)
            if len(cells) > 1 and (colour != colours.target or not self.scene.rows):
                bars.append((cells, colour, width))
        for cells, colour, width in bars:
            (x0, y0), (x1, y1) = self.points[cells[0]], self.points[cells[-1]]
            long = hypot(x1 - x0, y1 - y0) or 1.0
            dx, dy = ((b - a) / long * 0.42 * self.unit for a, b in ((x0, x1), (y0, y1)))
            width = max(1.5, width * self.unit)
            self.add(Line(x0 - dx, y0 - dy, x1 + dx, y1 + dy, width, colour))

    def cells(self) -> None:
        """Cells that are not as on the empty board: other colours, outlines, dots, texts."""
        scene, colours, unit = self.scene, self.colours, self.unit
        outlined = dict.fromkeys(scene.targets, colours.target)
        legal = self._by_cell(self.marked)
        outlined |= dict.fromkeys((c for c in legal if c in scene.stones), colours.target)
        if self.pointed is not None:
            outlined |= dict.fromkeys(self._by_cell([self.pointed]), colours.ink)
        dotted = [cell for cell in legal if cell not in outlined]
        area, gone = set(scene.area), self.turn.gone
        for cell in range(len(self.points)):
            number = scene.numbers.get(cell)
            plain = fill = self.board.fills[cell]
            if cell in area:
                fill = mix(fill, colours.area, 0.6)
            if cell in self.warm:
                fill = self._heat_colour(self.heats[self.warm[cell]])
            is_bare = cell not in scene.stones and cell not in gone
            word = scene.written.get(cell, "")
            if fill == plain and is_bare and not word and cell not in outlined:
                continue  # as in the base
            self._fill(cell, fill, outlined.get(cell), fill != plain)
            if is_bare:
                word = word or str(number or "")
                x, y = self.points[cell]
                name, name_size = scene.plan.names[cell], self.board.name_size
                share = self.shares[self.warm[cell]] if cell in self.warm else ""
                for text in cell_texts(x, y, unit, name_size, name, word, fill, share):
                    self.add(text)
        for cell in dotted:
            x, y = self.points[cell]
            taken = cell in self.warm or cell in gone or scene.numbers.get(cell)
            if taken or scene.written.get(cell):  # above what stands in the middle
                self.add(Disc(x, y - 0.4 * unit, max(1.5, 0.07 * unit), colours.target))
            else:
                self.add(Disc(x, y, max(1.5, 0.11 * unit), colours.target))

    def stones(self) -> None:
        """Stones, crosses where some have gone in this turn, and rings where its steps were."""
        scene, colours, unit = self.scene, self.colours, self.unit
        focus = set(scene.focus)
        for cell, (player, height) in scene.stones.items():
            x, y = self.points[cell]
            if height > 1:
                self._stone(x, y + 0.09 * unit, STONE * unit, player)
            self._stone(x, y, STONE * unit, player)
            fill, _ = self._stone_colours(player)
            if height > 1:
                self.add(Ring(x, y, 0.2 * unit, 0.05 * unit, mix(fill, ink_on(fill), 0.7)))
            if cell in self.warm:
                self._heat_disc(x, y, self.warm[cell], 0.31, 0.16, ink_on(fill))
            if cell in focus:
                r = 0.17 * unit
                diamond = ((x - r, y), (x, y - r), (x + r, y), (x, y + r))
                self.add(Polygon(diamond, mix(fill, colours.area, 0.9)))
        for cell, player in self.turn.gone.items():
            self._cross(cell, player)
        for step in self.turn.steps:
            if len(step.cells) == 1 and step.cells[0] not in self.turn.gone:
                x, y = self.points[step.cells[0]]
                width = max(2.5, 0.095 * unit) if step.is_last else max(1.5, 0.045 * unit)
                self.add(Ring(x, y, 0.3 * unit, width, colours.last))

    def dots(self) -> None:
        """Actions that have a place of their own."""
        colours, unit, places = self.colours, self.unit, self.scene.places
        shown = {}
        for step in self.turn.steps:
            shown[step.action] = colours.last, 0.09 if step.is_last else 0.06
        shown |= dict.fromkeys(self.marked, (colours.target, 0.09))
        if self.pointed is not None:
            shown[self.pointed] = colours.ink, 0.13
        for action, (colour, radius) in shown.items():
            if action in places and (action not in self.heats or action == self.pointed):
                x, y = self.board.to_pixels(places[action])
                self.add(Disc(x, y, max(1.5, radius * unit), colour))
        written: list[Pixel] = []  # the hottest first: a share needs room for itself

        def has_room(x: float, y: float) -> bool:
            return all(hypot(x - u, y - v) > 0.42 * unit for u, v in written)

        for action in sorted(self.heats, key=self.heats.__getitem__, reverse=True):
            if action in places and action != self.pointed:
                x, y = self.board.to_pixels(places[action])
                least = 0.07 + 0.07 * self.heats[action]
                if self._heat_disc(x, y, action, 0.2 if has_room(x, y) else least, least, None):
                    written.append((x, y))
            elif self._share_size(action, 0.25) >= READABLE:
                place = next((end for end in self._ends_of_bar(action) if has_room(*end)), None)
                if place is not None:
                    self._heat_disc(*place, action, 0.25, 0.0, None)
                    written.append(place)

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
            shown[action] = self._heat_colour(self.heats[action])
        if self.pointed is not None:
            shown |= dict.fromkeys(self._without_cells([self.pointed]), self.colours.ink)
        for action, (x, y, half, text, name) in self._button_places().items():
            if action in shown:
                colour = shown[action]
                self.add(Line(x - half, y, x + half, y, 1.5 * text, colour))
                self.add(Text(x, y, text, name, ink_on(colour), "middle"))

    def legend(self) -> None:
        """What the colours of heat mean, in the lower left corner, if there is room."""
        size, colours = self.size, self.colours
        text = max(READABLE, 0.032 * size)
        left, wide, high = MARGIN * size, 0.15 * size, 0.02 * size
        most = max(self.heats, key=self.heats.__getitem__, default=None)
        if most is None or (3 + len(self.shares[most])) * WIDTH_OF_LETTER * text > wide:
            return
        bottom = BOARD_BOTTOM * size
        for k in range(LEGEND):
            x0, x1 = (left + wide * part / LEGEND for part in (k, k + 1))
            box = ((x0, bottom - high), (x1, bottom - high), (x1, bottom), (x0, bottom))
            self.add(Polygon(box, self._heat_colour((k + 0.5) / LEGEND)))
        y = bottom - high - 0.7 * text
        self.add(Text(left, y, text, "0%", colours.faint, "start"))
        self.add(Text(left + wide, y, text, self.shares[most], colours.faint, "end"))

    def footer(self, headline: str | None) -> None:
        """What is due or why it is over, what has happened, and the action pointed at."""
        state, size, colours = self.state, self.size, self.colours
        player = state.to_play if state.winner is None else state.winner
        left, room = MARGIN * size, (1 - 2 * MARGIN) * size
        icon = 0.06 * size if headline is None else 0.0
        said = self.words.headline if headline is None else headline
        happened, share = self.words.happened, 1.0 if self.pointed is None else 0.63
        most = most_lines(size)
        large, above = fit_lines(said, FOOTER_TEXT_1 * size, room - icon, size)
        if most < 3:
            large, line = fit_text(said, FOOTER_TEXT_1 * size, room - icon)
            above = [line]
        below = min(FOOTER_TEXT_2 * size, 0.9 * large)  # never larger than the first line
        small, rest = fit_lines(happened, below, room * share, size)
        if len(above) + len(rest) > max(2, most):
            small, line = fit_text(happened, below, room * share)
            rest = [line]
        fits, middles = stacked([large] * len(above) + [small] * len(rest), size)
        if headline is None:
            radius, y = 0.021 * size, sum(middles[: len(above)]) / len(above)
            self._stone(left + radius, y, radius, player)
        for k, line in enumerate(above):
            self.add(Text(left + icon, middles[k], fits[k], line, colours.ink, "start"))
        if self.pointed is not None:
            fit, here = fit_text(state.action_to_string(self.pointed), below, room * 0.35)
            self.add(Text(size - left, middles[-1], fit, here, colours.ink, "end"))
        for k, line in enumerate(rest, start=len(above)):
            if line:
                self.add(Text(left, middles[k], fits[k], line, colours.faint, "start"))

    def find_hit_areas(self) -> None:
        buttons = self._button_places()
        add = self.picture.hit_areas.append
        for action in self.legal:
            cells = self.game.cells_of_action(action)
            place = self.scene.places.get(action)
            if place is not None:
                add(HitArea(action, *self.board.to_pixels(place), 0.3 * self.unit))
            elif action in buttons:
                x, y, half, text, _ = buttons[action]
                add(HitArea(action, x, y, half + 0.75 * text))
            else:
                for cell in cells:
                    add(HitArea(action, *self.points[cell], 0.5 * self.unit))

    # Helpers

    def _heat_colour(self, part: float) -> Colour:
        """The colour of a part from 0 to 1 of the greatest heat."""
        return mix(self.colours.warm, self.colours.hot, part)

    def _heat_disc(
        self, x: float, y: float, action: int, large: float, small: float, rim: Colour | None
    ) -> bool:
        """Heat where no cell can be tinted, with its share if there is room; whether there was."""
        unit, share = self.unit, self.shares[action]
        text = self._share_size(action, large)
        has_room = large > small and text >= READABLE
        radius = max(1.5, (large if has_room else small) * unit)
        colour = self._heat_colour(self.heats[action])
        if rim is not None:
            self.add(Disc(x, y, radius + max(1.0, 0.03 * unit), rim))
        self.add(Disc(x, y, radius, colour))
        if has_room:
            self.add(Text(x, y, text, share, ink_on(colour), "middle"))
        return has_room

    def _share_size(self, action: int, radius: float) -> float:
        """The size of text in which an action's share fits into a disc, 0 if it has none."""
        letters = WIDTH_OF_LETTER * len(self.shares[action])
        return min(SMALL_SHARE_TEXT, 1.7 * radius / letters) * self.unit if letters else 0.0

    def _bar_of(self, action: int) -> Sequence[int]:
        """The cells of an action on several; where the scene has rows, those of its row."""
        cells = self.game.cells_of_action(action)
        rows = [row for row in self.scene.rows if set(row) <= set(cells)]
        return [cell for cell in cells if cell in rows[0]] if rows else cells

    def _ends_of_bar(self, action: int) -> list[Pixel]:
        """Places beyond both ends of an action's bar, on boards of lines, where nothing lies."""
        cells = self._bar_of(action)
        if not self.is_lined or len(cells) < 2:
            return []
        (x0, y0), (x1, y1) = self.points[cells[0]], self.points[cells[-1]]
        long = hypot(x1 - x0, y1 - y0) / (0.69 * self.unit)
        dx, dy = (x1 - x0) / long, (y1 - y0) / long
        return [(x1 + dx, y1 + dy), (x0 - dx, y0 - dy)]

    def _by_cell(self, actions: Iterable[int]) -> dict[int, int]:
        """Those of these actions that are shown on their one cell, by cell."""
        found = {}
        for action in actions:
            cells = self.game.cells_of_action(action)
            if len(cells) == 1 and action not in self.scene.places:
                found[cells[0]] = action
        return found

    def _without_cells(self, actions: Iterable[int]) -> list[int]:
        """Those of these actions that are on no cell and have no place of their own."""
        return [
            action
            for action in actions
            if action not in self.scene.places and not self.game.cells_of_action(action)
        ]

    def _button_places(self) -> dict[int, tuple[float, float, float, float, str]]:
        """By legal action its button: the middle, half the straight part, size of text, text."""
        found = {}
        text = max(READABLE, BUTTON_TEXT * self.size)
        y = BOARD_BOTTOM * self.size - 0.75 * text
        for action in self._without_cells(self.legal)[:3]:
            name = self.state.action_to_string(action)
            room = 0.2
            if action in self.shares:
                name, room = f"{name} {self.shares[action]}", 0.15
            fit, name = fit_text(name, text, room * self.size)
            half = WIDTH_OF_LETTER * fit * len(name) / 2
            found[action] = (1 - MARGIN) * self.size - half - 0.75 * fit, y, half, fit, name
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
        """A stone that was removed in this turn."""
        x, y = self.points[cell]
        unit = self.unit
        fill, rim = self._stone_colours(player)
        around = self.board.fills[cell]
        self.add(Disc(x, y, 0.27 * unit, mix(rim, around, 0.2)))
        self.add(Disc(x, y, 0.23 * unit, mix(fill, around, 0.4)))
        arm, width = 0.24 * unit, max(1.2, 0.08 * unit)
        for dx, dy in ((arm, arm), (arm, -arm)):
            self.add(Line(x - dx, y - dy, x + dx, y + dy, width, self.colours.last))


def _percent(share: float) -> str:
    """A share in words, none where it rounds to nothing; a part is not called the whole."""
    rounded = min(99, round(100 * share)) if share < 1 else 100
    return f"{rounded}%" if rounded else ""
