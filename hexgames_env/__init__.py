"""Hexagonal board games for reinforcement learning: exact, fast, reproducible."""

from hexgames_env.game import Game, State
from hexgames_env.registry import game_names, make_game

__all__ = ["Game", "State", "game_names", "make_game"]
