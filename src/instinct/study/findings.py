"""The findings of a study: the results of every cell, the datasets, and what is missing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from instinct.data import Array
from instinct.deep.algorithms.settings import Setting
from instinct.errors import BadInput
from instinct.study.bias import PositiveBias, positive_bias
from instinct.study.estimates import DatasetEstimates
from instinct.study.facts import add_normalized_costs
from instinct.study.measurement import QUANTITIES, add_normalized_cost
from instinct.study.plan import Cell, Plan, reads_rewards
from instinct.study.starts import Start
from instinct.study.store import EndedTrial, Store, read_store
from instinct.study.trials import filtered_name
from instinct.study.tuning import choose_settings, trials_of


@dataclass(frozen=True)
class CellResult:
    """The results of one algorithm on one dataset under one label, after one filter."""

    cell: Cell
    seeds: tuple[int, ...]
    means: Mapping[str, Array]
    """The mean over test episodes of every quantity, per seed."""
    settings: Mapping[str, Setting]
    """The tuned settings."""
    changes: Mapping[str, Setting]
    """All settings that differ from the paper's."""
    curves: Mapping[str, Array] = field(default_factory=dict)
    """Metrics during training, [seeds, points]."""
    progress: Mapping[str, Array] = field(default_factory=dict)
    """Quantities of policies during training, [seeds, points], with their `step`."""
    diagnostics: Mapping[str, Array] = field(default_factory=dict)
    """Numbers about the trained agents, per seed."""
    actions: Array | None = None
    """Actions of the policies at some recorded states, [seeds, states, dimensions]."""
    missing: tuple[str, ...] = ()
    """Why seeds are missing."""


@dataclass(frozen=True)
class Tried:
    """The tuning runs of a cell with one combination of settings."""

    cell: Cell
    settings: Mapping[str, Setting]
    seeds: tuple[int, ...]
    means: Mapping[str, Array]
    """The mean over test episodes of every quantity, per seed."""


@dataclass(frozen=True, repr=False)
class Findings:
    """Everything that a report needs, read from a store.

    >>> import instinct
    >>> found = instinct.audit("gridworld", seeds=2, episodes=10, folder="grid", progress=False)
    >>> found.findings
    Findings(audit of gridworld: 10 of 10 runs ended)
    >>> found.findings.by_label("gridworld", "PEVI", "length")["zero"].tolist()
    [9.0, 9.0]
    """

    plan: Plan
    results: Mapping[Cell, CellResult]
    data: Mapping[str, Mapping[str, Any]]
    """Facts about every dataset that was opened, and about what filters removed."""
    versions: Mapping[str, str]
    trials: int
    ended: int
    failed: int
    seconds: float
    missing: tuple[str, ...]
    tried: tuple[Tried, ...] = ()
    """The tuning runs that have ended."""
    warnings: tuple[str, ...] = ()
    """What was damaged and made again, what had failed and was tried again, other versions."""
    starts: tuple[Start, ...] = ()
    """With which versions, where and how runs were started."""
    estimates: Mapping[str, DatasetEstimates] = field(default_factory=dict)
    """Estimates of policies without a simulator, by dataset."""

    def __repr__(self) -> str:
        return f"Findings({self.plan.name}: {self.ended} of {self.trials} runs ended)"

    @property
    def machines(self) -> list[str]:
        """Where runs were started."""
        return [*dict.fromkeys(start.machine for start in self.starts)]

    def quantities(self) -> list[str]:
        """Return the measured quantities, the main one first."""
        there = {name for found in self.results.values() for name in found.means}
        return [name for name in QUANTITIES if name in there]

    @property
    def main(self) -> str | None:
        """The main quantity; None if nothing was evaluated."""
        return next(iter(self.quantities()), None)

    def outdated(self) -> list[str]:
        """Return the algorithms whose settings differ from those that the plan has today."""
        found = (each for each in self.results.values() if each.seeds)
        return [*dict.fromkeys(each.cell.algorithm for each in found if not self.is_current(each))]

    def is_current(self, found: CellResult) -> bool:
        """Tell whether a cell was run with the settings that the plan has today."""
        return found.changes == self.plan.changes(found.cell, found.settings)

    def result(
        self, dataset: str, algorithm: str, label: str, filter_name: str = ""
    ) -> CellResult | None:
        """Return the result of a cell; an algorithm that reads no rewards has one for all labels.

        By default `filter_name` is the algorithm's first filter.
        """
        label = label if reads_rewards(algorithm) else self.plan.labels[0]
        filter_name = filter_name or self.plan.filters_for(algorithm)[0]
        return self.results.get(Cell(dataset, algorithm, label, filter_name))

    def removed(self, cell: Cell) -> Mapping[str, Any] | None:
        """Return the facts about what the filters of a cell removed, if they have been applied."""
        return self.data.get(filtered_name(cell.dataset, self.plan.filters_of_cell(cell)))

    def by_label(self, dataset: str, algorithm: str, quantity: str) -> dict[str, Array]:
        """Return the means of all seeds under every label that was run."""
        cells = ((label, self.result(dataset, algorithm, label)) for label in self.plan.labels)
        return {
            label: found.means[quantity]
            for label, found in cells
            if found is not None and quantity in found.means
        }

    def has_rewards(self, dataset: str) -> bool:
        """Tell whether the recorded data have rewards, as far as they were opened."""
        return bool(self.data.get(dataset, {}).get("has_rewards", True))

    def has_discrete_actions(self, dataset: str) -> bool:
        """Tell whether the recorded actions are discrete, as far as the data were opened."""
        return "discrete_actions" in self.data.get(dataset, {})

    def reference_label(self, dataset: str) -> str:
        """Return the label that others are compared with: the first one if data have no rewards."""
        return "original" if self.has_rewards(dataset) else self.plan.labels[0]

    def action_distance(self, dataset: str, algorithm: str, label: str) -> float | None:
        """Return how far the actions under a label are from those under the reference label.

        This is the root mean square over recorded states and over pairs of different seeds, so that
        for the reference, the true rewards, it is the effect of the seed. Actions are scaled to
        [-1, 1]. For discrete actions it is the share of states in which they differ.
        """
        under_label = self.result(dataset, algorithm, label)
        true = self.result(dataset, algorithm, self.reference_label(dataset))
        if under_label is None or true is None:
            return None
        if under_label.actions is None or true.actions is None:
            return None
        discrete = self.has_discrete_actions(dataset)
        gaps = [
            (one != other).mean() if discrete else ((one - other) ** 2).mean()
            for i, one in zip(under_label.seeds, under_label.actions, strict=True)
            for j, other in zip(true.seeds, true.actions, strict=True)
            if i != j
        ]
        if not gaps:
            return None
        return float(np.mean(gaps) if discrete else np.sqrt(np.mean(gaps)))

    def best(self, dataset: str) -> float | None:
        """Return J* of the dataset's task, or the best mean under the true rewards if unknown."""
        main = self.main
        if main is None:
            return None
        known = self.known_best(dataset)
        if known is not None:
            return known
        means = [
            float(found.means[main].mean())
            for cell, found in self.results.items()
            if cell.dataset == dataset and cell.label == "original" and main in found.means
        ]
        return max(means, default=None)

    def known_best(self, dataset: str) -> float | None:
        """Return J*, the main quantity of an optimal policy, where the task has a known one."""
        benchmark = self.plan.benchmark_of(dataset)
        return benchmark.best_score if benchmark.score_name == self.main else None

    def bias(self, dataset: str, algorithm: str) -> PositiveBias | None:
        """Return the positive bias of an algorithm; None if it cannot be estimated."""
        best, main = self.best(dataset), self.main
        if main is None or best is None or not reads_rewards(algorithm):
            return None
        try:
            return positive_bias(self.by_label(dataset, algorithm, main), best)
        except BadInput:
            return None


def read_findings(folder: Path) -> Findings:
    """Read the findings from the store in the folder, finished or not."""
    with read_store(folder) as store:
        return findings(store)


def findings(store: Store) -> Findings:
    plan = store.plan
    ended, chosen = store.ended(), choose_settings(plan, store)
    trials, deaths = trials_of(plan, store), store.deaths()
    settled = plan.settled(chosen)
    final = [
        (cell, plan.trial(cell, combination, seed))
        for cell, combination in settled.items()
        for seed in plan.final_seeds
    ]
    rows: dict[Cell, list[EndedTrial]] = {cell: [] for cell in plan.cells()}
    missing: dict[Cell, list[str]] = {cell: [] for cell in plan.cells()}
    for cell in plan.cells():
        if cell not in settled:
            missing[cell].append("no settings were chosen: tuning failed or has not ended")
    for cell, trial in final:
        row = ended.get(trial.identity)
        if row is None:
            reason = deaths.get(trial.identity, ["not run yet"])[-1]
            missing[cell].append(f"seed {trial.seed}: {reason}")
        elif row.measurement.failure:
            missing[cell].append(f"seed {trial.seed}: {row.measurement.failure}")
        else:
            rows[cell].append(row)
    results = {trial.identity for _, trial in final}
    failed = [
        f"tuning of {row.trial}: {row.measurement.failure}"
        for row in ended.values()
        if row.measurement.failure and row.trial.identity not in results
    ]
    return Findings(
        plan=plan,
        results={
            cell: CellResult(
                cell=cell,
                seeds=tuple(row.trial.seed for row in rows[cell]),
                means=seed_means(rows[cell], plan.cost_target_of(cell.dataset)),
                settings=chosen.get(cell, {}),
                changes=plan.changes(cell, chosen.get(cell, {})),
                curves=curves(rows[cell]),
                progress=same_steps([row.measurement.progress for row in rows[cell]]),
                diagnostics=diagnostics(rows[cell]),
                actions=actions(rows[cell]),
                missing=tuple(missing[cell]),
            )
            for cell in plan.cells()
        },
        data={
            name: add_normalized_costs(facts, plan.cost_target_of(name))
            if name in plan.datasets
            else facts
            for name, facts in store.datasets().items()
        },
        versions=store.note("versions"),
        trials=len(trials),
        ended=sum(trial.identity in ended for trial in trials),
        failed=sum(bool(row.measurement.failure) for row in ended.values()),
        seconds=store.seconds(),
        missing=(
            *(f"{cell}: {reason}" for cell in missing for reason in missing[cell]),
            *failed,
        ),
        tried=tuple(tuning_runs(plan, ended)),
        warnings=tuple(store.warnings()),
        starts=tuple(store.starts()),
        estimates=store.estimates(),
    )


def tuning_runs(plan: Plan, ended: Mapping[str, EndedTrial]) -> Iterator[Tried]:
    """Yield what every combination of settings of every tuned cell has given."""
    for cell in plan.cells():
        combinations = plan.combinations(cell)
        for combination in combinations if len(combinations) > 1 else ():
            trials = [plan.trial(cell, combination, seed) for seed in plan.seeds_of_tuning]
            there = [ended[trial.identity] for trial in trials if trial.identity in ended]
            rows = [row for row in there if not row.measurement.failure]
            if rows:
                seeds = tuple(row.trial.seed for row in rows)
                means = seed_means(rows, plan.cost_target_of(cell.dataset))
                yield Tried(cell, combination, seeds, means)


def seed_means(rows: list[EndedTrial], cost_target: float | None) -> dict[str, Array]:
    """Return every quantity's mean over test episodes, per seed, with `normalized_cost`."""
    names = rows[0].measurement.episodes if rows else ()
    means = {name: np.array([row.measurement.mean(name) for row in rows]) for name in names}
    return add_normalized_cost(means, cost_target)


def actions(rows: list[EndedTrial]) -> Array | None:
    """Return the known actions at recorded states."""
    known = [row.measurement.actions for row in rows if row.measurement.actions]
    return np.array(known) if known else None


def curves(rows: list[EndedTrial]) -> dict[str, Array]:
    """Return the metrics that all seeds have at the same steps."""
    return same_steps([row.measurement.curves for row in rows])


def same_steps(found: Sequence[Mapping[str, tuple[float, ...]]]) -> dict[str, Array]:
    """Stack columns of all seeds, [seeds, points]; none if seeds have other steps or columns."""
    if not found or any(each.get("step") != found[0].get("step") for each in found):
        return {}
    names = [name for name in found[0] if all(name in each for each in found)]
    return {name: np.array([each[name] for each in found]) for name in names}


def diagnostics(rows: list[EndedTrial]) -> dict[str, Array]:
    """Return the diagnostics that all seeds have."""
    found = [row.measurement.diagnostics for row in rows]
    names = [name for name in found[0] if all(name in each for each in found)] if found else []
    return {name: np.array([each[name] for each in found]) for name in names}
