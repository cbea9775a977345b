"""A game that the package has never heard of gets everything, with no edit anywhere else."""

from __future__ import annotations

import random

import numpy as np
import pettingzoo
import pytest

import conformance
import hexgames_env
import toy_game
from hexgames_env import Game, OptionError, State, game_names, make_game, register_game
from hexgames_env.envs.aec import make_env
from hexgames_env.testing import check_game, games_of, walk
from official import DICT_OBSERVATIONS, api_test, seed_test
from toy_game import Duo


@pytest.fixture(autouse=True, scope="module")
def _register() -> None:
    register_game(Duo)
    register_game(Duo)  # twice is fine


@pytest.fixture(params=[2, 3])
def game(request: pytest.FixtureRequest) -> Game:
    return make_game("duo", side=request.param)


def test_a_state_from_beginning_to_end() -> None:
    state = make_game("duo").initial_state()
    players = []
    for text in "b2 a1 a2 b1 b3 c1 c2".split():
        players.append(state.to_play)
        state.step(state.parse_action(text))
    assert players == [0, 0, 1, 1, 0, 0, 1]
    assert state.winner == 0 and state.to_play == 1
    assert state.to_string() == "duo side=2 board=BW/WBB/BW to_play=1 winner=0"
    assert repr(state) == f"<State {state.to_string()}>"


def test_both_can_win() -> None:
    winners = set()
    for seed in range(20):
        *_, last = walk(make_game("duo"), seed)
        winners.add(last.winner)
    assert winners == {0, 1}


def test_it_passes_the_check_of_games() -> None:
    check_game(Duo)
    assert len(make_game("duo").symmetries()) == 12


def test_conformance(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    conformance.gives_compiled_code_numbers_of_actions_alone(game, 3, monkeypatch)
    conformance.takes_only_arrays_that_fit(game)
    conformance.turns_batches_of_any_shape(game)
    conformance.is_written_in_python(game)


def test_two_sizes_at_once() -> None:
    small, large = games_of("duo")
    conformance.takes_hands_off_other_games(small, large)


def test_texts() -> None:
    state = State.from_string("duo side=2 board=../.B./.. to_play=0 winner=none second=true")
    assert state.phase == "second" and state.fields() == {"second": "true"}
    by_hand = make_game("duo").state_from_cells({"b2": 0}, second=True)
    assert by_hand == state
    text = state.to_string()
    for end in range(len(text)):
        conformance.reads_or_refuses(text[:end])


@pytest.mark.filterwarnings(DICT_OBSERVATIONS)
def test_pettingzoo() -> None:
    if hasattr(pettingzoo, "make"):
        assert "hexgames/duo-v0" in pettingzoo.aec_registry
        env = pettingzoo.make("aec", "hexgames/duo-v0", side=3)
    else:  # before 1.27 there is no registry
        env = make_env("duo", side=3)
    api_test(env, num_cycles=100)
    seed_test(lambda: make_env("duo"), num_cycles=50)


def test_an_env_follows_its_turns() -> None:
    env = make_env("duo")
    env.reset(seed=1)
    rng = np.random.default_rng(2)
    agents = []
    totals = {"player_0": 0.0, "player_1": 0.0}
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        totals[agent] += reward
        assert observation is not None
        if termination or truncation:
            env.step(None)
        else:
            agents.append(agent[-1])
            env.step(int(rng.choice(observation["action_mask"].nonzero()[0])))
    assert "".join(agents) == "0011001"
    assert totals == env.returns() and sorted(totals.values()) == [-1, 1]


def test_a_picture_in_text() -> None:
    env = make_env("duo", render_mode="ansi")
    env.reset(seed=1)
    env.step(env.parse_action("b2"))
    shown = env.render()
    assert isinstance(shown, str) and "b2" in shown and "player_0" in shown


def test_names_are_taken_once() -> None:
    class Other(Duo):
        pass

    class Rival(Duo):
        name = "oust"

    class Spaced(Duo):
        name = "my duo"

    for wrong, message in (
        (Other, "there is a game 'duo' already"),
        (Rival, "there is a game 'oust' already"),
        (Spaced, "must be an identifier, got 'my duo'"),
    ):
        with pytest.raises(OptionError, match=message):
            register_game(wrong)
    assert game_names().count("duo") == 1
    assert type(make_game("duo")) is Duo


def test_only_classes_of_games_are_registered() -> None:
    class Numbered(Duo):
        name = 3  # type: ignore[assignment]

    before = game_names()
    for wrong in ("x", None, make_game("duo"), int, Game):
        with pytest.raises(OptionError, match=r"a game is a class derived from Game .*, got "):
            register_game(wrong)  # type: ignore[arg-type]
    with pytest.raises(
        OptionError, match="needs a class attribute name, a str that is not empty, got 3"
    ):
        register_game(Numbered)
    assert game_names() == before


def test_a_users_game_has_no_module_in_the_package() -> None:
    assert not hasattr(hexgames_env, "duo_v0") and not hasattr(hexgames_env, "nothing_v0")
    assert hasattr(hexgames_env, "oust_v0")
    with pytest.raises(AttributeError, match="'hexgames_env' has no attribute 'duo_v0'"):
        hexgames_env.duo_v0  # noqa: B018


def test_random_play_is_over_both_sizes_alike() -> None:
    rng = random.Random(1)
    for game in games_of("duo"):
        state = game.initial_state()
        while not state.is_over:
            state.step(state.sample_action(rng))
        assert len(state.history) == game.board.num_cells


def test_the_file_needs_public_names_alone() -> None:
    assert toy_game.__file__ is not None
    with open(toy_game.__file__, encoding="utf-8") as file:
        lines = [line for line in file if "hexgames_env" in line]
    assert lines == [
        "from hexgames_env import Game, HexBoard, IntegerOption, PositionTextError, kernel\n",
        "from hexgames_env.engine import is_cut_off, pack_status, seer_of\n",
    ]
