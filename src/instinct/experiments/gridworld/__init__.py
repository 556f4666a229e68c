"""The paper's grid world, and all tabular algorithms in it."""

from instinct.benchmarks.gridworld.world import GridWorld
from instinct.data import PAPER_LABELS
from instinct.experiments.experiment import Experiment
from instinct.experiments.gridworld import all_page, page
from instinct.experiments.gridworld.compute import compute_all, compute_paper
from instinct.tabular.registry import ALGORITHMS
from instinct.theory.bounds import required_admissibility

GRIDWORLD = Experiment(
    "gridworld",
    "BC and PEVI in the paper's grid world, beside the paper's table",
    {"seed": 0, "episodes": 1000, "beta": 1.0},
    compute_paper,
    page.compose,
    count_runs=lambda _: 2 * len(PAPER_LABELS),
    minimum={"episodes": 2},
)
GRIDWORLD_ALL = Experiment(
    "gridworld-all",
    "all tabular algorithms in the grid world, with enough pessimism",
    {"seed": 0, "episodes": 1000, "R": required_admissibility(2 * GridWorld().horizon + 1)},
    compute_all,
    all_page.compose,
    count_runs=lambda _: len(ALGORITHMS) * len(PAPER_LABELS),
    minimum={"episodes": 2, "R": 1.0},
)
