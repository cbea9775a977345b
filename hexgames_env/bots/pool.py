"""A pool of bots, one of them for each game: the other side of self-play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hexgames_env.bots.base import Bot, Player
from hexgames_env.bots.registry import as_bot
from hexgames_env.core.options import shown
from hexgames_env.core.state import State
from hexgames_env.errors import OptionError


class BotPool(Bot):
    """Plays each game with one of its members: often the newest, otherwise any.

    Environments draw the member at the start of a game by `for_game`.  Called by itself, the pool
    draws one for each step.  Members stay for good: a learner that only meets its latest self
    forgets how to beat the earlier ones.

    Args:
        members: the first ones, as `as_bot` takes them.
        newest: how often, from 0 to 1, the newest is taken without looking at the others.

    >>> pool = BotPool(["random"])
    >>> pool.add("greedy")
    >>> len(pool)
    2
    """

    name = "pool"

    def __init__(
        self,
        members: Sequence[Player] = ("random",),
        newest: float = 0.5,
    ) -> None:
        if isinstance(members, str) or not isinstance(members, Sequence) or not members:
            raise OptionError(f"a pool begins with a sequence of bots, got {shown(members)}")
        if not isinstance(newest, (int, float, np.floating)) or not 0 <= newest <= 1:
            raise OptionError(f"newest must be from 0 to 1, got {shown(newest)}")
        self.members = [as_bot(member) for member in members]
        self.newest = newest

    def add(self, member: Player) -> None:
        """Add one; it plays from the next game on."""
        self.members.append(as_bot(member))

    def for_game(self, rng: np.random.Generator) -> Bot:
        if rng.random() < self.newest:
            return self.members[-1].for_game(rng)
        return self.members[int(rng.integers(len(self.members)))].for_game(rng)

    @property
    def shares_threads(self) -> bool:
        return any(member.shares_threads for member in self.members)

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        return self.for_game(rng)(state, rng)

    def settings(self) -> dict[str, Any]:
        return {"members": self.members, "newest": self.newest}

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        return f"BotPool({self.members!r}, newest={self.newest!r})"
