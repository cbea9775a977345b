"""Records as text, in the manner of PGN: tags, numbered turns, remarks in braces, tags of the end.

::

    [Game "oust side=2 pie_rule=true"]
    [Player0 "greedy"]
    [Player1 "Ann"]
    [Date "2026-11-30"]

    1. a1 2. b2 {a surprise [%value -0.4] [%visits c1:40 a2:2]} 3. c1

    [Termination "resigned"]
    [Result "1-0"]

What is known only at the end stands at the end, so that a file can be written while the game goes
on; ``Result`` is the last line of a record that is whole.  A remark is about the position in which
it stands.  In tags and remarks ``\\`` takes the meaning from what follows it, and ``\\n`` is a new
line.  `GRAMMAR` tells the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from hexgames_env.core.game import Game
from hexgames_env.core.notation import Notation
from hexgames_env.core.state import State
from hexgames_env.errors import NotationError, RecordError
from hexgames_env.records.facts import Remark

if TYPE_CHECKING:
    from hexgames_env.records.record import Record

GRAMMAR = """\
file        any number of records; a line that begins with [Game " begins one
record      tags, turns, tags; the tag Game is the first, every tag stands once
tag         [Name "value"]
turns       actions as State.action_to_string() writes them, separated by white space; before the
            first of a turn may stand the turn's number and a point; one that holds white space,
            brackets, braces, quotes or % or begins like a number of a turn stands in double quotes
remark      { words [%value NUMBER] [%visits ACTION:COUNT ...] }; a brace among its words stands
            behind a backslash
Game        as Game.to_string() writes it
Start       as State.position_to_string() writes it; missing, if the game always begins alike
Player0     who played as player_0; Player1 likewise
Notation    a name in Game.notations, if the turns are written in it
Illegal     player_0 or player_1, number and text of the action that lost the game as illegal
Termination how it ended: rules, illegal action, cut off, resigned, time or unfinished
Result      player_0's points, a hyphen and player_1's: 1-0 or 0-1; * if nobody has won"""

WIDTH = 80  # of lines of turns
BEGINS = b'[Game "'  # a record
FILLER = b"%"  # behind what has been written of a file that is still open

NUMBER = re.compile(r"([0-9]{1,9})\.")
_PLAIN = re.compile(r"[^\s\[\]{}\"%]+")


def escaped(text: str, what: str) -> str:
    """``text`` with a backslash before backslashes and the characters in ``what``."""
    for character in "\\" + what:
        text = text.replace(character, "\\" + character)
    return text.replace("\n", "\\n").replace("\r", "\\r")


def unescaped(text: str) -> str:
    """What `escaped` was given."""
    meant = {"n": "\n", "r": "\r"}
    return re.sub(r"\\(.)", lambda found: meant.get(found[1], found[1]), text, flags=re.DOTALL)


def tag(name: str, value: str) -> str:
    """A line with a tag."""
    return f'[{name} "{escaped(value, chr(34))}"]\n'


def action_word(text: str) -> str:
    """The text of an action as it stands in a record."""
    if _PLAIN.fullmatch(text) and not NUMBER.match(text):
        return text
    return f'"{escaped(text, chr(34))}"'


def head(
    start: State,
    players: Sequence[str] = ("", ""),
    date: str | None = None,
    seed: int | None = None,
    tags: Mapping[str, str] | None = None,
    notation: str | None = None,
) -> str:
    """The tags before the turns, and an empty line."""
    lines = [tag("Game", start.game.to_string())]
    if not is_usual(start):
        lines.append(tag("Start", start.position_to_string()))
    lines += [tag(f"Player{seat}", name) for seat, name in enumerate(players) if name]
    lines += [tag("Date", date)] if date is not None else []
    lines += [tag("Seed", str(seed))] if seed is not None else []
    lines += [tag(name, value) for name, value in (tags or {}).items()]
    lines += [tag("Notation", notation)] if notation is not None else []
    return "".join(lines) + "\n"


def tail(final: State, ending: str, result: str, illegal: int | None) -> str:
    """The tags behind the turns; before them comes an empty line."""
    lines = []
    if illegal is not None:
        name = final.action_to_string(illegal)
        lines.append(tag("Illegal", f"player_{final.to_play} {illegal} {name}"))
    return "".join([*lines, tag("Termination", ending), tag("Result", result)])


def is_usual(start: State) -> bool:
    """Whether this is how its game always begins."""
    return not has_drawn_start(start.game) and start.key() == _usual_key(start.game)


@lru_cache(maxsize=64)
def _usual_key(game: Game) -> tuple[Game, bytes]:
    return game.initial_state(0).key()


@lru_cache(maxsize=64)
def has_drawn_start(game: Game) -> bool:
    """Whether the game's start is drawn at random, from some seeds differently from others."""
    first = game.initial_state(0)
    return any(game.initial_state(seed) != first for seed in (1, 2, 3, 4))


def remark_words(state: State, remark: Remark) -> str:
    """A remark in braces, "" if there is none."""
    if not remark:
        return ""
    words = [_comment(remark.comment)] if remark.comment else []
    if remark.value is not None:
        words.append(f"[%value {remark.value!r}]")
    if remark.visits:
        visits = remark.visits.items()
        counts = (f"{_visited(state.action_to_string(action))}:{n}" for action, n in visits)
        words.append(f"[%visits {' '.join(counts)}]")
    return f"{{{' '.join(words)}}}"


def _comment(text: str) -> str:
    text = escaped(text, "{}").replace("[%", "\\[%")
    # Spaces around a comment are its own only behind a backslash
    text = re.sub(" $", r"\\ ", text)
    return re.sub("^ ", r"\\ ", text)


def _visited(name: str) -> str:
    return (
        name if re.fullmatch(r"[^\s\[\]{}\":\\]+", name) else f'"{escaped(name, chr(34) + "{}")}"'
    )


class Turns:
    """The middle of a record, piece by piece: what each piece adds to the text.

    The text of a piece ends with a space or a new line, so whatever is followed by white space is
    whole.
    """

    def __init__(self, width: int = WIDTH) -> None:
        self._limit = width + 1  # with the space behind the last word
        self.number = 0  # of turns
        self._column = 0

    def step(self, word: str, begins_turn: bool) -> str:
        """What to put behind the text so far; if it begins with a new line, that replaces the
        space before it."""
        if begins_turn:
            self.number += 1
            piece = f"{self.number}. {word} "
        else:
            piece = f"{word} "
        column = self._column + len(piece)  # as `_placed`, without a call
        if column <= self._limit or self._column == 0:
            self._column = column
            return piece
        self._column = len(piece)
        return f"\n{piece}"

    def remark(self, words: str) -> str:
        """The same for a remark."""
        return self._placed(f"{words} ") if words else ""

    def _placed(self, piece: str) -> str:
        if self._column and self._column + len(piece) > self._limit:
            self._column = len(piece)
            return f"\n{piece}"
        self._column += len(piece)
        return piece


def joined(pieces: Iterable[str]) -> str:
    """The pieces of `Turns` as lines."""
    return "".join(pieces).replace(" \n", "\n").rstrip(" ") + "\n"


def to_text(record: Record, notation: str | None = None) -> str:
    """The record as text, without an empty line at its end.

    Args:
        record: what to write.
        notation: one of ``game.notations``; None writes the texts of actions.

    Raises:
        RecordError: there is no such notation; it has no place for a remark in mid-turn, or for
            what was done.
    """
    final = record.final
    pieces = [*(_pieces(record) if notation is None else _pieces_in(record, notation))]
    middle = joined(pieces) + "\n" if any(pieces) else ""
    before = head(record.start, record.players, record.date, record.seed, record.tags, notation)
    return before + middle + tail(final, record.ending, record.result, record.illegal)


def _pieces(record: Record) -> Iterator[str]:
    turns = Turns()
    for step, state in enumerate(record.states()):
        yield turns.remark(remark_words(state, record.remark(step)))
        if step < len(record):
            word = action_word(state.action_to_string(record.actions[step]))
            yield turns.step(word, step == 0 or record.game.begins_turn(state))


def _pieces_in(record: Record, notation: str) -> Iterator[str]:
    """The same in a notation with one word a turn."""
    remarks = {}
    turns, begun = Turns(), 0
    for step, state in enumerate(record.states()):
        words = remark_words(state, record.remark(step))
        begins = step == len(record) or step == 0 or record.game.begins_turn(state)
        if words and not begins:
            raise RecordError(
                f"the notation {notation!r} has no place for what is said of position {step}, "
                f"in mid-turn: {words:.100}"
            )
        remarks[begun if step < len(record) else -1] = words
        begun += begins
    try:
        written = notation_of(record.game, notation).write(record.start, record.actions)
    except NotationError as error:
        raise RecordError(f"in the notation {notation!r}: {error}") from None
    for turn, word in enumerate(written):
        yield turns.remark(remarks.get(turn, ""))
        yield turns.step(action_word(word), True)
    yield turns.remark(remarks[-1])


def notation_of(game: Game, name: str) -> Notation:
    """One of ``game.notations``; RecordError if there is none of this name."""
    if name not in game.notations:
        known = ", ".join(map(repr, game.notations)) or "none"
        raise RecordError(f"{game.title} has no notation {name!r}: it has {known}")
    return game.notations[name]
