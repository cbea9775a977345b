"""Oust: the kernels against the plain reference, known games, positions set up by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest

from against import (
    Policy,
    assert_same,
    avoiding_captures,
    compare,
    seeking_captures,
    uniform,
)
from hexgames_env import Game, IllegalActionError, PositionTextError, State, make_game
from reference.oust import Oust as Reference
from volume import quick

POLICIES = [uniform, seeking_captures, avoiding_captures]
every_policy = pytest.mark.parametrize("policy", POLICIES, ids=["uniform", "seeking", "avoiding"])
POSITIONS = {2: 800, 3: 1000, 4: 1000, 5: 500, 6: 250, 7: 200, 8: 20, 9: 20}


class Kept(Reference):
    """The reference, but that it keeps what it has found out until the next step."""

    def __init__(self, side: int = 7, pie_rule: bool = True) -> None:
        super().__init__(side, pie_rule)
        self.kept: dict[tuple[str, int], Any] = {}

    def groups_of(self, player: int) -> list[set[int]]:
        return list(self.keep("groups_of", player))

    def legal_placements(self, player: int) -> list[int]:
        return list(self.keep("legal_placements", player))

    def captures(self, action: int) -> bool:
        return bool(self.keep("captures", action))

    def keep(self, name: str, argument: int) -> Any:
        if (name, argument) not in self.kept:
            self.kept[name, argument] = getattr(super(), name)(argument)
        return self.kept[name, argument]

    def step(self, action: int) -> None:
        super().step(action)
        self.kept.clear()


def at_the_start(state: State) -> Reference:
    return Kept(**state.game.options)


def reference_of(state: State) -> Reference:
    """The same position for the reference; a running game past the swap."""
    owners = {"B": 0, "W": 1}
    stones = {
        cell: owners[symbol] for cell, symbol in enumerate(state.ground()) if symbol in owners
    }
    options = state.game.options
    return Kept.set_up(options["side"], stones, state.to_play, options["pie_rule"])


# Against the reference


@every_policy
@pytest.mark.parametrize("pie_rule", [True, False])
@pytest.mark.parametrize("side", quick(POSITIONS, 2, 3))
def test_games_are_those_of_the_reference(side: int, pie_rule: bool, policy: Policy) -> None:
    game = make_game("oust", side=side, pie_rule=pie_rule)
    assert compare(game, at_the_start, policy, POSITIONS[side]) >= POSITIONS[side]


def test_enough_positions_are_compared() -> None:
    runs = 2 * len(POLICIES)
    assert runs * sum(POSITIONS.values()) > 20_000
    assert all(runs * POSITIONS[side] >= 1000 for side in range(2, 8))


REFUSALS = ("groups that touch", "neither player can place", "no two cells next to each other")


def strewn(game: Game, rng: random.Random) -> State | None:
    """Stones at random, where no play need lead; None if the package refuses the position."""
    share = rng.random()
    cells = {c: rng.randrange(2) for c in range(game.board.num_cells) if rng.random() < share}
    try:
        return game.state_from_cells(cells, to_play=rng.randrange(2))
    except PositionTextError as error:
        refusal = str(error)
    assert any(why in refusal for why in REFUSALS)
    return None


@pytest.mark.parametrize(
    ("side", "positions"), [(2, 1000), (3, 600), (4, 400), (5, 200), (7, 100), (9, 100)]
)
def test_strewn_positions_are_those_of_the_reference(side: int, positions: int) -> None:
    # The reference asserts that never both players are stuck.
    rng = random.Random(side)
    game = make_game("oust", side=side, pie_rule=False)
    compared = 0
    while compared < positions:
        state = strewn(game, rng)
        if state is None:
            continue
        reference = reference_of(state)
        assert_same(state, reference)
        compared += 1
        for _ in range(10):
            if state.is_over:
                break
            action = seeking_captures(rng, reference, reference.legal_actions())
            state.step(action)
            reference.step(action)
            assert_same(state, reference)
            compared += 1


# Known games

STUCK_INSIDE = "(2,0) (-1,1) (2,-2) (-1,-1) (0,2) (0,1)x (1,-1) (2,-1)x (0,-2) (0,-1)x"
PASS_AT_START = "(0,0) (1,1) (0,2) (-2,2) (0,1)x (0,-2) (-1,0) (2,-2) (1,0) (-2,0) (1,-2) (2,0)"


def replay(places: str, pie_rule: bool) -> tuple[State, Reference]:
    """Side 3 after these placements, x for a capture, compared at every step."""
    state = make_game("oust", side=3, pie_rule=pie_rule).initial_state()
    reference = at_the_start(state)
    for place in places.split():
        q, r = map(int, place.removesuffix("x").strip("()").split(","))
        action = state.game.board.cell_at(q, r)
        assert reference.captures(action) == place.endswith("x")
        player = state.to_play
        state.step(action)
        reference.step(action)
        assert_same(state, reference)
        assert (state.to_play == player) == place.endswith("x")
    return state, reference


@pytest.mark.parametrize("pie_rule", [False, True])
@pytest.mark.parametrize("places", [STUCK_INSIDE, PASS_AT_START])
def test_only_a_pass_is_legal(places: str, pie_rule: bool) -> None:
    state, reference = replay(places, pie_rule)
    assert state.to_play == 1
    assert state.legal_actions() == [19] and state.action_to_string(19) == "pass"
    assert state.parse_action("pass") == 19
    rng = random.Random(3)
    state.step(19)
    reference.step(19)
    assert state.to_play == 0
    while not state.is_over:
        assert_same(state, reference)
        action = rng.choice(state.legal_actions())
        state.step(action)
        reference.step(action)
    assert_same(state, reference)


def test_a_pass_is_illegal_while_there_is_a_placement() -> None:
    state = make_game("oust", side=3).initial_state()
    for text in ("pass", "swap"):
        with pytest.raises(IllegalActionError, match=f"'{text}' is not legal now"):
            state.parse_action(text)


# The swap


@pytest.mark.parametrize("side", [2, 5, 9])
def test_swap(side: int) -> None:
    game = make_game("oust", side=side)
    n = game.board.num_cells
    assert game.num_actions == n + 2
    for first in (0, n // 2, n - 1):
        state = game.initial_state()
        reference = at_the_start(state)
        for action in (first, n + 1):
            state.step(action)
            reference.step(action)
            assert_same(state, reference)
        assert state.ground() == "." * first + "W" + "." * (n - 1 - first)
        assert state.to_play == 0 and not state.action_mask()[n:].any()
        rng = random.Random(first)
        while not state.is_over and len(state.history) < 60:
            action = rng.choice(state.legal_actions())
            state.step(action)
            reference.step(action)
            assert_same(state, reference)


def test_swap_is_the_second_players_first_step_alone() -> None:
    game = make_game("oust", side=2)
    swap = 8
    for seed in range(50):
        rng = random.Random(seed)
        state = game.initial_state()
        while not state.is_over:
            assert (swap in state.legal_actions()) == (len(state.history) == 1)
            assert bool(state.observation(state.to_play)[..., 5].any()) == (len(state.history) == 1)
            assert not state.observation(1 - state.to_play)[..., 5].any()
            state.step(rng.choice([a for a in state.legal_actions() if a != swap]))


def test_without_the_pie_rule_there_is_no_swap() -> None:
    game = make_game("oust", side=2, pie_rule=False)
    assert game.num_actions == 8
    state = game.initial_state()
    state.step(0)
    with pytest.raises(IllegalActionError, match="from 0 to 7, got 8"):
        state.step(8)
    with pytest.raises(IllegalActionError, match="'swap' is no action of oust side=2"):
        state.parse_action("swap")


# What follows from the rules


@every_policy
@pytest.mark.parametrize("side", [2, 3, 4, 5])
def test_invariants(side: int, policy: Policy) -> None:
    game = make_game("oust", side=side)
    board = game.board
    for seed in range(10):
        rng = random.Random(seed)
        state = game.initial_state()
        reference = at_the_start(state)
        sizes: list[int] = []
        while not state.is_over:
            action = policy(rng, reference, state.legal_actions())
            state.step(action)
            reference.step(action)
            black, white = reference.groups_of(0), reference.groups_of(1)
            for one in black:
                for other in white:
                    touch = any(set(board.neighbours[cell]) & other for cell in one)
                    assert not touch or 1 in (len(one), len(other))
            before, sizes = sizes, sorted(map(len, black + white), reverse=True)
            assert sizes > before if action < board.num_cells else sizes == before
            assert reference.legal_placements(0) or reference.legal_placements(1)
        assert set(state.ground()) <= {".", "BW"[state.winner or 0]}


# Positions set up by hand


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("board=BW/W.B/BW to_play=0 winner=none phase=x", "no field 'phase'"),
        ("board=BB/BBB/B. to_play=1 winner=none", "B at a1 leaves the other no two cells"),
        ("board=../B.W/.. to_play=0 winner=0", "can have won only by the last step.*1 and 1"),
        ("board=../B../.. to_play=0 winner=0", "1 and 0"),
        ("board=../BB./.. to_play=1 winner=0", "to_play is 1"),
        ("board=../BB./.. to_play=0 winner=1", "White .player_1. can have won only"),
        ("board=../.../.. to_play=0 winner=1", "0 and 0"),
        ("board=BB/WW./.. to_play=0 winner=none", "group of B at c1 .* have 2 and 2 stones"),
        (
            "board=../B../.. to_play=0 winner=none phase=x",
            "no field 'phase': their fields are none",
        ),
    ],
)
def test_what_is_no_position(text: str, message: str) -> None:
    with pytest.raises(PositionTextError, match=message):
        State.from_string(f"oust side=2 pie_rule=true {text}")


def test_a_won_position_by_hand() -> None:
    state = State.from_string("oust side=2 pie_rule=true board=../BB./.. to_play=0 winner=0")
    assert state.is_over and state.winner == 0 and state.phase == "over"
    assert state.returns().tolist() == [1, -1]


def test_a_turn_goes_on_as_it_began() -> None:
    # After a capture the same player must go on; nothing of that is part of the position.
    state, _ = replay("(2,0) (-1,1) (2,-2) (-1,-1) (0,2) (0,1)x", pie_rule=False)
    by_hand = State.from_string(state.to_string())
    assert by_hand == state and hash(by_hand.key()) == hash(state.key())
    assert by_hand.legal_actions() == state.legal_actions()
