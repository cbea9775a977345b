"""The PettingZoo environment, for every game of the registry."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pettingzoo
import pytest
from numpy.typing import NDArray

import hexgames_env
from hexgames_env import (
    Game,
    GameOverError,
    IllegalActionError,
    NotResetError,
    OptionError,
    State,
    UnknownOptionError,
    game_names,
    gipf_v0,
    make_game,
    oust_v0,
    rive_v0,
    strands_v0,
)
from hexgames_env.core.words import illegal_action_words, player_words
from hexgames_env.envs.aec import AGENTS, HexGameEnv, make_env
from hexgames_env.envs.single import make_single
from hexgames_env.envs.vector import make_vector
from hexgames_env.rendering import Renderer
from hexgames_env.testing import NO_ACTIONS, small_game
from official import DICT_OBSERVATIONS, api_test, render_test, seed_test

MODULES = {"oust": oust_v0, "rive": rive_v0, "strands": strands_v0, "gipf": gipf_v0}
Observation = dict[str, NDArray[Any]]

every_game = pytest.mark.parametrize("name", game_names())
BY_THE_RULES = {agent: {"illegal_action": 0} for agent in AGENTS}  # infos of a game that ended so


def small_env(name: str, **settings: Any) -> HexGameEnv:
    """The game at its smallest, and a game begun."""
    env = make_env(name, **small_game(name).options, **settings)
    env.reset(seed=1)
    return env


def legal_actions(env: HexGameEnv) -> list[int]:
    observation = env.last()[0]
    assert observation is not None
    return observation["action_mask"].nonzero()[0].tolist()


def illegal_action(env: HexGameEnv) -> int:
    """An action in range that the mask forbids, in the first position that has one."""
    while len(legal_actions(env)) == env.game.num_actions:
        env.step(legal_actions(env)[0])
    return next(a for a in range(env.game.num_actions) if a not in legal_actions(env))


def play(env: HexGameEnv, seed: int, steps: int = 10**9) -> list[Any]:
    """Random steps to the end of the game; what was seen before each and after the last."""
    rng = np.random.default_rng(seed)
    trail = [looks(env)]
    while env.agents and not any(env.terminations.values()) and not any(env.truncations.values()):
        if len(trail) > steps:
            break
        env.step(int(rng.choice(legal_actions(env))))
        trail.append(looks(env))
    return trail


def frozen(observation: Observation) -> tuple[bytes, bytes]:
    return observation["observation"].tobytes(), observation["action_mask"].tobytes()


def looks(env: HexGameEnv) -> tuple[Any, ...]:
    """All that an env shows, to compare."""
    fields: tuple[Any, ...] = (
        *(env.agents, env.agent_selection, env.rewards, env._cumulative_rewards),
        *(env.terminations, env.truncations, env.infos, env.winner, env.returns()),
    )
    views = [frozen(env.observe(agent)) for agent in AGENTS]
    return *copy.deepcopy(fields), *views, env.game_state.to_string(), env.game_state.history


def finish(env: HexGameEnv) -> dict[str, float]:
    """The dead steps; what each agent is told by `last` in them."""
    told = {}
    while env.agents:
        told[env.agent_selection] = env.last()[1]
        env.step(None)
    return told


# PettingZoo's own tests


@every_game
@pytest.mark.filterwarnings(DICT_OBSERVATIONS)
def test_pettingzoo_api_test(name: str) -> None:
    api_test(small_env(name), num_cycles=200)
    api_test(small_env(name, max_cycles=3, illegal_action="raise"), num_cycles=20)
    api_test(make_env(name), num_cycles=20)


@every_game
def test_pettingzoo_seed_test(name: str) -> None:
    seed_test(lambda: small_env(name), num_cycles=100)


@every_game
def test_pettingzoo_render_test(name: str) -> None:
    def ansi(render_mode: str) -> HexGameEnv:
        env = make_env(name, render_mode="ansi")
        env.metadata["render_modes"] = ["ansi"]  # the others need a drawing library
        return env

    render_test(ansi, {"ansi": lambda shown: "player_" in shown})


# How one makes an environment


@every_game
def test_modules(name: str) -> None:
    module = MODULES[name]
    assert module is import_module(f"hexgames_env.{name}_v0")
    assert module is getattr(hexgames_env, f"{name}_v0")
    for make, illegal in ((module.env, "lose"), (module.raw_env, "raise")):
        env: HexGameEnv = make()
        assert env.game == make_game(name) and env.illegal_action == illegal
        assert env.max_cycles is None and env.render_mode is None
        assert env.metadata["name"] == f"{name}_v0" and "ansi" in env.metadata["render_modes"]
        assert env.metadata["is_parallelizable"] is False
        assert env.possible_agents == list(AGENTS) and env.agents == [] and env.num_agents == 0
        options = dict(small_game(name).options)
        env = make(**options, max_cycles=7, render_mode="ansi", illegal_action="raise")
        assert env.game == make_game(name, **options)
        assert (env.max_cycles, env.render_mode, env.illegal_action) == (7, "ansi", "raise")
        with pytest.raises(TypeError, match="colour"):
            make(colour=1)


def test_every_game_has_a_module() -> None:
    assert tuple(MODULES) == game_names()[: len(MODULES)]


def test_there_is_no_other_module() -> None:
    for name in ("hex_v0", "oust_v1", "no_such_name"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
            getattr(hexgames_env, name)


@every_game
def test_pettingzoo_make(name: str) -> None:
    options = dict(small_game(name).options)
    if hasattr(pettingzoo, "make"):
        env = pettingzoo.make("aec", f"hexgames/{name}-v0", max_cycles=5, **options)
    else:  # before 1.27 there is no registry, and this is what it would call
        env = make_env(name, max_cycles=5, **options)
    assert isinstance(env.unwrapped, HexGameEnv)
    assert env.unwrapped.game == make_game(name, **options)
    assert env.unwrapped.max_cycles == 5 and env.unwrapped.illegal_action == "lose"
    env.reset(seed=1)
    observation = env.last()[0]
    assert observation is not None and observation["action_mask"].any()


@pytest.mark.parametrize("side", [1, 10, 3.5, "7", True, None])
@pytest.mark.parametrize("module", [oust_v0, rive_v0])
def test_wrong_sides(module: Any, side: object) -> None:
    for make in (module.env, module.raw_env):
        with pytest.raises(OptionError, match="side must be an integer from 2 to 9, got"):
            make(side=side)


@pytest.mark.parametrize("max_cycles", [0, -1, 2.0, "5", True, np.array([5])])
def test_wrong_max_cycles(max_cycles: Any) -> None:
    with pytest.raises(OptionError, match="max_cycles must be None or a positive integer below"):
        oust_v0.env(max_cycles=max_cycles)


@pytest.mark.parametrize("render_mode", ["ascii", "", 3, True, ["ansi"]])
def test_wrong_render_modes(render_mode: Any) -> None:
    with pytest.raises(OptionError, match="render_mode must be None or one of 'ansi'"):
        oust_v0.env(render_mode=render_mode)


@pytest.mark.parametrize("illegal", ["win", "", None, True, ["lose"]])
def test_wrong_ways_with_illegal_actions(illegal: Any) -> None:
    with pytest.raises(OptionError, match="illegal_action must be 'lose' or 'raise', got"):
        oust_v0.env(illegal_action=illegal)


def test_an_unknown_option_is_a_type_error_too() -> None:
    """As Python's own for an argument that a function does not know: libraries look for that."""
    said = "oust has no option 'colour': its options are side, pie_rule"
    for make in (make_env, make_single, make_vector, make_game):
        with pytest.raises(UnknownOptionError, match=said) as found:
            make("oust", colour=1)
        assert isinstance(found.value, TypeError) and isinstance(found.value, OptionError)
    for make in (make_env, make_single, make_vector):
        with pytest.raises(UnknownOptionError, match="colour: no such setting"):
            make(make_game("oust"), colour=1)
        for wrong in ({"side": 99}, {"side": "7"}, {"pie_rule": 1}):
            with pytest.raises(OptionError) as found:
                make("oust", **wrong)
            assert not isinstance(found.value, TypeError)
    if hasattr(pettingzoo, "make"):
        with pytest.raises(UnknownOptionError, match=said):
            pettingzoo.make("aec", "hexgames/oust-v0", colour=1)
    with pytest.raises(OptionError, match=said) as found:
        Game.from_string("oust colour=1")
    assert not isinstance(found.value, TypeError)  # a text is no call


@pytest.mark.parametrize("number", [10**5000, -(10**5000)], ids=["large", "small"])
def test_numbers_too_long_to_be_written(number: Any) -> None:
    for make in (make_env, make_single, make_vector):
        with pytest.raises(OptionError, match=r"size of a picture .* an integer of 16610 bits"):
            make("oust", render_size=number)
        with pytest.raises(OptionError, match=r"render_mode must be .* an integer of 16610 bits"):
            make("oust", render_mode=number)
    for setting in ("fps", "size"):
        with pytest.raises(OptionError, match="an integer of 16610 bits"):
            Renderer("ansi", **{setting: number})
    with pytest.raises(OptionError, match="headline must be None or a str, got an integer"):
        Renderer("ansi").render(make_game("oust").initial_state(), headline=number)
    with pytest.raises(TypeError, match=r"what is drawn is a State, .* got an integer"):
        Renderer("ansi").render(number)


def test_wrong_options() -> None:
    with pytest.raises(OptionError, match="oust has no option 'colour'"):
        make_env("oust", colour=1)
    with pytest.raises(OptionError, match="there is no game 'hex'"):
        make_env("hex")
    with pytest.raises(OptionError, match="pie_rule must be True or False, got 1"):
        oust_v0.env(pie_rule=1)  # type: ignore[arg-type]
    assert oust_v0.env(max_cycles=np.int64(3)).max_cycles == 3  # type: ignore[arg-type]


@every_game
def test_spaces(name: str) -> None:
    env = small_env(name)
    for agent in AGENTS:
        space = env.observation_space(agent)
        assert space is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == env.game.num_actions
        assert space["observation"].shape == env.game.observation_shape
        assert space.contains(env.observe(agent))
    for ask in (env.observation_space, env.action_space, env.observe):
        for agent in ("player_2", "", None, 0):
            with pytest.raises(ValueError, match="there is no agent"):
                ask(agent)  # type: ignore[operator]


# Whole games


@every_game
def test_a_game_is_that_of_its_state(name: str) -> None:
    repeated = 0
    for seed in range(5):
        env = small_env(name)
        env.reset(seed=seed)
        state = env.game_state
        rng = np.random.default_rng(seed)
        while not state.is_over:
            assert env.agent_selection == AGENTS[state.to_play]
            assert env.agents == list(AGENTS) and env.winner is None
            assert env.rewards == dict.fromkeys(AGENTS, 0)
            assert env.returns() == dict.fromkeys(AGENTS, 0)
            assert env.infos == {agent: {} for agent in AGENTS}
            observation, reward, termination, truncation, info = env.last()
            assert observation is not None
            assert (reward, termination, truncation, info) == (0, False, False, {})
            assert env.last(observe=False) == (None, 0, False, False, {})
            actor, waiting = env.agent_selection, AGENTS[1 - state.to_play]
            assert frozen(observation) == frozen(env.observe(actor))
            assert observation["observation"].dtype == np.float32
            assert observation["action_mask"].dtype == np.int8
            for agent, mask in ((actor, state.action_mask()), (waiting, 0 * state.action_mask())):
                seen = env.observe(agent)
                assert (seen["action_mask"] == mask).all()
                planes = state.observation(AGENTS.index(agent))
                assert (seen["observation"] == planes).all()
            action = int(rng.choice(observation["action_mask"].nonzero()[0]))
            text = state.action_to_string(action)
            assert env.action_to_string(action) == text and env.parse_action(text) == action
            env.step(action)
            state.step(action)
            assert env.game_state == state and env.game_state.history == state.history
            repeated += AGENTS[state.to_play] == actor
        winner, loser = AGENTS[state.winner or 0], AGENTS[1 - (state.winner or 0)]
        outcome = {winner: 1, loser: -1}
        assert env.terminations == dict.fromkeys(AGENTS, True)
        assert env.truncations == dict.fromkeys(AGENTS, False)
        assert all(type(flag) is bool for flag in env.terminations.values())
        assert env.rewards == outcome and env.winner == winner
        assert env.infos == BY_THE_RULES and env.last()[4] == {"illegal_action": 0}
        for agent in AGENTS:
            seen = env.observe(agent)
            assert not seen["action_mask"].any() and not seen["observation"][..., 1].any()
            assert (seen["observation"] == state.observation(AGENTS.index(agent))).all()
        ended = {agent: frozen(env.observe(agent)) for agent in AGENTS}
        assert finish(env) == outcome
        assert env.agents == [] and env.winner == winner and env.returns() == outcome
        assert {agent: frozen(env.observe(agent)) for agent in AGENTS} == ended
        assert env.game_state == state
    assert repeated > 0, "no turn had several steps"


@every_game
def test_each_agent_is_rewarded_once(name: str) -> None:
    for seed in range(10):
        env = small_env(name)
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        by_last, by_rewards = dict.fromkeys(AGENTS, 0.0), dict.fromkeys(AGENTS, 0.0)
        for agent in env.agent_iter():
            observation, reward, termination, truncation, _ = env.last()
            assert observation is not None and not truncation
            by_last[agent] += reward
            actions = observation["action_mask"].nonzero()[0]
            env.step(None if termination else int(rng.choice(actions)))
            if not termination:
                for rewarded, value in env.rewards.items():
                    by_rewards[rewarded] += value
        assert by_last == by_rewards == env.returns()
        assert sorted(by_last.values()) == [-1, 1]


def test_the_agents_of_turns_with_several_steps() -> None:
    env = oust_v0.env(side=3, pie_rule=False)
    env.reset()
    agents = ""
    for place in "2,0 -1,1 2,-2 -1,-1 0,2 0,1 1,-1 2,-1 0,-2 0,-1".split():
        q, r = map(int, place.split(","))
        agents += env.agent_selection[-1]
        env.step(env.game.board.cell_at(q, r))
    assert agents == "0101011001" and env.agent_selection == "player_1"
    assert [env.action_to_string(action) for action in legal_actions(env)] == ["pass"]
    env.step(env.parse_action("pass"))
    assert env.agent_selection == "player_0"


# Cut off


@every_game
def test_truncation(name: str) -> None:
    env = small_env(name)
    length = len(play(env, seed=3)) - 1
    for max_cycles in (1, 2, length - 1):
        cut = small_env(name, max_cycles=max_cycles)
        trail = play(cut, seed=3)
        assert len(trail) - 1 == max_cycles
        state = cut.game_state
        assert cut.truncations == dict.fromkeys(AGENTS, True)
        assert cut.terminations == dict.fromkeys(AGENTS, False)
        assert all(type(flag) is bool for flag in cut.truncations.values())
        assert cut.rewards == cut.returns() == dict.fromkeys(AGENTS, 0)
        assert cut.infos == BY_THE_RULES
        assert cut.winner is None and cut.agent_selection == AGENTS[state.to_play]
        for player, agent in enumerate(AGENTS):
            seen = cut.observe(agent)
            assert not seen["action_mask"].any() and not seen["observation"][..., 1].any()
            assert (seen["observation"] == state.observation(player, ended=True)).all()
        with pytest.raises(IllegalActionError, match="the game has ended"):
            cut.parse_action(state.action_to_string(state.legal_actions()[0]))
        assert finish(cut) == dict.fromkeys(AGENTS, 0)
        assert cut.agents == [] and cut.returns() == dict.fromkeys(AGENTS, 0)


@every_game
def test_a_game_that_ends_on_the_last_allowed_step_has_ended(name: str) -> None:
    env = small_env(name)
    trail = play(env, seed=3)
    limited = small_env(name, max_cycles=len(trail) - 1)
    assert play(limited, seed=3) == trail
    assert all(limited.terminations.values()) and not any(limited.truncations.values())
    assert limited.winner == env.winner is not None


@every_game
def test_max_cycles_counts_anew_after_a_reset(name: str) -> None:
    env = small_env(name, max_cycles=2)
    for _ in range(3):
        env.reset()
        assert len(play(env, seed=1)) == 3 and all(env.truncations.values())


# Illegal actions


@every_game
def test_an_illegal_action_loses(name: str) -> None:
    env = small_env(name)
    action = illegal_action(env)
    before = env.game_state
    actor = env.agent_selection
    winner = AGENTS[1 - AGENTS.index(actor)]
    outcome = {actor: -1, winner: 1}
    env.step(action)
    assert env.terminations == dict.fromkeys(AGENTS, True)
    assert env.truncations == dict.fromkeys(AGENTS, False)
    assert env.rewards == outcome and env.returns() == outcome and env.winner == winner
    assert env.infos == {actor: {"illegal_action": 1}, winner: {"illegal_action": 0}}
    assert env.last()[4] == {"illegal_action": 1} and type(env.last()[4]["illegal_action"]) is int
    assert env.game_state == before and env.game_state.history == before.history
    assert not env.game_state.is_over
    for player, agent in enumerate(AGENTS):
        seen = env.observe(agent)
        assert not seen["action_mask"].any() and not seen["observation"][..., 1].any()
        assert (seen["observation"] == before.observation(player, ended=True)).all()
    with pytest.raises(IllegalActionError, match="the game has ended"):
        env.parse_action(before.action_to_string(before.legal_actions()[0]))
    assert finish(env) == outcome
    assert env.winner == winner and env.returns() == outcome
    with pytest.raises(GameOverError):
        env.step(None)
    env.reset(seed=1)
    assert env.winner is None and env.observe(env.agent_selection)["action_mask"].any()
    assert env.infos == {agent: {} for agent in AGENTS}


@every_game
def test_a_loss_by_an_illegal_action_writes_no_message(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes many times as long as a step, and nobody would read it."""
    env = small_env(name)
    single = make_single(name, seat=0, **small_game(name).options)
    single.reset(seed=1)
    while single.action_masks().all():
        single.step(int(single.action_masks().argmax()))
    action = illegal_action(env)
    monkeypatch.setattr(State, "_why_not", None)
    env.step(action)
    single.step(int(single.action_masks().argmin()))
    assert env.winner is not None and single.winner == 1


@every_game
def test_an_illegal_action_on_the_last_allowed_step_loses(name: str) -> None:
    env = small_env(name)
    action = illegal_action(env)
    begun = len(env.game_state.history)
    limited = small_env(name, max_cycles=begun + 1)
    for earlier in env.game_state.history:
        limited.step(earlier)
    limited.step(action)
    assert all(limited.terminations.values()) and not any(limited.truncations.values())
    assert [info["illegal_action"] for info in limited.infos.values()].count(1) == 1


@every_game
def test_an_illegal_action_raises(name: str) -> None:
    env = small_env(name, illegal_action="raise")
    action = illegal_action(env)
    before = looks(env)
    for wrong in (action, np.int16(action), np.array(action)):
        with pytest.raises(IllegalActionError, match=f"action {action} .* is illegal here"):
            env.step(wrong)
    assert looks(env) == before
    assert len(play(env, seed=1)) > 1  # and the game goes on


@every_game
@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_what_is_no_action_always_raises(name: str, illegal: Any) -> None:
    env = small_env(name, illegal_action=illegal)
    before = looks(env)
    for action in (*NO_ACTIONS, env.game.num_actions, -env.game.num_actions):
        with pytest.raises(IllegalActionError, match="is an integer from 0 to"):
            env.step(action)
        with pytest.raises(IllegalActionError):
            env.action_to_string(action)
    assert looks(env) == before


@every_game
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, np.array])
def test_integers_of_all_kinds(name: str, kind: Callable[[int], Any]) -> None:
    env, other = small_env(name), small_env(name)
    action = legal_actions(env)[0]
    env.step(action)
    other.step(kind(action))
    assert looks(env) == looks(other)


# Out of order


@every_game
def test_before_the_first_reset(name: str) -> None:
    env = make_env(name, render_mode="ansi")
    for ask in (
        lambda: env.step(0),
        lambda: env.step(None),
        env.last,
        env.agent_iter,
        env.render,
        env.returns,
        lambda: env.observe("player_0"),
        lambda: env.winner,
        lambda: env.game_state,
        lambda: env.action_to_string(0),
        lambda: env.parse_action("a1"),
    ):
        with pytest.raises(NotResetError, match=r"reset\(\)"):
            ask()
    env.reset()
    assert legal_actions(env)


@every_game
def test_after_the_end(name: str) -> None:
    env = small_env(name)
    play(env, seed=1)
    with pytest.raises(ValueError, match="None"):
        env.step(0)  # dead agents take None
    assert env.agents == list(AGENTS)
    finish(env)
    assert list(env.agent_iter()) == []
    for action in (None, 0, -1, 1.5):
        with pytest.raises(GameOverError, match=r"reset\(\)"):
            env.step(action)  # type: ignore[arg-type]
    with pytest.raises(GameOverError, match=r"reset\(\)"):
        env.last()
    env.reset()
    assert env.agents == list(AGENTS) and legal_actions(env)


@every_game
def test_reset_in_the_middle(name: str) -> None:
    env, fresh = small_env(name), small_env(name)
    for steps in (1, 3):
        play(env, seed=1, steps=steps)
        env.reset(seed=1)
        assert looks(env) == looks(fresh)
    env.reset(seed=1, options={"anything": 1})
    assert looks(env) == looks(fresh)


# Copies and seeds


@every_game
@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))],
    ids=["copied", "pickled"],
)
def test_copies_go_on_with_the_same_game(
    name: str, copied: Callable[[HexGameEnv], HexGameEnv]
) -> None:
    length = len(play(small_env(name), seed=2)) - 1
    for steps in (0, length // 2, length):
        env = small_env(name)
        play(env, seed=2, steps=steps)
        before = looks(env)
        twin = copied(env)
        assert looks(twin) == before
        future = play(twin, seed=4)
        assert looks(env) == before  # the original stood still
        assert play(env, seed=4) == future
        # Later games too: with the env's own generator, and with seeds.
        for seed in (None, None, 5):
            env.reset(seed)
            twin.reset(seed)
            assert play(env, seed=6, steps=5) == play(twin, seed=6, steps=5)


@every_game
def test_a_copy_before_the_first_reset(name: str) -> None:
    env = make_env(name)
    twin = pickle.loads(pickle.dumps(env))
    with pytest.raises(NotResetError):
        twin.step(0)
    for either in (env, twin):
        either.reset(seed=3)
    assert looks(env) == looks(twin)


def test_seeds_of_a_game_that_begins_at_random() -> None:
    env = strands_v0.env(layout="6-random")

    def starts(*seeds: int | None) -> list[str]:
        found = []
        for seed in seeds:
            env.reset(seed)
            found.append(env.game_state.to_string())
        return found

    one = starts(1, None, None, 2)
    assert len(set(one)) == 4
    assert starts(1, None, None, 2) == one


@every_game
def test_the_state_is_a_copy(name: str) -> None:
    env = small_env(name)
    before = looks(env)
    state = env.game_state
    assert isinstance(state, State) and state is not env.game_state
    state.step(state.legal_actions()[0])
    assert looks(env) == before
    env.step(legal_actions(env)[0])
    state.undo()
    assert len(env.game_state.history) == 1


@every_game
def test_arrays_are_never_changed_afterwards(name: str) -> None:
    env = small_env(name)
    rng = np.random.default_rng(1)
    kept: list[tuple[Observation, tuple[bytes, bytes]]] = []
    for step in range(1500):
        if not env.agents:
            env.reset()
        observation, _, termination, _, _ = env.last()
        assert observation is not None
        if step < 500:
            seen = [observation, *(env.observe(agent) for agent in AGENTS)]
            kept += [(one, frozen(one)) for one in seen]
        actions = observation["action_mask"].nonzero()[0]
        env.step(None if termination else int(rng.choice(actions)))
    assert all(frozen(observation) == then for observation, then in kept)


@every_game
def test_arrays_belong_to_whoever_asked(name: str) -> None:
    env = small_env(name)
    before = looks(env)
    for agent in AGENTS:
        observation = env.observe(agent)
        observation["observation"][:] = 7
        observation["action_mask"][:] = 7
    last = env.last()[0]
    assert last is not None
    last["action_mask"][:] = 7
    assert looks(env) == before


# Pictures


@every_game
def test_ansi_marks_the_last_step(name: str) -> None:
    env = small_env(name, render_mode="ansi")
    before = env.render()
    assert isinstance(before, str) and "[" not in before and "player_0" in before
    action = legal_actions(env)[0]
    text = env.action_to_string(action)
    env.step(action)
    after = env.render()
    assert isinstance(after, str) and "[" in after and text in after.partition("\n")[2]
    play(env, seed=1)
    ended = env.render()
    winner = player_words(env.game, env.game_state.winner)
    assert isinstance(ended, str) and f"{winner} has won" in ended and str(env.winner) in winner
    env.close()


@every_game
def test_a_picture_says_why_a_game_is_over(name: str) -> None:
    env = small_env(name, render_mode="ansi")
    action = illegal_action(env)
    state = env.game_state
    env.step(np.array(action))
    told = f"{illegal_action_words(state, action)}".split()
    assert told[:3] == ["illegal", "action", "of"] and told[-2:] == ["has", "won"]
    for twin in (env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert " ".join(told) in " ".join(str(twin.render()).split())
    finish(env)
    assert " ".join(told) in " ".join(str(env.render()).split())
    env.reset(seed=1)
    assert "illegal" not in str(env.render())
    cut = small_env(name, render_mode="ansi", max_cycles=1)
    assert "cut off" not in str(cut.render())
    play(cut, seed=1)
    assert "cut off after 1 step: nobody has won" in str(cut.render())


@every_game
def test_rendering_nothing(name: str) -> None:
    env = small_env(name)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None
    env.close()
    assert env.game.to_string() in repr(env)
