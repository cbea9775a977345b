"""The game, the bot, the loop, the option and the environment, as their author tests them."""

from __future__ import annotations

import random

import gymnasium
import numpy as np
import pettingzoo
import pytest
from hexgames_crossing import CellsOption, PlayoutBot, TurnEnv
from pettingzoo.test import api_test

from hexgames_env import Batch, Game, OptionError, PositionTextError, State, make_game
from hexgames_env.bots import evaluate, make_bot
from hexgames_env.rendering import to_text
from hexgames_env.testing import check_game


def test_it_keeps_what_every_game_promises() -> None:
    check_game("crossing")


def reaches(game: Game, ground: str, player: int) -> bool:
    """Whether a player is connected, by a walk over the text of the board."""
    first, second = game.sides[player]  # type: ignore[attr-defined]
    own = game.symbols[1 + player]
    found = {cell for cell in first if ground[cell] == own}
    edge = list(found)
    while edge:
        for near in game.board.neighbours[edge.pop()]:
            if ground[near] == own and near not in found:
                found.add(near)
                edge.append(near)
    return bool(found & second)


@pytest.mark.parametrize("side", [2, 3, 4, 6])
def test_a_game_is_over_when_somebody_is_connected(side: int) -> None:
    game = make_game("crossing", side=side)
    rng = random.Random(side)
    winners = set()
    for _ in range(100):
        state = game.initial_state()
        turns = []
        while not state.is_over:
            assert not reaches(game, state.ground(), 0) and not reaches(game, state.ground(), 1)
            turns.append(state.to_play)
            state.step(state.sample_action(rng))
        assert state.winner is not None and reaches(game, state.ground(), state.winner)
        assert turns == [0, 1, 1, *([0, 0, 1, 1] * len(turns))][: len(turns)]
        winners.add(state.winner)
    assert winners == {0, 1}


@pytest.mark.parametrize("side", [2, 3, 5])
def test_on_a_full_board_exactly_one_is_connected(side: int) -> None:
    game = make_game("crossing", side=side)
    rng = random.Random(side)
    for _ in range(300):
        ground = "".join(rng.choice("BW") for _ in range(game.board.num_cells))
        assert reaches(game, ground, 0) != reaches(game, ground, 1)


def test_stones_at_the_start() -> None:
    game = make_game("crossing", side=3, stones="c3,b2")
    state = game.initial_state()
    assert state.ground().count("B") == 2 and state.to_play == 0
    assert game.options["stones"] == ("b2", "c3")
    assert State.from_string(state.to_string()) == state
    assert len(game.symmetries()) == 1 and len(make_game("crossing").symmetries()) == 4
    for wrong in ("z9", "a1,a1", "b2,b", 3, None, ["a1", 2], "e9"):
        with pytest.raises(OptionError, match=r"^stones"):
            make_game("crossing", side=3, stones=wrong)
    with pytest.raises(OptionError, match="connect Black's sides already"):
        make_game("crossing", side=2, stones="a1,b1,c1")
    assert CellsOption().check("x", ["b2", "a1"]) == ("a1", "b2")


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("to_play=0 winner=0", "connected are players"),
        ("to_play=0 winner=none second=maybe", "second must be true or false"),
        ("to_play=1 winner=none opened=false", "opened=false is Black's first turn"),
        ("to_play=0 winner=none second=true", "needs a stone"),
    ],
)
def test_positions_that_are_none(end: str, message: str) -> None:
    with pytest.raises(PositionTextError, match=message):
        State.from_string(f"crossing side=2 stones=none board=../.../.. {end}")


def test_the_bot_beats_random_and_repeats_itself() -> None:
    game = make_game("crossing", side=4)
    bot = make_bot("playouts playouts=30")
    assert isinstance(bot, PlayoutBot) and repr(bot) == "make_bot('playouts', playouts=30)"
    scores = [evaluate(bot, game, "random", games=20, seed=1) for _ in range(2)]
    assert scores[0] == scores[1]
    assert sum(scores[0].wins) >= 18
    for wrong in ("playouts playouts=0", "playouts playouts=many", "playouts speed=3"):
        with pytest.raises(OptionError):
            make_bot(wrong)


@pytest.mark.parametrize("name", ["crossing", "oust", "gipf"])
def test_the_loop_goes_for_every_game(name: str) -> None:
    state = make_game(name).initial_state()
    text = state.to_string()
    action = PlayoutBot(1)(state, np.random.default_rng(1))
    assert state.is_legal(action) and state.to_string() == text


def test_drawn_batched_and_in_the_standard_environments() -> None:
    game = make_game("crossing", side=3)
    state = game.initial_state()
    for action in (9, 0, 18):
        state.step(action)
    assert state.to_svg(legal=True).startswith("<svg") and "B" in to_text(state)
    assert Batch(game, 64, seed=1).play_random(1000).games > 0
    api_test(pettingzoo.make("aec", "hexgames/crossing-v0", side=3), num_cycles=50)
    vector = gymnasium.make_vec("hexgames/Crossing-v0", 8, side=3)
    observations, _ = vector.reset(seed=1)
    assert observations["observation"].shape == (8, 5, 5, 7)


def test_a_little_training_in_our_own_environment() -> None:
    """REINFORCE with a linear policy on the cells beats its own beginning against random."""
    game = make_game("crossing", side=2)
    env = TurnEnv(game)
    rng = np.random.default_rng(0)
    weights = np.zeros((2, game.num_actions))

    def choose(seen: dict[str, np.ndarray], player: int) -> tuple[int, np.ndarray]:
        scores = np.where(seen["action_mask"] == 1, np.exp(weights[player]), 0.0)
        chances = scores / scores.sum()
        return int(rng.choice(game.num_actions, p=chances)), chances

    for _ in range(300):
        seen, done, trail = env.reset(seed=1), False, []
        while not done:
            player = env.player
            action, chances = choose(seen, player)
            trail.append((player, action, chances))
            seen, rewards, done = env.step(action)
        for player, action, chances in trail:
            gradient = -chances
            gradient[action] += 1
            weights[player] += 0.2 * rewards[player] * gradient
    wins = 0
    for _ in range(200):
        seen, done = env.reset(seed=1), False
        while not done:
            mask = seen["action_mask"]
            random_action = int(rng.choice(mask.nonzero()[0]))
            action = choose(seen, 0)[0] if env.player == 0 else random_action
            seen, rewards, done = env.step(action)
        wins += rewards[0] == 1
    assert wins >= 120  # 81 for two random players
    assert env.reset(seed=1)["action_mask"].all()
    assert env.step(3)[1].tolist() == [0, 0]
    assert env.step(3)[1].tolist() == [1, -1]  # White plays on an occupied cell
