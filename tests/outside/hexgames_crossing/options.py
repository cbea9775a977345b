"""A type of option: some cells of the board."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hexgames_env import Option, OptionError


class CellsOption(Option):
    """Names of cells, each once, in a tuple; in a text they stand with commas between them.

    Which cells there are depends on the board, so whether they exist the game asks.
    """

    default: tuple[str, ...] = ()

    def check(self, name: str, value: Any) -> tuple[str, ...]:
        found = value.split(",") if isinstance(value, str) and value else value
        if not isinstance(found, Sequence) or isinstance(found, (str, bytes)):
            raise OptionError(f"{name} must be names of cells such as 'a1,b2', got {value!r}")
        for cell in found:
            if not isinstance(cell, str) or not re.fullmatch("[a-z][1-9][0-9]?", cell):
                raise OptionError(f"{name} must be names of cells such as 'b2', got {cell!r}")
        if len(set(found)) < len(found):
            raise OptionError(f"{name} names a cell twice: {value!r}")
        return tuple(sorted(found))

    def to_word(self, value: tuple[str, ...]) -> str:
        return ",".join(value) or "none"

    def from_word(self, name: str, word: str) -> tuple[str, ...]:
        return () if word == "none" else self.check(name, word)

    def examples(self) -> list[tuple[str, ...]]:
        return [(), ("a1", "b2")]
