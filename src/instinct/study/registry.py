"""All studies by name."""

from instinct.errors import BadInput
from instinct.study.examples import BIAS_EXAMPLES
from instinct.study.garnet import GARNET
from instinct.study.gridworld import GRIDWORLD, GRIDWORLD_ALL
from instinct.study.paper_bias import PAPER_BIAS
from instinct.study.study import Study

STUDIES = {
    study.name: study for study in (GRIDWORLD, GRIDWORLD_ALL, GARNET, BIAS_EXAMPLES, PAPER_BIAS)
}


def find(name: str) -> Study:
    if name not in STUDIES:
        raise BadInput(f"no study is called {name!r}; there are {', '.join(STUDIES)}")
    return STUDIES[name]
