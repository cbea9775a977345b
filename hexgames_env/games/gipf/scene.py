"""What pictures of GIPF show: lines, dots, stacks, reserves, and what a step chooses among."""

from __future__ import annotations

import re
from functools import cache
from math import hypot

from hexgames_env.core.scene import ROW_DISTANCE, BoardPlan, Point, Scene
from hexgames_env.core.state import State
from hexgames_env.games.gipf.geometry import DOTS, GRID, LINES, POINT_NAMES, dots_on_grid
from hexgames_env.games.gipf.kernels import PUSH_GIPF, REMOVE, TAKE
from hexgames_env.games.gipf.notation import listed, whole_reserve
from hexgames_env.games.gipf.variants import Variant


def scene_of(state: State, variant: Variant) -> Scene:
    """A position of the variant, for pictures."""
    ground, fields = state.ground(), state.fields()
    whole = whole_reserve(variant, ground)
    reserve = [int(n) for n in fields.get("reserve", listed(whole)).split(",")]
    scene = Scene(_plan(), places=_push_places(variant.brings), dark=1, gone=_gone(state))
    for point, symbol in enumerate(ground):
        if symbol != ".":
            scene.stones[point] = "wb".index(symbol.lower()), 1 + symbol.isupper()
    for player in (0, 1):
        out = whole[player] - reserve[player]
        scene.beside[player][:] = [str(reserve[player]), "in reserve"]
        if out:
            scene.beside[player].append(f"{out} out")
    if state.phase == "row":
        four = re.compile("[" + "wbWB"[state.to_play :: 2] + "]{4}")
        for action in state.legal_actions():
            line = LINES[action - int(REMOVE)]
            text = "".join(ground[point] for point in line)
            scene.rows += [
                line[run.start() : run.end()]
                for run in re.finditer("[^.]+", text)
                if four.search(run[0])
            ]
    elif state.phase == "take":
        scene.targets = [a - int(TAKE) for a in state.legal_actions() if a >= TAKE]
    return scene


def _gone(state: State) -> dict[int, int]:
    """By point, the player whose piece the last step took off the board there.

    A push moves pieces on before rows leave, so it is made first.
    """
    action = state.last_action
    if action is None:
        return {}
    before = state.copy()
    before.undo()
    ground = list(before.ground())
    if before.phase == "push":
        line, end = divmod(action % int(PUSH_GIPF), 2)
        piece = "wb"[before.to_play]
        for point in LINES[line][::-1] if end else LINES[line]:
            ground[point], piece = piece, ground[point]
            if piece == ".":
                break
    both = enumerate(zip(ground, state.ground(), strict=True))
    return {point: "wb".index(old.lower()) for point, (old, new) in both if old != "." == new}


def _place(r: int, c: int) -> Point:
    """Where a place of the grid lies in pictures: columns stand upright."""
    return (r - 3) * ROW_DISTANCE, c - 3 - (r - 3) / 2


def _ends(line: int) -> tuple[Point, Point]:
    """Where the dots at the ends of a line lie."""
    before, after = dots_on_grid(line)
    return _place(*before), _place(*after)


@cache
def _plan() -> BoardPlan:
    ends = [_ends(line) for line in range(len(LINES))]
    dots = dict(
        pair for line, both in enumerate(ends) for pair in zip(both, DOTS[line], strict=True)
    )
    outside = []
    for (x, y), name in dots.items():
        further = 1 + 0.45 / hypot(x, y)
        outside.append(((x * further, y * further), name))
    points = [_place(r, c) for r, c in GRID]
    return BoardPlan(points, POINT_NAMES, outside, ends, list(dots), upright=True)


@cache
def _push_places(both: bool) -> dict[int, Point]:
    """Between the dot and the first point; apart from each other if there are both kinds."""
    found = {}
    for line, ends in enumerate(map(_ends, range(len(LINES)))):
        for end in (0, 1):
            (x0, y0), (x1, y1) = ends[end], _place(*GRID[LINES[line][-end]])
            for kind, part in enumerate((0.25, 0.47) if both else (0.35, 0.35)):
                place = x0 + part * (x1 - x0), y0 + part * (y1 - y0)
                found[kind * int(PUSH_GIPF) + 2 * line + end] = place
    return found
