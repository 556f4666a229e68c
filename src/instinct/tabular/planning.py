"""Planning in the empirical model, which the model-based algorithms share."""

from instinct.data import Array
from instinct.tabular.model import Model
from instinct.tabular.solution import Solution
from instinct.theory.linear import Matrix


def plan(
    model: Model, rewards: Array, certifies: str, transitions: Matrix | None = None
) -> Solution:
    """Return the optimal policy for these rewards; the default transitions are P̂."""
    Q, V, policy = model.mdp(rewards, transitions).optimal()
    return Solution(
        policy=policy[:-1],
        Q=Q[:-1],
        V=V[:-1],
        objective=float(model.initial @ V[:-1]),
        gap=0.0,
        certifies=certifies,
    )
