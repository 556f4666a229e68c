"""Plans: which trials a study consists of."""

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from instinct.benchmarks.benchmark import Benchmark
from instinct.benchmarks.registry import find_benchmark, find_task, task_of
from instinct.data import ALL, PAPER_LABELS, find_label
from instinct.deep import ALGORITHMS
from instinct.deep.algorithms.settings import Setting
from instinct.errors import BadInput
from instinct.study.algorithm_settings import (
    Grid,
    all_settings,
    changed_settings,
    default_grid,
    is_tabular,
)
from instinct.study.algorithm_settings import reads_rewards as reads_rewards
from instinct.study.extensions import Description, declare, find_own, fingerprints
from instinct.study.plan_checks import check_plan
from instinct.study.trials import Trial
from instinct.tasks.simulation import End

Combination = Mapping[str, Setting]
"""Values of the tuned settings."""


class Cell(NamedTuple):
    """One cell of the results: settings are tuned per cell, and tables have one number for it."""

    dataset: str
    algorithm: str
    label: str
    filter: str = ALL

    def __str__(self) -> str:
        return " / ".join(self[:3] if self.filter == ALL else self)


@dataclass(frozen=True)
class Plan:
    """Every dataset with every algorithm under every label, after every filter.

    With `tuning_seeds`, every combination of an algorithm's grid is tried with that many seeds, and
    the rule chooses one combination per cell. Then `seeds` new seeds give the results, or the
    tuning seeds again if `new_seeds` is false. The grid is the paper's unless `grid` has another.
    An algorithm without a grid is not tuned.
    """

    name: str
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    description: str = ""
    labels: tuple[str, ...] = PAPER_LABELS
    preset: str = "paper"
    tuning_seeds: int = 0
    rule: str = "best-mean"
    seeds: int = 10
    new_seeds: bool = True
    first_seed: int = 0
    """The first seed, of tuning if there is any."""
    episodes: int = 50
    settings: Mapping[str, Mapping[str, Setting]] = field(default_factory=dict)
    grid: Mapping[str, Grid] = field(default_factory=dict)
    filters: tuple[str, ...] = ()
    """Every filter gives one version of the data; `all`, the default, removes nothing."""
    filters_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Filters of single algorithms, instead of `filters`."""
    remove_terminals: bool | None = None
    """Whether wrong labels remove terminal transitions; by default where terminals are falls."""
    assumed_end: End = "unknown"
    """What a terminal means where the task does not say it; an audit guesses it from the data."""
    task: str | None = None
    """The task to evaluate in; by default the one in which the dataset was recorded."""
    action_range: tuple[float, float] | None = None
    cost_target: float | None = None
    """The cost that a safe episode may have, by default the benchmark's, if it has one."""
    scaled: tuple[str, ...] = ()
    """How the plan was scaled down, in words."""
    own: Mapping[str, Description] = field(default_factory=dict)
    """The user's own objects that the plan names, such as `label:mine`; never their code."""
    frozen: Mapping["Cell", Mapping[str, Setting]] = field(default_factory=dict, compare=False)
    """All settings of cells as they were when the study began; others are those of today."""

    def __post_init__(self) -> None:
        declare(self.own)
        object.__setattr__(self, "labels", tuple(map(label_name, self.labels)))
        check_plan(self)

    def cells(self) -> Iterator[Cell]:
        """Return the cells that differ from each other.

        An algorithm that reads no rewards has one label. Where terminals are not falls, no-terminal
        is the same as original.
        """
        for dataset in self.datasets:
            falls = self.end_of(dataset) == "fall"
            for label in self.labels:
                for algorithm in self.algorithms:
                    needed = label == self.labels[0] or reads_rewards(algorithm)
                    if needed and (falls or label == find_label(label).base):
                        for name in self.filters_for(algorithm):
                            yield Cell(dataset, algorithm, label, name)

    def filters_for(self, algorithm: str) -> tuple[str, ...]:
        """Return the filters of an algorithm; each gives a cell of its own."""
        return self.filters_of.get(algorithm, self.filters) or (ALL,)

    @property
    def is_filtered(self) -> bool:
        """Whether any cell has a filter."""
        return any(self.filters_for(name) != (ALL,) for name in self.algorithms)

    @property
    def final_seeds(self) -> range:
        """The seeds of the results."""
        first = self.seeds_of_tuning.stop if self.new_seeds else self.first_seed
        return range(first, first + self.seeds)

    @property
    def seeds_of_tuning(self) -> range:
        return range(self.first_seed, self.first_seed + self.tuning_seeds)

    def combinations(self, cell: Cell) -> list[dict[str, Setting]]:
        """Return the combinations of settings to try; a single empty one if nothing is tuned."""
        if not self.tuning_seeds:
            return [{}]
        default = default_grid(cell.algorithm, self.task_of(cell.dataset))
        grid = self.grid.get(cell.algorithm, default)
        return [
            dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())
        ]

    def tuning(self) -> list[Trial]:
        """Return the trials that choose the settings."""
        return [
            self.trial(cell, combination, seed)
            for cell in self.cells()
            for combination in self.combinations(cell)
            if len(self.combinations(cell)) > 1
            for seed in self.seeds_of_tuning
        ]

    def final(self, chosen: Mapping[Cell, Combination]) -> list[Trial]:
        """Return the trials that give the results, with the chosen combinations.

        Without new seeds, some of them are trials of tuning. A tuned cell for which nothing was
        chosen has none.
        """
        settled = self.settled(chosen)
        return [
            self.trial(cell, combination, seed)
            for dataset in self.datasets
            for seed in self.final_seeds
            for cell, combination in settled.items()
            if cell.dataset == dataset
        ]

    def settled(self, chosen: Mapping[Cell, Combination]) -> dict[Cell, Combination]:
        """Return the combinations of all cells that were chosen or that have only one."""
        return {
            cell: chosen.get(cell, combinations[0])
            for cell in self.cells()
            for combinations in [self.combinations(cell)]
            if cell in chosen or len(combinations) == 1
        }

    def trial(self, cell: Cell, combination: Combination, seed: int) -> Trial:
        return Trial(
            dataset=cell.dataset,
            algorithm=cell.algorithm,
            label=cell.label,
            settings=self.settings_for(cell, combination),
            seed=seed,
            task=self.task_of(cell.dataset),
            episodes=self.episodes,
            filters=self.filters_of_cell(cell),
            action_range=self.action_range,
            own=fingerprints(self.own, cell.algorithm, cell.label, self.task_of(cell.dataset)),
        )

    def settings_for(self, cell: Cell, combination: Combination) -> dict[str, Setting]:
        """Return all settings of a cell: the paper's, the preset's, the plan's and the grid's."""
        if find_own(cell.algorithm) is not None:
            return {}
        if cell in self.frozen:
            return {**self.frozen[cell], **combination}
        given = dict(self.settings.get(cell.algorithm, {})) | dict(combination)
        task = self.task_of(cell.dataset)
        return all_settings(cell.algorithm, task, self.preset, given)

    def changes(self, cell: Cell, combination: Combination) -> dict[str, Setting]:
        """Return the settings of a cell that differ from the paper's."""
        settings = self.settings_for(cell, combination)
        return changed_settings(cell.algorithm, self.task_of(cell.dataset), settings)

    def task_of(self, dataset: str) -> str:
        """Return the name of the task in which policies are evaluated; empty if there is none."""
        return recorded_task(dataset) if self.task is None else self.task

    def benchmark_of(self, dataset: str) -> Benchmark:
        """Return the family of the task in which policies are evaluated."""
        return find_benchmark(self.task_of(dataset))

    def end_of(self, dataset: str) -> End:
        """Return what a terminal means, by the task or by what the plan assumes."""
        known = self.task_end(dataset)
        return self.assumed_end if known == "unknown" else known

    def task_end(self, dataset: str) -> End:
        """Return what a terminal means in the task in which policies are evaluated."""
        task = self.task_of(dataset)
        return find_task(task).end if task else "unknown"

    def cost_target_of(self, dataset: str) -> float | None:
        """Return the cost that a safe episode may have, or None where there is no target."""
        if self.cost_target is not None:
            return self.cost_target
        task = self.task_of(dataset)
        return find_task(task).cost_target if task else find_benchmark(dataset).cost_target

    def filters_of_cell(self, cell: Cell) -> tuple[str, ...]:
        """Return the filters that are applied to the data of a cell, in order."""
        own = () if cell.filter == ALL else (cell.filter,)
        return own + (("no-terminals",) if self.without_terminals(cell) else ())

    def without_terminals(self, cell: Cell) -> bool:
        """Tell whether the terminal transitions of a cell are removed."""
        label = find_label(cell.label)
        if label.remove_terminals is not None or not label.wrong:
            return bool(label.remove_terminals)
        if self.remove_terminals is None:
            return self.end_of(cell.dataset) == "fall"
        return self.remove_terminals

    @cached_property
    def content(self) -> dict[str, Any]:
        """The plan as plain data, as it is stored; without the frozen settings.

        An assumption that was not made is left out, as in plans of earlier versions.
        """
        content: dict[str, Any] = json.loads(json.dumps(asdict(replace(self, frozen={}))))
        del content["frozen"]
        if self.assumed_end == "unknown":
            del content["assumed_end"]
        return content

    def freeze(self) -> dict["Cell", dict[str, Setting]]:
        """Return all settings of every cell, without tuned ones."""
        return {cell: self.settings_for(cell, {}) for cell in self.cells()}

    def scale_down(self, subset: tuple[str, ...], seeds: int | None, steps: int | None) -> "Plan":
        """Return a smaller plan: a subset of the cells, fewer seeds, fewer training steps."""
        smaller, scaled = self, []
        if subset:
            smaller = replace(smaller, **self.select(subset))
            scaled.append(f"only {', '.join(subset)}")
        if seeds is not None and seeds != self.seeds:
            tuning = min(self.tuning_seeds, seeds)
            smaller = replace(smaller, seeds=seeds, tuning_seeds=tuning)
            scaled.append(f"{seeds} seeds instead of {self.seeds}")
        if steps is not None:
            trained = not all(is_tabular(self.task_of(each)) for each in smaller.datasets)
            deep = [name for name in smaller.algorithms if trained and name in ALGORITHMS]
            known = smaller.settings
            shorter = {name: {**known.get(name, {}), "steps": steps} for name in deep}
            smaller = replace(smaller, settings={**known, **shorter})
            scaled.append(f"{steps:,} training steps")
        return replace(smaller, scaled=(*self.scaled, *scaled))

    def select(self, subset: tuple[str, ...]) -> dict[str, Any]:
        """Return the named datasets, algorithms and labels; all of a kind if none is named."""
        selected: dict[str, Any] = {}
        names = {*subset}
        for kind in ("datasets", "algorithms", "labels"):
            named = tuple(value for value in getattr(self, kind) if value in names)
            names -= {*named}
            if named:
                selected[kind] = named
        if names:
            known = ", ".join([*self.datasets, *self.algorithms, *self.labels])
            raise BadInput(f"{self.name} has no {', '.join(sorted(names))}; it has {known}")
        algorithms = selected.get("algorithms", self.algorithms)
        for kind in ("settings", "grid", "filters_of"):
            section = getattr(self, kind)
            selected[kind] = {key: section[key] for key in section if key in algorithms}
        return selected


def label_name(name: str) -> str:
    """Return the name of a label in its shortest form, or raise if there is no such label."""
    try:
        return find_label(name).name
    except BadInput as fault:
        raise BadInput(fault.problem, field="labels") from None


def recorded_task(dataset: str) -> str:
    """Return the task in which a dataset was recorded; empty if it is not known."""
    return task_of(dataset) or ""
