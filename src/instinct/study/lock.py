"""Lock a study's folder, so that one process writes and others learn which one."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from instinct.errors import InstinctError
from instinct.util.atomic import write_atomically
from instinct.util.locks import hold_lock

LOCK, HOLDER = "study.lock", "study.running"
"""The lock, and who holds it; after a kill the second is left behind, and means nothing."""
PATIENCE = 1.0
"""Seconds to wait: a process that only asks for the holder has the lock for a moment."""


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; it is released when the process ends, however it ends."""
    with hold_lock(folder / LOCK, PATIENCE) as held:
        if not held:
            raise InstinctError(
                f"{folder}: the study is already being run by {read_holder(folder)}"
            )
        me = f"process {os.getpid()} on {platform.node()}, since {now()}"
        write_atomically(folder / HOLDER, me.encode())
        try:
            yield
        finally:
            (folder / HOLDER).unlink(missing_ok=True)


def lock_holder(folder: Path) -> str:
    """Describe the process that runs the study now; empty if there is none."""
    if not (folder / LOCK).exists() or not (folder / HOLDER).exists():
        return ""
    if not os.access(folder / LOCK, os.W_OK):
        return read_holder(folder)
    with hold_lock(folder / LOCK, 0) as free:
        return "" if free else read_holder(folder)


def read_holder(folder: Path) -> str:
    try:
        text = (folder / HOLDER).read_text("utf-8", errors="replace").strip()
    except OSError:
        text = ""
    return text or "another process"


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
