"""Tasks with finitely many states and actions, for the tabular algorithms."""

from typing import Protocol, runtime_checkable

import numpy as np

from instinct.data import Array
from instinct.tasks.evaluation import Evaluation
from instinct.tasks.simulation import Task


@runtime_checkable
class TabularTask(Task, Protocol):
    """A task with a finite horizon whose states and actions can be listed."""

    @property
    def horizon(self) -> int: ...

    @property
    def states(self) -> Array:
        """The observation of every state, [states, observation size]."""

    def rollout(self, policy: Array, episodes: int, random: np.random.Generator) -> Evaluation:
        """Play test episodes of a policy, [S, A] or layered by time, [H·S (+ end), A]."""
