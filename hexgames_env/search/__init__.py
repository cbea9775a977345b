"""Search: bots that look ahead, in compiled code.

>>> from hexgames_env import make_game
>>> from hexgames_env.bots import make_bot
>>> state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
>>> found = make_bot("mcts simulations=100").analyse(state)
>>> found.winner, found.value
(0, 1.0)
"""

from hexgames_env.search.alphabeta import AlphaBetaBot
from hexgames_env.search.alphabeta_session import AlphaBetaSession
from hexgames_env.search.analysis import Analysis, Analyst
from hexgames_env.search.mcts import MctsBot
from hexgames_env.search.mcts_session import MctsSession
from hexgames_env.search.session import Session

__all__ = [
    "AlphaBetaBot",
    "AlphaBetaSession",
    "Analysis",
    "Analyst",
    "MctsBot",
    "MctsSession",
    "Session",
]
