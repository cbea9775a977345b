"""The board of GIPF: its points, lines and dots, by number, by name and as bits.

A *board* is a number of 64 bits: point [r, c] of the grid is bit 8r + c.  A step along a line of
the three directions is a shift by 1, 8 or 9.  Column 7 is always empty, so no shift runs from one
line into another::

    r = 6   . . . # # # # .   bits 48 to 55
        5   . . # # # # # .
        4   . # # # # # # .
        3   # # # # # # # .   bits 24 to 31; bit 24 on the left is point e2
        2   # # # # # # . .
        1   # # # # # . . .
        0   # # # # . . . .   bits 0 to 7; bit 0 is point b2
    c =     0 1 2 3 4 5 6 7
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hexgames_env.core.board import hex_board


def _point_name(r: int, c: int) -> str:
    """The name of a point of the grid, or of a dot one place beside it."""
    return "abcdefghi"[r + 1] + str(2 + c - max(0, r - 3))


GRID: list[list[int]] = hex_board(4).grid.tolist()  # [r, c] by point number
POINT_NAMES = tuple(_point_name(r, c) for r, c in GRID)
LINES = tuple(  # the points of each line, in order
    tuple(point for point, (r, c) in enumerate(GRID) if (r, c, c - r + 3)[way] == which)
    for way in (0, 1, 2)
    for which in range(7)
)
LINE_NAMES = tuple(f"{POINT_NAMES[line[0]]}-{POINT_NAMES[line[-1]]}" for line in LINES)


def dots_on_grid(line: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where on the grid the dots before a line's first point and after its last lie."""
    dr, dc = ((0, 1), (1, 0), (1, 1))[line // 7]
    (r0, c0), (r1, c1) = GRID[LINES[line][0]], GRID[LINES[line][-1]]
    return (r0 - dr, c0 - dc), (r1 + dr, c1 + dc)


DOTS = tuple(  # the names of the two dots of each line
    (_point_name(*before), _point_name(*after))
    for before, after in map(dots_on_grid, range(len(LINES)))
)
PUSHES = [  # the dot and the point of push 2l, 2l+1
    (DOTS[line][end], POINT_NAMES[points[-end]])
    for line, points in enumerate(LINES)
    for end in (0, 1)
]


def why_no_line(kind: str, begin: str, end: str) -> str:
    """What is wrong with the text of a push, or of a row (kind ``x``), that is the name of none."""
    if kind == "x":
        return f"no line has {begin} and {end} as its first and its last point"
    dots = sorted({dot for dot, _ in PUSHES})
    if begin not in dots:
        what = "a point and no dot" if begin in POINT_NAMES else "no dot"
        return f"{begin} is {what}: a push begins on one of the dots {', '.join(dots)}"
    near = f"not next to {begin}" if end in POINT_NAMES else "no point"
    onto = " or ".join(point for dot, point in PUSHES if dot == begin)
    return f"{end} is {'a dot too' if end in dots else near}: from {begin} a push goes onto {onto}"


# As bits

BITS = [8 * r + c for r, c in GRID]  # by point


def board_of(points: Iterable[int]) -> int:
    """The board with these points."""
    return sum({1 << BITS[point] for point in points})


POINT_BITS = np.array(BITS, np.uint64)
LINE_BOARDS = np.array([board_of(line) for line in LINES], np.uint64)
SHIFTS = np.array([1, 8, 9], np.uint64).repeat(7)  # by line
ENTRIES = np.array([board_of([line[-end]]) for line in LINES for end in (0, 1)], np.uint64)
ON_BOARD = np.uint64(board_of(range(37)))
COLUMN_0 = np.uint64(0x01010101010101)
