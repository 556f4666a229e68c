"""ATAC: adversarially trained actor critic (Cheng et al., 2022, arXiv:2202.02446).

It finds the policy with the best worst-case advantage over the behavior policy; see the paper's
"Algorithm Specific Results", ATAC: equation 6, proposition 6, corollary 3.
"""

import numpy as np

from instinct.tabular.game import GameConfig, solve_game
from instinct.tabular.model import Model
from instinct.tabular.solution import Solution


def atac(model: Model, config: GameConfig) -> Solution:
    """Solve max_π min_f E_D[f(s, π) - f(s, a)] + β·E(π, f). See `game`.

    The paper assumes that μ is a distribution of visits: the data have an action in every state
    that they reach. This may fail if timeouts truncate trajectories. A state that is reached
    without an action then counts as visited too: f(s, π) enters, without an f(s, a). (Otherwise
    imitation of the truncated trajectories would be the best policy.) In symbols
    ρ = (ν - γP̂ᵀμ)⁺. Under the paper's assumption ⁺ has no effect.
    """
    reached = model.successors[model.successors < model.states]
    arrivals = np.bincount(reached, minlength=model.states)
    start = np.maximum(model.counts.sum(axis=1) - model.discount * arrivals, 0) / len(model)
    return solve_game(
        model,
        config,
        start=start,
        reference=model.distribution,
        claim="the objective is a lower bound of the policy's min_f E_D[f(s, π) - f(s, a)] + "
        "βE(π, f); V is the critic's value; the gap is to the best policy",
    )
