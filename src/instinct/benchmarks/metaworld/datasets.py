"""The fifteen Meta-World datasets, made on this machine by Meta-World's scripted policies."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from instinct.behaviors.collection import Report
from instinct.benchmarks.metaworld.task import (
    HORIZON,
    PREFIX,
    SETUPS,
    VERSIONS,
    MetaWorldTask,
    need_metaworld,
)
from instinct.benchmarks.scripted import Act, ScriptedDataset, record
from instinct.data import Array, Dataset
from instinct.tasks.evaluation import episode_seed

VERSION = 1
"""Raised when the same scripts are to give other data."""

NO_GOAL_TERMINAL = ":no-goal-terminal"


@dataclass(frozen=True)
class Demonstrations(ScriptedDataset):
    """Episodes of a task: those of the scripted policy, then those with noise in its actions.

    The noise is Gaussian with that standard deviation, and actions are clipped. Without the goal
    terminal they are the same episodes, which go on after success: all have 500 steps and end by a
    timeout, as in Meta-World itself.
    """

    task: str
    goal_terminal: bool = True
    scripted: int = 10
    perturbed: int = 100
    noise: float = 0.5
    seed: int = 0

    @property
    def where(self) -> MetaWorldTask:
        return MetaWorldTask(PREFIX + self.task, unseen=False, goal_terminal=self.goal_terminal)

    @property
    def name(self) -> str:
        return self.where.name + ("" if self.goal_terminal else NO_GOAL_TERMINAL)

    @property
    def episodes(self) -> int:
        return self.scripted + self.perturbed

    @property
    def transitions(self) -> int:
        return self.episodes * HORIZON

    def provenance(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "scripted": self.scripted,
            "perturbed": self.perturbed,
            "noise": self.noise,
            "seed": self.seed,
            "environment": f"{self.task}-v3",
            **VERSIONS,
            "recipe": VERSION,
        }

    def make(self, report: Report | None = None) -> Dataset:
        need_metaworld()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*too high. Environments clip.*", UserWarning)
            seeds = [episode_seed(self.seed, episode) for episode in range(self.episodes)]
            fields = record(self.where.simulation(self.episodes), seeds, self.acting(), report)
        return Dataset(**fields, action_space=self.where.action_space)

    def acting(self) -> Act:
        """The script with noise, which in one episode does not depend on how long others take."""
        policy, box = script(self.task), self.where.action_space
        random = np.random.default_rng(self.seed)
        scale = np.where(np.arange(self.episodes) < self.scripted, 0.0, self.noise)[:, None]

        def act(playing: Array, observations: Array) -> Array:
            noise = scale * random.standard_normal((self.episodes, box.dimension))
            actions = np.array([policy(one) for one in observations]) + noise[playing]
            return box.clip(actions.astype(np.float32))

        return act


DEMONSTRATIONS = {
    one.name: one
    for goal_terminal in (True, False)
    for one in (Demonstrations(task, goal_terminal) for task in SETUPS)
}
"""All by name."""


def reached(dataset: Dataset) -> Array:
    """Which episodes reach the goal, in data with goal terminals."""
    return np.asarray(dataset.terminals[dataset.stops - 1])


def script(task: str) -> Callable[[Array], Array]:
    """Meta-World's own policy for a task, of one observation; what it is given it may change."""
    from metaworld.policies import ENV_POLICY_MAP

    policies: dict[str, Any] = ENV_POLICY_MAP
    policy = policies[f"{task}-v3"]()

    def act(observation: Array) -> Array:
        return np.asarray(policy.get_action(observation.copy()))

    return act
