"""The page that plays a game, in a browser: its buttons and keys, pictures, and who can use it.

It needs chromium, playwright and axe-playwright-python.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from browsers import chromium
from hexgames_env import State, game_names, make_game
from hexgames_env.records import Record, Remark
from test_replay import HOSTILE, played, shapes_of, small

BOARDS: dict[str, dict[str, Any]] = {
    "oust": {"side": 5},
    "rive": {"side": 3},
    "strands": {"layout": "5"},
    "gipf": {},
}
every_game = pytest.mark.parametrize("name", game_names())
DESK, PHONE = (1280, 800), (360, 740)

SHOWN = """() => [...document.querySelector(".stage > svg").children]
    .filter((node) => node.tagName !== "title")
    .map((node) => [
        node.tagName,
        Object.fromEntries([...node.attributes].map(({name, value}) => [name, value])),
        node.tagName === "text" ? node.textContent : null,
    ])"""

WALK = f"""([button, times]) => {{
    const found = [];
    for (let k = 0; k < times; k++) {{
        document.querySelector(button).click();
        found.push([({SHOWN})(), document.querySelector("#words").innerText,
            document.querySelector(".stage > svg > title").textContent]);
    }}
    return found;
}}"""


IN_VIEW = """() => {
    const list = document.querySelector("nav").getBoundingClientRect();
    const own = document.querySelector("[aria-current]").getBoundingClientRect();
    return own.top >= list.top && own.bottom <= list.bottom && scrollY === 0;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        yield opened
        opened.close()


@contextmanager
def opened(
    browser: Browser,
    page: str,
    folder: Path,
    size: tuple[int, int] = DESK,
    scheme: Any = "light",
    **more: Any,
) -> Iterator[Page]:
    """A page in the browser, which must load nothing else and complain of nothing."""
    file = folder / "game.html"
    file.write_text(page, encoding="utf-8")
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, **more
    )
    shown = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    shown.on("request", lambda request: asked.append(request.url))
    shown.on("console", lambda message: said.append(message.text))
    shown.on("pageerror", lambda error: said.append(str(error)))
    shown.goto(file.as_uri())
    yield shown
    assert asked == [file.as_uri()] and said == []
    context.close()


def phone(browser: Browser, page: str, folder: Path, scheme: str = "light") -> Any:
    more = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}
    return opened(browser, page, folder, PHONE, scheme, **more)


def shown(page: Page) -> list[Any]:
    return [tuple(shape) for shape in page.evaluate(SHOWN)]


def until(page: Page, holds: Callable[[], bool], seconds: float = 30) -> None:
    """Wait for it.  The page lets no script wait in it that is not its own."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        page.wait_for_timeout(30)


def walked(page: Page, button: str, times: int) -> list[tuple[list[Any], str, str]]:
    """After each press of a button: the shapes, the words, and the picture's title."""
    found = page.evaluate(WALK, [button, times])
    return [([tuple(shape) for shape in shapes], *words) for shapes, *words in found]


def where(page: Page) -> str:
    found: str = page.locator("#where").inner_text()
    return found


def step_of(page: Page) -> int:
    return int(page.locator("#place").input_value())


def searched(name: str) -> Record:
    return played(name, visits=8, **BOARDS[name])


# Pictures


@every_game
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_step_looks_as_the_position_does(
    name: str, theme: str, browser: Browser, tmp_path: Path
) -> None:
    """Forward by the key and back by the button."""
    record = searched(name)
    states = list(record.states())
    svgs = [shapes_of(state.to_svg(theme=theme)) for state in states]
    with opened(browser, record.to_html(), tmp_path, scheme=theme) as page:
        for step, svg in enumerate(svgs):
            assert step_of(page) == step and shown(page) == svg
            page.keyboard.press("ArrowRight")
        assert step_of(page) == len(record)  # the end is the end
        back = walked(page, "#back", len(record))
        assert [shapes for shapes, *_ in back] == svgs[-2::-1]


@every_game
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_heat_at_every_step(name: str, theme: str, browser: Browser, tmp_path: Path) -> None:
    record = searched(name)
    with opened(browser, record.to_html(theme=theme), tmp_path) as page:
        page.get_by_role("button", name="Visits").click()
        pictures = [shown(page)]
        pictures += [shapes for shapes, *_ in walked(page, "#forward", len(record))]
        for step, (state, picture) in enumerate(zip(record.states(), pictures, strict=True)):
            heat = dict(record.remark(step).visits) or None
            assert picture == shapes_of(state.to_svg(theme=theme, heat=heat))
        page.get_by_role("button", name="Visits").click()
        page.keyboard.press("Home")
        assert shown(page) == shapes_of(record.start.to_svg(theme=theme))


def pixels(page: Page) -> NDArray[np.uint8]:
    clip: Any = {"x": 0, "y": 0, "width": 480, "height": 480}
    return np.asarray(Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB"))


@every_game
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pixels_of_a_step(name: str, theme: str, browser: Browser, tmp_path: Path) -> None:
    record = searched(name)
    steps = (0, len(record) // 2, len(record))
    found = []
    with opened(browser, record.to_html(theme=theme), tmp_path) as page:
        place = "position:fixed;left:0;top:0;width:480px;height:480px;max-height:none;z-index:1"
        page.locator(".stage > svg").evaluate(f"(node) => node.style = '{place}'")
        for step in steps:
            page.locator("#steps button").nth(step).evaluate("(button) => button.click()")
            found.append(pixels(page))
    plain = browser.new_page(viewport={"width": 480, "height": 480})
    for step, picture in zip(steps, found, strict=True):
        svg = record.state(step).to_svg(theme=theme)
        plain.set_content(f"<style>body {{margin: 0}} svg {{display: block}}</style>{svg}")
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20
        assert (pixels(plain) == picture).all()
    plain.close()


# Buttons and keys


@every_game
def test_buttons_and_keys_go_where_they_say(name: str, browser: Browser, tmp_path: Path) -> None:
    record = searched(name)
    last = len(record)
    ends = [0]
    for turn in record.turns():
        ends.append(ends[-1] + len(turn))
    with opened(browser, record.to_html(), tmp_path) as page:
        for button, key in (("#turn-forward", "ArrowDown"), ("#turn-back", "ArrowUp")):
            way = ends if button == "#turn-forward" else ends[::-1]
            for number, end in enumerate(way):
                assert step_of(page) == end
                if number % 2:
                    page.locator(button).click(force=True)  # the last one has no effect
                else:
                    page.keyboard.press(key)
            assert step_of(page) == way[-1]
        page.keyboard.press("End")
        assert step_of(page) == last
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowLeft")
        middle = max(ends[-2] - 1, 0)
        assert step_of(page) == middle
        page.keyboard.press("ArrowDown")  # from the midst of a turn to its end
        assert step_of(page) == next(end for end in ends if end > middle)
        page.keyboard.press("Home")
        assert step_of(page) == 0 and where(page) == f"Start of {last} steps"
        page.locator("#last").click()
        assert step_of(page) == last
        page.locator("#first").click()
        assert step_of(page) == 0
        page.locator("#forward").click()
        assert step_of(page) == 1
        for held in ("Control", "Alt", "Shift", "Meta"):
            page.keyboard.press(f"{held}+ArrowDown")
        assert step_of(page) == 1


@every_game
def test_the_list_of_steps_is_that_of_the_turns(
    name: str, browser: Browser, tmp_path: Path
) -> None:
    record = searched(name)
    with opened(browser, record.to_html(), tmp_path) as page:
        items = page.locator("#steps li")
        said = [text.split() for text in items.all_inner_texts()]
        turns = [[f"{k}.", *turn] for k, turn in enumerate(record.turns(), 1)]
        assert said == [["Start"], *turns]
        players = [state.to_play for state in record.states()][: len(record)]
        names = record.game.player_names
        labels = page.locator("#steps .stone").evaluate_all("(s) => s.map((n) => n.ariaLabel)")
        assert labels == [names[player] for player in players]
        buttons = page.locator("#steps button")
        assert buttons.count() == len(record) + 1
        for step in (len(record), 3, len(record) // 2, 0):
            buttons.nth(step).click()
            assert step_of(page) == step
            current = page.locator("#steps [aria-current=step]")
            assert current.count() == 1
            assert buttons.nth(step).get_attribute("aria-current") == "step"
        page.keyboard.press("End")  # the list follows, and the page stays
        until(page, lambda: page.evaluate(IN_VIEW))


def test_the_slider(browser: Browser, tmp_path: Path) -> None:
    record = searched("oust")
    with opened(browser, record.to_html(), tmp_path) as page:
        slider = page.get_by_role("slider", name="Position")
        slider.fill("7")
        assert where(page).startswith(f"Step 7 of {len(record)}, turn ")
        assert slider.get_attribute("aria-valuetext") == where(page)
        slider.focus()
        page.keyboard.press("ArrowUp")  # its own key: a step, not a turn
        assert step_of(page) == 8 and where(page).startswith("Step 8 ")


def test_playing(browser: Browser, tmp_path: Path) -> None:
    record = searched("gipf")
    with opened(browser, record.to_html(), tmp_path) as page:
        words = page.locator("#words")
        assert words.get_attribute("aria-live") == "polite"
        page.get_by_label("Speed").select_option("10")
        page.get_by_role("button", name="Play").click()
        page.get_by_role("button", name="Pause").wait_for()
        assert words.get_attribute("aria-live") == "off"  # while it goes on by itself
        until(page, lambda: step_of(page) >= 3)
        page.get_by_role("button", name="Pause").click()
        stopped = step_of(page)
        page.wait_for_timeout(300)
        assert step_of(page) == stopped and words.get_attribute("aria-live") == "polite"
        page.locator("h1").click()  # away from the button, whose own key Space is
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Space")
        until(page, lambda: step_of(page) > stopped)
        until(page, lambda: step_of(page) == len(record))
        page.get_by_role("button", name="Play").wait_for()  # it has stopped at the end
        page.keyboard.press("Space")  # and begins anew
        until(page, lambda: step_of(page) < 9)
        page.keyboard.press("Space")
        page.get_by_role("button", name="Play").wait_for()


def test_the_theme_follows_the_system_until_one_is_chosen(browser: Browser, tmp_path: Path) -> None:
    record = small()

    def are_dark(page: Page) -> list[bool]:
        """The page, the board and the button."""
        page_colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        rect = page.locator(".stage > svg > rect").get_attribute("fill")
        pressed = page.get_by_role("button", name="Dark").get_attribute("aria-pressed")
        return [page_colour == "rgb(22, 25, 29)", rect == "#16191d", pressed == "true"]

    def becomes(page: Page, dark: bool) -> None:
        until(page, lambda: are_dark(page) == [dark] * 3)  # the system's news take a moment

    with opened(browser, record.to_html(), tmp_path, scheme="dark") as page:
        becomes(page, True)
        page.emulate_media(color_scheme="light")
        becomes(page, False)
        page.get_by_role("button", name="Dark").click()
        becomes(page, True)
        page.emulate_media(color_scheme="dark")
        page.emulate_media(color_scheme="light")
        page.wait_for_timeout(300)
        assert are_dark(page) == [True] * 3
    for theme in ("light", "dark"):
        for scheme in ("light", "dark"):
            with opened(browser, record.to_html(theme=theme), tmp_path, scheme=scheme) as page:
                assert are_dark(page) == [theme == "dark"] * 3


# Words


@every_game
def test_the_words_of_every_step(name: str, browser: Browser, tmp_path: Path) -> None:
    record = searched(name)
    with opened(browser, record.to_html(), tmp_path) as page:
        live = page.get_by_role("region", name="Position")
        assert live.get_attribute("aria-live") == "polite"
        states = list(record.states())[1:]
        for state, found in zip(states, walked(page, "#forward", len(record)), strict=True):
            words, (_, text, title) = state.words(), found
            assert title == f"{record.game.title}.  {words.sentences()}"
            for said in (words.happened, words.headline, *words.counts):
                assert said in text
        assert record.outcome_words() in page.locator("#headline").inner_text()


def test_remarks_are_shown_where_they_belong(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, small().to_html(), tmp_path) as page:
        remark = page.locator("#remark")
        assert not remark.is_visible()
        page.keyboard.press("ArrowRight")
        lines = remark.inner_text().splitlines()
        assert lines[0] == "a surprise" and "Value for White (player_1): -0.4" in lines
        assert "(95%)" in remark.inner_text()
        page.keyboard.press("ArrowRight")
        assert not remark.is_visible()
        page.keyboard.press("ArrowRight")
        assert remark.inner_text() == "two\nlines"
        stars = page.get_by_role("button", name="with a comment")
        assert stars.count() == 2
        assert page.get_by_role("button", name="Visits").is_visible()
    with opened(browser, played("rive", side=2).to_html(), tmp_path) as page:
        assert not page.locator("#visits").is_visible()  # there are none


def test_an_end_that_the_board_does_not_show(browser: Browser, tmp_path: Path) -> None:
    state = make_game("rive", side=2).initial_state()
    state.step(3)
    records = [
        Record(state, illegal=3),
        Record(state, ending="resigned", winner=1),
        Record(state, ending="time", winner=0),
        Record(state, ending="cut off"),
        Record(state),
        Record(make_game("rive", side=2).initial_state()),  # no step at all
    ]
    for record in records:
        with opened(browser, record.to_html(), tmp_path) as page:
            page.keyboard.press("End")
            assert page.locator("#headline").text_content() == f"{record.outcome_words()}."
            assert shown(page) == shapes_of(record.final.to_svg())
            if len(record):
                page.keyboard.press("Home")
                assert page.locator("#headline").text_content() == f"{record.start.words().due}."


# Names that mean harm


def test_hostile_words_stay_words(browser: Browser, tmp_path: Path) -> None:
    state: State = make_game("rive", side=2).initial_state()
    state.step(0)
    record = Record(
        state,
        players=(HOSTILE, "x" * 300),
        date=HOSTILE,
        tags={"Event": HOSTILE, "Long": "y" * 3000},
        remarks={0: Remark(HOSTILE), 1: Remark("z" * 3000)},
    )
    for page_of in (opened, phone):
        with page_of(browser, record.to_html(), tmp_path) as page:
            page.on("dialog", lambda dialog: pytest.fail(dialog.message))
            assert page.locator("h1").text_content() == record.title()
            assert page.title().startswith("Rive: </script><img src=x onerror=alert(1)>")
            assert page.locator("#remark").text_content() == HOSTILE
            page.locator("summary").click()
            assert page.locator("dd").nth(1).text_content() == HOSTILE
            assert page.locator("pre").text_content() == record.to_string()
            assert page.locator("img").count() == 0 and page.locator("script").count() == 2
            for _ in range(2):
                assert is_narrow(page)
                page.keyboard.press("ArrowRight")


# Who can use it


def is_narrow(page: Page) -> bool:
    """Whether nothing reaches beyond the window's sides."""
    wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    found: bool = page.evaluate(wide)
    return found


@every_game
def test_a_phone(name: str, browser: Browser, tmp_path: Path) -> None:
    record = searched(name)
    with phone(browser, record.to_html(), tmp_path) as page:
        assert page.evaluate("innerWidth") == 360
        page.locator("summary").tap()
        page.get_by_role("button", name="Visits").tap()
        for step in range(0, len(record) + 1, 9):
            page.locator("#steps button").nth(step).tap()
            assert step_of(page) == step and is_narrow(page)
        for control in page.locator("button, select, input, summary").all():
            if control.is_visible():
                box = control.bounding_box()
                assert box is not None and box["height"] >= 44, control.inner_text()
        board = page.locator(".stage > svg").bounding_box()
        assert board is not None and board["width"] > 330
        page.evaluate("scrollTo(0, 0)")
        buttons = page.locator("#last").bounding_box()
        assert buttons is not None and buttons["y"] + buttons["height"] < PHONE[1]


@every_game
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page_of", [opened, phone])
def test_axe_finds_no_serious_fault(
    name: str, scheme: str, page_of: Any, browser: Browser, tmp_path: Path
) -> None:
    record = searched(name)
    with page_of(browser, record.to_html(), tmp_path, scheme=scheme) as page:
        page.locator("summary").click()
        for step in (5, len(record)):
            page.locator("#steps button").nth(step).click()
            found = Axe().run(page).response
            assert len(found["passes"]) > 20
            assert [(fault["id"], fault["impact"]) for fault in found["violations"]] == []


def test_everything_can_be_reached_by_the_keyboard(browser: Browser, tmp_path: Path) -> None:
    record = searched("oust")
    with opened(browser, record.to_html(), tmp_path) as page:
        reached = []
        for _ in range(14):
            page.keyboard.press("Tab")
            reached.append(
                page.evaluate(
                    """() => {
                        const {id, tagName, textContent} = document.activeElement;
                        const style = getComputedStyle(document.activeElement);
                        return [id || tagName, style.outlineStyle, parseFloat(style.outlineWidth)];
                    }"""
                )
            )
        assert [name for name, _, _ in reached] == [
            *("place", "first", "turn-back", "back", "play", "forward", "turn-forward", "last"),
            *("speed", "visits", "theme", "BUTTON", "SUMMARY", "BODY"),
        ]
        assert all(style == "solid" and wide >= 2 for _, style, wide in reached[:-1])
        page.locator("#steps [aria-current]").focus()  # the one button of the list in this order
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.textContent") == record.turns()[0][0]
        page.locator("#play").focus()
        page.keyboard.press("Space")  # presses the button, once
        page.get_by_role("button", name="Pause").wait_for()


def test_who_wants_no_motion_gets_none(browser: Browser, tmp_path: Path) -> None:
    behaviour = "getComputedStyle(document.querySelector('nav')).scrollBehavior"
    for motion, expected in (("reduce", "auto"), ("no-preference", "smooth")):
        with opened(browser, small().to_html(), tmp_path, reduced_motion=motion) as page:
            assert page.evaluate(behaviour) == expected
            moving = "document.getAnimations().length"
            assert page.evaluate(moving) == 0


def test_what_a_page_says_of_itself(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, small().to_html(), tmp_path) as page:
        assert page.evaluate("document.documentElement.lang") == "en"
        assert page.title() == small().title()
        assert page.evaluate("document.compatMode") == "CSS1Compat"
        board = page.get_by_role("img", name="Oust.  Black (player_0) to play")
        assert board.is_visible()


# In a notebook


def test_several_on_a_page_do_not_disturb_each_other(browser: Browser, tmp_path: Path) -> None:
    one, other = small(), searched("gipf")
    outside = "<!doctype html><title>x</title><style>* {color: red; display: block}</style>"
    page_text = outside + one._repr_html_() + other._repr_html_() + "<p id=where>outside</p>"
    with opened(browser, page_text, tmp_path) as page:
        frames = [page.frame_locator("iframe").nth(k) for k in (0, 1)]
        for record, frame in zip((one, other), frames, strict=True):
            frame.locator("h1").scroll_into_view_if_needed()
            assert frame.locator("h1").text_content() == record.title()
        frames[0].locator("#last").click()
        frames[1].locator("#forward").click()
        frames[1].locator("#forward").click()
        assert frames[0].locator("#place").input_value() == "4"
        assert frames[1].locator("#place").input_value() == "2"
        page.keyboard.press("ArrowLeft")  # goes to the frame that has the focus
        assert frames[0].locator("#place").input_value() == "4"
        assert frames[1].locator("#place").input_value() == "1"
        assert page.locator("#where").inner_text() == "outside"
        colour = frames[0].locator("h1").evaluate("(node) => getComputedStyle(node).color")
        assert colour != "rgb(255, 0, 0)"
