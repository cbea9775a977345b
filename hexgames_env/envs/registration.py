"""The ids of the environments.

PettingZoo's registry has ``hexgames/oust-v0`` and so on, Gymnasium's ``hexgames/Oust-v0``.
"""

from __future__ import annotations

import gymnasium
import pettingzoo

from hexgames_env.core.game import Game, slips_of
from hexgames_env.core.registry import add_game, game_names
from hexgames_env.errors import OptionError

AEC_ENTRY_POINT = "hexgames_env.envs.aec:HexGameEnv"
SINGLE_ENTRY_POINT = "hexgames_env.envs.single:HexSingleAgentEnv"
VECTOR_ENTRY_POINT = "hexgames_env.envs.vector:HexVectorEnv"


def gymnasium_id(name: str) -> str:
    """Gymnasium's id of a game.

    >>> gymnasium_id("oust"), gymnasium_id("my_game")
    ('hexgames/Oust-v0', 'hexgames/MyGame-v0')
    """
    return f"hexgames/{''.join(part.capitalize() for part in name.split('_'))}-v0"


def register_ids(name: str) -> None:
    """Register the ids of one game; what is registered already stays as it is."""
    if gymnasium_id(name) not in gymnasium.registry:
        gymnasium.register(
            gymnasium_id(name),
            entry_point=SINGLE_ENTRY_POINT,
            vector_entry_point=VECTOR_ENTRY_POINT,
            kwargs={"game": name},
        )
    register = getattr(pettingzoo, "register", None)
    if register is None:  # PettingZoo before 1.27 has no registry
        return
    aec_id = f"hexgames/{name}-v0"
    if aec_id not in pettingzoo.aec_registry:
        register("aec", aec_id, entry_point=AEC_ENTRY_POINT, kwargs={"game": name})


def register_all() -> None:
    """Register the ids of all games known so far."""
    for name in game_names():
        register_ids(name)


def register_game(game: type[Game]) -> None:
    """Make a game of your own known by its ``name``: to `make_game`, to texts, to the registries.

    A process that is spawned must register it as well before it unpickles the game by name.

    Raises:
        OptionError: it is no class of a game, something is missing in it, its name is no
            identifier, or another game has it.
    """
    if isinstance(game, type) and issubclass(game, Game) and game is not Game:
        slip = slips_of(game)
        if slip:
            raise OptionError(f"{game.__qualname__} can't be registered: {slip}")
    add_game(game)
    register_ids(game.name)
