"""Games and positions to check, and what a position shows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

from hexgames_env.core.game import Game, slips_of
from hexgames_env.core.registry import game_class
from hexgames_env.core.state import State
from hexgames_env.testing.claims import must

MAX_STEPS = 100_000  # a random game that goes on for longer counts as one that does not end


def games_of(game: type[Game] | str) -> list[Game]:
    """The game with every combination of the examples of its options."""
    found = game_class(game) if isinstance(game, str) else game
    slips = slips_of(found)
    must(not slips, f"{getattr(found, '__qualname__', found)!s}: {slips}")
    types = found.option_types
    return [
        found(**dict(zip(types, values, strict=True)))
        for values in product(*(option.examples() for option in types.values()))
    ]


def small_game(name: str) -> Game:
    """The game with the options that make it smallest."""
    return min(games_of(name), key=lambda game: game.num_actions)


def walk(game: Game, seed: int, limit: int = MAX_STEPS) -> Iterator[State]:
    """Each position of a random game; the same state, one step further each time."""
    rng = random.Random(seed)
    state = game.initial_state(seed)
    yield state
    for _ in range(limit):
        if state.is_over:
            return
        state.step(state.sample_action(rng))
        yield state
    must(limit < MAX_STEPS, f"a random game has made {limit:,} steps and does not end: {state}")


def some_positions(game: Game, seed: int, wanted: int = 12) -> list[State]:
    """Copies of some positions of a random game: inside turns, between them, and the end."""
    positions = [state.copy() for state in walk(game, seed)]
    inside = [b for a, b in pairwise(positions) if a.to_play == b.to_play]
    rng = random.Random(seed)
    some = rng.sample(positions, min(wanted, len(positions)))
    return [positions[0], positions[-1], *some, *rng.sample(inside, min(wanted, len(inside)))]


def seen(state: State) -> tuple[Any, ...]:
    """All that a state shows of its position, to compare."""
    return (
        *(state.to_string(), state.key(), state.to_play, state.phase, state.is_over, state.winner),
        *(state.returns().tolist(), state.action_mask().tobytes(), state.legal_actions()),
        *(state.observation(player).tobytes() for player in (0, 1)),
        *(state.observation(player, ended=True).tobytes() for player in (0, 1)),
    )


def all_of(state: State) -> tuple[Any, ...]:
    """`seen`, and how the position came about."""
    return (*seen(state), state.history, state.last_action, state.last_step)
