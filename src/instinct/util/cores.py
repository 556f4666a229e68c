"""Choose processor cores: one single-threaded process per core."""

import os

ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"
"""The flag that keeps XLA to one thread."""


def cores() -> list[int]:
    """List the processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def use_one_thread() -> None:
    """Make XLA compute with one thread; call this before anything is computed."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {ONE_THREAD}".strip()


def stay_on_core(core: int) -> None:
    """Compute on one core with one thread; call this before anything is computed."""
    use_one_thread()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
