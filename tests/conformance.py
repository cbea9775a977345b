"""What holds for every game: one function a promise, each of them given a game.

They know nothing of any game but what `Game` and `State` say of it.
"""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hexgames_env import (
    Game,
    GameOverError,
    IllegalActionError,
    NothingToUndoError,
    OptionError,
    PositionTextError,
    State,
    Symmetry,
    make_game,
)
from hexgames_env.core.registry import game_class

MAX_STEPS = 100_000  # a random game that goes on for longer counts as one that does not end
NO_ACTIONS: list[Any] = [
    *(-1, -(2**31), 2**31, 2**63, 2**64, 2**70),
    *(0.0, 1.5, float("nan"), None, True, False, "0", b"0", [0], (0,), {}, 0j),
    *(np.float32(0), np.bool_(True), np.array([0]), np.array([[0]]), np.array(0.0), np.array(True)),
]
"""What is no action of any game."""


def games_of(name: str) -> list[Game]:
    """The game with every combination of the examples of its options."""
    types = game_class(name).option_types
    return [
        make_game(name, **dict(zip(types, values, strict=True)))
        for values in product(*(option.examples() for option in types.values()))
    ]


def small_game(name: str) -> Game:
    """The game with the options that make it smallest."""
    return min(games_of(name), key=lambda game: game.num_actions)


def walk(game: Game, seed: int, limit: int = MAX_STEPS) -> Iterator[State]:
    """Each position of a random game; the same state, one step further each time."""
    rng = random.Random(seed)
    state = game.initial_state(seed)
    yield state
    for _ in range(limit):
        if state.is_over:
            return
        state.step(state.sample_action(rng))
        yield state
    assert limit < MAX_STEPS, f"a random game does not end: {state}"


def some_positions(game: Game, seed: int, wanted: int = 12) -> list[State]:
    """Copies of some positions of a random game: inside turns, between them, and the end."""
    positions = [state.copy() for state in walk(game, seed)]
    inside = [b for a, b in pairwise(positions) if a.to_play == b.to_play]
    rng = random.Random(seed)
    some = rng.sample(positions, min(wanted, len(positions)))
    return [positions[0], positions[-1], *some, *rng.sample(inside, min(wanted, len(inside)))]


def seen(state: State) -> tuple[Any, ...]:
    """All that a state shows of its position, to compare."""
    return (
        *(state.to_string(), state.key(), state.to_play, state.phase, state.is_over, state.winner),
        *(state.returns().tolist(), state.action_mask().tobytes(), state.legal_actions()),
        *(state.observation(player).tobytes() for player in (0, 1)),
        *(state.observation(player, ended=True).tobytes() for player in (0, 1)),
    )


def all_of(state: State) -> tuple[Any, ...]:
    """`seen`, and how the position came about."""
    return (*seen(state), state.history, state.last_action, state.last_step)


# Play


def ends_with_a_winner(game: Game, seed: int) -> None:
    """Masks and outcome along a whole random game."""
    last_player = None
    for state in walk(game, seed):
        mask = state.action_mask()
        assert mask.dtype == np.int8 and mask.shape == (game.num_actions,)
        assert state.legal_actions() == mask.nonzero()[0].tolist()
        if state.is_over:
            break
        assert mask.max() == 1 and mask.min() >= 0
        assert state.to_play in (0, 1) and state.phase in game.phases
        assert state.winner is None and state.returns().tolist() == [0, 0]
        assert state.last_step is None or state.last_step[0] == last_player
        last_player = state.to_play
    assert state.is_over and state.phase == "over"
    assert state.to_play == last_player
    assert not mask.any() and state.legal_actions() == []
    returns = state.returns()
    assert returns.dtype == np.float32 and returns.shape == (2,)
    assert sorted(returns.tolist()) == [-1, 1] and returns[state.winner or 0] == 1
    before = all_of(state)
    for action in range(game.num_actions):
        with pytest.raises(GameOverError):
            state.step(action)
    with pytest.raises(GameOverError):
        state.sample_action(random.Random(0))
    assert all_of(state) == before


def shows_the_board(game: Game, seed: int) -> None:
    """What all observations have in common."""
    size = game.board.num_rows
    board = np.zeros((size, size), np.float32)
    board[tuple(game.board.grid.T)] = 1
    assert game.observation_shape == (size, size, len(game.plane_names))
    for state in some_positions(game, seed):
        for player in (0, 1):
            view = state.observation(player)
            ended = state.observation(player, ended=True)
            for planes in (view, ended):
                assert planes.dtype == np.float32 and planes.shape == game.observation_shape
                assert planes.min() >= 0 and planes.max() <= 1
                assert not planes[board == 0].any()
                assert (planes[..., 0] == board).all()
            acts = not state.is_over and player == state.to_play
            assert (view[..., 1] == board * acts).all()
            # A game that was cut off: plane 1 and those of a step in progress are 0, others stay.
            assert not ended[..., 1].any()
            for plane in range(len(game.plane_names)):
                same = (ended[..., plane] == view[..., plane]).all()
                assert same or not ended[..., plane].any(), game.plane_names[plane]
            if state.is_over:
                assert (view == ended).all()
            out = np.full(game.observation_shape, 7, np.float32)
            assert state.observation(player, out=out) is out and (out == view).all()
            assert state.observation(np.int64(player)).tobytes() == view.tobytes()


def refuses_wrong_arrays(game: Game) -> None:
    """`out` of another kind, and players that are none."""
    state = game.initial_state(0)
    shape = game.observation_shape
    read_only = np.zeros(shape, np.float32)
    read_only.flags.writeable = False
    for out in (
        np.zeros(shape, np.float64),
        np.zeros((1, *shape), np.float32),
        np.zeros((*shape[:2], shape[2] + 1), np.float32),
        np.zeros((*shape[:2], 2 * shape[2]), np.float32)[..., ::2],
        read_only,
    ):
        before = out.copy()
        with pytest.raises(ValueError, match="out must be a writable C-contiguous float32"):
            state.observation(0, out=out)
        assert (out == before).all()
    for player in (2, -1, 0.0, None, True, "0", np.array([0])):
        with pytest.raises(ValueError, match="player must be 0 or 1"):
            state.observation(player)  # type: ignore[arg-type]


# Names of actions


def reads_the_names_it_writes(game: Game, seed: int) -> None:
    """Print and parse are each other's inverse on the legal actions, and refuse the others."""
    for state in some_positions(game, seed):
        legal = state.legal_actions()
        texts = [state.action_to_string(action) for action in legal]
        assert len(set(texts)) == len(texts)
        assert [state.parse_action(text) for text in texts] == legal
        for action in sorted(set(range(game.num_actions)) - set(legal))[
            :: 1 + game.num_actions // 9
        ]:
            text = state.action_to_string(action)
            if text not in texts:
                with pytest.raises(IllegalActionError, match="is not legal now"):
                    state.parse_action(text)
        for text in (
            "",
            " ",
            "a0",
            "z1",
            "a1 ",
            "A1",
            "a99",
            "a1a1",
            "ä1",
            "a\u0661",
            None,
            3,
            b"a1",
        ):
            with pytest.raises(IllegalActionError, match="is no action of"):
                state.parse_action(text)  # type: ignore[arg-type]
        for action in (*NO_ACTIONS, game.num_actions):
            with pytest.raises(IllegalActionError):
                state.action_to_string(action)


def refuses_wrong_actions(game: Game, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing changes, and compiled code only ever sees numbers of actions."""
    positions = some_positions(game, seed, wanted=3)
    asked: list[int] = []
    advance = game._advance

    def watched(before: Any, after: Any, tables: Any, action: Any, *more: Any) -> Any:
        assert type(action) is int and 0 <= action < game.num_actions
        asked.append(action)
        return advance(before, after, tables, action, *more)

    monkeypatch.setitem(game.__dict__, "_advance", watched)
    for state in positions:
        before = all_of(state)
        asked.clear()
        for action in (*NO_ACTIONS, game.num_actions):
            with pytest.raises(IllegalActionError, match=f"from 0 to {game.num_actions - 1}"):
                state.step(action)
        assert asked == []
        if not state.is_over:
            for action in (state.action_mask() == 0).nonzero()[0].tolist():
                with pytest.raises(IllegalActionError, match=f"action {action} .* is illegal here"):
                    state.step(action)
        assert all_of(state) == before
        for action in state.legal_actions()[:1]:
            after = state.copy()
            after.step(action)
            for kind in (np.int8, np.uint64, np.array):
                if action > 127 and kind is np.int8:
                    continue
                other = state.copy()
                other.step(kind(action))
                assert all_of(other) == all_of(after)
                assert type(other.last_action) is int


# Copies


def copies_go_on_alike(game: Game, seed: int) -> None:
    """Copies, pickles and texts, inside turns and after the end too."""
    for state in some_positions(game, seed, wanted=4):
        before = all_of(state)
        other = game.initial_state(0)
        state.copy_into(other)
        with_history = [state.copy(), copy.copy(state), copy.deepcopy(state), other]
        with_history += [pickle.loads(pickle.dumps(state, p)) for p in (2, pickle.HIGHEST_PROTOCOL)]
        read = State.from_string(state.to_string())
        for twin in with_history:
            assert all_of(twin) == before
        assert seen(read) == seen(state) and read.history == []
        for twin in (*with_history, read):
            assert twin == state and twin == state
            assert hash(twin.key()) == hash(state.key())
        assert state != game and state != state.to_string()
        with pytest.raises(TypeError):
            hash(state)
        twins = [*with_history, read]
        leader = twins.pop()
        rng = random.Random(seed)
        for _ in range(8):
            if leader.is_over:
                break
            action = leader.sample_action(rng)
            leader.step(action)
            for twin in twins:
                twin.step(action)
                assert seen(twin) == seen(leader)
        assert all_of(state) == before  # none of this reached the original


def undoes_to_the_start(game: Game, seed: int) -> None:
    """Every position comes back."""
    trail = []
    for state in walk(game, seed, limit=400):
        trail.append((seen(state), state.last_action, state.last_step))
    actions = [action for _, action, _ in trail[1:]]
    assert state.history == actions
    pickled: State = pickle.loads(pickle.dumps(state))
    for undone in (state, pickled):
        for steps in range(len(trail) - 1, 0, -1):
            assert (seen(undone), undone.last_action, undone.last_step) == trail[steps]
            undone.undo()
            assert len(undone.history) == steps - 1
        assert seen(undone) == trail[0][0] and undone.last_step is None
        with pytest.raises(NothingToUndoError):
            undone.undo()
        assert seen(undone) == trail[0][0]


def keys_are_exact(game: Game, games: int) -> None:
    """Positions with one key show the same and go on alike; those that differ have another."""
    shown: dict[Any, tuple[str, bytes, bytes]] = {}
    texts: dict[str, Any] = {}
    for seed in range(games):
        for state in walk(game, seed, limit=60):
            key = state.key()
            view = state.observation(state.to_play).tobytes()
            look = (state.to_string(), state.action_mask().tobytes(), view)
            assert shown.setdefault(key, look) == look
            assert texts.setdefault(look[0], key) == key


# Symmetries


def mirrored(state: State, symmetry: Symmetry) -> State:
    """The beginning of a game, turned by way of its text."""
    board = state.game.board

    def turn(cells: str) -> str:
        turned = dict(zip(symmetry.cells.tolist(), cells, strict=True))
        return "".join(turned[cell] for cell in range(board.num_cells))

    ground = turn(state.ground())
    words = [state.game.to_string(), f"board={board.to_rows(ground)}", "to_play=0", "winner=none"]
    for name, value in state.fields().items():
        by_cell = board.from_rows(value)
        assert by_cell is not None, f"the beginning of a game has a field {name}={value}"
        words.append(f"{name}={board.to_rows(turn(by_cell))}")
    return State.from_string(" ".join(words))


def symmetries_are_a_group(game: Game) -> None:
    """The identity first, inverses and products with them; all moves are permutations."""
    symmetries = game.symmetries()
    n = game.board.num_cells
    assert len(symmetries) in (1, 2, 3, 4, 6, 12)
    assert (symmetries[0].cells == np.arange(n)).all()
    assert (symmetries[0].actions == np.arange(game.num_actions)).all()
    pairs = {(s.cells.tobytes(), s.actions.tobytes()) for s in symmetries}
    assert len({cells for cells, _ in pairs}) == len(symmetries)
    for one in symmetries:
        assert sorted(one.cells.tolist()) == list(range(n))
        assert sorted(one.actions.tolist()) == list(range(game.num_actions))
        for cell, near in enumerate(game.board.neighbours):
            turned = sorted(one.cells[list(near)].tolist())
            assert turned == list(game.board.neighbours[one.cells[cell]])
        for other in symmetries:
            both = one.cells[other.cells].tobytes(), one.actions[other.actions].tobytes()
            assert both in pairs


def symmetries_map_whole_games(game: Game, seed: int, limit: int = 150) -> None:
    """From a turned beginning, turned actions lead to turned masks and observations."""
    for symmetry in game.symmetries():
        start = game.initial_state(seed)
        twin = mirrored(start, symmetry)
        for step, state in enumerate(walk(game, seed, limit)):
            if step:
                twin.step(symmetry.actions[state.last_action])
            assert twin.to_play == state.to_play and twin.phase == state.phase
            assert twin.winner == state.winner
            mask = symmetry.transform_mask(state.action_mask())
            assert mask.dtype == np.int8 and (mask == twin.action_mask()).all()
            if step % 5 == 0 or state.is_over:
                for player in (0, 1):
                    turned = symmetry.transform_observation(state.observation(player))
                    assert (turned == twin.observation(player)).all()


def symmetries_take_batches(game: Game) -> None:
    """Any number of axes before those of one position, and nothing of another shape."""
    state = some_positions(game, 0)[2]
    planes, mask = state.observation(0), state.action_mask()
    policy = np.random.default_rng(0).random(game.num_actions)
    for symmetry in game.symmetries():
        moved: NDArray[Any] = np.empty_like(policy)
        moved[symmetry.actions] = policy
        assert (symmetry.transform_policy(policy) == moved).all()
        for axes in ((1,), (2, 3)):
            batch = np.broadcast_to(planes, (*axes, *planes.shape))
            turned = symmetry.transform_observation(batch)
            assert turned.shape == batch.shape
            assert (turned == symmetry.transform_observation(planes)).all()
            masks = np.broadcast_to(mask, (*axes, len(mask)))
            assert (symmetry.transform_mask(masks) == symmetry.transform_mask(mask)).all()
        with pytest.raises(ValueError, match="got shape"):
            symmetry.transform_observation(planes[1:])
        with pytest.raises(ValueError, match="got shape"):
            symmetry.transform_mask(mask[1:])


# The game as a value


def is_a_value(game: Game) -> None:
    """Equal options make equal games; copies, pickles and texts are the game again."""
    again = make_game(game.name, **game.options)
    assert again == game and hash(again) == hash(game) and again is not game
    assert copy.deepcopy(game) is game
    assert pickle.loads(pickle.dumps(game)) == game
    assert eval(repr(game), {"make_game": make_game}) == game
    assert game.num_players == 2
    assert len(game.cell_names) == len(set(game.cell_names)) == game.board.num_cells
    with pytest.raises(TypeError):
        game.options["side"] = 3  # type: ignore[index]
    for name, option in game.option_types.items():
        word = option.to_word(game.options[name])
        assert word and " " not in word and word.isascii()
        assert option.from_word(name, word) == game.options[name]
        assert option.check(name, game.options[name]) == game.options[name]
        wrongs: list[Any] = [None, object(), 3.5, "", " ", "seven", b"7", [], [True], -1, 10**9]
        for wrong in wrongs:
            with pytest.raises(OptionError, match=f"^{name}"):
                make_game(game.name, **{**game.options, name: wrong})
        for word in ("", "+7", "0_7", "7.0", "None", "True", "\u0667", "9" * 5000, "x" * 5000):
            with pytest.raises(OptionError, match=f"^{name}"):
                option.from_word(name, word)
    with pytest.raises(OptionError, match=f"{game.name} has no option 'colour': its options are"):
        make_game(game.name, colour=1)


def begins_from_its_seed(game: Game) -> None:
    """The seed decides the beginning, and nothing but the beginning."""
    starts = [game.initial_state(seed) for seed in (0, 1, 2, 3, 2**64 - 1)]
    for seed, start in zip((0, 1, 2, 3, 2**64 - 1), starts, strict=True):
        assert game.initial_state(seed) == start and game.initial_state(np.uint64(seed)) == start
        assert start.history == [] and start.to_play == 0
    drawn = len({start.to_string() for start in starts})
    assert drawn in (1, len(starts))
    assert len({game.initial_state().to_string() for _ in range(5)}) in (1, 5)
    wrongs: list[Any] = [-1, 2**64, 0.0, 1.5, "1", True, np.array([1]), b"1"]
    for seed in wrongs:
        with pytest.raises(ValueError, match="seed must be None or an integer from 0"):
            game.initial_state(seed)


def takes_hands_off_other_games(one: Game, other: Game) -> None:
    """Two games at once, step by step in turn, go as each of them goes alone."""
    alone = [[seen(state) for state in walk(game, 1, limit=60)] for game in (one, other)]
    at_once: list[list[Any]] = [[], []]
    walks = [walk(one, 1, limit=60), walk(other, 1, limit=60)]
    for _ in range(61):
        for shown, steps in zip(at_once, walks, strict=True):
            state = next(steps, None)
            if state is not None:
                shown.append(seen(state))
    assert at_once == alone


# Texts


def reads_or_refuses(text: Any) -> State | None:
    """The state of a text, sound if there is one; no error but the two that are promised."""
    try:
        state = State.from_string(text)
    except (PositionTextError, OptionError) as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert len(refusal) < 60_000
        return None
    assert State.from_string(state.to_string()) == state
    assert state.is_over or state.legal_actions()
    rng = random.Random(0)
    for _ in range(3):
        if not state.is_over:
            state.step(state.sample_action(rng))
    for player in (0, 1):
        assert state.observation(player).max() <= 1
    return state
