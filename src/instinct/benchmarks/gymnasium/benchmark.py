"""All environments of Gymnasium as a benchmark, by their ids."""

from instinct.benchmarks.benchmark import Benchmark
from instinct.benchmarks.gymnasium.task import PREFIX, GymTask


class GymnasiumBenchmark(Benchmark):
    """Any Gymnasium environment with vectors as observations, such as gym:CartPole-v1."""

    name = "gymnasium"
    title = "Gymnasium"
    prefix = PREFIX

    def task(self, name: str) -> GymTask:
        return GymTask(name)
