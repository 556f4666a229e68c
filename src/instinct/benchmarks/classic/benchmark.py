"""CartPole, MountainCar and Acrobot as a benchmark with discrete actions."""

from collections.abc import Mapping

from instinct.benchmarks.benchmark import Benchmark, DisplayName, base_name
from instinct.benchmarks.classic.datasets import FEEDBACK_RECORDINGS, QUALITIES
from instinct.benchmarks.classic.task import ClassicTask
from instinct.benchmarks.classic.worlds import WORLDS
from instinct.deep.algorithms.actor_critic import QUICK_GAME
from instinct.deep.algorithms.bc import QUICK_GAUSSIAN
from instinct.deep.algorithms.settings import Settings

QUICK_CLASSIC = QUICK_GAME | {
    "layers": 2,
    "batch_size": 64,
    "steps": 10_000,
    "cloning_steps": 10_000,
    "warm_start_steps": 10_000,
    "slow_rate": 2e-5,
    "policy_average": 1e-3,
}


class ClassicBenchmark(Benchmark):
    """Gymnasium's classic control. In CartPole a terminal is a fall, in the others the goal."""

    name = "classic"
    title = "classic control"
    tasks = tuple(WORLDS)
    datasets = FEEDBACK_RECORDINGS
    score_name = "score"
    best_score = 100.0
    score_digits = 1
    quick_settings: Mapping[str, Settings] = {
        "BC": QUICK_GAUSSIAN | {"layers": 2, "steps": 5_000, "standardize": True},
        "ATAC": QUICK_CLASSIC,
        "PSPI": QUICK_CLASSIC,
        "NoPessimism": QUICK_CLASSIC,
    }

    def task(self, name: str) -> ClassicTask:
        return ClassicTask(name)

    def display_name(self, dataset: str) -> DisplayName | None:
        """Group datasets by task, from random to expert; names may have a size."""
        one = FEEDBACK_RECORDINGS.get(base_name(dataset))
        if one is None:
            return None
        size = dataset.removeprefix(one.name)
        return DisplayName(one.task, one.quality + size, QUALITIES.index(one.quality))
