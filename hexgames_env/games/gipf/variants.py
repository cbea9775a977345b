"""The variants of GIPF: what each begins with, and nothing else tells one from another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

START_POINTS = {"e2": 0, "b5": 0, "h5": 0, "b2": 1, "e8": 1, "h2": 1}
"""Where pieces lie at the start, and whose; three of each player."""

MOST_PIECES = 18
"""Of each player; planes of reserves are divided by it."""


@dataclass(frozen=True)
class Variant:
    """What a game begins with; ValueError if kernels or planes have no room for it."""

    name: str
    on_board: Literal["", "w", "W"]
    """What lies on each of `START_POINTS`: nothing, a single piece, or a GIPF piece."""
    reserve: int
    """Pieces of each player in reserve."""
    brings: bool
    """Whether GIPF pieces are brought in: a player's first piece must be one, and others may be
    until its first single piece.  Only with an empty board at the start, because a whole reserve
    is what tells that a player has not pushed yet."""

    def __post_init__(self) -> None:
        if not 1 <= self.reserve <= self.pieces <= MOST_PIECES:
            raise ValueError(
                f"{self.name}: a player has from 1 to {MOST_PIECES} pieces (a GIPF piece counts "
                f"two) and at least one of them in reserve; got {self.pieces} and {self.reserve}"
            )
        if self.brings and (self.on_board or self.reserve < 2):
            raise ValueError(
                f"{self.name}: who brings GIPF pieces in begins on an empty board and with two "
                f"pieces or more; got on_board={self.on_board!r} and reserve={self.reserve}"
            )

    @property
    def pieces(self) -> int:
        """Of each player in all: a GIPF piece counts two."""
        per_player = len(START_POINTS) // 2
        return self.reserve + per_player * {"": 0, "w": 1, "W": 2}[self.on_board]

    @property
    def most_gipf(self) -> int:
        """GIPF pieces of each player that can lie on the board."""
        if self.brings:
            return self.reserve // 2
        return len(START_POINTS) // 2 if self.on_board == "W" else 0


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("standard", on_board="W", reserve=12, brings=False),
        Variant("basic", on_board="w", reserve=12, brings=False),
        Variant("tournament", on_board="", reserve=18, brings=True),
    )
}
