"""Random MDPs with data of positive, zero and negative bias."""

from instinct.experiments.experiment import Experiment
from instinct.experiments.garnet.compute import KINDS, SIZES, compute_garnet
from instinct.experiments.garnet.page import compose

GARNET = Experiment(
    "garnet",
    "regret and steps outside the data, by pessimism and data size, on random MDPs of known bias",
    {"seed": 0, "mdps": 3, "states": 20, "actions": 3},
    compute_garnet,
    compose,
    count_runs=lambda settings: int(settings["mdps"]) * len(KINDS) * len(SIZES),
    minimum={"mdps": 2, "states": 2, "actions": 2},
)
