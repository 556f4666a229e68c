"""A local cache of large datasets in the format that is fastest to open.

There is one entry per source path. Its name holds a hash of the state of the source, so that a
changed source is read again. The cache is in `$INSTINCT_CACHE`, by default in the user's cache
folder. It can be deleted at any time.
"""

import logging
from pathlib import Path

from instinct.data.dataset import Dataset
from instinct.data.formats.npz import read_npz, write_npz
from instinct.errors import InstinctError
from instinct.util.folders import cache_folder
from instinct.util.hashing import hash_bytes

log = logging.getLogger(__name__)

VERSION = 2
"""Increase it when the same source is read differently."""

MIN_TRANSITIONS = 50_000
"""Smaller datasets are not cached: their sources open fast enough."""


def entry_path(path: Path, options: str) -> Path:
    """Return the path of the cache entry for the present state of a source."""
    files = sorted(file for file in path.rglob("*") if file.is_file()) or [path]
    states = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    state = hash_bytes(repr((VERSION, options, states)).encode())[:20]
    source = hash_bytes(str(path.resolve()).encode())[:20]
    return cache_folder() / "datasets" / f"{source}-{state}.npz"


def read_cached(path: Path, options: str) -> Dataset | None:
    """Return the cached dataset, or None if there is none or the source has changed."""
    if not path.exists() or not (cached := entry_path(path, options)).exists():
        return None
    try:
        return read_npz(cached)
    except InstinctError as error:
        log.warning("ignored a cache entry: %s", error)
        return None


def write_cached(dataset: Dataset, path: Path, options: str) -> None:
    """Cache a large dataset. If the disk is full or read-only, only log a warning."""
    if len(dataset) < MIN_TRANSITIONS:
        return
    cached = entry_path(path, options)
    try:
        write_npz(dataset, cached)
        for older in cached.parent.glob(f"{cached.name.split('-')[0]}-*.npz"):
            if older != cached:
                older.unlink(missing_ok=True)
    except (InstinctError, OSError) as error:
        log.warning("not cached: %s", error)
