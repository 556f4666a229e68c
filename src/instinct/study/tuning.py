"""Choose the settings of every tuned cell from the trials that have ended."""

from collections.abc import Mapping, Sequence

from instinct.deep.algorithms.settings import Setting
from instinct.study.plan import Cell, Plan
from instinct.study.rules import RULES
from instinct.study.store import EndedTrial, Store
from instinct.study.trials import Trial


def trials_of(plan: Plan, store: Store) -> list[Trial]:
    """Return all trials, each once; final ones have the settings that tuning has chosen so far."""
    trials = [*plan.tuning(), *plan.final(choose_settings(plan, store))]
    return [*{trial.identity: trial for trial in trials}.values()]


def choose_settings(plan: Plan, store: Store) -> dict[Cell, Mapping[str, Setting]]:
    """Choose one combination for every tuned cell with the plan's rule.

    A combination with a failed or missing trial is not chosen. A cell without any complete
    combination is left out.
    """
    succeeded = {
        identity: each for identity, each in store.ended().items() if not each.measurement.failure
    }
    chosen: dict[Cell, Mapping[str, Setting]] = {}
    for cell in plan.cells():
        combinations = plan.combinations(cell)
        if len(combinations) > 1:
            measurements = {
                number: [each.measurement for each in tried]
                for number, combination in enumerate(combinations)
                if (tried := trials_of_combination(plan, cell, combination, succeeded))
            }
            if measurements:
                rule, target = RULES[plan.rule], plan.cost_target_of(cell.dataset)
                chosen[cell] = combinations[rule(measurements, target)]
    return chosen


def trials_of_combination(
    plan: Plan, cell: Cell, combination: Mapping[str, Setting], succeeded: Mapping[str, EndedTrial]
) -> Sequence[EndedTrial]:
    """Return the trials of all tuning seeds, or none if one of them is missing."""
    trials = [plan.trial(cell, combination, seed) for seed in plan.seeds_of_tuning]
    if any(trial.identity not in succeeded for trial in trials):
        return []
    return [succeeded[trial.identity] for trial in trials]
