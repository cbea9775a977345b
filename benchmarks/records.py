"""How fast records are read and replayed, and what it costs to record while playing.

    pip install -e ".[benchmark]"
    python benchmarks/records.py            # all parts
    python benchmarks/records.py --save     # and keep the figures in results/records.json

Reading: games of random play are read from a ``.npz`` (every action checked by the rules, in
compiled code), from text and from JSON lines; beside them python-chess reads random games of chess
from PGN.  Recording: the same loop with and without ``record``, in turns; the ratio is time with a
record by time without.  All on one core, in the processor's time.
"""

from __future__ import annotations

import argparse
import io
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
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
    record,
    short,
    timed,
    write,
)

FILE = RESULTS / "records.json"
MODES = ("text", "jsonl", "npz")
ENDINGS = {"text": ".hgn", "jsonl": ".jsonl", "npz": ".npz"}


def reading(folder: Path) -> dict[str, Loop]:
    """Each chunk is one file, read to its end."""
    from hexgames_env import Batch, make_game
    from hexgames_env.records import GameArrays, read_records, write_records

    loops: dict[str, Loop] = {}
    for text, rows in (("oust", 256), ("gipf", 256)):
        game = make_game(text)
        batch = Batch(game, rows, seed=0, record=True)
        batch.play_random(2000)
        games = GameArrays.from_batch(batch, running=True)
        games.save(folder / f"{text}.npz")
        few = [games[k] for k in range(20)]
        steps = sum(map(len, few))
        for name in (f"{text}.hgn", f"{text}.jsonl"):
            write_records(folder / name, few)

        def arrays(path: Path = folder / f"{text}.npz", total: int = len(games.actions)) -> int:
            GameArrays.load(path)
            return total

        def lines(path: Path, total: int = steps) -> int:
            for _ in read_records(path):
                pass
            return total

        loops[f"{text} .npz"] = timed(arrays)
        for name in (f"{text}.hgn", f"{text}.jsonl"):
            loops[f"{text} .{name.partition('.')[2]}"] = timed(
                lambda path=folder / name, lines=lines: lines(path)  # type: ignore[misc]
            )
        samples = GameArrays.load(folder / f"{text}.npz")
        loops[f"{text} samples"] = timed(
            lambda games=samples: sum(len(s.action) for s in _some(games))  # type: ignore[misc]
        )
    try:
        loops["python-chess PGN"] = timed(_chess())
    except ModuleNotFoundError:
        print("python-chess is not installed: pip install chess")
    return loops


def _some(games: Any) -> Any:
    """Some batches of samples; all of them would be a long chunk."""
    for k, samples in enumerate(games.samples(1024, seed=0)):
        if k == 32:
            return
        yield samples


def _chess() -> Callable[[], int]:
    """Random games as PGN, read by ``chess.pgn.read_game``."""
    import chess
    import chess.pgn

    rng = random.Random(0)
    texts, moves = [], 0
    for _ in range(20):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 200:
            board.push(rng.choice(list(board.legal_moves)))
        texts.append(str(chess.pgn.Game.from_board(board)))
        moves += board.ply()
    pgn = "\n\n".join(texts)

    def read() -> int:
        file = io.StringIO(pgn)
        while chess.pgn.read_game(file) is not None:
            pass
        return moves

    return read


def batches(folder: Path) -> dict[str, dict[str, Loop]]:
    """1,024 rows with everything that a learner asks for in a step."""
    from hexgames_env import Batch, make_game

    found = {}
    for text in ("oust", "gipf"):
        game = make_game(text)

        def loop(recorded: bool, game: Any = game) -> Loop:
            batch = Batch(game, 1024, seed=0, record=recorded)
            batch.play_random(1000)
            planes = np.empty((1024, *game.observation_shape), np.float32)
            count = [0]

            def step() -> int:
                batch.action_mask  # noqa: B018  (a property: it makes the array)
                batch.observations(out=planes)
                batch.step(batch.sample_actions())
                count[0] += 1
                if recorded and count[0] % 500 == 0:
                    batch.take_games()
                return 1024

            return timed(step)

        found[f"{text}: Batch of 1,024"] = {"none": loop(False), "npz": loop(True)}
    return found


def vectors(folder: Path) -> dict[str, dict[str, Loop]]:
    """1,024 learners against the random player."""
    from surfaces import vector_loop

    from hexgames_env.envs.vector import make_vector

    found = {}
    for text in ("oust", "gipf"):
        plain = vector_loop(make_vector(text, 1024, "random"))
        path = folder / f"vector-{text}.npz"
        recorded = vector_loop(make_vector(text, 1024, "random", record=path))
        found[f"{text}: vector env of 1,024"] = {"none": plain, "npz": recorded}
    return found


def singles(folder: Path) -> dict[str, dict[str, Loop]]:
    """The AEC and the Gymnasium env, with each form of file."""
    from surfaces import aec_loop

    from hexgames_env.envs.aec import make_env
    from hexgames_env.envs.single import make_single

    found = {}
    for text in ("oust", "gipf"):
        paths: dict[str, Any] = {"none": None}
        paths |= {mode: folder / f"aec-{text}{ENDINGS[mode]}" for mode in MODES}
        found[f"{text}: AEC loop"] = {
            mode: aec_loop(make_env(text, record=path)) for mode, path in paths.items()
        }
        paths |= {mode: folder / f"single-{text}{ENDINGS[mode]}" for mode in MODES}
        found[f"{text}: Gymnasium env"] = {
            mode: single_loop(make_single(text, record=path)) for mode, path in paths.items()
        }
    return found


def single_loop(env: Any) -> Loop:
    """Learner's steps, the action picked with numpy."""
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def game() -> int:
        steps, over = 0, False
        observation, _ = env.reset()
        while not over:
            legal = observation["action_mask"].nonzero()[0]
            observation, _, terminated, truncated, _ = env.step(
                legal[int(rng.random() * len(legal))]
            )
            over = terminated or truncated
            steps += 1
        return steps

    return timed(game)


PARTS: dict[str, Any] = {"batch": batches, "vector": vectors, "env": singles}


def measure_reading(rounds: int, seconds: float, folder: Path) -> dict[str, Any]:
    rates = interleave(reading(folder), progress(rounds, "reading"), seconds)
    print("\n| read | actions a second | least | greatest |\n|---|---:|---:|---:|")
    lines = {}
    for what, found in rates.items():
        spread = lines[what] = Spread.of(found)
        print(f"| {what} | {short(spread.median)} | {short(spread.min)} | {short(spread.max)} |")
    chess = rates.get("python-chess PGN")
    ratios = {}
    for what in rates if chess else ():
        if what.endswith(".hgn"):
            ratios[what] = Spread.of_ratios(rates[what], chess or [])
            print(f"{what} by python-chess: {ratios[what]}")
    return {"lines": lines, "by python-chess": ratios}


def measure_recording(part: str, rounds: int, seconds: float, folder: Path) -> dict[str, Any]:
    print("\n| recorded | steps a second without | form | time with by time without |")
    print("|---|---:|---|---:|")
    lines: dict[str, Any] = {}
    for what, loops in PARTS[part](folder).items():
        rates = interleave(loops, progress(rounds, what), seconds)
        lines[what] = {"none": Spread.of(rates["none"])}
        for mode in loops:
            if mode != "none":
                ratio = lines[what][mode] = Spread.of_ratios(rates["none"], rates[mode])
                print(f"| {what} | {short(lines[what]['none'].median)} | {mode} | {ratio} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="slices of each loop")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="seconds a slice")
    parser.add_argument("--only", choices=("read", *PARTS), help="one part")
    parser.add_argument("--save", action="store_true", help=f"write results/{FILE.name}")
    add_isa(parser)
    arguments = parser.parse_args()
    if arguments.save and arguments.only:
        parser.error("--save takes all parts")
    hold_to(arguments.isa)
    where = record()
    print(describe(where))
    results: dict[str, Any] = {**where, "rounds": arguments.rounds, "seconds": arguments.seconds}
    with tempfile.TemporaryDirectory() as folder:
        given = arguments.rounds, arguments.seconds, Path(folder)
        if arguments.only in (None, "read"):
            results["read"] = measure_reading(*given)
        for part in PARTS:
            if arguments.only in (None, part):
                results[part] = measure_recording(part, *given)
    if arguments.save:
        write(FILE, results)


if __name__ == "__main__":
    main()
