"""The policies that the datasets are recorded from: linear feedback of several qualities.

A policy pushes to the right where w·s + b > 0 and to the left elsewhere, s being the observation.
With the probability of its noise it takes a random action instead.
"""

from dataclasses import dataclass

import numpy as np

from instinct.data import Array


@dataclass(frozen=True)
class Feedback:
    """Push by the sign of w·s + b, or take each of the `actions` at random.

    The first action pushes to the left, the last one to the right.
    """

    actions: int
    weights: tuple[float, ...]
    offset: float = 0.0
    noise: float = 0.0

    def start(self, n: int, seed: int) -> np.random.Generator:
        del n
        return np.random.default_rng(seed)

    def act(
        self, memory: np.random.Generator, observations: Array, rewards: Array
    ) -> tuple[Array, np.random.Generator]:
        del rewards
        n = len(observations)
        signs = (observations * np.array(self.weights)).sum(axis=1) + self.offset
        pushes = np.where(signs > 0, self.actions - 1, 0)
        random = memory.integers(0, self.actions, n)
        return np.where(memory.random(n) < self.noise, random, pushes), memory


EXPERT_NOISE = 0.02

FEEDBACK = {
    "cartpole": {
        "random": Feedback(2, (0, 0, 0, 0), noise=1.0),
        "medium": Feedback(2, (0.5, 0, 1, 0.5), noise=0.2),
        "expert": Feedback(2, (0.1, 0.2, 1, 0.3), noise=EXPERT_NOISE),
    },
    "mountaincar": {
        "random": Feedback(3, (0, 0), noise=1.0),
        "medium": Feedback(3, (0.01, 1), 0.005, noise=0.2),
        "expert": Feedback(3, (-0.004, 1), -0.002, noise=EXPERT_NOISE),
    },
    "acrobot": {
        "random": Feedback(3, (0, 0, 0, 0, 0, 0), noise=1.0),
        "medium": Feedback(3, (0, -3, 0, 0, 0.5, 1), noise=0.4),
        "expert": Feedback(3, (0, 2.5, 0, 0, -0.2, 1), noise=EXPERT_NOISE),
    },
}
"""The policies by task and quality.

CartPole: s = (x, ẋ, θ, θ̇). Medium answers to the cart's place but not to its speed, so that the
cart swings from side to side, farther each time, until the pole falls; expert brakes the cart.

MountainCar: s = (x, ẋ). Pushing along the speed adds energy. Expert, ẋ > 0.004·(x + 0.5), turns to
the right before the car stops on the left slope; medium, ẋ > −0.01·(x + 0.5), turns too late.

Acrobot: s = (cos θ₁, sin θ₁, cos θ₂, sin θ₂, θ̇₁, θ̇₂). A torque along θ̇₂ adds energy. Expert
also pushes the second link to the side on which the first one is; medium pushes it the other way.
"""
