"""Games recorded while they go on: what is in the file is what was played, however it ends."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import random
import signal
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hexgames_env import Game, IllegalActionError, OptionError, State, make_game
from hexgames_env.bots import BotPool, RandomBot
from hexgames_env.core.registry import game_from_string
from hexgames_env.envs.aec import make_env
from hexgames_env.envs.single import make_single
from hexgames_env.envs.vector import make_vector
from hexgames_env.records import (
    BatchRecorder,
    BrokenOffWarning,
    GameArrays,
    Record,
    RecordError,
    Remark,
    mapped,
    open_records,
    read_records,
    recorder,
    write_records,
)
from processes import run, start
from recorded import GAMES, HOSTILE, assert_same, random_details, random_remarks

OUST = make_game("oust", side=3)


@pytest.fixture(params=["a.hgn", "a.jsonl", "a.npz"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    found: Path = tmp_path / request.param
    return found


def undated(record: Record, **changes: Any) -> Record:
    """Without the day, which a recorder writes by itself."""
    details: dict[str, Any] = {
        "ending": record.ending,
        "illegal": record.illegal,
        "players": record.players,
        "seed": record.seed,
        "tags": record.tags,
        "remarks": record.remarks,
    }
    if record.ending in ("resigned", "time"):
        details["winner"] = record.winner
    return Record(record.final, **{**details, **changes})


def read(file: Path) -> list[Record]:
    found = [*read_records(file)]
    assert all(record.date and len(record.date) == 10 for record in found)
    return [undated(record) for record in found]


# Recorders by themselves


def play_into(taken: Any, game: Game, seed: int) -> Record:
    """A game with all that can be said of it, told to a recorder step by step."""
    rng = random.Random(seed)
    state = game.initial_state(rng.randrange(2**64))
    final = state.copy()
    for _ in range(rng.choice([0, 1, 3, 25])):
        if not final.is_over:
            final.step(final.sample_action(rng))
    details = random_details(final, rng)
    details.pop("date")
    details.pop("tags")
    remarks = random_remarks(final, rng)
    taken.begin(state, details["seed"], details["players"])
    for step, action in enumerate([*final.history, None]):
        if step in remarks:
            taken.remark(remarks[step])
        if action is not None:
            state.step(action)
            taken.step(state)
    end = {name: details.get(name) for name in ("ending", "winner", "illegal")}
    taken.end(**end)
    return Record(final, remarks=remarks, tags={"Event": HOSTILE[2]}, **details)


@pytest.mark.parametrize("text", GAMES)
def test_any_game_is_recorded_as_it_is_played(text: str, file: Path) -> None:
    game = game_from_string(text)
    taken = recorder(file, game, tags={"Event": HOSTILE[2]})
    expected = [play_into(taken, game, seed) for seed in range(12)]
    taken.close()
    found = read(file)
    assert len(found) == 12
    for one, other in zip(found, expected, strict=True):
        assert_same(one, other)


def test_a_live_text_is_that_of_the_record(tmp_path: Path) -> None:
    """Character by character: words, lines, numbers."""
    for text in ("rive side=5", "strands", "gipf"):
        file = tmp_path / f"{text[:4]}.hgn"
        game = game_from_string(text)
        taken = recorder(file, game, ("A", "B"))
        state = game.initial_state(1)
        taken.begin(state, 1)
        rng = random.Random(1)
        for k in range(150):
            if state.is_over:
                break
            if k % 9 == 0:
                taken.remark(Remark("word " * (k % 7 + 1), 0.5))
            state.step(state.sample_action(rng))
            taken.step(state)
        taken.end()
        taken.close()
        (record,) = read_records(file)
        assert file.read_text() == record.to_string()


def test_a_file_that_goes_on_can_be_read_at_any_time(tmp_path: Path) -> None:
    file = tmp_path / "a.hgn"
    taken = recorder(file, OUST, ("A", "B"))
    rng = random.Random(2)
    whole: list[Record] = []
    for _ in range(3):
        state = OUST.initial_state()
        taken.begin(state, 3)
        while not state.is_over:
            with pytest.warns(BrokenOffWarning):
                found = read(file)
            assert found[:-1] == whole
            assert found[-1] == undated(Record(state, players=("A", "B"), seed=3))
            state.step(state.sample_action(rng))
            taken.step(state)
        taken.end()
        whole.append(Record(state, players=("A", "B"), seed=3))
        assert read(file) == whole
    size = file.stat().st_size
    taken.close()
    assert file.stat().st_size < size and read(file) == whole


def test_a_game_begins_where_its_state_does(file: Path) -> None:
    """With the history that it has, as in a Record."""
    game = make_game("rive", side=3)
    state = game.initial_state()
    state.step(9)
    fresh = State.from_string(state.to_string())
    for _ in range(3):
        fresh.step(fresh.legal_actions()[0])
    taken = recorder(file, game)
    taken.begin(fresh)
    fresh.step(fresh.legal_actions()[-1])
    taken.step(fresh)
    taken.end("cut off")
    taken.close()
    assert read(file) == [Record(fresh, ending="cut off")]


def test_many_long_games_and_small_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file grows and is mapped anew, in the midst of words."""
    monkeypatch.setattr(mapped, "BLOCK", 64)
    file = tmp_path / "a.hgn"
    game = make_game("rive", side=3)
    taken = recorder(file, game, tags={"Event": HOSTILE[2]})
    expected = [play_into(taken, game, seed) for seed in range(30)]
    assert file.stat().st_size > 4096 * 2
    taken.close()
    assert read(file) == expected


def test_what_a_recorder_is_told_is_checked(file: Path) -> None:
    taken = recorder(file, OUST)
    with pytest.raises(RecordError, match="no game goes on"):
        taken.remark(Remark("x"))
    taken.end()  # there is nothing to end
    state = OUST.initial_state()
    taken.begin(state)
    state.step(0)
    taken.step(state)
    wrong: list[tuple[Any, str]] = [
        ("x", "a remark is a Remark"),
        (Remark(value=2.0), "from -1 to 1, got 2.0"),
        (Remark("\0"), "the comment on position 1"),
        (Remark("\ud800"), "the comment on position 1"),
        (Remark(visits={0: 1}), "visits of position 1 name action 0, which is illegal"),
    ]
    for remark, words in wrong:
        with pytest.raises(RecordError, match=words):
            taken.remark(remark)
    taken.remark(Remark("so", np.float64(0.5)))
    taken.remark(Remark(visits={np.int64(2): np.int32(3)}))  # type: ignore[dict-item]
    taken.remark(Remark())
    with pytest.raises(RecordError, match="has one value, and this one has been given one"):
        taken.remark(Remark(value=0.1))
    with pytest.raises(RecordError, match="visits of action 2 have been given before"):
        taken.remark(Remark(visits={2: 1}))
    taken.remark(Remark("it is", visits={3: 9}))
    ends: list[tuple[dict[str, Any], str]] = [
        ({"ending": "lost"}, "ending must be"),
        ({"ending": "rules"}, "the game goes on"),
        ({"ending": "time"}, "winner must be 0 or 1"),
        ({"ending": "resigned", "winner": 2}, "winner must be 0 or 1"),
        ({"illegal": 2}, "and it is legal there"),
        ({"illegal": 999}, "illegal: an action of"),
    ]
    for arguments, words in ends:
        with pytest.raises(RecordError, match=words):
            taken.end(**arguments)
    taken.end("resigned", 1)
    taken.close()
    remark = Remark("so it is", 0.5, {2: 3, 3: 9})
    assert read(file) == [Record(state, ending="resigned", winner=1, remarks={1: remark})]


def test_a_recorder_checks_what_it_is_made_with(tmp_path: Path) -> None:
    for arguments, words in (
        (("a.xyz", OUST), r"ends in \.hgn"),
        (("a.hgn", OUST, ("\0", "")), "players"),
        (("a.jsonl", OUST, ("A", "B"), {"Result": "x"}), "the tag Result"),
    ):
        with pytest.raises(RecordError, match=words):
            recorder(tmp_path / arguments[0], *arguments[1:])
    for name in ("a.hgn", "a.jsonl", "a.npz"):
        with pytest.raises(FileNotFoundError):
            recorder(tmp_path / "none" / name, OUST)
    with pytest.raises(RecordError, match="many games at once are recorded into a .npz"):  # noqa: RUF043
        BatchRecorder(tmp_path / "a.hgn", OUST)
    with pytest.raises(RecordError, match="players must be two names"):
        BatchRecorder(tmp_path / "a.npz", OUST, players=("A",))
    with pytest.raises(FileNotFoundError):
        BatchRecorder(tmp_path / "none" / "a.npz", OUST)
    assert os.listdir(tmp_path) == []


def test_a_game_that_goes_on_is_left_unfinished(file: Path) -> None:
    taken = recorder(file, OUST)
    states = []
    for _ in range(2):
        state = OUST.initial_state()
        states.append(state)
        taken.begin(state)
        state.step(4)
        taken.step(state)
    taken.close()
    taken.close()
    assert read(file) == [Record(state) for state in states]


def test_text_and_json_are_put_behind_what_is_there(file: Path) -> None:
    before = [undated(Record(OUST.initial_state(), ending="cut off"), date="2026-01-01")]
    write_records(file, before)
    after = []
    for seed in range(3):
        taken = recorder(file, OUST, tags={"Event": HOSTILE[2]})
        after.append(play_into(taken, OUST, seed))
        taken.close()
    expected = [undated(before[0]), *after]
    assert read(file) == (expected[-1:] if file.suffix == ".npz" else expected)


def test_a_folder_gets_a_file_for_each_recorder(tmp_path: Path) -> None:
    for path in (tmp_path / "new", f"{tmp_path}/other/"):
        os.makedirs(tmp_path / "new", exist_ok=True)
        made = [recorder(path, OUST) for _ in range(3)]
        for taken in made:
            state = OUST.initial_state()
            taken.begin(state)
            state.step(1)
            taken.step(state)
            taken.close()
        names = os.listdir(path)
        assert len(names) == 3
        assert all(name.startswith("oust-") and name.endswith(".hgn") for name in names)
        for name in names:
            assert [len(record) for record in read(Path(path) / name)] == [1]


def test_two_recorders_do_not_write_into_one_file(tmp_path: Path) -> None:
    for name in ("a.hgn", "a.jsonl"):
        file = tmp_path / name
        taken = recorder(file, OUST)
        words = f"another recorder writes into {file}: give each its own file, or a folder"
        for _ in range(2):
            with pytest.raises(RecordError, match=words):
                recorder(file, OUST)
            with pytest.raises(RecordError, match=words):
                write_records(file, [], append=True)
        taken.close()
        recorder(file, OUST).close()
        code = (
            "import sys\nfrom hexgames_env import make_game\nfrom hexgames_env.records import *\n"
            "taken = recorder(sys.argv[1], make_game('oust', side=3))\n"
            "print('ready', flush=True)\nimport time; time.sleep(100)"
        )
        process = start(code, str(file))
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        with pytest.raises(RecordError, match=words):
            recorder(file, OUST)
        process.kill()
        process.communicate()
        recorder(file, OUST).close()


def test_a_recorder_that_is_forgotten_closes_its_file(file: Path) -> None:
    taken = recorder(file, OUST, tags={"Event": HOSTILE[2]})
    record = play_into(taken, OUST, 3)
    state = OUST.initial_state()
    taken.begin(state)
    del taken
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    if file.suffix == ".hgn":
        assert b"%" not in file.read_bytes()[-10:]
        with pytest.warns(BrokenOffWarning):
            found = read(file)
    else:
        found = read(file)
    assert found[0] == record


def test_copies_do_not_record(file: Path) -> None:
    taken = recorder(file, OUST)
    assert copy.deepcopy(taken) is None and copy.copy(taken) is None
    assert pickle.loads(pickle.dumps(taken)) is None
    taken.close()
    batch = BatchRecorder(file.with_suffix(".npz"), OUST)
    assert copy.deepcopy(batch) is None and pickle.loads(pickle.dumps(batch)) is None
    batch.close()


# A program that is killed

CHILD = """
import random, sys
from hexgames_env import make_game
from hexgames_env.core.registry import game_from_string
from hexgames_env.envs.aec import make_env
env = make_env(game_from_string(sys.argv[1]), record=sys.argv[2])
rng = random.Random(int(sys.argv[3]))
while True:
    env.reset(seed=rng.randrange(2**32))
    print("begin", flush=True)
    while env.agents and not env.terminations[env.agent_selection]:
        action = env.game_state.sample_action(rng)
        print("step", flush=True)
        env.step(action)
        print("made", action, flush=True)
"""


@pytest.mark.long
@pytest.mark.slow
def test_what_a_killed_program_leaves_is_read_up_to_its_last_turn(tmp_path: Path) -> None:
    """At many moments; each program goes on behind what the one before it has left."""
    file = tmp_path / "a.hgn"
    rng = random.Random(1)
    expected: list[tuple[list[int], bool]] = []  # actions of each game, and one more may be there
    for text in ("oust side=3", "gipf", "strands"):
        for _ in range(4):
            process = start(CHILD, text, str(file), str(rng.randrange(100)))
            assert process.stdout is not None
            lines = []
            for _ in range(rng.randrange(3, 250)):
                lines.append(process.stdout.readline())
            if rng.random() < 0.5:
                time.sleep(rng.random() * 0.001)
            os.kill(process.pid, signal.SIGKILL)
            rest = process.stdout.read()
            process.communicate()
            assert process.returncode == -signal.SIGKILL
            lines += rest.splitlines(keepends=True)
            games: list[list[int]] = []
            for line in lines:
                if line == "begin\n":
                    games.append([])
                elif line.startswith("made ") and line.endswith("\n"):
                    games[-1].append(int(line[5:]))
            expected += [(game, game is games[-1]) for game in games]
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                found = read(file)
            assert {warning.category for warning in told} <= {BrokenOffWarning}
            if len(found) == len(expected) + 1:  # it had begun, and did not come to say so
                expected.append(([], True))
            assert len(found) == len(expected)
            for record, (actions, is_last) in zip(found, expected, strict=True):
                made = [*record.actions]
                assert made[: len(actions)] == actions, "all that was said is there"
                assert len(made) <= len(actions) + is_last
                assert is_last or record.ending == "rules"
    assert len(expected) > 12


def test_arrays_of_a_program_that_ends_are_written(tmp_path: Path) -> None:
    code = (
        "import sys, numpy as np\nfrom hexgames_env.envs.vector import make_vector\n"
        "envs = make_vector('oust', 3, record=sys.argv[1], side=3)\nenvs.reset(seed=1)\n"
        "for _ in range(40): envs.step(envs.action_masks().argmax(axis=1))\n"
        "print(len(envs._batch.copy().states()))"
    )
    run(code, str(tmp_path / "a.npz"))
    games = GameArrays.load(tmp_path / "a.npz")
    assert len(games) > 3 and games.lengths.sum() >= 120


def test_a_fork_does_not_write_into_the_file_of_its_parent(file: Path) -> None:
    """It goes on with the game, and whatever it does with what records is an error or nothing."""
    code = """
import os, sys, gc
from hexgames_env import make_game
from hexgames_env.envs.aec import make_env
from hexgames_env.records import RecordError
env = make_env("oust", side=3, record=sys.argv[1])
env.reset(seed=1)
env.step(0)
if os.fork() == 0:
    if sys.argv[1].endswith("hgn"):
        try:
            env.step(5)
        except RecordError as error:
            assert "is recorded by another process" in str(error)
        else:
            os._exit(7)
    try:
        env.reset()
    except RecordError as error:
        assert "give each its own file, or a folder" in str(error)
    else:
        os._exit(8)
    env.close()
    del env
    gc.collect()
    sys.exit(0)
_, status = os.wait()
assert status == 0, status
env.step(9)
env.close()
"""
    run(code, str(file), python=("-W", "ignore"))
    (record,) = read(file)
    assert record.actions == (0, 9) and record.ending == "unfinished"


# A disk that is full


FULL = """
import resource, signal, sys
from hexgames_env import make_game
from hexgames_env.records import *
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
game = make_game("oust", side=3)
name = sys.argv[1]
state = game.initial_state()
state.step(0)
write_records(name, [Record(state, date="2026-01-01")])
taken = recorder(name, game, tags={"Event": "x" * 1000})
limit = 2000 if name.endswith("npz") else 70_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
games = 0
try:
    while games < 500:
        state = game.initial_state()
        taken.begin(state)
        for action in (0, 5, 10):
            state.step(action)
            taken.step(state)
        taken.end("cut off")
        games += 1
    taken.close()
except OSError as error:
    print(games)
    print(error.filename == name, "File too large" in str(error) and name in str(error))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    if not name.endswith("npz"):
        state = game.initial_state()
        taken.begin(state)
        state.step(7)
        taken.step(state)
    taken.close()
"""


def test_a_full_disk_is_told_and_what_was_there_stays(file: Path) -> None:
    """A limit on the size of files stands for it: it is met in the same calls."""
    lines, _ = run(FULL, str(file))
    games = int(lines[0])
    assert lines[1] == "True True"
    if file.suffix == ".npz":
        assert len(read(file)) == 500, "close() could be called again"
        assert os.listdir(file.parent) == [file.name]
        return
    assert games > 20
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BrokenOffWarning)
        with open_records(file) as found:
            records = [found[k] for k in range(games + 1)]
            assert [len(record) for record in records] == [1, *[3] * games]
            assert found[-1].actions == (7,), "there is room again"


def test_after_a_step_that_could_not_be_written_nothing_follows(tmp_path: Path) -> None:
    """Even if there is room later: without that step it would be another game."""
    code = """
import resource, signal, sys
from hexgames_env import make_game
from hexgames_env.records import *
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
game = make_game("rive", side=9)
taken = recorder(sys.argv[1], game)
resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, resource.RLIM_INFINITY))
state = game.initial_state()
taken.begin(state)
step, refused = taken.step, 0
while not state.is_over:
    state.step(state.legal_actions()[0])
    try:
        step(state)
        if not refused:
            for _ in range(20):
                taken.remark(Remark("y" * 190))
    except OSError:
        refused += 1
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        print(len(state.history))
taken.end()
taken.begin(game.initial_state())
taken.close()
"""
    lines, _ = run(code, str(tmp_path / "a.hgn"))
    assert len(lines) > 5, "each step that follows is refused"
    with pytest.warns(BrokenOffWarning):
        first, second = read(tmp_path / "a.hgn")
    assert len(first) in (int(lines[0]), int(lines[0]) - 1)
    assert first.ending == "unfinished" and len(second) == 0


def test_a_full_disk_while_a_file_is_written(file: Path) -> None:
    code = """
import resource, signal, sys
from hexgames_env import make_game
from hexgames_env.records import *
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
state = make_game("oust", side=3).initial_state()
record = Record(state, tags={"Event": "x" * 1000})
write_records(sys.argv[1], [record])
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
try:
    write_records(sys.argv[1], [Record(state, tags={"Event": "x" * k}) for k in range(900, 1000)])
except OSError as error:
    print(error.filename == sys.argv[1])
"""
    lines, _ = run(code, str(file))
    assert lines == ["True"]
    assert len([*read_records(file)]) == 1 and os.listdir(file.parent) == [file.name]


# Environments


def undue(mask: Any, rng: random.Random) -> int:
    return int(rng.choice(np.flatnonzero(mask == 0).tolist()))


@pytest.mark.parametrize("text", ["oust side=2", "rive side=3", "gipf", "strands layout=6-random"])
@pytest.mark.parametrize("max_cycles", [None, 9])
def test_an_aec_env_records_what_is_played(text: str, max_cycles: int | None, file: Path) -> None:
    env = make_env(game_from_string(text), max_cycles=max_cycles, record=file)
    rng = random.Random(3)
    expected: list[Record] = []
    for game in range(14):
        seed = game if game % 3 else None
        env.reset(seed=seed)
        ending: Any = None
        illegal = None
        steps = 0
        while not env.terminations[env.agent_selection]:
            if env.truncations[env.agent_selection]:
                ending = "cut off"
                break
            if game % 4 == 1 and rng.random() < 0.05:
                break  # a reset in mid-game
            mask = env.observe(env.agent_selection)["action_mask"]
            if game % 4 == 2 and rng.random() < 0.2:
                illegal = undue(mask, rng)
                env.step(illegal)
                break
            if steps == 120:
                break
            env.step(env.game_state.sample_action(rng))
            steps += 1
        expected.append(Record(env.game_state, ending=ending, illegal=illegal, seed=seed))
    env.close()
    env.close()
    env.reset()
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))  # and is not recorded
    for one, other in zip(read(file), expected, strict=True):
        assert_same(one, other)
    assert {"illegal action", "unfinished"} <= {record.ending for record in expected}


def test_an_action_that_is_refused_is_not_recorded(file: Path) -> None:
    env = make_env("oust", side=3, record=file, illegal_action="raise")
    env.reset(seed=1)
    env.step(0)
    for wrong in (0, 999, None):
        with pytest.raises(IllegalActionError):
            env.step(wrong)
    env.step(5)
    env.close()
    assert [record.actions for record in read(file)] == [(0, 5)]


def habit(state: State, rng: np.random.Generator) -> int:
    """A bot that is no class: the first legal action, mostly."""
    return state.legal_actions()[int(rng.random() * 2) % len(state.legal_actions())]


OPPONENTS: list[Any] = ["random", "greedy", habit, BotPool(["random", "greedy", RandomBot()])]


@pytest.mark.parametrize("opponent", range(len(OPPONENTS)))
@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_a_single_env_records_what_is_played(opponent: int, seat: Any, file: Path) -> None:
    game = make_game("strands", layout=[2, 2, 3, 2, 1, 3, 3])
    env = make_single(game, OPPONENTS[opponent], seat, max_cycles=6, record=file)
    rng = random.Random(4)
    expected = []
    for number in range(16):
        seed = number if number % 2 else None
        env.reset(seed=seed)
        illegal, over = None, False
        ending: Any = None
        while not over and not (number % 5 == 1 and rng.random() < 0.3):
            mask = env.action_masks()
            action = int(rng.choice(np.flatnonzero(mask).tolist()))
            if number % 5 == 2 and rng.random() < 0.3:
                action = illegal = undue(mask, rng)
            _, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
            ending = "cut off" if truncated else None
        players = ["learner", env._player.to_string()]
        names = (players[env.seat], players[1 - env.seat])
        expected.append(
            Record(env.game_state, players=names, seed=seed, illegal=illegal, ending=ending)
        )
    env.close()
    found = read(file)
    if len(found) > len(expected):  # a game that was over before the learner came to act
        found = [record for record in found if record in expected]
    for one, other in zip(found, expected, strict=True):
        assert_same(one, other)


@pytest.mark.parametrize("opponent", range(len(OPPONENTS)))
@pytest.mark.parametrize("illegal_action", ["lose", "raise"])
def test_a_vector_env_records_what_is_played(
    opponent: int, illegal_action: Any, tmp_path: Path
) -> None:
    """The same games as without a record, step by step, and each in the file."""
    game = make_game("oust", side=3)
    settings: dict[str, Any] = {"max_cycles": 30, "illegal_action": illegal_action}
    file = tmp_path / "a.npz"
    envs = make_vector(game, 5, OPPONENTS[opponent], record=file, **settings)
    twin = make_vector(game, 5, OPPONENTS[opponent], **settings)
    rng = random.Random(5)
    ended = 0
    for step in range(150):
        if step in (0, 60, 100):
            seed = step if step != 60 else None
            envs.reset(seed=seed)
            twin.reset(seed=seed)
        masks = envs.action_masks()
        assert (masks == twin.action_masks()).all()
        actions = np.array([rng.choice(np.flatnonzero(mask).tolist()) for mask in masks])
        if step % 9 == 0:
            row = rng.randrange(5)
            wrong = actions.copy()
            wrong[row] = undue(masks[row], rng)
            if illegal_action == "lose":
                actions = wrong
            else:
                for env in (envs, twin):
                    with pytest.raises(ValueError, match="illegal actions"):
                        env.step(wrong)
        one: Any = envs.step(actions)
        other: Any = twin.step(actions)
        for mine, yours in zip(one[1:4], other[1:4], strict=True):
            np.testing.assert_array_equal(mine, yours)
        np.testing.assert_array_equal(one[0]["observation"], other[0]["observation"])
        ended += int((one[2] | one[3]).sum())
    envs.close()
    envs.close()
    found = [*read_records(file)]
    assert {record.tags["Opponent"] for record in found} == {envs.opponent.to_string()}
    over = [record for record in found if record.ending != "unfinished"]
    assert len(over) >= ended > 10  # and those that ended before the learner came to act
    kinds = {record.ending for record in found}
    assert "unfinished" in kinds and "rules" in kinds
    assert ("illegal action" in kinds) == (illegal_action == "lose")
    assert all(len(record) == 30 for record in found if record.ending == "cut off")
    assert sum(len(record) > 0 or record.illegal is not None for record in found) == len(found)


@pytest.mark.parametrize("opponent", ["greedy", habit])
def test_rows_of_a_vector_env_in_its_file(opponent: Any, tmp_path: Path) -> None:
    """The games that go on are the positions that the env shows."""
    envs = make_vector("rive", 6, opponent, record=tmp_path / "a.npz", side=2)
    envs.reset(seed=2)
    rng = np.random.default_rng(1)
    for _ in range(25):
        masks = envs.action_masks()
        envs.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
    shown = envs.batch.states()
    envs.close()
    found = list(read_records(tmp_path / "a.npz"))
    running = [record.final for record in found if record.ending == "unfinished"]
    wanted = [state for state in shown if state != envs.game.initial_state()]
    assert [state.key() for state in running] == [state.key() for state in wanted]


def envs_that_record(folder: Path) -> Iterator[tuple[Any, Path]]:
    for name in ("a.hgn", "a.jsonl", "a.npz"):
        yield make_env("oust", side=3, record=folder / name), folder / name
        yield make_single("oust", side=3, record=folder / f"s{name}"), folder / f"s{name}"
    yield make_vector("oust", 3, side=3, record=folder / "v.npz"), folder / "v.npz"


def one_step(env: Any) -> None:
    if hasattr(env, "observe"):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    else:
        env.step(env.action_masks().argmax(axis=-1))


@pytest.mark.parametrize("number", range(7))
def test_copies_of_envs_do_not_record_and_the_env_goes_on(number: int, tmp_path: Path) -> None:
    env, file = [*envs_that_record(tmp_path)][number]
    env.reset(seed=1)
    one_step(env)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other._recorder is None
        one_step(other)
        other.reset(seed=2)
        one_step(other)
        other.close()
    one_step(env)
    steps = env._steps if hasattr(env, "_steps") else int(env.batch.lengths.sum())
    env.close()
    found = [*read_records(file)]
    assert sum(map(len, found)) == steps >= 2
    assert not env._recorder


def test_settings_of_envs(tmp_path: Path) -> None:
    for make in (make_env, make_single):
        with pytest.raises(RecordError, match=r"ends in \.hgn"):
            make("oust", record=tmp_path / "a.xyz")
        with pytest.raises(FileNotFoundError):
            make("oust", record=tmp_path / "none" / "a.hgn")
        made = make("oust", record=tmp_path)
        made.close()
    with pytest.raises(RecordError, match="`hexgames records convert` makes text"):
        make_vector("oust", 2, record=tmp_path / "a.hgn")
    with pytest.raises(OptionError):
        make_env("oust", recrd="x")
    env = make_env("oust", record=tmp_path / "b.hgn")
    with pytest.raises(RecordError, match="give each its own file, or a folder"):
        make_env("oust", record=tmp_path / "b.hgn")
    env.close()


def test_a_vector_env_that_is_never_reset(tmp_path: Path) -> None:
    envs = make_vector("oust", 2, record=tmp_path / "a.npz")
    envs.close()
    with open_records(tmp_path / "a.npz") as found:
        assert len(found) == 0
