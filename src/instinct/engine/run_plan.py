"""Running a plan from its first trial to its last, from wherever it stopped before."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from instinct.engine.local_executor import Executor, LocalWorkers
from instinct.engine.scheduler import Watch, execute
from instinct.engine.trial_runner import RUNS, WARM_STARTS
from instinct.study.plan import Plan
from instinct.study.store import Store, open_store, read_store
from instinct.study.tuning import choices, trials_of
from instinct.util.versions import versions

MakeExecutor = Callable[[Path], AbstractContextManager[Executor]]


def local(workers: int | None = None) -> MakeExecutor:
    """Workers on this machine, by default one for every core."""
    return lambda folder: LocalWorkers(folder, workers)


def run_plan(
    plan: Plan,
    folder: Path,
    watch: Watch,
    executor: MakeExecutor | None = None,
    take: Sequence[Path] = (),
) -> None:
    """Perform all trials of the plan that the store in the folder does not have yet.

    Those that the studies in the folders `take` have performed are taken over from them.
    """
    with open_store(folder, plan, versions()) as store:
        for other in take:
            take_over(plan, store, other)
        if not remaining(plan, store):
            return
        sweep(folder)
        with (executor or local())(folder) as workers:
            execute(plan.tuning(), store, workers, watch)
            execute(plan.final(choices(plan, store)), store, workers, watch)
        shutil.rmtree(folder / WARM_STARTS, ignore_errors=True)


def take_over(plan: Plan, store: Store, folder: Path) -> None:
    """Write down what another study has measured, on the same data, in trials of this plan."""
    with read_store(folder) as other:
        ended, facts = other.ended(), other.datasets()
    for trials in (plan.tuning, lambda: plan.final(choices(plan, store))):
        known = store.known()
        for trial in trials():
            found = ended.get(trial.identity)
            if trial.identity not in known and found is not None and not found.measured.failure:
                for name in {trial.dataset, trial.shown} & facts.keys():
                    store.add_dataset(name, facts[name])
                store.add(trial, found.measured)


def sweep(folder: Path) -> None:
    """Remove what was only half written when the study was stopped."""
    for scratch in (*folder.glob(f"{RUNS}/*/.*"), *folder.glob(f"{WARM_STARTS}/.*")):
        shutil.rmtree(scratch, ignore_errors=True)


def remaining(plan: Plan, store: Store) -> int:
    """How many trials have not ended."""
    known = store.known()
    return sum(trial.identity not in known for trial in trials_of(plan, store))
