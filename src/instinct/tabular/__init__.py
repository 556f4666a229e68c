"""The paper's admissible algorithms in tabular form, over one empirical model of a dataset."""

from instinct.tabular.bc import BCConfig, bc
from instinct.tabular.model import Model, States
from instinct.tabular.pevi import PEVIConfig, bounds, pevi, remaining
from instinct.tabular.solution import Solution

__all__ = [
    "BCConfig",
    "Model",
    "PEVIConfig",
    "Solution",
    "States",
    "bc",
    "bounds",
    "pevi",
    "remaining",
]
