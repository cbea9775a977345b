"""This package beside its peers, in one run: every ratio that the README states.

    pip install ".[benchmark,sb3]"
    python benchmarks/peers.py                 # everything
    python benchmarks/peers.py --only batch    # one part of it
    python benchmarks/peers.py --save          # and keep the results; then table.py writes README

Every loop makes uniformly random legal steps on one core, and time is the process's own.  Where
both loops are Python, they draw from the same generator and choose in the same way.  Where a peer
draws in its own compiled code (Pgx, OpenSpiel's rollouts), each chooses in its cheapest form.  Each
peer is driven in the cheapest way that it documents.  A ratio is taken within each round of slices
that take turns; median, least and greatest over the rounds are printed.  Unless told otherwise
numba and XLA compile for AVX2.  A peer that is not installed is named and left out.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import surfaces
from common import (
    RESULTS,
    ROUNDS,
    SECONDS,
    Loop,
    Spread,
    add_isa,
    describe,
    hold_to,
    interleave,
    progress,
    read,
    record,
    short,
    timed,
    write,
)

from hexgames_env import Game, game_names, make_game
from hexgames_env.envs.aec import make_env

FILE = RESULTS / "peers.json"


@dataclass
class Line:
    """One line of a table: what was timed of ours in each game, and the peer beside it."""

    what: str
    beside: str
    ours: dict[str, str]
    """The name of the loop by game."""
    peers: dict[str, str] | str
    """The name of the peer's loop, by game if each has its own."""


@dataclass
class Part:
    """Loops that take turns, and the lines made of their rates."""

    loops: dict[str, Loop]
    lines: list[Line]


def _by_game(loops: dict[str, Loop], what: str, make: Callable[[str], Loop]) -> dict[str, str]:
    """Add a loop for each game; returns their names by game."""
    names = {name: f"{name}, {what}" for name in game_names()}
    for name, loop in names.items():
        loops[loop] = make(name)
    return names


def _peer(loops: dict[str, Loop], name: str, loop: Loop) -> str:
    loops[name] = loop
    return name


# PettingZoo


def aec() -> Part:
    """PettingZoo's loop: both with ``np.flatnonzero`` and one draw of numpy's Generator."""
    from pettingzoo.classic import connect_four_v3

    loops: dict[str, Loop] = {}
    ours = _by_game(loops, "env()", lambda name: surfaces.aec_loop(make_env(name)))
    peer = _peer(loops, "connect_four_v3.env()", surfaces.aec_loop(connect_four_v3.env()))
    return Part(loops, [Line("PettingZoo loop, `env()`", "PettingZoo connect_four", ours, peer)])


# OpenSpiel


def state() -> Part:
    """One position from Python, with mask and without, each choosing from its list of actions."""
    loops: dict[str, Loop] = {}
    lines = []
    hex_11, y_11 = _openspiel("hex(board_size=11)"), _openspiel("y(board_size=11)")
    for mask in (True, False):
        what = "list of actions, choice, observation, " + ("mask, step" if mask else "step")

        def make(name: str, mask: bool = mask) -> Loop:
            return surfaces.state_loop(make_game(name), mask)

        ours = _by_game(loops, what, make)
        for title, game in (("hex 11", hex_11), ("Y 11", y_11)):
            peer = _peer(loops, f"{title}, {what}", _openspiel_play(game, mask))
            lines.append(Line(f"one `State`: {what}", f"OpenSpiel {title}", ours, peer))
    what = "`sample_action`, observation, step"
    ours = _by_game(
        loops, what, lambda name: surfaces.state_loop(make_game(name), mask=False, compiled=True)
    )
    without = f"hex 11, {lines[2].what.removeprefix('one `State`: ')}"
    beside = "OpenSpiel hex 11, choice from the list of actions"
    lines.append(Line(f"one `State`: {what}", beside, ours, without))
    return Part(loops, lines)


def copy() -> Part:
    """Copies of a position in mid-game."""
    loops: dict[str, Loop] = {}
    ours = _by_game(loops, "copy()", lambda name: surfaces.copy_loop(make_game(name)))
    middle = _openspiel("hex(board_size=11)").new_initial_state()
    for action in range(20):
        middle.apply_action(action)

    def clones() -> int:
        for _ in range(1000):
            middle.clone()
        return 1000

    peer = _peer(loops, "hex 11, clone()", timed(clones))
    return Part(loops, [Line("`State.copy()`", "OpenSpiel hex 11, `clone()`", ours, peer)])


def play() -> Part:
    """Random play wholly in compiled code, beside random rollouts in C++."""
    loops: dict[str, Loop] = {}
    what = "`Batch.play_random`"
    ours = _by_game(loops, what, lambda name: surfaces.random_loop(make_game(name)))
    lines = []
    for title, text in (
        ("hex 11", "hex(board_size=11)"),
        ("Y 11", "y(board_size=11)"),
        ("go 9", "go(board_size=9)"),
    ):
        peer = _peer(loops, f"{title}, C++ rollouts", _openspiel_rollouts(_openspiel(text)))
        lines.append(Line(what, f"OpenSpiel {title}, C++ rollouts", ours, peer))
    return Part(loops, lines)


def _openspiel(text: str) -> Any:
    import pyspiel

    return pyspiel.load_game(text)


def _openspiel_play(game: Any, mask: bool) -> Loop:
    """The loop of `surfaces.state_loop`.  ``set_from`` fills a buffer, the cheapest observation."""
    from open_spiel.python.observation import make_observation

    observation = make_observation(game)
    rng = random.Random(0)

    def play() -> int:
        steps = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            action = legal[int(rng.random() * len(legal))]
            if mask:
                state.legal_actions_mask()
            observation.set_from(state, state.current_player())
            state.apply_action(action)
            steps += 1
        return steps

    return timed(play)


def _openspiel_rollouts(game: Any) -> Loop:
    """Rollouts by the evaluator of its search: a search of one simulation plays 200 from here."""
    import pyspiel

    state = game.new_initial_state()
    lengths = []
    rng = random.Random(0)
    for _ in range(1000):
        played = game.new_initial_state()
        while not played.is_terminal():
            legal = played.legal_actions()
            played.apply_action(legal[int(rng.random() * len(legal))])
        lengths.append(played.move_number())
    evaluator = pyspiel.RandomRolloutEvaluator(200, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 10, False, 1, False)
    steps = round(200 * float(np.mean(lengths)))

    def rollouts() -> int:
        bot.mcts_search(state)
        return steps

    return timed(rollouts)


# Pgx


def batch() -> Part:
    """Batches of 1,024, every step with mask, observation, choice and auto-reset.

    Pgx steps inside jit.  Of the ways to choose by one random number a row and a cumulative sum of
    the mask, a prefix sum of bytes by ``associative_scan`` is the cheapest that was found for a
    processor, and ``jnp.cumsum`` what most would write.  ``argmax`` of a random number for each
    action and ``jax.random.categorical`` take longer; other kinds of jax's keys (rbg, unsafe_rbg)
    as long.
    """
    loops: dict[str, Loop] = {}
    what = "`Batch` of 1,024: mask, observation, choice, step"
    ours = _by_game(loops, what, lambda name: surfaces.batch_loop(make_game(name)))
    lines = []
    for title, game, cheapest in (
        ("hex 11, cheapest choice", "hex", True),
        ("hex 11, choice by `jnp.cumsum`", "hex", False),
        ("connect_four, cheapest choice", "connect_four", True),
    ):
        peer = _peer(loops, f"Pgx {title}", _pgx(game, 1024, cheapest))
        lines.append(Line(what, f"Pgx {title}", ours, peer))
    return Part(loops, lines)


def _pgx(game: str, n: int, cheapest: bool) -> Loop:
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(game)
    step = jax.vmap(auto_reset(env.step, env.init))

    def choose(key: Any, mask: Any) -> Any:
        if cheapest:
            sums = jax.lax.associative_scan(jnp.add, mask.astype(jnp.uint8), axis=1)
        else:
            sums = jnp.cumsum(mask.astype(jnp.int32), axis=1)
        wanted = jax.random.uniform(key, (n,)) * sums[:, -1]
        return (sums <= wanted.astype(sums.dtype)[:, None]).sum(axis=1)

    def one(carry: Any, _: Any) -> tuple[Any, None]:
        state, key = carry
        key, for_choice, for_step = jax.random.split(key, 3)
        action = choose(for_choice, state.legal_action_mask)
        return (step(state, action, jax.random.split(for_step, n)), key), None

    run = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=50)[0])
    start = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), n))
    carry = [(start, jax.random.key(1))]

    def chunk() -> int:
        carry[0] = jax.block_until_ready(run(carry[0]))
        return 50 * n

    for _ in range(10):
        chunk()
    return timed(chunk)


# Vectorisers


def gymnasium() -> Part:
    """64 learners against the random player: one vector env, or 64 single ones side by side."""
    from gymnasium.vector import AutoresetMode, SyncVectorEnv

    loops: dict[str, Loop] = {}

    def ours(name: str) -> Loop:
        return surfaces.vector_loop(surfaces.hex_vector_env(name, 64))

    def theirs(name: str) -> Loop:
        # As ours does: otherwise a step of each game would be none but a reset
        mode = AutoresetMode.SAME_STEP
        envs = SyncVectorEnv([lambda: _single(name)] * 64, autoreset_mode=mode)
        return surfaces.vector_loop(envs, warm_up=100)

    line = Line(
        "`gymnasium.make_vec`, 64 rows against random",
        "Gymnasium's SyncVectorEnv of our single env",
        _by_game(loops, "HexVectorEnv", ours),
        _by_game(loops, "SyncVectorEnv", theirs),
    )
    return Part(loops, [line])


def sb3() -> Part:
    """The same for Stable-Baselines3; its ``make_vec_env`` is DummyVecEnv of Monitors."""
    from stable_baselines3.common.env_util import make_vec_env

    from hexgames_env.stacks.sb3 import HexVecEnv

    loops: dict[str, Loop] = {}

    def ours(name: str) -> Loop:
        return surfaces.sb3_loop(HexVecEnv(name, 64, opponent="random"))

    def theirs(name: str) -> Loop:
        return surfaces.sb3_loop(make_vec_env(lambda: _single(name), 64), warm_up=100)

    line = Line(
        "`HexVecEnv`, 64 rows against random",
        "Stable-Baselines3's DummyVecEnv of our single env",
        _by_game(loops, "HexVecEnv", ours),
        _by_game(loops, "DummyVecEnv", theirs),
    )
    return Part(loops, [line])


def _single(name: str) -> Any:
    import gymnasium

    from hexgames_env.envs.registration import gymnasium_id

    return gymnasium.make(gymnasium_id(name), opponent="random")


def puffer() -> Part:
    """256 learners: ours against the random player, PufferLib's go against its greedy one."""
    from puffer import go_loop

    loops: dict[str, Loop] = {}

    def ours(name: str) -> Loop:
        return surfaces.vector_loop(surfaces.hex_vector_env(name, 256))

    line = Line(
        "`gymnasium.make_vec`, 256 rows against random",
        "PufferLib go 7x7 in C: greedy opponent, no mask (not the same work)",
        _by_game(loops, "HexVectorEnv", ours),
        _peer(loops, "go 7x7", go_loop(256)),
    )
    return Part(loops, [line])


PARTS: dict[str, Callable[[], Part]] = {
    make.__name__: make for make in (aec, state, copy, play, batch, gymnasium, sb3, puffer)
}


def measure(part: Part, title: str, rounds: int, seconds: float) -> list[dict[str, Any]]:
    """The lines of a part as they are kept."""
    rates = interleave(part.loops, progress(rounds, title), seconds)
    lines = []
    for line in part.lines:
        games = {}
        for name, ours in line.ours.items():
            peer = line.peers if isinstance(line.peers, str) else line.peers[name]
            games[name] = {
                "rate": Spread.of(rates[ours]),
                "peer_rate": Spread.of(rates[peer]),
                "ratio": Spread.of_ratios(rates[ours], rates[peer]),
            }
        lines.append({"what": line.what, "beside": line.beside, "games": games})
    return lines


def show(lines: list[dict[str, Any]], kept: list[dict[str, Any]]) -> None:
    """The lines on the screen, and how far each ratio is from the one that is kept."""
    before = {(line["what"], line["beside"]): line["games"] for line in kept}
    for line in lines:
        print(f"  {line['what']}, beside {line['beside']}:")
        for name, game in line["games"].items():
            text = f"    {_title(make_game(name)):8} {short(game['rate'].median):>7} a second, "
            text += f"peer {short(game['peer_rate'].median):>7}, ratio {game['ratio']}"
            found = before.get((line["what"], line["beside"]), {}).get(name)
            if found is not None:
                other = found["ratio"]["median"]
                text += f"; kept {other:.2f}, {game['ratio'].median / other - 1:+.0%}"
            print(text)


def _title(game: Game) -> str:
    return " ".join([game.title, *(str(v) for k, v in game.options.items() if k == "side")])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=PARTS,
        default=list(PARTS),
        metavar="PART",
        help="some of those below; default all",
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="slices of each loop")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="seconds a slice")
    parser.add_argument(
        "--save", type=Path, nargs="?", const=FILE, help=f"keep the results, in {FILE.name}"
    )
    add_isa(parser)
    parser.epilog = "parts: " + ", ".join(PARTS)
    arguments = parser.parse_args()
    hold_to(arguments.isa)
    where = record()
    print(describe(where))
    kept = read(FILE)
    results = read(arguments.save) if arguments.save else {}
    for name in arguments.only:
        begin = time.perf_counter()
        try:
            part = PARTS[name]()
        except ImportError as error:
            print(f"{name} is left out: {error}")
            continue
        lines = measure(part, name, arguments.rounds, arguments.seconds)
        took = time.perf_counter() - begin
        print(f"{name} ({arguments.rounds} rounds, {took:.0f} s):")
        show(lines, kept.get(name, {}).get("lines", []))
        where["command"] = f"python benchmarks/peers.py --only {name}"
        results[name] = {
            **where,
            "rounds": arguments.rounds,
            "seconds": arguments.seconds,
            "lines": lines,
        }
        if arguments.save:
            write(arguments.save, {key: results[key] for key in PARTS if key in results})


if __name__ == "__main__":
    main()
