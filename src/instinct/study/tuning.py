"""Choose the settings of every cell that is tuned, from the trials that have ended."""

from collections.abc import Mapping, Sequence

from instinct.deep.algorithms.settings import Setting
from instinct.study.plan import Cell, Plan
from instinct.study.rules import RULES
from instinct.study.store import EndedTrial, Store
from instinct.study.trials import Trial


def trials_of(plan: Plan, store: Store) -> list[Trial]:
    """All trials, each once, the final ones with the settings chosen by those that have ended."""
    trials = [*plan.tuning(), *plan.final(choose_settings(plan, store))]
    return [*{trial.identity: trial for trial in trials}.values()]


def choose_settings(plan: Plan, store: Store) -> dict[Cell, Mapping[str, Setting]]:
    """The combination that the plan's rule chooses for every cell that is tuned.

    A combination of which a trial failed or has not ended is not chosen; a cell without any other
    is left out.
    """
    ended = {
        identity: each for identity, each in store.ended().items() if not each.measurement.failure
    }
    chosen: dict[Cell, Mapping[str, Setting]] = {}
    for cell in plan.cells():
        combinations = plan.combinations(cell)
        if len(combinations) > 1:
            found = {
                number: [each.measurement for each in tried]
                for number, combination in enumerate(combinations)
                if (tried := of_combination(plan, cell, combination, ended))
            }
            if found:
                chosen[cell] = combinations[RULES[plan.rule](found)]
    return chosen


def of_combination(
    plan: Plan, cell: Cell, combination: Mapping[str, Setting], ended: Mapping[str, EndedTrial]
) -> Sequence[EndedTrial]:
    """The trials of all tuning seeds, or none if one of them is missing."""
    trials = [plan.trial(cell, combination, seed) for seed in plan.seeds_of_tuning]
    if any(trial.identity not in ended for trial in trials):
        return []
    return [ended[trial.identity] for trial in trials]
