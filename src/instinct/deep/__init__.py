"""The deep algorithms, and the compiled loop that trains them."""

from instinct.deep.algorithms.algorithm import (
    Algorithm,
    Batch,
    Data,
    Metrics,
    State,
    Weights,
    hyperparameters,
)
from instinct.deep.algorithms.fields import Setting, Settings, setting
from instinct.deep.algorithms.registry import ALGORITHMS, find_algorithm, register_algorithm
from instinct.deep.algorithms.settings import configure, settings_of
from instinct.deep.nn.optimizer import Adam, Learner, new_learner
from instinct.deep.training.compilation_cache import cache_programs
from instinct.deep.training.many import train_many
from instinct.deep.training.policy import Memory, TrainedPolicy, load_policy
from instinct.deep.training.run_training import train
from instinct.deep.training.runs import Outcome, Run, SavedRun, load_run
from instinct.deep.training.stage import OnProgress, Pace, StageProgress

__all__ = [
    "ALGORITHMS",
    "Adam",
    "Algorithm",
    "Batch",
    "Data",
    "Learner",
    "Memory",
    "Metrics",
    "OnProgress",
    "Outcome",
    "Pace",
    "Run",
    "SavedRun",
    "Setting",
    "Settings",
    "StageProgress",
    "State",
    "TrainedPolicy",
    "Weights",
    "cache_programs",
    "configure",
    "find_algorithm",
    "hyperparameters",
    "load_policy",
    "load_run",
    "new_learner",
    "register_algorithm",
    "setting",
    "settings_of",
    "train",
    "train_many",
]
