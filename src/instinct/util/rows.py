"""Arrays that are read in blocks of rows, so that a large file is never in memory twice."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

BLOCK_BYTES = 1 << 21
"""How many bytes of rows are read at once."""


class InBlocks(Protocol):
    """What is known of an array, and its blocks in the order of the rows."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def blocks(self) -> Iterator[Array]: ...


@dataclass(frozen=True)
class Rows:
    """An array in a file, which is read whenever its blocks are."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    read: Callable[[], Iterator[Array]]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def reshape(self, shape: tuple[int, ...]) -> "Rows":
        """Return the same rows in another shape."""
        return replace(self, shape=shape)

    def blocks(self) -> Iterator[Array]:
        for block in self.read():
            yield block.reshape(len(block), *self.shape[1:])


def rows_per_block(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """Return how many rows of an array a block has."""
    row = dtype.itemsize * int(np.prod(shape[1:], dtype=np.int64))
    return max(1, BLOCK_BYTES // max(1, row))


def blocks_of(values: Array | InBlocks) -> Iterator[tuple[int, Array]]:
    """Yield the blocks of an array, each with the number of its first row.

    >>> [(start, block.tolist()) for start, block in blocks_of(np.arange(3))]
    [(0, [0, 1, 2])]
    """
    if isinstance(values, np.ndarray):
        values = np.atleast_1d(values)
        size = rows_per_block(values.shape, values.dtype)
        for start in range(0, len(values), size):
            yield start, values[start : start + size]
        return
    start = 0
    for block in values.blocks():
        yield start, block
        start += len(block)
