"""Oust in plain words; `hexgames_env.core.words` says what for."""

from __future__ import annotations

from collections.abc import Sequence

from hexgames_env.core.game import Game
from hexgames_env.core.state import State
from hexgames_env.core.turn import Step
from hexgames_env.core.words import listed, number_of

MOST_NAMES = 4
"""Of captures in a turn; more are counted."""


def turn_words(game: Game, steps: Sequence[Step]) -> str:
    after = steps[-1].after
    captures = [step for step in steps if step.gone]
    done = []
    if captures:
        count = sum(len(step.gone) for step in captures)
        where = listed(step.text for step in captures)
        if len(captures) > MOST_NAMES:
            where = f"{len(captures)} placements, the last {captures[-1].text},"
        done.append(f"captured {number_of(count, 'stone')} by {where}")
    for step in steps[len(captures) :]:
        if step.text == "swap":
            cell = game.cell_names[_only_stone(step.before)]
            done.append(f"swapped and took over the stone on {cell}")
        else:
            done.append("passed" if step.text == "pass" else f"placed {step.text}")
    if captures and not after.is_over and after.to_play == steps[-1].player:
        done.append("places again")
    return " and ".join(done).removesuffix(",")


def _only_stone(state: State) -> int:
    (cell,) = (k for k, symbol in enumerate(state.ground()) if symbol != ".")
    return cell


def due_words(game: Game, state: State) -> str:
    legal = {state.action_to_string(action) for action in state.legal_actions()}
    if legal == {"pass"}:
        return "pass, since no placement is legal"
    last = state.last_step
    goes_on = last is not None and last[0] == state.to_play
    if "swap" in legal:
        return f"place a stone, or swap and take over {game.cell_names[_only_stone(state)]}"
    return "place again" if goes_on else "place a stone"


def end_words(game: Game, state: State) -> str:
    return f"{game.player_names[1 - (state.winner or 0)]} has no stones left"


def illegal_words(game: Game, state: State, action: int) -> str:
    text = state.action_to_string(action)
    if text == "pass":
        return "one passes only when no placement is legal"
    if text == "swap":
        return "one swaps only in the first turn of the second player"
    ground = state.ground()
    if ground[action] != ".":
        return f"{text} is occupied"
    own = game.symbols[1 + state.to_play]
    cells = {symbol: [k for k, what in enumerate(ground) if what == symbol] for symbol in "BW"}
    enemy = "W" if own == "B" else "B"
    (joined,) = (group for group in game.board.groups([*cells[own], action]) if action in group)
    near = {n for cell in joined for n in game.board.neighbours[cell]}
    sizes = [len(group) for group in game.board.groups(cells[enemy]) if near & set(group)]
    makes = f"{text} makes a group of {len(joined)}"
    if not sizes:
        return f"{makes} that touches no enemy group"
    return f"{makes}, not larger than the enemy group of {max(sizes)} that it touches"
