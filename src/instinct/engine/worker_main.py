"""The main loop of a local worker: receive a trial, run it, send its measurement.

Before the first trial come the folders in which the parent finds modules, and the user's own
objects that trials may name.
"""

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

from instinct.deep import cache_programs
from instinct.engine.notices import forward_warnings
from instinct.engine.trial_runner import TrialRunner
from instinct.errors import BadInput, InstinctError
from instinct.study.extensions import register
from instinct.study.measurement import Measurement
from instinct.util.cores import stay_on_core

T = TypeVar("T")


def main(handle: int, core: int, folder: Path, checkpoint_seconds: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stay_on_core(core)
    cache_programs()
    connection: Connection[Any, Any] = Connection(handle)
    threading.Thread(target=exit_with_parent, args=(handle,), daemon=True).start()
    sys.path += [place for place in connection.recv() if place not in sys.path]
    register(*connection.recv())
    runner = TrialRunner(folder, checkpoint_seconds)
    with forward_warnings(connection.send):
        while True:
            connection.send(attempt(partial(runner.run, connection.recv(), connection.send)))


def exit_with_parent(handle: int) -> None:
    """Exit as soon as the other end of the connection is closed."""
    other = select.poll()
    other.register(handle, 0)
    other.poll()
    os._exit(1)


def attempt(action: Callable[[], T]) -> T | Measurement | str | InstinctError:
    """Call `action` and turn exceptions into messages.

    Invalid input fails the trial at once, because another attempt would not help. An
    `InstinctError` is returned and stops the study. Any other exception becomes a string, and the
    trial is tried again.
    """
    try:
        return action()
    except BadInput as fault:
        return Measurement({}, failure=str(fault))
    except InstinctError as error:
        return error
    except Exception as error:  # noqa: BLE001 - a trial may fail in any way, the others go on
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), float(sys.argv[4]))
