"""Pickles hold positions as texts, which are checked when they are read, and never rows."""

from __future__ import annotations

import copyreg
import pickle
import random
from typing import Any

import numpy as np
import pytest

from hexgames_env import Batch, IllegalActionError, PositionTextError, game_names, make_game
from hexgames_env.core.policies import RUNNING
from hexgames_env.core.state import PICKLED
from hexgames_env.games.oust import Oust
from hexgames_env.testing import all_of, small_game, some_positions

every_game = pytest.mark.parametrize("name", game_names())


@every_game
def test_a_pickle_of_a_state_is_checked(name: str) -> None:
    game = make_game(name)
    state = some_positions(game, 1)[2]
    make, (form, _, text, actions, cut_off) = state.__reduce__()
    assert not cut_off
    assert form == PICKLED
    assert all_of(make(form, game, text, actions)) == all_of(state)
    row = np.random.default_rng(1).integers(0, 127, game.row_bytes, dtype=np.int8)
    for wrong in (0, 1, 3, 2.0, None, "2", True, game, row):
        with pytest.raises(ValueError, match="written by another version of hexgames_env"):
            make(wrong, game, text, actions)
    with pytest.raises(ValueError, match="written by another version"):
        make(game, row, 0, [])  # as it was once
    for damaged in (text[:-3], text + "x", text.replace("/", "", 1), "", row.tobytes().decode()):
        with pytest.raises(PositionTextError):
            make(form, game, damaged, actions)
    with pytest.raises(IllegalActionError):
        make(form, game, text, [*actions, *range(game.num_actions)])


@every_game
def test_a_pickle_holds_no_row(name: str) -> None:
    game = make_game(name)
    batch = Batch(game, 3, seed=1)
    batch.play_random(12)
    for thing in (batch, batch.state(1)):
        assert batch._rows[1].tobytes() not in pickle.dumps(thing)


@every_game
@pytest.mark.parametrize("illegal_action", ["raise", "lose"])
def test_a_pickled_batch_goes_on_alike(name: str, illegal_action: Any) -> None:
    game = make_game(name)
    batch = Batch(game, 24, seed=4, max_cycles=60, illegal_action=illegal_action)
    rng = random.Random(1)
    ended = 0
    for step in range(200):
        actions = batch.sample_actions()
        if illegal_action == "lose" and step % 9 == 0:
            actions[rng.randrange(24)] = int(batch.action_mask[3].argmin())
        batch.step(actions)
        ended += len(batch.finished)
        if step % 20 == 0 or (len(batch.finished) and step % 5 == 0):
            twin = pickle.loads(pickle.dumps(batch))
            assert_alike(batch, twin)
            twin.step(twin.sample_actions())
            other = batch.copy()
            other.step(other.sample_actions())
            assert_alike(other, twin)
    assert ended > 24
    batch.play_random(10)
    assert_alike(batch, pickle.loads(pickle.dumps(batch)))


def assert_alike(one: Batch, other: Batch) -> None:
    for name in ("to_play", "lengths", "action_mask", "rewards", "terminated", "truncated"):
        assert (getattr(one, name) == getattr(other, name)).all(), name
    assert (one.observations() == other.observations()).all()
    assert one.finished.tolist() == other.finished.tolist()
    assert one.final_lengths.tolist() == other.final_lengths.tolist()
    for player in (None, 0, 1):
        assert (one.final_observations(player) == other.final_observations(player)).all()
    for k in range(len(one.finished)):
        assert one.final_state(k) == other.final_state(k)
        assert not other.final_state(k).legal_actions()
    assert (one._random == other._random).all() and (one._games == other._games).all()


def test_a_pickle_of_a_batch_is_checked() -> None:
    batch = Batch(make_game("oust", side=3), 6, seed=1)
    while not len(batch.finished):
        batch.step(batch.sample_actions())
    make, arguments = batch.__reduce__()
    assert_alike(make(*arguments), batch)
    form, game, settings, positions, numbers, last = arguments
    texts, cut_off = positions
    assert cut_off == []
    wrongs: list[tuple[Any, ...]] = [
        (1, game, settings, positions, numbers, last),
        (form, game, settings, (texts[1:], []), numbers, last),
        (form, game, settings, ([*texts[1:], "board=..."], []), numbers, last),
        (form, make_game("oust", side=4), settings, positions, numbers, last),
        (form, game, settings, positions, (numbers[0][1:], *numbers[1:]), last),
        (form, game, settings, positions, (*numbers[:2], numbers[2].astype(np.int32)), last),
        (form, game, settings, positions, numbers, (last[0][1:], *last[1:])),
        (form, game, settings, positions, numbers, (*last[:1], ~last[1], *last[2:])),
        (form, game, settings, positions, numbers, (*last[:5], [])),
        (form, game, settings, positions, numbers, (*last[:3], last[3] + 1, *last[4:])),
    ]
    for wrong in wrongs:
        with pytest.raises(ValueError, match=r"pickle|board|rows"):
            make(*wrong)
    for rows in ([6], [-1], [0.5], np.array([[0]])):
        with pytest.raises(IndexError, match="rows are"):
            make(form, game, settings, (texts, rows), numbers, last)


@every_game
def test_a_batch_with_games_that_have_ended_is_pickled(name: str) -> None:
    """As `step_against` leaves them until `begin`: won, lost by an illegal action, or truncated."""
    game = small_game(name)
    batch = Batch(game, 32, seed=2, illegal_action="lose", max_cycles=9)
    rows, seats = np.arange(32), np.zeros(32, np.int64)
    outcomes = batch.step_against("random", seats)
    rng = random.Random(1)
    while len(rows := rows[outcomes == RUNNING]):
        actions = batch.choose("random", rows)
        if rng.random() < 0.5:
            actions[0] = int(batch.action_mask[rows[0]].argmin())
        outcomes = batch.step_against("random", seats, actions, rows)
        twin = pickle.loads(pickle.dumps(batch))
        assert_alike(batch, twin)
        assert [all_of(state) for state in twin.states()] == [all_of(s) for s in batch.states()]
    assert not twin.action_mask.any()
    over = {state.is_over for state in twin.states()}
    assert over == {False} if name == "gipf" else {True, False}
    twin.begin()
    batch.begin()
    assert_alike(batch, twin)


class Written(Batch):
    """A batch pickled as it was once: its attributes, with rows among them."""

    def __reduce__(self) -> Any:
        return copyreg.__newobj__, (Written,), {**self.__dict__, "_crew": None}  # type: ignore[attr-defined]


def test_a_batch_with_rows_in_its_pickle_is_refused() -> None:
    content = pickle.dumps(Written(make_game("rive", side=2), 2, seed=1))
    with pytest.raises(ValueError, match="written by another version"):
        pickle.loads(content)


@every_game
def test_the_last_state_of_a_game_that_was_cut_off(name: str) -> None:
    batch = Batch(make_game(name), 2, seed=1, max_cycles=3)
    for _ in range(3):
        batch.step(batch.sample_actions())
    last = batch.final_state(1)
    assert not last.is_over and not last.legal_actions()
    twin = pickle.loads(pickle.dumps(last))
    assert all_of(twin) == all_of(last)


def test_a_pickle_that_shares_memory() -> None:
    """As between processes of some libraries, whose arrays then can't be written."""
    batch = Batch(make_game("rive", side=2), 4, seed=1)
    batch.step(batch.sample_actions())
    buffers: list[pickle.PickleBuffer] = []
    content = pickle.dumps(batch, protocol=5, buffer_callback=buffers.append)
    frozen = [bytes(buffer) for buffer in buffers]
    twin = pickle.loads(content, buffers=frozen)
    for _ in range(30):
        twin.step(twin.sample_actions())
        batch.step(batch.sample_actions())
    assert_alike(batch, twin)


@pytest.mark.long
def test_oust_finds_each_group_that_fills_the_board() -> None:
    """Two cells next to each other outside it, or none: asked of each cell, or of their groups."""
    rng = random.Random(1)
    found = {True: 0, False: 0}
    for side in range(2, 6):
        game = Oust(side=side)
        board = game.board
        for _ in range(400):
            group = {rng.randrange(board.num_cells)}
            wanted = rng.choice((2, board.num_cells // 2, board.num_cells * 3 // 4, 999))
            for _ in range(20 * board.num_cells):
                near = {n for cell in group for n in board.neighbours[cell]} - group
                if len(group) >= wanted or not near:
                    break
                cell = rng.choice(sorted(near))
                if wanted < 999 or not all(n in group for n in board.neighbours[cell]):
                    group.add(cell)
            outside = set(range(board.num_cells)) - group
            fills = len(group) > 1 and len(board.groups(outside)) == len(outside)
            symbol = rng.choice("BW")
            ground = "".join(symbol if cell in group else "." for cell in range(board.num_cells))
            found[fills] += 1
            if not fills:
                game._check_can_end(ground)
                continue
            with pytest.raises(PositionTextError, match="no two cells next to each other"):
                game._check_can_end(ground)
    assert min(found.values()) > 200, found
