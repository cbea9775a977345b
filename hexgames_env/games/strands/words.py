"""Strands in plain words; `hexgames_env.core.words` says what for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from hexgames_env.core.game import Game
from hexgames_env.core.state import State
from hexgames_env.core.turn import Step
from hexgames_env.core.words import listed, number_of
from hexgames_env.games.strands.kernels import numbers_in

MOST_SIZES = 4
"""Of groups; of more the largest are told."""


def numbers_of(state: State) -> list[int]:
    """The number on each space."""
    return numbers_in(state.to_row()[0], state.game.board.num_cells)


def turn_words(game: Game, steps: Sequence[Step]) -> str:
    covered = [step for step in steps if step.cells]
    done = []
    if covered:
        number = numbers_of(steps[0].before)[covered[0].cells[0]]
        names = listed(step.text for step in covered)
        done.append(f"covered {names}, marked {number}")
    if len(covered) < len(steps):
        done.append("stopped")
    return ", and ".join(done)


def due_words(game: Game, state: State) -> str:
    if state.phase == "opening":
        return "cover a space marked 2"
    up_to = game.options["cover"] == "up_to"
    if state.phase == "start":
        if up_to:
            return "cover up to X spaces marked X"
        pairs = zip(numbers_of(state), state.ground(), strict=True)
        left = Counter(number for number, what in pairs if what == game.symbols[0])
        is_short = any(count < number for number, count in left.items())
        return "cover X spaces marked X" + (", or all there are" if is_short else "")
    fields = state.fields()
    more = number_of(int(fields["left"]), f"more {fields['due']}")
    if not up_to:
        return f"cover {more}"
    return f"cover {'up to ' if fields['left'] != '1' else ''}{more}, or stop"


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
    which = ("largest group", "second largest group", "third largest group")
    rank = which[place] if place < len(which) else f"group {place + 1} by size"
    own, other = pairs[place]
    return f"full board, {rank} {own} to {other}"


def count_words(game: Game, state: State) -> tuple[str, str]:
    found = []
    for player in (0, 1):
        sizes = group_sizes(state, player)
        some = " ".join(map(str, sizes[:MOST_SIZES]))
        many = f"{len(sizes)} groups, the largest {some}"
        few = f"a group of {some}" if len(sizes) == 1 else f"groups {some}"
        found.append(many if sizes[MOST_SIZES:] else few if sizes else "no stones")
    return found[0], found[1]


def illegal_words(game: Game, state: State, action: int) -> str:
    text = state.action_to_string(action)
    if text == "stop":
        if state.phase != "continue":
            return "one stops only after the first covering of a turn"
        return "with cover=exactly one goes on"
    if state.ground()[action] != ".":
        return f"{text} is occupied"
    number = numbers_of(state)[action]
    if state.phase == "opening":
        return f"{text} is marked {number}, and the opening covers a 2"
    return f"{text} is marked {number}, and this turn covers {state.fields()['due']}s"
