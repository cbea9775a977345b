"""Positions that games of an arena begin from: drawn at random, without those that are decided.

Two random stones already decide many games of Oust: whoever is to play joins two stones, captures
the other's only one, and has won.  Each player then wins once from such an opening, whatever the
players are worth, and a match says that they are equal.  So an opening is thrown away when one
player wins by force within a few steps, and when short-sighted play ends nearly always alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hexgames_env.bots import as_bot
from hexgames_env.core.batch import Batch
from hexgames_env.core.game import Game
from hexgames_env.core.options import as_integer, check_seed, shown
from hexgames_env.core.policies import RUNNING, WON_BY
from hexgames_env.core.settings import check_count
from hexgames_env.core.state import State
from hexgames_env.core.words import number_of
from hexgames_env.errors import OptionError

Judge = Callable[[State], bool]
"""Whether games may begin from a position."""

STEPS = 2  # random ones, of an opening
TRIES = 100  # in vain, one after the other, until an opening gets a step more
MORE = 6  # steps that an opening gets, at most


def forced_winner(state: State, steps: int, positions: int = 4_000) -> int | None:
    """The player who wins within so many steps of both, whatever the other does; None if unknown.

    Args:
        state: where from.
        steps: how far to look.
        positions: how many to look at; with more of them the answer is None.

    >>> from hexgames_env import make_game
    >>> game = make_game("oust", side=2)
    >>> forced_winner(game.state_from_cells({"a1": 0, "b1": 0, "c1": 1}), 1)
    0
    """
    left = positions

    def winner_of(state: State, steps: int) -> int | None:
        """As above; a player who has a winning step has won, one who has only losing ones lost."""
        nonlocal left
        if state.is_over:
            return state.winner
        if steps == 0:
            return None
        player, is_lost, children = state.to_play, True, []
        for action in state.legal_actions():
            left -= 1
            if left < 0:
                return None
            child = state.copy()
            child.step(action)
            if child.is_over and child.winner == player:
                return player
            children.append(child)
        for child in children:
            won_by = winner_of(child, steps - 1)
            if won_by == player:
                return player
            is_lost &= won_by is not None
            if left < 0:
                return None
        return 1 - player if is_lost else None

    found = (winner_of(state, depth) for depth in range(steps + 1))
    return next((winner for winner in found if winner is not None), None)


@dataclass(frozen=True)
class Undecided:
    """The usual judge: nobody wins by force at once, and both win some of many short-sighted games.

    Attributes:
        steps: how far `forced_winner` looks.
        bot: who plays both sides of the games; its text.
        games: how many.
        share: of them that each player must win, at least.

    >>> from hexgames_env import make_game
    >>> game = make_game("oust", side=3, pie_rule=False)
    >>> judge = Undecided()
    >>> judge(game.state_from_cells({"a1": 0, "c5": 1}))
    True
    >>> judge(game.state_from_cells({"a1": 0, "b2": 1}))  # Black plays b1, and captures b2
    False
    """

    steps: int = 3
    bot: str = "greedy"
    games: int = 32
    share: float = 0.2

    def __call__(self, state: State) -> bool:
        if state.is_over or forced_winner(state, self.steps) is not None:
            return False
        won = share_of_player_0(state, self.bot, self.games)
        return self.share <= won <= 1 - self.share


USUAL = Undecided()


def share_of_player_0(state: State, bot: str, games: int) -> float:
    """What player_0 wins of games that a bot plays on from a position against itself.

    A game without an end within 1,000 steps counts as half of one.
    """
    batch = Batch.from_states([state] * games, seed=0, max_cycles=1_000)
    player, rng = as_bot(bot), np.random.default_rng(0)
    running, points = np.arange(games), 0.0
    while len(running):
        actions = player.choose(batch, rng, running)
        outcomes = batch.step_against(None, 0, actions, running)
        over = outcomes != RUNNING
        points += float((outcomes == WON_BY).sum())
        points += float((over & (outcomes != WON_BY) & (outcomes != WON_BY + 1)).sum()) / 2
        running = running[~over]
    return points / games


def draw_openings(
    game: Game,
    count: int,
    seed: int = 0,
    steps: int | None = None,
    judge: Judge | None = USUAL,
) -> tuple[State, ...]:
    """Positions after some random steps, each with its history, no two alike up to symmetry.

    The first ones are the same whatever the count, so that an arena can be made longer.

    Args:
        game: what is played.
        count: how many; where no more are found there are fewer.
        seed: 0 to 2**64 - 1.
        steps: of each opening, from 0 on.  None takes two, and more once a hundred random ones in
            turn are no new openings.
        judge: which of them are taken; None takes all in which the game goes on.

    Raises:
        OptionError: an argument is invalid, or there is no such opening at all.

    >>> from hexgames_env import make_game
    >>> first, *more = draw_openings(make_game("rive", side=3), 5, seed=1)
    >>> len(first.history), len(more)
    (2, 4)
    """
    wanted, drawn = check_count("count", count), int(check_seed(seed))
    begin = STEPS if steps is None else as_integer(steps)
    if begin is None or not 0 <= begin < 10_000:
        raise OptionError(f"steps must be None or an integer from 0 on, got {shown(steps)}")
    if judge is not None and not callable(judge):
        raise OptionError(f"judge must be None or a callable of a State, got {shown(judge)}")
    rng = np.random.default_rng(drawn)
    seen: set[bytes] = set()
    openings: list[State] = []
    length, vain = begin, 0
    while len(openings) < wanted:
        state = _random_state(game, length, rng)
        key = _key(state)
        is_new = key not in seen and not state.is_over and (judge is None or bool(judge(state)))
        if is_new:
            openings.append(state)
        seen.add(key)
        vain = 0 if is_new else vain + 1
        if vain == TRIES:
            if steps is not None or length == begin + MORE:
                break
            length, vain = length + 1, 0
    if not openings:
        raise OptionError(
            f"no opening of {number_of(begin, 'random step')} was found in {game.to_string()} that "
            "leaves both players a chance: take another number of steps, or no judge"
        )
    return tuple(openings)


def _random_state(game: Game, steps: int, rng: np.random.Generator) -> State:
    state = game.initial_state(int(rng.integers(2**63)))
    for _ in range(steps):
        if not state.is_over:
            state.step(state.sample_action(rng))
    return state


def _key(state: State) -> bytes:
    """The same for positions that a symmetry of the board makes of each other."""
    planes = state.observation(0)
    turned = (turn.transform_observation(planes).tobytes() for turn in state.game.symmetries())
    return min(turned) + bytes([state.to_play])
