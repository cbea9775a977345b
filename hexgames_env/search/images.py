"""A position turned by each symmetry of its game."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.state import State, read_position
from hexgames_env.core.symmetry import Symmetry
from hexgames_env.errors import PositionTextError


def images_of(state: State) -> list[tuple[State, NDArray[np.int64]]]:
    """The position and its images, each with where it has the actions; the position first.

    Left out is what can't be turned with certainty: a position with fields that are neither cells
    nor numbers.  Who searches it without images finds the same, in more positions.
    """
    same = np.arange(state.game.num_actions)
    images = [(state, same)]
    for symmetry in state.game.symmetries()[1:]:
        image = _turned(state, symmetry)
        if image is None:
            return images[:1]
        images.append((image, symmetry.actions))
    return images


def _turned(state: State, symmetry: Symmetry) -> State | None:
    board = state.game.board
    fields = {name: _turned_field(state, symmetry, value) for name, value in state.fields().items()}
    words = [f"board={board.to_rows(_turned_cells(symmetry, state.ground()))}"]
    words += [f"to_play={state.to_play}", "winner=none"]
    for name, value in fields.items():
        if value is None:
            return None
        words.append(f"{name}={value}")
    try:
        image = read_position(state.game, " ".join(words))
    except PositionTextError:
        return None
    return image if not fields or _looks_turned(image, state, symmetry) else None


def _looks_turned(image: State, state: State, symmetry: Symmetry) -> bool:
    alike = (image.to_play, image.phase) == (state.to_play, state.phase)
    alike &= bool((image.action_mask() == symmetry.transform_mask(state.action_mask())).all())
    for player in (0, 1):
        seen = symmetry.transform_observation(state.observation(player))
        alike &= bool((image.observation(player) == seen).all())
    return alike


def _turned_cells(symmetry: Symmetry, symbols: str) -> str:
    turned = dict(zip(symmetry.cells.tolist(), symbols, strict=True))
    return "".join(turned[cell] for cell in range(len(symbols)))


def _turned_field(state: State, symmetry: Symmetry, value: str) -> str | None:
    """Rows of the board and names of cells turn, numbers and flags stay; None for all else."""
    game = state.game
    by_cell = game.board.from_rows(value)
    if by_cell is not None:
        return game.board.to_rows(_turned_cells(symmetry, by_cell))
    cells = [game.cell_by_name[name] for name in value.split(",") if name in game.cell_by_name]
    if len(cells) == value.count(",") + 1:
        images = symmetry.cells[cells].tolist()
        if cells == sorted(cells):
            images.sort()
        return ",".join(game.cell_names[cell] for cell in images)
    return value if re.fullmatch(r"[\d,]+|true|false|none", value) else None
