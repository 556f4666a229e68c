"""Trials of the tabular algorithms in the grid world."""

from collections.abc import Mapping

import numpy as np

from instinct.data import Dataset
from instinct.deep.settings import Setting
from instinct.errors import BadInput
from instinct.study.trials import Trial
from instinct.tabular import Model, States
from instinct.tabular.pessimism import degree
from instinct.tabular.registry import ALGORITHMS
from instinct.tasks.gridworld import GridWorld


def tabular_settings(algorithm: str, given: Mapping[str, Setting]) -> dict[str, Setting]:
    """R, which is enough for the paper's theorem unless another is given; BC has no settings."""
    if algorithm not in ALGORITHMS:
        known = ", ".join(ALGORITHMS)
        raise BadInput(f"{algorithm!r} is no tabular algorithm; there are {known}")
    if {*given} - {"R"}:
        raise BadInput(f"{algorithm} has no setting {min({*given} - {'R'})!r}; it has R")
    R = float(given.get("R", degree(2 * GridWorld().horizon + 1)))
    return {} if algorithm == "BC" else {"R": R}


def play(trial: Trial, shown: Dataset) -> dict[str, tuple[float, ...]]:
    """Learn from the dataset as it is shown, and play the grid world."""
    world = GridWorld()
    model = Model.of(shown, horizon=world.horizon, states=States(world.observations))
    algorithm = ALGORITHMS[trial.algorithm]
    R = float(trial.settings.get("R", 1.0))
    policy = algorithm.run(model, algorithm.config.pessimistic(model, R)).policy
    test = world.rollout(
        policy, trial.episodes, np.random.default_rng(int(trial.identity[:16], 16))
    )
    return {"return": tuple(test.returns.tolist()), "length": tuple(test.lengths.tolist())}
