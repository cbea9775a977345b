"""For authors of games: does a game keep what the package promises of every game?

    from hexgames_env import register_game
    from hexgames_env.testing import check_game

    register_game(MyGame)
    check_game(MyGame)

Each promise is a function of this module, in `PROMISES`; it takes a game and a seed and raises
`GameCheckError` with what it saw.  They play random games, so more seeds find more.  None of them
knows the rules: that those are the right ones only a second, plain implementation can tell.

Compiled code does not check indices.  If a check ends in a crash or in strange numbers, run it once
more with the environment variable ``NUMBA_BOUNDSCHECK=1``, or with ``NUMBA_DISABLE_JIT=1`` in plain
Python, where errors name file and line.
"""

from __future__ import annotations

import copy
import pickle
import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np

from hexgames_env.core.batch import Batch
from hexgames_env.core.game import Game, slips_of
from hexgames_env.core.options import Option
from hexgames_env.core.registry import game_class, make_game
from hexgames_env.core.state import State
from hexgames_env.core.symmetry import Symmetry
from hexgames_env.errors import (
    GameOverError,
    IllegalActionError,
    NothingToUndoError,
    OptionError,
)
from hexgames_env.rendering.text import to_text

__all__ = [
    "NO_ACTIONS",
    "PROMISES",
    "GameCheckError",
    "all_of",
    "check_game",
    "games_of",
    "seen",
    "small_game",
    "some_positions",
    "walk",
]

MAX_STEPS = 100_000  # a random game that goes on for longer counts as one that does not end
NO_ACTIONS: tuple[Any, ...] = (
    *(-1, -(2**31), 2**31, 2**63, 2**64, 2**70),
    *(0.0, 1.5, float("nan"), None, True, False, "0", b"0", [0], (0,), {}, 0j),
    *(np.float32(0), np.bool_(True), np.array([0]), np.array([[0]]), np.array(0.0), np.array(True)),
)
"""What is no action of any game."""
NO_NAMES: tuple[Any, ...] = (
    *("", " ", "a0", "z1", "a1 ", "A1", "a99", "a1a1", "ä1", "a\u0661", None, 3, b"a1"),
)
"""What is the name of no action of any game."""


NO_VALUES: tuple[Any, ...] = (
    *(None, object(), 3.5, "", " ", "seven", b"7", [], [True], -1, 10**9),
)
"""What options rarely take."""
NO_WORDS = ("", "+7", "0_7", "7.0", "None", "True", "\u0667", "9" * 5000, "x" * 5000)
"""What is rarely the text of an option's value."""


class GameCheckError(AssertionError):
    """A game does not keep a promise; the message names the game, the promise and what was seen."""


def check_game(
    game: type[Game] | Game | str,
    *,
    seeds: int = 3,
    report: Callable[[str], None] | None = None,
) -> None:
    """Play a game in many ways and check all that the package promises of every game.

    Args:
        game: a class that is registered, or the name of one: checked with every combination of the
            `examples` of its options.  Or one game, to check that alone.
        seeds: how many random games each promise is tried on.
        report: called with a line for each game and promise before it is tried, such as ``print``.

    Raises:
        GameCheckError: the game breaks a promise.  What its own code raises comes through, with a
            note that names the promise.
        OptionError: the game is not registered: call ``register_game`` first.

    >>> check_game(make_game("rive", side=2), seeds=1)
    """
    for one in [game] if isinstance(game, Game) else games_of(game):
        if game_class(one.name) is not type(one):
            raise OptionError(
                f"{type(one).__qualname__} is not the game that is registered as {one.name!r}: "
                f"call register_game({type(one).__qualname__}) first"
            )
        for promise in PROMISES:
            if report is not None:
                report(f"{one.to_string()}: {promise.__doc__}")
            for seed in range(seeds):
                try:
                    promise(one, seed)
                except Exception as error:
                    where = f"{one!r}, {promise.__name__}(seed={seed}): {promise.__doc__}"
                    if isinstance(error, GameCheckError):
                        raise GameCheckError(f"{where}\n{error}") from None
                    error.add_note(f"while checking {where}")
                    raise


# Games and positions to check


def games_of(game: type[Game] | str) -> list[Game]:
    """The game with every combination of the examples of its options."""
    found = game_class(game) if isinstance(game, str) else game
    slips = slips_of(found)
    _must(not slips, f"{getattr(found, '__qualname__', found)!s}: {slips}")
    types = found.option_types
    return [
        found(**dict(zip(types, values, strict=True)))
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
    _must(limit < MAX_STEPS, f"a random game has made {limit:,} steps and does not end: {state}")


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


_SEEN = (
    *("text", "key", "to_play", "phase", "is_over", "winner", "returns", "mask", "legal actions"),
    *("planes of player_0", "planes of player_1", "planes of player_0 after a cut-off"),
    *("planes of player_1 after a cut-off", "history", "last_action", "last_step"),
)


# What the promises are written in.  Not the statement assert, which python -O leaves out.


def _must(condition: object, otherwise: str) -> None:
    if not condition:
        raise GameCheckError(otherwise)


def _same(one: tuple[Any, ...], other: tuple[Any, ...], what: str) -> None:
    """Two results of `seen` or `all_of` are equal."""
    for name, a, b in zip(_SEEN, one, other, strict=False):
        _must(a == b, f"{what}: {name} differs at {one[0]}: {_short(a)} and {_short(b)}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:100]}..."


def _refuses(error: type[Exception], match: str, function: Any, *given: Any) -> None:
    """A call raises this error, with a message that the pattern is found in."""
    call = f"{getattr(function, '__qualname__', function)}({', '.join(map(_short, given))})"
    try:
        got = function(*given)
    except error as refusal:
        _must(
            re.search(match, str(refusal)),
            f"{call} must say {match!r} in its {error.__name__}, got: {refusal}",
        )
    except Exception as other:
        raise GameCheckError(f"{call} must raise {error.__name__}, got {other!r}") from other
    else:
        raise GameCheckError(f"{call} must raise {error.__name__}, returned {_short(got)}")


# The promises


def names_all_its_parts(game: Game, seed: int) -> None:
    """Cells, planes and the actions of each phase have a name each."""
    _must(game.num_players == 2, f"games have two players, num_players is {game.num_players}")
    _must(
        len(set(game.cell_names)) == len(game.cell_names) == game.board.num_cells,
        f"each of {game.board.num_cells} cells needs a name of its own, got {game.cell_names}",
    )
    for phase, word in enumerate(game.phases):
        names = game.action_names(phase)
        _must(
            len(names) == game.num_actions and all(isinstance(name, str) for name in names),
            f"action_names({phase}), for the phase {word!r}, must be a str for each of the "
            f"{game.num_actions} actions, got {len(names)}: {_short(list(names))}",
        )
    size = game.board.num_rows
    _must(
        game.observation_shape == (size, size, len(game.plane_names)),
        f"observation_shape is {game.observation_shape}",
    )


def ends_with_a_winner(game: Game, seed: int) -> None:
    """Masks, players and phases along a random game are sound, and it ends with a winner."""
    last_player = None
    for state in walk(game, seed):
        mask = state.action_mask()
        _must(mask.dtype == np.int8 and mask.shape == (game.num_actions,), f"mask: {mask!r}")
        legal = mask.nonzero()[0].tolist()
        _must(state.legal_actions() == legal, f"legal_actions() and mask differ: {state}")
        if state.is_over:
            break
        _must(
            legal and mask.max() == 1 and mask.min() >= 0,
            f"a mask is 0 and 1, with a 1 at least while the game runs, got {mask.tolist()} at "
            f"{state}",
        )
        ends = state.sample_action(_Source(0.0)), state.sample_action(_Source(1 - 2**-53))
        _must(
            ends == (legal[0], legal[-1]),
            f"the first and the last legal action are {legal[0]} and {legal[-1]}, but drawn from "
            f"the row were {ends} at {state}: a mask's bytes behind the last action must be 0",
        )
        _must(state.to_play in (0, 1) and state.phase in game.phases, f"status of {state}")
        _must(
            state.winner is None and state.returns().tolist() == [0, 0],
            f"nobody has won while the game runs: {state}",
        )
        _must(
            state.last_step is None or state.last_step[0] == last_player,
            f"last_step is {state.last_step}, made by player_{last_player}",
        )
        last_player = state.to_play
    _must(state.phase == "over", f"phase after the end: {state.phase}")
    _must(
        state.to_play == last_player,
        f"after the end to_play is who made the last step, {last_player}, got {state.to_play}",
    )
    _must(not state.legal_actions(), f"no action is legal after the end: {state}")
    returns = state.returns()
    _must(
        sorted(returns.tolist()) == [-1, 1] and returns[state.winner or 0] == 1,
        f"after the end one return is 1, the winner's, and one -1: {returns}, {state}",
    )
    before = all_of(state)
    for action in range(game.num_actions):
        _refuses(GameOverError, "has ended", state.step, action)
    _refuses(GameOverError, "has ended", state.sample_action, random.Random(0))
    _same(all_of(state), before, "steps after the end must change nothing")


class _Source:
    """A source of one number."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self) -> float:
        return self.number


def shows_the_board(game: Game, seed: int) -> None:
    """Observations fill all planes with 0 to 1, 0 off the board, and plane 1 says who is to act."""
    size = game.board.num_rows
    board = np.zeros((size, size), np.float32)
    board[tuple(game.board.grid.T)] = 1
    for state in some_positions(game, seed):
        for player in (0, 1):
            view = state.observation(player)
            ended = state.observation(player, ended=True)
            for planes in (view, ended):
                outside = planes.min() < 0 or planes.max() > 1 or bool(np.isnan(planes).any())
                _must(not outside, f"values of planes are from 0 to 1: {state}")
                for plane in range(len(game.plane_names)):
                    _must(
                        not planes[board == 0, plane].any(),
                        f"plane {plane}, {game.plane_names[plane]!r}, must be 0 off the board: "
                        f"{state}",
                    )
                _must((planes[..., 0] == board).all(), f"plane 0 must be 1 on all cells: {state}")
            acts = not state.is_over and player == state.to_play
            _must(
                (view[..., 1] == board * acts).all(),
                f"plane 1 must be {int(acts)} on all cells for player_{player}: {state}",
            )
            _must(not ended[..., 1].any(), f"nobody acts after a cut-off, plane 1: {state}")
            for plane, name in enumerate(game.plane_names):
                _must(
                    (ended[..., plane] == view[..., plane]).all() or not ended[..., plane].any(),
                    f"after a cut-off plane {plane}, {name!r}, must be as before or 0: {state}",
                )
            _must(not state.is_over or (view == ended).all(), f"a cut-off changes the end: {state}")
            out = np.full(game.observation_shape, 7, np.float32)
            state.observation(player, out=out)
            for plane, name in enumerate(game.plane_names):
                _must(
                    (out[..., plane] == view[..., plane]).all(),
                    f"observe() must write all of plane {plane}, {name!r}, zeros too: {state}",
                )


def reads_the_names_it_writes(game: Game, seed: int) -> None:
    """Legal actions have different texts, each read back as its action; nothing else is read."""
    for state in some_positions(game, seed):
        legal = state.legal_actions()
        texts = [state.action_to_string(action) for action in legal]
        _must(len(set(texts)) == len(texts), f"two legal actions share a text: {texts} at {state}")
        for action, text in zip(legal, texts, strict=True):
            found = state.parse_action(text)
            _must(found == action, f"{text!r} is action {action}, read as {found}: {state}")
        for action in sorted(set(range(game.num_actions)) - set(legal))[
            :: 1 + game.num_actions // 9
        ]:
            text = state.action_to_string(action)
            if text not in texts:
                _refuses(IllegalActionError, "is not legal now", state.parse_action, text)
        for name in NO_NAMES:
            _refuses(IllegalActionError, "is no action of", state.parse_action, name)
        for wrong in (*NO_ACTIONS, game.num_actions):
            _refuses(IllegalActionError, "from 0 to", state.action_to_string, wrong)


def refuses_wrong_actions(game: Game, seed: int) -> None:
    """A wrong or illegal action is an error that changes nothing."""
    for state in some_positions(game, seed, wanted=3):
        before = all_of(state)
        for wrong in (*NO_ACTIONS, game.num_actions):
            _refuses(IllegalActionError, f"from 0 to {game.num_actions - 1}", state.step, wrong)
        if not state.is_over:
            for action in (state.action_mask() == 0).nonzero()[0].tolist():
                _refuses(IllegalActionError, f"action {action} .* illegal here", state.step, action)
        _same(all_of(state), before, "a wrong action must change nothing")
        for action in state.legal_actions()[:1]:
            after = state.copy()
            after.step(action)
            for kind in (np.int8, np.uint64, np.array):
                if action > 127 and kind is np.int8:
                    continue
                other, given = state.copy(), kind(action)
                other.step(given)  # type: ignore[arg-type]
                _same(all_of(other), all_of(after), f"a step by {kind.__name__}")


def copies_go_on_alike(game: Game, seed: int) -> None:
    """Copies, pickles and texts of a position are equal to it and go on as it does."""
    for state in some_positions(game, seed, wanted=4):
        before = all_of(state)
        other = game.initial_state(0)
        state.copy_into(other)
        twins = [state.copy(), copy.copy(state), copy.deepcopy(state), other]
        twins += [pickle.loads(pickle.dumps(state, p)) for p in (2, pickle.HIGHEST_PROTOCOL)]
        for twin in twins:
            _same(all_of(twin), before, "a copy or pickle")
        read = State.from_string(state.to_string())
        _same(seen(read), seen(state), "the position read from its text")
        twins.append(read)
        for twin in twins:
            _must(twin == state and hash(twin.key()) == hash(state.key()), f"equality of {state}")
        _must(state != game and state != state.to_string(), f"{state} equals what is no state")
        leader = twins.pop()
        rng = random.Random(seed)
        for _ in range(8):
            if leader.is_over:
                break
            action = leader.sample_action(rng)
            leader.step(action)
            for twin in twins:
                twin.step(action)
                _same(seen(twin), seen(leader), f"after the same step, {action}")
        _same(all_of(state), before, "steps of copies must not reach the original")


def undoes_to_the_start(game: Game, seed: int) -> None:
    """Every position comes back, with its history."""
    trail = []
    for state in walk(game, seed, limit=400):
        trail.append((seen(state), state.last_action, state.last_step))
    _must(state.history == [action for _, action, _ in trail[1:]], f"history of {state}")
    pickled: State = pickle.loads(pickle.dumps(state))
    for undone in (state, pickled):
        for steps in range(len(trail) - 1, 0, -1):
            shown, action, step = trail[steps]
            _same(seen(undone), shown, f"undone to step {steps}")
            _must((undone.last_action, undone.last_step) == (action, step), f"last of {undone}")
            undone.undo()
        _same(seen(undone), trail[0][0], "undone to the start")
        _must(undone.last_step is None and undone.history == [], f"history of {undone}")
        _refuses(NothingToUndoError, "nothing to undo", undone.undo)


def keys_are_exact(game: Game, seed: int) -> None:
    """Positions with one key show the same and go on alike; those that differ have another."""
    shown: dict[Any, tuple[str, bytes, bytes]] = {}
    texts: dict[str, Any] = {}
    games = 3 if game.board.side > 3 else 40
    for k in range(games):
        for state in walk(game, games * seed + k, limit=60):
            key = state.key()
            view = state.observation(state.to_play).tobytes()
            look = (state.to_string(), state.action_mask().tobytes(), view)
            _must(
                shown.setdefault(key, look) == look,
                f"one key, different text, mask or planes: {look[0]} and {shown[key][0]}",
            )
            _must(texts.setdefault(look[0], key) == key, f"one text, two keys: {look[0]}")


def begins_from_its_seed(game: Game, seed: int) -> None:
    """The seed decides the beginning, and nothing but the beginning."""
    seeds = (seed, seed + 1, seed + 2, 2**63 + seed, 2**64 - 1 - seed)
    starts = [game.initial_state(number) for number in seeds]
    for number, start in zip(seeds, starts, strict=True):
        again: list[Any] = [number, np.uint64(number)]
        for same in again:
            _same(seen(game.initial_state(same)), seen(start), f"the start of seed {number}")
        _must(start.history == [] and start.to_play == 0, f"player_0 begins: {start}")
    drawn = len({start.to_string() for start in starts})
    _must(
        drawn in (1, len(starts)),
        f"a start is always the same or drawn for each seed: {drawn} of {len(starts)} differ",
    )
    for wrong in (-1, 2**64, 0.0, 1.5, "1", True, np.array([1]), b"1"):
        _refuses(ValueError, "seed must be None or an integer from 0", game.initial_state, wrong)


def rows_of_a_batch_play_as_single_states(game: Game, seed: int) -> None:
    """Rows of a batch, used again for game after game, are positions like all others."""
    batch = Batch(game, 5, seed=seed)
    start = game.initial_state(0)
    is_drawn = start != game.initial_state(1)
    for _ in range(60):
        states = batch.states()
        actions = batch.sample_actions()
        looks = [batch.observations(player) for player in (0, 1)]
        for row, state in enumerate(states):
            _same(seen(State.from_string(state.to_string())), seen(state), "a row and its text")
            for player in (0, 1):
                _must(
                    (looks[player][row] == state.observation(player)).all(),
                    f"planes of row {row} and of its state differ, player_{player}: {state}",
                )
            state.step(int(actions[row]))
        batch.step(actions)
        final = {row: batch.final_state(k) for k, row in enumerate(batch.finished.tolist())}
        for row, state in enumerate(states):
            after = final.get(row) or batch.state(row)
            _same(seen(after), seen(state), f"row {row} after action {actions[row]}")
            if row in final and not is_drawn:
                what = f"start() must write all of a row: row {row} was used before"
                _same(seen(batch.state(row)), seen(start), what)
    played = batch.play_random(500)
    _must(played.steps == 5 * 500, f"play_random(500) made {played.steps} steps in 5 rows")


def evaluates_every_position(game: Game, seed: int) -> None:
    """The greedy policy finds a legal step everywhere, the same for the same seed."""
    for state in some_positions(game, seed, wanted=6):
        if not state.is_over:
            before = all_of(state)
            found = {state.greedy_action(seed) for _ in range(3)}
            _must(len(found) == 1, f"one seed, different greedy actions {found}: {state}")
            _must(state.is_legal(*found), f"greedy action {found} is illegal: {state}")
            _same(all_of(state), before, "to choose must change nothing")


def can_be_drawn(game: Game, seed: int) -> None:
    """Every position has a text and an SVG, with legal actions and a heat map too."""
    for state in some_positions(game, seed, wanted=6):
        shown = to_text(state)
        _must(shown.strip(), f"no text for {state}")
        heat = np.linspace(0, 1, game.num_actions)
        for svg in (state.to_svg(), state.to_svg(200, theme="dark", legal=True, heat=heat)):
            _must(svg.startswith("<svg") and "</svg>" in svg, f"no SVG for {state}")


# Symmetries


def _mirrored(state: State, symmetry: Symmetry) -> State:
    """The beginning of a game, turned by way of its text."""
    board = state.game.board

    def turn(cells: str) -> str:
        turned = dict(zip(symmetry.cells.tolist(), cells, strict=True))
        return "".join(turned[cell] for cell in range(board.num_cells))

    ground = turn(state.ground())
    words = [state.game.to_string(), f"board={board.to_rows(ground)}"]
    words += [f"to_play={state.to_play}", "winner=none"]
    for name, value in state.fields().items():
        by_cell = board.from_rows(value)  # else it is no affair of cells, and turns into itself
        words.append(f"{name}={value if by_cell is None else board.to_rows(turn(by_cell))}")
    return State.from_string(" ".join(words))


def symmetries_are_a_group(game: Game, seed: int) -> None:
    """Symmetries are permutations, the identity first, and their products are symmetries."""
    symmetries = game.symmetries()
    n = game.board.num_cells
    _must(len(symmetries) in (1, 2, 3, 4, 6, 12), f"{len(symmetries)} symmetries")
    _must((symmetries[0].cells == np.arange(n)).all(), "the first symmetry is the identity")
    _must(
        (symmetries[0].actions == np.arange(game.num_actions)).all(),
        f"where all cells stay, actions stay: map_actions() gave {symmetries[0].actions}",
    )
    pairs = {(s.cells.tobytes(), s.actions.tobytes()) for s in symmetries}
    _must(len({cells for cells, _ in pairs}) == len(symmetries), "two symmetries are alike")
    for one in symmetries:
        _must(sorted(one.cells.tolist()) == list(range(n)), f"cells of {one}: no permutation")
        _must(
            sorted(one.actions.tolist()) == list(range(game.num_actions)),
            f"map_actions() must give a permutation of the actions, got {one.actions}",
        )
        for cell, near in enumerate(game.board.neighbours):
            turned = sorted(one.cells[list(near)].tolist())
            _must(turned == list(game.board.neighbours[one.cells[cell]]), f"neighbours of {cell}")
        for other in symmetries:
            both = one.cells[other.cells].tobytes(), one.actions[other.actions].tobytes()
            _must(both in pairs, "the product of two symmetries is one of them")


def symmetries_map_whole_games(game: Game, seed: int) -> None:
    """From a turned beginning, turned actions lead to turned masks and observations."""
    for symmetry in game.symmetries():
        twin = _mirrored(game.initial_state(seed), symmetry)
        for step, state in enumerate(walk(game, seed, limit=150)):
            if step:
                twin.step(int(symmetry.actions[state.last_action]))
            how = f"after {step} steps, turned by {symmetry.cells.tolist()}: {state} and {twin}"
            _must(
                (twin.to_play, twin.phase, twin.winner)
                == (state.to_play, state.phase, state.winner),
                f"player, phase or winner differ {how}",
            )
            mask = symmetry.transform_mask(state.action_mask())
            _must((mask == twin.action_mask()).all(), f"masks differ {how}")
            if step % 5 == 0 or state.is_over:
                for player in (0, 1):
                    turned = symmetry.transform_observation(state.observation(player))
                    _must((turned == twin.observation(player)).all(), f"planes differ {how}")


# The game as a value


def is_a_value(game: Game, seed: int) -> None:
    """Equal options make equal games; copies, pickles and texts are the game again."""
    again = make_game(game.name, **game.options)
    _must(again == game and hash(again) == hash(game), f"{again!r} must equal {game!r}")
    _must(copy.deepcopy(game) is game, "a game is its own deep copy")
    _must(pickle.loads(pickle.dumps(game)) == game, "a game equals its pickle")
    _must(Game.from_string(game.to_string()) == game, f"the game read from {game.to_string()!r}")
    for name, option in game.option_types.items():
        value = game.options[name]
        word = option.to_word(value)
        _must(
            word and " " not in word and word.isascii(),
            f"the text of option {name} must be one word in ASCII, got {word!r}",
        )
        _must(option.from_word(name, word) == value, f"{name}={word} read back")
        _must(option.check(name, value) == value, f"{name}: check() must take {value!r}")
        for odd in NO_VALUES:
            _takes_or_refuses(option, name, option.check, odd)
        for word in NO_WORDS:
            _takes_or_refuses(option, name, option.from_word, word)
    _refuses(OptionError, "has no option 'colour'", lambda: make_game(game.name, colour=1))


def _takes_or_refuses(option: Option, name: str, function: Any, odd: Any) -> None:
    """An odd value is refused by an error that begins with the option's name, or it is a value."""
    try:
        value = function(name, odd)
    except OptionError as refusal:
        _must(
            str(refusal).startswith(name),
            f"the refusal of {_short(odd)} must begin with the option's name, {name}: {refusal}",
        )
    else:
        again = option.from_word(name, option.to_word(value))
        _must(
            value == again == option.check(name, value),
            f"option {name} took {_short(odd)} for {_short(value)}, whose text is read as "
            f"{_short(again)}",
        )


PROMISES: tuple[Callable[[Game, int], None], ...] = (
    names_all_its_parts,
    ends_with_a_winner,
    shows_the_board,
    reads_the_names_it_writes,
    refuses_wrong_actions,
    copies_go_on_alike,
    undoes_to_the_start,
    keys_are_exact,
    begins_from_its_seed,
    rows_of_a_batch_play_as_single_states,
    evaluates_every_position,
    can_be_drawn,
    symmetries_are_a_group,
    symmetries_map_whole_games,
    is_a_value,
)
"""What `check_game` checks, in this order."""
