"""What a bot is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Union

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.batch import Batch
from hexgames_env.core.policies import Policy
from hexgames_env.core.state import State


class Bot(ABC):
    """Who plays.  With the same state and the same ``rng`` it gives the same answer.

    A subclass implements ``__call__``; whatever else it knows comes through its constructor and
    stands in `settings`.

    Attributes:
        name: of the kind of bot.  `make_bot` takes the names in `bot_names`; pools, policies and
            plain functions have one too, but are made by their own classes and by `as_bot`.
        compiled: the compiled policy that plays as it does, None if there is none.
    """

    name: ClassVar[str]
    compiled: ClassVar[Policy | None] = None

    @abstractmethod
    def __call__(self, state: State, rng: np.random.Generator) -> int:
        """A legal action of ``state.to_play``.  The game runs; the state must be left as it is."""

    def choose(
        self, batch: Batch, rng: np.random.Generator, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """An action for each of many positions.

        Args:
            batch: where they stand.
            rng: where chance comes from.  Compiled policies and searches use the numbers of each
                row instead, and those of no other row.
            rows: int64 (k,), which rows, each once; None is all of them.

        Returns:
            int64 (k,), a legal action for each.

        Raises:
            IndexError: no such row.
            IllegalActionError: an answer is no integer, or no action of the game.
        """
        if self.compiled is not None:
            return batch.choose(self.compiled, rows)
        which = batch.check_rows(np.arange(batch.n) if rows is None else rows).tolist()
        # numpy would take 1.7, "1" and True for 1
        check = batch.game.check_action
        return np.array([check(self(batch.state(row), rng)) for row in which], np.int64)

    @property
    def shares_threads(self) -> bool:
        """Whether `choose` searches on all threads of its batch, which then is worth several."""
        return False

    def for_game(self, rng: np.random.Generator) -> Bot:
        """Who plays the next game: itself, or for a pool of bots one of them."""
        return self

    def settings(self) -> dict[str, Any]:
        """What was given to the constructor, by name."""
        return {}

    def to_string(self) -> str:
        """Name and settings, as `make_bot` takes them where they can be written as words."""
        return " ".join([self.name, *(f"{key}={value}" for key, value in self.settings().items())])

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.settings().items())
        return f"make_bot({self.name!r}{settings})"


Player = Union[str, Bot, Callable[[State, np.random.Generator], int]]  # noqa: UP007  (at run time)
"""What `hexgames_env.bots.as_bot` takes: a bot's text, a bot, or any callable like one."""


class FunctionBot(Bot):
    """Any callable of the protocol, as a `Bot`."""

    name = "function"

    def __init__(self, function: Callable[[State, np.random.Generator], int]) -> None:
        self.function = function

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        return self.function(state, rng)

    def to_string(self) -> str:
        """The function's name."""
        return str(getattr(self.function, "__qualname__", type(self.function).__qualname__))

    def __repr__(self) -> str:
        return repr(self.function)
