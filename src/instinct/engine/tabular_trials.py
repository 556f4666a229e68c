"""Run trials of tabular algorithms."""

import numpy as np

from instinct.data import Array, Dataset
from instinct.study.trials import Trial
from instinct.tabular import Model, States
from instinct.tabular.registry import find_algorithm
from instinct.tasks.tabular import TabularTask


def run_tabular(trial: Trial, task: TabularTask, dataset: Dataset) -> dict[str, tuple[float, ...]]:
    """Learn from the prepared dataset and play test episodes in the task."""
    policy = learn_policy(trial, task, dataset)
    test = task.rollout(policy, trial.episodes, episode_random(trial))
    return {"return": tuple(test.returns.tolist()), "length": tuple(test.lengths.tolist())}


def learn_policy(trial: Trial, task: TabularTask, dataset: Dataset) -> Array:
    """Return the policy of a trial, [states, actions] or [steps, states, actions]."""
    model = Model.of(dataset, horizon=task.horizon, states=States(task.states))
    R = float(trial.settings.get("R", 1.0))
    return find_algorithm(trial.algorithm).solve(model, R).policy


def episode_random(trial: Trial) -> np.random.Generator:
    """Return the randomness of a trial's test episodes."""
    return np.random.default_rng(int(trial.identity[:16], 16))
