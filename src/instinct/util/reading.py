"""Read small files of strangers: plain files of a bounded size, and nothing that could block."""

import stat
from pathlib import Path

from instinct.errors import BadInput

MOST_BYTES = 2**28
"""The largest file of text that is read at once."""


def refuse_special(path: Path) -> None:
    """Raise if a path is a pipe, a device or a socket, whose reading could last for ever."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise BadInput("is a pipe, a device or a socket, not a file: not opened", file=path)


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """Read a plain file of at most `most` bytes."""
    refuse_special(path)
    try:
        if path.stat().st_size > most:
            raise BadInput(f"is larger than {most / 2**20:,.0f} MiB: not read", file=path)
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", file=path) from None


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """Read a plain file of text in UTF-8; raise ValueError if it is in another encoding."""
    return read_bytes(path, most).decode("utf-8")
