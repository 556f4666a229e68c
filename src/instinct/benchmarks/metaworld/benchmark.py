"""Meta-World as a benchmark, with the settings that the paper and the quick preset use there."""

from collections.abc import Mapping

from instinct.benchmarks.benchmark import Benchmark, base_name
from instinct.benchmarks.metaworld.datasets import DEMONSTRATIONS, NO_GOAL_TERMINAL
from instinct.benchmarks.metaworld.task import PREFIX, SETUPS, MetaWorldTask
from instinct.deep.algorithms.actor_critic import QUICK_GAME
from instinct.deep.algorithms.bc import QUICK_GAUSSIAN
from instinct.deep.algorithms.settings import Settings
from instinct.tasks.simulation import End

QUICK_GOALS = QUICK_GAME | {
    "cloning_steps": 40_000,
    "steps": 20_000,
    "slow_rate": 1e-6,
}


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
    paper_settings: Mapping[str, Settings] = {
        "ATAC": {"discount": 0.998, "action_scale": 1.2},
        "PSPI": {"discount": 0.998, "action_scale": 1.2},
        "NoPessimism": {"discount": 0.998, "action_scale": 1.2},
        "IQL": {"discount": 0.998, "scale_rewards": False},
        "CQL": {"discount": 0.998},
        "CQL3": {"discount": 0.998, "action_scale": 1.2},
        "DT": {"steps": 5_000},
    }
    quick_settings: Mapping[str, Settings] = {
        "BC": QUICK_GAUSSIAN | {"held_out": 0.1},
        "ATAC": QUICK_GOALS,
        "PSPI": QUICK_GOALS,
        "NoPessimism": QUICK_GOALS,
    }

    def task(self, name: str) -> MetaWorldTask:
        return MetaWorldTask(name)

    def end_of(self, dataset: str) -> End:
        demonstrations = DEMONSTRATIONS.get(base_name(dataset))
        return "unknown" if demonstrations is None else demonstrations.where.end

    def without_goal_terminal(self, dataset: str) -> str | None:
        pair = dataset + NO_GOAL_TERMINAL
        return pair if pair in DEMONSTRATIONS else None
