"""One side of the games of a batch, played by bots."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hexgames_env.bots.base import Bot
from hexgames_env.core.batch import Batch
from hexgames_env.core.policies import RUNNING
from hexgames_env.core.workers import processors
from hexgames_env.errors import IllegalActionError


class OpponentsActionError(IllegalActionError):
    """A bot has made no legal action, and the step is incomplete."""


def threads_for(*bots: Bot) -> int:
    """How many threads a batch is worth giving in which these play: all, if one shares them."""
    return processors() if any(bot.shares_threads for bot in bots) else 1


class Side:
    """Plays the other side in each row of a batch: a pool with one of its bots for each game.

    Args:
        bot: who plays.
        n: rows.
    """

    def __init__(self, bot: Bot, n: int) -> None:
        self.bot = bot
        self._bots = [bot] * n  # of the game in each row

    def begin(self, rows: NDArray[np.int64], rng: np.random.Generator) -> None:
        """Choose who plays the games that now begin in these rows."""
        if self.bot.compiled is None:
            for row in rows.tolist():
                self._bots[row] = self.bot.for_game(rng)

    def play(
        self,
        batch: Batch,
        seats: NDArray[np.int64],
        actions: ArrayLike | None,
        rows: NDArray[np.int64] | None,
        rng: np.random.Generator,
    ) -> NDArray[np.int8]:
        """`Batch.step_against` this side, whether it plays in compiled code or not.

        Raises:
            IllegalActionError: an action is illegal, and nothing has changed.
            OpponentsActionError: a bot has made no legal action; some of its steps are missing.
        """
        outcomes = batch.step_against(self.bot.compiled, seats, actions, rows)
        if self.bot.compiled is None:
            which = np.arange(batch.n) if rows is None else rows
            due = np.flatnonzero((outcomes == RUNNING) & (batch.to_play != seats)[which])
            while len(due):
                asked = which[due]
                answers = self._answers(batch, asked, rng)
                outcomes[due] = batch.step_against(None, seats, answers, asked)
                runs = outcomes[due] == RUNNING
                due = due[runs & (batch.to_play != seats)[asked]]
        return outcomes

    def _answers(
        self, batch: Batch, rows: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """The actions of those who play in these rows, each asked once for all of its rows."""
        asked: dict[int, list[int]] = {}
        for k, row in enumerate(rows.tolist()):
            asked.setdefault(id(self._bots[row]), []).append(k)
        actions = np.empty(len(rows), np.int64)
        for places in asked.values():
            bot = self._bots[rows[places[0]]]
            actions[places] = _chosen(bot, batch, rows[places], rng)
        in_range = (actions >= 0) & (actions < batch.game.num_actions)
        legal = in_range & (batch.action_mask_view[rows, np.where(in_range, actions, 0)] == 1)
        if not legal.all():
            k = int(np.flatnonzero(~legal)[0])
            raise OpponentsActionError(
                f"opponent {self._bots[rows[k]]!r}: action {actions[k]} is illegal in row "
                f"{rows[k]}: {batch.state(int(rows[k])).to_string()}"
            )
        return actions


def _chosen(
    bot: Bot, batch: Batch, rows: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """What one bot says for its rows: as many integers, which need not be legal."""
    try:
        chosen: Any = bot.choose(batch, rng, rows)
    except IllegalActionError as error:
        raise OpponentsActionError(f"opponent {bot!r}: {error}") from None
    got = type(chosen).__name__
    if isinstance(chosen, np.ndarray):
        if chosen.dtype.kind in "iu" and chosen.shape == rows.shape:
            return chosen
        got = f"{chosen.dtype} of shape {chosen.shape}"
    raise OpponentsActionError(
        f"opponent {bot!r}: choose() must return an integer array of shape ({len(rows)},), "
        f"got {got}"
    )
