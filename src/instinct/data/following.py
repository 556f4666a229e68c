"""Next observations, which are the observations of the next rows but at the ends of episodes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from instinct.util.rows import Array, blocks_of

if TYPE_CHECKING:
    from instinct.data.dataset import Dataset


@dataclass(frozen=True, eq=False)
class Following:
    """The observation of the next row for every row, but `last` in the rows `places`.

    It needs no memory for what the observations have already.
    """

    observations: Array
    places: Array
    """In increasing order; the last row is among them."""
    last: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return self.observations.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.observations.dtype

    def blocks(self) -> Iterator[Array]:
        for start, block in blocks_of(self.observations):
            stop = start + len(block)
            rows, after = np.empty_like(block), self.observations[start + 1 : stop + 1]
            rows[: len(after)] = after
            low, high = np.searchsorted(self.places, (start, stop))
            rows[self.places[low:high] - start] = self.last[low:high]
            yield rows

    def as_array(self) -> Array:
        """Return all rows in memory."""
        array = np.empty(self.shape, self.dtype)
        for start, block in blocks_of(self):
            array[start : start + len(block)] = block
        array.flags.writeable = False
        return array


class NextObservations:
    """The field of a dataset whose array is made when it is first asked for."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, dataset: "Dataset | None", owner: type) -> Array:
        if dataset is None:
            raise AttributeError(self.name)
        stored = dataset.stored_next
        if isinstance(stored, Following):
            stored = dataset.__dict__[self.name] = stored.as_array()
        return stored

    def __set__(self, dataset: "Dataset", value: Array | Following) -> None:
        dataset.__dict__[self.name] = value
