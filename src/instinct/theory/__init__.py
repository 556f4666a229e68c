"""The paper's theory, made computable: the implicit CMDP, positive data bias, and assumptions."""

from instinct.theory.assumptions import Check, check
from instinct.theory.bias import Bias
from instinct.theory.cmdp import CMDP, CMDPSolution, implicit
from instinct.theory.garnet import garnet, sample
from instinct.theory.mdp import MDP, Optimal, deterministic, layered, uniform
from instinct.theory.support import concentrability, costs, empirical, out_of_support, support

__all__ = [
    "CMDP",
    "MDP",
    "Bias",
    "CMDPSolution",
    "Check",
    "Optimal",
    "check",
    "concentrability",
    "costs",
    "deterministic",
    "empirical",
    "garnet",
    "implicit",
    "layered",
    "out_of_support",
    "sample",
    "support",
    "uniform",
]
