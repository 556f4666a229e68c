"""The pages of all studies: each is made from the study's results alone."""

from collections.abc import Callable

from instinct.experiments.examples import page as examples
from instinct.experiments.garnet import page as garnet
from instinct.experiments.gridworld import all_page as gridworld_all
from instinct.experiments.gridworld import page as gridworld
from instinct.experiments.paper_bias import page as paper_bias
from instinct.experiments.results import Results
from instinct.report.kit.page import Page

PAGES: dict[str, Callable[[Results], Page]] = {
    "gridworld": gridworld.compose,
    "gridworld-all": gridworld_all.compose,
    "garnet": garnet.compose,
    "bias-examples": examples.compose,
    "paper-bias": paper_bias.compose,
}
