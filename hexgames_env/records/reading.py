"""Records read from text, each place that is wrong told by line and column."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hexgames_env.core.registry import game_from_string
from hexgames_env.core.state import State, read_position
from hexgames_env.errors import (
    GameOverError,
    IllegalActionError,
    NotationError,
    OptionError,
    PositionTextError,
    RecordError,
)
from hexgames_env.records.facts import KNOWN_TAGS, MAX_STEPS, WINNERS, Remark
from hexgames_env.records.text import FILLER, NUMBER, has_drawn_start, notation_of, unescaped

MAX_RECORD = 64_000_000  # characters
MAX_WORDS = 3 * MAX_STEPS  # each step with a number and a remark

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<tag>\[([A-Za-z][A-Za-z0-9_]{0,63})\ "((?:[^"\\\n]|\\.)*)"\])
    |(?P<remark>\{((?:[^{}\\]|\\.)*)\})
    |(?P<quoted>"((?:[^"\\\n]|\\.)*)")
    |(?P<word>[^\s\[\]{}"]+))""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"remark": 5, "quoted": 7, "word": 8}  # groups
_EMPTY_LINE = re.compile(r"\n[ \t\r]*\n")
_COMMAND = re.compile(r"\[%(value|visits) ((?:[^\]\\\"]|\\.|\"(?:[^\"\\]|\\.)*\")*)\]", re.DOTALL)
_VISITS = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^\s:"]+)):([0-9]{1,19})(?=\s|$)', re.DOTALL)


def _stripped(text: str) -> str:
    """Without the spaces around it, but for one behind a backslash."""
    text = text.lstrip(" ")
    without = text.rstrip(" ")
    backslashes = len(without) - len(without.rstrip("\\"))
    return without + " " if backslashes % 2 and len(without) < len(text) else without


class Reader:
    """Reads the text of one record.

    Args:
        text: of it and no other.
        file, line: where it begins, for messages.

    Attributes:
        broken: what is missing, if the record has no end; else "".
    """

    def __init__(self, text: Any, file: str, line: int) -> None:
        if not isinstance(text, str):
            raise RecordError(f"a record is read from a str, got {type(text).__name__}")
        if len(text) > MAX_RECORD:
            raise RecordError(f"a record has at most {MAX_RECORD:,} characters", file, line, 1)
        self.text = text.rstrip().rstrip(FILLER.decode())
        if len(self.text) == len(text.rstrip()):
            self.text = text  # the white space behind the last word counts
        self.file, self.line = file, line
        self.tags: dict[str, tuple[str, int]] = {}
        self.middle: list[tuple[str, str, int]] = []  # kind, text, place
        self.broken = ""  # what is missing at its end

    def error(self, what: str, place: int) -> RecordError:
        """An error at this place of the text."""
        before = self.text[:place]
        line = self.line + before.count("\n")
        return RecordError(what, self.file, line, place - before.rfind("\n"))

    def read(self) -> tuple[State, dict[str, Any]]:
        """The last position, and what `Record` takes beside it."""
        self._split()
        if "Game" not in self.tags:
            raise self.error('a record begins with a tag such as [Game "oust side=5"]', 0)
        start = self._start()
        steps = self._steps_in if "Notation" in self.tags else self._steps
        final, remarks = steps(start)
        return final, self._details(final, remarks)

    # The parts

    def _split(self) -> None:
        text, place, is_tail = self.text, 0, False
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None:
                place += len(text) - place - len(text[place:].lstrip())
                if place < len(text):
                    self._stop(place)
                break
            kind = found.lastgroup or ""
            place = found.start(kind)
            if kind == "tag":
                name, value = found[2], unescaped(found[3])
                if name in self.tags:
                    raise self.error(f"the tag {name} stands twice", place)
                self.tags[name] = value, place
                is_tail = bool(self.middle)
            else:
                if is_tail:
                    raise self.error(
                        f"after the turns and a tag a new record begins, got {found[kind]:.40}",
                        place,
                    )
                if len(self.middle) == MAX_WORDS:
                    raise self.error(f"a record has at most {MAX_WORDS:,} words", place)
                self.middle.append((kind, found[_WORDS[kind]], place))
            place = found.end()
        if "Result" not in self.tags:
            self.broken = self.broken or "the tag Result is missing"
            if self.middle and self.middle[-1][0] == "word" and not is_tail:
                kind, word, place = self.middle[-1]
                if place + len(word) == len(text):
                    self.middle.pop()
                    self.broken = f"its last word, {word!r:.60}, may be cut off and is left out"
            if not self.middle and "Start" not in self.tags and not _EMPTY_LINE.search(text):
                raise self.error("the record is broken off before its first turn", len(text))

    def _stop(self, place: int) -> None:
        """At what is not closed: the end of what was written, or an error."""
        rest = self.text[place:]
        what = {"{": "remark", '"': "text in quotes", "[": "tag"}.get(rest[0])
        if what is None:
            raise self.error(f"{rest[0]!r} stands alone: nothing was opened before it", place)
        is_last_line = "\n" not in rest.rstrip()
        if not is_last_line or "Result" in self.tags or not (self.middle or "Start" in self.tags):
            hows = {
                "tag": 'is written [Name "value"]',
                "remark": "is not closed, or another begins",
            }
            how = hows.get(what, "is not closed")
            raise self.error(f"this {what} {how}: {rest.splitlines()[0]:.60}", place)
        self.broken = f"its last {what} is not closed and is left out"

    def _start(self) -> State:
        text, place = self.tags["Game"]
        try:
            game = game_from_string(text)
        except OptionError as error:
            raise self.error(str(error), place) from None
        if "Start" in self.tags:
            text, place = self.tags["Start"]
            try:
                return read_position(game, text)
            except PositionTextError as error:
                raise self.error(str(error), place) from None
        if has_drawn_start(game):
            raise self.error(
                f"{game.to_string()} begins at random: a tag Start has to tell how", place
            )
        return game.initial_state(0)

    def _steps(self, start: State) -> tuple[State, dict[int, Remark]]:
        state = start.copy()
        begins_turn = start.game.begins_turn
        remarks: dict[int, Remark] = {}
        step = turn = 0
        begins = True
        for kind, text, place in self.middle:
            if kind == "remark":
                remarks[step] = self._remark(state, remarks.get(step), text, place)
                continue
            if kind == "word" and text[0].isdigit() and (found := NUMBER.match(text)):
                self._check_number(found[1], turn + 1, begins, place)
                text, place = text[found.end() :], place + found.end()
                if not text:
                    continue
            try:
                state.step(state.parse_action(unescaped(text) if kind == "quoted" else text))
            except (IllegalActionError, GameOverError) as error:
                raise self.error(str(error), place) from None
            step += 1
            turn += begins
            begins = begins_turn(state)
        return state, remarks

    def _check_number(self, number: str, expected: int, begins: bool, place: int) -> None:
        if not begins:
            raise self.error(f"{number}. stands in the midst of turn {expected - 1}", place)
        if int(number) != expected:
            raise self.error(f"here begins turn {expected}, got the number {number}", place)

    def _steps_in(self, start: State) -> tuple[State, dict[int, Remark]]:
        """The same where a word is a whole turn of another notation."""
        name, place = self.tags["Notation"]
        try:
            notation = notation_of(start.game, name)
        except RecordError as error:
            raise self.error(error.what, place) from None
        words: list[str] = []
        places: list[int] = []
        said: list[tuple[int, str, int]] = []
        for kind, text, place in self.middle:
            if kind == "remark":
                said.append((len(words), text, place))
                continue
            if kind == "word" and (found := NUMBER.match(text)):
                self._check_number(found[1], len(words) + 1, True, place)
                text, place = text[found.end() :], place + found.end()
                if not text:
                    continue
            words.append(unescaped(text) if kind == "quoted" else text)
            places.append(place)
        try:
            actions = notation.read(start, words)
        except NotationError as error:
            raise self.error(str(error), places[error.turn] + error.column) from None
        state, turn = start.copy(), 0
        remarks: dict[int, Remark] = {}
        waiting = iter([*said, (len(words) + 1, "", 0)])
        due = next(waiting)
        for step in range(len(actions) + 1):
            is_last = step == len(actions)
            begins = is_last or step == 0 or start.game.begins_turn(state)
            while begins and (due[0] <= turn or (is_last and due[0] <= len(words))):
                remarks[step] = self._remark(state, remarks.get(step), due[1], due[2])
                due = next(waiting)
            if not is_last:
                state.step(actions[step])
                turn += begins
        return state, remarks

    def _remark(self, state: State, before: Remark | None, text: str, place: int) -> Remark:
        """What a remark says, together with one that stands before it."""
        value, visits = None, dict(before.visits) if before else {}
        comment = []
        end = 0
        for found in _COMMAND.finditer(text):
            if found.start() and text[found.start() - 1] == "\\":
                continue
            comment.append(text[end : found.start()])
            end = found.end()
            where = place + 1 + found.start()
            if found[1] == "value":
                if value is not None or (before is not None and before.value is not None):
                    raise self.error("a position has one value, and here is another", where)
                value = self._value(found[2], where)
            else:
                visits |= self._visits(state, found[2], where)
        words = [unescaped(_stripped(part)) for part in (*comment, text[end:])]
        words = [word for word in ([before.comment] if before else []) + words if word]
        if before is not None and before.value is not None:
            value = before.value
        return Remark(" ".join(words), value, visits)

    def _value(self, text: str, place: int) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 2.0
        if not -1 <= value <= 1:
            raise self.error(f"a value is a number from -1 to 1, got {text!r:.60}", place)
        return value

    def _visits(self, state: State, text: str, place: int) -> dict[int, int]:
        visits = {}
        end = 0
        while end < len(text.rstrip()):
            found = _VISITS.match(text, end)
            if found is None:
                raise self.error(
                    f"visits are ACTION:COUNT with white space between, got {text[end:]:.60}", place
                )
            try:
                action = state.parse_action(found[2] or unescaped(found[1]))
            except IllegalActionError as error:
                raise self.error(f"visits: {error}", place) from None
            if action in visits:
                raise self.error(
                    f"the visits of {text[end : found.end()].strip():.60} stand twice", place
                )
            visits[action] = int(found[3])
            end = found.end()
        return visits

    def _details(self, final: State, remarks: dict[int, Remark]) -> dict[str, Any]:
        tags = {name: text for name, (text, _) in self.tags.items()}
        result, place = self.tags.get("Result", ("*", 0))
        if result not in WINNERS:
            raise self.error(f'the Result is "1-0", "0-1" or "*", got {result!r:.60}', place)
        ending = tags.get("Termination")
        if ending in ("resigned", "time") and "Result" not in tags:
            ending = None  # the record doesn't tell any more who has won
        seed = tags.get("Seed")
        if seed is not None and not re.fullmatch("[0-9]{1,20}", seed):
            raise self.placed(f"seed must be an integer from 0 to 2**64 - 1, got {seed!r:.60}")
        return {
            "ending": ending,
            "winner": WINNERS[result] if ending in ("resigned", "time") else None,
            "illegal": self._illegal(final),
            "players": (tags.get("Player0", ""), tags.get("Player1", "")),
            "seed": None if seed is None else int(seed),
            "date": tags.get("Date"),
            "tags": {name: text for name, text in tags.items() if name not in KNOWN_TAGS},
            "remarks": remarks,
        }

    def placed(self, what: str) -> RecordError:
        """An error of what the tags say, at the tag that it is about."""
        names = {"seed": "Seed", "illegal": "Illegal", "action": "Illegal", "winner": "Result"}
        name = names.get(what.split(maxsplit=1)[0].rstrip(":"), "Termination")
        return self.error(what, self.tags.get(name, ("", 0))[1])

    def check_result(self, result: str, why: Callable[[], str]) -> None:
        """RecordError if the tag says something else; ``why`` takes long, so it is asked then."""
        said, place = self.tags.get("Result", (result, 0))
        if said != result:
            raise self.error(f"the Result is {said}, and the game ended {result}: {why()}", place)

    def _illegal(self, final: State) -> int | None:
        if "Illegal" not in self.tags:
            return None
        text, place = self.tags["Illegal"]
        found = re.fullmatch(r"player_([01]) ([0-9]{1,9})(?: (.*))?", text, re.DOTALL)
        if found is None:
            raise self.error(
                f'an illegal action is written like "player_1 17 f3", got {text!r:.60}', place
            )
        action = int(found[2])
        if int(found[1]) != final.to_play:
            raise self.error(f"player_{final.to_play} was to act, not player_{found[1]}", place)
        if action < final.game.num_actions and found[3] not in (
            None,
            final.action_to_string(action),
        ):
            name = final.action_to_string(action)
            raise self.error(f"action {action} is {name}, not {found[3]:.60}", place)
        return action
