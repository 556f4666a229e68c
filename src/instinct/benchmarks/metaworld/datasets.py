"""The fifteen Meta-World datasets, recorded here from Meta-World's scripted policies."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from instinct.benchmarks.metaworld.task import (
    HORIZON,
    PREFIX,
    SETUPS,
    VERSIONS,
    MetaWorldTask,
    need_metaworld,
)
from instinct.benchmarks.recipe import Recipe
from instinct.benchmarks.scripted import Act, record
from instinct.data import Array, Dataset
from instinct.errors import BadInput
from instinct.tasks.evaluation import episode_seed
from instinct.util.progress import Progress, no_progress

VERSION = 1
"""Increased when the same scripts shall give other data."""

NO_GOAL_TERMINAL = ":no-goal-terminal"


@dataclass(frozen=True)
class Demonstrations(Recipe):
    """Episodes of the scripted policy, then episodes of the same policy with action noise.

    The noise is Gaussian with standard deviation `noise`, and actions are clipped. Without the
    goal terminal the same episodes go on after success: all have 500 steps and end by a timeout,
    as in Meta-World itself.
    """

    short_name: str
    goal_terminal: bool = True
    scripted: int = 10
    perturbed: int = 100
    noise: float = 0.5
    seed: int = 0

    @property
    def task(self) -> str:
        return PREFIX + self.short_name

    @property
    def where(self) -> MetaWorldTask:
        """The task with the goals of data."""
        return MetaWorldTask(self.task, unseen=False, goal_terminal=self.goal_terminal)

    @property
    def name(self) -> str:
        return self.task + ("" if self.goal_terminal else NO_GOAL_TERMINAL)

    @property
    def episodes(self) -> int:
        return self.scripted + self.perturbed

    @property
    def transitions(self) -> int:
        return self.episodes * HORIZON

    @property
    def varies(self) -> bool:
        return self.goal_terminal

    @property
    def source(self) -> str:
        return f"{self.episodes} scripted episodes"

    def resize(self, transitions: int) -> "Demonstrations":
        del transitions
        raise BadInput(f"{self.name} has as many transitions as its episodes take")

    def provenance(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "scripted": self.scripted,
            "perturbed": self.perturbed,
            "noise": self.noise,
            "seed": self.seed,
            "environment": f"{self.short_name}-v3",
            **VERSIONS,
            "recipe": VERSION,
        }

    def make(self, on_progress: Progress = no_progress) -> Dataset:
        need_metaworld()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*too high. Environments clip.*", UserWarning)
            seeds = [episode_seed(self.seed, episode) for episode in range(self.episodes)]
            simulation = self.where.simulation(self.episodes)
            fields = record(simulation, seeds, self.script(), on_progress, self.transitions)
        return Dataset(**fields, action_space=self.where.action_space)

    def script(self) -> Act:
        """Return the scripted policy with noise; episodes do not influence each other."""
        policy, box = scripted_policy(self.short_name), self.where.action_space
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
"""The datasets by name."""


def scripted_policy(task: str) -> Callable[[Array], Array]:
    """Return Meta-World's own policy for a task, a function of one observation."""
    from metaworld.policies import ENV_POLICY_MAP

    policies: dict[str, Any] = ENV_POLICY_MAP
    policy = policies[f"{task}-v3"]()

    def act(observation: Array) -> Array:  # the policy may change its argument
        return np.asarray(policy.get_action(observation.copy()))

    return act
