"""How XLA is to use the machine: one core per process, programs compiled once and kept."""

import os
from pathlib import Path

import jax

ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"


def cores() -> list[int]:
    """The processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def stay_on_core(core: int) -> None:
    """Compute on one core with one thread; to be called before anything is computed."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {ONE_THREAD}".strip()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def keep_programs(folder: Path | None = None) -> None:
    """Keep compiled programs in a folder, by default in the user's cache, for later processes."""
    folder = cache_folder() if folder is None else folder
    jax.config.update("jax_compilation_cache_dir", str(folder))  # type: ignore[no-untyped-call]
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)  # type: ignore[no-untyped-call]


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "instinct" / "xla"
