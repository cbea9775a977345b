"""The turns of a record as text, written step by step.

A step is written by compiled code, for it is to take a small part of the time of the step itself.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.game import Game
from hexgames_env.core.state import State
from hexgames_env.engine.jit import entry, inlined, kernel
from hexgames_env.engine.status_word import OVER, PHASE, PLAYER
from hexgames_env.errors import NotationError, RecordError
from hexgames_env.records.text import action_word, head, notation_of, remark_words, tail

if TYPE_CHECKING:
    from hexgames_env.records.record import Record

LIMIT = 81  # bytes of a line, with the space or new line behind its last word
NUMBER = 12  # bytes of a turn's number with its point and space, at most

# Of `Paper.place`: bytes written, bytes since the line began, turns, and of the step that is due
# its phase, its player, and whether it begins a turn.
POSITION, COLUMN, TURNS, DUE, SEAT, BEGINS = range(6)


@inlined
def put(page: Any, place: Any, words: Any, lo: Any, hi: Any) -> Any:
    """Write words[lo:hi], with a number before it if a turn begins; False if there is no room."""
    position, column = place[POSITION], place[COLUMN]
    length = hi - lo
    if position + length + NUMBER > len(page):
        return False
    number, unit = place[TURNS] + 1, 1
    if place[BEGINS]:
        length += 3  # a digit, the point and the space
        while number // unit >= 10:
            unit *= 10
            length += 1
    if column > 0 and column + length > LIMIT:
        page[position - 1] = 10  # the space becomes a new line
        column = 0
    if place[BEGINS]:
        while unit > 0:
            page[position] = 48 + number // unit % 10
            position += 1
            unit //= 10
        page[position], page[position + 1] = 46, 32
        position += 2
        place[TURNS] = number
    for i in range(lo, hi):
        page[position] = words[i]
        position += 1
    place[POSITION], place[COLUMN] = position, column + length
    return True


@partial(kernel, nogil=False)
def put_step(page: Any, place: Any, plan: Any, words: Any, action: Any, status: Any) -> Any:
    """Write a step, after which the position has this status; False if there is no room.

    Args:
        plan: int64 (phases, num_actions + 2): where the word of each action begins in ``words``,
            where the last one ends, and whether the phase begins a turn: 1, 0, or -1 if a turn
            begins where the player changes.
    """
    phase = place[DUE]
    if not put(page, place, words, plan[phase, action], plan[phase, action + 1]):
        return False
    player = status & PLAYER
    if status & OVER == 0:
        phase = status >> PHASE
    begins = plan[phase, plan.shape[1] - 1]
    place[BEGINS] = player != place[SEAT] if begins < 0 else begins
    place[DUE], place[SEAT] = phase, player
    return True


@partial(kernel, nogil=False)
def put_word(page: Any, place: Any, words: Any) -> Any:
    """Write a word that is a turn of its own; False if there is no room."""
    place[BEGINS] = 1
    return put(page, place, words, 0, len(words))


@partial(kernel, nogil=False)
def put_remark(page: Any, place: Any, words: Any) -> Any:
    """Write a remark, which has no number and tells nothing of the next step."""
    begins = place[BEGINS]
    place[BEGINS] = 0
    fits = put(page, place, words, 0, len(words))
    place[BEGINS] = begins
    return fits


@partial(kernel, nogil=False)
def put_head(page: Any, place: Any, data: Any, status: Any) -> Any:
    """Write what stands before the turns of a game that begins; False if there is no room."""
    position = place[POSITION]
    if position + len(data) > len(page):
        return False
    for i in range(len(data)):
        page[position + i] = data[i]
    place[POSITION] = position + len(data)
    place[COLUMN] = place[TURNS] = 0
    place[DUE], place[SEAT], place[BEGINS] = status >> PHASE, status & PLAYER, 1
    return True


@partial(kernel, nogil=False)
def put_tail(page: Any, place: Any, data: Any) -> Any:
    """Write what stands behind the turns, and an empty line between; False if there is no room."""
    position = place[POSITION]
    if position + 1 + len(data) > len(page):
        return False
    if place[COLUMN] > 0:
        page[position - 1] = page[position] = 10
        position += 1
    for i in range(len(data)):
        page[position + i] = data[i]
    place[POSITION] = position + len(data)
    return True


@lru_cache(maxsize=64)
def _plan_of(game: Game) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """``plan`` and ``words`` for `put_step`."""
    plan = np.zeros((len(game.phases), game.num_actions + 2), np.int64)
    words = []
    end = 0
    for number, phase in enumerate(game.phases):
        some = [step_word(text).encode() for text in game.action_names(number)]
        plan[number, 0] = end
        plan[number, 1:-1] = end + np.cumsum([len(word) for word in some])
        plan[number, -1] = phase in game.turn_phases if game.turn_phases else -1
        end = plan[number, -2]
        words += some
    return plan, np.frombuffer(bytearray(b"".join(words)), np.uint8)


@lru_cache(maxsize=1)
def _calls() -> tuple[Any, Any, Any]:
    """Head, step and tail, without numba's look at the types of arguments."""
    byte, number = np.empty(1, np.uint8), np.empty(1, np.int64)
    return (
        entry(put_head, byte, number, byte, 0),
        entry(put_step, byte, number, np.empty((1, 1), np.int64), byte, 0, 0),
        entry(put_tail, byte, number, byte),
    )


def as_bytes(text: str) -> NDArray[np.uint8]:
    """Text as compiled code takes it."""
    return np.frombuffer(bytearray(text.encode()), np.uint8)


def step_word(text: str) -> str:
    """The text of an action as it stands in a record, with the space behind it."""
    return f"{action_word(text)} "


class Paper:
    """Bytes in memory, which text is put behind.

    Attributes:
        page: uint8, with room for more.
        place: int64, where `POSITION` and so on say what it holds.
    """

    def __init__(self) -> None:
        self.place = np.zeros(6, np.int64)
        self.page = np.empty(0, np.uint8)

    def __len__(self) -> int:
        return int(self.place[POSITION])

    def make_room(self, more: int) -> None:
        """Make the page longer, if so many bytes don't fit on it."""
        size = len(self)
        if size + more > len(self.page):
            page = np.empty(2 * (size + more), np.uint8)
            page[:size] = self.page[:size]
            self.page = page

    def text(self) -> str:
        """All that has been written."""
        return self.page[: len(self)].tobytes().decode()


class Turns:
    """A game as text, piece by piece.

    A piece of its turns ends with a space or a new line, so whatever is followed by white space is
    whole.

    Args:
        game: that is played.
        paper: what it is written on, behind what is there.
    """

    __slots__ = (
        "_asks_game",
        "_game",
        "_paper",
        "_plan",
        "_put_head",
        "_put_step",
        "_put_tail",
        "_words",
    )

    def __init__(self, game: Game, paper: Paper) -> None:
        self._game, self._paper = game, paper
        self._plan, self._words = _plan_of(game)
        self._asks_game = type(game).begins_turn is not Game.begins_turn
        self._put_head, self._put_step, self._put_tail = _calls()

    def begin(self, head: NDArray[np.uint8], status: int) -> None:
        """A game begins in a position with this status."""
        paper = self._paper
        while not self._put_head(paper.page, paper.place, head, status):
            paper.make_room(len(head))

    def step(self, state: State) -> None:
        """Write the last step of a state."""
        paper, plan, words = self._paper, self._plan, self._words
        while not self._put_step(
            paper.page, paper.place, plan, words, state.last_action, state.status_word
        ):
            paper.make_room(len(words) + NUMBER)
        if self._asks_game:
            paper.place[BEGINS] = self._game.begins_turn(state)

    def turn(self, text: str) -> None:
        """Write a turn in a notation that has one word for it."""
        paper, word = self._paper, as_bytes(step_word(text))
        while not put_word(paper.page, paper.place, word):
            paper.make_room(len(word) + NUMBER)

    def remark(self, words: str) -> None:
        """Write a remark, as `remark_words` makes it."""
        if not words:
            return
        paper, piece = self._paper, as_bytes(f"{words} ")
        while not put_remark(paper.page, paper.place, piece):
            paper.make_room(len(piece) + NUMBER)

    def end(self, tail: NDArray[np.uint8]) -> None:
        """The game has ended."""
        paper = self._paper
        while not self._put_tail(paper.page, paper.place, tail):
            paper.make_room(len(tail) + 1)


def to_text(record: Record, notation: str | None = None) -> str:
    """The record as text, without an empty line at its end.

    Args:
        record: what to write.
        notation: one of ``game.notations``; None writes the texts of actions.

    Raises:
        RecordError: there is no such notation; it has no place for a remark in mid-turn, or for
            what was done.
    """
    paper = Paper()
    turns = Turns(record.game, paper)
    before = head(record.start, record.players, record.date, record.seed, record.tags, notation)
    turns.begin(as_bytes(before), record.start.status_word)
    if notation is None:
        _write_steps(record, turns)
    else:
        _write_turns(record, notation, turns)
    turns.end(as_bytes(tail(record.final, record.ending, record.result, record.illegal)))
    return paper.text()


def _write_steps(record: Record, turns: Turns) -> None:
    for step, state in enumerate(record.states()):
        if step:
            turns.step(state)
        turns.remark(remark_words(state, record.remark(step)))


def _write_turns(record: Record, notation: str, turns: Turns) -> None:
    """The same in a notation with one word a turn."""
    remarks: dict[int, str] = {}
    begun = 0
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
        turns.remark(remarks.get(turn, ""))
        turns.turn(word)
    turns.remark(remarks[-1])
