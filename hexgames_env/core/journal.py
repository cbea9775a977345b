"""What was played in the rows of a batch that records: written by its loops, taken out as games.

The journal of a row is a line of uint16.  A game in it is `BEGIN` and its number, or `SET` and the
number of the position that was put into the row, each number in two words; the actions; and how the
game ended, if it did.  An action that lost the game as illegal is the last of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hexgames_env.engine.jit import kernel
from hexgames_env.engine.rng import next_random, stream
from hexgames_env.errors import OptionError

if TYPE_CHECKING:
    from hexgames_env.core.state import State

# Words that are no actions
CUT = 65529
WON = 65530  # + winner, by the rules
FORFEITED = 65532  # + winner, by an illegal action of the other
SET, BEGIN = 65534, 65535
LEAST = CUT

WORDS_OF_STEP = 5  # at most: an action, how it ended, and a beginning
ROOM = 2**21  # words of all rows together, about, before they are put aside
LEAST_ROOM, MOST_ROOM = 64, 2**16  # words of a row
# How a game ended
BY_RULES, BY_ILLEGAL_ACTION, CUT_OFF, UNFINISHED = 0, 1, 2, 3


class PlayedGames(NamedTuple):
    """Games out of a journal, by row and in each row in the order in which they were played.

    Attributes:
        actions: uint16, of all games one behind the other.
        offsets: int64 (games + 1,), where each game's actions begin, and where the last one's end.
        winners: int8 (games,), -1 for nobody.
        endings: uint8 (games,): BY_RULES, BY_ILLEGAL_ACTION, CUT_OFF or UNFINISHED.
        illegal: int32 (games,): the action that lost the game as illegal, else -1.
        seeds: uint64 (games,): of `Game.initial_state`, for games that began at a start.
        set_up: by game the position that it began with, if that was put into its row.
    """

    actions: NDArray[np.uint16]
    offsets: NDArray[np.int64]
    winners: NDArray[np.int8]
    endings: NDArray[np.uint8]
    illegal: NDArray[np.int32]
    seeds: NDArray[np.uint64]
    set_up: dict[int, State]


@kernel
def note(log: Any, filled: Any, b: Any, word: Any) -> None:
    """Write a word behind the others of row b; a ``log`` without columns takes none.

    Nor does a row that is full: whoever calls has seen to it that there is room.
    """
    if log.shape[1] > 0 and filled[b] < log.shape[1]:
        log[b, filled[b]] = word
        filled[b] += 1


@kernel
def seeds_of(seed: Any, rows: Any, games: Any, random: Any) -> None:
    """Write into ``random`` by what each game's start was drawn, as `loops.begin_game` does."""
    for k in range(len(rows)):
        random[k] = stream(seed, rows[k], games[k])
        random[k] = next_random(random, k)


@kernel
def note_beginning(log: Any, filled: Any, b: Any, game: Any) -> None:
    """Write that row b begins the game of this number."""
    note(log, filled, b, BEGIN)
    note(log, filled, b, game & 0xFFFF)
    note(log, filled, b, game >> 16 & 0xFFFF)


@kernel
def find_games(words: Any, bounds: Any, found: Any) -> Any:
    """Write a line for each game into ``found``, int64 (games, 8); returns how many there are.

    The words of row b are those from ``bounds[b]`` on.  A line is: row, `BEGIN` or `SET`, number,
    place of the first action, number of actions, word of the end or 0, illegal action or -1, and
    the place behind it all.
    """
    games = 0
    for b in range(len(bounds) - 1):
        i = bounds[b]
        while i < bounds[b + 1]:
            if words[i] < SET:  # of a row that is stepped on after its game has ended
                i += 1
                continue
            first = i + 3
            j = first
            while j < bounds[b + 1] and words[j] < LEAST:
                j += 1
            actions, end, illegal = j - first, np.int64(0), np.int64(-1)
            if j < bounds[b + 1] and words[j] < SET:
                end = np.int64(words[j])
                j += 1
                if end >= FORFEITED:
                    actions -= 1
                    illegal = np.int64(words[j - 2])
            found[games, 0] = b
            found[games, 1] = words[i]
            found[games, 2] = np.int64(words[i + 1]) | np.int64(words[i + 2]) << 16
            found[games, 3] = first
            found[games, 4] = actions
            found[games, 5] = end
            found[games, 6] = illegal
            found[games, 7] = j
            games += 1
            i = j
    return games


class NoJournal:
    """Of a batch that does not record: arrays that take no words."""

    is_on = False
    room = 2**62
    _ARRAYS = np.empty((1, 0), np.uint16), np.zeros(1, np.int64)

    def arrays_for(self, words: int) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """As of a `Journal`."""
        return self._ARRAYS

    def is_full(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """No row is."""
        return np.zeros(len(rows), np.bool_)

    def put_into(self, rows: NDArray[np.int64], states: Sequence[State]) -> None:
        """Nothing is kept."""

    def measure(self) -> None:
        """There is nothing to measure."""

    def take(self, seed: int, running: bool) -> PlayedGames:
        """RuntimeError."""
        raise RuntimeError("this batch records nothing: make it with record=True")


class Journal:
    """The journal of ``n`` rows.

    Attributes:
        room: how many words a row can take before they are put aside.

    Raises:
        OptionError: the game has more actions than there are numbers for.
    """

    def __init__(self, n: int, num_actions: int) -> None:
        if num_actions > LEAST:
            raise OptionError(
                f"games with up to {LEAST:,} actions can be recorded, and this one has "
                f"{num_actions:,}"
            )
        self.room = min(max(ROOM // n, LEAST_ROOM), MOST_ROOM)
        self._arrays = np.empty((n, self.room), np.uint16), np.zeros(n, np.int64)
        self._most = 0  # no row has more words than this
        self._aside: list[tuple[NDArray[np.uint16], NDArray[np.int64]]] = []  # words, counts by row
        self._set_up: list[State] = []

    is_on = True

    def arrays_for(self, words: int) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """Arrays of which each row can take so many words, at most `room`, for a loop.

        Returns:
            Words, uint16 (n, room), and how many each row has, int64 (n,).
        """
        if self._most + words > self.room:
            self._put_aside()
        self._most += words
        return self._arrays

    def is_full(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these rows have not the room for another step."""
        return self._arrays[1][rows] + WORDS_OF_STEP > self.room

    def measure(self) -> None:
        """After a loop that has written as much as there was room for."""
        self._most = int(self._arrays[1].max())

    def put_into(self, rows: NDArray[np.int64], states: Sequence[State]) -> None:
        """Positions have been put into these rows."""
        log, filled = self.arrays_for(3)
        for row, state in zip(rows.tolist(), states, strict=True):
            number = len(self._set_up)
            self._set_up.append(state.copy())
            log[row, filled[row] : filled[row] + 3] = SET, number & 0xFFFF, number >> 16
            filled[row] += 3

    def take(self, seed: int, running: bool) -> PlayedGames:
        """Take out the games that are over; with ``running`` the others, too, which also stay."""
        self._put_aside()
        words, bounds = self._by_row()
        found = np.empty((np.count_nonzero(words >= SET), 8), np.int64)
        find_games(words, bounds, found)
        rows, kinds, numbers, firsts, lengths, ends, illegal, behind = found.T
        goes_on = (behind == bounds[rows + 1]) & (ends == 0)
        taken = np.flatnonzero((~goes_on | running) & ((lengths > 0) | (ends != 0)))
        offsets = np.append(0, np.cumsum(lengths[taken]))
        places = np.repeat(firsts[taken] - offsets[:-1], lengths[taken]) + np.arange(offsets[-1])
        by_rules, by_illegal = (ends >= WON) & (ends < FORFEITED), ends >= FORFEITED
        endings = np.select(
            [by_rules, by_illegal, ends == CUT], [BY_RULES, BY_ILLEGAL_ACTION, CUT_OFF], UNFINISHED
        )
        winners = np.where(by_rules | by_illegal, (ends - WON) & 1, -1)
        seeds = np.empty(len(taken), np.uint64)
        seeds_of(np.uint64(seed), rows[taken], numbers[taken], seeds)
        set_up = {
            k: self._set_up[numbers[game]]
            for k, game in enumerate(taken.tolist())
            if kinds[game] == SET
        }
        self._keep(words, found[goes_on])
        return PlayedGames(
            words[places],
            offsets,
            winners[taken].astype(np.int8),
            endings[taken].astype(np.uint8),
            illegal[taken].astype(np.int32),
            seeds,
            set_up,
        )

    def _put_aside(self) -> None:
        log, filled = self._arrays
        words = [row[:k] for row, k in zip(log, filled.tolist(), strict=True)]
        aside = [*self._aside, (np.concatenate(words), filled)]
        arrays = np.empty_like(log), np.zeros_like(filled)
        self._aside, self._arrays, self._most = aside, arrays, 0  # on one line: all or nothing

    def _by_row(self) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """All words that were put aside, row after row, and where each row's begin."""
        parts = []
        for words, counts in self._aside:
            parts.append(np.split(words, np.cumsum(counts)[:-1]))
        by_row = [part for row in zip(*parts, strict=True) for part in row]
        total = sum(counts for _, counts in self._aside)
        return np.concatenate(by_row), np.append(0, np.cumsum(total))

    def _keep(self, words: NDArray[np.uint16], games: NDArray[np.int64]) -> None:
        """Begin anew with the games of these lines of `find_games`, which go on."""
        counts = np.zeros(len(self._arrays[1]), np.int64)
        counts[games[:, 0]] = games[:, 7] - games[:, 3] + 3
        kept = [words[first - 3 : behind] for first, behind in games[:, [3, 7]].tolist()]
        self._aside = [(np.concatenate([words[:0], *kept]), counts)]
