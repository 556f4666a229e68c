"""Flatten observations of several parts into vectors, in the order of Gymnasium's `flatten_space`.

The parts of a Dict space come in the order of their keys, those of a Tuple space in their own
order. Boxes are raveled; choices are one-hot.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from instinct.data.arrays import Array, reject_rows
from instinct.data.assemble import no_vectors
from instinct.data.formats.files import check_memory
from instinct.errors import BadInput

Tree = Array | dict[str, "Tree"]
"""An array with one row per step, or parts by name; the parts of a tuple are "0", "1" and so on."""

NO_SPACE = "is not a space that Minari writes"
SMALLEST_IMAGE = 32
"""The least height and width of an image without colors, as Minari has it."""


@dataclass(frozen=True)
class Part:
    """A part of an observation: its place in the tree, and how its rows become numbers."""

    place: tuple[str, ...]
    size: int
    """How many numbers a row has."""
    choices: tuple[tuple[int, int], ...] = ()
    """The lowest value and the count of values of each number, if they are choices."""

    @property
    def width(self) -> int:
        return sum(count for _, count in self.choices) if self.choices else self.size


def parts_of(space: Any, place: tuple[str, ...] = ()) -> Iterator[Part]:
    """Yield the parts of a space that Minari has written, in Gymnasium's order."""
    field = "/".join(("observations", *place))
    match space:
        case {"type": "Dict", "subspaces": dict() as spaces}:
            for key in sorted(spaces):
                yield from parts_of(spaces[key], (*place, key))
        case {"type": "Tuple", "subspaces": list() as spaces}:
            for i, each in enumerate(spaces):
                yield from parts_of(each, (*place, str(i)))
        case {"type": "Box", "shape": list() as shape}:
            sizes = whole_numbers(shape, field)
            if space.get("dtype") == "uint8" and is_image(sizes):
                raise no_vectors("images", sizes, field)
            yield Part(place, math.prod(sizes))
        case {"type": "MultiBinary", "n": n}:
            yield Part(place, math.prod(whole_numbers(n, field)))
        case {"type": "Discrete", "n": n} | {"type": "MultiDiscrete", "nvec": n}:
            counts = whole_numbers(n, field)
            starts = whole_numbers(space.get("start", [0] * len(counts)), field)
            if len(starts) != len(counts):
                raise BadInput(NO_SPACE, field=field)
            yield Part(place, len(counts), tuple(zip(starts, counts, strict=True)))
        case {"type": str(kind)}:
            raise BadInput(
                f"is of type {kind[:40]}, of which no vector of numbers can be made", field=field
            )
        case _:
            raise BadInput(NO_SPACE, field=field)


def infer_parts(tree: Tree, place: tuple[str, ...] = ()) -> Iterator[Part]:
    """Yield the parts of observations that no space describes; they must be real numbers."""
    if isinstance(tree, dict):
        is_tuple = all(key.isdecimal() for key in tree)
        for key in sorted(tree, key=int) if is_tuple else sorted(tree):
            yield from infer_parts(tree[key], (*place, key))
        return
    field = "/".join(("observations", *place))
    if tree.dtype == np.uint8 and is_image(tree.shape[1:]):
        raise no_vectors("images", tree.shape[1:], field)
    if tree.dtype.kind not in "fb":
        raise BadInput(
            f"holds {tree.dtype} values, and no observation_space in the metadata says whether "
            "they are amounts or choices",
            field=field,
        )
    yield Part(place, math.prod(tree.shape[1:]))


def flatten(parts: Sequence[Part], tree: Tree, name: str) -> Array:
    """Join the parts of observations into one vector of real numbers per row."""
    arrays = [as_vectors(part, find(tree, part.place, name), name) for part in parts]
    if len({len(array) for array in arrays}) != 1:
        raise BadInput("does not have the same number of rows in all parts", field=name)
    return np.concatenate(arrays, axis=1)


def find(tree: Tree, place: tuple[str, ...], name: str) -> Array:
    """Return the array at a place of a tree."""
    for key in place:
        if not isinstance(tree, dict) or key not in tree:
            raise BadInput("is missing", field="/".join((name, *place)))
        tree = tree[key]
    if isinstance(tree, dict):
        parts = ", ".join([*tree][:6])
        raise BadInput(f"has parts ({parts}) where one array is needed", field=name)
    return tree


def as_vectors(part: Part, array: Array, name: str) -> Array:
    """Return the rows of a part as vectors of real numbers."""
    field = "/".join((name, *part.place))
    if array.ndim == 0 or math.prod(array.shape[1:]) != part.size:
        size = math.prod(array.shape[1:]) if array.ndim else 0
        raise BadInput(f"has {size} numbers per row, its space {part.size}", field=field)
    if array.dtype.kind not in "biuf":
        raise BadInput(f"holds {array.dtype} values where numbers are needed", field=field)
    rows = array.reshape(len(array), part.size)
    if not part.choices:
        return rows if rows.dtype.kind == "f" else rows.astype(np.float64)
    check_memory(4 * len(rows) * part.width)
    columns = zip(rows.T, part.choices, strict=True)
    return np.concatenate([one_hot(column, *each, field) for column, each in columns], axis=1)


def one_hot(values: Array, start: int, count: int, field: str) -> Array:
    """Return rows of zeros with a one at the number of the choice."""
    outside = (values < start) | (values >= start + count) | (values != np.floor(values))
    reject_rows(field, outside, f"is not among the {count} choices from {start}")
    hot = np.zeros((len(values), count), np.float32)
    hot[np.arange(len(values)), values.astype(np.int64) - start] = 1
    return hot


def is_image(shape: Sequence[int]) -> bool:
    """Tell whether bytes of this shape are an image; small matrices are none."""
    return len(shape) == 3 or (len(shape) == 2 and min(shape) >= SMALLEST_IMAGE)


def whole_numbers(values: object, field: str) -> list[int]:
    """Return one whole number, or a list of them, as a flat list."""
    flat = np.ravel(np.asarray(values))
    if flat.size and flat.dtype.kind != "i":
        raise BadInput(NO_SPACE, field=field)
    return [int(value) for value in flat]
