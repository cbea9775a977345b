"""`Arena`: who plays whom, from where and how often; every game is decided before one is played."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hexgames_env.arena.openings import USUAL, Judge, draw_openings
from hexgames_env.bots import make_bot
from hexgames_env.bots.match import MAX_CYCLES
from hexgames_env.core.game import Game
from hexgames_env.core.options import as_integer, check_seed, shown
from hexgames_env.core.registry import game_from_string
from hexgames_env.core.settings import check_count, check_max_cycles
from hexgames_env.core.state import State
from hexgames_env.errors import IllegalActionError, OptionError, RecordError
from hexgames_env.records import Record

FORM = 1  # of what a plan decides: raised when the same one would play other games


@dataclass(frozen=True)
class Fixture:
    """A game that is to be played; it holds all that decides it, and can be sent to a process.

    Attributes:
        opening: the position that it begins from, with history.
        number: of the opening, from 0 on.
        players: the bots' texts, player_0's first.
        seed: what the bots' random numbers come from.
        max_cycles: the game is cut off after this many steps, those of the opening among them.
        tags: of its record.
    """

    opening: State
    number: int
    players: tuple[str, str]
    seed: int
    max_cycles: int | None
    tags: tuple[tuple[str, str], ...]

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells it from the other games of its plan."""
        return *self.players, self.number

    def play(self) -> Record:
        """Play it, with bots made for this game alone.

        An illegal action loses the game.

        Raises:
            OptionError: a bot can't be made here, or answers with what is no action of the game.
        """
        rngs = [np.random.default_rng([self.seed, seat]) for seat in (0, 1)]
        bots = [make_bot(text).for_game(rng) for text, rng in zip(self.players, rngs, strict=True)]
        state = self.opening.copy()
        steps, illegal = len(state.history), None
        while not state.is_over and illegal is None and steps != self.max_cycles:
            seat = state.to_play
            answer = bots[seat](state.copy(), rngs[seat])
            try:
                action = state.game.check_action(answer)
            except IllegalActionError as error:
                raise OptionError(f"bot {self.players[seat]!r}: {error}") from None
            if not state.try_step(action):
                illegal = action
            steps += 1
        was_cut_off = not state.is_over and illegal is None
        return Record(
            state,
            ending="cut off" if was_cut_off else None,
            illegal=illegal,
            players=self.players,
            seed=self.seed,
            tags=dict(self.tags),
        )


class Arena:
    """A plan of games: each pair of bots plays from the same openings, each of them in both seats.

    Two bots make a match, more of them a league.

    The plan decides every game: bots whose answers hang on position and random numbers alone play
    the same ones in whatever order and by however many processes.  The random numbers of a game are
    its own, so that no two are alike because of equal seeds.

    Args:
        game: the rules, or their text such as "oust side=5".
        bots: at least two texts as `make_bot` takes them, each once.
        games: of each pair, an even number.  With more of them, or with more bots, the games of the
            smaller plan are the same.
        within: each bot meets those that are named at most so many places before or behind it, as
            in a ladder; None lets all meet.
        seed: 0 to 2**64 - 1, decides openings and random numbers.
        openings: positions to begin from, with history; where there are too few, each is used
            again with other random numbers.  None draws them by `draw_openings`.
        steps: random ones of each opening that is drawn; None begins with two.
        judge: which of the drawn ones are taken; None takes all.
        max_cycles: cut a game off after this many steps; it counts as half a win for each.  None
            never does.

    Attributes:
        game, bots, games, within, seed, openings, max_cycles: as given, all of them checked.

    Raises:
        OptionError: an argument is invalid.

    >>> arena = Arena("oust side=3", ["random", "greedy"], games=20, seed=1)
    >>> arena
    <Arena oust side=3 pie_rule=true: 2 bots, 20 games from 10 openings, seed 1>
    >>> first, second = list(arena.fixtures())[:2]
    >>> first.players, second.players, first.opening == second.opening
    (('random', 'greedy'), ('greedy', 'random'), True)
    >>> first.play() == first.play()
    True
    """

    def __init__(
        self,
        game: Game | str,
        bots: Sequence[str],
        games: int = 100,
        *,
        within: int | None = None,
        seed: int = 0,
        openings: Sequence[State] | None = None,
        steps: int | None = None,
        judge: Judge | None = USUAL,
        max_cycles: int | None = MAX_CYCLES,
    ) -> None:
        self.game = game if isinstance(game, Game) else game_from_string(game)
        self.bots = _checked_bots(bots)
        number = as_integer(games)
        if number is None or not 2 <= number < 2**31 or number % 2:
            raise OptionError(
                f"games of a pair must be an even number from 2 on, for both seats of each "
                f"opening, got {shown(games)}"
            )
        self.games = number
        self.within = None if within is None else check_count("within", within, none=True)
        self.seed = int(check_seed(seed))
        self.max_cycles = check_max_cycles(max_cycles)
        if openings is None:
            openings = draw_openings(self.game, number // 2, self.seed, steps, judge)
        self.openings = self._checked_openings(openings)

    def _checked_openings(self, openings: Sequence[State]) -> tuple[State, ...]:
        found = tuple(openings) if isinstance(openings, Sequence) else ()
        if not found or not all(isinstance(state, State) for state in found):
            raise OptionError(f"openings must be a sequence of State, got {shown(openings):.100}")
        for number, state in enumerate(found):
            if state.game != self.game or not state.legal_actions():
                what = "is of another game" if state.game != self.game else "can't go on"
                raise OptionError(f"openings[{number}] {what}: {state.to_string()}")
            if self.max_cycles is not None and len(state.history) >= self.max_cycles:
                raise OptionError(
                    f"openings[{number}] has {len(state.history)} steps, and max_cycles cuts games "
                    f"off after {self.max_cycles}"
                )
        return found

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Who meets whom."""
        limit = self.within or len(self.bots)
        found = combinations(enumerate(self.bots), 2)
        return tuple((one, other) for (i, one), (j, other) in found if j - i <= limit)

    def __len__(self) -> int:
        """The number of games, of all pairs."""
        return len(self.pairs) * self.games

    def fixtures(self) -> Iterator[Fixture]:
        """All games: opening by opening, of all pairs, in both seats."""
        for number in range(self.games // 2):
            for one, other in self.pairs:
                yield self.fixture(one, other, number)
                yield self.fixture(other, one, number)

    def fixture(self, player_0: str, player_1: str, number: int) -> Fixture:
        """The game of these two from the opening of this number."""
        said = f"{FORM}\n{self.seed}\n{player_0}\n{player_1}\n{number}"
        seed = int.from_bytes(hashlib.sha256(said.encode()).digest()[:8], "little")
        opening = self.openings[number % len(self.openings)]
        tags = (
            ("Arena", self.tag),
            ("Opening", str(number)),
            ("OpeningSteps", str(len(opening.history))),
        )
        return Fixture(opening, number, (player_0, player_1), seed, self.max_cycles, tags)

    @property
    def tag(self) -> str:
        """What all records of the arena have in common, beside the game."""
        cycles = "none" if self.max_cycles is None else self.max_cycles
        return f"form={FORM} seed={self.seed} max_cycles={cycles}"

    def check(self, record: Record) -> tuple[str, str, int]:
        """The key of the fixture that a record is of.

        Raises:
            RecordError: it is none of this plan; the message says what is different.
        """
        if record.game != self.game:
            raise RecordError(_other("game", record.game.to_string(), self.game.to_string()))
        tag = record.tags.get("Arena")
        if tag is None:
            raise RecordError("this game is of no arena: it has no tag Arena")
        if tag != self.tag:
            raise RecordError(_other("Arena", tag, self.tag))
        for player in record.players:
            if player not in self.bots:
                bots = ", ".join(map(repr, self.bots))
                raise RecordError(f"{player!r} has played, and the bots of this arena are {bots}")
        one, other = record.players
        if (one, other) not in self.pairs and (other, one) not in self.pairs:
            raise RecordError(
                f"{one!r} has played against {other!r}, who do not meet in this arena"
            )
        number = record.tags.get("Opening", "")
        if not number.isdecimal() or len(number) > 9 or int(number) >= self.games // 2:
            raise RecordError(
                f"the opening is number {number!r}, and an arena of {self.games} games a pair has "
                f"0 to {self.games // 2 - 1}: give it more games, or another file"
            )
        fixture = self.fixture(*record.players, int(number))
        opening = fixture.opening.history
        if (
            record.seed != fixture.seed
            or record.start != fixture.opening.root()
            or list(record.actions[: len(opening)]) != opening
        ):
            raise RecordError(f"the openings are not the same: number {number} is another one here")
        if record.ending not in ("rules", "illegal action", "cut off"):
            raise RecordError(f"the game has not ended here: it is {record.ending!r}")
        return fixture.key

    def __repr__(self) -> str:
        return (
            f"<Arena {self.game.to_string()}: {len(self.bots)} bots, {len(self)} games from "
            f"{len(self.openings)} openings, seed {self.seed}>"
        )


def _other(what: str, got: str, wanted: str) -> str:
    return f"this is a game of another arena: its {what} is {got!r}, and here it is {wanted!r}"


def _checked_bots(bots: Sequence[str]) -> tuple[str, ...]:
    given = list(bots) if isinstance(bots, (list, tuple)) else []
    if len(given) < 2 or not all(isinstance(text, str) for text in given):
        raise OptionError(
            f"bots must be at least two texts such as 'greedy', got {shown(bots)}; one of your own "
            "is written module:callable"
        )
    found: list[str] = []
    for text in (" ".join(text.split()) for text in given):
        make_bot(text)
        if text in found:
            raise OptionError(f"the bot {text!r} is given twice, and it can't play against itself")
        found.append(text)
    return tuple(found)
