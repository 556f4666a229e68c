"""Measure as on the first day: with nothing in the cache."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAMES = ("INSTINCT_CACHE", "XDG_CACHE_HOME")


@contextmanager
def empty_cache(folder: Path) -> Iterator[None]:
    """Use this folder as the cache of datasets and of compiled programs, here and in workers."""
    before = {name: os.environ[name] for name in NAMES if name in os.environ}
    os.environ.update(dict.fromkeys(NAMES, str(folder)))
    try:
        yield
    finally:
        for name in NAMES:
            del os.environ[name]
        os.environ.update(before)
