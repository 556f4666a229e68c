"""The lock of a study's folder: one process writes, and others are told who it is."""

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
PATIENCE = 20
"""How often to ask for the lock, which somebody who only looks may hold for a moment."""


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """The only process that writes; the lock goes with the process, however it ends."""
    path = folder / LOCK
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("ab", buffering=0)
    except OSError as error:
        raise InstinctError(f"{folder}: cannot be written: {error.strerror}") from error
    with file:
        try:
            if not acquire(file):
                raise InstinctError(f"{folder}: the study is being run by {read_holder(path)}")
            file.truncate(0)
            file.write(f"process {os.getpid()} on {platform.node()}, since {now()}".encode())
        except OSError as error:
            raise InstinctError(f"{path}: cannot be written: {error.strerror}") from error
        yield


def acquire(file: FileIO) -> bool:
    """Whether the lock could be had."""
    for attempt in range(PATIENCE):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.05 if attempt + 1 < PATIENCE else 0)
        else:
            return True
    return False


def lock_holder(folder: Path) -> str:
    """Who runs the study at the moment; nobody if empty."""
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
