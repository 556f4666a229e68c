"""PSPI: Bellman-consistent pessimism (Xie et al., 2021, arXiv:2106.06926).

It finds the policy with the best worst-case value under Bellman-consistent critics; see the paper's
"Algorithm Specific Results", PSPI: equation 9, proposition 7, corollary 4.
"""

import numpy as np

from instinct.tabular.game import GameConfig, solve_game
from instinct.tabular.model import Model
from instinct.tabular.pessimism import span
from instinct.tabular.solution import Solution


def pspi(model: Model, config: GameConfig) -> Solution:
    """Solve max_π min_f (1-γ)·f(d_0, π) + β·E(π, f), with 1/H for 1-γ if there is a horizon.

    See `game`.
    """
    return solve_game(
        model,
        config,
        start=model.initial / span(model),
        reference=np.zeros(model.support.shape),
        claim="the objective is a lower bound of the policy's min_f (1-γ)f(d_0, π) + βE(π, f); V "
        "is the critic's value; the gap is to the best policy",
    )
