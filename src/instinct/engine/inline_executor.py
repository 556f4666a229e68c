"""Run trials in this process, one after another.

This is how trials run that use code which a worker process cannot import, such as a function
defined in a notebook.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Self

from instinct.deep import StageProgress, cache_programs
from instinct.engine.local_executor import Event
from instinct.engine.notices import Notice, forward_warnings
from instinct.engine.trial_runner import CHECKPOINT_SECONDS, DatasetOpened, TrialRunner
from instinct.engine.worker_main import attempt
from instinct.study.starts import Setting
from instinct.study.trials import Trial


class InlineExecutor:
    """The one worker is this process; a trial runs while `wait` is called."""

    takes_all = False

    def __init__(self, folder: Path, checkpoint_seconds: float = CHECKPOINT_SECONDS) -> None:
        self.runner = TrialRunner(folder, checkpoint_seconds)
        self.settings: Mapping[str, Setting] = {
            "executor": "inline",
            "checkpoint_seconds": checkpoint_seconds,
        }
        self.workers = range(1)
        self.trial: Trial | None = None

    def __enter__(self) -> Self:
        cache_programs()
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing has to be stopped."""

    def submit(self, worker: int, trial: Trial) -> None:
        """Remember the trial; the next `wait` runs it."""
        del worker
        self.trial = trial

    def wait(self) -> list[Event]:
        """Run the trial and return everything it reported."""
        assert self.trial is not None
        events: list[Event] = []

        def send(message: StageProgress | DatasetOpened | Notice) -> None:
            events.append(Event(0, message))

        with forward_warnings(send):
            events.append(Event(0, attempt(partial(self.runner.run, self.trial, send))))
        return events
