"""A local cache of large datasets, in the form that opens fastest.

There is one entry per source path; its name tells the state of the source that it was made from,
so that a source that has changed is read anew. The cache lies in `$INSTINCT_CACHE`, else in the
user's cache folder, and can be deleted at any time.
"""

import logging
from pathlib import Path

from instinct.data.dataset import Dataset
from instinct.data.formats.npz import read_npz, write_npz
from instinct.errors import InstinctError
from instinct.util.folders import cache_folder
from instinct.util.hashing import hash_bytes

log = logging.getLogger(__name__)

VERSION = 1
"""Raised when the same source is to be read differently."""

LEAST = 50_000
"""Transitions below which the source itself opens fast enough."""


def entry(path: Path, options: str) -> Path:
    """Where the dataset of a source in its present state would lie."""
    files = sorted(file for file in path.rglob("*") if file.is_file()) or [path]
    states = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    state = hash_bytes(repr((VERSION, options, states)).encode())[:20]
    source = hash_bytes(str(path.resolve()).encode())[:20]
    return cache_folder() / "datasets" / f"{source}-{state}.npz"


def get(path: Path, options: str) -> Dataset | None:
    """The dataset as it was read before, if the source is still the same."""
    if not path.exists() or not (cached := entry(path, options)).exists():
        return None
    try:
        return read_npz(cached)
    except InstinctError as error:
        log.warning("left the cache aside: %s", error)
        return None


def put(dataset: Dataset, path: Path, options: str) -> None:
    """Keep a large dataset for the next time; a full or read-only disk only costs that."""
    if len(dataset) < LEAST:
        return
    cached = entry(path, options)
    try:
        write_npz(dataset, cached)
        for older in cached.parent.glob(f"{cached.name.split('-')[0]}-*.npz"):
            if older != cached:
                older.unlink(missing_ok=True)
    except (InstinctError, OSError) as error:
        log.warning("not kept in the cache: %s", error)
