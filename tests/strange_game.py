"""Lamp: strange in all that an author may do otherwise than the package's games, and correct.

A lamp stands on one of few cells, drawn for each game.  In two steps a player names an empty cell,
and then says whether the stone there is its own or the opponent's.  Who owns the stone on the
lamp's cell, once the board is full, has won.

So: no options; a start that is drawn among few, with a field that names a cell; names of actions
that differ by phase, with nothing for what can't be legal there, and some that look like slips
elsewhere; actions that are no cells; half of the symmetries that the rules would allow.  `Point` is
the same on a single cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hexgames_env import Game, HexBoard, PositionTextError, kernel
from hexgames_env.engine import below, clear_row, is_cut_off, mix, pack_status, seer_of

# One row: uint8 (3, cells + 2 or the header's length)
MASK, STONES, HEADER = 0, 1, 2
TO_PLAY, CHOSEN, LAMP, LEFT = 0, 1, 2, 3  # CHOSEN: the cell + 1, 0 for none
PLANE_NAMES = ("board", "to act", "own stones", "opponent's stones", "lamp", "chosen")
BOARD, TO_ACT, OWN, OPPONENTS, LIGHT, CHOICE = range(6)


class Lamp(Game):
    """On side 2."""

    name = "lamp"
    title = "Lamp"
    side: ClassVar[int] = 2
    option_types = {}
    phases = ("cell", "owner")
    plane_names = PLANE_NAMES
    field_names = ("lamp", "chosen")

    def __init__(self, **options: Any) -> None:
        board = HexBoard(self.side)
        places = board.grid[:, 0] * board.num_rows + board.grid[:, 1]
        n = board.num_cells
        super().__init__(
            self.check_options(options),
            board=board,
            num_actions=n + 2,
            tables=np.concatenate([[n], places]),
            row=(np.uint8, 3, max(n + 2, 4)),
        )

    def action_names(self, phase: int) -> Sequence[str]:
        n = self.board.num_cells
        if phase == 0:
            return [*(name.upper() for name in self.cell_names), "", ""]
        return [*["-"] * n, "a0", "z1"]

    def keeps_rules(self, cells: NDArray[np.int64]) -> bool:
        """Rotations alone: an author may deny more than the rules ask for."""
        return any((cells == other).all() for other in self.board.symmetries[:6])

    def ground(self, row: NDArray[Any]) -> str:
        return "".join(self.symbols[s] for s in row[STONES, : self.board.num_cells].tolist())

    def fields(self, row: NDArray[Any]) -> dict[str, str]:
        found = {"lamp": self.cell_names[row[HEADER, LAMP]]}
        if row[HEADER, CHOSEN]:
            found["chosen"] = self.cell_names[row[HEADER, CHOSEN] - 1]
        return found

    def write_position(
        self,
        row: NDArray[Any],
        ground: str,
        to_play: int,
        winner: int | None,
        fields: Mapping[str, str],
    ) -> None:
        lamp, chosen = fields.get("lamp"), fields.get("chosen", self.cell_names[0])
        if lamp not in self.cell_names or chosen not in self.cell_names:
            raise PositionTextError(f"lamp and chosen are cells, got lamp={lamp} chosen={chosen}")
        row[STONES, : len(ground)] = [self.symbols.index(symbol) for symbol in ground]
        cell = self.cell_names.index(lamp)
        picked = self.cell_names.index(chosen) + 1 if "chosen" in fields else 0
        row[HEADER, :4] = to_play, picked, cell, ground.count(".")
        won = None if "." in ground else self.symbols.index(ground[cell]) - 1
        if winner != won or (picked and ground[picked - 1] != "."):
            raise PositionTextError(f"winner must be {won}, and the chosen cell empty")


class Point(Lamp):
    """On a single cell, where all reflections are one; a game of two steps."""

    name = "point"
    side = 1


@kernel
def start(rows: Any, b: Any, tables: Any, seed: Any) -> None:
    clear_row(rows, np.uint64(b))
    rows[b, HEADER, LAMP] = below(mix(seed), min(tables[0], 3))
    rows[b, HEADER, LEFT] = tables[0]


@kernel
def mask(rows: Any, b: Any, tables: Any) -> None:
    n = tables[0]
    for i in range(rows.shape[2]):
        cell = i < n and rows[b, STONES, i] == 0
        owner = n <= i < n + 2
        rows[b, MASK, i] = owner if rows[b, HEADER, CHOSEN] else cell


@kernel
def step(rows: Any, b: Any, tables: Any, action: Any) -> None:
    n = tables[0]
    if action < n:
        rows[b, HEADER, CHOSEN] = action + 1
        return
    player = rows[b, HEADER, TO_PLAY]
    owner = player if action == n else 1 - player
    rows[b, STONES, rows[b, HEADER, CHOSEN] - 1] = owner + 1
    rows[b, HEADER, CHOSEN] = 0
    rows[b, HEADER, LEFT] -= 1
    if rows[b, HEADER, LEFT]:
        rows[b, HEADER, TO_PLAY] = 1 - player


@kernel
def status(rows: Any, b: Any) -> Any:
    over = rows[b, HEADER, LEFT] == 0
    winner = rows[b, STONES, rows[b, HEADER, LAMP]] - 1 if over else 0
    return pack_status(rows[b, HEADER, TO_PLAY], over, winner, rows[b, HEADER, CHOSEN] != 0)


@kernel
def observe(rows: Any, b: Any, tables: Any, view: Any, planes: Any) -> None:
    player = np.int64(seer_of(view))
    runs = rows[b, HEADER, LEFT] != 0 and not is_cut_off(view)
    columns = planes.shape[2]
    for row in range(planes.shape[1]):
        for column in range(columns):
            for plane in range(len(PLANE_NAMES)):
                planes[b, row, column, plane] = 0
    for cell in range(tables[0]):
        row, column = tables[1 + cell] // columns, tables[1 + cell] % columns
        stone = np.int64(rows[b, STONES, cell])
        planes[b, row, column, BOARD] = 1
        planes[b, row, column, TO_ACT] = runs and rows[b, HEADER, TO_PLAY] == player
        planes[b, row, column, OWN] = stone == player + 1
        planes[b, row, column, OPPONENTS] = stone == 2 - player
        planes[b, row, column, LIGHT] = rows[b, HEADER, LAMP] == cell
        planes[b, row, column, CHOICE] = runs and rows[b, HEADER, CHOSEN] == cell + 1
