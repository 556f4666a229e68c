"""Texts that are meant as paths, checked before anything large is imported."""

import re
from pathlib import Path

from instinct.errors import BadInput

FILE = re.compile(r"[^:]*\.[A-Za-z][A-Za-z0-9]{0,8}")
"""A name with an ending, such as logs.npz; `env.module:name` and hopper-medium are none."""


def looks_like_path(text: str) -> bool:
    """Tell whether a text is a path rather than a name."""
    return text.startswith(("/", "./", "../", "~")) or FILE.fullmatch(text) is not None


def check_exists(text: str) -> None:
    """Raise BadInput if a text looks like the path of a file and there is none."""
    if looks_like_path(text) and not Path(text).exists():
        where = "" if Path(text).is_absolute() else f" in {Path.cwd()}"
        raise BadInput(f"no such file or folder{where}", file=text)
