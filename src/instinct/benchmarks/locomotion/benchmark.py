"""Hopper, walker2d and halfcheetah as a benchmark, with D4RL's names and scores."""

import re
from collections.abc import Mapping
from pathlib import Path

from instinct.benchmarks.benchmark import Benchmark, DisplayName, base_name
from instinct.benchmarks.locomotion import d4rl
from instinct.benchmarks.locomotion.datasets import QUALITIES, RECORDINGS, Recordings
from instinct.benchmarks.locomotion.simulation import BODIES
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.benchmarks.recipe import Recipe
from instinct.data import ActionRange, Dataset, read

NAME = re.compile(
    rf"(?P<task>.+?)-(?P<quality>{'|'.join(QUALITIES)})(?P<version>(-v\d+)?(:[\w-]+)?(@\d+)?)"
)


class LocomotionBenchmark(Benchmark):
    """The paper's locomotion tasks. In hopper and walker2d a terminal is a fall."""

    name = "locomotion"
    title = "locomotion"
    file_prefix = d4rl.PREFIX
    tasks = tuple(BODIES)
    datasets = RECORDINGS
    score_name = "score"
    best_score = 100.0
    score_digits = 1
    paper_tables: Mapping[str, tuple[str, ...]] = {
        "score": ("d4rl_scores", "cql_architecture_d4rl"),
        "length": ("d4rl_episode_lengths",),
    }

    def task(self, name: str) -> LocomotionTask:
        return LocomotionTask(name)

    def task_of(self, dataset: str) -> str | None:
        if self.is_file(dataset):
            task = self.short_name(dataset).partition("-")[0]
            return task if task in BODIES else None
        return super().task_of(dataset)

    def listed_name(self, name: str) -> str:
        """Return the name without the behavior after a colon and without the size."""
        return base_name(name) if self.is_file(name) else base_name(name).partition(":")[0]

    def variant(self, recipe: Recipe, name: str) -> Recipe:
        """Return the recipe by the behavior that the name asks for, as in hopper-medium:sac-0."""
        assert isinstance(recipe, Recordings)
        _, colon, behavior = name.partition(":")
        return recipe.by(behavior) if colon else recipe

    def read_file(self, name: str, action_range: ActionRange | None = None) -> Dataset:
        return read(d4rl.d4rl_path(name), action_range=action_range)

    def files(self) -> Mapping[str, Path]:
        return {name: d4rl.d4rl_path(name) for name in d4rl.present()}

    def display_name(self, dataset: str) -> DisplayName | None:
        """Group datasets by task, from random to expert; names may have a version and a size."""
        match = NAME.fullmatch(dataset)
        if match is None:
            return None
        quality = match["quality"]
        return DisplayName(match["task"], quality + match["version"], QUALITIES.index(quality))
