"""Running a plan from its first trial to its last, from wherever it stopped before."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from instinct.deep.settings import Setting
from instinct.study.execution import Watch, execute
from instinct.study.performing import RUNS, WARM_STARTS
from instinct.study.plan import Cell, Plan
from instinct.study.results import versions
from instinct.study.store import Ended, Store, open_store, read_store
from instinct.study.trials import Trial
from instinct.study.tuning import RULES
from instinct.study.workers import Executor, LocalWorkers

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


def trials_of(plan: Plan, store: Store) -> list[Trial]:
    """All trials, each once, the final ones with the settings chosen by those that have ended."""
    trials = [*plan.tuning(), *plan.final(choices(plan, store))]
    return [*{trial.identity: trial for trial in trials}.values()]


def choices(plan: Plan, store: Store) -> dict[Cell, Mapping[str, Setting]]:
    """The combination that the plan's rule chooses for every cell that is tuned.

    A combination of which a trial failed or has not ended is not chosen; a cell without any other
    is left out.
    """
    ended = {
        identity: each for identity, each in store.ended().items() if not each.measured.failure
    }
    chosen: dict[Cell, Mapping[str, Setting]] = {}
    for cell in plan.cells():
        combinations = plan.combinations(cell)
        if len(combinations) > 1:
            found = {
                number: [each.measured for each in tried]
                for number, combination in enumerate(combinations)
                if (tried := of_combination(plan, cell, combination, ended))
            }
            if found:
                chosen[cell] = combinations[RULES[plan.rule](found)]
    return chosen


def of_combination(
    plan: Plan, cell: Cell, combination: Mapping[str, Setting], ended: Mapping[str, Ended]
) -> Sequence[Ended]:
    """The trials of all tuning seeds, or none if one of them is missing."""
    trials = [plan.trial(cell, combination, seed) for seed in plan.seeds_of_tuning]
    if any(trial.identity not in ended for trial in trials):
        return []
    return [ended[trial.identity] for trial in trials]
