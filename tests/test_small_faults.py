"""Odd values at the edge of the package: refused with the errors promised, and nothing changed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from hexgames_env import (
    Batch,
    HexBoard,
    IllegalActionError,
    OptionError,
    PositionTextError,
    State,
    game_names,
    make_game,
)
from hexgames_env.bots import BotPool, evaluate, make_bot, play
from hexgames_env.core.options import (
    ChoiceOption,
    FlagOption,
    IntegerOption,
    as_integer,
    options_from_words,
    shown,
)
from hexgames_env.core.registry import game_class, game_from_string
from hexgames_env.envs.aec import HexGameEnv
from hexgames_env.envs.single import HexSingleAgentEnv
from hexgames_env.envs.vector import HexVectorEnv
from hexgames_env.rendering import from_text
from hexgames_env.testing import all_of

OUST = "oust side=2 pie_rule=true board=../B.W/.. to_play=0 winner=none"
every_game = pytest.mark.parametrize("name", game_names())


# Texts of positions


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "\t", "\n\n"])
def test_a_line_of_a_file_is_a_position(end: str) -> None:
    state = State.from_string(OUST)
    for text in (OUST + end, end + OUST, f" {OUST} {end}"):
        assert State.from_string(text) == state


@pytest.mark.parametrize("gap", ["  ", "\t", "\n", " \t", "\r\n", "\x0b"])
def test_the_gaps_inside_a_text_are_single_spaces(gap: str) -> None:
    for before in ("oust", "pie_rule=true", "to_play=0"):
        with pytest.raises(PositionTextError) as caught:
            State.from_string(OUST.replace(before + " ", before + gap))
        message = str(caught.value)
        assert "separated by one space each" in message
        assert f"{gap!r} after " in message and f"{before}'" in message
        assert message.isprintable()


@pytest.mark.parametrize("value", ["0\n", " 0", "\n", "0\t1", "\x00"])
def test_messages_show_what_can_not_be_seen(value: str) -> None:
    game = make_game("gipf", variant="tournament")
    for field in game.field_names:
        given: tuple[dict[str, Any], ...] = {}, {"pusher": "0"}
        for others in given:
            with pytest.raises(PositionTextError) as caught:
                game.state_from_cells({"e5": "W", "b2": "B"}, **{**others, field: value})
            assert str(caught.value).isprintable()
    with pytest.raises(PositionTextError, match="to_play='x' winner='none'"):
        State.from_string(OUST.replace("to_play=0", "to_play=x"))


# Texts of actions

NO_PUSHES = {
    "a1-c2": "c2 is not next to a1: from a1 a push goes onto b2;",
    "a1-f3": "f3 is not next to a1: from a1 a push goes onto b2;",
    "a1-b1": "b1 is a dot too: from a1 a push goes onto b2;",
    "Gf1-e9": "e9 is a dot too: from f1 a push goes onto f2 or e2;",
    "a1-b9": "b9 is no point: from a1 a push goes onto b2;",
    "b2-c2": "b2 is a point and no dot: a push begins on one of the dots a1, a2, .* i5;",
    "Ge2-e1": "e2 is a point and no dot: a push begins on one of the dots",
    "a6-b5": "a6 is no dot: a push begins on one of the dots",
    "xe8-e2": "no line has e8 and e2 as its first and its last point;",
    "xb2-c2": "no line has b2 and c2 as its first and its last point;",
    "xe9": "actions are written like",
    "e5": "actions are written like",
}


@pytest.mark.parametrize("text", NO_PUSHES)
def test_what_is_wrong_with_the_text_of_a_push(text: str) -> None:
    state = make_game("gipf").initial_state()
    with pytest.raises(IllegalActionError, match=NO_PUSHES[text]) as caught:
        state.parse_action(text)
    assert str(caught.value).startswith(f"{text!r} is no action of gipf variant=standard: ")
    assert str(caught.value).endswith("written like b1-b2, Gb1-b2, xb2-b5, keep, xb2")


@pytest.mark.parametrize(
    ("name", "kinds"),
    [("oust", "a1, pass, swap"), ("rive", "a1, xa1"), ("strands", "a1, stop")],
)
def test_an_action_of_each_kind_is_shown(name: str, kinds: str) -> None:
    state = make_game(name).initial_state()
    for text in ("a1-b2", "", None, b"a1"):
        with pytest.raises(IllegalActionError, match=f"is no action .* written like {kinds}$"):
            state.parse_action(text)  # type: ignore[arg-type]


# What is no integer


class Failing:
    """An integer that can't be had."""

    def __index__(self) -> int:
        raise RuntimeError("no")


SPAN = np.timedelta64(1, "s")
NO_INTEGERS: list[Any] = [
    *(SPAN, np.timedelta64("NaT", "s"), np.array(SPAN), np.datetime64(1, "s"), Failing()),
    *(np.ma.masked, np.ma.array(1, mask=True), np.str_("1"), np.bytes_(b"1"), np.void(b"1")),
]


@every_game
@pytest.mark.parametrize("value", NO_INTEGERS, ids=lambda value: type(value).__name__)
def test_what_is_no_integer_is_refused(name: str, value: Any) -> None:
    game = make_game(name)
    state = game.initial_state(1)
    before = all_of(state)
    for act in (state.step, state.is_legal, state.action_to_string):
        with pytest.raises(
            IllegalActionError, match=f"of type {type(value).__name__}(: parse_action.*)?$"
        ):
            act(value)
    with pytest.raises(ValueError, match="player must be 0 or 1"):
        state.observation(value)
    assert all_of(state) == before
    with pytest.raises(OptionError, match="seed must be None or an integer"):
        game.initial_state(value)
    if not isinstance(value, (np.ndarray, np.void)):  # those can't be in a dict
        with pytest.raises(PositionTextError, match="is no cell: cells are"):
            game.state_from_cells({value: 0})
    with pytest.raises(PositionTextError, match="to_play must be 0 or 1"):
        game.state_from_cells({}, to_play=value)
    for arguments in ({"n": value}, {"n": 2, "threads": value}, {"n": 2, "max_cycles": value}):
        with pytest.raises(OptionError, match=r"must be (None or )?a positive integer"):
            Batch(game, **arguments)
    with pytest.raises(OptionError, match="seed must be"):
        Batch(game, 2, seed=value)


@pytest.mark.parametrize("value", NO_INTEGERS, ids=lambda value: type(value).__name__)
def test_boards_ask_for_integers_in_the_same_way(value: Any) -> None:
    assert as_integer(value) is None
    with pytest.raises(OptionError, match="side must be an integer"):
        make_game("oust", side=value)
    with pytest.raises(TypeError, match="side must be an integer"):
        HexBoard(value)
    board = HexBoard(2)
    for ask in (board.cell_at, board.cell_on_grid):
        for pair in ((value, 0), (0, value)):
            with pytest.raises(ValueError, match="two integers, got"):
                ask(*pair)
    with pytest.raises(ValueError, match="is no cell"):
        board.groups([value])


def test_boards_take_integers_of_all_kinds() -> None:
    board = HexBoard(2)
    for one in (np.uint64(1), np.array(1), np.int8(1)):
        assert board.cell_on_grid(one, one) == 3  # type: ignore[arg-type]
        assert board.cell_at(one, -1) == 6  # type: ignore[arg-type]
    numbers: list[Any] = [np.uint64(2**64 - 1), np.int64(2**63 - 1), np.int8(127), np.uint8(255)]
    for large in (*numbers, 10**30):
        assert board.cell_on_grid(large, 0) is None
        for pair in ((large, 0), (0, large)):
            with pytest.raises(ValueError, match="is off a board of side 2"):
                board.cell_at(*pair)
    for cells in (3, None, 0.5):
        with pytest.raises(ValueError, match=r"groups\(\) takes numbers of cells"):
            board.groups(cells)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, 3, b"../.../..", ["..", "...", ".."]])
def test_boards_read_and_write_text(value: Any) -> None:
    board = HexBoard(2)
    with pytest.raises(ValueError, match="the rows of a board are read from a str, got"):
        board.from_rows(value)
    for cells in (value, "", "......", "........"):
        with pytest.raises(ValueError, match="a character for each of 7 cells, got"):
            board.to_rows(cells)
    with pytest.raises(PositionTextError, match="a board is read from a str, got"):
        from_text(value)


# States


class Source:
    """Gives one thing as a random number."""

    def __init__(self, given: Any) -> None:
        self.given = given

    def random(self) -> Any:
        return self.given


@pytest.mark.parametrize(
    "given",
    ["0.5", b"0.5", None, 1j, [0.5], {}, SPAN, np.array([0.5, 0.1]), 10**400, "x", object()],
)
def test_random_numbers_that_are_none(given: Any) -> None:
    state = make_game("oust", side=2).initial_state()
    with pytest.raises(ValueError, match=r"rng\.random\(\) must give a number from 0 to below 1"):
        state.sample_action(Source(given))


@pytest.mark.parametrize("given", [0, 0.5, np.float32(0.5), np.float64(0.99), np.array(0.5)])
def test_random_numbers_of_other_kinds(given: Any) -> None:
    state = make_game("oust", side=2).initial_state()
    assert state.sample_action(Source(given)) == state.sample_action(Source(float(given)))


@pytest.mark.parametrize("other", [5, None, "oust", make_game("oust", side=2), State])
def test_only_a_state_becomes_a_copy(other: Any) -> None:
    state = State.from_string(OUST)
    attributes = dict(vars(other)) if hasattr(other, "__dict__") else {}
    with pytest.raises(TypeError, match=r"copy_into\(\) takes the State that is to change, got "):
        state.copy_into(other)
    assert dict(vars(other) if hasattr(other, "__dict__") else {}) == attributes


def test_a_state_tells_what_has_a_hash() -> None:
    state = State.from_string(OUST)
    uses: list[Callable[[], Any]] = [lambda: hash(state), lambda: {state}, lambda: {state: 1}]
    for use in uses:
        with pytest.raises(TypeError, match=r"use state\.key\(\)"):
            use()
    assert len({state.key(), state.copy().key()}) == 1


# Integers that Python does not write


HUGE = 10**5000  # Python writes 4,300 digits
NOTHING_TO_WRITE = "an integer of 16610 bits"


class Unwritten:
    """What has no text."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_what_can_not_be_written_is_described() -> None:
    assert shown(HUGE) == NOTHING_TO_WRITE
    assert shown("x") == "'x'" and shown(None) == "None"
    for value in ([HUGE], {1: HUGE}, np.array([HUGE], object), Unwritten()):
        assert shown(value) == f"a value of type {type(value).__name__} that can't be written"


def later(function: Callable[..., Any], *arguments: Any, **settings: Any) -> Callable[[], Any]:
    """This call, to be made when its error is waited for."""
    return partial(function, *arguments, **settings)


@every_game
@pytest.mark.parametrize("value", [HUGE, -HUGE], ids=["huge", "below"])
def test_huge_integers_are_refused_like_others(name: str, value: int) -> None:
    game = make_game(name)
    state = game.initial_state(1)
    batch = Batch(game, 2, seed=1)
    wrong_action: list[Callable[[], Any]] = [
        *(later(act, value) for act in (state.step, state.try_step, state.is_legal)),
        lambda: state.action_to_string(value),
    ]
    for call in wrong_action:
        with pytest.raises(IllegalActionError, match=f"got {NOTHING_TO_WRITE}$"):
            call()
    with pytest.raises(IllegalActionError, match="actions must be 2 integers"):
        batch.step([value, value])
    wrong_setting: list[Callable[[], Any]] = [
        lambda: game.initial_state(value),
        lambda: state.greedy_action(value),
        *(
            later(Batch, **{"game": game, "n": 2, setting: value})
            for setting in ("game", "n", "seed", "threads", "max_cycles", "illegal_action")
        ),
        lambda: batch.play_random(value),
        lambda: batch.choose(value),  # type: ignore[arg-type]
        lambda: make_game(value),  # type: ignore[arg-type]
        lambda: game_from_string(value),  # type: ignore[arg-type]
        *(
            later(env, name, **{setting: value})
            for env in (HexGameEnv, HexSingleAgentEnv, HexVectorEnv)
            for setting in ("max_cycles", "illegal_action")
        ),
        *(
            later(env, name, **{setting: value})
            for env in (HexSingleAgentEnv, HexVectorEnv)
            for setting in ("opponent", "seat", "flat")
        ),
        lambda: HexVectorEnv(name, value),
        lambda: evaluate("random", game, games=value),
        lambda: evaluate("random", game, seed=value),
        lambda: evaluate("random", game, max_cycles=value),
        lambda: play("random", game, seat=value),
        lambda: play("random", game, seed=value),
        lambda: play("random", game, max_cycles=value),
        lambda: make_bot(value),  # type: ignore[arg-type]
        lambda: make_bot("greedy", depth=value),
        lambda: BotPool(newest=value),
        lambda: BotPool(value),  # type: ignore[arg-type]
    ]
    for call in wrong_setting:
        with pytest.raises(OptionError, match=NOTHING_TO_WRITE):
            call()
    for option, kind in game.option_types.items():
        if isinstance(kind, (IntegerOption, FlagOption, ChoiceOption)):
            with pytest.raises(OptionError, match=f"{option} must be .*{NOTHING_TO_WRITE}"):
                make_game(name, **{option: value})
    with pytest.raises(ValueError, match=NOTHING_TO_WRITE):
        state.observation(value)
    for row_of in (batch.state, lambda row: batch.set_state(row, state), batch.final_state):
        with pytest.raises(IndexError, match=NOTHING_TO_WRITE):
            row_of(value)
    with pytest.raises(IndexError, match="rows are"):
        batch.begin([value])
    for cells in ({value: 0}, {0: value}, value):
        with pytest.raises(PositionTextError, match=NOTHING_TO_WRITE):
            game.state_from_cells(cells)  # type: ignore[arg-type]
    with pytest.raises(PositionTextError, match=NOTHING_TO_WRITE):
        game.state_from_cells({}, value)
    for field in game.field_names:
        for given in (value, [value]):
            with pytest.raises(PositionTextError):
                game.state_from_cells({0: 0}, **{field: given})  # type: ignore[arg-type]


def test_boards_refuse_huge_integers() -> None:
    board = HexBoard(2)
    for wrong in (
        lambda: HexBoard(HUGE),
        lambda: board.cell_at(HUGE, 0),
        lambda: board.groups([HUGE]),
    ):
        with pytest.raises(ValueError, match=NOTHING_TO_WRITE):
            wrong()
    with pytest.raises(ValueError, match="is no cell"):
        board.cell(HUGE)  # type: ignore[arg-type]
    assert board.cell_on_grid(HUGE, 0) is None


def test_huge_integers_in_texts() -> None:
    digits = "9" * 5000
    for text in (
        OUST.replace("side=2", f"side={digits}"),
        OUST.replace("to_play=0", f"to_play={digits}"),
    ):
        with pytest.raises((OptionError, PositionTextError), match=r"(side|to_play) must be"):
            State.from_string(text)
    with pytest.raises(OptionError, match=r"at most 20 digits, got 9+\.\.\.$"):
        make_bot(f"greedy depth={digits}")


# Words


@pytest.mark.parametrize("words", [None, 3, "side=4"])
def test_options_are_given_as_a_list_of_words(words: Any) -> None:
    with pytest.raises(OptionError, match="side=4"):
        options_from_words("oust", game_class("oust").option_types, words)


@pytest.mark.parametrize("word", [None, 3, b"side=4", ["side=4"], "", "side", "=4", "side="])
def test_what_is_no_word_is_refused(word: Any) -> None:
    with pytest.raises(OptionError, match="is not NAME=VALUE"):
        options_from_words("oust", game_class("oust").option_types, [word])


# Settings of environments


@pytest.mark.parametrize("make", [HexSingleAgentEnv, HexVectorEnv])
@pytest.mark.parametrize("setting", ["seat", "flat", "max_cycles", "illegal_action", "opponent"])
def test_a_hidden_setting_is_refused(make: Any, setting: str) -> None:
    hidden: list[Any] = [np.ma.masked, np.ma.array(1, mask=True)]
    for value in hidden:
        with pytest.raises(OptionError):
            make("oust", **{setting: value})


@pytest.mark.parametrize("num_envs", [2**40, 2**62, 2**63 - 1])
def test_vector_envs_without_room(num_envs: int) -> None:
    with pytest.raises(OptionError, match=f"num_envs={num_envs} rows of oust .*take fewer rows"):
        HexVectorEnv("oust", num_envs)
    with pytest.raises(OptionError, match=f"num_envs={num_envs} rows"):
        HexVectorEnv("oust", num_envs, flat=True, opponent=lambda state, rng: 0, side=2)


@pytest.mark.parametrize("make", [HexGameEnv, HexSingleAgentEnv, HexVectorEnv])
def test_envs_of_a_game_and_of_its_name(make: Any) -> None:
    game = make_game("oust", side=3)
    assert make(game).game == make("oust", side=3).game == game
    wrong: list[tuple[Any, dict[str, int], str]] = [
        (game, {"side": 3}, "side: no such setting, and options are only given to a game"),
        ("oust", {"colour": 3}, "oust has no option 'colour'"),
        ("chess", {}, "there is no game 'chess'"),
        (None, {}, "game must be a Game"),
    ]
    for given, options, message in wrong:
        with pytest.raises(OptionError, match=message):
            make(given, **options)


# Batches


@pytest.mark.parametrize("n", [10**15, 2**62, 2**63 - 1])
def test_batches_without_room(n: int) -> None:
    game = make_game("oust", side=2)
    size = f"{n * Batch(game, 1).row_bytes:,}"
    with pytest.raises(OptionError, match=f"n={n} rows .* take {size} bytes.*: take fewer rows"):
        Batch(game, n)


@pytest.mark.parametrize("states", [3, None, State.from_string(OUST), "oust", {}, iter(())])
def test_what_a_batch_is_not_made_of(states: Any) -> None:
    with pytest.raises(ValueError, match=r"from_states\(\) takes at least one state"):
        Batch.from_states(states)


@pytest.mark.parametrize(
    "given", [np.array(["raise", "lose"]), np.array(["raise"]), ["raise"], None, 1, {}]
)
def test_illegal_action_is_one_of_two_words(given: Any) -> None:
    with pytest.raises(OptionError, match="illegal_action must be 'lose' or 'raise', got"):
        Batch(make_game("oust", side=2), 2, illegal_action=given)


@pytest.mark.parametrize("illegal_action", ["raise", "lose"])
def test_hidden_actions_are_none(illegal_action: Any) -> None:
    batch = Batch(make_game("oust", side=2), 3, seed=1, illegal_action=illegal_action)
    actions, before = batch.sample_actions(), batch.copy()
    for mask in (True, [True, False, False], [False, False, True]):
        with pytest.raises(IllegalActionError, match="masked"):
            batch.step(np.ma.array(actions, mask=mask))
    for row in range(3):
        assert batch.state(row) == before.state(row)
    assert batch.lengths.tolist() == [0, 0, 0]
    batch.step(np.ma.array(actions, mask=False))
    before.step(actions)
    assert [batch.state(row) for row in range(3)] == [before.state(row) for row in range(3)]
