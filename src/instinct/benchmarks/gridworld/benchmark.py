"""The grid world as a benchmark."""

from collections.abc import Mapping
from functools import cached_property

from instinct.benchmarks.benchmark import Benchmark
from instinct.benchmarks.gridworld.task import NAME, GridWorldTask
from instinct.benchmarks.gridworld.world import GridWorld
from instinct.benchmarks.recipe import FunctionRecipe, Recipe
from instinct.data import Dataset


def build() -> Dataset:
    return GridWorld().dataset()


class GridWorldBenchmark(Benchmark):
    """The paper's grid world, for tabular algorithms."""

    name = NAME
    title = "grid world"
    tasks = (NAME,)
    datasets: Mapping[str, Recipe] = {NAME: FunctionRecipe(NAME, NAME, build)}
    algorithms = "tabular"
    default_algorithms = ("BC", "PEVI")
    test_episodes = 1000

    @cached_property
    def best_score(self) -> float:
        return GridWorld().best_return

    def task(self, name: str) -> GridWorldTask:
        return GridWorldTask(name)
