"""Make a Dataset from the arrays of a file, and describe every repair."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from instinct.data.arrays import (
    Array,
    as_flags,
    as_floats,
    as_numbers,
    number_blocks,
    number_type,
    reject_rows,
    split_numbers,
)
from instinct.data.dataset import Dataset
from instinct.data.following import Following
from instinct.data.rounding import differ_by_rounding, range_of_data
from instinct.data.spaces import ActionSpace, Box, Discrete
from instinct.errors import BadInput
from instinct.util.rows import Rows

REQUIRED = ("observations", "actions", "terminals")
OPTIONAL = ("rewards", "next_observations", "timeouts", "costs")
HORIZON = 1000
"""D4RL's episode limit, for files with neither timeouts nor next observations."""

ActionRange = tuple[float, float]
"""The lowest and the highest value of every dimension of an action."""


def assemble(
    arrays: Mapping[str, Array | Rows | Following],
    *,
    action_space: ActionSpace | None = None,
    action_range: ActionRange | None = None,
    task_space: ActionSpace | None = None,
    horizon: int = HORIZON,
) -> Dataset:
    """Make a Dataset from D4RL's fields.

    `rewards`, `timeouts`, `next_observations` and `costs` may be missing. `action_range` is what
    the user asks for, `action_space` the space that the file describes, and `task_space` that of
    the task to evaluate in; the first that is known is used. Without any, whole-number actions of
    shape [N] are discrete, and all others are vectors in [-1, 1] or in the range of the data, if
    that is larger. `horizon` splits episodes if a file has neither timeouts nor next observations.
    Observations, actions and next observations may be `Rows`, which are read in blocks.
    """
    draft = Draft(dict(arrays), horizon)
    draft.check_fields()
    has_rewards = draft.read_rewards()
    draft.read_end_flags()
    if "next_observations" in draft.arrays:
        draft.mark_missing_timeouts()
        draft.end_last_episode()
    else:
        draft.infer_next_observations()
    draft.arrays["actions"] = as_numbers("actions", draft.arrays["actions"])
    if action_space is None or action_range is not None:
        action_space = draft.choose_action_space(action_range, task_space)
    draft.clip_rounded_actions(action_space)
    return Dataset(
        **{name: draft.arrays[name] for name in (*REQUIRED, *OPTIONAL) if name in draft.arrays},
        action_space=action_space,
        repairs=tuple(draft.repairs),
        has_rewards=has_rewards,
        columns=(),
    )


@dataclass
class Draft:
    """The arrays of a file while they are repaired, and a list of the repairs."""

    arrays: dict[str, Any]
    horizon: int
    repairs: list[str] = field(default_factory=list)

    def check_fields(self) -> None:
        """Check names, shapes and lengths of the fields."""
        for name in REQUIRED:
            if name not in self.arrays:
                raise BadInput("is missing", field=name)
        lists = ["rewards", "terminals", "timeouts", "costs"]
        if self.arrays["actions"].dtype.kind in "iu":
            lists.append("actions")
        for name in lists:
            if name in self.arrays and self.arrays[name].shape[1:] == (1,):
                self.arrays[name] = self.arrays[name].reshape((len(self.arrays[name]),))
                self.repairs.append(f"{name}: shape [N, 1] was read as [N]")
        self.check_vectors()
        if self.arrays["observations"].ndim == 1:
            for name in ("observations", "next_observations"):
                if name in self.arrays and self.arrays[name].ndim == 1:
                    self.arrays[name] = self.arrays[name].reshape((len(self.arrays[name]), 1))
            self.repairs.append("observations: shape [N] was read as [N, 1]")
        rows = {name: array.shape[:1] for name, array in self.arrays.items()}
        for name, count in rows.items():
            if count != rows["observations"]:
                mine, theirs = describe_rows(count), describe_rows(rows["observations"])
                raise BadInput(f"has {mine}, observations has {theirs}", field=name)
        if rows["observations"] == (0,):
            raise BadInput("holds no transitions", field="observations")

    def check_vectors(self) -> None:
        """Refuse observations that are images or other arrays of several dimensions."""
        shape = list(self.arrays["observations"].shape)
        if len(shape) > 2:
            raise no_vectors("images" if len(shape) in (3, 4) else "arrays", shape[1:])

    def read_rewards(self) -> bool:
        """Set missing rewards to 0, and return whether there are any."""
        rows = len(self.arrays["observations"])
        rewards = self.arrays.get("rewards", np.full(rows, np.nan))
        absent = np.isnan(rewards) if rewards.dtype.kind == "f" else np.zeros(rows, np.bool_)
        if absent.all():
            self.repairs.append("rewards: missing")
        elif absent.any():
            count = np.count_nonzero(absent)
            self.repairs.append(f"rewards: {count} of {rows} are missing (NaN), set to 0")
        self.arrays["rewards"] = np.where(absent, 0, rewards) if absent.any() else rewards
        return not absent.all()

    def read_end_flags(self) -> None:
        """Read terminals and timeouts. A row that is both becomes a terminal."""
        terminals = as_flags("terminals", self.arrays["terminals"])
        timeouts = np.zeros(len(terminals), np.bool_)
        if "timeouts" in self.arrays:
            timeouts = as_flags("timeouts", self.arrays["timeouts"])
            both = np.count_nonzero(terminals & timeouts)
            if both:
                timeouts &= ~terminals
                self.repairs.append(f"timeouts: {both} removed from rows that are also terminals")
        elif "next_observations" not in self.arrays:
            timeouts = self.mark_horizon_timeouts(terminals)
        self.arrays |= {"terminals": terminals, "timeouts": timeouts}

    def mark_horizon_timeouts(self, terminals: Array) -> Array:
        """Return timeouts where an episode reaches the horizon."""
        stops = np.append(np.flatnonzero(terminals) + 1, len(terminals))
        starts = np.append(0, stops[:-1])
        within = np.arange(len(terminals)) - np.repeat(starts, stops - starts)
        cuts: Array = (within % self.horizon == self.horizon - 1) & ~terminals
        self.repairs.append(
            f"timeouts: missing, {np.count_nonzero(cuts)} marked where an episode reaches "
            f"{self.horizon} steps"
        )
        return cuts

    @property
    def ends(self) -> Array:
        return np.asarray(self.arrays["terminals"] | self.arrays["timeouts"])

    def mark_missing_timeouts(self) -> None:
        """Mark a timeout at every row that is not followed by its next observation.

        Keep the next observations at the ends alone; the others are those of the next rows.
        """
        observations = as_numbers("observations", self.arrays["observations"])
        given = self.arrays["next_observations"]
        dtype = number_type("next_observations", given)
        if observations.shape != given.shape or observations.dtype != dtype:
            raise BadInput(
                f"is {dtype} {list(given.shape)}, "
                f"observations is {observations.dtype} {list(observations.shape)}",
                field="next_observations",
            )
        ends, rounded, last = self.ends, 0, []
        ends[-1] = True
        breaks = np.zeros(len(ends), np.bool_)
        for start, block in number_blocks("next_observations", given):
            rows = slice(start, start + len(block))
            wrong, near = compare_rows(block, observations[start + 1 : rows.stop + 1], ends[rows])
            breaks[rows] = wrong
            rounded += int(np.count_nonzero(near))
            last.append(block[ends[rows] | wrong])
        if breaks.any():
            self.arrays["timeouts"] |= breaks
            self.repairs.append(
                f"timeouts: {np.count_nonzero(breaks)} marked where a row is not followed by its "
                f"next observation, first after row {breaks.argmax()}"
            )
        if rounded:
            self.repairs.append(
                f"next_observations: {rounded} rows set to the observation of the next row, "
                "from which they differ by rounding"
            )
        places = np.flatnonzero(ends | breaks)
        following = Following(observations, places, np.concatenate(last))
        self.arrays |= {"observations": observations, "next_observations": following}

    def infer_next_observations(self) -> None:
        """Use the observation of the next row. Remove rows whose next observation is unknown.

        A row at a timeout with a reward that no row within an episode has stays, and its own
        observation is the next one, so that rewards given at the end of an episode are not lost.
        """
        self.require_ends()
        terminals, timeouts = self.arrays["terminals"], self.arrays["timeouts"]
        timeouts[-1] |= not terminals[-1]
        final = timeouts & self.has_own_reward()
        removed = timeouts & ~final
        if removed.all():
            raise BadInput("missing, and no row is followed by another", field="next_observations")
        cut = np.append(removed[1:], False) & ~self.ends
        self.report_final_rows(final, removed)
        observations, unused = split_numbers("observations", self.arrays["observations"], ~removed)
        actions, _ = split_numbers("actions", self.arrays["actions"], ~removed)
        self.arrays["timeouts"] = final | cut
        kept = {"observations": observations, "actions": actions}
        for name, array in self.arrays.items():
            if name not in kept:
                kept[name] = array[~removed]
        places = np.flatnonzero(kept["terminals"] | kept["timeouts"])
        last = observations[places]
        last[cut[~removed][places]] = unused[np.append(False, cut[:-1])[removed]]
        self.arrays = kept | {"next_observations": Following(observations, places, last)}

    def has_own_reward(self) -> Array:
        """Mark the rows whose reward is not 0 and outside the range within episodes."""
        rewards = as_floats("rewards", self.arrays["rewards"])
        within = rewards[~self.ends]
        low, high = (within.min(), within.max()) if len(within) else (0.0, 0.0)
        return np.asarray((rewards != 0) & ((rewards < low) | (rewards > high)))

    def report_final_rows(self, final: Array, removed: Array) -> None:
        """Report which rows at a timeout stay, which are removed, and the reward they take along.

        Row numbers and sums are those of the file.
        """
        rewards = as_floats("rewards", self.arrays["rewards"]).astype(np.float64)
        self.repairs.append("next_observations: missing, taken from the next rows")
        if final.any():
            self.repairs.append(
                f"next_observations: set to the row's own observation in {np.count_nonzero(final)} "
                f"rows at a timeout, because of their reward ({rewards[final].sum():g} in total)"
            )
        if removed.any():
            lost = f"; with them a reward of {rewards[removed].sum():g} of {rewards.sum():g}"
            self.repairs.append(
                f"transitions: {np.count_nonzero(removed)} rows before a timeout removed, because "
                f"their next observation is unknown{lost if rewards.any() else ''}"
            )

    def require_ends(self) -> None:
        if not self.ends.any():
            raise BadInput(
                "no row ends an episode, neither here nor in terminals", field="timeouts"
            )

    def end_last_episode(self) -> None:
        """Mark a timeout at the last row if it ends no episode."""
        self.require_ends()
        if not self.ends[-1]:
            self.arrays["timeouts"][-1] = True
            self.repairs.append("timeouts: marked at the last row, where the recording ends")

    def choose_action_space(
        self, action_range: ActionRange | None, task_space: ActionSpace | None
    ) -> ActionSpace:
        """Choose the action space of a file that does not describe it."""
        actions = self.arrays["actions"]
        if actions.dtype.kind in "iu" and actions.ndim == 1 and action_range is None:
            reject_rows("actions", actions < 0, "a discrete action is below 0")
            least = int(actions.max()) + 1
            return Discrete(max(least, task_space.n if isinstance(task_space, Discrete) else 1))
        if actions.ndim != 2 or actions.shape[1] == 0:
            shape = list(actions.shape)
            problem = f"has shape {shape}, not [rows, dimension]"
            if actions.ndim == 1:
                problem += "; single numbers need the shape [rows, 1], discrete ones whole numbers"
            raise BadInput(problem, field="actions")
        if action_range is not None:
            return Box.of(actions.shape[1], *action_range)
        if isinstance(task_space, Box) and task_space.dimension == actions.shape[1]:
            return task_space
        box = range_of_data(actions)
        if box != Box.of(box.dimension):
            self.repairs.append(
                f"actions: the file has no range, {box} is taken from the data; "
                "--action-range gives another"
            )
        return box

    def clip_rounded_actions(self, space: ActionSpace) -> None:
        """Clip actions that are outside the space only by rounding."""
        actions = self.arrays["actions"]
        if not isinstance(space, Box) or actions.shape[1:] != (space.dimension,):
            return
        outside = space.outside(actions)
        clipped = space.clip(actions[outside])
        if outside.any() and differ_by_rounding(actions[outside], clipped).all():
            self.arrays["actions"] = actions.copy()
            self.arrays["actions"][outside] = clipped
            self.repairs.append(
                f"actions: {np.count_nonzero(outside)} rows outside {space} by rounding, "
                "set to the bound"
            )


def compare_rows(following: Array, observations: Array, ends: Array) -> tuple[Array, Array]:
    """Mark the rows within episodes that another row follows, and those that differ by rounding.

    `observations` are those of the rows after; the last row of all has none, and is an end.
    """
    here = following[: len(observations)]
    differs = np.zeros(len(following), np.bool_)
    differs[: len(here)] = (here != observations).any(axis=1)
    rows = np.flatnonzero(differs & ~ends)
    with np.errstate(invalid="ignore"):
        near = differ_by_rounding(here[rows], observations[rows])
    wrong, rounded = np.zeros((2, len(following)), np.bool_)
    wrong[rows[~near]] = rounded[rows[near]] = True
    return wrong, rounded


def no_vectors(what: str, shape: Sequence[int], field: str = "observations") -> BadInput:
    """Return the error that observations are images or other arrays of several dimensions."""
    return BadInput(
        f"are {what} of shape {[*shape]}, and only vectors can be learned from; replace each by a "
        "vector of features",
        field=field,
    )


def describe_rows(rows: tuple[int, ...]) -> str:
    return f"{rows[0]} rows" if rows else "no rows"
