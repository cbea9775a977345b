"""What pictures mark of the last turn: where its steps were made, and which stones it took.

All steps of a turn are marked, for a turn is what a player did.  The last of them is marked
strongest, or the last that a board can show: to stop or to keep something shows nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from hexgames_env.core.scene import Scene
from hexgames_env.core.state import State
from hexgames_env.core.turn import last_turn


class StepMark(NamedTuple):
    """One step of the turn.

    Attributes:
        action: its number, for an action with a place of its own.
        cells: where it was made; of a swap the cells that changed hands.
        is_last: whether it is to be marked strongest.
    """

    action: int
    cells: tuple[int, ...]
    is_last: bool


class TurnMarks(NamedTuple):
    """The last turn, or the one in progress.

    Attributes:
        steps: its steps that a board can show, in their order.
        gone: the cells that it emptied, each with the player whose stone lay there last.
    """

    steps: tuple[StepMark, ...]
    gone: dict[int, int]


def turn_marks(state: State, scene: Scene) -> TurnMarks:
    """What to mark in a position, of which ``scene`` is the scene."""
    game, turn = state.game, last_turn(state)
    scenes = [*(game.scene(step.before) for step in turn), scene]
    shown: list[tuple[int, tuple[int, ...]]] = []
    gone: dict[int, int] = {}
    for step, old, new in zip(turn, scenes, scenes[1:], strict=False):
        cells = step.cells or _changed_hands(old, new)
        if cells or step.action in old.places:
            shown.append((step.action, cells))
        if new.gone is None:
            gone |= {cell: old.stones[cell][0] for cell in step.gone if cell in old.stones}
        else:
            gone |= new.gone
    left = {cell: player for cell, player in gone.items() if cell not in scene.stones}
    steps = [StepMark(*step, is_last=i == len(shown) - 1) for i, step in enumerate(shown)]
    return TurnMarks(tuple(steps), left)


def _changed_hands(old: Scene, new: Scene) -> tuple[int, ...]:
    stones = old.stones
    return tuple(cell for cell in stones if cell in new.stones and stones[cell] != new.stones[cell])
