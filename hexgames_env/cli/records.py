"""``hexgames records check|convert|stats``: files of recorded games."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from hexgames_env.cli.arguments import add_command, count
from hexgames_env.cli.progress import bar
from hexgames_env.core.words import number_of
from hexgames_env.errors import BrokenOffWarning, OptionError, RecordError
from hexgames_env.records import Record, RecordFile, open_records, write_records

MOST_TOLD = 20  # mistakes of a file


def add_commands(commands: Any) -> None:
    """Add the command to what ``ArgumentParser.add_subparsers`` returned."""
    parser = add_command(
        commands,
        "records",
        lambda given: given.run_part(given),
        "files of recorded games: check, convert, count",
        "hexgames records check games.hgn",
    )
    parts = parser.add_subparsers(dest="part", required=True, metavar="check|convert|stats")
    for name, run, what, example in (
        ("check", _check, "play every game by the rules", "hexgames records check games.hgn"),
        (
            "convert",
            _convert,
            "write games in another form",
            "hexgames records convert games.npz games.hgn",
        ),
        ("stats", _stats, "count games, steps and wins", "hexgames records stats games.hgn"),
    ):
        part = add_command(parts, name, parser.get_default("run"), what, example)
        part.set_defaults(run_part=run)
        files = "+" if name != "convert" else None
        part.add_argument("files", metavar="FILE", nargs=files, help="text, JSON lines or .npz")
        if name == "convert":
            part.add_argument("out", metavar="OUT", help="its name says the form: " + _FORMS)
            part.add_argument(
                "--game", type=count, action="append", metavar="N", help="this one only; repeatable"
            )
            part.add_argument("--notation", help="of the turns in text, such as official for GIPF")
            part.add_argument("--append", action="store_true", help="keep what is in OUT")


_FORMS = ".hgn, .txt or .pgn text, .jsonl lines of JSON, .npz arrays"


def _check(given: argparse.Namespace) -> None:
    mistakes = 0
    for name in given.files:
        with open_records(name) as file:
            found, told = Counter[str](), 0
            for number in _numbers(file):
                try:
                    record = _read(file, number)
                except RecordError as error:
                    told += 1
                    if told <= MOST_TOLD:
                        print(error)
                    continue
                found["games"] += 1
                found["steps"] += len(record)
        mistakes += told
        wrong = f"; {number_of(told, 'game')} can't be read"
        wrong += f", of which the first {MOST_TOLD} are told" if told > MOST_TOLD else ""
        print(
            f"{name}: {number_of(found['games'], 'game')} of {number_of(found['steps'], 'step')} "
            f"played by the rules{wrong if told else ''}"
        )
    if mistakes:
        raise RecordError(f"{number_of(mistakes, 'game')} can't be read")


def _read(file: RecordFile, number: int) -> Record:
    """A game; what is missing at its end is told on stdout, with the mistakes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", BrokenOffWarning)
        record = file[number]
    for warning in caught:
        print(warning.message)
    return record


def _convert(given: argparse.Namespace) -> None:
    with open_records(given.files) as file:
        numbers = _chosen(file, given.game)
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: print(message, file=sys.stderr)
            warnings.simplefilter("always", BrokenOffWarning)
            records = (file[number] for number in numbers)
            written = write_records(
                given.out, records, append=given.append, notation=given.notation
            )
    print(f"{number_of(written, 'game')} written to {given.out}")


def _chosen(file: RecordFile, wanted: list[int] | None) -> Iterable[int]:
    if not wanted:
        return _numbers(file)
    for number in wanted:
        if number > len(file):
            raise OptionError(
                f"{file.name} has {number_of(len(file), 'game')}, got --game {number}"
            )
    return [number - 1 for number in wanted]


def _numbers(file: RecordFile) -> Iterator[int]:
    return bar(range(len(file)), file.name, "games")


@dataclass
class _Counts:
    """Of the games of one kind, or of one player."""

    games: int = 0
    steps: list[int] = field(default_factory=list)
    wins: Counter[int | None] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)


def _stats(given: argparse.Namespace) -> None:
    kinds: defaultdict[str, _Counts] = defaultdict(_Counts)
    players: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name in given.files:
        with open_records(name) as file:
            for number in _numbers(file):
                record = _read(file, number)
                counts = kinds[record.game.to_string()]
                counts.games += 1
                counts.steps.append(len(record))
                counts.wins[record.winner] += 1
                counts.endings[record.ending] += 1
                for seat, player in enumerate(record.players):
                    if player:
                        players[player]["games"] += 1
                        players[player]["won"] += record.winner == seat
    for kind, counts in kinds.items():
        steps = sorted(counts.steps)
        print(f"{kind}: {number_of(counts.games, 'game')} of {number_of(sum(steps), 'step')}")
        print(
            f"  steps a game: {steps[0]} to {steps[-1]}, median {steps[len(steps) // 2]}, "
            f"mean {sum(steps) / counts.games:.1f}"
        )
        print(
            f"  won by player_0: {_share(counts.wins[0], counts.games)}, by player_1: "
            f"{_share(counts.wins[1], counts.games)}, by nobody: {counts.wins[None]}"
        )
        endings = ", ".join(f"{ending} {n}" for ending, n in counts.endings.most_common())
        print(f"  ended by: {endings}")
    for player, found in sorted(players.items(), key=lambda item: -item[1]["games"]):
        print(f"{player}: won {_share(found['won'], found['games'])} of {found['games']}")
    if not kinds:
        print("no games")


def _share(some: int, of: int) -> str:
    return f"{some} ({100 * some / of:.1f} %)"
