"""``hexgames solve``: who wins a position, and in how many steps."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any

from hexgames_env.cli.arguments import (
    add_command,
    add_game_arguments,
    add_seed_argument,
    chosen_game,
    count,
)
from hexgames_env.cli.progress import interruptible, meter
from hexgames_env.core.state import State
from hexgames_env.records.whole import replacing
from hexgames_env.search import Solver
from hexgames_env.search.solver import MEMORY

EACH = 60.0  # seconds between two times that a checkpoint is written


def add_commands(commands: Any) -> None:
    """Add the command to what ``ArgumentParser.add_subparsers`` returned."""
    parser = add_command(
        commands,
        "solve",
        _solve,
        "who wins a position or a game from its start, and in how many steps, proven",
        "hexgames solve oust side=2",
    )
    add_game_arguments(parser)
    add_seed_argument(parser, 0)
    parser.add_argument(
        "--within", type=count, metavar="N", help="look so many steps ahead; default 500"
    )
    parser.add_argument(
        "--memory",
        type=count,
        default=MEMORY,
        metavar="MIB",
        help=f"for the positions that are stored, at most; default {MEMORY}",
    )
    parser.add_argument(
        "--winner-only", action="store_true", help="find no distances, which takes less"
    )
    parser.add_argument(
        "--position-only", action="store_true", help="value the position, and not each action"
    )
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="keep what is proven there, each minute and at the end, and go on from what it holds",
    )
    parser.add_argument("--json", metavar="FILE", help="write what is found there, as JSON")


def _state(given: argparse.Namespace) -> State:
    words = [*given.game_words, *given.options]
    if any(word.startswith("board=") for text in words for word in text.split()):
        return State.from_string(" ".join(words))
    given.game_words = [word for text in given.game_words for word in text.split()]
    return chosen_game(given).initial_state(given.seed)


def _solve(given: argparse.Namespace) -> None:
    solver = Solver(
        _state(given),
        given.within,
        given.memory,
        distances=not given.winner_only,
        actions=not given.position_only,
    )
    solver.compile()
    if given.checkpoint is not None and os.path.exists(given.checkpoint):
        solver.load(given.checkpoint)
        print(f"{solver.positions:,} positions known from {given.checkpoint}", file=sys.stderr)
    watch = _Watch(given.checkpoint)
    try:
        with interruptible():
            found = solver.solve(watch.told)
    except KeyboardInterrupt:
        watch.close()
        kept = ""
        if given.checkpoint is not None:
            solver.save(given.checkpoint)
            kept = f"; the same command goes on from {given.checkpoint}"
        print(f"stopped after {solver.positions:,} positions{kept}")
        raise
    finally:
        watch.close()
    print(found.to_string())
    if given.checkpoint is not None:
        solver.save(given.checkpoint)
    if given.json is not None:
        with replacing(given.json) as new:
            new.write_text(found.to_json() + "\n", encoding="utf-8")


class _Watch:
    """Shows how far the search is, and writes checkpoints."""

    def __init__(self, checkpoint: str | None) -> None:
        self._checkpoint = checkpoint
        self._saved = time.monotonic()
        self._meter: Any = None

    def told(self, solver: Solver) -> None:
        if self._meter is None:
            self._meter = meter(solver.room, "positions") or False
        if self._meter:
            self._meter.set_description(solver.asked, refresh=False)
            self._meter.update(solver.positions - self._meter.n)
        if self._checkpoint is not None and time.monotonic() - self._saved >= EACH:
            solver.save(self._checkpoint)
            self._saved = time.monotonic()

    def close(self) -> None:
        if self._meter:
            self._meter.close()
