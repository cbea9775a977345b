"""Many rows do what one row does, bit for bit, whatever their number and the threads."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from typing import Any

import numpy as np
import pytest

from hexgames_env import Batch, IllegalActionError, OptionError, State, game_names, make_game
from hexgames_env.core.policies import FORFEITED_TO, RUNNING

GAMES = game_names()
RAGGED = [[5], [6, 7], 7, 8]


def play(batch: Batch, steps: int) -> list[Any]:
    """Everything that a batch shows over some random steps."""
    seen: list[Any] = []
    for _ in range(steps):
        actions = batch.sample_actions()
        batch.step(actions)
        seen += [actions, batch.rewards, batch.terminated, batch.truncated, batch.to_play]
        seen += [batch.action_mask, batch.observations(), batch.lengths, batch.finished]
        seen += [batch.final_lengths, batch.final_returns, batch.final_observations()]
    return seen


def assert_equal(some: list[Any], others: list[Any]) -> None:
    assert len(some) == len(others)
    for one, other in zip(some, others, strict=True):
        np.testing.assert_array_equal(one, other)


def small(name: str) -> dict[str, Any]:
    """Options for a small board, where the game has a side."""
    return {"side": 3} if "side" in make_game(name).options else {}


@pytest.mark.parametrize("name", GAMES)
def test_rows_play_like_single_states(name: str) -> None:
    game = make_game(name, **small(name))
    batch = Batch(game, 3, seed=5)
    states = [batch.state(row) for row in range(3)]
    ended = 0
    for _ in range(400):
        for row, state in enumerate(states):
            assert batch.state(row) == state
            assert batch.to_play[row] == state.to_play
            np.testing.assert_array_equal(batch.action_mask[row], state.action_mask())
            for player in (0, 1):
                np.testing.assert_array_equal(
                    batch.observations(player)[row], state.observation(player)
                )
        actions = batch.sample_actions()
        batch.step(actions)
        for row, state in enumerate(states):
            state.step(actions[row])
            np.testing.assert_array_equal(batch.rewards[row], state.returns())
            assert batch.terminated[row] == state.is_over
            if state.is_over:
                ended += 1
                k = batch.finished.tolist().index(row)
                assert batch.final_state(k) == state
                assert batch.final_lengths[k] == len(state.history)
                np.testing.assert_array_equal(batch.final_returns[k], state.returns())
                for player in (0, 1):
                    np.testing.assert_array_equal(
                        batch.final_observations(player)[k], state.observation(player)
                    )
                states[row] = batch.state(row)
    assert ended > 5


@pytest.mark.parametrize("name", GAMES)
def test_a_row_depends_on_neither_threads_nor_the_number_of_rows(name: str) -> None:
    game = make_game(name, **small(name))
    many = play(Batch(game, 9, seed=7), 150)
    assert_equal(many, play(Batch(game, 9, seed=7, threads=2), 150))
    assert_equal(many, play(Batch(game, 9, seed=7, threads=5), 150))
    few = play(Batch(game, 4, seed=7), 150)
    for k, name_of in enumerate(("actions", "rewards", "terminated", "truncated", "to_play")):
        for all_rows, four in zip(many[k::12], few[k::12], strict=True):
            np.testing.assert_array_equal(all_rows[:4], four, err_msg=name_of)
    other = play(Batch(game, 9, seed=8), 150)
    assert any((one != two).any() for one, two in zip(many[::12], other[::12], strict=True))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("max_cycles", [None, 17])
def test_play_random_is_sample_and_step(name: str, threads: int, max_cycles: int | None) -> None:
    game = make_game(name, **small(name))
    slow = Batch(game, 5, seed=3, max_cycles=max_cycles)
    fast = Batch(game, 5, seed=3, threads=threads, max_cycles=max_cycles)
    games, wins, truncated, lengths = 0, np.zeros(2, int), 0, []
    for _ in range(300):
        slow.step(slow.sample_actions())
        games += len(slow.finished)
        wins += (slow.rewards == 1).sum(axis=0)
        truncated += int(slow.truncated.sum())
        lengths += slow.final_lengths.tolist()
    result = fast.play_random(300)
    assert (result.steps, result.games, result.truncated) == (1500, games, truncated)
    assert result.wins == tuple(wins)
    assert games == sum(wins) + truncated > 0
    assert (result.shortest, result.longest) == (min(lengths), max(lengths))
    assert result.mean_length == pytest.approx(np.mean(lengths))
    assert_equal(play(slow, 20), play(fast, 20))


def test_sampling_is_uniform() -> None:
    batch = Batch(make_game("oust", side=2, pie_rule=False), 20_000, seed=1)
    counts = np.bincount(batch.sample_actions(), minlength=batch.game.num_actions)
    assert counts[7] == 0  # pass
    expected = 20_000 / 7
    chi_square = ((counts[:7] - expected) ** 2 / expected).sum()
    assert chi_square < 22.5  # 6 degrees of freedom: exceeded once in a thousand seeds


def test_what_was_handed_out_never_changes() -> None:
    batch = Batch(make_game("rive", side=3), 8, seed=2)
    batch.step(batch.sample_actions())
    handed_out = [batch.rewards, batch.terminated, batch.truncated, batch.action_mask]
    handed_out += [batch.observations(), batch.to_play, batch.lengths, batch.sample_actions()]
    copies = [array.copy() for array in handed_out]
    play(batch, 200)
    assert_equal(handed_out, copies)


def test_out_is_filled_and_returned() -> None:
    batch = Batch(make_game("oust", side=3), 8, seed=2)
    out = np.full((8, *batch.game.observation_shape), 9, np.float32)
    assert batch.observations(out=out) is out
    np.testing.assert_array_equal(out, batch.observations())


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, Batch.copy])
def test_a_copy_goes_on_with_the_same_games(make: Any) -> None:
    batch = Batch(make_game("rive", side=3), 6, seed=4, threads=2)
    play(batch, 50)
    other = make(batch)
    seen = play(other, 100)
    assert_equal(play(batch, 100), seen)


def test_a_pickle_goes_on_with_the_same_games() -> None:
    batch = Batch(make_game("rive", side=3), 6, seed=4, threads=2)
    play(batch, 50)
    other = pickle.loads(pickle.dumps(batch))
    assert_equal(play(batch, 100), play(other, 100))


def test_a_pickle_that_shares_memory_can_be_stepped() -> None:
    batch = Batch(make_game("rive", side=3), 6, seed=4)
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(batch, 5, buffer_callback=buffers.append)
    other = pickle.loads(data, buffers=[bytes(buffer) for buffer in buffers])
    assert_equal(play(batch, 20), play(other, 20))


def test_random_play_of_no_steps_changes_nothing() -> None:
    batch = Batch(make_game("oust", side=3), 2, seed=1, max_cycles=1)
    batch.step(batch.sample_actions())
    for steps in (0, -1, 1.5, None, 2**70):
        with pytest.raises(OptionError, match="steps must be"):
            batch.play_random(steps)  # type: ignore[arg-type]
    assert batch.finished.tolist() == [0, 1]
    assert batch.play_random(np.int8(100)).steps == 200  # type: ignore[arg-type]


def test_states_go_in_and_out() -> None:
    game = make_game("rive", side=3)
    states = []
    for seed in range(5):
        state = game.initial_state()
        rng = np.random.default_rng(seed)
        for _ in range(10 * seed):
            state.step(state.sample_action(rng))
        states.append(state)
    batch = Batch.from_states(states, seed=1)
    assert [batch.state(row) for row in range(5)] == states
    assert batch.lengths.tolist() == [0] * 5
    batch.set_state(0, states[4])
    assert batch.state(0) == states[4]


def some_states(batch: Batch, steps: int) -> list[State]:
    """What stands in the rows of another batch like this one after some random steps."""
    other = Batch(batch.game, batch.n, seed=99)
    other.play_random(steps)
    return other.states()


@pytest.mark.parametrize("name", GAMES)
def test_states_are_set_in_many_rows(name: str) -> None:
    batch = Batch(make_game(name, **small(name)), 6, seed=1)
    batch.play_random(7)
    others, before = some_states(batch, 5), batch.copy()
    for rows in ([4, 0, 2], np.array([4, 0, 2], np.uint8)):
        batch.set_states(rows, iter(others[:3]))
    expected = before.states()
    expected[4], expected[0], expected[2] = others[:3]
    assert batch.states() == expected
    for row in range(6):
        assert batch.to_play[row] == expected[row].to_play
        assert (batch.action_mask[row] == expected[row].action_mask()).all()
        assert batch.lengths[row] == (0 if row in (4, 0, 2) else before.lengths[row])
    assert (batch.rewards == before.rewards).all()
    one_by_one = before.copy()
    for row, state in zip((4, 0, 2), others, strict=False):
        one_by_one.set_state(row, state)
    assert_equal(play(one_by_one, 60), play(batch, 60))
    batch.set_states(None, others)
    assert batch.states() == others and batch.lengths.tolist() == [0] * 6
    batch.set_states([], [])
    assert batch.states() == others
    others[0].step(others[0].legal_actions()[0])
    assert batch.state(0) != others[0]


def cut_off(game: Any) -> State:
    """The last position of a game that `max_cycles` ended."""
    batch = Batch(game, 1, seed=1, max_cycles=1)
    batch.step(batch.sample_actions())
    return batch.final_state(0)


def test_wrong_states_change_nothing() -> None:
    batch = Batch(make_game("oust", side=2), 4, seed=1)
    batch.play_random(2)
    good = some_states(batch, 3)
    over = State.from_string("oust side=2 pie_rule=true board=BB/.../.. to_play=0 winner=0")
    bad: list[tuple[Any, str]] = [
        (over, "the state's game is over"),
        (cut_off(batch.game), "the state's game was cut off"),
        (make_game("oust", side=2, pie_rule=False).initial_state(), "this batch plays"),
        (make_game("rive", side=2).initial_state(), "this batch plays"),
        (None, "a row takes a State, got None"),
        (batch, "a row takes a State"),
        (good[0].to_string(), "a row takes a State"),
    ]
    before = pickle.dumps(batch)
    for state, message in bad:
        with pytest.raises(ValueError, match=message):
            batch.set_state(1, state)
        with pytest.raises(
            ValueError, match=message if isinstance(state, State) else "only states"
        ):
            Batch.from_states([good[0], state])
        for place in range(4):
            states = [*good[:place], state, *good[place + 1 :]]
            with pytest.raises(ValueError, match=message):
                batch.set_states([0, 1, 2, 3], states)
    for rows in ([4], [-1], [0.0], 0, [[0]], [True], [None], "0", [2**70], [2**64 - 1]):
        with pytest.raises(IndexError, match="rows are"):
            batch.set_states(rows, good[:1])  # type: ignore[arg-type]
    for row in (4, -1, 0.0, None, True, [0]):
        with pytest.raises(IndexError, match="rows are 0 to 3"):
            batch.set_state(row, good[0])  # type: ignore[arg-type]
    for rows in ([1, 1], [3, 1, 0, 3]):
        with pytest.raises(ValueError, match=f"row {rows[-1]} is given twice"):
            batch.set_states(rows, good[: len(rows)])
    for rows, states in (([0], good), ([0, 1], good[:1]), ([], good), (None, good[:3])):
        with pytest.raises(ValueError, match=r"a state for each of \d rows, got \d of them"):
            batch.set_states(rows, states)
    for states in (None, 3, 10**5000, good[0]):
        with pytest.raises(ValueError, match=r"a state for each of 1 rows, got"):
            batch.set_states([0], states)  # type: ignore[arg-type]
    assert pickle.dumps(batch) == before


def test_illegal_actions_are_found_before_anything_changes() -> None:
    batch = Batch(make_game("oust", side=3), 4, seed=1)
    batch.step([0, 1, 2, 3])
    before = pickle.dumps(batch.__getstate__())
    rewards = batch.rewards
    with pytest.raises(IllegalActionError, match="1 in row 1, 3 in row 3"):
        batch.step([5, 1, 6, 3])
    for wrong in ([5, 6, 7, 21], [5, 6, 7, -1], [5, 6, 7, 2**62]):
        with pytest.raises(IllegalActionError, match="in row 3; actions are 0 to 20"):
            batch.step(wrong)
    for wrong in (RAGGED, [5, 6, 7], [5.0] * 4, 5, [[5, 6, 7, 8]], [True] * 4, [None] * 4):
        with pytest.raises(IllegalActionError, match="4 integers"):
            batch.step(wrong)
    assert pickle.dumps(batch.__getstate__()) == before
    assert batch.rewards is rewards


def test_a_batch_tells_which_games_an_illegal_action_lost() -> None:
    batch = Batch(make_game("oust", side=3), 16, seed=1, illegal_action="lose", max_cycles=9)
    assert not batch.illegal.any()
    rng = np.random.default_rng(1)
    by_the_rules = 0
    for _ in range(100):
        masks = batch.action_mask
        actions = batch.sample_actions()
        wrong = (rng.random(16) < 0.1) & (masks == 0).any(axis=1)
        actions[wrong] = masks[wrong].argmin(axis=1)
        batch.step(actions)
        for seen in (batch, batch.copy(), pickle.loads(pickle.dumps(batch))):
            assert seen.illegal.dtype == np.bool_ and (seen.illegal == wrong).all()
        assert batch.terminated[wrong].all() and not batch.truncated[wrong].any()
        by_the_rules += (batch.terminated & ~wrong).sum()
    assert by_the_rules > 5
    batch.play_random(3)
    assert not batch.illegal.any()


def test_an_illegal_action_is_an_outcome_of_its_own() -> None:
    batch = Batch(make_game("oust", side=3), 4, seed=1, illegal_action="lose")
    batch.step([0, 0, 1, 1])
    outcomes = batch.step_against(None, 1, [0, 1, 1, 0])
    assert outcomes.tolist() == [FORFEITED_TO, RUNNING, FORFEITED_TO, RUNNING]
    assert not batch.illegal.any()  # of no step


def test_an_illegal_action_can_lose_its_row() -> None:
    batch = Batch(make_game("oust", side=3), 3, seed=1, illegal_action="lose")
    batch.step([0, 1, 2])
    before = batch.state(1)
    batch.step([5, 1, 6])
    assert batch.rewards.tolist() == [[0, 0], [1, -1], [0, 0]]
    assert batch.terminated.tolist() == [False, True, False]
    assert batch.finished.tolist() == [1]
    assert batch.final_returns.tolist() == [[1, -1]]
    assert batch.final_lengths.tolist() == [2]
    np.testing.assert_array_equal(batch.final_observations(1)[0], before.observation(1, ended=True))
    assert batch.state(1) == batch.game.initial_state()
    assert batch.lengths.tolist() == [2, 0, 2]
    with pytest.raises(IllegalActionError):
        batch.step([99, 0, 0])


def test_seats_are_checked() -> None:
    """Compiled code reads one for each row, whatever there is."""
    batch = Batch(make_game("oust", side=3), 4, seed=1)
    before = pickle.dumps(batch)
    for seats in ([0, 1], [0, 1, 0, 2], [0, 1, 0, -1], [0.0] * 4, None, 2, "0", [[0, 1, 0, 1]]):
        with pytest.raises(ValueError, match="players must be 0"):
            batch.step_against("random", seats)  # type: ignore[arg-type]
    assert pickle.dumps(batch) == before
    twin = batch.copy()
    batch.step_against("random", 1)
    twin.step_against("random", np.ones(4, np.int64))
    assert batch.states() == twin.states() and batch.to_play.tolist() == [1] * 4


def test_truncation() -> None:
    batch = Batch(make_game("oust", side=3), 2, seed=1, max_cycles=3)
    for step in (1, 2, 3):
        batch.step(batch.sample_actions())
        assert batch.truncated.all() == (step == 3)
    assert not batch.terminated.any()
    assert not batch.rewards.any()
    assert batch.final_lengths.tolist() == [3, 3]
    assert not batch.final_observations(0)[..., 1].any()
    assert batch.lengths.tolist() == [0, 0]


@pytest.mark.parametrize(
    "arguments",
    [
        {"n": 0},
        {"n": 1.5},
        {"n": True},
        {"n": 2, "seed": -1},
        {"n": 2, "seed": 2**64},
        {"n": 2, "threads": 0},
        {"n": 2, "max_cycles": 0},
        {"n": 2, "max_cycles": 2**63},
        {"n": 2, "illegal_action": "ignore"},
        {"n": 2, "game": "oust"},
    ],
)
def test_bad_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="must be"):
        Batch(**{"game": make_game("oust", side=3), **arguments})


def test_bad_states_and_rows() -> None:
    game = make_game("oust", side=2)
    over = State.from_string("oust side=2 pie_rule=true board=BB/.../.. to_play=0 winner=0")
    batch = Batch(game, 2, seed=1)
    for states in ([], [None], [over, "x"]):
        with pytest.raises(ValueError, match="at least one state, and only states"):
            Batch.from_states(states)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="takes a State"):
        batch.set_state(0, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="over"):
        batch.set_state(0, over)
    with pytest.raises(ValueError, match="plays"):
        batch.set_state(0, make_game("oust", side=3).initial_state())
    for row in (-1, 2, 0.0):
        with pytest.raises(IndexError, match="rows are 0 to 1"):
            batch.state(row)
    with pytest.raises(IndexError, match="0 games ended"):
        batch.final_state(0)
    with pytest.raises(ValueError, match="0 or 1"):
        batch.observations(2)
    for out in (np.zeros((2, 3, 3, 6)), [1], np.ma.zeros((2, 3, 3, 6), np.float32)):
        with pytest.raises(ValueError, match="out must be a writable C-contiguous float32"):
            batch.observations(out=out)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="out must be a writable C-contiguous float32"):
            batch.state(0).observation(0, out)  # type: ignore[arg-type]


def _digest(_: int) -> bytes:
    seen = []
    for name in ("oust", "rive", "strands", "gipf"):
        batch = Batch(make_game(name, **small(name)), 16, seed=11, threads=2)
        batch.play_random(200)
        seen += [batch.observations(), batch.action_mask, batch.lengths]
    return pickle.dumps(seen)


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize(("method", "workers"), [("fork", 8), ("spawn", 2)])
def test_workers_give_the_parents_results(method: str, workers: int) -> None:
    parent = _digest(0)  # compiled here once, with a thread pool that a fork must not inherit
    with multiprocessing.get_context(method).Pool(workers) as pool:
        assert pool.map(_digest, range(workers)) == [parent] * workers


def test_many_rows_of_a_big_board() -> None:
    """The first of 65,536 rows play as those of 3 do, the last ones play, and all take little."""
    batch = Batch(make_game("oust"), 65_536, seed=1)
    batch.step(batch.sample_actions())
    batch.play_random(3)
    few = Batch(batch.game, 3, seed=1)
    few.step(few.sample_actions())
    few.play_random(3)
    assert few.states() == [batch.state(row) for row in range(3)]
    assert len({batch.state(row).key() for row in range(65_000, 65_536)}) > 500
    assert batch.row_bytes < 4096
    for game in (make_game("oust", side=9), make_game("rive", side=9)):
        assert Batch(game, 1).row_bytes < 4096
    numbers = [2] * make_game("oust", side=9).board.num_cells
    assert Batch(make_game("strands", layout=numbers), 1).row_bytes < 4096
