"""The vector environment: many learners' games in one `Batch`, stepped by compiled code."""

from __future__ import annotations

from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from hexgames_env.agents import Agent, as_agent
from hexgames_env.batch import Batch
from hexgames_env.envs.learner import (
    MAX_TRIES,
    Observation,
    Opponent,
    Seat,
    check_settings,
    no_game_began,
    observation_space,
)
from hexgames_env.errors import IllegalActionError, NotResetError, OptionError
from hexgames_env.game import Game, check_seed
from hexgames_env.options import as_integer
from hexgames_env.players import EXTERNAL, RUNNING, TRUNCATED, draw_seats
from hexgames_env.registry import make_game
from hexgames_env.rendering import RENDER_FPS, Renderer
from hexgames_env.state import TO_PLAY

RENDER_MODES = ("ansi", "rgb_array")  # a window for each of many rows is of no use
# By outcome (RUNNING, won by player_0, by player_1, TRUNCATED) and seat
_REWARDS = np.array([[0, 0], [1, -1], [-1, 1], [0, 0]], np.float64)


class HexVectorEnv(gymnasium.vector.VectorEnv[Observation, Any, Any]):
    """``num_envs`` games, in each of them one learner against an opponent, in any game.

    Spaces, rewards and settings are those of the single environment, with a first axis for the
    rows.  A game that ends begins anew in the same step (SAME_STEP): observation and mask are then
    the new game's, the last ones stand in ``infos["final_obs"]`` and ``infos["final_info"]``.
    Arrays are new each time.

    With "random" and "greedy" the opponent plays in compiled code too.  Other agents are asked
    for all rows in which they are due by `Agent.choose`, from the env's generator.

    Args:
        game: the rules and the board.
        num_envs: rows.
        opponent, seat, flat, max_cycles: as in the single environment.
        illegal_action: "lose" (the learner of that row gets -1) or "raise" (before anything
            changes in any row).
        render_mode: None, "ansi" or "rgb_array".
        render_size: width and height in pixels; None is 480.

    Attributes:
        game, opponent, flat, max_cycles, render_mode: as given.
        seats: int64 (num_envs,): which player the learner is in each row; a view.

    Raises:
        OptionError: a setting that is none of these.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}
    if hasattr(gymnasium.vector, "AutoresetMode"):  # from Gymnasium 1.1 on
        metadata["autoreset_mode"] = gymnasium.vector.AutoresetMode.SAME_STEP

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        opponent: Opponent = "random",
        seat: Seat = "random",
        flat: bool = False,
        max_cycles: int | None = None,
        illegal_action: Literal["lose", "raise"] = "lose",
        render_mode: str | None = None,
        render_size: int | None = None,
    ) -> None:
        self.max_cycles = check_settings(seat, flat, max_cycles, illegal_action)
        if render_mode not in (None, *RENDER_MODES):
            allowed = ", ".join(map(repr, RENDER_MODES))
            raise OptionError(f"render_mode must be None or one of {allowed}, got {render_mode!r}")
        self._renderer = Renderer(render_mode, render_size)
        rows = as_integer(num_envs)
        if rows is None or rows < 1:
            raise OptionError(f"num_envs must be a positive integer, got {num_envs!r}")
        self.game = game
        self.num_envs = rows
        self.opponent = as_agent(opponent)
        self.flat = flat
        self.illegal_action = illegal_action
        self.render_mode = render_mode
        self.single_observation_space = observation_space(game, flat)
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, rows)
        self.action_space = batch_space(self.single_action_space, rows)
        self.seats = np.zeros(rows, np.int64) if seat == "random" else np.full(rows, seat, np.int64)
        self._seat_is_drawn = seat == "random"
        self._players: list[Agent] = [self.opponent] * rows  # of the game in each row
        self._scratch = np.empty(game.row_shape, game.row_dtype)
        self._batch: Batch | None = None
        self._broken_off = False  # an error has left some rows in the midst of a step

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new game in each row and play it on until the learner is to act.

        Args:
            seed: 0 to 2**64 - 1, decides everything random on both sides until the next seed,
                in each row regardless of how many there are (with an opponent that is not
                compiled, for so many rows); None goes on.
            options: not used.

        Raises:
            OptionError: no such seed; nothing has changed then.
            RuntimeError: the game is always over before the learner has come to act.
            IllegalActionError: an opponent that is not compiled has made no legal action.
        """
        seed = None if seed is None else int(check_seed(seed))  # Gymnasium takes no numpy integer
        super().reset(seed=seed)
        batch = self._batch
        self._broken_off = True  # unless this comes to its end
        if batch is None or seed is not None:
            settings = {"max_cycles": self.max_cycles, "illegal_action": self.illegal_action}
            self._batch = batch = Batch(self.game, self.num_envs, seed, **settings)  # type: ignore[arg-type]
        else:
            batch._games += 1
        self._begin(batch, np.arange(self.num_envs))
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
        made = batch._check_actions(actions)
        self._broken_off = True  # unless this comes to its end
        outcomes = self._play(batch, np.arange(self.num_envs), made)
        rewards = _REWARDS[outcomes, self.seats]
        truncated = outcomes == TRUNCATED
        over = outcomes != RUNNING
        terminated = over & ~truncated
        finished = np.flatnonzero(over)
        last: dict[str, Any] = {}
        if len(finished):
            last = self._final(batch, finished, over)
            batch._games[finished] += 1
            self._begin(batch, finished)
        self._broken_off = False
        observation, infos = self._observe(batch)
        return observation, rewards, terminated, truncated, infos | last

    def _begin(self, batch: Batch, which: NDArray[np.int64]) -> None:
        """Begin the next game in these rows, up to the learner's first step."""
        for _ in range(MAX_TRIES):
            batch._begin(which)
            if self._seat_is_drawn:
                draw_seats(batch._random, which, self.seats)
            if self.opponent.compiled == EXTERNAL:
                for row in which.tolist():
                    self._players[row] = self.opponent.for_game(self.np_random)
            outcomes = self._play(batch, which, np.full(len(which), -1))
            which = which[outcomes != RUNNING]
            if not len(which):
                return
            batch._games[which] += 1
        raise no_game_began(self.max_cycles)

    def _play(
        self, batch: Batch, which: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> NDArray[np.int8]:
        """Make these steps (-1 for none) and the opponent's after them; int8 outcomes by row."""
        outcomes = self._duel(batch, which, actions)
        if self.opponent.compiled == EXTERNAL:
            others = outcomes == RUNNING
            others &= (batch._status[which] & TO_PLAY) != self.seats[which]
            due = np.flatnonzero(others)
            while len(due):
                rows = which[due]
                outcomes[due] = self._duel(batch, rows, self._ask_opponents(batch, rows))
                runs = outcomes[due] == RUNNING
                due = due[runs & ((batch._status[rows] & TO_PLAY) != self.seats[rows])]
        return outcomes

    def _duel(
        self, batch: Batch, which: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> NDArray[np.int8]:
        outcomes = np.empty(len(which), np.int8)
        self.game.drivers["duel_rows"](
            batch._rows,
            self.game.tables,
            batch._status,
            batch._random,
            batch._lengths,
            self.max_cycles or 0,
            which,
            actions,
            self.seats,
            self.opponent.compiled,
            self._scratch,
            outcomes,
        )
        return outcomes

    def _ask_opponents(self, batch: Batch, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions of those who play in these rows, each asked once for all of its rows."""
        asked: dict[int, list[int]] = {}
        for k, row in enumerate(rows.tolist()):
            asked.setdefault(id(self._players[row]), []).append(k)
        actions = np.empty(len(rows), np.int64)
        for places in asked.values():
            player = self._players[rows[places[0]]]
            actions[places] = self._answers(player, batch, rows[places])
        in_range = (actions >= 0) & (actions < self.game.num_actions)
        legal = in_range & (batch.action_mask_view[rows, np.where(in_range, actions, 0)] == 1)
        if not legal.all():
            k = int(np.flatnonzero(~legal)[0])
            raise IllegalActionError(
                f"opponent {self._players[rows[k]]!r}: action {actions[k]} is illegal in row "
                f"{rows[k]}: {batch.state(int(rows[k])).to_string()}"
            )
        return actions

    def _answers(self, player: Agent, batch: Batch, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """What one player says for its rows: as many integers, which need not be legal."""
        try:
            chosen: Any = player.choose(batch, self.np_random, rows)
        except IllegalActionError as error:
            raise IllegalActionError(f"opponent {player!r}: {error}") from None
        told = type(chosen).__name__
        if isinstance(chosen, np.ndarray):
            if chosen.dtype.kind in "iu" and chosen.shape == rows.shape:
                return chosen
            told = f"{chosen.dtype} of shape {chosen.shape}"
        raise IllegalActionError(
            f"opponent {player!r}: choose() must return an integer array of shape "
            f"({len(rows)},), got {told}"
        )

    def _final(
        self, batch: Batch, finished: NDArray[np.int64], over: NDArray[np.bool_]
    ) -> dict[str, Any]:
        """The last observations of games that have ended, as Gymnasium's vector envs tell them."""
        planes = batch._look(batch._rows[finished], self.seats[finished] + 2, None)
        masks = np.zeros((len(finished), self.game.num_actions), np.int8)
        final = np.full(self.num_envs, None, object)
        info: dict[str, Any] = {}
        if self.flat:
            final[finished] = [*planes.reshape(len(finished), -1)]
            info = {
                "action_mask": np.zeros((self.num_envs, self.game.num_actions), np.int8),
                "_action_mask": over.copy(),
            }
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
        }

    def _observe(self, batch: Batch) -> tuple[Observation, dict[str, Any]]:
        planes = batch._look(batch._rows, self.seats, None)
        masks = self.action_masks()
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
        batch = self._whole("action_masks()")
        masks = np.empty((self.num_envs, self.game.num_actions), np.int8)
        self.game.drivers["show_rows"](batch._rows, masks)
        return masks

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

    def __repr__(self) -> str:
        return f"<HexVectorEnv {self.num_envs} x {self.game.to_string()} against {self.opponent!r}>"


def make_vector(
    game: str,
    num_envs: int = 1,
    opponent: Opponent = "random",
    seat: Seat = "random",
    flat: bool = False,
    max_cycles: int | None = None,
    illegal_action: Literal["lose", "raise"] = "lose",
    render_mode: str | None = None,
    render_size: int | None = None,
    **options: Any,
) -> HexVectorEnv:
    """The vector environment of any game, by its name: what ``gymnasium.make_vec`` calls.

    >>> envs = make_vector("oust", num_envs=4, side=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations["observation"].shape
    (4, 5, 5, 6)
    >>> actions = envs.action_masks().argmax(axis=1)
    >>> observations, rewards, terminated, truncated, infos = envs.step(actions)
    """
    return HexVectorEnv(
        make_game(game, **options),
        num_envs,
        opponent,
        seat,
        flat,
        max_cycles,
        illegal_action,
        render_mode,
        render_size,
    )
