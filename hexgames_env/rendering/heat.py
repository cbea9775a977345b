"""Heat maps: a number for each action, checked and made into parts of the largest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, nan
from typing import Any

from numpy.typing import NDArray

from hexgames_env.core.options import as_integer

Heat = Mapping[int, float] | Sequence[float] | NDArray[Any]


def check_heat(heat: Heat | None, num_actions: int) -> dict[int, float]:
    """By action a part from 0 to 1 of the largest; actions at 0 are left out."""
    if heat is None:
        return {}
    items: Iterable[tuple[Any, Any]]
    if isinstance(heat, Mapping):
        items = heat.items()
    else:
        try:
            items = list(enumerate(heat))
        except TypeError:
            raise ValueError(
                f"heat must be a mapping from actions to numbers, or a number for each of the "
                f"{num_actions} actions, got {heat!r}"
            ) from None
        if len(items) != num_actions:
            raise ValueError(
                f"heat must have a number for each of the {num_actions} actions, got {len(items)}"
            )
    given = {}
    for key, value in items:
        action, number = as_integer(key), _as_float(value)
        if action is None or not 0 <= action < num_actions or not 0 <= number < inf:
            raise ValueError(
                f"heat is by action, 0 to {num_actions - 1}, numbers from 0 up: "
                f"got {value!r} for action {key!r}"
            )
        given[action] = number
    most = max(given.values(), default=0.0)
    return {action: value / most for action, value in given.items() if value > 0}


def _as_float(value: Any) -> float:
    """``value`` as a float, not a number if it is none."""
    try:
        return nan if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        return nan
