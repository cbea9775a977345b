"""Exact values of positions: a table of what is known of them, and the loop that proves more.

A value is a number for player_0: a win in d steps is `NOW` - d, a loss in d steps d - `NOW`, and a
game that nobody can force to an end would be 0.  So a greater value is better for player_0, who
shortens a won game and lengthens a lost one.  ``table`` holds a lower and an upper bound of the
value of each position that was looked into, whatever path led there:

    table  uint64 (slots, 1 + words)   `BOUNDS`: 0 in an empty slot, else lower + `BIAS`, upper +
                                       `BIAS`, 16 bits each, and half of a hash; then the position:
                                       its `identity` words, of its images under the symmetries of
                                       the game those that are smallest

A position is found by all of its words, so no other one's value is ever taken for its own.

`prove` answers one question: is the value of this position at least ``target``?  For a position
that is n steps deeper the same question asks for n more, and no value is greater than that of a win
in one step; so what is asked also bounds the depth, and a game that could go on for ever does no
harm.  The search is depth-first, over a stack of its own that stays between two calls; whoever acts
in a position looks at the values below from its own side, so a player may make several steps in
succession.  What a question leaves in the table are bounds as narrow as they are known (fail-soft).

    rows     of the game (plies * images, ...)   each position of the path in all of its images
    frames   int64 (plies, 6)                    `COUNT` of children that are still open, `NEXT` of
                                                 them (-1: none is made yet), `TARGET`, `SLOT`,
                                                 `HIGH`: an upper bound of the children that are
                                                 refuted, `ACTOR`; all values as the actor sees them
    moves    int64 (plies, actions)              of the children: actions, the order in which they
    order    int64 (plies, actions)              are tried, how good they look, and their words
    scores   float64 (plies, actions)
    keys     uint64 (plies, actions, words)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.engine.jit import inlined, kernel
from hexgames_env.engine.loop import evaluate, identity, loop, mask, status, step
from hexgames_env.engine.rng import mix
from hexgames_env.engine.rows import copy_row
from hexgames_env.engine.status_word import OVER, PLAYER, WINNER

NOW = 1 << 14  # the value of a game that player_0 has won
BIAS = 1 << 15
BOUNDS = 0  # of a slot
COUNT, NEXT, TARGET, SLOT, HIGH, ACTOR = range(6)  # of `frames`
PLY, STORED, ROOM, LACKS = range(4)  # of `where`: see `prove`
FRAME, MARKS = 6, 4  # lengths

_0, _1, _16 = np.uint64(0), np.uint64(1), np.uint64(16)
_LOW, _HALF = np.uint64(0xFFFF), np.uint64(0xFFFFFFFF00000000)


@inlined
def aged(value: Any) -> Any:
    """What a value is worth one step earlier."""
    return value - 1 if value > 0 else value + 1


@inlined
def pack_bounds(lower: Any, upper: Any, half: Any) -> Any:
    return np.uint64(lower + BIAS) | np.uint64(upper + BIAS) << _16 | half


@inlined
def lower_of(head: Any) -> Any:
    return np.int64(head & _LOW) - BIAS


@inlined
def upper_of(head: Any) -> Any:
    return np.int64(head >> _16 & _LOW) - BIAS


@inlined
def hash_of(keys: Any, ply: Any, c: Any) -> Any:
    found = _0
    for w in range(keys.shape[2]):
        found = mix(found ^ keys[ply, c, w])
    return found


@inlined
def find(table: Any, keys: Any, ply: Any, c: Any, hashed: Any) -> Any:
    """The slot of a key; if it has none, -1 - the slot that it would take."""
    slot = np.int64(hashed % np.uint64(len(table)))
    found = np.int64(-1)
    while table[slot, BOUNDS] != _0:
        if (table[slot, BOUNDS] ^ hashed) & _HALF == _0:
            same = True
            for w in range(keys.shape[2]):
                same &= table[slot, 1 + w] == keys[ply, c, w]
            if same:
                found = slot
                break
        slot += 1
        if slot == len(table):
            slot = np.int64(0)
    return found if found >= 0 else -1 - slot


@inlined
def store(table: Any, where: Any, keys: Any, ply: Any, c: Any, hashed: Any, slot: Any) -> None:
    """A position that runs, of which no more is known, into an empty slot."""
    table[slot, BOUNDS] = pack_bounds(1 - NOW, NOW - 1, hashed & _HALF)
    for w in range(keys.shape[2]):
        table[slot, 1 + w] = keys[ply, c, w]
    where[STORED] += 1


@kernel
def refill(table: Any, where: Any, kept: Any) -> None:
    """Add what another table had in its slots, to what is known or beside it."""
    keys = kept.reshape(1, len(kept), kept.shape[1])[:, :, 1:]
    for c in range(len(kept)):
        hashed = hash_of(keys, 0, c)
        slot = find(table, keys, 0, c, hashed)
        if slot < 0:
            slot = -1 - slot
            store(table, where, keys, 0, c, hashed, slot)
        head = table[slot, BOUNDS]
        lower = max(lower_of(head), lower_of(kept[c, BOUNDS]))
        upper = min(upper_of(head), upper_of(kept[c, BOUNDS]))
        table[slot, BOUNDS] = pack_bounds(lower, upper, head & _HALF)


@loop
def write_key(
    rows: Any, tables: Any, first: Any, images: Any, keys: Any, ply: Any, c: Any, one: Any
) -> None:
    """The smallest `identity` of the rows from ``first`` on; ``one`` is uint64 (words,)."""
    for image in range(images):
        identity(rows, first + image, tables, one)
        smaller = image == 0
        if not smaller:
            for w in range(len(one)):
                if one[w] != keys[ply, c, w]:
                    smaller = one[w] < keys[ply, c, w]
                    break
        if smaller:
            for w in range(len(one)):
                keys[ply, c, w] = one[w]


@loop
def enter(
    rows: Any, tables: Any, images: Any, table: Any, where: Any, keys: Any, one: Any, stores: Any
) -> Any:
    """The slot of the position in the first rows; -1 if it has none and is not to, or can't be,
    stored.
    """
    write_key(rows, tables, 0, images, keys, 0, 0, one)
    hashed = hash_of(keys, 0, 0)
    slot = find(table, keys, 0, 0, hashed)
    if slot < 0:
        if not stores or where[STORED] >= where[ROOM]:
            return np.int64(-1)
        slot = -1 - slot
        store(table, where, keys, 0, 0, hashed, slot)
    return slot


@loop
def follow(rows: Any, tables: Any, maps: Any, action: Any) -> Any:
    """Make a step in the first rows, in each image its own; the status that comes of it."""
    for image in range(len(maps)):
        step(rows, image, tables, maps[image, action])
        if not status(rows, image) & OVER:
            mask(rows, image, tables)
    return status(rows, 0)


@loop
def expand(
    rows: Any,
    tables: Any,
    maps: Any,
    table: Any,
    frames: Any,
    moves: Any,
    order: Any,
    scores: Any,
    keys: Any,
    one: Any,
    ply: Any,
) -> Any:
    """Look at all children of a position, and list those that are open, best first.

    Returns the lower bound of one that answers the question by what is known of it, if there is
    one, else -`NOW`.
    """
    words, legal = rows.view(np.uint64), rows.view(np.uint8)
    images = len(maps)
    here, below = ply * images, (ply + 1) * images
    target, actor = frames[ply, TARGET], frames[ply, ACTOR]
    count, most = np.int64(0), np.int64(-NOW)
    for action in range(maps.shape[1]):
        if legal[here, 0, action] == 0:
            continue
        copy_row(words, here, words, below)
        step(rows, below, tables, action)
        now = status(rows, below)
        if now & OVER:
            low = np.int64(NOW - 1 if now >> WINNER & 1 == actor else 1 - NOW)
            high = low
        else:
            for image in range(1, images):
                copy_row(words, here + image, words, below + image)
                step(rows, below + image, tables, maps[image, action])
            write_key(rows, tables, below, images, keys, ply, count, one)
            slot = find(table, keys, ply, count, hash_of(keys, ply, count))
            low, high = np.int64(2 - NOW), np.int64(NOW - 2)
            if slot >= 0:
                low, high = seen_by(actor, table[slot, BOUNDS])
        if low >= target:
            return low
        if high < target:
            most = max(most, high)
            continue
        moves[ply, count] = action
        scores[ply, count] = evaluate(rows, below, tables, actor)
        at = count
        while at > 0 and scores[ply, order[ply, at - 1]] < scores[ply, count]:
            order[ply, at] = order[ply, at - 1]
            at -= 1
        order[ply, at] = count
        count += 1
    frames[ply, COUNT], frames[ply, NEXT], frames[ply, HIGH] = count, 0, most
    return np.int64(-NOW)


@inlined
def seen_by(actor: Any, head: Any) -> Any:
    """Bounds of a child as who acts above it sees them, one step earlier."""
    lower, upper = aged(lower_of(head)), aged(upper_of(head))
    return (lower, upper) if actor == 0 else (-upper, -lower)


@loop
def prove(
    rows: Any,
    tables: Any,
    maps: Any,
    table: Any,
    where: Any,
    frames: Any,
    moves: Any,
    order: Any,
    scores: Any,
    keys: Any,
    one: Any,
    budget: Any,
) -> Any:
    """Go on with the question in ``frames[0]``, for so many positions; returns how many.

    It ends with ``where[PLY]`` -1 when the question is answered by the bounds in the table, with
    ``where[LACKS]`` 1 when a position has no room there.

    Args:
        maps: int64 (images, actions), where each symmetry moves each action.
    """
    words = rows.view(np.uint64)
    images = len(maps)
    made = 0
    while where[PLY] >= 0 and made < budget:
        ply = where[PLY]
        target, actor = frames[ply, TARGET], frames[ply, ACTOR]
        answer = np.int64(-NOW)
        if frames[ply, NEXT] < 0:
            made += 1
            answer = expand(
                rows, tables, maps, table, frames, moves, order, scores, keys, one, ply
            )  # fmt: skip
        descends = False
        while answer < target and frames[ply, NEXT] < frames[ply, COUNT]:
            c = order[ply, frames[ply, NEXT]]
            hashed = hash_of(keys, ply, c)
            slot = find(table, keys, ply, c, hashed)
            low, high = np.int64(2 - NOW), np.int64(NOW - 2)
            if slot >= 0:
                low, high = seen_by(actor, table[slot, BOUNDS])
            if low >= target:
                answer = low
            elif high < target:
                frames[ply, HIGH] = max(frames[ply, HIGH], high)
                frames[ply, NEXT] += 1
            elif slot < 0 and where[STORED] >= where[ROOM]:
                where[LACKS] = 1
                return made
            else:
                if slot < 0:
                    slot = -1 - slot
                    store(table, where, keys, ply, c, hashed, slot)
                here, below = ply * images, (ply + 1) * images
                for image in range(images):
                    copy_row(words, here + image, words, below + image)
                    step(rows, below + image, tables, maps[image, moves[ply, c]])
                    mask(rows, below + image, tables)
                other = np.int64(status(rows, below) & PLAYER)
                deeper = target + 1 if target > 0 else target - 1
                frames[ply + 1, NEXT] = -1
                frames[ply + 1, TARGET] = deeper if other == actor else 1 - deeper
                frames[ply + 1, SLOT] = slot
                frames[ply + 1, ACTOR] = other
                where[PLY] = ply + 1
                descends = True
                break
        if not descends:
            head = table[frames[ply, SLOT], BOUNDS]
            lower, upper = lower_of(head), upper_of(head)
            better = answer if answer >= target else frames[ply, HIGH]
            if (answer >= target) == (actor == 0):
                lower = max(lower, better if actor == 0 else -better)
            else:
                upper = min(upper, better if actor == 0 else -better)
            table[frames[ply, SLOT], BOUNDS] = pack_bounds(lower, upper, head & _HALF)
            where[PLY] = ply - 1
    return made
