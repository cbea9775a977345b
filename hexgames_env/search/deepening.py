"""The loops of `alphabeta`: iterative deepening over steps; it can stop at any node, and go on.

A *frame* is a position on the line that is being searched: frame 0 is the root, and row p of
``rows`` the position of frame p.  Its numbers stand in ``frames[p]`` and ``bounds[p]``.

Values are seen by the player to act in their frame, and change sign between two frames exactly if
another player acts: nothing depends on whether a frame is an even or odd number of steps away.
Heuristics are asked for player_0.  A win that is n steps away from the root is worth ``WIN - n``:
all that is beyond ``PROVEN`` comes from ends of games, at whatever depth, and from nothing else.
In the table such a value counts steps from its own position.

A node is a position that the search has come to.  Those that are only made to order the steps of a
frame are not counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.engine.jit import inlined
from hexgames_env.engine.loop import (
    evaluate,
    identity,
    inlined_loop,
    loop,
    mask,
    status,
    step,
)
from hexgames_env.engine.rng import below, next_random
from hexgames_env.engine.rows import copy_row, count_legal, nth_legal
from hexgames_env.engine.status_word import OVER, PLAYER, WINNER
from hexgames_env.search.table import (
    ABOUT,
    AT_LEAST,
    AT_MOST,
    EXACT,
    LAST_AGE,
    VALUE,
    action_of,
    bound_of,
    depth_of,
    find,
    put,
)

MAX_DEPTH = 1000  # steps from the root
WIN = 2.0**40
PROVEN = WIN - 2.0**16  # and on: a win that is proven, within so many steps
MOST = PROVEN - 1.0  # that a heuristic can say

# Of `frames`: how many steps are searched from here on, what is to be done next, the next of the
# listed steps and how many they are, the step that is being searched and the best one, the step
# of the table, the player to act, and whether the step is searched just to see that it is no
# better than the best: so all are but the first one, and searched again if they are
LEFT, STAGE, NEXT, COUNT, ACTION, CHOSEN, HINT, MOVER, SCOUT = range(9)
FRAME_LENGTH = 9
FROM_TABLE, EXPAND, PICK, IN_ORDER = range(4)  # stages
NO, YES, FAILED = range(3)  # of SCOUT
# Of `bounds`: what the player has for sure elsewhere, as it was and as it is; what the other won't
# allow; the best that was found
BEGIN, LOW, HIGH, BEST = range(4)
# Of `control`: the frame that is worked at, whether the search is over, how many nodes it has had,
# the depth that is done, the action to play, the last depth wanted, the age of this search, and of
# the oldest entries that count
AT, DONE, NODES, DEPTH, PLAY, LIMIT, NOW, OLDEST = range(8)
CONTROL_LENGTH = 8
ROW, BEGUN = 0, 1  # of `places`, in `deepen_rows`


@inlined
def away(value: Any, ply: Any) -> Any:
    """A value whose wins count from the root, as one whose wins count from frame ``ply``."""
    return value + ply if value >= PROVEN else value - ply if value <= -PROVEN else value


@inlined
def judged(value: Any, player: Any) -> Any:
    """What a heuristic says for player_0, for this player."""
    value = min(max(np.float64(value), -MOST), MOST)
    return value if player == 0 else -value


@inlined
def ended(now: Any, player: Any, ply: Any) -> Any:
    """What the end of the game, with this status in frame ``ply``, is worth to a player."""
    return WIN - ply if now >> WINNER & 1 == player else ply - WIN


@inlined
def order_root(moves: Any, scores: Any, count: Any, random: Any) -> None:
    """Order the steps of frame 0 by their scores, equal ones at random."""
    for k in range(count - 1, 0, -1):
        other = np.int64(below(next_random(random, 0), np.uint64(k + 1)))
        moves[0, k], moves[0, other] = moves[0, other], moves[0, k]
        scores[0, k], scores[0, other] = scores[0, other], scores[0, k]
    for k in range(1, count):
        move, score, j = moves[0, k], scores[0, k], k
        while j > 0 and scores[0, j - 1] < score:
            moves[0, j], scores[0, j] = moves[0, j - 1], scores[0, j - 1]
            j -= 1
        moves[0, j], scores[0, j] = move, score


@inlined
def put_first(moves: Any, action: Any) -> None:
    """Move a step of frame 0 before all others."""
    k = 0
    while moves[0, k] != action:
        k += 1
    for j in range(k, 0, -1):
        moves[0, j] = moves[0, j - 1]
    moves[0, 0] = action


@inlined
def pick_best(moves: Any, scores: Any, history: Any, ply: Any, k: Any, count: Any) -> None:
    """Bring the best step of those from k on to k: by score, then by what history tells."""
    best = k
    for j in range(k + 1, count):
        if scores[ply, j] > scores[ply, best] or (
            scores[ply, j] == scores[ply, best]
            and history[moves[ply, j]] > history[moves[ply, best]]
        ):
            best = j
    moves[ply, best], moves[ply, k] = moves[ply, k], moves[ply, best]
    scores[ply, best] = scores[ply, k]


@inlined
def open_frame(
    frames: Any, bounds: Any, ply: Any, left: Any, mover: Any, hint: Any, low: Any, high: Any
) -> None:
    """Begin a frame, of which the row and its mask are made."""
    frames[ply, LEFT], frames[ply, MOVER], frames[ply, HINT] = left, mover, hint
    frames[ply, STAGE] = EXPAND if hint < 0 else FROM_TABLE
    frames[ply, NEXT], frames[ply, COUNT], frames[ply, CHOSEN] = 0, 0, -1
    frames[ply, SCOUT] = NO
    bounds[ply, BEGIN], bounds[ply, LOW], bounds[ply, HIGH] = low, low, high
    bounds[ply, BEST] = -np.inf


@inlined_loop
def expand(
    rows: Any, words: Any, ply: Any, tables: Any, frames: Any, bounds: Any, moves: Any, scores: Any
) -> Any:
    """Make each legal step of a frame, but for that of the table, and list it with its score.

    Where the depth ends, scores are values, and a step that is good enough ends it; nothing is
    listed.  A step that wins ends it anywhere.

    Returns:
        How many steps were made, how many of them count as nodes, and whether the frame is done.
    """
    legal = rows.view(np.uint8)
    player, hint = frames[ply, MOVER], frames[ply, HINT]
    at_end = ply > 0 and frames[ply, LEFT] == 1
    made, count, nodes = 0, 0, 0
    done = at_end
    for move in range(moves.shape[1]):
        if legal[ply, 0, move] == 0 or move == hint:
            continue
        copy_row(words, ply, words, ply + 1)
        step(rows, ply + 1, tables, move)
        made += 1
        now = status(rows, ply + 1)
        if now & OVER:
            score = ended(now, player, ply + 1)
        else:
            score = judged(evaluate(rows, ply + 1, tables, 0), player)
        if at_end or score >= PROVEN:
            nodes += 1
            if score > bounds[ply, BEST]:
                bounds[ply, BEST], frames[ply, CHOSEN] = score, move
            if score >= bounds[ply, HIGH] or score >= PROVEN:
                done = True
                break
        else:
            moves[ply, count], scores[ply, count] = move, score
            count += 1
    frames[ply, COUNT] = count
    return made, nodes, done


@loop
def begin(
    root: Any,
    b: Any,
    rows: Any,
    table: Any,
    frames: Any,
    bounds: Any,
    history: Any,
    found: Any,
    nodes_of: Any,
    control: Any,
    limit: Any,
    keeps: Any,
) -> None:
    """Set up the search of row b of ``root``, whose mask is made, to a depth of ``limit`` steps.

    ``keeps`` is whether entries of earlier searches count.
    """
    copy_row(root.view(np.uint64), b, rows.view(np.uint64), 0)
    if control[NOW] == LAST_AGE:
        for place in range(len(table)):
            table[place, ABOUT] = 0
        control[NOW], control[OLDEST] = 0, 0
    control[NOW] += 1
    if not keeps:
        control[OLDEST] = control[NOW]
    control[AT], control[DONE], control[NODES], control[DEPTH] = 0, 0, 0, 0
    control[PLAY], control[LIMIT] = -1, limit
    for action in range(len(found)):
        history[0, action], history[1, action] = 0, 0
        found[action], nodes_of[action] = np.nan, 0
    player = status(rows, 0) & PLAYER
    open_frame(frames, bounds, 0, 1, player, -1, -np.inf, PROVEN)  # a win is good enough


@loop
def deepen(
    rows: Any,
    tables: Any,
    table: Any,
    keys: Any,
    frames: Any,
    bounds: Any,
    moves: Any,
    scores: Any,
    history: Any,
    found: Any,
    nodes_of: Any,
    control: Any,
    random: Any,
    budget: Any,
) -> Any:
    """Search on, until it is over or about ``budget`` steps are made; returns how many were.

    Args:
        rows: one for each frame, and one more.
        table: uint64 (places, 2 + words of a key).
        keys: uint64 (frames, words).
        moves, scores: int32, float64 (frames, actions).
        history: int64 (2, actions): by player, how much an action has cut off.
        found: float64 (actions): of the root's actions the value, or the most that it can be.
        nodes_of: int64 (actions): how many nodes they had.
    """
    words, values = rows.view(np.uint64), table.view(np.float64)
    ply, nodes, made = control[AT], control[NODES], 0
    value = 0.0  # of the step that was searched last, if it is settled
    settled, leaving = False, False
    while control[DONE] == 0:
        player, left = frames[ply, MOVER], frames[ply, LEFT]
        if settled:
            settled = False
            action = frames[ply, ACTION]
            if ply == 0:
                nodes_of[action] += nodes
            if frames[ply, SCOUT] == YES and bounds[ply, LOW] < value < bounds[ply, HIGH]:
                frames[ply, SCOUT] = FAILED
                continue
            if ply == 0:
                found[action] = value
            if value > bounds[ply, BEST]:
                bounds[ply, BEST], frames[ply, CHOSEN] = value, action
                bounds[ply, LOW] = max(bounds[ply, LOW], value)
                if ply == 0:
                    loses = value <= -PROVEN and frames[0, NEXT] < frames[0, COUNT]
                    control[PLAY] = moves[0, frames[0, NEXT]] if loses else action
            leaving = bounds[ply, BEST] >= bounds[ply, HIGH]
        elif leaving:
            leaving = False
            best, chosen = bounds[ply, BEST], frames[ply, CHOSEN]
            bound = EXACT
            if best >= bounds[ply, HIGH]:
                bound = AT_LEAST
                history[player, chosen] += left * left
            elif best <= bounds[ply, BEGIN]:
                bound = AT_MOST
            if ply > 0:
                worth = away(best, ply)
                put(table, values, keys, ply, worth, bound, left, chosen, control[NOW])
                ply -= 1
                value = best if frames[ply, MOVER] == player else -best
                settled = True
                continue
            control[DEPTH], control[PLAY] = left, chosen
            if left >= control[LIMIT] or abs(best) >= PROVEN:
                control[DONE] = 1
            else:  # a step deeper, the best one first
                put_first(moves, chosen)
                frames[0, LEFT], frames[0, NEXT], frames[0, SCOUT] = left + 1, 0, NO
                bounds[0, LOW], bounds[0, BEST] = -np.inf, -np.inf
        else:
            if made >= budget:
                break
            action = np.int64(-1)
            again = frames[ply, SCOUT] == FAILED
            if again:
                action = frames[ply, ACTION]
            elif frames[ply, STAGE] == FROM_TABLE:
                action = frames[ply, HINT]
                frames[ply, STAGE] = EXPAND
            elif frames[ply, STAGE] == EXPAND:
                steps, some, leaving = expand(
                    rows, words, ply, tables, frames, bounds, moves, scores
                )
                made += steps
                nodes += some
                frames[ply, STAGE] = PICK
                if ply == 0:
                    order_root(moves, scores, frames[0, COUNT], random)
                    frames[0, STAGE] = IN_ORDER
                    control[PLAY] = moves[0, 0]
                    if leaving:  # it wins at once
                        control[PLAY] = frames[0, CHOSEN]
                        found[control[PLAY]], nodes_of[control[PLAY]] = bounds[0, BEST], 1
                continue
            elif frames[ply, NEXT] == frames[ply, COUNT]:
                leaving = True
                continue
            else:
                k = frames[ply, NEXT]
                if frames[ply, STAGE] == PICK:
                    pick_best(moves, scores, history[player], ply, k, frames[ply, COUNT])
                action = np.int64(moves[ply, k])
                frames[ply, NEXT] = k + 1
            low, high = bounds[ply, LOW], bounds[ply, HIGH]
            frames[ply, ACTION], frames[ply, SCOUT] = action, NO
            if ply == 0:
                nodes_of[action] -= nodes
            if not again:
                copy_row(words, ply, words, ply + 1)
                step(rows, ply + 1, tables, action)
                made += 1
                nodes += 1
                if left > 1 and bounds[ply, BEST] > -np.inf:
                    frames[ply, SCOUT] = YES
                    high = min(high, np.nextafter(low, np.inf))
            now = status(rows, ply + 1)
            mover = now & PLAYER
            if now & OVER:
                value, settled = ended(now, player, ply + 1), True
                continue
            if left == 1:
                value, settled = judged(evaluate(rows, ply + 1, tables, 0), player), True
                continue
            if mover != player:
                low, high = -high, -low
            identity(rows, ply + 1, tables, keys[ply + 1])
            known = find(table, keys, ply + 1, control[OLDEST])
            hint = np.int64(-1)
            if known >= 0:
                hint = action_of(table, known)
                value = away(values[known, VALUE], -(ply + 1))
                bound = bound_of(table, known)
                settled = (depth_of(table, known) >= left - 1 or abs(value) >= PROVEN) and (
                    bound == EXACT
                    or (bound == AT_LEAST and value >= high)
                    or (bound == AT_MOST and value <= low)
                )
                if mover != player:
                    value = -value
            if not settled:
                ply += 1
                mask(rows, ply, tables)
                open_frame(frames, bounds, ply, left - 1, mover, hint, low, high)
    control[AT], control[NODES] = ply, nodes
    return made


@loop
def look_up(row: Any, tables: Any, table: Any, keys: Any, oldest: Any) -> Any:
    """The action that is known to be best in a row; -1 if none is."""
    identity(row, 0, tables, keys[0])
    known = find(table, keys, 0, oldest)
    if known < 0 or bound_of(table, known) == AT_MOST:
        return np.int64(-1)
    return action_of(table, known)


@loop
def deepen_rows(
    which: Any,
    roots: Any,
    tables: Any,
    rows: Any,
    table: Any,
    keys: Any,
    frames: Any,
    bounds: Any,
    moves: Any,
    scores: Any,
    history: Any,
    found: Any,
    nodes_of: Any,
    control: Any,
    random: Any,
    places: Any,
    starts: Any,
    actions: Any,
    seeds: Any,
    limit: Any,
    budget: Any,
    lo: Any,
    hi: Any,
) -> None:
    """Search rows ``which[k]`` of ``roots`` for k from lo to hi - 1; write ``actions[k]`` to play.

    It stops after about ``budget`` steps, and the next call goes on.  Each thread has what `deepen`
    needs with one more dimension: its place is where ``starts`` has ``lo``.  Row k depends on
    ``seeds[k]`` and its position alone.  A row with one legal action is not searched.

    Args:
        places: int64 (threads, 2): `ROW`, the k that is searched, and whether that has begun.
        limit: the depth.
    """
    t = 0
    while starts[t] != lo:
        t += 1
    words = roots.view(np.uint64)
    while budget > 0 and places[t, ROW] < hi:
        k = places[t, ROW]
        b = which[k]
        if places[t, BEGUN] == 0:
            if count_legal(words, b) == np.uint64(1):
                actions[k] = nth_legal(words, b, np.uint64(0))
                places[t, ROW] += 1
                continue
            random[t, 0] = seeds[k]
            begin(
                roots, b, rows[t], table[t], frames[t], bounds[t], history[t], found[t],
                nodes_of[t], control[t], limit, False,
            )  # fmt: skip
            places[t, BEGUN] = 1
        budget -= deepen(
            rows[t], tables, table[t], keys[t], frames[t], bounds[t], moves[t], scores[t],
            history[t], found[t], nodes_of[t], control[t], random[t], budget,
        )  # fmt: skip
        if control[t, DONE] != 0:
            actions[k] = control[t, PLAY]
            places[t, ROW] += 1
            places[t, BEGUN] = 0
