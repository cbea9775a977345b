"""The tree of `mcts`: arrays of nodes, and the loops that grow it.

A node is a position that a simulation has come to, and a number into arrays:

    visits  int32 (nodes,)       simulations that went through it
    totals  float64 (nodes,)     the sum of their values, for player_0; infinite once it is proven
    links   int32 (nodes, 6)     `ACTION` that leads to it, `FIRST` and `OPENED`: where its children
                                 begin and how many they are, `LEGAL` actions (0: not counted yet),
                                 `LOST`: children proven to be won by the other player than theirs
                                 who chooses among them, and `FLAGS`: the player to act, and the
                                 proven winner

Node 0 is the root.  A value is 1 if player_0 wins and -1 if player_1 does, all over the tree, and
whoever is to act in a node reads the values of its children from its own side.  So nothing depends
on who acted before: a player may make several steps in succession.

An action gets a node when it is first tried, so that a simulation adds one node at most.  The
children of a node lie side by side, in a block with room for 1, 2, 4, 8... of them.  A block that
is full is copied to one of twice the size, and left to others.  Nothing points to a child but its
parent, so blocks can be moved.  When no block is left, no node is added any more: a simulation
then ends its way down the tree where it would have added one, and everything else goes on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hexgames_env.engine.jit import inlined, kernel
from hexgames_env.engine.loop import evaluate, loop, mask, status, step
from hexgames_env.engine.rng import below, next_random
from hexgames_env.engine.rows import copy_row, count_legal, draw_legal, nth_legal
from hexgames_env.engine.status_word import OVER, PLAYER, WINNER

ACTION, FIRST, OPENED, LEGAL, LOST, FLAGS = range(6)  # of `links`
PROVEN = 1  # links[node, FLAGS] >> PROVEN: 0, or the proven winner + 1; below it the player to act
NODE_BYTES = 4 + 8 + 6 * 4
SIZES = 31  # of blocks: 1, 2, 4 ... 2**30
# Of `free`, behind the lists: nodes that belong to blocks, free ones too; 1 once there was no room
USED, FULL = SIZES, SIZES + 1
MOST_NODES = 2**31 - 1
MAX_DEPTH = 1024  # steps from the root to the deepest node
MAX_PLAYOUT = 100_000  # steps at random, after which the heuristic has the word
ROW, MADE = 0, 1  # of `places`, in `search_rows`

# ``free[s]`` is the first free block of size 2**s, and ``links[block, FIRST]`` the next; 0 is none.


@inlined
def size_of(children: Any) -> Any:
    """The size of the block that so many children lie in, as a power of two."""
    size = 0
    while 1 << size < children:
        size += 1
    return size


@inlined
def take_block(links: Any, free: Any, size: Any) -> Any:
    """The first node of a block with room for 2**size nodes; 0 if there is none."""
    block = np.int64(free[size])
    if block != 0:
        free[size] = links[block, FIRST]
    elif np.int64(free[USED]) + (np.int64(1) << size) <= len(links):
        block = np.int64(free[USED])
        free[USED] += 1 << size
    else:
        free[FULL] = 1
    return block


@inlined
def leave_block(links: Any, free: Any, block: Any, size: Any) -> None:
    """Let others have a block."""
    links[block, FIRST] = free[size]
    free[size] = block


@inlined
def clear_node(visits: Any, totals: Any, links: Any, node: Any, action: Any) -> None:
    visits[node], totals[node] = 0, 0.0
    links[node, ACTION] = action
    links[node, FIRST], links[node, OPENED], links[node, LEGAL] = 0, 0, 0
    links[node, LOST], links[node, FLAGS] = 0, 0


@inlined
def copy_node(visits: Any, totals: Any, links: Any, source: Any, target: Any) -> None:
    visits[target], totals[target] = visits[source], totals[source]
    for i in range(6):
        links[target, i] = links[source, i]


@kernel
def plant(visits: Any, totals: Any, links: Any, free: Any, player: Any) -> None:
    """A tree of a root alone, where this player is to act."""
    for size in range(SIZES):
        free[size] = 0
    free[USED], free[FULL] = 1, 0
    clear_node(visits, totals, links, 0, -1)
    links[0, FLAGS] = player


@inlined
def add_child(visits: Any, totals: Any, links: Any, free: Any, node: Any, action: Any) -> Any:
    """A new child of a node, behind its others; -1 if there is no room."""
    opened = np.int64(links[node, OPENED])
    first = np.int64(links[node, FIRST])
    if opened & (opened - 1) == 0:  # the block is full, or there is none
        size = size_of(opened)
        block = take_block(links, free, size_of(opened + 1))
        if block == 0:
            return -1
        for j in range(opened):
            copy_node(visits, totals, links, first + j, block + j)
        if opened:
            leave_block(links, free, first, size)
        first = block
        links[node, FIRST] = first
    links[node, OPENED] = opened + 1
    clear_node(visits, totals, links, first + opened, action)
    return first + opened


@inlined
def draw_new_action(
    words: Any, legal_bytes: Any, links: Any, node: Any, number: Any, random: Any
) -> Any:
    """One of the ``number`` legal actions without a node, at random; the mask stays as it is."""
    first, opened = np.int64(links[node, FIRST]), np.int64(links[node, OPENED])
    for j in range(first, first + opened):
        legal_bytes[0, 0, links[j, ACTION]] = 0
    action = nth_legal(words, 0, below(next_random(random, 0), number))
    for j in range(first, first + opened):
        legal_bytes[0, 0, links[j, ACTION]] = 1
    return action


@inlined
def best_by_bound(visits: Any, totals: Any, links: Any, node: Any, c: Any) -> Any:
    """The child with the largest upper confidence bound, and its bound; -1 and -inf if all lose.

    A child that is proven has an infinite sum of values, and so has its bound.
    """
    first, opened = np.uint64(links[node, FIRST]), np.uint64(links[node, OPENED])
    sign = 1.0 - 2.0 * np.float64(links[node, FLAGS] & 1)
    width = c * np.sqrt(np.log(np.float64(max(visits[node], 1))))
    best, child = -np.inf, np.int64(-1)
    for j in range(first, first + opened):
        n = np.float64(visits[j])
        bound = sign * totals[j] / n + width / np.sqrt(n)
        if bound > best:
            best, child = bound, np.int64(j)
    return best, child


@inlined
def prove(totals: Any, links: Any, path: Any, depth: Any, winner: Any) -> None:
    """The last node of a path is won by this player; so may be those above it."""
    while True:
        node = path[depth]
        links[node, FLAGS] |= (winner + 1) << PROVEN
        totals[node] = np.inf if winner == 0 else -np.inf
        if depth == 0:
            break
        depth -= 1
        above = path[depth]
        if links[above, FLAGS] & 1 != winner:
            links[above, LOST] += 1
            if links[above, LOST] < links[above, LEGAL]:
                break


@loop
def simulate(
    root: Any,
    b: Any,
    tables: Any,
    visits: Any,
    totals: Any,
    links: Any,
    free: Any,
    path: Any,
    scratch: Any,
    random: Any,
    playout: Any,
    c: Any,
    urgency: Any,
    scale: Any,
    count: Any,
) -> Any:
    """Make so many simulations, fewer if the root gets proven; returns how many.

    Args:
        root: rows; row b, whose mask is made, is the position of node 0.
        path: int64, longer than the deepest path.
        scratch: a row.
        random: uint64 (1,), the state of the random numbers.
        playout: how many steps at random follow behind the tree before the heuristic judges.
        c: how much is explored.
        urgency: the value that an action without a node is given, before exploration; infinite if
            all actions are to be tried before one is tried again.
        scale: the heuristic's value that counts half a win.
        count: how many.
    """
    source, words = root.view(np.uint64), scratch.view(np.uint64)
    legal_bytes = scratch.view(np.uint8)
    most = len(path) - 1
    made = 0
    while made < count and links[0, FLAGS] >> PROVEN == 0:
        copy_row(source, b, words, 0)
        node, depth, left, inside = np.int64(0), 0, playout, True
        path[0] = 0
        value = 0.0
        while True:
            arrives = inside  # whether the step that follows leads to a node
            if inside:
                if links[node, LEGAL] == 0:
                    links[node, LEGAL] = np.int64(count_legal(words, 0))
                opened = np.int64(links[node, OPENED])
                new = np.int64(links[node, LEGAL]) - opened
                best, child = -np.inf, np.int64(-1)
                if opened > 0 and (new == 0 or urgency < np.inf):
                    best, child = best_by_bound(visits, totals, links, node, c)
                if new > 0 and (
                    child < 0
                    or urgency + c * np.sqrt(np.log(np.float64(max(visits[node], 1)))) > best
                ):
                    action = draw_new_action(words, legal_bytes, links, node, new, random)
                    added = add_child(visits, totals, links, free, node, action)
                    if added >= 0:
                        child = added
                    elif child < 0 and opened > 0:
                        best, child = best_by_bound(visits, totals, links, node, c)
                inside = bool(child >= 0)
                if inside:
                    node = child
                    action = np.int64(links[node, ACTION])
                    depth += 1
                    path[depth] = node
                    inside = visits[node] > 0 and depth < most
                else:
                    arrives = False
            if not arrives:
                if left == 0:
                    worth = np.float64(evaluate(scratch, 0, tables, 0))
                    value = worth / (scale + abs(worth))
                    break
                left -= 1
                action = draw_legal(words, 0, random)
                if action < 0:  # only a game whose mask is wrong
                    break
            step(scratch, 0, tables, action)
            now = status(scratch, 0)
            if arrives:
                links[node, FLAGS] = now & PLAYER
            if now & OVER:
                winner = now >> WINNER & 1
                value = 1.0 - 2.0 * np.float64(winner)
                if arrives:
                    prove(totals, links, path, depth, winner)
                break
            if inside or left > 0:
                mask(scratch, 0, tables)
        for d in range(depth + 1):
            visits[path[d]] += 1
            totals[path[d]] += value
        made += 1
    return made


@inlined
def most_visited(visits: Any, totals: Any, links: Any, node: Any) -> Any:
    """The child to play: one that wins, else the most visited that does not lose; -1 if none is.

    Among equals the one with the best value, then the first.  If all that have a node lose, it is
    the most visited of those.
    """
    first, opened = np.int64(links[node, FIRST]), np.int64(links[node, OPENED])
    player = links[node, FLAGS] & 1
    sign = 1.0 - 2.0 * np.float64(player)
    best: Any = np.int64(-1)
    number: Any = np.int64(0)
    kind, value = 0, 0.0
    for j in range(first, first + opened):
        winner = (links[j, FLAGS] >> PROVEN) - 1
        this = 1 if winner < 0 else 2 if winner == player else 0
        its = 0.0 if winner >= 0 else sign * totals[j] / np.float64(visits[j])
        if (
            best < 0
            or this > kind
            or (this == kind and visits[j] > number)
            or (this == kind and visits[j] == number and its > value)
        ):
            best, kind, number, value = j, this, np.int64(visits[j]), its
    return best


@kernel
def chosen_child(visits: Any, totals: Any, links: Any, node: Any) -> Any:
    """`most_visited`, for Python."""
    return most_visited(visits, totals, links, node)


@inlined
def decide(words: Any, b: Any, visits: Any, totals: Any, links: Any, random: Any) -> Any:
    """The action to play in row b, the root: that of `most_visited`.

    If all that have a node lose, but others have none yet, it is one of those.  Random numbers
    decide only that, and afterwards.
    """
    child = most_visited(visits, totals, links, 0)
    if child < 0:
        return draw_legal(words, b, random)
    opened, legal = np.int64(links[0, OPENED]), np.int64(links[0, LEGAL])
    loses = links[child, FLAGS] >> PROVEN == 2 - (links[0, FLAGS] & 1)
    if loses and opened < legal:
        first = np.int64(links[0, FIRST])
        for n in range(legal):
            action = nth_legal(words, b, np.uint64(n))
            known = 0
            for j in range(first, first + opened):
                known += links[j, ACTION] == action
            if known == 0:
                return action
    return np.int64(links[child, ACTION])


@kernel
def decide_one(words: Any, visits: Any, totals: Any, links: Any, random: Any) -> Any:
    """`decide` for row 0, for Python."""
    return decide(words, 0, visits, totals, links, random)


@kernel
def follow(visits: Any, totals: Any, links: Any, free: Any, action: Any) -> Any:
    """Make the child by this action the root, and leave all that is not below it to others.

    False, and nothing is changed, if there is no such child.
    """
    first, opened = np.int64(links[0, FIRST]), np.int64(links[0, OPENED])
    kept: Any = np.int64(-1)
    for j in range(first, first + opened):
        if links[j, ACTION] == action:
            kept = j
    if kept < 0:
        return False
    copy_node(visits, totals, links, kept, 0)
    links[0, ACTION] = -1
    links[kept, OPENED] = 0
    free[FULL] = 0
    # Blocks wait in a list.  What their first node held of visits and children is of no use any
    # more, so the next block stands there, and how many children this one has.
    waiting = first
    visits[first], links[first, LEGAL] = 0, opened
    while waiting != 0:
        block = waiting
        waiting, children = np.int64(visits[block]), np.int64(links[block, LEGAL])
        for j in range(block, block + children):
            below_it = np.int64(links[j, OPENED])
            if below_it > 0:
                inner = np.int64(links[j, FIRST])
                visits[inner], links[inner, LEGAL] = waiting, below_it
                waiting = inner
        leave_block(links, free, block, size_of(children))
    return True


@loop
def search_rows(
    which: Any,
    rows: Any,
    tables: Any,
    visits: Any,
    totals: Any,
    links: Any,
    free: Any,
    path: Any,
    scratch: Any,
    random: Any,
    places: Any,
    starts: Any,
    actions: Any,
    seeds: Any,
    playout: Any,
    c: Any,
    urgency: Any,
    scale: Any,
    simulations: Any,
    budget: Any,
    lo: Any,
    hi: Any,
) -> None:
    """Search rows ``which[k]`` for k from lo to hi - 1, and write the ``actions[k]`` to play.

    It stops after about ``budget`` simulations, and the next call goes on.  Each thread has a tree
    and whatever else a search needs, all with one more dimension: its place is where ``starts``
    has ``lo``.  Row k depends on ``seeds[k]`` and its position alone.  A row with one legal action
    is not searched.

    Args:
        places: int64 (threads, 2): `ROW`, the k that is searched, and `MADE`, its simulations.
        simulations: for each row.
    """
    t = 0
    while starts[t] != lo:
        t += 1
    words = rows.view(np.uint64)
    while budget > 0 and places[t, ROW] < hi:
        k = places[t, ROW]
        b = which[k]
        if places[t, MADE] == 0:
            if count_legal(words, b) == np.uint64(1):
                actions[k] = nth_legal(words, b, np.uint64(0))
                places[t, ROW] += 1
                continue
            random[t, 0] = seeds[k]
            plant(visits[t], totals[t], links[t], free[t], status(rows, b) & PLAYER)
        wanted = min(simulations - places[t, MADE], budget)
        made = simulate(
            rows, b, tables, visits[t], totals[t], links[t], free[t], path[t],
            scratch[t : t + 1], random[t], playout, c, urgency, scale, wanted,
        )  # fmt: skip
        places[t, MADE] += made
        budget -= max(made, 1)
        if made < wanted or places[t, MADE] == simulations:
            actions[k] = decide(words, b, visits[t], totals[t], links[t], random[t])
            places[t, ROW] += 1
            places[t, MADE] = 0
