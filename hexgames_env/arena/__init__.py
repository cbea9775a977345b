"""Who is better, and by how much: bots play many games from the same openings, and get Elo.

>>> arena = Arena("oust side=3", ["random", "greedy"], games=4, seed=1)
>>> table = run(arena, executor=InTurn())  # or run(arena, "games.hgn"), on all processors
>>> table.points
((0.0, 0.0), (4.0, 0.0))

An arena that was stopped goes on by the same call: the games in its file are not played again.  It
ends with the same table as one that ran through, if its bots go by simulations or depth and not by
time.  `rate` makes Elo of any table of points, `Sprt` asks whether one bot is better than another.
"""

from hexgames_env.arena.openings import Judge, Undecided, draw_openings, forced_winner
from hexgames_env.arena.plan import Arena, Fixture
from hexgames_env.arena.ratings import Ratings, rate
from hexgames_env.arena.results import Results
from hexgames_env.arena.running import InTurn, run
from hexgames_env.arena.sprt import Sprt, expected
from hexgames_env.arena.table import Table

__all__ = [
    "Arena",
    "Fixture",
    "InTurn",
    "Judge",
    "Ratings",
    "Results",
    "Sprt",
    "Table",
    "Undecided",
    "draw_openings",
    "expected",
    "forced_winner",
    "rate",
    "run",
]
