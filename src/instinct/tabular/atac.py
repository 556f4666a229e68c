"""ATAC: a policy whose least advantage over the behaviour is best (Cheng et al., 2022)."""

import numpy as np

from instinct.tabular.game import GameConfig, play
from instinct.tabular.model import Model
from instinct.tabular.solution import Solution


def atac(model: Model, config: GameConfig) -> Solution:
    """max_π min_f E_D[f(s, π) - f(s, a)] + β·E(π, f). See `game`.

    The paper assumes that μ is a distribution of visits, so that every state the data reach is one
    they act in. Where a recording was cut off, that fails: the state after a timeout is reached,
    but no action is known. It is counted as visited: f(s, π) enters without an f(s, a). (Left out,
    f(s, a) would be compared with what nobody saw, and to imitate the recordings that left the
    support would be best.) So the visits start where episodes start and, with γ < 1, anew with
    probability 1-γ wherever the data go.
    """
    size = model.states
    inside = model.successors[model.successors < size]
    starts = np.bincount(model.starts, minlength=size)
    arrivals = np.bincount(inside, minlength=size)
    return play(
        model,
        config,
        start=(starts + (1 - model.discount) * arrivals) / len(model),
        reference=model.distribution,
        claim="the objective is a lower bound of the policy's min_f E_D[f(s, π) - f(s, a)] + "
        "βE(π, f), V what its critic says; the gap is to the best policy",
    )
