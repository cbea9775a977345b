"""The PettingZoo environment, one class for every game.

It checks order, bounds and legality itself instead of wearing PettingZoo's three wrappers, which
cost several times what a step of these games costs, keep a stale mask, and give the opponent of an
illegal action 0.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable

from hexgames_env.core.game import Game
from hexgames_env.core.options import check_seed, shown
from hexgames_env.core.settings import as_game, check_illegal_action, check_max_cycles
from hexgames_env.core.state import State
from hexgames_env.envs.settings import unusual_end, warn_of_illegal_action
from hexgames_env.errors import GameOverError, IllegalActionError, NotResetError
from hexgames_env.rendering import RENDER_FPS, RENDER_MODES, Renderer

if TYPE_CHECKING:
    from hexgames_env.records import Recorder

AGENTS = PLAYER_0, PLAYER_1 = "player_0", "player_1"

Observation = dict[str, NDArray[Any]]


class HexGameEnv(AECEnv[str, Observation, int | None]):
    """Two agents, ``player_0`` and ``player_1``, take turns; a turn can be several steps.

    Observations are ``{"observation": float32 (rows, columns, planes), "action_mask": int8
    (num_actions,)}``, in arrays of their own that are never changed afterwards.  The winner's last
    reward is +1 and the loser's -1; all others are 0.  ``infos`` are empty until the game has
    ended; then ``"illegal_action"`` is 1 for an agent who has lost by one, and 0 otherwise.

    A deep copy or an unpickled env goes on with the same game.

    Args:
        game: the rules and the board, or a game's name.
        max_cycles: truncate the game for both agents after this many steps of both together; None
            never does.
        render_mode: None; "ansi": `render` returns text; "rgb_array": an array of pixels; "human":
            a window follows the game (for the last two: ``hexgames-env[render]``).
        illegal_action: what an action within the action space does that the mask forbids.
            "lose": the actor gets -1, the opponent +1, and the game has ended; the first time in a
            process a warning says so.  "raise": `IllegalActionError`, and nothing has changed.  An
            action outside the action space always raises.
        render_size: width and height of pixels and window; None is 480.
        record: a file or a folder that games are recorded into until `close`, as
            `hexgames_env.records.recorder` takes it; a copy of the env does not record.
        options: of the game, if it is given by its name.

    Raises:
        UnknownOptionError: a keyword that is neither a setting nor an option of the game.
        OptionError: if a setting is invalid.
        RecordError, OSError: ``record`` can't be written.
        ModuleNotFoundError: ``render_mode`` needs pygame-ce, and it is not installed.

    >>> env = HexGameEnv("oust", side=3)
    >>> env.reset(seed=1)
    >>> env.step(env.parse_action("c3"))
    >>> env.agent_selection
    'player_1'
    """

    def __init__(
        self,
        game: Game | str,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        illegal_action: Literal["lose", "raise"] = "lose",
        render_size: int | None = None,
        record: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.game = as_game(game, options)
        self.max_cycles = check_max_cycles(max_cycles)
        self._renderer = Renderer(render_mode, render_size)
        check_illegal_action(illegal_action)
        self.render_mode = render_mode
        self.illegal_action = illegal_action
        self.metadata: dict[str, Any] = {
            "name": f"{self.game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "is_parallelizable": False,
        }
        self.possible_agents = list(AGENTS)
        planes = spaces.Box(0.0, 1.0, self.game.observation_shape, np.float32)
        mask = spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": planes, "action_mask": mask}) for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(self.game.num_actions) for agent in AGENTS}
        self._rng = np.random.default_rng()
        self._state: State | None = None
        self._steps = 0
        self._ended = False
        self._illegal_action: int | None = None  # that lost the game
        self.agents: list[str] = []  # until reset()
        self._recorder: Recorder | None = None
        if record is not None:
            from hexgames_env.records import recorder  # here: others need not wait for it

            self._recorder = recorder(record, self.game)

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of this agent's observations; the same object each time."""
        self._check_agent(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of this agent's actions; the same object each time."""
        self._check_agent(agent)
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game.

        Args:
            seed: decides everything random in this game and, until the next seed, in those after
                it; None goes on with the env's generator.
            options: not used.
        """
        if seed is not None:
            self._rng = np.random.default_rng(int(check_seed(seed)))
        state = self.game.initial_state(int(self._rng.integers(2**63)))
        self._state = state
        self._steps = 0
        self._ended = False
        self._illegal_action = None
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[state.to_play]
        if self._recorder is not None:
            self._recorder.begin(state, seed)
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Make one step of ``agent_selection``, which stays the same while its turn lasts.

        Raises:
            NotResetError: before the first reset.
            GameOverError: the game has ended and both agents have made their last step, None.
            IllegalActionError: no integer, or outside the action space; or, with
                ``illegal_action="raise"``, not legal now.  Nothing has changed then.
            ValueError: an action other than None for an agent whose game has ended.
        """
        state = self._state
        if self._ended or state is None:
            self._step_after_the_end(action)
            return
        if not state.try_step(action):  # type: ignore[arg-type]  # which refuses None
            if self.illegal_action == "raise":
                state.step(action)  # type: ignore[arg-type]  # which says what is legal
            self._illegal_action = self.game.check_action(action)
        elif self._recorder is not None:
            self._recorder.step(state)
        self._steps += 1
        if state.is_over or self._illegal_action is not None:
            self._ended = True
            self.terminations = dict.fromkeys(AGENTS, True)
            self.rewards = self.returns()
            self._accumulate_rewards()  # all rewards before these were 0
            self._tell_illegal(state)
        else:
            if self._steps == self.max_cycles:
                self._ended = True
                self.truncations = dict.fromkeys(AGENTS, True)
                self._tell_illegal(state)
            self.agent_selection = AGENTS[state.to_play]
        if self._ended and self._recorder is not None:
            self._recorder.end("cut off", illegal=self._illegal_action)
        if self.render_mode == "human":
            self.render()
        if self._illegal_action is not None:
            warn_of_illegal_action(self, state, self._illegal_action)

    def _tell_illegal(self, state: State) -> None:
        loser = None if self._illegal_action is None else AGENTS[state.to_play]
        self.infos = {agent: {"illegal_action": int(agent == loser)} for agent in AGENTS}

    def _step_after_the_end(self, action: int | None) -> None:
        if self._state is None:
            raise NotResetError("call reset() before step()")
        if not self.agents:
            raise GameOverError("the game has ended: call reset() to begin another")
        self._was_dead_step(action)

    def observe(self, agent: str) -> Observation:
        """What this agent sees now, whether it is to act, waits, or has finished; new arrays."""
        state = self._state
        if state is None:
            raise NotResetError("call reset() before observe()")
        self._check_agent(agent)
        return state.observation_and_mask(AGENTS.index(agent), ended=self._ended)

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last step, termination, truncation, info of the agent due.

        Raises:
            NotResetError: before the first reset.
            GameOverError: the game has ended and both agents have made their last step, None.
        """
        state = self._state
        if state is None:
            raise NotResetError("call reset() before last()")
        if not self.agents:
            raise GameOverError("the game has ended: call reset() to begin another")
        agent = self.agent_selection
        if not observe:
            observation = None
        else:
            player = 0 if agent == PLAYER_0 else 1
            observation = state.observation_and_mask(player, ended=self._ended)
        return (
            observation,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observation, int | None]:
        """The agent due, again and again until both have made their last step, None.

        Raises:
            NotResetError: before the first reset.
        """
        if self._state is None:
            raise NotResetError("call reset() before agent_iter()")
        return super().agent_iter(max_iter)

    def render(self) -> str | NDArray[np.uint8] | None:
        """The position, its last step marked, as `render_mode` says.

        Returns:
            For "ansi" a text; for "rgb_array" uint8 (render_size, render_size, 3), a new array;
            for "human" None: the window shows it, for 1 / render_fps seconds.
        """
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() shows nothing without a render_mode: give one to env(), such as 'ansi'"
            )
            return None
        state = self.game_state
        headline = unusual_end(state, self._illegal_action, self._ended, self._steps)
        return self._renderer.render(state, headline, self.metadata["render_fps"])

    def close(self) -> None:
        """Close the window of "human", and what is recorded; the game can go on all the same."""
        self._renderer.close()
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None

    # The game behind the environment

    @property
    def game_state(self) -> State:
        """The position, as a copy: changing it does not change the env's game.

        After a loss by an illegal action it is still the position before that action.
        """
        if self._state is None:
            raise NotResetError("call reset() before game_state")
        return self._state.copy()

    @property
    def winner(self) -> str | None:
        """The agent who has won; None while the game runs, and after a truncation."""
        if self._state is None:
            raise NotResetError("call reset() before winner")
        if self._illegal_action is not None:
            return AGENTS[1 - self._state.to_play]
        return None if self._state.winner is None else AGENTS[self._state.winner]

    def returns(self) -> dict[str, float]:
        """The outcome by agent, +1 and -1, or 0 for both; also when `rewards` are gone."""
        winner = self.winner
        if winner is None:
            return dict.fromkeys(AGENTS, 0.0)
        return {agent: 1.0 if agent == winner else -1.0 for agent in AGENTS}

    def action_to_string(self, action: int) -> str:
        """The text of an action in this position."""
        return self.game_state.action_to_string(action)

    def parse_action(self, text: str) -> int:
        """The action with this text, if the agent to act may make it now.

        Raises:
            IllegalActionError: the text is no action of the game, or it is not legal now.
        """
        if self._state is not None and self._ended:
            raise IllegalActionError(f"{shown(text)} is not legal now: the game has ended")
        return self.game_state.parse_action(text)

    # Helpers

    def _check_agent(self, agent: str) -> None:
        if agent not in AGENTS:
            raise ValueError(
                f"there is no agent {shown(agent)}: the agents are {AGENTS[0]!r} and {AGENTS[1]!r}"
            )

    def __repr__(self) -> str:
        return f"<{self.metadata['name']} {self.game.to_string()}>"


make_env = HexGameEnv  # its name for registries, with the name of a game
