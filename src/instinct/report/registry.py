"""The pages of all studies: each is made from the study's results alone."""

from collections.abc import Callable

from instinct.report import examples, garnet, gridworld, gridworld_all, paper_bias
from instinct.report.page import Page
from instinct.study.results import Results

PAGES: dict[str, Callable[[Results], Page]] = {
    "gridworld": gridworld.compose,
    "gridworld-all": gridworld_all.compose,
    "garnet": garnet.compose,
    "bias-examples": examples.compose,
    "paper-bias": paper_bias.compose,
}
