"""PufferLib's go, in C, built from what pip downloads.

The package itself can be installed neither without a download of drawing libraries by its set-up
nor without PyTorch.  Its board needs neither: pip fetches and unpacks the sources (``--no-clean``
keeps them although their set-up fails), and the go environment is compiled with its own binding
for Python, against a header that says of the drawing library only what the source mentions.

It is not the same work as ours: the opponent inside is a greedy one, there is no mask, and a
cell that can't be played is taken as a pass of the learner with a penalty.  Nobody has to beat it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from common import Loop, is_x86, only_a_part, timed

VERSION = "3.0.0"
SIDE = 7
# A game lasts so many steps: environments that began together end together, so whole games are
# timed.
GAME = 3 * SIDE * SIDE + 1

# Names that the source draws with.  Nothing is drawn: each does nothing.
DRAWING = """
#include <stdbool.h>
typedef struct { unsigned char r, g, b, a; } Color;
typedef struct { float x, y; } Vector2;
#define GRAY ((Color){0, 0, 0, 0})
#define BLACK GRAY
#define WHITE GRAY
#define KEY_ESCAPE 0
#define TextFormat(...) ""
#define IsKeyDown(key) false
#define InitWindow(...)
#define CloseWindow()
#define SetTargetFPS(...)
#define BeginDrawing()
#define EndDrawing()
#define ClearBackground(...)
#define DrawRectangle(...)
#define DrawLineEx(...)
#define DrawCircleGradient(...)
#define DrawText(...)
"""


def fetch(folder: Path) -> Path:
    """The folder of the go environment's sources, from the package index by pip."""
    pip = [sys.executable, "-m", "pip", "download", f"pufferlib=={VERSION}", "--quiet"]
    subprocess.run(
        [*pip, "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--no-clean"],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder), "NO_OCEAN": "1", "NO_TRAIN": "1"},
        capture_output=True,  # its set-up fails, after the sources were unpacked
        timeout=300,
    )
    found = next(folder.glob("**/ocean/go/binding.c"), None)
    if found is None:
        raise ImportError(f"pip does not find the sources of pufferlib {VERSION}")
    return found.parent


def build(folder: Path) -> ModuleType:
    """The compiled binding."""
    source = fetch(folder)
    (folder / "raylib.h").write_text(DRAWING, encoding="utf-8")
    library = folder / f"binding{sysconfig.get_config_var('EXT_SUFFIX')}"
    includes = [folder, sysconfig.get_paths()["include"], np.get_include()]
    command = [
        *("cc", "-O3", "-shared", "-fPIC", "-w", *(["-march=x86-64-v3"] if is_x86() else [])),
        *(f"-I{path}" for path in includes),
        *(str(source / "binding.c"), "-o", str(library), "-lm"),
    ]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise ImportError("there is no C compiler") from None
    except subprocess.CalledProcessError as error:
        raise ImportError(f"pufferlib's go does not compile: {error.stderr[:500]}") from None
    loader = ExtensionFileLoader("binding", str(library))
    spec = spec_from_loader("binding", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def go_loop(num_envs: int) -> Loop:
    """Steps of as many games of go 7x7; actions are drawn beforehand, as in its own speed test."""
    with tempfile.TemporaryDirectory() as folder:
        binding: Any = build(Path(folder))
    observations = np.zeros((num_envs, 2 * SIDE * SIDE + 2), np.float32)
    actions, rewards = np.zeros(num_envs, np.int32), np.zeros(num_envs, np.float32)
    ended, cut = np.zeros(num_envs, np.bool_), np.zeros(num_envs, np.bool_)
    envs = binding.vec_init(
        *(observations, actions, rewards, ended, cut, num_envs, 0),
        width=64,
        height=64,
        board_width=64,
        board_height=64,
        grid_size=SIDE,
        grid_square_size=8,
        moves_made=0,
        komi=7.5,
        score=0.0,
        last_capture_position=-1,
        reward_move_pass=-0.25,
        reward_move_invalid=-0.1,
        reward_move_valid=0.1,
        reward_player_capture=0.25,
        reward_opponent_capture=-0.25,
    )
    binding.vec_reset(envs, 0)
    cells = SIDE * SIDE + 1
    drawn = np.random.default_rng(0).integers(0, cells, (1024, num_envs), dtype=np.int32)
    arrays = observations, rewards, ended, cut  # the environments write into these
    tick = [0]

    def step() -> None:
        actions[:] = drawn[tick[0] % len(drawn)]
        binding.vec_step(envs)
        tick[0] += 1

    def games() -> int:
        for _ in range(GAME):
            step()
        return GAME * len(arrays[0])

    for _ in range(GAME - 1):
        step()
    if not (observations.any() and rewards.any()):
        raise ImportError("pufferlib's go was compiled, but plays nothing")
    step()
    return timed(games)


if __name__ == "__main__":
    only_a_part(__doc__)
