"""Stable-Baselines3 and sb3-contrib: a fast VecEnv, a network for hexagons, players, self-play.

Needs ``pip install hexgames-env[sb3]``; nothing else in the package imports this module.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv

from hexgames_env.bots import Bot, BotPool, Score, as_bot, match
from hexgames_env.bots.base import Player
from hexgames_env.core.batch import Batch
from hexgames_env.core.game import Game
from hexgames_env.core.options import check_seed
from hexgames_env.core.settings import check_count
from hexgames_env.core.state import State
from hexgames_env.envs.vector import HexVectorEnv
from hexgames_env.errors import OptionError

__all__ = [
    "HexConv",
    "HexExtractor",
    "HexVecEnv",
    "PolicyBot",
    "SelfPlayCallback",
    "as_player",
    "evaluate",
    "load_bot",
    "play",
]


class HexVecEnv(VecEnv):
    """The vector environment as SB3's algorithms want it.

    Infos hold what SB3 reads: ``terminal_observation``, ``TimeLimit.truncated``, and ``episode``
    with return, length and time, so that no Monitor is needed; and ``illegal_action``, 1
    if the learner lost by one, else 0: what ``VecMonitor(envs, info_keywords=("illegal_action",))``
    keeps beside the return.

    Args:
        game: the name of a game.
        num_envs: rows.
        settings: those of the vector environment (opponent, seat, flat, max_cycles, ...) and the
            options of the game.

    Attributes:
        envs: the `HexVectorEnv`.
    """

    def __init__(self, game: str, num_envs: int = 64, **settings: Any) -> None:
        self.envs = HexVectorEnv(game, num_envs, **settings)
        self._masks: NDArray[np.int8] | None = None
        self._actions: NDArray[Any] | None = None
        self._lengths = np.zeros(num_envs, np.int64)
        self._begun = time.time()
        super().__init__(
            num_envs, self.envs.single_observation_space, self.envs.single_action_space
        )

    @property
    def game(self) -> Game:
        """The rules and the board."""
        return self.envs.game

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Keep a seed, 0 to 2**64 - 1, for the next reset; None draws one.

        Raises:
            OptionError: no such seed; nothing has changed then.
        """
        seeds: Sequence[int | None] = super().seed(None if seed is None else int(check_seed(seed)))
        return seeds

    def reset(self) -> Any:
        """Begin a new game in each row; by the seed, if one was given to ``seed()``."""
        observation, infos = self.envs.reset(seed=self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        self._lengths[:] = 0
        self._keep_masks(observation, infos)
        return observation

    def step_async(self, actions: NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        actions = self._actions
        if actions is None:
            raise RuntimeError("step_wait() came without step_async()")
        observation, rewards, terminated, truncated, infos = self.envs.step(actions)
        self._keep_masks(observation, infos)
        self._lengths += 1
        by_row: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        dones = terminated | truncated
        for row in np.flatnonzero(dones).tolist():
            by_row[row] = {
                "terminal_observation": infos["final_obs"][row],
                "TimeLimit.truncated": bool(truncated[row]),
                "illegal_action": int(infos["illegal_action"][row]),
                "episode": {
                    "r": float(rewards[row]),
                    "l": int(self._lengths[row]),
                    "t": round(time.time() - self._begun, 6),
                },
            }
        self._lengths[dones] = 0
        return observation, rewards.astype(np.float32), dones, by_row

    def _keep_masks(self, observation: Any, infos: dict[str, Any]) -> None:
        self._masks = (infos if self.envs.flat else observation)["action_mask"]

    def action_masks(self) -> NDArray[np.int8]:
        """int8 (num_envs, num_actions): 1 for the legal actions of each learner; a new array."""
        return self.envs.action_masks() if self._masks is None else self._masks.copy()

    def close(self) -> None:
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """For each row an attribute of the vector env, which all rows share; ``seat`` by row."""
        rows = self._rows(indices)
        if attr_name == "seat":
            return [int(self.envs.seats[row]) for row in rows]
        if attr_name == "action_masks":
            return [self.action_masks] * len(rows)
        return [getattr(self.envs, attr_name)] * len(rows)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Not possible: rows share their settings, which are given when the env is made."""
        raise AttributeError(f"{attr_name} is a setting of all rows: make another HexVecEnv")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """``action_masks`` or ``render`` for each row: rows have no other methods."""
        if method_name not in ("action_masks", "render"):
            raise AttributeError(
                f"a row has no method {method_name!r}: there are action_masks and render"
            )
        found: Any = self.action_masks() if method_name == "action_masks" else self.envs.render()
        return [None if found is None else found[row] for row in self._rows(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """True for Monitor, since infos have its ``episode``."""
        return [issubclass(wrapper_class, Monitor)] * len(self._rows(indices))

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """For each row uint8 (render_size, render_size, 3), of which `render` makes one picture.

        With another render_mode than "rgb_array" there is none: None for each.
        """
        if self.envs.render_mode != "rgb_array":
            return [None] * self.num_envs
        return list(self.envs.render() or ())

    def _rows(self, indices: int | Iterable[int] | None) -> Sequence[int]:
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, int) else list(indices)


class HexConv(torch.nn.Conv2d):
    """A 3x3 convolution over a cell and its six neighbours: two corners are always 0.

    On the grid of an observation the neighbours of a cell are at (0,1) (0,-1) (1,0) (-1,0) (1,1)
    (-1,-1); what is at (1,-1) and (-1,1) does not touch it.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(in_channels, out_channels, kernel_size=3, padding=1)
        near = torch.ones(3, 3)
        near[0, 2] = near[2, 0] = 0
        self.register_buffer("near", near)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self._conv_forward(x, self.weight * self.near, self.bias)


class HexExtractor(BaseFeaturesExtractor):
    """Features from a few hexagonal convolutions and one layer over the whole board.

    Args:
        observation_space: Dict with "observation", or a vector, which wants ``shape`` too.
        features_dim: how many features.
        channels: of each convolution.
        layers: convolutions.
        shape: (rows, columns, planes) of the planes: ``game.observation_shape``; not needed with
            a Dict.
    """

    def __init__(
        self,
        observation_space: Any,
        features_dim: int = 128,
        channels: int = 16,
        layers: int = 2,
        shape: tuple[int, int, int] | None = None,
    ) -> None:
        super().__init__(observation_space, features_dim)
        self.is_dict = hasattr(observation_space, "spaces")
        if self.is_dict:
            shape = observation_space["observation"].shape
        if shape is None or (not self.is_dict and np.prod(shape) != observation_space.shape[0]):
            raise OptionError(
                "for flat observations give features_extractor_kwargs={'shape': "
                f"game.observation_shape}}, got {shape} for {observation_space}"
            )
        self.shape = tuple(shape)
        rows, columns, planes = self.shape
        widths = [planes] + [channels] * layers
        self.convolutions = torch.nn.ModuleList(
            HexConv(before, after) for before, after in pairwise(widths)
        )
        self.whole = torch.nn.Linear(channels * rows * columns, features_dim)

    def forward(self, observations: Any) -> torch.Tensor:
        planes = observations["observation"] if self.is_dict else observations
        x = planes.reshape(-1, *self.shape).permute(0, 3, 1, 2)
        board = x[:, :1]  # what lies off the board stays 0
        for convolution in self.convolutions:
            x = torch.relu(convolution(x)) * board
        return torch.relu(self.whole(x.flatten(1)))


class PolicyBot(Bot):
    """A trained policy as a bot: to play, to be an opponent, to be evaluated.

    It never makes an illegal step: probabilities are those of the legal actions alone.

    Args:
        model: an algorithm such as MaskablePPO or PPO, or its policy.
        deterministic: the most probable action, instead of one drawn by its probability.
        label: how `repr` calls it.
    """

    name = "policy"

    def __init__(
        self,
        model: BaseAlgorithm | ActorCriticPolicy,
        deterministic: bool = False,
        label: str = "policy",
    ) -> None:
        policy = model.policy if isinstance(model, BaseAlgorithm) else model
        if not hasattr(policy, "get_distribution"):
            raise OptionError(
                f"a model must have an actor-critic policy, as PPO, A2C and MaskablePPO have, "
                f"got {type(model).__name__}"
            )
        self.policy = policy
        self.deterministic = deterministic
        self.label = label

    def __call__(self, state: State, rng: np.random.Generator) -> int:
        planes, mask = state.observation(state.to_play), state.action_mask()
        return int(self._draw(planes[None], mask[None], rng)[0])

    def choose(
        self, batch: Batch, rng: np.random.Generator, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        which = batch.check_rows(np.arange(batch.n) if rows is None else rows)
        return self._draw(batch.observations(rows=which), batch.action_mask_view[which], rng)

    def _draw(
        self, planes: NDArray[np.float32], masks: NDArray[np.int8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        chances = self.probabilities(planes, masks)
        if self.deterministic:
            return np.asarray(chances.argmax(axis=1))
        sums = chances.cumsum(axis=1)
        drawn = rng.random(len(sums)) * sums[:, -1]
        return np.asarray((sums <= drawn[:, None]).sum(axis=1))

    def probabilities(
        self, planes: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """float64 (k, num_actions): how probable each action is; 0 for what is illegal.

        Args:
            planes: float32 (k, rows, columns, planes).
            masks: int8 (k, num_actions), none of them all zero.
        """
        is_dict = hasattr(self.policy.observation_space, "spaces")
        seen: Any = torch.as_tensor(planes if is_dict else planes.reshape(len(planes), -1))
        if is_dict:
            seen = {"observation": seen, "action_mask": torch.as_tensor(masks.copy())}
            seen = {key: value.to(self.policy.device) for key, value in seen.items()}
        else:
            seen = seen.to(self.policy.device)
        self.policy.set_training_mode(False)
        with torch.no_grad():
            if isinstance(self.policy, MaskableActorCriticPolicy):
                found = self.policy.get_distribution(seen, action_masks=masks.astype(bool))
            else:
                found = self.policy.get_distribution(seen)
            logits = found.distribution.logits.cpu().numpy().astype(np.float64)
        # Once more from the logits: with a policy that knows no masks the legal actions can be so
        # improbable that their float32 probabilities are all 0.
        logits = np.where(masks == 1, logits, -np.inf)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def settings(self) -> dict[str, Any]:
        return {"deterministic": self.deterministic}

    def __repr__(self) -> str:
        return f"PolicyBot({self.label}, deterministic={self.deterministic})"


def as_player(model: BaseAlgorithm | ActorCriticPolicy | Player, deterministic: bool = True) -> Bot:
    """A model as a `PolicyBot`; what else plays as `as_bot` takes it."""
    if isinstance(model, (BaseAlgorithm, ActorCriticPolicy)):
        return PolicyBot(model, deterministic)
    return as_bot(model)


def load_bot(path: str, deterministic: bool = True) -> PolicyBot:
    """The bot of a file that MaskablePPO or PPO has saved: ``make_bot("sb3 path=FILE")``.

    Such a file can run code when it is read: only open files that you trust.

    Raises:
        OptionError: there is no such file, or it holds no such model.
    """
    for kind in (MaskablePPO, PPO):
        try:
            return PolicyBot(kind.load(path, device="cpu"), deterministic, label=path)
        except (TypeError, AttributeError, ValueError, OSError) as error:
            problem = error
    raise OptionError(f"sb3 path={path}: no model of MaskablePPO or PPO can be read: {problem}")


def evaluate(
    model: BaseAlgorithm | ActorCriticPolicy | Player,
    game: Game | str,
    opponent: Player = "random",
    *,
    deterministic: bool = True,
    **settings: Any,
) -> Score:
    """`hexgames_env.bots.evaluate` for a model: many games, half of them from each seat.

    Args:
        model: an algorithm, a policy, or whatever else plays.
        game, opponent: as there.
        deterministic: as for `PolicyBot`.
        settings: ``games``, ``seed`` and ``max_cycles``, as there.
    """
    return match.evaluate(as_player(model, deterministic), game, opponent, **settings)


def play(
    model: BaseAlgorithm | ActorCriticPolicy | Player,
    game: Game | str,
    opponent: Player = "random",
    *,
    deterministic: bool = True,
    **settings: Any,
) -> State:
    """`hexgames_env.bots.play` for a model: one game, how it ended, with history.

    Args:
        model, game, opponent, deterministic: as for `evaluate`.
        settings: ``seat``, ``seed`` and ``max_cycles``, as there.
    """
    return match.play(as_player(model, deterministic), game, opponent, **settings)


def _copy_policy(policy: ActorCriticPolicy) -> ActorCriticPolicy:
    """A policy of its own with the same weights, never to be trained."""
    file = io.BytesIO()  # copy.deepcopy refuses a policy that has been trained
    policy.save(file)
    file.seek(0)
    other = type(policy).load(file, device=policy.device)
    other.set_training_mode(False)
    return other


class SelfPlayCallback(BaseCallback):
    """Adds a copy of the learner to a pool of opponents after every ``every`` updates.

    The environment must have this very pool as its opponent: `HexVecEnv` or ``DummyVecEnv``, which
    live in the same process.

    Args:
        pool: to be added to; the copies stay in it.
        every: updates (rounds of collecting and training) from one copy to the next.
    """

    def __init__(self, pool: BotPool, every: int = 10, verbose: int = 0) -> None:
        super().__init__(verbose)
        self.pool = pool
        self.every = check_count("every", every)
        self._rounds = 0

    def _on_training_start(self) -> None:
        opponents = self.training_env.get_attr("opponent")
        if any(opponent is not self.pool for opponent in opponents):
            raise OptionError(
                "the environments do not play against this pool: make them with opponent=pool, and "
                "in this process (HexVecEnv or DummyVecEnv, not SubprocVecEnv)"
            )

    def _on_rollout_start(self) -> None:
        # This comes before each round, so after each update but the first time.
        if self._rounds and self._rounds % self.every == 0:
            frozen = _copy_policy(self.model.policy)
            self.pool.add(PolicyBot(frozen, label=f"after {self.num_timesteps} steps"))
            if self.verbose:
                print(f"{len(self.pool)} opponents in the pool")
        self._rounds += 1

    def _on_step(self) -> bool:
        return True
