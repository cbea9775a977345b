"""The loops behind `State` and `Batch`: what rows and kernels are, `hexgames_env.engine` tells."""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.core.journal import CUT, FORFEITED, WON, note, note_beginning
from hexgames_env.engine.jit import kernel
from hexgames_env.engine.loop import (
    as_rows,
    identity,
    loop,
    mask,
    observe,
    short_loop,
    start,
    status,
    step,
)
from hexgames_env.engine.rng import next_random, stream
from hexgames_env.engine.rows import (
    clear_mask,
    copy_row,
    count_legal,
    draw_legal,
    nth_legal,
)
from hexgames_env.engine.status_word import OVER, PLAYER, WINNER

STAY = -1  # for `advance`, in place of an action

_0 = np.uint64(0)

# One position, held as the bytes of its row: int8, flat.


@short_loop
def lay_out(row: Any, tables: Any, seed: Any) -> None:
    """Write the start into ``row``, all but its mask; ``seed`` (uint64) if the game draws it."""
    start(as_rows(row), 0, tables, seed)


@short_loop
def advance(before: Any, row: Any, tables: Any, action: Any) -> Any:
    """Write into ``row`` what follows the row ``before``; returns its status.

    ``action`` must be from 0 to num_actions - 1.  If it is illegal, nothing is written and -1
    returned.  Or it is `STAY`: then the position stands in ``row`` already, laid out or set up by
    hand, and its mask is made.  That is no loop of its own, because each one that makes a mask
    compiles all of it.
    """
    if action != STAY:
        if before[action] == 0:
            return -1
        source, target = before.view(np.uint64), row.view(np.uint64)
        for i in range(np.uint64(source.size)):  # as in `copy_row`
            target[i] = source[i]
    rows = as_rows(row)
    if action != STAY:
        step(rows, 0, tables, action)
    now = status(rows, 0)
    if now & OVER:
        clear_mask(rows, 0)
    else:
        mask(rows, 0, tables)
    return now


@loop
def identify(rows: Any, tables: Any, words: Any) -> Any:
    """Write what the position in row 0 is into ``words``, as long as a row; how many it takes."""
    return np.int64(identity(rows, 0, tables, words))


@short_loop
def sample(row: Any, fraction: Any) -> Any:
    """A legal action of ``row``, picked by a number from 0 to below 1, or -1."""
    words = as_rows(row).view(np.uint64)
    count = count_legal(words, 0)
    if count == _0 or not 0.0 <= fraction < 1.0:
        return -1
    return nth_legal(words, 0, np.uint64(fraction * count))


@short_loop
def observe_one(row: Any, tables: Any, view: Any, planes: Any) -> None:
    """Write the observation of ``row`` into ``planes``; ``view`` as for `observe`."""
    height, width, depth = planes.shape
    observe(as_rows(row), 0, tables, view, planes.reshape(1, height, width, depth))


@short_loop
def observe_with_mask(
    row: Any, tables: Any, view: Any, acting: Any, planes: Any, actions: Any
) -> None:
    """`observe_one`, and the mask of ``row`` into ``actions``, or zeros for who is not acting."""
    height, width, depth = planes.shape
    observe(as_rows(row), 0, tables, view, planes.reshape(1, height, width, depth))
    for action in range(np.uint64(len(actions))):
        actions[action] = row[action] if acting else np.int8(0)


# Many positions.  With ``rows`` go arrays with an entry for each row: ``now`` int64, its status;
# ``random`` uint64, the state of its random numbers; ``games`` int64, how many games it has ended;
# ``lengths`` int64, steps of its game so far; ``log`` and ``filled``, its `Journal`.  Every loop is
# over rows lo to hi - 1, so that threads can share an array; what happens in a row never depends on
# other rows.  A loop leaves each row with a game that runs, so nothing is lost when Python is
# interrupted between two loops.


@loop
def begin_game(
    rows: Any,
    b: Any,
    tables: Any,
    now: Any,
    random: Any,
    games: Any,
    lengths: Any,
    seed: Any,
    log: Any,
    filled: Any,
) -> None:
    """Begin the next game in row b."""
    random[b] = stream(seed, b, games[b])
    start(rows, b, tables, next_random(random, b))
    mask(rows, b, tables)
    now[b] = status(rows, b)
    lengths[b] = 0
    note_beginning(log, filled, b, games[b])


@loop
def begin_rows(
    rows: Any,
    tables: Any,
    now: Any,
    random: Any,
    games: Any,
    lengths: Any,
    seed: Any,
    log: Any,
    filled: Any,
    which: Any,
) -> None:
    """Begin the next game in the rows listed in ``which``."""
    for b in which:
        begin_game(rows, b, tables, now, random, games, lengths, seed, log, filled)


@loop
def step_rows(
    rows: Any,
    tables: Any,
    now: Any,
    random: Any,
    games: Any,
    lengths: Any,
    seed: Any,
    log: Any,
    filled: Any,
    max_cycles: Any,
    actions: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
    finished: Any,
    final_lengths: Any,
    final_rows: Any,
    final_now: Any,
    lo: Any,
    hi: Any,
) -> Any:
    """Make one step in each row, and begin a new game where one ended; returns how many did.

    Actions are in range.  One that is illegal loses the game and leaves the position as it is.  All
    entries of ``rewards``, ``terminated`` and ``truncated`` are written; of the games that ended,
    numbers of rows, lengths, rows and status are written to the four arrays from place lo on.
    """
    legal = rows.view(np.uint8)
    words, final_words = rows.view(np.uint64), final_rows.view(np.uint64)
    ended = 0
    for b in range(lo, hi):
        winner, end = -1, CUT
        lengths[b] += 1
        note(log, filled, b, actions[b])
        if legal[b, 0, actions[b]] == 0:
            winner = 1 - (now[b] & PLAYER)
            end = FORFEITED + winner
        else:
            step(rows, b, tables, actions[b])
            now[b] = status(rows, b)
            if now[b] & OVER:
                winner = now[b] >> WINNER & 1
                end = WON + winner
        terminated[b] = winner >= 0
        truncated[b] = winner < 0 and lengths[b] == max_cycles
        rewards[b, 0] = 0.0 if winner < 0 else 1.0 - 2.0 * winner
        rewards[b, 1] = 0.0 if winner < 0 else 2.0 * winner - 1.0
        if terminated[b] or truncated[b]:
            note(log, filled, b, end)
            clear_mask(rows, b)
            finished[lo + ended] = b
            final_lengths[lo + ended] = lengths[b]
            copy_row(words, b, final_words, lo + ended)
            final_now[lo + ended] = now[b]
            ended += 1
            games[b] += 1
            begin_game(rows, b, tables, now, random, games, lengths, seed, log, filled)
        else:
            mask(rows, b, tables)
    return ended


@loop
def observe_rows(rows: Any, tables: Any, views: Any, planes: Any, lo: Any, hi: Any) -> None:
    """Write the observation of each row, as by ``views[b]``, into ``planes[b]``."""
    for b in range(lo, hi):
        observe(rows, b, tables, views[b], planes)


@loop
def sample_rows(rows: Any, random: Any, actions: Any, lo: Any, hi: Any) -> None:
    """Write a legal action of each row, uniformly at random, into ``actions[b]``."""
    words = rows.view(np.uint64)
    for b in range(lo, hi):
        actions[b] = draw_legal(words, b, random)  # -1 only in a game whose mask is wrong


@loop
def play_rows(
    rows: Any,
    tables: Any,
    now: Any,
    random: Any,
    games: Any,
    lengths: Any,
    seed: Any,
    log: Any,
    filled: Any,
    max_cycles: Any,
    steps: Any,
    tally: Any,
    lo: Any,
    hi: Any,
) -> None:
    """Play each row at random, ``steps`` steps, and count in ``tally[b]`` the games that ended.

    A row makes all of its steps before the next one begins, so it stays in the fastest cache.
    ``tally`` is int64 (rows, 6): wins of player_0 and of player_1, truncations, and the total,
    the least and the greatest length of the games that ended.
    """
    words = rows.view(np.uint64)
    for b in range(lo, hi):
        for _ in range(steps):
            action = draw_legal(words, b, random)
            if action < 0:
                return
            note(log, filled, b, action)
            step(rows, b, tables, action)
            now[b] = status(rows, b)
            lengths[b] += 1
            if not now[b] & OVER and lengths[b] != max_cycles:
                mask(rows, b, tables)
                continue
            note(log, filled, b, WON + (now[b] >> WINNER & 1) if now[b] & OVER else CUT)
            tally[b, now[b] >> WINNER & 1 if now[b] & OVER else 2] += 1
            tally[b, 3] += lengths[b]
            tally[b, 4] = min(tally[b, 4], lengths[b])
            tally[b, 5] = max(tally[b, 5], lengths[b])
            games[b] += 1
            begin_game(rows, b, tables, now, random, games, lengths, seed, log, filled)


@kernel
def count_refused(legal: Any, actions: Any, last: Any) -> Any:
    """How many actions are not from 0 to ``last``, and how many of the others are illegal.

    ``legal`` are the rows as bytes.
    """
    wrong = illegal = 0
    for b in range(len(actions)):
        if actions[b] < 0 or actions[b] > last:
            wrong += 1
        else:
            illegal += legal[b, 0, actions[b]] == 0
    return wrong, illegal


@kernel
def count_outside(values: Any, n: Any) -> Any:
    """How many values are not from 0 to n - 1; numpy takes two passes with a call each."""
    outside = 0
    for k in range(len(values)):
        outside += (values[k] < 0) | (values[k] >= n)
    return outside
