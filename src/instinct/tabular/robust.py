"""Dynamic programming against the worst model of a version space.

The values satisfy V = T V, where T backs up the worst expectations σ(V) of `VersionSpace.worst`. T
is the minimum of the backups of all models. Policy iteration for the adversary approaches V from
above: solve one model, replace every pair by its worst case against that solution, and repeat. If
T V ≥ V - ε at the end, then V - ε·(steps left) is a lower bound and V is an upper bound.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from instinct.data import Array
from instinct.tabular.model import Model, add_ending_action
from instinct.tabular.version_space import VersionSpace
from instinct.theory.linear import Matrix

PRECISION = 1e-8
"""ε, relative to the largest value."""
MAX_RESPONSES = 200
"""Largest number of responses of the adversary, in addition to one per step of a horizon."""


class RobustValues(NamedTuple):
    """Bounds of the values against the worst model, [S], and a lower bound of σ(V), [S, A]."""

    low: Array
    high: Array
    later: Array


def solve_robust(
    space: VersionSpace, against: Callable[[Matrix], Array], backup: Callable[[Array], Array]
) -> RobustValues:
    """Solve V = T V; `against` returns V, [S], in one model, and `backup` returns T V from σ(V)."""
    V = against(space.model.transitions)
    for left in reversed(range(MAX_RESPONSES + (space.model.horizon or 0))):
        later, transitions = space.worst(np.append(V, 0))
        excess = max(float((V - backup(later)).max()), 0.0)
        if left == 0 or excess <= PRECISION * max(1.0, float(np.abs(V).max())):
            break
        V = against(transitions)
    slack = excess * space.model.steps_left
    return RobustValues(V - slack, V, later - slack[:, None])


def robust_optimum(space: VersionSpace) -> RobustValues:
    """Solve V = max_a [r_low + γ σ(V)]: the best guaranteed value."""
    model = space.model
    return solve_robust(
        space,
        against=lambda P: model.mdp(space.low, P).optimal().V[:-1],
        backup=lambda later: (space.low + model.discount * later).max(axis=1),
    )


def robust_evaluation(space: VersionSpace, weights: Array, rewards: Array) -> RobustValues:
    """Solve V = rewards + γ Σ_a weights(a)·σ_a(V); weights [S, A] sum to at most one."""
    discount = space.model.discount
    return solve_robust(
        space,
        against=lambda P: evaluate_in_model(space.model, P, weights, rewards),
        backup=lambda later: rewards + discount * (weights * later).sum(axis=1),
    )


def follow_or_part(
    space: VersionSpace, weights: Array, parting: Array, rewards: Array
) -> RobustValues:
    """Solve V = rewards + Σ_a weights(a)·max(γσ_a(V), parting(a)).

    Each action either continues or takes its parting value.
    """
    model = space.model

    def against(P: Matrix) -> Array:
        going = np.ones(weights.shape, np.bool_)
        while True:
            gone = (weights * np.where(going, 0, parting)).sum(axis=1)
            V = evaluate_in_model(model, P, weights * going, rewards + gone)
            later = model.discount * np.asarray(P @ V).reshape(parting.shape)
            better = np.where(going, later - parting, parting - later)
            switch = better < -PRECISION * max(1.0, float(np.abs(V).max()))
            if not switch.any():
                return V
            going ^= switch

    def backup(later: Array) -> Array:
        best = np.maximum(model.discount * later, parting)
        return np.asarray(rewards + (weights * best).sum(axis=1))

    return solve_robust(space, against, backup)


def evaluate_in_model(model: Model, P: Matrix, weights: Array, rewards: Array) -> Array:
    """Solve V = rewards + γ Σ_a weights(a)·(P V)(a), [S], in one model.

    If the weights sum to less than one, the episode ends with the remaining probability.
    """
    rest = np.maximum(1 - weights.sum(axis=1, keepdims=True), 0)
    policy = np.vstack([np.hstack([weights, rest]), np.eye(model.actions + 1)[-1]])
    earned = np.repeat(rewards[:, None], model.actions + 1, axis=1)
    return model.mdp(earned, add_ending_action(P, model.actions)).v(policy)[:-1]
