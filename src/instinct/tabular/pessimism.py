"""How pessimistic an algorithm has to be.

One number R sets it for all of them: out of support a reward may be as low as -R, so a value may
be as low as -V_max with V_max = R/(1-γ), or R·(H-t) with t steps of H gone.
"""

import numpy as np

from instinct.data import Array
from instinct.errors import BadInput
from instinct.tabular.model import Model


def value_limit(model: Model, R: float) -> Array:
    """V_max of every state, [S]."""
    largest = np.abs(model.rewards).max()
    if largest > R:
        raise BadInput(f"R is {R:g}, below the largest mean reward {largest:g} of the data")
    return R * model.steps_left


def require_positive(**settings: float | None) -> None:
    """Refuse settings, of those that are given, that are not above 0."""
    for name, value in settings.items():
        if value is not None and not value > 0:
            raise BadInput(f"is {value:g}; it must be positive", field=name)


def require_probability(delta: float) -> None:
    """Refuse a δ that is no probability of failure."""
    if not 0 < delta < 1:
        raise BadInput(f"is {delta:g}; it must be between 0 and 1", field="delta")


def span(model: Model) -> float:
    """Σ_t γ^t: 1/(1-γ), or H."""
    return float(model.steps_left.max())
