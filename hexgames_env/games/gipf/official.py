"""GIPF's official notation: whole turns, written and read; the game's page says how it looks.

In a turn of ours a player pushes, removes its rows, and then the other removes those that the push
has made for it.  In a turn of the notation a player first removes what the other's push has made
for it, then pushes, then removes what its own push has made.  So the turns begin and end at
different steps, and what a player removes before its push has often left with the other's last step
already, unasked.  `_after` tells of each step who has removed what by it, row by row.

What leaves decides what a removal leads to: no piece comes onto the board meanwhile, and whose row
it was says where each piece goes.  So the first order of steps that fits a list is as good as all
others (the tests try them all); only the bare ``x`` does not say what leaves, and can be read in
two ways.  A search looks at each position of a removal once, and goes on where the list can still
be fulfilled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from hexgames_env.core.state import State
from hexgames_env.core.words import listed
from hexgames_env.errors import NotationError
from hexgames_env.games.gipf import words
from hexgames_env.games.gipf.geometry import DOTS, LINE_NAMES, LINES, POINT_NAMES, PUSHES
from hexgames_env.games.gipf.kernels import KEEP, PUSH_GIPF, REMOVE, TAKE
from hexgames_env.games.gipf.notation import singles_in_rows
from hexgames_env.games.gipf.official_texts import ALL_KEPT, Push, Removal, Text, Turn, parse_turn

ANY = frozenset(
    f"{gipf}{point}{other}" for gipf in ("", "G") for point in POINT_NAMES for other in ("", "*")
)
NOTHING = frozenset[str]()
SHOWN_WAYS = 4
"""Of ways in which a removal can be written: more are not told."""

Rows = tuple[tuple[str, ...], ...]
"""The pieces that have left, as they are written, of each row in the order of removal.  A row of
which nothing has left counts too; the last one may be one that is being emptied."""


class _Place(NamedTuple):
    """A position, and what has left since the last push: by rows of a player, and of the other."""

    state: State
    own: Rows
    other: Rows


class OfficialNotation:
    """See `hexgames_env.core.notation.Notation`.

    >>> from hexgames_env import make_game
    >>> game = make_game("gipf", variant="basic")
    >>> state = game.state_from_cells(
    ...     {"e2": "w", "e3": "w", "e4": "w", "e5": "b", "c4": "b"}, reserve="1,6"
    ... )
    >>> official = game.notations["official"]
    >>> official.write(state, [state.parse_action("e1-e2")])
    ['e1-e6;xe2,e3,e4,e5,e6*']
    >>> actions = official.read(state, ["E1-E6; x e2, e3, e4, e5, e6*"])
    >>> [state.action_to_string(action) for action in actions]
    ['e1-e2']
    """

    def write(self, start: State, actions: Sequence[int]) -> list[str]:
        """One text for each turn; NotationError if the last one stops amid a player's removals."""
        texts: list[str] = []
        place, mover = _begin(start), start.to_play
        late = _removes_late(start)  # then this turn has no push
        begun, push = False, ""
        before: Rows = ()
        for action in map(start.game.check_action, actions):
            if place.state.phase == "push":
                before, push = place.own, _push_text(place.state, action)
                place = _Place(place.state, (), ())
            place, begun = _after(place, action, mover), True
            if (push or late) and not _removes(place.state, mover):
                texts.append(_turn_text(before, push, place.own) or ALL_KEPT)
                place, mover = _Place(place.state, place.other, ()), 1 - mover
                late, begun, push, before = False, False, "", ()
        if begun:
            text = _turn_text(before, push, place.own)
            if _removes(place.state, mover):
                due = words.due_words(start.game, place.state)
                raise NotationError(
                    f"turn {len(texts)}, {text!r} so far, has no text yet, for that names all that "
                    f"a player removes: {start.game.player_names[mover]} has still to {due}; add "
                    "these steps, or leave the turn out",
                    len(texts),
                    len(text),
                )
            texts.append(text or ALL_KEPT)
        return texts

    def read(self, start: State, turns: Sequence[str]) -> list[int]:
        """The steps of all turns; a removal that the next turn would tell of is not among them."""
        if isinstance(turns, str):
            raise NotationError(f"turns are a list of texts, one a turn, got the text {turns!r}")
        place = _begin(start)
        for number, given in enumerate(turns):
            text = Text(number, given)
            turn = parse_turn(text)
            place = _read_turn(place, text, turn, number == len(turns) - 1)
        return place.state.history[len(start.history) :]


# Steps, and what leaves by them


def _begin(start: State) -> _Place:
    return _Place(start.copy(), ((),) if start.phase == "take" else (), ())


def _removes(state: State, player: int) -> bool:
    """Whether this player is asked which rows or GIPF pieces to remove."""
    return state.phase in ("row", "take") and state.to_play == player


def _removes_late(state: State) -> bool:
    """Whether the player to act removes rows that its own push has made."""
    return state.phase in ("row", "take") and state.fields()["pusher"] == str(state.to_play)


def _after(place: _Place, action: int, player: int) -> _Place:
    """The place after a step; ``player`` is the one whose rows are `_Place.own`."""
    before = place.state
    state = before.copy()
    state.step(action)
    remover, rows = before.to_play, [list(place.own), list(place.other)]
    ground, left = list(before.ground()), state.ground()

    def leave(points: Sequence[int]) -> None:
        pieces = [_written(ground[point], point, remover) for point in points]
        rows[remover != player][-1] += tuple(pieces)
        for point in points:
            ground[point] = "."

    def open_row(line: int) -> int:
        rows[remover != player].append(())
        leave(singles_in_rows("".join(ground), remover)[line])
        return line

    line = None  # of the last row from which single pieces may have left in this step
    if action >= TAKE:
        leave([action - int(TAKE)])
        if before.fields()["left"].count(",") > 0:  # others may be taken now, of the same row
            return _Place(state, tuple(rows[0]), tuple(rows[1]))
    elif action < REMOVE:
        ground = _pushed(ground, action, before.to_play)
    elif action < KEEP:
        line = open_row(action - int(REMOVE))
    if "".join(ground) != left:
        removed = _removed(before) | {line}
        while "".join(ground) != left:  # the rows that were removed without asking
            due = [row for row in singles_in_rows("".join(ground), remover) if row not in removed]
            if due:
                line = open_row(due[0])
                removed.add(line)
            else:
                remover, removed = 1 - remover, set()
    if state.phase == "take":
        takeable = set(_takeable(state))
        if line is None or not takeable <= set(LINES[line]):  # a row of GIPF pieces alone
            rows[state.to_play != player].append(())
    return _Place(state, tuple(rows[0]), tuple(rows[1]))


def _written(symbol: str, point: int, remover: int) -> str:
    """A piece that leaves, as a list names it."""
    gipf = "G" if symbol.isupper() else ""
    return f"{gipf}{POINT_NAMES[point]}{'' if symbol in ('wW', 'bB')[remover] else '*'}"


def _line_of(push: int) -> tuple[int, ...]:
    """The points that a push runs along, from the dot on."""
    line, end = divmod(push, 2)
    return LINES[line][::-1] if end else LINES[line]


def _gap(ground: Sequence[str], push: int) -> int | None:
    """Where on its line a push ends: the place of the first gap."""
    return next((k for k, point in enumerate(_line_of(push)) if ground[point] == "."), None)


def _pushed(ground: list[str], action: int, player: int) -> list[str]:
    gipf, push = divmod(action, int(PUSH_GIPF))
    line, gap = _line_of(push), _gap(ground, push)
    after = list(ground)
    for k in range(gap or 0):
        after[line[k + 1]] = ground[line[k]]
    after[line[0]] = ("wb", "WB")[gipf][player]
    return after


def _removed(state: State) -> set[int | None]:
    names = state.fields().get("removed", "").split(",")
    return {line for line, name in enumerate(LINE_NAMES) if name in names}


def _takeable(state: State) -> list[int]:
    return [action - int(TAKE) for action in state.legal_actions() if action >= TAKE]


# Writing


def _push_text(state: State, action: int) -> str:
    """A push that is legal; of an illegal one, which the step refuses, anything."""
    gipf, push = divmod(action, int(PUSH_GIPF))
    return _written_push(state.ground(), push, gipf == 1) if action < REMOVE else ""


def _written_push(ground: str, push: int, gipf: bool) -> str:
    dot, point = PUSHES[push]
    gap = _gap(ground, push)
    return "G" * gipf + (f"{dot}-{POINT_NAMES[_line_of(push)[gap]]}" if gap else point)


def _turn_text(before: Rows, push: str, after: Rows) -> str:
    return ";".join([*_lists(before), *filter(None, [push]), *_lists(after)])


def _lists(rows: Rows) -> list[str]:
    """A list for each row of which something has left, its pieces in the order of the points."""
    return ["x" + ",".join(sorted(row, key=_place_of)) for row in rows if row]


def _place_of(piece: str) -> int:
    return POINT_NAMES.index(piece.strip("G*"))


# Reading


def _read_turn(place: _Place, text: Text, turn: Turn, is_last: bool) -> _Place:
    state = place.state
    mover, name = state.to_play, state.game.player_names[state.to_play]
    if state.is_over:
        raise text.error(0, f"the game is over: {words.end_words(state.game, state)}; leave it out")
    late = _removes_late(state)
    if late and turn.push:
        raise text.error(
            turn.push.column,
            f"{name} has pushed and is to remove its rows: a turn of that alone comes first, like "
            f"{_some_ways(place, mover)}",
        )
    if not turn.push and not late and not is_last:
        raise text.error(
            len(text.given), "a push is missing: only the last turn may go without one"
        )
    if not turn.push and not _removes(state, mover) and not (place.own and turn.before):
        raise text.error(
            0, f"{name} has nothing to {'remove' if turn.before else 'keep'}, expected a push"
        )
    place = _remove(place, text, turn.before, mover, turn.push)
    if turn.push:
        action = _find_push(place.state, text, turn.push)
        place = _after(_Place(place.state, (), ()), action, mover)
        place = _remove(place, text, turn.after, mover)
    return _Place(place.state, place.other, ())


def _remove(
    place: _Place, text: Text, lists: Sequence[Removal], player: int, push: Push | None = None
) -> _Place:
    """The place after what this player removes on one side of its push.

    Args:
        lists: those of that side.
        push: what follows them.
    """
    bare = len(lists) == 1 and not lists[0].pieces
    leave = None if bare else [frozenset(piece.text for piece in one.pieces) for one in lists]
    name = place.state.game.player_names[player]
    column = lists[0].column if lists else push.column if push else len(text.given)
    found, ended = None, None
    for way in chain(*(_ways(place, leave, player, alone, set()) for alone in (True, False))):
        if push and way.state.is_over:
            ended = way.state
        elif any(way.own) or not bare:
            if found and found.state != way.state:
                raise text.error(
                    column,
                    f"x alone does not tell which pieces {name} removes: expected "
                    f"{_some_ways(place, player)}",
                )
            found = found or way
            if not bare:
                break
    if found:
        return found
    if ended and push:
        why = words.end_words(ended.game, ended)
        raise text.error(push.column, f"the game is over before this push ({why}): leave it out")
    possible = _can_leave(place, player)
    for piece in (piece for removal in lists for piece in removal.pieces):
        if piece.text not in possible:
            raise text.error(
                piece.column,
                f"{piece.text} is no piece that {name} can remove here: "
                + (_mended(piece.text, possible) or f"expected {_some_ways(place, player)}"),
            )
    raise text.error(
        column,
        f"this is not what {name} can remove here: expected {_some_ways(place, player)}",
    )


def _mended(piece: str, possible: set[str]) -> str:
    """How a piece is written that stands on the same point."""
    point = piece.strip("G*")
    right = [other for other in possible if other.strip("G*") == point]
    return f"on {point} is {right[0]} (G a GIPF piece, * a piece of the other's)" if right else ""


def _some_ways(place: _Place, player: int) -> str:
    """What this player can remove from here on, as it is written."""
    texts: dict[str, None] = {}
    for way in _ways(place, None, player, False, set()):
        texts[";".join(_lists(way.own))] = None
        if len(texts) > SHOWN_WAYS:
            break
    return _one_of(list(texts)).replace("''", "no list")


def _one_of(texts: Sequence[str]) -> str:
    some = [*map(repr, texts[:SHOWN_WAYS]), *["others"] * (len(texts) > SHOWN_WAYS)]
    return listed(some).replace(" and ", " or ")


def _can_leave(place: _Place, player: int) -> set[str]:
    """No other piece than these can leave by this player's removals from here on."""
    state, ground = place.state, place.state.ground()
    found = {piece for row in place.own for piece in row}
    if _removes(state, player):
        lines = singles_in_rows(ground, player)
        points = {point for line in lines for point in LINES[line]} | set(_takeable(state))
        found |= {_written(ground[p], p, player) for p in points if ground[p] != "."}
    return found


def _ways(
    place: _Place,
    lists: Sequence[frozenset[str]] | None,
    player: int,
    alone: bool,
    seen: set[tuple[Any, Rows]],
) -> Iterator[_Place]:
    """The places after all of this player's removals that fit, by the order of their actions.

    Args:
        lists: what leaves; None for whatever.
        player: whose removals.
        alone: whether each list tells of one row, and of several no more.
        seen: where the search has been.
    """
    wanted = _wanted(place.own, lists, alone)
    key = place.state.key(), place.own[-1:]
    if wanted is None or key in seen:
        return
    seen.add(key)
    if _removes(place.state, player):
        for action in _choices(place, wanted, player):
            yield from _ways(_after(place, action, player), lists, player, alone, seen)
    elif lists is None or sum(map(len, lists)) == sum(map(len, place.own)):
        yield place


def _wanted(
    rows: Rows, lists: Sequence[frozenset[str]] | None, alone: bool
) -> frozenset[str] | None:
    """What may leave next, None if what has left does not fit.

    A list is fulfilled by whole rows; those of which nothing leaves are in none.
    """
    if lists is None:
        return ANY
    ahead, rest = iter(lists), NOTHING
    for row in filter(None, rows):
        if not rest:
            rest = next(ahead, NOTHING)
        elif alone:
            return None
        if not rest.issuperset(row):
            return None
        rest = rest.difference(row)
    begun = rows and rows[-1]
    return rest if rest or begun else next(ahead, NOTHING)


def _choices(place: _Place, wanted: frozenset[str], player: int) -> Iterator[int]:
    """The steps from here that can lead to what is wanted, ascending.

    GIPF pieces of one row are taken in the order of the points: other orders lead nowhere else.
    """
    state, ground = place.state, place.state.ground()
    if state.phase == "row":
        yield from state.legal_actions()
        return
    taken = max((_place_of(piece) for piece in place.own[-1] if piece[0] == "G"), default=-1)
    take = [
        point
        for point in _takeable(state)
        if point > taken and _written(ground[point], point, player) in wanted
    ]
    removed = _removed(state)
    lines = [set(LINES[line]) for line in singles_in_rows(ground, player) if line not in removed]
    must = [wanted is not ANY and not any(point in line for line in lines) for point in take]
    if not any(must):
        yield int(KEEP)
    for point, now in zip(take, must, strict=True):
        yield int(TAKE) + point
        if now:  # it leaves now or never
            return


def _find_push(state: State, text: Text, push: Push) -> int:
    """The action of a push; the first one where several lead to the same position."""
    ground, gipf = state.ground(), int(PUSH_GIPF) if push.gipf else 0
    if push.end is None:
        found = _pushes_onto(ground, text, push)
    else:
        found = _pushes_from(ground, text, push, push.end)
    action = gipf + found
    if not state.is_legal(action):
        raise text.error(push.column, words.illegal_words(state.game, state, action))
    return action


def _pushes_onto(ground: str, text: Text, push: Push) -> int:
    """The first push onto a point that is empty."""
    pushes = [number for number, (_, point) in enumerate(PUSHES) if point == push.begin]
    if not pushes:
        raise text.error(
            push.column,
            f"{push.begin} is {_what(push.begin)}: a push is written as the empty point at the "
            "edge that it goes onto, or as its dot and the point where the last piece that it "
            "moves comes to lie",
        )
    if ground[POINT_NAMES.index(push.begin)] != ".":
        ways = _fitting(ground, pushes, push.gipf)
        raise text.error(push.column, f"{push.begin} is occupied: expected {_one_of(ways)}")
    return pushes[0]


def _pushes_from(ground: str, text: Text, push: Push, end: str) -> int:
    """The push from a dot that ends on this point."""
    pushes = [number for number, (dot, _) in enumerate(PUSHES) if dot == push.begin]
    if not pushes:
        dots = listed(sorted({dot for dot, _ in PUSHES})).replace(" and ", " or ")
        raise text.error(
            push.column, f"{push.begin} is {_what(push.begin)}: this push begins on a dot, {dots}"
        )
    for number in pushes:
        gap = _gap(ground, number)
        if gap is not None and POINT_NAMES[_line_of(number)[gap]] == end:
            return number
    raise text.error(
        push.end_column,
        f"{end} is not where the last piece comes to lie that a push from {push.begin} moves: "
        f"expected {_one_of(_fitting(ground, pushes, push.gipf))}",
    )


def _fitting(ground: str, pushes: Sequence[int], gipf: bool) -> list[str]:
    """Those of these pushes whose line has a gap, as they are written."""
    fitting = [number for number in pushes if _gap(ground, number) is not None]
    return [_written_push(ground, number, gipf) for number in fitting] or ["another line"]


def _what(name: str) -> str:
    if any(name in pair for pair in DOTS):
        return "a dot"
    return "a point" if name in POINT_NAMES else "neither a dot nor a point"
