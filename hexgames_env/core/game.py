"""`Game`: the rules of one game on one board.  A position of it is a `State`.

What an author gives
--------------------
A module (or a package) with five kernels and a class derived from `Game`; `register_game` makes it
known, and `hexgames_env.testing.check_game` tells what is wrong with it.  The kernels work over
``rows``, an array of positions of shape (rows, planes, length), with ``tables``, the game's own
constant array (geometry, options).  They are, in the order of play:

    start(rows, b, tables, seed)            lay out row b, all of it, for the row was used before; a
                                            game with a random start draws it from the uint64
                                            ``seed``
    mask(rows, b, tables)                   write plane 0 of row b: one byte an action, 1 if legal,
                                            and all other bytes 0; only called while the game
                                            runs, and then at least one action must be legal
    step(rows, b, tables, action)           make a legal action
    status(rows, b)                         to_play | over << 1 | winner << 2 | phase << 3;
                                            after the end to_play is the player of the last step.
                                            `pack_status` makes it
    observe(rows, b, tables, view, planes)  write planes[b], float32 (rows, columns, planes), all
                                            of it; view = observing player + 2 if the game was cut
                                            off (then no plane speaks of a step in progress)

and, if the greedy bot is to know better from worse, `evaluate(rows, b, tables, player)`: float64,
how good the position is for ``player``; without it all positions are alike.  A search that meets
positions again knows them by one more, which need not be there either:

    identity(rows, b, tables, words)        write what the position is into ``words``, uint64, which
                                            is as long as a row; returns how many words that is, the
                                            same number in all positions of a game.  They are equal
                                            for equal positions, status and all, and for no others

Without it the whole row but its mask stands for the position: then nothing is wrong, but positions
whose rows differ, in what is scratch or depends on how they came about, are searched anew.

Each kernel bears the decorator `kernel` and stands in the module of the class, or is imported
there.  ``status`` gets no tables, so what it needs stands in the row.  Rows, tables, views and the
status word are explained in `hexgames_env.engine`.

Searches can go by other kernels than ``evaluate``, with the same arguments: ``heuristics`` has
them by name, and ``default_heuristic`` names the best (`hexgames_env.core.heuristics`).

The class has, as class attributes, ``name``, ``title``, ``option_types``, ``phases`` and
``plane_names``, where they differ from the usual ``symbols``, ``player_names`` and ``field_names``,
and for people ``aim``.  Its ``__init__`` hands board, tables and the form of a row to `Game`.  Its
methods:

    always            action_names, ground, write_position
    with fields       fields: what a position is beyond board, player to act and winner
    symmetries        keeps_rules and map_actions; by default all twelve turns and reflections of
                      the board are symmetries of the rules, which a game with goal sides denies,
                      and actions that are no cells stay as they are
    keys              position_bytes, if there is a shorter form than the text
    pictures          scene, cells_of_action; turn_phases or begins_turn say which steps
                      belong together
    words             turn_words, due_words, end_words, count_words, illegal_words, why_no_action

A game that people write down in a way of their own has that as an object in ``notations``, by name:
`Notation` says what such an object does.  Two classes may share it, for it is given the position.

What has to hold
----------------
- Plane 0 of an observation, "board", is 1 on the board, and plane 1, "to act", is 1 there if the
  observer is to act.  Every plane is 0 off the board, and all values are from 0 to 1.
- player_0 makes the first step.
- Legal actions have different names.  What can't be legal in a phase may have any name there.
- An action has one number in all phases, and `map_actions` maps it alike in all: actions that are
  no cells get numbers of their own, behind those of the cells.
- Two positions are equal exactly if their texts are: whatever else a row holds follows from the
  board, who is to act, and the fields.
- Who acts next may be who acted last; phases say which kind of action is due.
- Compiled code does not check indices: one beyond a row or a plane overwrites something else.
  ``NUMBA_BOUNDSCHECK=1`` in the environment checks them, ``NUMBA_DISABLE_JIT=1`` runs plain Python.

Limits
------
Two players, who see everything; chance at the start alone; hexagonal boards up to side 13; a winner
at the end of every game.  Draws are refused: the status word has no room for them, and rewards,
scores, ratings and records would all need a third outcome, which none of the games here knows.  A
game that its author calls drawn must name a winner, or be cut off by ``max_cycles``.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from hexgames_env.core import loops, policies
from hexgames_env.core.board import HexBoard
from hexgames_env.core.heuristics import PLAIN, find_heuristic
from hexgames_env.core.notation import Notation
from hexgames_env.core.options import Option, as_integer, check_options, check_seed, shown
from hexgames_env.core.registry import game_from_string
from hexgames_env.core.scene import Scene, hex_plan, plain_scene
from hexgames_env.core.slips import first_slip
from hexgames_env.core.state import FLOAT32, INT8, State
from hexgames_env.core.symmetry import Symmetry
from hexgames_env.core.turn import Step
from hexgames_env.core.words import listed, number_of
from hexgames_env.engine.jit import entry, is_compiled
from hexgames_env.engine.loop import Kernels, Loop
from hexgames_env.errors import IllegalActionError, PositionTextError

NEEDED = ("start", "mask", "step", "status", "observe")  # kernels
OPTIONAL = ("evaluate", "identity")

Cell = TypeVar("Cell", bound=str | int)  # a dict[str, ...] is no Mapping[str | int, ...]


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
    aim: ClassVar[str] = ""
    """What the players are after, in one sentence."""
    player_names: ClassVar[tuple[str, str]] = ("Black", "White")
    """What player_0 and player_1 are called."""
    phases: ClassVar[tuple[str, ...]]
    plane_names: ClassVar[tuple[str, ...]]
    symbols: ClassVar[str] = ".BW"
    """One character for each thing that can lie on a cell: nothing, player_0's, player_1's."""
    notations: ClassVar[Mapping[str, Notation]] = MappingProxyType({})
    """Ways in which people write whole turns of this game, by name, beside the texts of actions."""
    turn_phases: ClassVar[Collection[str]] = ()
    """The phases that begin a turn, whoever acts; none if a turn begins when the player changes."""
    heuristics: ClassVar[Mapping[str, Callable[..., Any]]] = MappingProxyType({})
    """Kernels by name that judge a position as ``evaluate`` does, for searches; no "plain"."""
    default_heuristic: ClassVar[str] = PLAIN
    """The one that searches go by; "plain" is ``evaluate``."""
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
        self.tables = tables  # not frozen: passing a read-only array to a kernel takes 29 ns more
        self.row_dtype = np.dtype(dtype)
        self.row_shape = (1, planes, -(-length // in_word) * in_word)
        self.row_bytes = planes * self.row_shape[2] * self.row_dtype.itemsize
        self.observation_shape = (board.num_rows, board.num_rows, len(self.plane_names))
        self._kernels = _kernels(type(self), planes, self.row_dtype)
        self._hash = hash((type(self), tuple(self.options.items())))

    @classmethod
    def check_options(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options in order, those not given at their default; OptionError for a wrong one."""
        return check_options(cls.name, cls.option_types, given)

    def compiled(self, loop: Loop, heuristic: str = PLAIN) -> Callable[..., Any]:
        """A loop (see `hexgames_env.engine.loop`) with this game's kernels, compiled when called.

        What it does with rows it does unchecked, as all compiled code.  ``heuristic`` names the
        kernel that stands for `evaluate`; OptionError if there is none of that name.
        """
        return self._kernels.bind(loop, find_heuristic(self, heuristic))

    # Compiled code for one position; made on first use, then plain attributes

    @cached_property
    def _lay_out(self) -> Callable[..., Any]:
        row = np.empty(self.row_bytes, INT8)
        return entry(self.compiled(loops.lay_out), row, self.tables, np.uint64(0))

    @cached_property
    def _advance(self) -> Callable[..., Any]:
        row = np.empty(self.row_bytes, INT8)
        return entry(self.compiled(loops.advance), row, row, self.tables, 0)

    @cached_property
    def _observe(self) -> Callable[..., Any]:
        row = np.empty(self.row_bytes, INT8)
        planes = np.empty(self.observation_shape, FLOAT32)
        return entry(self.compiled(loops.observe_one), row, self.tables, 0, planes)

    @cached_property
    def _observe_with_mask(self) -> Callable[..., Any]:
        row = np.empty(self.row_bytes, INT8)
        planes = np.empty(self.observation_shape, FLOAT32)
        actions = np.empty(self.num_actions, INT8)
        return entry(
            self.compiled(loops.observe_with_mask), row, self.tables, 0, True, planes, actions
        )

    @cached_property
    def _sample(self) -> Callable[..., Any]:
        return entry(self.compiled(loops.sample), np.empty(self.row_bytes, INT8), 0.0)

    @cached_property
    def _choose_greedily(self) -> Callable[..., Any]:
        return self.compiled(policies.greedy)

    # Positions

    def initial_state(self, seed: int | None = None) -> State:
        """The start.

        Args:
            seed: 0 to 2**64 - 1; decides a start that is drawn at random, and nothing else.  None
                draws another one each time.
        """
        row = np.zeros(self.row_bytes, INT8)
        self._lay_out(row, self.tables, check_seed(seed))
        return self._state_of(row)

    def state_from_cells(
        self, cells: Mapping[Cell, int | str], to_play: int = 0, **fields: Any
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
        if not isinstance(cells, Mapping):
            raise PositionTextError(
                f"cells must be a dict from cells to what lies there, got {shown(cells)}"
            )
        placed = {self._cell(where): self._symbol(what) for where, what in cells.items()}
        if len(placed) < len(cells):
            raise PositionTextError(
                f"a cell is named twice, by name and by number, in {shown(cells)}"
            )
        for cell, symbol in placed.items():
            ground[cell] = symbol
        words = {name: _word(value) for name, value in fields.items()}
        return self._set_up("".join(ground), to_play, None, words)

    def _cell(self, where: str | int) -> int:
        number = self.cell_by_name.get(where) if isinstance(where, str) else as_integer(where)
        if number is None or not 0 <= number < self.board.num_cells:
            raise PositionTextError(
                f"{shown(where)} is no cell: cells are {self.cell_names[0]} to "
                f"{self.cell_names[-1]}, or 0 to {self.board.num_cells - 1}"
            )
        return number

    def _symbol(self, what: int | str) -> str:
        player = as_integer(what)
        if player in (0, 1):
            return self.symbols[1 + player]
        if isinstance(what, str) and len(what) == 1 and what in self.symbols:
            return what
        raise PositionTextError(
            f"on a cell can lie 0 or 1 (a player) or one of {' '.join(self.symbols)}, "
            f"got {shown(what)}"
        )

    def _set_up(
        self, ground: str, to_play: object, winner: int | None, fields: Mapping[str, str]
    ) -> State:
        player = as_integer(to_play)
        if player not in (0, 1):
            raise PositionTextError(f"to_play must be 0 or 1, got {shown(to_play)}")
        unknown = [name for name in fields if name not in self.field_names]
        if unknown:
            known = ", ".join(self.field_names) or "none"
            raise PositionTextError(
                f"{self.name} positions have no field {unknown[0]!r}: their fields are {known}"
            )
        row = np.zeros(self.row_bytes, INT8)
        self.write_position(self.planes_of(row), ground, player, winner, fields)
        return self._state_of(row)

    def _state_of(self, row: NDArray[np.int8]) -> State:
        """The position in a row of which all but the mask is written; the row is the state's."""
        return State(self, row, self._advance(row, row, self.tables, loops.STAY))

    field_names: ClassVar[tuple[str, ...]] = ()
    """What a position holds beyond the board, whose step it is and who has won."""

    def planes_of(self, row: NDArray[np.int8]) -> NDArray[Any]:
        """A row's bytes as the kernels see them: a view of shape (planes, length)."""
        return row.view(self.row_dtype).reshape(self.row_shape[1:])

    @abstractmethod
    def write_position(
        self,
        row: NDArray[Any],
        ground: str,
        to_play: int,
        winner: int | None,
        fields: Mapping[str, str],
    ) -> None:
        """Write a position into an empty row, but for its mask; PositionTextError if it is not
        one of the game's.

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
                f"{self.symbols!r}, separated by '/', got {shown(text)}"
            )
        return ground

    # Names

    @property
    def cell_names(self) -> tuple[str, ...]:
        """The name of each cell, by number."""
        return self.board.names

    @cached_property
    def cell_by_name(self) -> dict[str, int]:
        return {name: cell for cell, name in enumerate(self.cell_names)}

    @abstractmethod
    def action_names(self, phase: int) -> Sequence[str]:
        """The text of each action in a phase: of all ``num_actions``, legal there or not."""

    @cached_property
    def _action_names(self) -> tuple[tuple[str, ...], ...]:
        names = tuple(tuple(self.action_names(phase)) for phase in range(len(self.phases)))
        for phase, some in zip(self.phases, names, strict=True):
            if len(some) != self.num_actions:
                raise TypeError(
                    f"{type(self).__qualname__}.action_names() must give a name for each of the "
                    f"{self.num_actions} actions, but gives {len(some)} in the phase {phase!r}"
                )
        return names

    @cached_property
    def _action_by_name(self) -> tuple[dict[str, int], ...]:
        return tuple(
            {name: action for action, name in enumerate(names)} for names in self._action_names
        )

    def why_no_action(self, text: str) -> str:
        """What is wrong with a text that is the name of no action, to end an error's sentence.

        By default it shows how actions are written; a game can say more before that.
        """
        return f"actions are written like {', '.join(self._kinds_of_names)}"

    @cached_property
    def _kinds_of_names(self) -> tuple[str, ...]:
        """Names that differ only in the cells that they speak of are of one kind: its first one."""
        kinds: dict[str, str] = {}
        for names in self._action_names:
            for name in names:
                kinds.setdefault(re.sub(r"[a-z]?\d+", "", name), name)
        return tuple(kinds.values())[:8]

    def cells_of_action(self, action: int) -> Sequence[int]:
        """The cells that an action speaks of, for pictures."""
        return [action] if action < self.board.num_cells else []

    # In plain words; `hexgames_env.core.words` makes sentences of them

    def turn_words(self, steps: Sequence[Step]) -> str:
        """What one player has done in these steps of a turn, to follow the player's name."""
        taken = sum(len(step.gone) for step in steps)
        words = f"played {listed(step.text for step in steps)}"
        return words + (f" and took {number_of(taken, 'stone')} off the board" if taken else "")

    def due_words(self, state: State) -> str:
        """What the player who is to act is to do, as one tells it to that player."""
        cells = all(action < self.board.num_cells for action in state.legal_actions())
        words = "place a stone" if cells else "choose an action"
        return words + (f" ({state.phase})" if len(self.phases) > 1 else "")

    def end_words(self, state: State) -> str:
        """Why the game of this last position is over; "" leaves that to be seen."""
        return ""

    def count_words(self, state: State) -> tuple[str, str]:
        """What each player has, in a few words."""
        ground = state.ground()
        black, white = (number_of(ground.count(own), "stone") for own in self.symbols[1:3])
        return black, white

    def illegal_words(self, state: State, action: int) -> str:
        """Why an action of the game is not legal in this position."""
        text = state.action_to_string(action)
        if action < self.board.num_cells and state.ground()[action] != self.symbols[0]:
            return f"{text} is occupied"
        return f"{text} is not legal now"

    # Turns and pictures

    def begins_turn(self, before: State) -> bool:
        """Whether the step due in ``before`` is the first of a turn.

        By default in the `turn_phases`, or without any, whenever the player who is to act did not
        make the last step.
        """
        if self.turn_phases:
            return before.phase in self.turn_phases
        return before.last_player != before.to_play

    def scene(self, state: State) -> Scene:
        """What lies where, for pictures; a game with more to show than its stones overrides it."""
        return plain_scene(hex_plan(self.board, self.cell_names), state.ground(), self.symbols)

    def check_action(self, action: Any) -> int:
        """``action`` as an int if it is one of the game's; IllegalActionError if not."""
        number = action if type(action) is int else as_integer(action)
        if number is None or not 0 <= number < self.num_actions:
            raise IllegalActionError(
                f"an action of {self.name} is an integer from 0 to {self.num_actions - 1}, "
                f"got {shown(action)}"
                + (f" of type {type(action).__name__}" if number is None else "")
                + (": parse_action(...) reads texts" if isinstance(action, str) else "")
            )
        return number

    # Symmetries

    def symmetries(self) -> tuple[Symmetry, ...]:
        """The symmetries of the rules, the identity first."""
        return self._symmetries

    @cached_property
    def _symmetries(self) -> tuple[Symmetry, ...]:
        different = {cells.tobytes(): cells for cells in self.board.symmetries}  # one with one cell
        return tuple(
            Symmetry(self.board, cells, self.map_actions(cells))
            for cells in different.values()
            if self.keeps_rules(cells)
        )

    def keeps_rules(self, cells: NDArray[np.int64]) -> bool:
        """Whether moving each cell c to ``cells[c]`` maps the game onto itself."""
        return True

    def map_actions(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where each action goes when cell c goes to ``cells[c]``.

        By default the first actions are the cells, and the others stay.
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

    @staticmethod
    def from_string(text: str) -> Game:
        """The game that `to_string` wrote; options that are left out are at their default.

        Raises:
            OptionError: no such game or option, or a value that the option does not take.

        >>> Game.from_string("oust side=3").num_actions
        21
        """
        return game_from_string(text)

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


def slips_of(game: Any) -> str:
    """What is wrong with the class attributes of a game, and how to mend it; ``""`` if nothing."""
    if not isinstance(game, type) or not issubclass(game, Game):
        return "it is no class derived from hexgames_env.Game"
    taken = {name for name in vars(Game) if re.match("_(?!_|abc_)", name)} | {"_kernels", "_hash"}
    own = {name for owner in game.__mro__[: game.__mro__.index(Game)] for name in vars(owner)}
    return first_slip(game, sorted(own & taken))


def _word(value: object) -> str:
    """A field's value, given by a person, as it is written in a text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(map(_word, value)) or "none"
    try:
        return str(value)
    except Exception:  # no field takes what comes instead
        return shown(value)


def _remake(game: type[Game], options: dict[str, Any]) -> Game:
    return game(**options)


_KERNELS: dict[tuple[type[Game], int, np.dtype[Any]], Kernels] = {}


def _kernels(game: type[Game], planes: int, dtype: np.dtype[Any]) -> Kernels:
    """The kernels in the module of a game, or of a class that it comes from."""
    if (game, planes, dtype) not in _KERNELS:
        modules = [sys.modules[owner.__module__] for owner in game.__mro__]
        found: dict[str, Any] = {"PLANES": planes, "DTYPE": dtype.type}
        for name in (*NEEDED, *OPTIONAL):
            for module in modules:
                if name not in found and hasattr(module, name):
                    found[name] = getattr(module, name)
        missing = [name for name in NEEDED if name not in found]
        for name, function in found.items():
            if name in (*NEEDED, *OPTIONAL) and not is_compiled(function):
                raise TypeError(
                    f"{name}() of {game.__qualname__} is no kernel: put @kernel above it, from "
                    f"hexgames_env import kernel"
                )
        if missing:
            raise TypeError(
                f"the module {game.__module__} has no kernel {missing[0]}(): a game's module "
                f"defines {', '.join(NEEDED)}, as the docstring of hexgames_env.core.game tells"
            )
        _KERNELS[game, planes, dtype] = Kernels(game.__qualname__, found)
    return _KERNELS[game, planes, dtype]
