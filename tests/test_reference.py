"""The plain references by themselves: examples of the rules sheets, and what always holds."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest

from reference.hexboard import HexBoard
from reference.oust import Oust
from reference.rive import Rive
from reference.strands import (
    FIXED_LAYOUTS,
    RANDOM_LAYOUTS,
    Strands,
    check_random_layout,
    fixed_layout,
)

Axial = tuple[int, int]
SIDE_3 = HexBoard(3)


def cells_at(*places: Axial) -> list[int]:
    """The cells of side 3 at these axial coordinates, ascending."""
    return sorted(SIDE_3.by_axial[place] for place in places)


def at(place: Axial) -> int:
    """The cell of side 3 at these axial coordinates."""
    return SIDE_3.by_axial[place]


def descending_sizes(groups: list[set[int]]) -> list[int]:
    """The descending list of the group sizes."""
    return sorted((len(group) for group in groups), reverse=True)


def check_observations(game: Oust | Rive | Strands) -> None:
    """What the first planes of every game have in common, and what never holds off the board."""
    board = game.board
    off_board = np.ones((board.size, board.size), dtype=bool)
    for place in board.grid:
        off_board[place] = False
    views = [game.observation(0), game.observation(1)]
    for player, view in enumerate(views):
        assert view.dtype == np.float32
        assert view.min() >= 0 and view.max() <= 1
        assert not view[off_board].any()
        assert np.array_equal(view[..., 0], ~off_board)
        acting = not game.is_over and player == game.to_play
        assert np.array_equal(view[..., 1], ~off_board if acting else 0 * off_board)
        own = {cell for cell, place in enumerate(board.grid) if view[place][2] == 1}
        other = {cell for cell, place in enumerate(board.grid) if view[place][3] == 1}
        assert own == {cell for cell, owner in game.stones.items() if owner == player}
        assert other == {cell for cell, owner in game.stones.items() if owner != player}
    assert np.array_equal(views[0][..., 2], views[1][..., 3])
    assert np.array_equal(views[0][..., 3], views[1][..., 2])


def check_step(game: Oust | Rive | Strands, rng: random.Random) -> int:
    """Check a position of a game that runs and choose a random legal action."""
    assert game.phase != "over" and game.winner is None and game.to_play in (0, 1)
    legal = game.legal_actions()
    assert legal and legal == sorted(set(legal))
    assert legal[0] >= 0 and legal[-1] < game.num_actions
    assert len({game.action_to_string(action) for action in legal}) == len(legal)
    action = rng.choice(legal)
    clone = game.copy()
    before = game.position()
    assert clone.position() == before
    hash(before)
    clone.step(action)
    assert game.position() == before  # the copy is independent
    assert clone.position() != before
    return action


def check_end(game: Oust | Rive | Strands, last_player: int) -> None:
    """Check an ended game."""
    assert game.is_over and game.phase == "over"
    assert game.winner in (0, 1)
    assert game.to_play == last_player
    assert game.legal_actions() == []
    check_observations(game)
    for action in range(game.num_actions):
        with pytest.raises(AssertionError):
            game.step(action)


# The board.


def test_board_of_side_2() -> None:
    board = HexBoard(2)
    assert board.names == ["a1", "a2", "b1", "b2", "b3", "c1", "c2"]
    assert board.grid == [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2)]
    assert board.axial == [(-1, 1), (0, 1), (-1, 0), (0, 0), (1, 0), (0, -1), (1, -1)]
    assert board.neighbours[board.by_name["b2"]] == {0, 1, 2, 4, 5, 6}
    assert board.neighbours[board.by_name["a1"]] == {1, 2, 3}
    assert board.neighbours[board.by_name["c2"]] == {3, 4, 5}


@pytest.mark.parametrize("side", range(2, 10))
def test_boards(side: int) -> None:
    board = HexBoard(side)
    count = 3 * side * (side - 1) + 1
    assert board.num_cells == len(board.cells) == len(board.names) == len(board.grid) == count
    assert len(board.by_name) == len(board.by_axial) == len(board.by_grid) == count
    assert board.cells[0] == (0, 0) and board.names[0] == "a1"
    assert board.cells[-1] == (2 * side - 2, side - 1)
    assert board.by_axial[0, 0] == (count - 1) // 2
    for cell in range(count):
        q, r = board.axial[cell]
        around = [(q + 1, r), (q - 1, r), (q, r + 1), (q, r - 1), (q + 1, r - 1), (q - 1, r + 1)]
        assert board.neighbours[cell] == {
            board.by_axial[place] for place in around if place in board.by_axial
        }
        assert all(cell in board.neighbours[other] for other in board.neighbours[cell])
        assert board.connected(cell, range(count)) == set(range(count))
    for ring in range(side):
        assert len(board.ring_cells(ring)) == (6 * ring if ring else 1)
        assert board.ring_corners(ring) <= board.ring_cells(ring)
        assert len(board.ring_corners(ring)) == (6 if ring else 1)
    edge = board.ring_cells(side - 1)
    corners = board.ring_corners(side - 1)
    for cell in range(count):
        wanted = 3 if cell in corners else 4 if cell in edge else 6
        assert len(board.neighbours[cell]) == wanted


# Oust.

OUST_STUCK_INSIDE = "(2,0) (-1,1) (2,-2) (-1,-1) (0,2) (0,1)x (1,-1) (2,-1)x (0,-2) (0,-1)x"
OUST_PASS_AT_START = (
    "(0,0) (1,1) (0,2) (-2,2) (0,1)x (0,-2) (-1,0) (2,-2) (1,0) (-2,0) (1,-2) (2,0)"
)


def play_oust(text: str) -> tuple[Oust, int]:
    """The game after a sequence of steps, captures marked x; also the player of its last step."""
    game = Oust(side=3, pie_rule=False)
    player = game.to_play
    for word in text.split():
        q, r = word.rstrip("x").strip("()").split(",")
        action = at((int(q), int(r)))
        assert action in game.legal_actions()
        assert game.captures(action) == word.endswith("x")
        player = game.to_play
        game.step(action)
        assert not game.is_over
        assert (game.to_play == player) == word.endswith("x")
    return game, player


def test_oust_stuck_inside_a_turn() -> None:
    game, last_player = play_oust(OUST_STUCK_INSIDE)
    assert game.to_play == 1 and last_player == 1  # in the middle of its turn
    assert game.legal_actions() == [19]
    assert game.action_to_string(19) == "pass"
    game.step(19)
    assert game.to_play == 0
    assert game.legal_actions() == game.legal_placements(0) != []


def test_oust_pass_at_the_start_of_a_turn() -> None:
    game, last_player = play_oust(OUST_PASS_AT_START)
    assert game.to_play == 1 and last_player == 0
    assert game.legal_actions() == [19]
    game.step(19)
    assert game.to_play == 0
    assert 19 not in game.legal_actions()


def test_oust_swap() -> None:
    game = Oust(side=3, pie_rule=True)
    assert game.num_actions == 21
    assert game.legal_actions() == list(range(19))
    game.step(4)
    assert game.legal_actions() == [a for a in range(19) if a != 4] + [20]
    assert game.action_to_string(20) == "swap"
    on_board = game.observation(0)[..., 0]
    assert np.array_equal(game.observation(1)[..., 5], on_board)
    assert not game.observation(0)[..., 5].any()
    refused = game.copy()
    game.step(20)
    assert game.stones == {4: 1} and game.to_play == 0 and not game.is_over
    assert game.legal_actions() == [a for a in range(19) if a != 4]
    refused.step(0)
    refused.step(18)
    assert refused.to_play == 1 and 20 not in refused.legal_actions()
    for view in (game.observation(0), game.observation(1), refused.observation(1)):
        assert not view[..., 5].any()
    without = Oust(side=3, pie_rule=False)
    assert without.num_actions == 20
    without.step(4)
    assert without.legal_actions() == [a for a in range(19) if a != 4]


def test_oust_win() -> None:
    # Black joins two single stones along one white stone: the last one.
    stones = {at((-1, 0)): 0, at((1, 0)): 0, at((0, 1)): 1}
    game = Oust.set_up(3, stones, to_play=0)
    assert game.captures(at((0, 0)))
    game.step(at((0, 0)))
    assert game.is_over and game.winner == 0 and game.to_play == 0
    assert set(game.stones) == {at((-1, 0)), at((0, 0)), at((1, 0))}
    check_end(game, 0)


def test_oust_only_strictly_smaller_and_touching() -> None:
    # Two against two: not legal; growing without touching an enemy: neither.
    stones = {at((-1, 0)): 0, at((0, 1)): 1, at((1, 1)): 1, at((2, -2)): 1}
    game = Oust.set_up(3, stones, to_play=0)
    assert at((0, 0)) not in game.legal_actions()
    assert at((-1, -1)) not in game.legal_actions()
    # Three against two, touched by the far end of the new group.
    game = Oust.set_up(3, stones | {at((-1, 1)): 0}, to_play=0)
    assert game.captures(at((-2, 0)))
    game.step(at((-2, 0)))
    assert game.stones_of(1) == {at((2, -2))} and game.to_play == 0


def test_oust_position_ignores_history() -> None:
    one, two = Oust(3), Oust(3)
    for action in (0, 18, 9, 2):
        one.step(action)
    for action in (9, 2, 0, 18):
        two.step(action)
    assert one.position() == two.position()
    swapped = Oust(3)
    swapped.step(0)
    before = swapped.position()
    assert Oust(3, pie_rule=False).position() != Oust(3).position()
    swapped.step(20)
    assert swapped.position() != before


@pytest.mark.parametrize("pie_rule", [True, False])
@pytest.mark.parametrize(("side", "games"), [(2, 15), (3, 6), (4, 1)])
def test_oust_random_games(side: int, games: int, pie_rule: bool) -> None:
    rng = random.Random(side)
    for _ in range(games):
        game = Oust(side, pie_rule)
        sizes: list[int] = []
        last_player = 0
        steps = 0
        while not game.is_over:
            check_observations(game)
            action = check_step(game, rng)
            placements = [game.legal_placements(0), game.legal_placements(1)]
            if len(game.stones) < game.board.num_cells:
                assert placements[0] or placements[1]
            assert (game.pass_action in game.legal_actions()) == (not placements[game.to_play])
            own_before = game.stones_of(game.to_play)
            captures = game.captures(action)
            last_player = game.to_play
            game.step(action)
            steps += 1
            if action < game.board.num_cells:
                assert own_before | {action} == game.stones_of(last_player)
                assert (game.to_play == last_player) == captures
                assert not game.is_over or captures
                new_sizes = descending_sizes(game.groups_of(0) + game.groups_of(1))
                assert new_sizes > sizes
                sizes = new_sizes
            else:
                assert game.to_play != last_player
            for black in game.groups_of(0):
                for white in game.groups_of(1):
                    if game.touches(black, white):
                        assert len(black) == 1 or len(white) == 1
            assert steps < 5000
        assert game.winner == last_player
        assert set(game.stones.values()) == {last_player}
        check_end(game, last_player)


# Rive.


def rive_stones(black: list[Axial], white: list[Axial]) -> dict[int, int]:
    """Stones of side 3 at these axial coordinates."""
    return {at(place): 0 for place in black} | {at(place): 1 for place in white}


def rive_3a() -> Rive:
    """Fig. 3a of the author's rules sheet."""
    black = [(0, -2), (0, -1), (-2, 0), (2, 0), (-2, 1)]
    white = [(1, -2), (2, -1), (0, 1), (0, 2)]
    return Rive.set_up(3, rive_stones(black, white), to_play=1)


def rive_3b() -> Rive:
    """Fig. 3b, from 3a."""
    game = rive_3a()
    for place in [(1, 0), (2, 0), (0, 2)]:
        assert game.to_play == 1
        game.step(at(place))
    return game


def test_rive_fig_1() -> None:
    for to_play in (0, 1):
        game = Rive.set_up(3, rive_stones([(0, -2), (-1, 1)], [(2, -1)]), to_play)
        assert game.legal_actions() == cells_at((-2, 0), (1, 1), (0, 2))


def test_rive_fig_3a() -> None:
    game = rive_3a()
    capturing = cells_at((1, 0), (-1, 1), (1, 1))
    quiet = cells_at((-2, 2), (-1, 2))
    assert game.legal_actions() == sorted(capturing + quiet)
    assert [a for a in game.legal_actions() if game.captures(a)] == capturing


def test_rive_fig_3b() -> None:
    game = rive_3a()
    assert game.action_to_string(at((1, 0))) == game.board.names[at((1, 0))]
    game.step(at((1, 0)))
    assert game.phase == "removal" and game.to_play == 1
    assert game.placed == at((1, 0)) and game.removals_left() == 2
    joined = cells_at((1, 0), (2, -1), (2, 0), (0, 1), (0, 2))
    assert sorted(game.joined) == joined
    assert game.action_to_string(at((2, 0))) == "x" + game.board.names[at((2, 0))]
    for player in (0, 1):
        view = game.observation(player)
        marked = [cell for cell, place in enumerate(game.board.grid) if view[place][5] == 1]
        assert marked == joined
        assert [c for c, place in enumerate(game.board.grid) if view[place][6] == 1] == [at((1, 0))]
        assert np.allclose(view[..., 7], view[..., 0] * 2 / 19)
    game.step(at((2, 0)))
    game.step(at((0, 2)))
    assert game.phase == "placement" and game.to_play == 1
    assert set(cells_at((1, 0), (2, -1), (0, 1))) in game.groups()


def test_rive_fig_3c() -> None:
    game = rive_3b()
    assert game.legal_actions() == cells_at((-2, 2))
    assert not game.captures(at((-2, 2)))
    game.step(at((-2, 2)))
    assert game.to_play == 0 and game.phase == "placement"


def test_rive_fig_3d() -> None:
    game = rive_3b()
    game.step(at((-2, 2)))
    for place in [(-1, 0), (0, -2), (-2, 0), (-2, 2)]:
        assert game.to_play == 0
        assert at(place) in game.legal_actions()
        game.step(at(place))
    assert set(cells_at((-1, 0), (0, -1), (1, -2), (-2, 1))) in game.groups()
    assert game.to_play == 0 and game.phase == "placement"
    assert game.legal_actions()


def test_rive_removals_reach_exactly_the_legal_sets() -> None:
    game = rive_3b()
    game.step(at((-2, 2)))
    game.step(at((-1, 0)))
    joined, final_size = set(game.joined), game.final_size
    wanted = {
        frozenset(subset)
        for subset in combinations(sorted(joined), final_size)
        if game.board.connected(subset[0], subset) == set(subset)
    }
    reached = set()
    waiting = [game]
    while waiting:
        game = waiting.pop()
        if game.phase == "placement":
            reached.add(frozenset(joined & set(game.stones)))
            continue
        for action in game.legal_actions():
            after = game.copy()
            after.step(action)
            waiting.append(after)
    assert reached == wanted
    assert len(wanted) > 1
    assert all(at((-1, 0)) in legal_set for legal_set in wanted)


@pytest.mark.parametrize("policy", ["random", "merge"])
@pytest.mark.parametrize(("side", "games"), [(2, 20), (3, 5), (4, 1)])
def test_rive_random_games(side: int, games: int, policy: str) -> None:
    rng = random.Random(side)
    for _ in range(games):
        game = Rive(side)
        sizes: list[int] = []
        last_player = 0
        steps = 0
        while not game.is_over:
            check_observations(game)
            action = check_step(game, rng)
            if game.phase == "placement":
                assert sorted(set(game.legal_actions()) & set(game.stones)) == []
                merging = [a for a in game.legal_actions() if game.captures(a)]
                if policy == "merge" and merging:
                    action = rng.choice(merging)
            else:
                assert set(game.legal_actions()) <= game.joined
            phase, left = game.phase, game.removals_left()
            captures = game.captures(action)
            last_player = game.to_play
            game.step(action)
            steps += 1
            if phase == "removal":
                assert game.to_play == last_player and game.removals_left() == left - 1
                assert (game.phase == "placement") == (left == 1)
            else:
                assert (game.phase == "removal") == captures
                assert game.is_over or (game.to_play == last_player) == captures
            if game.phase != "removal":  # a placement with its removals is complete
                new_sizes = descending_sizes(game.groups())
                assert new_sizes > sizes
                sizes = new_sizes
            assert steps < 5000
        assert len(game.stones) == game.board.num_cells
        own = sum(1 for owner in game.stones.values() if owner == game.winner)
        assert own > game.board.num_cells - own
        check_end(game, last_player)


# Strands.


def test_strands_layout_rows() -> None:
    for name, side in [("5", 5), ("6", 6), ("7", 7)]:
        lengths = [len(row) for row in FIXED_LAYOUTS[name].split()]
        assert lengths == [side + min(r, 2 * side - 2 - r) for r in range(2 * side - 1)]
    # The only asymmetric one: its top rows stand at the end of the cells.
    numbers = fixed_layout("7")
    assert numbers[:15] == [6, 6, 5, 5, 5, 6, 6, 6, 4, 3, 3, 3, 3, 4, 6]
    board = HexBoard(7)
    row_f = [numbers[board.by_name[f"f{i}"]] for i in range(1, 13)]
    assert "".join(str(number) for number in row_f) == "642221222236"
    low = fixed_layout("6-low")
    assert [low.count(value) for value in (1, 2, 3)] == [1, 60, 30]
    assert low[45] == 1 and low[0] == low[90] == 3


def symmetric_images(board: HexBoard) -> list[list[int]]:
    """For each of the 12 symmetries the image of every cell."""
    images = []
    for mirror in (False, True):
        for turns in range(6):
            image = []
            for q, r in board.axial:
                if mirror:
                    q, r = r, q
                for _ in range(turns):
                    q, r = -r, q + r
                image.append(board.by_axial[q, r])
            images.append(image)
    assert len({tuple(image) for image in images}) == 12
    return images


@pytest.mark.parametrize(("name", "kept"), [("5", 4), ("6", 12), ("6-low", 12), ("7", 2)])
def test_strands_layout_symmetries(name: str, kept: int) -> None:
    game = Strands(name)
    keeping = [
        image
        for image in symmetric_images(game.board)
        if all(game.numbers[image[cell]] == game.numbers[cell] for cell in range(len(image)))
    ]
    assert len(keeping) == kept


def draw(name: str, rng: random.Random) -> list[int]:
    """Draw a random layout as hexgames_env/games/strands.py tells."""
    board = HexBoard(len(RANDOM_LAYOUTS[name]))
    numbers = [0] * board.num_cells
    for ring, counts in enumerate(RANDOM_LAYOUTS[name]):
        values = sorted((v for v, count in counts.items() for _ in range(count)), reverse=True)
        corners = sorted(board.ring_corners(ring))
        others = sorted(board.ring_cells(ring) - set(corners))
        rng.shuffle(corners)
        rng.shuffle(others)
        for cell, value in zip(corners + others, values, strict=True):
            numbers[cell] = value
    return numbers


@pytest.mark.parametrize("name", ["6-random", "7-random"])
def test_strands_random_layouts(name: str) -> None:
    rng = random.Random(1)
    for _ in range(5):
        numbers = draw(name, rng)
        check_random_layout(name, numbers)
        assert Strands(name, numbers=numbers).numbers == numbers
    board = HexBoard(len(RANDOM_LAYOUTS[name]))
    high, low = (3, 2) if name == "6-random" else (2, 1)
    for ring in (2, 3):  # a high number away from the corners while a corner has less
        spoilt = list(numbers)
        corner = next(c for c in sorted(board.ring_corners(ring)) if spoilt[c] == high)
        others = sorted(board.ring_cells(ring) - board.ring_corners(ring))
        other = next(c for c in others if spoilt[c] == low)
        spoilt[corner], spoilt[other] = spoilt[other], spoilt[corner]
        with pytest.raises(AssertionError):
            check_random_layout(name, spoilt)
    spoilt = list(numbers)
    spoilt[0] = 6
    with pytest.raises(AssertionError):
        check_random_layout(name, spoilt)
    with pytest.raises(AssertionError):
        Strands(name)


@pytest.mark.parametrize("layout", [[2] * 8, [2] * 6 + [7], [2] * 6 + [0], [1] * 7, [2]])
def test_strands_refused_layouts(layout: list[int]) -> None:
    with pytest.raises(ValueError, match=r"layout|number|2"):
        Strands(layout)


def test_strands_turns() -> None:
    layout = [3, 3, 3, 2, 1, 2, 2]
    game = Strands(layout)
    assert game.num_actions == 8 and game.phase == "opening"
    assert game.legal_actions() == [3, 5, 6]
    game.step(3)
    assert game.phase == "start" and game.to_play == 1
    assert game.legal_actions() == [0, 1, 2, 4, 5, 6]
    game.step(0)
    assert game.phase == "continue" and game.to_play == 1
    assert game.legal_actions() == [1, 2, 7]
    for player in (0, 1):
        view = game.observation(player)
        marked = [cell for cell, place in enumerate(game.board.grid) if view[place][5] == 1]
        assert marked == [1, 2]
        assert np.allclose(view[..., 6], view[..., 0] * 2 / 6)
    assert game.action_to_string(7) == "stop"
    game.step(7)
    assert game.phase == "start" and game.to_play == 0
    game.step(1)
    assert game.more() == 1  # not 2: a single 3 is left
    game.step(2)
    assert game.phase == "start" and game.to_play == 1  # no 3 is left
    game.step(4)
    assert game.phase == "start" and game.to_play == 0  # X = 1
    game.step(5)
    game.step(6)
    check_end(game, 0)
    assert game.group_sizes(0) == [5] and game.group_sizes(1) == [1, 1]
    assert game.winner == 0


def test_strands_exactly() -> None:
    game = Strands([3, 3, 3, 2, 1, 2, 2], cover="exactly")
    game.step(3)
    game.step(0)
    assert game.legal_actions() == [1, 2]
    game.step(1)
    assert game.legal_actions() == [2]
    game.step(2)
    assert game.to_play == 0 and game.phase == "start"


def test_strands_position_ignores_history() -> None:
    games = [Strands("6") for _ in range(3)]
    spaces = games[0].empty_spaces_of(2)
    orders = [spaces[1:3], spaces[2:0:-1]]
    for game, order in zip(games, orders, strict=False):
        game.step(spaces[0])
        for action in order:
            game.step(action)
    assert games[0].position() == games[1].position()
    inside = games[2]
    inside.step(spaces[0])
    inside.step(spaces[1])
    before = inside.position()
    inside.step(inside.stop_action)
    assert inside.position() != before
    # How many were covered matters only as far as such spaces are left.
    one, two = Strands([2, 4, 4, 4, 4, 4, 4]), Strands([2, 4, 4, 4, 4, 4, 4])
    stop = one.stop_action
    for action in (0, 1, 2, stop, 3, stop, 4, 5):
        one.step(action)
    for action in (0, 1, 2, 4, stop, 3, stop, 5):
        two.step(action)
    assert (one.covered, two.covered) == (2, 1)
    assert one.more() == two.more() == 1
    assert one.position() == two.position()


@pytest.mark.parametrize(
    ("black", "black_sizes", "white_sizes", "winner"),
    [
        ({1, 3, 4, 8, 11, 12, 13, 15, 17}, [7, 2], [7, 1, 1, 1], 0),
        ({2, 3, 5, 6, 8, 13, 14, 15, 16}, [6, 3], [6, 2, 2], 0),
        ({1, 2, 3, 4, 5, 6, 7, 8, 9}, [9], [9, 1], 1),  # a missing group counts as 0
        ({0, 10, 11, 12, 13, 14, 15, 16, 17, 18}, [9, 1], [9], 0),
        ({0, 1, 2, 3, 4}, [5], [14], 1),
    ],
)
@pytest.mark.parametrize("last", range(0, 19, 3))
def test_strands_second_largest_decides(
    black: set[int], black_sizes: list[int], white_sizes: list[int], winner: int, last: int
) -> None:
    owners = {cell: 0 if cell in black else 1 for cell in range(19)}
    to_play = owners.pop(last)
    game = Strands.set_up([2] * 19, owners, to_play)
    assert game.legal_actions() == [last]
    game.step(last)
    assert game.group_sizes(0) == black_sizes and game.group_sizes(1) == white_sizes
    assert game.winner == winner
    check_end(game, to_play)


RANDOM_GAMES = [
    ([2, 1, 2, 3, 4, 5, 6], 20),
    ([2] * 7, 10),
    ([1 + (5 * cell) % 6 for cell in range(19)], 10),
    ([1 + (cell * cell) % 4 for cell in range(37)], 4),
    ("5", 2),
]


@pytest.mark.parametrize("cover", ["up_to", "exactly"])
@pytest.mark.parametrize(("layout", "games"), RANDOM_GAMES)
def test_strands_random_games(layout: str | list[int], games: int, cover: str) -> None:
    rng = random.Random(7)
    for _ in range(games):
        game = Strands(layout, cover)
        last_player = 0
        turn: list[int] = []  # the spaces covered on this turn
        first = True
        while not game.is_over:
            check_observations(game)
            action = check_step(game, rng)
            assert (game.phase == "opening") == first
            assert (game.phase == "continue") == bool(turn)
            wanted = turn and cover == "up_to"
            assert (game.stop_action in game.legal_actions()) == bool(wanted)
            last_player = game.to_play
            left = len(game.empty_spaces())
            game.step(action)
            if action != game.stop_action:
                assert len(game.empty_spaces()) == left - 1
                turn.append(action)
            if game.is_over or game.to_play != last_player:
                numbers = {game.numbers[cell] for cell in turn}
                assert len(numbers) == 1
                (number,) = numbers
                assert 1 <= len(turn) <= number
                if first:
                    assert len(turn) == 1 and number == 2
                elif cover == "exactly":
                    assert len(turn) == number or not game.empty_spaces_of(number)
                turn = []
                first = False
        assert game.stones.keys() == set(range(game.board.num_cells))
        assert game.winner is not None
        own, other = game.group_sizes(game.winner), game.group_sizes(1 - game.winner)
        assert own > other
        check_end(game, last_player)
