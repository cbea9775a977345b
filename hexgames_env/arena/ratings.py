"""Elo by maximum likelihood, and how sure it is.

The model is that of R. A. Bradley and M. E. Terry ("Rank analysis of incomplete block designs",
1952) on the scale of A. E. Elo: a bot scores 1 / (1 + 10 ** (-d / 400)) against one that is rated d
lower.  The likelihood has one maximum wherever no bot, and no group of them, has won or lost all
games against the others (L. R. Ford, "Solution of a ranking problem from binary comparisons", 1957;
D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", 2004); it is found by Newton's
steps.  Where there is none, each pair that has met is given one more game, half won by each, and
`Ratings.prior` says so.  A game that nobody has won is half a win for each.

Intervals are 1.96 standard errors, from the inverse of Fisher's information.  They take games as
independent; those from one opening in both seats are rather opposites, so that the intervals are
somewhat wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hexgames_env.core.options import shown
from hexgames_env.errors import OptionError

ELO = 400 / np.log(10)  # by which a natural logarithm of odds is multiplied
Z = 1.959963984540054  # standard errors on each side of 95 %
PRIOR = 1.0  # games that are added for each pair, where the likelihood has no maximum


@dataclass(frozen=True)
class Ratings:
    """Elo of each bot.

    Attributes:
        elo: float64 (bots,), the mean of those that are rated being 0, or the anchor's; NaN for
            who has not met the others, directly or by way of others.
        covariance: float64 (bots, bots), of ``elo``.
        prior: games that were added for each pair that has met, half won by each: 0.0 unless
            somebody has won all.
    """

    elo: NDArray[np.float64]
    covariance: NDArray[np.float64]
    prior: float

    def margin(self, bot: int) -> float:
        """Half of the 95 % interval of a bot's Elo."""
        return Z * float(np.sqrt(max(0.0, self.covariance[bot, bot])))

    def difference(self, bot: int, other: int) -> tuple[float, float]:
        """How much higher the one is rated, and half of that difference's 95 % interval."""
        c = self.covariance
        variance = c[bot, bot] + c[other, other] - 2 * c[bot, other]
        return float(self.elo[bot] - self.elo[other]), Z * float(np.sqrt(max(0.0, variance)))


def rate(points: ArrayLike, anchor: int | None = None, elo: float = 0.0) -> Ratings:
    """Elo from what each bot has scored against each other.

    Args:
        points: (bots, bots), of the row's bot against the column's: 1 for a win, half for a game
            that nobody has won.
        anchor: the bot whose Elo is given; None makes the mean 0.
        elo: the anchor's.

    Raises:
        OptionError: the points are no such table, or there is no such bot.

    >>> ratings = rate([[0, 75], [25, 0]], anchor=1)
    >>> [round(number, 1) for number in ratings.elo.tolist()], round(ratings.margin(0), 1)
    ([190.8, 0.0], 78.6)
    """
    table = _checked(points)
    n = len(table)
    if anchor is not None and not 0 <= anchor < n:
        raise OptionError(f"anchor must be None or one of {n} bots, got {shown(anchor)}")
    met = (table + table.T) > 0
    members = _component(met, anchor)
    part = table[np.ix_(members, members)]
    prior = 0.0
    if not _all_reached(part > 0):
        prior = PRIOR
        part = part + PRIOR / 2 * met[np.ix_(members, members)]
    strengths = _maximum(part)
    covariance = _inverse(_information(part, strengths))
    if anchor is not None:
        place = members.index(anchor)
        strengths = strengths - strengths[place]
        # Of differences to the anchor, of which nothing is uncertain then
        to_anchor = np.eye(len(members))
        to_anchor[:, place] -= 1
        covariance = to_anchor @ covariance @ to_anchor.T
    found, spread = np.full(n, np.nan), np.full((n, n), np.nan)
    if len(members) == 1 and anchor is None:
        return Ratings(found, spread, 0.0)
    found[members] = ELO * strengths + (elo if anchor is not None else 0.0)
    spread[np.ix_(members, members)] = ELO**2 * covariance
    return Ratings(found, spread, prior)


def _checked(points: ArrayLike) -> NDArray[np.float64]:
    try:
        table = np.array(points, np.float64)
    except (TypeError, ValueError):
        table = np.zeros(0)
    square = table.ndim == 2 and table.shape[0] == table.shape[1] > 0
    if not square or not np.isfinite(table).all() or (table < 0).any() or table.diagonal().any():
        raise OptionError(
            f"points must be numbers from 0 on, a row and a column for each bot and 0 against "
            f"itself, got {shown(points):.200}"
        )
    return table


def _component(met: NDArray[np.bool_], anchor: int | None) -> list[int]:
    """The bots tied to the anchor by games; without one, the most that are tied to each other."""
    tied = [sorted(_reached(met, bot)) for bot in range(len(met))]
    return max(tied, key=len) if anchor is None else tied[anchor]


def _reached(edges: NDArray[Any], begin: int) -> set[int]:
    found, todo = {begin}, [begin]
    while todo:
        new = set(np.flatnonzero(edges[todo.pop()]).tolist()) - found
        found |= new
        todo += new
    return found


def _all_reached(won: NDArray[np.bool_]) -> bool:
    """Whether each bot has beaten each other, or one that has, and so on."""
    n = len(won)
    return len(_reached(won, 0)) == len(_reached(won.T, 0)) == n


def _maximum(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Strengths, as logarithms of odds with the mean 0, that make the points most likely."""
    strengths = np.zeros(len(points))
    value = _log_likelihood(points, strengths)
    for _ in range(200):
        step = _inverse(_information(points, strengths)) @ _slope(points, strengths)
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
        # A whole step may lead too far, where somebody has won nearly all
        for _ in range(60):
            tried = _log_likelihood(points, strengths + step)
            if tried >= value:
                break
            step = step / 2
        else:
            break
        strengths, value = strengths + step, tried
        strengths -= strengths.mean()
    return strengths


def _scores(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """What each is expected to score against each."""
    scores: NDArray[np.float64] = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    return scores


def _log_likelihood(points: NDArray[np.float64], strengths: NDArray[np.float64]) -> float:
    return -float((points * np.logaddexp(0, strengths[None, :] - strengths[:, None])).sum())


def _slope(points: NDArray[np.float64], strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    games = points + points.T
    slope: NDArray[np.float64] = (points - games * _scores(strengths)).sum(axis=1)
    return slope


def _information(
    points: NDArray[np.float64], strengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Fisher's: what the games tell of each strength and of each two."""
    scores = _scores(strengths)
    told = (points + points.T) * scores * (1 - scores)
    information: NDArray[np.float64] = np.diag(told.sum(axis=1)) - told
    return information


def _inverse(information: NDArray[np.float64]) -> NDArray[np.float64]:
    """Its pseudo-inverse: what it says nothing of is the same number added to all strengths.

    numpy's own takes that for something, by an error of rounding.
    """
    n = len(information)
    shared = np.full((n, n), max(np.trace(information), 1e-300) / n**2)
    inverse: NDArray[np.float64] = np.linalg.inv(information + shared)
    return inverse - 1 / (n**2 * shared)
