"""The corollary that offline RL is doubly robust, on constructed problems."""

from instinct.experiments.doubly_robust.compute import DATA, TOLD, compute_doubly_robust
from instinct.experiments.doubly_robust.page import compose
from instinct.experiments.experiment import Experiment

DOUBLY_ROBUST = Experiment(
    "doubly-robust",
    "regret with the true or a wrong reward, on data with and without a positive bias",
    {"seed": 0, "mdps": 3, "transitions": 10_000, "R": 64.0},
    compute_doubly_robust,
    compose,
    count_runs=lambda settings: int(settings["mdps"]) * len(DATA) * len(TOLD),
    minimum={"mdps": 1, "transitions": 100, "R": 1.0},
)
