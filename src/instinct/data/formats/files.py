"""Handle errors of damaged files and limit their memory, for all formats."""

import json
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from instinct.errors import BadInput
from instinct.util.reading import read_text, refuse_special

FILE_ERRORS = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    NotImplementedError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    tokenize.TokenError,
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


COPIES = 3
"""Data are held as read, as converted, and in part as compared."""
MOST_EXPANSION, ALLOWANCE = 2000, 2**26
"""Compression saves at most this factor; arrays of so many bytes are read in any case."""


def check_memory(need: int) -> None:
    """Raise if arrays of `need` bytes and their copies do not fit, before they are allocated."""
    have = free_memory()
    if have is not None and COPIES * need > have:
        raise BadInput(
            f"needs {COPIES * need / 2**30:.1f} GiB of memory for {need / 2**30:.1f} GiB of data; "
            f"{have / 2**30:.1f} GiB are free"
        )


def check_expansion(need: int, stored: int, field: str) -> None:
    """Raise if an array claims far more than what the file can hold of it."""
    if need > MOST_EXPANSION * stored + ALLOWANCE:
        raise BadInput(
            f"claims {need / 2**30:.2f} GiB, of which the file holds {stored / 1024:.0f} kB: "
            "refused, not read",
            field=field,
        )


def free_memory() -> int | None:
    """Return how many bytes of memory are free, as far as the system says it."""
    try:
        with Path("/proc/meminfo").open(encoding="utf-8") as lines:
            free = dict(line.split(":", 1) for line in lines)["MemAvailable"]
        return int(free.split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def member(folder: Path, *parts: str) -> Path:
    """Return the path of a regular file in a folder. Links out of the folder are not followed."""
    path = folder.joinpath(*parts)
    refuse_special(path)
    if not path.is_file():
        problem = "is not a regular file" if path.exists() else "does not exist"
        raise BadInput(problem, file=path)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise BadInput("is a link out of the folder: not followed", file=path)
    return path


def read_object(path: Path, kind: str) -> dict[str, Any]:
    """Read the JSON object in a small file."""
    with translate_errors(path, kind):
        found = json.loads(read_text(path, LARGEST_JSON))
        if not isinstance(found, dict):
            raise BadInput("is not a JSON object")
        return found
