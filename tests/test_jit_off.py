"""The kernels as plain Python, with NUMBA_DISABLE_JIT=1, play the same games."""

from __future__ import annotations

import pytest

from digests import NAMES, lines
from processes import run


@pytest.mark.machines
@pytest.mark.slow
def test_plain_python_plays_the_same_games() -> None:
    code = "from digests import lines; print(*lines(), sep='\\n')"
    assert run(code, python=("-W", "error"), NUMBA_DISABLE_JIT="1") == (lines(), "")


def test_an_illegal_action_does_not_reach_a_kernel() -> None:
    code = """
import inspect
from hexgames_env.core import loops
from hexgames_env.testing import NO_ACTIONS, small_game, walk
from hexgames_env import game_names
for name in game_names():
    game = small_game(name)
    inside = inspect.unwrap(game.compiled(loops.advance)).__globals__
    step, stepped = inside["step"], []
    def watched(rows, b, tables, action, step=step, stepped=stepped):
        stepped.append(action)
        return step(rows, b, tables, action)
    inside["step"] = watched
    for state in walk(game, 1):
        stepped.clear()
        illegal = set(range(-3, game.num_actions + 3)) - set(state.legal_actions())
        for action in (*illegal, *NO_ACTIONS):
            try:
                state.step(action)
            except (ValueError, RuntimeError):
                continue
            raise AssertionError(f"{action!r} was let through")
        assert stepped == [], stepped
    assert state.is_over
    print(name)
"""
    done, _ = run(code, NUMBA_DISABLE_JIT="1")
    assert done == NAMES


@pytest.mark.surroundings
def test_an_error_tells_its_own_file_and_line() -> None:
    """A loop that calls a game's kernels once told a line of its own in the game's file."""
    code = """
import traceback
from pathlib import Path
from hexgames_env import make_game
game = make_game("oust", side=2)
state = game.initial_state()
game.tables = game.tables[:1]  # so that the kernel reads beyond them
try:
    state.step(0)
except IndexError as error:
    for frame in traceback.extract_tb(error.__traceback__):
        print(Path(frame.filename).name, frame.name, frame.line, sep=": ")
"""
    lines, _ = run(code, NUMBA_DISABLE_JIT="1")
    ours = [line for line in lines if line.startswith(("loops.py", "kernels.py"))]
    assert ours[0].startswith("loops.py: advance: step(rows, 0, tables, action)")
    assert ours[1] == "kernels.py: step: _place(rows, b, tables, action, player)"
    assert ours[2].startswith("kernels.py: _place: ")
