"""Write files and folders atomically: readers see the old content or all of the new one.

A link in the place of a file is replaced, never followed. What a killed process had half written is
removed when another process first writes to the same folder.
"""

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from instinct.errors import BadInput, InstinctError

_SWEPT: set[Path] = set()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path for a file or folder that replaces `path` when it is complete."""
    if path.is_dir():
        raise BadInput("is a folder that already exists; choose another name", file=path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        sweep(path.parent)
        scratch = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}{mine()}"))
    except OSError as error:
        raise InstinctError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        yield scratch / path.name
        if (scratch / path.name).is_file():
            sync_to_disk(scratch / path.name)
        (scratch / path.name).replace(path)
        sync_to_disk(path.parent)
    except OSError as error:
        raise InstinctError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def mine() -> str:
    """Return the part of the names of temporary folders that says which process made them."""
    return f"~{platform.node().replace('~', '')}~{os.getpid()}~"


def sweep(folder: Path) -> None:
    """Remove what processes that were killed have left in a folder, once per process and folder."""
    if folder in _SWEPT or sys.platform == "win32":
        return
    _SWEPT.add(folder)
    for scratch in folder.glob(".*~*~*~*"):
        node, pid = scratch.name.rsplit("~", 3)[1:3]
        if node == platform.node().replace("~", "") and pid.isdecimal() and not is_alive(int(pid)):
            shutil.rmtree(scratch, ignore_errors=True)


def is_alive(pid: int) -> bool:
    """Tell whether a process of this machine exists."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file. If writing fails, the file has its old content."""
    with replacing(path) as scratch:
        scratch.write_bytes(content)


def refuse_link(path: Path) -> None:
    """Raise if a path that is about to be written in place is a link to somewhere else."""
    if path.is_symlink():
        raise InstinctError(f"{path}: is a link, which is not followed; remove it")


def sync_to_disk(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
