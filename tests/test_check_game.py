"""`check_game` finds what authors of games get wrong, and says what it is."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import pytest

import strange_game
import toy_game
from hexgames_env import Game, OptionError, game_names, make_game, register_game
from hexgames_env.core import registry
from hexgames_env.testing import PROMISES, GameCheckError, check_game, games_of
from processes import run

assert toy_game.__file__ is not None
TOY = Path(toy_game.__file__).read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))


def changed(tmp_path: Path, name: str, *changes: tuple[str, str]) -> ModuleType:
    """The toy game with another name and these changes, as a module of its own."""
    source = TOY.replace('name = "duo"', f'name = "{name}"')
    for old, new in changes:
        assert source.count(old) == 1, f"{old!r} stands {source.count(old)} times in the toy game"
        source = source.replace(old, new)
    file = tmp_path / f"{name}.py"
    file.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    registry.add_game(module.Duo)
    return module


SLIPS = {
    "no_title": (('    title = "Duo"\n', ""), "needs a class attribute title, a str"),
    "symbols_of_two": (
        ('    title = "Duo"\n', '    title = "Duo"\n    symbols = "BW"\n'),
        "symbols is a character for an empty cell, .* got 'BW'",
    ),
    "phases_in_a_list": (
        ('phases = ("first", "second")', 'phases = ["first", "second"]'),
        "phases must be a tuple of str",
    ),
    "two_planes_alike": (
        ('"own stones", "opponent\'s stones"', '"stones", "stones"'),
        "plane_names names something twice",
    ),
    "a_phase_after_the_end": (
        ('phases = ("first", "second")', 'phases = ("first", "over")'),
        'no phase is called "over"',
    ),
    "symbols_that_no_text_has": (
        ('    title = "Duo"\n', '    title = "Duo"\n    symbols = "\u00b7BW"\n'),
        "printable ASCII, but neither space nor '/', got '\u00b7BW'",
    ),
    "a_field_called_like_an_option": (
        ('field_names = ("second",)', 'field_names = ("second", "side")'),
        "other than board, to_play and winner, got 'side'",
    ),
    "a_helper_called_like_one_of_ours": (
        (
            "    def fields(self",
            "    def _observe(self) -> None:\n        pass\n\n    def fields(self",
        ),
        "Game keeps _observe to itself",
    ),
    "no_board_plane": (('"board", "to act"', '"to act", "board"'), "plane 0 .* is the board"),
    "an_action_without_a_name": (
        ("        return self.cell_names\n", "        return self.cell_names[1:]\n"),
        r"names_all_its_parts\(seed=0\).*\n.*action_names\(0\), for the phase 'first', must be a "
        "str for each of the 7 actions, got 6",
    ),
    "actions_share_a_name": (
        ("        return self.cell_names\n", '        return ["a1"] * self.num_actions\n'),
        "two legal actions share a text",
    ),
    "a_plane_not_written": (
        ("plane in range(len(PLANE_NAMES))", "plane in range(4)"),
        "values of planes are from 0 to 1|plane 4, 'second stone due'",
    ),
    "a_board_without_edge": (
        ("planes[b, row, column, plane] = 0", "planes[b, row, column, plane] = plane == 0"),
        "plane 0, 'board', must be 0 off the board",
    ),
    "a_mask_with_more": (
        ("i < tables[NUM_CELLS] and rows[b, STONES, i] == 0", "rows[b, STONES, i] == 0"),
        "mask's bytes behind the last action must be 0",
    ),
    "a_mask_of_nothing": (
        ("i < tables[NUM_CELLS] and rows[b, STONES, i] == 0", "0"),
        "with a 1 at least while the game runs",
    ),
    "the_next_player_after_the_end": (
        ("pack_status(to_play, True", "pack_status(1 - to_play, True"),
        "after the end to_play is who made the last step",
    ),
    "acting_after_a_cut_off": (("is_cut_off(view)", "False"), "after a cut-off"),
    "the_other_acts": (
        ("rows[b, HEADER, TO_PLAY] == player\n", "rows[b, HEADER, TO_PLAY] != player\n"),
        "plane 1 must be 1 on all cells for player_0",
    ),
    "a_field_left_out": (
        ('{"second": "true"} if row[HEADER, SECOND] else {}', "{}"),
        "the position read from its text: .* differs|one key, different",
    ),
    "a_start_that_keeps_the_header": (
        ("    for plane in range(3):\n", "    for plane in range(2):\n"),
        r"start\(\) must write all of a row: row \d was used before: text differs",
    ),
    "lopsided": (
        ("rows[b, STONES, stones // 2]", "rows[b, STONES, 0]"),
        "winner must be|player, phase or winner differ",
    ),
    "actions_that_do_not_turn": (
        (
            "    def fields(self",
            "    def map_actions(self, cells: Any) -> Any:\n"
            "        return np.arange(self.num_actions)\n\n    def fields(self",
        ),
        r"symmetries_map_whole_games\(seed=0\)",
    ),
}


TRY = """
import json
from test_check_game import what_is_said
print(json.dumps(what_is_said()))
"""


def what_is_said() -> dict[str, str]:
    """What `check_game` says of each slip, with the notes of errors that are not its own."""
    said = {}
    with tempfile.TemporaryDirectory() as folder:
        for slip, (change, _) in SLIPS.items():
            module = changed(Path(folder), f"duo_{slip}", change)
            try:
                check_game(module.Duo, seeds=1)
                said[slip] = "nothing"
            except GameCheckError as error:
                said[slip] = f"{error}"
            except Exception as error:
                said[slip] = f"{error} {error.__notes__}"
    return said


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """In plain Python, because compiling each of these games takes longer than all the checks."""
    (line,), _ = run(TRY, NUMBA_DISABLE_JIT="1")
    found: dict[str, str] = json.loads(line)
    return found


@pytest.mark.parametrize("slip", SLIPS)
def test_slips(slip: str, said: dict[str, str]) -> None:
    assert re.search(SLIPS[slip][1], said[slip], re.DOTALL), said[slip]
    assert f"duo_{slip}" in said[slip] or "Duo: " in said[slip]


@pytest.mark.long
def test_the_unchanged_game_passes_and_every_promise_is_reported(tmp_path: Path) -> None:
    module = changed(tmp_path, "duo_unchanged")
    lines: list[str] = []
    check_game(module.Duo, seeds=1, report=lines.append)
    assert len(lines) == 2 * len(PROMISES)
    assert lines[0] == f"duo_unchanged side=2: {PROMISES[0].__doc__}"
    before = len(lines)
    check_game(make_game("duo_unchanged", side=3), seeds=1, report=lines.append)
    assert len(lines) == before + len(PROMISES)
    assert games_of("duo_unchanged") == games_of(module.Duo)  # by its name, too


def test_slips_are_told_at_registration(tmp_path: Path) -> None:
    module = changed(tmp_path, "duo_unregistered")

    class Untitled(module.Duo):  # type: ignore[name-defined, misc]
        name = "untitled"
        title = ""

    with pytest.raises(OptionError, match=r"Untitled can't be registered: .* attribute title"):
        register_game(Untitled)
    assert "untitled" not in game_names()


def test_a_plain_function_is_no_kernel(tmp_path: Path) -> None:
    module = changed(tmp_path, "duo_plain", ("@kernel\ndef mask(", "def mask("))
    with pytest.raises(TypeError, match=r"mask\(\) of Duo is no kernel: put @kernel above it"):
        check_game(module.Duo, seeds=1)


def test_too_few_names_of_actions(tmp_path: Path) -> None:
    module = changed(
        tmp_path, "duo_short", ("return self.cell_names\n", "return self.cell_names[1:]\n")
    )
    with pytest.raises(TypeError, match=r"action_names\(\) must give a name for each of the 7"):
        module.Duo(side=2).initial_state().action_to_string(0)


def test_a_game_is_registered_first(tmp_path: Path) -> None:
    module = changed(tmp_path, "duo_known")

    class Unknown(module.Duo):  # type: ignore[name-defined, misc]
        name = "unknown_duo"

    class Rival(module.Duo):  # type: ignore[name-defined, misc]
        pass

    for game, message in (
        (Unknown, "there is no game 'unknown_duo'"),
        (Rival, r"Rival is not the game .* 'duo_known': call register_game\(.*Rival\) first"),
    ):
        with pytest.raises(OptionError, match=message):
            check_game(game, seeds=1)
    for wrong in (int, Game, 3, None):
        with pytest.raises(GameCheckError, match=r"no class derived|needs a class attribute"):
            check_game(wrong)  # type: ignore[arg-type]


STRANGE = """
from hexgames_env import register_game
from hexgames_env.testing import check_game
import strange_game
for game in (strange_game.Lamp, strange_game.Point):
    register_game(game)
    check_game(game, seeds=8)
    print(game.name)
"""


@pytest.mark.machines  # it compiles two games from nothing
def test_what_is_strange_but_correct_passes() -> None:
    assert run(STRANGE, NUMBA_DISABLE_JIT="1") == (["lamp", "point"], "")


UNCLEARED = """
import sys
source = open("{file}", encoding="utf-8").read()
clear = "clear_row(rows, np.uint64(b))"
assert source.count(clear) == 1
module = type(sys)("unclear")
sys.modules["unclear"] = module
exec(source.replace(clear, "rows[b, HEADER, TO_PLAY] = 0"), vars(module))
from hexgames_env import register_game
from hexgames_env.testing import GameCheckError, check_game
register_game(module.Lamp)
try:
    check_game(module.Lamp, seeds=1)
except GameCheckError as error:
    print(str(error).splitlines()[-1])
"""


def test_a_drawn_start_is_written_whole_too() -> None:
    (line,), _ = run(UNCLEARED.format(file=strange_game.__file__), NUMBA_DISABLE_JIT="1")
    assert re.match(r"start\(\) must write all of a row: row \d was used before: ", line), line


BEYOND = """
import sys
sys.path[:0] = {path!r}
from hexgames_env import register_game
from hexgames_env.testing import check_game
import duo_beyond
register_game(duo_beyond.Duo)
try:
    check_game(duo_beyond.Duo, seeds=1)
except IndexError as error:
    print(error.__notes__[0])
"""


@pytest.mark.long
def test_indices_out_of_bounds_are_found_by_numbas_check(tmp_path: Path) -> None:
    changed(tmp_path, "duo_beyond", (', "second stone due")', ")"))
    (line,), _ = run(BEYOND.format(path=[str(tmp_path)]), NUMBA_BOUNDSCHECK="1")
    assert line.startswith("while checking make_game('duo_beyond', side=2), ")
