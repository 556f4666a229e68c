"""From the arrays that a file holds to a Dataset, saying every repair that was made."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from instinct.data.arrays import Array, flags, numbers, reject
from instinct.data.dataset import Dataset
from instinct.data.spaces import ActionSpace, Box, Discrete
from instinct.errors import BadInput

REQUIRED = ("observations", "actions", "rewards", "terminals")
OPTIONAL = ("next_observations", "timeouts", "costs")
HORIZON = 1000
"""D4RL's episode limit: it cuts a file that marks no timeouts and has no next observations."""

ActionRange = tuple[float, float]
"""The lowest and the highest value of every dimension of an action."""

ROUNDING = 1e-5
"""Up to this relative difference two numbers are taken for one that was rounded twice."""


def assemble(
    arrays: Mapping[str, Array],
    *,
    action_space: ActionSpace | None = None,
    action_range: ActionRange | None = None,
    horizon: int = HORIZON,
) -> Dataset:
    """A Dataset from D4RL's fields; `timeouts`, `next_observations` and `costs` may be missing.

    `action_space` is what the file says; where it says nothing, whole-number actions of shape [N]
    are discrete and all others are vectors in [-1, 1]. An `action_range` overrules both.
    """
    draft = Draft(dict(arrays), horizon)
    draft.check_fields()
    draft.read_ends()
    if "next_observations" in draft.arrays:
        draft.mark_breaks()
        draft.end_last_episode()
    else:
        draft.find_successors()
    if action_space is None or action_range is not None:
        action_space = guess_space(draft.arrays["actions"], action_range)
    draft.round_actions(action_space)
    return Dataset(
        **{name: draft.arrays[name] for name in (*REQUIRED, *OPTIONAL) if name in draft.arrays},
        action_space=action_space,
        repairs=tuple(draft.repairs),
    )


def guess_space(actions: Array, action_range: ActionRange | None) -> ActionSpace:
    if actions.dtype.kind in "iu" and actions.ndim == 1 and action_range is None:
        reject("actions", actions < 0, "a discrete action is below 0")
        return Discrete(int(actions.max()) + 1)
    if actions.ndim != 2 or actions.shape[1] == 0:
        raise BadInput(f"has shape {list(actions.shape)}, not [rows, dimension]", field="actions")
    return Box.of(actions.shape[1], *(action_range or (-1.0, 1.0)))


@dataclass
class Draft:
    """The arrays of a file on their way to a Dataset, and what was done to them."""

    arrays: dict[str, Array]
    horizon: int
    repairs: list[str] = field(default_factory=list)

    def check_fields(self) -> None:
        for name in REQUIRED:
            if name not in self.arrays:
                raise BadInput("is missing", field=name)
        lists = ["rewards", "terminals", "timeouts", "costs"]
        if self.arrays["actions"].dtype.kind in "iu":
            lists.append("actions")
        for name in lists:
            if name in self.arrays and self.arrays[name].shape[1:] == (1,):
                self.arrays[name] = self.arrays[name][:, 0]
                self.repairs.append(f"{name}: one column was taken for a plain list of rows")
        if self.arrays["observations"].ndim == 1:
            for name in ("observations", "next_observations"):
                if name in self.arrays and self.arrays[name].ndim == 1:
                    self.arrays[name] = self.arrays[name][:, None]
            self.repairs.append("observations: a plain list of rows was taken for one column")
        rows = {name: array.shape[:1] for name, array in self.arrays.items()}
        for name, count in rows.items():
            if count != rows["observations"]:
                raise BadInput(
                    f"has {counted(count)}, observations has {counted(rows['observations'])}",
                    field=name,
                )
        if rows["observations"] == (0,):
            raise BadInput("holds no transitions", field="observations")

    def read_ends(self) -> None:
        terminals = flags("terminals", self.arrays["terminals"])
        timeouts = np.zeros(len(terminals), np.bool_)
        if "timeouts" in self.arrays:
            timeouts = flags("timeouts", self.arrays["timeouts"])
            both = np.count_nonzero(terminals & timeouts)
            if both:
                timeouts &= ~terminals
                self.repairs.append(f"timeouts: {both} rows that are also terminals are terminals")
        elif "next_observations" not in self.arrays:
            timeouts = self.cut_at_horizon(terminals)
        self.arrays |= {"terminals": terminals, "timeouts": timeouts}

    def cut_at_horizon(self, terminals: Array) -> Array:
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

    def mark_breaks(self) -> None:
        """Mark timeouts where a row is not followed by its next observation."""
        observations = numbers("observations", self.arrays["observations"])
        following = numbers("next_observations", self.arrays["next_observations"])
        if observations.shape != following.shape or observations.dtype != following.dtype:
            raise BadInput(
                f"is {following.dtype} {list(following.shape)}, "
                f"observations is {observations.dtype} {list(observations.shape)}",
                field="next_observations",
            )
        here, there = following[:-1], observations[1:]
        differs = (here != there).any(axis=1) & ~self.ends[:-1]
        rows = np.flatnonzero(differs)
        near = rounding_only(here[rows], there[rows])
        rounded, breaks = rows[near], rows[~near]
        if len(breaks):
            self.arrays["timeouts"][breaks] = True
            self.repairs.append(
                f"timeouts: {len(breaks)} marked where a row is not followed by its next "
                f"observation, first after row {breaks[0]}"
            )
        if len(rounded):
            following[rounded] = observations[rounded + 1]
            self.repairs.append(
                f"next_observations: {len(rounded)} rows set to the following observation, "
                "from which they differ by rounding only"
            )
        self.arrays |= {"observations": observations, "next_observations": following}

    def find_successors(self) -> None:
        """Take the following row's observation; rows of which none is known are left out."""
        observations = numbers("observations", self.arrays["observations"])
        self.require_ends()
        terminals, timeouts = self.arrays["terminals"], self.arrays["timeouts"]
        following = np.where(
            terminals.reshape(-1, *[1] * (observations.ndim - 1)),
            observations,
            np.roll(observations, -1, axis=0),
        )
        timeouts[-1] |= not terminals[-1]
        keep = ~timeouts
        if not keep.any():
            raise BadInput("missing, and no row is followed by another", field="next_observations")
        cut = np.append(timeouts[1:], False) & ~self.ends
        self.arrays |= {
            "observations": observations,
            "next_observations": following,
            "timeouts": cut,
        }
        self.arrays = {name: array[keep] for name, array in self.arrays.items()}
        self.repairs.append("next_observations: missing, taken from the following rows")
        if not keep.all():
            self.repairs.append(
                f"transitions: {np.count_nonzero(~keep)} rows before a timeout left out, "
                "since their next observation is unknown"
            )

    def require_ends(self) -> None:
        if not self.ends.any():
            raise BadInput("no row ends an episode, nor does any of terminals", field="timeouts")

    def end_last_episode(self) -> None:
        self.require_ends()
        if not self.ends[-1]:
            self.arrays["timeouts"][-1] = True
            self.repairs.append("timeouts: marked at the last row, where the recording ends")

    def round_actions(self, space: ActionSpace) -> None:
        actions = self.arrays["actions"]
        if not isinstance(space, Box) or actions.shape[1:] != (space.dimension,):
            return
        actions = numbers("actions", actions)
        clipped = space.clip(actions)
        outside = (actions != clipped).any(axis=1)
        if outside.any() and rounding_only(actions[outside], clipped[outside]).all():
            self.arrays["actions"] = clipped
            self.repairs.append(
                f"actions: {np.count_nonzero(outside)} rows outside {space} by rounding only, "
                "set to the bound"
            )


def rounding_only(a: Array, b: Array) -> Array:
    """Which rows differ by no more than rounding; whole numbers never do."""
    if a.dtype.kind != "f":
        return np.asarray((a == b).all(axis=1))
    difference = np.abs(a.astype(np.float64) - b)
    return np.asarray((difference <= ROUNDING * (1 + np.abs(b))).all(axis=1))


def counted(rows: tuple[int, ...]) -> str:
    return f"{rows[0]} rows" if rows else "no rows"
