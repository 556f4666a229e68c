"""Plans: which trials a study consists of, checked before anything starts."""

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from instinct.benchmarks.benchmark import Benchmark
from instinct.benchmarks.registry import find_benchmark, find_task, task_of
from instinct.data import ALL, PAPER_LABELS, find_filter, find_label
from instinct.deep import ALGORITHMS, configure, find_algorithm, settings_of
from instinct.deep.algorithms.settings import Setting
from instinct.errors import BadInput
from instinct.study.presets import PRESETS, preset
from instinct.study.rules import RULES
from instinct.study.tabular_settings import tabular_settings
from instinct.study.trials import Trial
from instinct.tabular.registry import ALGORITHMS as TABULAR
from instinct.tasks.simulation import End

LEAST = {"tuning_seeds": 0, "seeds": 1, "first_seed": 0, "episodes": 1}
"""The whole numbers of a plan, and how small each may be."""

Combination = Mapping[str, Setting]
"""Values of the settings that are tuned."""


class Cell(NamedTuple):
    """What is tuned, and what a table has one number for."""

    dataset: str
    algorithm: str
    label: str
    filter: str = ALL

    def __str__(self) -> str:
        return " / ".join(self[:3] if self.filter == ALL else self)


@dataclass(frozen=True)
class Plan:
    """Every dataset with every algorithm under every label, after every filter.

    With `tuning_seeds`, every combination of an algorithm's grid is tried with so many seeds, the
    rule chooses one for every cell, and `seeds` new ones give the results, or the same ones if
    `new_seeds` is false. The grid is the paper's unless `grid` has another; an algorithm without a
    grid is not tuned.
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
    """The seeds count from it, those of tuning as well."""
    episodes: int = 50
    settings: Mapping[str, Mapping[str, Setting]] = field(default_factory=dict)
    grid: Mapping[str, Mapping[str, tuple[Setting, ...]]] = field(default_factory=dict)
    filters: tuple[str, ...] = ()
    """Each shows the data without what it removes; `all`, as where there is none, as they are."""
    filters_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The filters of algorithms that have others than the rest."""
    remove_terminals: bool | None = None
    """Under wrong labels; by default where terminals are falls."""
    task: str | None = None
    """By default the one that the dataset was recorded in."""
    action_range: tuple[float, float] | None = None
    scaled: tuple[str, ...] = ()
    """What was made smaller than planned, in words."""

    def __post_init__(self) -> None:
        for name, least in LEAST.items():
            if getattr(self, name) < least:
                raise BadInput(f"must be at least {least}", field=name)
        object.__setattr__(self, "labels", tuple(map(label_name, self.labels)))
        for name in ("datasets", "algorithms", "labels"):
            values = getattr(self, name)
            if not values or len({*values}) < len(values):
                raise BadInput("must name at least one, and none twice", field=name)
        if self.preset not in PRESETS:
            known = ", ".join(PRESETS)
            raise BadInput(f"there are {known}, not {self.preset!r}", field="preset")
        if self.rule not in RULES:
            raise BadInput(f"there are {', '.join(RULES)}, not {self.rule!r}", field="rule")
        for names in (self.filters, *self.filters_of.values()):
            if len({*names}) < len(names):
                raise BadInput("none may be named twice", field="filters")
            for name in {*names} - {ALL}:
                find_filter(name)
        if self.tuning_seeds and not all(map(self.task_of, self.datasets)):
            raise BadInput("needs a task to judge in for every dataset", field="tuning_seeds")
        for task in {*map(self.task_of, self.datasets)} - {""}:
            find_task(task)
        if self.rule == "safe" and None in map(self.cost_target_of, self.datasets):
            raise BadInput("safe needs a task with a cost target for every dataset", field="rule")
        for section in (self.settings, self.grid, self.filters_of):
            for algorithm in section:
                if algorithm not in self.algorithms:
                    raise BadInput(f"{algorithm} is not among the algorithms of the plan")
        for cell in self.cells():
            for combination in self.combinations(cell):
                self.trial(cell, combination, seed=0)

    def cells(self) -> Iterator[Cell]:
        """Those that differ: an algorithm that reads no rewards has one label.

        Without falls there is no difference between no-terminal and original.
        """
        for dataset in self.datasets:
            falls = self.end_of(dataset) == "fall"
            for label in self.labels:
                for algorithm in self.algorithms:
                    needed = label == self.labels[0] or reads_rewards(algorithm)
                    if needed and (falls or label == find_label(label).base):
                        for shown in self.filters_for(algorithm):
                            yield Cell(dataset, algorithm, label, shown)

    def filters_for(self, algorithm: str) -> tuple[str, ...]:
        """The filters that an algorithm learns after, each on its own; `all` is none."""
        return self.filters_of.get(algorithm, self.filters) or (ALL,)

    @property
    def is_filtered(self) -> bool:
        """Whether any cell goes through a filter."""
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
        """The settings to be tried; one, and empty, if nothing is tuned."""
        if not self.tuning_seeds or cell.algorithm not in ALGORITHMS:
            return [{}]
        grid = self.grid.get(cell.algorithm, find_algorithm(cell.algorithm).GRID)
        return [
            dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())
        ]

    def tuning(self) -> list[Trial]:
        """The trials that choose the settings."""
        return [
            self.trial(cell, combination, seed)
            for cell in self.cells()
            for combination in self.combinations(cell)
            if len(self.combinations(cell)) > 1
            for seed in self.seeds_of_tuning
        ]

    def final(self, chosen: Mapping[Cell, Combination]) -> list[Trial]:
        """The trials that give the results; with old seeds, some of them are trials of tuning.

        A cell that is tuned and for which nothing was chosen has none.
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
        """The settings of all cells for which they were chosen or which have no choice."""
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
            settings=self.configured(cell, combination),
            seed=seed,
            task=self.task_of(cell.dataset),
            episodes=self.episodes,
            filters=self.filters_of_cell(cell),
            action_range=self.action_range,
        )

    def configured(self, cell: Cell, combination: Combination) -> dict[str, Setting]:
        """All settings of the algorithm, from the paper, the preset, the plan and the grid."""
        given = dict(self.settings.get(cell.algorithm, {})) | dict(combination)
        if self.benchmark_of(cell.dataset).algorithms == "tabular":
            horizon = find_task(self.task_of(cell.dataset)).horizon
            return tabular_settings(cell.algorithm, given, horizon)
        if cell.algorithm not in ALGORITHMS:
            raise BadInput(
                f"{cell.algorithm!r} is no deep algorithm; for {cell.dataset} there are "
                f"{', '.join(ALGORITHMS)}",
                field="algorithms",
            )
        label = find_label(cell.label).base
        smaller = preset(self.preset, cell.algorithm, label, self.task_of(cell.dataset))
        return settings_of(configure(cell.algorithm, {**smaller, **given}))

    def changes(self, cell: Cell, combination: Combination) -> dict[str, Setting]:
        """Those settings that are not the paper's own."""
        configured = self.configured(cell, combination)
        tabular = self.benchmark_of(cell.dataset).algorithms == "tabular"
        if tabular or cell.algorithm not in ALGORITHMS:
            return configured
        own = settings_of(configure(cell.algorithm))
        return {name: value for name, value in configured.items() if value != own[name]}

    def task_of(self, dataset: str) -> str:
        """Return the name of the task in which policies are evaluated; empty if there is none."""
        return recorded_task(dataset) if self.task is None else self.task

    def benchmark_of(self, dataset: str) -> Benchmark:
        """Return the family of the task in which policies are evaluated."""
        return find_benchmark(self.task_of(dataset))

    def end_of(self, dataset: str) -> End:
        """Return what a terminal means in the task in which policies are evaluated."""
        task = self.task_of(dataset)
        return find_task(task).end if task else "unknown"

    def cost_target_of(self, dataset: str) -> float | None:
        """Return the cost that a safe episode may have in the dataset's task."""
        task = self.task_of(dataset)
        return find_task(task).cost_target if task else None

    def filters_of_cell(self, cell: Cell) -> tuple[str, ...]:
        """The filters that the data of a cell go through."""
        own = () if cell.filter == ALL else (cell.filter,)
        return own + (("no-terminals",) if self.without_terminals(cell) else ())

    def without_terminals(self, cell: Cell) -> bool:
        """Whether the terminal transitions are removed."""
        label = find_label(cell.label)
        if label.remove_terminals is not None or not label.wrong:
            return bool(label.remove_terminals)
        if self.remove_terminals is None:
            return self.end_of(cell.dataset) == "fall"
        return self.remove_terminals

    @cached_property
    def content(self) -> dict[str, Any]:
        """The plan as plain data, as a store keeps it."""
        content: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return content

    def scale_down(self, subset: tuple[str, ...], seeds: int | None, steps: int | None) -> "Plan":
        """A smaller study: only some datasets, fewer seeds, fewer training steps."""
        smaller, said = self, []
        if subset:
            smaller = replace(smaller, **self.only(subset))
            said.append(f"only {', '.join(subset)}")
        if seeds is not None and seeds != self.seeds:
            tuning = min(self.tuning_seeds, seeds)
            smaller = replace(smaller, seeds=seeds, tuning_seeds=tuning)
            said.append(f"{seeds} seeds instead of {self.seeds}")
        if steps is not None:
            deep = [name for name in smaller.algorithms if name in ALGORITHMS]
            shorter = {name: {**self.settings.get(name, {}), "steps": steps} for name in deep}
            smaller = replace(smaller, settings={**self.settings, **shorter})
            said.append(f"{steps:,} training steps")
        return replace(smaller, scaled=(*self.scaled, *said))

    def only(self, subset: tuple[str, ...]) -> dict[str, Any]:
        """Those datasets, algorithms and labels that the words name, all where none is named."""
        kept: dict[str, Any] = {}
        words = {*subset}
        for name in ("datasets", "algorithms", "labels"):
            named = tuple(value for value in getattr(self, name) if value in words)
            words -= {*named}
            if named:
                kept[name] = named
        if words:
            known = ", ".join([*self.datasets, *self.algorithms, *self.labels])
            raise BadInput(f"{self.name} has no {', '.join(sorted(words))}; it has {known}")
        algorithms = kept.get("algorithms", self.algorithms)
        for name in ("settings", "grid", "filters_of"):
            section = getattr(self, name)
            kept[name] = {key: section[key] for key in section if key in algorithms}
        return kept


def label_name(name: str) -> str:
    """Return the name of a label in its shortest form, or raise if there is no such label."""
    try:
        return find_label(name).name
    except BadInput as fault:
        raise BadInput(fault.problem, field="labels") from None


def recorded_task(dataset: str) -> str:
    """Return the task in which a dataset was recorded; empty if it is not known."""
    return task_of(dataset) or ""


def reads_rewards(algorithm: str) -> bool:
    """Return whether an algorithm learns from rewards; one that is not registered does."""
    if algorithm in ALGORITHMS:
        return ALGORITHMS[algorithm].READS_REWARDS
    return algorithm not in TABULAR or TABULAR[algorithm].reads_rewards
