"""Oust, slow and plain, written from its rules alone: the truth in the tests.

The rules stand at the top of hexgames_env/games/oust/__init__.py, in order of play.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

import numpy as np

from .hexboard import HexBoard


class Oust:
    """One game of Oust. Actions: 0..N-1 place, N pass, N+1 swap (only with the pie rule)."""

    def __init__(self, side: int = 7, pie_rule: bool = True) -> None:
        assert 2 <= side <= 9
        self.board = HexBoard(side)
        self.pie_rule = pie_rule
        self.pass_action: int = self.board.num_cells
        self.swap_action: int = self.board.num_cells + 1
        self.num_actions: int = self.board.num_cells + (2 if pie_rule else 1)
        self.stones: dict[int, int] = {}  # "The board starts empty."
        self.to_play: int = 0
        self.phase: str = "placement"
        self.winner: int | None = None
        self.pie_steps: int = 2 if pie_rule else 0  # steps till the swap (the 2nd step) is past

    @classmethod
    def set_up(
        cls, side: int, stones: Mapping[int, int], to_play: int, pie_rule: bool = False
    ) -> Oust:
        """A position in the middle of a game (a swap is no longer possible)."""
        game = cls(side, pie_rule)
        game.stones = dict(stones)
        game.to_play = to_play
        game.pie_steps = 0
        return game

    @property
    def is_over(self) -> bool:
        """Whether someone has won."""
        return self.winner is not None

    # Groups.

    def stones_of(self, player: int) -> set[int]:
        """The cells with stones of that player."""
        return {cell for cell, owner in self.stones.items() if owner == player}

    def groups_of(self, player: int) -> list[set[int]]:
        """The maximal connected sets of stones of one colour."""
        return self.board.groups(self.stones_of(player))

    def touches(self, cells: set[int], group: set[int]) -> bool:
        """Whether some of the cells is next to some stone of the group."""
        return any(self.board.neighbours[cell] & group for cell in cells)

    def own_groups_touched(self, cell: int, player: int) -> list[set[int]]:
        """The player's groups that a stone on that cell touches."""
        return [group for group in self.groups_of(player) if self.touches({cell}, group)]

    def new_group(self, cell: int, player: int) -> set[int]:
        """The stone makes a new group with every own group it touches."""
        return {cell}.union(*self.own_groups_touched(cell, player))

    def enemy_groups_touched(self, cell: int, player: int) -> list[set[int]]:
        """The enemy groups that the new group touches, anywhere along it."""
        new_group = self.new_group(cell, player)
        return [group for group in self.groups_of(1 - player) if self.touches(new_group, group)]

    # Legality.

    def is_non_capturing(self, cell: int, player: int) -> bool:
        """The stone touches no stone of its own colour."""
        return cell not in self.stones and not self.own_groups_touched(cell, player)

    def is_capturing(self, cell: int, player: int) -> bool:
        """Touches an own stone; the new group touches enemy groups, all strictly smaller."""
        if cell in self.stones or not self.own_groups_touched(cell, player):
            return False
        size = len(self.new_group(cell, player))
        enemies = self.enemy_groups_touched(cell, player)
        return len(enemies) >= 1 and all(len(enemy) < size for enemy in enemies)

    def legal_placements(self, player: int) -> list[int]:
        """The cells on which the player may place (were it to move)."""
        return [
            cell
            for cell in range(self.board.num_cells)
            if self.is_non_capturing(cell, player) or self.is_capturing(cell, player)
        ]

    def may_swap(self) -> bool:
        """Only the second player, on its first turn, as its first step, with the pie rule."""
        return not self.is_over and self.to_play == 1 and self.pie_steps == 1

    def legal_actions(self) -> list[int]:
        """The legal actions of the player to move, ascending."""
        if self.is_over:
            return []
        actions = self.legal_placements(self.to_play)
        if not actions:  # "legal exactly when the player has no legal placement"
            actions.append(self.pass_action)
        if self.may_swap():
            actions.append(self.swap_action)
        return actions

    def captures(self, action: int) -> bool:
        """Whether the action is a capturing placement of the player to move."""
        return (
            not self.is_over
            and action < self.board.num_cells
            and self.is_capturing(action, self.to_play)
        )

    # Steps.

    def step(self, action: int) -> None:
        """Make one step."""
        assert action in self.legal_actions(), f"illegal action {action}"
        if action == self.pass_action:
            # "Both players can never be without a placement."
            assert self.legal_placements(1 - self.to_play)
            self.to_play = 1 - self.to_play
        elif action == self.swap_action:
            (cell,) = self.stones
            self.stones[cell] = self.to_play
            self.to_play = 1 - self.to_play
        elif self.is_non_capturing(action, self.to_play):
            self.stones[action] = self.to_play
            self.to_play = 1 - self.to_play  # it ends the turn
        else:
            self.capture(action)  # and the player must go on placing
        self.pie_steps = max(0, self.pie_steps - 1)

    def capture(self, cell: int) -> None:
        """Make a capturing placement."""
        for enemy in self.enemy_groups_touched(cell, self.to_play):
            for stone in enemy:
                del self.stones[stone]
        self.stones[cell] = self.to_play
        if not self.stones_of(1 - self.to_play):  # "removes the last enemy stone wins at once"
            self.winner = self.to_play
            self.phase = "over"

    # What others see.

    def observation(self, player: int) -> np.ndarray:
        """The planes as the player sees them."""
        board = self.board
        obs = np.zeros((board.size, board.size, 6), dtype=np.float32)
        groups = self.groups_of(0) + self.groups_of(1)
        for cell, place in enumerate(board.grid):
            obs[place][0] = 1
            if not self.is_over and player == self.to_play:
                obs[place][1] = 1
            if cell in self.stones:
                (group,) = [group for group in groups if cell in group]
                obs[place][2 if self.stones[cell] == player else 3] = 1
                obs[place][4] = len(group) / board.num_cells
            if self.may_swap() and player == self.to_play:
                obs[place][5] = 1
        return obs

    def position(self) -> tuple[object, ...]:
        """All that matters for the rest of the game (a start of a turn is like its middle)."""
        stones = tuple(sorted(self.stones.items()))
        return (stones, self.to_play, self.phase, self.winner, self.pie_steps)

    def action_to_string(self, action: int) -> str:
        """The text of an action."""
        if action == self.pass_action:
            return "pass"
        if action == self.swap_action and self.pie_rule:
            return "swap"
        return self.board.names[action]

    def copy(self) -> Oust:
        """An independent copy."""
        return copy.deepcopy(self)
