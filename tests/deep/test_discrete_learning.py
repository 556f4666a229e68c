"""Every algorithm for discrete actions solves a problem with a known solution."""

from dataclasses import replace
from typing import Any

import jax
import numpy as np
import pytest

from instinct.data import Array, Dataset
from instinct.deep import Pace, Run, TrainedPolicy, configure, train
from tests.deep.problems import best_of_three, discrete_cliff, discrete_one_step

SMALL = {"layers": 2, "units": 32, "batch_size": 64, "steps": 3000}
FAST = {"warm_start_steps": 1000, "fast_rate": 3e-3, "slow_rate": 1e-3}
STATES = np.array([[-0.9], [-0.6], [-0.5], [-0.1], [0.0], [0.1], [0.5], [0.6], [0.9]])


def acts(dataset: Dataset, name: str, settings: dict[str, Any]) -> Array:
    run = Run(dataset, configure(name, settings, dataset.action_space))
    outcome = train(run)
    assert not outcome.failure
    policy = TrainedPolicy(run.algorithm, outcome.weights, dataset.action_space)
    actions, _ = policy.act(policy.start(len(STATES)), STATES, np.zeros(len(STATES)))
    assert (actions.dtype.kind, actions.shape) == ("i", (len(STATES),))
    return actions


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("PSPI", SMALL | FAST | {"beta": 10}),
        ("ATAC", SMALL | FAST | {"beta": 10}),
        ("IQL", SMALL | {"rate": 3e-3, "beta": 10, "tau": 0.9, "scale_rewards": False}),
        ("CQL", SMALL | {"rate": 3e-3, "alpha": 0.1}),
        (
            "DT",
            {"layers": 1, "units": 32, "batch_size": 64, "steps": 2000, "rate": 3e-3}
            | {"context": 1, "return_scale": 1, "horizon": 1},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_finds_the_best_action(name: str, settings: dict[str, Any]) -> None:
    """The data's actions do not depend on the state."""
    actions = acts(discrete_one_step(np.random.default_rng(0)), name, settings)
    assert actions.tolist() == best_of_three(STATES).tolist()


def test_cloning_follows_the_data() -> None:
    """Where the data are right in half of the states, cloning is right in all."""
    random = np.random.default_rng(0)
    dataset = discrete_one_step(random)
    right = np.where(random.random(len(dataset)) < 0.5, best_of_three(dataset.observations), 0)
    guided = replace(dataset, actions=np.where(right > 0, right, dataset.actions))
    actions = acts(guided, "BC", SMALL | {"rate": 3e-3})
    assert actions[3:].tolist() == best_of_three(STATES)[3:].tolist()


@pytest.mark.parametrize(
    ("name", "beta", "survival", "least", "most"),
    [("ATAC", 10, 4, 0.7, 0.9), ("PSPI", 3, 1, 0.9, 1.0)],
    ids=["ATAC", "PSPI"],
)
def test_survival_instinct(
    name: str, beta: float, survival: int, least: float, most: float
) -> None:
    """Under zero rewards, the most likely action does not fall.

    PSPI learns it even if every second action of the data falls. ATAC's critics compare the policy
    with the data: where it falls more often they lower the value of falling, where it falls less
    often they raise it. So the solution of its game is what the data do: four of five stay.
    """
    settings = SMALL | FAST | {"steps": 4000, "slow_rate": 3e-4, "discount": 0.9, "beta": beta}
    dataset = discrete_cliff(np.random.default_rng(0), survival)
    algorithm = configure(name, settings | {"scale_values": True}, dataset.action_space)
    outcome = train(Run(dataset, algorithm), pace=Pace(report_steps=500))
    logits = outcome.weights["policy"][-1]["bias"] + last_hidden(outcome.weights["policy"])
    assert least < jax.nn.softmax(logits)[1] <= most


def last_hidden(policy: Any) -> Array:
    """Return what the last layer adds to its bias in the state 0."""
    x = np.zeros(1)
    for layer in policy[:-1]:
        x = np.maximum(x @ layer["weight"] + layer["bias"], 0)
    return np.asarray(x @ policy[-1]["weight"])
