"""The single and the vector environment of one learner, with Gymnasium's own checks and beyond."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray

from hexgames_env import (
    GameOverError,
    IllegalActionError,
    NotResetError,
    OptionError,
    State,
    register_game,
)
from hexgames_env.bots import Bot, BotPool, RandomBot
from hexgames_env.envs.single import HexSingleAgentEnv, make_single
from hexgames_env.envs.vector import HexVectorEnv, make_vector
from toy_game import Duo

IDS = ["hexgames/Oust-v0", "hexgames/Rive-v0", "hexgames/Strands-v0", "hexgames/Gipf-v0"]
SMALL: dict[str, dict[str, Any]] = {
    "oust": {"side": 3},
    "rive": {"side": 3},
    "strands": {"layout": [3, 3, 3, 2, 1, 2, 2]},
    "gipf": {"variant": "basic"},
    "duo": {},
}


@pytest.fixture(autouse=True, scope="module")
def _register() -> None:
    register_game(Duo)


def last_legal(state: State, rng: np.random.Generator) -> int:
    """An opponent without chance."""
    return state.legal_actions()[-1]


def sample(mask: NDArray[np.int8], rng: np.random.Generator) -> int:
    return int(rng.choice(mask.nonzero()[0]))


def duo_winner_is_own(planes: NDArray[np.float32]) -> bool:
    """In Duo the middle stone wins: whether the observer sees its own there."""
    middle = len(planes) // 2
    assert planes[middle, middle, 2] + planes[middle, middle, 3] == 1
    return bool(planes[middle, middle, 2])


# Ids


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("opponent", ["random", "greedy", last_legal])
@pytest.mark.parametrize("name", [*IDS, "hexgames/Duo-v0"])
def test_check_env_has_nothing_to_say(name: str, opponent: Any, flat: bool) -> None:
    env = gymnasium.make(name, opponent=opponent, flat=flat, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)  # pixels: tests/stacks/test_pixels.py


def test_the_id_with_a_module_needs_no_import() -> None:
    script = (
        "import gymnasium as gym\n"
        "env = gym.make('hexgames_env:hexgames/Oust-v0', side=2, seat=1)\n"
        "env.reset(seed=1)\n"
        "envs = gym.make_vec('hexgames_env:hexgames/Oust-v0', num_envs=2,"
        " vectorization_mode='vector_entry_point', side=2)\n"
        "print(repr(env.unwrapped), type(envs).__name__)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("<HexSingleAgentEnv oust side=2 pie_rule=true against make_bot")
    assert run.stdout.endswith("HexVectorEnv\n")


def test_games_options_go_through_make() -> None:
    env = gymnasium.make("hexgames/Gipf-v0", variant="tournament", seat=0)
    assert env.unwrapped.game.options == {"variant": "tournament"}  # type: ignore[attr-defined]
    for error in (OptionError, TypeError):
        with pytest.raises(error, match="strands has no option 'side'"):
            gymnasium.make("hexgames/Strands-v0", side=4)


# One learner


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", SMALL)
def test_observation_and_player_stay_in_step(name: str, seat: int) -> None:
    """The opponent is asked for its own steps alone, the learner sees its own positions alone."""
    asked = []

    def opponent(state: State, rng: np.random.Generator) -> int:
        asked.append(state.to_play)
        return state.sample_action(rng)

    env = make_single(name, opponent, seat, **SMALL[name])  # type: ignore[arg-type]
    rng = np.random.default_rng(1)
    outcomes = set()
    for game in range(12):
        observation, info = env.reset(seed=game)
        steps, total, terminated = 0, 0.0, False
        while not terminated:
            assert isinstance(observation, dict) and info == {}
            state = env.game_state
            assert state.to_play == env.seat == seat
            assert (observation["observation"] == state.observation(seat)).all()
            assert observation["observation"][..., 1].any()
            assert (observation["action_mask"] == state.action_mask()).all()
            assert (env.action_masks() == observation["action_mask"]).all()
            assert total == 0
            observation, reward, terminated, truncated, info = env.step(
                sample(env.action_masks(), rng)
            )
            assert isinstance(reward, float) and not truncated
            total += reward
            steps += 1
        state = env.game_state
        assert len(state.history) >= steps and state.is_over
        assert total == state.returns()[seat] == (1 if env.winner == seat else -1)
        assert info == {"illegal_action": 0}
        assert isinstance(observation, dict)
        assert not observation["action_mask"].any() and not env.action_masks().any()
        assert not observation["observation"][..., 1].any()
        if name == "duo":
            assert duo_winner_is_own(observation["observation"]) == (total == 1)
        outcomes.add(total)
    assert outcomes == {1, -1}  # the loser's reward arrives
    assert set(asked) == {1 - seat}


def test_the_seat_is_drawn_for_each_game() -> None:
    env = make_single("oust", side=2)
    seats = []
    for game in range(200):
        env.reset(seed=1 if game == 0 else None)
        seats.append(env.seat)
    assert 70 < sum(seats) < 130


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_one_seed_decides_both_sides(opponent: str) -> None:
    def games(env: HexSingleAgentEnv, seed: int) -> list[tuple[int, list[int]]]:
        rng = np.random.default_rng(2)
        found = []
        for game in range(4):
            env.reset(seed=seed if game == 0 else None)
            over = False
            while not over:
                over = env.step(sample(env.action_masks(), rng))[2]
            found.append((env.seat, env.game_state.history))
        return found

    first, second = (make_single("strands", opponent, layout="6-random") for _ in range(2))
    second.reset(seed=99)
    assert games(first, 5) == games(second, 5) == games(first, 5)
    assert games(first, 5) != games(first, 6)


@pytest.mark.parametrize("seat", [0, 1])
def test_an_illegal_action_loses(seat: Any) -> None:
    env = make_single("oust", last_legal, seat, side=2)
    env.reset(seed=1)
    before = env.game_state
    illegal = int((env.action_masks() == 0).argmax())
    observation, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1, True, False)
    assert info == {"illegal_action": 1} and type(info["illegal_action"]) is int
    assert env.winner == 1 - seat and env.game_state == before
    assert isinstance(observation, dict) and not observation["action_mask"].any()
    with pytest.raises(GameOverError, match="call reset"):
        env.step(0)


def test_an_illegal_action_can_raise() -> None:
    env = make_single("oust", illegal_action="raise", seat=1, side=2)
    env.reset(seed=1)
    before = env.game_state
    with pytest.raises(IllegalActionError, match="is illegal here"):
        env.step(int((env.action_masks() == 0).argmax()))
    assert env.game_state == before
    env.step(int(env.action_masks().argmax()))


@pytest.mark.parametrize("action", [-1, 9, 1.0, None, True, np.array([1])])
@pytest.mark.parametrize("illegal_action", ["lose", "raise"])
def test_what_is_no_action_always_raises(action: Any, illegal_action: Any) -> None:
    env = make_single("oust", illegal_action=illegal_action, side=2)
    env.reset(seed=1)
    before = env.game_state
    with pytest.raises(IllegalActionError, match="an integer from 0 to 8"):
        env.step(action)
    assert env.game_state == before


def test_max_cycles_counts_the_steps_of_both() -> None:
    for seat, steps in ((0, 3), (1, 2)):
        env = make_single("gipf", "random", seat, max_cycles=5)  # type: ignore[arg-type]
        env.reset(seed=1)
        for k in range(steps):
            observation, reward, terminated, truncated, info = env.step(
                int(env.action_masks().argmax())
            )
            assert (reward, terminated, truncated) == (0, False, k == steps - 1)
            assert info == ({"illegal_action": 0} if truncated else {})
        assert len(env.game_state.history) == 5 and env.winner is None
        assert isinstance(observation, dict) and not observation["action_mask"].any()
        with pytest.raises(GameOverError):
            env.step(0)


def test_a_win_on_the_last_step_is_no_truncation() -> None:
    env = make_single("duo", "random", 0, max_cycles=7)
    for seed in range(5):
        env.reset(seed=seed)
        over = False
        while not over:
            _, reward, over, truncated, _ = env.step(int(env.action_masks().argmax()))
            assert not truncated
        assert abs(reward) == 1


def test_no_game_for_the_learner() -> None:
    env = make_single("duo", seat=1, max_cycles=2)
    with pytest.raises(RuntimeError, match="ended before the learner came to act"):
        env.reset(seed=1)
    both = make_single("duo", max_cycles=2)
    for seed in range(10):
        both.reset(seed=seed)
        assert both.seat == 0


def test_flat_observations() -> None:
    flat, full = make_single("rive", seat=1, flat=True), make_single("rive", seat=1)
    vector, info = flat.reset(seed=1)
    observation, _ = full.reset(seed=1)
    while True:
        assert isinstance(vector, np.ndarray) and isinstance(observation, dict)
        assert vector.dtype == np.float32 and vector.shape == (9 * 9 * 8,)
        assert (vector == observation["observation"].ravel()).all()
        assert (info["action_mask"] == observation["action_mask"]).all()
        action = int(observation["action_mask"].argmax())
        vector, _, over, _, info = flat.step(action)
        observation, _, _, _, _ = full.step(action)
        if over:
            break
    assert sorted(info) == ["action_mask", "illegal_action"] and not info["action_mask"].any()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seat": 2}, "seat must be 'random', 0 or 1, got 2"),
        ({"seat": True}, "seat must be 'random', 0 or 1, got True"),
        ({"flat": 1}, "flat must be True or False, got 1"),
        ({"max_cycles": 0}, "max_cycles must be None or a positive integer below .*got 0"),
        ({"illegal_action": "ignore"}, "illegal_action must be 'lose' or 'raise', got 'ignore'"),
        ({"render_mode": "braille"}, "render_mode must be None or one of"),
        ({"opponent": "mighty"}, "there is no bot 'mighty'"),
        ({"opponent": 3}, "named by a text such as 'greedy', got 3"),
    ],
)
@pytest.mark.parametrize("make", [make_single, make_vector])
def test_wrong_settings_are_refused(
    make: Callable[..., Any], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        make("oust", **settings)


def test_an_opponents_illegal_action_names_it() -> None:
    def cheat(state: State, rng: np.random.Generator) -> int:
        return 99

    env = make_single("oust", cheat, 1, side=2)
    with pytest.raises(IllegalActionError, match=r"opponent <function .*cheat.*got 99"):
        env.reset(seed=1)
    envs = make_vector("oust", 2, cheat, 1, side=2)
    with pytest.raises(IllegalActionError, match=r"opponent <function .*cheat.*got 99"):
        envs.reset(seed=1)


@pytest.mark.parametrize("answer", [1.7, "1", True, None, float("nan"), np.array([1]), -1])
def test_an_opponents_answer_is_an_integer(answer: Any) -> None:
    for env in (
        make_single("oust", lambda state, rng: answer, 1, side=2),
        make_vector("oust", 2, lambda state, rng: answer, 1, side=2),
    ):
        with pytest.raises(IllegalActionError, match=r"opponent <function .*is an integer from 0"):
            env.reset(seed=1)


@pytest.mark.parametrize("answer", [[0, 0], np.zeros(2), np.zeros(3, int), np.zeros((2, 1), int)])
def test_an_opponents_answers_are_integers(answer: Any) -> None:
    class Odd(RandomBot):
        compiled = None

        def choose(self, *args: Any) -> Any:
            return answer

    envs = make_vector("oust", 2, Odd(), 1, side=2)
    with pytest.raises(IllegalActionError, match=r"opponent .*integer array of shape \(2,\), got"):
        envs.reset(seed=1)


@pytest.mark.parametrize("make", [make_single, make_vector])
def test_seeds(make: Any) -> None:
    env, other = (
        make("oust", opponent=lambda s, rng: s.sample_action(rng), side=3) for _ in range(2)
    )
    for seed in (np.int64(7), np.uint8(7), np.array(7)):
        seen, same = env.reset(seed=seed)[0], other.reset(seed=7)[0]
        assert (seen["observation"] == same["observation"]).all()
    before = env.np_random.bit_generator.state
    for wrong in (True, -1, 1.0, "7", 2**64):
        with pytest.raises(OptionError, match="seed must be None or an integer from 0"):
            env.reset(seed=wrong)
    assert env.np_random.bit_generator.state == before
    env.step(env.action_masks().argmax(axis=-1))


def test_before_the_first_reset() -> None:
    env = make_single("oust")
    for call in (lambda: env.step(0), env.action_masks, lambda: env.game_state):
        with pytest.raises(NotResetError, match="call reset"):
            call()
    envs = make_vector("oust")
    for call in (lambda: envs.step([0]), envs.action_masks, lambda: envs.batch):
        with pytest.raises(NotResetError, match="call reset"):
            call()


def test_a_copy_goes_on_with_the_same_game() -> None:
    env = make_single("oust", "greedy", side=4)
    env.reset(seed=3)
    env.step(int(env.action_masks().argmax()))
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        twin = copy.deepcopy(env)
        for _ in range(3):
            action = int(twin.action_masks().argmax())
            assert twin.step(action)[1:4] == other.step(action)[1:4]
            assert twin.game_state == other.game_state
        assert other.game_state != env.game_state


def test_arrays_are_not_changed_afterwards() -> None:
    env = make_single("oust", side=3)
    kept, _ = env.reset(seed=1)
    before = copy.deepcopy(kept)
    over = False
    while not over:
        over = env.step(int(env.action_masks().argmax()))[2]
    assert isinstance(kept, dict) and isinstance(before, dict)
    assert all((kept[key] == before[key]).all() for key in kept)


def test_pictures_in_text() -> None:
    env = make_single("oust", seat=0, render_mode="ansi", side=2)
    env.reset(seed=1)
    shown = env.render()
    assert isinstance(shown, str) and shown.startswith("oust side=2")
    env.step(env.game_state.parse_action("pass") if env.action_masks()[7] else 8)
    told = " ".join(str(env.render()).split())
    assert "illegal action of Black (player_0): one " in told
    assert "White (player_1) has won" in told
    env.reset(seed=1)
    assert "illegal" not in str(env.render())
    cut = make_single("gipf", seat=0, render_mode="ansi", max_cycles=1)
    cut.reset(seed=1)
    cut.step(0)
    assert "cut off after 1 step: nobody has won" in str(cut.render())
    envs = make_vector("oust", 2, render_mode="ansi", side=2)
    envs.reset(seed=1)
    boards = envs.render()
    assert boards is not None and len(boards) == 2 and "oust" in boards[0]
    envs.close()
    env.close()


def test_a_pool_keeps_its_member_for_a_game() -> None:
    names: list[str] = []

    class Named(Bot):
        def __init__(self, name: str) -> None:
            self.name = name  # type: ignore[misc]

        def __call__(self, state: State, rng: np.random.Generator) -> int:
            names.append(self.name)
            return state.sample_action(rng)

    pool = BotPool([Named("a"), Named("b")], newest=0.0)
    env = make_single("oust", pool, side=3)
    rng = np.random.default_rng(1)
    met = set()
    for seed in range(10):
        names.clear()
        env.reset(seed=seed)
        over = False
        while not over:
            over = env.step(sample(env.action_masks(), rng))[2]
        assert len(set(names)) == 1
        met |= set(names)
    assert met == {"a", "b"}


# Many learners


def play_by_hand(
    envs: HexVectorEnv, seats: NDArray[np.int64], steps: int, max_cycles: int | None
) -> int:
    """Follow each row with a State against `last_legal`, and compare everything; games ended."""
    observations, infos = envs.reset(seed=1)
    rng = np.random.default_rng(1)
    states = [envs.batch.state(row) for row in range(envs.num_envs)]
    lengths = envs.batch.lengths.tolist()
    ended = 0
    for _ in range(steps):
        assert isinstance(observations, dict) and (envs.seats == seats).all()
        masks = envs.action_masks()
        for row, state in enumerate(states):
            assert state.to_play == seats[row]
            assert (observations["observation"][row] == state.observation(seats[row])).all()
            assert (masks[row] == state.action_mask()).all()
        assert (observations["action_mask"] == masks).all()
        actions = np.array([sample(mask, rng) for mask in masks])
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert rewards.dtype == np.float64 and terminated.dtype == truncated.dtype == np.bool_
        for row, state in enumerate(states):
            seat, cut = seats[row], False
            state.step(actions[row])
            lengths[row] += 1
            while True:
                cut = not state.is_over and lengths[row] == max_cycles
                if state.is_over or cut or state.to_play == seat:
                    break
                state.step(last_legal(state, rng))
                lengths[row] += 1
            assert terminated[row] == state.is_over and truncated[row] == cut
            assert rewards[row] == state.returns()[seat]
            over = state.is_over or cut
            if over:
                final = infos["final_obs"][row]
                seen = state.observation(int(seat), ended=True)
                assert (final["observation"] == seen).all() and not final["action_mask"].any()
                states[row] = envs.batch.state(row)
                lengths[row] = envs.batch.lengths[row]
                ended += 1
            if "_final_obs" in infos:
                assert infos["_final_obs"][row] == infos["_final_info"][row] == over
                assert (infos["final_obs"][row] is None) == (not over)
            else:
                assert not over
    return ended


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("max_cycles", [None, 7])
@pytest.mark.parametrize("name", SMALL)
def test_rows_play_as_states_do(name: str, max_cycles: int | None, seat: int) -> None:
    envs = make_vector(name, 5, last_legal, seat, False, max_cycles, "raise", **SMALL[name])  # type: ignore[arg-type]
    assert play_by_hand(envs, np.full(5, seat), 60, max_cycles) > 5


@pytest.mark.parametrize("opponent", ["random", "greedy", RandomBot, "function"])
@pytest.mark.parametrize("name", SMALL)
def test_every_kind_of_opponent_keeps_the_rows_in_step(name: str, opponent: Any) -> None:
    class Asked(RandomBot):
        compiled = None  # so that it is asked

    player = {RandomBot: Asked(), "function": last_legal}.get(opponent, opponent)
    envs = make_vector(name, 8, player, illegal_action="raise", **SMALL[name])
    observations, _ = envs.reset(seed=4)
    rng = np.random.default_rng(1)
    results = []
    met: set[int] = set()
    for _ in range(150):
        batch = envs.batch
        assert (batch.to_play == envs.seats).all() and isinstance(observations, dict)
        assert (observations["observation"] == batch.observations()).all()
        actions = np.array([sample(mask, rng) for mask in envs.action_masks()])
        met |= {*envs.seats.tolist()}
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert not truncated.any() and ((rewards != 0) == terminated).all()
        for row in terminated.nonzero()[0]:
            results.append(rewards[row])
            planes = infos["final_obs"][row]["observation"]
            if name == "duo":
                assert duo_winner_is_own(planes) == (rewards[row] == 1)
            if name == "oust":  # the winner alone has stones
                assert planes[..., 2].any() == (rewards[row] == 1)
                assert planes[..., 3].any() == (rewards[row] == -1)
    assert met == {0, 1}
    assert set(results) == {-1.0, 1.0} or opponent == "function"


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_rows_do_not_depend_on_their_number(opponent: str) -> None:
    few = make_vector("strands", 3, opponent, layout="6-random")
    many = make_vector("strands", 7, opponent, layout="6-random")
    first, _ = few.reset(seed=8)
    second, _ = many.reset(seed=8)
    for _ in range(60):
        assert isinstance(first, dict) and isinstance(second, dict)
        assert (first["observation"] == second["observation"][:3]).all()
        actions = many.action_masks().argmax(axis=1)
        first, *told, _ = few.step(actions[:3])
        second, *more, _ = many.step(actions)
        assert all((a == b[:3]).all() for a, b in zip(told, more, strict=True))


def test_resets_begin_anew_and_seeds_repeat() -> None:
    envs = make_vector("oust", 6, side=4)

    def histories(seed: int | None) -> list[str]:
        envs.reset(seed=seed)
        for _ in range(5):
            envs.step(envs.action_masks().argmax(axis=1))
        return [envs.batch.state(row).to_string() for row in range(6)]

    first, second, again = histories(1), histories(None), histories(1)
    assert first == again and first != second
    assert histories(None) == second


def test_greedy_rows_play_better_than_random_ones() -> None:
    wins = {}
    for opponent in ("random", "greedy"):
        envs = make_vector("oust", 64, opponent, side=4)
        envs.reset(seed=1)
        rng = np.random.default_rng(1)
        results: list[float] = []
        for _ in range(60):
            masks = envs.action_masks()
            actions = (masks * rng.random(masks.shape)).argmax(axis=1)
            _, rewards, terminated, _, _ = envs.step(actions)
            results += rewards[terminated].tolist()
        wins[opponent] = results.count(1.0) / len(results)
    assert 0.4 < wins["random"] < 0.6 and wins["greedy"] < 0.1


def test_an_illegal_action_loses_in_its_row_alone() -> None:
    envs = make_vector("oust", 4, last_legal, 0, side=3)
    envs.reset(seed=1)
    envs.step(envs.action_masks().argmax(axis=1))
    masks = envs.action_masks()
    actions = masks.argmax(axis=1)
    actions[2] = int((masks[2] == 0).argmax())
    _, rewards, terminated, truncated, infos = envs.step(actions)
    assert rewards.tolist() == [0, 0, -1, 0] and not truncated.any()
    assert terminated.tolist() == [False, False, True, False]
    assert infos["final_obs"][2] is not None
    for told in (infos, infos["final_info"]):
        assert told["illegal_action"].tolist() == [0, 0, 1, 0]
        assert told["_illegal_action"].tolist() == [False, False, True, False]
    assert "illegal_action" not in envs.step(envs.action_masks().argmax(axis=1))[4]
    for wrong in ([0, 0, 0], [0.0] * 4, [0, 0, 0, 99], [0, 0, 0, -1]):
        before = envs.batch.observations()
        with pytest.raises(IllegalActionError):
            envs.step(np.array(wrong))
        assert (envs.batch.observations() == before).all()


@pytest.mark.parametrize("opponent", ["random", last_legal])
@pytest.mark.parametrize("name", SMALL)
def test_illegal_actions_are_counted_in_rows_that_end_at_once(name: str, opponent: Any) -> None:
    """As single environments would: where a game ends by its rules or by max_cycles it is 0."""
    envs = make_vector(name, 16, opponent, max_cycles=12, **SMALL[name])
    envs.reset(seed=3)
    rng = np.random.default_rng(1)
    counts = {0: 0, 1: 0}
    for _ in range(120):
        masks = envs.action_masks()
        actions = np.array([sample(mask, rng) for mask in masks])
        wrong = rng.random(16) < 0.1
        wrong &= (masks == 0).any(axis=1)
        actions[wrong] = masks[wrong].argmin(axis=1)
        _, rewards, terminated, truncated, infos = envs.step(actions)
        assert (rewards[wrong] == -1).all() and terminated[wrong].all()
        if not (terminated | truncated).any():
            assert "illegal_action" not in infos and not wrong.any()
            continue
        assert infos["illegal_action"].dtype == np.int64
        assert (infos["illegal_action"] == wrong).all()
        assert (infos["_illegal_action"] == (terminated | truncated)).all()
        for told in infos["illegal_action"][infos["_illegal_action"]].tolist():
            counts[told] += 1
    assert min(counts.values()) > 10


def test_no_illegal_row_with_raise() -> None:
    envs = make_vector("oust", 2, illegal_action="raise", side=2)
    envs.reset(seed=1)
    with pytest.raises(IllegalActionError, match="Nothing has changed"):
        envs.step((envs.action_masks() == 0).argmax(axis=1))


def test_no_rows_for_the_learner() -> None:
    envs = make_vector("duo", 3, seat=1, max_cycles=2)
    with pytest.raises(RuntimeError, match="ended before the learner came to act"):
        envs.reset(seed=1)
    both = make_vector("duo", 32, max_cycles=2)
    both.reset(seed=1)
    assert not both.seats.any()


@pytest.mark.parametrize("num_envs", [0, -1, 1.5, None])
def test_numbers_of_rows(num_envs: Any) -> None:
    with pytest.raises(OptionError, match="num_envs must be a positive integer"):
        make_vector("oust", num_envs)


@pytest.mark.parametrize("flat", [False, True])
def test_gymnasiums_form_of_vector_envs(flat: bool) -> None:
    envs: Any = gymnasium.make_vec(
        "hexgames/Oust-v0",
        num_envs=16,
        vectorization_mode="vector_entry_point",
        opponent="random",
        flat=flat,
        side=2,
    )
    assert envs.spec.id == "hexgames/Oust-v0" and envs.num_envs == 16
    if not hasattr(gymnasium.vector, "AutoresetMode"):  # Gymnasium 1.0
        assert "autoreset_mode" not in envs.metadata
        return
    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    assert envs.metadata["autoreset_mode"] == mode
    same: Any = gymnasium.make_vec(
        "hexgames/Oust-v0",
        num_envs=16,
        vectorization_mode="sync",
        flat=flat,
        side=2,
        vector_kwargs={"autoreset_mode": mode},
    )
    assert envs.observation_space == same.observation_space
    assert envs.action_space == same.action_space
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    told = [wrapped, same]
    seen = [env.reset(seed=1) for env in told]
    forms: list[Any] = [None, None]
    for _ in range(200):
        for k, env in enumerate(told):
            observation, infos = seen[k]
            assert observation in env.observation_space
            masks = (infos if flat else observation)["action_mask"]
            observation, _, terminated, _, infos = env.step(masks.argmax(axis=1))
            seen[k] = observation, infos
            if terminated.any():
                forms[k] = terminated, {key: infos[key] for key in infos if "final" in key}
    for terminated, infos in forms:
        assert sorted(infos) == ["_final_info", "_final_obs", "final_info", "final_obs"]
        told = infos["final_info"]
        assert (told["_illegal_action"] == terminated).all() and not told["illegal_action"].any()
        assert told["illegal_action"].dtype == np.int64 and told["illegal_action"].shape == (16,)
        assert len(told) == (4 if flat else 2)
        assert (infos["_final_info"] == terminated).all()
        assert (infos["_final_obs"] == terminated).all()
        final = infos["final_obs"]
        assert final.dtype == object and final.shape == (16,)
        assert all((final[row] is not None) == terminated[row] for row in range(16))
        assert all(final[row] in envs.single_observation_space for row in terminated.nonzero()[0])
        if flat:
            assert (infos["final_info"]["_action_mask"] == terminated).all()
            assert infos["final_info"]["action_mask"].shape == (16, 9)


def test_vector_envs_copy_and_keep_their_arrays() -> None:
    envs = make_vector("oust", 4, "greedy", side=3)
    kept, _ = envs.reset(seed=1)
    before = copy.deepcopy(kept)
    twin = copy.deepcopy(envs)
    for _ in range(10):
        actions = envs.action_masks().argmax(axis=1)
        first, second = envs.step(actions), twin.step(actions)
        assert isinstance(first[0], dict) and isinstance(second[0], dict)
        assert (first[0]["observation"] == second[0]["observation"]).all()
        assert (first[1] == second[1]).all()
    assert isinstance(kept, dict) and isinstance(before, dict)
    assert all((kept[key] == before[key]).all() for key in kept)


def test_a_vector_pool_draws_for_each_row_and_game() -> None:
    """Each member plays its rows from the first step to the last, and no others."""
    asked: list[tuple[str, int]] = []

    class Named(RandomBot):
        compiled = None

        def __init__(self, name: str) -> None:
            self.name = name  # type: ignore[misc]

        def choose(self, batch: Any, rng: Any, rows: Any = None) -> Any:
            asked.extend((self.name, row) for row in rows.tolist())
            return super().choose(batch, rng, rows)

    envs = make_vector("oust", 32, BotPool([Named("a"), Named("b")], newest=0.0), side=3)
    envs.reset(seed=1)
    in_first_game = set(range(32))
    of_first_game: dict[int, set[str]] = {row: set() for row in range(32)}
    of_all_games: dict[int, set[str]] = {row: set() for row in range(32)}
    for _ in range(60):
        for name, row in asked:
            of_all_games[row].add(name)
            if row in in_first_game:
                of_first_game[row].add(name)
        asked.clear()
        terminated = envs.step(envs.action_masks().argmax(axis=1))[2]
        in_first_game -= {*terminated.nonzero()[0].tolist()}
    assert not in_first_game
    assert {len(names) for names in of_first_game.values()} == {1}
    assert set().union(*of_first_game.values()) == {"a", "b"}
    assert {len(names) for names in of_all_games.values()} == {2}


@pytest.mark.parametrize("opponent", ["random", "greedy"])
@pytest.mark.parametrize("name", SMALL)
def test_a_pool_plays_as_its_member_does_in_compiled_code(name: str, opponent: str) -> None:
    """So it looks at the rows alone in which it is due, and takes the same random numbers."""
    pool, inside = (
        make_vector(name, 4, player, illegal_action="raise", max_cycles=60, **SMALL[name])
        for player in (BotPool([opponent]), opponent)
    )
    first, second = pool.reset(seed=3)[0], inside.reset(seed=3)[0]
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(60):
        assert isinstance(first, dict) and isinstance(second, dict)
        assert all((first[key] == second[key]).all() for key in first)
        actions = np.array([sample(mask, rng) for mask in pool.action_masks()])
        first, *told, _ = pool.step(actions)
        second, *same, _ = inside.step(actions)
        assert all((one == other).all() for one, other in zip(told, same, strict=True))
        ended += int(told[1].sum() + told[2].sum())
    assert ended > 4


class Cheat(Bot):
    """Plays at random until it is told otherwise."""

    name = "cheat"
    cheats = False

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        return 99 if self.cheats else state.sample_action(rng)


def test_an_opponents_error_leaves_only_a_reset() -> None:
    cheat = Cheat()
    env = make_single("oust", cheat, 0, side=2)
    with pytest.raises(NotResetError):
        env.step(0)
    env.reset(seed=1)
    cheat.cheats = True
    with pytest.raises(IllegalActionError, match="opponent"):
        env.step(0)
    assert len(env.game_state.history) == 1 and not env.action_masks().any()
    for _ in range(2):  # the opponent's step is not the learner's to make
        with pytest.raises(NotResetError, match="an error of the opponent has broken off"):
            env.step(1)
    assert len(env.game_state.history) == 1
    cheat.cheats = False
    env.reset()
    env.step(0)


def test_no_spurious_loss_after_an_opponents_error() -> None:
    cheat = Cheat()
    envs = make_vector("oust", 4, cheat, 0, side=2)
    envs.reset(seed=1)
    masks = envs.action_masks()
    actions = masks.argmax(axis=1)
    actions[2] = (masks[2] == 0).argmax()  # this row is over, in the others the opponent is asked
    cheat.cheats = True
    with pytest.raises(IllegalActionError, match=r"opponent .*got 99"):
        envs.step(actions)
    for call in (lambda: envs.step(actions), envs.action_masks):
        with pytest.raises(NotResetError, match=r"an error has broken off.*call reset\(\)"):
            call()
    assert envs.batch.lengths.tolist() == [1, 1, 1, 1]  # they can still be looked at
    cheat.cheats = False
    envs.reset()
    _, rewards, *_ = envs.step(envs.action_masks().argmax(axis=1))
    assert not rewards.any()


def test_a_wrong_action_breaks_nothing_off() -> None:
    envs = make_vector("oust", 4, illegal_action="raise", side=2)
    envs.reset(seed=1)
    for wrong in (np.zeros(3, int), np.full(4, 99), (envs.action_masks() == 0).argmax(axis=1)):
        with pytest.raises(IllegalActionError):
            envs.step(wrong)
        envs.step(envs.action_masks().argmax(axis=1))


def test_rows_in_which_no_game_begins_leave_only_a_reset() -> None:
    envs = make_vector("duo", 3, seat=1, max_cycles=2)
    with pytest.raises(RuntimeError, match="ended before the learner came to act"):
        envs.reset(seed=1)
    with pytest.raises(NotResetError, match="an error has broken off"):
        envs.step(np.zeros(3, int))
