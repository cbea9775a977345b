"""Bots that now and then step at random: what is between two rungs that no budget fills."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.bots.base import Bot
from hexgames_env.core.batch import Batch
from hexgames_env.core.options import shown
from hexgames_env.core.state import State
from hexgames_env.errors import OptionError


class NoisyBot(Bot):
    """Plays as another bot does, but that it makes a share of its steps at random.

    `make_bot` makes one of any bot that is given ``noise=``.

    Args:
        bot: who plays otherwise.
        noise: the share of random steps, from 0 to 1.

    Raises:
        OptionError: no such share.

    >>> import numpy as np
    >>> from hexgames_env import make_game
    >>> from hexgames_env.bots import make_bot
    >>> bot = make_bot("greedy noise=0.5")
    >>> bot
    make_bot('greedy', noise=0.5)
    >>> state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    >>> rng = np.random.default_rng(1)
    >>> sorted({state.action_to_string(bot(state, rng)) for _ in range(50)})  # a2 and b2 win
    ['a2', 'b2', 'b3', 'c2']
    """

    name = "noisy"

    def __init__(self, bot: Bot, noise: float) -> None:
        is_number = isinstance(noise, (int, float, np.number)) and not isinstance(noise, bool)
        if not is_number or not 0 <= noise <= 1:
            raise OptionError(
                f"noise is the share of steps at random, from 0 to 1, got {shown(noise)}"
            )
        self.bot, self.noise = bot, float(noise)

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        if rng.random() < self.noise:
            return state.sample_action(rng)
        return self.bot(state, rng)

    def choose(
        self, batch: Batch, rng: np.random.Generator, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """As of a `Bot`; each row's own numbers decide whether its step is random."""
        which = batch.check_rows(np.arange(batch.n) if rows is None else rows)
        fractions = (batch.draw_bits(which) >> np.uint64(11)) * 2.0**-53
        at_random = fractions < self.noise
        actions = np.empty(len(which), np.int64)
        if at_random.any():
            actions[at_random] = batch.choose("random", which[at_random])
        if not at_random.all():
            actions[~at_random] = self.bot.choose(batch, rng, which[~at_random])
        return actions

    @property
    def shares_threads(self) -> bool:
        return self.bot.shares_threads

    def for_game(self, rng: np.random.Generator) -> Bot:
        return NoisyBot(self.bot.for_game(rng), self.noise)

    def settings(self) -> dict[str, Any]:
        return {**self.bot.settings(), "noise": self.noise}

    def to_string(self) -> str:
        return f"{self.bot.to_string()} noise={self.noise!r}"

    def __repr__(self) -> str:
        return f"{repr(self.bot)[:-1]}, noise={self.noise!r})"
