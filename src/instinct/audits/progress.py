"""Show how far long work is: bars in a terminal or a notebook, lines of text elsewhere."""

import html
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from rich.console import Console
from rich.progress import Progress as Bars
from rich.progress import TaskID

from instinct.deep import StageProgress
from instinct.engine.scheduler import StudyProgress
from instinct.engine.timekeeper import in_words
from instinct.util.bars import PlainConsole, terminal_bars

REFRESH = 0.5
"""Seconds between two updates of a bar in a notebook."""


class Display(Protocol):
    """Something that shows progress."""

    def announce(self, text: str) -> None:
        """Show a sentence before the work begins."""

    def dataset(self, done: int, total: int, what: str) -> None:
        """Show how many transitions of a dataset have been made."""

    def stage(self, progress: StageProgress) -> None:
        """Show how far a training is."""

    def trials(self, progress: StudyProgress) -> None:
        """Show how many trials have ended, and what the workers do."""

    def estimates(self, done: int, total: int, what: str) -> None:
        """Show how far the estimates without a simulator are."""


class Silent:
    """Shows nothing."""

    def announce(self, text: str) -> None:
        """Ignore the sentence."""

    def dataset(self, done: int, total: int, what: str) -> None:
        """Ignore the progress of a dataset."""

    def stage(self, progress: StageProgress) -> None:
        """Ignore the progress of a training."""

    def trials(self, progress: StudyProgress) -> None:
        """Ignore the progress of trials."""

    def estimates(self, done: int, total: int, what: str) -> None:
        """Ignore the progress of estimates."""


@contextmanager
def show_study_progress(name: str) -> Iterator[Display]:
    """Show progress in the way that fits: a notebook, a terminal, or a file of text."""
    if in_notebook():
        yield NotebookBar(name)
        return
    console = PlainConsole(stderr=True)
    if not console.is_terminal:
        yield Lines(name, console)
        return
    with terminal_bars(console) as bars:
        yield TerminalBars(name, bars)


def time_left(progress: StudyProgress) -> str:
    """Return the remaining time as the end of a line; nothing if it is unknown or zero."""
    if not progress.remaining or progress.ended == progress.trials:
        return ""
    return f", about {in_words(progress.remaining)} left"


def in_notebook() -> bool:
    """Tell whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


class TerminalBars:
    """One bar for the study and one for every worker."""

    def __init__(self, name: str, bars: Bars) -> None:
        self.name, self.bars = name, bars
        self.whole = bars.add_task(name, total=None)
        self.workers: dict[int, TaskID] = {}

    def announce(self, text: str) -> None:
        """Print the sentence above the bars."""
        self.bars.console.print(f"{self.name}: {text}", soft_wrap=True)

    def dataset(self, done: int, total: int, what: str) -> None:
        """Show how many transitions of the dataset have been made."""
        self.bars.update(
            self.whole, completed=done, total=total, description=f"making {self.name}: {what}"
        )

    def stage(self, progress: StageProgress) -> None:
        """Show how far a training is."""
        self.bars.update(
            self.whole,
            completed=progress.step,
            total=progress.steps,
            description=f"{self.name}: {progress.stage}",
        )

    def trials(self, progress: StudyProgress) -> None:
        """Show how many trials have ended, and the stage of every worker."""
        self.bars.update(
            self.whole,
            completed=progress.ended,
            total=progress.trials,
            description=self.name + time_left(progress),
        )
        for worker in {*self.workers} | {*progress.running}:
            if worker not in self.workers:
                self.workers[worker] = self.bars.add_task("", total=None)
            self.show_worker(worker, progress)

    def estimates(self, done: int, total: int, what: str) -> None:
        """Show how far the estimates are, in the bar of the study; workers have ended."""
        for worker in self.workers.values():
            self.bars.update(worker, visible=False)
        self.bars.update(
            self.whole, completed=done, total=total, description=f"{self.name}: {what}"
        )

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

    def announce(self, text: str) -> None:
        """Print the sentence."""
        self.console.print(f"{self.name}: {text}", soft_wrap=True)

    def dataset(self, done: int, total: int, what: str) -> None:
        """Stay silent while a dataset is made."""

    def stage(self, progress: StageProgress) -> None:
        """Stay silent during a training."""

    def trials(self, progress: StudyProgress) -> None:
        """Print a line if another tenth of the trials has ended."""
        tenth = 10 * progress.ended // max(progress.trials, 1)
        if progress.trials and tenth != self.tenth:
            self.tenth = tenth
            self.console.print(
                f"{self.name}: {progress.ended} of {progress.trials} runs have ended"
                + time_left(progress),
                soft_wrap=True,
            )

    def estimates(self, done: int, total: int, what: str) -> None:
        """Print a line for every part of the estimates."""
        if done < total:
            self.console.print(f"{self.name}: {what}", soft_wrap=True)


class NotebookBar:
    """One bar in the output of a notebook's cell, from the first progress on."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.handle: Any = None
        self.updated = 0.0

    def announce(self, text: str) -> None:
        """Show the sentence in place of the bar's text."""
        self.show(f"{self.name}: {text}", 0, 1)

    def dataset(self, done: int, total: int, what: str) -> None:
        """Show how many transitions of the dataset have been made."""
        self.show(f"making {self.name}: {what}", done, total)

    def stage(self, progress: StageProgress) -> None:
        """Show how far a training is."""
        ended = progress.step >= progress.steps
        self.show(f"{self.name}: {progress.stage}", progress.step, progress.steps, now=ended)

    def trials(self, progress: StudyProgress) -> None:
        """Show how many trials have ended, and what is running."""
        running = ", ".join(
            f"{trial.algorithm} {trial.label} {trial.seed}"
            for trial, _ in progress.running.values()
        )
        ended = progress.ended == progress.trials
        text = f"{self.name}: {'done' if ended else running or 'starting'}{time_left(progress)}"
        self.show(text, progress.ended, progress.trials, now=ended)

    def estimates(self, done: int, total: int, what: str) -> None:
        """Show how far the estimates are."""
        self.show(f"{self.name}: {what}", done, total, now=True)

    def show(self, text: str, done: int, total: int, now: bool = False) -> None:
        """Update the bar, but not more often than it can be read."""
        from IPython.display import HTML, display  # type: ignore[import-not-found]

        if not now and self.handle is not None and time.monotonic() - self.updated < REFRESH:
            return
        self.updated = time.monotonic()
        bar = HTML(bar_html(text, done, total))
        if self.handle is None:
            self.handle = display(bar, display_id=True)
        else:
            self.handle.update(bar)


def bar_html(text: str, done: int, total: int) -> str:
    """Return a bar with its text as HTML."""
    return (
        f'<progress value="{done}" max="{max(total, 1)}"></progress> '
        f"{done:,} of {total:,} · {html.escape(text)}"
    )
