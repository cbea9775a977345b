"""What a type checker tells users of the package: read by mypy, never run.

A line that fails here fails in the code of somebody who has typed it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_type

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

import hexgames_env
from hexgames_env import (
    Batch,
    Game,
    HexBoard,
    Notation,
    RandomPlay,
    State,
    Symmetry,
    game_names,
    kernel,
    make_game,
    oust_v0,
)
from hexgames_env.bots import Bot, Score, as_bot, evaluate, make_bot
from hexgames_env.bots.base import Player
from hexgames_env.envs.aec import HexGameEnv
from hexgames_env.envs.single import make_single
from hexgames_env.envs.vector import make_vector

Planes = NDArray[np.float32]
Mask = NDArray[np.int8]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


def games() -> None:
    game = make_game("oust", side=4, pie_rule=False)
    assert_type(game, Game)
    assert_type(game_names(), tuple[str, ...])
    assert_type(game.num_actions, int)
    assert_type(game.observation_shape, tuple[int, int, int])
    assert_type(game.board, HexBoard)
    assert_type(game.board.names, tuple[str, ...])
    assert_type(game.to_string(), str)
    assert_type(Game.from_string("oust side=4"), Game)
    assert_type(game.initial_state(), State)
    assert_type(game.initial_state(seed=1), State)
    assert_type(game.notations, Mapping[str, Notation])
    assert_type(hexgames_env.__version__, str)


def positions(state: State) -> None:
    assert_type(state.step(3), None)
    assert_type(state.try_step(3), bool)
    assert_type(state.undo(), None)
    assert_type(state.to_play, int)
    assert_type(state.phase, str)
    assert_type(state.is_over, bool)
    assert_type(state.winner, int | None)
    assert_type(state.returns(), Planes)
    assert_type(state.action_mask(), Mask)
    assert_type(state.legal_actions(), list[int])
    assert_type(state.sample_action(np.random.default_rng(1)), int)
    assert_type(state.is_legal(3), bool)
    assert_type(state.action_to_string(3), str)
    sampled: np.int64 = np.random.default_rng(1).choice(state.action_mask().nonzero()[0])
    assert_type(state.is_legal(sampled), bool)
    assert_type(state.action_to_string(sampled), str)
    assert_type(state.try_step(sampled), bool)
    state.step(sampled)
    assert_type(state.parse_action("a1"), int)
    assert_type(state.last_action, int | None)
    assert_type(state.history, list[int])
    assert_type(state.copy(), State)
    assert_type(state.root(), State)
    assert_type(state.observation(0), Planes)
    assert_type(state.key(), tuple[Game, bytes])
    assert_type(state.to_string(), str)
    assert_type(State.from_string(state.to_string()), State)
    assert_type(state.to_svg(), str)
    assert_type(state == state.copy(), bool)


def batches() -> None:
    batch = Batch(make_game("rive"), 8, seed=1, threads=2, max_cycles=100)
    assert_type(batch.n, int)
    assert_type(len(batch), int)
    assert_type(batch.to_play, Numbers)
    assert_type(batch.lengths, Numbers)
    assert_type(batch.action_mask, Mask)
    assert_type(batch.observations(), Planes)
    assert_type(batch.sample_actions(), Numbers)
    assert_type(batch.step(batch.sample_actions()), None)
    batch.step([3] * 8)
    assert_type(batch.rewards, Planes)
    assert_type(batch.terminated, Flags)
    assert_type(batch.truncated, Flags)
    assert_type(batch.illegal, Flags)
    assert_type(batch.finished, Numbers)
    assert_type(batch.final_observations(), Planes)
    assert_type(batch.final_lengths, Numbers)
    assert_type(batch.final_returns, Planes)
    assert_type(batch.play_random(10), RandomPlay)
    assert_type(batch.play_random(10).steps, int)
    assert_type(batch.state(0), State)
    assert_type(batch.states(), list[State])
    assert_type(batch.copy(), Batch)


def pettingzoo_environments() -> None:
    env = oust_v0.env(side=4, illegal_action="raise", render_mode="ansi")
    assert_type(env, HexGameEnv)
    assert_type(env.reset(seed=1), None)
    assert_type(env.agents, list[str])
    assert_type(env.agent_selection, str)
    assert_type(env.action_space(env.agent_selection), spaces.Discrete)
    assert_type(env.action_space("player_0").n, np.int64)
    assert_type(env.observation_space("player_0"), spaces.Dict)
    assert_type(env.observe("player_0"), dict[str, NDArray[Any]])
    assert_type(env.infos, dict[str, dict[str, Any]])
    observation, reward, terminated, truncated, info = env.last()
    if observation is not None:
        assert_type(observation["action_mask"], NDArray[Any])
    assert_type(reward, float)
    assert_type(terminated, bool)
    assert_type(truncated, bool)
    assert_type(info, dict[str, Any])
    assert_type(env.step(3), None)
    assert_type(env.step(None), None)
    assert_type(env.game_state, State)
    assert_type(env.winner, str | None)
    assert_type(env.returns(), dict[str, float])
    assert_type(env.render(), str | NDArray[np.uint8] | None)
    assert_type(env.parse_action("a1"), int)


def gymnasium_environments() -> None:
    env = make_single("oust", opponent="greedy", side=4)
    env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(3)
    assert_type(observation, dict[str, NDArray[Any]] | Planes)
    assert_type(reward, float)
    assert_type(terminated, bool)
    assert_type(truncated, bool)
    assert_type(info, dict[str, Any])
    assert_type(env.action_masks(), Mask)
    assert_type(env.game_state, State)
    many = make_vector("oust", 8, "random", side=4)
    many.reset(seed=1)
    planes, rewards, ended, cut, infos = many.step(np.zeros(8, np.int64))
    assert_type(planes, dict[str, NDArray[Any]] | Planes)
    assert_type(rewards, NDArray[np.float64])
    assert_type(ended, Flags)
    assert_type(cut, Flags)
    assert_type(infos, dict[str, Any])
    assert_type(many.action_masks(), Mask)
    assert_type(many.batch, Batch)
    both: tuple[gymnasium.Env[Any, Any], gymnasium.vector.VectorEnv[Any, Any, Any]] = (env, many)
    assert_type(both[1].num_envs, int)


def first(state: State, rng: np.random.Generator) -> int:
    return state.legal_actions()[0]


def bots() -> None:
    assert_type(make_bot("greedy"), Bot)
    assert_type(make_bot("greedy")(make_game("oust").initial_state(), np.random.default_rng()), int)
    assert_type(evaluate(first, make_game("oust", side=3), "random", games=10), Score)
    players: list[Player] = ["random", first, make_bot("greedy")]
    assert_type(as_bot(players[0]), Bot)


@kernel
def kernel_of_ones_own(x: int) -> int:
    return x + 1


def symmetries(game: Game) -> None:
    assert_type(game.symmetries(), tuple[Symmetry, ...])
    assert_type(kernel_of_ones_own, Callable[..., Any])


def what_is_refused(state: State) -> None:
    """Each of these is an error, or mypy would say that the comment is of no use."""
    state.step("a1")  # type: ignore[arg-type]
    state.winner = 1  # type: ignore[misc]
    oust_v0.env(illegal_action="forgive")  # type: ignore[arg-type]
    make_game(3)  # type: ignore[arg-type]
    Batch("oust", 8)  # type: ignore[arg-type]
