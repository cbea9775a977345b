"""What a player is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hexgames_env.batch import Batch
from hexgames_env.players import EXTERNAL
from hexgames_env.state import State


class Agent(ABC):
    """A player.  With the same state and the same ``rng`` it gives the same answer.

    A subclass implements ``__call__``; whatever else it knows comes through its constructor and
    is told by `settings`.

    Attributes:
        name: of the kind of player.  `make_agent` takes the names in `agent_names`; pools, policies
            and plain functions have one too, but are made by their own classes and by `as_agent`.
        compiled: which of the compiled players in `players.py` plays as it does; EXTERNAL if none.
    """

    name: ClassVar[str]
    compiled: ClassVar[int] = EXTERNAL

    @abstractmethod
    def __call__(self, state: State, rng: np.random.Generator) -> int:
        """A legal action of ``state.to_play``.  The game runs; the state must be left as it is."""

    def choose(
        self, batch: Batch, rng: np.random.Generator, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """An action for each of many positions.

        Args:
            batch: where they stand.
            rng: where chance comes from.  The compiled players use the numbers of each row instead,
                and those of no other row.
            rows: int64 (k,), which rows, each once; None is all of them.

        Returns:
            int64 (k,), a legal action for each.

        Raises:
            IndexError: no such row.
            IllegalActionError: an answer is no integer, or no action of the game.
        """
        which = check_rows(batch, rows).tolist()
        # numpy would take 1.7, "1" and True for 1
        check = batch.game.check_action
        return np.array([check(self(batch.state(row), rng)) for row in which], np.int64)

    def for_game(self, rng: np.random.Generator) -> Agent:
        """Who plays the next game: itself, or for a pool of players one of them."""
        return self

    def settings(self) -> dict[str, Any]:
        """What was given to the constructor, by name."""
        return {}

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.settings().items())
        return f"make_agent({self.name!r}{settings})"


def check_rows(batch: Batch, rows: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The rows that `Agent.choose` was asked for, as compiled code takes them.

    Raises:
        IndexError: no such row, or not an array of one dimension of integers.
    """
    if rows is None:
        return np.arange(batch.n)
    given = np.asarray(rows)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise IndexError(
            f"rows are an integer array of one dimension, got {given.dtype} of shape {given.shape}"
        )
    if given.size and not (given.min() >= 0 and given.max() < batch.n):
        raise IndexError(f"rows are 0 to {batch.n - 1}, got {given.min()} to {given.max()}")
    return np.ascontiguousarray(given, np.int64)


class _Function(Agent):
    """Any callable of the protocol, as an `Agent`."""

    name = "function"

    def __init__(self, function: Callable[[State, np.random.Generator], int]) -> None:
        self.function = function

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        return self.function(state, rng)

    def __repr__(self) -> str:
        return repr(self.function)


def as_agent(player: str | Agent | Callable[[State, np.random.Generator], int]) -> Agent:
    """An agent from its text, an agent, or any callable ``(state, rng) -> action``.

    Raises:
        OptionError: it is none of these; the message lists the texts.
    """
    from hexgames_env.agents.registry import make_agent  # which names subclasses of Agent

    if isinstance(player, Agent):
        return player
    if isinstance(player, (str, type)) or not callable(player):
        return make_agent(player)  # type: ignore[arg-type]  # which refuses what is no text
    return _Function(player)
