"""Meta-World as a benchmark, with the settings that the paper and the quick preset use there."""

from collections.abc import Mapping

from instinct.benchmarks.benchmark import Benchmark, base_name
from instinct.benchmarks.metaworld.datasets import DEMONSTRATIONS, NO_GOAL_TERMINAL
from instinct.benchmarks.metaworld.task import PREFIX, SETUPS, MetaWorldTask
from instinct.tasks.simulation import End


class MetaWorldBenchmark(Benchmark):
    """The paper's fifteen goal tasks. Reaching the goal is a terminal."""

    name = "metaworld"
    title = "Meta-World"
    prefix = PREFIX
    tasks = tuple(PREFIX + task for task in SETUPS)
    datasets = DEMONSTRATIONS
    score_name = "success"
    best_score = 1.0
    paper_tables: Mapping[str, tuple[str, ...]] = {
        "success": ("metaworld_success", "cql_architecture_metaworld")
    }

    def task(self, name: str) -> MetaWorldTask:
        return MetaWorldTask(name)

    def end_of(self, dataset: str) -> End:
        demonstrations = DEMONSTRATIONS.get(base_name(dataset))
        return "unknown" if demonstrations is None else demonstrations.where.end

    def without_goal_terminal(self, dataset: str) -> str | None:
        pair = dataset + NO_GOAL_TERMINAL
        return pair if pair in DEMONSTRATIONS else None
