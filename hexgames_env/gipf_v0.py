"""GIPF: the rules, actions and planes are on the page of `hexgames_env.games.gipf`."""

from __future__ import annotations

import os
from typing import Literal

from hexgames_env.envs.aec import HexGameEnv


def env(
    variant: Literal["standard", "basic", "tournament"] = "standard",
    max_cycles: int | None = None,
    render_mode: str | None = None,
    illegal_action: Literal["lose", "raise"] = "lose",
    render_size: int | None = None,
    record: str | os.PathLike[str] | None = None,
) -> HexGameEnv:
    """The environment as PettingZoo's users expect it: an illegal action loses the game."""
    return HexGameEnv(
        "gipf", max_cycles, render_mode, illegal_action, render_size, record, variant=variant
    )


def raw_env(
    variant: Literal["standard", "basic", "tournament"] = "standard",
    max_cycles: int | None = None,
    render_mode: str | None = None,
    illegal_action: Literal["lose", "raise"] = "raise",
    render_size: int | None = None,
    record: str | os.PathLike[str] | None = None,
) -> HexGameEnv:
    """The same, but that an illegal action raises ``IllegalActionError`` and changes nothing."""
    return HexGameEnv(
        "gipf", max_cycles, render_mode, illegal_action, render_size, record, variant=variant
    )
