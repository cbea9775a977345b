"""Bots, who play: objects called as ``bot(state, rng)`` that return an action.

(An *agent* is a seat at a game, in the words of PettingZoo: ``player_0`` or ``player_1``.)

>>> import numpy as np
>>> from hexgames_env import make_game
>>> from hexgames_env.bots import make_bot
>>> bot = make_bot("greedy")
>>> bot
make_bot('greedy')
>>> state = make_game("oust", side=2).state_from_cells({"a1": 0, "b1": 0, "c1": 1})
>>> state.action_to_string(bot(state, np.random.default_rng(1)))  # the capture that wins
'b2'
"""

from hexgames_env.bots.base import Bot, Player
from hexgames_env.bots.match import Score, evaluate, play
from hexgames_env.bots.noise import NoisyBot
from hexgames_env.bots.pool import BotPool
from hexgames_env.bots.registry import as_bot, bot_names, make_bot, register_bot
from hexgames_env.bots.simple import GreedyBot, RandomBot

__all__ = [
    "Bot",
    "BotPool",
    "GreedyBot",
    "NoisyBot",
    "Player",
    "RandomBot",
    "Score",
    "as_bot",
    "bot_names",
    "evaluate",
    "make_bot",
    "play",
    "register_bot",
]
