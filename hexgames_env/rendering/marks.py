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
            shown.append((step.action, tuple(cells)))
        gone |= taken(old, new)
    left = {cell: player for cell, player in gone.items() if cell not in scene.stones}
    steps = [StepMark(*step, is_last=i == len(shown) - 1) for i, step in enumerate(shown)]
    return TurnMarks(tuple(steps), left)


def taken(old: Scene, new: Scene) -> dict[int, int]:
    """The stones that a step took off the board, by cell the player: see `Scene.gone`."""
    if new.gone is not None:
        return dict(new.gone)
    fewer = [player for player in (0, 1) if _pieces(new, player) < _pieces(old, player)]
    return {
        cell: player
        for cell, (player, _) in old.stones.items()
        if cell not in new.stones and player in fewer
    }


def _pieces(scene: Scene, player: int) -> int:
    return sum(height for owner, height in scene.stones.values() if owner == player)


def _changed_hands(old: Scene, new: Scene) -> tuple[int, ...]:
    stones = old.stones
    return tuple(cell for cell in stones if cell in new.stones and stones[cell] != new.stones[cell])


def last_cells(state: State, scene: Scene) -> tuple[list[int], dict[int, int]]:
    """The cells of the last step; and those it emptied, with the player whose stone lay there."""
    if state.last_action is None:
        return [], {}
    before = state.copy()
    before.undo()
    old = state.game.scene(before)
    cells = list(state.game.cells_of_action(state.last_action)) or _changed_hands(old, scene)
    return list(cells), taken(old, scene)
