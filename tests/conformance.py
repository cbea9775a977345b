"""What holds for every game and is no affair of its author's: beside `hexgames_env.testing`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from hexgames_env import (
    Game,
    IllegalActionError,
    OptionError,
    PositionTextError,
    State,
    make_game,
)
from hexgames_env.testing import NO_ACTIONS, NO_VALUES, NO_WORDS, seen, some_positions, walk


def gives_compiled_code_numbers_of_actions_alone(
    game: Game, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiled code checks nothing, so whatever a user gives, it only ever sees actions."""
    positions = some_positions(game, seed, wanted=3)
    asked: list[int] = []
    advance = game._advance

    def watched(before: Any, after: Any, tables: Any, action: Any, *more: Any) -> Any:
        assert type(action) is int and 0 <= action < game.num_actions
        asked.append(action)
        return advance(before, after, tables, action, *more)

    with monkeypatch.context() as patch:
        patch.setitem(game.__dict__, "_advance", watched)
        for state in positions:
            for wrong in (*NO_ACTIONS, game.num_actions):
                with pytest.raises(IllegalActionError, match=f"0 to {game.num_actions - 1}"):
                    state.step(wrong)
            assert asked == []
            for action in state.legal_actions()[:1]:
                state.step(action)
                assert asked == [action]
            asked.clear()


def takes_only_arrays_that_fit(game: Game) -> None:
    """`out` of another kind, and players that are none."""
    state = game.initial_state(0)
    shape = game.observation_shape
    read_only = np.zeros(shape, np.float32)
    read_only.flags.writeable = False
    unfit: list[Any] = [
        np.zeros(shape, np.float64),
        np.zeros((1, *shape), np.float32),
        np.zeros((*shape[:2], shape[2] + 1), np.float32),
        np.zeros((*shape[:2], 2 * shape[2]), np.float32)[..., ::2],
        read_only,
    ]
    for out in unfit:
        before = out.copy()
        with pytest.raises(ValueError, match="out must be a writable C-contiguous float32"):
            state.observation(0, out=out)
        assert (out == before).all()
    wrongs: list[Any] = [2, -1, 0.0, None, True, "0", np.array([0])]
    for player in wrongs:
        with pytest.raises(ValueError, match="player must be 0 or 1"):
            state.observation(player)


def turns_batches_of_any_shape(game: Game) -> None:
    """Symmetries take any number of axes before those of one position, and no other shape."""
    state = some_positions(game, 0)[2]
    planes, mask = state.observation(0), state.action_mask()
    policy = np.random.default_rng(0).random(game.num_actions)
    for symmetry in game.symmetries():
        moved = np.empty_like(policy)
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


def is_written_in_python(game: Game) -> None:
    """``repr`` makes the game again; its options can't be changed and take nothing odd."""
    assert eval(repr(game), {"make_game": make_game}) == game
    with pytest.raises(TypeError):
        game.options["side"] = 3  # type: ignore[index]
    for name, option in game.option_types.items():
        for wrong in NO_VALUES:
            with pytest.raises(OptionError, match=f"^{name}"):
                make_game(game.name, **{**game.options, name: wrong})
        for word in NO_WORDS:
            with pytest.raises(OptionError, match=f"^{name}"):
                option.from_word(name, word)


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
