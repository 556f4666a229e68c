"""Bring the warnings of workers to the process that writes the store."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Notice:
    """A warning of a worker, such as that a damaged file is made again."""

    text: str


class Forwarder(logging.Handler):
    """Sends every warning as a notice."""

    def __init__(self, send: Callable[[Notice], object]) -> None:
        super().__init__(logging.WARNING)
        self.send = send

    def emit(self, record: logging.LogRecord) -> None:
        self.send(Notice(record.getMessage()))


@contextmanager
def forward_warnings(send: Callable[[Notice], object]) -> Iterator[None]:
    """Send the package's warnings instead of printing them; the receiver prints them."""
    logger, handler = logging.getLogger("instinct"), Forwarder(send)
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = True
