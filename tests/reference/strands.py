"""Strands, slow and plain, written from its rules alone: the truth in the tests.

The rules stand at the top of hexgames_env/games/strands.py, in order of play.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from .hexboard import HexBoard

__all__ = ["FIXED_LAYOUTS", "RANDOM_LAYOUTS", "HexBoard", "Strands", "check_random_layout"]

# Rows from the top row down.
FIXED_LAYOUTS: dict[str, str] = {
    "5": """
        64446
        433334
        4222224
        43222234
        632212236
        43222234
        4222224
        433334
        64446
    """,
    "6": """
        644446
        4333334
        43222234
        432222234
        4322222234
        63222122236
        4322222234
        432222234
        43222234
        4333334
        644446
    """,
    "7": """
        6655566
        64333346
        533222335
        5322222235
        53222222235
        632222122246
        6432211122346
        642221222236
        53222222235
        5322222235
        533222335
        64333346
        6655566
    """,
}

# For every ring from the centre, value: count.
RANDOM_LAYOUTS: dict[str, list[dict[int, int]]] = {
    "6-random": [
        {1: 1},
        {1: 2, 2: 4},
        {2: 11, 3: 1},
        {2: 12, 3: 6},
        {3: 22, 4: 2},
        {4: 10, 5: 20},
    ],
    "7-random": [
        {1: 1},
        {1: 3, 2: 3},
        {1: 5, 2: 7},
        {1: 1, 2: 17},
        {2: 15, 3: 9},
        {3: 28, 4: 2},
        {4: 8, 5: 28},
    ],
}

SIDE_OF_LENGTH: dict[int, int] = {3 * n * (n - 1) + 1: n for n in range(2, 10)}


def fixed_layout(name: str) -> list[int]:
    """The numbers of a fixed layout in cell order (from the bottom row up)."""
    if name == "6-low":
        return low_layout()
    numbers = []
    for row in reversed(FIXED_LAYOUTS[name].split()):
        numbers += [int(digit) for digit in row]
    return numbers


def low_layout() -> list[int]:
    """Layout "6-low": 3 on the edge, 1 in the centre, 2 elsewhere."""
    board = HexBoard(6)
    value = {0: 1, 5: 3}
    return [value.get(board.ring(cell), 2) for cell in range(board.num_cells)]


def check_random_layout(name: str, numbers: Sequence[int]) -> None:
    """Assert that the rules allow this drawn layout."""
    rings = RANDOM_LAYOUTS[name]
    board = HexBoard(len(rings))
    assert len(numbers) == board.num_cells
    for ring, counts in enumerate(rings):
        values = [int(numbers[cell]) for cell in board.ring_cells(ring)]
        assert Counter(values) == Counter(counts), f"ring {ring} of {name}: {sorted(values)}"
        # "the highest values go to its six corners first"
        corners = [int(numbers[cell]) for cell in board.ring_corners(ring)]
        highest = sorted(values)[-len(corners) :]
        assert sorted(corners) == highest, f"corners of ring {ring} of {name}: {corners}"


def find_numbers(layout: str | Sequence[int], numbers: Sequence[int] | None) -> list[int]:
    """The numbers of all cells; `numbers` are the drawn ones of a random layout."""
    if not isinstance(layout, str):
        assert numbers is None
        return [int(number) for number in layout]
    if layout in RANDOM_LAYOUTS:
        assert numbers is not None, "a random layout needs its drawn numbers"
        check_random_layout(layout, numbers)
        return [int(number) for number in numbers]
    assert numbers is None or list(numbers) == fixed_layout(layout)
    return fixed_layout(layout)


def check_numbers(numbers: Sequence[int]) -> None:
    """Refuse what is no layout."""
    if len(numbers) not in SIDE_OF_LENGTH:
        raise ValueError(f"{len(numbers)} is not the length of a board of side 2 to 9")
    if not all(1 <= number <= 6 for number in numbers):
        raise ValueError("a number outside 1..6")
    if 2 not in numbers:
        raise ValueError("a layout without a 2")


class Strands:
    """One game of Strands. Actions: 0..N-1 cover that space, N stop."""

    def __init__(
        self,
        layout: str | Sequence[int] = "6",
        cover: str = "up_to",
        numbers: Sequence[int] | None = None,
    ) -> None:
        assert cover in ("up_to", "exactly")
        self.cover_rule = cover
        self.numbers: list[int] = find_numbers(layout, numbers)
        check_numbers(self.numbers)
        self.board = HexBoard(SIDE_OF_LENGTH[len(self.numbers)])
        self.stop_action: int = self.board.num_cells
        self.num_actions: int = self.board.num_cells + 1
        self.stones: dict[int, int] = {}
        self.to_play: int = 0
        self.phase: str = "opening"
        self.winner: int | None = None
        # Only inside a turn:
        self.number: int | None = None  # the number X of the spaces covered on this turn
        self.covered: int = 0  # how many spaces this turn has covered

    @classmethod
    def set_up(
        cls,
        layout: str | Sequence[int],
        stones: Mapping[int, int],
        to_play: int,
        cover: str = "up_to",
        numbers: Sequence[int] | None = None,
    ) -> Strands:
        """A position at the start of a turn that is not the opening."""
        game = cls(layout, cover, numbers)
        game.stones = dict(stones)
        game.to_play = to_play
        game.phase = "start"
        return game

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.winner is not None

    # Legality.

    def empty_spaces(self) -> list[int]:
        """The spaces that are not covered."""
        return [cell for cell in range(self.board.num_cells) if cell not in self.stones]

    def empty_spaces_of(self, number: int) -> list[int]:
        """The empty spaces that bear that number."""
        return [cell for cell in self.empty_spaces() if self.numbers[cell] == number]

    def coverable(self) -> list[int]:
        """The spaces that the player to act may cover now."""
        if self.phase == "opening":
            return self.empty_spaces_of(2)  # "covering one space marked 2"
        if self.phase == "start":
            return self.empty_spaces()  # "the first of the turn being any empty space"
        if self.phase == "continue":
            assert self.number is not None
            return self.empty_spaces_of(self.number)
        return []

    def more(self) -> int:
        """How many more spaces this turn may still cover (0 at the start of a turn)."""
        if self.phase != "continue":
            return 0
        assert self.number is not None
        return min(self.number - self.covered, len(self.empty_spaces_of(self.number)))

    def may_stop(self) -> bool:
        """Only under up_to, after the first covering of a turn that is not over."""
        return self.phase == "continue" and self.cover_rule == "up_to"

    def legal_actions(self) -> list[int]:
        """The legal actions of the player to move, ascending."""
        if self.is_over:
            return []
        actions = self.coverable()
        assert actions
        if self.may_stop():
            actions.append(self.stop_action)
        return actions

    # Steps.

    def step(self, action: int) -> None:
        """Make one step."""
        assert action in self.legal_actions(), f"illegal action {action}"
        if action == self.stop_action:
            self.end_turn()
        else:
            self.cover(action)

    def cover(self, cell: int) -> None:
        """Cover a space; the turn ends after X spaces or when no such space is left."""
        self.stones[cell] = self.to_play
        if not self.empty_spaces():
            self.end_game()
        elif self.phase == "opening":
            self.end_turn()
        else:
            self.number = self.numbers[cell]
            self.covered += 1
            if self.covered == self.number or not self.empty_spaces_of(self.number):
                self.end_turn()
            else:
                self.phase = "continue"

    def end_turn(self) -> None:
        """It is the other player's turn."""
        self.to_play = 1 - self.to_play
        self.phase = "start"
        self.number = None
        self.covered = 0

    # The end.

    def group_sizes(self, player: int) -> list[int]:
        """The sizes of the player's connected groups, the largest first."""
        own = [cell for cell, owner in self.stones.items() if owner == player]
        return sorted((len(group) for group in self.board.groups(own)), reverse=True)

    def end_game(self) -> None:
        """The board is full: the largest group wins, else the second largest, and so on."""
        black, white = self.group_sizes(0), self.group_sizes(1)
        while len(black) < len(white):
            black.append(0)  # "a missing group counts as 0"
        while len(white) < len(black):
            white.append(0)
        for black_size, white_size in zip(black, white, strict=True):
            if black_size != white_size:
                self.winner = 0 if black_size > white_size else 1
                break
        assert self.winner is not None  # "there is always a winner"
        self.phase = "over"
        self.number = None
        self.covered = 0

    # What others see.

    def observation(self, player: int) -> np.ndarray:
        """The planes as the player sees them."""
        board = self.board
        obs = np.zeros((board.size, board.size, 7), dtype=np.float32)
        coverable = self.coverable()
        for cell, place in enumerate(board.grid):
            obs[place][0] = 1
            if not self.is_over and player == self.to_play:
                obs[place][1] = 1
            if cell in self.stones:
                obs[place][2 if self.stones[cell] == player else 3] = 1
            obs[place][4] = self.numbers[cell] / 6
            if cell in coverable:
                obs[place][5] = 1
            obs[place][6] = self.more() / 6
        return obs

    def position(self) -> tuple[object, ...]:
        """All that matters for the rest of the game."""
        stones = tuple(sorted(self.stones.items()))
        return (
            tuple(self.numbers),
            self.cover_rule,
            stones,
            self.to_play,
            self.phase,
            self.winner,
            self.number,
            self.more(),
        )

    def action_to_string(self, action: int) -> str:
        """The text of an action."""
        if action == self.stop_action:
            return "stop"
        return self.board.names[action]

    def copy(self) -> Strands:
        """An independent copy."""
        return copy.deepcopy(self)
