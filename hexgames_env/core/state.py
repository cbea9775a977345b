"""`State`: one position of a game, and how it came about.

A position that is kept is never changed: a step copies the row.  So copies share rows, and undo,
history and copying cost next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core.checks import check_out
from hexgames_env.core.options import as_integer, check_seed, parse_words, shown
from hexgames_env.core.registry import game_and_fields
from hexgames_env.core.words import Words, number_of, player_words, words_of
from hexgames_env.engine.status_word import CUT_OFF, OVER, PHASE, PLAYER, WINNER
from hexgames_env.errors import (
    GameOverError,
    IllegalActionError,
    NothingToUndoError,
    PositionTextError,
)

if TYPE_CHECKING:
    from hexgames_env.core.game import Game

FLOAT32, INT8 = np.dtype(np.float32), np.dtype(np.int8)  # np.empty is faster with a dtype
NUMPY_INTEGERS = frozenset(np.dtype(code).type for code in "bhilqBHILQ")
MAX_TEXT = 20_000  # characters of a position's text that are looked at
PICKLED = 2  # the form of pickles: raised when an older one can't be read any more


class HasRandom(Protocol):
    """A source of numbers: ``random.Random`` and ``numpy.random.Generator`` both are."""

    def random(self) -> float:
        """A number from 0 to below 1."""


class State:
    """One position of a game, and how it came about.

    Made by ``game.initial_state()``, ``game.state_from_cells(...)`` or ``State.from_string(text)``.
    Copies and pickles keep the history; `key`, text and equality ignore it.

    >>> from hexgames_env import make_game
    >>> state = make_game("rive", side=2).initial_state()
    >>> state.step(state.parse_action("b2"))
    >>> state.to_play
    1
    >>> [state.action_to_string(action) for action in state.legal_actions()]
    ['a1', 'a2', 'b1', 'b3', 'c1', 'c2']
    >>> state.undo()
    >>> state == state.game.initial_state()
    True
    """

    __slots__ = ("_past", "_row", "_status", "game")

    game: Game

    def __init__(self, game: Game, row: NDArray[np.int8], status: int, past: Any = None) -> None:
        self.game = game
        # The row's bytes, mask first; shared by copies and never changed.  Flat, because numpy
        # makes and slices an array of one dimension 0.12 us faster.
        self._row = row
        self._status = status
        self._past = past  # None, or (past, row, status, action) before the last step

    @property
    def _rows(self) -> NDArray[Any]:
        """The position as kernels see it: a view of shape (1, planes, length)."""
        return self._row.view(self.game.row_dtype).reshape(self.game.row_shape)

    # Whose step it is, and what may be done

    @property
    def to_play(self) -> int:
        """The player whose step is due, 0 or 1; after the end the player of the last step."""
        return self._status & PLAYER

    @property
    def status_word(self) -> int:
        """Player, end, winner and phase in one number, as `hexgames_env.engine` explains it."""
        return self._status

    @property
    def phase(self) -> str:
        """Which kind of action is due, one of ``game.phases``; ``"over"`` after the end."""
        return "over" if self._status & OVER else self.game.phases[self._status >> PHASE]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._status & OVER != 0

    @property
    def winner(self) -> int | None:
        """The player who has won, 0 or 1; None while the game runs."""
        return self._status >> WINNER & 1 if self._status & OVER else None

    @property
    def _can_go_on(self) -> bool:
        """Whether an action is legal: the game is not over, nor was it cut off in a batch."""
        return 1 in self._row[: self.game.num_actions].tobytes()  # any() takes 5 times as long

    @property
    def _was_cut_off(self) -> bool:
        """Whether this is the last position of a batch's game that did not end by its rules."""
        return not self.is_over and not self._can_go_on

    def returns(self) -> NDArray[np.float32]:
        """float32 (2,): +1 for the winner and -1 for the loser; zeros while the game runs."""
        if not self._status & OVER:
            return np.zeros(2, np.float32)
        winner = self._status >> WINNER & 1
        return np.array([1 - 2 * winner, 2 * winner - 1], np.float32)

    def action_mask(self) -> NDArray[np.int8]:
        """int8 (num_actions,): 1 for the actions that the player to act may make; a new array."""
        return self._row[: self.game.num_actions].copy()

    def legal_actions(self) -> list[int]:
        """The legal actions, ascending; empty after the end."""
        actions: list[int] = self._row[: self.game.num_actions].nonzero()[0].tolist()
        return actions

    def sample_action(self, rng: HasRandom) -> int:
        """A legal action, uniformly at random, from one call of ``rng.random()``.

        Raises:
            GameOverError: the game has ended, and there is none.
            ValueError: the source gave something else than a number in [0, 1).
        """
        fraction = rng.random()
        number = fraction if type(fraction) is float else _as_float(fraction)
        action: int = self.game._sample(self._row, number)
        if action < 0:
            if self.is_over:
                raise GameOverError("the game has ended: there is no action to sample")
            raise ValueError(
                f"rng.random() must give a number from 0 to below 1, got {shown(fraction)}"
            )
        return action

    def greedy_action(self, seed: int) -> int:
        """The step after which the position is best by the game's ``evaluate``.

        Args:
            seed: 0 to 2**64 - 1, decides between steps that are equally good.

        Raises:
            GameOverError: the game has ended.
            OptionError: no such seed.
        """
        if self.is_over:
            raise GameOverError("the game has ended: there is no action to choose")
        random = np.array([check_seed(seed)])
        action: int = self.game._choose_greedily(
            self._row, self.game.tables, np.empty_like(self._row), random
        )
        return action

    def is_legal(self, action: SupportsIndex) -> bool:
        """Whether the player to act may make this action.

        Raises:
            IllegalActionError: it is no action of the game at all.
        """
        return bool(self._row[self.game.check_action(action)])

    def action_to_string(self, action: SupportsIndex) -> str:
        """The text of an action in this position, legal or not.

        Raises:
            IllegalActionError: it is not a number of an action.
        """
        return self.game._action_names[self._phase][self.game.check_action(action)]

    def parse_action(self, text: str) -> int:
        """The legal action with this text.

        Raises:
            IllegalActionError: the text is no action of the game, or it is not legal now; the
                message says which of the two.
        """
        names = self.game._action_by_name
        action = names[self._phase].get(text) if isinstance(text, str) else None
        if action is not None and self._row[action]:
            return action
        if isinstance(text, str) and any(text in by_name for by_name in names):
            raise IllegalActionError(f"{shown(text)} is not legal now: {self._why_not(action)}")
        why = self.game.why_no_action(text if isinstance(text, str) else "")
        raise IllegalActionError(f"{shown(text)} is no action of {self.game.to_string()}: {why}")

    @property
    def _phase(self) -> int:
        return self._status >> PHASE

    def _why_not(self, action: int | None) -> str:
        """Why an action of this phase is not legal, None being one of another phase; what is."""
        if self.is_over:
            return "the game has ended"
        if not self._can_go_on:
            return "the game was cut off"
        why = "" if action is None else f"{self.game.illegal_words(self, action)}.  "
        legal = [self.action_to_string(action) for action in self.legal_actions()]
        some = ", ".join(legal[:12]) + (" and more" if len(legal) > 12 else "")
        count = number_of(len(legal), "legal action")
        return f"{why}{player_words(self.game, self.to_play)} has {count} ({self.phase}): {some}"

    # Forwards and back

    def step(self, action: SupportsIndex) -> None:
        """Make one step.

        Args:
            action: what ``operator.index`` takes except bool, legal here.

        Raises:
            GameOverError: the game has ended.
            IllegalActionError: the action is illegal.  Nothing has changed then.
        """
        if not self.try_step(action):
            raise IllegalActionError(
                f"action {int(action)} ({self.action_to_string(action)}) is illegal here: "
                f"{self._why_not(int(action))}.  action_mask() marks what is legal"
            )

    def try_step(self, action: SupportsIndex) -> bool:
        """Make one step if the action is legal here; whether it is.

        For those who know what follows an illegal action: `step` says which actions are legal,
        which takes many times as long as a step.

        Args:
            action: as for `step`.

        Raises:
            GameOverError: the game has ended.
            IllegalActionError: it is no action of the game at all.  Nothing has changed then.
        """
        game = self.game
        kind = type(action)
        if kind is not int and kind in NUMPY_INTEGERS:  # what samplers give
            action = int(action)
        elif kind is not int:
            action = game.check_action(action)
        if not 0 <= action < game.num_actions:  # type: ignore[operator]  # it is an int by now
            game.check_action(action)  # which raises
        row = np.empty(game.row_bytes, INT8)
        status = game._advance(self._row, row, game.tables, action)
        if status < 0:
            if self.is_over:
                winner = player_words(game, self._status >> WINNER & 1)
                raise GameOverError(f"the game has ended, {winner} has won: no step follows")
            return False
        past = self._past, self._row, self._status, action
        self._past, self._row, self._status = past, row, status  # on one line: all or nothing
        return True

    def undo(self) -> None:
        """Take the last step back.

        Raises:
            NothingToUndoError: this is the position that the state began with.
        """
        if self._past is None:
            raise NothingToUndoError("this state has made no step yet: there is nothing to undo")
        self._past, self._row, self._status, _ = self._past

    @property
    def last_action(self) -> int | None:
        """The last step's action, None if there is none to undo."""
        return None if self._past is None else self._past[3]

    @property
    def last_player(self) -> int | None:
        """Who made the last step, None if there is none to undo."""
        return None if self._past is None else self._past[2] & PLAYER

    @property
    def last_step(self) -> tuple[int, str, set[int]] | None:
        """Player, text and cells of the last step, None if there is none to undo."""
        if self._past is None:
            return None
        _, _, status, action = self._past
        names = self.game._action_names[status >> PHASE]
        return status & PLAYER, names[action], set(self.game.cells_of_action(action))

    @property
    def history(self) -> list[int]:
        """The actions since the position that the state began with."""
        actions = []
        past = self._past
        while past is not None:
            past, _, _, action = past
            actions.append(action)
        return actions[::-1]

    @property
    def history_texts(self) -> list[str]:
        """The texts of the actions in `history`, each in the position in which it was made."""
        names = self.game._action_names
        texts = []
        past = self._past
        while past is not None:
            past, _, status, action = past
            texts.append(names[status >> PHASE][action])
        return texts[::-1]

    def root(self) -> State:
        """The position that this state began with, as a state of its own."""
        past = self._past
        row, status = self._row, self._status
        while past is not None:
            past, row, status, _ = past
        return State(self.game, row, status)

    def copy(self) -> State:
        """A state of its own with the same position and history; a constant-time operation."""
        return State(self.game, self._row, self._status, self._past)

    def copy_into(self, other: State) -> None:
        """Make ``other`` a copy of this one.

        Raises:
            TypeError: ``other`` is no `State`.
        """
        if not isinstance(other, State):
            raise TypeError(f"copy_into() takes the State that is to change, got {shown(other)}")
        other.game, other._past = self.game, self._past
        other._row, other._status = self._row, self._status

    # What it looks like

    def observation(
        self, player: int, out: NDArray[np.float32] | None = None, *, ended: bool = False
    ) -> NDArray[np.float32]:
        """The planes as this player sees them.

        Args:
            player: 0 or 1, whether it is to act or not.
            out: float32, C-contiguous, of ``game.observation_shape``, to be filled; None makes a
                new array.
            ended: show the position as that of a game that was cut off: nobody is to act.

        Returns:
            float32 (rows, columns, planes), all values in [0, 1].
        """
        if type(player) is not int or player not in (0, 1):
            player = _check_player(player)
        game = self.game
        shape = game.observation_shape
        if out is None:
            out = np.empty(shape, FLOAT32)
        else:
            check_out(out, shape)
        game._observe(self._row, game.tables, player + CUT_OFF if ended else player, out)
        return out

    def observation_and_mask(self, player: int, *, ended: bool = False) -> dict[str, NDArray[Any]]:
        """``{"observation": planes, "action_mask": mask}`` for a player, in new arrays.

        The mask marks the legal actions if the player is to act, and is all zero otherwise.  Faster
        than to ask for both: it is what environments hand out.

        Args:
            player: 0 or 1.
            ended: as for `observation`; then nobody is to act.
        """
        # One frame for the loop that users run: to ask for both takes 0.27 us more.
        game = self.game
        status = self._status
        acting = player == status & PLAYER and not status & OVER and not ended
        planes = np.empty(game.observation_shape, FLOAT32)
        mask = np.empty(game.num_actions, INT8)
        view = player + CUT_OFF if ended else player
        game._observe_with_mask(self._row, game.tables, view, acting, planes, mask)
        return {"observation": planes, "action_mask": mask}

    def key(self) -> tuple[Game, bytes]:
        """Hashable and exact: equal for equal positions, however reached, and for no others.

        Shorter to make and to compare than the text; fit for the tables of a search.
        """
        return self.game, self.game.position_bytes(self._rows[0]) + bytes([self._status])

    def to_row(self) -> NDArray[Any]:
        """The position for a compiled loop: ``game.row_dtype``, ``game.row_shape``, a new array.

        What loops make of it is theirs: no `State` is made from a row, for rows are not checked.
        """
        return self._rows.copy()

    def ground(self) -> str:
        """What lies on each cell: one of ``game.symbols`` for each, in the order of the cells."""
        return self.game.ground(self._rows[0])

    def fields(self) -> dict[str, str]:
        """What the position holds beyond the board, as in its text."""
        return self.game.fields(self._rows[0])

    def to_string(self) -> str:
        """One line with game, options and position, which `from_string` reads back.

        The rows of the board stand from the top down, separated by ``/``.
        """
        return f"{self.game.to_string()} {self.position_to_string()}"

    def position_to_string(self) -> str:
        """`to_string` without the game: ``board=... to_play=... winner=...`` and so on."""
        fields = {
            "board": self.game.board.to_rows(self.ground()),
            "to_play": str(self.to_play),
            "winner": "none" if self.winner is None else str(self.winner),
            **self.fields(),
        }
        return " ".join(f"{name}={value}" for name, value in fields.items())

    def words(self) -> Words:
        """The position in plain words: what has happened, what is to be done, why it is over.

        >>> from hexgames_env import make_game
        >>> state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
        >>> state.words().due
        'Black (player_0) to play: place a stone'
        >>> state.step(state.parse_action("b2"))
        >>> state.words().happened
        'Black (player_0) captured 1 stone by b2'
        >>> state.words().outcome
        'Black (player_0) has won: White has no stones left'
        """
        return words_of(self)

    def to_svg(
        self,
        size: int = 480,
        *,
        theme: str = "light",
        coordinates: bool = True,
        legal: bool = False,
        heat: Mapping[int, float] | Sequence[float] | NDArray[Any] | None = None,
    ) -> str:
        """The position as an SVG document, its last step marked.

        Args:
            size: width and height in pixels, from 100 to 4000.
            theme: ``"light"`` or ``"dark"``.
            coordinates: whether to show names of cells, where there is room to read them.
            legal: whether to mark the legal actions.
            heat: a number for each action, such as a policy or visit counts, none below 0; a
                mapping may leave actions out.  The largest is shown strongest, 0 not at all.

        Raises:
            OptionError: no such theme or size.
            ValueError: ``heat`` is of another length, or has a number below 0 or none at all.

        >>> from hexgames_env import make_game
        >>> make_game("oust", side=2).initial_state().to_svg(200, heat={3: 0.9})[:48]
        '<svg xmlns="http://www.w3.org/2000/svg" width="2'
        """
        from hexgames_env.rendering import compose, to_svg  # a layer above: imported only here

        picture = compose(self, size, theme=theme, coordinates=coordinates, legal=legal, heat=heat)
        title = f"{self.game.title}.  {self.words().sentences()}"
        return to_svg(picture, title, self.to_string())

    def _repr_svg_(self) -> str:
        """What notebooks show."""
        return self.to_svg()

    @classmethod
    def from_string(cls, text: str) -> State:
        """The position that `to_string` wrote; white space around it, like a line's end, may stay.

        Raises:
            PositionTextError: the text is no position; the message says where it went wrong.
            OptionError: it names no game or option, or a value that the option does not take.
        """
        if not isinstance(text, str):
            raise PositionTextError(f"a position is read from a str, got {type(text).__name__}")
        if len(text) > MAX_TEXT or not text.isascii():
            raise PositionTextError(
                f"a position is at most {MAX_TEXT} ASCII characters, got {len(text)} characters: "
                f"{text[:40]!r}..."
            )
        text = text.strip()
        gap = re.search(r"\s\s+|[^\S ]", text)
        if gap:
            raise PositionTextError(
                f"the words of a position are separated by one space each: there is {gap[0]!r} "
                f"after {text[: gap.start()]!r}"
            )
        game, values = game_and_fields(text)
        return _set_up(game, values, text)

    # As a value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return False
        if self.game is other.game and self._row.tobytes() == other._row.tobytes():
            return self._status == other._status  # a quarter of the time of two keys
        return self.key() == other.key()

    def __hash__(self) -> int:
        raise TypeError("a State changes, so it has no hash: in sets and dicts use state.key()")

    def __repr__(self) -> str:
        return f"<State {self.to_string()}>"

    def __copy__(self) -> State:
        return self.copy()

    def __deepcopy__(self, memo: object) -> State:
        return self.copy()

    def __reduce__(self) -> tuple[Callable[..., State], tuple[Any, ...]]:
        # As text, which is checked when it is read: the bytes of a row mean something to compiled
        # code of this version alone, which checks nothing.
        text = self.root().position_to_string()
        return replay, (PICKLED, self.game, text, self.history, self._was_cut_off)


def read_position(game: Game, text: str) -> State:
    """The position of a game that `State.position_to_string` wrote.

    Raises:
        PositionTextError: it is not such a text.
    """
    return _set_up(game, parse_words(text.split(" "), PositionTextError), text)


def _set_up(game: Game, values: dict[str, str], text: str) -> State:
    for field in ("board", "to_play", "winner"):
        if field not in values:
            raise PositionTextError(f"{field}=... is missing in {shown(text)}")
    ground = game._read_ground(values.pop("board"))
    to_play, winner = values.pop("to_play"), values.pop("winner")
    if to_play not in ("0", "1") or winner not in ("none", "0", "1"):
        raise PositionTextError(
            f"to_play must be 0 or 1, and winner none, 0 or 1; "
            f"got to_play={to_play!r} winner={winner!r}"
        )
    won = None if winner == "none" else int(winner)
    return game._set_up(ground, int(to_play), won, values)


def replay(
    form: int, game: Game, text: str, actions: Sequence[int], cut_off: bool = False
) -> State:
    """The state of a pickle, with its history; ``cut_off`` if nothing is legal there any more."""
    check_pickle(form)
    state = read_position(game, text)
    for action in actions:
        state.step(action)
    if cut_off:
        row = state._row.copy()
        row.view(game.row_dtype)[: game.row_shape[2]] = 0
        state._row = row
    return state


def check_pickle(form: object) -> None:
    """ValueError if a pickle of a state or batch is in a form that this version does not read."""
    if type(form) is not int or form != PICKLED:
        raise ValueError(
            f"this pickle was written by another version of hexgames_env: its form is "
            f"{shown(form)}, and {PICKLED} is read here.  What is to be kept for long is written "
            "as text, by State.to_string()"
        )


def _as_float(fraction: Any) -> float:
    """What a source of random numbers gave, -1.0 if it is no number."""
    try:
        return -1.0 if isinstance(fraction, (str, bytes, bytearray)) else float(fraction)
    except Exception:  # whatever a stranger's __float__ raises
        return -1.0


def _check_player(player: object) -> int:
    number = as_integer(player)
    if number != 0 and number != 1:
        raise ValueError(f"player must be 0 or 1, got {shown(player)}")
    return number
