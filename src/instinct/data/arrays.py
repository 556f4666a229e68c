"""Convert and check the arrays of a dataset."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from instinct.errors import BadInput

Array = NDArray[Any]


def as_numbers(field: str, values: Array) -> Array:
    """Copy real values as 32-bit floats and whole numbers as 64-bit integers.

    Values that are not finite are rejected. Negative zeros become zeros, so that equal values have
    equal bytes.
    """
    if values.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.add(values, 0.0, dtype=np.float32, casting="same_kind")
        reject_rows(field, ~np.isfinite(values), "not a finite 32-bit number")
    elif values.dtype.kind in "iu":
        reject_rows(field, values > np.iinfo(np.int64).max, "too large for a 64-bit integer")
        values = values.astype(np.int64)
    else:
        raise BadInput(f"holds {values.dtype} values where numbers are needed", field=field)
    return values


def as_floats(field: str, values: Array) -> Array:
    """Copy values as 32-bit floats, also whole numbers."""
    return as_numbers(field, values.astype(np.float64) if values.dtype.kind in "iu" else values)


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
