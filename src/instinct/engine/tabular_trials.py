"""Trials of the tabular algorithms in the grid world."""

import numpy as np

from instinct.benchmarks.gridworld.world import GridWorld
from instinct.data import Dataset
from instinct.study.trials import Trial
from instinct.tabular import Model, States
from instinct.tabular.registry import find_algorithm


def play(trial: Trial, shown: Dataset) -> dict[str, tuple[float, ...]]:
    """Learn from the dataset as it is shown, and play the grid world."""
    world = GridWorld()
    model = Model.of(shown, horizon=world.horizon, states=States(world.observations))
    R = float(trial.settings.get("R", 1.0))
    policy = find_algorithm(trial.algorithm).solve(model, R).policy
    test = world.rollout(
        policy, trial.episodes, np.random.default_rng(int(trial.identity[:16], 16))
    )
    return {"return": tuple(test.returns.tolist()), "length": tuple(test.lengths.tolist())}
