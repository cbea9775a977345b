"""GIPF in plain words; `hexgames_env.core.words` says what for."""

from __future__ import annotations

from collections.abc import Sequence

from hexgames_env.core.game import Game
from hexgames_env.core.state import State
from hexgames_env.core.turn import Step
from hexgames_env.core.words import listed, number_of


def turn_words(game: Game, steps: Sequence[Step]) -> str:
    """Steps, and what was taken back and captured by their player and, unasked, by the other."""
    player = steps[0].player
    done = []
    pushes = [step.text for step in steps if step.before.phase == "push"]
    done += [
        f"pushed a GIPF piece {text[1:]}" if text.startswith("G") else f"pushed {text}"
        for text in pushes
    ]
    rows = [step.text[1:] for step in steps if step.before.phase == "row"]
    if rows:
        done.append(f"removed the row {listed(rows)}")
    taken = [step.text[1:] for step in steps if step.text.startswith("x")]
    taken = [text for text in taken if text not in rows]
    if taken:
        done.append(f"took the GIPF {'piece' if len(taken) == 1 else 'pieces'} on {listed(taken)}")
    if any(step.text == "keep" for step in steps):
        done.append("kept the GIPF pieces" + (" that were left" if taken else ""))
    spent = sum(2 if text.startswith("G") else 1 for text in pushes)
    before, after = (reserves_of(state) for state in (steps[0].before, steps[-1].after))
    lost = [sum(pieces_of(steps[0].before, p)) - sum(pieces_of(steps[-1].after, p)) for p in (0, 1)]
    words = " and ".join(done)
    for who in (player, 1 - player):
        back = after[who] - before[who] + (spent if who == player else 0)
        captured = lost[1 - who]
        if back or captured:
            name = "" if who == player else f"{game.player_names[who]} "
            words += f"; {name}took back {number_of(back, 'piece')} and captured {captured}"
    return words


def reserves_of(state: State) -> tuple[int, int]:
    """The pieces that each player has in reserve."""
    white, black = (int(beside[0]) for beside in state.game.scene(state).beside)
    return white, black


def pieces_of(state: State, player: int) -> tuple[int, int, int]:
    """The pieces of a player in reserve, and on the board in single and in GIPF pieces."""
    single, gipf = ("wW", "bB")[player]
    ground = state.ground()
    return reserves_of(state)[player], ground.count(single), 2 * ground.count(gipf)


def begins_turn(game: Game, before: State) -> bool:
    """A turn is a push and all rows that are removed after it, by either player."""
    return before.phase == "push"


def due_words(game: Game, state: State) -> str:
    if state.phase == "row":
        return "choose the row to be removed next"
    if state.phase == "take":
        return "take a GIPF piece or keep them"
    kinds = {state.action_to_string(action)[0] == "G" for action in state.legal_actions()}
    if kinds == {True}:
        return "push a GIPF piece"
    return "push a piece, single or GIPF" if True in kinds else "push a piece"


def end_words(game: Game, state: State) -> str:
    loser = 1 - (state.winner or 0)
    name = game.player_names[loser]
    reserve, _, gipf = pieces_of(state, loser)
    if reserve == 0 and (gipf or game.options["variant"] == "basic"):
        return f"{name} has no piece in reserve"
    return f"{name}'s last GIPF piece was removed"


def count_words(game: Game, state: State) -> tuple[str, str]:
    found = []
    for player in (0, 1):
        reserve, single, gipf = pieces_of(state, player)
        board = single + gipf // 2
        pieces = "a GIPF piece" if gipf == 2 else "GIPF pieces"
        stacks = f", {gipf // 2} of them {pieces} ({'WB'[player]})" if gipf else ""
        found.append(f"{reserve} in reserve, {board} on the board{stacks}")
    return found[0], found[1]


def illegal_words(game: Game, state: State, action: int) -> str:
    text = state.action_to_string(action)
    if state.phase == "row":
        return f"{text} is no row of yours that is to be removed now"
    if state.phase == "take":
        return f"{text} is neither a GIPF piece of the removed row nor keep"
    if "-" not in text or text.startswith("x"):
        return f"a push is due, and {text} is none"
    dot_to_point = text.removeprefix("G")
    kinds = {state.action_to_string(other)[0] == "G" for other in state.legal_actions()}
    pushes = {state.action_to_string(other).removeprefix("G") for other in state.legal_actions()}
    if dot_to_point not in pushes:
        return f"the line of {dot_to_point} is full"
    if kinds == {True}:
        return "the first piece of each player must be a GIPF piece"
    if reserves_of(state)[state.to_play] < 2:
        return "a GIPF piece takes two pieces from the reserve"
    return "GIPF pieces can't be brought in any more"
