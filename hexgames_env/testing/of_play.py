"""Promises of positions, actions and batches."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np

from hexgames_env.core.batch import Batch
from hexgames_env.core.game import Game
from hexgames_env.core.loops import identify
from hexgames_env.core.state import State
from hexgames_env.engine.status_word import OVER, PHASE, PLAYER
from hexgames_env.errors import GameOverError, IllegalActionError, NothingToUndoError
from hexgames_env.records import GameArrays, Record, Remark
from hexgames_env.records.json_lines import from_json, to_json
from hexgames_env.rendering.text import to_text
from hexgames_env.testing.claims import must, refuses, same, short
from hexgames_env.testing.positions import all_of, seen, some_positions, walk

NO_ACTIONS: tuple[Any, ...] = (
    *(-1, -(2**31), 2**31, 2**63, 2**64, 2**70),
    *(0.0, 1.5, float("nan"), None, True, False, "0", b"0", [0], (0,), {}, 0j),
    *(np.float32(0), np.bool_(True), np.array([0]), np.array([[0]]), np.array(0.0), np.array(True)),
)
"""What is no action of any game."""
NO_NAMES: tuple[Any, ...] = (
    *("", " ", "a0", "z1", "a1 ", "A1", "a99", "a1a1", "ä1", "a\u0661", None, 3, b"a1"),
)
"""What is rarely the name of an action."""


def names_all_its_parts(game: Game, seed: int) -> None:
    """Cells, planes and the actions of each phase have a name each."""
    must(game.num_players == 2, f"games have two players, num_players is {game.num_players}")
    must(
        len(set(game.cell_names)) == len(game.cell_names) == game.board.num_cells,
        f"each of {game.board.num_cells} cells needs a name of its own, got {game.cell_names}",
    )
    for phase, word in enumerate(game.phases):
        names = game.action_names(phase)
        must(
            len(names) == game.num_actions and all(isinstance(name, str) for name in names),
            f"action_names({phase}), for the phase {word!r}, must be a str for each of the "
            f"{game.num_actions} actions, got {len(names)}: {short(list(names))}",
        )
    size = game.board.num_rows
    must(
        game.observation_shape == (size, size, len(game.plane_names)),
        f"observation_shape is {game.observation_shape}",
    )


def ends_with_a_winner(game: Game, seed: int) -> None:
    """Masks, players and phases along a random game are sound, and it ends with a winner."""
    last_player = None
    for state in walk(game, seed):
        mask = state.action_mask()
        must(mask.dtype == np.int8 and mask.shape == (game.num_actions,), f"mask: {mask!r}")
        legal = mask.nonzero()[0].tolist()
        must(state.legal_actions() == legal, f"legal_actions() and mask differ: {state}")
        if state.is_over:
            break
        must(
            legal and mask.max() == 1 and mask.min() >= 0,
            f"a mask is 0 and 1, with a 1 at least while the game runs, got {mask.tolist()} at "
            f"{state}",
        )
        ends = state.sample_action(_Source(0.0)), state.sample_action(_Source(1 - 2**-53))
        must(
            ends == (legal[0], legal[-1]),
            f"the first and the last legal action are {legal[0]} and {legal[-1]}, but drawn from "
            f"the row were {ends} at {state}: a mask's bytes behind the last action must be 0",
        )
        must(state.to_play in (0, 1) and state.phase in game.phases, f"status of {state}")
        must(
            state.winner is None and state.returns().tolist() == [0, 0],
            f"nobody has won while the game runs: {state}",
        )
        must(
            state.last_step is None or state.last_step[0] == last_player,
            f"last_step is {state.last_step}, made by player_{last_player}",
        )
        last_player = state.to_play
    must(state.phase == "over", f"phase after the end: {state.phase}")
    must(
        state.to_play == last_player,
        f"after the end to_play is who made the last step, {last_player}, got {state.to_play}",
    )
    must(not state.legal_actions(), f"no action is legal after the end: {state}")
    returns = state.returns()
    must(
        sorted(returns.tolist()) == [-1, 1] and returns[state.winner or 0] == 1,
        f"after the end one return is 1, the winner's, and one -1: {returns}, {state}",
    )
    before = all_of(state)
    for action in range(game.num_actions):
        refuses(GameOverError, "has ended", state.step, action)
    refuses(GameOverError, "has ended", state.sample_action, random.Random(0))
    same(all_of(state), before, "steps after the end must change nothing")


class _Source:
    """A source of one number."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self) -> float:
        return self.number


def shows_the_board(game: Game, seed: int) -> None:
    """Observations fill all planes with 0 to 1, 0 off the board, and plane 1 says who is to act."""
    size = game.board.num_rows
    board = np.zeros((size, size), np.float32)
    board[tuple(game.board.grid.T)] = 1
    for state in some_positions(game, seed):
        for player in (0, 1):
            view = state.observation(player)
            ended = state.observation(player, ended=True)
            for planes in (view, ended):
                outside = planes.min() < 0 or planes.max() > 1 or bool(np.isnan(planes).any())
                must(not outside, f"values of planes are from 0 to 1: {state}")
                for plane in range(len(game.plane_names)):
                    must(
                        not planes[board == 0, plane].any(),
                        f"plane {plane}, {game.plane_names[plane]!r}, must be 0 off the board: "
                        f"{state}",
                    )
                must((planes[..., 0] == board).all(), f"plane 0 must be 1 on all cells: {state}")
            acts = not state.is_over and player == state.to_play
            must(
                (view[..., 1] == board * acts).all(),
                f"plane 1 must be {int(acts)} on all cells for player_{player}: {state}",
            )
            must(not ended[..., 1].any(), f"nobody acts after a cut-off, plane 1: {state}")
            for plane, name in enumerate(game.plane_names):
                must(
                    (ended[..., plane] == view[..., plane]).all() or not ended[..., plane].any(),
                    f"after a cut-off plane {plane}, {name!r}, must be as before or 0: {state}",
                )
            must(not state.is_over or (view == ended).all(), f"a cut-off changes the end: {state}")
            out = np.full(game.observation_shape, 7, np.float32)
            state.observation(player, out=out)
            for plane, name in enumerate(game.plane_names):
                must(
                    (out[..., plane] == view[..., plane]).all(),
                    f"observe() must write all of plane {plane}, {name!r}, zeros too: {state}",
                )


def reads_the_names_it_writes(game: Game, seed: int) -> None:
    """Legal actions have different texts, each read back as its action; nothing else is read."""
    named = {name for phase in range(len(game.phases)) for name in game.action_names(phase)}
    for state in some_positions(game, seed):
        legal = state.legal_actions()
        texts = [state.action_to_string(action) for action in legal]
        must(len(set(texts)) == len(texts), f"two legal actions share a text: {texts} at {state}")
        for action, text in zip(legal, texts, strict=True):
            found = state.parse_action(text)
            must(found == action, f"{text!r} is action {action}, read as {found}: {state}")
        for action in sorted(set(range(game.num_actions)) - set(legal))[
            :: 1 + game.num_actions // 9
        ]:
            text = state.action_to_string(action)
            if text not in texts:
                refuses(IllegalActionError, "is not legal now", state.parse_action, text)
        for name in NO_NAMES:
            if name not in named:
                refuses(IllegalActionError, "is no action of", state.parse_action, name)
        for wrong in (*NO_ACTIONS, game.num_actions):
            refuses(IllegalActionError, "from 0 to", state.action_to_string, wrong)


def reads_the_turns_it_writes(game: Game, seed: int) -> None:
    """A whole game written in a notation of it reads back to the same end, and is written alike."""
    if not game.notations:
        return
    start = game.initial_state(seed)
    *_, end = walk(game, seed)
    for name, notation in game.notations.items():
        texts = notation.write(start, end.history)
        actions = notation.read(start, texts)
        state = start.copy()
        for action in actions:
            state.step(action)
        must(state == end, f"{name}: {short(texts)} leads to {state}, written of {end}")
        again = notation.write(start, actions)
        must(again == texts, f"{name}: {short(texts)}, read and written again: {short(again)}")


def is_kept_by_records(game: Game, seed: int) -> None:
    """A whole game, and one that an illegal action has ended, are records in every form."""
    *_, end = walk(game, seed)
    records = [Record(end, players=("one", "other"), seed=seed)]
    for state in Record(end).states():
        illegal = (state.action_mask() == 0).nonzero()[0]
        if len(illegal) and not state.is_over:
            remark = Remark("lost", -1.0, dict.fromkeys(state.legal_actions(), 1))
            remarks = {len(state.history): remark}
            records.append(Record(state, illegal=illegal[0], remarks=remarks))
            break
    for record in records:
        for form, read in (
            ("text", Record.from_string(record.to_string())),
            ("JSON", from_json(to_json(record))),
        ):
            must(read == record, f"{short(record)}, written as {form} and read: {short(read)}")
    arrays = list(GameArrays.from_records(records))
    must(arrays == records, f"{short(records)}, out of arrays: {short(arrays)}")


def refuses_wrong_actions(game: Game, seed: int) -> None:
    """A wrong or illegal action is an error that changes nothing."""
    for state in some_positions(game, seed, wanted=3):
        before = all_of(state)
        for wrong in (*NO_ACTIONS, game.num_actions):
            refuses(IllegalActionError, f"from 0 to {game.num_actions - 1}", state.step, wrong)
        if not state.is_over:
            for action in (state.action_mask() == 0).nonzero()[0].tolist():
                refuses(IllegalActionError, f"action {action} .* illegal here", state.step, action)
        same(all_of(state), before, "a wrong action must change nothing")
        for action in state.legal_actions()[:1]:
            after = state.copy()
            after.step(action)
            for kind in (np.int8, np.uint64, np.array):
                if action > 127 and kind is np.int8:
                    continue
                other, given = state.copy(), kind(action)
                other.step(given)
                same(all_of(other), all_of(after), f"a step by {kind.__name__}")


def copies_go_on_alike(game: Game, seed: int) -> None:
    """Copies, pickles and texts of a position are equal to it and go on as it does."""
    for state in some_positions(game, seed, wanted=4):
        before = all_of(state)
        other = game.initial_state(0)
        state.copy_into(other)
        twins = [state.copy(), copy.copy(state), copy.deepcopy(state), other]
        twins += [pickle.loads(pickle.dumps(state, p)) for p in (2, pickle.HIGHEST_PROTOCOL)]
        for twin in twins:
            same(all_of(twin), before, "a copy or pickle")
        read = State.from_string(state.to_string())
        same(seen(read), seen(state), "the position read from its text")
        twins.append(read)
        for twin in twins:
            must(twin == state and hash(twin.key()) == hash(state.key()), f"equality of {state}")
        must(state != game and state != state.to_string(), f"{state} equals what is no state")
        leader = twins.pop()
        rng = random.Random(seed)
        for _ in range(8):
            if leader.is_over:
                break
            action = leader.sample_action(rng)
            leader.step(action)
            for twin in twins:
                twin.step(action)
                same(seen(twin), seen(leader), f"after the same step, {action}")
        same(all_of(state), before, "steps of copies must not reach the original")


def undoes_to_the_start(game: Game, seed: int) -> None:
    """Every position comes back, with its history."""
    trail = []
    for state in walk(game, seed, limit=400):
        trail.append((seen(state), state.last_action, state.last_step))
        word = state.status_word
        must(
            (word & PLAYER, word & OVER != 0) == (state.to_play, state.is_over)
            and (state.is_over or game.phases[word >> PHASE] == state.phase),
            f"status word {word} of {state}",
        )
    must(state.history == [action for _, action, _ in trail[1:]], f"history of {state}")
    texts = [step[1] for _, _, step in trail[1:] if step is not None]
    must(state.history_texts == texts, f"texts of the history of {state}")
    pickled: State = pickle.loads(pickle.dumps(state))
    for undone in (state, pickled):
        for steps in range(len(trail) - 1, 0, -1):
            shown, action, step = trail[steps]
            same(seen(undone), shown, f"undone to step {steps}")
            must((undone.last_action, undone.last_step) == (action, step), f"last of {undone}")
            undone.undo()
        same(seen(undone), trail[0][0], "undone to the start")
        must(undone.last_step is None and undone.history == [], f"history of {undone}")
        refuses(NothingToUndoError, "nothing to undo", undone.undo)


def keys_are_exact(game: Game, seed: int) -> None:
    """Positions with one key show the same and go on alike; those that differ have another."""
    shown: dict[Any, tuple[str, bytes, bytes]] = {}
    texts: dict[str, Any] = {}
    games = 3 if game.board.side > 3 else 40
    for k in range(games):
        for state in walk(game, games * seed + k, limit=60):
            key = state.key()
            view = state.observation(state.to_play).tobytes()
            text = state.to_string()
            all_shown = text, state.action_mask().tobytes(), view
            must(
                shown.setdefault(key, all_shown) == all_shown,
                f"one key, different text, mask or planes: {text} and {shown[key][0]}",
            )
            must(texts.setdefault(text, key) == key, f"one text, two keys: {text}")


def is_identified_in_words(game: Game, seed: int) -> None:
    """What `identity` writes is the same for equal positions and for no others."""
    identify_it = game.compiled(identify)
    by_words: dict[bytes, Any] = {}
    by_key: dict[Any, bytes] = {}
    lengths = set()
    games = 3 if game.board.side > 3 else 40
    for k in range(games):
        for state in walk(game, games * seed + k, limit=60):
            row = state.to_row()
            words = np.zeros(row.nbytes // 8, np.uint64)
            length = int(identify_it(row, game.tables, words))
            lengths.add(length)
            must(
                0 < length <= len(words) and len(lengths) == 1,
                f"identity() must say the same number of words, 1 to {len(words)}, in all "
                f"positions, got {sorted(lengths)}: {state}",
            )
            found, key = words[:length].tobytes(), state.key()
            must(
                by_words.setdefault(found, key) == key,
                f"identity() writes the same for two positions, one of them {state}",
            )
            if length < len(words) - len(words) // game.row_shape[1]:  # not the whole row
                must(
                    by_key.setdefault(key, found) == found,
                    f"identity() writes one position in two ways: {state}",
                )


def begins_from_its_seed(game: Game, seed: int) -> None:
    """The seed decides the beginning, and nothing but the beginning."""
    seeds = (seed, seed + 1, seed + 2, 2**63 + seed, 2**64 - 1 - seed)
    starts = [game.initial_state(number) for number in seeds]
    for number, start in zip(seeds, starts, strict=True):
        again: list[Any] = [number, np.uint64(number)]
        for other in again:
            same(seen(game.initial_state(other)), seen(start), f"the start of seed {number}")
        must(start.history == [], f"nothing has happened before the start: {start}")
        must(start.to_play == 0, f"player_0 makes the first step: {start}")
    for wrong in (-1, 2**64, 0.0, 1.5, "1", True, np.array([1]), b"1"):
        refuses(ValueError, "seed must be None or an integer from 0", game.initial_state, wrong)


def rows_of_a_batch_play_as_single_states(game: Game, seed: int) -> None:
    """Rows of a batch, used again for game after game, are positions like all others."""
    batch = Batch(game, 5, seed=seed)
    unused = Batch(game, 5, seed=seed)  # the same starts, in rows that nobody has played in
    for _ in range(60):
        states = batch.states()
        actions = batch.sample_actions()
        planes = [batch.observations(player) for player in (0, 1)]
        for row, state in enumerate(states):
            same(seen(State.from_string(state.to_string())), seen(state), "a row and its text")
            for player in (0, 1):
                must(
                    (planes[player][row] == state.observation(player)).all(),
                    f"planes of row {row} and of its state differ, player_{player}: {state}",
                )
            state.step(int(actions[row]))
        batch.step(actions)
        final = {row: batch.final_state(k) for k, row in enumerate(batch.finished.tolist())}
        for row, state in enumerate(states):
            after = final.get(row) or batch.state(row)
            same(seen(after), seen(state), f"row {row} after action {actions[row]}")
            if row in final:
                unused.begin([row])
                what = f"start() must write all of a row: row {row} was used before"
                same(seen(batch.state(row)), seen(unused.state(row)), what)
    played = batch.play_random(500)
    must(played.steps == 5 * 500, f"play_random(500) made {played.steps} steps in 5 rows")


def evaluates_every_position(game: Game, seed: int) -> None:
    """The greedy policy finds a legal step everywhere, the same for the same seed."""
    for state in some_positions(game, seed, wanted=6):
        if not state.is_over:
            before = all_of(state)
            found = {state.greedy_action(seed) for _ in range(3)}
            must(len(found) == 1, f"one seed, different greedy actions {found}: {state}")
            must(state.is_legal(*found), f"greedy action {found} is illegal: {state}")
            same(all_of(state), before, "to choose must change nothing")


def can_be_drawn(game: Game, seed: int) -> None:
    """Every position has a text and an SVG, with legal actions and a heat map too."""
    for state in some_positions(game, seed, wanted=6):
        shown = to_text(state)
        must(shown.strip(), f"no text for {state}")
        heat = np.linspace(0, 1, game.num_actions)
        for svg in (state.to_svg(), state.to_svg(200, theme="dark", legal=True, heat=heat)):
            must(svg.startswith("<svg") and "</svg>" in svg, f"no SVG for {state}")
