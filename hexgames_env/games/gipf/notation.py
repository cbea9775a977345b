"""The text of GIPF's positions: its fields, written, read and checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

from hexgames_env.errors import PositionTextError
from hexgames_env.games.gipf.geometry import BITS, LINE_NAMES, LINES, POINT_NAMES, board_of
from hexgames_env.games.gipf.kernels import (
    BLACK,
    BRING,
    CHOOSING,
    GIPF,
    LAST,
    OVER,
    PHASE,
    PUSHER,
    PUSHING,
    REMOVED,
    RESERVE,
    STATE,
    TAKEABLE,
    TAKING,
    TO_PLAY,
    WHITE,
    WHOLE,
    WINNER,
)
from hexgames_env.games.gipf.variants import Variant

PLAYER_NAMES = ("White", "Black")
WHO = tuple(f"{name} (player_{seat})" for seat, name in enumerate(PLAYER_NAMES))
SYMBOLS = ".wbWB"
FIELD_NAMES = ("reserve", "bring", "pusher", "removed", "left")
PLAYERS = {"0": 0, "1": 1}
RESERVES = slice(int(RESERVE), int(RESERVE) + 2)
# What is left of a stretch: O the owner's and X the opponent's GIPF pieces, # a piece beyond it
LEFT_OF_STRETCH = re.compile(r"([.#]*#[.])?[.OX]*[.O]{4}[.OX]*([.]#[.#]*)?")


def ground_of(row: NDArray[Any]) -> str:
    """What lies on each point: one of `SYMBOLS` for each."""
    white, black, gipf = row[STATE, :3].tolist()
    return "".join(
        SYMBOLS[(white >> b & 1) + 2 * (black >> b & 1) + 2 * (gipf >> b & 1)] for b in BITS
    )


def fields_of(variant: Variant, row: NDArray[Any]) -> dict[str, str]:
    """What a position holds beyond its board; fields at their usual value are left out."""
    words, ground = row[STATE].tolist(), ground_of(row)
    reserve = words[RESERVES]
    bring = [player for player in (0, 1) if words[BRING] >> player & 1]
    removed = [name for line, name in enumerate(LINE_NAMES) if words[REMOVED] >> line & 1]
    left = [name for name, bit in zip(POINT_NAMES, BITS, strict=True) if words[TAKEABLE] >> bit & 1]
    found = {}
    if reserve != whole_reserve(variant, ground):
        found["reserve"] = listed(reserve)
    if bring != _must_bring(variant, reserve):
        found["bring"] = listed(bring)
    if words[PHASE] != PUSHING:
        found["pusher"] = str(words[PUSHER])
    if removed:
        found["removed"] = listed(removed)
    if left:
        found["left"] = listed(left)
    return found


def whole_reserve(variant: Variant, ground: str) -> list[int]:
    """The reserves if nothing is out of the game: the pieces that are not on the board."""
    return [
        variant.pieces - ground.count("wb"[player]) - 2 * ground.count("WB"[player])
        for player in (0, 1)
    ]


def _must_bring(variant: Variant, reserve: list[int]) -> list[int]:
    """The players who have not pushed yet, and so must bring a GIPF piece."""
    return [p for p in (0, 1) if variant.brings and reserve[p] == variant.reserve]


def write_position(
    variant: Variant,
    row: NDArray[Any],
    ground: str,
    to_play: int,
    winner: int | None,
    fields: Mapping[str, str],
) -> None:
    """Write a position into an empty row, but for its mask; PositionTextError if it is none."""
    words = row[STATE]
    for board, symbols in ((WHITE, "wW"), (BLACK, "bB"), (GIPF, "WB")):
        words[board] = board_of([p for p, symbol in enumerate(ground) if symbol in symbols])
    reserve = _read_reserve(variant, ground, fields)
    bring = _read_bring(variant, ground, reserve, fields)
    words[RESERVES], words[WHOLE] = reserve, variant.reserve
    words[BRING] = sum(1 << player for player in bring)
    words[TO_PLAY] = to_play
    for name in ("pusher", "removed", "left"):
        if name in fields and (winner is not None or "pusher" not in fields):
            raise PositionTextError(
                f"{name}={fields[name]!r} speaks of a row step: that takes pusher=0 or "
                f"pusher=1 (who has pushed this turn), and no winner; else leave {name} out"
            )
    if winner is not None:
        _check_end(variant, ground, reserve, winner)
        words[OVER], words[WINNER] = 1, winner
    elif "pusher" in fields:
        _write_row_step(words, ground, to_play, fields)
    elif reserve[to_play] == 0:
        raise PositionTextError(
            f"{WHO[to_play]} must push and has nothing in reserve={listed(reserve)}, so "
            f"the game would be over: give it a piece there"
        )
    else:
        _check_removed(ground, (0, 1), f"{WHO[to_play]} is to push")
        words[PUSHER] = to_play
    for player in (0, 1):
        if winner is not None or _has_gipf(variant, ground, player):
            continue
        first = player in _must_bring(variant, reserve) and player in bring
        if words[TAKEABLE] and not (first and player != to_play):
            words[LAST] |= 1 << player
        elif not first:
            raise PositionTextError(
                f"{WHO[player]} has no GIPF piece on the board and is not before its first "
                f"push, so the game would be over: put one ({'WB'[player]}) on the board"
            )


def _has_gipf(variant: Variant, ground: str, player: int) -> bool:
    """Whether the player has a GIPF piece on the board, or has no use for one."""
    return variant.most_gipf == 0 or "WB"[player] in ground


def _read_reserve(variant: Variant, ground: str, fields: Mapping[str, str]) -> list[int]:
    most = variant.most_gipf
    for player, symbol in enumerate("WB"):
        if ground.count(symbol) > most:
            raise PositionTextError(
                f"{WHO[player]} has {ground.count(symbol)} GIPF pieces ({symbol}) on the "
                f"board, {variant.name} has at most {most} of a colour: "
                f"a single piece is {symbol.lower()}"
            )
    whole = whole_reserve(variant, ground)
    numbers = {str(number): number for number in range(variant.pieces + 1)}
    reserve = _read_list(fields, "reserve", numbers, whole)
    if len(reserve) != 2 or not all(0 <= r <= w for r, w in zip(reserve, whole, strict=True)):
        raise PositionTextError(
            f"reserve={listed(reserve)} must be two numbers, White's and Black's: with what "
            f"lies on the board they are at most {max(whole[0], 0)} and {max(whole[1], 0)}, "
            f"for a player has {variant.pieces} pieces in all (a GIPF piece counts 2)"
        )
    return reserve


def _read_bring(
    variant: Variant, ground: str, reserve: list[int], fields: Mapping[str, str]
) -> list[int]:
    bring = sorted(set(_read_list(fields, "bring", PLAYERS, _must_bring(variant, reserve))))
    for player in bring:
        if not variant.brings or "wb"[player] in ground:
            raise PositionTextError(
                f"bring={listed(bring)}: {WHO[player]} may bring GIPF pieces only in the "
                f"tournament variant and while it has pushed no single piece: name only "
                f"players without a {'wb'[player]} on the board, or none"
            )
    return bring


def _check_end(variant: Variant, ground: str, reserve: list[int], winner: int) -> None:
    loser = 1 - winner
    if reserve[loser] and _has_gipf(variant, ground, loser):
        raise PositionTextError(
            f"{WHO[loser]} can't have lost: it has {reserve[loser]} in reserve, and its "
            f"last GIPF piece was not taken ({variant.name} variant); "
            f"give winner=none, or a position after the end"
        )
    if _has_gipf(variant, ground, loser):  # else its last one was taken, and rows may be left
        _check_removed(ground, (0, 1), f"{WHO[loser]} has lost by an empty reserve")


def _write_row_step(
    words: NDArray[Any], ground: str, to_play: int, fields: Mapping[str, str]
) -> None:
    pushers = _read_list(fields, "pusher", PLAYERS, [])
    removed = _read_list(fields, "removed", {n: i for i, n in enumerate(LINE_NAMES)}, [])
    left = _read_list(fields, "left", {n: i for i, n in enumerate(POINT_NAMES)}, [])
    if len(pushers) != 1:
        raise PositionTextError(f"pusher must be 0 or 1, got {fields['pusher']!r}")
    rows = singles_in_rows(ground, to_play)
    for line in removed:
        if line not in rows:
            raise PositionTextError(
                f"removed names {LINE_NAMES[line]}, but a line counts as removed only while it "
                f"bears a row of kept GIPF pieces of {WHO[to_play]}: leave it out"
            )
        if rows[line]:
            raise PositionTextError(
                f"removed names {LINE_NAMES[line]}, but single pieces leave with a row, and in "
                f"its stretch lie {_pieces(ground, rows[line])}: take them off the board, or "
                f"leave the line out"
            )
    if pushers[0] != to_play:
        _check_removed(ground, pushers, f"{WHO[pushers[0]]} has pushed and {WHO[to_play]} is asked")
    due = [LINE_NAMES[line] for line in rows if line not in removed]
    if left:
        _check_left(ground, to_play, left, removed)
    elif len(due) < 2:
        raise PositionTextError(
            f"{WHO[to_play]} has {len(due)} rows to choose from ({listed(due)}): in a row "
            f"step there are two or more, or GIPF pieces that may be taken, in left"
        )
    words[PUSHER], words[PHASE] = pushers[0], TAKING if left else CHOOSING
    words[REMOVED] = sum(1 << line for line in removed)
    words[TAKEABLE] = board_of(left)


def listed(values: Iterable[object]) -> str:
    return ",".join(map(str, values)) or "none"


def _read_list(
    fields: Mapping[str, str], name: str, allowed: Mapping[str, int], usual: list[int]
) -> list[int]:
    """The values of a field: words out of ``allowed``, separated by commas."""
    if name not in fields:
        return usual
    words = [] if fields[name] == "none" else fields[name].split(",")
    wrong = [word for word in words if word not in allowed]
    if wrong:
        first, *_, last = allowed
        raise PositionTextError(
            f"{name}={fields[name]!r} is a list, separated by commas, of {first} ... {last}, "
            f"or none: {wrong[0]!r} is none of them"
        )
    if name != "reserve" and len(set(words)) < len(words):
        raise PositionTextError(f"{name}={fields[name]!r} names something twice: name each once")
    return [allowed[word] for word in words]


def singles_in_rows(ground: str, player: int) -> dict[int, list[int]]:
    """The single pieces in the stretch of the player's row, for each line that bears a row.

    A line has room for one row: it has seven points at most.
    """
    row = re.compile(("[^.]*[wW]{4}[^.]*", "[^.]*[bB]{4}[^.]*")[player])
    found = [(line, row.search("".join(ground[p] for p in LINES[line]))) for line in range(21)]
    return {
        line: [p for p in LINES[line][slice(*match.span())] if ground[p] in "wb"]
        for line, match in found
        if match
    }


def _check_removed(ground: str, players: Iterable[int], moment: str) -> None:
    """Refuse rows of these players that can't stand after they have removed theirs.

    A player goes on removing until each of its rows is on a line that it has removed this turn.
    From there the single pieces of the stretch have left, nothing is added before the next push,
    and other removals only take away: what stands is a part of the stretch, GIPF pieces alone.
    """
    for player in players:
        for line, singles in singles_in_rows(ground, player).items():
            if singles:
                raise PositionTextError(
                    f"{WHO[player]}'s row on {LINE_NAMES[line]} can't stand when {moment}: it is "
                    f"removed before, and single pieces leave with a row, but in its stretch lie "
                    f"{_pieces(ground, singles)}: take them off the board"
                )


def _pieces(ground: str, points: Iterable[int]) -> str:
    return ", ".join(f"{ground[point]} on {POINT_NAMES[point]}" for point in points)


def _check_left(ground: str, owner: int, left: list[int], removed: list[int]) -> None:
    """Refuse what can't be left of a stretch: its ends are gaps, and its row was four or more."""
    marks = {"WB"[owner]: "O", "WB"[1 - owner]: "X", ".": "."}
    for line, points in enumerate(LINES):
        text = "".join(
            marks.get(ground[point], "#") if point in left or ground[point] == "." else "#"
            for point in points
        )
        if not set(left) <= set(points) or any(ground[point] not in "WB" for point in left):
            continue
        if LEFT_OF_STRETCH.fullmatch(text):
            if "OOOO" in text and line not in removed:
                raise PositionTextError(
                    f"the row on {LINE_NAMES[line]} is being removed and still stands: name it in "
                    f"removed={listed([*(LINE_NAMES[r] for r in removed), LINE_NAMES[line]])}"
                )
            return
    raise PositionTextError(
        f"left={listed(POINT_NAMES[p] for p in left)} can't be left of a stretch of "
        f"{WHO[owner]}: they must be GIPF pieces on one line, all pieces between them and next "
        f"to them on it named too, with room for a row of four that no piece of the other "
        f"interrupts"
    )
