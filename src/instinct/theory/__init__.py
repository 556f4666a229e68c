"""Exact quantities of the paper's theory: implicit CMDP, positive data bias, assumptions."""

from instinct.theory.assumptions import AssumptionCheck, check_assumptions
from instinct.theory.bias import Bias
from instinct.theory.cmdp import CMDP, CMDPSolution, implicit_cmdp
from instinct.theory.garnet import garnet, sample
from instinct.theory.mdp import MDP, Optimal, deterministic, layered, uniform
from instinct.theory.support import (
    concentrability,
    costs,
    empirical_distribution,
    out_of_support,
    support,
)

__all__ = [
    "CMDP",
    "MDP",
    "AssumptionCheck",
    "Bias",
    "CMDPSolution",
    "Optimal",
    "check_assumptions",
    "concentrability",
    "costs",
    "deterministic",
    "empirical_distribution",
    "garnet",
    "implicit_cmdp",
    "layered",
    "out_of_support",
    "sample",
    "support",
    "uniform",
]
