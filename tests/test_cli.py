"""The command line as people meet it: examples of the help, mistakes, pipes, Ctrl-C, encodings."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import hexgames_env
from digests import NAMES
from hexgames_env import Game, State, game_names, make_game
from hexgames_env.cli import (
    MODULES,
    GameParser,
    add_game_arguments,
    add_seed_argument,
    chosen_game,
    count,
    main,
)
from hexgames_env.records import Record, write_records
from processes import ROOT, Ended, be_interruptible, ended, environment

COMMANDS = ("list", "show", "random", "bench", "records", "replay", "analyse", "solve", "arena")
PARTS = [("records", part) for part in ("check", "convert", "stats")]
SEARCHING = [("analyse",), ("solve",), ("arena",)]
EXAMPLES = [
    pytest.param(words, marks=[pytest.mark.long] if words in SEARCHING else [])
    for words in [(), *((name,) for name in COMMANDS), *PARTS]
]
HEXGAMES = (sys.executable, "-W", "error", "-m", "hexgames_env")
MIDDLE = "oust side=2 board=../B.W/.. to_play=0 winner=none"


@pytest.fixture
def hexgames(capsys: pytest.CaptureFixture[str]) -> Any:
    """The command in this process: its words, and how it ends."""

    def run(*words: str) -> Ended:
        code: Any
        try:
            code = main(words)
        except SystemExit as error:
            code = error.code
        return Ended(code, *capsys.readouterr())

    return run


def in_a_process(*words: str | bytes, **more: Any) -> Ended:
    return ended(*HEXGAMES, *words, **more)


def in_a_shell(line: str) -> Ended:
    """A line of a shell in which ``hexgames`` is the command; its code is that of the command."""
    command = f'hexgames() {{ {shlex.join(HEXGAMES)} "$@"; }}\n{line}'
    done = ended("bash", "-c", command)
    said = [line for line in done.err.splitlines(keepends=True) if "setlocale" not in line]
    return done._replace(err="".join(said))  # bash complains where a locale is not installed


# Help


@pytest.mark.parametrize("command", EXAMPLES, ids=" ".join)
def test_the_example_of_each_help_runs(
    hexgames: Any, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("games.hgn", "games.npz", "game.txt"):  # as the examples name them
        write_records(name, [Record(State.from_string(MIDDLE))])
    told = hexgames(*command, "--help")
    *_, last = told.out.strip().splitlines()
    assert told.code == 0 and not told.err and last.startswith("example: hexgames ")
    words = shlex.split(last)[2:]
    assert words[: len(command)] == list(command)
    done = hexgames(*words)
    assert done.code == 0 and done.out and not done.err


def test_the_help_names_all_commands_and_exit_codes(hexgames: Any) -> None:
    told = hexgames("--help").out
    assert re.findall(r"^    (\w+) ", told, re.MULTILINE) == [*COMMANDS]
    assert re.findall(r"\b(\d+) [a-z]", told) == ["0", "1", "2", "130", "141"]


def test_a_command_imports_no_other() -> None:
    code = "import sys; from hexgames_env.cli import main; code = main(sys.argv[1:]); "
    code += "print(*sorted(sys.modules), file=sys.stderr); sys.exit(code)"
    for words in (["list"], ["show", MIDDLE]):
        done = ended(sys.executable, "-c", code, *words)
        assert done.code == 0
        loaded = {name for name in done.err.split() if name.startswith("hexgames_env.")}
        rooms = {name.split(".")[1] for name in loaded}
        assert rooms & {"arena", "search", "records"} == set() and "cli" in rooms
        assert {"hexgames_env.cli.arena", "hexgames_env.cli.analyse"} & loaded == set()


def test_each_command_is_where_it_is_looked_for() -> None:
    assert tuple(MODULES) == COMMANDS
    for name, module in MODULES.items():
        parser = argparse.ArgumentParser()
        commands = parser.add_subparsers(parser_class=GameParser)
        import_module(f"hexgames_env.cli.{module}").add_commands(commands)
        assert [*commands.choices] == [other for other in MODULES if MODULES[other] == module]
        assert name in commands.choices


def test_the_version(hexgames: Any) -> None:
    assert hexgames("--version") == (0, f"{hexgames_env.__version__}\n", "")


def test_the_installed_command_is_this_one() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'hexgames = "hexgames_env.cli:main"' in project
    assert in_a_process("--version").out == f"{hexgames_env.__version__}\n"


# What the commands show


def test_list_names_every_game_and_option(hexgames: Any) -> None:
    lines = hexgames("list").out.splitlines()
    for name in game_names():
        begin = next(k for k, line in enumerate(lines) if line.startswith(f"{name} "))
        for k, option in enumerate(hexgames_env.make_game(name).option_types, begin + 1):
            assert lines[k].strip().startswith(f"{option}=")
    assert lines[-1].startswith("bots: random, greedy")


@pytest.mark.surroundings
def test_show_takes_a_position_in_any_form(hexgames: Any, tmp_path: Path) -> None:
    shown = hexgames("show", MIDDLE)
    assert shown.code == 0 and " b   B . W\n" in shown.out
    assert hexgames("show", *MIDDLE.split()) == shown
    assert in_a_process("show", "-", stdin=f"\n {MIDDLE}\n".encode()) == shown
    file = tmp_path / "picture.svg"
    drawn = hexgames("show", MIDDLE, "--svg", str(file), "--theme", "dark")
    assert drawn == (0, f"{shown.out}written to {file}\n", "")
    picture = file.read_text(encoding="utf-8")
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert picture == State.from_string(MIDDLE).to_svg(theme="dark")


def test_random_plays_to_the_end_and_the_same_with_the_same_seed(hexgames: Any) -> None:
    words = ("random", "rive", "--options", "side=2", "--bot", "greedy", "--bot", "random")
    played = hexgames(*words, "--seed", "1")
    assert played.code == 0 and hexgames(*words, "--seed", "1") == played
    assert hexgames(*words, "--seed", "2") != played
    *_, last = played.out.splitlines()
    form = r"(\d+) steps: \w+ \(player_(\d)\) has won, played by make_bot\('(\w+)'\)"
    found = re.fullmatch(form, last)
    assert found, last
    steps, player, bot = found.groups()
    assert bot == ("greedy", "random")[int(player)]
    assert len(played.out.split("\n\n")) == int(steps) + 1
    shorter = hexgames(*words, "--seed", "1", "--last")
    assert shorter.out == played.out.split("\n\n")[-1]


def test_bench_tells_of_both(hexgames: Any) -> None:
    done = hexgames("bench", "oust", "--options", "side=2", "--seconds", "0.01", "--seed", "3")
    assert done.code == 0 and not done.err
    for line in done.out.splitlines():
        assert re.fullmatch(
            r"oust side=2 pie_rule=true, .*: [\d,]+ steps a second on one core", line
        )
    assert len(done.out.splitlines()) == 2


def test_a_bot_in_the_folder_where_one_is(tmp_path: Path) -> None:
    """The installed command did not find it: that has its own folder first on the path."""
    (tmp_path / "mine.py").write_text(
        "def first(state, rng):\n    return state.legal_actions()[0]\n"
    )
    code = "import sys; sys.path = [p for p in sys.path if p]; from hexgames_env.cli import main; "
    code += "sys.exit(main())"
    words = ("random", "oust", "--options", "side=2", "--bot", "mine:first", "--last")
    done = ended(sys.executable, "-c", code, *words, cwd=tmp_path)
    assert done.code == 0 and "<function first" in done.out


# A game and its options, which scripts take in the same way

SIDE_3 = make_game("oust", side=3)
PLAIN_3 = make_game("oust", side=3, pie_rule=False)


@pytest.mark.parametrize(
    ("words", "game"),
    [
        ("oust side=3", SIDE_3),
        ("side=3 oust", SIDE_3),
        ("oust --options side=3", SIDE_3),
        ("--options side=3 oust", SIDE_3),
        ("--options side=3 -- oust", SIDE_3),
        ("--seed 1 --options side=3 --seed 2 oust", SIDE_3),
        ("oust --seed 1 side=3", SIDE_3),
        ("--seed 1 oust side=3", SIDE_3),
        ("side=3 --seed 1 oust", SIDE_3),
        ("side=3 --seed 1 oust --seed 2 pie_rule=false", PLAIN_3),
        ("--options side=3 --options pie_rule=false oust", PLAIN_3),
        ("pie_rule=false --seed 1 --options oust side=3", PLAIN_3),
        ("rive", make_game("rive")),
    ],
)
def test_a_game_and_its_options_stand_in_any_order(words: str, game: Game) -> None:
    parser = GameParser()
    add_game_arguments(parser)
    add_seed_argument(parser, 0)
    for _ in range(2):  # nothing is left of what was read before
        assert chosen_game(parser.parse_args(words.split())) == game


@pytest.mark.parametrize(
    ("words", "game"),
    [
        ("", make_game("rive", side=3)),
        ("rive", make_game("rive", side=3)),
        ("rive side=4", make_game("rive", side=4)),
        ("--options side=4", make_game("rive", side=4)),
        ("oust", make_game("oust")),
    ],
)
def test_a_script_may_have_a_game_and_boards_of_its_own(words: str, game: Game) -> None:
    parser = GameParser()
    add_game_arguments(parser, "rive", {"rive": ["side=3"]})
    assert chosen_game(parser.parse_args(words.split())) == game
    assert "rive if none is named" in " ".join(parser.format_help().split())


def test_the_command_takes_words_in_any_order(hexgames: Any) -> None:
    words = "random oust side=2 --seed 1 --last", "random --last side=2 --seed 1 oust"
    one, other = (hexgames(*line.split()) for line in words)
    assert one == other and one.code == 0 and one.out.startswith("oust side=2 ")


def test_numbers_of_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    parser = GameParser()
    add_seed_argument(parser, below=2**32)
    parser.add_argument("--steps", type=count)
    given = parser.parse_args(["--seed", str(2**32 - 1), "--steps", "1"])
    assert (given.seed, given.steps) == (2**32 - 1, 1)
    assert parser.parse_args([]).seed is None
    for words, told in (
        (["--seed", str(2**32)], "from 0 to 2**32 - 1, got '4294967296'"),
        (["--steps", "0"], "must be an integer from 1 on, got '0'"),
        (["--steps", "+1"], "must be an integer from 1 on, got '+1'"),
        (["--steps", "9" * 5000], "must be an integer from 1 on, got '9"),
    ):
        with pytest.raises(SystemExit):
            parser.parse_args(words)
        assert told in capsys.readouterr().err


# Mistakes

MISTAKES: dict[tuple[str, ...], str] = {
    (): "required: COMMAND",
    ("nonsense",): "invalid choice: 'nonsense'",
    ("list", "more"): "unrecognized arguments: more",
    ("show",): "required: position",
    ("show", ""): "there is no game ''",
    ("show", "chess side=2"): "there is no game 'chess': the games are oust, ",
    ("show", "oust side=2"): "",
    ("show", "oust side=2 board=../B.X/.. to_play=0 winner=none"): "'../B.X/..'",
    ("show", "oust side=99 board=. to_play=0 winner=none"): "side must be an integer from 2 to 9",
    ("show", "oust side=²"): "ASCII",
    ("show", "\udcff\udcfe"): "ASCII",
    ("show", "오스트 side=2"): "ASCII",
    ("show", "x" * 30_000): "a position is at most",
    ("show", MIDDLE, "--theme", "blue"): "invalid choice: 'blue'",
    ("show", MIDDLE, "--size", "99"): "an integer from 100 to 4000, got 99",
    ("random",): "no game is named: the games are oust, ",
    ("random", "chess"): "there is no game 'chess': the games are oust, ",
    ("random", "oust", "rive"): "one game is wanted, got 'oust' and 'rive'",
    ("random", "--options", "side=3", "oust", "rive"): "one game is wanted, got 'oust' and 'rive'",
    ("random", "oust", "oust"): "one game is wanted, got 'oust' and 'oust'",
    ("random", "side=3"): "no game is named: the games are oust, ",
    ("random", "oust", "side"): "there is no game 'side'",
    ("random", "oust", "side", "=", "3"): "options are written NAME=VALUE",
    ("random", "oust", "="): "'=' is not NAME=VALUE",
    ("random", "oust", "side="): "'side=' is not NAME=VALUE",
    ("random", "oust", "side=3", "--options", "side=3"): "side is given twice",
    ("random", ""): "there is no game ''",
    ("random", "⬡"): "there is no game '⬡'",
    ("random", "oust", "--options"): "expected at least one argument",
    ("random", "oust", "--options", "side"): "'side' is not NAME=VALUE",
    ("random", "oust", "--options", "side=x"): "side must be an integer from 2 to 9, got 'x'",
    ("random", "oust", "--options", "side=99"): "side must be an integer from 2 to 9, got 99",
    ("random", "oust", "--options", "side=3", "side=4"): "side is given twice",
    ("random", "oust", "--options", "cover=up_to"): "cover",
    ("random", "oust", "--option"): "expected at least one argument",
    ("random", "oust", "--colour"): "unrecognized arguments: --colour",
    ("random", "--colour", "red", "oust"): "unrecognized arguments: --colour",
    ("random", "oust", "--seed"): "expected one argument",
    ("random", "oust", "--seed", "x"): "from 0 to 2**64 - 1, got 'x'",
    ("random", "oust", "--seed", "1.5"): "from 0 to 2**64 - 1, got '1.5'",
    ("random", "oust", "--seed", "-1"): "from 0 to 2**64 - 1, got '-1'",
    ("random", "oust", "--seed", "9" * 5000): "from 0 to 2**64 - 1, got '9",
    ("random", "oust", "--bot", ""): "there is no bot ''",
    ("random", "oust", "--bot", "clever"): "there is no bot 'clever': the bots are random, ",
    ("random", "oust", "--bot", "random level=3"): "does not take level=3",
    ("random", "oust", "--bot", "nowhere:bot"): "can't be loaded: No module named 'nowhere'",
    ("random", "oust", "--bot", "math:nothing"): "can't be loaded",
    ("random", "oust", "--bot", "math:pi"): "got 3.14",
    ("random", "oust", "--bot", "test_cli:wrong", "--last"): "got -7",
    ("random", "oust", *(["--bot", "random"] * 3)): "--bot is given 3 times",
    ("bench",): "no game is named: the games are oust, ",
    ("bench", "oust", "--seconds", "0"): "must be above 0 and at most 3600, got '0'",
    ("bench", "oust", "--seconds", "nan"): "must be above 0 and at most 3600, got 'nan'",
    ("bench", "oust", "--seconds", "-inf"): "--seconds",
    ("bench", "oust", "--seconds", "long"): "must be above 0 and at most 3600, got 'long'",
    ("bench", "oust", "--seed", str(2**64)): f"from 0 to 2**64 - 1, got '{2**64}'",
}


def wrong(state: State, rng: object) -> int:
    return -7


@pytest.mark.surroundings
@pytest.mark.parametrize("words", MISTAKES, ids=lambda words: " ".join(words)[:50])
def test_a_mistake_is_told_in_words(hexgames: Any, words: tuple[str, ...]) -> None:
    done = hexgames(*words)
    assert done.code == 2 and done.out == "", done
    *usage, told = done.err.splitlines()
    assert (
        re.match("hexgames( (show|random|bench|replay|analyse))?: ", told)
        and MISTAKES[words] in told
    )
    assert not usage or usage[0].startswith("usage: hexgames")


@pytest.mark.long
def test_mistakes_in_bytes_and_in_what_is_piped() -> None:
    for words, stdin in (
        ((b"show", b"\xff\xfe"), b""),
        ((b"random", b"\xe4"), b""),
        ((b"random", b"oust", b"--seed", b"\xb2"), b""),
        ((b"show", b"-"), b"\xff\xfe"),
        ((b"show", b"-"), b""),
        ((b"show", b"-"), b"\0" * 300_000),
    ):
        done = in_a_process(*words, stdin=stdin, PYTHONIOENCODING="utf-8:strict")
        assert done.code == 2 and done.out == "", done
        assert done.err.splitlines()[-1].startswith("hexgames ") and "Traceback" not in done.err


@pytest.mark.surroundings
@pytest.mark.parametrize("file", ["", ".", "/dev/null/x", "/nowhere/x.svg", "x" * 300])
def test_a_file_that_can_not_be_written(hexgames: Any, file: str) -> None:
    done = hexgames("show", MIDDLE, "--svg", file)
    assert done.code == 1
    assert re.fullmatch(rf"hexgames show: {file or '.'}: [A-Z][a-z ]+\n", done.err)


# Pipes and terminals that are not there


@pytest.mark.long
@pytest.mark.parametrize("command", ["list", "--help", "random rive --options side=2", "--version"])
def test_nobody_reads_the_output(command: str) -> None:
    for reader in ("true", "head -1 >/dev/null"):
        done = in_a_shell(f"hexgames {command} | {reader}; exit ${{PIPESTATUS[0]}}")
        assert done.code in (0, 141) and done.err == "", done
    closed, mine = os.pipe()
    os.close(closed)
    line = [*HEXGAMES, *command.split()]
    late = subprocess.run(line, stdout=mine, stderr=subprocess.PIPE, env=environment(), check=False)
    os.close(mine)
    assert (late.returncode, late.stderr) == (141, b"")


def test_a_disk_that_is_full() -> None:
    done = in_a_shell("hexgames list > /dev/full")
    assert done == (1, "", "hexgames list: No space left on device\n")


@pytest.mark.long
def test_closed_streams() -> None:
    show = f"hexgames show '{MIDDLE}'"
    assert in_a_shell(f"{show} >&-") == (0, "", "")
    assert in_a_shell(f"{show} 2>&-").code == 0
    assert in_a_shell("hexgames random oust --options side=2 >&- 2>&- <&-").code == 0
    done = in_a_shell("hexgames show - <&-")
    assert done.code == 2 and done.err.startswith("hexgames show: there is no game ''")


PLAIN = [
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


@pytest.mark.long
@pytest.mark.parametrize("changes", PLAIN, ids=str)
def test_plain_terminals(changes: dict[str, Any], tmp_path: Path) -> None:
    for words in (("--help",), ("list",), ("show", MIDDLE, "--svg", "bild-ä-⬡.svg")):
        done = in_a_process(*words, cwd=tmp_path, **changes)
        assert done.code == 0 and done.out.isascii() and done.err == "", done
    assert len(list(tmp_path.iterdir())) == 1
    done = in_a_process("random", "⬡", **changes)
    assert done.code == 2 and done.err.isascii() and "there is no game" in done.err


def test_without_docstrings() -> None:
    done = ended(sys.executable, "-OO", "-m", "hexgames_env", "list")
    assert done.code == 0 and done.err == ""
    assert [line.split()[0] for line in done.out.splitlines() if line[0] != " "] == [
        *NAMES,
        "bots:",
    ]


# Ctrl-C

SLOW = """
import time
def slow(state, rng):
    time.sleep(0.2)
    return state.legal_actions()[0]
"""
BEGIN = """
import sys
from hexgames_env import cli
parser = cli._parser
def begun(words):
    print("begun", flush=True)
    return parser(words)
cli._parser = begun
sys.exit(cli.main())
"""


@pytest.mark.parametrize("after", [0.0, 0.4, 1.5])
@pytest.mark.parametrize(
    "words",
    ["random rive --bot slow_bot:slow", "bench oust --options side=3 --seconds 1000"],
    ids=["random", "bench"],
)
def test_an_interruption_is_an_end(words: str, after: float, tmp_path: Path) -> None:
    """Also while code is compiled: nothing is kept here when it begins.

    LLVM calls Python back while it compiles, and swallowed what was raised there.
    """
    (tmp_path / "slow_bot.py").write_text(SLOW)
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN, *words.split()],
        env=environment(changes={"NUMBA_CACHE_DIR": str(tmp_path)}),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=be_interruptible,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, err) == (-signal.SIGINT, "")  # 130 for a shell


def test_an_interruption_in_a_process_that_goes_on(
    hexgames: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(state: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("hexgames_env.cli.games.to_text", interrupted)
    assert hexgames("show", MIDDLE) == (130, "", "")


@pytest.mark.long
def test_an_interruption_of_others_is_not_taken() -> None:
    """A shell's `&` starts a command that Ctrl-C in the terminal is not meant for."""
    done = in_a_shell(
        "trap '' INT; hexgames bench oust --options side=2 --seconds 0.4 & sleep 1.2; "
        "kill -INT $!; wait $!"
    )
    assert done.code == 0 and len(done.out.splitlines()) == 2
