"""Loops over rows, written once and bound to each game's kernels by `_jit.bind`.

A row of positions is ``rows[b]``, of shape (planes, length) and of dtype uint8 or uint64, the
game's own.  Plane 0 is always the action mask, one byte an action, 1 where legal, 0 elsewhere
and after the last action; what the other planes hold is the game's affair.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env._jit import below, kernel, next_random, stream

# The kernels of a game, bound in place of these; `game.py` says what each of them does.
KERNELS = ("start", "step", "mask", "status", "observe")
start = step = mask = status = observe = None
PLANES, DTYPE, as_rows = 0, np.uint8, None  # and the form of its rows
begin = None

BEGIN = -1  # for `advance`, in place of an action
OVER = 2  # the bits of a status: to_play, over, winner, then the phase

_ONES = np.uint64(0x0101010101010101)
_HIGHS = np.uint64(0x8080808080808080)
_LOW_BYTES, _SHORT_ONES = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0001000100010001)
_0, _7, _8, _48, _56 = (np.uint64(n) for n in (0, 7, 8, 48, 56))


@kernel
def count_legal(words: Any, b: Any) -> Any:
    """How many actions are legal in row b, from its mask read eight bytes at a time.

    Sums of two bytes each are kept in the four halves of halves of a word, for up to 32,767 words.
    """
    sums = _0
    for i in range(np.uint64(words.shape[2])):
        word = words[b, _0, i]
        sums += (word & _LOW_BYTES) + ((word >> _8) & _LOW_BYTES)
    return (sums * _SHORT_ONES) >> _48


@kernel
def nth_legal(words: Any, b: Any, n: Any) -> Any:
    """The n-th legal action (from 0) of row b; n must be less than their count.

    The product of eight bytes with 0x0101... holds their prefix sums, so a whole word is
    counted, and searched, in a few operations (Knuth, TAOCP 7.1.3).  On 140 actions with the
    count before it 7.8 ns; a scan byte by byte 38 ns.
    """
    i = _0
    sums = words[b, _0, i] * _ONES
    while n >= sums >> _56:
        n -= sums >> _56
        i += np.uint64(1)
        sums = words[b, _0, i] * _ONES
    passed = (((n * _ONES) | _HIGHS) - sums) & _HIGHS  # a high bit for each byte with sum <= n
    return np.int64((i << np.uint64(3)) + (((passed >> _7) * _ONES) >> _56))


@kernel
def copy_row(source: Any, a: Any, target: Any, b: Any) -> None:
    """Copy row a of one array of words into row b of another; a slice takes 1.8 times as long."""
    for plane in range(np.uint64(source.shape[1])):
        for i in range(np.uint64(source.shape[2])):
            target[b, plane, i] = source[a, plane, i]


@kernel
def clear_mask(rows: Any, b: Any) -> None:
    """No action is legal: the game is over."""
    for i in range(np.uint64(rows.shape[2])):
        rows[b, _0, i] = 0


# One position, held as the bytes of its row: int8, flat.


def as_rows_of(row: Any) -> Any:
    """The bytes of one row as ``rows`` of that row alone, without a copy; bound as `as_rows`."""
    cells = row.view(DTYPE)
    return cells.reshape(1, PLANES, cells.size // PLANES)


def refresh(row: Any, tables: Any) -> Any:
    """Make the mask of a position set up by hand in ``row``; returns its status."""
    rows = as_rows(row)  # type: ignore[misc]
    now = status(rows, 0)  # type: ignore[misc]
    if now & OVER:
        clear_mask(rows, 0)
    else:
        mask(rows, 0, tables)  # type: ignore[misc]
    return now


def advance(before: Any, row: Any, tables: Any, action: Any) -> Any:
    """Write into ``row`` what follows the row ``before``; returns its status.

    ``action`` must be from 0 to num_actions - 1, or `BEGIN`: then the start is laid out, drawn from
    the seed in the first eight bytes of ``before`` if the game draws it.  If the action is illegal,
    nothing is written and -1 returned.  To begin and to step are one driver because each compiles
    all of the mask.
    """
    if action != BEGIN:
        if before[action] == 0:
            return -1
        source, target = before.view(np.uint64), row.view(np.uint64)
        for i in range(np.uint64(source.size)):  # as in `copy_row`
            target[i] = source[i]
    rows = as_rows(row)  # type: ignore[misc]
    if action == BEGIN:
        start(rows, 0, tables, before.view(np.uint64)[0])  # type: ignore[misc]
    else:
        step(rows, 0, tables, action)  # type: ignore[misc]
    now = status(rows, 0)  # type: ignore[misc]
    if now & OVER:
        clear_mask(rows, 0)
    else:
        mask(rows, 0, tables)  # type: ignore[misc]
    return now


def sample(row: Any, fraction: Any) -> Any:
    """A legal action of ``row``, picked by a number from 0 to below 1, or -1."""
    words = as_rows(row).view(np.uint64)  # type: ignore[misc]
    count = count_legal(words, 0)
    if count == _0 or not 0.0 <= fraction < 1.0:
        return -1
    return nth_legal(words, 0, np.uint64(fraction * count))


def look(row: Any, tables: Any, view: Any, planes: Any) -> None:
    """Write the observation of ``row`` into ``planes``; ``view`` as for `observe`."""
    height, width, depth = planes.shape
    observe(as_rows(row), 0, tables, view, planes.reshape(1, height, width, depth))  # type: ignore[misc]


def show(row: Any, tables: Any, view: Any, acting: Any, planes: Any, actions: Any) -> None:
    """`look`, and the mask of ``row`` into ``actions``, or zeros for who is not acting."""
    height, width, depth = planes.shape
    observe(as_rows(row), 0, tables, view, planes.reshape(1, height, width, depth))  # type: ignore[misc]
    for action in range(np.uint64(len(actions))):
        actions[action] = row[action] if acting else np.int8(0)


SINGLE: tuple[Any, ...] = (refresh, advance, sample, look, show)

# Many positions.  Beside ``rows`` go arrays with an entry for each row: ``now`` int64, its status;
# ``random`` uint64, the state of its random numbers; ``games`` int64, how many games it has ended;
# ``lengths`` int64, steps of its game so far.  Every loop is over rows lo to hi - 1, so that
# threads can share an array; what happens in a row never depends on other rows.  A loop leaves each
# row with a game that runs, so nothing is lost when Python is interrupted between two loops.


def begin_game(
    rows: Any, b: Any, tables: Any, now: Any, random: Any, games: Any, lengths: Any, seed: Any
) -> None:
    """Begin the next game in row b; bound as `begin`."""
    random[b] = stream(seed, b, games[b])
    start(rows, b, tables, next_random(random, b))  # type: ignore[misc]
    mask(rows, b, tables)  # type: ignore[misc]
    now[b] = status(rows, b)  # type: ignore[misc]
    lengths[b] = 0


def begin_rows(
    rows: Any, tables: Any, now: Any, random: Any, games: Any, lengths: Any, seed: Any, which: Any
) -> None:
    """Begin the next game in the rows listed in ``which``."""
    for b in which:
        begin(rows, b, tables, now, random, games, lengths, seed)  # type: ignore[misc]


def step_rows(
    rows: Any,
    tables: Any,
    now: Any,
    random: Any,
    games: Any,
    lengths: Any,
    seed: Any,
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
        winner = -1
        lengths[b] += 1
        if legal[b, 0, actions[b]] == 0:
            winner = 1 - (now[b] & 1)
        else:
            step(rows, b, tables, actions[b])  # type: ignore[misc]
            now[b] = status(rows, b)  # type: ignore[misc]
            if now[b] & OVER:
                winner = now[b] >> 2 & 1
        terminated[b] = winner >= 0
        truncated[b] = winner < 0 and lengths[b] == max_cycles
        rewards[b, 0] = 0.0 if winner < 0 else 1.0 - 2.0 * winner
        rewards[b, 1] = 0.0 if winner < 0 else 2.0 * winner - 1.0
        if terminated[b] or truncated[b]:
            clear_mask(rows, b)
            finished[lo + ended] = b
            final_lengths[lo + ended] = lengths[b]
            copy_row(words, b, final_words, lo + ended)
            final_now[lo + ended] = now[b]
            ended += 1
            games[b] += 1
            begin(rows, b, tables, now, random, games, lengths, seed)  # type: ignore[misc]
        else:
            mask(rows, b, tables)  # type: ignore[misc]
    return ended


def look_rows(rows: Any, tables: Any, views: Any, planes: Any, lo: Any, hi: Any) -> None:
    """Write the observation of each row, as by ``views[b]``, into ``planes[b]``."""
    for b in range(lo, hi):
        observe(rows, b, tables, views[b], planes)  # type: ignore[misc]


def sample_rows(rows: Any, random: Any, actions: Any, lo: Any, hi: Any) -> None:
    """Write a legal action of each row, uniformly at random, into ``actions[b]``."""
    words = rows.view(np.uint64)
    for b in range(lo, hi):
        count = count_legal(words, b)
        if count == _0:  # only a game whose mask kernel is wrong; never read beyond the row
            actions[b] = -1
        else:
            actions[b] = nth_legal(words, b, below(next_random(random, b), count))


def play_rows(
    rows: Any,
    tables: Any,
    now: Any,
    random: Any,
    games: Any,
    lengths: Any,
    seed: Any,
    max_cycles: Any,
    steps: Any,
    tally: Any,
    lo: Any,
    hi: Any,
) -> None:
    """Play each row at random, so many steps, and count in ``tally[b]`` the games that ended.

    A row makes all of its steps before the next one begins, so it stays in the fastest cache.
    ``tally`` is int64 (rows, 6): wins of player_0 and of player_1, truncations, and the total,
    the least and the greatest length of the games that ended.
    """
    words = rows.view(np.uint64)
    for b in range(lo, hi):
        for _ in range(steps):
            count = count_legal(words, b)
            if count == _0:  # as above
                return
            action = nth_legal(words, b, below(next_random(random, b), count))
            step(rows, b, tables, action)  # type: ignore[misc]
            now[b] = status(rows, b)  # type: ignore[misc]
            lengths[b] += 1
            if not now[b] & OVER and lengths[b] != max_cycles:
                mask(rows, b, tables)  # type: ignore[misc]
                continue
            tally[b, now[b] >> 2 & 1 if now[b] & OVER else 2] += 1
            tally[b, 3] += lengths[b]
            tally[b, 4] = min(tally[b, 4], lengths[b])
            tally[b, 5] = max(tally[b, 5], lengths[b])
            games[b] += 1
            begin(rows, b, tables, now, random, games, lengths, seed)  # type: ignore[misc]


MANY: tuple[Any, ...] = (begin_rows, step_rows, look_rows, sample_rows, play_rows)


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
