"""A position as text, for terminals and logs, and read back from it."""

from __future__ import annotations

import os
import re
import sys

from hexgames_env.core.registry import game_and_fields
from hexgames_env.core.scene import ROW_DISTANCE, Plan, Scene
from hexgames_env.core.state import State
from hexgames_env.errors import PositionTextError
from hexgames_env.rendering.arguments import check_flag, check_headline, check_state
from hexgames_env.rendering.composition import last_cells

SHORT = 20  # characters: values of a field that are longer stand in the first line
BOLD_PLAYERS = ("\033[1;34m", "\033[1;33m")  # blue and yellow, which everybody can tell apart
LAST, PLAIN = "\033[7m", "\033[0m"


def to_text(state: State, colour: bool | None = None, headline: str | None = None) -> str:
    """The board with its rows from the top down, each after its letter; the last step in brackets.

    Below it stand whose step it is, or who has won, and the last step.  `from_text` reads it back.

    Args:
        state: the position.
        colour: whether to colour the stones for a terminal; None: if standard output is one, and
            the variable NO_COLOR is not set.
        headline: shown instead of whose step it is; `from_text` does not read such a text.

    Raises:
        TypeError: ``state`` is not a `State`.
        OptionError: ``colour`` or ``headline`` is invalid.

    >>> from hexgames_env import make_game
    >>> state = make_game("oust", side=2).initial_state()
    >>> state.step(state.parse_action("b2"))
    >>> print(to_text(state))
    oust side=2 pie_rule=true
      c   . .
     b   .[B].
      a   . .
    player_1 to act (placement), after player_0: b2
    """
    check_state(state)
    check_flag("colour", colour, none=True)
    check_headline(headline)
    if colour is None:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    game = state.game
    scene = game.scene(state)
    fields = {name: f"{name}={value}" for name, value in state.fields().items()}
    long = [field for field in fields.values() if len(field) > SHORT]
    lines = [" ".join([game.to_string(), *long])]
    lines += _board(state, scene, colour)
    last = state.last_step
    after = "" if last is None else f", after player_{last[0]}: {last[1]}"
    short = [field for field in fields.values() if len(field) <= SHORT]
    if headline is not None:
        lines.append(f"{headline}{after}")
    elif state.is_over:
        by = "" if last is not None else f", player_{state.to_play} having played last"
        more = f" ({', '.join(short)})" if short else ""
        lines.append(f"player_{state.winner} has won{more}{after or by}")
    else:
        words = ", ".join([state.phase, *short])
        lines.append(f"player_{state.to_play} to act ({words}){after}")
    return "\n".join(lines)


def _board(state: State, scene: Scene, colour: bool) -> list[str]:
    """The lines of the board, from the top down."""
    plan, ground = scene.plan, state.ground()
    places = _places(plan)
    last, _ = last_cells(state, scene)
    height = 1 + max(row for row, _ in places)
    width = 2 + max(column for _, column in places)
    canvas = [[" "] * width for _ in range(height)]
    for cell, (row, column) in enumerate(places):
        symbol = ground[cell]
        if symbol == state.game.symbols[0] and cell in scene.numbers:
            symbol = str(scene.numbers[cell])
        canvas[row][column] = symbol
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
        below = [" "] * width
        for (_, column), letter in letters.items():
            below[column] = letter
        canvas.append(below)
        return ["".join(line).rstrip() for line in canvas]
    lines = []
    for row, line in enumerate(canvas):
        first = min(column for r, column in places if r == row)
        column, letter = first - 4, letters[row, first]
        lines.append("".join([*line[: max(0, column)], letter, *line[column + 1 :]]).rstrip())
    return lines


def _places(plan: Plan) -> list[tuple[int, int]]:
    """The line and the column of each cell: a letter is about half as wide as a line is high."""
    across, up = (4 / ROW_DISTANCE, 2) if plan.upright else (2, 1 / ROW_DISTANCE)
    rough = [(-y * up, x * across) for x, y in plan.points]
    top, left = min(row for row, _ in rough), min(column for _, column in rough)
    return [(round(row - top), round(column - left) + 5) for row, column in rough]


def _letters(plan: Plan, places: list[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """The letter that begins the names of a row's cells, by the place of its first cell."""
    found: dict[str, tuple[int, int]] = {}
    for name, place in zip(plan.names, places, strict=True):
        found.setdefault(name[:1], place)
    return {place: letter for letter, place in found.items()}


def from_text(text: str) -> State:
    """The position of a text that `to_text` made without a headline; coloured or not.

    Its history is not in the text.

    Raises:
        PositionTextError: the text is not one that `to_text` makes, or has a headline.

    >>> from hexgames_env import make_game
    >>> state = make_game("oust", side=3).initial_state()
    >>> state.step(state.parse_action("c3"))
    >>> from_text(to_text(state)) == state
    True
    """
    if not isinstance(text, str):
        raise PositionTextError(f"a board is read from a str, got {text!r}")
    plain = re.sub("\033\\[[0-9;]*m", "", text).strip("\n").split("\n")
    status = re.fullmatch(
        r"player_([01]) (?:to act \(([^)]*)\)(?:, after .*)?"
        r"|has won(?: \(([^)]*)\))?, (?:after )?player_([01])(?::| having).*)",
        plain[-1],
    )
    if status is None:
        raise PositionTextError(
            "the last line of a board's text says whose step it is or who has won, like "
            f"'player_0 to act (placement)', got {plain[-1][:80]!r}"
        )
    header, winner, to_play = plain[0], "none", status[1]
    fields = (status[2] or "").split(", ")[1:]
    if status[4] is not None:
        winner, to_play = status[1], status[4]
        fields = status[3].split(", ") if status[3] else []
    game, _ = game_and_fields(header)
    plan = game.scene(game.initial_state(0)).plan
    ground = []
    for name, (row, column) in zip(plan.names, _places(plan), strict=True):
        line = plain[1 + row] if 1 + row < len(plain) else ""
        symbol = line[column : column + 1]
        if not symbol.strip():
            raise PositionTextError(f"cell {name} is missing in the board's line {line!r}")
        is_number = symbol.isdigit() and symbol not in game.symbols
        ground.append(game.symbols[0] if is_number else symbol)
    board = game.board.to_rows("".join(ground))
    words = [header, f"board={board}", f"to_play={to_play}", f"winner={winner}", *fields]
    return State.from_string(" ".join(words))
