"""The vector environment: many learners' games in one `Batch`, stepped by compiled code."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from hexgames_env.bots import as_bot
from hexgames_env.bots.base import Player
from hexgames_env.bots.side import OpponentsActionError, Side, threads_for
from hexgames_env.core.batch import Batch
from hexgames_env.core.game import Game
from hexgames_env.core.options import check_seed
from hexgames_env.core.policies import FORFEITED_TO, RUNNING, TRUNCATED
from hexgames_env.core.settings import as_game, check_count, check_word, no_room
from hexgames_env.core.state import State, read_position
from hexgames_env.envs.settings import (
    MAX_TRIES,
    Observation,
    Seat,
    check_settings,
    is_to_warn,
    no_game_began,
    observation_space,
    warn_of_illegal_action,
)
from hexgames_env.errors import IllegalActionError, NotResetError
from hexgames_env.rendering import RENDER_FPS, Renderer

if TYPE_CHECKING:
    from hexgames_env.records import BatchRecorder

RENDER_MODES = ("ansi", "rgb_array")  # a window for each of many rows is of no use
# By outcome (RUNNING, won by player_0, by player_1, TRUNCATED, forfeited to each) and seat
_REWARDS = np.array([[0, 0], [1, -1], [-1, 1], [0, 0], [1, -1], [-1, 1]], np.float64)


class HexVectorEnv(gymnasium.vector.VectorEnv[Observation, Any, Any]):
    """``num_envs`` games, in each of them one learner against an opponent, in any game.

    Spaces, rewards and settings are those of the single environment, with a first axis for the
    rows.  A game that ends begins anew in the same step (SAME_STEP): observation and mask are then
    the new game's, the last ones stand in ``infos["final_obs"]`` and ``infos["final_info"]``.
    ``infos["illegal_action"]``, int64, is 1 where an illegal action lost the game that ended, as in
    ``infos["final_info"]``; ``infos["_illegal_action"]`` says where a game ended.  Arrays are new
    each time.

    With "random" and "greedy" the opponent plays in compiled code too.  Other bots are asked for
    all rows in which they are due by `Bot.choose`: "mcts simulations=100" searches them side by
    side in compiled code, by the rows' own random numbers; others use the env's generator.

    Args:
        game: the rules and the board, or a game's name.
        num_envs: rows.
        opponent, seat, flat, max_cycles: as in the single environment.
        illegal_action: "lose" (the learner of that row gets -1) or "raise" (before anything
            changes in any row).
        render_mode: None, "ansi" or "rgb_array".
        render_size: width and height in pixels; None is 480.
        record: a ``.npz`` that is written with all games by `close`, or when the env is gone; until
            then they take a byte or two a step.  A copy of the env does not record.
        threads: how many rows are looked after at once; games do not depend on it.  None is one for
            each processor if the opponent searches, else 1.
        options: of the game, if it is given by its name.

    Attributes:
        game, opponent, flat, max_cycles, render_mode, threads: as given.
        seats: int64 (num_envs,): which player the learner is in each row; a view.

    Raises:
        UnknownOptionError: a keyword that is neither a setting nor an option of the game.
        OptionError: if a setting is invalid, or there is no room for that many rows.
        RecordError, OSError: ``record`` can't be written.

    >>> envs = HexVectorEnv("oust", num_envs=4, side=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations["observation"].shape
    (4, 5, 5, 6)
    >>> actions = envs.action_masks().argmax(axis=1)
    >>> observations, rewards, terminated, truncated, infos = envs.step(actions)
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}
    if hasattr(gymnasium.vector, "AutoresetMode"):  # from Gymnasium 1.1 on
        metadata["autoreset_mode"] = gymnasium.vector.AutoresetMode.SAME_STEP

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        opponent: Player = "random",
        seat: Seat = "random",
        flat: bool = False,
        max_cycles: int | None = None,
        illegal_action: Literal["lose", "raise"] = "lose",
        render_mode: str | None = None,
        render_size: int | None = None,
        record: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        self.max_cycles = check_settings(seat, flat, max_cycles, illegal_action)
        check_word("render_mode", render_mode, RENDER_MODES, none=True)
        self._renderer = Renderer(render_mode, render_size)
        rows = check_count("num_envs", num_envs)
        self.threads = None if threads is None else check_count("threads", threads, none=True)
        self.game = as_game(game, options)
        self.num_envs = rows
        self.opponent = as_bot(opponent)
        self.flat = flat
        self.illegal_action = illegal_action
        self.render_mode = render_mode
        self.single_observation_space = observation_space(self.game, flat)
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self._seat_is_drawn = isinstance(seat, str)
        try:
            self.observation_space = batch_space(self.single_observation_space, rows)
            self.action_space = batch_space(self.single_action_space, rows)
            self.seats = np.full(rows, 0 if self._seat_is_drawn else seat, np.int64)
            self._side = Side(self.opponent, rows)
        except (MemoryError, ValueError, OverflowError):  # numpy's, Gymnasium's and Python's
            each = self.game.row_bytes + 4 * math.prod(self.game.observation_shape)
            raise no_room("num_envs", rows, self.game.to_string(), each) from None
        self._recorder: BatchRecorder | None = None
        if record is not None:
            from hexgames_env.records import BatchRecorder  # here: others need not wait for it

            tags = {"Opponent": self.opponent.to_string()}
            self._recorder = BatchRecorder(record, self.game, tags=tags)
        self._batch: Batch | None = None
        self._broken_off = False  # an error interrupted a step: some rows have made it

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new game in each row and play it on until the learner is to act.

        Args:
            seed: 0 to 2**64 - 1, decides everything random on both sides until the next seed,
                in each row regardless of how many there are (with an opponent in Python, for this
                number of rows); None goes on.
            options: not used.

        Raises:
            OptionError: no such seed; nothing has changed then.
            RuntimeError: the game is always over before the learner has come to act.
            IllegalActionError: an opponent that is not compiled has made no legal action.
        """
        seed = None if seed is None else int(check_seed(seed))  # Gymnasium takes no numpy integer
        super().reset(seed=seed)
        batch = self._batch
        self._broken_off = True  # until this is done
        if batch is None or seed is not None:
            settings: dict[str, Any] = {
                "threads": self.threads or threads_for(self.opponent),
                "max_cycles": self.max_cycles,
                "illegal_action": self.illegal_action,
                "record": self._recorder is not None,
            }
            self._batch = batch = Batch(self.game, self.num_envs, seed, **settings)
            if self._recorder is not None:
                self._recorder.follow(batch)
        else:
            batch.begin()
        self._open(batch, np.arange(self.num_envs))
        self._broken_off = False
        return self._observe(batch)

    def step(
        self, actions: ArrayLike
    ) -> tuple[
        Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Make each learner's step, and all of its opponent's until it is to act again.

        Args:
            actions: integers (num_envs,).

        Returns:
            Observations, rewards float64 (num_envs,), terminated and truncated bool (num_envs,),
            infos.

        Raises:
            NotResetError: before the first reset, or after a step or reset that an error of the
                following kinds, or of the opponent's own, broke off.
            IllegalActionError: they are no actions of the game; or, with
                ``illegal_action="raise"``, one is not legal in its row.  Nothing has changed then,
                and the next step can be made.
            IllegalActionError: an opponent that is not compiled has made no legal action.  Then,
                as after whatever else it raises, the learners' steps have been made and some of
                the opponent's are missing: only a reset goes on from there.
            RuntimeError: the next game is always over before the learner has come to act; only a
                reset goes on.
        """
        batch = self._whole("step()")
        self._broken_off = True  # until this is done, or nothing has changed
        try:
            outcomes = self._side.play(batch, self.seats, actions, None, self.np_random)
        except OpponentsActionError:
            raise
        except IllegalActionError:
            self._broken_off = False
            raise
        rewards = _REWARDS[outcomes, self.seats]
        truncated = outcomes == TRUNCATED
        over = outcomes != RUNNING
        terminated = over & ~truncated
        finished = over.nonzero()[0]  # flatnonzero() takes much longer
        last: dict[str, Any] = {}
        to_tell: tuple[State, int, int] | None = None
        if len(finished):
            lost = (outcomes >= FORFEITED_TO).astype(np.int64)
            last = self._final(batch, finished, over, lost)
            if is_to_warn(self) and np.count_nonzero(lost):
                row = int(lost.argmax())
                # Read from text, since the row has no mask any more
                position = read_position(self.game, batch.state(row).position_to_string())
                to_tell = position, int(np.asarray(actions)[row]), row
            batch.begin(finished)
            self._open(batch, finished)
        self._broken_off = False
        observation, infos = self._observe(batch)
        if to_tell is not None:
            warn_of_illegal_action(self, *to_tell)
        return observation, rewards, terminated, truncated, infos | last

    def _open(self, batch: Batch, rows: NDArray[np.int64]) -> None:
        """Play the games that have just begun in these rows up to the learner's first step."""
        for _ in range(MAX_TRIES):
            if self._seat_is_drawn:
                self.seats[rows] = batch.draw_players(rows)
            self._side.begin(rows, self.np_random)
            outcomes = self._side.play(batch, self.seats, None, rows, self.np_random)
            rows = rows[outcomes != RUNNING]
            if not len(rows):
                return
            batch.begin(rows)
        raise no_game_began(self.max_cycles)

    def _final(
        self,
        batch: Batch,
        finished: NDArray[np.int64],
        over: NDArray[np.bool_],
        lost: NDArray[np.int64],
    ) -> dict[str, Any]:
        """The infos of games that have ended, in the form of Gymnasium's vector envs."""
        planes = batch.observations(self.seats[finished], rows=finished, ended=True)
        masks = np.zeros((len(finished), self.game.num_actions), np.int8)
        final = np.empty(self.num_envs, object)  # of None
        info: dict[str, Any] = {"illegal_action": lost, "_illegal_action": over.copy()}
        if self.flat:
            final[finished] = [*planes.reshape(len(finished), -1)]
            info["action_mask"] = np.zeros((self.num_envs, self.game.num_actions), np.int8)
            info["_action_mask"] = over.copy()
        else:
            final[finished] = [
                {"observation": seen, "action_mask": mask}
                for seen, mask in zip(planes, masks, strict=True)
            ]
        return {
            "final_obs": final,
            "_final_obs": over.copy(),
            "final_info": info,
            "_final_info": over.copy(),
            "illegal_action": lost.copy(),
            "_illegal_action": over.copy(),
        }

    def _observe(self, batch: Batch) -> tuple[Observation, dict[str, Any]]:
        planes = batch.observations(self.seats)
        masks = batch.action_mask
        if self.flat:
            everywhere = np.ones(self.num_envs, np.bool_)
            infos = {"action_mask": masks, "_action_mask": everywhere}
            return planes.reshape(self.num_envs, -1), infos
        return {"observation": planes, "action_mask": masks}, {}

    def _running(self, what: str) -> Batch:
        if self._batch is None:
            raise NotResetError(f"call reset() before {what}")
        return self._batch

    def _whole(self, what: str) -> Batch:
        batch = self._running(what)
        if self._broken_off:
            raise NotResetError(
                f"an error has broken off the last step or reset, and not all learners are to act: "
                f"call reset() before {what}"
            )
        return batch

    def action_masks(self) -> NDArray[np.int8]:
        """int8 (num_envs, num_actions): 1 for the legal actions of each learner."""
        return self._whole("action_masks()").action_mask

    @property
    def batch(self) -> Batch:
        """The games, as a copy: changing it does not change the env's."""
        return self._running("batch").copy()

    def render(self) -> tuple[Any, ...] | None:
        """For each row a text, or uint8 (render_size, render_size, 3)."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() shows nothing without a render_mode: give one to make_vec()"
            )
            return None
        batch = self._running("render()")
        return tuple(self._renderer.render(batch.state(row)) for row in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Write what is recorded; called by ``close()``."""
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None

    def __repr__(self) -> str:
        return f"<HexVectorEnv {self.num_envs} x {self.game.to_string()} against {self.opponent!r}>"


make_vector = HexVectorEnv  # its name for registries, with the name of a game
