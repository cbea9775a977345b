"""The bot alphabeta: values and proofs against plain minimax, its table, time, memory, ends.

The plain reference is minimax in Python, for player_0.  It can also take players to alternate, as
programs do that negate values by depth: what such a program gets wrong must be got right.
"""

from __future__ import annotations

import _thread
import copy
import math
import pickle
import threading
import time
from typing import Any

import numpy as np
import pytest

from grab_game import Grab
from hexgames_env import (
    Batch,
    Game,
    GameOverError,
    IllegalActionError,
    OptionError,
    State,
    bots,
    kernel,
    make_game,
    register_game,
)
from hexgames_env.bots import make_bot
from hexgames_env.core.heuristics import heuristic_value
from hexgames_env.envs.vector import make_vector
from hexgames_env.search import AlphaBetaBot, AlphaBetaSession, Analysis, frames, session
from hexgames_env.search.deepening import AT, NEXT, NOW, PLAY, PROVEN
from hexgames_env.search.frames import Frames
from hexgames_env.search.settings import scale_of
from hexgames_env.search.table import ABOUT, LAST_AGE
from processes import run
from searched import OUST, Solver, children, late, position, rng
from strange_game import Lamp, Point
from test_interruptions import everywhere
from toy_game import Duo

OUST_3 = make_game("oust", side=3)
GAMES = {
    "oust": OUST_3,
    "rive": make_game("rive", side=3),
    "strands": make_game("strands", layout="5"),
    "gipf": make_game("gipf"),
    "duo": Duo(),
    "lamp": Lamp(),
    "grab": Grab(),
}


class Boast(Duo):
    """Its heuristic says more than any win is worth."""

    name = "boast"


@kernel
def evaluate(rows: Any, b: Any, tables: Any, player: Any) -> Any:
    return 1e300 if player == 0 else -1e300


@pytest.fixture(autouse=True, scope="module")
def _register() -> None:
    for game in (Duo, Lamp, Point, Grab, Boast):
        register_game(game)


def searcher(text: str) -> AlphaBetaBot:
    bot = make_bot(text)
    assert isinstance(bot, AlphaBetaBot)
    return bot


# Against plain search

WIN = 1e9


def minimax(state: State, depth: int) -> float:
    """What a position is worth to player_0; a win in n steps is worth WIN - n."""
    if state.is_over:
        return -WIN if state.winner else WIN
    if depth == 0:
        return heuristic_value(state, 0, "plain")
    values = [_one_step_on(minimax(after, depth - 1)) for after in children(state)]
    return min(values) if state.to_play else max(values)


def _one_step_on(value: float) -> float:
    return value - math.copysign(1, value) if abs(value) > WIN / 2 else value


def negamax_by_depth(state: State, depth: int, player: int) -> float:
    """The same for the player who is taken to act, by whoever takes players to alternate."""
    if state.is_over:
        return WIN if state.winner == player else -WIN
    if depth == 0:
        return heuristic_value(state, player, "plain")
    return max(
        -_one_step_on(negamax_by_depth(after, depth - 1, 1 - player)) for after in children(state)
    )


def best_actions(state: State, depth: int, by_depth: bool = False) -> set[int]:
    sign = 1 - 2 * state.to_play
    values = [
        -negamax_by_depth(after, depth - 1, 1 - state.to_play)
        if by_depth
        else sign * _one_step_on(minimax(after, depth - 1))
        for after in children(state)
    ]
    legal = state.legal_actions()
    return {a for a, value in zip(legal, values, strict=True) if value == max(values)}


def check_against_minimax(game: Game, depth: int, count: int, steps: int) -> None:
    bot = searcher(f"alphabeta depth={depth} heuristic=plain")
    for seed in range(count):
        state = position(game, seed * steps // count, seed)
        value = minimax(state, depth) * (1 - 2 * state.to_play)
        found = bot.analyse(state, rng(seed))
        assert found.action in best_actions(state, depth), state
        if abs(value) > WIN / 2:
            assert found.value == math.copysign(1, value), state
            assert found.winner == (state.to_play if value > 0 else 1 - state.to_play)
        else:
            scale = scale_of(game, "plain")
            assert math.isclose(found.value, value / (scale + abs(value))), state
            assert found.winner is None and found.depth == depth


@pytest.mark.parametrize("name", ["grab"])
def test_values_are_those_of_minimax(name: str) -> None:
    check_against_minimax(GAMES[name], 2, 6, 6)


@pytest.mark.long
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(
    ("name", "steps"),
    [("oust", 12), ("rive", 40), ("strands", 60), ("gipf", 25), ("lamp", 12), ("grab", 6)],
)
def test_values_are_those_of_minimax_in_every_game(name: str, steps: int, depth: int) -> None:
    check_against_minimax(GAMES[name], depth, 10 if depth == 3 else 40, steps)


def check_proofs(game: Game, count: int, back: int, by_mcts: int = 0) -> int:
    """Unlimited search of late positions against trying everything; how many were compared."""
    solver, bot, source = Solver(), searcher("alphabeta depth=1000"), rng()
    other: Any = make_bot(f"mcts simulations={by_mcts}") if by_mcts else None
    compared = 0
    for state in late(game, count, back):
        winner = solver.winner(state)
        if winner is None:
            continue
        found = bot.analyse(state, source)
        assert found.winner == winner, state
        assert found.value == (1 if winner == state.to_play else -1)
        for action, claimed in found.proven.items():
            after = state.copy()
            after.step(action)
            assert solver.winner(after) in (claimed, None)
        if winner == state.to_play:
            assert found.proven[found.action] == winner
        else:
            assert set(found.proven) == set(state.legal_actions())
        line = state.copy()
        for action in found.principal_line:
            line.step(action)
        if other is not None:
            assert other.analyse(state, source).winner in (winner, None)
        compared += 1
    return compared


def test_unlimited_it_proves_who_wins() -> None:
    assert check_proofs(make_game("oust", side=2), 30, 20) == 30
    assert check_proofs(OUST_3, 30, 6) > 10
    assert check_proofs(Grab(), 30, 7) == 30


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "back", "least"),
    [
        (make_game("oust", side=2), 20, 900),
        (make_game("oust", side=3), 6, 400),
        (make_game("oust", side=3, pie_rule=False), 10, 400),
        (make_game("rive", side=2), 20, 900),
        (make_game("rive", side=3), 6, 900),
        (make_game("strands", layout=[3, 3, 3, 2, 1, 2, 2]), 20, 900),
        (make_game("strands", layout="5"), 8, 900),
        (Grab(), 7, 900),
    ],
    ids=lambda value: value.to_string() if isinstance(value, Game) else "",
)
def test_thousands_of_proofs(game: Game, back: int, least: int) -> None:
    assert check_proofs(game, 1000, back, by_mcts=300) >= least


# Who acts next may be who acted last


def test_a_toy_game_that_hangs_on_who_moves_twice() -> None:
    """The first turn decides, and only both of its steps together do."""
    state, right = Grab().initial_state(1), {0, 1}
    for text in ("alphabeta depth=7", "alphabeta depth=1000", "alphabeta cpu_seconds=10"):
        assert all(searcher(text)(state, rng(seed)) in right for seed in range(5))
    found = searcher("alphabeta depth=7").analyse(state)
    assert set(found.principal_line[:2]) == right and found.winner == 0
    assert best_actions(state, 7) == right
    assert best_actions(state, 7, by_depth=True) - right  # wrong ones look as good


def test_oust_is_won_by_the_second_step_of_a_turn() -> None:
    fooled = 0
    for text, names in OUST:
        state = State.from_string(f"oust side=3 pie_rule=false board={text} winner=none")
        right = {state.parse_action(name) for name in names.split()}
        bot = searcher("alphabeta depth=8")
        assert all(bot(state, rng(seed)) in right for seed in range(5))
        found = bot.analyse(state)
        assert found.winner == state.to_play
        if found.depth <= 3:
            assert best_actions(state, found.depth) <= right
            fooled += bool(best_actions(state, found.depth, by_depth=True) - right)
    assert fooled >= 3


@pytest.mark.long
def test_gipf_asks_in_the_others_turn() -> None:
    """Who is asked what to take in the other's turn then pushes: two steps in succession."""
    solver, bot = Solver(), searcher("alphabeta depth=30")
    proven = fooled = 0
    for state in late(GAMES["gipf"], 1500, 5):
        if state.phase == "push" or state.last_player == state.to_play:
            continue
        winner = solver.winner(state, 150)
        if winner is None:
            continue
        found = bot.analyse(state, rng())
        assert found.winner == winner
        proven += 1
        if found.depth == 2:
            value = negamax_by_depth(state, 2, state.to_play)
            fooled += not (abs(value) > WIN / 2 and (value > 0) == (winner == state.to_play))
    assert proven >= 10
    assert fooled >= 5


# Settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alphabeta", "exactly one of depth=, seconds= and cpu_seconds=.*got none of them"),
        ("alphabeta depth=5 seconds=1", "exactly one.*got depth=5, seconds=1"),
        ("alphabeta depth=-1", "depth must be an integer from 1 to 1000, got -1"),
        ("alphabeta depth=0", "depth must be an integer from 1"),
        ("alphabeta depth=1001", "depth must be an integer from 1 to 1000, got 1001"),
        ("alphabeta depth=2.5", "depth must be an integer from 1 to 1000, got 2.5"),
        ("alphabeta depth=true", "depth must be an integer from 1 to 1000, got True"),
        ("alphabeta depth=deep", "depth must be an integer from 1 to 1000, got 'deep'"),
        ("alphabeta seconds=0", "seconds must be a number above 0, got 0"),
        ("alphabeta seconds=nan", "seconds must be a number above 0, got nan"),
        ("alphabeta cpu_seconds=-1.5", "cpu_seconds must be a number above 0, got -1.5"),
        ("alphabeta depth=2 memory=0", "memory must be an integer from 1 to 131072, got 0"),
        ("alphabeta depth=2 heuristic=3", "heuristic must be the name of one.*got 3"),
        ("alphabeta simulations=9", "bot 'alphabeta' does not take simulations=9"),
        ("alphabet depth=2", "there is no bot 'alphabet'"),
    ],
)
def test_wrong_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make_bot(text)


def test_a_heuristic_that_a_game_has_not_is_refused() -> None:
    bot = searcher("alphabeta depth=2 heuristic=stones")
    for ask in (
        lambda: bot(OUST_3.initial_state(), rng()),
        lambda: bot.session(OUST_3.initial_state()),
        lambda: bot.choose(Batch(OUST_3, 2, seed=1), rng()),
    ):
        with pytest.raises(OptionError, match="oust has no heuristic 'stones'"):
            ask()


def test_texts_name_what_was_given() -> None:
    bot = searcher("alphabeta depth=3 heuristic=plain memory=16")
    assert bot.to_string() == "alphabeta depth=3 heuristic=plain memory=16"
    assert repr(make_bot("alphabeta seconds=1")) == "make_bot('alphabeta', seconds=1.0)"
    state = position(OUST_3, 4)
    action = bot(state, rng())
    assert len(pickle.dumps(bot)) < 1000  # the table stays here
    for other in (pickle.loads(pickle.dumps(bot)), copy.deepcopy(bot), make_bot(bot.to_string())):
        assert repr(other) == repr(bot)
        assert other(state, rng()) == action


# Any game


def same(one: Analysis, two: Analysis) -> bool:
    return vars(one) | {"seconds": 0} == vars(two) | {"seconds": 0}


def check_analyses(game: Game, depth: int) -> None:
    bot = searcher(f"alphabeta depth={depth}")
    for seed in range(4):
        state = position(game, seed, seed)
        before = state.to_string(), state.history
        one, two = bot.analyse(state, rng(seed)), bot.analyse(state, rng(seed))
        assert same(one, two)
        assert (state.to_string(), state.history) == before
        assert list(one.visits) == state.legal_actions() and one.action in one.visits
        assert one.depth == depth or one.winner is not None
        assert one.nodes > 0 and sum(one.visits.values()) <= one.nodes
        assert all(-1 <= value <= 1 for value in one.values.values())
        best = max(one.values.values())
        assert one.values[one.action] == best or one.proven
        line = state.copy()
        for action in one.principal_line:
            line.step(action)
        if len(one.visits) > 1:
            assert bot(state, rng(seed)) == one.action


def test_the_same_state_and_rng_give_the_same_analysis() -> None:
    check_analyses(OUST_3, 3)


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_the_same_analysis_in_every_game(name: str) -> None:
    check_analyses(GAMES[name], 4)


def test_earlier_calls_do_not_change_an_answer() -> None:
    """Their entries lie in the table, a small one, and decide nothing, nor what is replaced."""
    game = make_game("oust", side=5)
    bot = searcher("alphabeta depth=4 memory=1")
    for seed in range(6):
        state = position(game, 10, seed)
        fresh = searcher("alphabeta depth=4 memory=1").analyse(state, rng())
        assert all(same(bot.analyse(state, rng()), fresh) for _ in range(3))
    after = state.copy()
    after.step(fresh.action)
    bot(after, rng())
    assert same(bot.analyse(state, rng()), fresh)
    assert len(bot._spare) == 1  # all that in one table
    held = bot._spare[0]
    held.control[0, NOW] = LAST_AGE - 1
    assert same(bot.analyse(state, rng()), fresh)
    assert same(bot.analyse(state, rng()), fresh)  # ages begin anew, with an empty table
    assert held.control[0, NOW] == 1
    assert same(bot.analyse(state, rng()), fresh)


def test_rng_decides_between_equals() -> None:
    bot, state = searcher("alphabeta depth=1"), make_game("oust", side=4).initial_state()
    assert len({bot(state, rng(seed)) for seed in range(60)}) > 20


def test_a_finished_game_has_no_action() -> None:
    state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    state.step(state.parse_action("b2"))
    bot = searcher("alphabeta depth=2")
    for ask in (lambda: bot(state, rng()), lambda: bot.analyse(state), lambda: bot.session(state)):
        with pytest.raises(GameOverError, match="the game has ended: there is no action"):
            ask()
    with pytest.raises(TypeError, match="a State is searched, got 'oust'"):
        bot.analyse("oust")  # type: ignore[arg-type]


def check_one_legal_action(state: State) -> None:
    (only,) = state.legal_actions()
    bot, source = searcher("alphabeta seconds=1000"), rng()
    assert bot(state, source) == only
    assert source.random() == _after_one_number()  # as a search would have left it
    assert bot.session(state).choose() == only
    found = searcher("alphabeta depth=3").analyse(state)
    assert found.action == only and found.nodes >= 1
    batch = Batch.from_states([state, state])
    assert make_bot("alphabeta depth=3").choose(batch, rng()).tolist() == [only, only]


def test_one_legal_action_is_played_at_once() -> None:
    states = late(make_game("oust", side=2), 500, 20)
    check_one_legal_action(next(state for state in states if len(state.legal_actions()) == 1))


@pytest.mark.long
def test_one_legal_action_in_a_game_of_two_steps() -> None:
    state = Point().initial_state(1)
    while len(state.legal_actions()) > 1:
        state.step(0)
    check_one_legal_action(state)


def _after_one_number() -> float:
    source = rng()
    source.integers(2**64, dtype=np.uint64)
    return float(source.random())


def test_a_win_at_once_is_played_and_proven() -> None:
    state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    found = searcher("alphabeta depth=5").analyse(state)
    assert found.winner == 0 and found.depth == 1 and found.value == 1.0
    assert found.principal_line == (found.action,)
    state.step(found.action)
    assert state.winner == 0


@pytest.mark.long
def test_what_a_heuristic_says_is_never_a_proof() -> None:
    state = Boast().initial_state(1)
    found = searcher("alphabeta depth=2").analyse(state)
    assert found.winner is None and found.proven == {} and 0.99 < found.value <= 1
    assert searcher("alphabeta depth=9").analyse(state).winner == 0
    assert evaluate is not None


# The table


def test_no_position_is_taken_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two places for all positions each is asked about while another's entry lies there."""
    bot = searcher("alphabeta depth=4 heuristic=plain")
    states = [position(make_game("oust", side=4), 3 + seed, seed) for seed in range(8)]
    whole = [bot.analyse(state, rng()) for state in states]

    class Small(Frames):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self.table = np.ascontiguousarray(self.table[:, :2])

    monkeypatch.setattr("hexgames_env.search.alphabeta.Frames", Small)
    tight = searcher("alphabeta depth=4 heuristic=plain")
    forgot = 0
    for state, wide in zip(states, whole, strict=True):
        found = tight.analyse(state, rng())
        assert found.value == wide.value and found.winner == wide.winner
        forgot += found.nodes != wide.nodes
    assert tight._spare[0].table.shape[1] == 2
    assert forgot >= 3


def test_a_session_goes_on_with_what_it_knows() -> None:
    game = make_game("oust", side=4)
    state = position(game, 6)
    bot = searcher("alphabeta depth=4")
    going = bot.session(state, rng())
    first = going.think()
    assert going.think().nodes < first.nodes / 5
    going.play(first.action)
    state.step(first.action)
    assert going.state == state
    assert going.think().nodes < bot.analyse(state, rng()).nodes


def test_time_goes_on_with_what_earlier_calls_knew() -> None:
    state = position(make_game("oust", side=3), 3)
    bot = searcher("alphabeta cpu_seconds=0.05")
    first = bot.analyse(state, rng())
    for _ in range(5):
        bot(state, rng())
    again = bot.analyse(state, rng())
    assert again.depth >= first.depth or again.winner is not None


def test_a_session_plays_whole_games() -> None:
    for seed in range(3):
        going = searcher("alphabeta depth=2").session(OUST_3.initial_state(), rng(seed))
        source, state = rng(seed), going.state
        while not state.is_over:
            found = going.think()
            assert list(found.visits) == state.legal_actions()
            action = found.action if state.to_play == 0 else state.sample_action(source)
            going.play(action)
            state.step(action)
            assert going.state == state
        with pytest.raises(GameOverError):
            going.think()
        with pytest.raises(GameOverError):
            going.play(0)


def test_a_session_refuses_illegal_steps_and_goes_on() -> None:
    going = searcher("alphabeta depth=2").session(OUST_3.initial_state(), rng())
    value = going.think().value
    for action in (-1, 10_000, True, "b2"):
        with pytest.raises(IllegalActionError):
            going.play(action)  # type: ignore[arg-type]
    assert going.think().value == value


# Time


def test_seconds_are_kept() -> None:
    state = position(make_game("oust", side=5), 10)
    searcher("alphabeta depth=1").analyse(state)  # compiled
    for text, clock in (
        ("alphabeta seconds=0.2", time.perf_counter),
        ("alphabeta cpu_seconds=0.2", time.thread_time),
    ):
        begin = clock()
        found = searcher(text).analyse(state)
        assert 0.19 < clock() - begin < 1.5
        assert found.nodes > 1000 and found.depth >= 2


def test_it_can_be_stopped_and_goes_on() -> None:
    state = position(make_game("oust", side=5), 10)
    going = searcher("alphabeta seconds=1000").session(state, rng())
    told: list[Analysis] = []

    def look(found: Analysis) -> None:
        told.append(found)
        assert found.action in found.visits and sum(found.visits.values()) <= found.nodes
        if len(told) == 3:
            going.stop()

    found = going.think(look, every=0.01)
    assert len(told) == 3
    nodes = [one.nodes for one in told]
    assert nodes == sorted(nodes) and nodes[0] > 0 and found.nodes == nodes[-1]
    with pytest.raises(OptionError, match="every must be a number of seconds from 0 on"):
        going.think(every=-1)
    with pytest.raises(ZeroDivisionError):
        going.think(lambda found: 1 / 0, every=0)
    going.think(lambda found: going.play(found.action), every=0)
    assert len(going.state.history) == 11
    timer = threading.Timer(0.1, going.stop)
    timer.start()
    assert going.think().action in going.state.legal_actions()


def test_slices_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    state, bot = position(OUST_3, 4), searcher("alphabeta depth=4")
    whole = bot.analyse(state, rng())
    monkeypatch.setattr(session, "SLICE", 1e-6)
    monkeypatch.setattr("hexgames_env.search.alphabeta_session.FEW", 1)
    assert same(bot.analyse(state, rng()), whole)


def test_ctrl_c_leaves_a_session_that_goes_on() -> None:
    state = position(make_game("oust", side=5), 10)
    going = searcher("alphabeta seconds=1000").session(state, rng())
    timer = threading.Timer(0.1, _thread.interrupt_main)
    begin = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        going.think()
    assert time.perf_counter() - begin < 100
    timer = threading.Timer(0.1, going.stop)
    timer.start()
    assert going.think().nodes > 0


@pytest.mark.long
def test_ctrl_c_at_any_line() -> None:
    state = position(OUST_3, 4)
    bot = searcher("alphabeta depth=2")
    bot.session(state).think()

    def make() -> AlphaBetaSession:
        return bot.session(state, rng())

    def call(going: AlphaBetaSession) -> None:
        going.think()
        going.play(going.state.legal_actions()[0])
        going.choose()

    for going in everywhere(make, call):
        legal = going.state.legal_actions()
        assert len(going.state.history) in (4, 5)
        found = going.think()
        assert list(found.visits) == legal and found.depth == 2


@pytest.mark.long
def test_ctrl_c_at_any_line_of_a_bot() -> None:
    state = position(OUST_3, 4)
    whole = searcher("alphabeta depth=2").analyse(state, rng())

    def make() -> AlphaBetaBot:
        return searcher("alphabeta depth=2")

    def call(bot: AlphaBetaBot) -> None:
        bot(state, rng())
        bot(state, rng())

    for bot in everywhere(make, call):
        assert same(bot.analyse(state, rng()), whole)


# Memory


def test_a_small_table_is_enough() -> None:
    state = position(make_game("oust", side=4), 6)
    small = searcher("alphabeta depth=4 memory=1").analyse(state, rng())
    assert small.value == searcher("alphabeta depth=4").analyse(state, rng()).value


@pytest.mark.long
def test_a_table_that_is_full_is_searched_on() -> None:
    bot, seed = searcher("alphabeta depth=5 memory=1"), 0
    share = 0.0
    while share < 0.9:
        bot.analyse(position(make_game("oust", side=5), 10, seed), rng())
        table = bot._spare[0].table[0]
        share, seed = float((table[:, ABOUT] != 0).mean()), seed + 1
    assert table.nbytes <= 1 << 20
    state = position(make_game("oust", side=5), 10, seed)
    assert bot.analyse(state, rng()).value == searcher("alphabeta depth=5").analyse(state).value


def test_memory_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "physical_memory", lambda: 2**30)
    bot = searcher("alphabeta depth=2 memory=2000")
    with pytest.raises(OptionError, match=r"table takes 2,\d+,\d+,\d+ bytes, for which there is"):
        bot(OUST_3.initial_state(), rng())


@pytest.mark.long
def test_memory_that_the_machine_denies() -> None:
    code = """
import resource
from hexgames_env import make_game
from hexgames_env.bots import make_bot
bot, state = make_bot("alphabeta depth=2 memory=1500"), make_game("oust", side=2).initial_state()
make_bot("alphabeta depth=2").analyse(state)
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
try:
    bot.analyse(state)
except ValueError as error:
    print(type(error).__name__, error)
"""
    (line,), _ = run(code)
    assert line.startswith("OptionError the transposition table takes 1,5")


# Batches


def check_batches(game: Game) -> None:
    bot = make_bot("alphabeta depth=3 memory=4")
    states = [position(game, 2 + seed % 3, seed) for seed in range(7)]

    def chosen(some: list[State], threads: int = 1, rows: list[int] | None = None) -> list[int]:
        batch = Batch.from_states(some, seed=5, threads=threads)
        which = None if rows is None else np.array(rows, np.int64)
        return [*map(int, bot.choose(batch, rng(threads), which))]  # the rng decides nothing

    whole = chosen(states)
    assert [chosen(states, threads) for threads in (2, 3, 7)] == [whole] * 3
    others = [position(game, 1, 50 + seed) for seed in range(7)]
    others[3] = states[3]
    assert chosen(others)[3] == whole[3]
    assert chosen([*states, states[0]])[:7] == whole
    assert chosen(states, 2, [5, 0, 3]) == [whole[5], whole[0], whole[3]]
    batch = Batch.from_states(states, seed=5)
    assert bot.choose(batch, rng(), np.array([], np.int64)).tolist() == []
    with pytest.raises(IndexError):
        bot.choose(batch, rng(), np.array([7]))


def test_rows_do_not_depend_on_threads_or_other_rows() -> None:
    check_batches(OUST_3)


@pytest.mark.long
@pytest.mark.parametrize("name", ["gipf", "strands", "lamp"])
def test_rows_of_other_games_do_not_depend_either(name: str) -> None:
    check_batches(GAMES[name])


@pytest.mark.long
def test_rows_with_different_numbers_share_a_table() -> None:
    """Each row of a random layout has numbers of its own, and one thread's table serves all."""
    game = make_game("strands", layout="6-random")
    states = [game.initial_state(seed) for seed in range(6)]
    for state in states:
        for _ in range(60):
            state.step(state.legal_actions()[0])
    bot = make_bot("alphabeta depth=3")
    found = bot.choose(Batch.from_states(states, threads=1), rng())
    for row, state in enumerate(states):
        assert state.is_legal(found[row])
        assert found[row] in _best_by_analysis(state)


def _best_by_analysis(state: State) -> set[int]:
    bot = searcher("alphabeta depth=3")
    return {bot.analyse(state, rng(seed)).action for seed in range(30)}


def test_rows_are_searched_by_time_one_after_the_other() -> None:
    batch = Batch(OUST_3, 3, seed=1)
    actions = make_bot("alphabeta cpu_seconds=0.01").choose(batch, rng())
    assert batch.action_mask[np.arange(3), actions].all()


def test_a_row_whose_game_has_ended_is_refused() -> None:
    batch = Batch(make_game("oust", side=2), 2, seed=1)
    for _ in range(100):
        actions = batch.sample_actions()
        if (batch.step_against(None, batch.to_play, actions) != 0).any():
            break
    with pytest.raises(GameOverError):
        make_bot("alphabeta depth=2").choose(batch, rng())


def test_ctrl_c_in_a_batch() -> None:
    batch = Batch(make_game("oust", side=5), 64, seed=1, threads=2)
    bot = make_bot("alphabeta depth=12 memory=4")
    make_bot("alphabeta depth=1").choose(batch, rng())
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        bot.choose(batch, rng())
    assert batch.play_random(10).steps == 640


def test_it_is_an_opponent_in_environments() -> None:
    env: Any = make_vector("oust", 4, side=2, opponent="alphabeta depth=2")
    seen, _ = env.reset(seed=1)
    lost = 0.0
    for _ in range(20):
        seen, rewards, *_ = env.step(seen["action_mask"].argmax(axis=1))
        lost += float((rewards < 0).sum())
    assert lost > 3


# Strength


@pytest.mark.long
def test_it_beats_greedy_play() -> None:
    for text in ("oust side=5", "gipf", "rive side=3"):
        score = bots.evaluate("alphabeta depth=2", text, "greedy", games=20, max_cycles=400)
        assert score.win_rate >= 0.8


def test_a_search_that_is_stopped_plays_no_step_that_is_known_to_lose() -> None:
    """The best step of one depth may be seen to lose at the next, before the others are tried."""
    turned = 0
    for seed in range(40):
        state = position(make_game("oust", side=3, pie_rule=False), 6, seed)
        going = searcher("alphabeta depth=4").session(state, rng(seed))
        held = going._frames
        going._begin()
        while going._go_on(1):
            first, play = held.moves[0, 0, 0], held.control[0, PLAY]
            if held.found[0, first] <= -PROVEN and held.control[0, AT] > 0:
                assert held.found[0, play] > -PROVEN or held.frames[0, 0, NEXT] > 1
                turned += play != first
    assert turned > 0
