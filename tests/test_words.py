"""What is told of a position in plain words: everywhere the same, and true.

The sentences are taken from the text of a position and read with regular expressions; what they
say is compared with the plain references, which play along, and never with the package's own words.
"""

from __future__ import annotations

import copy
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

import reference.gipf as plain
from against import Policy, preferring, seeking_captures, uniform
from hexgames_env import Batch, Game, State, game_names, make_game
from hexgames_env.core.turn import last_turn
from hexgames_env.errors import GameOverError, IllegalActionError
from hexgames_env.rendering import compose, from_text, to_text
from hexgames_env.rendering.shapes import Text
from reference.oust import Oust
from reference.rive import Rive
from reference.strands import Strands

every_game = pytest.mark.parametrize("name", game_names())

NAMES = dict.fromkeys(("oust", "rive", "strands"), ("Black", "White")) | {
    "gipf": ("White", "Black")
}
WHO = r"(Black|White) \(player_([01])\)"
CELL = r"[a-i]\d\d?|[j-q]\d\d?"
CELLS = rf"(?:{CELL})(?:, (?:{CELL}))*(?: and (?:{CELL}))?"
PICTURE = 480  # pixels, the smallest in which all sentences must be whole
LINE = 79
HEADLINE = 70  # letters; what has happened may be longer


# Games with all that is known of them


@dataclass
class Made:
    """A step of a turn: who made it, and the reference's positions around it."""

    player: int
    action: int
    text: str
    before: Any
    after: Any


def copy_of(reference: Any) -> Any:
    """A copy that shares what never changes, which takes a tenth of the time."""
    other = copy.copy(reference)
    for name, value in vars(reference).items():
        if isinstance(value, (dict, set, list)):
            setattr(other, name, copy.copy(value))
    return other


def begins(name: str, before: Any, last: Made | None) -> bool:
    """Whether a turn begins in this position of a reference."""
    if name == "gipf":
        return bool(before.phase == "push")
    return last is None or last.player != before.to_play


Position = tuple[State, list[Made], Any]


def game_of(state: State, reference: Any, policy: Policy, seed: int) -> Iterator[Position]:
    """One game: each position with the steps of its last turn, and as the reference has it."""
    rng = random.Random(seed)
    turn: list[Made] = []
    yield state, turn, reference
    after = copy_of(reference)
    while not reference.is_over:
        before = after
        action = policy(rng, before, state.legal_actions())
        state.step(action)
        reference.step(action)
        if begins(state.game.name, before, turn[-1] if turn else None):
            turn = []
        text = before.action_to_string(action)
        after = copy_of(reference)
        turn = [*turn, Made(before.to_play, action, text, before, after)]
        yield state, turn, reference


# The sentences, as they stand in texts, titles and pictures


@dataclass
class Said:
    """The sentences of a position: what stands behind the names of players."""

    happened: str
    headline: str
    counts: tuple[str, str]


def below_the_board(state: State) -> list[str]:
    """The sentences below the board of a text, each on one line."""
    text = to_text(state, colour=False)
    assert from_text(text) == state
    rows = 17 if state.game.name == "gipf" else 2 * state.game.board.side - 1
    lines = text.split("\n")[1 + rows :]
    for line in lines:
        assert 0 < len(line) <= LINE and line == line.rstrip(), line
    return "\n".join(lines).replace("\n  ", " ").split("\n")


def footer_of(state: State, size: int) -> list[str]:
    """The sentences below a picture's board, whose lines follow each other in one size."""
    texts = [shape for shape in compose(state, size).shapes if isinstance(shape, Text)]
    lines = [shape for shape in texts if shape.y > 0.88 * size]
    for above, below in pairwise(lines):
        assert below.y - above.y >= 0.5 * (above.size + below.size), (above, below)
    assert all(line.y + 0.5 * line.size <= size for line in lines)
    assert all(line.x + 0.6 * line.size * len(line.text) <= size for line in lines)
    said = groupby(lines, key=lambda line: (line.colour, line.size))
    return [""] + [" ".join(line.text for line in some) for _, some in said]


def said_of(state: State, has_happened: bool) -> Said:
    """The sentences, after a check that text, title and picture have the same."""
    lines = below_the_board(state)
    happened = lines.pop(0) if has_happened else ""
    headline = lines.pop(0)
    names = NAMES[state.game.name]
    symbols = state.game.symbols[1:3]
    found = re.fullmatch(
        rf"{symbols[0]} {names[0]}: (.+)(?:, |\n){symbols[1]} {names[1]}: (.+)", "\n".join(lines)
    )
    assert found, lines
    counts = (found[1], found[2])
    title = f"{state.game.title}.  " + ".  ".join(
        [
            *([happened] if happened else []),
            headline,
            *(f"{name} has {count}" for name, count in zip(names, counts, strict=True)),
        ]
    )
    svg = ElementTree.fromstring(state.to_svg(PICTURE))
    assert [t.text for t in svg.iter("{http://www.w3.org/2000/svg}title")] == [f"{title}."]
    assert len(headline) <= HEADLINE and headline in footer_of(state, PICTURE), headline
    assert happened in footer_of(state, PICTURE), (happened, footer_of(state, PICTURE))
    assert headline in footer_of(state, PICTURE // 2), (headline, footer_of(state, PICTURE // 2))
    words = state.words()
    assert (words.happened, words.headline, words.counts) == (happened, headline, counts)
    assert (words.due == "") == state.is_over and (words.outcome == "") != state.is_over
    return Said(happened, headline, counts)


def actor(said: str, name: str, player: int) -> str:
    """What stands behind a player's name, which must be the right one."""
    found = re.fullmatch(rf"{WHO} (.+)", said)
    assert found and found[1] == NAMES[name][player] and int(found[2]) == player, (said, player)
    return found[3]


def count_in(number: str, word: str, one: str) -> int:
    """A number, if the word behind it stands in the right number too."""
    assert word == (one if number == "1" else f"{one}s"), (number, word)
    return int(number)


def match(pattern: str, text: str) -> re.Match[str]:
    found = re.fullmatch(pattern, text)
    assert found, (pattern, text)
    return found


def cells_in(text: str | None) -> list[str]:
    return re.findall(CELL, text or "")


def check_turn(state: State, turn: Sequence[Made]) -> None:
    """The steps of the last turn are those that the reference made in it."""
    steps = last_turn(state)
    assert [(s.player, s.action, s.text) for s in steps] == [
        (made.player, made.action, made.text) for made in turn
    ]
    assert [s.cells for s in steps] == [
        tuple(state.game.cells_of_action(made.action)) for made in turn
    ]
    for step, made in zip(steps, turn, strict=True):
        assert (step.before.to_play, step.before.phase) == (made.before.to_play, made.before.phase)
        assert (step.after.to_play, step.after.phase) == (made.after.to_play, made.after.phase)
        symbols = state.game.symbols
        if state.game.name == "gipf":
            check_gone_in_gipf(step, made)
            continue
        before, after = made.before.stones, made.after.stones
        captured = {cell: symbols[1 + before[cell]] for cell in before if cell not in after}
        assert step.gone == step.emptied == captured


def check_gone_in_gipf(step: Any, made: Made) -> None:
    """What is listed as gone has left the board, and no piece that a push has moved on."""
    kinds = {"W": "w", "B": "b", "GW": "W", "GB": "B"}
    before = {plain.POINT_NUMBER[point]: kinds[p] for point, p in made.before.board.items()}
    after = {plain.POINT_NUMBER[point] for point in made.after.board}
    emptied = {cell: kind for cell, kind in before.items() if cell not in after}
    assert step.emptied == emptied
    assert step.gone.items() <= emptied.items()
    if made.before.phase != "push":
        assert step.gone == emptied
        return
    pushed = made.action >= plain.PUSH_GIPF
    line, end = divmod(made.action % plain.PUSH_GIPF, 2)
    points = plain.LINES[line][::-1] if end else plain.LINES[line]
    if points[0] not in made.before.board:  # the push moves nothing on
        assert step.gone == emptied
    # Pieces that were on the board and are not any more, of each kind
    added = ("W", "B")[made.player] if pushed else ("w", "b")[made.player]
    lost = Counter(before.values()) + Counter([added])
    lost -= Counter(kinds[piece] for piece in made.after.board.values())
    listed = Counter(step.gone.values())
    assert all(listed[kind] <= lost[kind] for kind in "wbWB"), (step.text, listed, lost)


def kind_of(said: str) -> str:
    """A sentence without what differs from position to position."""
    said = re.sub(rf"\b\w+-\w+\b|\b(?:{CELL})\b", "@", said)
    said = re.sub(r"@(, @)*( and @| or @)", "@", said)
    return re.sub(r"\d+", "#", said)


# Oust


def oust_happened(said: str, turn: Sequence[Made], reference: Any) -> None:
    said = actor(said, "oust", turn[0].player)
    found = match(
        rf"(?:captured (\d+) (stones?) by (?:({CELLS})|(\d+) placements, the last ({CELL}),?))?"
        rf"(?: and )?(placed ({CELL})|passed|places again|"
        rf"swapped and took over the stone on ({CELL}))?",
        said,
    )
    number, stones, cells, many, last, then, placed, taken_over = found.groups()
    captures = [made for made in turn if made.before.captures(made.action)]
    assert captures == list(turn[: len(captures)])
    if captures:
        other = 1 - turn[0].player
        gone = sum(len(m.before.stones_of(other) - m.after.stones_of(other)) for m in captures)
        assert count_in(number, stones, "stone") == gone > 0
        if many:
            assert (int(many), last) == (len(captures), captures[-1].text) and int(many) > 4
        else:
            assert cells_in(cells) == [made.text for made in captures]
    else:
        assert number is None
    rest = turn[len(captures) :]
    goes_on = bool(captures) and not rest and not reference.is_over
    assert (then == "places again") == goes_on
    assert goes_on == (bool(captures) and reference.to_play == turn[0].player and not rest) or (
        reference.is_over
    )
    assert len(rest) <= 1
    if rest:
        assert reference.to_play != turn[0].player
        if rest[0].text == "swap":
            (cell,) = rest[0].before.stones
            assert taken_over == reference.board.names[cell]
            assert reference.stones == {cell: turn[0].player}
        else:
            assert then == "passed" if rest[0].text == "pass" else placed == rest[0].text
    assert not said.endswith(",") and "  " not in said


def oust_due(said: str, turn: Sequence[Made], reference: Any) -> None:
    found = match(
        r"(pass, since no placement is legal)|place (a stone|again)"
        rf"(?:, or swap and take over ({CELL}))?",
        said,
    )
    placements = reference.legal_placements(reference.to_play)
    assert (found[1] is not None) == (placements == [])
    assert (found[3] is not None) == reference.may_swap()
    if found[3]:
        assert [reference.board.names[cell] for cell in reference.stones] == [found[3]]
    if placements:
        again = bool(turn) and turn[-1].player == reference.to_play
        assert found[2] == ("again" if again else "a stone")


def oust_outcome(said: str, turn: Sequence[Made], reference: Any) -> None:
    loser = 1 - reference.winner
    assert match(r"(Black|White) has no stones left", said)[1] == NAMES["oust"][loser]
    assert reference.stones_of(loser) == set() and reference.stones_of(reference.winner)


def stones_counted(said: str, player: int, reference: Any) -> None:
    found = match(r"(\d+) (stones?)", said)
    own = sum(owner == player for owner in reference.stones.values())
    assert count_in(found[1], found[2], "stone") == own


def oust_illegal(said: str, action: int, reference: Any, legal: list[int]) -> None:
    text, player = reference.action_to_string(action), reference.to_play
    if text == "pass":
        assert said == "one passes only when no placement is legal"
        assert legal[0] < reference.pass_action
    elif text == "swap":
        assert said == "one swaps only in the first turn of the second player"
        assert not reference.may_swap()
    elif action in reference.stones:
        assert said == f"{text} is occupied"
    else:
        found = match(
            rf"({CELL}) makes a group of (\d+)(?:, not larger than the enemy group of (\d+) that "
            "it touches| that touches no enemy group)",
            said,
        )
        assert found[1] == text and int(found[2]) == len(reference.new_group(action, player)) > 1
        sizes = [len(group) for group in reference.enemy_groups_touched(action, player)]
        assert found[3] == (str(max(sizes)) if sizes else None)
        assert not sizes or int(found[3]) >= int(found[2])


# Rive


def rive_happened(said: str, turn: Sequence[Made], reference: Any) -> None:
    said = actor(said, "rive", turn[0].player)
    steps = [
        ("removed" if made.before.phase == "removal" else "placed", made.text.removeprefix("x"))
        for made in turn
    ]
    many = re.fullmatch(
        rf"placed (\d+) (stones?) and removed (\d+), last (placed|removed) ({CELL})", said
    )
    if many:
        counts = Counter(what for what, _ in steps)
        assert count_in(many[1], many[2], "stone") == counts["placed"]
        assert int(many[3]) == counts["removed"] and len(steps) > 6
        assert (many[4], many[5]) == steps[-1]
        return
    match(rf"(?:placed|removed) {CELLS}(?:, (?:placed|removed) {CELLS})*", said)
    told, what = [], ""
    for word in re.findall(rf"placed|removed|{CELL}", said):
        if word in ("placed", "removed"):
            assert word != what
            what = word
        else:
            told.append((what, word))
    assert told == steps


def rive_due(said: str, turn: Sequence[Made], reference: Any) -> None:
    if reference.phase == "removal":
        found = match(rf"remove (\d+) of the stones joined to ({CELL})", said)
        assert int(found[1]) == reference.removals_left()
        assert found[2] == reference.board.names[reference.placed]
        return
    again = bool(turn) and turn[-1].player == reference.to_play
    assert said == ("place again" if again else "place a stone")


def rive_outcome(said: str, turn: Sequence[Made], reference: Any) -> None:
    found = match(r"the board is full, (\d+) (stones?) to (\d+)", said)
    owners = Counter(reference.stones.values())
    assert count_in(found[1], found[2], "stone") == owners[reference.winner]
    assert int(found[3]) == owners[1 - reference.winner] < owners[reference.winner]


def rive_illegal(said: str, action: int, reference: Any, legal: list[int]) -> None:
    name = reference.board.names[action]
    if reference.phase == "removal":
        placed = reference.board.names[reference.placed]
        if action not in reference.stones:
            assert said == f"there is no stone on {name} to remove"
        elif action not in reference.joined:
            assert said == f"{name} does not belong to the group that {placed} has joined"
        elif action == reference.placed:
            assert said == f"{name} is the stone just placed, which stays"
        else:
            assert said == f"without {name} the joined group would fall apart"
            assert reference.removal_splits(action)
    elif action in reference.stones:
        assert said == f"{name} is occupied"
    else:
        found = match(
            rf"({CELL}) touches a group of (\d+), and other cells touch (?:none larger than (\d+)|"
            "none)",
            said,
        )
        assert found[1] == name and int(found[2]) == reference.cell_value(action)
        least = reference.cell_value(legal[0])
        assert int(found[3] or 0) == least < int(found[2])


# Strands


def strands_happened(said: str, turn: Sequence[Made], reference: Any) -> None:
    said = actor(said, "strands", turn[0].player)
    found = match(rf"(?:covered ({CELLS}), marked (\d))?(?:(?:^|, and )(stopped))?", said)
    covered = [made for made in turn if made.text != "stop"]
    assert cells_in(found[1]) == [made.text for made in covered]
    assert {int(found[2])} == {reference.numbers[made.action] for made in covered}
    assert (found[3] is not None) == (turn[-1].text == "stop")


def strands_due(said: str, turn: Sequence[Made], reference: Any) -> None:
    up_to = reference.cover_rule == "up_to"
    if reference.phase == "opening":
        assert said == "cover a space marked 2"
        assert reference.coverable() == reference.empty_spaces_of(2)
    elif reference.phase == "start":
        found = match(r"cover (up to )?X spaces marked X(, or all there are)?", said)
        assert (found[1] is not None) == up_to
        short = any(0 < len(reference.empty_spaces_of(x)) < x for x in range(1, 7))
        assert (found[2] is not None) == (short and not up_to)
    else:
        found = match(r"cover (up to )?(\d) more (\d)(s?)(, or stop)?", said)
        assert int(found[2]) == reference.more() and int(found[3]) == reference.number
        assert (found[4] == "") == (found[2] == "1")
        assert (found[1] is not None) == (up_to and found[2] != "1")
        assert (found[5] is not None) == reference.may_stop() == up_to


def strands_outcome(said: str, turn: Sequence[Made], reference: Any) -> None:
    found = match(
        r"full board, (largest group|second largest group|third largest group|"
        r"group (\d+) by size) (\d+) to (\d+)",
        said,
    )
    ranks = ["largest group", "second largest group", "third largest group"]
    rank = int(found[2]) - 1 if found[2] else ranks.index(found[1])
    own, other = (
        [*reference.group_sizes(player), *[0] * 500]
        for player in (reference.winner, 1 - reference.winner)
    )
    assert own[:rank] == other[:rank]
    assert (int(found[3]), int(found[4])) == (own[rank], other[rank]) and own[rank] > other[rank]
    assert len(reference.stones) == reference.board.num_cells


def strands_counted(said: str, player: int, reference: Any) -> None:
    sizes = reference.group_sizes(player)
    if not sizes:
        assert said == "no stones"
    elif len(sizes) == 1:
        assert said == f"a group of {sizes[0]}"
    else:
        found = match(r"(?:(\d+) groups, the largest|groups)((?: \d+)+)", said)
        assert [int(size) for size in found[2].split()] == sizes[:4]
        assert found[1] == (str(len(sizes)) if len(sizes) > 4 else None)


def strands_illegal(said: str, action: int, reference: Any, legal: list[int]) -> None:
    text = reference.action_to_string(action)
    if text == "stop":
        if reference.phase == "continue":
            assert reference.cover_rule == "exactly"
            assert said == "with cover=exactly one goes on"
        else:
            assert said == "one stops only after the first covering of a turn"
    elif action in reference.stones:
        assert said == f"{text} is occupied"
    else:
        found = match(
            rf"({CELL}) is marked (\d), and (?:the opening covers a (2)|this turn covers (\d)s)",
            said,
        )
        assert found[1] == text and int(found[2]) == reference.numbers[action]
        wanted = reference.number if reference.phase == "continue" else 2
        assert int(found[3] or found[4]) == wanted != reference.numbers[action]
        assert (found[3] is None) == (reference.phase == "continue")


# GIPF

PUSHED = r"pushed (a GIPF piece )?(\w\d-\w\d)"
ROW = r"\w\d-\w\d"
ROWS = rf"{ROW}(?:, {ROW})*(?: and {ROW})?"


def gipf_happened(said: str, turn: Sequence[Made], reference: Any) -> None:
    parts = said.split("; ")
    for player, some in groupby(turn, key=lambda made: made.player):
        steps = list(some)
        back, captured = gains_of(steps)
        clauses = actor(parts.pop(0), "gipf", player)
        clauses = gipf_gains(clauses, back[player], captured[player])
        gipf_steps(clauses, steps)
        other = 1 - player
        if back[other] or captured[other]:  # rows of the other, removed unasked
            found = match(r"(Black|White) (.+)", parts.pop(0))
            assert found[1] == NAMES["gipf"][other]
            assert gipf_gains(found[2], back[other], captured[other]) == ""
    assert parts == []


def gains_of(steps: Sequence[Made]) -> tuple[list[int], list[int]]:
    """What each player took back and captured in these steps, from reserves and what is lost."""
    before, after = steps[0].before, steps[-1].after
    back = [after.reserve[player] - before.reserve[player] for player in (0, 1)]
    for made in steps:
        if made.before.phase == "push":
            back[made.player] += 2 if made.action >= plain.PUSH_GIPF else 1
    captured = [after.lost[1 - player] - before.lost[1 - player] for player in (0, 1)]
    return back, captured


def gipf_gains(said: str, back: int, captured: int) -> str:
    """Check the end of what a player did; returns what stands before it."""
    found = re.fullmatch(
        r"(.*?)(?:(?:^|, | and )took back (\d+) (pieces?))?"
        r"(?:(?:^|, | and )captured (\d+)( pieces?)?)?",
        said,
    )
    assert found
    assert (count_in(found[2], found[3], "piece") if found[2] else 0) == back, said
    assert int(found[4] or 0) == captured, said
    if found[5]:
        assert count_in(found[4], found[5].strip(), "piece") and not found[2]
    return found[1]


def gipf_steps(said: str, steps: Sequence[Made]) -> None:
    """The steps themselves, each told by its names, or in numbers if there are many."""
    expected: list[tuple[str, list[str]]] = []
    for made in steps:
        if made.before.phase == "push":
            what = "pushed GIPF" if made.text.startswith("G") else "pushed"
        elif made.before.phase == "row":
            what = "row"
        else:
            what = "kept" if made.text == "keep" else "took"
        names = [re.sub("^[Gx]", "", made.text)]
        if what == "kept":
            names = sorted(made.before.left, key=plain.POINT_NUMBER.__getitem__)
        if expected and expected[-1][0] == what:
            expected[-1][1].extend(names)
        else:
            expected.append((what, names))
    clause = rf"{PUSHED}|removed the (rows?) ({ROWS})|(took|kept) the GIPF (pieces?) on ({CELLS})"
    brief = r"(took|kept) (\d+) GIPF (pieces?)"
    told: list[tuple[str, list[str]]] = []
    numbers: Counter[str] = Counter()
    place = 0
    for found in re.finditer(rf"(?:{clause})|(?:{brief})", said):
        between = said[place : found.start()]
        assert between in (("",) if place == 0 else (", ", " and ")), said
        place = found.end()
        is_gipf, push, row, rows, verb, pieces, points, short, number, word = found.groups()
        if push:
            told.append(("pushed GIPF" if is_gipf else "pushed", [push]))
        elif row:
            listed = re.findall(ROW, rows)
            assert row == ("row" if len(listed) == 1 else "rows")
            told.append(("row", listed))
        elif verb:
            listed = cells_in(points)
            assert pieces == ("piece" if len(listed) == 1 else "pieces")
            told.append((verb, listed))
        else:
            numbers[short] += count_in(number, word, "piece")
    assert place == len(said), said
    if not numbers:
        assert told == [pair for pair in expected if pair[0] != "row" or pair in told]
        if told != expected:  # rows chosen are left out only where the rest is long
            assert len(steps) > 2
    else:
        wanted: Counter[str] = Counter()
        for what, cells in expected:
            wanted[what] += len(cells)
        assert numbers == Counter({what: wanted[what] for what in ("took", "kept")})
        assert told == [pair for pair in expected if pair[0].startswith("pushed")]
        assert sum(len(names) for _, names in expected) > 2


def gipf_due(said: str, turn: Sequence[Made], reference: Any) -> None:
    legal = [reference.action_to_string(action) for action in reference.legal_actions()]
    if reference.phase == "row":
        found = match(
            rf"remove the row ({ROW}(?:, {ROW})* or {ROW})|remove one of (\d+) rows", said
        )
        names = [text.removeprefix("x") for text in legal]
        assert found[2] == str(len(names)) if found[2] else re.findall(ROW, found[1]) == names
        assert len(names) == len(reference.rows_to_remove()) > 1
    elif reference.phase == "take":
        names = [point for point in plain.POINTS if point in reference.left]
        if len(names) == 1:
            assert said == f"take the GIPF piece on {names[0]} or keep it"
        else:
            found = match(r"take a GIPF piece or keep them(?:: (.+))?", said)
            assert found[1] == (", ".join(names) if len(names) <= 3 else None)
    else:
        kinds = {text.startswith("G") for text in legal}
        pieces = {
            (False,): "a piece",
            (True,): "a GIPF piece",
            (False, True): "a piece, single or GIPF",
        }
        assert said == f"push {pieces[tuple(sorted(kinds))]}"


def gipf_outcome(said: str, turn: Sequence[Made], reference: Any) -> None:
    loser = 1 - reference.winner
    name = NAMES["gipf"][loser]
    if reference.events["loss_by_empty_reserve"]:
        assert said == f"{name} has no piece in reserve"
        assert reference.reserve[loser] == 0
    else:
        assert said == f"{name}'s last GIPF piece was removed"
        assert plain.count_gipf(reference.board, loser) == 0
        assert plain.count_gipf(turn[0].before.board, loser) > 0


def gipf_counted(said: str, player: int, reference: Any) -> None:
    found = match(
        r"(\d+) in reserve, (?:(\d+)|(?:(\d+) single and )?(\d+) GIPF (pieces?) \(([WB])\)) on the "
        r"board(?:, (\d+) out)?",
        said,
    )
    own = [piece for piece in reference.board.values() if plain.owner(piece) == player]
    gipf = plain.count_gipf(reference.board, player)
    assert int(found[1]) == reference.reserve[player]
    assert int(found[2] or found[3] or 0) == len(own) - gipf
    assert (count_in(found[4], found[5], "piece") if found[4] else 0) == gipf
    assert found[6] in (None, "WB"[player])
    assert int(found[7] or 0) == reference.lost[player]


def gipf_illegal(said: str, action: int, reference: Any, legal: list[int]) -> None:
    text, player = reference.action_to_string(action), reference.to_play
    name, push = NAMES["gipf"][player], action % plain.PUSH_GIPF
    if reference.phase == "row":
        assert said == f"{text} removes no row that {name} is to remove now"
        assert action - plain.REMOVE_ROW not in reference.rows_to_remove()
    elif reference.phase == "take":
        assert said == f"{text} takes no GIPF piece of the row just removed"
        assert text.removeprefix("x") not in reference.left
    elif action >= plain.REMOVE_ROW:
        assert said == f"{text} is no push, and a push is due"
    elif all(point in reference.board for point in plain.LINES[push // 2]):
        assert said == f"the line of {text.removeprefix('G')} is full"
    elif action < plain.PUSH_GIPF:
        assert said == f"{text} is a single piece, and the first must be a GIPF piece"
        assert reference.may_push[player] == plain.FIRST
    elif reference.may_bring_gipf(player):
        assert said == f"{text} takes 2 pieces, and {name} has 1 in reserve"
        assert reference.reserve[player] == 1
    elif reference.variant == "tournament":
        assert said == f"{text} is a GIPF piece, and {name} has gone over to single ones"
        assert reference.may_push[player] == plain.SINGLES
    else:
        assert said == f"{text} is a GIPF piece, and in this variant none is pushed"


Check = Callable[[str, Sequence[Made], Any], None]
CheckOfPlayer = Callable[[str, int, Any], None]
CheckOfIllegal = Callable[[str, int, Any, list[int]], None]
CHECKS: dict[str, tuple[Check, Check, Check, CheckOfPlayer, CheckOfIllegal]] = {
    "oust": (oust_happened, oust_due, oust_outcome, stones_counted, oust_illegal),
    "rive": (rive_happened, rive_due, rive_outcome, stones_counted, rive_illegal),
    "strands": (strands_happened, strands_due, strands_outcome, strands_counted, strands_illegal),
    "gipf": (gipf_happened, gipf_due, gipf_outcome, gipf_counted, gipf_illegal),
}


def check(position: Position, kinds: Counter[str]) -> None:
    """All that is said of a position is true."""
    state, turn, reference = position
    name = state.game.name
    happened, due, outcome, counted, _ = CHECKS[name]
    check_turn(state, turn)
    said = said_of(state, has_happened=bool(turn))
    if turn:
        happened(said.happened, turn, reference)
    if reference.is_over:
        what = actor(said.headline, name, reference.winner)
        why = match(r"has won: (.+)", what)[1]
        outcome(why, turn, reference)
    else:
        what = actor(said.headline, name, reference.to_play)
        due(match(r"to play: (.+)", what)[1], turn, reference)
    for player, count in enumerate(said.counts):
        counted(count, player, reference)
    kinds.update(map(kind_of, (said.happened, said.headline)))
    kinds["positions"] += 1


def check_illegal(position: Position) -> int:
    """What is said of each illegal action is true; returns how many there were."""
    state, _, reference = position
    legal = reference.legal_actions()
    illegal = [action for action in range(reference.num_actions) if action not in legal]
    for action in illegal:
        said = state.game.illegal_words(state, action)
        cells = cells_in(state.action_to_string(action))
        assert said and all(cell in said for cell in cells)
        if action == illegal[-1]:
            with pytest.raises(IllegalActionError) as refused:
                state.step(action)
            name, player = NAMES[state.game.name][reference.to_play], reference.to_play
            count = f"{len(legal)} legal action{'s' * (len(legal) > 1)}"
            wanted = f"is illegal here: {said}.  {name} (player_{player}) has {count} ("
            assert wanted in str(refused.value)
        CHECKS[state.game.name][-1](said, action, reference, legal)
        assert len(said) <= 100
    return len(illegal)


def check_games(
    games: Sequence[tuple[Game, Callable[[State], Any], Policy]], positions: int, every: int = 1
) -> Counter[str]:
    """Whole games with each of these until that many positions of it were checked."""
    kinds: Counter[str] = Counter()
    for game, make_reference, policy in games:
        checked = seed = 0
        while checked < positions:
            start = game.initial_state(seed)
            played = game_of(start, make_reference(start), policy, seed)
            for number, position in enumerate(played):
                _, turn, reference = position
                if number % every == 0 or reference.is_over or len(turn) > 6:
                    check(position, kinds)
                    checked += 1
                if number % 12 == 3 and not reference.is_over:
                    kinds["illegal"] += check_illegal(position)
                    kinds["positions with illegal"] += 1
            seed += 1
    return kinds


def assert_said(kinds: Counter[str], wanted: Sequence[str]) -> None:
    """Enough was checked, and each of these patterns stands in some of the sentences."""
    assert kinds["positions"] >= 200
    assert kinds["illegal"] > 500 and kinds["positions with illegal"] >= 30
    for pattern in wanted:
        assert any(re.search(pattern, kind) for kind in kinds), (pattern, sorted(kinds))


@pytest.mark.long
def test_oust() -> None:
    def make_reference(state: State) -> Oust:
        return Oust(**state.game.options)

    kinds: Counter[str] = Counter()
    for side, every in ((3, 1), (5, 2)):
        games = [
            (make_game("oust", side=side, pie_rule=pie_rule), make_reference, policy)
            for pie_rule in (True, False)
            for policy in (uniform, seeking_captures, swapping)
        ]
        kinds += check_games(games, positions=50, every=every)
    for places in (STUCK_INSIDE, PASS_AT_START):
        start = make_game("oust", side=3).initial_state()
        for position in game_of(start, Oust(3), following(places), 0):
            check(position, kinds)
    assert_said(
        kinds,
        [
            "captured # stones? by @ and places again",
            "captured # stones? by @ and placed @",
            "captured # stones? by # placements, the last @, and",
            r"captured # stones? by @ and passed",
            r"\) passed",
            "swapped and took over the stone on @",
            "place a stone, or swap and take over @",
            "pass, since no placement is legal",
            "White has no stones left",
            "Black has no stones left",
        ],
    )


# Games of side 3 by axial coordinates, after which White can but pass: inside a turn, at its start
STUCK_INSIDE = "(2,0) (-1,1) (2,-2) (-1,-1) (0,2) (0,1) (1,-1) (2,-1) (0,-2) (0,-1)"
PASS_AT_START = "(0,0) (1,1) (0,2) (-2,2) (0,1) (0,-2) (-1,0) (2,-2) (1,0) (-2,0) (1,-2) (2,0)"


def following(places: str) -> Policy:
    """These placements, and then at random."""
    queue = [tuple(map(int, place.strip("()").split(","))) for place in places.split()]

    def policy(rng: random.Random, reference: Any, legal: list[int]) -> int:
        return reference.board.by_axial[queue.pop(0)] if queue else rng.choice(legal)

    return policy


def swapping(rng: random.Random, reference: Any, legal: list[int]) -> int:
    """Captures for one half, and the swap whenever it is legal."""
    is_swap = preferring(lambda ref, action: action > ref.pass_action)
    return is_swap(rng, reference, legal) if rng.random() < 0.5 else uniform(rng, reference, legal)


@pytest.mark.long
def test_rive() -> None:
    def make_reference(state: State) -> Rive:
        return Rive(**state.game.options)

    kinds: Counter[str] = Counter()
    for side, every in ((3, 1), (5, 3)):
        game = make_game("rive", side=side)
        games = [(game, make_reference, policy) for policy in (uniform, seeking_captures)]
        kinds += check_games(games, positions=80, every=every)
    assert_said(
        kinds,
        [
            "placed @, removed @, placed @",
            r"placed # stones and removed #, last placed @",
            r"placed # stones? and removed #, last removed @",
            "remove # of the stones joined to @",
            "place again",
            "place a stone",
            "the board is full, # stones to #",
        ],
    )


SMALL_LAYOUTS = [[3, 3, 3, 2, 1, 2, 2], [1 + (cell * cell + cell // 3) % 4 for cell in range(19)]]


@pytest.mark.long
@pytest.mark.parametrize("cover", ["up_to", "exactly"])
def test_strands(cover: str) -> None:
    def make_reference(state: State) -> Strands:
        rows = state.fields().get("numbers")
        drawn = rows and [int(digit) for row in rows.split("/")[::-1] for digit in row]
        options = state.game.options
        return Strands(options["layout"], options["cover"], drawn or None)

    stopping = preferring(lambda reference, action: action == reference.stop_action, 0.3)
    layouts: list[Any] = ["5", "6", "6-low", "7", "6-random", "7-random"]
    kinds = check_games(
        [
            (make_game("strands", layout=layout, cover=cover), make_reference, stopping)
            for layout in layouts
        ],
        positions=20,
        every=4,
    )
    kinds += check_games(
        [
            (make_game("strands", layout=layout, cover=cover), make_reference, uniform)
            for layout in SMALL_LAYOUTS
        ],
        positions=150,
    )
    wanted = ["cover a space marked #", "covered @, marked #$", "second largest group # to #"]
    if cover == "up_to":
        wanted += ["marked #, and stopped", "cover up to # more #s, or stop", "cover # more #, or"]
    else:
        wanted += ["cover # more #s?$", "or all there are"]
    assert_said(kinds, wanted)


def seeking_rows(rng: random.Random, reference: Any, legal: list[int]) -> int:
    """A push, out of twelve, after which there is something to choose, or pieces have gone."""
    if reference.phase != "push":
        return rng.choice(legal)
    worth = []
    for action in rng.sample(legal, min(12, len(legal))):
        after = copy_of(reference)
        after.step(action)
        unasked = after.events["opponent_removal"] > reference.events["opponent_removal"]
        worth.append(
            (2 * (after.phase == "row") + (after.phase == "take") + 2 * unasked, rng.random())
        )
        worth[-1] = (*worth[-1], action)  # type: ignore[assignment]
    return int(max(worth)[-1])


def crowded(variant: str, rng: random.Random) -> tuple[State, plain.Gipf] | None:
    """A push on a board where most points are taken, and no row stands; None if there is none."""
    share = {"basic": 0.0, "standard": 0.2, "tournament": 0.3}[variant]
    some = rng.sample(plain.POINTS, rng.randint(14, 26))
    board = {p: "G" * (rng.random() < share) + rng.choice("WB") for p in some}
    spare = [plain.TOTAL[variant] - plain.count_worth(board, player) for player in (0, 1)]
    gipf = [plain.count_gipf(board, player) for player in (0, 1)]
    if min(spare) < 1 or max(gipf) > plain.MOST_GIPF[variant]:
        return None
    if variant != "basic" and min(gipf) == 0:
        return None
    if any(plain.row_on(board, line, player) for line in range(21) for player in (0, 1)):
        return None
    reserve = (rng.randint(1, spare[0]), rng.randint(1, spare[1]))
    to_play = rng.randrange(2)
    reference = plain.Gipf.set_up(variant, board, reserve, to_play)
    kinds = {"W": "w", "B": "b", "GW": "W", "GB": "B"}
    state = make_game("gipf", variant=variant).state_from_cells(
        {point: kinds[piece] for point, piece in board.items()},
        to_play,
        reserve=f"{reserve[0]},{reserve[1]}",
        bring="none",
    )
    return state, reference


@pytest.mark.long
@pytest.mark.parametrize("variant", ["standard", "basic", "tournament"])
def test_gipf(variant: str) -> None:
    kinds: Counter[str] = Counter()
    game = make_game("gipf", variant=variant)
    for seed in range(6):
        policy = seeking_rows if seed % 2 else uniform
        for number, position in enumerate(
            game_of(game.initial_state(), plain.Gipf(variant), policy, seed)
        ):
            check(position, kinds)
            if number % 8 == 2 and not position[2].is_over:
                kinds["illegal"] += check_illegal(position)
                kinds["positions with illegal"] += 1
            if number == 120:
                break
    rng = random.Random(variant)
    boards = 0
    while boards < 60:
        pair = crowded(variant, rng)
        if pair is None:
            continue
        boards += 1
        for number, position in enumerate(game_of(*pair, seeking_rows, boards)):
            check(position, kinds)
            if position[2].phase in ("row", "take"):
                kinds["illegal"] += check_illegal(position)
                kinds["positions with illegal"] += 1
            if number == 12:
                break
    wanted = [
        r"pushed @$",
        r"took back # pieces and captured #$",
        r"; (White|Black) took back #",
        r"removed the row @",
        r"remove the row @",
        r"has no piece in reserve",
    ]
    if variant != "basic":
        wanted += [
            "took the GIPF piece on @",
            "kept the GIPF piece on @",
            "take the GIPF piece on @ or keep it",
            "take a GIPF piece or keep them",
            "White's last GIPF piece was removed",
            "Black's last GIPF piece was removed",
        ]
    if variant == "tournament":
        wanted += ["pushed a GIPF piece @", "push a GIPF piece", "push a piece, single or GIPF"]
    assert_said(kinds, wanted)


# Beginnings, ways back, ends


def some_of(name: str) -> list[State]:
    """Positions of the default game, all along it and inside turns."""
    states = []
    for seed in range(2):
        state, rng = make_game(name).initial_state(seed), random.Random(seed)
        for number in range(150):
            if number % 3 == 0 or state.is_over:
                states.append(state.copy())
            if state.is_over:
                break
            state.step(state.sample_action(rng))
    return states


@every_game
def test_without_history(name: str) -> None:
    for state in some_of(name):
        again = State.from_string(state.to_string())
        said = said_of(again, has_happened=False)
        before = said_of(state, has_happened=bool(state.history))
        assert last_turn(again) == [] and said.happened == "" and said.counts == before.counts
        assert said.headline == before.headline.replace("place again", "place a stone")


@every_game
def test_history_that_begins_inside_a_turn(name: str) -> None:
    """The steps that are known are told, and no others."""
    rng = random.Random(3)
    for state in some_of(name):
        again = State.from_string(state.to_string())
        known: list[str] = []
        while not again.is_over and len(known) < 4:
            action = again.sample_action(rng)
            known.append(again.action_to_string(action))
            again.step(action)
        told = [step.text for step in last_turn(again)]
        assert told == known[len(known) - len(told) :]
        if known:
            assert told and said_of(again, has_happened=True)


@every_game
def test_after_undo(name: str) -> None:
    rng = random.Random(4)
    for state in some_of(name):
        words, text = state.words(), to_text(state, colour=False)
        steps = 0
        while not state.is_over and steps < 5:
            state.step(state.sample_action(rng))
            steps += 1
        assert steps == 0 or state.words() != words
        for _ in range(steps):
            state.undo()
        assert state.words() == words and to_text(state, colour=False) == text


@every_game
def test_cut_off(name: str) -> None:
    batch = Batch(make_game(name), 1, seed=1, max_cycles=3)
    for _ in range(3):
        batch.step(batch.sample_actions())
    state = batch.final_state(0)
    assert not state.is_over and state.legal_actions() == []
    said = said_of_the_cut_off(state)
    with pytest.raises(IllegalActionError, match="is illegal here: the game was cut off"):
        state.step(0)
    assert said == "the game was cut off"


@every_game
def test_what_is_refused_after_the_end(name: str) -> None:
    state, rng = make_game(name).initial_state(1), random.Random(1)
    while not state.is_over:
        state.step(state.sample_action(rng))
    winner = f"{NAMES[name][state.winner or 0]} (player_{state.winner})"
    with pytest.raises(GameOverError) as refused:
        state.step(0)
    assert str(refused.value) == f"the game has ended, {winner} has won: no step follows"


def said_of_the_cut_off(state: State) -> str:
    words = state.words()
    assert words.due == "" and words.headline == words.outcome
    assert words.outcome in below_the_board(state)
    assert words.outcome in state.to_svg(PICTURE)
    texts = [shape.text for shape in compose(state, PICTURE).shapes if isinstance(shape, Text)]
    assert words.outcome in texts
    return words.outcome


@pytest.mark.parametrize(
    ("options", "on_c4", "reserve", "winner", "reason"),
    [
        ("standard", ".", "9,9", 1, "White's last GIPF piece was removed"),
        ("standard", ".", "0,9", 1, "White's last GIPF piece was removed"),
        ("standard", "W", "0,9", 1, "White has no piece in reserve"),
        ("tournament", "W", "0,9", 1, "White has no piece in reserve"),
        ("basic", ".", "4,0", 0, "Black has no piece in reserve"),
    ],
)
def test_ends_of_gipf_without_history(
    options: str, on_c4: str, reserve: str, winner: int, reason: str
) -> None:
    black = "b" if options == "basic" else "B"
    board = f"..../...../....../...{black}.../.w{on_c4}.../...../...."
    text = f"gipf variant={options} board={board} to_play=0 winner={winner} reserve={reserve}"
    assert State.from_string(text).words().outcome.split(": ")[1] == reason


# The text


def marks_in_text(state: State) -> dict[int, str]:
    """By marked cell its mark, read from the lines of the board: a bracket or a parenthesis."""
    lines = [f"{line} " for line in to_text(state, colour=False).split("\n")[1:]]
    board = state.game.board
    places: dict[int, tuple[str, int]] = {}
    if state.game.name == "gipf":
        lines = lines[:17]
        below = [found for line in lines for found in re.finditer(r"\b[b-h]1", line)]
        columns = {label[0][0]: label.start() for label in below}
        lines = [re.sub(r"[a-i]\d", "  ", line) for line in lines]
        cells = {
            letter: [k for k, n in enumerate(plain.POINTS) if n[0] == letter] for letter in columns
        }
        for line in lines:
            for letter, column in columns.items():
                if column < len(line) and line[column] not in " ":
                    places[cells[letter].pop()] = line, column
    else:
        for line, row in zip(lines, range(2 * board.side - 2, -1, -1), strict=False):
            first = len(line) - len(line.lstrip())
            cells_of_row = [k for k, (r, _) in enumerate(board.grid.tolist()) if r == row]
            symbols = [k for k, what in enumerate(line) if k > first and what not in " ()[]|"]
            places |= {
                cell: (line, column) for cell, column in zip(cells_of_row, symbols, strict=True)
            }
    assert len(places) == board.num_cells
    found = {}
    for cell, (line, column) in places.items():
        left, right = line[column - 1], line[column + 1]
        if (left, right) == ("[", "]"):
            found[cell] = "["
        elif left in "(|]" and right in ")|[":
            found[cell] = "("
    return found


@every_game
def test_marks_in_the_text(name: str) -> None:
    shared = 0
    for state in some_of(name):
        marks = marks_in_text(state)
        turn = [step for step in last_turn(state) if step.cells]  # others show nothing
        wanted = {cell: "(" for step in turn for cell in step.cells}
        wanted |= {cell: "(" for step in last_turn(state) for cell in step.gone}
        if turn:
            wanted |= dict.fromkeys(turn[-1].cells, "[")
        if name == "gipf":  # whose removals the boards alone do not tell
            ground, taken = state.ground(), set(marks) - set(wanted)
            assert all(ground[cell] == "." and marks.pop(cell) == "(" for cell in taken)
        assert marks == wanted, to_text(state, colour=False)
        shared += "|" in to_text(state, colour=False)
    assert shared or name == "gipf"


@every_game
def test_the_form_of_the_text(name: str) -> None:
    for state in some_of(name):
        header, *lines = to_text(state, colour=False).split("\n")
        assert all(len(line) <= LINE for line in lines)
        winner = "none" if state.winner is None else state.winner
        fields = "".join(f" {name}={value}" for name, value in state.fields().items())
        wanted = f"{state.game.to_string()} to_play={state.to_play} winner={winner}{fields}"
        assert header == wanted
        long = "word " * 30 + "end"
        text = to_text(state, colour=False, headline=long)
        lines = text.split("\n")
        assert all(len(line) <= LINE for line in lines[1:]) and from_text(text) == state
        assert long in text.replace("\n  ", " ")


def test_text_of_each_game() -> None:
    state = played("oust side=3", "c3 swap a1")
    assert to_text(state, colour=False).split("\n")[6:] == [
        "Black (player_0) placed a1",
        "White (player_1) to play: place a stone",
        "B Black: 1 stone, W White: 1 stone",
    ]
    state = played("gipf variant=tournament", "Ge1-e2 Ge9-e8")
    assert to_text(state, colour=False).split("\n")[18:] == [
        "Black (player_1) pushed a GIPF piece e9-e8",
        "White (player_0) to play: push a piece, single or GIPF",
        "w White: 16 in reserve, 1 GIPF piece (W) on the board",
        "b Black: 16 in reserve, 1 GIPF piece (B) on the board",
    ]


def played(game: str, actions: str) -> State:
    state = Game.from_string(game).initial_state(0)
    for text in actions.split():
        state.step(state.parse_action(text))
    return state
