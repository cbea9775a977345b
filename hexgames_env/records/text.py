"""Records as text, in the manner of PGN: tags, numbered turns, remarks in braces, tags of the end.

::

    [Game "oust side=2 pie_rule=true"]
    [Player0 "greedy"]
    [Player1 "Ann"]
    [Date "2026-11-30"]

    1. a1 2. b2 {a surprise [%value -0.4] [%visits c1:40 a2:2]} 3. c1

    [Termination "resigned"]
    [Result "1-0"]

What is known only at the end stands at the end, so that a file can be written while the game goes
on; ``Result`` is the last line of a record that is whole.  A remark is about the position in which
it stands.  In tags and remarks ``\\`` takes the meaning from what follows it, and ``\\n`` is a new
line.  `GRAMMAR` tells the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from hexgames_env.core.game import Game
from hexgames_env.core.notation import Notation
from hexgames_env.core.state import State
from hexgames_env.errors import RecordError
from hexgames_env.records.facts import Remark

GRAMMAR = """\
file        any number of records; a line that begins with [Game " begins one
record      tags, turns, tags; the tag Game is the first, every tag stands once
tag         [Name "value"]
turns       actions as State.action_to_string() writes them, separated by white space; before the
            first of a turn may stand the turn's number and a point; one that holds white space,
            brackets, braces, quotes or % or begins like a number of a turn stands in double quotes
remark      { words [%value NUMBER] [%visits ACTION:COUNT ...] }; a brace among its words stands
            behind a backslash
Game        as Game.to_string() writes it
Start       as State.position_to_string() writes it; missing, if the game always begins alike
Player0     who played as player_0; Player1 likewise
Notation    a name in Game.notations, if the turns are written in it
Illegal     player_0 or player_1, number and text of the action that lost the game as illegal
Termination how it ended: rules, illegal action, cut off, resigned, time or unfinished
Result      player_0's points, a hyphen and player_1's: 1-0 or 0-1; * if nobody has won"""

WIDTH = 80  # of lines of turns
LIMIT = WIDTH + 1  # with the space behind the last word
BEGINS = b'[Game "'  # a record
FILLER = b"%"  # behind what has been written of a file that is still open

NUMBER = re.compile(r"([0-9]{1,9})\.")
_PLAIN = re.compile(r"[^\s\[\]{}\"%]+")


def escaped(text: str, what: str) -> str:
    """``text`` with a backslash before backslashes and the characters in ``what``."""
    for character in "\\" + what:
        text = text.replace(character, "\\" + character)
    return text.replace("\n", "\\n").replace("\r", "\\r")


def unescaped(text: str) -> str:
    """What `escaped` was given."""
    meant = {"n": "\n", "r": "\r"}
    return re.sub(r"\\(.)", lambda found: meant.get(found[1], found[1]), text, flags=re.DOTALL)


def tag(name: str, value: str) -> str:
    """A line with a tag."""
    return f'[{name} "{escaped(value, chr(34))}"]\n'


def action_word(text: str) -> str:
    """The text of an action as it stands in a record."""
    if _PLAIN.fullmatch(text) and not NUMBER.match(text):
        return text
    return f'"{escaped(text, chr(34))}"'


def head(
    start: State,
    players: Sequence[str] = ("", ""),
    date: str | None = None,
    seed: int | None = None,
    tags: Mapping[str, str] | None = None,
    notation: str | None = None,
) -> str:
    """The tags before the turns, and an empty line."""
    lines = [tag("Game", start.game.to_string())]
    if not is_usual(start):
        lines.append(tag("Start", start.position_to_string()))
    lines += [tag(f"Player{seat}", name) for seat, name in enumerate(players) if name]
    lines += [tag("Date", date)] if date is not None else []
    lines += [tag(name, value) for name, value in (tags or {}).items()]
    lines += [tag("Notation", notation)] if notation is not None else []
    return with_seed("".join(lines) + "\n", seed)


def with_seed(head: str, seed: int | None) -> str:
    """A head without a seed, and its seed; the last of the tags, for it changes with each game."""
    return head if seed is None else f'{head[:-1]}[Seed "{seed}"]\n\n'


def tail(final: State, ending: str, result: str, illegal: int | None) -> str:
    """The tags behind the turns; before them comes an empty line."""
    lines = []
    if illegal is not None:
        name = final.action_to_string(illegal)
        lines.append(tag("Illegal", f"player_{final.to_play} {illegal} {name}"))
    return "".join([*lines, tag("Termination", ending), tag("Result", result)])


def is_usual(start: State) -> bool:
    """Whether this is how its game always begins."""
    return start == usual_start(start.game)


@lru_cache(maxsize=64)
def usual_start(game: Game) -> State | None:
    """How this game always begins; None if its start is drawn."""
    return None if has_drawn_start(game) else game.initial_state(0)


@lru_cache(maxsize=64)
def has_drawn_start(game: Game) -> bool:
    """Whether the game's start is drawn at random, from some seeds differently from others."""
    first = game.initial_state(0)
    return any(game.initial_state(seed) != first for seed in (1, 2, 3, 4))


def remark_words(state: State, remark: Remark) -> str:
    """A remark in braces, "" if there is none."""
    if not remark:
        return ""
    words = [_comment(remark.comment)] if remark.comment else []
    if remark.value is not None:
        words.append(f"[%value {remark.value!r}]")
    if remark.visits:
        visits = remark.visits.items()
        counts = (f"{_visited(state.action_to_string(action))}:{n}" for action, n in visits)
        words.append(f"[%visits {' '.join(counts)}]")
    return f"{{{' '.join(words)}}}"


def _comment(text: str) -> str:
    text = escaped(text, "{}").replace("[%", "\\[%")
    # Spaces around a comment are its own only behind a backslash
    text = re.sub(" $", r"\\ ", text)
    return re.sub("^ ", r"\\ ", text)


def _visited(name: str) -> str:
    return (
        name if re.fullmatch(r"[^\s\[\]{}\":\\]+", name) else f'"{escaped(name, chr(34) + "{}")}"'
    )


def notation_of(game: Game, name: str) -> Notation:
    """One of ``game.notations``; RecordError if there is none of this name."""
    if name not in game.notations:
        known = ", ".join(map(repr, game.notations)) or "none"
        raise RecordError(f"{game.title} has no notation {name!r}: it has {known}")
    return game.notations[name]
