"""Simulations a second of `mcts`, beside OpenSpiel's C++ MCTSBot, in one run.

    pip install ".[benchmark]"
    python benchmarks/search.py                # rates
    python benchmarks/search.py --leaf own     # with each game's own leaf
    python benchmarks/search.py --alphabeta    # nodes a second of alphabeta, and depths

Both search from the start on one core, with one random playout for each new position, and time is
the process's own; OpenSpiel plays hex 11.  A ratio is taken within each round of slices that take
turns; median, least and greatest over the rounds are printed.  Unless told otherwise numba compiles
for AVX2.  Without OpenSpiel there are rates alone.

A node of `alphabeta` is a position that it has come to; what it steps to only to order the steps of
a position takes its time, but is not counted.  It searches positions of the middle of the game, a
third of whose steps were drawn and the others greedy.
"""

from __future__ import annotations

import argparse
import math
from itertools import count
from typing import Any

import numpy as np
from common import (
    ROUNDS,
    SECONDS,
    Loop,
    Spread,
    add_isa,
    describe,
    hold_to,
    interleave,
    progress,
    record,
    short,
    timed,
)

from hexgames_env import State
from hexgames_env.bots import make_bot
from hexgames_env.core.registry import game_from_string

# What is aimed at: times the simulations of OpenSpiel
TARGETS = {
    "oust side=5": 4.0,
    "oust side=7": 1.3,
    "rive side=4": 2.3,
    "rive side=5": 0.7,
    "strands layout=6": 5.0,
    "gipf": 12.0,
}
NODES = {"oust side=5": 1e6, "strands layout=6": 1e6, "gipf": 1e6}
STEPS = {"oust side=5": 12, "strands layout=6": 40, "gipf": 16, "rive side=3": 8, "rive side=4": 12}
POSITIONS = 20
PEER = "OpenSpiel C++ MCTSBot, hex 11"
AT_ONCE = 1000  # simulations of one search, for both


def ours(text: str, leaf: str | None) -> Loop:
    """One search after the other from the start."""
    bot: Any = make_bot("mcts", simulations=AT_ONCE, leaf=leaf)
    state, rng = game_from_string(text).initial_state(1), np.random.default_rng(1)

    def search() -> int:
        bot(state, rng)
        return AT_ONCE

    return timed(search)


def openspiel() -> Loop | None:
    try:
        import pyspiel
    except ImportError:
        print("no OpenSpiel here: rates alone")
        return None
    game = pyspiel.load_game("hex(board_size=11)")
    state = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, math.sqrt(2), AT_ONCE, 1000, False, 1, False)

    def search() -> int:
        bot.mcts_search(state)
        return AT_ONCE

    return timed(search)


def rates(leaf: str | None, rounds: int, seconds: float) -> None:
    loops = {text: ours(text, leaf) for text in TARGETS}
    peer = openspiel()
    if peer is not None:
        loops[PEER] = peer
    found = interleave(loops, progress(rounds, "rates"), seconds)
    for text, figures in found.items():
        line = f"{text:32} {short(Spread.of(figures).median):>8} simulations/s"
        if peer is not None and text in TARGETS:
            ratio = Spread.of_ratios(figures, found[PEER])
            line += f"   {ratio} times OpenSpiel, aim {TARGETS[text]}"
        print(line)


def middle(text: str) -> list[State]:
    """Positions that are worth a search."""
    game, rng, greedy = game_from_string(text), np.random.default_rng(1), make_bot("greedy")
    found: list[State] = []
    while len(found) < POSITIONS:
        state = game.initial_state(1)
        for k in range(STEPS[text]):
            if not state.is_over:
                state.step(state.sample_action(rng) if k % 3 == 0 else greedy(state, rng))
        if not state.is_over:
            found.append(state)
    return found


def nodes_of(bot: Any, states: list[State]) -> Loop:
    """The nodes of one search after the other."""
    rng, turn = np.random.default_rng(1), count()

    def search() -> int:
        return int(bot.analyse(states[next(turn) % len(states)], rng).nodes)

    return timed(search)


def alphabeta(rounds: int, seconds: float) -> None:
    places = {text: middle(text) for text in STEPS}
    bot: Any = make_bot("alphabeta cpu_seconds=0.1")
    loops = {text: nodes_of(bot, states) for text, states in places.items()}
    found = interleave(loops, progress(rounds, "nodes"), seconds)
    short_bot: Any = make_bot("alphabeta cpu_seconds=0.01")
    for text, figures in found.items():
        depths = [short_bot.analyse(state).depth for state in places[text]]
        line = f"{text:18} {short(Spread.of(figures).median):>8} nodes/s"
        aim = f", aim {short(NODES[text])}" if text in NODES else ""
        print(f"{line}{aim}; depth in 10 ms: mean {np.mean(depths):.1f}, least {min(depths)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_isa(parser)
    parser.add_argument("--leaf", choices=("random", "own"), default="random")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each slice")
    parser.add_argument("--alphabeta", action="store_true")
    given = parser.parse_args()
    hold_to(given.isa)
    print(describe(record()))
    if given.alphabeta:
        alphabeta(given.rounds, given.seconds)
    else:
        rates(None if given.leaf == "own" else "random", given.rounds, given.seconds)


if __name__ == "__main__":
    main()
