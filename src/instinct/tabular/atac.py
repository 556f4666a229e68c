"""ATAC: a policy whose least advantage over the behavior is best (Cheng et al., 2022)."""

import numpy as np

from instinct.tabular.game import GameConfig, solve_game
from instinct.tabular.model import Model
from instinct.tabular.solution import Solution


def atac(model: Model, config: GameConfig) -> Solution:
    """max_π min_f E_D[f(s, π) - f(s, a)] + β·E(π, f). See `game`.

    The paper assumes that μ is a distribution of visits: every state that the data reach is one in
    which they act. Where recordings are cut off by timeouts that may fail, and the state that they
    reach without an action is then counted as visited as well: f(s, π) enters, without an f(s, a).
    (Left out, what they left behind would be compared with what nobody saw, and to imitate them
    would be best.) In symbols ρ = (ν - γP̂ᵀμ)⁺, where under the paper's assumption ⁺ does nothing.
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
        "βE(π, f), V what its critic says; the gap is to the best policy",
    )
