"""The deep algorithms, and the compiled loop that trains them."""

from instinct.deep.algorithms.algorithm import Algorithm, Data, State
from instinct.deep.algorithms.registry import ALGORITHMS, algorithm_class
from instinct.deep.algorithms.settings import configure, settings_of
from instinct.deep.training.compilation_cache import keep_programs
from instinct.deep.training.many import train_many
from instinct.deep.training.policy import Memory, Policy, load_policy, told_by
from instinct.deep.training.run_training import train
from instinct.deep.training.runs import Outcome, Run, SavedRun, load_run
from instinct.deep.training.stage import Pace, Progress

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Data",
    "Memory",
    "Outcome",
    "Pace",
    "Policy",
    "Progress",
    "Run",
    "SavedRun",
    "State",
    "algorithm_class",
    "configure",
    "keep_programs",
    "load_policy",
    "load_run",
    "settings_of",
    "told_by",
    "train",
    "train_many",
]
