"""What the README shows works, and the sizes that it states are those of the package."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hexgames_env import game_names, make_game
from hexgames_env.envs.registration import gymnasium_id

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(<!-- sb3 -->\n)?```python\n(.*?)```", README, re.DOTALL)
CORE = [code for marker, code in BLOCKS if not marker]


@pytest.mark.parametrize("code", CORE, ids=lambda code: code.strip().splitlines()[-1][:40])
def test_code_runs(
    code: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)  # where it writes files
    np.random.seed(1)  # the first example picks with numpy's own generator
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    capsys.readouterr()


def test_there_is_code_for_each_way_in() -> None:
    for name in ("oust_v0", "State", "Batch", "HexVecEnv"):
        assert any(name in code for _, code in BLOCKS), name


@pytest.mark.parametrize("name", game_names())
def test_the_table_of_games_is_right(name: str) -> None:
    game = make_game(name)
    (line,) = [
        line for line in README.splitlines() if f"hexgames/{name}-v0" in line and "|" in line
    ]
    assert f"`{gymnasium_id(name)}`" in line
    options = line.split("|")[4]
    assert f"| {game.num_actions} | {game.observation_shape} |" in line
    for option, kind in game.option_types.items():
        default: Any = kind.default
        shown = f'"{default}"' if isinstance(default, str) else str(default)
        assert f"`{option}={shown}`" in options


def test_no_placeholder_is_left() -> None:
    assert not re.search(r"\b[A-Z]+_[A-Z]+\b", re.sub(r"`[^`]*`", "", README))
