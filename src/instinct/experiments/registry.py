"""All studies by name."""

from instinct.errors import BadInput
from instinct.experiments.examples.compute import BIAS_EXAMPLES
from instinct.experiments.experiment import Study
from instinct.experiments.garnet.compute import GARNET
from instinct.experiments.gridworld.compute import GRIDWORLD, GRIDWORLD_ALL
from instinct.experiments.paper_bias.compute import PAPER_BIAS

STUDIES = {
    study.name: study for study in (GRIDWORLD, GRIDWORLD_ALL, GARNET, BIAS_EXAMPLES, PAPER_BIAS)
}


def find(name: str) -> Study:
    if name not in STUDIES:
        raise BadInput(f"no study is called {name!r}; there are {', '.join(STUDIES)}")
    return STUDIES[name]
