"""The bot mcts in little: each of its loops, in environments, and what it refuses everywhere.

Small enough to be run with every index checked (the stage "bounds" of continuous integration).
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest

import hexgames_env.envs.registration  # noqa: F401  (ids)
from hexgames_env import (
    Batch,
    Game,
    GameOverError,
    NotResetError,
    OptionError,
    make_game,
    register_game,
)
from hexgames_env.bots import BotPool, evaluate, make_bot, play
from hexgames_env.bots.side import threads_for
from hexgames_env.cli import main
from hexgames_env.core.workers import Crew
from hexgames_env.envs.single import make_single
from hexgames_env.envs.vector import HexVectorEnv, make_vector
from hexgames_env.search import MctsBot, arrays
from strange_game import Point
from toy_game import Duo

OUST = make_game("oust", side=2)
# Each takes a compilation of some ten seconds; two of them suffice for every day
OTHERS = [
    make_game("rive", side=2),
    make_game("strands", layout=[2, 2, 1, 1, 1, 2, 2]),
    make_game("gipf"),
]
GAMES = [OUST, Duo(), *(pytest.param(game, marks=pytest.mark.long) for game in OTHERS)]


@pytest.fixture(autouse=True, scope="module")
def _register() -> None:
    register_game(Duo)
    register_game(Point)


def searcher(text: str) -> MctsBot:
    bot = make_bot(text)
    assert isinstance(bot, MctsBot)
    return bot


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


# Each loop, on all games


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.name))
def test_a_game_from_end_to_end(game: Game) -> None:
    """Every leaf, a tree that is kept, full or not, and rows side by side."""
    for leaf in ("random", "cut", "heuristic"):
        state = game.initial_state(1)
        going = searcher(f"mcts simulations=60 leaf={leaf}").session(state, rng())
        for step in range(300):
            found = going.think()
            assert going.state.is_legal(found.action) and found.principal_line[0] == found.action
            going.play(found.action if step % 3 else going.state.sample_action(rng(step)))
            if going.state.is_over:
                break
    full = searcher("mcts simulations=40000 memory=1 leaf=heuristic").analyse(game.initial_state(1))
    assert full.is_full or full.winner is not None
    bot = make_bot("mcts simulations=30")
    batch = Batch(game, 5, seed=1, threads=3)
    for _ in range(4):
        batch.step(bot.choose(batch, rng()))


# Environments


def learn(envs: HexVectorEnv, steps: int, seed: int | None = 3) -> list[tuple[Any, ...]]:
    """What a learner sees that takes the first legal action."""
    seen = []
    if seed is not None:
        envs.reset(seed=seed)
    for _ in range(steps):
        actions = envs.action_masks().argmax(axis=1)
        observation, rewards, terminated, truncated, _ = envs.step(actions)
        assert isinstance(observation, dict)
        planes = [planes.tobytes() for planes in observation["observation"]]
        seen += [*zip(planes, rewards, terminated, truncated, envs.seats.tolist(), strict=True)]
    return seen


class Counted(Crew):
    """Tells how many threads it has."""

    told: ClassVar[list[int]] = []

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.told.append(threads)


def test_rows_of_a_vector_env_are_searched_on_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def alone(self: object, *arguments: object) -> int:
        raise AssertionError("a row was asked for by itself")

    monkeypatch.setattr(MctsBot, "__call__", alone)
    monkeypatch.setattr("hexgames_env.bots.side.processors", lambda: 3)
    monkeypatch.setattr("hexgames_env.search.rows.Crew", Counted)
    searchers: list[Any] = [
        "mcts simulations=9",
        BotPool(["mcts simulations=9"]),
        "alphabeta depth=1",
    ]
    for opponent in searchers:
        Counted.told.clear()
        learn(make_vector("oust", 8, opponent, side=2), 6)
        assert 3 in Counted.told
    Counted.told.clear()
    learn(make_vector("oust", 8, "mcts simulations=9", threads=2, side=2), 6)
    assert 2 in Counted.told and 3 not in Counted.told
    Counted.told.clear()
    evaluate("mcts simulations=9", "oust side=2", "mcts simulations=5", games=16)
    assert 3 in Counted.told
    others: list[Any] = ["random", "mcts seconds=1", lambda state, rng: 0, BotPool()]
    for opponent in others:
        envs = make_vector("oust", 8, opponent, side=2)
        assert threads_for(envs.opponent) == 1
    with pytest.raises(OptionError, match="threads must be None or a positive integer"):
        make_vector("oust", 8, threads=0, side=2)


@pytest.mark.parametrize("bot", ["mcts simulations=20", "alphabeta depth=1"])
def test_a_row_does_not_depend_on_threads_or_rows(bot: str) -> None:
    def rows(num_envs: int, threads: int | None) -> list[tuple[Any, ...]]:
        envs = make_vector("oust", num_envs, bot, threads=threads, side=2)
        return [seen for k, seen in enumerate(learn(envs, 30)) if k % num_envs < 2]

    first = rows(2, None)
    assert any(terminated for _, _, terminated, *_ in first)
    assert rows(2, 1) == rows(7, 3) == rows(16, 2) == first
    scores = [evaluate("greedy", "oust side=2", bot, games=games) for games in (8, 16)]
    assert scores[0].wins <= scores[1].wins  # in each seat the first games are the same ones


@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_copies_of_environments_go_on_alike(way: str) -> None:
    def copied(thing: Any) -> Any:
        return pickle.loads(pickle.dumps(thing)) if way == "pickle" else copy.deepcopy(thing)

    envs = make_vector("oust", 4, "mcts simulations=20", threads=2, side=2)
    learn(envs, 3)
    other = copied(envs)
    assert learn(envs, 20, None) == learn(other, 20, None)
    pool = copied(make_vector("oust", 4, BotPool(["random", "mcts simulations=20"]), side=2))
    learn(pool, 3)
    alone = make_single("oust", "mcts simulations=20", side=2)
    alone.reset(seed=1)
    twin = copied(alone)
    for env in (alone, twin):
        while not env.step(int(env.action_masks().argmax()))[2]:
            pass
    assert alone.game_state == twin.game_state
    assert alone.game_state.history == twin.game_state.history


# Ends


def test_one_legal_action_and_a_game_that_has_ended() -> None:
    env = make_single("point", "mcts seconds=1000", seat=0)
    env.reset(seed=1)
    while not env.step(int(env.action_masks().argmax()))[2]:
        pass
    with pytest.raises(GameOverError):
        env.step(0)
    envs = make_vector("point", 3, "mcts simulations=1000000000", seat=0)
    assert len(learn(envs, 5)) == 15
    over = play("random", OUST, seed=1)
    bot = searcher("mcts simulations=9")
    for ask in (lambda: bot(over, rng()), lambda: bot.analyse(over), lambda: bot.session(over)):
        with pytest.raises(GameOverError, match="the game has ended: there is no action"):
            ask()
    assert play("mcts simulations=9", OUST, "mcts simulations=9").is_over


# What is wrong, wherever it is said

WRONG = {
    "mcts": "mcts takes exactly one of simulations=, seconds= and cpu_seconds=",
    "mcts simulations=-1": "simulations must be an integer from 1 to 2147483646, got -1",
    "mcts seconds=0": "seconds must be a number above 0, got 0",
    "mcts seconds=1 memory=99999999": "memory must be an integer from 1 to 73727, got 99999999",
    "stockfish": "there is no bot 'stockfish': the bots are random, ",
}
SURFACES: dict[str, Callable[[str], Any]] = {
    "make_bot": make_bot,
    "single": lambda text: make_single("oust", text, side=2),
    "make": lambda text: gymnasium.make("hexgames/Oust-v0", opponent=text, side=2),
    "vector": lambda text: make_vector("oust", 2, text, side=2),
    "pool": lambda text: BotPool(["random", text]),
    "evaluate": lambda text: evaluate("random", "oust side=2", text),
    "play": lambda text: play(text, "oust side=2"),
}
COMMANDS = {
    "random": "random oust side=2 --bot",
    "arena": "arena oust side=2 --bot greedy --bot",
    "analyse": "analyse oust side=2 board=../B.W/.. to_play=0 winner=none --bot",
}


@pytest.mark.parametrize("text", WRONG)
@pytest.mark.parametrize("surface", SURFACES)
def test_a_wrong_text_is_refused_by(surface: str, text: str) -> None:
    with pytest.raises(OptionError) as error:
        SURFACES[surface](text)
    assert WRONG[text] in str(error.value)


@pytest.mark.parametrize("text", WRONG)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_text_is_told_by(
    command: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*COMMANDS[command].split(), text]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.startswith(f"hexgames {command}: ")
    assert WRONG[text] in told.err and len(told.err.splitlines()) == 1


NO_ROOM = "the search tree takes up to .* bytes, for which there is no room: give mcts less memory="


def test_memory_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is known when a search begins, and leaves environments with a reset."""
    monkeypatch.setattr(arrays, "physical_memory", lambda: 2**20)
    greedy, much = "mcts simulations=9", "mcts simulations=100000"
    with pytest.raises(OptionError, match=NO_ROOM):
        make_bot(much)(OUST.initial_state(), rng())
    with pytest.raises(OptionError, match=NO_ROOM):
        evaluate(greedy, "oust side=2", much, games=2)
    env = make_single("oust", much, side=2, seat=0)
    env.reset(seed=1)
    with pytest.raises(OptionError, match=NO_ROOM):
        env.step(0)
    with pytest.raises(NotResetError):
        env.step(1)
    envs = make_vector("oust", 2, much, side=2, seat=0)
    envs.reset(seed=1)
    with pytest.raises(OptionError, match=NO_ROOM):
        envs.step([0, 0])
    with pytest.raises(NotResetError):
        envs.step([1, 1])
    for command in ("random", "analyse"):
        assert main([*COMMANDS[command].split(), much]) == 2
        told = capsys.readouterr()
        assert f"hexgames {command}: the search tree takes up to" in told.err
        assert len(told.err.splitlines()) == 1
