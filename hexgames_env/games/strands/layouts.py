"""The numbers on the spaces of Strands: layouts with a name, and the option for them."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from hexgames_env.core.board import HexBoard, hex_board
from hexgames_env.core.options import Option, as_integer
from hexgames_env.errors import OptionError

# Rows from the top down.
FIXED = {
    "5": "64446/433334/4222224/43222234/632212236/43222234/4222224/433334/64446",
    "6": "644446/4333334/43222234/432222234/4322222234/63222122236/"
    "4322222234/432222234/43222234/4333334/644446",
    "6-low": "333333/3222223/32222223/322222223/3222222223/32222122223/"
    "3222222223/322222223/32222223/3222223/333333",
    "7": "6655566/64333346/533222335/5322222235/53222222235/632222122246/6432211122346/"
    "642221222236/53222222235/5322222235/533222335/64333346/6655566",
}
# For each ring from the centre, how many cells bear each number; the highest first.
DRAWN = {
    "6-random": ({1: 1}, {2: 4, 1: 2}, {3: 1, 2: 11}, {3: 6, 2: 12}, {4: 2, 3: 22}, {5: 20, 4: 10}),
    "7-random": (
        *({1: 1}, {2: 3, 1: 3}, {2: 7, 1: 5}, {2: 17, 1: 1}, {3: 9, 2: 15}),
        *({4: 2, 3: 28}, {5: 28, 4: 8}),
    ),
}
LAYOUT_NAMES = (*FIXED, *DRAWN)
SIDES = {3 * side * (side - 1) + 1: side for side in range(2, 10)}  # by the count of numbers


class LayoutOption(Option):
    """The numbers on the spaces: the name of a layout, or a number for each cell.

    A layout given by numbers is a tuple of ints once checked, and in a text its rows from the top
    down, separated by ``/``.

    >>> LayoutOption().to_word(LayoutOption().check("layout", [3, 3, 3, 2, 1, 2, 2]))
    '22/321/33'
    """

    default = "6"

    def check(self, name: str, value: Any) -> str | tuple[int, ...]:
        if isinstance(value, str) and value in LAYOUT_NAMES:
            return str(value)
        flat = isinstance(value, np.ndarray) and value.ndim == 1
        plain = isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))
        if not flat and not plain:
            is_text = isinstance(value, str) and "/" in value
            hint = ".  Rows like 22/321/33 are read in texts: Game.from_string(...)"
            raise OptionError(
                f"{name} must be one of {', '.join(map(repr, LAYOUT_NAMES))} or a sequence of "
                f"numbers, one for each space in the order of the cells, got {reprlib.repr(value)}"
                f"{hint if is_text else ''}"
            )
        if len(value) not in SIDES:
            raise OptionError(
                f"{name} must have a number for each space of a board of side 2 to 9, that is "
                f"{', '.join(map(str, SIDES))} of them, got {len(value)}"
            )
        numbers = []
        for cell, given in enumerate(value):
            number = as_integer(given)
            if number is None or not 1 <= number <= 6:
                raise OptionError(
                    f"{name}: the number on each space must be an integer from 1 to 6, "
                    f"got {reprlib.repr(given)} for cell {cell} "
                    f"({hex_board(SIDES[len(value)]).names[cell]})"
                )
            numbers.append(number)
        if 2 not in numbers:
            raise OptionError(
                f"{name} must have a 2, since Black opens on a space marked 2; got only "
                f"{', '.join(map(str, sorted(set(numbers))))}"
            )
        return tuple(numbers)

    def to_word(self, value: str | tuple[int, ...]) -> str:
        return value if isinstance(value, str) else to_rows(hex_board(SIDES[len(value)]), value)

    def from_word(self, name: str, word: str) -> str | tuple[int, ...]:
        if "/" not in word:
            return self.check(name, word)
        found = from_rows(word)
        if found is None:
            raise OptionError(
                f"{name} in a text is a name or the rows of a board of side 2 to 9 from the top "
                f"down, separated by '/', like 22/321/33; got {reprlib.repr(word)}"
            )
        return self.check(name, [int(c) if c in "0123456789" else c for c in found])

    def examples(self) -> list[str | tuple[int, ...]]:
        return [*LAYOUT_NAMES, (3, 3, 3, 2, 1, 2, 2)]


def to_rows(board: HexBoard, numbers: Iterable[int]) -> str:
    """The numbers as text: rows from the top down, separated by ``/``."""
    return board.to_rows("".join(map(str, numbers)))


def from_rows(text: str) -> str | None:
    """The characters of the rows in the order of the cells; None if they make no board."""
    side = SIDES.get(len(text) - text.count("/"))
    return None if side is None else hex_board(side).from_rows(text)


class Block(NamedTuple):
    """A set of cells that share out some numbers at random."""

    where: str
    cells: list[int]
    numbers: list[int]  # descending


def make_blocks(board: HexBoard, rings: Sequence[Mapping[int, int]]) -> list[Block]:
    """The blocks of a layout that is drawn: the six corners of each ring, and its other cells."""
    blocks = []
    distances = np.abs(np.c_[board.axial, board.axial.sum(axis=1)])  # q, r and q + r
    for ring, counts in enumerate(rings):
        cells = np.flatnonzero(distances.max(axis=1) == ring)
        at_corner = (distances[cells] == 0).any(axis=1)
        corners, others = cells[at_corner].tolist(), cells[~at_corner].tolist()
        numbers = sorted(chain.from_iterable([n] * k for n, k in counts.items()), reverse=True)
        blocks.append(Block(f"the corners of ring {ring}", corners, numbers[: len(corners)]))
        blocks.append(Block(f"the other cells of ring {ring}", others, numbers[len(corners) :]))
    return [block for block in blocks if block.cells]
