"""All experiments by name: a new one is a folder and a line here."""

from instinct.errors import BadInput
from instinct.experiments.admissibility import ADMISSIBILITY
from instinct.experiments.doubly_robust import DOUBLY_ROBUST
from instinct.experiments.examples import BIAS_EXAMPLES
from instinct.experiments.experiment import Experiment
from instinct.experiments.garnet import GARNET
from instinct.experiments.gridworld import GRIDWORLD, GRIDWORLD_ALL
from instinct.experiments.paper_bias import PAPER_BIAS

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        GRIDWORLD,
        GRIDWORLD_ALL,
        GARNET,
        BIAS_EXAMPLES,
        ADMISSIBILITY,
        DOUBLY_ROBUST,
        PAPER_BIAS,
    )
}


def find_experiment(name: str) -> Experiment:
    if name not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        raise BadInput(f"no experiment is called {name!r}; there are {known}")
    return EXPERIMENTS[name]
