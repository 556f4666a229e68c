"""Compiled programs: cached on disk for later processes, released from memory when many."""

from pathlib import Path

import jax

from instinct.util.folders import program_folder

MOST_MAPS = 20_000
"""Programs are released above so many memory maps; Linux allows a process 65,530 by default."""


def cache_programs(folder: Path | None = None) -> None:
    """Cache compiled programs in a folder, by default in the user's cache folder."""
    folder = program_folder() if folder is None else folder
    jax.config.update("jax_compilation_cache_dir", str(folder))  # type: ignore[no-untyped-call]
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)  # type: ignore[no-untyped-call]


def release_programs() -> None:
    """Release compiled programs from memory when the process has many memory maps.

    Every program holds maps of its own. A process that trains on many datasets would reach the
    system's limit, where loading the next program crashes it. Released programs are compiled
    again, or loaded from the cache on disk, when they are needed.
    """
    if memory_maps() > MOST_MAPS:
        jax.clear_caches()  # type: ignore[no-untyped-call]


def memory_maps() -> int:
    """Return how many memory maps this process has; 0 where the system does not say (not Linux)."""
    try:
        return Path("/proc/self/maps").read_bytes().count(b"\n")
    except OSError:
        return 0
