"""Run trials of tabular algorithms."""

import numpy as np

from instinct.data import Dataset
from instinct.study.trials import Trial
from instinct.tabular import Model, States
from instinct.tabular.registry import find_algorithm
from instinct.tasks.tabular import TabularTask


def run_tabular(trial: Trial, task: TabularTask, dataset: Dataset) -> dict[str, tuple[float, ...]]:
    """Learn from the prepared dataset and play test episodes in the task."""
    model = Model.of(dataset, horizon=task.horizon, states=States(task.states))
    R = float(trial.settings.get("R", 1.0))
    policy = find_algorithm(trial.algorithm).solve(model, R).policy
    test = task.rollout(policy, trial.episodes, np.random.default_rng(int(trial.identity[:16], 16)))
    return {"return": tuple(test.returns.tolist()), "length": tuple(test.lengths.tolist())}
