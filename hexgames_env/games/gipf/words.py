"""GIPF in plain words; `hexgames_env.core.words` says what for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from hexgames_env.core.game import Game
from hexgames_env.core.state import State
from hexgames_env.core.turn import Step
from hexgames_env.core.words import listed, number_of
from hexgames_env.games.gipf.kernels import STATE
from hexgames_env.games.gipf.notation import RESERVES

MOST_NAMES = 3
"""Of rows and GIPF pieces to choose from; of more their number is told, or nothing."""
MOST_LETTERS = 85
"""In what a player has done; what would be longer is told in numbers."""


def turn_words(game: Game, steps: Sequence[Step]) -> str:
    """Steps, and what was taken back and captured by their player and, unasked, by the other."""
    player = steps[0].player
    before, after = steps[0].before, steps[-1].after
    pushes = [step.text for step in steps if step.before.phase == "push"]
    back = [now - then for then, now in zip(reserves_of(before), reserves_of(after), strict=True)]
    back[player] += sum(2 if text.startswith("G") else 1 for text in pushes)
    lost = [sum(pieces_of(before, p)) - sum(pieces_of(after, p)) for p in (0, 1)]
    gains = _gains(back[player], lost[1 - player])
    pushed = [f"pushed {text.replace('G', 'a GIPF piece ')}" for text in pushes]
    words = listed([*pushed, *_row_steps(steps), *gains])
    if len(words) > MOST_LETTERS:
        words = listed([*pushed, *_row_steps_in_brief(steps), *gains])
    others = _gains(back[1 - player], lost[player])
    return words + (f"; {game.player_names[1 - player]} {listed(others)}" if others else "")


def _row_steps(steps: Sequence[Step]) -> Iterator[str]:
    """The steps after a push, in order: steps of a kind that follow each other in one clause."""
    for kind, some in groupby(steps, _kind):
        names = [name for step in some for name in _names(step)]
        if kind == "row":
            yield f"removed the {'row' if len(names) == 1 else 'rows'} {listed(names)}"
        elif kind != "push":
            pieces = "GIPF piece" if len(names) == 1 else "GIPF pieces"
            yield f"{kind} the {pieces} on {listed(names)}"


def _row_steps_in_brief(steps: Sequence[Step]) -> Iterator[str]:
    """The same in numbers."""
    for kind in ("took", "kept"):
        count = sum(len(_names(step)) for step in steps if _kind(step) == kind)
        if count:
            yield f"{kind} {number_of(count, 'GIPF piece')}"


def _kind(step: Step) -> str:
    """The phase of a step, and of those that take GIPF pieces what was done."""
    if step.before.phase != "take":
        return step.before.phase
    return "kept" if step.text == "keep" else "took"


def _names(step: Step) -> list[str]:
    """The row that a step removed, or the points of the GIPF pieces that it took or kept."""
    if step.text == "keep":
        return step.before.fields()["left"].split(",")
    return [step.text.removeprefix("x")]


def _gains(back: int, captured: int) -> list[str]:
    """What a player gets out of rows; a GIPF piece counts two."""
    found = [f"took back {number_of(back, 'piece')}"] if back else []
    pieces = "" if back else " piece" if captured == 1 else " pieces"
    return found + ([f"captured {captured}{pieces}"] if captured else [])


def reserves_of(state: State) -> tuple[int, int]:
    """The pieces that each player has in reserve."""
    white, black = state.to_row()[0, STATE, RESERVES].tolist()
    return white, black


def pieces_of(state: State, player: int) -> tuple[int, int, int]:
    """The pieces of a player in reserve, and on the board in single and in GIPF pieces."""
    single, gipf = "wb"[player], "WB"[player]
    ground = state.ground()
    return reserves_of(state)[player], ground.count(single), 2 * ground.count(gipf)


def due_words(game: Game, state: State) -> str:
    legal = [state.action_to_string(action) for action in state.legal_actions()]
    names = [text[1:] for text in legal if text.startswith("x")]
    if state.phase == "row":
        if len(names) > MOST_NAMES:
            return f"remove one of {len(names)} rows"
        return f"remove the row {listed(names).replace(' and ', ' or ')}"
    if state.phase == "take":
        if len(names) == 1:
            return f"take the GIPF piece on {names[0]} or keep it"
        some = f": {', '.join(names)}" if len(names) <= MOST_NAMES else ""
        return f"take a GIPF piece or keep them{some}"
    kinds = {text.startswith("G") for text in legal}
    if kinds == {True}:
        return "push a GIPF piece"
    return "push a piece, single or GIPF" if True in kinds else "push a piece"


def end_words(game: Game, state: State) -> str:
    loser = 1 - (state.winner or 0)
    name = game.player_names[loser]
    _, _, gipf = pieces_of(state, loser)
    if gipf or game.options["variant"] == "basic":
        return f"{name} has no piece in reserve"
    return f"{name}'s last GIPF piece was removed"


def count_words(game: Game, state: State) -> tuple[str, str]:
    start, found = game.initial_state(0), []
    for player in (0, 1):
        reserve, single, gipf = pieces = pieces_of(state, player)
        kinds = [f"{single} single"] if gipf and single else [str(single)] * (not gipf)
        if gipf:
            kinds.append(f"{number_of(gipf // 2, 'GIPF piece')} ({'WB'[player]})")
        out = sum(pieces_of(start, player)) - sum(pieces)
        gone = f", {out} out" if out else ""
        found.append(f"{reserve} in reserve, {' and '.join(kinds)} on the board{gone}")
    return found[0], found[1]


def illegal_words(game: Game, state: State, action: int) -> str:
    text = state.action_to_string(action)
    name = game.player_names[state.to_play]
    if state.phase == "row":
        return f"{text} removes no row that {name} is to remove now"
    if state.phase == "take":
        return f"{text} takes no GIPF piece of the row just removed"
    if "-" not in text or text.startswith("x"):
        return f"{text} is no push, and a push is due"
    legal = {state.action_to_string(other) for other in state.legal_actions()}
    push = text.removeprefix("G")
    if not {push, f"G{push}"} & legal:
        return f"the line of {push} is full"
    if text == push:
        return f"{text} is a single piece, and the first must be a GIPF piece"
    if str(state.to_play) in state.fields().get("bring", ""):
        return f"{text} takes 2 pieces, and {name} has 1 in reserve"
    if game.options["variant"] == "tournament":
        return f"{text} is a GIPF piece, and {name} has gone over to single ones"
    return f"{text} is a GIPF piece, and in this variant none is pushed"
