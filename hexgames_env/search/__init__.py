"""Search: bots that look ahead, in compiled code, and exact values.

>>> from hexgames_env import make_game
>>> from hexgames_env.bots import make_bot
>>> state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
>>> found = make_bot("mcts simulations=100").analyse(state)
>>> found.winner, found.value
(0, 1.0)
>>> solve(state).headline()
'Black (player_0) wins in 1 step'
"""

from hexgames_env.search.alphabeta import AlphaBetaBot
from hexgames_env.search.alphabeta_session import AlphaBetaSession
from hexgames_env.search.analysis import Analysis, Analyst
from hexgames_env.search.known import solved, solved_positions
from hexgames_env.search.mcts import MctsBot
from hexgames_env.search.mcts_session import MctsSession
from hexgames_env.search.session import Session
from hexgames_env.search.solution import Solution, Value
from hexgames_env.search.solver import Solver, solve

__all__ = [
    "AlphaBetaBot",
    "AlphaBetaSession",
    "Analysis",
    "Analyst",
    "MctsBot",
    "MctsSession",
    "Session",
    "Solution",
    "Solver",
    "Value",
    "solve",
    "solved",
    "solved_positions",
]
