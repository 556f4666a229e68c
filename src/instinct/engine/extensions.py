"""Decide whether a user's own objects can be used in worker processes.

Workers are processes of their own. An object reaches them over the pipe that also brings the
trials, by the names of the modules and functions that it is made of. What a worker cannot import,
such as a lambda or a function defined in a notebook, can only be used in this process.
"""

from collections.abc import Iterable
from multiprocessing.reduction import ForkingPickler
from typing import Any


def can_travel(extension: Any) -> bool:
    """Tell whether a worker process can import what the object is made of."""
    try:
        content = bytes(ForkingPickler.dumps(extension))
    except Exception:  # noqa: BLE001 - whatever the object objects to, it cannot travel
        return False
    return b"__main__" not in content


def all_can_travel(extensions: Iterable[Any]) -> bool:
    """Tell whether worker processes can use all these objects."""
    return all(map(can_travel, extensions))
