"""Progress bars of a study: ended trials, and the current trial of every worker."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import Progress as ProgressBars
from rich.progress import TaskID

from instinct.cli.output import err, make_bars
from instinct.engine.scheduler import OnStudyProgress, StudyProgress


@contextmanager
def show_study_progress(name: str) -> Iterator[OnStudyProgress]:
    """Show a bar for the study and one for each worker on stderr.

    Without a terminal, print a line for every tenth of the trials.
    """
    if not err.is_terminal:
        yield print_tenths(name)
        return
    with make_bars() as bars:
        study_bar = bars.add_task(name, total=None)
        worker_bars: dict[int, TaskID] = {}

        def update(progress: StudyProgress) -> None:
            bars.update(study_bar, completed=progress.ended, total=progress.trials)
            for worker in {*worker_bars} | {*progress.running}:
                if worker not in worker_bars:
                    worker_bars[worker] = bars.add_task("", total=None)
                update_worker(bars, worker_bars[worker], progress, worker)

        yield update


def update_worker(bars: ProgressBars, bar: TaskID, progress: StudyProgress, worker: int) -> None:
    """Show the trial and the stage of one worker."""
    if worker not in progress.running:
        bars.update(bar, description="  idle", completed=0, total=1)
        return
    trial, stage = progress.running[worker]
    what = f"  {trial.algorithm}, {trial.label}, seed {trial.seed}"
    if stage is None:
        bars.update(bar, description=f"{what}: opening the dataset", completed=0, total=None)
    else:
        bars.update(
            bar, description=f"{what}: {stage.stage}", completed=stage.step, total=stage.steps
        )


def print_tenths(name: str) -> OnStudyProgress:
    """Return a callback that prints a line after every tenth of the trials."""
    printed = [-1]

    def update(progress: StudyProgress) -> None:
        tenth = 10 * progress.ended // max(progress.trials, 1)
        if progress.trials and tenth != printed[0]:
            printed[0] = tenth
            err.print(f"{name}: {progress.ended} of {progress.trials} runs ended", soft_wrap=True)

    return update
