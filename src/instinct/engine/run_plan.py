"""Run a plan from its first trial to its last, or resume it."""

import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import jax

from instinct.benchmarks.registry import find_dataset
from instinct.engine.extensions import all_can_travel
from instinct.engine.inline_executor import InlineExecutor
from instinct.engine.local_executor import Executor, LocalExecutor
from instinct.engine.scheduler import OnStudyProgress, execute
from instinct.engine.trial_runner import CHECKPOINT_SECONDS, RUNS, WARM_STARTS, TrialRunner
from instinct.errors import Stopped
from instinct.study.extensions import used_extensions
from instinct.study.plan import Plan
from instinct.study.store import Store, open_store, read_store, warn
from instinct.study.tuning import choose_settings, trials_of
from instinct.util.atomic import refuse_link
from instinct.util.versions import describe_machine, versions

MakeExecutor = Callable[[Path, Sequence[Any]], AbstractContextManager[Executor]]
"""Makes an executor for a study's folder and the user's own objects that its trials name."""


def local(
    workers: int | None = None, checkpoint_seconds: float = CHECKPOINT_SECONDS
) -> MakeExecutor:
    """Run trials on this machine, by default with one worker per core.

    Trainings are written to the disk every `checkpoint_seconds`, and resume from there.
    Trials that use code which worker processes cannot import run in this process instead.
    """

    def make(folder: Path, extensions: Sequence[Any]) -> AbstractContextManager[Executor]:
        if all_can_travel(extensions):
            return LocalExecutor(folder, workers, extensions, checkpoint_seconds)
        return InlineExecutor(folder, checkpoint_seconds)

    return make


def default_executor(
    workers: int | None = None, checkpoint_seconds: float = CHECKPOINT_SECONDS
) -> MakeExecutor:
    """Run trials in one process per core, or together as one program if there is an accelerator."""
    if workers is not None or jax.default_backend() == "cpu":
        return local(workers, checkpoint_seconds)
    from instinct.engine.together_executor import together

    return together(checkpoint_seconds)


def run_plan(
    plan: Plan,
    folder: Path,
    on_progress: OnStudyProgress,
    executor: MakeExecutor | None = None,
    import_from: Sequence[Path] = (),
    *,
    retry_failed: bool = False,
) -> None:
    """Run all trials of the plan that have not ended yet according to the store in `folder`.

    Import the trials that the studies in the folders `import_from` have already run. With
    `retry_failed`, trials that have failed run again from their beginning.
    """
    with open_store(folder, plan, versions()) as store:
        plan = store.plan
        restore_facts(plan, store, folder)
        if retry_failed:
            forget_failures(store, folder)
        for other in import_from:
            import_trials(plan, store, other)
        if not count_remaining(plan, store):
            check_files(plan, store)
            return
        refuse_links(folder)
        remove_partial_files(folder)
        options = {
            "retry_failed": retry_failed,
            "reuse": ", ".join(str(other) for other in import_from),
        }
        try:
            with (
                terminable(),
                (executor or default_executor())(folder, used_extensions(plan.own)) as workers,
            ):
                store.add_start(versions(), describe_machine(), {**workers.settings, **options})
                execute(plan.tuning(), store, workers, on_progress)
                execute(plan.final(choose_settings(plan, store)), store, workers, on_progress)
        except KeyboardInterrupt:
            trials = trials_of(plan, store)
            left = count_remaining(plan, store)
            raise Stopped(
                f"stopped with {len(trials) - left} of {len(trials)} runs ended; the same command "
                "goes on from here"
            ) from None
        shutil.rmtree(folder / WARM_STARTS, ignore_errors=True)


@contextmanager
def terminable() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C, so that workers are ended and what was measured is reported."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def check_files(plan: Plan, store: Store) -> None:
    """Refuse the results of files that have changed since; workers check all that they open."""
    for name, facts in store.datasets().items():
        if name in plan.datasets and Path(name).is_file():
            task = plan.task_of(name)
            found = find_dataset(name, action_range=plan.action_range, task=task)
            store.add_dataset(name, {**facts, "hash": found.hash})


def restore_facts(plan: Plan, store: Store, folder: Path) -> None:
    """Compute damaged facts about datasets again."""
    for _, name in store.damaged("datasets"):
        trials = (t for t in trials_of(plan, store) if name in (t.dataset, t.filtered_name))
        for trial in [*trials][:1]:
            opened: list[Any] = []
            TrialRunner(folder).prepare(trial, opened.append)
            for each in opened:
                store.write_facts_again(each.dataset, each.facts)
            warn(store, f"{name}: its facts were damaged in the store; they were computed again")


def forget_failures(store: Store, folder: Path) -> None:
    """Forget the trials that have failed, with the files of their runs, so that they run again."""
    failed = [identity for identity, succeeded in store.succeeded().items() if not succeeded]
    if failed:
        for identity in failed:
            shutil.rmtree(folder / RUNS / identity, ignore_errors=True)
        store.forget(failed, f"{len(failed)} of the runs had failed and were tried again")


def import_trials(plan: Plan, store: Store, folder: Path) -> None:
    """Copy the measurements of this plan's trials from another study on the same data."""
    with read_store(folder) as other:
        ended, facts = other.ended(), other.datasets()
    for trials in (plan.tuning, lambda: plan.final(choose_settings(plan, store))):
        stored = store.succeeded()
        for trial in trials():
            found = ended.get(trial.identity)
            if trial.identity not in stored and found is not None and not found.measurement.failure:
                for name in {trial.dataset, trial.filtered_name} & facts.keys():
                    store.add_dataset(name, facts[name])
                store.add(trial, found.measurement)


def refuse_links(folder: Path) -> None:
    """Raise if the folders that runs are written to are links to somewhere else."""
    for place in (folder / RUNS, folder / WARM_STARTS, *(folder / RUNS).glob("*")):
        refuse_link(place)


def remove_partial_files(folder: Path) -> None:
    """Remove files that were only half written when the study was stopped."""
    for scratch in (*folder.glob(f"{RUNS}/*/.*"), *folder.glob(f"{WARM_STARTS}/.*")):
        shutil.rmtree(scratch, ignore_errors=True)


def count_remaining(plan: Plan, store: Store) -> int:
    """Count the trials that have not ended."""
    ended = store.succeeded()
    return sum(trial.identity not in ended for trial in trials_of(plan, store))
