"""Whether one bot is better than another, asked while they play: the sequential test of A. Wald."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hexgames_env.core.options import shown
from hexgames_env.errors import OptionError


def expected(elo: float) -> float:
    """The share of points against somebody rated so much lower.

    >>> expected(0.0), round(expected(400.0), 3)
    (0.5, 0.909)
    """
    return float(1 / (1 + 10 ** (-elo / 400)))


@dataclass(frozen=True)
class Sprt:
    """A test that stops as soon as it can say whether one bot is better than another.

    A. Wald's sequential probability ratio test ("Sequential tests of statistical hypotheses", 1945)
    of "it is ``elo0`` better" against "it is ``elo1`` better", looked at whenever both games of an
    opening have been played.  A game that nobody has won counts as half of each.

    Attributes:
        elo0: where the answer should be no; such a bot is taken for better in a share ``alpha`` of
            tests, at most about so.
        elo1: where it should be yes; such a bot is refused in a share ``beta`` of tests.

    >>> test = Sprt(0, 50)
    >>> test.answer([2.0] * 20), test.answer([1.0] * 30), test.answer([0.5, 0.0] * 20)
    ((True, 12), (None, 30), (False, 13))
    """

    elo0: float = 0.0
    elo1: float = 50.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1", "alpha", "beta"):
            value: Any = getattr(self, name)
            is_number = isinstance(value, (int, float, np.floating)) and not isinstance(value, bool)
            if not is_number or not np.isfinite(value):
                raise OptionError(f"{name} must be a finite number, got {shown(value)}")
        if not -4000 <= self.elo0 < self.elo1 <= 4000:
            raise OptionError(
                f"elo0 must be below elo1, both from -4000 to 4000, got {self.elo0} and {self.elo1}"
            )
        if not 0 < self.alpha < 0.5 or not 0 < self.beta < 0.5:
            raise OptionError(
                f"alpha and beta must be above 0 and below 0.5, got {self.alpha} and {self.beta}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The logarithms of the likelihood ratio at which the answer is no, and yes."""
        return (
            float(np.log(self.beta / (1 - self.alpha))),
            float(np.log((1 - self.beta) / self.alpha)),
        )

    def ratio(self, points: float, games: int) -> float:
        """The logarithm of the likelihood ratio after so many points in so many games."""
        won, lost = self._weights
        return points * won + (games - points) * lost

    @property
    def _weights(self) -> tuple[float, float]:
        """What a game that was won adds to the ratio, and one that was lost."""
        p0, p1 = expected(self.elo0), expected(self.elo1)
        return float(np.log(p1 / p0)), float(np.log((1 - p1) / (1 - p0)))

    def answer(self, points: Sequence[float]) -> tuple[bool | None, int]:
        """Whether the bot is better, None if that is still open, and after how many openings.

        Args:
            points: what it scored in the two games of each opening, one after the other.
        """
        (no, yes), (won, lost) = self.bounds, self._weights
        scored = np.array(points, np.float64)
        ratios = np.cumsum(scored * won + (2 - scored) * lost)
        ends = np.flatnonzero((ratios <= no) | (ratios >= yes))
        if not len(ends):
            return None, len(points)
        return bool(ratios[ends[0]] >= yes), int(ends[0]) + 1
