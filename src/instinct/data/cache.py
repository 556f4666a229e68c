"""A local cache of large datasets in the format that is fastest to open.

There is one entry per source path. Its name holds a hash of the state of the source, so that a
changed source is read again. The cache is in `$INSTINCT_CACHE`, by default in the user's cache
folder. It can be deleted at any time. It keeps at most `$INSTINCT_CACHE_GB` gigabytes; what was
used least recently goes first.
"""

import logging
import math
import os
from pathlib import Path

from instinct.data.dataset import Dataset
from instinct.data.formats.npz import read_npz, write_npz
from instinct.errors import BadInput, InstinctError
from instinct.util.folders import cache_folder
from instinct.util.hashing import hash_bytes

log = logging.getLogger(__name__)

VERSION = 2
"""Increase it when the same source is read differently."""

MIN_TRANSITIONS = 50_000
"""Smaller datasets are not cached: their sources open fast enough."""
FOLDERS = ("data", "meta")
"""Where the formats that are folders keep their files; a foreign folder is not searched."""
DEFAULT_GB = 20.0
"""How many gigabytes the cache keeps unless the user says otherwise."""


def limit() -> int:
    """Return how many bytes the cache may have."""
    text = os.environ.get("INSTINCT_CACHE_GB", str(DEFAULT_GB))
    try:
        size = float(text)
    except ValueError:
        size = math.nan
    if not 0 <= size < math.inf:
        raise BadInput(f"must be a number of gigabytes, not {text!r}", field="INSTINCT_CACHE_GB")
    return int(size * 1e9)


def entries() -> list[Path]:
    """Return the files of the cache, the least recently used first."""
    found = (cache_folder() / "datasets").glob("*.np[yz]")
    return sorted(found, key=lambda path: path.stat().st_mtime_ns)


def clear() -> None:
    """Remove all cached datasets."""
    for path in entries():
        path.unlink(missing_ok=True)


def remove_oldest(keep: Path) -> None:
    """Remove what was used least recently until the cache is within its limit, `keep` last."""
    there = {path: path.stat().st_size for path in entries()}
    total = sum(there.values())
    for path in sorted(there, key=lambda path: path == keep):
        if total <= limit():
            return
        path.unlink(missing_ok=True)
        total -= there[path]


def entry_path(path: Path, options: str) -> Path:
    """Return the path of the cache entry for the present state of a source."""
    found = [file for part in FOLDERS for file in (path / part).rglob("*") if file.is_file()]
    files = sorted(found) or [path]
    states = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    state = hash_bytes(repr((VERSION, options, states)).encode())[:20]
    source = hash_bytes(str(path.resolve()).encode())[:20]
    return cache_folder() / "datasets" / f"{source}-{state}.npz"


def read_cached(path: Path, options: str) -> Dataset | None:
    """Return the cached dataset, or None if there is none or the source has changed."""
    if not path.exists() or not (cached := entry_path(path, options)).exists():
        return None
    try:
        dataset = read_npz(cached)
        os.utime(cached)
        return dataset
    except (InstinctError, OSError) as error:
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
        remove_oldest(cached)
    except (InstinctError, OSError) as error:
        log.warning("not cached: %s", error)
