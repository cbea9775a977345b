"""A position as text, for terminals and logs, and read back from it."""

from __future__ import annotations

import os
import re
import sys
from math import hypot
from textwrap import TextWrapper

from hexgames_env.core.registry import game_and_fields
from hexgames_env.core.scene import ROW_DISTANCE, BoardPlan, Point
from hexgames_env.core.settings import check_flag
from hexgames_env.core.state import State
from hexgames_env.errors import PositionTextError
from hexgames_env.rendering.arguments import check_headline, check_state
from hexgames_env.rendering.marks import turn_marks

BOLD_PLAYERS = ("\033[1;34m", "\033[1;33m")  # blue and yellow, which everybody can tell apart
LAST, PLAIN = "\033[7m", "\033[0m"
WIDTH = 79
"""Of the lines below the board, so that none is broken in a terminal of 80 columns."""
FOLD = TextWrapper(WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def to_text(state: State, colour: bool | None = None, headline: str | None = None) -> str:
    """The board with its rows from the top down, each after its letter, and the position in words.

    A board of lines has the names of the points around it instead, as its picture has.
    The last step stands in brackets, the other steps of its turn in parentheses, and so do cells
    from which that turn took a stone.  Below the board stand what has happened in the turn, what is
    to be done or who has won, and what each player has, after its symbol on the board.  The first
    line and the board are what `from_text` reads.

    Args:
        state: the position.
        colour: whether to colour the stones for a terminal; None: if standard output is one, and
            the variable NO_COLOR is not set.
        headline: shown instead of whose step it is or who has won.

    Raises:
        TypeError: ``state`` is not a `State`.
        OptionError: ``colour`` or ``headline`` is invalid.

    >>> from hexgames_env import make_game
    >>> state = make_game("oust", side=2).initial_state()
    >>> state.step(state.parse_action("b2"))
    >>> print(to_text(state))
    oust side=2 pie_rule=true to_play=1 winner=none
      c   . .
     b   .[B].
      a   . .
    Black (player_0) placed b2
    White (player_1) to play: place a stone, or swap and take over b2
    B Black: 1 stone, W White: 0 stones
    """
    check_state(state)
    check_flag("colour", colour, none=True)
    check_headline(headline)
    if colour is None:
        is_terminal = sys.stdout is not None and sys.stdout.isatty()
        colour = is_terminal and not os.environ.get("NO_COLOR")
    game, words = state.game, state.words()
    winner = "none" if state.winner is None else state.winner
    fields = {"to_play": state.to_play, "winner": winner, **state.fields()}
    header = " ".join([game.to_string(), *(f"{name}={value}" for name, value in fields.items())])
    legend = zip(game.symbols[1:3], game.player_names, words.counts, strict=True)
    counts = [f"{symbol} {name}: {count}" for symbol, name, count in legend]
    if len(", ".join(counts)) <= WIDTH:
        counts = [", ".join(counts)]
    said = [words.happened, words.headline if headline is None else headline, *counts]
    below = [line for words in said for line in FOLD.wrap(words)]
    return "\n".join([header, *_board(state, colour), *below])


def _board(state: State, colour: bool) -> list[str]:
    """The lines of the board, from the top down."""
    scene = state.game.scene(state)
    plan, ground = scene.plan, state.ground()
    places, around = _places(plan)
    height = 1 + max(row for row, _ in [*places, *around])
    width = 3 + max(column for _, column in [*places, *around])
    canvas = [[" "] * width for _ in range(height)]
    for (row, column), label in around.items():
        canvas[row][column : column + len(label)] = label
    for cell, (row, column) in enumerate(places):
        symbol = ground[cell]
        if symbol == state.game.symbols[0] and cell in scene.numbers:
            symbol = str(scene.numbers[cell])
        canvas[row][column] = symbol
    marks = turn_marks(state, scene)
    last = {cell for step in marks.steps if step.is_last for cell in step.cells}
    turn = {cell for step in marks.steps for cell in step.cells} | set(marks.gone)
    for cell in sorted(turn - last):
        row, column = places[cell]
        canvas[row][column - 1] = "|" if canvas[row][column - 1] == ")" else "("
        canvas[row][column + 1] = ")"
    for cell in last:
        row, column = places[cell]
        canvas[row][column - 1], canvas[row][column + 1] = "[", "]"
    if colour:
        for cell, (row, column) in enumerate(places):
            if cell in scene.stones:
                begin = BOLD_PLAYERS[scene.stones[cell][0]] + (LAST if cell in last else "")
                canvas[row][column] = f"{begin}{canvas[row][column]}{PLAIN}"
    letters = _letters(plan, places)
    if plan.upright:
        if not around:
            canvas.append([" "] * width)
            for (_, column), letter in letters.items():
                canvas[-1][column] = letter
        return ["".join(line).rstrip() for line in canvas]
    lines = []
    for row, line in enumerate(canvas):
        first = min(column for r, column in places if r == row)
        column, letter = first - 4, letters[row, first]
        lines.append("".join([*line[: max(0, column)], letter, *line[column + 1 :]]).rstrip())
    return lines


Place = tuple[int, int]
"""The line and the column; a letter is about half as wide as a line is high."""


def _places(plan: BoardPlan) -> tuple[list[Place], dict[Place, str]]:
    """The place of each cell, and if rows are upright the labels, each where its dot is."""
    across, up = (4 / ROW_DISTANCE, 2) if plan.upright else (2, 1 / ROW_DISTANCE)
    labels: dict[Point, str] = {}
    for (x, y), label in plan.labels if plan.upright and plan.dots else ():
        labels[min(plan.dots, key=lambda dot: hypot(dot[0] - x, dot[1] - y))] = label
    rough = [(-y * up, x * across) for x, y in [*plan.points, *labels]]
    top, left = min(row for row, _ in rough), min(column for _, column in rough)
    margin = 1 if labels else 5
    found = [(round(row - top), round(column - left) + margin) for row, column in rough]
    cells = len(plan.points)
    return found[:cells], dict(zip(found[cells:], labels.values(), strict=True))


def _letters(plan: BoardPlan, places: list[Place]) -> dict[Place, str]:
    """The letter that begins the names of a row's cells, by the place of its first cell."""
    found: dict[str, Place] = {}
    for name, place in zip(plan.names, places, strict=True):
        found.setdefault(name[:1], place)
    return {place: letter for letter, place in found.items()}


def from_text(text: str) -> State:
    """The position of a text that `to_text` made, coloured or not.

    It reads the first line and the board; the position's history is not in the text.

    Raises:
        PositionTextError: the text is not one that `to_text` makes.
        OptionError: its first line names no game or option.

    >>> from hexgames_env import make_game
    >>> state = make_game("oust", side=3).initial_state()
    >>> state.step(state.parse_action("c3"))
    >>> from_text(to_text(state)) == state
    True
    """
    if not isinstance(text, str):
        raise PositionTextError(f"a board is read from a str, got {text!r}")
    header, *plain = re.sub("\033\\[[0-9;]*m", "", text).strip("\n").split("\n")
    header = header.strip()
    game, fields = game_and_fields(header)
    for field in ("to_play", "winner"):
        if field not in fields:
            raise PositionTextError(
                f"the first line of a board's text is the game, to_play=... and winner=..., like "
                f"'oust side=3 to_play=0 winner=none': {field} is missing in {header[:80]!r}"
            )
    plan = game.scene(game.initial_state(0)).plan
    ground = []
    for name, (row, column) in zip(plan.names, _places(plan)[0], strict=True):
        line = plain[row] if row < len(plain) else ""
        symbol = line[column : column + 1]
        if not symbol.strip():
            raise PositionTextError(f"cell {name} is missing in the board's line {line!r}")
        is_number = symbol.isdigit() and symbol not in game.symbols
        ground.append(game.symbols[0] if is_number else symbol)
    return State.from_string(f"{header} board={game.board.to_rows(''.join(ground))}")
