"""The deep algorithms, and the compiled loop that trains them."""

from instinct.deep.algorithm import Algorithm, Data, State
from instinct.deep.devices import keep_programs
from instinct.deep.many import train_many
from instinct.deep.policy import Memory, Policy, load_policy, told_by
from instinct.deep.registry import ALGORITHMS, algorithm_class
from instinct.deep.runs import Outcome, Run, SavedRun, load_run
from instinct.deep.settings import configure, settings_of
from instinct.deep.train import train
from instinct.deep.training import Pace, Progress

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
