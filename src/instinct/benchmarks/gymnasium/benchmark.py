"""All environments of Gymnasium as a benchmark, by their ids."""

from instinct.benchmarks.benchmark import Benchmark
from instinct.benchmarks.gymnasium.task import PREFIX, GymTask


class GymnasiumBenchmark(Benchmark):
    """Any Gymnasium environment with observations and actions in boxes, such as gym:Hopper-v5."""

    name = "gymnasium"
    title = "Gymnasium"
    prefix = PREFIX

    def task(self, name: str) -> GymTask:
        return GymTask(name)
