"""The callback by which long work tells how far it is."""

from collections.abc import Callable

Progress = Callable[[int, int, str], None]
"""Called with how much is done, how much there is, and what is being done."""


def no_progress(done: int, total: int, what: str) -> None:
    """Ignore progress."""
