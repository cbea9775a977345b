"""Random numbers: splitmix64 (Steele, Lea, Flood 2014), one 64-bit state a row.

So the numbers of a row depend on its seed alone, and not on threads or the number of rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.engine.jit import kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@kernel
def mix(x: Any) -> Any:
    """The finaliser of splitmix64: a bijection of uint64 that scrambles all bits."""
    x = (x ^ (x >> _30)) * _MIX_1
    x = (x ^ (x >> _27)) * _MIX_2
    return x ^ (x >> _31)


@kernel
def next_random(random: Any, b: Any) -> Any:
    """Advance ``random[b]`` (uint64) and return 64 random bits."""
    random[b] += _GOLDEN
    return mix(random[b])


@kernel
def below(bits: Any, n: Any) -> Any:
    """A number from 0 to n-1 (n < 2**32) from 64 random bits, uniform to within n / 2**32."""
    return ((bits >> _32) * np.uint64(n)) >> _32


@kernel
def stream(seed: Any, row: Any, game: Any) -> Any:
    """Where the random numbers of one game of one row begin: a hash of the three."""
    return mix(mix(seed + _GOLDEN * np.uint64(row + 1)) + _GOLDEN * np.uint64(game + 1))
