"""Records: one game each, checked when made, and written down in three ways that all read back."""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import random
import re
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hexgames_env import Batch, Game, OptionError, State, game_names, make_game
from hexgames_env.core import registry
from hexgames_env.core.registry import game_from_string
from hexgames_env.records import (
    ENDINGS,
    BrokenOffWarning,
    GameArrays,
    Record,
    RecordError,
    Remark,
    open_records,
    read_records,
    write_records,
)
from hexgames_env.records.json_lines import from_json, to_json
from hexgames_env.records.npz import ARRAYS, KINDS
from hexgames_env.testing.positions import games_of
from recorded import GAMES, HOSTILE, Big, Quoted, assert_same, played, random_record
from strange_game import Lamp

OUST = make_game("oust", side=2)
STRANDS = make_game("strands", layout=[2, 2, 3, 2, 1, 3, 3])


@pytest.fixture(autouse=True)
def more_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two strange ones are known."""
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.add_game(Quoted)
    registry.add_game(Lamp)
    registry.add_game(Big)


def after(game: Game, text: str) -> State:
    state = game.initial_state()
    for word in text.split():
        state.step(state.parse_action(word))
    return state


def over(game: Game = OUST, seed: int = 1) -> State:
    return played(game.initial_state(), 10_000, random.Random(seed))


def said(error: pytest.ExceptionInfo[RecordError]) -> tuple[str, int, int]:
    return error.value.what, error.value.line, error.value.column


# What a record is


def test_a_record_is_of_a_state_and_its_history() -> None:
    state = after(OUST, "a1 b2 c1")
    record = Record(state, players=("Ann", "Bob"), seed=7, date="2026-11-30", tags={"Event": "x"})
    assert record.game is OUST and len(record) == 3
    assert record.start == OUST.initial_state() and not record.start.history
    assert record.final == state and record.final.history == state.history == [*record.actions]
    assert record.players == ("Ann", "Bob") and record.seed == 7 and record.date == "2026-11-30"
    assert dict(record.tags) == {"Event": "x"} and not record.remarks
    assert (record.ending, record.winner, record.result, record.illegal) == (
        *("unfinished", None, "*"),
        None,
    )
    assert repr(record) == "<Record oust side=2 pie_rule=true: 3 steps, unfinished, *>"
    state.step(state.legal_actions()[0])
    record.final.undo()
    record.start.step(0)
    assert not record.start.history
    assert len(record) == len(record.final.history) == 3, "the record has states of its own"


def test_what_a_record_says_can_not_be_changed() -> None:
    record = Record(after(OUST, "a1"), tags={"Event": "x"}, remarks={1: Remark("hm")})
    with pytest.raises(TypeError):
        record.tags["Event"] = "y"  # type: ignore[index]
    with pytest.raises(TypeError):
        record.remarks[0] = Remark("y")  # type: ignore[index]
    tags = {"Event": "x"}
    other = Record(after(OUST, "a1"), tags=tags, remarks={1: Remark("hm")})
    tags["Event"] = "z"
    assert other == record


def test_a_record_begins_where_the_history_does() -> None:
    state = after(OUST, "a1 b2")
    fresh = State.from_string(state.to_string())
    fresh.step(fresh.parse_action("c1"))
    record = Record(fresh)
    assert record.start == state and len(record) == 1
    assert Record.from_actions(state, record.actions) == record, "its history is no part of it"
    assert state.history


def test_positions_of_a_record() -> None:
    record = random_record(make_game("rive", side=2), 5)
    states = [*record.states()]
    assert len(states) == len(record) + 1
    for step, state in enumerate(states):
        for number in (step, step - len(states), np.int64(step)):
            found = record.state(number)
            assert found == state and found.history == [*record.actions[:step]]
    for wrong in (len(states), -len(states) - 1, 1.0, None, True, "1"):
        with pytest.raises(IndexError, match=rf"positions 0 to {len(record)}, got "):
            record.state(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", game_names())
def test_turns_are_those_of_the_game(name: str) -> None:
    record = Record(over(make_game(name)))
    turns = record.turns()
    texts = []
    for state, action in zip(record.states(), record.actions, strict=False):
        texts.append(state.action_to_string(action))
        begins = record.game.begins_turn(state)
        assert begins == (len(texts) in np.cumsum([1, *map(len, turns)]))
    assert [text for turn in turns for text in turn] == texts


def test_remarks_of_positions() -> None:
    record = Record(
        after(OUST, "a1 b2"), remarks={2: Remark("end"), 0: Remark(value=1), 1: Remark()}
    )
    assert [*record.remarks] == [0, 2], "in order, and nothing of what says nothing"
    assert record.remark(0) == Remark("", 1.0) and type(record.remark(0).value) is float
    assert record.remark(1) == Remark() and not record.remark(1)
    assert record.remark(2).comment == "end"
    visits = Record(
        after(OUST, "a1"),
        remarks={np.int64(1): Remark(visits={np.int64(1): np.int32(5)})},  # type: ignore[dict-item]
    )
    assert visits.remark(1).visits == {1: 5}


def test_how_a_game_ended_is_found() -> None:
    state = over()
    record = Record(state)
    assert (record.ending, record.winner) == ("rules", state.winner)
    assert record.result == ("1-0", "0-1")[record.winner or 0]
    assert Record(state, ending="rules", winner=state.winner) == record
    assert record.outcome_words() == state.words().outcome
    lost = Record(after(OUST, "a1 b2"), illegal=OUST.initial_state().parse_action("a1"))
    assert (lost.ending, lost.winner, lost.result) == ("illegal action", 1, "0-1")
    assert "illegal" in lost.outcome_words() and "a1" in lost.outcome_words()
    cut = Record(after(OUST, "a1 b2"), ending="cut off")
    assert (cut.result, cut.outcome_words()) == ("*", "cut off after 2 steps: nobody has won")
    for ending, words in (("resigned", "resigned"), ("time", "has run out of time")):
        given = Record(after(OUST, "a1"), ending=ending, winner=1)  # type: ignore[arg-type]
        assert given.result == "0-1" and words in given.outcome_words()
    assert Record(after(OUST, "a1")).outcome_words() == "unfinished"
    assert set(ENDINGS) == {
        *("rules", "illegal action", "cut off", "resigned", "time", "unfinished")
    }


def test_titles() -> None:
    start = make_game("gipf").initial_state()
    assert Record(start, players=("Ann", "")).title() == "GIPF: Ann (White) and player_1 (Black)"
    assert Record(start, players=("", "B")).title() == "GIPF: player_0 (White) and B (Black)"


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: Record(OUST), "a record is of a State and its history, got make_game"),  # type: ignore[arg-type]
    (lambda: Record.from_actions(OUST, []), "a record begins with a State"),  # type: ignore[arg-type]
    (lambda: Record.from_actions(OUST.initial_state(), 5), "actions are a sequence"),  # type: ignore[arg-type]
    (lambda: Record.from_actions(OUST.initial_state(), [0, 0]), r"step 2: action 0 \(a1\) is ill"),
    (lambda: Record.from_actions(OUST.initial_state(), [0.5]), "step 1: an action of oust"),  # type: ignore[list-item]
    (lambda: Record.from_actions(over(), []), ""),
    (lambda: Record(over(), ending="cut off"), "ending must be 'rules', for the rules have ended"),
    (lambda: Record(over(), illegal=0), "an illegal action can't have ended a game"),
    (lambda: Record(after(OUST, "a1"), ending="rules"), "and the game goes on after its last step"),
    (lambda: Record(after(OUST, "a1"), ending="illegal action"), "illegal= has to say which"),
    (lambda: Record(after(OUST, "a1"), ending="lost"), "ending must be"),  # type: ignore[arg-type]
    (lambda: Record(after(OUST, "a1"), ending=5), "ending must be"),  # type: ignore[arg-type]
    (lambda: Record(after(OUST, "a1"), illegal=3), "said to have lost the game as illegal, and it"),
    (lambda: Record(after(OUST, "a1"), illegal=99), "illegal: an action of oust"),
    (lambda: Record(after(OUST, "a1 b2"), illegal=0, ending="time"), "for illegal= is given"),
    (lambda: Record(after(OUST, "a1 b2"), illegal=0, winner=0), "winner is 1 in a game that"),
    (lambda: Record(over(), winner=1 - (over().winner or 0)), "in a game that ended by 'rules'"),
    (lambda: Record(after(OUST, "a1"), winner=0), "nobody has won a game that is 'unfinished'"),
    (lambda: Record(after(OUST, "a1"), ending="cut off", winner=0), "nobody has won"),
    (lambda: Record(after(OUST, "a1"), ending="time"), "0 or 1 where the other player has run out"),
    (lambda: Record(after(OUST, "a1"), ending="resigned", winner=2), "the other player has resig"),
    (lambda: Record(after(OUST, "a1"), players="AB"), "players must be two names"),  # type: ignore[arg-type]
    (lambda: Record(after(OUST, "a1"), players=("A",)), "players must be two names"),  # type: ignore[arg-type]
    (lambda: Record(after(OUST, "a1"), players=("A", 1)), r"players\[1\] must be a str"),  # type: ignore[arg-type]
    (lambda: Record(after(OUST, "a1"), players=("\ud800", "")), r"players\[0\] must be a str that"),
    (lambda: Record(after(OUST, "a1"), date="a\0b"), "date must be a str that can be written"),
    (lambda: Record(after(OUST, "a1"), date=2026), "date must be a str"),  # type: ignore[arg-type]
    (lambda: Record(after(OUST, "a1"), seed=-1), "seed must be None or an integer from 0 to"),
    (lambda: Record(after(OUST, "a1"), seed=2**64), "seed must be"),
    (lambda: Record(after(OUST, "a1"), seed=True), "seed must be"),
    (lambda: Record(after(OUST, "a1"), tags=[("a", "b")]), "tags must be a dict"),  # type: ignore[arg-type]
    (lambda: Record(after(OUST, "a1"), tags=[]), "tags must be a dict"),  # type: ignore[arg-type]
    (lambda: Record(after(OUST, "a1"), tags={"a b": ""}), "the name of a tag is a letter and up"),
    (lambda: Record(after(OUST, "a1"), tags={"é": ""}), "the name of a tag"),
    (lambda: Record(after(OUST, "a1"), tags={"x" * 65: ""}), "the name of a tag"),
    (
        lambda: Record(after(OUST, "a1"), tags={"Result": "*"}),
        "the tag Result is written by itself",
    ),
    (lambda: Record(after(OUST, "a1"), tags={"Event": 5}), r"tags\['Event'\] must be a str"),  # type: ignore[dict-item]
    (lambda: Record(after(OUST, "a1"), remarks=[]), "remarks must be a dict by position"),  # type: ignore[arg-type]
    (
        lambda: Record(after(OUST, "a1"), remarks={2: Remark("x")}),
        "remarks are for positions 0 to 1",
    ),
    (lambda: Record(after(OUST, "a1"), remarks={-1: Remark("x")}), "got one for -1"),
    (lambda: Record(after(OUST, "a1"), remarks={0: "x"}), "a remark is a Remark, got 'x'"),  # type: ignore[dict-item]
    (
        lambda: Record(after(OUST, "a1"), remarks={0: Remark("\0")}),
        "the comment on position 0 must",
    ),
    (lambda: Record(after(OUST, "a1"), remarks={0: Remark(value=1.01)}), "from -1 to 1, got 1.01"),
    (lambda: Record(after(OUST, "a1"), remarks={0: Remark(value=float("nan"))}), "got nan"),
    (lambda: Record(after(OUST, "a1"), remarks={0: Remark(value=True)}), "from -1 to 1, got True"),
    (lambda: Record(after(OUST, "a1"), remarks={0: Remark(visits=[1])}), "must be a dict from act"),  # type: ignore[arg-type]
    (lambda: Record(after(OUST, "a1"), remarks={0: Remark(visits={0: -1})}), "integers from 0 on"),
    (lambda: Record(after(OUST, "a1"), remarks={0: Remark(visits={0: 2**63})}), "integers from 0"),
    (
        lambda: Record(after(OUST, "a1 b2"), remarks={2: Remark(visits={0: 1})}),
        "name action 0, whi",
    ),
    (lambda: Record(after(OUST, "a1"), remarks={0: Remark(visits={99: 1})}), "name action 99"),
    (lambda: Record(after(OUST, "a1"), remarks={0: Remark(visits={-1: 1})}), "name action -1"),
    (lambda: Record(after(OUST, "a1")).to_string("sgf"), "Oust has no notation 'sgf': it has none"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_does_not_fit_is_told(number: int) -> None:
    make, words = WRONG[number]
    if not words:
        make()
        return
    with pytest.raises(RecordError, match=words) as error:
        make()
    assert (error.value.file, error.value.line, error.value.column) == ("", 0, 0)
    assert str(error.value) == error.value.what


def test_records_are_values() -> None:
    record = random_record(make_game("rive", side=3), 3)
    again = random_record(make_game("rive", side=3), 3)
    assert record == again and hash(record) == hash(again) and record != 5
    for other in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert_same(other, record)
    state = after(OUST, "a1 b2")
    base: dict[str, Any] = {"players": ("A", "B"), "seed": 1, "date": "d", "tags": {"E": "x"}}
    base["remarks"] = {0: Remark("hm")}
    one = Record(state, **base)
    changes: list[dict[str, Any]] = [
        *({"players": ("B", "A")}, {"seed": 2}, {"date": None}, {"tags": {"E": "y"}}),
        *({"remarks": {1: Remark("hm")}}, {"ending": "cut off"}, {"illegal": 0}),
        *({"ending": "time", "winner": 0}, {"ending": "resigned", "winner": 0}),
        {"ending": "resigned", "winner": 1},
    ]
    different = [one, *(Record(state, **{**base, **change}) for change in changes)]
    different += [Record(after(OUST, "a1 c1"), **base), Record(after(OUST, "a1"), **base)]
    different.append(Record(after(make_game("oust", side=3), "a1 b2"), **base))
    different.append(Record.from_actions(after(OUST, "a1 b2"), [], **base))
    for k, record in enumerate(different):
        assert [record == other for other in different].index(True) == k


def test_errors_are_values_too() -> None:
    error = RecordError("it is wrong", "a.hgn", 3, 7)
    assert str(error) == "a.hgn:3:7: it is wrong"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.file, again.line, again.column) == (str(error), "a.hgn", 3, 7)
    assert str(RecordError("it is wrong", "a.npz")) == "a.npz: it is wrong"


# Every game in every form


def forms(record: Record, folder: Path) -> Iterator[Record]:
    yield Record.from_string(record.to_string())
    yield from_json(to_json(record))
    yield GameArrays.from_records([record])[0]
    for name in ("a.hgn", "a.jsonl", "a.npz"):
        assert write_records(folder / name, [record]) == 1
        (found,) = read_records(folder / name)
        yield found


@pytest.mark.parametrize("text", [*GAMES, "quoted side=2", "lamp"])
def test_any_game_is_read_as_it_was_written(text: str, tmp_path: Path) -> None:
    game = game_from_string(text)
    for seed in range(14):
        record = random_record(game, seed)
        for found in forms(record, tmp_path):
            assert_same(found, record)


@pytest.mark.parametrize("name", game_names())
def test_games_of_every_option_are_read_as_they_were_written(name: str, tmp_path: Path) -> None:
    for game in games_of(name):
        record = Record(
            over(game)
            if game.num_actions < 60
            else played(game.initial_state(), 60, random.Random(2))
        )
        for found in forms(record, tmp_path):
            assert_same(found, record)


def test_hostile_texts_everywhere(tmp_path: Path) -> None:
    state = after(
        STRANDS, " ".join(Record(played(STRANDS.initial_state(), 4, random.Random(1))).turns()[0])
    )
    for text in HOSTILE:
        remarks = {0: Remark(text), 1: Remark(text, -0.25, {state.legal_actions()[0]: 3})}
        record = Record(state, players=(text, text), date=text, tags={"A": text}, remarks=remarks)
        for found in forms(record, tmp_path):
            assert_same(found, record)


def test_names_of_actions_that_are_no_words(tmp_path: Path) -> None:
    game = make_game("quoted", side=2)
    state = game.initial_state()
    for action in range(7):
        state.step(action)
    remarks = {k: Remark("", None, dict.fromkeys(range(k, 7), k)) for k in range(7)}
    record = Record(state, remarks=remarks)
    for found in forms(record, tmp_path):
        assert_same(found, record)
    lost = Record.from_actions(game.initial_state(), range(6), illegal=3)
    assert r'[Illegal "player_1 3 q\"]"]' in lost.to_string()
    for found in forms(lost, tmp_path):
        assert_same(found, lost)


def test_no_record_and_one_without_steps(tmp_path: Path) -> None:
    for name in ("a.hgn", "a.jsonl"):
        assert write_records(tmp_path / name, []) == 0
        assert [*read_records(tmp_path / name)] == []
        with open_records(tmp_path / name) as file:
            assert len(file) == 0
            with pytest.raises(IndexError, match="has 0 games"):
                file[0]
    with pytest.raises(RecordError, match="no record to take the game from: give game="):
        write_records(tmp_path / "a.npz", [])
    GameArrays.from_records([], OUST).save(tmp_path / "b.npz")
    assert [*read_records(tmp_path / "b.npz")] == []
    empty = Record(OUST.initial_state())
    for found in forms(empty, tmp_path):
        assert_same(found, empty)


# Text


def test_text_is_as_it_is_told() -> None:
    state = after(STRANDS, "a1 b1 c2")
    record = Record(
        state,
        players=("Ann", ""),
        seed=5,
        date="2026-11-30",
        tags={"Event": 'a "b"'},
        remarks={1: Remark("why", 0.5)},
        ending="resigned",
        winner=1,
    )
    text = record.to_string()
    assert text == (
        f'[Game "{STRANDS.to_string()}"]\n[Player0 "Ann"]\n[Date "2026-11-30"]\n'
        '[Event "a \\"b\\""]\n[Seed "5"]\n\n'
        f"1. a1 {{why [%value 0.5]}} 2. b1 c2\n\n"
        '[Termination "resigned"]\n[Result "0-1"]\n'
    )
    assert Record.from_string(text) == record


def test_lines_are_no_wider_than_80_and_no_word_is_broken() -> None:
    record = random_record(make_game("rive", side=5), 1, most=300, remarks=False)
    lines = record.to_string().splitlines()
    turns = [line for line in lines if line and not line.startswith("[")]
    assert len(turns) > 3 and all(60 < len(line) <= 80 for line in turns[:-1])
    assert not any(line != line.strip() for line in lines)


GOOD = '[Game "oust side=2"]\n\n1. a1 2. b2 3. c1\n\n[Termination "unfinished"]\n[Result "*"]\n'


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("1. a1 2. b2 3. c1", "a1 b2 c1"),
        GOOD.replace("1. a1 2. b2 3. c1", "1.a1 2.b2 3.c1"),
        GOOD.replace("1. a1 2. b2 3. c1", "1.\na1\n\n\tb2   3.\r\nc1"),
        GOOD.replace("1. a1 2. b2 3. c1", '"a1" 2. "b2" 3. "c1"'),
        GOOD.replace('[Termination "unfinished"]\n', ""),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n\n", "\n"),
        GOOD.rstrip("\n"),
        "\n\n" + GOOD + "\n\n",
        GOOD.replace("oust side=2", "oust  pie_rule=true   side=2"),
    ],
)
def test_what_people_may_write(text: str, tmp_path: Path) -> None:
    record = Record(after(OUST, "a1 b2 c1"))
    (tmp_path / "a.txt").write_bytes(text.encode())
    assert [*read_records(tmp_path / "a.txt")] == [record]
    if "\r" not in text:
        assert Record.from_string(text) == record


def test_tags_may_stand_in_any_order_and_remarks_together() -> None:
    text = (
        '[Game "oust side=2"]\n[Zebra "z"]\n[Player1 "B"]\n[Player0 "A"]\n1. a1 {so} {[%value 0.5]}'
        "{it [%visits b2:1] is} 2. b2 {end}\n"
        '[Result "*"]\n[Seed "9"]\n'
    )
    record = Record.from_string(text)
    assert record.players == ("A", "B") and record.seed == 9 and dict(record.tags) == {"Zebra": "z"}
    b2 = OUST.initial_state().parse_action("b2")
    assert record.remark(1) == Remark("so it is", 0.5, {b2: 1})
    assert record.remark(2) == Remark("end")


TEXTS = [  # what is wrong, its line and column
    ("", "broken off before its first turn", 1, 1),
    ("1. a1", "a record begins with a tag such as", 1, 1),
    (GOOD.replace("side=2", "side=1"), "side must be", 1, 1),
    (GOOD.replace("oust", "chess"), "there is no game 'chess'", 1, 1),
    (GOOD.replace("b2", "a1"), "'a1' is not legal now: .* legal actions .*: a2, ", 3, 10),
    (GOOD.replace("b2", "zz"), "'zz' is no action of oust side=2 pie_rule=true", 3, 10),
    (GOOD.replace("2. ", "3. "), "here begins turn 2, got the number 3", 3, 7),
    (GOOD.replace("b2", "]"), "']' stands alone", 3, 10),
    (GOOD.replace("b2", "{x"), "this remark is not closed", 3, 10),
    (GOOD.replace("b2", "{x {y} b2"), "this remark is not closed, or another begins", 3, 10),
    (GOOD.replace("b2", '"b2'), "this text in quotes is not closed", 3, 10),
    (GOOD.replace('"*"', '"2-0"'), "the Result is .*, got '2-0'", 6, 1),
    (GOOD.replace('"*"', '"1-0"'), r"the Result is 1-0, and the game ended \*: unfinished", 6, 1),
    (GOOD.replace('"unfinished"', '"rules"'), "the game goes on after its last step", 5, 1),
    (GOOD.replace('"unfinished"', '"lost"'), "ending must be", 5, 1),
    (GOOD.replace('"unfinished"', '"time"'), "winner must be 0 or 1", 6, 1),
    (GOOD.replace('"unfinished"', '"illegal action"'), "illegal= has to say which", 5, 1),
    (GOOD + '[Result "*"]', "the tag Result stands twice", 7, 1),
    (GOOD + "4. a2", r"after the turns and a tag a new record begins, got 4\.", 7, 1),
    (GOOD.replace("\n\n1.", '\n[Seed "x"]\n\n1.'), "seed must be an integer", 2, 1),
    (GOOD.replace("\n\n1.", '\n[Seed "18446744073709551616"]\n\n1.'), "seed must be", 2, 1),
    (GOOD.replace("\n\n1.", '\n[Start "x"]\n\n1.'), "is not NAME=VALUE", 2, 1),
    (GOOD.replace("\n\n1.", '\n[Notation "x"]\n\n1.'), "Oust has no notation 'x'", 2, 1),
    (GOOD.replace("\n\n1.", "\n[Foo bar]\n\n1."), r"this tag is written \[Name", 2, 1),
    (GOOD.replace("[Result", '[Illegal "player_0 1"]\n[Result'), "player_1 was to act", 6, 1),
    (GOOD.replace("[Result", '[Illegal "player_1 x"]\n[Result'), "is written like", 6, 1),
    (GOOD.replace("[Result", '[Illegal "player_1 1 c9"]\n[Result'), "action 1 is a2, not c9", 6, 1),
    (GOOD.replace("[Result", '[Illegal "player_1 99"]\n[Result'), "illegal: an action of", 6, 1),
    (
        GOOD.replace('[Termination "unfinished"]', '[Illegal "player_1 1 a2"]'),
        "said to have lost the game as illegal, and it is legal there",
        5,
        1,
    ),
    (GOOD.replace("b2", "{[%value 2]} b2"), "a value is a number from -1 to 1, got '2'", 3, 11),
    (GOOD.replace("b2", "{[%value 1] [%value 1]} b2"), "one value, and here is another", 3, 22),
    (GOOD.replace("b2", "{[%value 1]} {[%value 1]} b2"), "here is another", 3, 24),
    (GOOD.replace("b2", "{[%visits b2]} b2"), "visits are ACTION:COUNT", 3, 11),
    (GOOD.replace("b2", "{[%visits a1:2]} b2"), "visits: 'a1' is not legal now", 3, 11),
    (GOOD.replace("b2", "{[%visits b2:2 b2:3]} b2"), "the visits of b2:3 stand twice", 3, 11),
    ('[Game "oust side=2"]\n', "broken off before its first turn", 2, 1),
    ('[Game "oust side=2"]\n[Player0 "A"]', "broken off before its first turn", 2, 14),
    (GOOD.replace("oust side=2", "strands layout=6-random"), "begins at random: a tag Start", 1, 1),
]


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_what_is_wrong_in_a_text_is_told_with_its_place(number: int, tmp_path: Path) -> None:
    text, words, line, column = TEXTS[number]
    with pytest.raises(RecordError, match=words) as error:
        Record.from_string(text)
    assert (error.value.line, error.value.column) == (line, column)
    if not text.startswith("[Game"):
        return
    file = tmp_path / "a.hgn"
    file.write_text(GOOD + "\n" + text)
    found = read_records(file)
    next(found)
    with pytest.raises(RecordError) as error:
        next(found)
    assert error.value.file == str(file)
    assert (error.value.line, error.value.column) == (line + 7, column)


def test_a_number_in_mid_turn() -> None:
    text = Record(after(STRANDS, "a1 b1 c2")).to_string().replace("b1 c2", "b1 3. c2")
    with pytest.raises(RecordError, match=r"3\. stands in the midst of turn 2"):
        Record.from_string(text)


def test_a_text_is_a_str() -> None:
    with pytest.raises(RecordError, match="a record is read from a str, got bytes"):
        Record.from_string(GOOD.encode())  # type: ignore[arg-type]


BROKEN = [  # what is left of GOOD, steps that are read, what is told
    (GOOD[: GOOD.index("3. ")], 2, "the tag Result is missing"),
    (GOOD[: GOOD.index("c1")], 2, "the tag Result is missing"),
    (GOOD[: GOOD.index(" c1")], 2, "its last word, '3.', may be cut off"),
    (GOOD[: GOOD.index("c1") + 1], 2, "its last word, 'c', may be cut off and is left out"),
    (GOOD[: GOOD.index("c1") + 2], 2, "its last word, 'c1', may be cut off and is left out"),
    (GOOD[: GOOD.index("c1") + 3], 3, "the tag Result is missing"),
    (GOOD[: GOOD.index("c1") + 2] + "%%%%", 2, "its last word, 'c1', may be cut off"),
    (GOOD[: GOOD.index("c1") + 2] + " %%%%", 3, "the tag Result is missing"),
    (GOOD[: GOOD.index("c1") + 2] + "%\n\n", 2, "its last word, 'c1', may be cut off"),
    (GOOD[: GOOD.index("c1")] + "{x", 2, "its last remark is not closed and is left out"),
    (GOOD[: GOOD.index("c1")] + '"c', 2, "its last text in quotes is not closed"),
    (GOOD[: GOOD.index("[Result") + 9], 3, "its last tag is not closed"),
    (GOOD[: GOOD.index("1. ")], 0, "the tag Result is missing"),
]


@pytest.mark.parametrize(("text", "steps", "words"), BROKEN)
def test_what_was_broken_off_is_told(text: str, steps: int, words: str, tmp_path: Path) -> None:
    with pytest.warns(BrokenOffWarning, match=re.escape(words)) as told:
        record = Record.from_string(text)
    assert record == Record(after(OUST, " ".join("a1 b2 c1".split()[:steps])))
    assert f"It is read up to step {steps}, as 'unfinished'" in str(told[0].message)
    (tmp_path / "a.hgn").write_text(GOOD + "\n" + text)
    with pytest.warns(BrokenOffWarning, match=f"{tmp_path / 'a.hgn'}:8: this record of Oust"):
        assert [*read_records(tmp_path / "a.hgn")][1] == record


def test_how_it_ended_is_kept_as_far_as_it_is_told() -> None:
    head = '[Game "oust side=2"]\n\n1. a1\n\n'
    for tail, ending in (
        ('[Termination "cut off"]\n', "cut off"),
        ('[Termination "resigned"]\n', "unfinished"),
        ('[Termination "time"]\n[Resu', "unfinished"),
        ('[Illegal "player_1 6 c2"]\n', ""),
    ):
        if not ending:
            continue
        with pytest.warns(BrokenOffWarning):
            assert Record.from_string(head + tail).ending == ending
    whole = Record(over()).to_string()
    with pytest.warns(BrokenOffWarning):
        assert Record.from_string(whole[: whole.index("[Result")]).ending == "rules"


# GIPF's own notation


def gipf_record(seed: int, variant: str) -> Record:
    """Of whole turns, with remarks between them."""
    game = make_game("gipf", variant=variant)
    rng = random.Random(seed)
    while True:
        state = played(game.initial_state(), rng.randrange(120), rng)
        while state.last_action is not None and not (state.is_over or game.begins_turn(state)):
            state.undo()
        if rng.random() < 0.8:
            break
    begins, before = [], state.root()
    for step, action in enumerate([*state.history, None]):
        if action is None or game.begins_turn(before):
            begins.append(step)
        if action is not None:
            before.step(action)
    remarks = {k: Remark(rng.choice(HOSTILE), rng.random()) for k in begins if rng.random() < 0.3}
    return Record(state, remarks=remarks, players=("A", "B"))


@pytest.mark.parametrize("variant", ["standard", "basic", "tournament"])
def test_gipf_in_its_own_notation(variant: str, tmp_path: Path) -> None:
    written = 0
    for seed in range(12):
        record = gipf_record(seed, variant)
        try:
            text = record.to_string("official")
        except RecordError:  # it has no text for some turns
            continue
        written += 1
        assert '[Notation "official"]' in text
        found = Record.from_string(text)
        assert found.final == record.final and found.players == record.players
        assert len(found) == len(record) and found.turns().__len__() == len(record.turns())
        assert [r for _, r in sorted(found.remarks.items())] == [
            r for _, r in sorted(record.remarks.items())
        ]
        assert found.to_string("official") == text
        assert write_records(tmp_path / "a.pgn", [record, record], notation="official") == 2
        assert [*read_records(tmp_path / "a.pgn")] == [found, found]
        if len(record) > 3:
            cut = text[: text.rindex("\n\n[")]
            with pytest.warns(BrokenOffWarning):
                broken = Record.from_string(cut + "%")
            assert broken.actions == found.actions[: len(broken)]
    assert written > 6


def test_a_remark_in_mid_turn_has_no_place_in_gipf_notation() -> None:
    for seed in range(200):
        record = gipf_record(seed, "standard")
        inside = [
            k for k, s in enumerate(record.states()) if 0 < k < len(record) and s.phase != "push"
        ]
        if inside:
            break
    remarked = Record(record.final, remarks={inside[0]: Remark("hm")})
    with pytest.raises(RecordError, match=f"no place for what is said of position {inside[0]}"):
        remarked.to_string("official")
    assert Record.from_string(remarked.to_string()) == remarked


def test_places_in_gipf_notation() -> None:
    record = next(r for r in (gipf_record(k, "standard") for k in range(50)) if len(r) > 20)
    lines = record.to_string("official").splitlines()
    line = next(k for k, text in enumerate(lines) if text.startswith("1. "))
    with pytest.raises(RecordError) as error:
        Record.from_string("\n".join([*lines[:line], "1. xyz 2. a1-b2", '[Result "*"]']))
    assert error.value.line == line + 1 and 4 <= error.value.column <= 7
    with pytest.raises(RecordError, match="here begins turn 1, got the number 7") as error:
        Record.from_string("\n".join([*lines[:line], "7. a1-b2"]))
    assert (error.value.line, error.value.column) == (line + 1, 1)


# JSON


def test_json_is_as_it_is_told() -> None:
    record = Record(
        after(OUST, "a1 b2"), players=("Ann", ""), illegal=0, remarks={1: Remark("é", 0.5, {1: 2})}
    )
    text = to_json(record)
    assert "\n" not in text and "é" in text
    assert json.loads(text) == {
        "game": "oust side=2 pie_rule=true",
        "actions": ["a1", "b2"],
        "ending": "illegal action",
        "result": "0-1",
        "illegal": {"player": 0, "action": 0, "text": "a1"},
        "players": ["Ann", ""],
        "remarks": {"1": {"comment": "é", "value": 0.5, "visits": {"a2": 2}}},
    }
    drawn = json.loads(to_json(Record(make_game("strands", layout="6-random").initial_state(3))))
    assert drawn["start"].startswith("board=") or "board=" in drawn["start"]


BASE: dict[str, Any] = {
    "game": "oust side=2",
    "actions": ["a1", "b2"],
    "ending": "unfinished",
    "result": "*",
}
LINES: list[tuple[Any, str, str]] = [  # the line, what is wrong, what stands at its column
    ("{", "this is no JSON: ", ""),
    ("[]", r"a record is a JSON object, got \[\]", "["),
    ('{"game": "oust", "game": "oust"}', "'game' stands twice", "{"),
    ('{"a": NaN}', "NaN is no number of JSON", "{"),
    ("[" * 100_000, "this is no JSON of a record|this is no JSON", ""),
    ('{"seed": 1' + "0" * 5000 + "}", "this is no JSON of a record", "{"),
    ({"game": "oust"}, "the object has no 'actions'", "{"),
    ({**BASE, "winner": 1}, "a record has no 'winner'; beside game, actions", '"winner"'),
    ({**BASE, "game": "chess"}, "there is no game 'chess'", '"game"'),
    ({**BASE, "game": 5}, "a game is named by a text", '"game"'),
    ({**BASE, "game": "strands layout=6-random"}, "begins at random", '"game"'),
    ({**BASE, "start": "x"}, "'x' is not NAME=VALUE", '"start"'),
    ({**BASE, "start": 5}, "a start is a text, got 5", '"start"'),
    ({**BASE, "actions": "a1"}, "actions are a list of texts, got 'a1'", '"actions"'),
    ({**BASE, "actions": ["a1", "zz"]}, "step 2: 'zz' is no action", '"zz"'),
    ({**BASE, "actions": ["a1", "a1"]}, "step 2: 'a1' is not legal now.*: a2", '"a1"], '),
    ({**BASE, "actions": ["a1", 5]}, "step 2: 5 is no action", "5"),
    ({**BASE, "ending": "rules"}, "the game goes on after its last step", "{"),
    ({**BASE, "ending": None}, "the ending is a text, got None", '"ending"'),
    ({**BASE, "ending": ["rules"]}, "the ending is a text", '"ending"'),
    ({**BASE, "ending": "time"}, "winner must be 0 or 1", "{"),
    ({**BASE, "result": "1-0"}, r"the result is '1-0', and the game ended \*", '"result"'),
    ({**BASE, "result": None}, "the result is None", '"result"'),
    ({**BASE, "illegal": 5}, "illegal is an object of player, action and text", "{"),
    ({**BASE, "illegal": {"player": 1, "action": 1}}, "player_0 was to act at the end, not 1", "{"),
    ({**BASE, "illegal": {"player": 0, "action": 1}}, "and it is legal there", "{"),
    ({**BASE, "illegal": {"player": False, "action": 0}}, "player_0 was to act", "{"),
    (
        {**BASE, "illegal": {"player": 0, "action": 0, "text": "a2"}},
        "illegal action 0 is a1, not 'a2'",
        "{",
    ),
    ({**BASE, "players": ["A"]}, "players must be two names", "{"),
    ({**BASE, "players": "AB"}, "players must be two names", "{"),
    ({**BASE, "players": ["\ud800", ""]}, r"players\[0\] must be a str that", "{"),
    ({**BASE, "seed": 1.5}, "seed must be", "{"),
    ({**BASE, "tags": {"a b": "x"}}, "the name of a tag", "{"),
    ({**BASE, "tags": []}, "tags must be a dict", "{"),
    ({**BASE, "remarks": []}, "remarks are an object by position", "{"),
    ({**BASE, "remarks": {"3": {}}}, "remarks are for positions 0 to 2, got '3'", "{"),
    ({**BASE, "remarks": {"x": {}}}, "remarks are for positions 0 to 2, got 'x'", "{"),
    ({**BASE, "remarks": {"1": "x"}}, "a remark is an object of comment, value and visits", "{"),
    ({**BASE, "remarks": {"1": {"v": 1}}}, "a remark is an object of comment", "{"),
    ({**BASE, "remarks": {"1": {"value": 3}}}, "from -1 to 1, got 3", "{"),
    ({**BASE, "remarks": {"1": {"visits": [1]}}}, "visits are an object by action", "{"),
    ({**BASE, "remarks": {"1": {"visits": {"a1": 1}}}}, "visits: 'a1' is not legal now", "{"),
    ({**BASE, "remarks": {"1": {"visits": {"a2": 1.5}}}}, "integers from 0 on by action", "{"),
]


@pytest.mark.parametrize("number", range(len(LINES)))
def test_what_is_wrong_in_a_line_of_json_is_told_with_its_place(
    number: int, tmp_path: Path
) -> None:
    given, words, at = LINES[number]
    line = given if isinstance(given, str) else json.dumps(given)
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(BASE) + "\n\n" + line + "\n")
    found = read_records(file)
    next(found)
    with pytest.raises(RecordError, match=words) as error:
        next(found)
    assert (error.value.file, error.value.line) == (str(file), 3)
    assert error.value.column >= 1 and line[error.value.column - 1 :].startswith(at)


def test_the_column_of_an_action_in_json() -> None:
    base = Record(after(OUST, "a1 b2 c1"))
    text = to_json(base).replace('"c1"', '"b2"')
    with pytest.raises(RecordError, match="step 3") as error:
        from_json(text)
    assert text[error.value.column - 1 :].startswith('"b2"], "ending"')


# Arrays


def some_records(count: int = 12, text: str = "oust side=3") -> list[Record]:
    game = game_from_string(text)
    return [random_record(game, seed) for seed in range(count)]


def test_arrays_hold_games() -> None:
    records = some_records()
    games = GameArrays.from_records(iter(records))
    assert len(games) == 12 and games.game == records[0].game
    assert games.lengths.tolist() == [len(record) for record in records]
    assert games.offsets.tolist() == [0, *np.cumsum(games.lengths)]
    assert games.actions.dtype == np.uint8
    assert games.actions.tolist() == [a for record in records for a in record.actions]
    assert [ENDINGS[k] for k in games.endings] == [record.ending for record in records]
    assert (
        [*games] == records and games[-1] == records[-1] and games[int(np.int64(2))] == records[2]
    )
    for wrong in (12, -13, 1.0, "0"):
        with pytest.raises(IndexError, match="games are 0 to 11"):
            games[wrong]  # type: ignore[index]
    for array in (games.actions, games.offsets, games.winners, games.endings, games.illegal):
        assert not array.flags.writeable
    assert repr(games).startswith("<GameArrays oust side=3 pie_rule=true: 12 games, ")


def test_arrays_hold_games_of_one_kind() -> None:
    records = [*some_records(2), *some_records(1, "oust side=2")]
    with pytest.raises(RecordError, match=r"record 3 is of oust side=2 .*: write a file for each"):
        GameArrays.from_records(records)
    with pytest.raises(RecordError, match="record 1 is of oust side=3"):
        GameArrays.from_records(records, OUST)
    with pytest.raises(RecordError, match="takes Records, got 5"):
        GameArrays.from_records([5])  # type: ignore[list-item]


@pytest.mark.long
def test_many_actions_take_two_bytes(tmp_path: Path) -> None:
    records = some_records(3, "big side=2")
    games = GameArrays.from_records(records)
    assert games.actions.dtype == np.uint16
    games.save(tmp_path / "a.npz")
    assert [*GameArrays.load(tmp_path / "a.npz")] == records
    batch = Batch(records[0].game, 2, 1, record=True)
    batch.play_random(20)
    assert GameArrays.from_batch(batch).actions.dtype == np.uint16
    found = columns(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", **{**found, "actions": found["actions"].astype(np.uint8)})
    with pytest.raises(RecordError, match="actions of big side=2 are uint16, got uint8"):
        GameArrays.load(tmp_path / "a.npz")


@pytest.mark.parametrize("text", ["oust side=3", "strands layout=6-random"])
def test_arrays_are_joined(text: str) -> None:
    records = some_records(9, text)
    empty = GameArrays.from_records([], records[0].game)
    parts = [GameArrays.from_records(records[k : k + 3]) for k in (0, 3, 6)]
    joined = GameArrays.joined([parts[0], empty, *parts[1:]])
    assert [*joined] == records
    for wrong in ([], [parts[0], GameArrays.from_records(some_records(1, "rive side=2"))]):
        with pytest.raises(RecordError, match="arrays of one and the same game"):
            GameArrays.joined(wrong)


@pytest.mark.parametrize("text", GAMES)
def test_games_of_a_batch(text: str, tmp_path: Path) -> None:
    game = game_from_string(text)
    most = 5 if game.num_actions < 40 else 15
    batch = Batch(game, 6, 3, max_cycles=most, illegal_action="lose", record=True)
    twin = batch.copy()
    states, expected = twin.states(), []
    rng = random.Random(1)
    for step in range(130):
        actions = twin.sample_actions()
        if step % 7 == 0:
            actions[rng.randrange(6)] = int(twin.action_mask[2].argmin())
        batch.step(actions)
        twin.step(actions)
        for row, state in enumerate(states):
            legal = state.try_step(int(actions[row]))
            if row in twin.finished:
                illegal = None if legal else int(actions[row])
                ending: Any = None if state.is_over or not legal else "cut off"
                expected.append(Record(state, illegal=illegal, ending=ending, players=("a", "b")))
                states[row] = twin.state(row)
    expected += [Record(state, players=("a", "b")) for state in states if state.history]
    batch.begin()  # the journals of both go on alike
    games = GameArrays.from_batch(batch, True, players=("a", "b"))
    assert sorted(map(to_json, games)) == sorted(map(to_json, expected))
    games.save(tmp_path / "a.npz")
    assert [*GameArrays.load(tmp_path / "a.npz")] == [*games]
    assert {"cut off", "illegal action", "unfinished"} <= {record.ending for record in games}


def test_positions_put_into_a_batch_are_starts(tmp_path: Path) -> None:
    state = after(OUST, "a1 b2")
    batch = Batch(OUST, 3, 1, record=True)
    batch.set_states([1], [state])
    batch.step(batch.sample_actions())
    games = GameArrays.from_batch(batch, running=True)
    games.save(tmp_path / "a.npz")
    starts = [record.start for record in GameArrays.load(tmp_path / "a.npz")]
    assert starts == [OUST.initial_state(), state, OUST.initial_state()]


# Samples


@pytest.mark.parametrize("text", ["oust side=3", "rive side=2", "gipf", "strands layout=6-random"])
@pytest.mark.parametrize("size", [1, 7, 64, 100_000])
def test_samples_are_every_position_once(text: str, size: int) -> None:
    records = [random_record(game_from_string(text), k, 40) for k in range(9)]
    games = GameArrays.from_records(records)
    expected = []
    for record in records:
        for state, action in zip(record.states(), record.actions, strict=False):
            mover = state.to_play
            result = 0.0 if record.winner is None else 1.0 - 2.0 * (record.winner != mover)
            planes, mask = state.observation(mover), state.action_mask()
            expected.append((planes.tobytes(), mask.tobytes(), action, mover, result))
    for in_order in (True, False):
        found = []
        batches = [*games.samples(size, seed=3, in_order=in_order)]
        assert [len(batch.action) for batch in batches[:-1]] == [size] * (len(batches) - 1)
        assert 0 < len(batches[-1].action) <= size
        for batch in batches:
            kinds = [array.dtype for array in batch]
            assert kinds == [np.float32, np.int8, np.int64, np.int64, np.float32]
            assert batch.observation.shape[1:] == games.game.observation_shape
            for planes, mask, action, player, result in zip(*batch, strict=True):
                found.append((planes.tobytes(), mask.tobytes(), int(action), int(player), result))
        if in_order:
            assert found == expected
        else:
            assert found != expected and sorted(found) == sorted(expected)


def test_the_order_of_samples_is_decided_by_the_seed() -> None:
    games = GameArrays.from_records(some_records(20))

    def order(seed: int | None) -> list[bytes]:
        return [batch.observation.tobytes() for batch in games.samples(16, seed)]

    assert order(1) == order(1) != order(2)
    assert order(None) != order(None)
    arrays = [*games.samples(16, 1)]
    arrays[0].observation[:] = 9
    arrays[1].action_mask[:] = 9
    assert order(1)[0] != arrays[0].observation.tobytes(), "arrays are the caller's own"
    for size, seed in ((0, 1), (1.5, 1), (16, -1), (True, 1)):
        with pytest.raises(OptionError):
            games.samples(size, seed)  # type: ignore[arg-type]
    assert [*GameArrays.from_records([], OUST).samples(4, 1)] == []


def test_samples_of_many_games_come_from_all_over() -> None:
    batch = Batch(make_game("oust", side=3), 64, 1, record=True)
    batch.play_random(600)
    games = GameArrays.from_batch(batch)
    total = 0
    pairs: list[Any] = []
    for k, samples in enumerate(games.samples(64, seed=1)):
        total += len(samples.action)
        if k < 10:  # steps of openings and of ends, of both players
            stones = samples.observation[..., 2:].sum(axis=(1, 2, 3))
            assert len(set(stones.tolist())) > 8 and 0.2 < samples.player.mean() < 0.8
            pairs.append((samples.player[1:] != samples.player[:-1]).mean())
    assert 0.4 < np.mean(pairs) < 0.6, "no step stands behind the one before it"
    assert total == len(games.actions) > 10_000


def test_samples_take_little_memory() -> None:
    batch = Batch(make_game("oust", side=3), 64, 1, record=True)
    batch.play_random(2000)
    games = GameArrays.from_batch(batch)
    next(games.samples(4096, seed=1))
    tracemalloc.start()
    for _ in games.samples(64, seed=1):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    all_planes = len(games.actions) * 4 * int(np.prod(games.game.observation_shape))
    assert peak < all_planes / 6


# What is checked of arrays in a file


def columns(path: Path) -> dict[str, Any]:
    with np.load(path) as file:
        return dict(file)


def text_column(text: str) -> Any:
    return np.frombuffer(text.encode(), np.uint8)


def put(place: int, value: int) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array = array.copy()
        array[place] = value
        return array

    return change


DAMAGE: list[tuple[str, Callable[[Any], Any], str]] = [
    ("form", lambda a: a + 1, "the form of this file is 2, and 1 is read here"),
    ("form", lambda a: np.array([1]), "is int64 of shape"),
    ("form", lambda a: np.array(1.0), "is float64 of shape"),
    ("game", lambda a: text_column("chess"), "there is no game 'chess'"),
    ("game", lambda a: np.array([255], np.uint8), "game is no UTF-8"),
    ("game", lambda a: text_column("oust side=3"), "game 1"),
    ("game", lambda a: text_column("gipf"), "game 1"),
    ("game", lambda a: a.reshape(1, -1), "and not as it is written here"),
    ("actions", lambda a: a.astype(np.uint16), "are uint8, got uint16"),
    ("actions", lambda a: a.astype(np.int64), "is int64 of shape"),
    ("actions", lambda a: a[:-1], "end with the number of actions"),
    ("actions", put(0, 7), r"game 1, step 1: action 7 \(pass\) is illegal here: .* legal"),
    ("actions", put(0, 200), "game 1, step 1: an action of oust is an integer from 0 to 8"),
    ("offsets", put(0, 1), "offsets don't begin at 0"),
    ("offsets", put(-1, 1), "offsets don't begin at 0 and end with"),
    ("offsets", put(1, -1), "offsets must ascend"),
    ("offsets", put(1, 2**40), "offsets must ascend"),
    ("offsets", lambda a: a[:-1], "not all of the same number of games"),
    ("offsets", lambda a: a.astype(np.int32), "is int32 of shape"),
    ("winners", lambda a: -a, "is said to have ended by"),
    ("winners", put(0, 2), "game 1: winners must be -1 to 1, got 2"),
    ("winners", lambda a: a[:-1], "not all of the same number of games"),
    ("endings", put(0, 6), "game 1: endings must be 0 to 5, got 6"),
    ("endings", put(0, 2), "it is said to have ended by 'cut off' with winner"),
    ("endings", put(0, 3), "it is said to have ended by 'resigned' with winner"),
    ("endings", put(0, 1), "it is said to have ended by 'illegal action' with winner"),
    ("illegal", put(0, 1), "with winner . and illegal action 1, which its"),
    ("illegal", put(1, 1), "illegal action"),
    ("illegal", put(0, 9), "game 1: illegal must be -1 to 8, got 9"),
    ("start_numbers", put(0, 0), "game 1: start_numbers must be -1 to -1, got 0"),
    ("starts", lambda a: text_column("x"), "start 0: 'x' is not NAME=VALUE"),
    ("detail_numbers", put(0, 9), "game 1: detail_numbers must be -1 to 2, got 9"),
    ("detail_numbers", put(0, -2), "detail_numbers must be -1 to 2"),
    ("details", lambda a: text_column("{\n{\n{"), "this is no JSON"),
    ("details", lambda a: text_column('{"seed": -1}\n{}\n{}'), "seed must be"),
    ("details", lambda a: text_column('{"sed": 1}\n{}\n{}'), "nothing of a record is called 'sed'"),
    ("details", lambda a: text_column("[]\n{}\n{}"), "a record is a JSON object"),
    (
        "details",
        lambda a: text_column('{"remarks": {"99": {"comment": "x"}}}\n{}\n{}'),
        "game 1: remarks are for positions 0 to",
    ),
]


@pytest.mark.parametrize("number", range(len(DAMAGE)))
def test_what_is_wrong_in_arrays_is_told(number: int, tmp_path: Path) -> None:
    column, change, words = DAMAGE[number]
    file = tmp_path / "a.npz"
    lost = Record(after(OUST, "a1 b2"), illegal=0, tags={"A": "x"})
    games = [Record(over(), tags={"A": "y"}), lost, Record(after(OUST, "a1"), tags={"A": "z"})]
    write_records(file, games)
    found = columns(file)
    assert (
        [*found] == [*KINDS] == [line.split()[0] for line in ARRAYS.splitlines() if line[0] != " "]
    )
    found[column] = change(found[column])
    np.savez(file, **found)
    with pytest.raises(RecordError, match=words) as error:
        GameArrays.load(file)
    assert error.value.file == str(file)
    with pytest.raises(RecordError, match=words):
        open_records(file)


def test_results_that_steps_do_not_lead_to() -> None:
    """Every pair of ending and winner that a record can't have."""
    games = GameArrays.from_records([Record(over()), Record(after(OUST, "a1"))])
    names = ("actions", "offsets", "winners", "endings", "illegal")
    base: dict[str, Any] = {name: getattr(games, name) for name in names}
    base |= {"starts": text_column(""), "details": text_column("")}
    base |= {"start_numbers": np.full(2, -1, np.int32), "detail_numbers": np.full(2, -1, np.int32)}
    good = 0
    for k in (0, 1):
        for ending in range(len(ENDINGS)):
            for winner in (-1, 0, 1):
                for illegal in (-1, 0, 1):
                    given = {name: array.copy() for name, array in base.items()}
                    given["endings"][k], given["winners"][k] = ending, winner
                    given["illegal"][k] = illegal
                    arrays = GameArrays(OUST, given)
                    final = games[k].final
                    how: dict[str, Any] = {"ending": ENDINGS[ending]}
                    how |= {"winner": None if winner < 0 else winner}
                    how |= {"illegal": None if illegal < 0 else illegal}
                    try:
                        record = Record(final, **how)
                        possible = record.winner == how["winner"]
                    except RecordError:
                        possible = False
                    if possible:
                        arrays._check_games()
                        good += 1
                    else:
                        with pytest.raises(RecordError, match=f"game {k + 1}: it is said"):
                            arrays._check_games()
    assert good == 1 + 2 + 4 + 1  # by rules; cut off, unfinished; resigned, time; one illegal


def test_a_file_of_other_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.arange(3))
    with pytest.raises(RecordError, match="has no array 'form': it is no file of games"):
        GameArrays.load(tmp_path / "a.npz")
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        for name in KINDS:
            archive.writestr(f"{name}.npy", b"hello")
    with pytest.raises(RecordError, match="has no header of numpy"):
        GameArrays.load(tmp_path / "b.npz")
    with pytest.raises(FileNotFoundError):
        GameArrays.load(tmp_path / "c.npz")
    with pytest.raises(OptionError, match="limit"):
        GameArrays.load(tmp_path / "a.npz", limit=0)


def test_a_compressed_file_is_read_and_no_bigger_one_than_the_limit(tmp_path: Path) -> None:
    records = some_records(30)
    write_records(tmp_path / "a.npz", records)
    found = columns(tmp_path / "a.npz")
    np.savez_compressed(tmp_path / "b.npz", **found)
    assert [*GameArrays.load(tmp_path / "b.npz")] == records
    size = sum(array.nbytes for array in found.values())
    assert [*GameArrays.load(tmp_path / "b.npz", limit=size)] == records
    with pytest.raises(RecordError, match=r"expands beyond the limit of \S+ bytes"):
        GameArrays.load(tmp_path / "b.npz", limit=size - 1)
    for kind in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(tmp_path / "c.npz", "w", kind) as archive:
            for name, array in found.items():
                buffer = io.BytesIO()
                np.save(buffer, array)
                archive.writestr(f"{name}.npy", buffer.getvalue())
        with pytest.raises(RecordError, match="is not compressed as numpy does it"):
            GameArrays.load(tmp_path / "c.npz")


# Files


@pytest.fixture(params=["a.hgn", "a.jsonl", "a.npz"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    found: Path = tmp_path / request.param
    return found


def test_a_file_is_a_sequence(file: Path) -> None:
    records = some_records(7)
    assert write_records(file, iter(records)) == 7
    with open_records(file) as found:
        assert found.form == {".hgn": "text", ".jsonl": "jsonl", ".npz": "npz"}[file.suffix]
        assert repr(found) == f"<RecordFile {str(file)!r}, {found.form}>"
        some = iter(found)
        assert next(some) == records[0]
        assert found[5] == records[5] and found[-7] == records[0] and found[3] == records[3]
        assert next(some) == records[1], "a look elsewhere does not disturb it"
        assert len(found) == 7
        assert [*found] == records == [*found]
        for wrong in (7, -8, 1.5, "a", None):
            with pytest.raises(IndexError, match="0 to 6"):
                found[wrong]  # type: ignore[index]
    assert [*read_records(os.fspath(file))] == records


def test_a_file_is_known_by_what_is_in_it(file: Path) -> None:
    records = some_records(3)
    write_records(file, records)
    other = file.with_name("whatever")
    os.rename(file, other)
    assert [*read_records(other)] == records
    if file.suffix != ".npz":
        other.write_bytes(b"\xef\xbb\xbf\n  \n" + other.read_bytes())
        assert [*read_records(other)] == records


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (GOOD.encode("utf-16"), "this file is UTF-16"),
        (GOOD.encode("utf-16-be"), "this file is no text, and no .npz either"),
        (b"\x1f\x8b123", "compressed by gzip"),
        (b"BZh91AY", "compressed by bzip2"),
        (b"\xfd7zXZ\0", "compressed by xz"),
        (b"PK12", "this is no .npz, or it is damaged"),
        (b"hello\n", r"a record begins with a line such as \[Game .*, got 'hello'"),
        (GOOD.replace("b2", "b\u00e9").encode("latin-1"), "byte 0xe9 is no UTF-8"),
        ((GOOD * 60 + "\0").encode(), "a zero byte is no text"),
    ],
)
def test_what_is_no_file_of_records(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.hgn").write_bytes(content)
    with pytest.raises(RecordError, match=words) as error:
        [*read_records(tmp_path / "a.hgn")]
    assert error.value.file == str(tmp_path / "a.hgn")
    assert content.startswith(b"PK") or (error.value.line >= 1 and error.value.column >= 1)


def test_places_of_wrong_bytes(tmp_path: Path) -> None:
    text = GOOD + "\n" + GOOD.replace("b2", "b\u00e9")
    (tmp_path / "a.hgn").write_bytes(text.encode("latin-1"))
    with pytest.raises(RecordError) as error:
        [*read_records(tmp_path / "a.hgn")]
    assert (error.value.line, error.value.column) == (10, 11)
    (tmp_path / "a.hgn").write_bytes((GOOD * 60).encode() + GOOD.replace("b2", "\0").encode())
    with pytest.raises(RecordError) as error:
        [*read_records(tmp_path / "a.hgn")]
    assert (error.value.line, error.value.column) == (363, 10)


def test_names_say_the_form(tmp_path: Path) -> None:
    for name in ("a.zip", "a", "a.json", ".hgn"):
        with pytest.raises(RecordError, match=r"ends in \.hgn, \.txt, \.pgn, \.jsonl, \.ndjson, "):
            write_records(tmp_path / name, [])
    record = Record(after(OUST, "a1"))
    for name in ("a.HGN", "a.txt", "a.pgn", "a.ndjson"):
        write_records(tmp_path / name, [record])
        assert [*read_records(tmp_path / name)] == [record]
    with pytest.raises(RecordError, match="only text takes a notation"):
        write_records(tmp_path / "a.jsonl", [], notation="official")


def test_games_are_put_behind_others(file: Path) -> None:
    records = some_records(4)
    if file.suffix == ".npz":
        with pytest.raises(RecordError, match=r"nothing is appended to a \.npz"):
            write_records(file, records, append=True)
        return
    for record in records:
        assert write_records(file, [record], append=True) == 1
    assert [*read_records(file)] == records
    content = file.read_bytes()
    write_records(file, records)
    assert file.read_bytes() == content, "all at once is the same"
    file.write_bytes(content.rstrip(b"\n"))
    write_records(file, records[:1], append=True)
    assert [*read_records(file)] == [*records, records[0]], "behind a line without an end"


def test_what_is_put_behind_a_broken_record_leaves_it_broken(tmp_path: Path) -> None:
    """A word that may be cut off is not made whole by what follows."""
    file = tmp_path / "a.hgn"
    record = Record(after(OUST, "a1"))
    for text, steps, _ in BROKEN:
        file.write_text(text)
        write_records(file, [record], append=True)
        with pytest.warns(BrokenOffWarning):
            found = [*read_records(file)]
        assert len(found[0]) == steps and found[1:] == [record]


def test_a_file_is_replaced_when_all_is_written(file: Path) -> None:
    records = some_records(4)
    write_records(file, records)
    before = file.read_bytes()

    def some() -> Iterator[Record]:
        yield records[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_records(file, some())
    with pytest.raises(RecordError, match=r"Records?, got 5"):
        write_records(file, [records[0], 5])  # type: ignore[list-item]
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name], "nothing is left behind"
    write_records(file, (record for record in read_records(file) if len(record)))
    assert [*read_records(file)] == [record for record in records if len(record)]
    mask = os.umask(0o077)
    try:
        write_records(file, records)
    finally:
        os.umask(mask)
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.long
def test_one_game_is_in_memory_at_a_time(tmp_path: Path) -> None:
    record = random_record(make_game("rive", side=5), 1, 300)
    for name in ("a.hgn", "a.jsonl"):
        file = tmp_path / name
        write_records(file, [record] * 5)
        with warnings.catch_warnings():
            tracemalloc.start()
            few = sum(1 for _ in read_records(file))
            first = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        file.write_bytes(b"\n".join([file.read_bytes()] * 20))
        tracemalloc.start()
        many = sum(1 for _ in read_records(file))
        second = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (few, many) == (5, 100) and second < 1.2 * first


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        open_records(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_records(tmp_path / "a.hgn")
    with pytest.raises(FileNotFoundError):
        write_records(tmp_path / "none" / "a.hgn", [])
