"""How a search is told to search: its settings, their checks, and the defaults by game."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hexgames_env.core.game import Game
from hexgames_env.core.options import as_integer, shown
from hexgames_env.core.settings import check_word
from hexgames_env.errors import OptionError
from hexgames_env.search.deepening import MAX_DEPTH
from hexgames_env.search.tree import MAX_PLAYOUT, MOST_NODES, NODE_BYTES

LEAVES = ("random", "cut", "heuristic")
MEMORY = 256  # MiB
MOST_MEMORY = MOST_NODES * NODE_BYTES >> 20
TABLE_MEMORY = 64  # MiB
MOST_TABLE_MEMORY = 2**17  # so that pairs of places are less than 2**32


@dataclass(frozen=True)
class Habits:
    """How one game is best searched."""

    leaf: str = "random"
    cut: int = 8
    c: float = 1.0
    urgency: float = math.inf


PLAIN = Habits()
# By the name of the game; others, of users too, are searched by `PLAIN`.  What is given here won
# matches at equal processor time, that of some 500 random playouts in Oust and fewer in Rive, from
# random openings: the heuristic 37-3 in Oust 5 and 13-7 in GIPF, a cut after 20 steps 20-10 in
# Rive 3 and 12-1 in Rive 4 (3 cut off), each against random playouts; and with the heuristic c at
# a quarter 34-26 in Oust 5 and 13-7 in GIPF, against a half.  Strands: docs/heuristics.md.
BY_GAME = {
    "oust": Habits(leaf="heuristic", c=0.25),
    "rive": Habits(leaf="cut", cut=20),
    "gipf": Habits(leaf="heuristic", c=0.25),
    "strands": Habits(leaf="heuristic", c=0.5),
}
# What counts half a win, by the names of game and heuristic; each in units of its own.
SCALES: dict[tuple[str, str], float] = {("strands", "fill"): 3.0}
USUAL_SCALE = 8.0


# By the bot: what its budget counts, an example, and the most
COUNTED = {
    "mcts": ("simulations", 1000, MOST_NODES - 1),
    "alphabeta": ("depth", 4, MAX_DEPTH),
}


@dataclass(frozen=True)
class Budget:
    """When the search of a bot ends: exactly one of the three numbers is given."""

    bot: str
    number: int | None = None
    seconds: float | None = None
    cpu_seconds: float | None = None

    def __post_init__(self) -> None:
        counted, example, most = COUNTED[self.bot]
        if len(self.given) != 1:
            got = ", ".join(f"{name}={shown(value)}" for name, value in self.given.items())
            raise OptionError(
                f"{self.bot} takes exactly one of {counted}=, seconds= and cpu_seconds=, such as "
                f"'{self.bot} {counted}={example}', got {got or 'none of them'}"
            )
        if self.number is not None:
            object.__setattr__(self, "number", _check_number(counted, self.number, most))
        for name in ("seconds", "cpu_seconds"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _check_seconds(name, getattr(self, name)))

    @property
    def given(self) -> dict[str, Any]:
        """What is given, by name."""
        numbers = (self.number, self.seconds, self.cpu_seconds)
        names = (COUNTED[self.bot][0], "seconds", "cpu_seconds")
        return {name: x for name, x in zip(names, numbers, strict=True) if x is not None}


def _check_number(name: str, value: object, most: int) -> int:
    number = as_integer(value)
    if number is None or not 1 <= number <= most:
        raise OptionError(f"{name} must be an integer from 1 to {most}, got {shown(value)}")
    return number


def as_float(value: Any) -> float:
    """A number of any kind but bool as a float, what is none as not-a-number."""
    if isinstance(value, (bool, np.bool)) or not isinstance(value, (int, float, np.number)):
        return math.nan
    try:
        return float(value)
    except (OverflowError, TypeError):  # an integer beyond all floats, a complex number
        return math.nan


def _check_seconds(name: str, value: object) -> float:
    number = as_float(value)
    if not 0 < number < math.inf:
        raise OptionError(f"{name} must be a number above 0, got {shown(value)}")
    return number


def _check_heuristic(name: object) -> None:
    if not isinstance(name, str | None):  # which there are the game knows
        raise OptionError(f"heuristic must be the name of one, such as 'plain', got {shown(name)}")


def name_of_heuristic(game: Game, given: str | None) -> str:
    """The heuristic that a search goes by."""
    return game.default_heuristic if given is None else given


def scale_of(game: Game, heuristic: str | None) -> float:
    """What counts half a win."""
    return SCALES.get((game.name, name_of_heuristic(game, heuristic)), USUAL_SCALE)


@dataclass(frozen=True)
class Settings:
    """All of `mcts` but the budget; None leaves it to the game's `Habits`."""

    leaf: str | None = None
    cut: int | None = None
    c: float | None = None
    urgency: float | None = None
    scale: float | None = None
    heuristic: str | None = None
    memory: int = MEMORY

    def __post_init__(self) -> None:
        check_word("leaf", self.leaf, LEAVES, none=True)
        _check_heuristic(self.heuristic)
        if self.cut is not None:
            object.__setattr__(self, "cut", _check_number("cut", self.cut, MAX_PLAYOUT))
        for name, low in (("c", 0.0), ("urgency", -math.inf), ("scale", 0.0)):
            value = getattr(self, name)
            if value is None:
                continue
            number = as_float(value)
            fine = number > low if name == "scale" else number >= low
            if not fine or (number == math.inf and name != "urgency"):
                bounds = {"c": "from 0 on", "scale": "above 0", "urgency": "or inf"}[name]
                raise OptionError(f"{name} must be a number {bounds}, got {shown(value)}")
            object.__setattr__(self, name, number)
        object.__setattr__(self, "memory", _check_number("memory", self.memory, MOST_MEMORY))

    def for_game(self, game: Game) -> tuple[int, float, float, float]:
        """Steps of a playout, c, urgency and scale, as the loops take them."""
        usual = BY_GAME.get(game.name, PLAIN)
        scale = scale_of(game, self.heuristic)
        cut = usual.cut if self.cut is None else self.cut
        leaf = self.leaf or ("cut" if self.cut is not None else usual.leaf)
        return (
            {"random": MAX_PLAYOUT, "cut": cut, "heuristic": 0}[leaf],
            usual.c if self.c is None else self.c,
            usual.urgency if self.urgency is None else self.urgency,
            scale if self.scale is None else self.scale,
        )

    def heuristic_of(self, game: Game) -> str:
        """Which one judges positions of the game; whether it has that `Game.compiled` checks."""
        return name_of_heuristic(game, self.heuristic)

    def nodes(self, simulations: int | None = None) -> int:
        """How many nodes a tree has room for, and none that so many simulations can't need.

        Each simulation adds one node at most.  Those in blocks that are not full, and in blocks
        that were too small, are less than three times as many.
        """
        room = min((self.memory << 20) // NODE_BYTES, MOST_NODES)
        return room if simulations is None else min(room, 4 * simulations + 4)


@dataclass(frozen=True)
class TableSettings:
    """All of `alphabeta` but the budget."""

    heuristic: str | None = None
    memory: int = TABLE_MEMORY

    def __post_init__(self) -> None:
        _check_heuristic(self.heuristic)
        memory = _check_number("memory", self.memory, MOST_TABLE_MEMORY)
        object.__setattr__(self, "memory", memory)
