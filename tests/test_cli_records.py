"""``hexgames records`` and ``hexgames random --record``, as people meet them."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pytest

from hexgames_env import BrokenOffWarning, make_game
from hexgames_env.cli import main
from hexgames_env.records import GameArrays, Record, Remark, read_records, write_records
from processes import Ended


@pytest.fixture
def records(capsys: pytest.CaptureFixture[str]) -> Any:
    """The command in this process: its words, and how it ends."""

    def run(*words: object) -> Ended:
        code: Any
        try:
            code = main(["records", *map(str, words)])
        except SystemExit as error:
            code = error.code
        return Ended(code, *capsys.readouterr())

    return run


def played(name: str, seed: int, **options: Any) -> Record:
    rng = random.Random(seed)
    state = make_game(name, **options).initial_state(seed)
    while not state.is_over:
        state.step(state.sample_action(rng))
    return Record(state, players=("one", "other"), seed=seed)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Three games of Oust as text."""
    file = tmp_path / "games.hgn"
    write_records(file, [played("oust", seed, side=3) for seed in range(3)])
    return file


def test_check_counts_what_is_right(records: Any, games: Path) -> None:
    steps = sum(len(record) for record in read_records(games))
    assert records("check", games) == (
        0,
        f"{games}: 3 games of {steps} steps played by the rules\n",
        "",
    )


def test_check_tells_all_that_is_wrong(records: Any, games: Path) -> None:
    text = games.read_text(encoding="utf-8")
    first = text.index("1. ") + 3
    word = text[first:].split()[0]
    # In each of two games the first action stands twice
    damaged = text.replace(f"1. {word} ", f"1. {word} 2. {word} ", 1)
    again = damaged.rindex("\n1. ") + 4
    word = damaged[again:].split()[0]
    damaged = damaged[:again] + f"{word} 2. {word} " + damaged[again + len(word) + 1 :]
    games.write_text(damaged, encoding="utf-8")
    told = records("check", games)
    lines = told.out.splitlines()
    assert told.code == 2 and told.err == "hexgames records: 2 games can't be read\n"
    assert len(lines) == 3 and lines[-1].endswith("rules; 2 games can't be read")
    assert lines[-1].startswith(f"{games}: 1 game of ")
    for line in lines[:2]:
        assert line.startswith(f"{games}:") and " is not legal now" in line


def test_check_tells_what_is_missing(records: Any, games: Path) -> None:
    text = games.read_text(encoding="utf-8")
    games.write_text(text[: text.rindex("\n\n")], encoding="utf-8")
    told = records("check", games)
    assert told.code == 0 and not told.err
    assert "has no end" in told.out.splitlines()[0] and ": 3 games of " in told.out


def test_check_takes_many_files_in_any_form(records: Any, games: Path, tmp_path: Path) -> None:
    others = [tmp_path / f"other{ending}" for ending in (".jsonl", ".npz", ".txt")]
    for other in others:
        assert records("convert", games, other) == (0, f"3 games written to {other}\n", "")
    told = records("check", games, *others)
    assert told.code == 0 and len(told.out.splitlines()) == 4
    assert len({line.split(": ")[1] for line in told.out.splitlines()}) == 1


@pytest.mark.parametrize("ending", [".hgn", ".jsonl", ".npz"])
def test_convert_keeps_everything(records: Any, games: Path, tmp_path: Path, ending: str) -> None:
    remark = Remark("so", 0.5, {0: 3})
    start = make_game("oust", side=3).initial_state()
    write_records(games, [Record(start, remarks={0: remark})], append=True)
    between, back = tmp_path / f"between{ending}", tmp_path / "back.hgn"
    assert records("convert", games, between).code == 0
    assert records("convert", between, back).code == 0
    assert back.read_bytes() == games.read_bytes()


def test_convert_takes_some_games_and_appends(records: Any, games: Path, tmp_path: Path) -> None:
    out = tmp_path / "some.jsonl"
    assert records("convert", games, out, "--game", 3, "--game", 1).out.startswith("2 games")
    assert records("convert", games, out, "--game", 2, "--append").out.startswith("1 game ")
    whole = list(read_records(games))
    assert list(read_records(out)) == [whole[2], whole[0], whole[1]]
    told = records("convert", games, out, "--game", 4)
    assert told == (2, "", f"hexgames records: {games} has 3 games, got --game 4\n")
    assert list(read_records(out)) == [whole[2], whole[0], whole[1]]


def test_convert_writes_gipfs_official_notation(records: Any, tmp_path: Path) -> None:
    ours, official, back = (tmp_path / f"{name}.hgn" for name in ("ours", "official", "back"))
    record = played("gipf", 1, variant="tournament")
    write_records(ours, [record])
    assert records("convert", ours, official, "--notation", "official").code == 0
    assert '[Notation "official"]' in official.read_text(encoding="utf-8")
    assert records("convert", official, back).code == 0
    (read,) = read_records(back)
    assert read.final == record.final and read.players == record.players
    told = records("convert", ours, official, "--notation", "chess")
    assert told.code == 2 and "has no notation 'chess': it has 'official'" in told.err


def test_stats(records: Any, games: Path, tmp_path: Path) -> None:
    write_records(games, [Record(make_game("rive", side=2).initial_state())], append=True)
    whole = list(read_records(games))
    lengths = sorted(len(record) for record in whole[:3])
    wins = sum(record.winner == 0 for record in whole)
    lines = records("stats", games).out.splitlines()
    assert lines[0] == f"oust side=3 pie_rule=true: 3 games of {sum(lengths)} steps"
    assert lines[1] == (
        f"  steps a game: {lengths[0]} to {lengths[2]}, median {lengths[1]}, "
        f"mean {sum(lengths) / 3:.1f}"
    )
    assert lines[2].startswith(f"  won by player_0: {wins} (")
    assert lines[3] == "  ended by: rules 3"
    assert lines[4] == "rive side=2: 1 game of 0 steps"
    assert lines[7] == "  ended by: unfinished 1"
    assert f"one: won {wins} ({100 * wins / 3:.1f} %) of 3" in lines
    empty = tmp_path / "empty.hgn"
    empty.write_text("")
    assert records("stats", empty).out == "no games\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    {
        "no file": (("check", "none.hgn"), 1, "hexgames records: none.hgn: No such file"),
        "no part": ((), 2, "required: check|convert|stats"),
        "no form": (("convert", "games.hgn", "out.pdf"), 2, "ends in .hgn, .txt, .pgn, .jsonl"),
        "no folder": (("convert", "games.hgn", "no/out.hgn"), 1, "No such file or directory"),
        "a number of game": (("convert", "games.hgn", "o.hgn", "--game", "0"), 2, "from 1 on"),
        "notation of JSON": (
            ("convert", "games.hgn", "o.jsonl", "--notation", "official"),
            2,
            "only text takes a notation",
        ),
        "behind a .npz": (("convert", "games.hgn", "o.npz", "--append"), 2, "to a .npz"),
        "another game's notation": (
            ("convert", "games.hgn", "o.hgn", "--notation", "official"),
            2,
            "Oust has no notation 'official': it has none",
        ),
        "a folder": (("check", "."), 1, "Is a directory"),
    }.values(),
)
def test_mistakes(
    records: Any,
    games: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(games.parent)
    told = records(*words)
    assert told.code == code and said in told.err and not told.out
    assert {file.name for file in games.parent.iterdir()} == {"games.hgn"}  # nothing half-written


def test_different_games_fit_into_no_npz(records: Any, games: Path, tmp_path: Path) -> None:
    write_records(games, [played("rive", 1, side=2)], append=True)
    told = records("convert", games, tmp_path / "out.npz")
    assert told.code == 2 and "record 4 is of rive side=2: write a file for each" in told.err
    assert not (tmp_path / "out.npz").exists()


def test_random_puts_its_game_into_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "new.hgn"
    words = ["random", "oust", "side=3", "--bot", "greedy", "--bot", "random", "--last"]
    for seed in ("1", "2"):
        assert main([*words, "--seed", seed, "--record", str(file)]) == 0
    capsys.readouterr()
    one, other = read_records(file)
    assert (one.seed, other.seed) == (1, 2) and one.actions != other.actions
    assert one.players == other.players == ("greedy", "random")
    assert one.ending == "rules" and one.date is not None


def test_a_bot_that_fails_leaves_the_game_so_far(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lost_bot.py").write_text(
        "def play(state, rng):\n"
        "    return state.legal_actions()[0] if len(state.history) < 4 else 0\n"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["random", "oust", "side=3", "--bot", "lost_bot:play", "--record", "a.npz"]) == 2
    assert "illegal" in capsys.readouterr().err
    with warnings.catch_warnings():
        warnings.simplefilter("error", BrokenOffWarning)
        (record,) = GameArrays.load("a.npz")
    assert len(record) == 4 and record.ending == "unfinished"
