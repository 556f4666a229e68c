"""Locks between processes, on every system; released when the process ends, however it ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from instinct.errors import InstinctError
from instinct.util.atomic import refuse_link


@contextmanager
def hold_lock(path: Path, seconds: float = -1) -> Iterator[bool]:
    """Wait at most `seconds` for a lock, for ever if negative; yield whether it is held.

    The file of the lock stays where it is, empty. If it is a link, it is not followed.
    """
    lock = FileLock(path, timeout=seconds, thread_local=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InstinctError(f"{path.parent}: cannot be written: {error.strerror}") from error
    refuse_link(path)
    try:
        lock.acquire(poll_interval=0.02)
    except Timeout:
        yield False
        return
    except OSError as error:
        raise InstinctError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        yield True
    finally:
        lock.release()
