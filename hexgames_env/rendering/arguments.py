"""What callers give, checked: each error says what was given and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.options import as_integer, shown
from hexgames_env.core.state import State
from hexgames_env.errors import IllegalActionError, OptionError

SMALLEST, LARGEST = 100, 4000
Heat = Mapping[int, float] | Sequence[float] | NDArray[Any]


def check_state(state: Any) -> None:
    """TypeError if ``state`` is not a `State`."""
    if not isinstance(state, State):
        raise TypeError(
            f"what is drawn is a State, as from make_game(NAME).initial_state() or an "
            f"environment's game_state, got {shown(state):.100}"
        )


def check_size(size: Any) -> int:
    """``size`` as an int; OptionError if a picture can't have that size."""
    number = as_integer(size)
    if number is None or not SMALLEST <= number <= LARGEST:
        raise OptionError(
            f"the size of a picture is its width and height in pixels, an integer from "
            f"{SMALLEST} to {LARGEST}, got {shown(size):.100}"
        )
    return number


def check_fps(fps: Any) -> float:
    """``fps`` as a float; OptionError if it is not a number from 0 up."""
    number = _as_float(fps)
    if not 0 <= number < inf:
        raise OptionError(
            f"fps is how many positions a window shows a second, a number from 0 up, where 0 "
            f"does not wait, got {shown(fps):.100}"
        )
    return number


def check_headline(headline: Any) -> None:
    """OptionError unless ``headline`` is None or a str."""
    if headline is not None and not isinstance(headline, str):
        raise OptionError(f"headline must be None or a str, got {shown(headline):.100}")


def check_pointed(pointed: Any, state: State) -> int | None:
    """``pointed`` as an int or None; IllegalActionError if it is not a legal action."""
    if pointed is None:
        return None
    action = state.game.check_action(pointed)
    if not state.is_legal(action):
        raise IllegalActionError(
            f"only a legal action can be pointed at, got {action}, which is "
            f"{state.action_to_string(action)}: legal_actions() lists them"
        )
    return action


def check_heat(heat: Heat | None, num_actions: int) -> dict[int, float]:
    """For each action its number divided by the largest; actions with 0 are left out.

    Raises:
        ValueError: ``heat`` is neither a mapping nor a sequence, is of another length, or has an
            invalid action or number.
    """
    if heat is None:
        return {}
    numbers = {}
    for key, value in _items(heat, num_actions):
        action, number = as_integer(key), _as_float(value)
        if action is None or not 0 <= action < num_actions:
            raise ValueError(
                f"heat must be for actions, integers from 0 to {num_actions - 1}, "
                f"got {shown(value):.100} for {shown(key):.100}"
            )
        if not 0 <= number < inf:
            raise ValueError(
                f"heat must be finite numbers from 0 up, got {shown(value):.100} for action "
                f"{action}: {_remedy(value)}"
            )
        numbers[action] = number
    most = max(numbers.values(), default=0.0)
    return {action: number / most for action, number in numbers.items() if number > 0}


def _items(heat: Any, num_actions: int) -> Iterable[tuple[Any, Any]]:
    """Pairs of an action and its number, neither of them checked yet."""
    if isinstance(heat, Mapping):
        return heat.items()
    is_text = isinstance(heat, (str, bytes, bytearray, memoryview))
    try:
        if is_text or not hasattr(heat, "__getitem__"):  # a set has no order
            raise TypeError
        length, values = len(heat), iter(heat)
    except Exception:  # a class of the caller's may raise anything
        raise ValueError(
            f"heat must be a mapping from actions to numbers, or a sequence or array with a number "
            f"for each of the {num_actions} actions, got {shown(heat):.100}"
        ) from None
    if length != num_actions:
        raise ValueError(
            f"heat must have a number for each of the {num_actions} actions, got {length}: "
            f"a mapping may leave actions out"
        )
    return enumerate(values)


def _as_float(value: Any) -> float:
    """``value`` as a float; nan if it is not a single real number."""
    kind = getattr(getattr(value, "dtype", None), "kind", "f")
    is_text = isinstance(value, (str, bytes, bytearray, memoryview))
    if is_text or kind not in "biuf" or getattr(value, "shape", ()) != () or np.ma.is_masked(value):
        return nan
    try:
        return float(value)
    except Exception:  # a class of the caller's may raise anything
        return nan


def _remedy(value: Any) -> str:
    """What to do about a number that heat can't have."""
    if np.ma.is_masked(value):
        return "it is masked, so fill the array, such as heat.filled(0)"
    if np.iscomplexobj(value):
        return "take the real part or the absolute value"
    return "give 0 to what is not to be shown, or leave it out of a mapping"
