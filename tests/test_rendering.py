"""Text, SVG and what games say for pictures: all that needs no drawing library."""

from __future__ import annotations

import ast
import copy
import dataclasses
import pickle
import re
import runpy
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import toy_game
from hexgames_env import (
    IllegalActionError,
    OptionError,
    PositionTextError,
    State,
    game_names,
    make_game,
    oust_v0,
    register_game,
    rendering,
    rive_v0,
)
from hexgames_env.core.scene import TINTS, Scene, hex_sides
from hexgames_env.core.turn import last_turn
from hexgames_env.envs.aec import make_env
from hexgames_env.rendering import (
    RENDER_MODES,
    Renderer,
    compose,
    from_text,
    pixels,
    render,
    to_svg,
    to_text,
)
from hexgames_env.rendering.layout import Grounds, cell_colour, cell_texts, empty_board
from hexgames_env.rendering.marks import turn_marks
from hexgames_env.rendering.palette import THEMES, Palette, contrast, faint_on, ink_on, mix
from hexgames_env.rendering.shapes import Disc, Line, Picture, Polygon, Ring, Text
from hexgames_env.testing import games_of, some_positions, walk

SIZES = (200, 480, 1000)
every_game = pytest.mark.parametrize("name", game_names())


def play(start: str, *steps: str) -> State:
    state = State.from_string(start)
    for text in steps:
        state.step(state.parse_action(text))
    return state


# Text


@every_game
def test_text_is_read_back(name: str) -> None:
    for game in games_of(name):
        for state in some_positions(game, seed=3, wanted=4):
            for colour in (False, True):
                text = to_text(state, colour)
                assert from_text(text) == state
                assert ("\033" in text) == (colour and bool(state.ground().strip(".")))


@every_game
def test_the_board_in_a_text_has_the_stones(name: str) -> None:
    """Read without the reader: what stands in the lines of the board, counted."""
    for state in some_positions(make_game(name), seed=5, wanted=4):
        board = state.game.scene(state).plan
        rows = 17 if board.upright else state.game.board.num_rows
        lines = to_text(state, False).split("\n")[1 : 1 + rows]
        if name == "gipf":
            labels = re.findall(r"[a-i]\d", "".join(lines))
            assert sorted(labels) == sorted(text for _, text in board.labels)
            lines = [re.sub(r"[a-i]\d", "", line) for line in lines]
        else:
            lines = [line[line.index(line.strip()[0]) + 1 :] for line in lines]
        found = re.sub(r"[^A-Za-z]", "", "".join(lines))
        assert sorted(found) == sorted(state.ground().replace(".", ""))


def test_text_of_each_game() -> None:
    state = play("oust side=2 pie_rule=true board=../.../.. to_play=0 winner=none", "b1", "swap")
    assert to_text(state, False).split("\n") == [
        "oust side=2 pie_rule=true to_play=0 winner=none",
        "  c   . .",
        " b  [W]. .",
        "  a   . .",
        "White (player_1) swapped and took over the stone on b1",
        "Black (player_0) to play: place a stone",
        "B Black: 0 stones, W White: 1 stone",
    ]
    state = play("strands layout=22/321/33 cover=up_to board=../.B./.. to_play=1 winner=none", "a1")
    assert to_text(state, False).split("\n") == [
        "strands layout=22/321/33 cover=up_to to_play=1 winner=none due=3 left=2",
        "  c   2 2",
        " b   3 B 1",
        "  a  [W]3",
        "White (player_1) covered a1, marked 3",
        "White (player_1) to play: cover up to 2 more 3s, or stop",
        "B Black: a group of 1, W White: a group of 1",
    ]
    start = make_game("gipf").initial_state()
    start.step(start.parse_action("e1-e2"))
    assert to_text(start, False).split("\n")[1:] == [
        "                 e9",
        "             d8      f8",
        "         c7      B       g7",
        "     b6      .       .       h6",
        " a5      .       .       .       i5",
        "     W       .       .       W",
        " a4      .       .       .       i4",
        "     .       .       .       .",
        " a3      .       .       .       i3",
        "     .       .       .       .",
        " a2      .       .       .       i2",
        "     B       .       .       B",
        " a1      .       W       .       i1",
        "     b1      .       .       h1",
        "         c1     [w]      g1",
        "             d1      f1",
        "                 e1",
        "White (player_0) pushed e1-e2",
        "Black (player_1) to play: push a piece",
        "w White: 11 in reserve, 1 single and 3 GIPF pieces (W) on the board",
        "b Black: 12 in reserve, 3 GIPF pieces (B) on the board",
    ]


def test_colour_only_on_a_terminal_or_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    state = play("rive side=2 board=../.../.. to_play=0 winner=none", "b2")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    assert "\033" not in to_text(state) and "\033" in to_text(state, colour=True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert "\033" in to_text(state) and "\033" not in to_text(state, colour=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033" not in to_text(state)


def test_text_without_any_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """As under pythonw and in some services."""
    state = make_game("oust", side=2).initial_state()
    text = to_text(state, colour=False)
    monkeypatch.setattr(sys, "stdout", None)
    assert to_text(state) == text and to_text(state, colour=False) == text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("to_play=1 ", ""), "to_play is missing"),
        (lambda text: text.replace(" winner=none", ""), "winner is missing"),
        (lambda text: text.replace("[B]", "   "), "cell b2 is missing"),
        (lambda text: text.replace("[B]", "[Q]"), "characters out of"),
        (lambda text: "\n".join(text.split("\n")[:2] + text.split("\n")[-1:]), "is missing"),
        (lambda text: text.replace("rive", "rave"), "there is no game 'rave'"),
        (lambda text: "", "there is no game ''"),
    ],
    ids=["to_play", "winner", "a cell", "a symbol", "the board", "the game", "all"],
)
def test_texts_that_are_no_board(change: Callable[[str], str], message: str) -> None:
    text = to_text(play("rive side=2 board=../.../.. to_play=0 winner=none", "b2"), False)
    with pytest.raises((PositionTextError, OptionError), match=message):
        from_text(change(text))


# SVG and the shapes behind it


def imports_of_ours(module: str) -> set[str]:
    """The modules of the package that a module of rendering imports, anywhere in it."""
    file = Path(rendering.__file__).with_name(f"{module}.py")
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found.add(str(node.module))
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.split(".")[0] == "hexgames_env"}


def test_what_draws_shapes_knows_nothing_else() -> None:
    """No position, no game and no option: a picture of anything can be drawn."""
    shapes, palette = "hexgames_env.rendering.shapes", "hexgames_env.rendering.palette"
    assert imports_of_ours("shapes") == {palette}
    assert imports_of_ours("svg") == {shapes, palette}
    assert imports_of_ours("pixels") == {shapes}


def boxes(picture: Picture) -> list[tuple[float, float, float, float, str]]:
    """Left, top, right, bottom of each text, at the width of a usual font; and what it says."""
    found = []
    for shape in (*picture.base, *picture.shapes):
        if isinstance(shape, Text):
            width = 0.56 * shape.size * len(shape.text)
            shift = {"start": 0.0, "middle": width / 2, "end": width}[shape.anchor]
            left, half = shape.x - shift, 0.36 * shape.size
            found.append((left, shape.y - half, left + width, shape.y + half, shape.text))
    return found


def reach(shape: Any) -> list[tuple[float, float]]:
    if isinstance(shape, Polygon):
        return list(shape.points)
    if isinstance(shape, Line):
        r, ends = shape.width / 2, ((shape.x0, shape.y0), (shape.x1, shape.y1))
    else:
        r = shape.radius + (shape.width / 2 if isinstance(shape, Ring) else 0)
        ends = ((shape.x, shape.y),) * 2
    return [(x + sx * r, y + sy * r) for x, y in ends for sx in (-1, 1) for sy in (-1, 1)]


@every_game
@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut_off_overlaps_or_is_too_small(name: str, size: int) -> None:
    for game in games_of(name):
        for state in some_positions(game, seed=11, wanted=3):
            actions = state.legal_actions()
            pointed = actions[-1] if actions else None
            heat = dict.fromkeys(actions, 1.0) if size != SIZES[1] else None
            picture = compose(state, size, legal=True, pointed=pointed, heat=heat)
            for shape in (*picture.base, *picture.shapes):
                if not isinstance(shape, Text):
                    assert all(-0.5 <= c <= size + 0.5 for point in reach(shape) for c in point)
            texts = boxes(picture)
            for left, top, right, bottom, text in texts:
                assert left >= 0 and top >= 0 and right <= size and bottom <= size, text
                assert bottom - top >= 0.72 * 6, text
            on_cells = len([s for s in picture.base if isinstance(s, Text)])
            for i, (left, top, right, bottom, text) in enumerate(texts):
                for other in texts[i + 1 :] if i >= on_cells else texts[i + 1 : on_cells]:
                    apart = (
                        other[2] <= left
                        or right <= other[0]
                        or other[3] <= top
                        or bottom <= other[1]
                    )
                    assert apart or text == other[4], (text, other, state)


@every_game
def test_svg_is_well_formed_and_has_every_stone(name: str) -> None:
    for theme, colours in THEMES.items():
        for state in some_positions(make_game(name), seed=7, wanted=3):
            picture = compose(state, theme=theme, legal=True)
            root = ElementTree.fromstring(to_svg(picture, "a < b & c"))
            assert root.attrib["width"] == root.attrib["height"] == "480"
            circles = {
                (circle.attrib["cx"], circle.attrib["cy"], circle.attrib["fill"])
                for circle in root.iter("{http://www.w3.org/2000/svg}circle")
            }
            scene = state.game.scene(state)
            assert len(scene.stones) == sum(symbol != "." for symbol in state.ground())
            for cell, (player, _height) in scene.stones.items():
                x, y = (f"{c:.1f}".removesuffix(".0") for c in picture.cells[cell])
                fill = colours.dark if player == scene.dark else colours.light
                assert (x, y, "#{:02x}{:02x}{:02x}".format(*fill)) in circles


def test_svg_of_a_state() -> None:
    state = play("rive side=2 board=../.../.. to_play=0 winner=none", "b2")
    svg = state.to_svg(300, theme="dark", coordinates=False)
    assert 'width="300"' in svg and ">a1<" not in svg and ">a1<" in state.to_svg(300)
    assert state._repr_svg_() == state.to_svg()
    assert state.to_svg(legal=True) != state.to_svg() != state.to_svg(heat=[0, 0, 0, 1, 0, 0, 0])
    assert "Black (player_0) placed b2" in svg
    assert f"<desc>{state.to_string()}</desc>" in svg


def test_heat() -> None:
    state = play("rive side=2 board=../.../.. to_play=0 winner=none", "b2")
    hot = THEMES["light"].hot

    def polygons(heat: Any) -> list[Any]:
        shapes = compose(state, heat=heat).shapes
        return [s for s in shapes if isinstance(s, Polygon) and len(s.points) == 6]

    plain = polygons(None)
    for heat in ([0, 0, 4, 0, 0, 2, 0], {2: 0.5, 5: 0.25}, np.array([0, 0, 1, 0, 0, 0.5, 0])):
        added = [polygon for polygon in polygons(heat) if polygon not in plain]
        assert len(added) == 2 and added[0].colour == hot != added[1].colour
    assert polygons([0.0] * 7) == polygons({}) == plain
    assert polygons(np.ma.masked_array(range(7))) == polygons(range(7))
    for wrong in (
        [1.0] * 6,
        {7: 1.0},
        {-1: 1.0},
        [-1.0] * 7,
        [float("nan")] * 7,
        {0: float("inf")},
        {"a": 1},
        {None: 1},
        {1.0: 1},
        {True: 1},
        {0: "1"},
        {0: bytearray(b"1")},
        {0: None},
        {0: 10**400},
        {0: 1j},
        {0: np.ma.masked},
        {0: np.timedelta64(1, "s")},
        {0: np.array([1.0])},
        ["x"] * 7,
        [[1.0]] * 7,
        np.ones((7, 1)),
        np.ones((7, 2)),
        np.ones(7, complex),
        np.array(3.0),
        np.ma.masked_array(np.ones(7), mask=[0, 0, 1, 0, 0, 0, 0]),
        "1111111",
        b"1111111",
        set(range(7)),
        iter([1.0] * 7),
        5,
    ):
        with pytest.raises(ValueError, match=r"^heat must .* got "):
            state.to_svg(heat=wrong)  # type: ignore[arg-type]
    for action in (np.int64(2), np.array([2])[0]):
        assert polygons({action: np.float32(1)}) == polygons({2: True}) == polygons({2: 1})


def test_heat_says_how_to_mend_it() -> None:
    state = make_game("rive", side=2).initial_state()
    hidden = np.ma.masked_array(np.ones(7), mask=[0, 0, 1, 0, 0, 0, 0])
    for heat, message in (
        (hidden, r"got masked for action 2: .*heat\.filled\(0\)"),
        ([1, 2j, *[0] * 5], "got 2j for action 1: take the real part or the absolute value"),
        ([0, 0, 0, -0.5, *[0] * 3], "got -0.5 for action 3: give 0 to what is not to be shown"),
        ({7: 1}, "for actions, integers from 0 to 6, got 1 for 7"),
        ([1, 2], "each of the 7 actions, got 2: a mapping may leave actions out"),
    ):
        with pytest.raises(ValueError, match=message):
            state.to_svg(heat=heat)  # type: ignore[arg-type]


def test_what_is_no_state_or_picture() -> None:
    state = make_game("rive", side=2).initial_state()
    for draw in (to_text, compose, Renderer("ansi").render, Renderer(None).render):
        for wrong in (5, None, "rive", state.game, oust_v0.env(side=2)):
            with pytest.raises(TypeError, match=r"what is drawn is a State, .* got "):
                draw(wrong)
    for wrong in (5, None, state):
        with pytest.raises(TypeError, match=r"takes a Picture, .* call state\.to_svg\(\)"):
            to_svg(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="title must be a str, got 5"):
        to_svg(compose(state), 5)  # type: ignore[arg-type]


def test_options_of_pictures_that_are_wrong() -> None:
    state = make_game("rive", side=2).initial_state()
    state.step(0)
    wrong: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
        (to_text, {"colour": "dark"}, "colour must be None, True or False, got 'dark'"),
        (to_text, {"headline": 5}, "headline must be None or a str, got 5"),
        (compose, {"headline": b"x"}, "headline must be None or a str, got b'x'"),
        (compose, {"legal": [1, 2]}, r"legal must be True or False, got \[1, 2\]"),
        (compose, {"coordinates": None}, "coordinates must be True or False, got None"),
    ]
    for draw, options, message in wrong:
        with pytest.raises(OptionError, match=message):
            draw(state, **options)
    assert compose(state, legal=np.bool_(True)) == compose(state, legal=True)  # type: ignore[arg-type]
    for pointed, message in (
        (0, "only a legal action can be pointed at, got 0, which is a1"),
        (7, "an integer from 0 to 6, got 7"),
        ("a1", "an integer from 0 to 6, got 'a1'"),
    ):
        with pytest.raises(IllegalActionError, match=message):
            compose(state, pointed=pointed)  # type: ignore[arg-type]
    legal = state.legal_actions()[0]
    assert compose(state, pointed=np.int64(legal)) == compose(state, pointed=legal)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [0, 99, 4001, -480, 480.0, "480", None, True])
def test_wrong_sizes(size: Any) -> None:
    with pytest.raises(OptionError, match="an integer from 100 to 4000, got"):
        make_game("oust", side=2).initial_state().to_svg(size)


@pytest.mark.parametrize("theme", ["Dark", "", None, 1, ["x"], {"light": 1}])
def test_wrong_themes(theme: Any) -> None:
    message = re.escape(f"theme must be one of 'light', 'dark', got {theme!r}")
    with pytest.raises(OptionError, match=message):
        make_game("oust", side=2).initial_state().to_svg(theme=theme)


def grounds(colours: Palette) -> dict[str, tuple[int, int, int]]:
    """Every colour that a cell can have without heat, by what makes it so."""
    tints = {
        "dark": colours.for_dark,
        "light": colours.for_light,
        **{name: getattr(colours, name) for name in TINTS},
    }
    found = {str(number): cell_colour(colours, number) for number in range(1, 7)}
    for number in range(1, 7):
        for name, tint in tints.items():
            found[f"{number} {name}"] = cell_colour(colours, number, tint)
    found |= {name: cell_colour(colours, None, tint) for name, tint in tints.items()}
    return found | {f"{name}, in a group": mix(c, colours.area, 0.6) for name, c in found.items()}


def test_text_on_cells_is_readable() -> None:
    """A contrast of at least 4.5, as guidelines for the web ask for, on every colour of a cell."""
    assert contrast((255, 255, 255), (118, 118, 118)) == pytest.approx(4.54, abs=0.01)
    for colours in THEMES.values():
        heats = [mix(colours.warm, colours.hot, part / 20) for part in range(21)]
        for fill in (*grounds(colours).values(), *heats):
            for word, share, written in (
                ("6", "", "6 a1"),
                ("", "42%", "42% a1"),
                ("6", "<1%", ""),
            ):
                texts = cell_texts(0, 0, 100, 20, "a1", word, fill, share)
                assert " ".join(t.text for t in texts) == (written or f"{word} {share}")
                assert all(contrast(fill, text.colour) >= 4.5 for text in texts)
            if contrast(fill, ink_on(fill)) > 6:  # fainter, so that numbers stand out
                assert contrast(fill, faint_on(fill)) < contrast(fill, ink_on(fill))
        for button in (colours.target, colours.ink):
            assert contrast(button, ink_on(button)) >= 4.5
        assert (
            contrast(colours.page, colours.ink) >= 4.5
            and contrast(colours.page, colours.faint) >= 4.5
        )
        assert contrast(colours.dark, colours.light) >= 10
        for stone in (colours.dark, colours.light):
            assert contrast(colours.last, stone) >= 1.8
        assert contrast(colours.target, colours.cell) >= 3
        # Black stones are clear by their body, and by their rim in the dark
        assert contrast(colours.dark, colours.cell) >= 3
        assert max(contrast(c, colours.cell) for c in (colours.dark, colours.dark_rim)) >= 4


# Colours as others see them: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A physiologically-
# based model for simulation of color vision deficiency", 2009, severity 1.0; on linear RGB.
EYES = {
    "usual": np.eye(3),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def as_seen(colour: tuple[int, int, int], eyes: str) -> Any:
    """A colour in CIE L*a*b*, where equal distances look about equal."""
    part = np.array(colour) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    xyz = XYZ @ np.clip(EYES[eyes] @ linear, 0, 1) / (0.95047, 1, 1.08883)
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("theme", THEMES)
def test_everybody_can_tell_heated_cells_from_others(theme: str, eyes: str) -> None:
    """A distance of 2 is what people just notice; 10 is clear, and so weak heat is too."""
    colours = THEMES[theme]
    for part in range(21):
        heated = as_seen(mix(colours.warm, colours.hot, part / 20), eyes)
        for name, ground in grounds(colours).items():
            assert np.linalg.norm(heated - as_seen(ground, eyes)) >= 10, (part, name)
        assert np.linalg.norm(heated - as_seen(colours.last, eyes)) >= 10, part
    steps = [as_seen(mix(colours.warm, colours.hot, part / 4), eyes)[0] for part in range(5)]
    assert all(abs(one - other) > 4 for one, other in pairwise(steps))  # and weak from strong


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("theme", THEMES)
def test_everybody_can_tell_tints(theme: str, eyes: str) -> None:
    colours = THEMES[theme]
    cells = [colours.cell, colours.for_dark, colours.for_light]
    cells += [getattr(colours, name) for name in TINTS]
    seen = [as_seen(cell, eyes) for cell in cells]
    for i, one in enumerate(seen):
        for other in seen[i + 1 :]:
            assert np.linalg.norm(one - other) >= 8


def texts_of(picture: Picture) -> list[str]:
    return [s.text for s in (*picture.base, *picture.shapes) if isinstance(s, Text)]


def test_heat_too_small_to_be_written_is_drawn_all_the_same() -> None:
    state = make_game("oust", side=3).initial_state()
    state.step(3)
    picture = compose(state, heat={3: 0.001, 4: 1})  # on a stone, and on a cell
    assert len(picture.shapes) > len(compose(state, heat={4: 1}).shapes)


def test_heat_is_written_where_there_is_room() -> None:
    state = make_game("rive", side=3).initial_state()
    picture = compose(state, heat={0: 42, 5: 57.8, 7: 0.2})
    assert {"42%", "58%", "0%"} < set(texts_of(picture)) and "<1%" not in texts_of(picture)
    assert texts_of(picture).count("58%") == 2  # at the end of the scale too
    small = compose(state, 120, heat={0: 42, 5: 58})
    assert not any("%" in text for text in texts_of(small))
    assert "100%" in texts_of(compose(state, heat={3: 1e-300}))
    assert "99%" in texts_of(compose(state, heat={3: 1000, 4: 1}))
    assert not any("%" in text for text in texts_of(compose(state, heat={3: 0})))

    strands = play(
        "strands layout=22/321/33 cover=up_to board=../.B./.. to_play=1 winner=none", "a1"
    )
    texts = texts_of(compose(strands, heat={1: 3, strands.game.num_actions - 1: 1}))
    assert "75%" in texts and "stop 25%" in texts and texts.count("3") >= 2

    removal = play("rive side=2 board=B./..W/B. to_play=0 winner=none", "b1")
    assert {"80%", "20%"} < set(texts_of(compose(removal, heat={0: 4, 2: 1})))

    gipf = make_game("gipf").initial_state()
    first, *_, last = gipf.legal_actions()
    assert {"75%", "25%"} < set(texts_of(compose(gipf, heat={first: 3, last: 1})))
    assert not {"75%", "25%"} & set(texts_of(compose(gipf, 120, heat={first: 3, last: 1})))


def test_heat_of_rows_is_written_at_their_ends() -> None:
    board = "B..b/w.Wwb/.W...b/bw....w/w....B/wb..W/bbBw"
    state = play(f"gipf variant=standard board={board} to_play=0 winner=none", "g1-g2")
    first, second = state.legal_actions()
    for heat, shares in (({first: 3, second: 1}, ["75%", "25%"]), ({second: 1}, ["100%"])):
        picture = compose(state, heat=heat)
        written = [s for s in picture.shapes if isinstance(s, Text) and s.text in shares]
        written = [s for s in written if s.anchor == "middle"]  # not in the legend
        assert [text.text for text in written] == shares
        for text, action in zip(written, heat, strict=True):
            row = [picture.cells[cell] for cell in state.game.cells_of_action(action)]
            far = sorted(np.hypot(text.x - x, text.y - y) / picture.unit for x, y in picture.cells)
            assert far[0] > 0.3 and far[1] > 0.65  # the nearest is empty: no stone is covered
            (x0, y0), (x1, y1) = row[0], row[-1]
            assert (x1 - x0) * (text.y - y0) == pytest.approx((y1 - y0) * (text.x - x0), abs=0.01)
    small = [s for s in compose(state, 240, heat={first: 1}).shapes if isinstance(s, Text)]
    assert not [text for text in small if text.text == "100%" and text.anchor == "middle"]


@every_game
def test_marks_of_the_last_turn_can_be_seen_in_small_pictures(name: str) -> None:
    for game in games_of(name):
        for state in some_positions(game, seed=12, wanted=6):
            picture, last = compose(state, 240), THEMES["light"].last
            widths = {s.width for s in picture.shapes if isinstance(s, Ring) and s.colour == last}
            assert all(width >= 1.5 for width in widths)
            lines = [s for s in picture.shapes if isinstance(s, Line) and s.colour == last]
            assert all(line.width >= 1.2 for line in lines)
            assert len(widths) <= 2 and (len(widths) < 2 or max(widths) >= 1.5 * min(widths))


def test_legal_places_are_dots_and_what_may_be_taken_is_outlined() -> None:
    blue = THEMES["light"].target

    def marks(state: State) -> tuple[int, int]:
        """How many dots, how many outlines."""
        shapes = compose(state, legal=True).shapes
        dots = [s for s in shapes if isinstance(s, Disc) and s.colour == blue]
        outlines = [s for s in shapes if isinstance(s, Polygon) and s.colour == blue]
        around_player = 1  # in the corner
        return len(dots) - around_player, len(outlines)

    for name in ("oust", "rive", "strands"):
        start = make_game(name).initial_state(1)
        assert marks(start) == (len(start.legal_actions()), 0)
    removal = play("rive side=2 board=B./..W/B. to_play=0 winner=none", "b1")
    assert marks(removal) == (0, len(removal.legal_actions()))
    covering = play(
        "strands layout=22/321/33 cover=up_to board=../.B./.. to_play=1 winner=none", "a1"
    )
    assert marks(covering) == (0, len(covering.legal_actions()) - 1)  # the other is to stop


def test_dots_do_not_hide_what_stands_on_cells() -> None:
    state = make_game("strands").initial_state()
    for heat in (None, dict.fromkeys(state.legal_actions(), 1.0)):
        picture = compose(state, legal=True, heat=heat)
        boxes_on_board = [box for box in boxes(picture) if box[1] > 60 and box[3] < 415]
        for dot in (s for s in picture.shapes if isinstance(s, Disc) and s.radius < 10):
            if dot.colour == THEMES["light"].target:
                for left, top, right, bottom, text in boxes_on_board:
                    across = max(left - dot.x, 0, dot.x - right)
                    down = max(top - dot.y, 0, dot.y - bottom)
                    assert np.hypot(across, down) >= 0.8 * dot.radius, text


def test_labels_at_the_edge_are_of_rows() -> None:
    """Numbers at the right end of rows would read as the rows' own."""
    for name in ("oust", "rive", "strands"):
        game = make_game(name)
        labels = [text for _, text in game.scene(game.initial_state(1)).plan.labels]
        assert labels == sorted({cell[0] for cell in game.cell_names})


# The last turn


def rings(picture: Picture, colour: tuple[int, int, int]) -> dict[tuple[float, float], float]:
    """The width of each ring of this colour, by its middle."""
    shapes = [s for s in picture.shapes if isinstance(s, Ring) and s.colour == colour]
    return {(ring.x, ring.y): ring.width for ring in shapes}


def crosses(picture: Picture) -> set[int]:
    """The cells that are crossed out."""
    ends = [(s.x0 + s.x1, s.y0 + s.y1) for s in picture.shapes if isinstance(s, Line)]
    twice = [(round(x / 2, 3), round(y / 2, 3)) for x, y in ends]
    cells = [(round(x, 3), round(y, 3)) for x, y in picture.cells]
    return {cell for cell, place in enumerate(cells) if twice.count(place) == 2}


def marked(state: State, theme: str = "light") -> tuple[list[str], list[str], list[str]]:
    """The cells of the last step, of earlier ones, and those that are crossed out."""
    picture = compose(state, theme=theme)
    names = state.game.cell_names
    found = rings(picture, THEMES[theme].last)
    cells = {names[picture.cells.index(place)]: width for place, width in found.items()}
    strong = [cell for cell, width in cells.items() if width > 0.08 * picture.unit]
    weak = [cell for cell, width in cells.items() if width < 0.06 * picture.unit]
    assert len(strong) + len(weak) == len(cells)
    return strong, weak, sorted(names[cell] for cell in crosses(picture))


@pytest.mark.parametrize("theme", THEMES)
def test_all_steps_of_a_turn_are_marked(theme: str) -> None:
    board = "W.../...../....../B..B.W./....../...../W..W"
    state = play(f"oust side=4 pie_rule=true board={board} to_play=0 winner=none", "d5")
    assert marked(state, theme) == (["d5"], [], ["d6"])
    state.step(state.parse_action("e2"))
    assert state.to_play == 1  # no capture, so the turn is over
    assert marked(state, theme) == (["e2"], ["d5"], ["d6"])
    state.step(state.parse_action("b3"))
    assert marked(state, theme) == (["b3"], [], [])

    state = play("rive side=2 board=B./..W/B. to_play=0 winner=none", "b1", "xa1")
    assert marked(state, theme) == ([], ["b1"], ["a1"])

    covers = "strands layout=22/321/33 cover=up_to board=../.B./.. to_play=1 winner=none"
    state = play(covers, "a1", "a2")
    assert marked(state, theme) == (["a2"], ["a1"], [])
    state.step(state.parse_action("stop"))  # which shows nothing: what came before stays strongest
    assert state.to_play == 0 and marked(state, theme) == (["a2"], ["a1"], [])


def test_a_swap_marks_what_changed_hands() -> None:
    start = "oust side=2 pie_rule=true board=../.../.. to_play=0 winner=none"
    assert marked(play(start, "b1", "swap")) == (["b1"], [], [])


def test_rows_taken_in_a_turn_of_gipf_are_marked() -> None:
    board = "B..b/w.Wwb/.W...b/bw....w/w....B/wb..W/bbBw"
    state = play(f"gipf variant=standard board={board} to_play=0 winner=none", "g1-g2")
    orange, unit = THEMES["light"].last, compose(state).unit

    def marks() -> tuple[list[float], list[float], int]:
        """The widths of bars, the radii of dots, in parts of the unit; the number of crosses."""
        picture = compose(state)
        lines = [s for s in picture.shapes if isinstance(s, Line) and s.colour == orange]
        bars = lines[: len(lines) - 2 * len(crosses(picture))]
        dots = [s for s in picture.shapes if isinstance(s, Disc) and s.colour == orange]
        found = [round(bar.width / unit, 3) for bar in bars]
        return found, [round(dot.radius / unit, 3) for dot in dots], len(crosses(picture))

    assert marks() == ([], [0.09], 0) and marked(state)[0] == ["g2"]
    for text in ("xg2-g6", "keep"):
        state.step(state.parse_action(text))
        assert marks() == ([0.12], [0.06], 4) and marked(state)[:2] == ([], [])
    assert [step.text for step in last_turn(state)] == ["g1-g2", "xg2-g6", "keep"]


def test_pieces_that_are_pushed_on_are_not_gone() -> None:
    """In GIPF a push brings one piece, so what leaves can be counted."""
    removals = 0
    for seed in range(8):
        before = 0
        for state in walk(make_game("gipf"), seed):
            scene = state.game.scene(state)
            if state.last_step is not None:
                pushed = "-" in state.last_step[1] and not state.last_step[1].startswith("x")
                assert scene.gone is not None
                assert before + pushed - len(scene.gone) == len(scene.stones), state
                removals += bool(scene.gone)
                assert not set(turn_marks(state, scene).gone) & set(scene.stones)
            before = len(scene.stones)
    assert removals > 10


def test_what_a_game_says_of_stones_that_are_gone() -> None:
    state = play(
        "oust side=3 pie_rule=true board=.../..../..B.W/..../W.. to_play=0 winner=none", "c4"
    )
    scene = state.game.scene(state)
    c5, a1 = (state.game.board.cell(name) for name in ("c5", "a1"))
    assert scene.gone is None and turn_marks(state, scene).gone == {c5: 1}
    scene.gone = {0: 0}
    assert a1 == 0 and turn_marks(state, scene).gone == {}  # for there a stone lies
    scene.gone = {c5: 0}
    assert turn_marks(state, scene).gone == {c5: 0}


# Cells and edges that a game colours


class Sided(toy_game.Duo):
    """A game with goal sides: the lower left is player_0's, what is next to it player_1's."""

    __module__ = "toy_game"  # where its kernels are
    tints: Any = {0: 0, 1: 1, 2: "blue", 3: "green", 4: "yellow"}

    def scene(self, state: State) -> Scene:
        scene = super().scene(state)
        sides = hex_sides(self.board)
        scene.edges = sides[0] + sides[3], sides[1] + sides[2]
        scene.tints = self.tints
        return scene


def test_sides_of_a_board() -> None:
    board = make_game("rive", side=3).board
    sides = hex_sides(board)
    names = [sorted({board.names[cell] for cell, _ in side}) for side in sides]
    assert names == [
        ["a1", "a2", "a3"],
        ["a3", "b4", "c5"],
        ["c5", "d4", "e3"],
        ["e1", "e2", "e3"],
        ["c1", "d1", "e1"],
        ["a1", "b1", "c1"],
    ]
    assert all(len(side) == len(set(side)) == 6 for side in sides)
    assert sum(side.count((0, 4)) for side in sides) == 2  # in the middle of a corner
    assert len({edge for side in sides for edge in side}) == 6 * 6 - 6


@pytest.mark.parametrize("theme", THEMES)
def test_a_game_colours_cells_and_edges(theme: str) -> None:
    colours = THEMES[theme]
    state = Sided(side=3).initial_state()
    picture = compose(state, theme=theme)
    fills = [s for s in picture.base if isinstance(s, Polygon) and len(s.points) == 6]
    inside = fills[len(fills) // 2 :]
    expected = [colours.for_dark, colours.for_light, *(getattr(colours, t) for t in TINTS)]
    assert [s.colour for s in inside[:5]] == expected
    assert all(s.colour == colours.cell for s in inside[5:])

    svg = to_svg(picture)
    assert all("#{:02x}{:02x}{:02x}".format(*colour) in svg for colour in expected)


@pytest.mark.parametrize("theme", THEMES)
def test_edges_are_bands_in_the_players_colours(theme: str) -> None:
    colours = THEMES[theme]
    state = Sided(side=3).initial_state()
    picture = compose(state, theme=theme)
    middle = np.mean(picture.cells, axis=0)
    bands = [s for s in picture.base if isinstance(s, Polygon) and len(s.points) == 4]
    rims = [b for b in bands if b.colour in (colours.dark_rim, colours.light_rim)]
    assert rims == bands[: len(rims)] and 2 * len(rims) == len(bands)  # under all bands
    # player_0 has two sides of six edges; of player_1's two, one edge is the same.  The edges in
    # the middle of the two corners where both meet are halved.
    for colour, edges, right in ((colours.dark, 12, False), (colours.light, 11, True)):
        own = [b for b in bands if b.colour == colour]
        lengths = [np.hypot(*np.subtract(b.points[0], b.points[1])) for b in own]
        edge = max(lengths)
        assert edge == pytest.approx(picture.unit / np.sqrt(3))
        halves = [i for i, length in enumerate(lengths) if length < 0.6 * edge]
        assert len(own) == edges and len(halves) == 2
        for i in halves:  # beside the others of the same player
            others = [np.mean(b.points, axis=0) for k, b in enumerate(own) if k not in halves]
            here = np.mean(own[i].points, axis=0)
            assert min(np.hypot(*(here - other)) for other in others) < 0.9 * edge
        for band in own:
            x, y = np.mean(band.points, axis=0)
            far = [np.hypot(x - u, y - v) for u, v in picture.cells]
            assert min(far) > 0.5 * picture.unit  # outside the cells
            if right:
                assert x > middle[0]
    assert empty_board(state.game.scene(state).plan, 480, colours, True, Grounds()).unit > (
        picture.unit
    )


def test_edges_and_labels_have_room() -> None:
    for size in SIZES:
        for side in (2, 3):
            picture = compose(Sided(side=side).initial_state(), size)
            for shape in picture.base:
                if isinstance(shape, Polygon):
                    assert all(0 <= c <= size for point in shape.points for c in point)


def test_tints_and_edges_that_are_wrong() -> None:
    class Wrong(Sided):
        __module__ = "toy_game"
        tints: Any = {}
        edges: Any = ((), ())

        def scene(self, state: State) -> Scene:
            scene = super().scene(state)
            scene.edges = self.edges
            return scene

    for tints in ({0: "red"}, {0: 2}, {99: 0}, {0: None}):
        Wrong.tints = tints
        with pytest.raises(ValueError, match=r"tints are by cell a player, .* got .* for cell"):
            compose(Wrong(side=2).initial_state())
    Wrong.tints = {}
    for edges in (((0, 6),), ((7, 0),), ((0, 1, 2),)):
        Wrong.edges = ((), edges)
        with pytest.raises(ValueError, match=r"edges are for each player pairs .* got \("):
            compose(Wrong(side=2).initial_state())


def test_cells_of_boards_of_lines_are_tinted_too() -> None:
    plan = make_game("gipf").scene(make_game("gipf").initial_state()).plan
    colours = THEMES["light"]
    board = empty_board(plan, 480, colours, True, Grounds(tints=((3, "blue"),)))
    discs = [s for s in board.shapes if isinstance(s, Disc) and s.colour == colours.blue]
    assert [(disc.x, disc.y) for disc in discs] == [board.cells[3]]


# What games say


def test_oust_marks_a_capture() -> None:
    board = ".../..../..B.W/..../W.."
    state = play(f"oust side=3 pie_rule=true board={board} to_play=0 winner=none", "c4")
    scene = state.game.scene(state)
    assert state.to_play == 0
    assert scene.beside == (["2"], ["1"])
    picture = compose(state)
    x, y = picture.cells[state.game.board.cell("c5")]
    arms = [shape for shape in picture.shapes if isinstance(shape, Line)]
    assert len(arms) == 2  # of the cross where the stone has gone
    assert all(abs((a.x0 + a.x1) / 2 - x) + abs((a.y0 + a.y1) / 2 - y) < 0.01 for a in arms)


def test_rive_shows_a_removal() -> None:
    state = play("rive side=2 board=B./..W/B. to_play=0 winner=none", "b1")
    scene = state.game.scene(state)
    assert state.phase == "removal"
    names = state.game.cell_names
    assert {names[cell] for cell in scene.area} == {"a1", "b1", "c1"}
    assert [names[cell] for cell in scene.focus] == ["b1"]
    state.step(state.parse_action("xa1"))
    assert not list(state.game.scene(state).area)


def test_strands_shows_numbers_and_what_may_be_covered() -> None:
    start = "strands layout=22/321/33 cover={} board=../.B./.. to_play=1 winner=none"
    state = play(start.format("up_to"), "a1")
    scene = state.game.scene(state)
    assert [scene.numbers[cell] for cell in range(7)] == [3, 3, 3, 2, 1, 2, 2]
    assert [state.game.cell_names[cell] for cell in scene.targets] == ["a2", "b1"]
    assert scene.beside == (["1"], ["1"])
    drawn = make_game("strands", layout="6-random").initial_state(4)
    written = drawn.game.board.to_rows(
        "".join(str(number) for _, number in sorted(drawn.game.scene(drawn).numbers.items()))
    )
    assert written == drawn.fields()["numbers"]


def test_gipf_shows_lines_stacks_reserves_and_rows() -> None:
    state = make_game("gipf").initial_state()
    scene = state.game.scene(state)
    assert len(scene.plan.lines) == 21 and len(scene.plan.dots) == 24
    assert all(height == 2 for _, height in scene.stones.values()) and scene.dark == 1
    assert scene.beside == (["12", "in reserve"], ["12", "in reserve"])
    names = {text for _, text in scene.plan.labels}
    assert names == {text.split("-")[0] for text in state.game.action_names(0)[:42]}
    state.step(state.parse_action("e1-e2"))
    assert state.game.scene(state).beside[0] == ["11", "in reserve"]

    state = play(
        "gipf variant=standard board=B..b/w.Wwb/.W...b/bw....w/w....B/wb..W/bbBw "
        "to_play=0 winner=none",
        "g1-g2",
    )
    names = state.game.cell_names
    rows = [[names[point] for point in row] for row in state.game.scene(state).rows]
    assert rows == ["g2 g3 g4 g5 g6".split(), "d2 e3 f3 g3".split()]
    assert state.phase == "row"
    state.step(state.parse_action("xg2-g6"))
    scene = state.game.scene(state)
    assert state.phase == "take" and [names[point] for point in scene.targets] == ["g4"]
    assert scene.beside[1] == ["5", "in reserve", "1 out"]


def test_pushes_are_shown_between_dot_and_point() -> None:
    for variant, kinds in (("standard", 42), ("tournament", 84)):
        state = make_game("gipf", variant=variant).initial_state()
        places = state.game.scene(state).places
        assert len({places[action] for action in places}) == kinds


@every_game
def test_every_legal_action_can_be_pointed_at(name: str) -> None:
    for game in games_of(name):
        for state in some_positions(game, seed=2, wanted=3):
            plain = compose(state)
            assert {area.action for area in plain.hit_areas} == set(state.legal_actions())
            for action in state.legal_actions()[:3] + state.legal_actions()[-3:]:
                assert compose(state, pointed=action).shapes != plain.shapes
                assert compose(state, heat={action: 1}).shapes != plain.shapes


def test_a_users_game_gets_a_plain_board() -> None:
    register_game(toy_game.Duo)
    state = make_game("duo", side=3).initial_state()
    state.step(state.parse_action("a1"))
    scene = state.game.scene(state)
    assert scene.stones == {0: (0, 1)} and scene.beside == (["1"], ["0"])
    assert from_text(to_text(state)) == state
    assert "Black (player_0) to play: place a stone (second)" in state.to_svg()


def test_symbols_that_are_no_stones_are_written() -> None:
    class Walls(toy_game.Duo):
        __module__ = "toy_game"  # where its kernels are
        symbols = ".BW#"

        def ground(self, row: Any) -> str:
            return super().ground(row)[:-1] + "#"

    state = Walls().initial_state()
    assert ">#</text>" in state.to_svg() and "#" in to_text(state)


# Modes


def test_modes_and_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    state = make_game("oust", side=2).initial_state()
    assert RENDER_MODES == ("ansi", "rgb_array", "human")
    assert render(state, "ansi") == to_text(state) == Renderer("ansi").render(state)
    assert Renderer(None).render(state) is None
    with pytest.raises(OptionError, match=r"render_mode must be None or one of 'ansi', .*'svg'"):
        Renderer("svg")
    with pytest.raises(OptionError, match="size of a picture"):
        Renderer("ansi", 10)
    with pytest.raises(OptionError, match=r"theme must be one of .* got 'red'"):
        Renderer("ansi", theme="red")
    for fps in (-1, float("nan"), float("inf"), "4", None, 1j, [4]):
        with pytest.raises(OptionError, match=r"fps is how many .* a number from 0 up, .* got "):
            Renderer("ansi", fps=fps)  # type: ignore[arg-type]
    monkeypatch.setattr(pixels, "find_spec", lambda name: None)
    for mode in ("rgb_array", "human"):
        for make in (Renderer, lambda mode: oust_v0.env(render_mode=mode)):
            with pytest.raises(ModuleNotFoundError, match=r'pip install "hexgames-env\[render\]"'):
                make(mode)
    oust_v0.env(render_mode="ansi")  # needs nothing


def test_another_pygame_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pixels, "find_spec", lambda name: True)
    monkeypatch.setitem(sys.modules, "pygame", ModuleType("pygame"))
    with pytest.raises(ModuleNotFoundError, match="pip uninstall pygame"):
        Renderer("rgb_array").render(make_game("oust", side=2).initial_state())


def test_environments_show_what_a_position_does_not_know() -> None:
    env = rive_v0.env(side=2, render_mode="ansi")
    env.reset(seed=1)
    env.step(3)
    env.step(3)
    assert "illegal action of White (player_1): b2 is occupied" in str(env.render())
    env = rive_v0.env(side=2, render_mode="ansi", max_cycles=1)
    env.reset(seed=1)
    env.step(3)
    assert "cut off after 1 step: nobody has won" in str(env.render())


def test_environments_with_a_picture_copy_and_pickle() -> None:
    env = make_env("oust", side=2, render_mode="ansi", render_size=200)
    env.reset(seed=1)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.render() == env.render()
    with pytest.raises(OptionError, match="size of a picture"):
        make_env("oust", render_size=1)


# The pictures of the README


def test_pictures_are_as_the_script_makes_them() -> None:
    examples = Path(__file__).parent.parent / "examples"
    script = runpy.run_path(str(examples / "make_pictures.py"))
    assert set(script["POSITIONS"]) >= {"oust", "rive", "strands", "gipf"}
    for game in script["POSITIONS"]:
        file = examples / "pictures" / f"{game}.svg"
        assert file.read_text(encoding="utf-8") == script["draw"](game), (
            f"{file} is out of date: python examples/make_pictures.py"
        )


@every_game
def test_the_empty_board_is_drawn_first_and_only_once(name: str) -> None:
    """The same object for all positions of a game: pixels keep it by that."""
    state = make_game(name).initial_state(1)
    first = compose(state)
    state.step(state.legal_actions()[0])
    second = compose(state)
    assert first.base is second.base and first.shapes != second.shapes
    assert compose(state, 200).base is not first.base is not compose(state, theme="dark").base
    empty = to_svg(dataclasses.replace(second, shapes=[])).removesuffix("</svg>\n")
    assert to_svg(second).startswith(empty)
    assert compose(state).shapes == second.shapes


def in_order(shapes: list[Any], *wanted: Callable[[Any], bool]) -> bool:
    """Whether all shapes of each kind come after all of the kind before it, and there are some."""
    places = [[i for i, shape in enumerate(shapes) if kind(shape)] for kind in wanted]
    return all(places) and all(one[-1] < other[0] for one, other in pairwise(places))


def test_shapes_come_in_a_fixed_order() -> None:
    """What comes later is drawn on top: stones on cells, marks on stones, texts on buttons."""

    def says(text: str) -> Callable[[Any], bool]:
        return lambda shape: isinstance(shape, Text) and shape.text == text

    def is_a(kind: type) -> Callable[[Any], bool]:
        return lambda shape: isinstance(shape, kind)

    state = play("oust side=2 pie_rule=true board=../.../.. to_play=0 winner=none", "b1")
    picture = compose(state, legal=True)
    x, y = picture.cells[state.game.board.cell("b1")]
    assert in_order(
        picture.shapes,
        is_a(Polygon),  # cells
        lambda shape: isinstance(shape, Disc) and (shape.x, shape.y) == (x, y),
        is_a(Ring),  # around the last step
        says("1"),
        says("0"),
        is_a(Line),  # the button
        says("swap"),
        says("White (player_1) to play: place a stone, or swap and take over b1"),
        says("Black (player_0) placed b1"),
    )

    board = "B..b/w.Wwb/.W...b/bw....w/w....B/wb..W/bbBw"
    state = play(f"gipf variant=standard board={board} to_play=0 winner=none", "g1-g2")
    assert state.phase == "row"
    in_reserve = says("in reserve")
    assert in_order(compose(state).shapes, is_a(Line), is_a(Ring), in_reserve)

    state = make_game("gipf").initial_state()
    picture, places = compose(state, legal=True), state.game.scene(state).places
    radius = 0.09 * picture.unit
    pushes = [s for s in picture.shapes if isinstance(s, Disc) and s.radius == radius]
    assert len(pushes) == len(set(places.values()))
    assert in_order(picture.shapes, is_a(Ring), lambda shape: shape in pushes, in_reserve)
