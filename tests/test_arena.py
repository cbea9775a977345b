"""The arena: openings, plans, files that survive kills, Elo, the sequential test, tables."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, count
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray

import processes
from hexgames_env import OptionError, State, game_names, make_game, register_game
from hexgames_env.arena import (
    Arena,
    InTurn,
    Results,
    Sprt,
    Table,
    Undecided,
    draw_openings,
    expected,
    forced_winner,
    rate,
    run,
)
from hexgames_env.arena.openings import share_of_player_0
from hexgames_env.bots import Bot, register_bot
from hexgames_env.cli import main
from hexgames_env.records import Record, RecordError, open_records, write_records
from hexgames_env.rendering.palette import THEMES
from processes import ROOT, be_interruptible, environment
from toy_game import Duo

pytestmark = pytest.mark.long

RIVE = "rive side=2"
BOTS = ("random", "greedy", "test_arena:first")


# Bots of these tests, which other processes find as module:callable


def first(state: State, rng: np.random.Generator) -> int:
    """Leaves nothing to chance."""
    return state.legal_actions()[0]


def illegal(state: State, rng: np.random.Generator) -> int:
    """Makes an illegal action where there is one."""
    forbidden = np.flatnonzero(state.action_mask() == 0).tolist()
    return forbidden[0] if forbidden else first(state, rng)


def outside(state: State, rng: np.random.Generator) -> int:
    return -7


def text(state: State, rng: np.random.Generator) -> Any:
    return "a1"


def failing(state: State, rng: np.random.Generator) -> int:
    raise ZeroDivisionError("a bot's own mistake")


def meddling(state: State, rng: np.random.Generator) -> int:
    """Changes the position that it is shown."""
    action = state.sample_action(rng)
    state.step(action)
    return action


def slow(state: State, rng: np.random.Generator) -> int:
    """Plays at random, and leaves word of the process in which it does."""
    folder = os.environ.get("ARENA_PROCESSES")
    if folder:
        (Path(folder) / str(os.getpid())).touch()
    time.sleep(0.004)
    return state.sample_action(rng)


class Own(Bot):
    """Random numbers of its own, always the same ones."""

    name = "own"

    def __init__(self, seed: int = 1) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        return state.sample_action(self.rng)


def small(**more: Any) -> Arena:
    return Arena(RIVE, BOTS, 8, **{"seed": 3, **more})


def games_of(path: Path) -> set[Any]:
    with open_records(path) as file:
        records = list(file)
    found = {(record.players, record.tags["Opening"], record.actions) for record in records}
    assert len(found) == len(records)
    return found


# Openings


def test_a_forced_win_is_found_at_the_depth_where_it_is() -> None:
    game = make_game("oust", side=2)
    state = game.state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    assert [forced_winner(state, steps) for steps in (0, 1, 2)] == [None, 0, 0]
    # Each player has only steps that lose for white, who is to play
    lost = game.state_from_cells({"a1": 1, "a2": 0, "b1": 0, "c2": 0}, to_play=1)
    winner = forced_winner(lost, 2)
    for action in lost.legal_actions():
        child = lost.copy()
        child.step(action)
        if winner == 0:
            assert forced_winner(child, 1) == 0
    assert forced_winner(state, 1, positions=0) is None


def wins(state: State, steps: int) -> int | None:
    """As `forced_winner`, without its order and limit."""
    if state.is_over or steps == 0:
        return state.winner
    found = []
    for action in state.legal_actions():
        child = state.copy()
        child.step(action)
        found.append(wins(child, steps - 1))
    if state.to_play in found:
        return state.to_play
    return None if None in found else 1 - state.to_play


@pytest.mark.parametrize("name", ["oust side=2", "rive side=2", "duo side=2"])
def test_forced_wins_are_those_of_a_plain_search(name: str) -> None:
    """In the toy one player moves twice, which a search that changes signs gets wrong."""
    register_game(Duo)
    game, rng = Arena(name, ["random", "greedy"], 2, judge=None).game, np.random.default_rng(1)
    seen = set()
    for _ in range(60):
        state = game.initial_state(0)
        for _ in range(int(rng.integers(6))):
            if not state.is_over:
                state.step(state.sample_action(rng))
        for steps in range(4):
            seen.add(wins(state, steps))
            assert forced_winner(state, steps, 10**6) == wins(state, steps), state
    assert {None, 0} <= seen


@pytest.mark.parametrize("name", game_names()[:4])
def test_openings_are_new_and_undecided(name: str) -> None:
    game = make_game(name)
    openings = draw_openings(game, 6, seed=1)
    assert openings == draw_openings(game, 8, seed=1)[:6] != draw_openings(game, 6, seed=2)
    keys = set()
    for state in openings:
        assert len(state.history) == 2 and not state.is_over and Undecided()(state)
        for turn in game.symmetries():
            keys.add(turn.transform_observation(state.observation(0)).tobytes())
    per_opening = [
        len({turn.transform_observation(s.observation(0)).tobytes() for turn in game.symmetries()})
        for s in openings
    ]
    assert len(keys) == sum(per_opening), "two of them are alike up to symmetry"


def test_openings_of_oust_that_one_step_decides_are_thrown_away() -> None:
    game = make_game("oust", side=5)
    drawn = draw_openings(game, 60, seed=1, steps=2, judge=None)
    decided = [state for state in drawn if forced_winner(state, 3) is not None]
    assert len(decided) > 5
    assert not any(map(Undecided(), decided))
    for state in draw_openings(game, 20, seed=1):
        assert forced_winner(state, 3) is None
        assert 0.2 <= share_of_player_0(state, "greedy", 32) <= 0.8


def test_openings_get_longer_where_there_are_too_few() -> None:
    game = make_game("rive", side=2)
    lengths = [len(state.history) for state in draw_openings(game, 100, seed=1)]
    assert len(lengths) < 100 and sorted(lengths) == lengths and len(set(lengths)) > 1
    assert {len(state.history) for state in draw_openings(game, 100, 1, 3)} == {3}


def test_a_judge_of_ones_own() -> None:
    game = make_game("rive", side=3)
    openings = draw_openings(game, 5, judge=lambda state: "c3" in history(state))
    assert all("c3" in history(state) for state in openings)
    with pytest.raises(OptionError, match=r"no opening of 2 random steps .* rive side=3"):
        draw_openings(game, 5, judge=lambda state: False)
    with pytest.raises(OptionError, match="no opening"):
        draw_openings(make_game("oust", side=2), 5)


def history(state: State) -> list[str]:
    return [state.action_to_string(action) for action in state.history]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"count": 0}, "count must be a positive integer"),
        ({"seed": -1}, "seed"),
        ({"steps": -1}, "steps must be None or an integer from 0 on, got -1"),
        ({"steps": 1.5}, "steps"),
        ({"judge": 7}, "judge must be None or a callable"),
    ],
)
def test_wrong_arguments_of_openings(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        draw_openings(make_game("rive", side=2), **{"count": 2, **changes})


# Plans


def test_each_pair_plays_each_opening_in_both_seats() -> None:
    arena = small()
    fixtures = list(arena.fixtures())
    assert len(fixtures) == len(arena) == 3 * 8
    for one, other in combinations(BOTS, 2):
        for number in range(4):
            of_pair = [arena.fixture(one, other, number), arena.fixture(other, one, number)]
            assert all(fixture in fixtures for fixture in of_pair)
            assert {fixture.opening.to_string() for fixture in of_pair} == {
                arena.openings[number].to_string()
            }
    assert len({fixture.key for fixture in fixtures}) == len(fixtures)
    assert len({fixture.seed for fixture in fixtures}) == len(fixtures)


def test_a_game_is_the_same_in_a_larger_arena() -> None:
    fixtures = list(small().fixtures())
    for larger in (small(), Arena(RIVE, BOTS, 14, seed=3), Arena(RIVE, ["own", *BOTS], 8, seed=3)):
        assert all(fixture in set_of(larger) for fixture in fixtures)
    assert not [fixture for fixture in fixtures if fixture in set_of(small(seed=4))]


def test_a_ladder_lets_neighbours_meet(tmp_path: Path) -> None:
    path = tmp_path / "games.hgn"
    near = small(within=1)
    assert near.pairs == (BOTS[:2], BOTS[1:]) and small(within=2).pairs == small().pairs
    table = run(near, path, executor=InTurn())
    assert table.games == ((0, 8, 0), (8, 0, 8), (0, 8, 0)) and len(near) == 16
    assert np.isfinite(table.ratings.elo).all()
    assert run(small(), path, executor=InTurn()) == run(small(), executor=InTurn())
    with pytest.raises(RecordError, match="who do not meet in this arena"):
        run(near, path, executor=InTurn())


def set_of(arena: Arena) -> list[Any]:
    return list(arena.fixtures())


@pytest.fixture(autouse=True, scope="module")
def _register() -> None:
    register_bot(Own)
    register_game(Duo)


def test_equal_seeds_repeat_no_game() -> None:
    """Nor does a bot that has random numbers of its own, or none, as openings are all different."""
    arena = Arena("oust side=3", ["random", "own seed=1", "own seed=2", "test_arena:first"], 20)
    table = run(arena, executor=InTurn())
    assert table.number_of_games == 120 and table.repeated == 0
    again = Arena("oust side=3", BOTS, 20, openings=arena.openings[:1])
    records = [fixture.play() for fixture in again.fixtures()]
    assert len({record.actions for record in records if "random" in record.players}) > 35
    twice = Arena(
        "oust side=3", ["test_arena:first", "test_bots:Nth n=0"], 8, openings=arena.openings[:1]
    )
    repeated = run(twice, executor=InTurn())
    assert repeated.repeated == 6
    assert "6 games were the same, step by step, as another one" in " ".join(repeated.notes())


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"bots": ["random"]}, "at least two texts"),
        ({"bots": "random"}, "at least two texts"),
        ({"bots": ["random", first]}, "module:callable"),
        ({"bots": ["random", " random "]}, "'random' is given twice"),
        ({"bots": ["random", "stockfish"]}, "there is no bot 'stockfish'"),
        ({"bots": ["random", "greedy depth=-1"]}, "does not take depth=-1"),
        ({"games": 7}, "even number from 2 on, .* got 7"),
        ({"games": 0}, "even number"),
        ({"games": 2.0}, "even number"),
        ({"seed": -1}, "seed"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"within": 0}, "within must be None or a positive integer"),
        ({"max_cycles": 0}, "max_cycles"),
        ({"max_cycles": 2}, "max_cycles cuts games off after 2"),
        ({"openings": []}, "openings must be a sequence of State"),
        ({"openings": ["a1"]}, "openings must be a sequence of State"),
        ({"openings": [make_game("oust").initial_state()]}, r"openings\[0\] is of another game"),
    ],
)
def test_a_plan_that_is_wrong(changes: dict[str, Any], told: str) -> None:
    given = {"game": RIVE, "bots": ["random", "greedy"], "games": 2, **changes}
    with pytest.raises(OptionError, match=told):
        Arena(**given)


def test_illegal_actions_lose_and_others_are_errors() -> None:
    arena = Arena(RIVE, ["random", "test_arena:illegal"], 4)
    table = run(arena, executor=InTurn())
    assert table.points == ((0.0, 4.0), (0.0, 0.0)) and table.illegal == (0, 4)
    assert "'test_arena:illegal' has lost 4 games by an illegal action." in table.notes()
    for bot, told in (("outside", "got -7"), ("text", "'a1'")):
        with pytest.raises(OptionError, match=rf"bot 'test_arena:{bot}': .*{told}"):
            run(Arena(RIVE, ["random", f"test_arena:{bot}"], 2), executor=InTurn())
    with pytest.raises(ZeroDivisionError):
        run(Arena(RIVE, ["random", "test_arena:failing"], 2), executor=InTurn())
    assert (
        run(Arena(RIVE, ["random", "test_arena:meddling"], 4), executor=InTurn()).games[0][1] == 4
    )


def test_a_game_that_is_cut_off_is_half_a_point_for_each() -> None:
    arena = Arena("oust side=4", ["random", "greedy"], 6, max_cycles=4)
    record = next(arena.fixtures()).play()
    assert (len(record), record.ending, record.winner) == (4, "cut off", None)
    table = run(arena, executor=InTurn())
    assert table.cut_off == 6 and table.points == ((0.0, 3.0), (3.0, 0.0))
    assert "6 games were cut off: half a point for each player." in table.notes()


# Executors


@pytest.mark.parametrize("ending", [".hgn", ".jsonl"])
def test_the_same_games_on_every_executor(ending: str, tmp_path: Path) -> None:
    tables, games = [], []
    with ThreadPoolExecutor(3) as threads:
        for number, how in enumerate(
            ({"executor": InTurn()}, {"executor": threads, "workers": 3}, {"workers": 2})
        ):
            path = tmp_path / f"{number}{ending}"
            played: list[int] = []
            tables.append(run(small(), path, told=lambda n, of, r, p=played: p.append(n), **how))  # type: ignore[misc,arg-type]
            assert played == list(range(1, 25))
            games.append(games_of(path))
    assert tables[0] == tables[1] == tables[2]
    assert games[0] == games[1] == games[2]
    assert tables[0].to_string() == tables[2].to_string()


def test_a_bot_that_other_processes_do_not_know() -> None:
    with pytest.raises(OptionError, match=r"there is no bot 'own'.*module:callable is"):
        run(Arena(RIVE, ["random", "own"], 2), workers=1)


def test_a_bot_that_fails_in_a_process_tells_where(tmp_path: Path) -> None:
    path = tmp_path / "games.hgn"
    arena = Arena(RIVE, ["random", "greedy", "test_arena:failing"], 4)
    with pytest.raises(ZeroDivisionError, match="own mistake") as caught:
        run(arena, path, workers=1)
    assert "test_arena.py" in str(caught.value.__cause__)
    assert len(games_of(path)) < 4


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"workers": 0}, "workers must be a positive integer"),
        ({"sprt": Sprt()}, "sprt compares two bots, got 3"),
    ],
)
def test_wrong_arguments_of_a_run(more: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        run(small(), executor=InTurn(), **more)


# Files


def test_an_arena_goes_on_and_grows(tmp_path: Path) -> None:
    path = tmp_path / "games.hgn"
    whole = run(small(), executor=InTurn())
    assert run(Arena(RIVE, BOTS[:2], 4, seed=3), path, executor=InTurn()).number_of_games == 4
    before = path.read_bytes()
    played: list[Any] = []
    assert run(small(), path, executor=InTurn(), told=lambda *n: played.append(n)) == whole
    assert [n for n, _, _ in played] == list(range(5, 25))
    assert path.read_bytes().startswith(before)
    assert run(small(), path, told=lambda *n: played.append(n)) == whole and len(played) == 20


@pytest.mark.parametrize("ending", [".hgn", ".jsonl"])
def test_a_game_that_was_torn_is_played_again(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"games{ending}"
    arena = Arena(RIVE, BOTS[:2], 4, seed=3)
    whole = run(arena, path, executor=InTurn())
    data = path.read_bytes()
    mark = b'[Game "' if ending == ".hgn" else b'{"game'
    last, before = data.rfind(mark), data.rfind(mark, 0, data.rfind(mark))
    for size in [*range(last, len(data)), before, *range(0, data.find(mark, 1), 7)]:
        path.write_bytes(data[:size])
        played: list[Any] = []
        table = run(arena, path, executor=InTurn(), told=lambda *n, p=played: p.append(n))
        assert table == whole and path.read_bytes() == data, size
        assert len(played) in ((0, 1) if size >= last else (2, 3, 4))


def test_a_broken_game_in_the_middle_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "games.hgn"
    arena = Arena(RIVE, BOTS[:2], 4, seed=3)
    run(arena, path, executor=InTurn())
    data = path.read_bytes()
    for wrong in (
        data.replace(b"Result", b"Resalt", 1),
        b"hello\n" + data,
        data.replace(b"2. ", b"2. z9 ", 1),
        data + data[: data.find(b'[Game "', 1)],
        data + b"hello",
        data.replace(b"[Game", b"\xff[Game", 1),
        data.replace(b"rules", b"unfinished", 1).replace(b"1-0", b"*", 1),
    ):
        path.write_bytes(wrong)
        with pytest.raises((RecordError, Warning), match=r"games.hgn:"):
            run(arena, path, executor=InTurn())
        assert path.read_bytes() == wrong


@pytest.mark.parametrize("ending", [".hgn", ".jsonl"])
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"game": "rive side=3"}, "its game is 'rive side=2', and here it is 'rive side=3'"),
        ({"seed": 4}, "its Arena is 'form=1 seed=3 max_cycles=10000', and here it is"),
        ({"max_cycles": 77}, "its Arena is"),
        ({"bots": ["random", "test_arena:first"]}, "'greedy' has played, and the bots of this"),
        ({"games": 2}, "an arena of 2 games a pair has 0 to 0: give it more games"),
        ({"steps": 3}, "the openings are not the same: number"),
        ({"judge": None}, "the openings are not the same"),
    ],
)
def test_a_file_of_another_plan_is_refused(
    ending: str, changes: dict[str, Any], told: str, tmp_path: Path
) -> None:
    path = tmp_path / f"games{ending}"
    given: dict[str, Any] = {"game": RIVE, "bots": ["random", "greedy"], "games": 6, "seed": 3}
    run(Arena(**given), path, executor=InTurn())
    whole = path.read_bytes()
    for data in (whole, whole[:-9]):
        path.write_bytes(data)
        with pytest.raises(RecordError, match=rf"games{ending}:\d+:1: .*{told}"):
            run(Arena(**{**given, **changes}), path, executor=InTurn())
        assert path.read_bytes() == data


def test_what_is_no_file_of_an_arena_is_left_as_it_is(tmp_path: Path) -> None:
    record = Record(make_game("rive", side=2).initial_state())
    path = tmp_path / "games.hgn"
    write_records(path, [record])
    with pytest.raises(RecordError, match="no tag Arena"):
        run(small(), path, executor=InTurn())
    for content in ("my notes", '[Game "oust side=3"]\n', '{"game": "rive side=2", ', "\0"):
        path.write_text(content)
        with pytest.raises(RecordError, match="no game of this arena"):
            run(small(), path, executor=InTurn())
        assert path.read_text() == content
    for other in (
        f'[Game "{RIVE}"]\n[Arena "form=1 seed=9 max_cycles=10000"]\n',
        f'[Game "{RIVE}"]\n\n1. a1\n\n[Game "{RIVE}"]\n\n1. b2 ',
    ):
        path.write_text(other)
        with pytest.raises(RecordError, match="no game of this arena"):
            run(small(), path, executor=InTurn())
        assert path.read_text() == other
    for name, told in (("games.npz", "take .hgn or .jsonl"), ("games.doc", "ends in .hgn")):
        with pytest.raises(RecordError, match=told):
            run(small(), tmp_path / name, executor=InTurn())
        assert not (tmp_path / name).exists()
    with pytest.raises(FileNotFoundError):
        run(small(), tmp_path / "nowhere" / "games.hgn", executor=InTurn())


def test_a_missing_end_of_the_last_line_is_put_there(tmp_path: Path) -> None:
    for name in ("games.hgn", "games.jsonl"):
        path = tmp_path / name
        arena = Arena(RIVE, BOTS[:2], 4, seed=3)
        run(Arena(RIVE, BOTS[:2], 2, seed=3), path, executor=InTurn())
        path.write_bytes(path.read_bytes().rstrip(b"\n"))
        run(arena, path, executor=InTurn())
        assert len(games_of(path)) == 4


def test_two_arenas_do_not_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "games.hgn"
    with (
        Results(path, small()),
        pytest.raises(RecordError, match="another arena writes into"),
    ):
        run(small(), path, executor=InTurn())
    run(small(), path, executor=InTurn())


WORDS = [
    "arena",
    "rive",
    "side=3",
    "--bot",
    "test_arena:slow",
    "--bot",
    "random",
    "--bot",
    "greedy",
]
WORDS += ["--games", "14", "--workers", "2", "--seed", "5"]


def begun(words: list[str], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "hexgames_env", *words],
        env=environment(changes={"ARENA_PROCESSES": str(folder)}),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=be_interruptible,
    )


def ends_in(path: Path) -> int:
    """The games in a file that have an end."""
    return path.read_bytes().count(b"[Result")


def wait_for(what: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.005)


def are_gone(folder: Path) -> bool:
    """Whether no process lives that has left word here."""
    return not any(is_alive(int(file.name)) for file in folder.iterdir())


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.slow
def test_killed_five_times_it_ends_with_the_same_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, path = tmp_path / "processes", tmp_path / "games.hgn"
    folder.mkdir()
    rng = np.random.default_rng(1)
    played = [0]
    for _ in range(5):
        process = begun([*WORDS, "--record", str(path)], folder)
        try:
            wanted = played[-1] + int(rng.integers(1, 7))
            wait_for(lambda wanted=wanted: path.exists() and ends_in(path) > wanted)
            time.sleep(float(rng.uniform(0, 0.02)))
        finally:
            process.kill()
            process.communicate()
        wait_for(lambda: are_gone(folder), 20)
        played.append(ends_in(path))
    assert played == sorted(set(played)) and played[-1] < 42
    path.write_bytes(path.read_bytes()[:-5])  # as of a kill in the middle of a game
    assert main([*WORDS, "--record", str(path)]) == 0
    whole = Arena("rive side=3", ["test_arena:slow", "random", "greedy"], 14, seed=5)
    table = run(whole, tmp_path / "whole.hgn", executor=InTurn())
    assert capsys.readouterr().out == f"{table.to_string()}\n"
    assert games_of(path) == games_of(tmp_path / "whole.hgn")
    wait_for(lambda: are_gone(folder), 20)


def test_ctrl_c_stops_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder, path = tmp_path / "processes", tmp_path / "games.hgn"
    folder.mkdir()
    process = begun([*WORDS, "--record", str(path)], folder)
    try:
        wait_for(lambda: path.exists() and ends_in(path) > 2)
        for worker in folder.iterdir():  # a terminal sends it to all of them
            os.kill(int(worker.name), signal.SIGINT)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, err) == (130, "")
    assert re.fullmatch(rf"stopped after \d+ games; the same command goes on from {path}\n", out)
    assert are_gone(folder)
    before = len(games_of(path))
    assert before >= 3
    assert main([*WORDS, "--record", str(path)]) == 0
    assert len(games_of(path)) == 42


def test_a_process_that_is_killed_is_told(tmp_path: Path) -> None:
    folder, path = tmp_path / "processes", tmp_path / "games.hgn"
    folder.mkdir()
    process = begun([*WORDS, "--record", str(path)], folder)
    try:
        wait_for(lambda: path.exists() and ends_in(path) > 1)
        os.kill(int(next(folder.iterdir()).name), signal.SIGKILL)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, out) == (1, "")
    told = "a process that played was killed; the same command goes on from"
    assert err == f"hexgames arena: {told} {path}\n"
    assert len(games_of(path)) >= 2


# Elo


def scale(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Elo with mean 0 by minorization and maximization, the slow and sure way."""
    games, strengths = points + points.T, np.ones(len(points))
    for _ in range(200_000):
        before = strengths
        strengths = points.sum(1) / (games / (before[:, None] + before[None, :])).sum(1)
        strengths = strengths / np.exp(np.log(strengths).mean())
        if np.abs(strengths / before - 1).max() < 1e-13:
            break
    return np.asarray(400 * np.log10(strengths))


def likelihood(points: NDArray[np.float64], elo: NDArray[np.float64]) -> float:
    """Its logarithm, from the definition."""
    return sum(
        float(points[i, j]) * float(np.log(expected(float(elo[i] - elo[j]))))
        for i in range(len(elo))
        for j in range(len(elo))
        if points[i, j]
    )


def some_points(bots: int, games: int, seed: int, halves: bool = True) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    elo = rng.normal(0, 150, bots)
    points = np.zeros((bots, bots))
    for i, j in combinations(range(bots), 2):
        n = int(rng.integers(games // 2, games))
        won = int(rng.binomial(n, expected(float(elo[i] - elo[j]))))
        points[i, j], points[j, i] = won, n - won
        if halves and won:
            points[i, j] -= 0.5
            points[j, i] += 0.5
    return points


def test_two_bots_by_the_closed_form() -> None:
    for won, lost in ((75, 25), (50, 50), (190.5, 9.5), (1, 2), (9_999, 1)):
        ratings = rate([[0, won], [lost, 0]], anchor=1)
        n, p = won + lost, won / (won + lost)
        assert ratings.elo == pytest.approx([400 * np.log10(won / lost), 0], abs=1e-6)
        error = 400 / np.log(10) / np.sqrt(n * p * (1 - p))
        assert ratings.margin(0) == pytest.approx(1.96 * error, rel=1e-4)
        assert ratings.margin(1) == pytest.approx(0, abs=1e-6) and ratings.prior == 0
        centred = rate([[0, won], [lost, 0]])
        assert centred.elo == pytest.approx(ratings.elo - ratings.elo.mean(), abs=1e-6)
        assert centred.margin(0) == pytest.approx(1.96 * error / 2, rel=1e-4)
        assert centred.difference(0, 1) == pytest.approx(
            (ratings.elo[0], ratings.margin(0)), rel=1e-6, abs=1e-6
        )


@pytest.mark.parametrize("seed", range(8))
def test_the_likelihood_is_largest_there(seed: int) -> None:
    points = some_points(2 + seed % 5, 60, seed)
    ratings = rate(points)
    assert ratings.prior == 0
    assert ratings.elo == pytest.approx(scale(points), abs=1e-3)
    best = likelihood(points, ratings.elo)
    rng = np.random.default_rng(seed)
    for _ in range(50):
        assert likelihood(points, ratings.elo + rng.normal(0, 3, len(points))) < best


def test_intervals_come_from_the_curvature() -> None:
    points = some_points(4, 60, 3)
    ratings = rate(points, anchor=0, elo=1000)
    assert ratings.elo[0] == 1000 and ratings.margin(0) == pytest.approx(0, abs=1e-6)
    step, free = 0.5, range(1, 4)
    hessian = np.zeros((3, 3))
    for i in free:
        for j in free:
            total = 0.0
            for one in (-step, step):
                for other in (-step, step):
                    elo = ratings.elo.copy()
                    elo[i] += one
                    elo[j] += other
                    total += np.sign(one * other) * likelihood(points, elo)
            hessian[i - 1, j - 1] = total / (4 * step * step)
    covariance = np.linalg.inv(-hessian)
    assert ratings.covariance[1:, 1:] == pytest.approx(covariance, rel=1e-3)


@pytest.mark.parametrize("anchor", [None, 0])
def test_intervals_cover_about_as_often_as_they_say(anchor: int | None) -> None:
    truth = np.array([0.0, 120.0, 250.0, -180.0])
    rng = np.random.default_rng(7)
    inside = compared = 0
    for _ in range(500):
        points = np.zeros((4, 4))
        for i, j in combinations(range(4), 2):
            points[i, j] = rng.binomial(100, expected(float(truth[i] - truth[j])))
            points[j, i] = 100 - points[i, j]
        ratings = rate(points, anchor)
        for i in range(4):
            if i != anchor:
                mean = truth.mean() if anchor is None else truth[anchor]
                inside += abs(ratings.elo[i] - (truth[i] - mean)) < ratings.margin(i)
                compared += 1
        difference, margin = ratings.difference(1, 3)
        inside += abs(difference - 300) < margin
        compared += 1
    assert 0.935 < inside / compared < 0.965


def test_somebody_who_has_won_all() -> None:
    ratings = rate([[0, 20], [0, 0]], anchor=1)
    assert ratings.prior == 1
    assert ratings.elo[0] == pytest.approx(400 * np.log10(20.5 / 0.5))
    # A group that has won all against the rest is as bad
    points = np.zeros((4, 4))
    for i, j in combinations(range(4), 2):
        points[i, j], points[j, i] = (6, 4) if i // 2 == j // 2 else (10, 0)
    ratings = rate(points)
    assert ratings.prior == 1 and np.isfinite(ratings.elo).all()
    with_prior = points + 0.5 * (1 - np.eye(4))
    assert ratings.elo == pytest.approx(scale(with_prior), abs=1e-3)
    points[3, 0] = 1
    assert rate(points).prior == 0


def test_who_has_not_met_the_others_is_not_rated() -> None:
    points = np.zeros((5, 5))
    points[0, 1] = points[1, 0] = points[1, 2] = points[2, 1] = points[3, 4] = points[4, 3] = 5
    assert np.isnan(rate(points).elo).tolist() == [False, False, False, True, True]
    assert np.isnan(rate(points, anchor=4).elo).tolist() == [True, True, True, False, False]
    assert np.isnan(rate(np.zeros((2, 2))).elo).all()
    assert rate(points).elo[:3] == pytest.approx([0, 0, 0])


@pytest.mark.parametrize(
    "points", [[], [[0, 1]], [[1, 1], [1, 0]], [[0, -1], [1, 0]], [[0, np.nan], [1, 0]], "x", None]
)
def test_what_is_no_table_of_points(points: Any) -> None:
    with pytest.raises(OptionError, match="points must be numbers from 0 on"):
        rate(points)
    with pytest.raises(OptionError, match="anchor"):
        rate([[0, 1], [1, 0]], anchor=2)


# The sequential test


def test_the_ratio_is_that_of_two_likelihoods() -> None:
    test = Sprt(-10, 40)
    for won, lost in ((3, 1), (0, 4), (10, 10)):
        ratio = test.ratio(won, won + lost)
        likely = [won * np.log(expected(elo)) + lost * np.log(expected(-elo)) for elo in (-10, 40)]
        assert ratio == pytest.approx(likely[1] - likely[0])
    assert Sprt(alpha=0.1, beta=0.2).bounds == pytest.approx((np.log(0.2 / 0.9), np.log(8)))


def paired(elo: float, rng: np.random.Generator, openings: int) -> list[float]:
    return [float(points) for points in rng.binomial(2, expected(elo), openings)]


@pytest.mark.parametrize(
    ("elo", "low", "high"), [(0, 0.02, 0.065), (60, 0.935, 0.98), (-60, 0, 0.01), (150, 0.99, 1)]
)
def test_how_often_the_answer_is_yes(elo: float, low: float, high: float) -> None:
    """Both kinds of error in one of twenty tests, or somewhat fewer: a test ends beyond a bound."""
    test, rng = Sprt(0, 60), np.random.default_rng(5)
    answers = [test.answer(paired(elo, rng, 3_000)) for _ in range(600)]
    assert all(answer is not None for answer, _ in answers)
    assert low <= np.mean([answer for answer, _ in answers]) <= high
    assert np.mean([openings for _, openings in answers]) < 150


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((5, 5), "elo0 must be below elo1"),
        ((50, 0), "elo0 must be below elo1"),
        ((0, float("inf")), "elo1 must be a finite number"),
        (("0", 5), "elo0 must be a finite number"),
        ((0, 5, 0), "alpha and beta"),
        ((0, 5, 0.05, 0.5), "alpha and beta"),
        ((0, 5, True), "alpha must be a finite number"),
    ],
)
def test_a_test_that_is_wrong(given: Any, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        Sprt(*given)


def pairs_of(records: list[Record]) -> Iterator[tuple[Record, Record]]:
    return zip(records[::2], records[1::2], strict=True)


def test_games_stop_when_the_test_has_its_answer(tmp_path: Path) -> None:
    arena = Arena("oust side=3", ["greedy", "random"], 100)
    paths, tables = [], []
    with ThreadPoolExecutor(4) as threads:
        for number, how in enumerate(({"executor": InTurn(), "workers": 1}, {"executor": threads})):
            paths.append(tmp_path / f"{number}.hgn")
            tables.append(run(arena, paths[-1], sprt=Sprt(0, 100), **how))  # type: ignore[arg-type]
    assert tables[0] == tables[1] and tables[0].is_better is True
    by_hand = [fixture.play() for fixture in list(arena.fixtures())[: tables[0].number_of_games]]
    points = [float(one.winner == 0) + float(two.winner == 1) for one, two in pairs_of(by_hand)]
    assert Sprt(0, 100).answer(points) == (True, len(points))
    assert len(games_of(paths[0])) < 60
    assert "SPRT of 0 against 100 Elo" in " ".join(tables[0].notes())
    assert "'greedy' is better than 'random'." in " ".join(tables[0].notes())
    # More games than the test looks at change nothing
    run(arena, paths[0], executor=InTurn())
    played: list[Any] = []
    again = run(arena, paths[0], sprt=Sprt(0, 100), told=lambda *n: played.append(n))
    assert again == tables[0] and not played
    turned = Arena("oust side=3", ["random", "greedy"], 100)
    refused = run(turned, paths[0], sprt=Sprt(0, 100))
    assert refused.is_better is False and "not better" in refused.notes()[-1]
    few = run(Arena("oust side=3", ["greedy", "random"], 2), executor=InTurn(), sprt=Sprt(0, 1))
    assert few.is_better is None and "no answer yet" in few.notes()[-1]


# Tables


def record_of(players: tuple[str, str], winner: int | None, length: Iterator[int]) -> Record:
    state = make_game("rive", side=2).initial_state()
    state.step(next(length) % 7)
    if winner is None:
        return Record(state, ending="cut off", players=players)
    return Record(state, ending="resigned", winner=winner, players=players)


def some_records() -> list[Record]:
    numbers = count()
    games = [(("a", "b"), 0)] * 3 + [(("b", "a"), 0)] * 1 + [(("a", "c|d"), None)]
    games += [(("c|d", "b"), 1), (("b", "c|d"), 1), (("b", "a"), 1)]
    return [record_of(players, winner, numbers) for players, winner in games]


def test_a_table_counts_and_does_not_mind_the_order() -> None:
    records = some_records()
    table = Table.from_records(records)
    assert table.bots == ("a", "b", "c|d") and table.number_of_games == 8
    assert table.points == ((0, 4, 0.5), (1, 0, 1), (0.5, 1, 0))
    assert table.games == ((0, 5, 1), (5, 0, 2), (1, 2, 0))
    assert table.points_as == ((3.5, 1), (1 + 0, 1), (0, 1.5))
    assert table.games_as == ((4, 2), (3, 4), (1, 2))
    assert table.cut_off == 1 and table.ranking[-1] == 1
    assert Table.from_records(records[::-1], table.bots) == table
    assert table.ratings.elo == pytest.approx(rate(table.points).elo)
    assert str(table) == table.to_string() and table.to_string().isascii()
    lines = table.to_string().splitlines()
    assert lines[0] == "rive side=2: 8 games"
    assert lines[2].split() == [
        "1",
        "a",
        *lines[2].split()[2:5],
        "6",
        "75.0",
        "%",
        "87.5",
        "%",
        "50.0",
        "%",
    ]
    assert re.search(r"^1 +a +- +0\.5/1 +4\.0/5$", table.to_string(), re.MULTILINE)
    markdown = table.to_markdown()
    assert "| 1 | a | " in markdown and r"c\|d" in markdown
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {8, 6}


def test_an_anchor_and_what_is_no_table() -> None:
    table = Table.from_records(some_records())
    anchored = table.anchored("b", 1000)
    assert anchored.ratings.elo[1] == 1000 and anchored.ratings.margin(1) == pytest.approx(0)
    assert "'b' has 1000." in anchored.to_string()
    assert anchored.anchored(None) == table
    with pytest.raises(OptionError, match=r"anchor must be one of 'a', 'b', 'c\|d', got 'x'"):
        table.anchored("x")
    with pytest.raises(OptionError, match="finite number"):
        table.anchored("a", float("nan"))
    with pytest.raises(OptionError, match="records of one game"):
        Table.from_records([])
    other = Record(make_game("oust").initial_state(), players=("a", "b"))
    with pytest.raises(OptionError, match=r"records of one game, got oust side=7 .* and rive"):
        Table.from_records([*some_records(), other])
    with pytest.raises(OptionError, match="the bots are 'a', 'b'"):
        Table.from_records(some_records(), ["a", "b"])


@pytest.mark.parametrize("theme", THEMES)
def test_the_plot(theme: str) -> None:
    table = Table.from_records(some_records())
    svg = table.to_svg(theme=theme)
    root = ElementTree.fromstring(svg)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a", "b", "c|d"} <= set(texts)
    for bot in range(3):
        figure = f"{table.ratings.elo[bot]:+.0f} \u00b1 {table.ratings.margin(bot):.0f}"
        assert figure in texts
    assert svg.count("<circle") == 3
    page = "#{:02x}{:02x}{:02x}".format(*THEMES[theme].page)
    assert f'fill="{page}"' in svg
    width = float(root.attrib["width"])
    for element in root.iter("{http://www.w3.org/2000/svg}circle"):
        assert 0 < float(element.attrib["cx"]) < width
    assert table._repr_svg_() == table.to_svg()
    with pytest.raises(OptionError, match="theme must be one of"):
        table.to_svg(theme="blue")


def test_the_plot_of_odd_tables() -> None:
    """One bot that is rated, none at all, long names and names with marks of XML."""
    numbers = count()
    name = "<&>" * 40
    for records, bots in (
        ([record_of((name, "b"), 0, numbers)], None),
        ([record_of(("a", "b"), 0, numbers)], ["a", "b", "c"]),
    ):
        table = Table.from_records(records, bots)
        ElementTree.fromstring(table.to_svg())
        assert table.to_string()
    assert " -  " in table.to_string()


# The command


def ended(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[Any, str, str]:
    code: Any
    try:
        code = main(["arena", *words])
    except SystemExit as error:
        code = error.code
    told = capsys.readouterr()
    return code, told.out, told.err


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, picture = tmp_path / "games.jsonl", tmp_path / "elo.svg"
    words = shlex.split(
        f"oust --bot random --options side=3 --bot greedy --games 6 --seed 2 --record {path}"
    )
    words[words.index("random")] = " random "
    code, out, err = ended(capsys, *words)
    assert (code, err) == (0, "") and len(games_of(path)) == 6
    table = run(Arena("oust side=3", ["random", "greedy"], 6, seed=2), executor=InTurn())
    assert out == f"{table.to_string()}\n"
    again = [*words, "--anchor", "random ", "--anchor-elo", "500", "--svg", str(picture)]
    code, out, err = ended(capsys, *again, "--theme", "dark", "--markdown")
    anchored = table.anchored("random", 500)
    assert (code, err) == (0, "")
    assert out == f"{anchored.to_markdown()}\nwritten to {picture}\n"
    assert picture.read_text(encoding="utf-8") == anchored.to_svg(theme="dark")
    code, out, err = ended(capsys, *words, "--sprt", "-50", "0", "--alpha", "0.1")
    assert code == 0 and "SPRT of -50 against 0 Elo" in out
    other = shlex.split("--any-opening --opening-steps 3 --max-cycles 9 --workers 1")
    code, out, err = ended(capsys, *words[:-2], *other)
    assert (code, err) == (0, "")
    changed = Arena(
        "oust side=3", ["random", "greedy"], 6, seed=2, steps=3, judge=None, max_cycles=9
    )
    assert out == f"{run(changed, executor=InTurn()).to_string()}\n"


def test_the_bar_counts_what_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Meter:
        def __init__(self, total: int, unit: str) -> None:
            self.total, self.counted, self.is_open = total, 0, True
            meters.append(self)

        def update(self) -> None:
            self.counted += 1

        def close(self) -> None:
            self.is_open = False

    meters: list[Meter] = []
    monkeypatch.setattr("hexgames_env.cli.arena.meter", Meter)
    words = [*RIVE.split(), "--bot", "random", "--bot", "greedy", "--seed", "3", "--workers", "1"]
    words += ["--record", str(tmp_path / "games.hgn"), "--games"]
    for games in ("4", "10", "10"):
        assert ended(capsys, *words, games)[0] == 0
    assert [(meter.total, meter.counted, meter.is_open) for meter in meters] == [
        (4, 4, False),
        (6, 6, False),
    ]


def test_a_bot_in_the_folder_where_one_is(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def first(state, rng):\n    return state.legal_actions()[0]\n"
    )
    code = "import sys; sys.path = [p for p in sys.path if p]; from hexgames_env.cli import main; "
    code += "sys.exit(main())"
    words = ["arena", *RIVE.split(), "--bot", "mine:first", "--bot", "random", "--games", "4"]
    done = processes.ended(sys.executable, "-W", "error", "-c", code, *words, cwd=tmp_path)
    assert done.code == 0 and done.err == "" and "mine:first" in done.out


MISTAKES = {
    "--bot random --bot greedy": "no game is named",
    "oust side=3": "bots must be at least two texts such as 'greedy', got []",
    "oust side=3 --bot random": "bots must be at least two texts",
    "oust side=3 --bot random --bot random": "the bot 'random' is given twice",
    "oust side=3 --bot random --bot stockfish": "there is no bot 'stockfish'",
    "oust side=3 --bot random --bot 'greedy depth=-1'": "does not take depth=-1",
    "oust side=3 --bot random --bot nowhere:bot": "can't be loaded",
    "oust side=3 --bot random --bot greedy --games 5": "even number from 2 on",
    "oust side=3 --bot random --bot greedy --games 0": "must be an integer from 1 on, got '0'",
    "oust side=3 --bot random --bot greedy --workers -1": "--workers",
    "oust side=3 --bot random --bot greedy --sprt 5": "--sprt: expected 2 arguments",
    "oust side=3 --bot random --bot greedy --sprt 5 0": "elo0 must be below elo1",
    "oust side=3 --bot random --bot greedy --sprt 5 x": "must be a number below 1,000,000, got 'x'",
    "oust side=3 --bot random --bot greedy --sprt 0 5 --alpha 2": "alpha and beta must be above 0",
    "oust side=3 --bot random --sprt 0 5": "--sprt compares two bots, and --bot is given 1 time",
    "oust side=3 --bot random --bot greedy --anchor x": "--anchor is one of the bots, got 'x'",
    "oust side=3 --bot random --bot greedy --record x.npz": "take .hgn or .jsonl",
    "oust side=3 --bot random --bot greedy --record x.doc": "ends in .hgn",
    "oust side=2 --bot random --bot greedy": "no opening of 2 random steps",
    "oust side=3 --bot random --bot test_arena:outside --games 2": "bot 'test_arena:outside'",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_told_in_words(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ended(capsys, *shlex.split(words))
    assert (code, out) == (2, "")
    assert MISTAKES[words] in err and err.splitlines()[-1].startswith("hexgames arena: ")
