"""What a promise says when it is broken."""

from __future__ import annotations

import re
from typing import Any

SEEN = (
    *("text", "key", "to_play", "phase", "is_over", "winner", "returns", "mask", "legal actions"),
    *("planes of player_0", "planes of player_1", "planes of player_0 after a cut-off"),
    *("planes of player_1 after a cut-off", "history", "last_action", "last_step"),
)


class GameCheckError(AssertionError):
    """A game does not keep a promise; the message names the game, the promise and what was seen."""


# What the promises are written in.  Not the statement assert, which python -O leaves out.


def must(condition: object, otherwise: str) -> None:
    if not condition:
        raise GameCheckError(otherwise)


def same(one: tuple[Any, ...], other: tuple[Any, ...], what: str) -> None:
    """Two results of `seen` or `all_of` are equal."""
    for name, a, b in zip(SEEN, one, other, strict=False):
        must(a == b, f"{what}: {name} differs at {one[0]}: {short(a)} and {short(b)}")


def short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:100]}..."


def refuses(error: type[Exception], match: str, function: Any, *given: Any) -> None:
    """A call raises this error, with a message that the pattern is found in."""
    call = f"{getattr(function, '__qualname__', function)}({', '.join(map(short, given))})"
    try:
        got = function(*given)
    except error as refusal:
        must(
            re.search(match, str(refusal)),
            f"{call} must say {match!r} in its {error.__name__}, got: {refusal}",
        )
    except Exception as other:
        raise GameCheckError(f"{call} must raise {error.__name__}, got {other!r}") from other
    else:
        raise GameCheckError(f"{call} must raise {error.__name__}, returned {short(got)}")
