"""Strands: the rules, actions and planes are on the page of `hexgames_env.games.strands`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from hexgames_env.envs.aec import HexGameEnv


def env(
    layout: str | Sequence[int] = "6",
    cover: Literal["up_to", "exactly"] = "up_to",
    max_cycles: int | None = None,
    render_mode: str | None = None,
    illegal_action: Literal["lose", "raise"] = "lose",
    render_size: int | None = None,
    record: str | os.PathLike[str] | None = None,
) -> HexGameEnv:
    """The environment as PettingZoo's users expect it: an illegal action loses the game."""
    return HexGameEnv(
        "strands",
        max_cycles,
        render_mode,
        illegal_action,
        render_size,
        record,
        layout=layout,
        cover=cover,
    )


def raw_env(
    layout: str | Sequence[int] = "6",
    cover: Literal["up_to", "exactly"] = "up_to",
    max_cycles: int | None = None,
    render_mode: str | None = None,
    illegal_action: Literal["lose", "raise"] = "raise",
    render_size: int | None = None,
    record: str | os.PathLike[str] | None = None,
) -> HexGameEnv:
    """The same, but that an illegal action raises ``IllegalActionError`` and changes nothing."""
    return HexGameEnv(
        "strands",
        max_cycles,
        render_mode,
        illegal_action,
        render_size,
        record,
        layout=layout,
        cover=cover,
    )
