"""Pixels, window, browser and notebook: they need pygame-ce, pillow, chromium and nbclient."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import random
import runpy
import subprocess
import sys
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # before pygame looks at it

import gymnasium
import numpy as np
import pygame
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray
from PIL import Image, ImageSequence

import toy_game
from browsers import chromium
from hexgames_env import OptionError, State, game_names, make_game
from hexgames_env.cli import main
from hexgames_env.core.scene import Scene, hex_sides
from hexgames_env.envs.aec import HexGameEnv, make_env
from hexgames_env.envs.single import make_single
from hexgames_env.rendering import Renderer, compose, render, to_svg, write_gif
from hexgames_env.rendering import window as window_module
from hexgames_env.rendering.marks import turn_marks
from hexgames_env.rendering.palette import THEMES
from hexgames_env.rendering.window import Window
from hexgames_env.testing import some_positions
from official import render_test
from test_replay import played

EXAMPLES = Path(__file__).parents[2] / "examples"
every_game = pytest.mark.parametrize("name", game_names())


@every_game
@pytest.mark.parametrize("flat", [False, True])
def test_gymnasiums_check_draws_in_every_mode_and_has_nothing_to_say(name: str, flat: bool) -> None:
    env = gymnasium.make(f"hexgames/{name.capitalize()}-v0", flat=flat, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


# Commands


def test_commands_draw_pixels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "oust side=2 board=../B.W/.. to_play=0 winner=none"
    for command in (["show", text], ["analyse", text, "--bot", "mcts simulations=200"]):
        file = tmp_path / f"{command[0]}.png"
        drawing = ["--png", str(file), "--size", "240", "--theme", "dark"]
        assert main([*command, *drawing]) == 0
        assert capsys.readouterr().err == ""
        with Image.open(file) as picture:
            seen = np.asarray(picture.convert("RGB"))
        plain = render(State.from_string(text), "rgb_array", 240, theme="dark")
        assert isinstance(plain, np.ndarray) and seen.shape == plain.shape
        differs = (seen != plain).any(axis=2).mean()
        assert differs == 0 if command[0] == "show" else 0.01 < differs < 0.6  # the heat
        nowhere = ["--png", str(tmp_path / "nowhere" / "x.png")]
        assert main([*command, *nowhere]) == 1
        assert "No such file or directory" in capsys.readouterr().err


# Pixels


@every_game
@pytest.mark.parametrize("size", [None, 200, 1000])
def test_an_array_of_pixels(name: str, size: int | None) -> None:
    env = make_env(name, render_mode="rgb_array", render_size=size)
    env.reset(seed=1)
    first = env.render()
    assert isinstance(first, np.ndarray) and first.dtype == np.uint8 and first.flags.writeable
    assert first.shape == (size or 480, size or 480, 3) and first.flags.c_contiguous
    kept = first.copy()
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    second = env.render()
    assert isinstance(second, np.ndarray) and (first == kept).all() and (second != first).any()
    env.close()
    third = env.render()
    assert isinstance(third, np.ndarray) and (third == second).all()


def resident() -> int:
    """Bytes of this process in memory."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_a_thousand_frames_leak_nothing(mode: str) -> None:
    states = [s for name in game_names() for s in some_positions(make_game(name), seed=5)]
    renderer = Renderer(mode, 200, fps=0)

    def draw(frames: int) -> None:
        for i in range(frames):
            renderer.render(states[i % len(states)])

    draw(2 * len(states))  # fonts, texts and boards that are kept
    gc.collect()
    tracemalloc.start()
    before, resident_before = tracemalloc.get_traced_memory()[0], resident()
    draw(1000)
    gc.collect()
    after, resident_after = tracemalloc.get_traced_memory()[0], resident()
    tracemalloc.stop()
    renderer.close()
    assert after - before < 300_000
    assert resident_after - resident_before < 20_000_000  # a frame is 120,000


# The same picture in a browser


def photograph(svgs: list[str], size: int, folder: Path) -> list[NDArray[np.uint8]]:
    """What a browser shows of each of these pictures."""
    columns = 4
    rows = -(-len(svgs) // columns)
    places = [(size * (i % columns), size * (i // columns)) for i in range(len(svgs))]
    page = "".join(
        f'<div style="position:absolute;left:{x}px;top:{y}px">{svg}</div>'
        for (x, y), svg in zip(places, svgs, strict=True)
    )
    html, shot = folder / "page.html", folder / "page.png"
    html.write_text(f"<!doctype html><meta charset=utf-8><body>{page}", encoding="utf-8")
    subprocess.run(
        [
            *(chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
            *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
            *("--disable-sync", "--hide-scrollbars", "--force-color-profile=srgb"),
            # Higher than needed, and all painted before the picture is taken: the last row was once
            # only half there on a busy machine.
            *("--run-all-compositor-stages-before-draw", "--virtual-time-budget=2000"),
            *(
                "--force-device-scale-factor=1",
                f"--window-size={columns * size},{rows * size + 200}",
            ),
            *(f"--user-data-dir={folder / 'profile'}", f"--screenshot={shot}", html.as_uri()),
        ],
        check=True,
        timeout=120,
        capture_output=True,
    )
    pixels = np.asarray(Image.open(shot).convert("RGB"))
    return [pixels[y : y + size, x : x + size] for x, y in places]


def colours_at(
    pixels: NDArray[np.uint8], x: float, y: float, reach: float
) -> Counter[tuple[int, ...]]:
    """How often each colour stands around a place."""
    left, top, wide = round(x - reach), round(y - reach), max(1, round(2 * reach))
    box = pixels[top : top + wide, left : left + wide].reshape(-1, 3)
    return Counter(map(tuple, box.tolist()))


@every_game
@pytest.mark.parametrize(("size", "theme"), [(200, "light"), (480, "dark"), (1000, "light")])
def test_a_browser_shows_what_the_pixels_show(
    name: str, size: int, theme: str, tmp_path: Path
) -> None:
    """At every cell's middle the colour that is commonest in one is common in the other.

    Not the single pixel: numbers stand there, and letters differ from font to font.  Where a stone
    has just gone, the thin lines of a cross have no common colour in a small picture: there the
    mean has to agree.
    """
    renderer = Renderer("rgb_array", size, theme=theme)
    states = some_positions(make_game(name), seed=13, wanted=5)[:12]
    pictures = [compose(state, size, theme=theme) for state in states]
    shots = photograph([to_svg(picture) for picture in pictures], size, tmp_path)
    for state, picture, shot in zip(states, pictures, shots, strict=True):
        pixels = renderer.render(state)
        assert isinstance(pixels, np.ndarray)
        gone = turn_marks(state, state.game.scene(state)).gone
        reach = 0.25 * picture.unit
        for cell, (x, y) in enumerate(picture.cells):
            where = state.game.cell_names[cell], state
            if cell in gone:
                left, top, wide = (round(c) for c in (x - reach, y - reach, 2 * reach))
                box = slice(top, top + wide), slice(left, left + wide)
                means = [shown[box].mean(axis=(0, 1)) for shown in (pixels, shot)]
                assert np.abs(np.subtract(*means)).max() < 25, where
                continue
            ours = colours_at(pixels, x, y, reach)
            theirs = colours_at(shot, x, y, reach)
            for one, other in ((ours, theirs), (theirs, ours)):
                ((colour, times),) = one.most_common(1)
                assert other[colour] >= 0.5 * times, where
        # As a whole, too, only edges and letters differ
        far = np.abs(pixels.astype(int) - shot).max(axis=2) > 40
        assert far.mean() < 0.1, state


# The window


@every_game
def test_pettingzoo_render_test(name: str) -> None:
    def make(render_mode: str) -> HexGameEnv:
        env = make_env(name, render_mode=render_mode)
        env.metadata["render_fps"] = 1000
        return env

    render_test(make)


@pytest.fixture
def window() -> Iterator[Window]:
    window = Window(300)
    yield window
    window.close()


@pytest.fixture
def state() -> State:
    state = make_game("oust", side=3).initial_state()
    state.step(state.parse_action("c3"))
    return state


def shown_in(window: Window) -> NDArray[np.uint8]:
    return pygame.surfarray.array3d(window._window.get_surface()).transpose(1, 0, 2)


def test_a_window_shows_the_position(window: Window, state: State) -> None:
    assert not window.is_open and window.show(state) and window.is_open
    assert (shown_in(window) == render(state, "rgb_array", 300)).all()


def test_the_mouse_shows_what_may_be_done(window: Window, state: State) -> None:
    window.show(state)
    plain = shown_in(window)
    cells = compose(state, 300).cells
    for name, is_legal in (("a1", True), ("c3", False), ("b2", True)):
        x, y = cells[state.game.board.cell(name)]
        where = {"pos": (round(x), round(y)), "rel": (0, 0), "buttons": (0, 0, 0)}
        pygame.event.post(pygame.Event(pygame.MOUSEMOTION, window=window._window, **where))
        window.show(state)
        assert (shown_in(window) != plain).any() == is_legal
        if is_legal:
            pointed = compose(state, 300, pointed=state.parse_action(name))
            assert (shown_in(window) == window._painter.array(pointed)).all()  # type: ignore[union-attr]
    pygame.event.post(pygame.Event(pygame.WINDOWLEAVE, window=window._window))
    window.show(state)
    assert (shown_in(window) == plain).all()


def test_the_user_closes_the_window(state: State) -> None:
    env = make_env("oust", side=3, render_mode="human", render_size=200)
    env.metadata["render_fps"] = 1000
    env.reset(seed=1)
    window = env._renderer._window
    assert window is not None and window.is_open
    pygame.event.post(pygame.Event(pygame.WINDOWCLOSE, window=window._window))
    while env.agents:  # the game goes on
        agent = env.agent_selection
        over = env.terminations[agent]
        env.step(None if over else int(env.observe(agent)["action_mask"].argmax()))
        assert not window.is_open
    env.reset(seed=2)
    assert env.render() is None and not window.is_open
    env.close()
    env.close()
    env.render()  # and may be opened again
    assert env._renderer._window is not None and env._renderer._window.is_open
    pygame.event.post(pygame.Event(pygame.QUIT))
    env.render()
    assert not env._renderer._window.is_open
    env.close()


def test_two_windows_are_closed_one_by_one(state: State) -> None:
    first, second = Window(200), Window(200)
    first.show(state)
    second.show(state)
    pygame.event.post(pygame.Event(pygame.WINDOWCLOSE, window=second._window))
    assert first.show(state) and not second.show(state) and first.show(state)
    first.close()
    second.close()


QUITS = {
    "all": pygame.quit,
    "fonts": pygame.font.quit,
    "display": pygame.display.quit,
    "all, begun anew": lambda: (pygame.quit(), pygame.init()),
}
somebody_quits = pytest.mark.parametrize("quits", QUITS.values(), ids=QUITS)


@somebody_quits
def test_somebody_quits_pygame_between_arrays(quits: Callable[[], Any], state: State) -> None:
    """As the environments of Gymnasium do, for one, when they are closed."""
    renderer = Renderer("rgb_array", 200)
    before = renderer.render(state)
    quits()
    assert np.array_equal(renderer.render(state), before)  # type: ignore[arg-type]
    # Texts that were never drawn before, and those that were
    quits()
    for headline in ("another text", None):
        new = Renderer("rgb_array", 200).render(state, headline)
        assert np.array_equal(renderer.render(state, headline), new)  # type: ignore[arg-type]


@somebody_quits
def test_somebody_quits_pygame_under_a_window(quits: Callable[[], Any]) -> None:
    env = make_env("oust", side=3, render_mode="human", render_size=200)
    env.metadata["render_fps"] = 1000
    env.reset(seed=1)
    window = env._renderer._window
    assert window is not None and window.is_open
    for action in (0, 5):
        quits()
        assert window.is_open == (quits is pygame.font.quit)
        env.step(action)
        assert window.is_open
        assert (shown_in(window) == render(env.game_state, "rgb_array", 200)).all()
    quits()
    env.close()
    assert not window.is_open
    env.render()
    env.close()


def test_gymnasiums_own_environments_close_pygame() -> None:
    for mode in ("rgb_array", "human"):
        ours = make_env("oust", side=2, render_mode=mode, render_size=200)
        ours.metadata["render_fps"] = 1000
        theirs = gymnasium.make("CartPole-v1", render_mode=mode)
        ours.reset(seed=1)
        theirs.reset(seed=1)
        ours.render()
        theirs.render()
        theirs.close()
        ours.step(0)
        shown = ours.render()
        if mode == "human":
            assert ours._renderer._window is not None and ours._renderer._window.is_open
            shown = shown_in(ours._renderer._window)
        assert np.array_equal(shown, render(ours.game_state, "rgb_array", 200))  # type: ignore[arg-type]
        ours.close()


class Clock:
    """The window's clock, which goes on only while the window sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds

    def passed(self, show: Callable[[], Any]) -> float:
        """The seconds that ``show`` takes."""
        begin = self.now
        show()
        return self.now - begin


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(window_module, "time", clock)
    return clock


def test_a_position_stands_for_its_time(clock: Clock, state: State) -> None:
    start = state.game.initial_state()
    window = Window(200, fps=10)
    assert clock.passed(lambda: window.show(start)) == pytest.approx(0.1)
    assert clock.passed(lambda: window.show(state)) == pytest.approx(0.1)
    assert clock.passed(lambda: window.show(state)) == 0  # on show already
    assert clock.passed(lambda: window.show(start, fps=2)) == pytest.approx(0.5)
    assert clock.passed(lambda: window.show(state, fps=0)) == 0
    window.fps = 4
    assert clock.passed(lambda: window.show(start)) == pytest.approx(0.25)
    for fps in (-1, "4", float("nan")):
        with pytest.raises(OptionError, match="fps is how many positions"):
            window.show(state, fps=fps)  # type: ignore[arg-type]
    window.close()


@pytest.mark.parametrize(("make", "shown"), [(make_env, 1), (make_single, 2)])
def test_environments_read_how_long_a_position_stands(
    make: Callable[..., Any], shown: int, clock: Clock
) -> None:
    """Their metadata say it, and may change; a learner's step shows the opponent's too."""
    env = make("oust", side=5, render_mode="human", render_size=200)
    env.reset(seed=1)
    for action, fps in ((30, 5), (20, 2), (40, 0)):
        env.metadata = {**env.metadata, "render_fps": fps}
        expected = shown / fps if fps else 0
        assert clock.passed(partial(env.step, action)) == pytest.approx(expected)
    env.close()


def test_environments_with_a_window_copy_and_pickle() -> None:
    env = make_env("oust", side=2, render_mode="human", render_size=200)
    env.metadata["render_fps"] = 1000
    env.reset(seed=1)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin._renderer._window is None
        twin.step(0)
        assert twin._renderer._window.is_open
        twin.close()
    assert env._renderer._window is not None and env._renderer._window.is_open
    env.close()


# The examples


def start(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A script of the examples; ``more`` for its environment."""
    without = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER")
    env = {name: value for name, value in os.environ.items() if name not in without}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=env | more,
    )


def run(*arguments: str) -> str:
    done = start(*arguments, SDL_VIDEODRIVER="dummy")
    assert done.returncode == 0, done.stderr
    return done.stdout


WATCH = str(EXAMPLES / "watch_game.py")


@pytest.mark.parametrize("size", ["--size", "--screen-size"])
def test_watching_a_game(size: str, tmp_path: Path) -> None:
    file = tmp_path / "game.gif"
    done = start(WATCH, "rive", "--options", "side=2", "--gif", str(file), size, "200")
    assert done.returncode == 0, done.stderr
    with Image.open(file) as picture:
        frames: Any = picture
        number = frames.n_frames
        assert picture.size == (200, 200) and f"{number} pictures" in done.stdout
    assert f"drawing picture {number} of {number}" in done.stderr


def test_watching_in_a_window() -> None:
    quickly = ["--fps", "500", "--hold", "0"]
    assert "has no stones left, after" in run(WATCH, "oust", "--options", "side=2", *quickly)
    # The game may stand behind its options, and is not taken for one of them
    begin = ["--options", "layout=5", "strands", "--max-steps", "3", *quickly]
    assert "nobody has won yet, after 3 steps" in run(WATCH, *begin)


def test_without_a_screen_we_say_so() -> None:
    done = start(WATCH, "oust")
    assert done.returncode == 2 and "no screen: use --gif FILE" in done.stderr
    assert "has won" not in done.stdout
    done = start(WATCH, "oust", SDL_VIDEODRIVER="x11")
    assert done.returncode == 2 and "no screen: use --gif FILE" in done.stderr
    script = "from hexgames_env import oust_v0; oust_v0.env(render_mode='human').reset()"
    done = start("-c", script)
    assert done.returncode == 1
    assert "NoScreenError: there is no screen for a window: render_mode='rgb_array'" in done.stderr
    assert start("-c", script, SDL_VIDEODRIVER="dummy").returncode == 0  # as was asked for


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gif", "game.png"], "its name must end in .gif"),
        (["--gif", "nowhere/game.gif"], "its folder must exist"),
        (["--options", "3"], "'3' is not NAME=VALUE"),
        (["--options", "side=4", "oust", "rive"], "'oust' is not NAME=VALUE"),
        (["--fps", "0"], "--fps must be greater than 0"),
        (["--max-steps", "-1"], "--max-steps at least 0"),
        (["--size", "50"], "an integer from 100 to 4000, got 50"),
        (["chess"], "invalid choice: 'chess'"),
    ],
)
def test_watching_refuses_before_the_game(arguments: list[str], message: str) -> None:
    done = start(WATCH, *arguments)
    assert done.returncode == 2 and message in done.stderr


# Moving pictures


def frames_of(file: Path) -> list[NDArray[np.uint8]]:
    with Image.open(file) as picture:
        return [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(picture)]


@every_game
@pytest.mark.parametrize("theme", THEMES)
def test_a_gif_has_the_themes_own_colours(name: str, theme: str, tmp_path: Path) -> None:
    state = make_game(name).initial_state(1)
    renderer, frames, rng = Renderer("rgb_array", 240, theme=theme), [], random.Random(1)
    while not state.is_over and len(frames) < 25:
        state.step(state.sample_action(rng))
        frames.append(renderer.render(state))
    file = tmp_path / "game.gif"
    write_gif(file, frames, [0.1] * len(frames), theme)
    shown = frames_of(file)
    assert len(shown) == len(frames)
    own = [value for value in vars(THEMES[theme]).values() if isinstance(value, tuple)]
    for picture, frame in zip(shown, frames, strict=True):
        for colour in own:
            kept = np.all(picture == colour, axis=2) | ~np.all(frame == colour, axis=2)
            assert kept.all(), colour
        assert (picture == THEMES[theme].last).all(axis=2).sum() > 10  # the last step's
        assert np.abs(picture.astype(int) - frame).max() < 40  # and the others are near


class Drawn(Sequence[NDArray[np.uint8]]):
    """Pictures that are drawn when they are asked for."""

    def __init__(self, states: list[State]) -> None:
        self.states, self.asked = states, 0

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, place: Any) -> Any:
        self.asked += 1
        return render(self.states[place], "rgb_array", 200)


def test_a_gif_keeps_no_pictures(tmp_path: Path) -> None:
    states = list(played("rive", side=3).states())[:30]
    drawn = Drawn(states)
    write_gif(tmp_path / "one.gif", drawn, [0.1] * 30)
    write_gif(tmp_path / "other.gif", list(drawn), [0.1] * 30)
    one, other = ((tmp_path / name).read_bytes() for name in ("one.gif", "other.gif"))
    assert one == other and drawn.asked in range(90, 94)  # an iteration asks for one more


def test_replay_writes_a_gif(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = played("gipf", most=8)
    game, file = tmp_path / "game.txt", tmp_path / "game.gif"
    game.write_text(record.to_string(), encoding="utf-8")
    words = ["--gif", str(file), "--size", "200", "--theme", "dark"]
    assert main(["replay", str(game), *words]) == 0
    assert capsys.readouterr() == (f"written to {file}\n", "")  # no bar: this is no terminal
    with Image.open(file) as gif:
        frames = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(gif)]
    assert len(frames) == 9 and frames[0].shape == (200, 200, 3)
    for state, frame in zip(record.states(), frames, strict=True):
        drawn = render(state, "rgb_array", 200, theme="dark")
        assert isinstance(drawn, np.ndarray)
        assert (np.abs(frame.astype(int) - drawn) > 40).mean() < 0.01
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.gif", "game.txt"]


def test_gifs_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = np.zeros((100, 100, 3), np.uint8)
    file = tmp_path / "game.gif"
    for frames, seconds in (([], []), ([frame], []), ([frame], [1, 2])):
        with pytest.raises(ValueError, match="a GIF needs pictures, and how long each stands"):
            write_gif(file, frames, seconds)
    with pytest.raises(OptionError, match="theme must be one of"):
        write_gif(file, [frame], [1], "red")
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "hexgames-env\[render\]"'):
        write_gif(file, [frame], [1])
    assert not file.exists()


def test_the_moving_picture_of_the_readme() -> None:
    script = runpy.run_path(str(EXAMPLES / "make_pictures.py"))
    file = EXAMPLES / "pictures" / script["MOVING"]
    assert file.stat().st_size <= 300_000
    shown, (drawn, seconds) = frames_of(file), script["moving"]()
    assert len(shown) == len(drawn) == len(seconds) > 20
    for picture, frame in zip(shown, drawn, strict=True):  # fonts may differ a little
        assert np.abs(picture.astype(int) - frame).mean() < 1, (
            "out of date: python examples/make_pictures.py"
        )


def test_asking_for_help_makes_no_pictures() -> None:
    folder = EXAMPLES / "pictures"
    before = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    printed = run(str(EXAMPLES / "make_pictures.py"), "--help")
    assert "usage:" in printed and ".svg" not in printed
    assert {file: file.stat().st_mtime_ns for file in folder.iterdir()} == before


# Edges and tints, whose shapes are tested with the others


def test_pixels_show_tints_and_edges() -> None:
    class Sided(toy_game.Duo):
        __module__ = "toy_game"  # where its kernels are

        def scene(self, state: State) -> Scene:
            scene = super().scene(state)
            scene.tints = {0: "blue", 1: 0, 2: 1}
            sides = hex_sides(self.board)
            scene.edges = (sides[0], sides[3])
            return scene

    state = Sided().initial_state()
    for theme, colours in THEMES.items():
        pixels, picture = render(state, "rgb_array", theme=theme), compose(state, theme=theme)
        assert isinstance(pixels, np.ndarray)
        for cell, colour in enumerate((colours.blue, colours.for_dark, colours.for_light)):
            x, y = (round(c) for c in picture.cells[cell])
            assert tuple(pixels[y, x]) == colour
        unit = picture.unit
        for cell, side, colour in ((0, 1, colours.dark), (6, -1, colours.light)):
            x, y = picture.cells[cell]
            x, y = x + 0.28 * unit, y + side * 0.495 * unit  # over the middle of an edge
            assert tuple(pixels[round(y), round(x)]) == colour
