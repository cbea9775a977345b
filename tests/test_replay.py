"""Records shown: pages, the command ``replay`` and its keys in a terminal; without a browser."""

from __future__ import annotations

import html
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import hexgames_env
from hexgames_env import OptionError, State, game_names, make_game
from hexgames_env.cli import main
from hexgames_env.cli.terminal import HELP, Browser, position_text, print_game
from hexgames_env.records import Record, Remark
from hexgames_env.records.whole import replacing
from hexgames_env.rendering import to_text
from processes import Ended, be_interruptible, environment, run

HOSTILE = "</script><img src=x onerror=alert(1)>'\"&amp;${x}\x1b[2J\u2028"
every_game = pytest.mark.parametrize("name", game_names())


@cache
def played(name: str, seed: int = 1, visits: int = 0, most: int = 1000, **options: Any) -> Record:
    """A random game, with a search's visits of so many actions in every position."""
    rng = random.Random(seed)
    state, remarks = make_game(name, **options).initial_state(seed), {}
    while not state.is_over and len(state.history) < most:
        legal = state.legal_actions()
        if visits:
            tried = rng.sample(legal, min(visits, len(legal)))
            counts = {action: rng.randint(1, 60) for action in tried}
            remarks[len(state.history)] = Remark("", round(rng.uniform(-1, 1), 3), counts)
        state.step(rng.choice(legal))
    return Record(state, players=("Ann", "Bob"), remarks=remarks)


def small() -> Record:
    """A game of few steps, with remarks."""
    state = make_game("oust", side=3, pie_rule=False).initial_state()
    for text in ("a1", "e3", "c3", "a3"):
        state.step(state.parse_action(text))
    remarks = {
        1: Remark("a surprise", -0.4, {4: 40, 5: 2}),
        3: Remark("two\nlines"),
    }
    return Record(state, players=("Ann", ""), remarks=remarks)


def data_of(page: str) -> dict[str, Any]:
    (text,) = re.findall(r'<script type="application/json" id="game">(.*?)</script>', page, re.S)
    found: dict[str, Any] = json.loads(text)
    return found


def unpacked(data: dict[str, Any], step: int, theme: str, heat: bool = False) -> list[Any]:
    """What the page is to show, unpacked as hexgames_env/records/film.py says."""

    def changed(numbers: list[int], splices: list[list[int]]) -> list[int]:
        numbers = list(numbers)
        for at, gone, *come in splices:
            numbers[at : at + gone] = come
        return numbers

    numbers: list[int] = []
    for splices in data["frames"][: step + 1]:
        numbers = changed(numbers, splices)
    key = f"{step}h" if heat else str(step)
    if heat:
        numbers = changed(numbers, data["others"].get(key, []))
    if theme == "dark":
        numbers = changed(numbers, data["others"].get(f"{key}d", []))
    found: list[Any] = []
    was_polygon = False
    for number in numbers:
        shape, place = divmod(number, len(data["colours"]))
        kind, *values = data["shapes"][shape]
        tag, *names = data["kinds"][kind]
        attributes, text = {}, None
        for name in names:
            word, has_value, fixed = name.partition("=")
            if not name:
                text = data["strings"][values.pop(0)]
            elif not has_value:
                attributes[word] = str(values.pop(0))
            else:
                attributes[word] = fixed or data["colours"][place][theme == "dark"]
        is_polygon = names[0] == "fill=" and tag == "path"
        if is_polygon and was_polygon and found[-1][1]["fill"] == attributes["fill"]:
            found[-1][1]["d"] += attributes["d"]
        else:
            found.append((tag, attributes, text))
        was_polygon = is_polygon
    return found


def shapes_of(svg: str) -> list[Any]:
    nodes = list(ElementTree.fromstring(svg))
    found = [(node.tag.rpartition("}")[2], node.attrib, node.text) for node in nodes]
    return [shape for shape in found if shape[0] not in ("title", "desc")]


# The page


@every_game
def test_a_page_has_the_pictures_of_all_positions(name: str) -> None:
    record = played(name, visits=6, most=60)
    data = data_of(record.to_html())
    for step, state in enumerate(record.states()):
        visits = dict(record.remark(step).visits)
        for theme in ("light", "dark"):
            assert unpacked(data, step, theme) == shapes_of(state.to_svg(theme=theme))
            if visits and step % 5 == 0:
                assert unpacked(data, step, theme, heat=True) == shapes_of(
                    state.to_svg(theme=theme, heat=visits)
                )
        said = state.words()
        words = [data["strings"][place] for place in data["words"][step]]
        assert words == [said.happened, said.headline, *said.counts]


def test_themes_that_do_not_have_the_same_elements() -> None:
    """Nearly equal heat is one colour in one theme, and two in the other."""
    state = make_game("rive", side=3).initial_state()
    state.step(0)
    legal = state.legal_actions()
    visits = {action: 1000 + 3 * k for k, action in enumerate(legal)}
    record = Record(state, remarks={1: Remark(visits=visits)})
    data = data_of(record.to_html())
    for theme in ("light", "dark"):
        expected = shapes_of(state.to_svg(theme=theme, heat=visits))
        assert unpacked(data, 1, theme, heat=True) == expected


SIZES: dict[
    str, tuple[dict[str, Any], int]
] = {  # the most thousand characters of a game of about so many steps
    "oust": ({"side": 7}, 140),
    "rive": ({"side": 5}, 140),
    "strands": ({"layout": "6"}, 130),
    "gipf": ({}, 60),
}


@pytest.mark.long
@pytest.mark.slow
@every_game
def test_the_size_of_a_page(name: str) -> None:
    options, most = SIZES[name]
    for seed in (1, 2):
        record = played(name, seed, most=300, **options)
        assert 25_000 < len(record.to_html()) < 1000 * most
    searched = played(name, 3, visits=20, most=80, **options)
    assert len(searched.to_html()) < 300_000


def test_a_page_refers_to_nothing_outside() -> None:
    page = small().to_html()
    assert not re.search(r"\b(?:src|href|url|import|fetch|@import)\b\s*[=(:]", page)
    addresses = set(re.findall(r"https?://[^\s\"'<]*", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert "default-src 'none'" in page and "unsafe-eval" not in page


def test_what_people_wrote_is_shown_as_they_wrote_it() -> None:
    state = make_game("rive", side=2).initial_state()
    state.step(0)
    record = Record(
        state,
        players=(HOSTILE, "$title"),
        date=HOSTILE,
        tags={"Event": HOSTILE},
        remarks={0: Remark(HOSTILE)},
    )
    page = record.to_html()
    assert "<img" not in page and page.count("</script>") == 2
    assert html.escape(HOSTILE.replace("\u2028", "")) in page.replace("\u2028", "")
    assert data_of(page)["remarks"]["0"] == [HOSTILE]
    (fragment,) = re.findall(r"srcdoc='([^']*)'></iframe>$", record.to_html(fragment=True))
    assert html.unescape(fragment) == page


def test_a_notebook_shows_a_frame_of_its_own() -> None:
    record = small()
    shown = record._repr_html_()
    assert shown == record.to_html(fragment=True)
    assert re.match('<iframe title="[^"<>]*" sandbox="allow-scripts" [^<>]*srcdoc=\'', shown)


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_the_theme_of_a_page(theme: str) -> None:
    page = small().to_html(theme=theme)
    head = page.partition("<head>")[0]
    assert (f"data-theme={theme}" in head) == (theme != "auto")


@pytest.mark.parametrize("theme", ["blue", None, 5, ""])
def test_themes_that_are_none(theme: Any) -> None:
    with pytest.raises(OptionError, match="theme must be 'auto' or 'light' or 'dark', got"):
        small().to_html(theme=theme)


def test_how_a_game_ended_stands_in_its_page() -> None:
    state = make_game("rive", side=2).initial_state()
    for ending, winner in (("resigned", 1), ("time", 0), ("cut off", None), ("unfinished", None)):
        record = Record(state, ending=ending, winner=winner)  # type: ignore[arg-type]
        page = record.to_html()
        assert data_of(page)["end"] == record.outcome_words()
        assert record.outcome_words() in page
    state.step(3)
    lost = Record(state, illegal=3)
    assert data_of(lost.to_html())["end"] == lost.outcome_words()
    over = played("rive", side=2)
    assert data_of(over.to_html())["end"] == ""  # the last position says it
    assert f"<p>After {len(over)} steps: {over.outcome_words()}</p>" in over.to_html()


@pytest.mark.long
def test_pages_of_a_package_in_a_zip(tmp_path: Path) -> None:
    folder = Path(hexgames_env.__file__).parent
    archive = shutil.make_archive(str(tmp_path / "all"), "zip", folder.parent, folder.name)
    code = """
import sys
from hexgames_env import make_game
from hexgames_env.records import Record
import hexgames_env
print(hexgames_env.__file__)
print(len(Record(make_game("rive", side=2).initial_state()).to_html()))
"""
    (where, length), _ = run(
        code, path=Path(archive), NUMBA_CACHE_DIR=str(tmp_path), HEXGAMES_QUIET="1"
    )
    assert where.startswith(archive) and int(length) > 15_000


# The command


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file with a game, in the folder where the command runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.txt").write_text(small().to_string(), encoding="utf-8")
    return "game.txt"


@pytest.fixture
def replay(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*words: str) -> Ended:
        code: Any
        try:
            code = main(["replay", *words])
        except SystemExit as error:
            code = error.code
        return Ended(code, *capsys.readouterr())

    return call


def test_replay_writes_a_page_and_a_picture(replay: Any, file: str) -> None:
    done = replay(file, "--html", "game.html", "--svg", "game.svg", "--theme", "dark")
    assert done == (0, "written to game.html\nwritten to game.svg\n", "")
    assert Path("game.html").read_text(encoding="utf-8") == small().to_html(theme="dark")
    assert Path("game.svg").read_text(encoding="utf-8") == small().final.to_svg(theme="dark")
    done = replay(file, "--svg", "game.svg", "--step", "2", "--size", "200")
    assert done.code == 0
    assert Path("game.svg").read_text(encoding="utf-8") == small().state(2).to_svg(200)
    assert sorted(os.listdir()) == ["game.html", "game.svg", "game.txt"]


def test_replay_prints_a_game(replay: Any, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = replay(file, "--text")
    record = small()
    assert done.code == 0 and not done.err
    title, *positions = done.out.rstrip("\n").split("\n\n")
    assert title == record.title()
    assert positions == [
        position_text(record, step, state) for step, state in enumerate(record.states())
    ]
    assert "a surprise\nValue for White (player_1): -0.4\nVisits: " in positions[1]
    print_game(record)
    assert capsys.readouterr().out == done.out


def test_a_position_in_a_terminal_is_told_whole() -> None:
    record = small()
    state = record.state(1)
    lines = position_text(record, 1, state).split("\n")
    assert lines[0] == "step 1 of 4: a1"
    assert "\n".join(lines[1:-3]) == to_text(state)
    visits = [f"{state.action_to_string(action)} {n}" for action, n in ((4, 40), (5, 2))]
    assert lines[-1] == f"Visits: {visits[0]} (95%), {visits[1]} (5%)"
    hostile = Record(record.start, remarks={0: Remark("\x1b[2Jx\x9b\n\r\u202e")})
    told = position_text(hostile, 0, hostile.start)
    assert "\x1b" not in told and "\x9b" not in told and "\u202e" not in told


MISTAKES: dict[tuple[str, ...], str] = {
    (): "required: FILE",
    ("game.txt", "--game", "2"): "game.txt has 1 game, got --game 2",
    ("game.txt", "--game", "0"): "must be an integer from 1 on, got '0'",
    ("game.txt", "--step", "5", "--svg", "x.svg"): "K of --step is 0 to 4, got 5",
    ("game.txt", "--step", "-1"): "--step",
    ("game.txt", "--step", "x"): "must be an integer from 0 on, got 'x'",
    ("game.txt", "--theme", "red", "--text"): "invalid choice: 'red'",
    ("game.txt", "--svg", "x.svg", "--size", "99"): "an integer from 100 to 4000, got 99",
    ("game.txt", "--gif", "x.gif", "--size", "99999"): "an integer from 100 to 4000, got 99999",
}


@pytest.mark.parametrize("words", MISTAKES, ids=" ".join)
def test_mistakes_of_replay(replay: Any, file: str, words: tuple[str, ...]) -> None:
    done = replay(*words)
    assert done.code == 2 and done.out == "" and MISTAKES[words] in done.err, done
    assert done.err.splitlines()[-1].startswith("hexgames replay: ")
    assert os.listdir() == ["game.txt"]


def test_files_that_are_no_records(replay: Any, file: str) -> None:
    assert replay("none.txt") == (1, "", "hexgames replay: none.txt: No such file or directory\n")
    assert replay(".") == (1, "", "hexgames replay: .: Is a directory\n")
    text = Path(file).read_text(encoding="utf-8")
    Path("wrong.txt").write_text(text.replace("2. e3", "2. zz"), encoding="utf-8")
    done = replay("wrong.txt", "--text")
    assert done.code == 2 and done.out == ""
    assert re.match(r"wrong\.txt:\d+:\d+: 'zz' is no action of oust", done.err), done.err
    Path("bytes.txt").write_bytes(b"\xff\xfe\0")
    done = replay("bytes.txt", "--text")
    assert done.code == 2 and done.err.startswith("bytes.txt:1:1: ")


def test_a_record_that_breaks_off_is_shown_as_far_as_it_goes(replay: Any, file: str) -> None:
    text = Path(file).read_text(encoding="utf-8")
    Path("broken.txt").write_text(text.partition("[Termination")[0], encoding="utf-8")
    done = replay("broken.txt", "--text")
    assert done.code == 0 and "step 4 of 4" in done.out
    assert done.err.startswith("hexgames replay: broken.txt:1: this record of Oust has no end")


def test_nothing_half_written_is_left(
    replay: Any, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("kept.txt").write_text("kept", encoding="utf-8")

    def fails() -> None:
        with replacing("kept.txt") as new:
            new.write_text("half", encoding="utf-8")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left") as caught:
        fails()
    assert caught.value.filename == "kept.txt"
    assert sorted(os.listdir()) == ["game.txt", "kept.txt"]
    os.symlink("kept.txt", "link.txt")
    with replacing("link.txt") as new:
        new.write_text("new", encoding="utf-8")
    assert Path("kept.txt").read_text(encoding="utf-8") == "new" and Path("link.txt").is_symlink()
    for name, said in (
        ("nowhere/x.html", "No such file or directory"),
        (".", "Is a directory"),
        ("", "Is a directory"),
        ("x" * 300, "File name too long"),
    ):
        done = replay(file, "--html", name)
        assert done == (1, "", f"hexgames replay: {name or '.'}: {said}\n")
    assert replay(file, "--html", "/dev/null").code == 0
    assert not Path("/dev/null").is_file()


def test_a_gif_wants_its_libraries(replay: Any, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    monkeypatch.setattr("hexgames_env.rendering.pixels.find_spec", lambda name: None)
    done = replay(file, "--gif", "game.gif")
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("hexgames replay: --gif: ")
    assert 'pip install "hexgames-env[render]"' in done.err
    assert os.listdir() == ["game.txt"]


# In the terminal


def test_commands_move_through_a_game() -> None:
    record = played("strands", layout="5", most=30)
    browser = Browser(record)
    ends = [0]
    for turn in record.turns():
        ends.append(ends[-1] + len(turn))
    assert max(map(len, record.turns())) > 1
    for end in ends[1:]:
        assert browser.obey("]") == "" and browser.step == end
    assert browser.obey("]") == "this is the end" and browser.step == ends[-1]
    for end in ends[-2::-1]:
        assert browser.obey("[") == "" and browser.step == end
    assert browser.obey("[") == browser.obey("b") == "this is the start"
    for step, word in enumerate(("n", "", "right", " n \n"), 1):
        assert browser.obey(word) == "" and browser.step == step
    assert browser.obey("left") == "" and browser.step == 3
    assert browser.obey("$") == "" and browser.step == len(record)
    assert browser.obey("0") == "" and browser.step == 0
    assert browser.obey("g 7") == browser.obey("g7") == "" and browser.step == 7
    assert "positions 0 to 30, got 31" in browser.obey("g 31") and browser.step == 7
    assert browser.obey("?") == HELP
    assert browser.obey("\x1b[5x") == "'\\\\x1b[5x' is no key here: ? tells which there are"
    assert not browser.is_over and browser.obey("q") == "" and browser.is_over


HEXGAMES = (sys.executable, "-W", "error", "-m", "hexgames_env", "replay")


def test_lines_where_there_are_no_keys(file: str) -> None:
    done = subprocess.run(
        [*HEXGAMES, file],
        input=b"\n]\ng 0\n$\n?\nq\nn\n",
        capture_output=True,
        env=environment(),
        timeout=100,
        check=True,
    )
    record = small()
    shown = [position_text(record, step, record.state(step)) for step in (0, 1, 2, 0, 4)]
    assert done.stderr == b""
    assert done.stdout.decode() == "\n\n".join([record.title(), *shown, HELP]) + "\n"


# So that Ctrl-C comes from the terminal as it does to people
IN_ITS_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """The command in a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self.mine, theirs = pty.openpty()
        self.before = termios.tcgetattr(self.mine)
        changes = {"TERM": "xterm", "NO_COLOR": None}
        self.process = subprocess.Popen(
            [sys.executable, "-c", IN_ITS_TERMINAL, *HEXGAMES, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment(changes=changes),
            start_new_session=True,
            preexec_fn=be_interruptible,
        )
        self.theirs = theirs

    def until(self, what: str, seconds: float = 60) -> str:
        """What it writes up to and with these words."""
        said, end = "", time.monotonic() + seconds
        while what not in said:
            assert time.monotonic() < end, said
            if select.select([self.mine], [], [], 0.2)[0]:
                said += os.read(self.mine, 65536).decode()
        return said

    def press(self, keys: str, until: str) -> str:
        os.write(self.mine, keys.encode())
        return self.until(until)

    def end(self) -> int:
        code = self.process.wait(60)
        assert termios.tcgetattr(self.mine) == self.before
        return code

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.mine)
        os.close(self.theirs)


@pytest.fixture
def terminal(file: str) -> Iterator[Terminal]:
    opened = Terminal(file)
    yield opened
    opened.close()


def test_keys_in_a_terminal(terminal: Terminal) -> None:
    said = terminal.until("q quit")
    assert "Oust: Ann (Black) and player_1 (White)" in said and "start of 4 steps" in said
    assert termios.tcgetattr(terminal.mine) != terminal.before
    assert "step 1 of 4: a1" in (said := terminal.press("n", "q quit"))
    assert "\033[1;34m" in said and "a surprise" in said  # in colour
    assert "step 2 of 4" in terminal.press(" ", "q quit")
    assert "step 3 of 4" in terminal.press("\033[C", "q quit")
    assert "step 2 of 4" in terminal.press("\033[D", "q quit")
    assert "step 3 of 4" in terminal.press("\033OB", "q quit")
    assert "step 2 of 4" in terminal.press("\033[A", "q quit")
    assert "step 4 of 4" in terminal.press("$", "q quit")
    assert "this is the end" in terminal.press("n", "q quit")
    assert "start of 4 steps" in terminal.press("0", "q quit")
    terminal.press("g", "to position: ")
    terminal.press("32", "to position: 32")
    terminal.press("\x7f", "to position: 3")
    assert "step 3 of 4" in terminal.press("\r", "q quit")
    assert HELP.split("\n")[-1] in terminal.press("?", "q quit").replace("\r", "")
    assert "is no key here" in terminal.press("x", "q quit")
    os.write(terminal.mine, b"\033")  # an arrow that comes in two parts
    time.sleep(0.01)
    assert "step 4 of 4" in terminal.press("[C", "q quit")
    os.write(terminal.mine, b"q")
    assert terminal.end() == 0


@pytest.mark.parametrize(
    ("ending", "code"), [(b"\x03", 130), (b"\x04", 0), (signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_the_terminal_is_left_as_it_was(terminal: Terminal, ending: Any, code: int) -> None:
    terminal.until("q quit")
    if isinstance(ending, bytes):
        os.write(terminal.mine, ending)
    else:
        terminal.process.send_signal(ending)
    assert terminal.end() == code


def test_the_step_to_begin_with(file: str) -> None:
    opened = Terminal(file, "--step", "2")
    try:
        assert "step 2 of 4" in opened.until("q quit")
        os.write(opened.mine, b"q")
        assert opened.end() == 0
    finally:
        opened.close()


def test_states_are_not_those_of_the_record() -> None:
    """A reader of a page or a terminal changes no record."""
    record = small()
    text = record.to_string()
    Browser(record).obey("$")
    record.to_html()
    assert record.to_string() == text and isinstance(record.final, State)
