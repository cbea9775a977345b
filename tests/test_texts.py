"""Text that is no position, and positions by hand that are none: refused, and never otherwise."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from conformance import reads_or_refuses
from hexgames_env import OptionError, PositionTextError, State, game_names, make_game
from hexgames_env.core.state import MAX_TEXT
from hexgames_env.rendering import from_text, to_text
from hexgames_env.testing import games_of, small_game, some_positions

every_game = pytest.mark.parametrize("name", game_names())
STRANGE = "\0\n\t \x7f\u00b2\u0661\u00e4\U0001f600/=.,-+BWbwxX012379"


def texts_of(name: str) -> list[str]:
    """Positions of the smallest board and of the default one, inside turns and after the end."""
    games = (small_game(name), make_game(name))
    return [state.to_string() for game in games for state in some_positions(game, 1, wanted=4)]


@every_game
def test_cut_texts(name: str) -> None:
    for text in texts_of(name):
        assert reads_or_refuses(text) is not None
        for end in range(len(text)):
            reads_or_refuses(text[:end])
            reads_or_refuses(text[end + 1 :])


def mutated(rng: random.Random, texts: list[str]) -> str:
    """A text with a few changes, of characters or of words."""
    text = rng.choice(texts)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:at] + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + rng.choice(STRANGE) + text[at:]
        elif kind == 2:
            text = text[:at] + rng.choice(STRANGE + text) + text[at + 1 :]
        else:
            words, others = text.split(" "), rng.choice(texts).split(" ")
            if kind == 3:
                rng.shuffle(words)
            elif kind == 4:
                words[rng.randrange(len(words))] = rng.choice(others)
            else:
                words.insert(rng.randrange(len(words) + 1), rng.choice(others))
            text = " ".join(words)
    return text


@every_game
def test_mutated_texts(name: str) -> None:
    rng = random.Random(7)
    texts = texts_of(name)
    read = sum(reads_or_refuses(mutated(rng, texts)) is not None for _ in range(2500))
    assert read > 20  # so changes were small enough to reach the checks of positions


@every_game
def test_fields_with_strange_values(name: str) -> None:
    rng = random.Random(8)
    game = small_game(name)
    names = ["board", "to_play", "winner", *game.option_types, *game.field_names]
    values = [
        *("", "0", "1", "-1", "2", "9" * 25, "9" * 5000, "1.5", "none", "None", "true", "True"),
        *("a1", "a1,a2", "z9", ",", "/", "//", ".", "x", "=", "==", "[0]", "0,0", "18,18", "1e3"),
    ]
    texts = [state.to_string() for state in some_positions(game, 2, wanted=4)]
    for text in texts:
        for field in names:
            for value in (*values, "".join(rng.choice(STRANGE) for _ in range(8))):
                words = [word for word in text.split(" ") if not word.startswith(f"{field}=")]
                reads_or_refuses(" ".join([*words, f"{field}={value}"]))


@every_game
def test_boards_of_random_symbols(name: str) -> None:
    rng = random.Random(9)
    game = small_game(name)
    for _ in range(500):
        symbols = game.symbols if rng.random() < 0.9 else game.symbols + "x/ "
        ground = "".join(rng.choice(symbols) for _ in range(game.board.num_cells))
        winner = rng.choice(["none", "none", "0", "1"])
        board = game.board.to_rows(ground)
        text = f"{game.to_string()} board={board} to_play={rng.randrange(2)} winner={winner}"
        reads_or_refuses(text)


def test_random_and_oversized_texts() -> None:
    rng = random.Random(10)
    for _ in range(500):
        length = rng.choice([0, 1, 5, 50, 500])
        assert reads_or_refuses("".join(chr(rng.randrange(1, 500)) for _ in range(length))) is None
    for text in ("x" * (MAX_TEXT + 1), "oust " * MAX_TEXT, "oust " + "a=b " * (MAX_TEXT // 4 - 5)):
        with pytest.raises((PositionTextError, OptionError)) as caught:
            State.from_string(text)
        assert len(str(caught.value)) < MAX_TEXT + 200


@pytest.mark.parametrize("text", [None, 3, b"oust side=2", ["oust"], make_game("oust")])
def test_what_is_no_text(text: Any) -> None:
    with pytest.raises(PositionTextError, match="a position is read from a str, got"):
        State.from_string(text)


OUST = "oust side=2 pie_rule=true board=../B.W/.. to_play=0 winner=none"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", OptionError, "there is no game ''"),
        (OUST.replace("oust", "hex"), OptionError, "there is no game 'hex': the games are oust"),
        (OUST.replace("side=2", "side=1"), OptionError, "side must be an integer from 2 to 9"),
        (OUST.replace("side=2", "side=two"), OptionError, "got 'two'"),
        (OUST.replace("side=2", "side=+2"), OptionError, r"got '\+2'"),
        (OUST.replace("=true", "=True"), OptionError, "pie_rule must be True or False, got 'True'"),
        (OUST.replace("side=2", "side"), PositionTextError, "'side' is not NAME=VALUE"),
        (OUST.replace("side=2", "side="), PositionTextError, "'side=' is not NAME=VALUE"),
        (OUST + " side=2", PositionTextError, "'side=2': side is given twice"),
        (OUST.replace(" board", "  board"), PositionTextError, "by one space .* is '  ' after"),
        (OUST + " size=2", PositionTextError, "no field 'size': their fields are none"),
        (OUST.replace("board=../B.W/.. ", ""), PositionTextError, "board=... is missing"),
        (OUST.replace(" to_play=0", ""), PositionTextError, "to_play=... is missing"),
        (OUST.replace(" winner=none", ""), PositionTextError, "winner=... is missing"),
        (OUST.replace("to_play=0", "to_play=2"), PositionTextError, "to_play must be 0 or 1"),
        (OUST.replace("=none", "=2"), PositionTextError, "winner none, 0 or 1.*winner='2'"),
        (OUST.replace("B.W", "BW"), PositionTextError, "rows of 2 3 2 characters out of '.BW'"),
        (OUST.replace("B.W", "b.W"), PositionTextError, "rows of 2 3 2 characters out of '.BW'"),
        (OUST.replace("B.W", "B.\u00dc"), PositionTextError, "ASCII"),
    ],
)
def test_what_the_error_says(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        State.from_string(text)


def test_options_that_are_missing_are_at_their_default() -> None:
    text = "rive board=...../....../......./......../........./......../......./....../..... "
    state = State.from_string(text + "to_play=0 winner=none")
    assert state == make_game("rive").initial_state()


# The text form for terminals


@every_game
def test_text_forms_are_read_back(name: str) -> None:
    """With every combination of options, coloured or not, and without what stands below."""
    for game in games_of(name):
        for state in some_positions(game, 4, wanted=3):
            for colour in (False, True):
                for headline in (None, "", "anything\nat all"):
                    text = to_text(state, colour, headline)
                    again = from_text(text)
                    assert again == state and again.winner == state.winner
                    assert again.history == [] and again.legal_actions() == state.legal_actions()
            rows = 17 if name == "gipf" else len(game.board.row_lengths)
            board = "\n".join(to_text(state, False).split("\n")[: 1 + rows])
            for text in (board, f"\n{board}\n\n", f"{board}\nB . W\n"):
                assert from_text(text) == state


@every_game
def test_text_forms_that_are_none(name: str) -> None:
    state = make_game(name).initial_state(1)
    header, *lines = to_text(state, False).split("\n")
    for wrong in (
        "\n".join(lines),
        "\n".join([header, *lines[:3]]),
        "\n".join([header, *lines[1:]]),
        "\n".join([header.replace(" to_play=0", ""), *lines]),
        "\n".join([header.replace(" winner=none", ""), *lines]),
        "\n".join([header, *(line.replace(".", "?").replace("2", "?") for line in lines)]),
        "",
    ):
        with pytest.raises((PositionTextError, OptionError)):
            from_text(wrong)


# Positions by hand


@every_game
def test_cells_and_symbols_by_hand(name: str) -> None:
    game = make_game(name)
    n = game.board.num_cells
    for cell in (-1, n, n + 0.0, 1.5, None, True, "", "a0", "z1", " a1", "A1", (1,), b"a1"):
        with pytest.raises(PositionTextError, match="is no cell: cells are"):
            game.state_from_cells({cell: 0})  # type: ignore[type-var]
    for what in (2, -1, 0.0, None, True, False, "", "BW", "?", "\u00e4", b"B", [0]):
        with pytest.raises(PositionTextError, match="on a cell can lie 0 or 1"):
            game.state_from_cells({0: what})  # type: ignore[dict-item]
    for to_play in (2, -1, 0.0, None, True, "0"):
        with pytest.raises(PositionTextError, match="to_play must be 0 or 1, got"):
            game.state_from_cells({0: 0}, to_play=to_play)  # type: ignore[arg-type]
    with pytest.raises(PositionTextError, match="have no field 'colour': their fields are"):
        game.state_from_cells({0: 0}, colour=1)


@every_game
def test_fields_by_hand(name: str) -> None:
    game = small_game(name)
    values: list[Any] = [
        *(-1, 0, 1, 2, 10**30, 1.5, None, True, False, "", " ", "x", "\u00b2", "\u0661", "1 2"),
        *([1], (0, 1), b"1", {}, object(), "a1", "b2", "a1,b2", "9" * 5000, "\n", float("nan")),
    ]
    for field in game.field_names:
        for value in values:
            for cells in ({}, {0: 0}, {0: 0, 1: 1, 3: 1}):
                try:
                    state = game.state_from_cells(cells, **{field: value})
                except PositionTextError:
                    continue
                assert State.from_string(state.to_string()) == state
                assert state.is_over or state.legal_actions()


@every_game
def test_every_running_position_can_be_set_up_by_hand(name: str) -> None:
    for game in (small_game(name), make_game(name)):
        for state in some_positions(game, 3):
            if not state.is_over:
                ground, fields = state.ground(), state.fields()
                by_number = dict(enumerate(ground))
                by_name = dict(zip(game.cell_names, ground, strict=True))
                for cells in (by_number, by_name):
                    by_hand = game.state_from_cells(cells, state.to_play, **fields)
                    assert by_hand == state and by_hand.history == []
                    assert by_hand.legal_actions() == state.legal_actions()


def test_a_player_is_a_symbol_too() -> None:
    game = make_game("oust", side=2)
    by_symbol = game.state_from_cells({"a1": "B", "b3": "W", "b2": "."}, to_play=1)
    for cells in ({"a1": 0, "b3": 1}, {0: "B", 4: np.int8(1)}, {np.int64(0): 0, "b3": np.array(1)}):
        assert game.state_from_cells(cells, to_play=np.int8(1)) == by_symbol  # type: ignore
