"""Lock a study's folder, so that one process writes and others learn which one."""

import fcntl
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path

from instinct.errors import InstinctError

LOCK = "study.lock"
LOCK_ATTEMPTS = 20
"""How often to try: a process that only asks for the holder has the lock for a moment."""


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; it is released when the process ends, however it ends."""
    path = folder / LOCK
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("ab", buffering=0)
    except OSError as error:
        raise InstinctError(f"{folder}: cannot be written: {error.strerror}") from error
    with file:
        try:
            if not acquire(file):
                raise InstinctError(
                    f"{folder}: the study is already being run by {read_holder(path)}"
                )
            file.truncate(0)
            file.write(f"process {os.getpid()} on {platform.node()}, since {now()}".encode())
        except OSError as error:
            raise InstinctError(f"{path}: cannot be written: {error.strerror}") from error
        yield


def acquire(file: FileIO) -> bool:
    """Try to acquire the lock and tell whether it worked."""
    for attempt in range(LOCK_ATTEMPTS):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.05 if attempt + 1 < LOCK_ATTEMPTS else 0)
        else:
            return True
    return False


def lock_holder(folder: Path) -> str:
    """Describe the process that runs the study now; empty if there is none."""
    path = folder / LOCK
    if not path.exists():
        return ""
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return read_holder(path)
    return ""


def read_holder(path: Path) -> str:
    return path.read_text("utf-8", errors="replace").strip() or "another process"


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
