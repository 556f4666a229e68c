"""Read arrays from HDF5 files of strangers: plain arrays inside the file, and nothing else."""

import h5py
import numpy as np

from instinct.data.arrays import Array
from instinct.data.formats.files import check_memory
from instinct.data.formats.flatten import Tree
from instinct.errors import BadInput

PARTS = 6
"""An error lists at most so many parts of a group."""
DEEPEST = 16
"""Groups within groups that are read at most."""


def read_array(group: h5py.Group, name: str) -> Array:
    """Read an array of plain values. Links out of the file are not followed."""
    item = follow(group, name)
    if isinstance(item, h5py.Group):
        parts = ", ".join([*item][:PARTS]) or "nothing"
        raise BadInput(
            f"is a group of {parts}, as of a Dict space; one array is needed: join the parts into "
            "one vector per row",
            field=name,
        )
    if not isinstance(item, h5py.Dataset):
        raise BadInput("is not an array", field=name)
    if item.is_virtual or item.external:
        raise BadInput("has its values outside the file: not followed", field=name)
    if item.dtype.kind not in "biufS":
        raise BadInput(f"holds {item.dtype} values where numbers are needed", field=name)
    check_memory(item.nbytes)
    return np.asarray(item[()])


def read_tree(group: h5py.Group, name: str, depth: int = 0) -> Tree:
    """Read an array, or the arrays of a group by name. Minari's `_index_0` is the part "0"."""
    item = follow(group, name)
    if not isinstance(item, h5py.Group):
        return read_array(group, name)
    if depth == DEEPEST:
        raise BadInput(f"has more than {DEEPEST} groups in one another", field=name)
    return {part.removeprefix("_index_"): read_tree(item, part, depth + 1) for part in item}


def follow(group: h5py.Group, name: str) -> object:
    """Return what is in a group under a name. Links out of the file are not followed."""
    if not isinstance(group.get(name, getlink=True), h5py.HardLink):
        raise BadInput("is a link out of the file: not followed", field=name)
    return group[name]
