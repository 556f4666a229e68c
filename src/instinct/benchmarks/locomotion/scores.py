"""D4RL's normalized score: 0 for a random policy, 100 for an expert."""

from instinct.data import Array
from instinct.errors import BadInput

D4RL_RETURNS = {
    "hopper": (-20.272305, 3234.3),
    "walker2d": (1.629008, 4592.3),
    "halfcheetah": (-280.178953, 12135.0),
}
"""The returns of D4RL's random and expert policies."""


def normalize(returns: Array, task: str) -> Array:
    """Return 100·(R − random)/(expert − random)."""
    if task not in D4RL_RETURNS:
        raise BadInput(f"no scores are known for {task!r}; there are {', '.join(D4RL_RETURNS)}")
    low, high = D4RL_RETURNS[task]
    return 100 * (returns - low) / (high - low)
