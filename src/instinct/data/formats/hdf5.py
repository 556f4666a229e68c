"""Reading HDF5 without trusting it: plain arrays inside the file, and nothing else."""

import h5py
import numpy as np

from instinct.data.arrays import Array
from instinct.data.formats.files import check_memory
from instinct.errors import BadInput


def array(group: h5py.Group, name: str) -> Array:
    """The array of that name, which must lie in this file and hold plain values."""
    link = group.get(name, getlink=True)
    if not isinstance(link, h5py.HardLink):
        raise BadInput("points out of the file: not followed", field=name)
    item = group[name]
    if not isinstance(item, h5py.Dataset):
        raise BadInput("is a group where an array is needed", field=name)
    if item.is_virtual or item.external:
        raise BadInput("keeps its values outside the file: not followed", field=name)
    if item.dtype.kind not in "biufS":
        raise BadInput(f"holds {item.dtype} values where numbers are needed", field=name)
    check_memory(item.nbytes)
    return np.asarray(item[()])
