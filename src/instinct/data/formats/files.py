"""Handle errors of damaged files and limit their memory, for all formats."""

import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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

LARGEST_JSON = 1 << 26
"""The most bytes that a file of metadata may have."""


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


def member(folder: Path, *parts: str) -> Path:
    """Return the path of a regular file in a folder. Links out of the folder are not followed."""
    path = folder.joinpath(*parts)
    if not path.is_file():
        problem = "is not a regular file" if path.exists() else "does not exist"
        raise BadInput(problem, file=path)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise BadInput("is a link out of the folder: not followed", file=path)
    return path


def read_object(path: Path, kind: str) -> dict[str, Any]:
    """Read the JSON object in a small file."""
    with translate_errors(path, kind):
        if path.stat().st_size > LARGEST_JSON:
            raise BadInput(f"is larger than {LARGEST_JSON >> 20} MiB, too large for {kind}")
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise BadInput("is not a JSON object")
        return found
