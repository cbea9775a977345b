"""Players in compiled code, written once and bound to each game's kernels like `drivers.py`.

A game may have one more kernel, for the greedy player::

    evaluate(rows, b, tables, player)       how good row b is for this player: the larger, the
                                            better; it may write into what is scratch in the row

Without it every position counts the same, and greedy play is random play that sees a win, or a
loss, in one step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env._jit import below, kernel, next_random
from hexgames_env.drivers import OVER, clear_mask, copy_row, count_legal, nth_legal

# Bound in place of these: a game's kernels, the form of its rows, and `choose` as made of them.
step = mask = status = as_rows = choose_greedily = None

TO_PLAY, WINNER = 1, 2  # in a status beside OVER: a bit, and a shift
EXTERNAL, RANDOM, GREEDY = 0, 1, 2  # who plays the other side in `duel_rows`
RUNNING, WON_BY, TRUNCATED = 0, 1, 3  # an outcome; WON_BY + player


@kernel
def evaluate(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    """All positions are alike, for games that say nothing else."""
    return 0.0


def choose(rows: Any, b: Any, tables: Any, scratch: Any, random: Any, r: Any) -> Any:
    """The action of row b that leads to the best position, ties at random by ``random[r]``.

    A step that wins is better than any other, one that loses is worse.  ``scratch`` is a row.
    -1 if none is legal.
    """
    legal = rows.view(np.uint8)
    words, scratch_words = rows.view(np.uint64), scratch.view(np.uint64)
    player = status(rows, b) & TO_PLAY  # type: ignore[misc]
    best, ties, choice = -np.inf, 0, -1
    for action in range(legal.shape[2]):
        if legal[b, 0, action] == 0:
            continue
        copy_row(words, b, scratch_words, 0)
        step(scratch, 0, tables, action)  # type: ignore[misc]
        now = status(scratch, 0)  # type: ignore[misc]
        if now & OVER:
            value = np.inf if now >> WINNER & 1 == player else -np.inf
        else:
            value = np.float64(evaluate(scratch, 0, tables, player))
        if value > best:
            best, ties, choice = value, 0, action
        if value == best:
            ties += 1
            if below(next_random(random, r), ties) == 0:
                choice = action
    return choice


def greedy(row: Any, tables: Any, scratch: Any, random: Any) -> Any:
    """The greedy choice in ``row``, where the game runs; ``scratch`` is a row like it."""
    return choose_greedily(  # type: ignore[misc]
        as_rows(row),
        0,
        tables,
        as_rows(scratch),
        random,
        0,
    )


@kernel
def draw_legal(words: Any, b: Any, random: Any) -> Any:
    """A legal action of row b, uniformly by ``random[b]``; -1, and nothing drawn, if none is."""
    count = count_legal(words, b)
    if count == np.uint64(0):
        return np.int64(-1)
    return nth_legal(words, b, below(next_random(random, b), count))


# Choices in some rows: those of ``which[lo:hi]``, int64, each row once.  No other row is looked at,
# since its game may be over, and no other row's random numbers are used.


def random_in(which: Any, rows: Any, random: Any, actions: Any, lo: Any, hi: Any) -> None:
    """Write a legal action of row ``which[k]``, uniformly at random, into ``actions[k]``."""
    words = rows.view(np.uint64)
    for k in range(lo, hi):
        actions[k] = draw_legal(words, which[k], random)


def greedy_in(
    which: Any,
    rows: Any,
    tables: Any,
    random: Any,
    scratch: Any,
    actions: Any,
    lo: Any,
    hi: Any,
) -> None:
    """Write the greedy choice of row ``which[k]`` into ``actions[k]``; ``scratch[lo]`` is a row."""
    for k in range(lo, hi):
        b = which[k]
        actions[k] = choose_greedily(  # type: ignore[misc]
            rows, b, tables, scratch[lo : lo + 1], random, b
        )


def duel_rows(
    rows: Any,
    tables: Any,
    now: Any,
    random: Any,
    lengths: Any,
    max_cycles: Any,
    which: Any,
    actions: Any,
    seats: Any,
    opponent: Any,
    scratch: Any,
    outcomes: Any,
) -> None:
    """Make one step in each row of ``which``, and all of the opponent's until ``seats[b]`` is due.

    Args:
        which: int64 (k,), the rows.
        actions: int64 (k,), in range; one that is illegal loses the game for who makes it.  -1
            makes no step, so that the opponent can begin.
        seats: int64, by row: the player who is not the opponent.
        opponent: EXTERNAL makes no further step; RANDOM, GREEDY.
        scratch: a row.
        outcomes: int8 (k,), all written: RUNNING, WON_BY + player, TRUNCATED.
    """
    legal, words = rows.view(np.uint8), rows.view(np.uint64)
    for k in range(len(which)):
        b, action = which[k], actions[k]
        outcomes[k] = RUNNING
        while True:
            if action >= 0:
                lengths[b] += 1
                if legal[b, 0, action] == 0:
                    outcomes[k] = WON_BY + 1 - (now[b] & TO_PLAY)
                else:
                    step(rows, b, tables, action)  # type: ignore[misc]
                    now[b] = status(rows, b)  # type: ignore[misc]
                    if now[b] & OVER:
                        outcomes[k] = WON_BY + (now[b] >> WINNER & 1)
                    elif lengths[b] == max_cycles:
                        outcomes[k] = TRUNCATED
                if outcomes[k] != RUNNING:
                    clear_mask(rows, b)
                    break
                mask(rows, b, tables)  # type: ignore[misc]
            if opponent == EXTERNAL or now[b] & TO_PLAY == seats[b]:
                break
            if opponent == RANDOM:
                action = draw_legal(words, b, random)
            else:
                action = choose_greedily(  # type: ignore[misc]
                    rows, b, tables, scratch, random, b
                )
            if action < 0:  # only a game whose mask kernel is wrong; never go on without end
                break


def show_rows(rows: Any, masks: Any) -> None:
    """Copy the mask of each row into ``masks``, int8 (rows, num_actions)."""
    legal = rows.view(np.int8)
    for b in range(len(masks)):
        for action in range(masks.shape[1]):
            masks[b, action] = legal[b, 0, action]


@kernel
def draw_seats(random: Any, which: Any, seats: Any) -> None:
    """For each row of ``which`` 0 or 1 at random."""
    for b in which:
        seats[b] = np.int64(below(next_random(random, b), 2))


SINGLE: tuple[Any, ...] = (greedy,)
MANY: tuple[Any, ...] = (random_in, greedy_in, duel_rows, show_rows)
