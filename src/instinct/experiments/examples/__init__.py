"""The paper's examples of positive data bias, computed exactly."""

from instinct.experiments.examples.compute import CASES, compute_examples
from instinct.experiments.examples.page import compose
from instinct.experiments.experiment import Experiment

BIAS_EXAMPLES = Experiment(
    "bias-examples",
    "the paper's examples of positive bias, claimed and computed",
    {"seed": 0, "mdps": 10},
    compute_examples,
    compose,
    count_runs=lambda settings: int(settings["mdps"]) * CASES,
    minimum={"mdps": 1},
)
