"""The last turn of a position: steps that belong together, and what each of them did."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hexgames_env.core.state import State


class Step(NamedTuple):
    """One step of a turn.

    Attributes:
        player: who made it.
        action: its number.
        text: its name.
        cells: the cells that it speaks of.
        before: the position in which it was made.
        after: the position that came of it.
    """

    player: int
    action: int
    text: str
    cells: tuple[int, ...]
    before: State
    after: State

    @property
    def emptied(self) -> dict[int, str]:
        """The cells that this step left empty, and what lay there before: one of the symbols."""
        empty = self.before.game.symbols[0]
        both = zip(self.before.ground(), self.after.ground(), strict=True)
        return {cell: old for cell, (old, new) in enumerate(both) if old != empty == new}

    @property
    def gone(self) -> dict[int, str]:
        """Those of `emptied` from which the step took a stone off the board.

        What a step has moved on, such as a push in GIPF, is not gone.  So if more cells of a symbol
        were emptied than stones with it are missing, none of them is here: which of them it was
        the boards don't say.
        """
        emptied = self.emptied
        if not emptied:
            return {}
        old, new = self.before.ground(), self.after.ground()
        laid = Counter(new[cell] for cell in self.cells)
        cells = Counter(emptied.values())
        missing = {what: old.count(what) - new.count(what) + laid[what] for what in cells}
        return {cell: what for cell, what in emptied.items() if cells[what] <= missing[what]}


def last_turn(state: State) -> list[Step]:
    """The steps of the last turn, or of the one in progress, in the order in which they were made.

    Where a turn begins says `Game.begins_turn`; what came before the state's own beginning is not
    known.

    >>> from hexgames_env import make_game
    >>> state = make_game("strands", layout=[3, 3, 3, 2, 1, 2, 2]).initial_state()
    >>> for text in ("b2", "a1", "a2"):
    ...     state.step(state.parse_action(text))
    >>> [(step.player, step.text) for step in last_turn(state)]
    [(1, 'a1'), (1, 'a2')]
    """
    found: list[Step] = []
    after = state.copy()
    while after.last_action is not None:
        action = after.last_action
        before = after.copy()
        before.undo()
        cells = tuple(before.game.cells_of_action(action))
        text = before.action_to_string(action)
        found.append(Step(before.to_play, action, text, cells, before, after))
        if before.game.begins_turn(before):
            break
        after = before
    return found[::-1]
