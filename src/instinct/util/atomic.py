"""Writing files and folders so that nobody ever sees half of one."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from instinct.errors import BadInput, InstinctError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file or folder beside `path` that takes its place only when it is whole."""
    if path.is_dir():
        raise BadInput("is a folder that exists already; choose another name", file=path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    except OSError as error:
        raise InstinctError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        yield scratch / path.name
        if (scratch / path.name).is_file():
            flush(scratch / path.name)
        (scratch / path.name).replace(path)
        flush(path.parent)
    except OSError as error:
        raise InstinctError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def write_atomically(path: Path, content: bytes) -> None:
    """Whatever happens, the file holds its old content or all of the new."""
    with replacing(path) as scratch:
        scratch.write_bytes(content)


def flush(path: Path) -> None:
    """Have a file or a folder on the disk, not only on its way there."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
