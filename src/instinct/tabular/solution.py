"""The result of a tabular algorithm."""

from dataclasses import dataclass

from instinct.data import Array


@dataclass(frozen=True, eq=False)
class Solution:
    """A policy, the algorithm's value estimates, and what these estimates guarantee."""

    policy: Array
    """Action probabilities, [S, A]."""
    Q: Array
    """Value estimates of states and actions, [S, A]."""
    V: Array
    """Value estimates of states, [S]."""
    objective: float
    """The quantity that the algorithm maximizes, for this policy."""
    gap: float | None
    """No policy has more than `objective + gap`; None if the algorithm maximizes nothing."""
    certifies: str
    """A sentence that says what `V` and `objective` guarantee."""
