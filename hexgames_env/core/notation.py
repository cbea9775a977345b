"""`Notation`: how people write down a game, where that is not by the names of our actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from hexgames_env.core.state import State


@runtime_checkable
class Notation(Protocol):
    """Whole turns as texts.  Neither method changes ``start`` or asks for its history."""

    def write(self, start: State, actions: Sequence[int]) -> list[str]:
        """One text for each turn of these actions, made from ``start`` on.

        Raises:
            NotationError: the notation has no text that says just this.
            IllegalActionError: an action is illegal where its turn comes.
            GameOverError: actions follow the end.
        """

    def read(self, start: State, turns: Sequence[str]) -> list[int]:
        """The actions that these texts stand for, legal one after the other from ``start`` on.

        Where several orders of steps lead to the same position, it is always the same one.

        Raises:
            NotationError: a text is none of the notation, is illegal where it stands, or can be
                read in two ways that differ.
        """
