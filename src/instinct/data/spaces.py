"""Action spaces: a box of vectors, or n numbers."""

from dataclasses import dataclass

import numpy as np

from instinct.data.arrays import Array
from instinct.errors import BadInput
from instinct.util.rows import blocks_of


@dataclass(frozen=True)
class Box:
    """Actions are vectors with `low[i] <= action[i] <= high[i]`.

    >>> print(Box((-1.0, 0.0), (1.0, 2.0)), Box.of(3))
    [-1, 1] x [0, 2] [-1, 1]^3
    """

    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", as_float32(self.low))
        object.__setattr__(self, "high", as_float32(self.high))
        if len(self.low) != len(self.high) or not self.low:
            raise BadInput("the bounds of a box need one low and one high value per dimension")
        if not np.isfinite([*self.low, *self.high]).all():
            raise BadInput("the bounds of a box must be finite")
        if any(low >= high for low, high in zip(self.low, self.high, strict=True)):
            raise BadInput("every low bound of a box must be below its high bound")

    @classmethod
    def of(cls, dimension: int, low: float = -1.0, high: float = 1.0) -> "Box":
        """Return a box with the same bounds in every dimension."""
        return cls((low,) * dimension, (high,) * dimension)

    @property
    def dimension(self) -> int:
        return len(self.low)

    def outside(self, actions: Array) -> Array:
        """Mark the rows outside the box."""
        low, high = self._low, self._high
        outside = np.zeros(len(actions), np.bool_)
        for start, block in blocks_of(actions):
            marked = ((block < low) | (block > high)).any(axis=1)
            outside[start : start + len(block)] = marked
        return outside

    def clip(self, actions: Array) -> Array:
        return np.clip(actions, self._low, self._high)

    @property
    def _low(self) -> Array:
        return np.array(self.low, np.float32)

    @property
    def _high(self) -> Array:
        return np.array(self.high, np.float32)

    def __str__(self) -> str:
        if len({*zip(self.low, self.high, strict=True)}) == 1:
            return f"[{self.low[0]:g}, {self.high[0]:g}]" + (
                f"^{self.dimension}" if self.dimension > 1 else ""
            )
        return " x ".join(
            f"[{low:g}, {high:g}]" for low, high in zip(self.low, self.high, strict=True)
        )


@dataclass(frozen=True)
class Discrete:
    """Actions are the numbers 0, 1, …, n - 1.

    >>> print(Discrete(3))
    {0, …, 2}
    """

    n: int

    def __post_init__(self) -> None:
        if self.n < 1:
            raise BadInput("a discrete action space needs at least one action")

    def outside(self, actions: Array) -> Array:
        return np.asarray((actions < 0) | (actions >= self.n))

    def __str__(self) -> str:
        return f"{{0, …, {self.n - 1}}}"


ActionSpace = Box | Discrete


def as_float32(values: tuple[float, ...]) -> tuple[float, ...]:
    """Round bounds as actions are rounded, so that a value on the bound is inside."""
    return tuple((np.asarray(values, np.float32) + np.float32(0)).tolist())
