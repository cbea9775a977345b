"""`Table`: how the bots of an arena have done, as text, as Markdown and as a picture."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hexgames_env.arena.plot import plot
from hexgames_env.arena.ratings import Ratings, rate
from hexgames_env.arena.sprt import Sprt
from hexgames_env.core.options import shown
from hexgames_env.core.words import listed, number_of
from hexgames_env.errors import OptionError
from hexgames_env.records import Record

Row = tuple[float, ...]


@dataclass(frozen=True)
class Table:
    """What each bot has scored against each other: 1 for a win, half for a game nobody has won.

    Two tables are equal if all of this is.

    Attributes:
        game: its text.
        bots: their texts, in the order of the rows and columns that follow.
        points: of the row's bot against the column's.
        games: of the row's bot against the column's.
        points_as: of each bot as player_0 and as player_1.
        games_as: of each bot as player_0 and as player_1.
        cut_off: games that nobody has won.
        illegal: games that a bot has lost by an illegal action, by bot.
        repeated: games with the same players and steps as another one: those of bots that leave
            nothing to chance, from an opening that is used again.
        anchor: the bot whose Elo is given; None makes the mean 0.
        anchor_elo: the anchor's.
        test: the test that has stopped the games, if any.
        is_better: its answer on the first bot; None if it has none.

    >>> from hexgames_env.arena import Arena, InTurn, run
    >>> table = run(Arena("oust side=3", ["random", "greedy"], 20, seed=1), executor=InTurn())
    >>> print(table.to_string())
    oust side=3 pie_rule=true: 20 games
       bot      Elo +- 95 %  games    score  as player_0  as player_1
    1  greedy  +323 +- 244      20  100.0 %      100.0 %      100.0 %
    2  random  -323 +- 244      20    0.0 %        0.0 %        0.0 %
    <BLANKLINE>
       points       1        2
    1  greedy       -  20.0/20
    2  random  0.0/20        -
    <BLANKLINE>
    Elo by maximum likelihood, its mean is 0.  Somebody has won all games against others, so each
    pair that met is given one more game, half won by each.
    """

    game: str
    bots: tuple[str, ...]
    points: tuple[Row, ...]
    games: tuple[tuple[int, ...], ...]
    points_as: tuple[tuple[float, float], ...]
    games_as: tuple[tuple[int, int], ...]
    cut_off: int = 0
    illegal: tuple[int, ...] = ()
    repeated: int = 0
    anchor: str | None = None
    anchor_elo: float = 0.0
    test: Sprt | None = None
    is_better: bool | None = None

    @classmethod
    def from_records(
        cls,
        records: Iterable[Record],
        bots: Sequence[str] | None = None,
        *,
        test: tuple[Sprt, bool | None] | None = None,
    ) -> Table:
        """The table of these games, in whatever order they come.

        Args:
            records: of one game, with players.
            bots: all of them; None takes them as they appear.
            test: what has stopped the games, and its answer.

        Raises:
            OptionError: there are no games; they are of several; a player that is none of the bots.
        """
        found = list(records)
        names = list(bots or dict.fromkeys(name for record in found for name in record.players))
        kinds = sorted({record.game.to_string() for record in found})
        if len(kinds) != 1:
            raise OptionError(f"a table is of the records of one game, got {listed(kinds or '0')}")
        n = len(names)
        points, games = np.zeros((n, n)), np.zeros((n, n), np.int64)
        points_as, games_as = np.zeros((n, 2)), np.zeros((n, 2), np.int64)
        illegal = np.zeros(n, np.int64)
        for record in found:
            try:
                who = [names.index(name) for name in record.players]
            except ValueError:
                known = ", ".join(map(repr, names))
                raise OptionError(f"the bots are {known}, got {record.players}") from None
            for seat, (one, other) in enumerate((who, who[::-1])):
                scored = 0.5 if record.winner is None else float(record.winner == seat)
                points[one, other] += scored
                games[one, other] += 1
                points_as[one, seat] += scored
                games_as[one, seat] += 1
            if record.illegal is not None:
                illegal[who[record.final.to_play]] += 1
        different = {(record.players, record.actions) for record in found}
        return cls(
            kinds[0],
            tuple(names),
            _rows(points),
            _rows(games),
            _rows(points_as),
            _rows(games_as),
            sum(record.winner is None for record in found),
            tuple(illegal.tolist()),
            len(found) - len(different),
            test=None if test is None else test[0],
            is_better=None if test is None else test[1],
        )

    def anchored(self, bot: str | None, elo: float = 0.0) -> Table:
        """The same games, with the Elo of one bot given; None makes the mean 0.

        Raises:
            OptionError: there is no such bot, or the Elo is no number.
        """
        if bot is not None and bot not in self.bots:
            known = ", ".join(map(repr, self.bots))
            raise OptionError(f"anchor must be one of {known}, got {shown(bot)}")
        is_number = isinstance(elo, (int, float, np.floating)) and not isinstance(elo, bool)
        if not is_number or not np.isfinite(elo):
            raise OptionError(f"the Elo of an anchor must be a finite number, got {shown(elo)}")
        return replace(self, anchor=bot, anchor_elo=float(elo))

    @cached_property
    def ratings(self) -> Ratings:
        """Elo of each bot."""
        anchor = None if self.anchor is None else self.bots.index(self.anchor)
        return rate(self.points, anchor, self.anchor_elo)

    @cached_property
    def ranking(self) -> tuple[int, ...]:
        """The bots from the best down, by number; who is not rated comes last."""
        elo = np.nan_to_num(self.ratings.elo, nan=-np.inf)
        return tuple(sorted(range(len(self.bots)), key=lambda bot: (-elo[bot], bot)))

    @property
    def number_of_games(self) -> int:
        """All games."""
        return sum(map(sum, self.games)) // 2

    # Written down

    def to_string(self) -> str:
        """Standings, cross table and what is to be said of them."""
        head = f"{self.game}: {number_of(self.number_of_games, 'game')}"
        return "\n".join(
            [
                head,
                *_aligned(self._standings(), texts=2),
                "",
                *_aligned(self._cross_table(), texts=2),
                "",
                *_wrapped(self.notes()),
            ]
        )

    def to_markdown(self) -> str:
        """Standings and cross table in Markdown, and what is to be said of them."""
        tables = [_markdown(self._standings()), _markdown(self._cross_table())]
        head = f"{self.game}: {number_of(self.number_of_games, 'game')}"
        return "\n\n".join([head, *tables, " ".join(self.notes())]) + "\n"

    def to_svg(self, *, theme: str = "light") -> str:
        """The ratings with their intervals as an SVG document.

        Args:
            theme: ``"light"`` or ``"dark"``.

        Raises:
            OptionError: no such theme.
        """
        ratings = self.ratings
        rated = [bot for bot in self.ranking if not np.isnan(ratings.elo[bot])]
        return plot(
            [self.bots[bot] for bot in rated],
            [float(ratings.elo[bot]) for bot in rated],
            [ratings.margin(bot) for bot in rated],
            title=f"{self.game}, {number_of(self.number_of_games, 'game')}",
            note="Elo and 95 % intervals",
            theme=theme,
        )

    def _repr_svg_(self) -> str:
        """What notebooks show."""
        return self.to_svg()

    def __str__(self) -> str:
        return self.to_string()

    def notes(self) -> list[str]:
        """What is to be said of the figures, in sentences."""
        zero = f"{self.anchor!r} has {self.anchor_elo:g}" if self.anchor else "its mean is 0"
        notes = [f"Elo by maximum likelihood, {zero}."]
        if self.ratings.prior:
            notes.append(
                "Somebody has won all games against others, so each pair that met is given one "
                "more game, half won by each."
            )
        if self.cut_off:
            notes.append(f"{_count(self.cut_off)} cut off: half a point for each player.")
        for bot, count in enumerate(self.illegal):
            if count:
                lost = number_of(count, "game")
                notes.append(f"{self.bots[bot]!r} has lost {lost} by an illegal action.")
        if self.repeated:
            notes.append(
                f"{_count(self.repeated)} the same, step by step, as another one: intervals are "
                "wider than it looks."
            )
        if self.test is not None:
            notes.append(self._test_words(self.test))
        return notes

    def _test_words(self, test: Sprt) -> str:
        one, other = map(repr, self.bots)
        asked = (
            f"SPRT of {test.elo0:g} against {test.elo1:g} Elo, alpha={test.alpha:g}, "
            f"beta={test.beta:g}"
        )
        if self.is_better is None:
            return f"{asked}: no answer yet on whether {one} is better than {other}."
        return f"{asked}: {one} is {'' if self.is_better else 'not '}better than {other}."

    def _standings(self) -> list[list[str]]:
        rows = [["", "bot", "Elo +- 95 %", "games", "score", "as player_0", "as player_1"]]
        for place, bot in enumerate(self.ranking, 1):
            scores = [(sum(self.points[bot]), sum(self.games[bot]))]
            scores += zip(self.points_as[bot], self.games_as[bot], strict=True)
            elo, margin = self.ratings.elo[bot], self.ratings.margin(bot)
            rows.append(
                [
                    str(place),
                    self.bots[bot],
                    "-" if np.isnan(elo) else f"{elo:+.0f} +- {margin:<4.0f}",
                    str(sum(self.games[bot])),
                    *(f"{100 * won / of:.1f} %" if of else "-" for won, of in scores),
                ]
            )
        return rows

    def _cross_table(self) -> list[list[str]]:
        order = self.ranking
        rows = [["", "points", *(str(place) for place in range(1, len(order) + 1))]]
        for place, bot in enumerate(order, 1):
            points = [
                f"{won:.1f}/{of}" if of else "-"
                for won, of in ((self.points[bot][o], self.games[bot][o]) for o in order)
            ]
            rows.append([str(place), self.bots[bot], *points])
        return rows


def _count(games: int) -> str:
    return f"{number_of(games, 'game')} {'was' if games == 1 else 'were'}"


def _rows(numbers: Any) -> Any:
    return tuple(map(tuple, numbers.tolist()))


def _aligned(rows: list[list[str]], texts: int) -> list[str]:
    """Columns side by side: the first ones begin together, the others end together."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if place < texts else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def _markdown(rows: list[list[str]]) -> str:
    head, *others = ([cell.strip().replace("|", "\\|") for cell in row] for row in rows)
    marks = ["---:", "---", *["---:"] * (len(head) - 2)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, marks, *others))


def _wrapped(sentences: list[str]) -> list[str]:
    return textwrap.wrap("  ".join(sentences), 96, break_long_words=False, break_on_hyphens=False)
