"""Games to be written down: random ones, with everything that can be said of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from hexgames_env import Game, HexBoard, State
from hexgames_env.records import Record, Remark
from toy_game import Duo

HOSTILE = [
    "",
    "Ann",
    'say "no"',
    '"',
    "back\\slash\\",
    "\\",
    "\\n",
    "[%value 1]",
    "\\[%value 1] [%visits a1:1]",
    "[%",
    "{brace}",
    "}",
    "{",
    "\\}",
    "new\nline",
    "\r\n",
    "\n",
    " spaces  ",
    " ",
    "   ",
    "a\\ ",
    "\ttab\t",
    "%",
    "%%%",
    '\n[Game "oust side=2"]\n',
    '[Result "1-0"]',
    "1. a1 2. b2",
    '{"game": 1}',
    "é漢\U0001f600",
    "\u2028\x85\x0b\x0c\x1c\xa0",
    "\ufeff",
    "x" * 300,
]
"""Texts that mean something else, or nothing, somewhere in a file."""

GAMES = [
    "oust side=2",
    "oust side=3 pie_rule=false",
    "rive side=2",
    "rive side=3",
    "gipf",
    "gipf variant=basic",
    "gipf variant=tournament",
    "strands layout=22/321/33",
    "strands layout=5",
    "strands layout=6-random cover=exactly",
]


class Quoted(Duo):
    """With names of actions that are not words of a record."""

    name = "quoted"
    title = "Quoted"
    NAMES = ("a b", "1.", "3.5", 'q"]', "{}", "%", '\\n:\n[Game "', "", "x%", "\u2003", "7", ".")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)

    def action_names(self, phase: int) -> Sequence[str]:
        names = [*self.NAMES, *self.cell_names]
        return names[: self.board.num_cells]


class Big(Duo):
    """With more actions than a byte has values."""

    name = "big"
    title = "Big"
    NUM_ACTIONS = 300

    def __init__(self, **options: Any) -> None:
        checked = self.check_options(options)
        board = HexBoard(checked["side"])
        places = board.grid[:, 0] * board.num_rows + board.grid[:, 1]
        Game.__init__(
            self,
            checked,
            board=board,
            num_actions=self.NUM_ACTIONS,
            tables=np.concatenate([[board.num_cells], places]),
            row=(np.uint8, 3, self.NUM_ACTIONS),
        )

    def action_names(self, phase: int) -> Sequence[str]:
        return [*self.cell_names, *[""] * (self.NUM_ACTIONS - self.board.num_cells)]


def played(start: State, steps: int, rng: random.Random) -> State:
    """A state after so many random steps, or when the game is over."""
    state = start.copy()
    for _ in range(steps):
        if state.is_over:
            break
        state.step(state.sample_action(rng))
    return state


def random_state(game: Game, rng: random.Random, most: int = 60) -> State:
    """A game with its history: from a drawn start or from mid-game, unfinished or to its end."""
    start = game.initial_state(rng.randrange(2**64))
    if rng.random() < 0.3:
        start = State.from_string(played(start, rng.randrange(12), rng).to_string())
    return played(start, rng.choice([0, 1, 2, 5, most]), rng)


def random_details(final: State, rng: random.Random) -> dict[str, Any]:
    """What `Record` takes beside a state."""
    details: dict[str, Any] = {
        "players": (rng.choice(HOSTILE), rng.choice(HOSTILE)),
        "seed": rng.choice([None, 0, 2**64 - 1, rng.randrange(2**64)]),
        "date": rng.choice([None, "2026-11-30", rng.choice(HOSTILE)]),
        "tags": {f"Tag_{k}": rng.choice(HOSTILE) for k in range(rng.randrange(3))},
    }
    illegal = [action for action in range(final.game.num_actions) if not final.is_legal(action)]
    ending = rng.choice(["found", "illegal", "cut off", "resigned", "time", "unfinished"])
    if not final.is_over and ending == "illegal" and illegal:
        details["illegal"] = rng.choice(illegal)
    elif not final.is_over and ending in ("cut off", "resigned", "time", "unfinished"):
        details["ending"] = ending
        if ending in ("resigned", "time"):
            details["winner"] = rng.randrange(2)
    return details


def random_remarks(final: State, rng: random.Random, share: float = 0.3) -> dict[int, Remark]:
    """Of some positions, of some also what a search has found."""
    remarks = {}
    state = final.root()
    for step, action in enumerate([*final.history, None]):
        if rng.random() < share:
            legal = rng.sample(state.legal_actions(), min(len(state.legal_actions()), 3))
            remarks[step] = Remark(
                rng.choice(HOSTILE),
                rng.choice([None, 0.0, -1.0, 1.0, rng.uniform(-1, 1), 1e-300]),
                {k: rng.choice([0, 7, 2**63 - 1]) for k in legal} if rng.random() < 0.5 else {},
            )
        if action is not None:
            state.step(action)
    return remarks


def random_record(game: Game, seed: int, most: int = 60, remarks: bool = True) -> Record:
    """One of any kind."""
    rng = random.Random(seed)
    final = random_state(game, rng, most)
    said = random_remarks(final, rng) if remarks and rng.random() < 0.7 else None
    return Record(final, remarks=said, **random_details(final, rng))


def assert_same(one: Record, other: Record) -> None:
    """Two records are equal in all that they say, and in every position."""
    assert one == other and hash(one) == hash(other)
    assert one.game == other.game
    assert (one.players, one.seed, one.date) == (other.players, other.seed, other.date)
    assert dict(one.tags) == dict(other.tags) and dict(one.remarks) == dict(other.remarks)
    assert (one.ending, one.winner, one.illegal) == (other.ending, other.winner, other.illegal)
    assert one.actions == other.actions
    for mine, yours in zip(one.states(), other.states(), strict=True):
        assert mine.to_string() == yours.to_string() and mine == yours
        assert mine.history == yours.history
