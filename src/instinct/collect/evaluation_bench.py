"""The evaluation benchmark: hopper with a shipped policy, made one layer deeper."""

from dataclasses import replace

import numpy as np

from instinct.collect.behavior import Behavior
from instinct.collect.shipped import behaviors
from instinct.tasks.evaluation_bench import Comparison, compare
from instinct.tasks.gym_task import GymTask


def bench_evaluate(episodes: int = 50) -> Comparison:
    """50 hopper episodes of a 3 × 256 policy."""
    return compare(deeper(behaviors("hopper")["medium"]), GymTask("hopper"), episodes)


def deeper(behavior: Behavior) -> Behavior:
    """The same policy without noise, with the identity for one more hidden layer.

    What comes out of a ReLU passes through another unchanged.
    """
    *hidden, last = behavior.network
    units = hidden[-1]["bias"].shape[0]
    identity = {"weight": np.eye(units, dtype=np.float32), "bias": np.zeros(units, np.float32)}
    return replace(behavior, network=(*hidden, identity, last), noisy=False)  # type: ignore[arg-type]
