"""Convert action spaces to arrays of a file and back."""

from collections.abc import Mapping

import numpy as np

from instinct.data.arrays import Array, as_numbers
from instinct.data.spaces import ActionSpace, Box, Discrete
from instinct.errors import BadInput

LOW, HIGH, COUNT = "metadata/action_low", "metadata/action_high", "metadata/action_count"
SPACE_FIELDS = (LOW, HIGH, COUNT)


def space_to_arrays(space: ActionSpace) -> dict[str, Array]:
    if isinstance(space, Discrete):
        return {COUNT: np.array([space.n])}
    return {LOW: np.array(space.low, np.float32), HIGH: np.array(space.high, np.float32)}


def space_from_arrays(arrays: Mapping[str, Array]) -> ActionSpace | None:
    """Return the action space in the arrays, or None if there is none."""
    if COUNT in arrays:
        count = as_numbers(COUNT, arrays[COUNT])
        if count.shape != (1,) or count.dtype.kind != "i":
            raise BadInput("is not one whole number", field=COUNT)
        return Discrete(int(count[0]))
    if LOW in arrays and HIGH in arrays:
        low, high = as_numbers(LOW, arrays[LOW]), as_numbers(HIGH, arrays[HIGH])
        if low.ndim != 1 or high.ndim != 1:
            raise BadInput("is not one value per action dimension", field=LOW)
        return Box(tuple(low.tolist()), tuple(high.tolist()))
    return None
