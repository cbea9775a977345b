"""Strands in plain words; `hexgames_env.core.words` says what for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from hexgames_env.core.game import Game
from hexgames_env.core.state import State
from hexgames_env.core.turn import Step
from hexgames_env.core.words import listed


def numbers_of(state: State) -> list[int]:
    """The number on each space."""
    numbers = state.game.scene(state).numbers
    return [numbers[cell] for cell in range(state.game.board.num_cells)]


def turn_words(game: Game, steps: Sequence[Step]) -> str:
    covered = [step for step in steps if step.cells]
    done = []
    if covered:
        number = numbers_of(steps[0].before)[covered[0].cells[0]]
        names = listed(step.text for step in covered)
        done.append(f"covered {names}, marked {number}")
    if len(covered) < len(steps):
        done.append("stopped")
    return " and ".join(done)


def due_words(game: Game, state: State) -> str:
    if state.phase == "opening":
        return "cover a space marked 2"
    up_to = game.options["cover"] == "up_to"
    if state.phase == "start":
        return f"cover {'up to ' if up_to else ''}X spaces marked X"
    fields = state.fields()
    left, number = fields["left"], fields["due"]
    what = f"{left} more {number}{'' if left == '1' else 's'}"
    return f"cover up to {what}, or stop" if up_to else f"cover {what}"


def group_sizes(state: State, player: int) -> list[int]:
    """The sizes of a player's groups, the largest first."""
    own = state.game.symbols[1 + player]
    groups = state.game.board.groups(k for k, what in enumerate(state.ground()) if what == own)
    return sorted(map(len, groups), reverse=True)


def end_words(game: Game, state: State) -> str:
    winner = state.winner or 0
    sizes = [group_sizes(state, player) for player in (winner, 1 - winner)]
    pairs = list(zip_longest(*sizes, fillvalue=0))
    place = next(place for place, (own, other) in enumerate(pairs) if own != other)
    which = ("largest", "second largest", "third largest")
    rank = which[place] if place < len(which) else f"{place + 1}th largest"
    own, other = pairs[place]
    return f"the board is full, {rank} group {own} to {other}"


def count_words(game: Game, state: State) -> tuple[str, str]:
    found = []
    for player in (0, 1):
        sizes = group_sizes(state, player)
        some = " ".join(map(str, sizes[:4])) + (" ..." if sizes[4:] else "")
        found.append(f"groups {some}" if sizes else "no stones")
    return found[0], found[1]


def illegal_words(game: Game, state: State, action: int) -> str:
    text = state.action_to_string(action)
    if text == "stop":
        if state.phase != "continue":
            return "one stops only after the first covering of a turn"
        return "with cover=exactly one goes on"
    if state.ground()[action] != ".":
        return f"{text} is covered"
    number = numbers_of(state)[action]
    if state.phase == "opening":
        return f"{text} is marked {number}, and the opening covers a 2"
    return f"{text} is marked {number}, and this turn covers {state.fields()['due']}s"
