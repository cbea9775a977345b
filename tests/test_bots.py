"""Players: the protocol, the two simplest ones, and the pool."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hexgames_env import (
    Batch,
    Game,
    GameOverError,
    IllegalActionError,
    OptionError,
    State,
    make_game,
    register_game,
)
from hexgames_env.bots import (
    Bot,
    BotPool,
    GreedyBot,
    RandomBot,
    as_bot,
    bot_names,
    evaluate,
    make_bot,
    play,
    register_bot,
)
from hexgames_env.core.options import options_from_words
from hexgames_env.core.registry import game_class
from toy_game import Duo

GAMES = {
    "oust": make_game("oust", side=3),
    "rive": make_game("rive", side=3),
    "strands": make_game("strands", layout="5"),
    "gipf": make_game("gipf", variant="standard"),
}


def some_states(game: Game, count: int, seed: int = 1) -> list[State]:
    """Positions of random games."""
    rng = np.random.default_rng(seed)
    states: list[State] = []
    while len(states) < count:
        state = game.initial_state(int(rng.integers(1000)))
        while not state.is_over:
            if rng.random() < 0.1:
                states.append(state.copy())
            state.step(state.sample_action(rng))
    return states[:count]


# The protocol


@pytest.mark.parametrize("name", ["random", "greedy"])
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_same_state_and_rng_give_the_same_legal_action(game: Game, name: str) -> None:
    agent = make_bot(name)
    for seed, state in enumerate(some_states(game, 20)):
        before = state.to_string(), state.history
        action = agent(state, np.random.default_rng(seed))
        assert type(action) is int and action in state.legal_actions()
        assert action == agent(state, np.random.default_rng(seed))
        assert (state.to_string(), state.history) == before


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_a_game_that_is_over_has_no_action(name: str) -> None:
    state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    state.step(state.parse_action("b2"))
    with pytest.raises(GameOverError):
        make_bot(name)(state, np.random.default_rng(1))


def test_names_and_texts() -> None:
    assert bot_names()[:2] == ("random", "greedy")
    for name in ("random", "greedy"):
        assert make_bot(name).name == name
        assert repr(make_bot(name)) == f"make_bot('{name}')"


class Nth(Bot):
    """The n-th legal action, or the last."""

    name = "nth"

    def __init__(self, n: int = 0, word: str | None = None) -> None:
        self.n, self.word = n, word

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        return state.legal_actions()[: self.n + 1][-1]

    def settings(self) -> dict[str, object]:
        return {"n": self.n, "word": self.word}


class Needy(Nth):
    """One that can't be without a setting."""

    name = "needy"

    def __init__(self, path: str) -> None:
        super().__init__()


@pytest.fixture(autouse=True, scope="module")
def _register() -> None:
    register_game(Duo)
    register_bot(Nth)
    register_bot(Nth)  # twice is fine
    register_bot(Needy)


def test_settings_come_by_text_or_argument() -> None:
    for agent in (make_bot("nth n=2 word=far"), make_bot("nth", n=2, word="far")):
        assert repr(agent) == "make_bot('nth', n=2, word='far')"
    assert make_bot("nth word=none").settings() == {"n": 0, "word": None}
    state = GAMES["oust"].initial_state()
    assert make_bot("nth n=2")(state, np.random.default_rng(1)) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mighty", "there is no bot 'mighty': the bots are random, greedy"),
        ("", "there is no bot ''"),
        ("greedy depth=2", "bot 'greedy' does not take depth=2"),
        ("greedy depth", "'depth' is not NAME=VALUE"),
        ("greedy =3", "'=3' is not NAME=VALUE"),
        ("nth n=1 n=2", "'n=2': n is given twice"),
        ("needy", "bot 'needy' can't be made without settings: .*'path'"),
        (None, "named by a text such as 'greedy', got None"),
        (3, "named by a text such as 'greedy', got 3"),
        (RandomBot, "named by a text such as 'greedy', got <class"),
    ],
)
def test_wrong_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        as_bot(text)


def test_names_are_taken_once() -> None:
    class Rival(Nth):
        name = "greedy"

    with pytest.raises(OptionError, match="there is a bot 'greedy' already"):
        register_bot(Rival)


def test_any_callable_is_an_agent() -> None:
    agent = as_bot(lambda state, rng: state.legal_actions()[-1])
    state = GAMES["rive"].initial_state()
    assert agent(state, np.random.default_rng(1)) == state.legal_actions()[-1]
    assert as_bot(agent) is agent
    assert "lambda" in repr(agent)


@pytest.mark.parametrize("answer", [1.7, "1", True, None, np.array([1]), -1, 99])
def test_an_answer_in_a_batch_is_checked(answer: object) -> None:
    agent = as_bot(lambda state, rng: answer)  # type: ignore[arg-type,return-value]
    with pytest.raises(IllegalActionError, match="an action of oust is an integer from 0 to 20"):
        agent.choose(Batch(GAMES["oust"], 2, seed=1), np.random.default_rng(1))


@pytest.mark.parametrize("word", ["side", "size=4", "side=x", "side=99", "=4"])
def test_options_from_words(word: str) -> None:
    types = game_class("oust").option_types
    assert options_from_words("oust", types, ["side=4"]) == {"side": 4}
    assert options_from_words("oust", types, []) == {}
    with pytest.raises(OptionError, match=r"not NAME=VALUE|no option|side must be an integer"):
        options_from_words("oust", types, [word])
    with pytest.raises(OptionError, match="side is given twice"):
        options_from_words("oust", types, ["side=4", "side=5"])


def test_an_agent_chooses_in_a_batch_as_it_does_in_a_state() -> None:
    batch = Batch(GAMES["oust"], 5, seed=3)
    for _ in range(4):
        batch.step(batch.sample_actions())
    rng = np.random.default_rng(1)
    assert Nth(1).choose(batch, rng).tolist() == [Nth(1)(batch.state(b), rng) for b in range(5)]
    assert Nth(1).choose(batch, rng, np.array([3, 0])).shape == (2,)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["random", "greedy"])
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_rows_that_are_not_asked_are_left_alone(game: Game, name: str, threads: int) -> None:
    """Their games may be over, with no legal action to count; their random numbers wait."""
    agent, rng = make_bot(name), np.random.default_rng(1)
    batch = Batch.from_states(some_states(game, 9), seed=5, threads=threads)
    everywhere = agent.choose(batch.copy(), rng)
    batch._rows.view(np.uint8)[[0, 2, 8], 0] = 0  # as when a game is over
    before = batch._random.copy()
    for rows in (np.array([7, 1, 4]), np.array([5]), np.zeros(0, np.int64)):
        assert agent.choose(batch, rng, rows).tolist() == everywhere[rows].tolist()
        drawn = np.flatnonzero(batch._random != before)
        assert drawn.tolist() == sorted(rows)
        batch._random[:] = before
    assert agent.choose(batch, rng, np.array([0, 2])).tolist() == [-1, -1]
    assert (batch._random == before).all()


@pytest.mark.parametrize("agent", [RandomBot(), GreedyBot(), Nth()], ids=repr)
def test_rows_that_there_are_not(agent: Bot) -> None:
    batch = Batch(GAMES["oust"], 3, seed=1)
    for rows in ([3], [0, -1], [2**40]):
        with pytest.raises(IndexError, match="rows are 0 to 2, got"):
            agent.choose(batch, np.random.default_rng(1), np.array(rows))
    for wrong in (np.array([0.0]), np.array([[0]]), np.array(1), np.ones(3, bool)):
        with pytest.raises(IndexError, match="an integer array of one dimension"):
            agent.choose(batch, np.random.default_rng(1), wrong)
    small: Any = np.arange(3, dtype=np.int8)[::2]
    assert len(agent.choose(batch, np.random.default_rng(1), small)) == 2


# Random


def test_random_is_uniform() -> None:
    state = GAMES["oust"].initial_state()
    rng = np.random.default_rng(1)
    counts = Counter(RandomBot()(state, rng) for _ in range(19 * 200))
    assert sorted(counts) == state.legal_actions()
    assert min(counts.values()) > 140 and max(counts.values()) < 260


# Greedy, against the same evaluations once more from text alone


def stone_difference(state: State, player: int) -> float:
    counts = [state.ground().count(symbol) for symbol in "BW"]
    return counts[player] - counts[1 - player]


def squared_groups(state: State, player: int) -> float:
    board, ground = state.game.board, state.ground()
    totals = [
        sum(
            len(group) ** 2
            for group in board.groups({c for c, symbol in enumerate(ground) if symbol == colour})
        )
        for colour in "BW"
    ]
    return totals[player] - totals[1 - player]


def pieces(state: State, player: int) -> float:
    ground = state.ground()
    # Planes 6 and 7 are own and other's reserve divided by 18.
    corner = tuple(state.game.board.grid[0])
    reserve = state.observation(player)[corner][6:8] * 18
    mine, theirs = ("wW", "bB") if player == 0 else ("bB", "wW")
    own = round(reserve[0]) + ground.count(mine[0]) + 3 * ground.count(mine[1])
    other = round(reserve[1]) + ground.count(theirs[0]) + 3 * ground.count(theirs[1])
    return float(own - other)


EVALUATIONS: dict[str, Callable[[State, int], float]] = {
    "oust": stone_difference,
    "rive": stone_difference,
    "strands": squared_groups,
    "gipf": pieces,
}


def best_actions(state: State) -> list[int]:
    """The actions that the greedy player may choose."""
    values = []
    for action in state.legal_actions():
        after = state.copy()
        after.step(action)
        if after.is_over:
            values.append(np.inf if after.winner == state.to_play else -np.inf)
        else:
            values.append(EVALUATIONS[state.game.name](after, state.to_play))
    return [a for a, v in zip(state.legal_actions(), values, strict=True) if v == max(values)]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_greedy_takes_a_best_step_and_every_one_of_them(game: Game) -> None:
    agent = GreedyBot()
    rng = np.random.default_rng(1)
    for state in some_states(game, 25):
        best = best_actions(state)
        chosen = {agent(state, rng) for _ in range(12 * len(best))}
        assert chosen <= set(best)
        assert len(chosen) > 0.9 * len(best)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_greedy_in_a_batch(game: Game) -> None:
    states = some_states(game, 30)
    rng = np.random.default_rng(1)
    for threads in (1, 2):
        batch = Batch.from_states(states, seed=5, threads=threads)
        actions = GreedyBot().choose(batch, rng)
        assert all(a in best_actions(s) for a, s in zip(actions, states, strict=True))
        if threads == 1:
            first = actions
    assert actions.tolist() == first.tolist()
    some = GreedyBot().choose(Batch.from_states(states, seed=5), rng, np.array([4, 2]))
    assert some.tolist() == first[[4, 2]].tolist()


def test_greedy_beats_random() -> None:
    game = make_game("oust", side=4)
    players = GreedyBot(), RandomBot()
    batch = Batch(game, 100, seed=1)
    rng = np.random.default_rng(1)
    greedy_is = np.arange(100) % 2
    won = np.full(100, -1)
    while (won < 0).any():
        choices = [player.choose(batch, rng) for player in players]
        batch.step(np.where(batch.to_play == greedy_is, *choices))
        ended = batch.terminated & (won < 0)
        won[ended] = batch.rewards[ended, greedy_is[ended]] > 0
    assert won.sum() >= 90


def test_a_game_without_an_evaluation_is_played_at_random() -> None:
    state = make_game("duo", side=2).initial_state()
    rng = np.random.default_rng(1)
    assert {GreedyBot()(state, rng) for _ in range(200)} == set(state.legal_actions())
    full_but_one = state.game.state_from_cells(dict.fromkeys("a1 a2 b1 c1 c2 b3".split(), 0), 1)
    assert GreedyBot()(full_but_one, rng) == full_but_one.parse_action("b2")


# The pool


# Noise


def test_noise_is_the_share_of_random_steps() -> None:
    state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    best, legal = [state.parse_action(text) for text in ("a2", "b2")], state.legal_actions()
    rng = np.random.default_rng(1)
    for noise in (0, 0.3, 1):
        bot = make_bot("greedy", noise=noise)
        taken = np.mean([bot(state, rng) in best for _ in range(2000)])
        expected = 1 - noise + noise * len(best) / len(legal)
        assert abs(taken - expected) <= 4 * np.sqrt(expected * (1 - expected) / 2000)


def test_noise_in_a_batch_is_each_rows_own() -> None:
    game, bot = make_game("oust", side=3), make_bot("greedy noise=0.4")
    chosen = []
    for n, threads in ((40, 1), (100, 2)):
        batch = Batch(game, n, seed=3, threads=threads)
        batch.play_random(7)
        chosen.append(bot.choose(batch, np.random.default_rng(n)))
        assert batch.action_mask[np.arange(n), chosen[-1]].all()
    assert (chosen[0] == chosen[1][:40]).all()
    rows = np.array([5, 2, 30])
    batch = Batch(game, 40, seed=3)
    batch.play_random(7)
    assert (bot.choose(batch, np.random.default_rng(0), rows) == chosen[0][rows]).all()
    assert make_bot("greedy noise=1").choose(batch, np.random.default_rng(0)).shape == (40,)


def test_noise_is_a_part_of_the_text() -> None:
    bot = make_bot("mcts simulations=20 noise=0.25")
    assert bot.to_string() == "mcts simulations=20 noise=0.25"
    assert repr(bot) == "make_bot('mcts', simulations=20, noise=0.25)"
    assert repr(pickle.loads(pickle.dumps(bot))) == repr(make_bot(bot.to_string())) == repr(bot)
    assert bot.shares_threads and not make_bot("greedy noise=0.1").shares_threads
    pool = BotPool([make_bot("greedy noise=0.5")])
    assert repr(pool.for_game(np.random.default_rng(1))) == "make_bot('greedy', noise=0.5)"
    score = evaluate("greedy", "oust side=3", "greedy noise=0.5", games=100)
    assert score.win_rate > 0.6


@pytest.mark.parametrize("noise", ["-0.1", "1.1", "nan", "true", "none", "much", "inf"])
def test_what_is_no_share_is_refused(noise: str) -> None:
    with pytest.raises(OptionError, match="noise is the share of steps at random, from 0 to 1"):
        make_bot(f"greedy noise={noise}")


# Pools


def test_a_pool_plays_a_game_with_one_member() -> None:
    pool = BotPool([Nth(0), Nth(1)], newest=0.0)
    rng = np.random.default_rng(1)
    pool.add("random")
    assert len(pool) == 3
    counts = Counter(repr(pool.for_game(rng)) for _ in range(3000))
    assert all(900 < count < 1100 for count in counts.values()) and len(counts) == 3
    pool.newest = 0.5
    newest = sum(pool.for_game(rng) is pool.members[-1] for _ in range(3000))
    assert 1900 < newest < 2100
    state = GAMES["oust"].initial_state()
    assert pool(state, rng) in state.legal_actions()
    assert "BotPool([" in repr(pool)


def test_matches_check_what_they_are_given() -> None:
    ways: tuple[Callable[..., Any], ...] = play, evaluate
    for play_or_evaluate in ways:
        for settings, message in (
            ({"seed": -1}, "seed must be"),
            ({"seed": 1.5}, "seed must be"),
            ({"max_cycles": 0}, "max_cycles must be"),
            ({"max_cycles": -1}, "max_cycles must be"),
            ({"opponent": 3}, "a bot is named by a text"),
        ):
            with pytest.raises(OptionError, match=message):
                play_or_evaluate("random", "oust side=2", **settings)
    assert evaluate("random", "oust side=2", games=2, seed=2**64 - 1).games == (1, 1)


def test_a_pool_within_a_pool() -> None:
    pool = BotPool([BotPool([Nth(3)])])
    assert isinstance(pool.for_game(np.random.default_rng(1)), Nth)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "a pool begins with a sequence of bots"),
        (("random",), "a pool begins with a sequence of bots"),
        ((3,), "a pool begins with a sequence of bots"),
        ((None,), "a pool begins with a sequence of bots"),
        ((["random"], 2.0), "newest must be from 0 to 1"),
        ((["random"], float("nan")), "newest must be from 0 to 1"),
        ((["random"], "often"), "newest must be from 0 to 1"),
        ((["random"], None), "newest must be from 0 to 1"),
    ],
    ids=repr,
)
def test_a_pool_refuses(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        BotPool(*arguments)  # type: ignore[arg-type]
