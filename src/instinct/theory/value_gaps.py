"""Lemma 4: from gaps in the cost c_μ to gaps in the return ("Implicit Data Bias").

An action a of s is near if Q_cμ^*(s, a) - V_cμ^*(s) < α, where V_cμ^* is the lowest cost that any
policy can have. If near actions lose at most β of the return of a policy π′, then every policy π
with V_cμ^π(d_0) ≤ δ loses at most (β + δ/α)/(1-γ). The paper calls its length-bias condition, which
is about the actions in the support, the special case α = 1. It is not: see `near_actions`.
"""

import numpy as np

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.mdp import MDP
from instinct.theory.support import costs


def cost_gaps(mdp: MDP, support: Array) -> Array:
    """Return Q_cμ^*(s, a) - V_cμ^*(s) ≥ 0, [S, A]."""
    Q, V, _ = mdp.optimal(-costs(support))
    return np.asarray(np.maximum(V[:, None] - Q, 0))


def near_actions(mdp: MDP, support: Array, alpha: float) -> Array:
    """Return A_s^α as a mask, [S, A]: the actions whose cost gap is below α.

    With α = 1 they are all in the support at states from which some policy never leaves it, because
    V_cμ^* is 0 there and leaving costs 1 at once. At other states V_cμ^* is positive, and an action
    out of support can have any gap from 0 on.
    """
    if alpha <= 0:
        raise BadInput(f"α is {alpha}; it must be above 0")
    return np.asarray(cost_gaps(mdp, support) < alpha)


def return_gap(mdp: MDP, comparator: Array, pairs: Array) -> float:
    """Return β, the largest V_r^π′(s) - Q_r^π′(s, a) over the pairs, and at least 0."""
    gaps = mdp.v(comparator)[:, None] - mdp.q(comparator)
    return max(0.0, float(gaps[pairs].max(initial=0.0)))


def value_gap_bound(mdp: MDP, beta: float, delta: float, alpha: float) -> float:
    """Return (β + δ/α)/(1-γ) of the lemma, for rewards in [0, 1] and β over the near actions."""
    return (beta + delta / alpha) * mdp.span


def supported_gap_bound(mdp: MDP, beta: float, delta: float, alpha: float = np.inf) -> float:
    """Return (β + δ/α + δ)/(1-γ), for β over the near actions in the support only.

    Proof: d^π takes pairs out of support with probability (1-γ) V_cμ^π(d_0) ≤ (1-γ) δ, which adds
    at most δ to the lemma's proof. With α = ∞ every action is near: this, and not α = 1, is the
    length-bias condition on the actions in the support.
    """
    return value_gap_bound(mdp, beta, delta, alpha) + delta * mdp.span
