"""`solve`: exact values against trying everything, interruptions, memory, files, the table."""

from __future__ import annotations

import dataclasses
import io
import json
import random
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grab_game import Grab
from hexgames_env import Game, GameOverError, OptionError, PositionTextError, State, make_game
from hexgames_env.bots import make_bot
from hexgames_env.cli import main
from hexgames_env.core.registry import game_from_string
from hexgames_env.search import Solution, Solver, Value, solve, solved, solved_positions
from hexgames_env.search.images import images_of
from plain_solver import PlainSolver, as_known, children, forced
from processes import Ended, start
from strange_game import Lamp
from toy_game import Duo

SMALL = [
    make_game("oust", side=2, pie_rule=False),
    make_game("oust", side=2),
    Grab(),
]


def facts(found: Solution) -> dict[str, Any]:
    """All but what depends on the way there."""
    kept = dataclasses.asdict(dataclasses.replace(found, seconds=0.0, positions=0))
    return {**kept, "state": found.state.to_string(), "line": found.line}


def holds(found: Solution, plain: PlainSolver) -> None:
    """All of a solution is what trying everything says."""
    state = found.state
    assert found.ended == "solved"
    assert as_known(found.value) == plain.value(state)
    assert set(found.values) == set(state.legal_actions())
    for action, after in children(state):
        known = plain.value(after)
        assert known is not None
        assert as_known(found.values[action]) == (known[0], known[1] + 1)
    follows(found, plain)


def follows(found: Solution, plain: PlainSolver) -> None:
    """The line leads from the position to the end in as many steps, and each one is best."""
    state = found.state
    assert len(found.line) == found.distance
    for k, action in enumerate(found.line):
        assert plain.value(state) == (found.winner, len(found.line) - k)
        state.step(action)
    assert state.winner == found.winner


@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.to_string())
@pytest.mark.parametrize("symmetries", [True, False])
def test_small_games_are_solved_as_by_trying_everything(game: Game, symmetries: bool) -> None:
    plain = PlainSolver()
    holds(solve(game.initial_state(1), symmetries=symmetries), plain)
    source = random.Random(1)
    for _ in range(10):
        state = game.initial_state(1)
        for _ in range(source.randrange(1, 6)):
            if not state.is_over:
                state.step(state.sample_action(source))
        if not state.is_over:
            holds(solve(state, symmetries=symmetries), plain)


def test_who_moves_twice_decides_the_toy_game() -> None:
    found = solve(Grab().initial_state(1))
    assert (found.winner, found.distance) == (0, 7)
    assert {action for action, value in found.values.items() if value.winner == 0} == {0, 1}
    assert set(found.line[:2]) == {0, 1}


@pytest.mark.parametrize("side", [2, pytest.param(3, marks=pytest.mark.long)])
def test_the_second_player_wins_oust_with_the_pie_rule(side: int) -> None:
    """It takes over a first stone that wins, and else answers it."""
    with_pie = solve(make_game("oust", side=side).initial_state())
    without = solve(make_game("oust", side=side, pie_rule=False).initial_state())
    assert with_pie.winner == 1 and without.winner == 0
    for action, value in without.values.items():
        steps = value.distance
        assert steps is not None
        swapped = with_pie.values[action]
        assert swapped.winner == 1
        if value.winner == 0:  # the swap, and then the other way round
            assert swapped.distance == steps + 1
        else:
            assert swapped.distance == steps


def test_only_winners_are_wanted() -> None:
    state = make_game("oust", side=3, pie_rule=False).initial_state()
    exact, quick = solve(state), solve(state, distances=False)
    assert quick.winner == exact.winner and quick.line == ()
    for action, value in quick.values.items():
        best = exact.values[action].distance
        assert best is not None and value.most is not None
        assert value.winner == exact.values[action].winner
        assert value.least <= best <= value.most
    assert quick.positions < exact.positions
    only = solve(state, actions=False)
    assert only.values == {} and only.value == exact.value and len(only.line) == 3


def test_what_is_not_won_within_so_many_steps_is_undecided() -> None:
    state = make_game("oust", side=3, pie_rule=False).initial_state()
    state.step(state.parse_action("b2"))
    found = solve(state, within=11)
    assert (found.winner, found.ended, found.within, found.line) == (None, "undecided", 11, ())
    assert found.value == Value(None, 12, None)
    assert found.headline() == "undecided: nobody can force a win within 11 steps"
    assert solve(state, within=12).value == Value(0, 12, 12)
    assert solve(state, within=1).value.winner is None


# Interruptions


def test_a_search_that_is_stopped_goes_on_and_finds_the_same() -> None:
    state = make_game("oust", side=3).initial_state()
    whole = solve(state)
    solver = Solver(state)
    stops = 0
    while True:
        before = solver.positions
        found = solver.solve(lambda solver: solver.stop(), every=0)
        if found.ended == "solved":
            break
        assert found.ended == "stopped" and "stopped after" in found.headline()
        assert solver.positions >= before
        for action, value in found.values.items():
            assert value == whole.values[action]
        stops += 1
    assert stops > 3
    assert facts(found) == facts(whole)


def test_what_progress_raises_ends_the_search_and_loses_nothing() -> None:
    state = make_game("oust", side=3).initial_state()
    solver, told = Solver(state), []

    def tell(solver: Solver) -> None:
        told.append((solver.positions, solver.asked))
        if len(told) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solver.solve(tell, every=0)
    assert 0 < told[0][0] <= told[2][0] <= solver.room
    assert "player_" in told[2][1] and solver.asked == ""
    assert facts(solver.solve()) == facts(solve(state))


def test_a_file_carries_what_is_known_to_another_search(tmp_path: Path) -> None:
    state = make_game("oust", side=3).initial_state()
    first = Solver(state)
    first.solve(lambda solver: solver.stop(), every=0)
    file = tmp_path / "oust.solve"
    first.save(file)
    assert [path.name for path in tmp_path.iterdir()] == ["oust.solve"]
    second = Solver(state, memory=64)
    second.load(file)
    assert second.positions == first.positions
    second.load(file)  # once more changes nothing
    assert second.positions == first.positions
    assert facts(second.solve()) == facts(solve(state))
    second.save(file)
    state.step(state.parse_action("b2"))  # of the same game, another position
    third = Solver(state, symmetries=False)
    third.load(file)
    assert facts(third.solve()) == facts(solve(state))


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    state = make_game("oust", side=2).initial_state()
    solver = Solver(state)
    solver.solve()
    file = tmp_path / "file"
    solver.save(file)
    whole = file.read_bytes()
    before = solver.positions
    with pytest.raises(OptionError, match=r"is of oust side=2 .*, and oust side=3 .* is solved"):
        Solver(make_game("oust", side=3).initial_state()).load(file)
    for damaged in (b"", b"nothing", whole[:-30], whole[: len(whole) // 2]):
        file.write_bytes(damaged)
        with pytest.raises(OptionError, match="is no file of solve, or it is damaged"):
            solver.load(file)
    flipped = bytearray(whole)
    flipped[-400] ^= 1  # in the positions: the archive has a sum of them
    file.write_bytes(flipped)
    with pytest.raises(OptionError, match="is no file of solve, or it is damaged"):
        solver.load(file)
    with np.load(io.BytesIO(whole)) as found:
        about, kept = json.loads(str(found["about"])), found["positions"]
    for change, words in (
        ({"rules": "others"}, "another version of hexgames_env, or of the game"),
        ({"form": 2}, "is of form 2"),
        ({"position": "oust"}, "is no file of solve"),
    ):
        with file.open("wb") as opened:
            np.savez(opened, about=np.array(json.dumps(about | change)), positions=kept)
        with pytest.raises(OptionError, match=words):
            solver.load(file)
    with pytest.raises(FileNotFoundError, match="none"):
        solver.load(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match="none"):
        solver.save(tmp_path / "none" / "file")
    assert solver.positions == before


# Memory


def test_a_full_table_ends_the_search_without_a_wrong_value(tmp_path: Path) -> None:
    state = make_game("oust", side=4, pie_rule=False).initial_state()
    solver = Solver(state, within=60, memory=3)
    found = solver.solve()
    assert found.ended == "full" and found.positions == solver.room == solver.positions
    assert found.winner is None and found.values == {} and found.line == ()
    assert found.headline() == (
        f"not solved: {solver.room:,} positions fill the memory; open: nobody can force a win in "
        f"fewer than {found.value.least} steps"
    )
    assert facts(solver.solve()) == facts(found)
    solver.save(tmp_path / "file")
    larger = Solver(state, within=60, memory=6)
    larger.load(tmp_path / "file")
    assert larger.positions == solver.positions
    more = larger.solve()
    assert more.ended == "full" and more.value.least >= found.value.least
    larger.save(tmp_path / "file")
    with pytest.raises(OptionError, match=r"holds .* positions, and memory=3 has room for .*more"):
        solver.load(tmp_path / "file")


def test_memory_is_kept() -> None:
    """All arrays together stay within the memory that is given."""
    for memory in (16, 100):
        solver = Solver(make_game("oust", side=3).initial_state(), memory=memory)
        arrays = [solver._table, solver._rows, solver._frames, *solver._children]
        size = sum(array.nbytes for array in arrays)
        assert 0.95 * (memory << 20) < size <= memory << 20


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"within": 0}, "within must be an integer from 1 to 4000, got 0"),
        ({"within": 2.5}, "within must be an integer from 1 to 4000, got 2.5"),
        ({"within": 4001}, "within must be an integer from 1 to 4000, got 4001"),
        ({"memory": 0}, "memory must be an integer from 1 to 1048576, got 0"),
        ({"memory": "much"}, "memory must be an integer from 1 to 1048576, got 'much'"),
        ({"memory": 1}, r"memory must be \d MiB or more to look 500 steps ahead in oust side=3"),
        ({"memory": 1 << 20}, "memory=1048576 MiB is more than there is room for: take less"),
        ({"distances": 1}, "distances must be True or False, got 1"),
        ({"actions": None}, "actions must be True or False, got None"),
        ({"symmetries": "no"}, "symmetries must be True or False, got 'no'"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Solver(make_game("oust", side=3).initial_state(), **settings)


def test_only_positions_of_games_that_run_are_solved() -> None:
    state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    state.step(state.parse_action("b2"))
    with pytest.raises(GameOverError, match="the game has ended"):
        solve(state)
    with pytest.raises(TypeError, match="a State is searched, got 'oust side=2'"):
        solve("oust side=2")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="every must be a number of seconds from 0 on, got -1"):
        Solver(make_game("oust", side=2).initial_state()).solve(every=-1)


# What is written down


def test_a_solution_is_written_and_read() -> None:
    found = solve(make_game("oust", side=2).initial_state())
    again = Solution.from_json(found.to_json())
    assert facts(again) == facts(found) and again.positions == found.positions
    assert Solution.from_json(json.dumps(json.loads(found.to_json()) | {"more": 1})) == again
    for text in ("", "[]", "{}", found.to_json().replace('"solved"', '"won"'), '{"position": 1}'):
        with pytest.raises(OptionError, match="is no solution"):
            Solution.from_json(text)


def test_solutions_are_told_in_lines() -> None:
    state = make_game("oust", side=3, pie_rule=False).initial_state()
    lines = solve(state).to_string().splitlines()
    assert lines[:3] == [
        state.to_string(),
        "Black (player_0) wins in 3 steps",
        "  Black wins in 3 steps: c3",
    ]
    assert lines[-3].startswith("  White wins in 8 steps: a1 a3")
    assert lines[-2].startswith("line: c3 ") and "positions stored" in lines[-1]


def test_what_is_shipped_is_found_by_position_game_or_text() -> None:
    game = make_game("oust", side=3, pie_rule=False)
    found = solved(game)
    assert found is not None and found.distance == 3 and len(found.values) == 19
    for same in (game.initial_state(), game.to_string(), game.initial_state().to_string()):
        assert solved(same) == found
    assert solved("oust side=3 pie_rule=true") != found
    assert solved("gipf") is None
    state = game.initial_state()
    state.step(0)
    assert solved(state) is None
    with pytest.raises(OptionError, match="there is no game 'chess'"):
        solved("chess")
    with pytest.raises(PositionTextError):
        solved("oust side=3 board=..")
    with pytest.raises(OptionError, match="is looked up, got 3"):
        solved(3)  # type: ignore[arg-type]


def anew(position: str) -> Any:
    """Side 2 of Oust takes milliseconds; of the others some take most of a minute."""
    quick = position.startswith("oust side=2")
    return pytest.param(position, marks=() if quick else [pytest.mark.long, pytest.mark.slow])


@pytest.mark.parametrize("position", list(map(anew, solved_positions())))
def test_what_is_shipped_is_what_is_found_anew(position: str) -> None:
    kept, command = solved(position), solved_positions()[position]
    assert kept is not None and kept.ended == "solved"
    state = State.from_string(position)
    assert set(kept.values) == (set() if "-only" in command else set(state.legal_actions()))
    found = solve(
        state, distances="--winner-only" not in command, actions="--position-only" not in command
    )
    assert facts(found) == facts(kept)


LARGER = "strands layout=333/3223/32123/3223/333"  # some seconds
WINNERS = {
    "oust side=2 pie_rule=false": 0,
    "oust side=2": 1,
    "oust side=3 pie_rule=false": 0,
    "oust side=3": 1,
    "rive side=2": 0,
    "strands layout=22/321/33": 1,
    "strands layout=22/321/33 cover=exactly": 1,
    "strands layout=22/222/22": 0,
    "strands layout=333/3223/32123/3223/333": 1,
    "strands layout=222/2222/22222/2222/222": 0,
}


def test_winners_that_other_programs_have_found() -> None:
    for text, winner in WINNERS.items():
        found = solved(text)
        assert found is not None and found.winner == winner


def test_images_are_turned_by_all_symmetries_or_by_none() -> None:
    for game, number in ((make_game("oust", side=3), 12), (Lamp(), 6), (Duo(), 12)):
        state = game.initial_state(1)
        for _ in range(4):
            state.step(state.legal_actions()[-1])
            images = images_of(state)
            assert len(images) == number and images[0][0] == state
            for image, actions in images:
                assert sorted(actions[state.legal_actions()]) == image.legal_actions()


# What takes longer


LATE = [
    (make_game("oust", side=3), 5, 1000),
    (make_game("oust", side=3, pie_rule=False), 5, 1000),
    (make_game("oust", side=4), 4, 300),
    (make_game("rive", side=2), 20, 60),
    (make_game("rive", side=3), 6, 1500),
    (make_game("strands", layout=[3, 3, 3, 2, 1, 2, 2]), 9, 60),
    (make_game("strands", layout="5"), 6, 1500),
    (make_game("strands", layout="6-random"), 5, 100),
    (Grab(), 7, 50),
    (Duo(), 7, 50),
    (Lamp(), 9, 100),
]


def late(game: Game, count: int, back: int) -> list[State]:
    """Positions at most ``back`` steps before the end of random games."""
    source, found = random.Random(game.to_string()), []
    for _ in range(count):
        state = game.initial_state(source.randrange(1000))
        while not state.is_over:
            state.step(state.sample_action(source))
        for _ in range(min(len(state.history), source.randrange(1, back))):
            state.undo()
        found.append(state)
    return found


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "back", "count"),
    LATE,
    ids=lambda value: value.to_string() if isinstance(value, Game) else "",
)
def test_late_positions_are_solved_as_by_trying_everything(
    game: Game, back: int, count: int
) -> None:
    plain, compared = PlainSolver(), 0
    for state in late(game, count, back):
        if plain.value(state, 300) is None:
            continue
        holds(solve(state, memory=16), plain)
        compared += 1
    assert compared > count // 12


@pytest.mark.long
@pytest.mark.slow
def test_who_can_force_a_win_in_gipf_within_some_steps() -> None:
    """As trying everything says; most is undecided."""
    decided = 0
    for variant, within in (("basic", 3), ("standard", 3), ("tournament", 2)):
        for state in late(make_game("gipf", variant=variant), 30, 5):
            known: dict[Any, Any] = {}
            plain = forced(state, within, known)
            found = solve(state, within=within, memory=16)
            assert as_known(found.value) == plain
            assert found.ended == ("undecided" if plain is None else "solved")
            for action, after in children(state):
                value, below = found.values[action], forced(after, within - 1, known)
                assert as_known(value) == (None if below is None else (below[0], below[1] + 1))
                if below is None:
                    assert value.least == within + 1
            if plain is not None:
                decided += 1
                for action in found.line:
                    state.step(action)
                assert len(found.line) == plain[1] and state.winner == plain[0]
    assert decided >= 15


@pytest.mark.long
@pytest.mark.parametrize(
    "game", [game for game, _, _ in LATE[:10]], ids=lambda game: game.to_string()
)
def test_values_hold_under_every_symmetry_and_without_any(game: Game) -> None:
    for state in late(game, 12, 6 if game.board.num_cells > 7 else 20):
        found = solve(state, memory=16)
        if found.ended != "solved" or found.positions > 5000:  # a long game of Oust
            continue
        plain = solve(state, memory=16, symmetries=False)
        assert plain.value == found.value and plain.values == found.values
        assert plain.positions >= found.positions
        for image, actions in images_of(state):
            turned = solve(image, memory=16)
            assert turned.value == found.value
            assert turned.values == {
                int(actions[action]): value for action, value in found.values.items()
            }


@pytest.mark.long
def test_whole_games_have_the_same_values_with_and_without_symmetries() -> None:
    for text in ("oust side=3", "rive side=2", "strands layout=22/222/22"):
        state = game_from_string(text).initial_state()
        with_all, without = solve(state), solve(state, symmetries=False)
        assert with_all.values == without.values and with_all.value == without.value
        assert with_all.positions < without.positions / 2


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("text", ["mcts simulations=3000", "alphabeta depth=30"])
def test_proofs_of_bots_agree(text: str) -> None:
    bot: Any = make_bot(text)
    for game, back, _ in (*LATE[:2], *LATE[3:6]):
        proven = 0
        for state in late(game, 12, back):
            found = solve(state, memory=16)
            if found.ended != "solved" or found.positions > 60:
                continue
            analysis = bot.analyse(state, np.random.default_rng(1))
            assert analysis.winner in (found.winner, None)
            proven += analysis.winner is not None
            for action, winner in analysis.proven.items():
                assert found.values[action].winner == winner
        assert proven >= 3


@pytest.mark.long
def test_every_value_on_the_way_is_right_when_a_search_is_cut_into_slices() -> None:
    """Stopped again and again, by others than progress too, with a new table in between."""
    state = make_game("strands", layout=[3, 3, 3, 2, 1, 2, 2]).initial_state()
    plain, solver = PlainSolver(), Solver(state)
    found = solver.solve(lambda solver: solver.stop(), every=0)
    while found.ended != "solved":
        for action, value in found.values.items():
            after = state.copy()
            after.step(action)
            known = plain.value(after)
            assert known is not None and as_known(value) == (known[0], known[1] + 1)
        found = solver.solve(lambda solver: solver.stop(), every=0)
    holds(found, plain)


# The command


@pytest.fixture
def hexgames(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: str) -> Ended:
        return Ended(main(words), *capsys.readouterr())

    return run


def test_the_command_solves_games_and_positions(hexgames: Any, tmp_path: Path) -> None:
    file, kept = tmp_path / "found.json", tmp_path / "kept"
    done = hexgames("solve", "oust", "side=2", "--json", str(file), "--checkpoint", str(kept))
    found = solve(make_game("oust", side=2).initial_state())
    assert done.code == 0 and done.err == ""
    assert done.out.splitlines()[:-1] == found.to_string().splitlines()[:-1]
    assert facts(Solution.from_json(file.read_text(encoding="utf-8"))) == facts(found)
    again = hexgames("solve", "oust side=2", "--checkpoint", str(kept))
    assert again.out.splitlines()[:-1] == done.out.splitlines()[:-1]
    assert again.err == f"{found.positions} positions known from {kept}\n"
    state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
    for words in (state.to_string().split(), [state.to_string()]):
        done = hexgames("solve", *words, "--position-only")
        assert done.out.splitlines()[1:3] == ["Black (player_0) wins in 1 step", "line: a2"]
    done = hexgames("solve", "oust", "side=2", "--winner-only")
    assert done.code == 0 and "line" not in done.out
    done = hexgames("solve", "oust", "side=3", "--within", "2")
    assert "undecided: nobody can force a win within 2 steps" in done.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chess"], "there is no game 'chess'"),
        (["oust", "side=3", "--memory", "1"], "memory must be"),
        (["oust", "--within", "9999"], "within must be an integer from 1 to 4000, got 9999"),
        (["oust", "side=2", "board=..", "to_play=0"], "winner=... is missing"),
        (["oust", "side=2", "--checkpoint", __file__], "is no file of solve, or it is damaged"),
    ],
)
def test_mistakes_are_told_in_words(hexgames: Any, words: list[str], message: str) -> None:
    done = hexgames("solve", *words)
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("hexgames solve: ") and message in done.err


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_the_command_is_interrupted_and_goes_on(
    how: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kept"
    code = (
        "import sys\n"
        "from hexgames_env.cli import main, solve\n"
        "solve.EACH = 0.0\n"  # a checkpoint each time that it can be written
        f"sys.exit(main('solve {LARGER} --checkpoint {file}'.split()))"
    )
    solve(game_from_string(LARGER).initial_state(), within=3)
    process = start(code)
    while not file.exists():
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(1)
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert "Traceback" not in err
    if how == signal.SIGINT:
        assert f"the same command goes on from {file}" in out
    solver = Solver(game_from_string(LARGER).initial_state(), memory=512)
    solver.load(file)
    assert solver.positions > 1000
    kept = solved(LARGER)
    assert kept is not None
    found = Solver(solver.state, memory=512, distances=False, actions=False)
    found.load(file)
    assert found.solve().winner == kept.winner
