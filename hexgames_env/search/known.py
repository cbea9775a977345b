"""Positions that are solved already: a table that comes with the package.

``data/solved.jsonl`` has a line of JSON for each: what `Solution.to_json` writes, and the command
that found it.  ``python benchmarks/solved.py`` makes the file anew.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from hexgames_env.core.game import Game
from hexgames_env.core.options import shown
from hexgames_env.core.registry import game_from_string
from hexgames_env.core.state import State
from hexgames_env.errors import OptionError
from hexgames_env.search.solution import Solution


def solved(position: State | Game | str) -> Solution | None:
    """What the package knows of a position, or of a game's start, without a search; or None.

    Args:
        position: or the text of one, or of a game such as ``"oust side=3"``.

    Raises:
        OptionError: a text that names no game, or an option that it does not take.
        PositionTextError: a text that is no position.

    >>> found = solved("oust side=3 pie_rule=false")
    >>> found.headline()
    'Black (player_0) wins in 3 steps'
    >>> solved("oust side=9") is None
    True
    """
    if isinstance(position, str):
        is_position = any(word.startswith("board=") for word in position.split())
        position = State.from_string(position) if is_position else game_from_string(position)
    if isinstance(position, Game):
        position = position.initial_state(0)
    if not isinstance(position, State):
        raise OptionError(
            f"a position, a game or the text of one is looked up, got {shown(position)}"
        )
    line = _lines().get(position.to_string())
    return None if line is None else Solution.from_json(line)


def solved_positions() -> dict[str, str]:
    """The texts of all positions that `solved` knows, each with the command that solved it."""
    return {position: json.loads(line)["command"] for position, line in _lines().items()}


@cache
def _lines() -> dict[str, str]:
    table = files("hexgames_env.search").joinpath("data", "solved.jsonl")
    lines = table.read_text(encoding="utf-8").splitlines()
    return {json.loads(line)["position"]: line for line in lines}
