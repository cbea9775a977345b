"""What a record says beside its steps: how a game can end, remarks, and the checks of all of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from hexgames_env.core.options import as_integer, check_seed, shown
from hexgames_env.core.settings import check_word
from hexgames_env.core.state import State
from hexgames_env.errors import GameOverError, IllegalActionError, OptionError, RecordError

Ending = Literal["rules", "illegal action", "cut off", "resigned", "time", "unfinished"]
ENDINGS: tuple[Ending, ...] = get_args(Ending)
"""How a game can have ended."""

RESULTS = {0: "1-0", 1: "0-1", None: "*"}
"""player_0's points and player_1's, by winner."""
WINNERS = {result: winner for winner, result in RESULTS.items()}

TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
KNOWN_TAGS = frozenset(
    "Game Start Player0 Player1 Seed Date Notation Illegal Termination Result".split()
)
MAX_STEPS = 1_000_000  # of a game


@dataclass(frozen=True)
class Remark:
    """What is said of a position of a game.

    Attributes:
        comment: in words.
        value: how good the position is for the player who is to act, from -1 to 1.
        visits: how often a search has tried each action.
    """

    comment: str = ""
    value: float | None = None
    visits: Mapping[int, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.comment or self.value is not None or self.visits)


def replayed(start: State, actions: Any) -> State:
    state = start.copy()
    try:
        steps = list(actions)
    except TypeError:
        raise RecordError(
            f"actions are a sequence of integers, got {shown(actions):.100}"
        ) from None
    if len(steps) > MAX_STEPS:
        raise RecordError(f"a record has at most {MAX_STEPS:,} steps, got {len(steps):,}")
    for number, action in enumerate(steps, 1):
        try:
            state.step(action)
        except (IllegalActionError, GameOverError) as error:
            raise RecordError(f"step {number}: {error}") from None
    return state


def checked_illegal(final: State, illegal: Any) -> int | None:
    if illegal is None:
        return None
    try:
        action = final.game.check_action(illegal)
    except IllegalActionError as error:
        raise RecordError(f"illegal: {error}") from None
    if final.is_over:
        raise RecordError(
            f"an illegal action can't have ended a game that its rules ended: illegal={action}"
        )
    if final.is_legal(action):
        raise RecordError(
            f"action {action} ({final.action_to_string(action)}) is said to have lost the game as "
            f"illegal, and it is legal there: {final.to_string()}"
        )
    return action


def checked_ending(final: State, illegal: int | None, ending: Any) -> Ending:
    by_rules: Ending | None = "rules" if final.is_over else None
    if illegal is not None:
        by_rules = "illegal action"
    if ending is None:
        return by_rules or "unfinished"
    try:
        check_word("ending", ending, ENDINGS)
    except ValueError as error:
        raise RecordError(str(error)) from None
    if by_rules is not None and ending != by_rules:
        why = "the rules have ended it" if illegal is None else "illegal= is given"
        raise RecordError(f"ending must be {by_rules!r}, for {why}, got {ending!r}")
    if by_rules is None and ending == "rules":
        raise RecordError(
            f"ending is 'rules', and the game goes on after its last step: {final.to_string()}"
        )
    if by_rules is None and ending == "illegal action":
        raise RecordError("ending is 'illegal action', so illegal= has to say which one it was")
    found: Ending = ending
    return found


def checked_seed(seed: Any) -> int | None:
    try:
        return None if seed is None else int(check_seed(seed))
    except OptionError as error:
        raise RecordError(str(error)) from None


def checked_word(name: str, value: Any) -> str:
    if not isinstance(value, str) or not is_text(value):
        raise RecordError(
            f"{name} must be a str that can be written as UTF-8, got {shown(value):.100}"
        )
    return value


def is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in value


def checked_players(players: Any) -> tuple[str, str]:
    try:
        black, white = players
        if isinstance(players, str):
            raise TypeError
    except (TypeError, ValueError):
        raise RecordError(f"players must be two names, got {shown(players):.100}") from None
    return checked_word("players[0]", black), checked_word("players[1]", white)


def checked_tags(tags: Any) -> dict[str, str]:
    if tags is None:
        return {}
    if not isinstance(tags, Mapping):
        raise RecordError(f"tags must be a dict from names to texts, got {shown(tags):.100}")
    for name, value in tags.items():
        if not isinstance(name, str) or not TAG_NAME.fullmatch(name):
            raise RecordError(
                f"the name of a tag is a letter and up to 63 letters, digits and _, "
                f"got {shown(name):.100}"
            )
        if name in KNOWN_TAGS:
            raise RecordError(f"the tag {name} is written by itself: choose another name")
        checked_word(f"tags[{name!r}]", value)
    return dict(tags)


def checked_remark(step: int, remark: Remark) -> Remark:
    checked_word(f"the comment on position {step}", remark.comment)
    value: Any = remark.value
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is not None and not (is_number and -1 <= value <= 1):
        raise RecordError(
            f"the value of position {step} must be a float from -1 to 1, got {shown(value):.100}"
        )
    if not isinstance(remark.visits, Mapping):
        raise RecordError(
            f"the visits of position {step} must be a dict from actions to counts, "
            f"got {shown(remark.visits):.100}"
        )
    visits = {}
    for key, number in remark.visits.items():
        action, count = as_integer(key), as_integer(number)
        if action is None or count is None or not 0 <= count < 2**63:
            raise RecordError(
                f"the visits of position {step} must be integers from 0 on by action, "
                f"got {shown(number):.100} for {shown(key):.100}"
            )
        visits[action] = count
    return Remark(remark.comment, None if value is None else float(value), visits)


def check_visits(step: int, state: State, remark: Remark) -> None:
    for action in remark.visits:
        if not 0 <= action < state.game.num_actions or not state.is_legal(action):
            raise RecordError(
                f"the visits of position {step} name action {action}, which is illegal there"
            )
