"""PSPI: a policy whose least value under Bellman-consistent critics is best (Xie et al., 2021)."""

import numpy as np

from instinct.tabular.game import GameConfig, solve_game
from instinct.tabular.model import Model
from instinct.tabular.pessimism import span
from instinct.tabular.solution import Solution


def pspi(model: Model, config: GameConfig) -> Solution:
    """max_π min_f (1-γ)·f(d_0, π) + β·E(π, f); with a horizon 1/H stands for 1-γ. See `game`."""
    return solve_game(
        model,
        config,
        start=model.initial / span(model),
        reference=np.zeros(model.support.shape),
        claim="the objective is a lower bound of the policy's min_f (1-γ)f(d_0, π) + βE(π, f), V "
        "what its critic says; the gap is to the best policy",
    )
