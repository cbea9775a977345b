"""Damaged files of records: an error with its place, or what stands there, and never another game.

What is read of a file is compared with what the file says, as a reader of its own finds that: so a
changed name or action that is legal is told from one that was made up.
"""

from __future__ import annotations

import json
import os
import random
import re
import struct
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from hexgames_env import State, make_game
from hexgames_env.core.registry import game_from_string
from hexgames_env.core.state import read_position
from hexgames_env.records import (
    BrokenOffWarning,
    GameArrays,
    Record,
    RecordError,
    Remark,
    read_records,
    write_records,
)
from hexgames_env.records.npz import KINDS
from recorded import assert_same, played, random_record

pytestmark = pytest.mark.long

MOST = 40_000_000  # bytes of memory for any file here, of a few kilobytes


def base_records() -> list[Record]:
    """Short, and with everything in them that a record can have."""
    oust, strands = make_game("oust", side=3), make_game("strands", layout=[2, 2, 3, 2, 1, 3, 3])
    rng = random.Random(4)
    first = oust.initial_state()
    for text in ("a1", "c3", "e3"):
        first.step(first.parse_action(text))
    start = State.from_string(played(strands.initial_state(), 1, rng).to_string())
    second = played(start, 4, rng)
    illegal = next(a for a in range(second.game.num_actions) if not second.is_legal(a))
    legal = first.legal_actions()
    drawn = played(make_game("strands", layout="6-random").initial_state(7), 3, rng)
    return [
        Record(
            first,
            players=('Ann "x"', "Bób\\"),
            seed=17,
            tags={"Event": "a]\nb"},
            remarks={
                0: Remark("so {it} is", visits={1: 7, 2: 0}),
                2: Remark("", -0.5),
                3: Remark("x\\", 0.25, {legal[0]: 5}),
            },
            ending="resigned",
            winner=1,
        ),
        Record(second, illegal=illegal, remarks={1: Remark("\u00e9"), 2: Remark("two")}),
        Record(drawn, ending="cut off"),
        Record(played(make_game("oust", side=2).initial_state(), 99, rng), players=("A", "B")),
    ]


# What a file says, read otherwise than the package reads it


class Says(NamedTuple):
    """Of one record: tags, and words and remarks in their order."""

    tags: dict[str, str]
    items: list[tuple[str, Any]]


def until(text: str, place: int, end: str, but: str = "") -> int:
    """Where ``end`` stands without a backslash, -1 if nowhere or behind one of ``but``."""
    while place < len(text):
        if text[place] == end:
            return place
        if text[place] in but:
            return -1
        place += 1 + (text[place] == "\\")
    return -1


def plain(text: str) -> str:
    found, k = "", 0
    while k < len(text):
        if text[k] == "\\" and k + 1 < len(text):
            k += 1
            found += {"n": "\n", "r": "\r"}.get(text[k], text[k])
        else:
            found += text[k]
        k += 1
    return found


def said_in(text: str) -> Says:
    """Up to where it is broken off; a last word that may be so is left out."""
    if text.rstrip().endswith("%"):
        text = text.rstrip().rstrip("%")
    tags: dict[str, str] = {}
    items: list[tuple[str, Any]] = []
    k = 0
    touching = False
    while k < len(text):
        first = text[k]
        if first.isspace():
            k += 1
            continue
        if first == "[":
            begin = text.find('"', k)
            end = until(text, begin + 1, '"', but="\n")
            if not re.fullmatch(r"\[[A-Za-z][A-Za-z0-9_]{0,63} ", text[k:begin]):
                break
            if begin < 0 or end < 0 or text[end + 1 : end + 2] != "]":
                break
            tags[text[k + 1 : begin - 1]] = plain(text[begin + 1 : end])
            k, touching = end + 2, False
        elif first in '{"':
            end = until(
                text, k + 1, "}" if first == "{" else '"', but="{" if first == "{" else "\n"
            )
            if end < 0:
                break
            kind = "remark" if first == "{" else "word"
            items.append((kind, text[k + 1 : end] if first == "{" else plain(text[k + 1 : end])))
            k, touching = end + 1, False
        else:
            end = k
            while end < len(text) and not text[end].isspace() and text[end] not in '[]{}"':
                end += 1
            if end == k:
                break
            word = re.sub(r"^[0-9]{1,9}\.", "", text[k:end])
            touching = end == len(text)
            if word:
                items.append(("word", word))
            elif touching:
                touching = False
            k = end
    if touching and "Result" not in tags:
        items.pop()
    return Says(tags, items)


def remark_said(texts: list[str]) -> tuple[str, float | None, dict[str, int]]:
    """Comment, value and visits of the remarks on one position."""
    words, value, visits = [], None, {}
    for text in texts:
        rest = ""
        k = 0
        parts = []
        while k < len(text):
            if text[k] == "\\":
                rest += text[k : k + 2]
                k += 2
            elif text.startswith(("[%value ", "[%visits "), k) and (
                (end := until(text, k, "]")) > 0 and text.count('"', k, end) % 2 == 0
            ):
                name, _, given = text[k + 2 : end].partition(" ")
                if name == "value":
                    value = float(given)
                else:
                    pairs = (pair.rpartition(":") for pair in given.split())
                    visits.update({action: int(count) for action, _, count in pairs})
                parts.append(rest)
                rest, k = "", end + 1
            else:
                rest += text[k]
                k += 1
        for part in (*parts, rest):
            bare = part.lstrip(" ")
            while bare.endswith(" ") and not re.search(r"(^|[^\\])(\\\\)*\\ $", bare):
                bare = bare[:-1]
            words += [plain(bare)] if plain(bare) else []
    return " ".join(words), value, visits


def assert_is_what_is_said(record: Record, said: Says, is_broken: bool) -> None:
    tags = dict(said.tags)
    assert game_from_string(tags.pop("Game")) == record.game
    if "Start" in tags:
        assert read_position(record.game, tags.pop("Start")) == record.start
    else:
        assert record.start == record.game.initial_state(0)
    assert (tags.pop("Player0", ""), tags.pop("Player1", "")) == record.players
    seed, date = tags.pop("Seed", None), tags.pop("Date", None)
    assert (None if seed is None else int(seed)) == record.seed and date == record.date
    illegal = tags.pop("Illegal", None)
    if illegal is None:
        assert record.illegal is None
    else:
        assert illegal.split()[:2] == [f"player_{record.final.to_play}", str(record.illegal)]
    assert is_broken == ("Result" not in tags)
    assert tags.pop("Result", record.result) == record.result
    ending = tags.pop("Termination", None)
    usual = "illegal action" if illegal else "rules" if record.final.is_over else "unfinished"
    if is_broken and ending in ("resigned", "time"):
        ending = None
    assert record.ending == (ending or usual)
    assert tags == dict(record.tags)
    state, words = record.start, iter(record.actions)
    waiting: list[str] = []
    step = 0
    for kind, text in [*said.items, ("word", None)]:
        if kind == "remark":
            waiting.append(text)
            continue
        comment, value, visits = remark_said(waiting)
        remark = record.remark(step)
        assert (remark.comment, remark.value) == (comment, value)
        assert {state.action_to_string(k): n for k, n in remark.visits.items()} == visits
        waiting = []
        if text is not None:
            action = next(words)
            assert state.action_to_string(action) == text
            state.step(action)
            step += 1
    assert step == len(record)


def blocks_of(content: str) -> list[str]:
    """The records in a text."""
    content = content.removeprefix("\ufeff").replace("\r\n", "\n")
    begins = [found.start() for found in re.finditer(r'^\[Game "', content, re.MULTILINE)]
    if re.search(r"(?<![\n])\r", content):  # a line ends with \n alone
        begins = [k for k in begins if k == 0 or content[k - 1] == "\n"]
    ends = [*begins[1:], len(content)]
    return [content[a:b] for a, b in zip(begins, ends, strict=False)]


# Outcomes


class Outcome(NamedTuple):
    records: list[Record]
    broken: list[int]  # which of them
    error: RecordError | None


def outcome(file: Path, limit: int | None = None) -> Outcome:
    """What comes of reading a file; anything else than that fails."""
    records: list[Record] = []
    broken: list[int] = []
    error = None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            if limit is None:
                for record in read_records(file):
                    records.append(record)
                    if len(told) > len(broken):
                        broken.append(len(records) - 1)
            else:
                records = [*GameArrays.load(file, limit)]
        except RecordError as found:
            error = found
    assert all(warning.category is BrokenOffWarning for warning in told)
    assert len(told) == len(broken)
    if error is not None:
        assert error.file == str(file)
        assert error.what and str(error).startswith(str(file))
        if file.suffix != ".npz":
            assert error.line >= 1 and error.column >= 1
    return Outcome(records, broken, error)


def check_text(file: Path, content: bytes) -> Outcome:
    file.write_bytes(content)
    found = outcome(file)
    if found.records:
        for k, (record, block) in enumerate(
            zip(found.records, blocks_of(content.decode(errors="replace")), strict=False)
        ):
            assert_is_what_is_said(record, said_in(block), k in found.broken)
    if found.error is None:
        assert len(found.records) == len(blocks_of(content.decode()))
    else:
        lines = content.split(b"\n")
        assert found.error.line <= len(lines) + 1
    return found


def check_json(file: Path, content: bytes) -> Outcome:
    file.write_bytes(content)
    found = outcome(file)
    assert not found.broken
    text = content.decode(errors="replace").removeprefix("\ufeff")
    lines = [line for line in text.split("\n") if line.strip()]
    lines = [line for line in lines if line.strip(" \t\r%")]
    for record, line in zip(found.records, lines, strict=False):
        says = json.loads(line)
        assert game_from_string(says.pop("game")) == record.game
        texts = [
            state.action_to_string(action)
            for state, action in zip(record.states(), record.actions, strict=False)
        ]
        assert (says.pop("actions"), says.pop("ending"), says.pop("result")) == (
            *(texts, record.ending),
            record.result,
        )
        start = says.pop("start", None)
        usual = record.game.initial_state(0) if start is None else read_position(record.game, start)
        assert record.start == usual
        illegal = says.pop("illegal", None)
        if illegal is None:
            assert record.illegal is None
        else:
            assert (illegal["player"], illegal["action"]) == (record.final.to_play, record.illegal)
            name = record.final.action_to_string(illegal["action"])
            assert illegal.get("text", name) == name
        assert tuple(says.pop("players", ("", ""))) == record.players
        assert (says.pop("seed", None), says.pop("date", None)) == (record.seed, record.date)
        assert (says.pop("tags", None) or {}) == dict(record.tags)
        remarks = says.pop("remarks", {})
        assert {k for k, v in remarks.items() if any(v.values())} <= set(map(str, record.remarks))
        for key, remark in record.remarks.items():
            state = record.state(key)
            visits = {state.action_to_string(k): n for k, n in remark.visits.items()}
            given = [v for k, v in remarks.items() if int(k) == key]
            assert given[-1].get("comment", "") == remark.comment
            assert given[-1].get("value") == remark.value
            assert given[-1].get("visits", {}) == visits
        assert not says
    if found.error is None:
        assert len(found.records) == len(lines)
    else:
        assert found.error.line <= len(content.split(b"\n"))
    return found


# Damages


def damaged(content: bytes, rng: random.Random, count: int) -> Iterator[bytes]:
    """So many times the same content, each with another fault."""

    def place() -> int:
        return rng.randrange(len(content))

    lines = content.splitlines(keepends=True)

    def with_lines(change: Callable[[list[bytes]], Any]) -> bytes:
        some = list(lines)
        change(some)
        return b"".join(some)

    def swap(some: list[bytes]) -> None:
        a, b = rng.sample(range(len(some)), 2)
        some[a], some[b] = some[b], some[a]

    marks = b'[]{}"\\%\n\r \t.:,0123456789abc\0\xff\xc3'
    kinds: list[Callable[[], bytes]] = [
        lambda: (k := place(), content[:k] + bytes([rng.randrange(256)]) + content[k + 1 :])[1],
        lambda: (
            k := place(),
            content[:k] + bytes([content[k] ^ 1 << rng.randrange(8)]) + content[k + 1 :],
        )[1],
        lambda: (k := place(), content[:k] + bytes([rng.choice(marks)]) + content[k + 1 :])[1],
        lambda: (k := place(), content[:k] + bytes([rng.choice(marks)]) + content[k:])[1],
        lambda: (k := place(), content[:k] + content[k + 1 :])[1],
        lambda: (k := place(), content[:k] + content[k + rng.randrange(2, 40) :])[1],
        lambda: (k := place(), content[:k] + content[place() :][:30] + content[k:])[1],
        lambda: (k := place(), content[:k] + b"\n" + content)[1],
        lambda: (k := place(), content[:k] + b"%" * 50 + content[k:])[1],
        lambda: (k := place(), content[:k] + bytes(9) + content[k + 9 :])[1],
        lambda: with_lines(swap),
        lambda: with_lines(swap),
        lambda: with_lines(lambda some: some.pop(rng.randrange(len(some)))),
        lambda: with_lines(lambda some: some.insert(rng.randrange(len(some)), rng.choice(some))),
        lambda: with_lines(lambda some: rng.shuffle(some)),
    ]
    for k in range(count):
        yield kinds[k % len(kinds)]()


def encoded(content: bytes) -> dict[str, bytes]:
    """The same text, stored by other programs."""
    text = content.decode()
    return {
        "same": content,
        "BOM": b"\xef\xbb\xbf" + content,
        "CRLF": content.replace(b"\n", b"\r\n"),
        "BOM and CRLF": b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"),
        "no end": content.rstrip(b"\n"),
        "empty lines": b"\n \n" + content + b"\n\n\n",
        "CR": content.replace(b"\n", b"\r"),
        "two BOM": b"\xef\xbb\xbf" * 2 + content,
        "BOM within": content + b"\xef\xbb\xbf" + content,
        "latin-1": text.encode("latin-1", "replace"),
        "cp1252": text.encode("cp1252", "replace"),
        "cp437": text.encode("cp437", "replace"),
        "utf-16": text.encode("utf-16"),
        "utf-16-le": text.encode("utf-16-le"),
        "utf-16-be": text.encode("utf-16-be"),
        "utf-32": text.encode("utf-32"),
        "utf-7": text.encode("utf-7"),
        "utf-8 twice": content.decode("latin-1").encode(),
        "ebcdic": text.encode("cp500", "replace"),
        "twice": content + content,
        "zeros behind": content + bytes(100),
        "filler behind": content + b"%" * 70_000,
        "nothing": b"",
        "white": b" \n\t\r\n",
        "filler": b"%" * 70_000,
    }


READ_ALIKE = {"same", "BOM", "CRLF", "BOM and CRLF", "no end", "empty lines", "filler behind"}


@pytest.fixture
def bounded() -> Iterator[None]:
    """Nothing that is read here takes much memory."""
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST


CHECKS = {"a.hgn": check_text, "a.jsonl": check_json}


@pytest.fixture(params=[*CHECKS])
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def written(folder: Path, name: str) -> bytes:
    write_records(folder / name, base_records())
    return (folder / name).read_bytes()


def test_what_is_whole_is_what_the_file_says(name: str, tmp_path: Path) -> None:
    content = written(tmp_path, name)
    assert CHECKS[name](tmp_path / name, content) == Outcome(base_records(), [], None)
    for seed in range(40):
        records = [random_record(make_game("oust", side=3), seed, 20)]
        write_records(tmp_path / name, records)
        found = CHECKS[name](tmp_path / name, (tmp_path / name).read_bytes())
        assert found.records == records


@pytest.mark.slow
@pytest.mark.parametrize("end", [b"", b"%%%%"])
def test_a_text_cut_at_every_byte(end: bytes, tmp_path: Path) -> None:
    """Whole games before the place, and of the last one a beginning, which is told."""
    content = written(tmp_path, "a.hgn")
    records = base_records()
    steps: list[list[int]] = [[] for _ in records]
    assert len(content) > 500
    for k in range(len(content)):
        found = check_text(tmp_path / "a.hgn", content[:k] + end)
        whole = len(found.records) - len(found.broken)
        assert found.records[:whole] == records[:whole]
        assert len(found.broken) <= 1
        if found.broken:
            last = found.records[-1]
            assert found.error is None and found.broken == [whole]
            original = records[whole]
            assert last.start == original.start and len(last) <= len(original)
            assert last.actions == original.actions[: len(last)]
            steps[whole].append(len(last))
            for step, remark in last.remarks.items():
                if step < len(last):
                    assert remark == original.remark(step)
    for counts, record in zip(steps, records, strict=True):
        assert counts == sorted(counts), "the more is left, the more is read"
        assert set(counts) == set(range(len(record) + 1))
    found = check_text(tmp_path / "a.hgn", content)
    assert found.records == records


def test_json_cut_at_every_byte(tmp_path: Path) -> None:
    content = written(tmp_path, "a.jsonl")
    records = base_records()
    ends = [k for k, byte in enumerate(content) if byte == ord("\n")]
    for k in range(len(content)):
        found = check_json(tmp_path / "a.jsonl", content[:k])
        whole = sum(end <= k for end in ends)
        assert found.records == records[:whole]
        begins = [0, *(end + 1 for end in ends)]
        if k in begins or k in ends:
            assert found.error is None
        else:
            assert found.error is not None and found.error.line == whole + 1


@pytest.mark.slow
def test_faults_of_every_kind(name: str, tmp_path: Path) -> None:
    content = written(tmp_path, name)
    errors, unlike, same, broken = 0, 0, 0, 0
    for damage in damaged(content, random.Random(1), 600):
        found = CHECKS[name](tmp_path / name, damage)
        errors += found.error is not None
        broken += bool(found.broken)
        if found.error is None and not found.broken:
            same += found.records == base_records()
            unlike += found.records != base_records()
    assert errors > 250 and unlike > 10 and same > 3 and (broken > 10 or name == "a.jsonl")


def test_other_encodings_and_ends_of_lines(name: str, tmp_path: Path, bounded: None) -> None:
    content = written(tmp_path, name)
    records = base_records()
    for kind, other in encoded(content).items():
        found = CHECKS[name](tmp_path / name, other)
        if kind in READ_ALIKE:
            assert (found.records, found.error) == (records, None), kind
        elif kind in ("nothing", "white", "filler"):
            assert (found.records, found.error) == ([], None)
        elif kind == "twice":
            assert (found.records, found.error) == (records * 2, None)
        else:
            assert found.error is not None or kind in ("CR", "utf-8 twice", "utf-7"), kind


def test_a_whole_record_of_another_notation_with_faults(tmp_path: Path) -> None:
    """GIPF's turns: an error, a beginning that is told, or what reads as the same text again."""
    game = make_game("gipf")
    rng = random.Random(5)
    state = played(game.initial_state(), 14, rng)
    while not game.begins_turn(state):
        state.undo()
    record = Record(state, remarks={0: Remark("x"), len(state.history): Remark("y", 0.5)})
    record = Record.from_string(record.to_string("official"))  # in the usual order of steps
    content = record.to_string("official").encode()
    file = tmp_path / "a.pgn"
    errors = same = others = 0
    for k, damage in enumerate(damaged(content, rng, 600)):
        file.write_bytes(damage if k % 2 else content[: k * len(content) // 600])
        found = outcome(file)
        errors += found.error is not None
        for number, read in enumerate(found.records):
            if "Notation" not in file.read_text(errors="replace"):
                continue
            said = said_in(blocks_of(file.read_text(errors="replace"))[number])
            if "Notation" not in said.tags:
                continue
            again = said_in(read.to_string("official"))
            words = [text for kind, text in said.items if kind == "word"]
            assert [text for kind, text in again.items if kind == "word"] == words or (
                read.final == Record.from_string(read.to_string("official")).final
            )
            same += read.actions == record.actions
            others += read.actions != record.actions
    assert errors > 100 and same > 50 and others > 50, (errors, same, others)


def test_a_file_without_an_end_takes_no_more_than_its_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bounded: None
) -> None:
    """Lines, words and games beyond what is allowed are told, before they are taken in."""
    from hexgames_env.records import files, reading

    monkeypatch.setattr(files, "MAX_BYTES", 200_000)
    monkeypatch.setattr(reading, "MAX_WORDS", 2000)
    head = b'[Game "oust side=2"]\n\n'
    for content, words, line in (
        (head + b"a" * 3_000_000, "a game has at most 200,000 bytes", 1),
        (b"\n\n" + head + b"a \n" * 3_000_000, "a game has at most 200,000 bytes", 3),
        (head + b"a " * 5_000, "a record has at most 2,000 words", 3),
        (b'{"game": "' + b"a" * 3_000_000, "a game has at most 200,000 bytes", 1),
    ):
        file = tmp_path / "a.hgn"
        file.write_bytes(content)
        found = outcome(file)
        assert found.error is not None and words in found.error.what and not found.records
        assert found.error.line == line
    monkeypatch.setattr(reading, "MAX_RECORD", 1000)
    with pytest.raises(RecordError, match="a record has at most 1,000 characters"):
        Record.from_string(head.decode() + " " * 2000)


# Arrays


@pytest.fixture
def arrays(tmp_path: Path) -> tuple[Path, bytes, list[Record]]:
    records = [random_record(make_game("oust", side=2), seed, 8) for seed in range(3)]
    write_records(tmp_path / "a.npz", records)
    return tmp_path / "a.npz", (tmp_path / "a.npz").read_bytes(), records


def check_arrays(file: Path, content: bytes, records: list[Record]) -> bool:
    """Whether it is read; then it is what it was."""
    file.write_bytes(content)
    found = outcome(file)
    assert not found.broken
    if found.error is None and found.records:
        assert found.records == records
        for one, other in zip(found.records, records, strict=True):
            assert_same(one, other)
    return found.error is None


def test_arrays_cut_at_every_byte(arrays: tuple[Path, bytes, list[Record]]) -> None:
    file, content, records = arrays
    assert 1500 < len(content) < 8000
    for k in range(4, len(content)):
        assert not check_arrays(file, content[:k], records)
    for k in range(4):
        file.write_bytes(content[:k])
        assert not outcome(file).records


@pytest.mark.slow
@pytest.mark.parametrize("compressed", [False, True])
def test_faults_in_arrays(arrays: tuple[Path, bytes, list[Record]], compressed: bool) -> None:
    file, content, records = arrays
    if compressed:
        with np.load(file) as found:
            np.savez_compressed(file, **found)
        content = file.read_bytes()
    rng = random.Random(2)
    read = total = 0
    for damage in damaged(content, rng, 600):
        if not damage.startswith(b"PK"):
            continue
        read += check_arrays(file, damage, records)
        total += 1
    for k in range(0, len(content), 5):
        damage = content[:k] + bytes([content[k] ^ 1 << rng.randrange(8)]) + content[k + 1 :]
        if damage.startswith(b"PK"):
            read += check_arrays(file, damage, records)
            total += 1
    assert total > 600 and 20 < read < total / 2


def bomb(file: Path, column: str, array_header: bytes, data: Iterator[bytes]) -> None:
    """A file in which one array is something else."""
    with np.load(file) as found:
        others = {name: found[name] for name in KINDS}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in others.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as inner:
                if name != column:
                    np.lib.format.write_array(inner, array)
                    continue
                inner.write(array_header)
                for part in data:
                    inner.write(part)


def header(shape: str, kind: str = "|u1") -> bytes:
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


@pytest.mark.parametrize("column", ["actions", "starts", "details"])
def test_arrays_that_expand_beyond_a_limit(
    arrays: tuple[Path, bytes, list[Record]], column: str, bounded: None
) -> None:
    """60 MB of zeros are 60 kB in the file."""
    file, _, _ = arrays
    bomb(file, column, header(f"({60 * 2**20},)"), (bytes(2**20) for _ in range(60)))
    assert file.stat().st_size < 200_000
    found = outcome(file, limit=2**20)
    assert found.error is not None
    assert "expands beyond the limit of 1,048,576 bytes" in found.error.what


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        (f"({2**62},)", "|u1"),
        (f"({2**70},)", "|u1"),
        ("(-1,)", "|u1"),
        ("(0,)", "|u1"),
        ("(7, 1)", "|u1"),
        ("(1000,)", "|O"),
        ("(1000,)", "|S1000"),
        ("(1000,)", "<U2"),
        ("(5,", "|u1"),
        ("[" * 2000, "|u1"),
        ("('a',)", "|u1"),
        ("(1.5,)", "|u1"),
        ("(100,)", "nonsense"),
        ("(100,)", "|u1', 'more': 'x"),
    ],
)
def test_headers_that_lie(
    arrays: tuple[Path, bytes, list[Record]], shape: str, kind: str, bounded: None
) -> None:
    file, _, _ = arrays
    bomb(file, "actions", header(shape, kind), iter([b"\x01" * 7]))
    found = outcome(file)
    assert found.error is not None and "actions.npy" in str(found.error)


def test_sizes_that_lie(arrays: tuple[Path, bytes, list[Record]], bounded: None) -> None:
    """The directory of the zip says that little is in it, and much comes out."""
    file, _, _ = arrays
    size = 60 * 2**20
    bomb(file, "actions", header(f"({size},)"), (bytes(2**20) for _ in range(60)))
    content = file.read_bytes()
    real = struct.pack("<I", size + len(header(f"({size},)")))
    assert content.count(real) >= 1
    file.write_bytes(content.replace(real, struct.pack("<I", 500)))
    found = outcome(file, limit=2**20)
    assert found.error is not None and not found.records


def test_a_file_that_can_not_be_read_is_no_record_error(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        GameArrays.load(tmp_path)
    assert os.listdir(tmp_path) == []
