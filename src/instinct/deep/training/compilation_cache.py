"""Cache compiled programs on disk, for later processes."""

from pathlib import Path

import jax

from instinct.util.folders import program_folder


def cache_programs(folder: Path | None = None) -> None:
    """Cache compiled programs in a folder, by default in the user's cache folder."""
    folder = program_folder() if folder is None else folder
    jax.config.update("jax_compilation_cache_dir", str(folder))  # type: ignore[no-untyped-call]
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)  # type: ignore[no-untyped-call]
