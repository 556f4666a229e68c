"""Trained policies as an evaluator uses them: many episodes in lockstep, in the task's units."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Array, Box
from instinct.deep.algorithms.algorithm import Algorithm, Carry, State, from_unit
from instinct.deep.training.runs import load_run
from instinct.errors import BadInput

Told = Callable[[jax.Array, jax.Array], jax.Array]

TOLD: dict[str, Told] = {
    "original": lambda r, _: r,
    "zero": lambda r, _: jnp.zeros_like(r),
    "random": lambda r, key: jax.random.uniform(key, r.shape),
    "negative": lambda r, _: -r,
}


class Memory(NamedTuple):
    """What a policy keeps from one step of its episodes to the next."""

    carry: Carry
    key: jax.Array
    step: int


@dataclass(frozen=True)
class Policy:
    """A policy that acts in n episodes at once.

        memory = policy.start(n, seed)
        actions, memory = policy.act(memory, observations, rewards)

    `rewards` are the task's own of the step before; at the first step there are none, and they are
    not read. A policy that reads them is told what its label makes of them, where `random` draws
    new ones. For a label of your own give `told`, a function of the rewards and a random key.
    """

    algorithm: Algorithm
    weights: State
    box: Box
    told: Told = TOLD["original"]

    def start(self, n: int, seed: int = 0) -> Memory:
        key, start_key = jax.random.split(jax.random.key(seed))
        return Memory(self.algorithm.start(self.weights, n, start_key), key, 0)

    def act(self, memory: Memory, observations: Array, rewards: Array) -> tuple[Array, Memory]:
        """The actions of all episodes, and the memory to act with at the next step."""
        r = jnp.asarray(rewards, jnp.float32)
        if memory.step == 0:
            r = jnp.zeros_like(r)
        else:
            r = self.told(r, jax.random.fold_in(memory.key, memory.step))
        actions, carry = act(
            self.algorithm, self.weights, memory.carry, jnp.asarray(observations, jnp.float32), r
        )
        return from_unit(np.asarray(actions), self.box), Memory(carry, memory.key, memory.step + 1)


@jax.jit
def act(
    algorithm: Algorithm,
    weights: State,
    carry: Carry,
    observations: jax.Array,
    rewards: jax.Array,
) -> tuple[jax.Array, Carry]:
    return algorithm.act(weights, carry, observations, rewards)


def told_by(label: str) -> Told:
    """What an agent trained under the label is told of a reward."""
    if label not in TOLD:
        raise BadInput(
            f"how a label {label!r} tells a reward during a test is not known; give the function"
        )
    return TOLD[label]


def load_policy(folder: Path, told: Told | None = None) -> Policy:
    """The final policy of a finished run."""
    saved = load_run(folder)
    if saved.outcome.failure:
        raise BadInput(f"the run has failed: {saved.outcome.failure}", file=folder)
    if told is None:
        told = told_by(saved.label)
    policy = Policy(
        saved.algorithm, jax.tree.map(jnp.asarray, saved.outcome.weights), saved.box, told
    )
    observations = np.zeros((1, saved.observation_size), np.float32)
    try:
        actions, _ = policy.act(policy.start(1), observations, np.zeros(1))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        problem = f"do not fit the run's config ({type(error).__name__})"
        raise BadInput(problem, file=folder, field="weights") from None
    if actions.shape != (1, saved.box.dimension):
        raise BadInput("do not fit the run's config", file=folder, field="weights")
    return policy
