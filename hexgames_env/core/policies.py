"""Compiled policies: random and greedy play in loops that are bound to each game's kernels.

A game may have one more kernel, for the greedy policy::

    evaluate(rows, b, tables, player)       how good row b is for this player: the larger, the
                                            better; it may write into what is scratch in the row

Without it every position counts the same, and greedy play is random play that sees a win, or a
loss, in one step.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from hexgames_env.core.journal import CUT, FORFEITED, WON, WORDS_OF_STEP, note
from hexgames_env.core.options import shown
from hexgames_env.engine.jit import kernel
from hexgames_env.engine.loop import (
    as_rows,
    evaluate,
    inlined_loop,
    loop,
    mask,
    short_loop,
    status,
    step,
)
from hexgames_env.engine.rng import below, next_random
from hexgames_env.engine.rows import clear_mask, copy_row, draw_legal
from hexgames_env.engine.status_word import OVER, PLAYER, WINNER
from hexgames_env.errors import OptionError

Policy = Literal["random", "greedy"]
NOBODY, RANDOM, GREEDY = 0, 1, 2  # who plays the other side in `duel_rows`
# An outcome; WON_BY + winner, FORFEITED_TO + winner if an illegal action of the other lost the game
RUNNING, WON_BY, TRUNCATED, FORFEITED_TO = 0, 1, 3, 4
ENDS = np.array([0, WON, WON + 1, CUT, FORFEITED, FORFEITED + 1])  # by outcome, for the journal


def code_of(policy: Policy | None) -> int:
    """OptionError if there is no such policy."""
    codes = {None: NOBODY, "random": RANDOM, "greedy": GREEDY}
    if not isinstance(policy, str | None) or policy not in codes:
        raise OptionError(f"policy must be 'random', 'greedy' or None, got {shown(policy)}")
    return codes[policy]


@loop
def choose_greedily(rows: Any, b: Any, tables: Any, scratch: Any, random: Any, r: Any) -> Any:
    """The action of row b that leads to the best position, ties at random by ``random[r]``.

    A step that wins is better than any other, one that loses is worse.  ``scratch`` is a row.
    -1 if none is legal.
    """
    legal = rows.view(np.uint8)
    words, scratch_words = rows.view(np.uint64), scratch.view(np.uint64)
    player = status(rows, b) & PLAYER
    best, ties, choice = -np.inf, 0, -1
    for action in range(legal.shape[2]):
        if legal[b, 0, action] == 0:
            continue
        copy_row(words, b, scratch_words, 0)
        step(scratch, 0, tables, action)
        now = status(scratch, 0)
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


@short_loop
def greedy(row: Any, tables: Any, scratch: Any, random: Any) -> Any:
    """The greedy choice in ``row``, where the game runs; ``scratch`` is a row like it."""
    return choose_greedily(
        as_rows(row),
        0,
        tables,
        as_rows(scratch),
        random,
        0,
    )


@inlined_loop
def choose_one(
    rows: Any, words: Any, b: Any, tables: Any, random: Any, policy: Any, scratch: Any, place: Any
) -> Any:
    """What a policy does in row b, by ``random[b]``; ``scratch[place]`` is a row to write into.

    ``words`` are the rows as uint64.
    """
    if policy == RANDOM:
        return draw_legal(words, b, random)
    return choose_greedily(rows, b, tables, scratch[place : place + 1], random, b)


@loop
def choose_in(
    which: Any,
    rows: Any,
    tables: Any,
    random: Any,
    policy: Any,
    scratch: Any,
    actions: Any,
    lo: Any,
    hi: Any,
) -> None:
    """Write what a policy does in row ``which[k]`` into ``actions[k]``, for k from lo to hi - 1.

    Each row stands there once.  No other row is looked at, since its game may be over, and no other
    row's random numbers are used.
    """
    words = rows.view(np.uint64)
    for k in range(lo, hi):
        actions[k] = choose_one(rows, words, which[k], tables, random, policy, scratch, k)


@loop
def duel_rows(
    rows: Any,
    tables: Any,
    now: Any,
    random: Any,
    lengths: Any,
    log: Any,
    filled: Any,
    max_cycles: Any,
    which: Any,
    actions: Any,
    seats: Any,
    opponent: Any,
    scratch: Any,
    outcomes: Any,
) -> None:
    """Make one step in each row of ``which``, and all of the opponent's until ``seats[b]`` is due.

    Or until the row's journal is full: then the opponent is still due, and its outcome `RUNNING`.

    Args:
        which: int64 (k,), the rows.
        actions: int64 (k,), in range; one that is illegal loses the game for who makes it.  -1
            makes no step, so that the opponent can begin.
        seats: int64, by row: the player who is not the opponent.
        opponent: NOBODY makes no further step; RANDOM, GREEDY.
        scratch: a row.
        outcomes: int8 (k,), all written: RUNNING, WON_BY or FORFEITED_TO + player, TRUNCATED.
    """
    legal, words = rows.view(np.uint8), rows.view(np.uint64)
    for k in range(len(which)):
        b, action = which[k], actions[k]
        outcomes[k] = RUNNING
        while True:
            if action >= 0:
                lengths[b] += 1
                note(log, filled, b, action)
                if legal[b, 0, action] == 0:
                    outcomes[k] = FORFEITED_TO + 1 - (now[b] & PLAYER)
                else:
                    step(rows, b, tables, action)
                    now[b] = status(rows, b)
                    if now[b] & OVER:
                        outcomes[k] = WON_BY + (now[b] >> WINNER & 1)
                    elif lengths[b] == max_cycles:
                        outcomes[k] = TRUNCATED
                if outcomes[k] != RUNNING:
                    note(log, filled, b, ENDS[outcomes[k]])
                    clear_mask(rows, b)
                    break
                mask(rows, b, tables)
            if opponent == NOBODY or now[b] & PLAYER == seats[b]:
                break
            if 0 < log.shape[1] < filled[b] + WORDS_OF_STEP:
                break
            action = choose_one(rows, words, b, tables, random, opponent, scratch, 0)
            if action < 0:  # only a game whose mask kernel is wrong; never go on without end
                break


@kernel
def draw_bits(random: Any, which: Any, bits: Any) -> None:
    """64 random bits for each row of ``which``."""
    for k in range(len(which)):
        bits[k] = next_random(random, which[k])
