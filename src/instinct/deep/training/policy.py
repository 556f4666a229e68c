"""Trained policies: they act in many episodes in lockstep, in the units of the task."""

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import ORIGINAL, ActionSpace, Array, Box, Label, Uniform, find_label
from instinct.deep.algorithms.algorithm import Algorithm, Carry, Weights, decode
from instinct.deep.training.runs import load_run
from instinct.errors import BadInput


class Memory(NamedTuple):
    """The memory of a policy between two steps of its episodes."""

    carry: Carry
    key: jax.Array
    step: int


@dataclass(frozen=True)
class TrainedPolicy:
    """A trained policy, which acts in n episodes at once.

    >>> import numpy as np
    >>> import instinct
    >>> dataset = instinct.Dataset(
    ...     observations=np.zeros((8, 2), np.float32), actions=np.zeros((8, 1), np.float32),
    ...     rewards=np.ones(8, np.float32), next_observations=np.zeros((8, 2), np.float32),
    ...     terminals=np.zeros(8, bool), timeouts=np.ones(8, bool), action_space=instinct.Box.of(1))
    >>> small = {"layers": 1, "units": 4, "batch_size": 4, "steps": 2}
    >>> policy = instinct.train(dataset, "BC", settings=small, folder="run")
    >>> memory = policy.start(3, seed=0)
    >>> actions, memory = policy.act(memory, np.zeros((3, 2), np.float32), np.zeros(3))
    >>> actions.shape
    (3, 1)

    `rewards` are the true rewards of the step before; at the first step they are not read. An
    algorithm that reads rewards while acting gets those of its label instead.
    """

    algorithm: Algorithm
    weights: Weights
    action_space: ActionSpace
    label: Label = ORIGINAL

    def __post_init__(self) -> None:
        if self.algorithm.ACTS_ON_REWARDS and self.label.acting is None:
            raise BadInput(
                f"{self.algorithm.NAME} reads rewards while it acts; the label "
                f"{self.label.name!r} needs the function `acting` for that",
                field="label",
            )

    def start(self, n: int, seed: int = 0) -> Memory:
        """Return the memory at the start of n episodes."""
        key, start_key = jax.random.split(jax.random.key(seed))
        return Memory(self.algorithm.start(self.weights, n, start_key), key, 0)

    def act(self, memory: Memory, observations: Array, rewards: Array) -> tuple[Array, Memory]:
        """Return the actions of all episodes, and the memory for the next step."""
        r = np.zeros(len(rewards), np.float32)
        if memory.step and self.algorithm.ACTS_ON_REWARDS and self.label.acting is not None:
            uniform = uniform_draws(jax.random.fold_in(memory.key, memory.step))
            r = self.label.acting(np.asarray(rewards, np.float32), uniform)
        actions, carry = act(
            self.algorithm,
            self.weights,
            memory.carry,
            jnp.asarray(observations, jnp.float32),
            jnp.asarray(r, jnp.float32),
        )
        after = Memory(carry, memory.key, memory.step + 1)
        return decode(np.asarray(actions), self.action_space), after


@jax.jit
def act(
    algorithm: Algorithm,
    weights: Weights,
    carry: Carry,
    observations: jax.Array,
    rewards: jax.Array,
) -> tuple[jax.Array, Carry]:
    return algorithm.act(weights, carry, observations, rewards)


def uniform_draws(key: jax.Array) -> Uniform:
    """Return a source of uniform draws. The first call draws from `key` itself."""
    calls = count()

    def draw(shape: tuple[int, ...]) -> Array:
        call = next(calls)
        return np.asarray(jax.random.uniform(jax.random.fold_in(key, call) if call else key, shape))

    return draw


def load_policy(folder: Path, label: Label | None = None) -> TrainedPolicy:
    """Load the final policy of a finished run.

    >>> load_policy("runs/hopper-medium-PSPI-zero-0")  # doctest: +SKIP
    TrainedPolicy(PSPI, 3 actions)

    `label` is needed only for an algorithm that reads rewards while acting, trained under a label
    that is not registered.
    """
    saved = load_run(folder)
    if saved.outcome.failure:
        raise BadInput(f"the run has failed: {saved.outcome.failure}", file=folder)
    if label is None:
        label = find_label(saved.label) if saved.algorithm.ACTS_ON_REWARDS else ORIGINAL
    space = saved.action_space
    policy = TrainedPolicy(
        saved.algorithm, jax.tree.map(jnp.asarray, saved.outcome.weights), space, label
    )
    observations = np.zeros((1, saved.observation_size), np.float32)
    try:
        actions, _ = policy.act(policy.start(1), observations, np.zeros(1))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        problem = f"do not fit the run's config ({type(error).__name__})"
        raise BadInput(problem, file=folder, field="weights") from None
    wrong_shape = actions.shape != ((1, space.dimension) if isinstance(space, Box) else (1,))
    if wrong_shape or space.outside(actions).any():
        raise BadInput("do not fit the run's config", file=folder, field="weights")
    return policy
