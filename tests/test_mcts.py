"""The bot mcts: proofs against plain search, steps of one player in succession, memory, time, ends.

The plain reference here is the same search in Python, without proofs.  It can also take the player
to act for the other one with each step, as programs do that negate values by depth: what such a
program gets wrong must be got right.
"""

from __future__ import annotations

import _thread
import copy
import math
import pickle
import sys
import threading
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import twice
from grab_game import Grab
from hexgames_env import (
    Batch,
    Game,
    GameOverError,
    IllegalActionError,
    OptionError,
    State,
    bots,
    make_game,
    register_game,
)
from hexgames_env.bots import Bot, make_bot
from hexgames_env.search import Analysis, MctsBot, MctsSession, arrays, mcts_session, session, tree
from hexgames_env.search.tree import (
    ACTION,
    FIRST,
    LEGAL,
    NODE_BYTES,
    OPENED,
    SIZES,
    USED,
)
from processes import run
from searched import Solver, late, position, rng
from strange_game import Lamp, Point
from test_interruptions import everywhere
from toy_game import Duo

pytestmark = pytest.mark.long

GAMES = {
    "oust": make_game("oust", side=3),
    "rive": make_game("rive", side=3),
    "strands": make_game("strands", layout="5"),
    "gipf": make_game("gipf"),
    "duo": Duo(),
    "lamp": Lamp(),
}


@pytest.fixture(autouse=True, scope="module")
def _register() -> None:
    for game in (Duo, Lamp, Point, Grab):
        register_game(game)


def searcher(text: str) -> MctsBot:
    bot = make_bot(text)
    assert isinstance(bot, MctsBot)
    return bot


# Against plain search


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "back", "least"),
    [
        (make_game("oust", side=2), 20, 90),
        (make_game("oust", side=3), 6, 40),
        (make_game("oust", side=3, pie_rule=False), 10, 30),
        (make_game("rive", side=2), 20, 90),
        (make_game("rive", side=3), 5, 90),
        (make_game("strands", layout=[3, 3, 3, 2, 1, 2, 2]), 20, 90),
        (Grab(), 7, 90),
    ],
    ids=lambda value: value.to_string() if isinstance(value, Game) else "",
)
def test_proofs_agree_with_plain_search(game: Game, back: int, least: int) -> None:
    solver, bot, source = Solver(), searcher("mcts simulations=3000"), rng()
    proven = 0
    for state in late(game, 100, back):
        winner = solver.winner(state)
        if winner is None:
            continue
        found = bot.analyse(state, source)
        assert found.winner in (winner, None)
        proven += found.winner is not None
        for action, claimed in found.proven.items():
            after = state.copy()
            after.step(action)
            assert solver.winner(after) in (claimed, None)
        if found.winner == state.to_play:
            assert found.proven[found.action] == winner
            assert found.value == 1.0
        elif found.winner is not None:
            assert found.value == -1.0 and set(found.proven) == set(state.legal_actions())
    assert proven >= least


# Who acts next may be who acted last


def plain_search(
    state: State, simulations: int, source: np.random.Generator, by_depth: bool = False
) -> int:
    """The most visited action; ``by_depth`` takes players to alternate, come what may."""
    tree: dict[tuple[int, ...], dict[int, list[float]]] = {}
    for _ in range(simulations):
        at, tried = state.copy(), []
        line: tuple[int, ...] = ()
        player, opens = state.to_play, False
        while not at.is_over and not opens:
            known = tree.setdefault(line, {action: [0, 0] for action in at.legal_actions()})
            new = [action for action, (visits, _) in known.items() if visits == 0]
            opens = bool(new)
            if new:
                action = new[int(source.integers(len(new)))]
            else:
                action = _best_by_bound(known, 1 - 2 * player)
            tried.append(known[action])
            line = (*line, action)
            at.step(action)
            player = 1 - player if by_depth else at.to_play
        while not at.is_over:
            at.step(at.sample_action(source))
        assert at.winner is not None
        for entry in tried:
            entry[0] += 1
            entry[1] += 1 - 2 * at.winner
    return max(tree[()], key=lambda action: tree[()][action][0])


def _best_by_bound(known: dict[int, list[float]], sign: int) -> int:
    log = math.log(sum(visits for visits, _ in known.values()))
    return max(
        known,
        key=lambda a: sign * known[a][1] / known[a][0] + math.sqrt(log / known[a][0]),
    )


def by_the_wrong_signs(folder: Path) -> Any:
    """`simulate`, changed in one line: who acts in a new position is who did not in the last."""
    source = Path(tree.__file__).read_text(encoding="utf-8")
    right = "links[node, FLAGS] = now & PLAYER"
    wrong = "links[node, FLAGS] = 1 - (links[path[depth - 1], FLAGS] & 1)"
    assert source.count(right) == 1
    file = folder / "tree_by_depth.py"
    file.write_text(source.replace(right, wrong), encoding="utf-8")
    spec = spec_from_file_location("tree_by_depth", file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # so that what is compiled can be kept
    spec.loader.exec_module(module)
    return module.simulate


ASKED = {"toy": twice.toy, "oust": twice.oust, "gipf": twice.gipf}
SEEDS = range(5)


@pytest.mark.parametrize("kind", ASKED)
def test_who_makes_two_steps_in_succession(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All questions are answered; and by the same search with the wrong signs half are not."""
    questions = ASKED[kind]()
    plainly = searcher("mcts simulations=10000 leaf=random c=1")
    assert all(question.is_answered(plainly, SEEDS) for question in questions)
    if kind != "toy":  # which has no heuristic
        by_heuristic = searcher("mcts simulations=10000 leaf=heuristic heuristic=plain")
        assert all(question.is_answered(by_heuristic, SEEDS) for question in questions)
    monkeypatch.setattr(mcts_session, "simulate", by_the_wrong_signs(tmp_path))
    answered = sum(question.is_answered(plainly, SEEDS) for question in questions)
    assert 2 * answered <= len(questions)


@pytest.mark.parametrize("kind", ["toy", "oust"])
def test_a_plain_search_gets_the_same_right_and_wrong(kind: str) -> None:
    simulations = {"toy": 2000, "oust": 200}[kind]

    def plainly(state: State, source: np.random.Generator) -> int:
        return plain_search(state, simulations, source)

    def by_depth(state: State, source: np.random.Generator) -> int:
        return plain_search(state, simulations, source, by_depth=True)

    questions = ASKED[kind]()
    assert all(question.is_answered(plainly, range(3)) for question in questions)
    assert not any(question.is_answered(by_depth, range(3)) for question in questions)


def test_gipf_asks_in_the_others_turn() -> None:
    """Who is asked what to take in the other's turn then pushes: two steps in succession."""
    source, solver, bot = rng(), Solver(), searcher("mcts simulations=3000")
    proven = 0
    for state in late(GAMES["gipf"], 1500, 5):
        if state.phase == "push" or state.last_player == state.to_play:
            continue
        winner = solver.winner(state, 150)
        if winner is None:
            continue
        found = bot.analyse(state, source)
        assert found.winner in (winner, None)
        proven += found.winner is not None
        if found.winner == state.to_play:
            assert found.proven[found.action] == winner
    assert proven >= 10


# Settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mcts", "exactly one of simulations=, seconds= and cpu_seconds=.*got none of them"),
        ("mcts simulations=5 seconds=1", "exactly one.*got simulations=5, seconds=1"),
        ("mcts simulations=-1", "simulations must be an integer from 1 to .*, got -1"),
        ("mcts simulations=0", "simulations must be an integer from 1"),
        ("mcts simulations=1e3", "simulations must be an integer from 1 to .*, got 1000.0"),
        ("mcts simulations=true", "simulations must be an integer from 1 to .*, got True"),
        ("mcts simulations=99999999999", "simulations must be an integer from 1 to 2147483646"),
        ("mcts seconds=0", "seconds must be a number above 0, got 0"),
        ("mcts seconds=inf", "seconds must be a number above 0, got inf"),
        ("mcts seconds=nan", "seconds must be a number above 0, got nan"),
        ("mcts cpu_seconds=-1.5", "cpu_seconds must be a number above 0, got -1.5"),
        ("mcts cpu_seconds=long", "cpu_seconds must be a number above 0, got 'long'"),
        ("mcts simulations=9 leaf=net", "leaf must be None or one of 'random', 'cut', 'heuristic'"),
        ("mcts simulations=9 cut=0", "cut must be an integer from 1 to 100000, got 0"),
        ("mcts simulations=9 c=-1", "c must be a number from 0 on, got -1"),
        ("mcts simulations=9 c=inf", "c must be a number from 0 on, got inf"),
        ("mcts simulations=9 urgency=nan", "urgency must be a number or inf, got nan"),
        ("mcts simulations=9 scale=0", "scale must be a number above 0, got 0"),
        ("mcts simulations=9 memory=0", "memory must be an integer from 1 to 73727, got 0"),
        ("mcts simulations=9 depth=3", "bot 'mcts' does not take simulations=9, depth=3"),
    ],
)
def test_wrong_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make_bot(text)


def test_texts_name_what_was_given() -> None:
    bot = make_bot("mcts simulations=50 cut=3 c=0.5 urgency=inf memory=16")
    assert bot.to_string() == "mcts simulations=50 cut=3 c=0.5 urgency=inf memory=16"
    assert repr(make_bot("mcts seconds=1")) == "make_bot('mcts', seconds=1.0)"
    state = position(GAMES["strands"], 10)
    for other in (
        pickle.loads(pickle.dumps(bot)),
        copy.deepcopy(bot),
        make_bot(bot.to_string()),
    ):
        assert repr(other) == repr(bot)
        assert other(state, rng()) == bot(state, rng())


# Any game


@pytest.mark.parametrize("leaf", ["random", "cut", "heuristic"])
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_same_state_and_rng_give_the_same_analysis(game: Game, leaf: str) -> None:
    bot = searcher(f"mcts simulations=200 leaf={leaf}")
    for seed in range(3):
        state = position(game, seed)
        before = state.to_string(), state.history
        one, two = bot.analyse(state, rng(seed)), bot.analyse(state, rng(seed))
        assert (one.visits, one.values, one.proven) == (two.visits, two.values, two.proven)
        assert one.action == two.action and one.principal_line == two.principal_line
        assert (state.to_string(), state.history) == before
        assert list(one.visits) == state.legal_actions() and one.action in one.visits
        assert sum(one.visits.values()) == one.simulations <= 200
        assert one.simulations == 200 or one.winner is not None
        assert all(-1 <= value <= 1 for value in one.values.values())
        line = state.copy()
        for action in one.principal_line:
            line.step(action)
        if len(one.visits) > 1:
            assert bot(state, rng(seed)) == one.action
        assert 0 < one.seconds < 100


def test_other_seeds_give_other_analyses() -> None:
    bot, state = searcher("mcts simulations=200"), GAMES["oust"].initial_state()
    assert len({tuple(bot.analyse(state, rng(seed)).visits.values()) for seed in range(5)}) > 1


def test_a_finished_game_has_no_action() -> None:
    state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    state.step(state.parse_action("b2"))
    bot = searcher("mcts simulations=10")
    for ask in (lambda: bot(state, rng()), lambda: bot.analyse(state), lambda: bot.session(state)):
        with pytest.raises(GameOverError, match="the game has ended: there is no action"):
            ask()
    with pytest.raises(TypeError, match="a State is searched, got 'oust'"):
        bot.analyse("oust")  # type: ignore[arg-type]


def test_one_legal_action_is_played_at_once() -> None:
    bot, state = searcher("mcts seconds=1000"), Point().initial_state(1)
    while len(state.legal_actions()) > 1:
        state.step(0)
    (only,) = state.legal_actions()
    assert bot(state, rng()) == only
    assert bot.session(state).choose() == only
    found = searcher("mcts simulations=10").analyse(state)
    assert found.action == only and found.simulations >= 1
    batch = Batch.from_states([state, state])
    assert make_bot("mcts simulations=9").choose(batch, rng()).tolist() == [only, only]


def test_an_answer_is_not_one_that_loses_while_another_is_untried() -> None:
    game = make_game("oust", side=2, pie_rule=False)
    solver, bot = Solver(), searcher("mcts simulations=1 leaf=heuristic")
    for state in late(game, 50, 20):
        found = bot.analyse(state, rng())
        assert found.action in state.legal_actions()
        if found.proven.get(found.action, state.to_play) != state.to_play:
            assert len(found.visits) == 1
    assert solver.known == {}


# Time


def test_seconds_are_kept() -> None:
    state = GAMES["gipf"].initial_state()
    bot = searcher("mcts simulations=1")
    bot.analyse(state)  # compiled
    for text, clock in (
        ("mcts seconds=0.2", time.perf_counter),
        ("mcts cpu_seconds=0.2", time.thread_time),
    ):
        begin = clock()
        found = searcher(text).analyse(state)
        assert 0.19 < clock() - begin < 1.5
        assert found.simulations > 1000


def test_a_search_can_be_stopped_and_goes_on() -> None:
    going = searcher("mcts seconds=1000").session(GAMES["gipf"].initial_state(), rng())
    answers: list[Analysis] = []
    thread = threading.Thread(target=lambda: answers.append(going.think()))
    thread.start()
    while going.known_simulations < 500:
        time.sleep(0.01)
    going.stop()
    thread.join(100)
    assert not thread.is_alive()
    assert answers[0].simulations == going.known_simulations >= 500

    told: list[Analysis] = []

    def look(found: Analysis) -> None:
        told.append(found)
        if len(told) == 3:
            going.stop()

    found = going.think(look, every=0.01)
    assert len(told) == 3
    numbers = [one.simulations for one in told]
    assert numbers == sorted(numbers) and numbers[0] > 0
    assert found.simulations == numbers[-1]
    assert going.known_simulations == answers[0].simulations + found.simulations
    with pytest.raises(OptionError, match="every must be a number of seconds from 0 on"):
        going.think(every=-1)
    with pytest.raises(ZeroDivisionError):
        going.think(lambda found: 1 / 0, every=0)
    check_tree(going)
    going.think(lambda found: going.play(found.action), every=0)
    assert len(going.state.history) == 1
    check_tree(going)


def test_ctrl_c_ends_a_search_that_goes_on() -> None:
    going = searcher("mcts seconds=1000").session(GAMES["rive"].initial_state(), rng())
    timer = threading.Timer(0.3, _thread.interrupt_main)
    begin = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        going.think()
    assert time.perf_counter() - begin < 100
    check_tree(going)
    timer = threading.Timer(0.3, going.stop)
    known = going.known_simulations
    timer.start()
    assert going.think().simulations > 0
    assert going.known_simulations > known


def test_ctrl_c_at_any_line() -> None:
    state = position(GAMES["strands"], 30)
    bot = searcher("mcts simulations=40")
    bot.session(state).think()

    def make() -> MctsSession:
        return bot.session(state, rng())

    def call(going: MctsSession) -> None:
        going.think()
        going.play(going.state.legal_actions()[0])
        going.choose()

    for going in everywhere(make, call):
        check_tree(going)
        legal = going.state.legal_actions()
        assert len(going.state.history) in (30, 31)
        assert list(going.think().visits) == legal
        check_tree(going)


# Sessions


def check_tree(going: MctsSession) -> None:
    """Every node belongs to one block, and visits add up."""
    visits, _, links, free = going._arrays.tree
    owners = np.zeros(int(free[USED]), np.int64)
    owners[0] = 1
    waiting = [0]
    while waiting:
        node = waiting.pop()
        first, opened = int(links[node, FIRST]), int(links[node, OPENED])
        if opened:
            size = 1 << (opened - 1).bit_length()
            owners[first : first + size] += 1
            below = range(first, first + opened)
            through = int(visits[below].sum())
            assert through <= visits[node]
            assert len(set(links[below, ACTION].tolist())) == opened <= links[node, LEGAL]
            waiting += below
    for size in range(SIZES):
        block = int(free[size])
        while block:
            owners[block : block + (1 << size)] += 1
            block = int(links[block, FIRST])
    assert (owners == 1).all()


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_session_keeps_its_tree_from_step_to_step(game: Game) -> None:
    bot, source = searcher("mcts simulations=300"), rng()
    going = bot.session(game.initial_state(1), source)
    kept = 0
    for turn in range(40):
        found = going.think()
        assert found.simulations == 300 or found.winner is not None
        check_tree(going)
        state = going.state
        action = found.action if turn % 3 else state.sample_action(source)
        going.play(action)
        state.step(action)
        assert going.state == state
        check_tree(going)
        assert going.known_simulations == found.visits[action] or found.visits[action] < 300
        kept += going.known_simulations > 0
        if state.is_over:
            break
    assert kept > 2
    if state.is_over:
        with pytest.raises(GameOverError):
            going.think()
        with pytest.raises(GameOverError):
            going.play(0)


def test_a_session_refuses_illegal_steps_and_goes_on() -> None:
    going = searcher("mcts simulations=50").session(GAMES["oust"].initial_state(), rng())
    going.think()
    known = going.known_simulations
    for action in (-1, 10_000, True, "b2"):
        with pytest.raises(IllegalActionError):
            going.play(action)  # type: ignore[arg-type]
    assert going.known_simulations == known


# Memory


@pytest.mark.parametrize("leaf", ["random", "heuristic"])
def test_a_full_tree_is_searched_on(leaf: str) -> None:
    bot = searcher(f"mcts simulations=60000 memory=1 leaf={leaf}")
    state = GAMES["gipf"].initial_state()
    going = bot.session(state, rng())
    found = going.think()
    nodes = (1 << 20) // NODE_BYTES
    assert len(going._arrays.visits) == nodes
    assert found.is_full and found.simulations == 60000
    check_tree(going)
    assert not searcher("mcts simulations=500").analyse(state).is_full
    going.play(found.action)
    check_tree(going)
    assert going.think().simulations == 60000
    check_tree(going)


def test_so_many_simulations_never_need_more_nodes_than_there_are() -> None:
    for name in ("oust", "gipf", "duo"):
        for simulations in (1, 2, 3, 10, 100, 1000):
            for leaf in ("random", "heuristic"):
                bot = searcher(f"mcts simulations={simulations} leaf={leaf} c=0.1")
                assert not bot.analyse(GAMES[name].initial_state(1), rng()).is_full


def test_memory_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    state = GAMES["oust"].initial_state()
    monkeypatch.setattr(arrays, "physical_memory", lambda: 2**30)
    bot = searcher("mcts seconds=1 memory=2000")
    with pytest.raises(OptionError, match=r"takes up to 2,\d+,\d+,\d+ bytes, for which there is"):
        bot(state, rng())
    searcher("mcts simulations=10 memory=2000")(state, rng())  # needs less
    monkeypatch.undo()
    code = """
import resource
from hexgames_env import make_game
from hexgames_env.bots import make_bot
bot, state = make_bot("mcts seconds=1 memory=1500"), make_game("oust", side=2).initial_state()
make_bot("mcts simulations=9").analyse(state)
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
try:
    bot.analyse(state)
except ValueError as error:
    print(type(error).__name__, error)
"""
    (line,), _ = run(code)
    assert line.startswith("OptionError the search tree takes up to 1,5")


# Batches


class Told(np.random.Generator):
    """Gives the bits that it was told."""

    def __init__(self, bits: int) -> None:
        super().__init__(np.random.PCG64(1))
        self._bits = bits

    def integers(self, *arguments: Any, **more: Any) -> Any:
        return np.uint64(self._bits)


@pytest.mark.parametrize("name", ["oust", "gipf", "lamp"])
def test_rows_do_not_depend_on_threads_or_other_rows(name: str) -> None:
    game, bot = GAMES[name], make_bot("mcts simulations=100")
    states = [position(game, 2 + seed % 3, seed) for seed in range(7)]

    def answers(threads: int = 1, rows: list[int] | None = None) -> list[int]:
        batch = Batch.from_states(states, seed=5, threads=threads)
        return [*map(int, bot.choose(batch, rng(), None if rows is None else np.array(rows, int)))]

    whole = answers()
    assert [answers(threads) for threads in (2, 3, 7)] == [whole] * 3
    assert answers(2, [5, 0, 3]) == [whole[5], whole[0], whole[3]]
    assert answers(rows=[]) == []
    bits = Batch.from_states(states, seed=5).draw_bits(np.arange(7)).tolist()
    assert [bot(state, Told(bit)) for state, bit in zip(states, bits, strict=True)] == whole
    longer = Batch.from_states([*states, states[0]], seed=5)
    assert bot.choose(longer, rng()).tolist()[:7] == whole
    (again,) = bot.choose(longer, rng(), np.array([7])).tolist()
    assert states[0].is_legal(again)
    with pytest.raises(IndexError):
        answers(rows=[7])


def test_rows_are_searched_by_time_one_after_the_other() -> None:
    batch = Batch(GAMES["gipf"], 3, seed=1)
    actions = make_bot("mcts cpu_seconds=0.01").choose(batch, rng())
    assert batch.action_mask[np.arange(3), actions].all()


def test_a_row_whose_game_has_ended_is_refused() -> None:
    batch = Batch(make_game("oust", side=2), 2, seed=1)
    for _ in range(100):
        actions = batch.sample_actions()
        if (batch.step_against(None, batch.to_play, actions) != 0).any():
            break
    with pytest.raises(GameOverError):
        make_bot("mcts simulations=9").choose(batch, rng())


def test_ctrl_c_in_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = Batch(GAMES["rive"], 64, seed=1, threads=2)
    bot: Bot = make_bot("mcts simulations=1000000")
    make_bot("mcts simulations=1").choose(batch, rng())
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        bot.choose(batch, rng())
    assert batch.play_random(10).steps == 640


# Strength


def test_it_beats_random_play() -> None:
    for text in ("oust side=3", "rive side=3", "gipf"):
        score = bots.evaluate("mcts simulations=100", text, games=20, max_cycles=400)
        assert score.win_rate >= 0.9


def test_slices_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    state, bot = position(GAMES["oust"], 4), searcher("mcts simulations=3000 leaf=random")
    whole = bot.analyse(state, rng())
    monkeypatch.setattr(session, "SLICE", 1e-6)
    assert bot.analyse(state, rng()).visits == whole.visits
