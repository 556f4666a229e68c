"""MOReL: plan in the learned model, and stop where models that fit the data disagree.

Kidambi et al., 2020, arXiv:2005.05951; see the paper's "Algorithm Specific Results", MOReL and
MOPO: equation 18, proposition 12, corollary 7.

The known pairs are the paper's K_ξ: pairs where no two models of the version space M^α differ by
more than ξ in |r_1 - r_2| + γ·V_max·D_TV(P_1, P_2).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import rel_entr

from instinct.data import Array
from instinct.tabular.model import Model, restrict
from instinct.tabular.pessimism import require_positive, require_probability, value_limit
from instinct.tabular.planning import plan
from instinct.tabular.solution import Solution
from instinct.tabular.version_space import paper_alpha, require_alpha, small_alpha


@dataclass(frozen=True)
class MOReLConfig:
    """Every step from the first unknown pair on costs X = R.

    The defaults of α and ξ are the paper's: α = |S|²|A|·log(1/δ) and
    ξ = min(1, V_max·(|S|²|A|·log(1/δ)/N)^(1/4)). With them no pair of a small dataset is known. A
    pair is known if α is well below n(s, a)/V_max².
    """

    R: float = 1.0
    alpha: float | None = None
    xi: float | None = None
    delta: float = 0.1

    def __post_init__(self) -> None:
        require_positive(xi=self.xi)
        require_probability(self.delta)

    @classmethod
    def pessimistic(cls, model: Model, R: float) -> "MOReLConfig":
        """Choose an α so small that exactly the pairs of the data are known."""
        return cls(R=R, alpha=small_alpha(model, R), xi=1.0)


def morel(model: Model, config: MOReLConfig) -> Solution:
    """Return the optimal policy of (P̂, r̂) on the known pairs.

    Every other pair leads to s†, which has the reward -X forever.
    """
    V_max = value_limit(model, config.R)
    usual = paper_alpha(model, config.delta)
    alpha = usual if config.alpha is None else config.alpha
    xi = min(1.0, V_max.max() * (usual / len(model)) ** 0.25) if config.xi is None else config.xi
    require_alpha(alpha)
    known = model.support & (disagreement(model, alpha, V_max.max()) <= xi)
    return plan(
        model,
        np.where(known, model.rewards, -V_max[:, None]),
        certifies=f"V is the policy's value in the empirical model of the {known.sum()} known "
        "pairs, where every other pair gives -X per step",
        transitions=restrict(model.transitions, known),
    )


def disagreement(model: Model, alpha: float, V_max: float) -> Array:
    """Return an upper bound of the difference of two models of M^α at each pair, [S, A].

    A pair that uses all of α may change its reward by √(α/n), or its distribution by
    KL(P̂ ‖ P) ≤ x = α/n. The relaxation allows both, which at most doubles the difference. Two
    distributions of the KL ball differ most on a set with a probability p near 1/2 under P̂, where
    D_TV = q⁺(p) - q⁻(p) with kl(p ‖ q±) = x. If the most likely next state has p ≥ 1/2, no set is
    closer to 1/2. Otherwise p = 1/2 gives a bound, D_TV = √(1 - e^{-2x}).
    """
    n = np.maximum(model.counts, 1)
    x = alpha / n
    P = model.transitions
    likeliest = np.maximum(P.max(axis=1).toarray().ravel(), 1 - P.sum(axis=1))
    p = np.maximum(likeliest, 0.5).reshape(x.shape)
    tv = furthest_probability(p, x, 1) - furthest_probability(p, x, -1)
    return np.where(model.support, 2 * np.sqrt(x) + model.discount * V_max * tv, np.inf)


def furthest_probability(p: Array, x: Array, sign: int) -> Array:
    """Return the largest (sign 1) or smallest (sign -1) q with kl(p ‖ q) ≤ x, by bisection.

    kl(p ‖ q) = p·log(p/q) + (1-p)·log((1-p)/(1-q)).
    """
    inside, outside = p, np.full_like(p, (1 + sign) / 2)
    for _ in range(60):
        q = (inside + outside) / 2
        kl = rel_entr(p, q) + rel_entr(1 - p, 1 - q)
        inside, outside = np.where(kl <= x, q, inside), np.where(kl <= x, outside, q)
    return outside
