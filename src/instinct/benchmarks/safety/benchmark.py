"""Safety-Gymnasium as a benchmark, with DSRL's names, scores and files."""

from collections.abc import Mapping
from pathlib import Path

from instinct.benchmarks.benchmark import Benchmark
from instinct.benchmarks.safety import dsrl
from instinct.benchmarks.safety.datasets import DRIVES
from instinct.benchmarks.safety.task import KAPPA, PREFIX, SETUPS, SafetyTask
from instinct.data import ActionRange, Dataset
from instinct.deep.algorithms.actor_critic import QUICK_GAME
from instinct.deep.algorithms.bc import QUICK_GAUSSIAN
from instinct.deep.algorithms.settings import Settings

QUICK_LIDARS = QUICK_GAME | {
    "cloning_steps": 40_000,
}


class SafetyBenchmark(Benchmark):
    """The paper's sixteen tasks with costs. A safe episode costs at most κ = 34.29."""

    name = "safety"
    title = "Safety-Gymnasium"
    prefix = PREFIX
    file_prefix = dsrl.PREFIX
    tasks = tuple(PREFIX + task for task in SETUPS)
    datasets = DRIVES
    test_episodes = 20
    cost_target = KAPPA
    score_name = "score"
    quick_settings: Mapping[str, Settings] = {
        "BC": QUICK_GAUSSIAN | {"standardize": True},
        "ATAC": QUICK_LIDARS,
        "PSPI": QUICK_LIDARS,
        "NoPessimism": QUICK_LIDARS,
    }

    def task(self, name: str) -> SafetyTask:
        return SafetyTask(name)

    def task_of(self, dataset: str) -> str | None:
        if self.is_file(dataset):
            task = PREFIX + self.short_name(dataset)
            return task if task in self.tasks else None
        return super().task_of(dataset)

    def read_file(self, name: str, action_range: ActionRange | None = None) -> Dataset:
        return dsrl.read_dsrl(name, action_range)

    def files(self) -> Mapping[str, Path]:
        return dsrl.present()

    def paper_name(self, dataset: str) -> str:
        return super().paper_name(dataset.removeprefix(dsrl.PREFIX))
