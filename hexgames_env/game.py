"""The two objects that everything else uses: `Game`, rules on a board, and `State`, a position.

A game's file provides five kernels over ``rows``, an array of positions of shape
(rows, planes, length), and a subclass of `Game` that names things.  With ``tables`` the game's
own constant array (geometry, options), the kernels are, in the order of play:

    start(rows, b, tables, seed)            lay out row b; a game with a random start draws it
                                            from the uint64 ``seed``
    mask(rows, b, tables)                   write plane 0 of row b: one byte an action, 1 if legal;
                                            only called while the game runs
    step(rows, b, tables, action)           make a legal action
    status(rows, b)                         to_play | over << 1 | winner << 2 | phase << 3;
                                            after the end to_play is the player of the last step
    observe(rows, b, tables, view, planes)  write planes[b], float32 (rows, columns, planes), all
                                            of it; view = observing player + 2 if the game was cut
                                            off (then no plane speaks of a step in progress)

A sixth, ``evaluate``, serves the greedy player; `players.py` says what it does without.

A position that is kept is never changed: a step copies the row.  So copies share rows, and undo,
history and copying cost next to nothing.
"""

from __future__ import annotations

import secrets
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from hexgames_env import _jit, drivers, players
from hexgames_env.board import HexBoard
from hexgames_env.errors import (
    GameOverError,
    IllegalActionError,
    NothingToUndoError,
    PositionTextError,
)
from hexgames_env.options import Option, as_integer, check_options
from hexgames_env.registry import game_class
from hexgames_env.scene import Scene, hex_plan, plain_scene
from hexgames_env.symmetry import Symmetry

TO_PLAY, OVER = 1, 2  # in a status: bits
WINNER, PHASE = 2, 3  # and shifts
_FLOAT32, _INT8 = np.dtype(np.float32), np.dtype(np.int8)  # np.empty is faster with a dtype
MAX_TEXT = 20_000  # characters of a position's text that are looked at


class HasRandom(Protocol):
    """A source of numbers: ``random.Random`` and ``numpy.random.Generator`` both are."""

    def random(self) -> float:
        """A number from 0 to below 1."""


class Game(ABC):
    """The rules of one game on one board: immutable, hashable, and shared by its states.

    Attributes:
        name: as ``make_game`` takes it.
        options: every option with its value.
        board: the `HexBoard` that stones lie on.
        num_players: 2.
        num_actions: actions are 0 to num_actions - 1 in every position.
        observation_shape: (rows, columns, planes) of an observation.
        plane_names: a word or two for each plane.
        cell_names: the name of each cell.
        phases: the kinds of action that can be due.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    option_types: ClassVar[Mapping[str, Option]]
    phases: ClassVar[tuple[str, ...]]
    plane_names: ClassVar[tuple[str, ...]]
    symbols: ClassVar[str] = ".BW"
    """One character for each thing that can lie on a cell: nothing, player_0's, player_1's."""
    num_players = 2

    def __init__(
        self,
        options: Mapping[str, Any],
        *,
        board: HexBoard,
        num_actions: int,
        tables: NDArray[Any],
        row: tuple[type, int, int],
    ) -> None:
        """Called by a game's own ``__init__``.

        Args:
            options: checked, as from `check_options`.
            board: where the stones lie.
            num_actions: the same in every position.
            tables: what the game's kernels want to look up.
            row: dtype (np.uint8 or np.uint64), planes, and length of a plane at least; a plane is
                made long enough for the mask, and a multiple of 8 bytes.
        """
        dtype, planes, length = row
        in_word = 8 // np.dtype(dtype).itemsize
        length = max(length, -(-num_actions // np.dtype(dtype).itemsize))
        self.options: Mapping[str, Any] = MappingProxyType(dict(options))
        self.board = board
        self.num_actions = num_actions
        self.tables = tables  # not frozen: passing a read-only array to a kernel takes 50 ns more
        self.row_dtype = np.dtype(dtype)
        self.row_shape = (1, planes, -(-length // in_word) * in_word)
        self.row_bytes = planes * self.row_shape[2] * self.row_dtype.itemsize
        self.observation_shape = (board.num_rows, board.num_rows, len(self.plane_names))
        self.drivers = _drivers(type(self), planes, self.row_dtype)
        self._hash = hash((type(self), tuple(self.options.items())))

    @classmethod
    def check_options(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options in order, those not given at their default; OptionError for a wrong one."""
        return check_options(cls.name, cls.option_types, given)

    # Compiled code for one position; made on first use, then plain attributes

    @cached_property
    def _advance(self) -> Callable[..., Any]:
        row = np.empty(self.row_bytes, _INT8)
        return _jit.entry(self.drivers["advance"], row, row, self.tables, 0, np.uint64(0))

    @cached_property
    def _look(self) -> Callable[..., Any]:
        row = np.empty(self.row_bytes, _INT8)
        planes = np.empty(self.observation_shape, _FLOAT32)
        return _jit.entry(self.drivers["look"], row, self.tables, 0, planes)

    @cached_property
    def _show(self) -> Callable[..., Any]:
        row = np.empty(self.row_bytes, _INT8)
        planes = np.empty(self.observation_shape, _FLOAT32)
        actions = np.empty(self.num_actions, _INT8)
        return _jit.entry(self.drivers["show"], row, self.tables, 0, True, planes, actions)

    @cached_property
    def _sample(self) -> Callable[..., Any]:
        return _jit.entry(self.drivers["sample"], np.empty(self.row_bytes, _INT8), 0.0)

    # Positions

    def initial_state(self, seed: int | None = None) -> State:
        """The start.

        Args:
            seed: 0 to 2**64 - 1; decides a start that is drawn at random, and nothing else.  None
                draws another one each time.
        """
        row = np.zeros(self.row_bytes, _INT8)
        status = self._advance(row, row, self.tables, drivers.BEGIN, _check_seed(seed))
        return State(self, row, status)

    def state_from_cells(
        self, cells: Mapping[str | int, int | str], to_play: int = 0, **fields: Any
    ) -> State:
        """A position set up by hand, in a game that is not over.

        Args:
            cells: what lies on which cell: by name or number of the cell, the player (0 or 1) or
                one of the game's `symbols`.
            to_play: the player whose step is due.
            fields: what else the game's positions hold, by the names in its ``to_string()``.

        Raises:
            PositionTextError: this is no position of the game; the message says why.

        >>> from hexgames_env import make_game
        >>> state = make_game("oust", side=2).state_from_cells({"a1": 0, "b3": 1})
        >>> state.to_string()
        'oust side=2 pie_rule=true board=../..W/B. to_play=0 winner=none'
        """
        ground = [self.symbols[0]] * self.board.num_cells
        for where, what in cells.items():
            ground[self._cell(where)] = self._symbol(what)
        words = {name: _word(value) for name, value in fields.items()}
        return self._set_up("".join(ground), to_play, None, words)

    def _cell(self, where: str | int) -> int:
        number = self._cell_by_name.get(where) if isinstance(where, str) else as_integer(where)
        if number is None or not 0 <= number < self.board.num_cells:
            raise PositionTextError(
                f"{where!r} is no cell: cells are {self.cell_names[0]} to {self.cell_names[-1]}, "
                f"or 0 to {self.board.num_cells - 1}"
            )
        return number

    def _symbol(self, what: int | str) -> str:
        player = as_integer(what)
        if player in (0, 1):
            return self.symbols[1 + player]
        if isinstance(what, str) and len(what) == 1 and what in self.symbols:
            return what
        raise PositionTextError(
            f"on a cell can lie 0 or 1 (a player) or one of {' '.join(self.symbols)}, got {what!r}"
        )

    def _set_up(
        self, ground: str, to_play: object, winner: int | None, fields: Mapping[str, str]
    ) -> State:
        player = as_integer(to_play)
        if player not in (0, 1):
            raise PositionTextError(f"to_play must be 0 or 1, got {to_play!r}")
        unknown = [name for name in fields if name not in self.field_names]
        if unknown:
            known = ", ".join(self.field_names) or "none"
            raise PositionTextError(
                f"{self.name} positions have no field {unknown[0]!r}: their fields are {known}"
            )
        row = np.zeros(self.row_bytes, _INT8)
        self._write_position(self.planes_of(row), ground, player, winner, fields)
        return State(self, row, self.drivers["refresh"](row, self.tables))

    field_names: ClassVar[tuple[str, ...]] = ()
    """What a position holds beyond the board, whose step it is and who has won."""

    def planes_of(self, row: NDArray[np.int8]) -> NDArray[Any]:
        """A row's bytes as the kernels see them: a view of shape (planes, length)."""
        return row.view(self.row_dtype).reshape(self.row_shape[1:])

    @abstractmethod
    def _write_position(
        self,
        row: NDArray[Any],
        ground: str,
        to_play: int,
        winner: int | None,
        fields: Mapping[str, str],
    ) -> None:
        """Write a position into an empty row, but for its mask; PositionTextError if it is none.

        ``ground`` has a symbol for each cell; fields that are missing are at their usual value.
        """

    @abstractmethod
    def ground(self, row: NDArray[Any]) -> str:
        """What lies on each cell: a symbol for each."""

    def fields(self, row: NDArray[Any]) -> dict[str, str]:
        """The values of `field_names`, as words; those at their usual value are left out."""
        return {}

    def position_bytes(self, row: NDArray[Any]) -> bytes:
        """All of a position but its status, the same for equal positions and for no others."""
        return f"{self.ground(row)} {self.fields(row)}".encode()

    def _read_ground(self, text: str) -> str:
        ground = self.board.from_rows(text)
        if ground is None or not set(ground) <= set(self.symbols):
            lengths = " ".join(map(str, self.board.row_lengths))
            raise PositionTextError(
                f"the board of {self.to_string()} is rows of {lengths} characters out of "
                f"{self.symbols!r}, parted by '/', got {text!r}"
            )
        return ground

    # Names

    @property
    def cell_names(self) -> tuple[str, ...]:
        """The name of each cell, by number."""
        return self.board.names

    @cached_property
    def _cell_by_name(self) -> dict[str, int]:
        return {name: cell for cell, name in enumerate(self.cell_names)}

    @abstractmethod
    def action_names(self, phase: int) -> Sequence[str]:
        """The text of each action in a phase."""

    @cached_property
    def _action_names(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(self.action_names(phase)) for phase in range(len(self.phases)))

    @cached_property
    def _action_by_name(self) -> tuple[dict[str, int], ...]:
        return tuple(
            {name: action for action, name in enumerate(names)} for names in self._action_names
        )

    def cells_of_action(self, action: int) -> Sequence[int]:
        """The cells that an action speaks of, for pictures."""
        return [action] if action < self.board.num_cells else []

    def scene(self, state: State) -> Scene:
        """What lies where, for pictures; a game with more to show than its stones overrides it."""
        return plain_scene(hex_plan(self.board, self.cell_names), state.ground(), self.symbols)

    def check_action(self, action: Any) -> int:
        """``action`` as an int if it is one of the game's; IllegalActionError if not."""
        number = action if type(action) is int else as_integer(action)
        if number is None or not 0 <= number < self.num_actions:
            raise IllegalActionError(
                f"an action of {self.name} is an integer from 0 to {self.num_actions - 1}, "
                f"got {action!r}" + (f" of type {type(action).__name__}" if number is None else "")
            )
        return number

    # Symmetries

    def symmetries(self) -> tuple[Symmetry, ...]:
        """The symmetries of the rules, the identity first."""
        return self._symmetries

    @cached_property
    def _symmetries(self) -> tuple[Symmetry, ...]:
        return tuple(
            Symmetry(self.board, cells, self.map_actions(cells))
            for cells in self.board.symmetries
            if self.keeps_rules(cells)
        )

    def keeps_rules(self, cells: NDArray[np.int64]) -> bool:
        """Whether moving each cell c to ``cells[c]`` maps the game onto itself."""
        return True

    def map_actions(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where each action goes when cell c goes to ``cells[c]``.

        As it stands for games whose first actions are the cells and whose others stay.
        """
        others = np.arange(len(cells), self.num_actions)
        return np.concatenate([cells, others])

    # As a value

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(self) is type(other)
            and isinstance(other, Game)
            and dict(self.options) == dict(other.options)
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"make_game({self.name!r}{options})"

    def to_string(self) -> str:
        """Name and options, as at the beginning of a position's text."""
        words = [self.name]
        for name, option in self.option_types.items():
            words.append(f"{name}={option.to_word(self.options[name])}")
        return " ".join(words)

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[type[Game], dict[str, Any]]]:
        return _remake, (type(self), dict(self.options))

    def __deepcopy__(self, memo: object) -> Game:
        return self


def _word(value: object) -> str:
    """A field's value, given by a person, as it stands in a text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value)) or "none"
    return str(value)


def _check_player(player: object) -> int:
    number = as_integer(player)
    if number != 0 and number != 1:
        raise ValueError(f"player must be 0 or 1, got {player!r}")
    return number


def _check_seed(seed: int | None) -> np.uint64:
    number = secrets.randbits(64) if seed is None else as_integer(seed)
    if number is None or not 0 <= number < 2**64:
        raise ValueError(f"seed must be None or an integer from 0 to 2**64 - 1, got {seed!r}")
    return np.uint64(number)


@lru_cache(maxsize=64)
def _shared(game: type[Game], options: tuple[tuple[str, Any], ...]) -> Game:
    """A game for many texts: making one anew, with its way into compiled code, takes 1 ms."""
    return _remake(game, dict(options))


def _remake(game: type[Game], options: dict[str, Any]) -> Game:
    return game(**options)  # type: ignore[call-arg]


_DRIVERS: dict[tuple[type[Game], int, np.dtype[Any]], Mapping[str, Callable[..., Any]]] = {}


def _drivers(
    game: type[Game], planes: int, dtype: np.dtype[Any]
) -> Mapping[str, Callable[..., Any]]:
    """`drivers` and `players` over the kernels in this game's module; compiled when called."""
    if (game, planes, dtype) not in _DRIVERS:
        module = sys.modules[game.__module__]

        def bind(template: Any, nogil: bool = True) -> Callable[..., Any]:
            return _jit.bind(template, names, game, f"{planes}-{dtype}", nogil=nogil)

        names = {name: getattr(module, name) for name in drivers.KERNELS}
        names |= {"PLANES": planes, "DTYPE": dtype.type}
        names["as_rows"] = bind(drivers.as_rows_of)
        names["evaluate"] = getattr(module, "evaluate", players.evaluate)
        names["choose_greedily"] = bind(players.choose)
        single, many = drivers.SINGLE + players.SINGLE, drivers.MANY + players.MANY
        _DRIVERS[game, planes, dtype] = {
            template.__name__: bind(template, nogil)
            for templates, nogil in ((single, False), (many, True))
            for template in templates
        }
    return _DRIVERS[game, planes, dtype]


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
        # makes and slices an array of one dimension 0.1 us faster.
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
        return self._status & 1

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
        """
        action: int = self.game._sample(self._row, rng.random())
        if action < 0:
            raise GameOverError("the game has ended: there is no action to sample")
        return action

    def action_to_string(self, action: int) -> str:
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
            raise IllegalActionError(f"{text!r} is not legal now: {self._what_is_legal()}")
        examples = ", ".join(
            dict.fromkeys(n for t in self.game._action_names for n in t[:: len(t) - 1])
        )
        raise IllegalActionError(
            f"{text!r} is no action of {self.game.to_string()}: actions are written like {examples}"
        )

    @property
    def _phase(self) -> int:
        return self._status >> PHASE

    def _what_is_legal(self) -> str:
        if self.is_over:
            return "the game has ended"
        legal = [self.action_to_string(action) for action in self.legal_actions()]
        some = ", ".join(legal[:12]) + (", ..." if len(legal) > 12 else "")
        return f"player_{self.to_play} ({self.phase}) has {len(legal)} legal actions: {some}"

    # Forwards and back

    def step(self, action: int) -> None:
        """Make one step.

        Args:
            action: what ``operator.index`` takes except bool, legal here.

        Raises:
            GameOverError: the game has ended.
            IllegalActionError: the action is illegal.  Nothing has changed then.
        """
        if self._try_step(action) < 0:
            raise self._refusal(action)

    def _try_step(self, action: Any) -> int:
        """Make one step and return the new status; -1, and nothing changed, if it is not legal now.

        Raises:
            IllegalActionError: it is no action of the game.
        """
        game = self.game
        if type(action) is not int or not 0 <= action < game.num_actions:
            action = game.check_action(action)
        row = np.empty(game.row_bytes, _INT8)
        status: int = game._advance(self._row, row, game.tables, action, 0)
        if status >= 0:
            self._past = (self._past, self._row, self._status, action)
            self._row = row
            self._status = status
        return status

    def _refusal(self, action: int) -> Exception:
        """Why a step in range was refused."""
        if self.is_over:
            return GameOverError(f"the game has ended (player_{self.winner} won): no step follows")
        return IllegalActionError(
            f"action {int(action)} ({self.action_to_string(action)}) is illegal here: "
            f"{self._what_is_legal()}.  action_mask() marks them"
        )

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
    def last_step(self) -> tuple[int, str, set[int]] | None:
        """Player, text and cells of the last step, None if there is none to undo."""
        if self._past is None:
            return None
        _, _, status, action = self._past
        names = self.game._action_names[status >> PHASE]
        return status & 1, names[action], set(self.game.cells_of_action(action))

    @property
    def history(self) -> list[int]:
        """The actions since the position that the state began with."""
        return [action for _, _, action in self._steps()]

    def _steps(self) -> list[tuple[NDArray[np.int8], int, int]]:
        """For each step since the beginning the row and the status before it, and its action."""
        steps = []
        past = self._past
        while past is not None:
            past, row, status, action = past
            steps.append((row, status, action))
        return steps[::-1]

    def copy(self) -> State:
        """A state of its own with the same position and history; a constant-time operation."""
        return State(self.game, self._row, self._status, self._past)

    def copy_into(self, other: State) -> None:
        """Make ``other`` a copy of this one."""
        other.game = self.game
        other._row = self._row
        other._status = self._status
        other._past = self._past

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
        if type(player) is not int or not 0 <= player <= 1:
            player = _check_player(player)
        game = self.game
        shape = game.observation_shape
        if out is None:
            out = np.empty(shape, _FLOAT32)
        elif out.shape != shape or out.dtype != _FLOAT32 or not out.flags.carray:
            raise ValueError(
                f"out must be a writable C-contiguous float32 array of shape {shape}, "
                f"got {out.dtype} of shape {out.shape}"
            )
        game._look(self._row, game.tables, player + 2 if ended else player, out)
        return out

    def _look(self, player: int, acting: bool) -> dict[str, NDArray[Any]]:
        """Observation and mask together, as environments hand them out, in new arrays.

        ``player`` is the one who looks, + 2 if the game is over or was cut off; ``acting`` is
        whether it gets the mask of the legal actions or one of zeros.
        One frame instead of five for the loop that users run: 0.4 us less.
        """
        game = self.game
        planes = np.empty(game.observation_shape, _FLOAT32)
        mask = np.empty(game.num_actions, _INT8)
        game._show(self._row, game.tables, player, acting, planes, mask)
        return {"observation": planes, "action_mask": mask}

    def key(self) -> tuple[Game, bytes]:
        """Hashable and exact: equal for equal positions, however reached, and for no others.

        Shorter to make and to compare than the text; fit for the tables of a search.
        """
        return self.game, self.game.position_bytes(self._rows[0]) + bytes([self._status])

    def ground(self) -> str:
        """What lies on each cell: one of ``game.symbols`` for each, in the order of the cells."""
        return self.game.ground(self._rows[0])

    def fields(self) -> dict[str, str]:
        """What the position holds beyond the board, as in its text."""
        return self.game.fields(self._rows[0])

    def to_string(self) -> str:
        """One line with game, options and position, which `from_string` reads back.

        The rows of the board stand from the top down, parted by ``/``.
        """
        fields = {
            "board": self.game.board.to_rows(self.ground()),
            "to_play": str(self.to_play),
            "winner": "none" if self.winner is None else str(self.winner),
            **self.fields(),
        }
        return " ".join([self.game.to_string(), *(f"{n}={v}" for n, v in fields.items())])

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
        from hexgames_env.rendering import compose, to_svg  # a floor above, so not before

        picture = compose(
            self, size, theme=theme, coordinates=coordinates, legal=legal, heat=heat
        )
        return to_svg(picture, self.to_string())

    def _repr_svg_(self) -> str:
        """What notebooks show."""
        return self.to_svg()

    @classmethod
    def from_string(cls, text: str) -> State:
        """The position that `to_string` wrote.

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
        name, *words = text.split(" ")
        game_type = game_class(name)
        values: dict[str, str] = {}
        for word in words:
            field, equals, value = word.partition("=")
            if not equals or not field or not value or field in values:
                raise PositionTextError(f"{word!r} is not field=value, each field once: {text!r}")
            values[field] = value
        options = {
            option: kind.from_word(option, values.pop(option))
            for option, kind in game_type.option_types.items()
            if option in values
        }
        game = _shared(game_type, tuple(game_type.check_options(options).items()))
        for field in ("board", "to_play", "winner"):
            if field not in values:
                raise PositionTextError(f"{field}=... is missing in {text!r}")
        ground = game._read_ground(values.pop("board"))
        to_play, winner = values.pop("to_play"), values.pop("winner")
        if to_play not in ("0", "1") or winner not in ("none", "0", "1"):
            raise PositionTextError(
                f"to_play must be 0 or 1, and winner none, 0 or 1; "
                f"got to_play={to_play} winner={winner}"
            )
        won = None if winner == "none" else int(winner)
        return game._set_up(ground, int(to_play), won, values)

    # As a value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.key() == other.key()

    __hash__ = None  # type: ignore[assignment]  # it changes: use key() in sets and dicts

    def __repr__(self) -> str:
        return f"<State {self.to_string()}>"

    def __copy__(self) -> State:
        return self.copy()

    def __deepcopy__(self, memo: object) -> State:
        return self.copy()

    def __reduce__(self) -> tuple[Callable[..., State], tuple[Any, ...]]:
        steps = self._steps()
        row, status = steps[0][:2] if steps else (self._row, self._status)
        return _replay, (self.game, row, status, [action for _, _, action in steps])


def _replay(game: Game, row: NDArray[np.int8], status: int, actions: Sequence[int]) -> State:
    state = State(game, row, status)
    for action in actions:
        state.step(action)
    return state
