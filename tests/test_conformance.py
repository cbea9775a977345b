"""Every game of the registry, with every combination of examples of its options."""

from __future__ import annotations

import itertools

import pytest

import conformance
from conformance import games_of, small_game
from hexgames_env import Game, OptionError, game_names, make_game
from hexgames_env.core.options import ChoiceOption, FlagOption, IntegerOption, Option

GAMES = [game for name in game_names() for game in games_of(name)]
every_game = pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=pytest.mark.everywhere) if game == make_game(game.name) else game
        for game in GAMES
    ],
    ids=Game.to_string,
)


def test_all_four_games_are_there() -> None:
    assert set(game_names()) >= {"oust", "rive", "strands", "gipf"}


@every_game
def test_random_games_end_with_a_winner(game: Game) -> None:
    for seed in range(3):
        conformance.ends_with_a_winner(game, seed)


@every_game
def test_observations_show_the_board(game: Game) -> None:
    conformance.shows_the_board(game, seed=1)
    conformance.refuses_wrong_arrays(game)


@every_game
def test_names_of_actions(game: Game) -> None:
    conformance.reads_the_names_it_writes(game, seed=2)


@every_game
def test_wrong_actions(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    conformance.refuses_wrong_actions(game, 3, monkeypatch)


@every_game
def test_copies(game: Game) -> None:
    for seed in range(3):
        conformance.copies_go_on_alike(game, seed)


@every_game
def test_undo(game: Game) -> None:
    conformance.undoes_to_the_start(game, seed=5)


@every_game
def test_keys(game: Game) -> None:
    conformance.keys_are_exact(game, games=5 if game.board.side > 3 else 100)


@every_game
def test_symmetries(game: Game) -> None:
    conformance.symmetries_are_a_group(game)
    conformance.symmetries_map_whole_games(game, seed=6)
    conformance.symmetries_take_batches(game)


@every_game
def test_the_game_is_a_value(game: Game) -> None:
    conformance.is_a_value(game)


@every_game
def test_the_beginning(game: Game) -> None:
    conformance.begins_from_its_seed(game)


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
