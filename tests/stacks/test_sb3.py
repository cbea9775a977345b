"""Stable-Baselines3 and sb3-contrib for real; a missing library fails these tests."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv, VecMonitor

from hexgames_env import OptionError, State, make_game, register_game
from hexgames_env.bots import BotPool, GreedyBot, match
from hexgames_env.envs.single import make_single
from hexgames_env.stacks.sb3 import (
    HexConv,
    HexExtractor,
    HexVecEnv,
    PolicyBot,
    SelfPlayCallback,
    evaluate,
    play,
)
from toy_game import Duo

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SMALL: dict[str, dict[str, Any]] = {
    "Oust": {"side": 3},
    "Rive": {"side": 3},
    "Strands": {"layout": "5"},
    "Gipf": {"variant": "basic"},
}
# What SB3 says of every array of three dimensions that is not a picture in bytes.
OF_PICTURES = re.compile(
    "It seems that your observation observation is an image but its `dtype`"
    "|It seems that your observation space observation is an image but the"
    "|The minimal resolution for an image is 36x36"
)


@pytest.fixture(autouse=True, scope="module")
def _set_up() -> None:
    register_game(Duo)
    torch.set_num_threads(1)


def learner(env: Any, n_steps: int = 16, flat: bool = False, **settings: Any) -> MaskablePPO:
    extractor: dict[str, Any] = {"channels": 4, "layers": 1, "features_dim": 16}
    if flat:
        extractor["shape"] = env.get_attr("game")[0].observation_shape
    policy = {
        "features_extractor_class": HexExtractor,
        "features_extractor_kwargs": extractor,
        "net_arch": [],
    }
    kind = "MlpPolicy" if flat else "MultiInputPolicy"
    settings = {"batch_size": 64, "n_epochs": 2, "gamma": 1.0, "seed": 0, **settings}
    return MaskablePPO(kind, env, n_steps=n_steps, policy_kwargs=policy, **settings)


# SB3's checks


@pytest.mark.parametrize("name", [*SMALL, "Duo"])
def test_check_env_has_nothing_to_say_of_flat_observations(name: str) -> None:
    env = gymnasium.make(f"hexgames/{name}-v0", flat=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)


@pytest.mark.parametrize("name", [*SMALL, "Duo"])
def test_check_env_takes_a_dict_for_pictures_and_is_content_otherwise(name: str) -> None:
    env = gymnasium.make(f"hexgames/{name}-v0")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check_env(env)
    assert [str(w.message) for w in told if not OF_PICTURES.match(str(w.message))] == []


# Training: an illegal action would raise


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_training_by_gymnasium_make(name: str, flat: bool) -> None:
    env = gymnasium.make(
        f"hexgames/{name}-v0", opponent="random", illegal_action="raise", flat=flat, **SMALL[name]
    )
    vec = DummyVecEnv([lambda: env])
    model = learner(vec, n_steps=128, flat=flat)
    model.learn(256)
    assert model.num_timesteps == 256


@pytest.mark.parametrize("name", SMALL)
def test_training_in_processes(name: str) -> None:
    settings = {"opponent": "random", "illegal_action": "raise", **SMALL[name]}
    vec = make_vec_env(
        f"hexgames_env:hexgames/{name}-v0", 2, 0, vec_env_cls=SubprocVecEnv, env_kwargs=settings
    )
    model = learner(vec, n_steps=64)
    model.learn(256)
    assert model.num_timesteps == 256
    vec.close()


@pytest.mark.parametrize("opponent", ["random", "greedy"])
@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_training_by_our_vec_env(name: str, flat: bool, opponent: str) -> None:
    vec = HexVecEnv(
        name.lower(), 16, opponent=opponent, illegal_action="raise", flat=flat, **SMALL[name]
    )
    model = learner(vec, flat=flat)
    model.learn(768)
    assert model.num_timesteps == 768


@pytest.mark.parametrize("seat", [0, 1])
def test_a_learner_with_the_sign_wrong_could_not_pass(seat: int) -> None:
    """Duo: who gets the middle has won, at its first step or never."""
    vec = HexVecEnv("duo", 32, opponent="random", seat=seat, illegal_action="raise")
    model = learner(vec, learning_rate=0.01, n_epochs=4)
    model.learn(32 * 16 * 12)
    score = evaluate(model, "duo", games=400, deterministic=False)
    # Against random as player_1 the middle is gone in two games of seven before one is to act.
    expected = 1.0 if seat == 0 else 5 / 7
    assert abs(score.wins[seat] / score.games[seat] - expected) < 0.08
    assert score.games == (200, 200)


def test_the_same_by_gymnasium_make() -> None:
    env = gymnasium.make("hexgames/Duo-v0", seat=0, illegal_action="raise")
    model = learner(DummyVecEnv([lambda: env]), n_steps=256, learning_rate=0.01, n_epochs=8)
    model.learn(256 * 8)
    assert evaluate(model, "duo", deterministic=False).wins[0] >= 92


# Our VecEnv


@pytest.mark.parametrize("flat", [False, True])
def test_what_the_vec_env_tells(flat: bool) -> None:
    vec = HexVecEnv("duo", 8, flat=flat)
    assert is_masking_supported(vec) and vec.render_mode is None
    vec.seed(3)
    first = vec.reset()
    vec.seed(3)
    again = vec.reset()
    pairs = [(first, again)] if flat else [(first[key], again[key]) for key in first]
    assert all((one == other).all() for one, other in pairs)
    results = []
    lengths = np.zeros(8, int)
    rng = np.random.default_rng(1)
    for _ in range(100):
        masks = get_action_masks(vec)
        assert masks.shape == (8, 7) and masks.any(axis=1).all()
        seats = vec.get_attr("seat")
        actions = (masks * rng.random(masks.shape)).argmax(axis=1)
        observation, rewards, dones, infos = vec.step(actions)
        lengths += 1
        assert rewards.dtype == np.float32 and len(infos) == 8
        for row, info in enumerate(infos):
            assert ("terminal_observation" in info) == dones[row]
            if not dones[row]:
                assert info == {} and rewards[row] == 0
                continue
            final = info["terminal_observation"]
            planes = final.reshape(3, 3, 5) if flat else final["observation"]
            assert planes[1, 1, 2 if rewards[row] == 1 else 3] == 1
            assert info["TimeLimit.truncated"] is False and info["illegal_action"] == 0
            assert info["episode"]["r"] == rewards[row]
            assert info["episode"]["l"] == lengths[row] == 4 - seats[row]
            results.append(rewards[row])
            lengths[row] = 0
        seen = observation if flat else observation["observation"]
        assert (seen.reshape(8, 3, 3, 5)[:, 1, 1, 1] == 1).all()  # the learner is to act
    assert {-1, 1} == set(results)
    vec.close()


def test_a_truncated_row() -> None:
    vec = HexVecEnv("gipf", 2, seat=0, max_cycles=4)
    vec.reset()
    for _ in range(2):
        _, rewards, dones, infos = vec.step(get_action_masks(vec).argmax(axis=1))
    assert dones.all() and not rewards.any()
    assert all(info["TimeLimit.truncated"] for info in infos)


@pytest.mark.parametrize("kind", ["ours", "dummy"])
def test_monitors_count_illegal_actions(kind: str) -> None:
    counted = ("illegal_action",)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the second monitor
        if kind == "ours":
            vec: VecEnv = VecMonitor(HexVecEnv("oust", 4, side=3), info_keywords=counted)
        else:
            vec = DummyVecEnv(
                [lambda: Monitor(make_single("oust", side=3), info_keywords=counted)] * 4
            )
        model = PPO("MultiInputPolicy", vec, n_steps=64, batch_size=64)  # which knows no mask
        model.learn(256)
    assert model.ep_info_buffer
    told = {episode["illegal_action"] for episode in model.ep_info_buffer}
    assert 1 in told and told <= {0, 1}
    assert all(episode["r"] == -1 for episode in model.ep_info_buffer if episode["illegal_action"])
    vec.close()


def test_seeds_and_masks_are_safe() -> None:
    vec = HexVecEnv("oust", 4, side=2)
    vec.seed(np.uint8(255))  # type: ignore[arg-type]
    one = vec.reset()["observation"]
    vec.seed(255)
    assert (one == vec.reset()["observation"]).all()
    for wrong in (True, -1, 1.0):
        with pytest.raises(OptionError, match="seed must be"):
            vec.seed(wrong)  # type: ignore[arg-type]
    vec.action_masks()[:] = 0
    assert vec.action_masks().any(axis=1).all()
    for seat in (5, -1, True, "random"):
        with pytest.raises(OptionError, match="seat must be 0 or 1"):
            play(GreedyBot(), vec.game, seat=seat)  # type: ignore[arg-type]


def test_what_rows_share_and_refuse() -> None:
    vec = HexVecEnv("oust", 4, opponent="greedy", side=2)
    assert vec.get_attr("opponent", [1, 2]) == [vec.envs.opponent] * 2
    assert vec.get_attr("game", 0) == [make_game("oust", side=2)] == [vec.game]
    assert not vec.has_attr("nothing")
    with pytest.raises(AttributeError, match="make another HexVecEnv"):
        vec.set_attr("opponent", "random")
    with pytest.raises(AttributeError, match="a row has no method 'reset'"):
        vec.env_method("reset")
    with pytest.raises(RuntimeError, match="without step_async"):
        vec.step_wait()


def test_pictures_of_all_rows() -> None:
    vec = HexVecEnv("oust", 4, render_mode="rgb_array", render_size=100, seat=0, side=2)
    vec.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tiles = vec.render()
        assert tiles is not None and tiles.shape == (200, 200, 3) and tiles.dtype == np.uint8
        images = vec.get_images()
        assert len(images) == 4 and all((image == tiles[:100, :100]).all() for image in images)
        assert vec.env_method("render", indices=2)[0].shape == (100, 100, 3)
    vec.close()


def test_texts_of_all_rows() -> None:
    vec = HexVecEnv("oust", 3, render_mode="ansi", side=2)
    vec.reset()
    assert vec.render() is None  # SB3 shows no texts, but hands them out
    assert [text[:11] for text in vec.env_method("render")] == ["oust side=2"] * 3
    assert vec.get_images() == [None] * 3
    with pytest.raises(OptionError, match="render_mode must be None or one of"):
        HexVecEnv("oust", render_mode="human")


def test_sb3s_own_evaluation() -> None:
    vec = HexVecEnv("duo", 4, seat=0)
    model = learner(vec)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mean, _ = evaluate_policy(model, vec, n_eval_episodes=20)
    assert -1 <= mean <= 1
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        VecMonitor(vec)


# The network


def test_a_convolution_reaches_the_six_neighbours() -> None:
    board = make_game("oust", side=3).board
    convolution = HexConv(1, 1)
    for cell in range(board.num_cells):
        grid = torch.zeros(1, 1, 5, 5, requires_grad=True)
        convolution(grid)[0, 0][tuple(board.grid[cell])].backward()
        assert grid.grad is not None
        reached = {tuple(place) for place in grid.grad[0, 0].nonzero().tolist()}
        around = [tuple(board.grid[other]) for other in (cell, *board.neighbours[cell])]
        assert reached & {tuple(place) for place in board.grid.tolist()} == set(around)


def test_the_extractor_sees_flat_and_full_alike() -> None:
    game = make_game("oust", side=3)
    full, flat = (HexVecEnv("oust", 3, flat=f, side=3) for f in (False, True))
    for vec in (full, flat):
        vec.seed(1)
    one = HexExtractor(full.observation_space)
    other = HexExtractor(flat.observation_space, shape=game.observation_shape)
    other.load_state_dict(one.state_dict())
    seen = {key: torch.as_tensor(value) for key, value in full.reset().items()}
    assert torch.equal(one(seen), other(torch.as_tensor(flat.reset())))
    with pytest.raises(OptionError, match=r"game\.observation_shape"):
        HexExtractor(flat.observation_space)


# Players


@pytest.mark.parametrize("algorithm", [MaskablePPO, PPO])
@pytest.mark.parametrize("flat", [False, True])
def test_a_policy_as_an_agent_is_always_legal(algorithm: Any, flat: bool) -> None:
    vec = HexVecEnv("oust", 2, flat=flat, side=3)
    model = algorithm("MlpPolicy" if flat else "MultiInputPolicy", vec, n_steps=8, batch_size=16)
    agent, best = PolicyBot(model), PolicyBot(model.policy, deterministic=True)
    state = vec.game.initial_state()
    rng = np.random.default_rng(1)
    while not state.is_over:
        mask = state.action_mask()
        chances = agent.probabilities(state.observation(state.to_play)[None], mask[None])[0]
        assert (chances[mask == 0] == 0).all() and abs(chances.sum() - 1) < 1e-9
        assert best(state, rng) == chances.argmax()
        action = agent(state, np.random.default_rng(7))
        assert action == agent(state, np.random.default_rng(7)) and mask[action]
        state.step(agent(state, rng))
    with pytest.raises(OptionError, match="must have an actor-critic policy"):
        PolicyBot(torch.nn.Linear(2, 2))


def test_helpers_play_and_evaluate() -> None:
    vec = HexVecEnv("oust", 2, side=3)
    model = learner(vec)
    game = make_game("oust", side=3)
    score = evaluate(model, game, "greedy", games=21, seed=5)
    assert score == evaluate(model, game, "greedy", games=21, seed=5)
    assert score.games == (10, 11) and 0 <= score.win_rate <= 1
    assert f"{score.wins[1]} of 11 as player_1" in str(score)
    own = evaluate(PolicyBot(model), game, model_opponent(model), games=10)
    assert own.games == (5, 5)
    for seat in (0, 1):
        state = play(model, game, "greedy", seat=seat, seed=2)
        assert isinstance(state, State) and state.is_over and len(state.history) > 3
        assert state.history == play(model, game, "greedy", seat=seat, seed=2).history
    assert len(play(model, game, max_cycles=3).history) == 3
    assert evaluate(model, game, games=10, max_cycles=2).wins == (0, 0)


def test_helpers_cut_off_a_game_without_end() -> None:
    """Both do by default, since a game of GIPF need not end."""
    for helper in (match.evaluate, match.play):
        assert inspect.signature(helper).parameters["max_cycles"].default == match.MAX_CYCLES
    game, other = make_game("gipf", variant="basic"), GreedyBot()
    whole = len(play(other, game, "random", seed=1).history)
    for steps in (1, whole - 1, whole, whole + 1):
        state = play(other, game, "random", seed=1, max_cycles=steps)
        assert len(state.history) == min(steps, whole) and state.is_over == (steps >= whole)
    assert evaluate(other, game, "random", games=4, max_cycles=4).win_rate == 0


def model_opponent(model: MaskablePPO) -> PolicyBot:
    return PolicyBot(model, deterministic=True)


# Self-play


def weights(policy: Any) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in policy.parameters()])


@pytest.mark.parametrize("kind", ["ours", "dummy"])
def test_self_play_fills_the_pool_with_copies(kind: str) -> None:
    pool = BotPool(["random"])
    settings: dict[str, Any] = {"opponent": pool, "illegal_action": "raise", "side": 3}
    vec: VecEnv = (
        HexVecEnv("oust", 16, **settings)
        if kind == "ours"
        else DummyVecEnv([lambda: gymnasium.make("hexgames/Oust-v0", **settings) for _ in range(2)])
    )
    model = learner(vec)
    # n updates: copies before rounds 2, 4, 6, ...; none after the last update
    model.learn(vec.num_envs * 16 * 7, callback=SelfPlayCallback(pool, every=2))
    assert len(pool) == 4
    copies = pool.members[1:]
    assert [repr(copy) for copy in copies] == [
        f"PolicyBot(after {vec.num_envs * 16 * k} steps, deterministic=False)" for k in (2, 4, 6)
    ]
    found = [weights(copy.policy) for copy in copies]  # type: ignore[attr-defined]
    found.append(weights(model.policy))
    assert all(not torch.equal(one, other) for one, other in pairwise(found))
    before = found[0].clone()
    model.learn(vec.num_envs * 16)
    assert torch.equal(before, weights(copies[0].policy))  # type: ignore[attr-defined]
    if kind == "ours":
        met = {id(player) for player in vec.envs._side._bots}  # type: ignore[attr-defined]
        assert len(met) > 1 and met <= {id(member) for member in pool.members}


def test_self_play_wants_its_own_pool() -> None:
    model = learner(HexVecEnv("oust", 4, opponent="random", side=3))
    with pytest.raises(OptionError, match="make them with opponent=pool"):
        model.learn(64, callback=SelfPlayCallback(BotPool()))


# The README and the examples, as a student runs them


def test_the_readmes_training(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"<!-- sb3 -->\n+```python\n(.*?)```", text, re.DOTALL)
    assert blocks and text.count("<!-- sb3 -->") == len(blocks)
    for code in blocks:
        names: dict[str, Any] = {"__name__": "readme"}
        exec(compile(code, "README.md", "exec"), names)
        assert names["model"].num_timesteps >= 20_000
    assert "% won: " in capsys.readouterr().out


def run(script: str, *arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / script), *arguments, "--save", str(folder / "model")],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return done.stdout


@pytest.mark.parametrize("game", ["oust", "rive", "strands", "gipf"])
def test_the_training_example(game: str, tmp_path: Path) -> None:
    told = run("train_maskable_ppo.py", game, "--steps", "4096", folder=tmp_path)
    assert "after training" in told and "A game of it as player_0" in told
    assert (tmp_path / "model.zip").exists()


def test_the_training_example_beats_random(tmp_path: Path) -> None:
    """What it says it does: 90 % of 200 games over both seats."""
    told = run(
        "train_maskable_ppo.py", "oust", "--options", "side=4", "--steps", "120000", folder=tmp_path
    )
    found = re.search(r"after training ([\d.]+) % won", told)
    assert found and float(found[1]) >= 90, told


def test_the_self_play_example(tmp_path: Path) -> None:
    told = run(
        *("self_play_ppo.py", "--steps", "16384", "--every", "1", "--options", "side=3"),
        folder=tmp_path,
    )
    assert "4 opponents in the pool" in told and "against make_bot('random')" not in told
    assert "against 'random'" in told and "against 'greedy'" in told


def test_the_self_play_example_without_a_copy(tmp_path: Path) -> None:
    told = run("self_play_ppo.py", "--steps", "4096", "--options", "side=3", folder=tmp_path)
    assert "1 opponent in the pool" in told and "no copy was taken" in told
    assert told.count("against 'random'") == 1 and told.count("against") == 2


@pytest.mark.parametrize("script", ["train_maskable_ppo", "self_play_ppo", "random_game"])
def test_a_wrong_word_is_named(script: str) -> None:
    for word, message in (("4", "'4' is not NAME=VALUE"), ("nothing=4", "no option 'nothing'")):
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / f"{script}.py"), "--options", word],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2 and message in done.stderr
