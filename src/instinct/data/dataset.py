"""Dataset: transitions grouped into episodes. It is validated once, when it is made."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from instinct.data.arrays import Array, as_flags, as_floats, as_numbers, reject_rows
from instinct.data.following import Following, NextObservations
from instinct.data.spaces import ActionSpace, Box, Discrete
from instinct.errors import BadInput
from instinct.util.hashing import hash_arrays
from instinct.util.rows import blocks_of


class ObservationColumn(NamedTuple):
    """The name of a dimension of the observations, and how to return to its own units."""

    name: str
    mean: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Dataset:
    """Transitions (s, a, r, s′) in the order of recording, row by row.

    `terminals` marks the rows at which the world ended, `timeouts` those at which only the
    recording ended. No row is both, and every episode ends with one of them. Within an episode,
    the next observation of a row is the observation of the row after it. `cuts` marks the timeouts
    after which recorded transitions were removed: what follows is not known to be as before.

    Observations have shape [N, d], as 32-bit floats or 64-bit integers. Actions are vectors in a
    `Box` ([N, m], 32-bit floats) or numbers below a `Discrete` size ([N], 64-bit integers).
    Data without rewards have `has_rewards` false and zeros as rewards. The arrays are read-only.
    `repairs` describes what was changed in the data of a file so that
    all of this is true. `columns` names the dimensions of observations, if a file names them; it is
    no part of the hash.

    >>> import numpy as np
    >>> states = np.arange(4, dtype=np.float32)[:, None]
    >>> dataset = Dataset(
    ...     observations=states[:-1], actions=np.zeros((3, 1), np.float32),
    ...     rewards=np.ones(3, np.float32), next_observations=states[1:],
    ...     terminals=np.array([False, False, True]), timeouts=np.zeros(3, bool),
    ...     action_space=Box.of(1))
    >>> dataset, dataset.returns.tolist()
    (Dataset(3 transitions, 1 episodes), [3.0])
    """

    observations: Array
    actions: Array
    rewards: Array
    next_observations: NextObservations = NextObservations()  # noqa: RUF009 - has no default
    terminals: Array
    timeouts: Array
    action_space: ActionSpace
    costs: Array | None = None
    cuts: Array | None = None
    repairs: tuple[str, ...] = ()
    has_rewards: bool = True
    columns: tuple[ObservationColumn, ...] = ()

    def __post_init__(self) -> None:
        box = isinstance(self.action_space, Box)
        valid = {
            "observations": as_numbers("observations", self.observations),
            "actions": (as_floats if box else as_numbers)("actions", self.actions),
            "rewards": as_floats("rewards", self.rewards),
            "terminals": as_flags("terminals", self.terminals),
            "timeouts": as_flags("timeouts", self.timeouts),
        }
        if self.costs is not None:
            valid["costs"] = as_floats("costs", self.costs)
        if self.cuts is not None:
            valid["cuts"] = as_flags("cuts", self.cuts)
        for name, array in valid.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        following = self.stored_next
        if not (isinstance(following, Following) and following.observations is self.observations):
            following = as_numbers("next_observations", following)
        object.__setattr__(self, "next_observations", following)
        self._check_shapes()
        if not self.has_rewards and self.rewards.any():
            raise BadInput("must be zeros in data without rewards", field="rewards")
        self._check_actions()
        self._check_episodes()

    def _check_shapes(self) -> None:
        if self.observations.ndim != 2 or self.observations.shape[1] == 0:
            shape = list(self.observations.shape)
            raise BadInput(f"has shape {shape}, not [rows, dimension]", field="observations")
        rows = len(self.observations)
        if rows == 0:
            raise BadInput("holds no transitions", field="observations")
        if self.stored_next.dtype != self.observations.dtype:
            raise BadInput("is not of the same type as observations", field="next_observations")
        expected: dict[str, tuple[int, ...]] = {"next_observations": self.observations.shape}
        if isinstance(self.action_space, Box):
            expected["actions"] = (rows, self.action_space.dimension)
        if self.columns and len(self.columns) != self.observations.shape[1]:
            raise BadInput("does not name every dimension of observations", field="columns")
        arrays = dict(self.stored_fields()) | {"rewards": self.rewards}
        if self.cuts is not None:
            arrays["cuts"] = self.cuts
        for name, array in arrays.items():
            need = expected.get(name, (rows,))
            if name != "observations" and array.shape != need:
                raise BadInput(
                    f"has shape {list(array.shape)}, not {list(need)} as observations need",
                    field=name,
                )

    def _check_actions(self) -> None:
        if isinstance(self.action_space, Discrete) and self.actions.dtype.kind != "i":
            raise BadInput("must be whole numbers in a discrete action space", field="actions")
        outside = self.action_space.outside(self.actions)
        reject_rows(
            "actions",
            outside,
            f"outside the action range {self.action_space}",
            advice="; another range is given by `action_range=`",
            option="action_range",
        )

    def _check_episodes(self) -> None:
        reject_rows(
            "timeouts", self.terminals & self.timeouts, "is a terminal and a timeout at once"
        )
        if self.cuts is not None:
            reject_rows("cuts", self.cuts & ~self.timeouts, "is a cut but not a timeout")
        if not self.ends[-1]:
            row = len(self) - 1
            raise BadInput("the last row does not end an episode", field="timeouts", row=row)
        gaps = np.zeros(len(self), np.bool_)
        for start, block in blocks_of(self.stored_next):
            there = self.observations[start + 1 : start + 1 + len(block)]
            differs = (block[: len(there)] != there).any(axis=1)
            gaps[start : start + len(there)] = differs & ~self.ends[start : start + len(there)]
        reject_rows("next_observations", gaps, "is not the observation of the following row")

    @property
    def stored_next(self) -> Array | Following:
        """The next observations as they are kept: those that observations do not have already."""
        found: Array | Following = self.__dict__["next_observations"]
        return found

    def fields(self) -> Iterator[tuple[str, Array]]:
        """Yield the arrays of a file by name, in a fixed order; `cuts` are known in memory only."""
        for name, _ in self.stored_fields():
            yield name, getattr(self, name)

    def stored_fields(self) -> Iterator[tuple[str, Array | Following]]:
        """Yield the fields of a file as they are kept, for reading them in blocks."""
        yield "observations", self.observations
        yield "actions", self.actions
        if self.has_rewards:
            yield "rewards", self.rewards
        yield "next_observations", self.stored_next
        yield "terminals", self.terminals
        yield "timeouts", self.timeouts
        if self.costs is not None:
            yield "costs", self.costs

    def __len__(self) -> int:
        return len(self.observations)

    def __repr__(self) -> str:
        return f"Dataset({len(self):,} transitions, {self.episodes:,} episodes)"

    @cached_property
    def ends(self) -> Array:
        """The rows that end an episode, by a terminal or a timeout."""
        return self.terminals | self.timeouts

    @cached_property
    def stops(self) -> Array:
        """The row after the last one of every episode."""
        return np.flatnonzero(self.ends) + 1

    @cached_property
    def starts(self) -> Array:
        """The first row of every episode."""
        return np.concatenate([[0], self.stops[:-1]])

    @property
    def episodes(self) -> int:
        return len(self.stops)

    @property
    def lengths(self) -> Array:
        """The number of transitions of every episode."""
        return self.stops - self.starts

    @property
    def returns(self) -> Array:
        """The undiscounted sum of rewards of every episode."""
        return self.per_episode(self.rewards)

    def per_episode(self, values: Array) -> Array:
        """Sum a value per row over every episode, in double precision."""
        return np.asarray(np.add.reduceat(values.astype(np.float64), self.starts), np.float64)

    @cached_property
    def steps(self) -> Array:
        """The time step of every row within its episode, from 0."""
        return np.asarray(np.arange(len(self)) - np.repeat(self.starts, self.lengths))

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of the contents. Datasets with the same transitions have the same hash."""
        return hash_arrays(self.stored_fields(), prefix=repr(self.action_space))

    def change(self, **arrays: Array) -> "Dataset":
        """Return a copy of the dataset with other arrays for some fields."""
        kept = {"next_observations": self.stored_next}
        return replace(self, **{**kept, **arrays})  # type: ignore[arg-type]

    def add_repairs(self, repairs: tuple[str, ...]) -> "Dataset":
        """Return the dataset with repairs that were made before its own."""
        together = tuple(dict.fromkeys((*repairs, *self.repairs)))
        if not repairs:
            return self
        return replace(self, repairs=together, next_observations=self.stored_next)
