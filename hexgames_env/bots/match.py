"""Games between bots: one to watch, many to count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexgames_env.bots.base import Bot, Player
from hexgames_env.bots.registry import as_bot
from hexgames_env.bots.side import Side, threads_for
from hexgames_env.core.batch import Batch
from hexgames_env.core.game import Game
from hexgames_env.core.options import as_integer, check_seed, shown
from hexgames_env.core.policies import RUNNING, WON_BY
from hexgames_env.core.registry import game_from_string
from hexgames_env.core.settings import check_max_cycles
from hexgames_env.core.state import State
from hexgames_env.errors import OptionError

# Steps of a game in `evaluate` and `play`: twice what random games take on the largest boards;
# bots of a fixed habit in GIPF could go on without end.
MAX_CYCLES = 10_000


@dataclass(frozen=True)
class Score:
    """How a bot did.

    Attributes:
        wins: won games as player_0 and as player_1.
        games: played games as player_0 and as player_1, those cut off among them.
    """

    wins: tuple[int, int]
    games: tuple[int, int]

    @property
    def win_rate(self) -> float:
        """Won games over both seats, 0 to 1."""
        return sum(self.wins) / sum(self.games)

    def __str__(self) -> str:
        seats = ", ".join(
            f"{wins} of {games} as player_{seat}"
            for seat, (wins, games) in enumerate(zip(self.wins, self.games, strict=True))
        )
        return f"{100 * self.win_rate:.1f} % won: {seats}"


def evaluate(
    player: Player,
    game: Game | str,
    opponent: Player = "random",
    games: int = 200,
    seed: int | None = 0,
    max_cycles: int | None = MAX_CYCLES,
) -> Score:
    """Play many games side by side, half of them from each seat.

    Args:
        player: a bot's text, a bot, or a callable.
        game: the rules, or their text such as "oust side=4".
        opponent: the same for the other side.
        games: at least 2.
        seed: 0 to 2**64 - 1, decides all of it; None draws one.
        max_cycles: cut a game off after this many steps of both; such a game is not won.  None
            never does: then a game of GIPF need not end.

    Raises:
        OptionError: if an argument is invalid.

    >>> evaluate("greedy", "oust side=3", games=20)
    Score(wins=(10, 10), games=(10, 10))
    """
    bot, rules = as_bot(player), _as_game(game)
    number, seed = as_integer(games), int(check_seed(seed))
    if number is None or not 2 <= number < 2**63:
        raise OptionError(
            f"games must be an integer from 2 on, half for each seat, got {shown(games)}"
        )
    counts = number // 2, number - number // 2
    wins = [
        _count_wins(bot, as_bot(opponent), rules, seat, rows, seed, max_cycles)
        for seat, rows in enumerate(counts)
    ]
    return Score((wins[0], wins[1]), counts)


def _count_wins(
    bot: Bot,
    opponent: Bot,
    game: Game,
    seat: int,
    rows: int,
    seed: int,
    max_cycles: int | None,
) -> int:
    """The games won by a bot in this seat, of one game in each row."""
    threads = threads_for(bot, opponent)
    batch = Batch(game, rows, (seed + seat) % 2**64, threads, max_cycles=max_cycles)
    rng = np.random.default_rng([seed, seat])
    side = Side(opponent, rows)
    seats = np.full(rows, seat, np.int64)
    running = np.arange(rows)
    side.begin(running, rng)
    outcomes = side.play(batch, seats, None, running, rng)
    wins = 0
    while True:
        wins += int((outcomes == WON_BY + seat).sum())
        running = running[outcomes == RUNNING]
        if not len(running):
            return wins
        outcomes = side.play(batch, seats, bot.choose(batch, rng, running), running, rng)


def play(
    player: Player,
    game: Game | str,
    opponent: Player = "random",
    seat: int = 0,
    seed: int | None = 0,
    max_cycles: int | None = MAX_CYCLES,
) -> State:
    """One game of a bot as player ``seat``; how it ended, with history.

    After ``max_cycles`` steps it ends unfinished, as in `evaluate`.

    Raises:
        OptionError: if an argument is invalid.
    """
    if as_integer(seat) not in (0, 1):
        raise OptionError(f"seat must be 0 or 1, got {shown(seat)}")
    max_cycles = check_max_cycles(max_cycles)
    rng = np.random.default_rng(int(check_seed(seed)))
    bot, other = as_bot(player), as_bot(opponent).for_game(rng)
    state = _as_game(game).initial_state(int(rng.integers(2**63)))
    steps = 0  # len(state.history) would count anew each time
    while not state.is_over and steps != max_cycles:
        mover = bot if state.to_play == seat else other
        state.step(mover(state.copy(), rng))
        steps += 1
    return state


def _as_game(game: Game | str) -> Game:
    return game if isinstance(game, Game) else game_from_string(game)
