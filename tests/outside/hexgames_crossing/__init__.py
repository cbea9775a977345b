"""Crossing, a game for hexgames-env: importing this package makes game and bot known by name.

>>> import hexgames_crossing
>>> from hexgames_env import make_game
>>> make_game("crossing", side=3, stones="a1,c5").num_actions
19
"""

from hexgames_crossing.bots import PlayoutBot
from hexgames_crossing.envs import TurnEnv
from hexgames_crossing.game import Crossing
from hexgames_crossing.options import CellsOption
from hexgames_env import register_game
from hexgames_env.bots import register_bot

__all__ = ["CellsOption", "Crossing", "PlayoutBot", "TurnEnv"]

register_game(Crossing)
register_bot(PlayoutBot)
