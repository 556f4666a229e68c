"""The positive bias of the paper's datasets, from the paper's own tables."""

from instinct.experiments.experiment import Experiment
from instinct.experiments.paper_bias.compute import compute_paper_bias
from instinct.experiments.paper_bias.page import compose

PAPER_BIAS = Experiment(
    "paper-bias",
    "the positive bias of the paper's datasets, from the paper's own scores",
    {},
    compute_paper_bias,
    compose,
)
