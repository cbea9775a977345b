"""Rive, slow and plain, written from its rules alone: the truth in the tests.

The rules stand at the top of hexgames_env/games/rive/__init__.py, in order of play.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

import numpy as np

from .hexboard import HexBoard


class Rive:
    """One game of Rive. Actions: 0..N-1 place on that cell, or remove the stone on it."""

    def __init__(self, side: int = 5) -> None:
        assert 2 <= side <= 9
        self.board = HexBoard(side)
        self.num_actions: int = self.board.num_cells
        self.stones: dict[int, int] = {}  # "The board starts empty."
        self.to_play: int = 0
        self.phase: str = "placement"
        self.winner: int | None = None
        # Only in a removal step:
        self.placed: int | None = None  # the stone just placed
        self.joined: set[int] = set()  # the new, joined group
        self.final_size: int = 0  # L+1

    @classmethod
    def set_up(cls, side: int, stones: Mapping[int, int], to_play: int) -> Rive:
        """A position with a placement to come."""
        game = cls(side)
        game.stones = dict(stones)
        game.to_play = to_play
        return game

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.winner is not None

    # Groups.

    def groups(self) -> list[set[int]]:
        """The maximal connected sets of stones of both colours."""
        return self.board.groups(self.stones)

    def groups_touched(self, cell: int) -> list[set[int]]:
        """The groups that a stone on that empty cell touches."""
        assert cell not in self.stones
        touched = [group for group in self.groups() if self.board.neighbours[cell] & group]
        assert len(touched) <= 3  # "a stone touches at most three groups"
        return touched

    # Legality.

    def cell_value(self, cell: int) -> int:
        """The size of the largest group that the empty cell touches (0 if it touches none)."""
        return max([len(group) for group in self.groups_touched(cell)], default=0)

    def legal_placements(self) -> list[int]:
        """Exactly the empty cells with the smallest such number."""
        empty = [cell for cell in range(self.board.num_cells) if cell not in self.stones]
        values = {cell: self.cell_value(cell) for cell in empty}
        return [cell for cell in empty if values[cell] == min(values.values())]

    def removals_left(self) -> int:
        """How many stones are still to be removed from the joined group."""
        return len(self.joined) - self.final_size if self.phase == "removal" else 0

    def removal_splits(self, cell: int) -> bool:
        """Whether the joined group without that stone is no longer connected."""
        rest = self.joined - {cell}
        return self.board.connected(min(rest), rest) != rest

    def legal_removals(self) -> list[int]:
        """The stones of either colour of the joined group whose removal does not split it."""
        return [cell for cell in sorted(self.joined) if not self.removal_splits(cell)]

    def legal_actions(self) -> list[int]:
        """The legal actions of the player to move, ascending."""
        if self.is_over:
            return []
        if self.phase == "removal":
            removals = self.legal_removals()
            assert removals
            assert self.placed not in removals  # "the placed stone is a cut stone"
            return removals
        placements = self.legal_placements()
        assert placements  # "a placement always exists"
        return placements

    def captures(self, action: int) -> bool:
        """Whether the action is a placement that touches two or three groups."""
        return (
            self.phase == "placement"
            and action not in self.stones
            and len(self.groups_touched(action)) >= 2
        )

    # Steps.

    def step(self, action: int) -> None:
        """Make one step."""
        assert action in self.legal_actions(), f"illegal action {action}"
        if self.phase == "removal":
            self.remove(action)
        elif self.captures(action):
            self.place_capturing(action)
        else:
            self.place_non_capturing(action)

    def place_non_capturing(self, cell: int) -> None:
        """A stone that touches no or one group ends the turn; a full board ends the game."""
        self.stones[cell] = self.to_play
        if len(self.stones) == self.board.num_cells:
            self.end()
        else:
            self.to_play = 1 - self.to_play

    def place_capturing(self, cell: int) -> None:
        """A stone that touches two or three groups joins them; removals follow."""
        touched = self.groups_touched(cell)
        self.stones[cell] = self.to_play
        # "the filling placement is never a capture"
        assert len(self.stones) < self.board.num_cells
        self.phase = "removal"
        self.placed = cell
        self.joined = {cell}.union(*touched)
        self.final_size = max(len(group) for group in touched) + 1
        assert self.removals_left() >= 1  # "a capture removes at least one stone"

    def remove(self, cell: int) -> None:
        """Remove a stone of the joined group; at size L+1 the same player must place again."""
        del self.stones[cell]
        self.joined.remove(cell)
        assert self.joined in self.groups()  # it was not split
        if len(self.joined) == self.final_size:
            self.phase = "placement"
            self.placed = None
            self.joined = set()
            self.final_size = 0

    def end(self) -> None:
        """The board is full: the player with more stones wins."""
        black = sum(1 for owner in self.stones.values() if owner == 0)
        white = sum(1 for owner in self.stones.values() if owner == 1)
        assert black != white
        self.winner = 0 if black > white else 1
        self.phase = "over"

    # What others see.

    def observation(self, player: int) -> np.ndarray:
        """The planes as the player sees them."""
        board = self.board
        obs = np.zeros((board.size, board.size, 8), dtype=np.float32)
        groups = self.groups()
        for cell, place in enumerate(board.grid):
            obs[place][0] = 1
            if not self.is_over and player == self.to_play:
                obs[place][1] = 1
            if cell in self.stones:
                (group,) = [group for group in groups if cell in group]
                obs[place][2 if self.stones[cell] == player else 3] = 1
                obs[place][4] = len(group) / board.num_cells
            if self.phase == "removal":
                if cell in self.joined:
                    obs[place][5] = 1
                if cell == self.placed:
                    obs[place][6] = 1
                obs[place][7] = self.removals_left() / board.num_cells
        return obs

    def position(self) -> tuple[object, ...]:
        """All that matters for the rest of the game (a start of a turn is like its middle).

        In a removal step the stone just placed is part of it: plane 6 shows it.
        """
        stones = tuple(sorted(self.stones.items()))
        return (
            stones,
            self.to_play,
            self.phase,
            self.winner,
            self.placed,
            self.removals_left(),
        )

    def action_to_string(self, action: int) -> str:
        """The text of an action: a placement is c3, a removal xc3."""
        name = self.board.names[action]
        return "x" + name if self.phase == "removal" else name

    def copy(self) -> Rive:
        """An independent copy."""
        return copy.deepcopy(self)
