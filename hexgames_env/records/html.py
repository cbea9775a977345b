"""A game as a page that plays it: one HTML file, which needs no other file and no network.

The page is ``player.html`` with ``player.css`` and ``player.js`` in it, and with the pictures of
all positions, as `Film` packs them; the script only unpacks them and turns the leaves.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import asdict
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from hexgames_env.core.settings import check_word
from hexgames_env.core.words import player_words
from hexgames_env.records.film import Film
from hexgames_env.records.telling import end_sentence, remark_sentences
from hexgames_env.rendering.palette import ink_on, palette

if TYPE_CHECKING:
    from hexgames_env.records.record import Record

HTML_THEMES = ("auto", "light", "dark")
USED = frozenset("page ink faint target on-target last dark dark_rim light light_rim".split())
HEIGHT = 680  # pixels of a fragment: board and controls, beside each other or in turn


def to_html(record: Record, *, theme: str = "auto", fragment: bool = False) -> str:
    """The page that plays a game.

    Args:
        record: the game.
        theme: what the page begins with: ``"light"``, ``"dark"`` or ``"auto"``, which asks the
            reader's system.  The page has a button for it too.
        fragment: whether to return a piece of a page instead of a whole one.  Whatever stands
            around it, and other fragments, neither change it nor are changed by it.

    Raises:
        OptionError: there is no such theme.
    """
    check_word("theme", theme, HTML_THEMES)
    film, data = Film(), _data_beside_pictures(record)
    words = []
    for step, state in enumerate(record.states()):
        film.add(state, _heat(record.remark(step).visits))
        said = state.words()
        words.append([film.string(x) for x in (said.happened, said.headline, *said.counts)])
    data |= {"words": words, **film.data()}
    script, title = _text_of("player.js"), html.escape(record.title())
    (svg,) = re.findall(r"^<svg [^>]*>", record.start.to_svg())
    page = Template(_text_of("player.html")).substitute(
        begin="<html lang=en" + (">" if theme == "auto" else f" data-theme={theme}>"),
        # Nothing may be loaded, and no other script may run
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        title=title,
        end=html.escape(end_sentence(record)),
        style=_text_of("player.css").replace("/* colours */", _colours()),
        svg=svg,
        last=len(record),
        about=_about(record),
        text=html.escape(record.to_string()),
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        script=script,
    )
    if not fragment:
        return page
    inside = page.replace("&", "&amp;").replace("'", "&#39;")
    return (
        f'<iframe title="{title}" sandbox="allow-scripts" loading="lazy" '
        f'style="width:100%;max-width:1120px;height:{HEIGHT}px;border:0" '
        f"srcdoc='{inside}'></iframe>"
    )


def _heat(visits: Any) -> dict[int, int]:
    return dict(visits) if any(visits.values()) else {}


def _data_beside_pictures(record: Record) -> dict[str, Any]:
    """What the script needs for the list of steps and for what is said."""
    game = record.game
    turns: list[list[list[Any]]] = []
    remarks: dict[int, list[str]] = {}
    for step, state in enumerate(record.states()):
        remark = record.remark(step)
        if remark:
            remarks[step] = [remark.comment, *remark_sentences(state, remark)]
        if step < len(record):
            if step == 0 or game.begins_turn(state):
                turns.append([])
            name = state.action_to_string(record.actions[step])
            turns[-1].append([state.to_play, name])
    is_told = record.ending == "rules"  # by the last position
    return {
        "title": game.title,
        "players": [*game.player_names],
        "seats": [player_words(game, player) for player in (0, 1)],
        "dark": game.scene(record.start).dark,
        "turns": turns,
        "remarks": remarks,
        "end": "" if is_told else record.outcome_words(),
    }


def _about(record: Record) -> str:
    """What else is known of the game, as items of a list."""
    known = {"Game": record.game.to_string(), "Date": record.date, "Seed": record.seed}
    rows = {**known, **record.tags}
    return "".join(
        f"<dt>{html.escape(name)}</dt><dd dir=auto>{html.escape(str(value))}</dd>"
        for name, value in rows.items()
        if value is not None
    )


def _colours() -> str:
    """The colours of both themes as variables of CSS."""
    found = {}
    for theme in ("light", "dark"):
        own = palette(theme)
        colours = {**asdict(own), "on-target": ink_on(own.target)}
        found[theme] = "".join(
            f"--{name}:#{red:02x}{green:02x}{blue:02x};"
            for name, (red, green, blue) in colours.items()
            if name in USED
        )
    return (
        f":root{{color-scheme:light;{found['light']}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{found['dark']}}}\n"
        "@media (prefers-color-scheme:dark){:root:not([data-theme])"
        f"{{color-scheme:dark;{found['dark']}}}}}"
    )


def _text_of(name: str) -> str:
    return files("hexgames_env.records").joinpath(name).read_text(encoding="utf-8")
