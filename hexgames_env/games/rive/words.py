"""Rive in plain words; `hexgames_env.core.words` says what for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from hexgames_env.core.game import Game
from hexgames_env.core.state import State
from hexgames_env.core.turn import Step
from hexgames_env.core.words import listed, number_of

MOST_NAMES = 6
"""Of stones in a turn; more are counted."""


def turn_words(game: Game, steps: Sequence[Step]) -> str:
    done = []
    if len(steps) > MOST_NAMES:
        placed = sum(step.before.phase == "placement" for step in steps)
        last = steps[-1]
        what = "placed" if last.before.phase == "placement" else "removed"
        return (
            f"placed {number_of(placed, 'stone')} and removed {len(steps) - placed}, "
            f"last {what} {last.text.removeprefix('x')}"
        )
    for phase, some in groupby(steps, key=lambda step: step.before.phase):
        names = listed(step.text.removeprefix("x") for step in some)
        done.append(f"{'removed' if phase == 'removal' else 'placed'} {names}")
    return ", ".join(done)


def due_words(game: Game, state: State) -> str:
    if state.phase == "removal":
        fields = state.fields()
        return f"remove {fields['removals']} of the stones joined to {fields['placed']}"
    last = state.last_step
    goes_on = last is not None and last[0] == state.to_play
    return "place again" if goes_on else "place a stone"


def end_words(game: Game, state: State) -> str:
    fewer, more = sorted(state.ground().count(symbol) for symbol in game.symbols[1:])
    return f"the board is full, {number_of(more, 'stone')} to {fewer}"


def illegal_words(game: Game, state: State, action: int) -> str:
    text = state.action_to_string(action).removeprefix("x")
    ground = state.ground()
    groups = game.board.groups([k for k, what in enumerate(ground) if what != "."])
    if state.phase == "removal":
        placed = state.fields()["placed"]
        (joined,) = (group for group in groups if game.cell_names.index(placed) in group)
        if ground[action] == ".":
            return f"there is no stone on {text} to remove"
        if action not in joined:
            return f"{text} does not belong to the group that {placed} has joined"
        if text == placed:
            return f"{text} is the stone just placed, which stays"
        return f"without {text} the joined group would fall apart"
    if ground[action] != ".":
        return f"{text} is occupied"
    size = {cell: len(group) for group in groups for cell in group}
    touched = [max((size.get(n, 0) for n in near), default=0) for near in game.board.neighbours]
    least = min(most for cell, most in enumerate(touched) if ground[cell] == ".")
    others = f"none larger than {least}" if least else "none"
    return f"{text} touches a group of {touched[action]}, and other cells touch {others}"
