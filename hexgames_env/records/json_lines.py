"""Records as JSON, one object a line.

::

    {"game": "oust side=2 pie_rule=true", "actions": ["a1", "b2"], "ending": "unfinished",
     "result": "*", "players": ["greedy", "Ann"], "remarks": {"1": {"comment": "hm"}}}

on a single line.  ``game``, ``actions``, ``ending`` and ``result`` are always there; ``start``
(where a game does not begin as always), ``illegal``, ``players``, ``seed``, ``date``, ``tags`` and
``remarks`` if they say something.  All texts are those of the text form; the visits in a remark are
an object from actions to counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from hexgames_env.core.game import Game
from hexgames_env.core.options import as_integer, shown
from hexgames_env.core.registry import game_from_string
from hexgames_env.core.state import State, read_position
from hexgames_env.errors import (
    GameOverError,
    IllegalActionError,
    OptionError,
    PositionTextError,
    RecordError,
)
from hexgames_env.records.facts import WINNERS, Remark
from hexgames_env.records.record import Record
from hexgames_env.records.text import has_drawn_start, is_usual

NEEDED = ("game", "actions", "ending", "result")
MORE = ("start", "illegal", "players", "seed", "date", "tags", "remarks")
MAX_LINE = 64_000_000  # characters
ENCODER = json.JSONEncoder(ensure_ascii=False)  # json.dumps makes one for each line
_STRING = re.compile(r'\s*"(?:[^"\\]|\\.)*"\s*,?')


def to_json(record: Record) -> str:
    """The record as one line of JSON, without its end."""
    facts = record.ending, record.result, record.illegal
    return as_line(record.start, record.final, *facts, as_json(details_of(record)))


def as_json(found: Mapping[str, Any]) -> str:
    """An object on one line, "" if there is nothing in it."""
    return ENCODER.encode(found) if found else ""


def as_line(
    start: State, final: State, ending: str, result: str, illegal: int | None, said: str
) -> str:
    """The parts of a record as one line of JSON, without its end.

    ``final`` has its history, and ``said`` is `details_of` the record `as_json`.
    """
    words = [f'{{"game": {_quoted_name(start.game)}']
    if not is_usual(start):
        words.append(f'"start": {ENCODER.encode(start.position_to_string())}')
    words.append(f'"actions": {_quoted(start.game, final.history_texts)}')
    words.append(f'"ending": "{ending}", "result": "{result}"')
    if illegal is not None:
        text = final.action_to_string(illegal)
        player = int(final.to_play)  # without the compiler it is numpy's
        found = {"player": player, "action": illegal, "text": text}
        words.append(f'"illegal": {ENCODER.encode(found)}')
    words += [said[1:-1]] if said else []
    return ", ".join(words) + "}"


def _quoted(game: Game, texts: list[str]) -> str:
    """A list of texts of actions; mostly it takes no more than to join them."""
    if texts and _has_plain_texts(game):
        return '["' + '", "'.join(texts) + '"]'
    return ENCODER.encode(texts)


@lru_cache(maxsize=64)
def _has_plain_texts(game: Game) -> bool:
    texts = [text for phase in range(len(game.phases)) for text in game.action_names(phase)]
    return ENCODER.encode(texts) == '["' + '", "'.join(texts) + '"]'


@lru_cache(maxsize=64)
def _quoted_name(game: Game) -> str:
    return ENCODER.encode(game.to_string())


def details_of(record: Record) -> dict[str, Any]:
    """What a record says beside its steps and its end, for JSON; nothing that is empty."""
    states = _with_visits(record)
    remarks = {
        str(step): remark_of(remark, states.get(step)) for step, remark in record.remarks.items()
    }
    return details(record.players, record.seed, record.date, record.tags, remarks)


def details(
    players: Sequence[str],
    seed: int | None,
    date: str | None,
    tags: Mapping[str, str],
    remarks: Mapping[str, Any],
) -> dict[str, Any]:
    """Those of these that say something."""
    found = {
        "players": list(players) if any(players) else None,
        "seed": seed,
        "date": date,
        "tags": dict(tags) or None,
        "remarks": dict(remarks) or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def remark_of(remark: Remark, state: State | None) -> dict[str, Any]:
    """A remark for JSON; ``state`` is where it was made, if it has visits."""
    said: dict[str, Any] = {"comment": remark.comment} if remark.comment else {}
    if remark.value is not None:
        said["value"] = remark.value
    if state is not None and remark.visits:
        visits = remark.visits.items()
        said["visits"] = {state.action_to_string(action): n for action, n in visits}
    return said


def _with_visits(record: Record) -> dict[int, State]:
    if not any(remark.visits for remark in record.remarks.values()):
        return {}
    wanted = {step for step, remark in record.remarks.items() if remark.visits}
    return {step: state for step, state in enumerate(record.states()) if step in wanted}


def from_json(text: str, file: str = "", line: int = 0) -> Record:
    """The record in a line of JSON.

    Args:
        text: the line.
        file, line: where it stands, for errors.

    Raises:
        RecordError: it is no record; line and column say where.
    """
    found = parsed(text, file, line)

    def fail(what: str, column: int = 1) -> NoReturn:
        raise RecordError(what, file, line, column) from None

    for name in NEEDED:
        if name not in found:
            fail(f"the object has no {name!r}: a record has {', '.join(NEEDED)}")
    for name in found:
        if name not in NEEDED and name not in MORE:
            fail(
                f"a record has no {name!r}; beside {', '.join(NEEDED)} it can have "
                f"{', '.join(MORE)}",
                _column(text, name),
            )
    if not isinstance(found["ending"], str):
        fail(f"the ending is a text, got {shown(found['ending']):.60}", _column(text, "ending"))
    ending: Any = found["ending"]
    state = _start_of(found, lambda what, name: fail(what, _column(text, name)))
    actions = found["actions"]
    if not isinstance(actions, list):
        fail(f"actions are a list of texts, got {shown(actions):.60}", _column(text, "actions"))
    for number, action in enumerate(actions):
        try:
            state.step(state.parse_action(action))
        except (IllegalActionError, GameOverError) as error:
            fail(f"step {number + 1}: {error}", _column_of_action(text, number))
    try:
        record = Record(
            state,
            ending=ending,
            winner=_winner_of(found),
            illegal=_illegal_of(found, state),
            **details_from(found, state),
        )
    except RecordError as error:
        fail(error.what)
    if found["result"] != record.result:
        fail(
            f"the result is {shown(found['result']):.20}, and the game ended {record.result}: "
            f"{record.outcome_words()}",
            _column(text, "result"),
        )
    return record


def parsed(text: str, file: str = "", line: int = 0) -> dict[str, Any]:
    """The object in a line of JSON; RecordError if it is none, or if a name stands twice."""
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise RecordError(f"this is no JSON: {error.msg}", file, line, error.colno) from None
    except (ValueError, RecursionError) as error:
        raise RecordError(f"this is no JSON of a record: {error}", file, line, 1) from None
    if not isinstance(found, dict):
        raise RecordError(f"a record is a JSON object, got {shown(found):.60}", file, line, 1)
    return found


def details_from(found: Mapping[str, Any], final: State) -> dict[str, Any]:
    """What `Record` takes, from what `details_of` wrote; RecordError if it did not."""
    for name in found:
        if name not in NEEDED and name not in MORE:
            raise RecordError(f"nothing of a record is called {name!r:.60}")
    taken = {name: found[name] for name in ("seed", "date", "tags") if name in found}
    if "players" in found:
        players = found["players"]
        taken["players"] = tuple(players) if isinstance(players, list) else players
    if "remarks" in found:
        taken["remarks"] = _remarks_of(found["remarks"], final)
    return taken


def _remarks_of(found: Any, final: State) -> dict[int, Remark]:
    if not isinstance(found, dict):
        raise RecordError(f"remarks are an object by position, got {shown(found):.60}")
    history = final.history
    remarks = {}
    for key, said in found.items():
        step = int(key) if re.fullmatch("[0-9]{1,9}", key) else -1
        if not 0 <= step <= len(history):
            raise RecordError(f"remarks are for positions 0 to {len(history)}, got {key!r:.60}")
        if not isinstance(said, dict) or not set(said) <= {"comment", "value", "visits"}:
            raise RecordError(
                f"a remark is an object of comment, value and visits, got {shown(said):.60}"
            )
        visits = said.get("visits", {})
        if not isinstance(visits, dict):
            raise RecordError(f"visits are an object by action, got {shown(visits):.60}")
        if visits:
            visits = _by_number(visits, final, len(history) - step)
        remarks[step] = Remark(said.get("comment", ""), said.get("value"), visits)
    return remarks


def _by_number(visits: Mapping[str, Any], final: State, back: int) -> dict[int, Any]:
    state = final.copy()
    for _ in range(back):
        state.undo()
    try:
        return {state.parse_action(text): count for text, count in visits.items()}
    except IllegalActionError as error:
        raise RecordError(f"visits: {error}") from None


def _start_of(found: Mapping[str, Any], fail: Any) -> State:
    try:
        game = game_from_string(found["game"])
    except OptionError as error:
        fail(str(error), "game")
    if "start" not in found:
        if has_drawn_start(game):
            fail(f'{game.to_string()} begins at random: "start" has to tell how', "game")
        return game.initial_state(0)
    try:
        if not isinstance(found["start"], str):
            raise PositionTextError(f"a start is a text, got {shown(found['start']):.60}")
        return read_position(game, found["start"])
    except PositionTextError as error:
        fail(str(error), "start")
    raise AssertionError


def _winner_of(found: Mapping[str, Any]) -> int | None:
    if found["ending"] not in ("resigned", "time"):
        return None
    return WINNERS.get(str(found["result"]))


def _illegal_of(found: Mapping[str, Any], final: State) -> Any:
    if "illegal" not in found:
        return None
    said = found["illegal"]
    if not isinstance(said, dict) or not {"player", "action"} <= set(said) <= {
        "player",
        "action",
        "text",
    }:
        raise RecordError(f"illegal is an object of player, action and text, got {shown(said):.60}")
    action, name = as_integer(said["action"]), said.get("text")
    if action is not None and 0 <= action < final.game.num_actions and "text" in said:
        text = final.action_to_string(action)
        if name != text:
            raise RecordError(f"illegal action {action} is {text}, not {shown(name):.60}")
    if as_integer(said["player"]) != final.to_play:
        raise RecordError(
            f"player_{final.to_play} was to act at the end, not {shown(said['player']):.20}"
        )
    return said["action"]


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r:.60} stands twice")
    return found


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _column(text: str, name: str) -> int:
    """About where a name stands: the first place that looks like it."""
    return text.find(json.dumps(name, ensure_ascii=False)) + 1 or 1


def _column_of_action(text: str, number: int) -> int:
    found = re.search(r'"actions"\s*:\s*\[', text)
    place = found.end() if found else 0
    for _ in range(number):
        found = _STRING.match(text, place)
        if found is None:
            break
        place = found.end()
    return place + len(text[place:]) - len(text[place:].lstrip()) + 1
