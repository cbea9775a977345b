"""The Gymnasium environment: one learner against an opponent inside.

The usual way to train one network on a two-player game, to let it make both players' steps, gives
the learner its opponent's observations and never a loser's -1.  Here the environment plays all
of the opponent's steps, and the learner sees only positions in which it is itself to act.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from hexgames_env.bots import Bot, as_bot
from hexgames_env.bots.base import Player
from hexgames_env.core.game import Game
from hexgames_env.core.options import check_seed
from hexgames_env.core.settings import as_game
from hexgames_env.core.state import State
from hexgames_env.envs.settings import (
    LEARNER,
    MAX_TRIES,
    Observation,
    Seat,
    check_settings,
    no_game_began,
    observation_space,
    unusual_end,
    warn_of_illegal_action,
)
from hexgames_env.errors import GameOverError, IllegalActionError, NotResetError
from hexgames_env.rendering import RENDER_FPS, RENDER_MODES, Renderer

if TYPE_CHECKING:
    from hexgames_env.records import Recorder


class HexSingleAgentEnv(gymnasium.Env[Observation, Any]):
    """One learner against an opponent, in any game.

    Observations are ``{"observation": float32 (rows, columns, planes), "action_mask": int8
    (num_actions,)}``; with ``flat=True`` float32 (rows * columns * planes,), and the mask stands
    in ``info["action_mask"]``.  Arrays are new each time.  The reward of a step is all that the
    learner gets until it is to act again or the game is over: +1 for a win, -1 for a loss, else 0.
    When the game has ended, ``info["illegal_action"]`` is 1 if the learner lost it by an illegal
    action, else 0.

    Args:
        game: the rules and the board, or a game's name.
        opponent: a bot's text such as "random" or "greedy", a `Bot`, or any callable
            ``(state, rng) -> action``.
        seat: which player the learner is, 0 or 1; "random" draws it for each game.
        flat: give observations as a vector.
        max_cycles: truncate a game after this many steps of both players together; None never does.
        illegal_action: what an action within the action space does that the mask forbids.
            "lose": the learner gets -1 and the game has ended; the first time in a process a
            warning says so.  "raise": `IllegalActionError`, and nothing has changed.  An action
            outside the action space always raises.
        render_mode: None; "ansi": `render` returns text; "rgb_array": an array of pixels; "human":
            a window follows the game (for the last two: ``hexgames-env[render]``).
        render_size: width and height of pixels and window; None is 480.
        record: a file or a folder that games are recorded into until `close`, as
            `hexgames_env.records.recorder` takes it; a copy of the env does not record.
        options: of the game, if it is given by its name.

    Attributes:
        game: the rules and the board.
        opponent: the `Bot` on the other side.
        seat: which player the learner is in this game, 0 or 1.
        winner: the player who has won, 0 or 1; None while the game runs and after a truncation.

    Raises:
        UnknownOptionError: a keyword that is neither a setting nor an option of the game.
        OptionError: if a setting is invalid.
        RecordError, OSError: ``record`` can't be written.
        ModuleNotFoundError: ``render_mode`` needs pygame-ce, and it is not installed.

    >>> env = HexSingleAgentEnv("oust", side=3, opponent="greedy", seat=1)
    >>> observation, info = env.reset(seed=1)
    >>> observation["observation"].shape
    (5, 5, 6)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_masks().argmax())
    """

    action_space: spaces.Discrete
    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}

    def __init__(
        self,
        game: Game | str,
        opponent: Player = "random",
        seat: Seat = "random",
        flat: bool = False,
        max_cycles: int | None = None,
        illegal_action: Literal["lose", "raise"] = "lose",
        render_mode: str | None = None,
        render_size: int | None = None,
        record: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        self.max_cycles = check_settings(seat, flat, max_cycles, illegal_action)
        self._renderer = Renderer(render_mode, render_size)
        self.game = as_game(game, options)
        self.opponent = as_bot(opponent)
        self.flat = flat
        self.illegal_action = illegal_action
        self.render_mode = render_mode
        self.observation_space = observation_space(self.game, flat)
        self.action_space = spaces.Discrete(self.game.num_actions)
        self._seats = (0, 1) if seat == "random" else (int(seat),)
        self.seat = self._seats[0]
        self.winner: int | None = None
        self._state: State | None = None
        self._player: Bot = self.opponent  # of this game: a member, if the opponent is a pool
        self._steps = 0
        self._ended = False
        self._illegal_action: int | None = None  # that lost the game
        self._recorder: Recorder | None = None
        if record is not None:
            from hexgames_env.records import recorder  # here: others need not wait for it

            self._recorder = recorder(record, self.game)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new game and play it on until the learner is to act.

        Args:
            seed: 0 to 2**64 - 1, decides everything random on both sides in this game and,
                until the next seed, in those after it; None goes on with the env's generator.
            options: not used.

        Raises:
            OptionError: no such seed; nothing has changed then.
            RuntimeError: the game is always over before the learner has come to act.
            IllegalActionError: the opponent's action is illegal.
        """
        seed = None if seed is None else int(check_seed(seed))  # Gymnasium takes no numpy integer
        super().reset(seed=seed)
        for _ in range(MAX_TRIES):
            self.seat = self._seats[int(self.np_random.integers(len(self._seats)))]
            self._player = self.opponent.for_game(self.np_random)
            self._state = self.game.initial_state(int(self.np_random.integers(2**63)))
            self._steps = 0
            self._ended = False
            self._illegal_action = None
            self.winner = None
            if self._recorder is not None:
                names = LEARNER, self._player.to_string()
                players = names if self.seat == 0 else names[::-1]
                self._recorder.begin(self._state, seed, players)
            if self.render_mode == "human":
                self.render()
            self._play_opponent(self._state)
            if not self._ended:
                return self._observe()
        raise no_game_began(self.max_cycles)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make the learner's step, and all of the opponent's until the learner is to act again.

        Raises:
            NotResetError: before the first reset, or after an error of the opponent.
            GameOverError: the game has ended.
            IllegalActionError: no integer, or outside the action space; or, with
                ``illegal_action="raise"``, not legal now.  Nothing has changed then.
            IllegalActionError: the opponent's action is illegal.  Then, as after whatever else it
                raises, the learner's step has been made and the opponent is still to act, as
                `game_state` shows: only a reset goes on from there.
        """
        state = self._running("step()")
        if self._ended:
            raise GameOverError("the game has ended: call reset() to begin another")
        if state.to_play != self.seat:
            raise NotResetError(
                "an error of the opponent has broken off the last step or reset, and it is still "
                "to act: call reset() before step()"
            )
        if state.try_step(action):
            self._count_step(state)
            self._play_opponent(state)
        elif self.illegal_action == "raise":
            state.step(action)  # which says what is legal
        else:
            self._illegal_action = self.game.check_action(action)
            self._steps += 1
            self._ended = True
            self.winner = 1 - self.seat
            if self._recorder is not None:
                self._recorder.end(illegal=self._illegal_action)
            if self.render_mode == "human":
                self.render()
        reward = 0.0
        if self.winner is not None:
            reward = 1.0 if self.winner == self.seat else -1.0
        observation, info = self._observe()
        terminated = self.winner is not None
        if self._ended:
            info["illegal_action"] = int(self._illegal_action is not None)
        if self._illegal_action is not None:
            warn_of_illegal_action(self, state, self._illegal_action)
        return observation, reward, terminated, self._ended and not terminated, info

    def _play_opponent(self, state: State) -> None:
        while not self._ended and state.to_play != self.seat:
            action = self._player(state.copy(), self.np_random)
            try:
                state.step(action)
            except IllegalActionError as error:
                raise IllegalActionError(f"opponent {self._player!r}: {error}") from None
            self._count_step(state)

    def _count_step(self, state: State) -> None:
        self._steps += 1
        if state.is_over:
            self._ended = True
            self.winner = state.winner
        elif self._steps == self.max_cycles:
            self._ended = True
        if self._recorder is not None:
            self._recorder.step(state)
            if self._ended:
                self._recorder.end("cut off")
        if self.render_mode == "human":
            self.render()

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        state = self._running("reset()")
        look = state.observation_and_mask(self.seat, ended=self._ended)
        if self.flat:
            return look["observation"].reshape(-1), {"action_mask": look["action_mask"]}
        return look, {}

    def _running(self, what: str) -> State:
        if self._state is None:
            raise NotResetError(f"call reset() before {what}")
        return self._state

    def action_masks(self) -> NDArray[np.int8]:
        """int8 (num_actions,): 1 for the learner's legal actions; zeros after the end.

        The name that sb3-contrib's maskable algorithms look for.
        """
        state = self._running("action_masks()")
        if self._ended or state.to_play != self.seat:  # the latter after an error of the opponent
            return np.zeros(self.game.num_actions, np.int8)
        return state.action_mask()

    @property
    def game_state(self) -> State:
        """The position, as a copy: changing it does not change the env's game."""
        return self._running("game_state").copy()

    def render(self) -> str | NDArray[np.uint8] | None:
        """The position, its last step marked, as `render_mode` says.

        Returns:
            For "ansi" a text; for "rgb_array" uint8 (render_size, render_size, 3), a new array;
            for "human" None: the window shows it, for 1 / render_fps seconds.
        """
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() shows nothing without a render_mode: give one to make(), such as 'ansi'"
            )
            return None
        state = self._running("render()")
        headline = unusual_end(state, self._illegal_action, self._ended, self._steps)
        return self._renderer.render(state.copy(), headline, self.metadata["render_fps"])

    def close(self) -> None:
        """Close the window of "human", and what is recorded; the game can go on all the same."""
        self._renderer.close()
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None

    def __repr__(self) -> str:
        return f"<HexSingleAgentEnv {self.game.to_string()} against {self.opponent!r}>"


make_single = HexSingleAgentEnv  # its name for registries, with the name of a game
