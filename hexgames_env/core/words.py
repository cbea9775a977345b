"""A position in plain words: what has happened, what is to be done, why the game is over.

Text, pictures, titles and messages all say what stands here.  What is a game's own to say, it says
in the methods of `Game` whose names end in ``_words``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from hexgames_env.core.turn import last_turn

if TYPE_CHECKING:
    from hexgames_env.core.game import Game
    from hexgames_env.core.state import State


@dataclass(frozen=True)
class Words:
    """A position in plain words; see `State.words`.

    Attributes:
        happened: what was done in the last turn, or so far in the one that goes on; "" if the
            state has made no step.
        due: who is to play and what is to be done; "" after the end.
        outcome: who has won, and why; "" while the game runs.
        counts: for each player what it has, such as ``"12 stones"``.
        players: what the players are called.
    """

    happened: str
    due: str
    outcome: str
    counts: tuple[str, str]
    players: tuple[str, str]

    @property
    def headline(self) -> str:
        """The outcome, or what is to be done."""
        return self.outcome or self.due

    def sentences(self, headline: str | None = None) -> str:
        """All of it in sentences, for who can't see a picture; with another headline if given."""
        said = [word for word in (self.happened, headline or self.headline) if word]
        said += [f"{who} has {what}" for who, what in zip(self.players, self.counts, strict=True)]
        return f"{'.  '.join(said)}."


def words_of(state: State) -> Words:
    """What `State.words` returns."""
    game = state.game
    due = outcome = ""
    if state.winner is not None:
        why = game.end_words(state)
        outcome = f"{player_words(game, state.winner)} has won" + (f": {why}" if why else "")
    elif state.legal_actions():
        due = f"{player_words(game, state.to_play)} to play: {game.due_words(state)}"
    else:  # the last position of a batch's game that was cut off
        outcome = "the game was cut off"
    parts = groupby(last_turn(state), key=lambda step: step.player)
    happened = [
        f"{player_words(game, player)} {game.turn_words(list(steps))}" for player, steps in parts
    ]
    counts = game.count_words(state)
    return Words("; ".join(happened), due, outcome, counts, game.player_names)


def player_words(game: Game, player: int) -> str:
    """A player's name and seat.

    >>> from hexgames_env import make_game
    >>> player_words(make_game("gipf"), 0)
    'White (player_0)'
    """
    return f"{game.player_names[player]} (player_{player})"


def cut_off_words(length: int) -> str:
    """Why a game is over that an environment cut off."""
    return f"cut off after {number_of(length, 'step')}: nobody has won"


def illegal_action_words(state: State, action: int) -> str:
    """Why a game is over that an illegal action lost; ``state`` is where it was tried.

    >>> from hexgames_env import make_game
    >>> state = make_game("rive", side=2).initial_state()
    >>> state.step(3)
    >>> illegal_action_words(state, 3)
    'illegal action of White (player_1): b2 is occupied.  Black (player_0) has won'
    """
    loser = state.to_play
    why = state.game.illegal_words(state, action)
    return (
        f"illegal action of {player_words(state.game, loser)}: {why}.  "
        f"{player_words(state.game, 1 - loser)} has won"
    )


def number_of(count: int, thing: str) -> str:
    """A count and what is counted.

    >>> number_of(1, "stone"), number_of(0, "stone")
    ('1 stone', '0 stones')
    """
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def listed(names: Iterable[str]) -> str:
    """Names in a sentence.

    >>> listed(["a1", "b2", "c3"])
    'a1, b2 and c3'
    """
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last
