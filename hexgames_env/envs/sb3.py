"""Stable-Baselines3 and sb3-contrib: a fast VecEnv, a network for hexagons, players, self-play.

Needs ``pip install hexgames-env[sb3]``; nothing else in the package imports this module.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv

from hexgames_env.agents import Agent, AgentPool, as_agent
from hexgames_env.batch import Batch
from hexgames_env.envs.learner import Opponent
from hexgames_env.envs.vector import HexVectorEnv, make_vector
from hexgames_env.errors import OptionError
from hexgames_env.game import Game, check_seed
from hexgames_env.options import as_integer
from hexgames_env.registry import make_game
from hexgames_env.state import State

# Steps of a game in `evaluate` and `play`: twenty times what the longest random games take, while
# two players of a fixed habit in GIPF could go on without end.
MAX_CYCLES = 10_000


class HexVecEnv(VecEnv):
    """The vector environment as SB3's algorithms want it.

    Infos hold what SB3 reads: ``terminal_observation``, ``TimeLimit.truncated``, and ``episode``
    with return, length and time, so that no Monitor is needed.

    Args:
        game: the name of a game.
        num_envs: rows.
        settings: those of the vector environment (opponent, seat, flat, max_cycles, ...) and the
            options of the game.

    Attributes:
        envs: the `HexVectorEnv`.
    """

    def __init__(self, game: str, num_envs: int = 64, **settings: Any) -> None:
        self.envs: HexVectorEnv = make_vector(game, num_envs, **settings)
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
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        dones = terminated | truncated
        for row in np.flatnonzero(dones).tolist():
            told[row] = {
                "terminal_observation": infos["final_obs"][row],
                "TimeLimit.truncated": bool(truncated[row]),
                "episode": {
                    "r": float(rewards[row]),
                    "l": int(self._lengths[row]),
                    "t": round(time.time() - self._begun, 6),
                },
            }
        self._lengths[dones] = 0
        return observation, rewards.astype(np.float32), dones, told

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


class PolicyAgent(Agent):
    """A trained policy as an agent: to play, to be an opponent, to be evaluated.

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
        which = np.arange(batch.n) if rows is None else rows
        planes = batch._look(batch._rows[which], batch._status[which] & 1, None)
        return self._draw(planes, batch.action_mask_view[which], rng)

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
        return f"PolicyAgent({self.label}, deterministic={self.deterministic})"


@dataclass(frozen=True)
class Score:
    """How a model did.

    Attributes:
        wins: won games as player_0 and as player_1.
        games: played games as player_0 and as player_1, those cut off among them.
    """

    wins: tuple[int, int]
    games: tuple[int, int]

    @property
    def win_rate(self) -> float:
        """Won games over both seats, 0 to 1."""
        return sum(self.wins) / sum(self.games)

    def __str__(self) -> str:
        seats = ", ".join(
            f"{wins} of {games} as player_{seat}"
            for seat, (wins, games) in enumerate(zip(self.wins, self.games, strict=True))
        )
        return f"{100 * self.win_rate:.1f} % won: {seats}"


def evaluate(
    model: BaseAlgorithm | ActorCriticPolicy | Agent,
    game: Game | str,
    opponent: Opponent = "random",
    games: int = 200,
    seed: int = 0,
    deterministic: bool = True,
    max_cycles: int | None = MAX_CYCLES,
) -> Score:
    """Play many games side by side, half of them from each seat, always with masks.

    Args:
        model: an algorithm, a policy, or any agent.
        game: the rules, or a name with the options at their default.
        opponent: an agent's text, an agent, or a callable.
        games: at least 2.
        seed: decides all of it.
        deterministic: as for `PolicyAgent`.
        max_cycles: cut a game off after so many steps of both players; such a game is not won.
            None never does: then a game of GIPF need not end.
    """
    player = model if isinstance(model, Agent) else PolicyAgent(model, deterministic)
    rules = make_game(game) if isinstance(game, str) else game
    counts = games // 2, games - games // 2
    wins = []
    for seat, rows in enumerate(counts):
        envs = HexVectorEnv(rules, rows, opponent, seat, True, max_cycles, "raise")  # type: ignore[arg-type]
        envs.reset(seed=seed + seat)
        rng = np.random.default_rng([seed, seat])
        results = np.zeros(rows)
        running = np.ones(rows, np.bool_)
        while running.any():
            actions = player.choose(envs._running("step()"), rng)
            _, rewards, terminated, truncated, _ = envs.step(actions)
            ended = running & (terminated | truncated)
            results[ended] = rewards[ended]
            running &= ~ended  # a row's later games do not count: short ones would count more
        wins.append(int((results > 0).sum()))
    return Score((wins[0], wins[1]), counts)


def play(
    model: BaseAlgorithm | ActorCriticPolicy | Agent,
    game: Game | str,
    opponent: Opponent = "random",
    seat: int = 0,
    seed: int = 0,
    deterministic: bool = True,
    max_cycles: int | None = MAX_CYCLES,
) -> State:
    """One game with the model as player ``seat``, always with masks; how it ended, with history.

    After ``max_cycles`` steps it ends unfinished, as in `evaluate`.

    Raises:
        OptionError: ``seat`` is neither 0 nor 1, or there is no such opponent or game.
    """
    if as_integer(seat) not in (0, 1):
        raise OptionError(f"seat must be 0 or 1, got {seat!r}")
    player = model if isinstance(model, Agent) else PolicyAgent(model, deterministic)
    rules = make_game(game) if isinstance(game, str) else game
    rng = np.random.default_rng(seed)
    other = as_agent(opponent).for_game(rng)
    state = rules.initial_state(int(rng.integers(2**63)))
    steps = 0  # len(state.history) would count anew each time
    while not state.is_over and steps != max_cycles:
        mover = player if state.to_play == seat else other
        state.step(mover(state.copy(), rng))
        steps += 1
    return state


def _copy_policy(policy: ActorCriticPolicy) -> ActorCriticPolicy:
    """A policy of its own with the same weights, never to be trained."""
    file = io.BytesIO()  # copy.deepcopy refuses a policy that has been trained
    policy.save(file)
    file.seek(0)
    other = type(policy).load(file, device=policy.device)
    other.set_training_mode(False)
    return other


class SelfPlayCallback(BaseCallback):
    """Adds a copy of the learner to a pool of opponents after every so many updates.

    The environment must have this very pool as its opponent: `HexVecEnv` or ``DummyVecEnv``, which
    live in the same process.

    Args:
        pool: to be added to; the copies stay in it.
        every: updates (rounds of collecting and training) from one copy to the next.
    """

    def __init__(self, pool: AgentPool, every: int = 10, verbose: int = 0) -> None:
        super().__init__(verbose)
        if every < 1:
            raise OptionError(f"every must be a positive integer, got {every!r}")
        self.pool = pool
        self.every = every
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
            self.pool.add(PolicyAgent(frozen, label=f"after {self.num_timesteps} steps"))
            if self.verbose:
                print(f"{len(self.pool)} opponents in the pool")
        self._rounds += 1

    def _on_step(self) -> bool:
        return True
