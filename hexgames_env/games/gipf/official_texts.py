"""What a text in GIPF's official notation says, whatever the position."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hexgames_env.core.options import shown
from hexgames_env.errors import NotationError
from hexgames_env.games.gipf.geometry import POINT_NAMES

ALL_KEPT = "keep"
"""The turn of a player who removes rows, takes nothing of them, and does not push any more."""
MAX_TURN = 500
"""Characters that are looked at: 37 pieces that leave before a push and 37 after it take fewer."""
PIECE = re.compile(r"([Gg]?)([A-Ia-i][1-9])(\*?)")
PUSH = re.compile(r"([Gg]?)([A-Ia-i][1-9])(?:-([A-Ia-i][1-9]))?")


class Piece(NamedTuple):
    """A piece that leaves, as it is written: ``Gf6*``."""

    text: str
    column: int


class Removal(NamedTuple):
    """A list; without pieces it is a bare ``x``."""

    pieces: tuple[Piece, ...]
    column: int


class Push(NamedTuple):
    """``Ga2-c4``, or the point alone."""

    gipf: bool
    begin: str
    end: str | None
    column: int
    end_column: int


class Turn(NamedTuple):
    """Lists before a push, the push, and lists after it; without a push all are before it.

    With neither a push nor a list it is `ALL_KEPT`.
    """

    before: tuple[Removal, ...]
    push: Push | None
    after: tuple[Removal, ...]


class Text:
    """A turn as it was given: errors show it, and where in it they are."""

    def __init__(self, number: int, given: str) -> None:
        self.number = number
        self.given = given

    def error(self, column: int, reason: str) -> NotationError:
        """What to raise for something at this column."""
        text = self.given if isinstance(self.given, str) else ""
        given = shown(text if len(text) <= 100 else text[:100] + "...")
        return NotationError(
            f"turn {self.number}, {given}, at column {column}: {reason}", self.number, column
        )


def parse_turn(text: Text) -> Turn:
    """What a turn says; NotationError if it is none.

    Letters may be small or capital, and white space may stand around each part and each piece.
    """
    given = text.given
    if not isinstance(given, str):
        raise text.error(0, f"a turn is a text, got {shown(given)}")
    if len(given) > MAX_TURN:
        raise text.error(MAX_TURN, f"a turn is at most {MAX_TURN} characters, got {len(given)}")
    if given.strip() == ALL_KEPT:
        return Turn((), None, ())
    before: list[Removal] = []
    after: list[Removal] = []
    push = None
    for part, column in _parts(given, ";", 0):
        if not part:
            raise text.error(column, "nothing stands here, expected a push or a list")
        if part[:1] in ("x", "X"):
            (after if push else before).append(_read_list(text, part, column))
        elif push:
            raise text.error(column, f"{shown(part)} is a second push, and a turn has one")
        else:
            push = _read_push(text, part, column)
    for lists in (before, after):
        _check_lists(text, lists)
    return Turn(tuple(before), push, tuple(after))


def _parts(text: str, separator: str, column: int) -> Iterator[tuple[str, int]]:
    """The parts without white space around them, and where they stand."""
    for part in text.split(separator):
        yield part.strip(), column + len(part) - len(part.lstrip())
        column += len(part) + 1


def _read_push(text: Text, part: str, column: int) -> Push:
    match = PUSH.fullmatch(part)
    if not match:
        raise text.error(
            column,
            f"{shown(part)} is neither a push, like e3, Ge8, e1-e4 or Ga2-c4, nor a list of pieces "
            "that leave, like xc6*,d6,Gf5",
        )
    gipf, begin, end = match.groups()
    end_column = column + match.start(3) if end else column
    return Push(bool(gipf), begin.lower(), end.lower() if end else None, column, end_column)


def _read_list(text: Text, part: str, column: int) -> Removal:
    if part[1:].strip() == "":
        return Removal((), column)
    pieces = []
    for word, place in _parts(part[1:], ",", column + 1):
        match = PIECE.fullmatch(word)
        if not match or match[2].lower() not in POINT_NAMES:
            raise text.error(
                place,
                f"{shown(word)} is no piece on a point: a list names pieces like c6, Gf5 (a GIPF "
                "piece) and c6* (one of the other's), separated by commas",
            )
        pieces.append(Piece(match[1].upper() + match[2].lower() + match[3], place))
    return Removal(tuple(pieces), column)


def _check_lists(text: Text, lists: list[Removal]) -> None:
    """Those of one side of a push: each piece once, and nothing beside a bare ``x``."""
    named = set()
    for removal in lists:
        if not removal.pieces and len(lists) > 1:
            raise text.error(
                removal.column,
                "x alone stands for all that a player removes: leave it out beside other lists",
            )
        for piece in removal.pieces:
            point = piece.text.strip("G*")
            if point in named:
                raise text.error(piece.column, f"a piece on {point} is named twice: name it once")
            named.add(point)
