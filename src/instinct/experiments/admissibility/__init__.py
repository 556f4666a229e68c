"""The admissibility of every tabular algorithm, measured."""

from instinct.experiments.admissibility.compute import DEGREES, compute_admissibility
from instinct.experiments.admissibility.page import compose
from instinct.experiments.experiment import Experiment
from instinct.experiments.garnet.compute import KINDS, SIZES

ADMISSIBILITY = Experiment(
    "admissibility",
    "the largest regret over the rewards that the admissibility definition allows, by algorithm",
    {"seed": 0, "mdps": 3, "states": 20, "actions": 3},
    compute_admissibility,
    compose,
    count_runs=lambda settings: (
        len(DEGREES) * (1 + int(settings["mdps"]) * len(KINDS) * len(SIZES))
    ),
    minimum={"mdps": 1, "states": 2, "actions": 2},
)
