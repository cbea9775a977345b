"""This package beside its peers, in one run: every ratio that the README states.

    pip install hexgames-env tqdm "pettingzoo[classic]" open_spiel pgx jax
    python benchmarks/peers.py

A peer that is not installed is named and left out, with the ratios against it.  Everything runs on
one core.  Uniformly random legal play everywhere; the sampler stands with each rate.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

# Before jax is imported: Pgx on one core, like everything else here.
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import numpy as np
from common import Loop, Row, interleave, print_table
from surfaces import (
    aec_loop,
    batch_loop,
    copy_loop,
    random_loop,
    state_loop,
    timed,
    vector_loop,
)

from hexgames_env import game_names, make_game
from hexgames_env.envs.aec import make_env

HEX = "OpenSpiel hex 11"


def pettingzoo_loops() -> dict[str, Loop]:
    """PettingZoo's own board games through the same AEC loop."""
    from pettingzoo.classic import connect_four_v3, go_v5, tictactoe_v3

    return {
        "PettingZoo connect_four env()": aec_loop(connect_four_v3.env()),
        "PettingZoo connect_four raw_env()": aec_loop(connect_four_v3.raw_env()),
        "PettingZoo tictactoe env()": aec_loop(tictactoe_v3.env()),
        "PettingZoo go 9x9 env()": aec_loop(go_v5.env(board_size=9)),
    }


OPENSPIEL_GAMES = {
    HEX: "hex(board_size=11)",
    "OpenSpiel havannah 8": "havannah(board_size=8)",
    "OpenSpiel go 9": "go(board_size=9)",
}


def openspiel_loops() -> tuple[dict[str, Loop], dict[str, Loop], dict[str, Loop]]:
    """One state from Python; random rollouts in C++; clones."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    states, rollouts = {}, {}
    for name, text in OPENSPIEL_GAMES.items():
        game = pyspiel.load_game(text)
        states[name] = timed(_openspiel_play(game, make_observation(game), mask=True))
        rollouts[name] = _openspiel_rollouts(game)
    game = pyspiel.load_game(OPENSPIEL_GAMES[HEX])
    states[f"{HEX}, no mask"] = timed(_openspiel_play(game, make_observation(game), mask=False))
    middle = pyspiel.load_game(OPENSPIEL_GAMES[HEX]).new_initial_state()
    for action in range(20):
        middle.apply_action(action)

    def clones() -> int:
        for _ in range(1000):
            middle.clone()
        return 1000

    return states, rollouts, {HEX: timed(clones)}


def _openspiel_play(game: Any, observation: Any, mask: bool) -> Callable[[], int]:
    # The choice is from the list of legal actions; the mask is one more list, of all actions.
    rng = np.random.default_rng(0)

    def play() -> int:
        steps = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            if mask:
                state.legal_actions_mask()
            observation.set_from(state, state.current_player())
            state.apply_action(legal[int(rng.random() * len(legal))])
            steps += 1
        return steps

    return play


def _openspiel_rollouts(game: Any) -> Loop:
    import pyspiel

    state = game.new_initial_state()
    lengths = []
    rng = np.random.default_rng(0)
    for _ in range(200):
        played = game.new_initial_state()
        while not played.is_terminal():
            legal = played.legal_actions()
            played.apply_action(legal[int(rng.random() * len(legal))])
        lengths.append(played.move_number())
    mean_length = float(np.mean(lengths))
    # A search of one simulation is what Python can call: it plays 200 rollouts from the start.
    evaluator = pyspiel.RandomRolloutEvaluator(200, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 10, False, 1, False)

    def loop(seconds: float) -> tuple[int, float]:
        playouts = 0
        begin = time.perf_counter()
        while (taken := time.perf_counter() - begin) < seconds:
            bot.mcts_search(state)
            playouts += 200
        return round(playouts * mean_length), taken

    return loop


def pgx_loops() -> dict[str, Loop]:
    """Pgx's hex 11, a batch stepped inside jit with observation, mask, choice and auto-reset.

    The choice is `jax.random.categorical` over the logarithm of the mask, as in Pgx's own examples,
    and once more by the largest of as many uniform numbers, which takes it half the time.
    """
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("hex")
    step = jax.vmap(auto_reset(env.step, env.init))
    init = jax.jit(jax.vmap(env.init))

    def categorical(key: Any, mask: Any) -> Any:
        return jax.random.categorical(key, jax.numpy.log(mask.astype(jax.numpy.float32)), axis=-1)

    def largest(key: Any, mask: Any) -> Any:
        return (mask * (jax.random.uniform(key, mask.shape) + 1)).argmax(axis=-1)

    def runner(choose: Callable[[Any, Any], Any]) -> Any:
        def one(carry: Any, _: Any) -> tuple[Any, Any]:
            state, key = carry
            key, for_choice, for_step = jax.random.split(key, 3)
            action = choose(for_choice, state.legal_action_mask)
            state = step(state, action, jax.random.split(for_step, action.shape[0]))
            return (state, key), None

        return jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=50)[0])

    loops = {}
    for sampler, choose in (("categorical", categorical), ("largest number", largest)):
        run = runner(choose)
        for n in (4096, 1024):
            carry = [(init(jax.random.split(jax.random.key(0), n)), jax.random.key(1))]

            def chunk(run: Any = run, n: int = n, carry: list[Any] = carry) -> int:
                carry[0] = jax.block_until_ready(run(carry[0]))
                return 50 * n

            chunk()
            loops[f"Pgx hex 11, batch of {n}, inside jit, {sampler}"] = timed(chunk)
    return loops


def compare(
    title: str, peers: dict[str, Loop], ours: dict[str, Loop], slices: int, seconds: float
) -> None:
    """One table: the peers, then each of ours with its ratio to every peer."""
    rates = interleave({**peers, **ours}, slices, seconds)
    rows = [Row(name, rates[name]) for name in peers]
    for name in ours:
        rows += [Row(name, rates[name], peer, rates[name] / rates[peer]) for peer in peers]
        if not peers:
            rows.append(Row(name, rates[name]))
    print_table(title, rows)


def available(peer: str, loops: Callable[[], Any], otherwise: Any) -> Any:
    """The loops of a peer, or a word that it is not there."""
    try:
        return loops()
    except ImportError as error:
        print(f"{peer} is left out, with the ratios against it: {error}")
        return otherwise


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--slices", type=int, default=7, help="slices for each loop")
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds a slice")
    arguments = parser.parse_args()
    how = arguments.slices, arguments.seconds
    games = {name: make_game(name) for name in game_names()}

    classic = available("pettingzoo[classic]", pettingzoo_loops, {})
    ours = {f"{name}_v0.env()": aec_loop(make_env(name)) for name in games}
    ours["Oust side 5, vector env of 256 against random"] = vector_loop("oust", side=5)
    compare("AEC loop (numpy sampler), and a vector env", classic, ours, *how)

    states, rollouts, clones = available("open_spiel", openspiel_loops, ({}, {}, {}))
    ours = {f"{name} State": state_loop(game) for name, game in games.items()}
    compare(
        "One state from Python (mask, observation into a buffer, uniform choice, step)",
        states,
        ours,
        *how,
    )
    ours = {"State.copy()": copy_loop(games["oust"])}
    ours["State.copy_into()"] = copy_loop(games["oust"], into=True)
    compare("Copies of a position", clones, ours, *how)
    ours = {f"{name} Batch.play_random()": random_loop(game) for name, game in games.items()}
    compare("Random play wholly in compiled code (moves a second)", rollouts, ours, *how)

    pgx = available("pgx", pgx_loops, {})
    ours = {f"{name} Batch of 1024": batch_loop(game) for name, game in games.items()}
    compare(
        "Batches (mask, observation, uniform choice, step, auto-reset, every step)",
        pgx,
        ours,
        *how,
    )


if __name__ == "__main__":
    main()
