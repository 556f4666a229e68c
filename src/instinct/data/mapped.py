"""Keep the rows of large datasets once per machine: in files that all processes map read-only.

The files are uncompressed arrays in the cache of datasets. The system keeps their pages in memory
once, however many processes read them, and drops them when it needs room.
"""

import logging
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from instinct.data import cache
from instinct.data.arrays import Array, is_mapped
from instinct.data.dataset import Dataset
from instinct.errors import InstinctError
from instinct.util.atomic import replacing
from instinct.util.folders import cache_folder
from instinct.util.locks import hold_lock

log = logging.getLogger(__name__)

MIN_BYTES = 2**24
"""Smaller arrays stay in the memory of each process."""
LOCK = "rows.lock"
FIELDS = ("observations", "next_observations", "actions")


def map_rows(dataset: Dataset) -> Dataset:
    """Replace the large arrays of a dataset by maps of files that other processes share.

    The dataset is the same: its arrays have the same content and are read-only as before.
    """
    arrays = {name: getattr(dataset, name) for name in FIELDS}
    vars(dataset).update(map_arrays(arrays, dataset.hash))
    return dataset


def map_arrays(arrays: Mapping[str, Array], name: str) -> dict[str, Array]:
    """Map the large arrays; `name` is a hash of their content."""
    return {
        field: array
        if array.nbytes < MIN_BYTES or is_mapped(array)
        else map_array(array, cache_folder() / "datasets" / f"rows-{name[:20]}-{field}.npy")
        for field, array in arrays.items()
    }


def map_array(array: Array, path: Path) -> Array:
    """Map the file if it has the content of the array; write it first if it has not.

    Only one process writes at a time: of two that replaced each other's file, each would keep its
    own in memory. If the cache cannot be written, return the array itself.
    """
    try:
        with hold_lock(path.with_name(LOCK)):
            mapped = open_map(path)
            if mapped is None or mapped.dtype != array.dtype or not np.array_equal(mapped, array):
                with replacing(path) as scratch, scratch.open("wb") as file:
                    np.save(file, array, allow_pickle=False)
                cache.remove_oldest(path)
                mapped = open_map(path)
        return array if mapped is None else mapped
    except (InstinctError, OSError) as error:
        log.warning("rows are not shared between processes: %s", error)
        return array


def open_map(path: Path) -> Array | None:
    """Map an array read-only; None if there is none."""
    try:
        found: Array = np.load(path, mmap_mode="r", allow_pickle=False)
        os.utime(path)
    except (EOFError, OSError, ValueError):
        return None
    return found
