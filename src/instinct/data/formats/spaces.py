"""The action space among the arrays of a file, under names of our own."""

from collections.abc import Mapping

import numpy as np

from instinct.data.arrays import Array, numbers
from instinct.data.spaces import ActionSpace, Box, Discrete
from instinct.errors import BadInput

LOW, HIGH, COUNT = "metadata/action_low", "metadata/action_high", "metadata/action_count"
NAMES = (LOW, HIGH, COUNT)


def space_arrays(space: ActionSpace) -> dict[str, Array]:
    if isinstance(space, Discrete):
        return {COUNT: np.array([space.n])}
    return {LOW: np.array(space.low, np.float32), HIGH: np.array(space.high, np.float32)}


def space_of(arrays: Mapping[str, Array]) -> ActionSpace | None:
    """The action space that the arrays describe, if they describe one."""
    if COUNT in arrays:
        count = numbers(COUNT, arrays[COUNT])
        if count.shape != (1,) or count.dtype.kind != "i":
            raise BadInput("is not one whole number", field=COUNT)
        return Discrete(int(count[0]))
    if LOW in arrays and HIGH in arrays:
        low, high = numbers(LOW, arrays[LOW]), numbers(HIGH, arrays[HIGH])
        if low.ndim != 1 or high.ndim != 1:
            raise BadInput("is not one value per action dimension", field=LOW)
        return Box(tuple(low.tolist()), tuple(high.tolist()))
    return None
