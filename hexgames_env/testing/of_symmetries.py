"""Promises of symmetries."""

from __future__ import annotations

import numpy as np

from hexgames_env.core.game import Game
from hexgames_env.core.state import State
from hexgames_env.core.symmetry import Symmetry
from hexgames_env.testing.claims import must
from hexgames_env.testing.positions import walk


def _mirrored(state: State, symmetry: Symmetry) -> State:
    """The beginning of a game, turned by way of its text.

    Of its fields those turn that are rows of the board, or names of cells with commas between them.
    """
    board = state.game.board

    def turn(cells: str) -> str:
        turned = dict(zip(symmetry.cells.tolist(), cells, strict=True))
        return "".join(turned[cell] for cell in range(board.num_cells))

    def turned(value: str) -> str:
        """A field's value: rows of the board and names of cells turn, all else stays."""
        by_cell = board.from_rows(value)
        if by_cell is not None:
            return board.to_rows(turn(by_cell))
        cells = [state.game.cell_by_name.get(name) for name in value.split(",")]
        known = [cell for cell in cells if cell is not None]
        if len(known) < len(cells):
            return value
        images = [int(symmetry.cells[cell]) for cell in known]
        if known == sorted(known):
            images.sort()
        return ",".join(state.game.cell_names[cell] for cell in images)

    ground = turn(state.ground())
    words = [state.game.to_string(), f"board={board.to_rows(ground)}"]
    words += [f"to_play={state.to_play}", "winner=none"]
    for name, value in state.fields().items():
        words.append(f"{name}={turned(value)}")
    return State.from_string(" ".join(words))


def symmetries_are_a_group(game: Game, seed: int) -> None:
    """Symmetries are permutations, the identity first, and their products are symmetries."""
    symmetries = game.symmetries()
    n = game.board.num_cells
    must(len(symmetries) in (1, 2, 3, 4, 6, 12), f"{len(symmetries)} symmetries")
    must((symmetries[0].cells == np.arange(n)).all(), "the first symmetry is the identity")
    must(
        (symmetries[0].actions == np.arange(game.num_actions)).all(),
        f"where all cells stay, actions stay: map_actions() gave {symmetries[0].actions}",
    )
    pairs = {(s.cells.tobytes(), s.actions.tobytes()) for s in symmetries}
    must(len({cells for cells, _ in pairs}) == len(symmetries), "two symmetries are alike")
    for one in symmetries:
        must(sorted(one.cells.tolist()) == list(range(n)), f"cells of {one}: no permutation")
        must(
            sorted(one.actions.tolist()) == list(range(game.num_actions)),
            f"map_actions() must give a permutation of the actions, got {one.actions}",
        )
        for cell, near in enumerate(game.board.neighbours):
            turned = sorted(one.cells[list(near)].tolist())
            must(turned == list(game.board.neighbours[one.cells[cell]]), f"neighbours of {cell}")
        for other in symmetries:
            both = one.cells[other.cells].tobytes(), one.actions[other.actions].tobytes()
            must(both in pairs, "the product of two symmetries is one of them")


def symmetries_map_whole_games(game: Game, seed: int) -> None:
    """From a turned beginning, turned actions lead to turned masks and observations."""
    for symmetry in game.symmetries():
        twin = _mirrored(game.initial_state(seed), symmetry)
        for step, state in enumerate(walk(game, seed, limit=150)):
            if step:
                twin.step(int(symmetry.actions[state.last_action]))
            how = f"after {step} steps, turned by {symmetry.cells.tolist()}: {state} and {twin}"
            must(
                (twin.to_play, twin.phase, twin.winner)
                == (state.to_play, state.phase, state.winner),
                f"player, phase or winner differ {how}",
            )
            mask = symmetry.transform_mask(state.action_mask())
            must((mask == twin.action_mask()).all(), f"masks differ {how}")
            if step % 5 == 0 or state.is_over:
                for player in (0, 1):
                    turned = symmetry.transform_observation(state.observation(player))
                    must((turned == twin.observation(player)).all(), f"planes differ {how}")
