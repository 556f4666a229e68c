"""The fifteen Meta-World datasets, made on this machine by Meta-World's scripted policies."""

import hashlib
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from instinct.collect.collection import Report, Rows
from instinct.collect.store import get_or_make, note_of
from instinct.data import Array, Dataset
from instinct.tasks.evaluation import episode_seed
from instinct.tasks.metaworld import (
    HORIZON,
    PREFIX,
    SETUPS,
    VERSIONS,
    MetaWorldTask,
    need_metaworld,
)

VERSION = 1
"""Raised when the same scripts are to give other data."""

NO_GOAL_TERMINAL = ":no-goal-terminal"


@dataclass(frozen=True)
class Demonstrations:
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
        """At most so many."""
        return self.episodes * HORIZON

    def provenance(self) -> dict[str, Any]:
        """All that determines the data."""
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

    @property
    def entry(self) -> str:
        """The name under which they are kept; other versions give another."""
        text = json.dumps(self.provenance(), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        return f"{self.name.replace(':', '-')}-{digest}"

    def note(self) -> dict[str, Any] | None:
        """What is noted of the dataset, if it has been made."""
        return note_of(self.entry)

    def make(self, report: Report | None = None) -> Dataset:
        """Play all episodes side by side, and put them one after another."""
        need_metaworld()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*too high. Environments clip.*", UserWarning)
            fields = self.record(script(self.task), report)._asdict()
        del fields["episodes"]
        return Dataset(**fields, action_space=self.where.action_space)

    def record(self, policy: Callable[[Array], Array], report: Report | None) -> Rows:
        """All episodes; the noise in one does not depend on how long others take."""
        simulation, box = self.where.simulation(self.episodes), self.where.action_space
        playing = np.arange(self.episodes)
        seeds = [episode_seed(self.seed, episode) for episode in playing.tolist()]
        observations = np.array([simulation.reset(i, seed) for i, seed in enumerate(seeds)])
        random = np.random.default_rng(self.seed)
        scale = np.where(playing < self.scripted, 0.0, self.noise)[:, None]
        steps: list[Rows] = []
        recorded = 0
        while len(playing):
            noise = scale * random.standard_normal((self.episodes, box.dimension))
            actions = np.array([policy(observations[i]) for i in playing]) + noise[playing]
            actions = box.clip(actions.astype(np.float32))
            step = simulation.step(playing, actions)
            before, after = observations[playing], step.observations
            steps.append(
                Rows(playing, before, actions, step.rewards, after, step.terminals, step.timeouts)
            )
            observations[playing] = after
            playing = playing[~(step.terminals | step.timeouts)]
            recorded += len(actions)
            if report is not None:
                report(recorded)
        rows = Rows(*(np.concatenate(columns) for columns in zip(*steps, strict=True)))
        order = np.argsort(rows.episodes, kind="stable")
        return Rows(*(column[order] for column in rows))

    def dataset(self, report: Report | None = None) -> Dataset:
        """From the data folder, or made now and kept there."""
        return get_or_make(self.entry, lambda: self.make(report), self.provenance())


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
