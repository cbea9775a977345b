"""The engine: all that has to do with compiling.  It knows no game.

Rows
----
A position is a *row*: ``rows[b]`` of an array of shape (rows, planes, length), whose dtype (uint8
or uint64), planes and length are the game's own.  Plane 0 is always the action mask, one byte an
action: 1 where legal, 0 elsewhere and after the last action.  What the other planes hold is the
game's affair.  A single position is an array of one row, and a `Batch` is an array of many, so each
rule is written once.

A *kernel* works on row ``b`` of ``rows``; a *loop* goes over rows, or does something else with the
kernels of whatever game it is bound to (`hexgames_env.engine.loop`).

Tables
------
``tables`` is an array that a game makes once for its board and options and hands to each of its
kernels: where cells lie in a row, how many there are, what planes look like.

Status
------
What all games have in common of a position is one number, its *status* (`status_word.py`): who is
to play, whether the game is over, who has won, and which kind of action is due, the *phase*.

Views
-----
A *view* says how somebody looks at a position: the number of the player, plus `CUT_OFF` if the game
is over for a reason that the position does not know.

Why indices are uint64
----------------------
A signed index may be negative, and then counts from the end, as in numpy.  numba asks about that at
each access, and LLVM does not make vector code of a loop with such a question in it: a pass over
the board then takes many times as long.  So kernels convert whatever they index with by
``np.uint64``, loops run over ``range(np.uint64(n))``, and constants are uint64 too, because a
uint64 plus a literal is signed again, without a word.  ``_0``, ``_1`` and so on are such constants.

Bytes
-----
Arithmetic on uint8 is cast back at once, ``np.uint8(a + b)``: compiled code would go on with eight
bytes, and plain Python, with the compiler switched off, with one.

Files: `jit` (the decorator of kernels), `cache` (compiled code on disk), `loop` (loops and the
kernels of games), `rows`, `status_word` and `rng` (kernels that all games share).
"""

from hexgames_env.engine.jit import inlined, inner, kernel
from hexgames_env.engine.loop import (
    as_rows,
    evaluate,
    identity,
    loop,
    mask,
    observe,
    start,
    status,
    step,
)
from hexgames_env.engine.rng import below, mix, next_random, stream
from hexgames_env.engine.rows import (
    around,
    clear_eight,
    clear_mask,
    clear_row,
    copy_row,
    count_bits,
    count_legal,
    draw_legal,
    in_a_row,
    largest_of_six,
    lay_out,
    lead,
    neighbours,
    nth_legal,
    order_by_cell,
    pick,
    places_in_observation,
    runs_of_cells,
    write_eight,
    write_groups,
)
from hexgames_env.engine.status_word import (
    CUT_OFF,
    OVER,
    PHASE,
    PLAYER,
    WINNER,
    is_cut_off,
    pack_status,
    seer_of,
)

__all__ = [
    "CUT_OFF",
    "OVER",
    "PHASE",
    "PLAYER",
    "WINNER",
    "around",
    "as_rows",
    "below",
    "clear_eight",
    "clear_mask",
    "clear_row",
    "copy_row",
    "count_bits",
    "count_legal",
    "draw_legal",
    "evaluate",
    "identity",
    "in_a_row",
    "inlined",
    "inner",
    "is_cut_off",
    "kernel",
    "largest_of_six",
    "lay_out",
    "lead",
    "loop",
    "mask",
    "mix",
    "neighbours",
    "next_random",
    "nth_legal",
    "observe",
    "order_by_cell",
    "pack_status",
    "pick",
    "places_in_observation",
    "runs_of_cells",
    "seer_of",
    "start",
    "status",
    "step",
    "stream",
    "write_eight",
    "write_groups",
]
