"""A position as text, for terminals and logs."""

from __future__ import annotations

from hexgames_env.game import State


def to_text(state: State) -> str:
    """The board with its rows from the top down, each after its letter; the last step in brackets.

    Under it stands whose step it is, or who has won, and the last step's text.

    >>> from hexgames_env import make_game
    >>> state = make_game("oust", side=2).initial_state()
    >>> state.step(state.parse_action("b2"))
    >>> print(to_text(state))
    oust side=2 pie_rule=true
      c  .  .
     b  . [B] .
      a  .  .
    player_1 to act (placement), after player_0: b2
    """
    game = state.game
    ground = state.ground()
    marked = set()
    after = ""
    last = state.last_step
    if last is not None:
        player, text, marked = last
        after = f", after player_{player}: {text}"
    lines = [game.to_string()]
    begin = 0
    rows = []
    for length in game.board.row_lengths:
        cells = range(begin, begin + length)
        begin += length
        indent = " " * (game.board.num_rows - length)
        places = "".join(
            f"[{ground[cell]}]" if cell in marked else f" {ground[cell]} " for cell in cells
        )
        label = game.cell_names[cells[0]][:1]
        rows.append(f"{indent} {label} {places}".rstrip())
    lines += reversed(rows)
    fields = "".join(f", {name}={value}" for name, value in state.fields().items())
    if state.is_over:
        lines.append(f"player_{state.winner} has won{after}")
    else:
        lines.append(f"player_{state.to_play} to act ({state.phase}{fields}){after}")
    return "\n".join(lines)
