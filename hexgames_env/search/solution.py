"""What is known for certain of a position, and how it is written down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hexgames_env.core.options import shown
from hexgames_env.core.state import State
from hexgames_env.core.words import number_of, player_words
from hexgames_env.errors import OptionError

SOLVED, UNDECIDED, FULL, STOPPED = "solved", "undecided", "full", "stopped"
ENDS = (SOLVED, UNDECIDED, FULL, STOPPED)


@dataclass(frozen=True)
class Value:
    """Who wins a position, and in how many steps to the end.

    All steps count, those of both players: passes, swaps and removals too.  The winner plays for
    the earliest end, the loser for the latest.

    Attributes:
        winner: 0 or 1; None if that is open.
        least: steps to the end at least.  Where the winner is open: neither player can force a win
            in fewer.
        most: steps to the end at most; None where the winner is open.
    """

    winner: int | None
    least: int
    most: int | None

    @property
    def distance(self) -> int | None:
        """The number of steps to the end, None if it is not known exactly."""
        return self.least if self.least == self.most else None

    def words(self, players: tuple[str, str]) -> str:
        """In a few words, with what the players are called.

        >>> Value(1, 3, 3).words(("Black", "White")), Value(1, 3, 9).words(("Black", "White"))
        ('White wins in 3 steps', 'White wins in 3 to 9 steps')
        >>> Value(None, 7, None).words(("Black", "White"))
        'open: nobody can force a win in fewer than 7 steps'
        """
        if self.winner is None:
            return f"open: nobody can force a win in fewer than {number_of(self.least, 'step')}"
        steps = number_of(self.least, "step")
        if self.distance is None:
            steps = f"{self.least} to {self.most} steps"
        return f"{players[self.winner]} wins in {steps}"


@dataclass(frozen=True)
class Solution:
    """What `solve` has found out about a position.

    Attributes:
        state: the position.
        value: of the position.
        values: of what each legal action leads to, seen from here: its first step counts too.  Of
            those that were not looked into, nothing.
        line: actions that both players play from here to the end, as well as they can; shorter if
            the search ended before, empty where no distances are wanted or nobody wins.
        ended: why the search ended: "solved", "undecided" (no one can force a win within so many
            steps), "full" (no room for more positions) or "stopped".
        within: how many steps were looked ahead at most.
        positions: how many are stored.
        seconds: of processor time that the search took, all parts of it.
    """

    state: State
    value: Value
    values: Mapping[int, Value]
    line: tuple[int, ...]
    ended: str
    within: int
    positions: int
    seconds: float

    @property
    def winner(self) -> int | None:
        """Who wins, None if that is open."""
        return self.value.winner

    @property
    def distance(self) -> int | None:
        """Steps to the end if both play as well as they can, None if it is not known exactly."""
        return self.value.distance

    def headline(self) -> str:
        """One sentence.

        >>> from hexgames_env import make_game
        >>> from hexgames_env.search import solve
        >>> solve(make_game("oust", side=2, pie_rule=False).initial_state()).headline()
        'Black (player_0) wins in 3 steps'
        """
        game = self.state.game
        names = player_words(game, 0), player_words(game, 1)
        known = self.value.words(names)
        stored = f"{self.positions:,} position{'' if self.positions == 1 else 's'}"
        if self.ended == UNDECIDED:
            return f"undecided: nobody can force a win within {number_of(self.within, 'step')}"
        if self.ended == FULL:
            return f"not solved: {stored} fill the memory; {known}"
        if self.ended == STOPPED:
            return f"not solved: stopped after {stored}; {known}"
        return known

    def to_string(self) -> str:
        """Several lines: the position, who wins, all actions, the line, and what it took."""
        game = self.state.game
        lines = [self.state.to_string(), self.headline()]
        groups: dict[str, list[str]] = {}
        ranked = sorted(self.values, key=lambda action: _rank(self.state, self.values[action]))
        for action in ranked:
            said = self.values[action].words(game.player_names)
            groups.setdefault(said, []).append(self.state.action_to_string(action))
        lines += [f"  {said}: {' '.join(names)}" for said, names in groups.items()]
        if self.line:
            lines.append(f"line: {' '.join(self._line_names())}")
        lines.append(f"{self.positions:,} positions stored, {self.seconds:.2f} s of processor time")
        return "\n".join(lines)

    def _line_names(self) -> list[str]:
        state, names = self.state.copy(), []
        for action in self.line:
            names.append(state.action_to_string(action))
            state.step(action)
        return names

    def to_json(self) -> str:
        """One line of JSON, which `from_json` reads."""
        values = {
            self.state.action_to_string(action): _to_list(value)
            for action, value in self.values.items()
        }
        found = {
            "position": self.state.to_string(),
            "value": _to_list(self.value),
            "values": values,
            "line": self._line_names(),
            "ended": self.ended,
            "within": self.within,
            "positions": self.positions,
            "seconds": round(self.seconds, 3),
        }
        return json.dumps(found)

    @classmethod
    def from_json(cls, text: str) -> Solution:
        """What `to_json` wrote; words that it does not write are passed over.

        Raises:
            OptionError: it is something else.
        """
        try:
            found = json.loads(text)
            state = State.from_string(found["position"])
            names = {state.action_to_string(action): action for action in state.legal_actions()}
            values = {names[name]: _from_list(value) for name, value in found["values"].items()}
            at, line = state.copy(), []
            for name in found["line"]:
                line.append(at.parse_action(name))
                at.step(line[-1])
            if found["ended"] not in ENDS:
                raise ValueError(f"ended is one of {', '.join(ENDS)}, got {shown(found['ended'])}")
            return cls(
                state=state,
                value=_from_list(found["value"]),
                values=values,
                line=tuple(line),
                ended=found["ended"],
                within=int(found["within"]),
                positions=int(found["positions"]),
                seconds=float(found["seconds"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
            what = f"{type(error).__name__}: {error}"
            raise OptionError(f"{shown(text[:60])}... is no solution: {what}") from None


def _rank(state: State, value: Value) -> tuple[int, int]:
    """What is best for the player to act comes first."""
    if value.winner is None:
        return 1, value.least
    return (0, value.least) if value.winner == state.to_play else (2, -value.least)


def _to_list(value: Value) -> list[int | None]:
    return [value.winner, value.least, value.most]


def _from_list(found: Any) -> Value:
    winner, least, most = found
    return Value(winner, least, most)
