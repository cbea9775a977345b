"""`Record`: one game written down, from its start to how it ended."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, SupportsIndex

from hexgames_env.core.game import Game
from hexgames_env.core.options import as_integer, shown
from hexgames_env.core.state import State
from hexgames_env.core.words import cut_off_words, illegal_action_words, player_words
from hexgames_env.errors import BrokenOffWarning, RecordError
from hexgames_env.records.facts import (
    RESULTS,
    Ending,
    Remark,
    check_visits,
    checked_ending,
    checked_illegal,
    checked_players,
    checked_remark,
    checked_seed,
    checked_tags,
    checked_word,
    replayed,
)
from hexgames_env.records.html import to_html
from hexgames_env.records.reading import Reader
from hexgames_env.records.turns import to_text


class Record:
    """One game: where it began, the actions, how it ended, and what is said of it.  Never changed.

    Args:
        state: the last position, with its history: the record begins where that does.
        ending: "rules"; "illegal action" of the player to act; "cut off"; "resigned" or "time", by
            the player who has not won; "unfinished".  None finds the first two, or else says
            "unfinished".
        winner: 0, 1 or None; only for "resigned" and "time", which don't say it by themselves.
        illegal: the action that lost the game in its last position, for "illegal action".
        players: who played as player_0 and as player_1, "" if that is not known.
        seed: of whatever made the game.
        date: such as "2026-11-30".
        tags: whatever else is to be kept, by names of letters and digits.
        remarks: by number of the position: 0 is the start, k the one after k steps.

    Raises:
        RecordError: any of these is wrong, or does not go with the others.

    >>> from hexgames_env import make_game
    >>> state = make_game("oust", side=2).initial_state()
    >>> for text in ("a1", "b2", "c1"):
    ...     state.step(state.parse_action(text))
    >>> record = Record(state, players=("Ann", "Bob"))
    >>> record.turns()
    [['a1'], ['b2'], ['c1']]
    >>> record.state(1).last_step
    (0, 'a1', {0})
    >>> record.outcome_words()
    'unfinished'
    """

    def __init__(
        self,
        state: State,
        *,
        ending: Ending | None = None,
        winner: int | None = None,
        illegal: SupportsIndex | None = None,
        players: tuple[str, str] = ("", ""),
        seed: int | None = None,
        date: str | None = None,
        tags: Mapping[str, str] | None = None,
        remarks: Mapping[int, Remark] | None = None,
    ) -> None:
        if not isinstance(state, State):
            raise RecordError(f"a record is of a State and its history, got {shown(state):.100}")
        self._final = state.copy()
        self._start = state.root()
        self.actions = tuple(state.history)
        self.illegal = checked_illegal(state, illegal)
        self.ending: Ending = checked_ending(state, self.illegal, ending)
        self.winner = self._checked_winner(winner)
        self.players = checked_players(players)
        self.seed = checked_seed(seed)
        self.date = None if date is None else checked_word("date", date)
        self.tags: Mapping[str, str] = MappingProxyType(checked_tags(tags))
        self.remarks: Mapping[int, Remark] = MappingProxyType(self._checked_remarks(remarks))

    @classmethod
    def from_actions(cls, start: State, actions: Sequence[SupportsIndex], **details: Any) -> Record:
        """The game that goes on from a position by these actions.

        Args:
            start: the first position; its history is no part of the record.
            actions: their numbers, each legal where it stands.
            details: as for `Record`.

        Raises:
            RecordError: an action is illegal; a wrong detail.
        """
        if not isinstance(start, State):
            raise RecordError(f"a record begins with a State, got {shown(start):.100}")
        if start.last_action is not None:
            start = State.from_string(start.to_string())
        return cls(replayed(start, actions), **details)

    # What it says

    @property
    def game(self) -> Game:
        """The rules and the board."""
        return self._start.game

    @property
    def start(self) -> State:
        """The first position."""
        return self._start.copy()

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.actions)

    @property
    def final(self) -> State:
        """The last position, with history."""
        return self._final.copy()

    def state(self, step: SupportsIndex) -> State:
        """The position after so many steps, with history; from -1 on backwards from the last.

        Raises:
            IndexError: there are not so many steps.
        """
        number = as_integer(step)
        if number is None or not -len(self) - 1 <= number <= len(self):
            raise IndexError(f"the game has positions 0 to {len(self)}, got {shown(step)}")
        number = number if number >= 0 else len(self) + 1 + number
        state = self.start
        for action in self.actions[:number]:
            state.step(action)
        return state

    def states(self) -> Iterator[State]:
        """All positions from the start to the last, each with its history."""
        state = self.start
        yield state.copy()
        for action in self.actions:
            state.step(action)
            yield state.copy()

    def turns(self) -> list[list[str]]:
        """The texts of the actions, those of a turn together."""
        turns: list[list[str]] = []
        for state, action in zip(self.states(), self.actions, strict=False):
            if not turns or self.game.begins_turn(state):
                turns.append([])
            turns[-1].append(state.action_to_string(action))
        return turns

    def remark(self, step: int) -> Remark:
        """What is said of a position; an empty one if nothing is."""
        return self.remarks.get(step, Remark())

    @property
    def result(self) -> str:
        """player_0's points and player_1's: "1-0", "0-1", or "*" if nobody has won."""
        return RESULTS[self.winner]

    def outcome_words(self) -> str:
        """How the game ended, in plain words."""
        if self.ending == "rules":
            return self._final.words().outcome
        if self.illegal is not None:
            return illegal_action_words(self._final, self.illegal)
        if self.ending == "cut off":
            return cut_off_words(len(self))
        if self.winner is None:
            return "unfinished"
        loser, winner = (player_words(self.game, who) for who in (1 - self.winner, self.winner))
        how = "resigned" if self.ending == "resigned" else "has run out of time"
        return f"{loser} {how}.  {winner} has won"

    def title(self) -> str:
        """Game and players in a line.

        >>> from hexgames_env import make_game
        >>> start = make_game("gipf").initial_state()
        >>> Record(start, players=("Ann", "")).title()
        'GIPF: Ann (White) and player_1 (Black)'
        """
        names = self.game.player_names
        who = [name or f"player_{seat}" for seat, name in enumerate(self.players)]
        return f"{self.game.title}: {who[0]} ({names[0]}) and {who[1]} ({names[1]})"

    # As text

    def to_string(self, notation: str | None = None) -> str:
        """The record as text; `hexgames_env.records.text` tells how that is written.

        Args:
            notation: one of ``game.notations``, such as GIPF's "official"; None writes the texts
                of actions.

        Raises:
            RecordError: there is no such notation, or what happened has no place in it.
        """
        return to_text(self, notation)

    @classmethod
    def from_string(cls, text: str) -> Record:
        """The record in a text that holds one.

        Raises:
            RecordError: it is no record; the message says where and why.

        Warns:
            BrokenOffWarning: it has no end.
        """
        return read_record(text)

    # As a page

    def to_html(self, *, theme: str = "auto", fragment: bool = False) -> str:
        """A page that plays the game in a browser; one text that needs no other file.

        Args:
            theme: what it begins with: ``"light"``, ``"dark"`` or ``"auto"``, as the reader's
                system says.  The page has a button for it too.
            fragment: whether to return a piece of a page instead of a whole one.  Whatever stands
                around it, and other fragments, neither change it nor are changed by it.

        Raises:
            OptionError: there is no such theme.

        >>> from hexgames_env import make_game
        >>> Record(make_game("rive", side=2).initial_state()).to_html()[:15]
        '<!doctype html>'
        """
        return to_html(self, theme=theme, fragment=fragment)

    def _repr_html_(self) -> str:
        """What notebooks show: the player."""
        return to_html(self, fragment=True)

    # Checks

    def _checked_winner(self, winner: object) -> int | None:
        if self.ending in ("resigned", "time"):
            if as_integer(winner) not in (0, 1):
                how = "has resigned" if self.ending == "resigned" else "has run out of time"
                raise RecordError(
                    f"winner must be 0 or 1 where the other player {how}, got {shown(winner)}"
                )
            return as_integer(winner)
        found = self._final.winner
        if self.illegal is not None:
            found = 1 - self._final.to_play
        if winner is not None and as_integer(winner) != found:
            raise RecordError(
                f"winner is {shown(found)} in a game that ended by {self.ending!r}, "
                f"got {shown(winner)}"
                if self.ending in ("rules", "illegal action")
                else f"nobody has won a game that is {self.ending!r}, got winner={shown(winner)}"
            )
        return found

    def _checked_remarks(self, remarks: Any) -> dict[int, Remark]:
        if remarks is None:
            return {}
        if not isinstance(remarks, Mapping):
            raise RecordError(f"remarks must be a dict by position, got {shown(remarks):.100}")
        found: dict[int, Remark] = {}
        for key, remark in remarks.items():
            step = as_integer(key)
            if step is None or not 0 <= step <= len(self):
                raise RecordError(
                    f"remarks are for positions 0 to {len(self)}, got one for {shown(key):.100}"
                )
            if not isinstance(remark, Remark):
                raise RecordError(f"a remark is a Remark, got {shown(remark):.100}")
            if remark:
                found[step] = checked_remark(step, remark)
        if any(remark.visits for remark in found.values()):
            for step, state in enumerate(self.states()):
                check_visits(step, state, found.get(step, Remark()))
        return dict(sorted(found.items()))

    # As a value

    def _key(self) -> tuple[Any, ...]:
        return (
            self.start.key(),
            self.actions,
            (self.ending, self.winner, self.illegal),
            (self.players, self.seed, self.date),
            dict(self.tags),
            dict(self.remarks),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key()[:4])

    def __reduce__(self) -> Any:
        details = {
            "ending": self.ending,
            "winner": self.winner,
            "illegal": self.illegal,
            "players": self.players,
            "seed": self.seed,
            "date": self.date,
            "tags": dict(self.tags),
            "remarks": dict(self.remarks),
        }
        return _remade, (self._final, details)

    def __repr__(self) -> str:
        return f"<Record {self.game.to_string()}: {len(self)} steps, {self.ending}, {self.result}>"


def _remade(state: State, details: dict[str, Any]) -> Record:
    return Record(state, **details)


def read_record(text: Any, file: str = "", line: int = 1) -> Record:
    """The record in a text that holds one.

    Args:
        text: what `Record.to_string` wrote, or a person.
        file: its name, for messages.
        line: the number of its first line, for messages.

    Raises:
        RecordError: it is no record; line and column say where.

    Warns:
        BrokenOffWarning: it has no end.
    """
    reader = Reader(text, file, line)
    final, details = reader.read()
    try:
        record = Record(final, **details)
    except RecordError as error:
        raise reader.placed(error.what) from None
    reader.check_result(record.result, record.outcome_words)
    if reader.broken:
        place = ":".join(str(part) for part in (file, line) if part)
        warnings.warn(
            f"{place}: this record of {record.game.title} has no end: {reader.broken}.  "
            f"It is read up to step {len(record)}, as {record.ending!r}",
            BrokenOffWarning,
            stacklevel=3,
        )
    return record
