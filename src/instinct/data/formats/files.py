"""What reading has in common, whatever the format."""

import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from instinct.errors import BadInput

DAMAGE = (
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
"""What the libraries raise on files that are truncated, damaged or made to mislead."""


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Name the file in every fault, and turn the libraries' own errors into one sentence."""
    try:
        yield
    except BadInput as fault:
        raise (fault if fault.file else fault.in_file(path)) from None
    except PermissionError as error:
        raise BadInput("cannot be read: permission denied", file=path) from error
    except DAMAGE as error:
        reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else "no reason"
        raise BadInput(f"is not a sound {kind} file ({reason})", file=path) from error


def check_memory(need: int) -> None:
    """Refuse arrays that cannot fit, before anything is allocated for them."""
    have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if need > have:
        raise BadInput(f"claims {need / 2**30:.0f} GiB of data; {have / 2**30:.0f} GiB are there")
