"""What a tabular algorithm returns."""

from dataclasses import dataclass

from instinct.data import Array


@dataclass(frozen=True, eq=False)
class Solution:
    """A policy, the values that the algorithm gives it, and what these values promise."""

    policy: Array
    """Action probabilities, [S, A]."""
    Q: Array
    """Value estimates of states and actions, [S, A]."""
    V: Array
    """Value estimates of states, [S]."""
    objective: float
    """What the algorithm maximises, as attained by the policy."""
    gap: float | None
    """No policy attains more than `objective + gap`; None where nothing is maximised."""
    certifies: str
    """What `V` and `objective` are, in words."""
