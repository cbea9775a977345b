"""A game in the terminal, position by position: by single keys, or by lines from a pipe."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from select import select
from textwrap import wrap
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

from hexgames_env.core.state import State
from hexgames_env.records import Record
from hexgames_env.records.telling import end_sentence, remark_sentences
from hexgames_env.rendering import to_text

HELP = """\
n, space, right, enter   a step forward        b, left    a step back
], down                  a turn forward        [, up      a turn back
$, end                   to the end            0, home    to the start
g NUMBER                 to this position      ?          this help
q                        the end"""
HINT = "n forward, b back, ] [ turns, g NUMBER, 0 $ ends, ? help, q quit"
WIDTH = 79

_LETTERS = {"A": "up", "B": "down", "C": "right", "D": "left", "F": "end", "H": "home"}
_NAMES = {  # of keys that send several bytes
    **{f"\x1b{between}{letter}": name for letter, name in _LETTERS.items() for between in "[O"},
    "\x1b[1~": "home",
    "\x1b[4~": "end",
    "\x1b[5~": "up",
    "\x1b[6~": "down",
}
_CUT_OFF = re.compile(rb"\x1b(\[[0-9;]*|O)?$")
_KEY = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])?|.", re.DOTALL)


def position_text(record: Record, step: int, state: State) -> str:
    """A position and what is said of it.

    >>> from hexgames_env import make_game
    >>> record = Record(make_game("rive", side=2).initial_state())
    >>> print(position_text(record, 0, record.start))
    start of 0 steps
    rive side=2 to_play=0 winner=none
      c   . .
     b   . . .
      a   . .
    Black (player_0) to play: place a stone
    B Black: 0 stones, W White: 0 stones
    After 0 steps: unfinished
    """
    steps = len(record)
    where = f"start of {steps} steps"
    if step:
        _, text, _ = state.last_step or (0, "", set())
        where = f"step {step} of {steps}: {text}"
    remark = record.remark(step)
    said = [*remark.comment.splitlines(), *remark_sentences(state, remark)]
    if step == steps:
        said.append(end_sentence(record))
    below = [line for sentence in said for line in wrap(sentence, WIDTH) or [""]]
    return "\n".join([where, to_text(state), *map(printable, below)])


def printable(text: str) -> str:
    """Without what would move a terminal's cursor, or worse.

    >>> printable("a\\x1b[2J")
    'a\\\\x1b[2J'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def print_game(record: Record) -> None:
    """All positions, an empty line between them."""
    print(printable(record.title()))
    for step, state in enumerate(record.states()):
        print(f"\n{position_text(record, step, state)}")


class Browser:
    """Which position of a game is shown; what a command does to it.

    Attributes:
        step: the number of the position.
        is_over: whether the reader has had enough.
    """

    def __init__(self, record: Record, step: int = 0) -> None:
        self.record, self.step = record, step
        self.is_over = False
        self._states = list(record.states())
        begins = record.game.begins_turn
        self._turns = [step for step, state in enumerate(self._states) if begins(state)]
        self._turns = sorted({0, *self._turns, len(record)})

    def text(self) -> str:
        """The position that is shown."""
        return position_text(self.record, self.step, self._states[self.step])

    def obey(self, command: str) -> str:
        """Do what a key or a line says; what there is to tell of it, often nothing."""
        last, was = len(self.record), self.step
        word = command.strip().lower()
        if word in ("n", "", "right"):
            self.step = min(was + 1, last)
        elif word in ("b", "left"):
            self.step = max(was - 1, 0)
        elif word in ("]", "down"):
            self.step = next((turn for turn in self._turns if turn > was), last)
        elif word in ("[", "up"):
            self.step = next((turn for turn in reversed(self._turns) if turn < was), 0)
        elif word in ("0", "home"):
            self.step = 0
        elif word in ("$", "end"):
            self.step = last
        elif word in ("q", "quit"):
            self.is_over = True
        elif word in ("?", "help", "h"):
            return HELP
        elif found := re.fullmatch(r"g\s*([0-9]{1,9})", word):
            if int(found[1]) > last:
                return f"the game has positions 0 to {last}, got {found[1]}"
            self.step = int(found[1])
        else:
            return f"{printable(command.strip())[:20]!r} is no key here: ? tells which there are"
        if self.step == was and not self.is_over:
            return "this is the end" if was == last else "this is the start" if was == 0 else ""
        return ""


def browse(record: Record, step: int = 0) -> None:
    """Show a game until the reader has had enough.

    Standard input may be a terminal, whose keys are read one by one, or anything with lines.
    """
    browser = Browser(record, step)
    if sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        with single_keys() as keys:
            _browse_by_keys(browser, keys)
        return
    print(f"{printable(record.title())}\n\n{browser.text()}")
    for line in sys.stdin or ():
        told = browser.obey(line)
        if browser.is_over:
            break
        print(f"\n{told or browser.text()}", flush=True)


def _browse_by_keys(browser: Browser, keys: Iterator[str]) -> None:
    told = ""
    number: str | None = None  # what has been typed of it
    while not browser.is_over:
        below = HINT if number is None else f"to position: {number}"
        title = printable(browser.record.title())
        said = f"{told}\n" if told else ""
        sys.stdout.write(f"\033[H\033[J{title}\n\n{browser.text()}\n\n{said}{below}")
        sys.stdout.flush()
        told = ""
        key = next(keys, "q")
        if number is None:
            if key == "g":
                number = ""
            else:
                told = browser.obey({" ": "n", "\r": "n", "\n": "n", "\x04": "q"}.get(key, key))
        elif key in "\r\n":
            told = browser.obey(f"g{number}") if number else ""
            number = None
        elif key.isascii() and key.isdigit():
            number = (number + key)[:9]
        elif key in ("\x7f", "\b"):
            number = number[:-1]
        else:
            number = None
    sys.stdout.write("\n")


@contextmanager
def single_keys() -> Iterator[Iterator[str]]:
    """The keys of the terminal, one by one, which afterwards is as it was, whatever ends it."""
    if sys.platform == "win32":
        yield _windows_keys()
        return
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    with _signals_as_exceptions():
        try:
            tty.setcbreak(terminal)
            yield _keys(terminal)
        finally:
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)


@contextmanager
def _signals_as_exceptions() -> Iterator[None]:
    """So that what has to be done at an end is done."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    if current_thread() is not main_thread():
        yield
        return
    wanted: dict[signal.Signals, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: end,
        signal.SIGHUP: end,
    }
    kept = {}
    try:
        for number, handler in wanted.items():
            if signal.getsignal(number) is not signal.SIG_IGN:
                kept[number] = signal.signal(number, handler)
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _keys(terminal: int) -> Iterator[str]:
    while got := os.read(terminal, 1024):
        while _CUT_OFF.search(got) and select([terminal], [], [], 0.05)[0]:
            got += os.read(terminal, 1024)
        for key in _KEY.findall(got.decode(errors="replace")):
            yield _NAMES.get(key, key)


def _windows_keys() -> Iterator[str]:
    msvcrt: Any = import_module("msvcrt")
    names = {"K": "left", "M": "right", "H": "up", "P": "down", "G": "home", "O": "end"}
    while True:
        key = msvcrt.getwch()
        if key == "\x03":
            raise KeyboardInterrupt
        yield names.get(msvcrt.getwch(), "?") if key in "\x00\xe0" else key
