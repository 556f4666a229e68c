"""A benchmark: one family of tasks, its datasets, and everything else that is known of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from instinct.benchmarks.recipe import Recipe
from instinct.data import ActionRange, Array, Dataset
from instinct.deep.algorithms.settings import Settings
from instinct.errors import BadInput
from instinct.tasks.simulation import End, Task
from instinct.util.progress import Progress, no_progress


class DisplayName(NamedTuple):
    """The place of a dataset in figures: groups stand together, in the given order."""

    group: str
    text: str
    order: int = 0


class Benchmark:
    """One family of tasks and datasets.

    A family of your own is a subclass that sets some of the attributes and defines `task`;
    `register_benchmark` makes its names known everywhere.
    """

    name: str = ""
    title: str = ""
    prefix: str = ""
    """How the names of its tasks and datasets begin, such as "metaworld:"."""
    file_prefix: str = ""
    """How the names of downloaded files of the family begin, such as "d4rl:"."""
    tasks: tuple[str, ...] = ()
    datasets: Mapping[str, Recipe] = {}
    """The datasets that are made here, by name."""

    algorithms: Literal["deep", "tabular"] = "deep"
    """Which kind of algorithm learns in this family."""
    default_algorithms: tuple[str, ...] = ("BC", "ATAC", "PSPI")
    test_episodes: int = 50
    """Test episodes of every agent in an audit."""
    cost_target: float | None = None
    """The cost that a safe episode may have."""

    score_name: str = "return"
    """The quantity that policies are compared by: return, score or success."""
    score_digits: int = 2
    """Decimals of the normalized score in tables."""

    paper_settings: Mapping[str, Settings] = {}
    """By algorithm: where the paper's settings for this family differ from the algorithm's."""
    quick_settings: Mapping[str, Settings] = {}
    """By algorithm: the quick settings, where they differ from the algorithm's."""
    paper_tables: Mapping[str, tuple[str, ...]] = {}
    """By quantity: the paper's tables on this family."""

    @property
    def best_score(self) -> float | None:
        """J*, the best value of the quantity `score_name`, if it is known."""
        return None

    def task(self, name: str) -> Task:
        """Return the task of that name."""
        raise BadInput(f"{self.title or 'this family'} has no task {name!r}")

    def owns(self, name: str) -> bool:
        """Tell whether the name of a task or dataset belongs to the family."""
        prefixed = any(name.startswith(each) for each in self.prefixes)
        return prefixed or name in self.tasks or self.has_dataset(name)

    @property
    def prefixes(self) -> tuple[str, ...]:
        return tuple(each for each in (self.prefix, self.file_prefix) if each)

    def prefix_of(self, name: str) -> str:
        """Return the family's prefix in a name; empty if it has none."""
        return next((each for each in self.prefixes if name.startswith(each)), "")

    def short_name(self, name: str) -> str:
        """Return the name without the family's prefix."""
        return name.removeprefix(self.prefix_of(name))

    def has_dataset(self, name: str) -> bool:
        """Tell whether the family has a dataset of that name, made here or downloaded."""
        return self.is_file(name) or self.is_made(name)

    def is_file(self, name: str) -> bool:
        return bool(self.file_prefix) and name.startswith(self.file_prefix)

    def is_made(self, name: str) -> bool:
        return self.listed_name(name) in self.datasets

    def listed_name(self, name: str) -> str:
        """Return the name under which `datasets` lists a dataset: without a size or a variant."""
        return base_name(name)

    def variant(self, recipe: Recipe, name: str) -> Recipe:
        """Return the variant of a listed recipe that a name without size asks for."""
        del name
        return recipe

    def recipe(self, name: str, transitions: int | None = None) -> Recipe:
        """Return the recipe of a dataset that is made here.

        `hopper-medium@200000` and `transitions` ask for another size than the dataset's own.
        """
        base, _, size = name.partition("@")
        recipe = self.variant(self.datasets[self.listed_name(name)], base)
        if "@" in name:
            if not size.isdecimal() or int(size) == 0:
                raise BadInput(f"{name!r}: after @ comes a number of transitions")
            transitions = int(size)
        return recipe if transitions is None else recipe.resize(transitions)

    def find_dataset(
        self,
        name: str,
        *,
        action_range: ActionRange | None = None,
        on_progress: Progress = no_progress,
    ) -> Dataset:
        """Open a dataset of the family, and make it first if necessary."""
        if self.is_file(name):
            return self.read_file(name, action_range)
        return self.recipe(name).dataset(on_progress)

    def read_file(self, name: str, action_range: ActionRange | None = None) -> Dataset:
        """Read a downloaded file of the family by its name."""
        del action_range
        raise BadInput(f"{self.title} has no file {name!r}")

    def files(self) -> Mapping[str, Path]:
        """Return the downloaded files of the family that are in the data folder, by name."""
        return {}

    def task_of(self, dataset: str) -> str | None:
        """Return the task in which a dataset was recorded."""
        return self.datasets[self.listed_name(dataset)].task if self.is_made(dataset) else None

    def end_of(self, dataset: str) -> End:
        """Return what the terminals of a dataset mean."""
        task = self.task_of(dataset)
        return "unknown" if task is None else self.task(task).end

    def goals_end(self, dataset: str) -> bool:
        """Tell whether the terminals of a dataset mark successes."""
        return self.score_name == "success" and self.end_of(dataset) == "goal"

    def quality_of(self, dataset: str) -> str:
        """Return the quality of a dataset that is made here, such as "medium"."""
        return self.datasets[self.listed_name(dataset)].quality if self.is_made(dataset) else ""

    def recorded_from(self, dataset: str) -> str:
        """Name the policies that recorded a dataset that is made here; empty for all others."""
        return self.recipe(dataset).source if self.is_made(dataset) else ""

    def without_goal_terminal(self, dataset: str) -> str | None:
        """Return the name of the same data without terminals at the goal, if there are any."""
        del dataset
        return None

    def paper_name(self, dataset: str) -> str:
        """Return the name of a dataset in the paper's tables."""
        return self.listed_name(dataset.removeprefix(self.prefix))

    def display_name(self, dataset: str) -> DisplayName | None:
        """Return how figures show a dataset, if the family has a convention for such names."""
        del dataset
        return None


def episode_terminals(dataset: Dataset) -> Array:
    """Tell which episodes end by a terminal."""
    return np.asarray(dataset.terminals[dataset.stops - 1])


def base_name(dataset: str) -> str:
    """Return the name of a dataset without its size."""
    return dataset.partition("@")[0]
