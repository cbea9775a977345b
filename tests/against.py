"""Play a game on the kernels and on its plain reference at once, and compare every position."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hexgames_env.core.game import Game
from hexgames_env.core.state import State

Policy = Callable[[random.Random, Any, list[int]], int]
"""Picks an action from the reference's position and its legal actions."""


def uniform(rng: random.Random, reference: Any, legal: list[int]) -> int:
    return rng.choice(legal)


def preferring(wanted: Callable[[Any, int], bool], chance: float = 1.0) -> Policy:
    """A policy that takes an action for which ``wanted`` holds whenever there is one."""

    def policy(rng: random.Random, reference: Any, legal: list[int]) -> int:
        if rng.random() < chance:
            legal = [action for action in legal if wanted(reference, action)] or legal
        return rng.choice(legal)

    return policy


seeking_captures = preferring(lambda reference, action: reference.captures(action))
avoiding_captures = preferring(lambda reference, action: not reference.captures(action))


def assert_same(state: State, reference: Any) -> None:
    """The position is the same for everybody who looks at it."""
    legal = reference.legal_actions()
    assert state.legal_actions() == legal, state
    assert state.action_mask().nonzero()[0].tolist() == legal, state
    assert state.to_play == reference.to_play, state
    assert state.is_over == reference.is_over, state
    assert state.winner == reference.winner, state
    assert state.phase == reference.phase, state
    for player in (0, 1):
        ours, theirs = state.observation(player), reference.observation(player)
        np.testing.assert_array_equal(ours, theirs, err_msg=repr(state))
    for action in legal:
        assert state.action_to_string(action) == reference.action_to_string(action), state


def play(
    game: Game, make_reference: Callable[[State], Any], policy: Policy, seed: int
) -> Iterator[tuple[State, Any]]:
    """One game: each of its positions, already compared, as state and reference."""
    rng = random.Random(seed)
    state = game.initial_state(seed)
    reference = make_reference(state)
    assert_same(state, reference)
    yield state, reference
    while not state.is_over:
        action = policy(rng, reference, reference.legal_actions())
        state.step(action)
        reference.step(action)
        assert_same(state, reference)
        yield state, reference


def compare(
    game: Game, make_reference: Callable[[State], Any], policy: Policy, positions: int
) -> int:
    """Whole games until that many positions have been compared; returns how many were."""
    compared = seed = 0
    while compared < positions:
        compared += sum(1 for _ in play(game, make_reference, policy, seed))
        seed += 1
    return compared
