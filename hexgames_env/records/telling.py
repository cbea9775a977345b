"""What a record says of a position beside the position's own words, for all that shows records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexgames_env.core.state import State
from hexgames_env.core.words import number_of, player_words
from hexgames_env.records.facts import Remark

if TYPE_CHECKING:
    from hexgames_env.records.record import Record

MOST = 8  # actions of a search that are told


def remark_sentences(state: State, remark: Remark) -> list[str]:
    """The value and the visits in words; the comment is in words already.

    >>> from hexgames_env import make_game
    >>> state = make_game("rive", side=2).initial_state()
    >>> remark_sentences(state, Remark(value=0.25, visits={0: 10, 3: 30}))
    ['Value for Black (player_0): 0.25', 'Visits: b2 30 (75%), a1 10 (25%)']
    """
    said = []
    if remark.value is not None:
        said.append(f"Value for {player_words(state.game, state.to_play)}: {remark.value:.3g}")
    whole = sum(remark.visits.values())
    if whole:
        order = sorted(remark.visits.items(), key=lambda item: (-item[1], item[0]))
        shown = [
            f"{state.action_to_string(action)} {visits} ({visits / whole:.0%})"
            for action, visits in order[:MOST]
        ]
        more = len(order) - len(shown)
        said.append(f"Visits: {', '.join(shown)}" + (f" and {more} more" if more else ""))
    return said


def end_sentence(record: Record) -> str:
    """How the game ended, and after how many steps.

    >>> from hexgames_env import make_game
    >>> from hexgames_env.records import Record
    >>> end_sentence(Record(make_game("gipf").initial_state(), ending="resigned", winner=1))
    'After 0 steps: White (player_0) resigned.  Black (player_1) has won'
    """
    if record.ending == "cut off":
        outcome = record.outcome_words()  # which has the number
        return outcome[:1].upper() + outcome[1:]
    return f"After {number_of(len(record), 'step')}: {record.outcome_words()}"
