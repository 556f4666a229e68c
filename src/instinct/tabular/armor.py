"""ARMOR: improve on the behavior policy in every model that fits the data.

Bhardwaj et al., 2023, arXiv:2302.11048; see the paper's "Algorithm Specific Results", ARMOR:
equation 11, proposition 8, corollary 5.
"""

import numpy as np

from instinct.data import Array
from instinct.tabular.cppo import ModelConfig
from instinct.tabular.model import Model
from instinct.tabular.robust import RobustValues, follow_or_part, robust_evaluation, robust_optimum
from instinct.tabular.solution import Solution
from instinct.tabular.version_space import VersionSpace
from instinct.theory.mdp import deterministic


def armor(model: Model, config: ModelConfig) -> Solution:
    """Solve max_π min_M V_M^π(d_0) - V_M^μ(d_0); the reference is the behavior policy μ(a|s).

    While π and μ take the same action, both are in the same model: their rewards cancel, and the
    difference D(s) = V^π(s) - V^μ(s) is γ·E[D(s′)]. After they take different actions, their models
    are chosen independently. So for every M

        D(s) ≥ Σ_a min(π, μ)·γσ_a(D) + Σ_a (π - μ)⁺·Q_low^π(s, a) - Σ_a (μ - π)⁺·Q_high^μ(s, a),

    with worst cases σ over the relaxation of M^α (see `version_space`). The cancellation and the
    dynamic program are exact. M^α and the independence after parting are relaxations. π is the best
    of three policies by this bound: CPPO's policy, μ itself, and the policy that leaves μ's action
    only where an improvement is certain.

    The paper does not define μ in a state without data. Where trajectories stop, μ ends with value
    0. Otherwise no policy could improve on trajectories that leave the support, because some model
    gives them a high value there. In a state that no trajectory reaches, μ equals π.
    """
    space = config.space(model)
    safe = robust_optimum(space)
    Q_safe = space.low + model.discount * safe.later
    careful = deterministic(Q_safe.argmax(axis=1), model.actions)
    seen = np.asarray(model.support.any(axis=1))
    ended = ~seen & (np.bincount(model.successors, minlength=model.states)[: model.states] > 0)
    reference = np.where(seen[:, None], model.behavior, np.where(ended[:, None], 0, careful))
    optimistic = robust_evaluation(space, reference, -(reference * space.high).sum(axis=1))
    Q_high = space.high - model.discount * optimistic.later
    parting = Q_safe.max(axis=1, keepdims=True) - Q_high
    best = follow_or_part(space, reference, parting, np.where(ended, safe.high, 0))
    stays = model.discount * best.later >= parting
    policies = [careful, fill_with(reference, careful), fill_with(reference * stays, careful)]
    tried = [(policy, *certify(space, policy, reference, Q_high)) for policy in policies]
    policy, own, objective = max(tried, key=lambda one: one[2])
    return Solution(
        policy=policy,
        Q=space.low + model.discount * own.later,
        V=own.low,
        objective=objective,
        gap=float(model.initial @ best.high) - objective,
        certifies="in every model of M^α the policy is better than the behavior policy by at "
        "least the objective, and V is a lower bound of its value; the gap is to the best relaxed "
        "bound",
    )


def fill_with(weights: Array, policy: Array) -> Array:
    """Fill the weights up to a sum of one with the policy."""
    lacking = np.maximum(1 - weights.sum(axis=1, keepdims=True), 0)
    return np.asarray(weights + lacking * policy)


def certify(
    space: VersionSpace, policy: Array, reference: Array, Q_high: Array
) -> tuple[RobustValues, float]:
    """Return V_low^π and the lower bound of V_M^π(d_0) - V_M^μ(d_0)."""
    own = robust_evaluation(space, policy, (policy * space.low).sum(axis=1))
    Q_low = space.low + space.model.discount * own.later
    more, less = np.maximum(policy - reference, 0), np.maximum(reference - policy, 0)
    parted = (more * Q_low - less * Q_high).sum(axis=1)
    difference = robust_evaluation(space, np.minimum(policy, reference), parted)
    return own, float(space.model.initial @ difference.low)
