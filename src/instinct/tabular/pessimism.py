"""The degree of pessimism of the tabular algorithms.

One number R sets it for all of them (definition "Admissibility"): out of support a reward may be
as low as -R. So a value may be as low as -V_max, with V_max = R/(1-γ), or R·(H-t) after t of H
steps.
"""

import numpy as np

from instinct.data import Array
from instinct.errors import BadInput
from instinct.tabular.model import Model


def value_limit(model: Model, R: float) -> Array:
    """Return V_max of every state, [S]."""
    largest = np.abs(model.rewards).max()
    if largest > R:
        raise BadInput(f"R is {R:g}, below the largest mean reward {largest:g} of the data")
    return R * model.steps_left


def require_positive(**settings: float | None) -> None:
    """Refuse settings that are not positive; None means not set."""
    for name, value in settings.items():
        if value is not None and not value > 0:
            raise BadInput(f"is {value:g}; it must be positive", field=name)


def require_probability(delta: float) -> None:
    """Refuse a δ outside of (0, 1)."""
    if not 0 < delta < 1:
        raise BadInput(f"is {delta:g}; it must be between 0 and 1", field="delta")


def span(model: Model) -> float:
    """Return Σ_t γ^t: 1/(1-γ), or H."""
    return float(model.steps_left.max())
