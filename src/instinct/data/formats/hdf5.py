"""Read arrays from HDF5 files of strangers: plain arrays inside the file, and nothing else."""

from collections.abc import Iterator
from typing import Any

import h5py
import numpy as np

from instinct.data.arrays import Array
from instinct.data.formats.files import check_expansion, check_memory
from instinct.data.formats.flatten import Tree
from instinct.errors import BadInput
from instinct.util.rows import Rows, rows_per_block

PARTS = 6
"""An error lists at most so many parts of a group."""
DEEPEST = 16
"""Groups within groups that are read at most."""


def open_item(group: h5py.Group, path: str) -> Any:
    """Return what lies at a path, or None. Links are not followed, at no place of the path.

    h5py's own `in` and `get` would open the file that an external link names.
    """
    item: Any = group
    for part in path.split("/"):
        if not isinstance(item, h5py.Group) or not item.id.links.exists(part.encode()):
            return None
        if item.id.links.get_info(part.encode()).type != h5py.h5l.TYPE_HARD:
            raise BadInput("is a link out of the file: not followed", field=path)
        item = item[part]
    return item


def open_group(group: h5py.Group, path: str) -> h5py.Group:
    """Return the group at a path."""
    found = open_item(group, path)
    if not isinstance(found, h5py.Group):
        raise BadInput("is not a group of arrays", field=path)
    return found


def read_array(group: h5py.Group, name: str) -> Array:
    """Read an array of plain values. Links out of the file are not followed."""
    return np.asarray(open_array(group, name)[()])


def open_rows(group: h5py.Group, name: str) -> Array | Rows:
    """Return an array of plain values that is read in blocks, while the file is open."""
    item = open_array(group, name)
    if not item.shape:
        return np.asarray(item[()])
    size = rows_per_block(item.shape, item.dtype)
    if item.chunks is not None:
        size = -(-size // item.chunks[0]) * item.chunks[0]

    def read() -> Iterator[Array]:
        for start in range(0, len(item), size):
            yield item[start : start + size]

    return Rows(item.shape, item.dtype, read)


def open_array(group: h5py.Group, name: str) -> h5py.Dataset:
    """Return the array at a path if it lies in the file, has plain values and fits into memory."""
    item = open_item(group, name)
    if item is None:
        raise BadInput("is missing", field=name)
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
    check_expansion(item.nbytes, item.id.get_storage_size(), name)
    return item


def read_tree(group: h5py.Group, name: str, depth: int = 0) -> Tree:
    """Read an array, or the arrays of a group by name. Minari's `_index_0` is the part "0"."""
    item = open_item(group, name)
    if not isinstance(item, h5py.Group):
        return read_array(group, name)
    if depth == DEEPEST:
        raise BadInput(f"has more than {DEEPEST} groups in one another", field=name)
    return {part.removeprefix("_index_"): read_tree(item, part, depth + 1) for part in item}


def check_total(group: h5py.Group) -> None:
    """Raise if all arrays of a group together do not fit into memory, before they are read."""
    check_memory(sum(item.nbytes for item in arrays_of(group, set())))


def arrays_of(group: h5py.Group, seen: set[int]) -> Iterator[h5py.Dataset]:
    """Yield all arrays in a group and in the groups in it, each once."""
    groups = [group]
    while groups:
        found = groups.pop()
        for name in found:
            if found.id.links.get_info(name.encode()).type != h5py.h5l.TYPE_HARD:
                continue
            item = found[name]
            address = h5py.h5o.get_info(item.id).addr
            if address in seen:
                continue
            seen.add(address)
            if isinstance(item, h5py.Group):
                groups.append(item)
            elif isinstance(item, h5py.Dataset):
                yield item
