"""Every game of the registry, with every combination of examples of its options."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

import conformance
from hexgames_env import Game, OptionError, game_names, make_game
from hexgames_env.core.options import ChoiceOption, FlagOption, IntegerOption, Option
from hexgames_env.testing import PROMISES, games_of, small_game

GAMES = [game for name in game_names() for game in games_of(name)]
DEFAULT = [game for game in GAMES if game == make_game(game.name)]
# Large boards take most of the time, and layouts of Strands differ in little
ALIKE = ("layout=6 ", "layout=6-low", "layout=7 ", "layout=7-random", "6-random cover=exactly")
LONG = [
    game
    for game in GAMES
    if game.board.side > 7 or any(words in game.to_string() for words in ALIKE)
    if game not in DEFAULT
]


def marked(game: Game) -> object:
    marks = [pytest.mark.everywhere] * (game in DEFAULT) + [pytest.mark.long] * (game in LONG)
    return pytest.param(game, marks=marks)


every_game = pytest.mark.parametrize("game", [*map(marked, GAMES)], ids=Game.to_string)


def test_all_four_games_are_there() -> None:
    assert set(game_names()) >= {"oust", "rive", "strands", "gipf"}


OFTEN = ("ends_with_a_winner", "copies_go_on_alike")


@every_game
@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
def test_a_promise(game: Game, promise: Callable[[Game, int], None]) -> None:
    for seed in range(2 if promise.__name__ in OFTEN else 1):
        promise(game, seed)


@every_game
def test_what_users_give(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    conformance.gives_compiled_code_numbers_of_actions_alone(game, 3, monkeypatch)
    conformance.takes_only_arrays_that_fit(game)
    conformance.turns_batches_of_any_shape(game)
    conformance.is_written_in_python(game)


@pytest.mark.parametrize("name", game_names())
def test_two_sizes_at_once(name: str) -> None:
    small = small_game(name)
    for other in games_of(name):
        conformance.takes_hands_off_other_games(small, other)


def test_two_games_at_once() -> None:
    small = [small_game(name) for name in game_names()]
    for one, other in itertools.pairwise(small):
        conformance.takes_hands_off_other_games(one, other)
        assert one != other


@pytest.mark.parametrize("name", ["hex", "Oust", "oust ", "", None, 3, ["oust"], "oust_v0"])
def test_unknown_games(name: object) -> None:
    with pytest.raises(OptionError, match=r"there is no game .* the games are oust, rive"):
        make_game(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["oust", "rive"])
@pytest.mark.parametrize("side", [1, 10, 3.5, "7", True, None, -7, 2**70])
def test_wrong_sides(name: str, side: object) -> None:
    with pytest.raises(OptionError, match="side must be an integer from 2 to 9, got"):
        make_game(name, side=side)


@pytest.mark.parametrize(
    "option", [IntegerOption(3, 2, 5), IntegerOption(2, 2, 2), FlagOption(True), ChoiceOption("a")]
)
def test_examples_of_options_are_values_that_they_take(option: Option) -> None:
    examples = option.examples()
    assert option.default in examples and len(set(examples)) == len(examples)
    assert [option.check("x", value) for value in examples] == examples
    assert [option.from_word("x", option.to_word(value)) for value in examples] == examples
