"""PPI: pessimistic policy iteration over actions with enough data.

Liu et al., 2020, arXiv:2007.08202; see the paper's "Algorithm Specific Results", PPI and PQI:
algorithm 2, proposition 11.
"""

import numpy as np

from instinct.tabular.model import Model
from instinct.tabular.pessimism import span
from instinct.tabular.pqi import FilterConfig, filtered_mdp
from instinct.tabular.solution import Solution
from instinct.theory.mdp import deterministic


def ppi(model: Model, config: FilterConfig) -> Solution:
    """Alternate between policy evaluation and improvement over the actions that pass the filter.

    The evaluation is exact (J → ∞). The first policy takes the most frequent actions. The iteration
    stops when no action is better by more than the tolerance. Other actions have the value -V_max
    (see `pqi`).
    """
    mdp = filtered_mdp(model, config)
    everyone = np.arange(mdp.states)
    chosen = np.append(model.counts.argmax(axis=1), 0)
    while True:
        V = mdp.v(deterministic(chosen, model.actions))
        Q = mdp.backup(V)
        gain = Q.max(axis=1) - Q[everyone, chosen]
        better = gain > config.tolerance
        if not better.any():
            break
        chosen = np.where(better, Q.argmax(axis=1), chosen)
    return Solution(
        policy=deterministic(chosen[:-1], model.actions),
        Q=Q[:-1],
        V=V[:-1],
        objective=float(mdp.initial @ V),
        gap=float(gain.max()) * span(model),
        certifies="V is the policy's value in the empirical model if actions that do not pass "
        "the filter give -R per step",
    )
