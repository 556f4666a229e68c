"""Watching a study: how many trials have ended, and what every worker is doing."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import Progress as Bars
from rich.progress import TaskID

from instinct.cli.output import bars, err
from instinct.engine.scheduler import OnStudyProgress, StudyProgress


@contextmanager
def watching(name: str) -> Iterator[OnStudyProgress]:
    """Bars on stderr, one for the study and one for each worker.

    Where stderr is no terminal, a line for every tenth of the trials.
    """
    if not err.is_terminal:
        yield lines(name)
        return
    with bars() as shown:
        whole = shown.add_task(name, total=None)
        workers: dict[int, TaskID] = {}

        def watch(state: StudyProgress) -> None:
            shown.update(whole, completed=state.ended, total=state.trials)
            for worker in {*workers} | {*state.running}:
                if worker not in workers:
                    workers[worker] = shown.add_task("", total=None)
                show_worker(shown, workers[worker], state, worker)

        yield watch


def show_worker(shown: Bars, bar: TaskID, state: StudyProgress, worker: int) -> None:
    if worker not in state.running:
        shown.update(bar, description="  waits", completed=0, total=1)
        return
    trial, said = state.running[worker]
    what = f"  {trial.algorithm}, {trial.label}, seed {trial.seed}"
    if said is None:
        shown.update(bar, description=f"{what}: opens the data", completed=0, total=None)
    else:
        shown.update(
            bar, description=f"{what}: {said.stage}", completed=said.step, total=said.steps
        )


def lines(name: str) -> OnStudyProgress:
    tenths = [-1]

    def watch(state: StudyProgress) -> None:
        tenth = 10 * state.ended // max(state.trials, 1)
        if state.trials and tenth != tenths[0]:
            tenths[0] = tenth
            err.print(f"{name}: {state.ended} of {state.trials} runs have ended", soft_wrap=True)

    return watch
