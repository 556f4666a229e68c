"""The life of a local worker: take a trial, perform it, say what it measured."""

import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from instinct.deep import keep_programs
from instinct.engine.trial_runner import Desk
from instinct.errors import BadInput, InstinctError
from instinct.study.measured import Measured
from instinct.util.cores import stay_on_core

T = TypeVar("T")


def main(handle: int, core: int, folder: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stay_on_core(core)
    keep_programs()
    connection: Connection[Any, Any] = Connection(handle)
    threading.Thread(target=end_with, args=(handle,), daemon=True).start()
    desk = Desk(folder)
    while True:
        connection.send(attempt(partial(desk.perform, connection.recv(), connection.send)))


def end_with(handle: int) -> None:
    """End this process at once when the one at the other end of the connection has ended."""
    other = select.poll()
    other.register(handle, 0)
    other.poll()
    os._exit(1)


def attempt(action: Callable[[], T]) -> T | Measured | str | InstinctError:
    """What it gives; in words, what went wrong; an error that is not the trial's own.

    What is wrong with the trial itself fails it at once: another attempt would not help.
    """
    try:
        return action()
    except BadInput as fault:
        return Measured({}, failure=str(fault))
    except InstinctError as error:
        return error
    except Exception as error:  # noqa: BLE001 - a trial may fail in any way, the others go on
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
