"""The names of the datasets, for a command to check before it imports anything large.

`names.txt` lists those of the registry; a test compares them.
"""

import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from instinct.errors import BadInput
from instinct.util.folders import minari_folder
from instinct.util.paths import check_exists

NAMES = Path(__file__).with_name("names.txt")
REGISTRY = "instinct.benchmarks.registry"
WORD = re.compile(r"[\w-]+")
"""A name that says nothing else: no family, no size, no path."""


def check_dataset(name: str) -> None:
    """Raise BadInput if a name can only be that of a dataset, and none is called so.

    Where the registry has been imported already, it decides: it may have families of the user.
    """
    check_exists(name)
    if WORD.fullmatch(name) is None or REGISTRY in sys.modules:
        return
    names = NAMES.read_text("utf-8").split()
    if name not in names and not Path(name).exists() and not (minari_folder() / name).exists():
        raise no_dataset(name, names)


def no_dataset(name: str, names: Sequence[str]) -> BadInput:
    """Return the error for a name that is none of the names."""
    return BadInput(
        f"is neither a file nor the name of a dataset; {similar(name, names)}", file=name
    )


def similar(name: str, names: Sequence[str]) -> str:
    """Suggest names that are similar to an unknown one."""
    near = get_close_matches(name, names, cutoff=0)
    return f"there are {', '.join(near)} and others, which `instinct datasets` lists"
