"""The deep algorithms, and the compiled loop that trains them."""

from instinct.deep.algorithms.algorithm import Algorithm, Batch, Data, State, hyperparameters
from instinct.deep.algorithms.fields import Setting, Settings, setting
from instinct.deep.algorithms.registry import ALGORITHMS, find_algorithm, register_algorithm
from instinct.deep.algorithms.settings import configure, settings_of
from instinct.deep.training.compilation_cache import keep_programs
from instinct.deep.training.many import train_many
from instinct.deep.training.policy import Memory, Policy, load_policy
from instinct.deep.training.run_training import train
from instinct.deep.training.runs import Outcome, Run, SavedRun, load_run
from instinct.deep.training.stage import Pace, Progress

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Batch",
    "Data",
    "Memory",
    "Outcome",
    "Pace",
    "Policy",
    "Progress",
    "Run",
    "SavedRun",
    "Setting",
    "Settings",
    "State",
    "configure",
    "find_algorithm",
    "hyperparameters",
    "keep_programs",
    "load_policy",
    "load_run",
    "register_algorithm",
    "setting",
    "settings_of",
    "train",
    "train_many",
]
