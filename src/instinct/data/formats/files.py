"""Handle errors of damaged files and limit their memory, for all formats."""

import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from instinct.errors import BadInput

FILE_ERRORS = (
    EOFError,
    KeyError,
    MemoryError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)
"""Errors that libraries raise for truncated, damaged or malicious files."""


@contextmanager
def translate_errors(path: Path, kind: str) -> Iterator[None]:
    """Translate the errors of libraries into `BadInput`, and add the file to every `BadInput`."""
    try:
        yield
    except BadInput as fault:
        raise (fault if fault.file else fault.in_file(path)) from None
    except PermissionError as error:
        raise BadInput("cannot be read: permission denied", file=path) from error
    except FILE_ERRORS as error:
        reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else "no reason"
        raise BadInput(f"is not a valid {kind} file ({reason})", file=path) from error


def check_memory(need: int) -> None:
    """Raise if arrays of `need` bytes do not fit into memory, before they are allocated."""
    have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if need > have:
        raise BadInput(
            f"needs {need / 2**30:.0f} GiB of data; the machine has {have / 2**30:.0f} GiB"
        )
