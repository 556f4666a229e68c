"""Behavior policies, from which datasets are recorded."""

from dataclasses import dataclass

import numpy as np

from instinct.behaviors.sac import mode, sample
from instinct.data import Array, Box
from instinct.deep.algorithms.algorithm import from_unit
from instinct.deep.nn.networks import MLP


@dataclass(frozen=True)
class Behavior:
    """A tanh-Gaussian policy. With `noisy` it samples its actions, without it takes the mode."""

    network: MLP
    box: Box
    noisy: bool = True

    def start(self, n: int, seed: int) -> np.random.Generator:
        del n
        return np.random.default_rng(seed)

    def act(
        self, memory: np.random.Generator, observations: Array, rewards: Array
    ) -> tuple[Array, np.random.Generator]:
        del rewards
        if self.noisy:
            noise = memory.standard_normal((len(observations), self.box.dimension), np.float32)
            units, _ = sample(self.network, observations, noise)
        else:
            units = mode(self.network, observations)
        return from_unit(np.asarray(units), self.box), memory
