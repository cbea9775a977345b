"""Hexagonal board games for reinforcement learning: exact, fast, reproducible.

>>> from hexgames_env import oust_v0
>>> env = oust_v0.env(side=4)
>>> env.reset(seed=1)
>>> observation, reward, termination, truncation, info = env.last()
>>> env.step(int(observation["action_mask"].argmax()))

Each game's page (rules, options, actions, planes) is the docstring of its module in
`hexgames_env.games`.  Importing the package registers the environments' ids and compiles nothing.
"""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from hexgames_env.core.batch import Batch, RandomPlay
from hexgames_env.core.board import HexBoard
from hexgames_env.core.game import Game
from hexgames_env.core.notation import Notation
from hexgames_env.core.options import ChoiceOption, FlagOption, IntegerOption, Option
from hexgames_env.core.registry import game_names, make_game
from hexgames_env.core.state import State
from hexgames_env.core.symmetry import Symmetry
from hexgames_env.engine import kernel, loop
from hexgames_env.envs.registration import register_all, register_game
from hexgames_env.errors import (
    BrokenOffWarning,
    GameOverError,
    IllegalActionError,
    NotationError,
    NothingToUndoError,
    NotResetError,
    OptionError,
    PositionTextError,
    RecordError,
    UnknownOptionError,
)

__version__ = "0.1.0"

__all__ = [
    "Batch",
    "BrokenOffWarning",
    "ChoiceOption",
    "FlagOption",
    "Game",
    "GameOverError",
    "HexBoard",
    "IllegalActionError",
    "IntegerOption",
    "NotResetError",
    "Notation",
    "NotationError",
    "NothingToUndoError",
    "Option",
    "OptionError",
    "PositionTextError",
    "RandomPlay",
    "RecordError",
    "State",
    "Symmetry",
    "UnknownOptionError",
    "game_names",
    "kernel",
    "loop",
    "make_game",
    "register_game",
]

register_all()


def __getattr__(name: str) -> ModuleType:
    # hexgames_env.oust_v0 and its like, without importing every game beforehand.  A game that a
    # user registered has a name, but no module here.
    module = f"hexgames_env.{name}"
    if name.endswith("_v0") and name.removesuffix("_v0") in game_names() and find_spec(module):
        return import_module(module)
    raise AttributeError(f"module 'hexgames_env' has no attribute {name!r}")
