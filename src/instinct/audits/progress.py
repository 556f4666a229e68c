"""Show how far an audit or a study is: bars in a terminal or a notebook, lines elsewhere."""

import html
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars

from instinct.engine.scheduler import StudyProgress

REFRESH = 0.5
"""Seconds between two updates of a bar in a notebook."""


class Display(Protocol):
    """Something that shows progress."""

    def dataset(self, done: int, total: int, what: str) -> None:
        """Show how many transitions of a dataset have been made."""

    def trials(self, progress: StudyProgress) -> None:
        """Show how many trials have ended, and what the workers do."""


class Silent:
    """Shows nothing."""

    def dataset(self, done: int, total: int, what: str) -> None:
        """Ignore the progress of a dataset."""

    def trials(self, progress: StudyProgress) -> None:
        """Ignore the progress of trials."""


@contextmanager
def show_study_progress(name: str) -> Iterator[Display]:
    """Show progress in the way that fits: a notebook, a terminal, or a file of text."""
    if in_notebook():
        yield NotebookBar(name)
        return
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield Lines(name, console)
        return
    with progress_bars(console) as bars:
        yield TerminalBars(name, bars)


def in_notebook() -> bool:
    """Tell whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


def progress_bars(console: Console) -> Bars:
    """Return bars with the time left, which disappear when they are done."""
    return Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


class TerminalBars:
    """One bar for the study and one for every worker."""

    def __init__(self, name: str, bars: Bars) -> None:
        self.name, self.bars = name, bars
        self.whole = bars.add_task(name, total=None)
        self.workers: dict[int, TaskID] = {}

    def dataset(self, done: int, total: int, what: str) -> None:
        """Show how many transitions of the dataset have been made."""
        self.bars.update(
            self.whole, completed=done, total=total, description=f"making {self.name}: {what}"
        )

    def trials(self, progress: StudyProgress) -> None:
        """Show how many trials have ended, and the stage of every worker."""
        self.bars.update(
            self.whole, completed=progress.ended, total=progress.trials, description=self.name
        )
        for worker in {*self.workers} | {*progress.running}:
            if worker not in self.workers:
                self.workers[worker] = self.bars.add_task("", total=None)
            self.show_worker(worker, progress)

    def show_worker(self, worker: int, progress: StudyProgress) -> None:
        """Show what one worker does."""
        bar = self.workers[worker]
        if worker not in progress.running:
            self.bars.update(bar, description="  waiting", completed=0, total=1)
            return
        trial, stage = progress.running[worker]
        name = f"  {trial.algorithm}, {trial.label}, seed {trial.seed}"
        if stage is None:
            self.bars.update(bar, description=f"{name}: opening data", completed=0, total=None)
        else:
            self.bars.update(
                bar, description=f"{name}: {stage.stage}", completed=stage.step, total=stage.steps
            )


class Lines:
    """A line of text for every tenth of the trials."""

    def __init__(self, name: str, console: Console) -> None:
        self.name, self.console = name, console
        self.tenth = -1

    def dataset(self, done: int, total: int, what: str) -> None:
        """Stay silent while a dataset is made."""

    def trials(self, progress: StudyProgress) -> None:
        """Print a line if another tenth of the trials has ended."""
        tenth = 10 * progress.ended // max(progress.trials, 1)
        if progress.trials and tenth != self.tenth:
            self.tenth = tenth
            self.console.print(
                f"{self.name}: {progress.ended} of {progress.trials} runs have ended",
                soft_wrap=True,
            )


class NotebookBar:
    """One bar in the output of a notebook's cell, updated in place."""

    def __init__(self, name: str) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found]

        self.name, self.html = name, HTML
        self.handle: Any = display(HTML(bar_html(f"{name}: starting", 0, 1)), display_id=True)
        self.updated = 0.0

    def dataset(self, done: int, total: int, what: str) -> None:
        """Show how many transitions of the dataset have been made."""
        self.show(f"making {self.name}: {what}", done, total)

    def trials(self, progress: StudyProgress) -> None:
        """Show how many trials have ended, and what is running."""
        running = ", ".join(
            f"{trial.algorithm} {trial.label} {trial.seed}"
            for trial, _ in progress.running.values()
        )
        ended = progress.ended == progress.trials
        text = f"{self.name}: {'done' if ended else running or 'starting'}"
        self.show(text, progress.ended, progress.trials, now=ended)

    def show(self, text: str, done: int, total: int, now: bool = False) -> None:
        """Update the bar, but not more often than it can be read."""
        if now or time.monotonic() - self.updated >= REFRESH:
            self.updated = time.monotonic()
            self.handle.update(self.html(bar_html(text, done, total)))


def bar_html(text: str, done: int, total: int) -> str:
    """Return a bar with its text as HTML."""
    return (
        f'<progress value="{done}" max="{max(total, 1)}"></progress> '
        f"{done:,} of {total:,} · {html.escape(text)}"
    )
