"""GIPF's official notation, against a plain writer of it and against every way to play a turn."""

from __future__ import annotations

import contextlib
import json
import pickle
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

import reference.gipf as plain
from hexgames_env import Game, GameOverError, IllegalActionError, NotationError, State, make_game
from hexgames_env.core.game import slips_of
from hexgames_env.core.notation import Notation
from hexgames_env.games.gipf import Gipf, official
from hexgames_env.testing import GameCheckError
from hexgames_env.testing.of_play import reads_the_turns_it_writes
from test_gipf import (
    BOTH,
    BRANCHES,
    CROSSING,
    LONG_TURNS,
    LONGEST,
    OTHERS_TWO_ROWS,
    POLICIES,
    THREE_ROWS,
    TWO_ROWS,
    VARIANTS,
    Policy,
    pieces,
    play,
    set_up,
    set_up_rows,
    uniform,
)

DATA = Path(__file__).parent / "data" / "gipf"
MEMBER = {variant: make_game("gipf", variant=variant) for variant in VARIANTS}
NOTATION = MEMBER["standard"].notations["official"]
TAKE = plain.TAKE


def actions_of(start: State, texts: Sequence[str]) -> list[int]:
    return play(start.copy(), " ".join(texts)).history[len(start.history) :]


def after(start: State, actions: Sequence[int]) -> State:
    state = start.copy()
    for action in actions:
        state.step(action)
    return state


def in_mid_removal(start: State, actions: Sequence[int]) -> bool:
    """Whether somebody has begun to remove rows, by a push or by a step, and has not ended."""
    state = after(start, actions)
    if not actions or state.phase not in ("row", "take"):
        return False
    last = after(start, actions[:-1])
    return state.fields()["pusher"] == str(state.to_play) or (
        last.phase in ("row", "take") and last.to_play == state.to_play
    )


# A plain writer: the reference's game, which notes what it does


class Noted(plain.Gipf):
    """A game that notes pushes, and the pieces that leave with each row."""

    notes: list[tuple[int, str, list[str]]]  # player, push or "", pieces of a row

    def _named(self, point: str) -> str:
        piece = self.board[point]
        mark = "" if plain.owner(piece) == self.remover else "*"
        return ("G" if plain.is_gipf(piece) else "") + point + mark

    def _push(self, action: int) -> None:
        gipf, push = divmod(action, plain.PUSH_GIPF)
        line, end = divmod(push, 2)
        points = plain.LINES[line][::-1] if end else plain.LINES[line]
        stop = next(point for point in points if point not in self.board)
        text = stop if stop == points[0] else f"{plain.DOTS[line][end]}-{stop}"
        self.notes.append((self.to_play, "G" * gipf + text, []))
        super()._push(action)

    def _remove_row(self, line: int) -> None:
        row = plain.row_on(self.board, line, self.remover)
        stretch = plain.stretch_around(self.board, line, row)
        singles = [self._named(p) for p in stretch if not plain.is_gipf(self.board[p])]
        self.notes.append((self.remover, "", singles))
        super()._remove_row(line)

    def _take_gipf(self, point: str) -> None:
        self.notes[-1][2].append(self._named(point))
        super()._take_gipf(point)


def plain_texts(variant: str, actions: Sequence[int]) -> list[str]:
    """The turns of a game from its start, the last one perhaps without a push."""
    game = Noted(variant)
    game.notes = []
    for action in actions:
        game.step(action)
    turns: list[list[str]] = []
    coming: list[str] = []  # lists of the player who pushes next
    for player, push, left in game.notes:
        text = "x" + ",".join(sorted(left, key=lambda name: name.strip("G*")))
        if push:
            turns.append([*coming, push])
            coming, pusher = [], player
        elif left:
            (turns[-1] if player == pusher else coming).append(text)
    return [";".join(turn) for turn in (*turns, coming) if turn]


# Records


@pytest.mark.parametrize("name", ["archive_010821_01", "tournament_game"])
def test_recorded_games(name: str) -> None:
    record = json.loads((DATA / f"{name}.json").read_text())
    start = MEMBER[record["variant"]].initial_state()
    actions = actions_of(start, record["actions"])
    texts = NOTATION.write(start, actions)
    assert texts == plain_texts(record["variant"], actions)
    back = NOTATION.read(start, texts)
    assert NOTATION.write(start, back) == texts
    assert same_turns(start, actions, back) == len(texts)
    if "official" in record:
        assert texts == record["official"] and back == actions
        assert [start.action_to_string(action) for action in back] == record["actions"]


def same_turns(start: State, actions: Sequence[int], back: Sequence[int]) -> int:
    """How many turns; what stands at each push, and in the end, is the same."""
    reached = []
    for some in (actions, back):
        state, places = start.copy(), []
        for action in some:
            if state.phase == "push":
                places.append(state.key())
            state.step(action)
        reached.append([*places, state.key()])
    assert reached[0] == reached[1]
    return len(reached[0]) - 1


# Random play


def game_of(variant: str, policy: Policy, seed: int) -> list[int]:
    rng = random.Random(f"{policy.__name__} {seed} official")
    state = MEMBER[variant].initial_state()
    while not state.is_over and len(state.history) < LONGEST:
        state.step(policy(rng, state))
    return state.history


def kinds_of(text: str) -> set[str]:
    """What a turn's text shows."""
    parts = text.split(";")
    lists = [k for k, part in enumerate(parts) if part[0] == "x"]
    pushes = [k for k, part in enumerate(parts) if part[0] not in "xk"]
    found = {"G" * ("G" in part) + "*" * ("*" in part) for part in parts if part[0] == "x"}
    for push in pushes:
        found |= {"before" for k in lists if k < push} | {"behind" for k in lists if k > push}
        found |= {"two before"} if sum(k < push for k in lists) > 1 else set()
        found |= {"two behind"} if sum(k > push for k in lists) > 1 else set()
        found |= {"end" if "-" in parts[push] else "alone"}
        found |= {"gipf"} if parts[push][0] == "G" else set()
    if not pushes:
        found |= {"keep" if text == "keep" else "lists alone" if len(lists) > 1 else "list alone"}
    return found


SEEN = {"", "*", "before", "behind", "end", "alone", "list alone"}
SHOWN = {
    "basic": SEEN,
    "standard": SEEN | {"G", "G*"},
    "tournament": SEEN | {"G", "G*", "gipf", "keep"},
}
STEPS = 3_000  # of each variant


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_random_play(variant: str) -> None:
    """Whole games as the plain writer has them; parts of them, from anywhere to anywhere."""
    rng = random.Random(variant)
    kinds, steps, other_order, refused = Counter[str](), 0, 0, 0
    for policy in POLICIES[variant]:
        seed, enough = 0, steps + STEPS // len(POLICIES[variant])
        while steps < enough:
            actions = game_of(variant, policy, seed)
            seed, steps = seed + 1, steps + len(actions)
            start = MEMBER[variant].initial_state()
            if not in_mid_removal(start, actions):
                texts = NOTATION.write(start, actions)
                whole = [text for text in texts if text != "keep"]
                assert plain_texts(variant, actions)[: len(whole)] == whole
                other_order += check_both_ways(start, actions)
                for text in texts:
                    kinds.update(kinds_of(text))
            begins = [k for k in range(len(actions)) if after(start, actions[:k]).phase != "push"]
            for begin in [*rng.sample(begins, min(4, len(begins))), rng.randrange(len(actions))]:
                part = actions[begin : rng.randint(begin + 1, min(begin + 9, len(actions)))]
                here = after(start, actions[:begin])
                if not in_mid_removal(here, part):
                    other_order += check_both_ways(here, part)
                    for text in NOTATION.write(here, part):
                        kinds.update(kinds_of(text))
                    continue
                with pytest.raises(NotationError, match="has no text yet") as caught:
                    NOTATION.write(here, part)
                refused += 1
                assert caught.value.column == len(str(caught.value).split("'")[1])
    print(variant, steps, dict(kinds), other_order, refused)
    assert set(kinds) >= SHOWN[variant]
    assert other_order > 10 and (refused > 10 or variant == "basic")


def check_both_ways(start: State, actions: Sequence[int]) -> int:
    """Written and read back; 1 if the steps that were read are others, which lead to the same."""
    before = start.to_string(), start.history
    texts = NOTATION.write(start, actions)
    back = NOTATION.read(start, texts)
    same_turns(start, actions, back)
    assert NOTATION.write(start, back) == texts
    assert (start.to_string(), start.history) == before
    for action, other in zip(actions, back, strict=False):
        if action != other:
            return 1
    assert back == list(actions)
    return 0


# Every way to play a turn


def ways_of(state: State, least: int = -1) -> list[list[int]]:
    """All ways to go on until a push is due or the game is over.

    GIPF pieces of one row are taken in ascending order: all orders lead to the same.
    """
    if state.phase not in ("row", "take"):
        return [[]]
    found = []
    for action in state.legal_actions():
        if TAKE <= action < least:
            continue
        now = after(state, [action])
        left, still = (set(s.fields().get("left", "").split(",")) for s in (state, now))
        found += [[action, *rest] for rest in ways_of(now, action if still < left else -1)]
    return found


ROWS_TO_CHOOSE = {  # the player to act has pushed
    "a row of GIPF pieces and one that it crosses": {
        **pieces("e2 e3 e4 e5", "GW"),
        **pieces("b2 c3 d4", "W"),
        "h2": "GB",
    },
    "two rows of GIPF pieces": {**pieces("e2 e3 e4 e5 b2 c3 d4", "GW"), "h2": "GB"},
    "two rows that meet in a GIPF piece of the other's": {
        **pieces("b2 c3 d4 e5 e2 e3 e4", "W"),
        **pieces("f5 e6", "GB"),
        "h2": "GW",
    },
}


def turns_to_try() -> dict[str, tuple[State, list[int]]]:
    """Positions, and the push that begins each turn if it has not been made."""
    found = {}
    for name, turn in LONG_TURNS.items():
        start, _ = set_up(turn.variant, turn.board, turn.reserve, turn.to_play, turn.bring)
        found[name] = start, actions_of(start, turn.actions.split())
    for name, board in ROWS_TO_CHOOSE.items():
        found[name] = set_up_rows("tournament", board, (2, 4), 0)[0], []
    return found


@pytest.mark.long
@pytest.mark.parametrize("name", [*LONG_TURNS, *ROWS_TO_CHOOSE])
def test_what_leaves_decides(name: str) -> None:
    """All ways with one text lead to one position, and reading takes the first of them.

    With the lists of several rows made into one it is the same, and each of them reads.
    """
    start, begun = turns_to_try()[name]
    ways: dict[tuple[str, ...], list[list[int]]] = {}
    for rest in ways_of(after(start, begun)):
        actions = [*begun, *rest]
        ways.setdefault(tuple(NOTATION.write(start, actions)), []).append(actions)
    assert len(ways) > 3
    for texts, several in ways.items():
        ends = {after(start, actions).key() for actions in several}
        assert len(ends) == 1
        back = NOTATION.read(start, texts)
        assert back[len(begun) :] == min(several)[len(begun) :], texts
        merged = [one_list(text) for text in texts]
        assert after(start, NOTATION.read(start, merged)).key() in ends, merged


def one_list(text: str) -> str:
    """The same with one list on each side of the push."""
    found: list[str] = []
    for part in text.split(";"):
        if found and found[-1][0] == part[0] == "x":
            found[-1] += "," + part[1:]
        else:
            found.append(part)
    return ";".join(found)


@pytest.mark.long
def test_crowded_boards() -> None:
    """Several rows of both players at once, from where the first of them is chosen."""
    rng = random.Random(3)
    kinds = Counter[str]()
    for _ in range(4000):
        variant = rng.choice(VARIANTS)
        lines = rng.sample(plain.LINES, rng.randint(2, 4))
        share = rng.choice([0.1, 0.9])
        gipf = {"basic": 0.0, "standard": 0.2, "tournament": 0.4}[variant]
        points = sorted({p for line in lines for p in line} | set(rng.sample(plain.POINTS, 4)))
        board = {p: "G" * (rng.random() < gipf) + "BW"[rng.random() < share] for p in points}
        spare = [plain.TOTAL[variant] - plain.count_worth(board, player) for player in (0, 1)]
        held = [plain.count_gipf(board, player) for player in (0, 1)]
        if min(spare) < 1 or max(held) > plain.MOST_GIPF[variant]:
            continue
        if variant != "basic" and min(held) == 0:
            continue
        pusher = int(share < 0.5)
        if sum(plain.row_on(board, line, pusher) != [] for line in range(21)) < 2:
            continue
        start, _ = set_up_rows(variant, board, (spare[0], spare[1]), pusher)
        state = start.copy()
        while not state.is_over and (state.phase != "push" or len(state.history) < 8):
            state.step(uniform(rng, state))
        check_both_ways(start, state.history)
        for text in NOTATION.write(start, state.history):
            kinds.update(kinds_of(text))
        kinds["games"] += 1
    print(dict(kinds))
    assert kinds["games"] > 100
    assert set(kinds) >= {"list alone", "lists alone", "before", "behind", "G", "G*"}


# What turns look like


def known(name: str) -> tuple[State, list[str]]:
    branch = BRANCHES[name]
    start, _ = set_up(branch.variant, branch.board, branch.reserve, branch.to_play, branch.bring)
    return start, NOTATION.write(start, actions_of(start, branch.actions.split()))


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("of two rows that don't meet the second is taken without asking",
         ["e1-e5;xb2,c3,d4,e5;xd2,e3,f3,g3"]),
        ("a removal by the opponent", ["e1-e5", "xd2,e3,f3,g3;xb2,c3,d4,e5"]),
        ("the mover's row takes a piece of the opponent's", ["e1-e6;xe2,e3,e4,e5,e6*"]),
        ("a crossing taken", ["e1-e5;xe2,e3,e4,Ge5"]),
        ("both players have a row of GIPF pieces that they keep", ["Gh1-h5", "keep"]),
        ("both last GIPF pieces in one row", ["e1-e5;xd2,e3,Gf3,g3,Gh3*"]),
        ("own last GIPF piece, the opponent's kept", ["e1-e5;xd2,e3,Gf3,g3"]),
        ("the opponent's row takes the mover's last GIPF piece", ["e1-e5", "xd2,e3,f3,g3,Gh3*"]),
        ("a loss by empty reserve after the opponent was asked", ["Gb5", "keep"]),
        ("a loss by empty reserve", ["b2"]),
        ("an empty reserve refilled in the opponent's turn", ["e1-e5"]),
    ],
)  # fmt: skip
def test_texts_of_rare_turns(name: str, texts: list[str]) -> None:
    start, written = known(name)
    assert written == texts
    played = after(start, actions_of(start, BRANCHES[name].actions.split()))
    assert after(start, NOTATION.read(start, texts)) == played


def test_a_row_of_gipf_pieces_asked_again_each_turn() -> None:
    """What the other's push asks for stands before the own push, even if nothing leaves."""
    start, _ = set_up("tournament", {**pieces("e2 e3 e4", "GW"), "h5": "GB"}, (12, 16), 0, BOTH)
    actions = actions_of(start, "Ge1-e2 keep Ga5-b5 keep Ga1-b2 xe3 keep".split())
    assert NOTATION.write(start, actions) == ["Ge1-e5", "Gb5", "Gb2;xGe3"]
    assert NOTATION.write(start, actions[:4]) == ["Ge1-e5", "Gb5", "keep"]
    assert NOTATION.write(start, actions[:3]) == ["Ge1-e5", "Gb5"]
    for end in (2, 3, 4, 7):
        check_both_ways(start, actions[:end])


# Spellings

SPELLINGS = {
    "Ge8": "Ge8 ge8 GE8 gE8 Ge9-e8 Gd8-e8 Gf8-e8 gE9-E8",
    "Gb3": "Gb3 Ga3-b3 Ga2-b3",
    "Gg2": "Gg2 gg2 GG2 Gh1-g2 Gg1-g2",
}


@pytest.mark.parametrize("text", SPELLINGS)
def test_spellings_of_a_push_onto_an_empty_point(text: str) -> None:
    start = MEMBER["tournament"].initial_state()
    ends = set()
    for spelling in SPELLINGS[text].split():
        for given in (spelling, f"  {spelling} "):
            (action,) = NOTATION.read(start, [given])
            assert NOTATION.write(start, [action]) == [text]
            ends.add(after(start, [action]).key())
            if "-" in spelling:
                assert start.action_to_string(action).lower() == spelling.lower()
            else:
                pushes = [a for a in start.legal_actions() if NOTATION.write(start, [a]) == [text]]
                assert action == min(pushes) and len(pushes) in (2, 3)
    assert len(ends) == 1


def test_every_push_by_dot_and_end() -> None:
    """In positions of random play; a text that is a push's can be no other's."""
    rng = random.Random(9)
    for variant in VARIANTS:
        state = MEMBER[variant].initial_state()
        while not state.is_over:
            if state.phase == "push":
                texts: dict[str, list[int]] = {}
                for action in state.legal_actions():
                    text = NOTATION.write(state, [action])[:1] if quiet(state, action) else []
                    for one in text:
                        texts.setdefault(one, []).append(action)
                for written, actions in texts.items():
                    assert NOTATION.read(state, [written])[0] == actions[0]
                    assert len({after(state, [action]).key() for action in actions}) == 1
                    assert len(actions) == 1 or "-" not in written
                    assert NOTATION.read(state, [written.upper()]) == [actions[0]]
            state.step(uniform(rng, state))


def quiet(state: State, action: int) -> bool:
    """Whether the player is asked nothing after this push."""
    now = after(state, [action])
    return now.phase == "push" or now.is_over or now.to_play != state.to_play


def test_spellings_of_lists() -> None:
    board = {**TWO_ROWS, "h3": "GB", "f3": "GW", "g6": "GB", "h5": "GW"}
    start, _ = set_up("standard", board, (3, 4))
    text = "e1-e5;xd2,e3,Gf3,g3,Gh3*;xb2,c3,d4,e5"
    actions = NOTATION.read(start, [text])
    names = [start.action_to_string(action) for action in actions]
    assert names == ["e1-e2", "xd2-h3", "xf3", "xh3"]
    for same in (
        "E1-E5;XD2,E3,GF3,G3,GH3*;XB2,C3,D4,E5",
        "e1-e5 ; x d2, e3 ,gf3,g3 , Gh3* ;\tx b2,c3,d4,e5\n",
        "e1-e5;xGh3*,Gf3,g3,e3,d2;xe5,c3,b2,d4",
        "e1-e5;xb2,c3,d4,e5,d2,e3,Gf3,g3,Gh3*",
        "e1-e5;xd2,e3,Gf3,g3,Gh3*,b2,c3,d4,e5",
    ):
        back = NOTATION.read(start, [same])
        assert after(start, back) == after(start, actions), same
    other = NOTATION.read(start, ["e1-e5;xb2,c3,d4,e5;xd2,e3,Gf3,g3,Gh3*"])
    assert other != actions and after(start, other) == after(start, actions)


def test_a_bare_x_is_read_where_it_can_mean_one_thing() -> None:
    start, _ = set_up("basic", pieces("e2 e3 e4", "W") | pieces("e5 b3 c4 d5", "B"), (5, 5))
    for text in ("e1-e6;x", "e1-e6; X "):
        assert NOTATION.read(start, [text]) == actions_of(start, ["e1-e2"])
    start, _ = set_up("basic", OTHERS_TWO_ROWS, (3, 6))
    end = after(start, actions_of(start, ["e1-e2", "xd2-h3", "a3-b3"]))
    assert after(start, NOTATION.read(start, ["e1-e5", "x;b3"])) == end
    assert NOTATION.read(start, ["e1-e5", "x"]) == actions_of(start, ["e1-e2", "xd2-h3"])


# Errors

TWO, _ = set_up("basic", TWO_ROWS, (3, 6))
OTHERS, _ = set_up("basic", OTHERS_TWO_ROWS, (3, 6))
ONE, _ = set_up("basic", pieces("b2 c3 d4 e4", "B") | pieces("e2 e3", "W"), (5, 5))
CROSSED, _ = set_up("standard", CROSSING, (6, 6))
THREE, _ = set_up("tournament", THREE_ROWS, (3, 16))
LATE = after(TWO, actions_of(TWO, ["e1-e2"]))
STANDARD = MEMBER["standard"].initial_state()
FULL, _ = set_up("basic", dict(zip("b2 b3 b4 b5".split(), "WBWB", strict=True)), (9, 9))
OVER, _ = set_up("basic", {"e5": "B"}, (5, 0))
OVER.step(OVER.parse_action("a1-b2"))
LOST, _ = set_up("standard", {**OTHERS_TWO_ROWS, "h3": "GW", "g6": "GB"}, (3, 6))

ERRORS: list[tuple[State, list[Any], int, int, str]] = [
    # What is no text of the notation
    (STANDARD, [""], 0, 0, "turn 0, '', at column 0: nothing stands here, expected a push or"),
    (STANDARD, ["e1-e3;"], 0, 6, "nothing stands here, expected a push or a list"),
    (STANDARD, ["c2", "; f2"], 1, 0, "turn 1, '; f2', at column 0: nothing stands here"),
    (STANDARD, ["b9-b2;"], 0, 6, "nothing stands here"),
    (STANDARD, ["c2", 7], 1, 0, "turn 1, '', at column 0: a turn is a text, got 7"),
    (STANDARD, [None], 0, 0, "a turn is a text, got None"),
    (STANDARD, ["c2; f2"], 0, 4, "'f2' is a second push, and a turn has one"),
    (STANDARD, ["c2" + " " * 499], 0, 500, r"at most 500 characters, got 501"),
    (STANDARD, ["c2-"], 0, 0, "'c2-' is neither a push, like e3, .* nor a list"),
    (STANDARD, ["  hello"], 0, 2, "'hello' is neither a push"),
    (STANDARD, ["Gc\u0662"], 0, 0, "is neither a push"),
    (STANDARD, ["j2"], 0, 0, "'j2' is neither a push"),
    (STANDARD, ["e1:e3"], 0, 0, "'e1:e3' is neither a push"),
    (STANDARD, ["e1-e3;xe9"], 0, 7, "'e9' is no piece on a point: a list names pieces like c6"),
    (STANDARD, ["e1-e3;xe2,"], 0, 10, "'' is no piece"),
    (STANDARD, ["e1-e3;xe2, *e3"], 0, 11, r"'\*e3' is no piece"),
    (STANDARD, ["e1-e3;xe2,xe3"], 0, 10, "'xe3' is no piece"),
    (STANDARD, ["e1-e3;xe2,e3; xc4,Ge2*"], 0, 18, "a piece on e2 is named twice: name it once"),
    (STANDARD, ["e1-e3;xe2;x"], 0, 10, "x alone stands for all .* leave it out"),
    # Pushes
    (STANDARD, ["e3"], 0, 0, "e3 is a point: a push is written as the empty point at the edge"),
    (STANDARD, ["e1"], 0, 0, "e1 is a dot: a push is written as the empty point at the edge"),
    (STANDARD, ["a9"], 0, 0, "a9 is neither a dot nor a point: a push is written"),
    (STANDARD, ["e2"], 0, 0, "e2 is occupied: expected 'e1-e3', 'f1-d2' or 'd1-f2'$"),
    (STANDARD, [" e2-e3"], 0, 1, "e2 is a point: this push begins on a dot, a1, .* or i5"),
    (STANDARD, ["a9-b2"], 0, 0, "a9 is neither a dot nor a point: this push begins on a dot"),
    (STANDARD, ["e1-e2"], 0, 3, "e2 is not where the last piece .* e1 moves: expected 'e1-e3'$"),
    (STANDARD, ["a2-b5"], 0, 3, "b5 is not where the last .*: expected 'a2-c2' or 'b3'$"),
    (STANDARD, ["Ge1-e4"], 0, 4, "e4 is not where the last piece .*: expected 'Ge1-e3'$"),
    (STANDARD, ["Gc2"], 0, 0, "is a GIPF piece, and in this variant none is pushed"),
    (STANDARD, ["c2", "c2"], 1, 0, "turn 1, 'c2', at column 0: c2 is occupied: expected"),
    (MEMBER["tournament"].initial_state(), ["e8"], 0, 0, "the first must be a GIPF piece"),
    (FULL, ["b1-b5"], 0, 3, "b5 is not where .*: expected 'c2'"),
    (FULL, ["b6-b2"], 0, 3, "b2 is not where .*: expected 'c6'"),
    (FULL, ["c1-f2"], 0, 3, "f2 is not where .*: expected 'c2' or 'd2'"),
    # Lists that are missing, or are of something else
    (STANDARD, ["e1-e3;xe4"], 0, 7, "e4 is no piece that White can remove here: expected no list"),
    (STANDARD, ["e1-e3;x"], 0, 6, "this is not what White can remove here: expected no list"),
    (STANDARD, ["xe4; e1-e3"], 0, 1, "e4 is no piece that White can remove here"),
    (STANDARD, ["x;e1-e3"], 0, 0, "this is not what White can remove here: expected no list"),
    (STANDARD, ["x"], 0, 0, "White has nothing to remove, expected a push"),
    (STANDARD, ["xe4"], 0, 0, "White has nothing to remove, expected a push"),
    (STANDARD, ["keep"], 0, 0, "White has nothing to keep, expected a push"),
    (TWO, ["e1-e5"], 0, 5, "this is not what White .* expected 'xd2,e3,f3,g3;xb2,c3,d4,e5' or '"),
    (TWO, ["e1-e5;xd2,e3,f3,g3"], 0, 6, "this is not what White can remove here: expected 'xd2"),
    (TWO, ["e1-e5; xd2,e3,f3"], 0, 7, "this is not what White can remove here"),
    (TWO, ["e1-e5;xd2,e3,f3;xg3,b2,c3,d4,e5"], 0, 6, "this is not what White can remove here"),
    (TWO, ["e1-e5;xd2,Ge3,f3,g3"], 0, 10, r"Ge3 is no piece that White .*: on e3 is e3 \(G a"),
    (TWO, ["e1-e5;xd2,e3*,f3,g3"], 0, 10, r"e3\* is no piece that White can .*: on e3 is e3"),
    (OTHERS, ["e1-e5;xd2*,e3*"], 0, 7, r"d2\* is no piece that White can .*: expected no list"),
    (OTHERS, ["e1-e5", "b3"], 1, 0, "this is not what Black can .* expected 'xd2,e3,f3,g3;xb2"),
    (OTHERS, ["e1-e5", "xd2,e3,f3,g3;b3"], 1, 0, "this is not what Black can remove here"),
    (OTHERS, ["e1-e5", "keep"], 1, 4, "this is not what Black can remove here: expected 'x"),
    (ONE, ["e1-e5", "keep"], 1, 0, "Black has nothing to keep, expected a push"),
    (ONE, ["e1-e5", "b3"], 1, 0, "this is not what Black can .* expected 'xb2,c3,d4,e5'$"),
    (OTHERS, ["e1-e5", "xd2,e3,f3,g3;xb2,c3,d4,e5", "b3"], 1, 25, "a push is missing: only the"),
    (CROSSED, ["e1-e5"], 0, 5, "expected 'xe2,e3,e4;xb2,c3,d4', 'xe2,.*,Ge5', .* or others$"),
    (CROSSED, ["e1-e5;xe2,e3,e4"], 0, 6, "expected 'xe2,e3,e4;xb2,c3,d4'"),
    (CROSSED, ["e1-e5;xe2,e3,e4,Ge5;xb2,c3,d4"], 0, 6, "this is not what White can remove"),
    (CROSSED, ["e1-e5;xe2,e3,e4,Gg2"], 0, 16, "Gg2 is no piece that White can remove here"),
    (CROSSED, ["e1-e5;xe2,e3,e4,e5"], 0, 16, "e5 is no piece .*: on e5 is Ge5"),
    (THREE, ["i5-f5;xGe3"], 0, 6, "this is not what White can remove here: expected 'x"),
    # A bare x that can mean several things
    (CROSSED, ["e1-e5; x"], 0, 7, "x alone does not tell which pieces White removes: expected 'x"),
    (THREE, ["i5-f5;x"], 0, 6, "x alone does not tell which .* or others$"),
    # Turns that begin after the own push
    (LATE, ["b3"], 0, 0, "White has pushed and is to remove its rows: a turn of that .* like 'x"),
    (LATE, ["keep"], 0, 4, "this is not what White can remove here: expected 'x"),
    # What follows an end
    (OVER, ["b3"], 0, 0, "the game is over: Black has no piece in reserve; leave it out"),
    (LOST, ["e1-e5", "xd2,e3,f3,g3,Gh3*;b3"], 1, 18, "over before this push .White's last GIPF"),
    (LOST, ["e1-e5", "xd2,e3,f3,g3,Gh3*", "b3"], 1, 17, "a push is missing"),
]


@pytest.mark.parametrize(("start", "turns", "turn", "column", "message"), ERRORS)
def test_errors(start: State, turns: list[Any], turn: int, column: int, message: str) -> None:
    with pytest.raises(NotationError, match=message) as caught:
        NOTATION.read(start, turns)
    assert (caught.value.turn, caught.value.column) == (turn, column)
    assert f"turn {turn}, " in str(caught.value)
    assert f"at column {column}: " in str(caught.value)


def test_errors_of_other_things() -> None:
    with pytest.raises(NotationError, match=r"turns are a list .* got the text 'c2'"):
        NOTATION.read(STANDARD, "c2")
    with pytest.raises(IllegalActionError, match="e1-e2"):
        NOTATION.write(MEMBER["tournament"].initial_state(), [6])
    with pytest.raises(IllegalActionError, match=r"e1-e2|is illegal here"):
        NOTATION.write(FULL, [0])
    for action in (143, -1, "c2", 1.5):
        with pytest.raises(IllegalActionError, match="an integer from 0 to 142"):
            NOTATION.write(STANDARD, [action])  # type: ignore[list-item]
    with pytest.raises(GameOverError):
        NOTATION.write(OVER, [6])
    for start in (OVER, LATE, STANDARD):
        assert NOTATION.write(start, []) == [] and NOTATION.read(start, []) == []


def test_an_error_keeps_what_it_knows_in_a_pickle() -> None:
    with pytest.raises(NotationError) as caught:
        NOTATION.read(STANDARD, ["c2", "f2", "e1-e2"])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.turn, again.column, str(again)) == (2, 3, str(caught.value))
    assert isinstance(again, ValueError)


# Whatever people may write

LETTERS = "abcdefghiGx;,*-123456789 eEXjk0\u00e9"


def mutated(rng: random.Random, text: str) -> str:
    """The text with one to three letters changed, put in, left out, or parts of it exchanged."""
    letters = list(text)
    for _ in range(rng.randint(1, 3)):
        k = rng.randrange(len(letters) + 1)
        kind = rng.randrange(4)
        if kind == 0 or not letters:
            letters.insert(k, rng.choice(LETTERS))
        elif kind == 1:
            letters[k % len(letters)] = rng.choice(LETTERS)
        elif kind == 2:
            del letters[k % len(letters)]
        else:
            separator = rng.choice(";,")
            parts = "".join(letters).split(separator)
            rng.shuffle(parts)
            letters = list(separator.join(parts))
    return "".join(letters)


def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many steps the notation has looked at since the last call."""
    count = [0]
    look = official._after

    def after_one(*args: Any) -> Any:
        count[0] += 1
        return look(*args)

    def since() -> int:
        found, count[0] = count[0], 0
        return found

    monkeypatch.setattr(official, "_after", after_one)
    return since


def assert_told(turn: int, column: int, message: str, turns: list[str]) -> None:
    """An error says where it is."""
    assert 0 <= column <= len(turns[turn])
    assert message.startswith(f"turn {turn}, {turns[turn]!r}, at column {column}: ")


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_mutated_texts(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is refused, or read as legal steps; and none takes long."""
    rng = random.Random(variant)
    looks = counted(monkeypatch)
    outcomes = Counter[str]()
    for seed in range(6):
        policy = POLICIES[variant][seed % len(POLICIES[variant])]
        start = MEMBER[variant].initial_state()
        actions = game_of(variant, policy, 1000 + seed)
        while in_mid_removal(start, actions):
            actions.pop()
        texts = NOTATION.write(start, actions)
        for number, text in enumerate(texts):
            if ";" not in text and rng.random() < 0.5:
                continue
            here = after(start, NOTATION.read(start, texts[:number]))
            follows = texts[number : number + 2]
            for _ in range(8 if ";" in text else 4):
                turns = [mutated(rng, text), *follows[1:]]
                looks()
                try:
                    back = NOTATION.read(here, turns)
                except NotationError as error:
                    assert_told(error.turn, error.column, str(error), turns)
                    outcomes["refused"] += 1
                else:
                    assert not in_mid_removal(here, back)
                    read = NOTATION.write(here, back)
                    same_turns(here, back, NOTATION.read(here, read))
                    outcomes["read as it was" if read == follows else "read"] += 1
                assert looks() < 500
    print(variant, dict(outcomes))
    assert sum(outcomes.values()) > 500
    assert min(outcomes["refused"], outcomes["read"], outcomes["read as it was"]) > 2


@pytest.mark.long
def test_no_list_makes_the_search_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of all that can leave, without a piece or with one too many, where rows are many."""
    rng = random.Random(8)
    looks = counted(monkeypatch)
    most = tried = 0
    while tried < 60:
        lines = rng.sample(plain.LINES, 3)
        own = list(dict.fromkeys(point for line in lines for point in line))[:8]
        other = [point for line in lines for point in line if point not in own]
        board = dict.fromkeys(own, "GW") | dict.fromkeys(other[:7], "GB")
        board["h2"] = "GB"
        rows = sum(plain.row_on(board, line, 0) != [] for line in range(21))
        if rows < 2 or plain.count_gipf(board, 0) == 0:
            continue
        tried += 1
        spare = [plain.TOTAL["tournament"] - plain.count_worth(board, p) for p in (0, 1)]
        start, _ = set_up_rows("tournament", board, (spare[0], spare[1]), 0)
        names = [
            f"G{point}{'' if plain.owner(piece) == 0 else '*'}" for point, piece in board.items()
        ]
        for _ in range(5):
            some = rng.sample(names, rng.randint(1, len(names)))
            cut = rng.randint(0, len(some))
            for text in ("x" + ",".join(some), f"x{','.join(some[:cut])};x{','.join(some[cut:])}"):
                looks()
                with contextlib.suppress(NotationError):
                    NOTATION.read(start, [text])
                most = max(most, looks())
    print(most)
    assert 10 < most < 150


# The hook


def test_who_has_notations() -> None:
    for name in ("oust", "rive", "strands"):
        assert dict(make_game(name).notations) == {}
    for variant in VARIANTS:
        assert list(MEMBER[variant].notations) == ["official"]
        assert isinstance(MEMBER[variant].notations["official"], Notation)
    assert Game.notations == {}


def test_authors_are_told_of_a_notation_that_loses_something() -> None:
    class Forgetful:
        def write(self, start: State, actions: Sequence[int]) -> list[str]:
            return [text.replace("xe", "xf") for text in NOTATION.write(start, actions[:-1])]

        def read(self, start: State, turns: Sequence[str]) -> list[int]:
            return start.legal_actions()[: len(turns) // 20]

    class Odd(Gipf):
        notations: ClassVar[Mapping[str, Notation]] = {"forgetful": Forgetful()}

    reads_the_turns_it_writes(MEMBER["basic"], 0)
    reads_the_turns_it_writes(make_game("oust", side=2), 0)
    with pytest.raises(GameCheckError, match=r"forgetful: .* leads to"):
        reads_the_turns_it_writes(Odd(variant="basic"), 0)


@pytest.mark.parametrize("wrong", [None, ["official"], {"official": 3}, {3: NOTATION}])
def test_notations_that_are_none(wrong: Any) -> None:
    class Odd(Gipf):
        notations = wrong

    assert "notations must be a dict from names" in slips_of(Odd)
