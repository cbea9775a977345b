"""What a batch has recorded is what was played in it, whatever played it, and however much room it
had to write that down."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from hexgames_env import Batch, Game, OptionError, State, make_game
from hexgames_env.core import journal
from hexgames_env.core.journal import BY_ILLEGAL_ACTION, BY_RULES, CUT_OFF, UNFINISHED, PlayedGames
from hexgames_env.core.policies import FORFEITED_TO, RUNNING, TRUNCATED, WON_BY
from hexgames_env.core.registry import game_from_string
from strange_game import Lamp
from volume import quick

ROWS = 5
GAMES = [
    "oust side=2 pie_rule=false",
    "oust side=3",
    "rive side=2",
    "rive side=3",
    "gipf",
    "gipf variant=basic",
    "strands layout=22/321/33",
    "strands layout=6-random cover=exactly",
]
LONG = ("gipf", "gipf variant=basic", "strands layout=6-random cover=exactly")
RESULTS = "rewards terminated truncated illegal finished final_lengths action_mask lengths".split()

Told = tuple[bytes, tuple[int, ...], int, int, int]
"""Of a game: its start's key, its actions, winner or -1, ending, illegal action or -1."""


def as_game(text: str) -> Game:
    return Lamp() if text == "lamp" else game_from_string(text)


class Books:
    """What is played in each row of a batch, written down by single states."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.over: list[list[Told]] = [[] for _ in range(batch.n)]
        self.states = batch.states()
        self.runs = [True] * batch.n

    def told(self, row: int, winner: int | None, ending: int, illegal: int = -1) -> Told:
        state = self.states[row]
        won = -1 if winner is None else winner
        return state.root().key()[1], tuple(state.history), won, ending, illegal

    def begin(self, rows: Iterable[int]) -> None:
        """What stands in these rows now begins games."""
        for row in rows:
            if self.runs[row] and self.states[row].last_action is not None:
                self.over[row].append(self.told(row, None, UNFINISHED))
            self.states[row], self.runs[row] = self.batch.state(row), True

    def step(self, row: int, action: int) -> bool:
        """One step in a row; whether its game has ended."""
        state = self.states[row]
        if not state.try_step(action):
            lost = self.told(row, 1 - state.to_play, BY_ILLEGAL_ACTION, action)
            self.over[row].append(lost)
        elif state.is_over:
            self.over[row].append(self.told(row, state.winner, BY_RULES))
        elif len(state.history) == self.batch.max_cycles:
            self.over[row].append(self.told(row, None, CUT_OFF))
        else:
            return False
        self.runs[row] = False
        return True

    def take(self, running: bool) -> list[list[Told]]:
        """By row, as from `Batch.take_games`."""
        taken, self.over = self.over, [[] for _ in self.over]
        if running:
            for row, state in enumerate(self.states):
                if self.runs[row] and state.last_action is not None:
                    taken[row] = [*taken[row], self.told(row, None, UNFINISHED)]
        return taken


def by_row(game: Game, played: PlayedGames, expected: list[list[Told]]) -> list[list[Told]]:
    """What was taken, as many games of each row as are expected of it."""
    found = []
    for k, seed in enumerate(played.seeds.tolist()):
        start = played.set_up[k] if k in played.set_up else game.initial_state(seed)
        assert start.last_action is None or k in played.set_up
        begin, end = played.offsets[k : k + 2]
        found.append(
            (
                start.key()[1],
                tuple(played.actions[begin:end].tolist()),
                int(played.winners[k]),
                int(played.endings[k]),
                int(played.illegal[k]),
            )
        )
    rows = iter(found)
    parted = [[game for _, game in zip(row, rows, strict=False)] for row in expected]
    assert len(found) == sum(map(len, expected))
    return parted


class Play:
    """Steps a batch that records, and one that does not, by the same calls, and keeps the books.

    The one that does not is led by hand where the other one plays in a loop.
    """

    def __init__(self, game: Game, threads: int, max_cycles: int | None, seed: int) -> None:
        settings: dict[str, Any] = {"max_cycles": max_cycles, "illegal_action": "lose"}
        self.game = game
        self.batch = Batch(game, ROWS, seed, threads, record=True, **settings)
        self.twin = Batch(game, ROWS, seed, **settings)
        self.books = Books(self.twin)
        self.rng = random.Random(seed)
        self.endings: set[int] = set()

    def alike(self, results: bool = False) -> None:
        for name in RESULTS if results else ("action_mask", "lengths"):
            one, other = getattr(self.batch, name), getattr(self.twin, name)
            np.testing.assert_array_equal(one, other, err_msg=name)
        assert self.batch.states() == self.twin.states()

    def some_rows(self) -> list[int]:
        return self.rng.sample(range(ROWS), self.rng.randint(1, ROWS))

    def actions(self) -> Any:
        """Legal ones, now and then with an illegal one among them."""
        chosen = self.batch.sample_actions()
        assert (chosen == self.twin.sample_actions()).all()
        if self.rng.random() < 0.1:
            row = self.rng.randrange(ROWS)
            chosen[row] = int(self.batch.action_mask[row].argmin())
        return chosen

    def step(self) -> None:
        actions = self.actions()
        self.batch.step(actions)
        self.step_twin(actions)
        self.alike(results=True)

    def step_twin(self, actions: Any) -> None:
        self.twin.step(actions)
        ended = [row for row in range(ROWS) if self.books.step(row, int(actions[row]))]
        assert ended == self.twin.finished.tolist()
        self.books.begin(ended)

    def play_random(self) -> None:
        steps = self.rng.choice([1, 7, 40])
        self.batch.play_random(steps)
        for _ in range(steps):
            self.step_twin(self.twin.sample_actions())
        self.alike()

    def begin(self) -> None:
        rows = None if self.rng.random() < 0.2 else self.some_rows()
        self.batch.begin(rows)
        self.twin.begin(rows)
        self.books.begin(range(ROWS) if rows is None else rows)
        self.alike()

    def set_states(self) -> None:
        rows = self.some_rows()
        states = []
        for _ in rows:
            state = self.game.initial_state(self.rng.randrange(100))
            for _ in range(self.rng.randrange(4)):
                before = state.copy()
                state.step(state.sample_action(self.rng))
                state = before if state.is_over else state
            states.append(state)
        self.batch.set_states(rows, states)
        self.twin.set_states(rows, states)
        self.books.begin(rows)
        self.alike()

    def duel(self) -> None:
        """Some steps against somebody; games that end begin anew."""
        policy: Any = self.rng.choice(["random", "greedy", None])
        seats = np.array([self.rng.randrange(2) for _ in range(ROWS)])
        rows = None if self.rng.random() < 0.3 else sorted(self.some_rows())
        for step in range(self.rng.randint(2, 12)):
            actions: Any = None
            if step or policy is None:
                actions = self.actions()
                actions = actions if rows is None else actions[rows]
            outcomes = self.batch.step_against(policy, seats, actions, rows)
            assert outcomes.tolist() == self.duel_twin(policy, seats, actions, rows)
            assert self.batch.to_play.tolist() == self.twin.to_play.tolist()
            which = np.arange(ROWS) if rows is None else np.array(rows)
            over = which[outcomes != RUNNING]
            if len(over):
                self.batch.begin(over)
                self.twin.begin(over)
                self.books.begin(over.tolist())
            self.alike()

    def duel_twin(self, policy: Any, seats: Any, actions: Any, rows: Any) -> list[int]:
        which = list(range(ROWS)) if rows is None else rows
        outcomes = dict.fromkeys(which, RUNNING)
        made = {} if actions is None else dict(zip(which, actions.tolist(), strict=True))
        while True:
            if made:
                asked = list(made)
                found = self.twin.step_against(None, seats, [made[row] for row in asked], asked)
                outcomes.update(zip(asked, found.tolist(), strict=True))
                for row in asked:
                    assert self.books.step(row, made[row]) == (outcomes[row] != RUNNING)
            due = [
                row
                for row in which
                if outcomes[row] == RUNNING and self.twin.to_play[row] != seats[row]
            ]
            if policy is None or not due:
                return [outcomes[row] for row in which]
            made = dict(zip(due, self.twin.choose(policy, due).tolist(), strict=True))

    def take(self, running: bool) -> None:
        expected = self.books.take(running)
        played = self.batch.take_games(running)
        assert by_row(self.game, played, expected) == expected
        self.endings |= set(played.endings.tolist())


@pytest.mark.parametrize("text", [*GAMES, "lamp"])
@pytest.mark.parametrize("threads", quick([1, 3], 3))
@pytest.mark.parametrize("max_cycles", [None, 4])
def test_games_are_those_that_were_played(
    text: str, threads: int, max_cycles: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "ROOM", 1)
    monkeypatch.setattr(journal, "LEAST_ROOM", 10)  # all the time it is full
    play = Play(as_game(text), threads, max_cycles, seed=threads)
    ways = [play.step] * 4 + [play.play_random, play.begin, play.set_states] + [play.duel] * 3
    for k in range(70):
        play.rng.choice(ways)()
        if k % 6 == 0:
            play.take(running=play.rng.random() < 0.5)
    play.take(running=True)
    play.take(running=True)  # the same once more
    play.begin()
    play.take(running=False)
    assert {BY_ILLEGAL_ACTION, UNFINISHED} <= play.endings
    assert (CUT_OFF if max_cycles else BY_RULES) in play.endings or text in LONG


@pytest.mark.long
@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_a_turn_is_longer_than_a_row_of_the_journal(
    policy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps of the opponent, again and again, each time until there is no room."""
    monkeypatch.setattr(journal, "ROOM", 1)
    monkeypatch.setattr(journal, "LEAST_ROOM", 10)
    game = make_game("strands", layout=[2, *[6] * 18])  # up to six steps a turn
    play = Play(game, 1, None, seed=3)
    full = 0
    real = play.batch._duel

    def counted(which: Any, *arguments: Any) -> Any:
        nonlocal full
        full += 1
        return real(which, *arguments)

    monkeypatch.setattr(play.batch, "_duel", counted)
    seats = np.zeros(ROWS, np.int64)
    asked = 0
    for _ in range(40):
        actions = play.actions()
        outcomes = play.batch.step_against(policy, seats, actions)
        asked += 1
        assert outcomes.tolist() == play.duel_twin(policy, seats, actions, None)
        over = np.flatnonzero(outcomes != RUNNING)
        play.batch.begin(over)
        play.twin.begin(over)
        play.books.begin(over.tolist())
        play.alike()
    assert full > asked + 5
    play.take(running=True)


def play_a_while(batch: Batch) -> None:
    batch.play_random(30)
    for _ in range(20):
        batch.step(batch.sample_actions())


@pytest.mark.parametrize("text", ["oust side=3", "strands layout=6-random"])
def test_games_depend_on_neither_threads_nor_room(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []
    for threads, room in ((1, 2**21), (3, 2**21), (1, 1), (3, 1)):
        monkeypatch.setattr(journal, "ROOM", room)
        batch = Batch(as_game(text), 9, 5, threads, max_cycles=37, record=True)
        play_a_while(batch)
        taken.append(batch.take_games(running=True))
        assert len(taken[-1].winners) > 9
    for played in taken[1:]:
        for one, other in zip(taken[0][:-1], played[:-1], strict=True):
            np.testing.assert_array_equal(one, other)


def test_kinds_of_the_arrays() -> None:
    batch = Batch(as_game("oust side=2"), 3, 1, record=True)
    batch.play_random(40)
    batch.set_state(1, batch.game.initial_state())
    batch.play_random(40)
    for played in (batch.take_games(), batch.take_games()):
        kinds = (np.uint16, np.int64, np.int8, np.uint8, np.int32, np.uint64)
        assert [array.dtype for array in played[:-1]] == [np.dtype(kind) for kind in kinds]
        games = len(played.winners)
        assert [len(array) for array in played[1:-1]] == [games + 1, *[games] * 4]
        assert set(played.set_up) <= set(range(games))
    assert not games, "they had been taken"


def test_drawn_starts_are_those_of_the_games() -> None:
    game = as_game("strands layout=6-random")
    batch = Batch(game, 4, seed=8, record=True)
    starts = [[state] for state in batch.states()]
    for _ in range(150):
        batch.step(batch.sample_actions())
        for row in batch.finished.tolist():
            starts[row].append(batch.state(row))
    played = batch.take_games(running=True)
    expected = [state for row in starts for state in row]
    found = [game.initial_state(seed) for seed in played.seeds.tolist()]
    assert len(found) > 6 and len({state.key() for state in found}) > 6
    lengths = np.diff(played.offsets)
    assert [state.key() for state in found] == [state.key() for state in expected][: len(found)]
    assert (lengths > 0).all()


def test_a_copy_and_a_pickle_do_not_record_and_the_batch_goes_on() -> None:
    batch = Batch(as_game("oust side=3"), 3, 2, record=True)
    twin = Batch(as_game("oust side=3"), 3, 2, record=True)
    play_a_while(batch)
    play_a_while(twin)
    copies = [batch.copy(), copy.copy(batch), copy.deepcopy(batch)]
    copies.append(pickle.loads(pickle.dumps(batch)))
    for other in copies:
        assert not other.record and batch.record
        play_a_while(other)
        with pytest.raises(RuntimeError, match="records nothing: make it with record=True"):
            other.take_games()
    play_a_while(batch)
    play_a_while(twin)
    assert copies[0].states() == batch.states() == copies[-1].states()
    both = zip(batch.take_games(True)[:-1], twin.take_games(True)[:-1], strict=True)
    for mine, yours in both:
        np.testing.assert_array_equal(mine, yours)


def test_a_batch_that_does_not_record_says_so() -> None:
    batch = Batch(as_game("oust side=2"), 2, 1)
    assert not batch.record
    with pytest.raises(RuntimeError, match="make it with record=True"):
        batch.take_games()
    with pytest.raises(OptionError, match="record must be True or False"):
        Batch(batch.game, 2, record=1)  # type: ignore[arg-type]


def test_states_make_a_batch_that_records() -> None:
    state = as_game("oust side=3").initial_state()
    state.step(0)
    batch = Batch.from_states([state, state], seed=1, record=True)
    batch.step([5, 6])
    played = batch.take_games(running=True)
    assert {k: found.key() for k, found in played.set_up.items()} == {
        0: state.key(),
        1: state.key(),
    }
    assert played.actions.tolist() == [5, 6]
    state.step(5)  # the batch has its own
    assert batch.take_games(running=True).set_up[0] != state


def test_positions_put_into_rows_are_many() -> None:
    """Their numbers take two words."""
    game = as_game("oust side=2")
    batch = Batch(game, 64, 1, record=True)
    first = game.initial_state()
    for _ in range(1030):
        batch.set_states(None, [first] * 64)
    state = first.copy()
    state.step(3)
    batch.set_states(None, [state] * 64)
    batch.step([0] * 64)
    played = batch.take_games(running=True)
    assert len(played.winners) == 64
    assert {found.key() for found in played.set_up.values()} == {state.key()}


def test_more_actions_than_there_are_numbers_for() -> None:
    with pytest.raises(OptionError, match=r"up to 65,529 actions can be recorded.* 65,530"):
        journal.Journal(1, 65_530)
    assert journal.Journal(1, 65_529).is_on


@pytest.mark.parametrize("record", [False, True])
def test_rows_whose_game_has_ended_wait(record: bool) -> None:
    """Whoever forgets to begin them gets what he got before, and no call without end."""
    game = as_game("oust side=2 pie_rule=false")
    batch = Batch(game, 2, 1, illegal_action="lose", record=record)
    seats = np.zeros(2, np.int64)
    lost = int(batch.action_mask[0].argmin())
    first = batch.step_against("random", seats, [lost, 0])
    assert first.tolist() == [FORFEITED_TO + 1, RUNNING]
    assert batch.step_against("random", 1 - seats, None, [0]).tolist() == [RUNNING]
    assert batch.step_against("random", seats, [0], [0]).tolist() == [FORFEITED_TO + 1]
    batch.begin([0])
    batch.step_against("random", seats, None, [0])
    if record:
        played = batch.take_games(running=True)
        assert played.illegal.tolist() == [lost, -1]


@pytest.mark.parametrize("record", [False, True])
def test_a_row_that_is_named_twice(record: bool) -> None:
    game = as_game("oust side=2 pie_rule=false")
    batch = Batch(game, 3, 1, record=record)
    batch.step(batch.sample_actions())
    batch.begin([1] * 100_000)
    assert batch.lengths.tolist() == [1, 0, 1]
    if record:
        with pytest.raises(ValueError, match="row 1 is given twice"):
            batch.step_against(None, 0, [0] * 100_000, [1] * 100_000)
        assert batch.lengths.tolist() == [1, 0, 1]
        played = batch.take_games(running=True)
        assert np.diff(played.offsets).tolist() == [1, 1, 1]


def test_a_forfeited_game_has_no_place_for_its_last_action() -> None:
    game = as_game("oust side=3")
    batch = Batch(game, 1, 1, illegal_action="lose", record=True)
    wrong = int(batch.action_mask[0].argmin())
    batch.step([wrong])
    batch.step(batch.sample_actions())
    batch.step([wrong])
    played = batch.take_games()
    assert np.diff(played.offsets).tolist() == [0, 1]
    assert played.illegal.tolist() == [wrong, wrong]
    assert played.winners.tolist() == [1, 0]


def test_states_of_other_games_are_not_taken() -> None:
    batch = Batch(as_game("oust side=3"), 2, 1, record=True)
    with pytest.raises(ValueError, match="this batch plays"):
        batch.set_states(None, [as_game("rive side=3").initial_state()] * 2)
    assert not len(batch.take_games(running=True).winners)


def test_outcomes_and_words_of_the_journal_fit() -> None:
    assert (WON_BY, TRUNCATED, FORFEITED_TO) == (1, 3, 4)
    assert journal.LEAST < journal.WON < journal.FORFEITED < journal.SET < journal.BEGIN


def test_a_state_put_in_is_one_of_its_own() -> None:
    game = as_game("oust side=3")
    batch = Batch(game, 1, 1, record=True)
    state: State = game.initial_state()
    state.step(0)
    batch.set_state(0, state)
    state.step(1)
    batch.step([5])
    played = batch.take_games(running=True)
    assert played.set_up[0].history == [0]
