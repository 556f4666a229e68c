"""Bring your own algorithm: any function that trains a policy on a dataset."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from instinct.data import ActionSpace, Array, Box, Dataset, Discrete
from instinct.errors import BadInput
from instinct.tasks.evaluation import Policy
from instinct.util.fingerprint import fingerprint

Train = Callable[[Dataset, int], Any]
"""Trains on a dataset with a seed and returns a policy."""


@dataclass(frozen=True)
class Own:
    """An algorithm of your own, judged and reported like those of the package.

    `train(dataset, seed)` is any function: it may use d3rlpy, torch or plain numpy. It gets the
    dataset as the label and the filters leave it, and returns a policy: a function from
    observations [n, d] to actions [n, m], an object with a method `predict` that does the same, or
    an object with the methods `start` and `act` of `instinct.Policy`. Actions are in the units of
    the dataset; discrete ones are whole numbers [n].

    `reads_rewards=False` says that the algorithm does not look at rewards: it is then trained once
    instead of under every label.

    >>> import numpy as np
    >>> from instinct import Own
    >>> def train(dataset, seed):
    ...     mean = dataset.actions.mean(axis=0)
    ...     return lambda observations: np.tile(mean, (len(observations), 1))
    >>> Own("mean action", train)
    Own('mean action')
    """

    name: str
    train: Train
    reads_rewards: bool = True
    pessimistic: bool = False
    citation: str = ""

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable() or self.name.strip() != self.name:
            raise BadInput(f"an algorithm cannot be called {self.name!r}")
        if not callable(self.train):
            raise BadInput(f"{self.name}: train must be a function of a dataset and a seed")

    def __repr__(self) -> str:
        return f"Own({self.name!r})"

    @property
    def fingerprint(self) -> str:
        """Return a hash of the source code, which is part of the identity of its trials."""
        return fingerprint(self.train)

    def policy(self, dataset: Dataset, seed: int) -> Policy:
        """Train, and return the policy in the form that evaluation needs.

        An error in the user's code is a `BadInput`, with the error itself as its cause.
        """
        try:
            trained = self.train(dataset, seed)
        except Exception as error:
            raise BadInput(f"{self.name} failed: {type(error).__name__}: {error}") from error
        return as_policy(trained, dataset.action_space, self.name)


@dataclass(frozen=True)
class FunctionPolicy:
    """A policy without memory, from a function of a batch of observations."""

    function: Callable[[Array], Any]
    space: ActionSpace
    name: str

    def start(self, n: int, seed: int) -> None:
        """Start n episodes: nothing is remembered."""

    def act(self, memory: None, observations: Array, rewards: Array) -> tuple[Array, None]:
        """Return the actions for a batch of observations, clipped to the action space."""
        del rewards
        dimensions = (self.space.dimension,) if isinstance(self.space, Box) else ()
        try:
            actions = np.asarray(self.function(observations.copy()))
            actions = np.asarray(actions, np.float32) if dimensions else actions
        except Exception as error:
            raise BadInput(
                f"the policy of {self.name} failed: {type(error).__name__}: {error}"
            ) from error
        expected = (len(observations), *dimensions)
        if actions.shape != expected and actions.size == np.prod(expected):
            actions = actions.reshape(expected)
        if actions.shape != expected:
            raise BadInput(
                f"the policy of {self.name} gives actions of shape {list(actions.shape)} for "
                f"{len(observations)} observations, not {list(expected)}"
            )
        return self.inside(actions), memory

    def inside(self, actions: Array) -> Array:
        """Clip continuous actions to their bounds; refuse others that are not in the space."""
        if isinstance(self.space, Discrete):
            if actions.dtype.kind not in "iufb" or (actions != np.rint(actions)).any():
                raise BadInput(f"the policy of {self.name} gives actions that are no whole numbers")
            if self.space.outside(actions).any():
                raise BadInput(f"the policy of {self.name} gives actions outside {self.space}")
            return actions.astype(np.int64)
        if not np.isfinite(actions).all():
            raise BadInput(f"the policy of {self.name} gives actions that are not finite")
        return self.space.clip(actions)


def as_policy(policy: Any, space: ActionSpace, name: str = "the policy") -> Policy:
    """Return a policy for evaluation from a function, a d3rlpy model or a `Policy`."""
    if hasattr(policy, "start") and hasattr(policy, "act"):
        checked: Policy = policy
        return checked
    function = getattr(policy, "predict", policy)
    if not callable(function):
        raise BadInput(
            f"{name}: a policy is a function of observations, an object with `predict`, or one "
            f"with `start` and `act`; {type(policy).__name__} is none of these"
        )
    return FunctionPolicy(function, space, name)
