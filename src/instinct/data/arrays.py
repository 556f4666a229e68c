"""Convert and check the arrays of a dataset, in blocks of rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from instinct.errors import BadInput
from instinct.util.rows import Array as Array
from instinct.util.rows import InBlocks, blocks_of

LARGEST = np.iinfo(np.int64).max


def as_numbers(field: str, values: Array | InBlocks) -> Array:
    """Return real values as 32-bit floats and whole numbers as 64-bit integers, read-only.

    Values that are not finite are rejected. Negative zeros become zeros, so that equal values have
    equal bytes. What is so already and cannot change is not copied.
    """
    return convert(field, values)


def as_floats(field: str, values: Array | InBlocks) -> Array:
    """Return values as 32-bit floats, also whole numbers, read-only."""
    return convert(field, values, floats=True)


def convert(field: str, values: Array | InBlocks, *, floats: bool = False) -> Array:
    """Return the blocks of an array as one array."""
    dtype = number_type(field, values, floats)
    if isinstance(values, np.ndarray) and is_converted(field, values, dtype):
        return values
    numbers = np.empty(values.shape or (1,), dtype)
    for start, block in number_blocks(field, values, floats=floats):
        numbers[start : start + len(block)] = block
    numbers = numbers if values.shape else numbers.reshape(())
    numbers.flags.writeable = False
    return numbers


def split_numbers(field: str, values: Array | InBlocks, first: Array) -> tuple[Array, Array]:
    """Return the rows of an array that are marked, and the others, as numbers."""
    rows, dtype = values.shape[1:], number_type(field, values)
    count = np.count_nonzero(first)
    parts = np.empty((count, *rows), dtype), np.empty((len(first) - count, *rows), dtype)
    filled = [0, 0]
    for start, block in number_blocks(field, values):
        chosen = first[start : start + len(block)]
        for i, mask in enumerate((chosen, ~chosen)):
            stop = filled[i] + int(np.count_nonzero(mask))
            parts[i][filled[i] : stop] = block[mask]
            filled[i] = stop
    for part in parts:
        part.flags.writeable = False
    return parts


def number_blocks(
    field: str, values: Array | InBlocks, *, floats: bool = False
) -> Iterator[tuple[int, Array]]:
    """Yield the blocks of an array as numbers; raise after the last if a value is none."""
    dtype = number_type(field, values, floats)
    wrong = np.zeros(values.shape[:1] or (1,), np.bool_)
    for start, each in blocks_of(values):
        block = each
        if dtype == np.float32:
            with np.errstate(over="ignore", invalid="ignore"):
                block = block.astype(np.float64) if block.dtype.kind in "iu" else block
                block = np.add(block, 0.0, dtype=np.float32, casting="same_kind")
            bad = ~np.isfinite(block)
        else:
            bad = block > LARGEST
            block = block.astype(np.int64)
        wrong[start : start + len(block)] = bad.reshape(len(block), -1).any(axis=1)
        yield start, block
    real = dtype == np.float32
    reject_rows(
        field, wrong, "not a finite 32-bit number" if real else "too large for a 64-bit integer"
    )


def number_type(
    field: str, values: Array | InBlocks, floats: bool = False
) -> np.dtype[np.float32] | np.dtype[np.int64]:
    """Return the type that numbers have in a dataset; raise if the values are no numbers."""
    if values.dtype.kind == "f" or (floats and values.dtype.kind in "iu"):
        return np.dtype(np.float32)
    if values.dtype.kind in "iu":
        return np.dtype(np.int64)
    raise BadInput(f"holds {values.dtype} values where numbers are needed", field=field)


def is_converted(field: str, values: Array, dtype: np.dtype[np.float32 | np.int64]) -> bool:
    """Tell whether an array is as conversion leaves it, and nobody else can write to it."""
    own = values.flags.owndata or is_mapped(values)
    if values.dtype != dtype or values.flags.writeable or not own:
        return False
    if dtype == np.int64 or values.ndim == 0:
        return values.ndim > 0
    bits = values.view(np.uint32)
    return all(
        np.array_equal(block.view(np.uint32), bits[start : start + len(block)])
        for start, block in number_blocks(field, values)
    )


def is_mapped(values: Array) -> bool:
    """Tell whether an array is a map of a file that cannot be written through it."""
    base: Any = values
    while base is not None:
        if isinstance(base, np.memmap):
            return not base.flags.writeable
        base = getattr(base, "base", None)
    return False


def as_flags(field: str, values: Array) -> Array:
    """Copy values as booleans. Zeros and ones are accepted too."""
    if values.dtype.kind not in "biuf":
        raise BadInput(f"holds {values.dtype} values where true or false is needed", field=field)
    if values.dtype.kind != "b":
        reject_rows(field, (values != 0) & (values != 1), "neither 0 nor 1")
    return values.astype(np.bool_)


def reject_rows(
    field: str, wrong: Array, problem: str, *, advice: str = "", option: str | None = None
) -> None:
    """Raise `BadInput` for the first row with a true value in `wrong`."""
    if wrong.any():
        rows = wrong.reshape(len(wrong), -1).any(axis=1)
        more = int(rows.sum()) - 1
        raise BadInput(
            problem + (f" (and {more} more rows)" if more else "") + advice,
            field=field,
            row=int(rows.argmax()),
            option=option,
        )
