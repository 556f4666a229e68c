"""Training a behaviour policy online with SAC, resumable to the bit.

A training goes in rounds. Each starts new episodes, and all its randomness derives from the seed
and the number of the round; after it the checkpoint, the policy of the moment and the evaluation
curve are written. So a training that was stopped and resumed is the one that was never stopped.
"""

import csv
import io
import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import jax
import numpy as np

from instinct.behaviors.behavior import Behavior
from instinct.behaviors.replay import Replay
from instinct.behaviors.sac import SAC, sample
from instinct.deep.algorithms.algorithm import State, from_unit
from instinct.deep.training.checkpoint import load_arrays, nest, save_tree
from instinct.errors import BadInput
from instinct.tasks.environments import Environment
from instinct.tasks.evaluation import evaluate
from instinct.tasks.simulation import Task, action_box
from instinct.util.atomic import write_atomically

UPDATES = 50
"""Updates in one compiled call, after as many steps of every environment."""


@dataclass(frozen=True)
class Plan:
    """What determines a training, apart from its length.

    After one step of all the environments there is one update; the first `warm_up` steps are made
    with uniformly random actions and without updates. Steps are counted over all environments.
    """

    task: str
    sac: SAC = field(default_factory=SAC)
    seed: int = 0
    environments: int = 1
    warm_up: int = 10_000
    capacity: int = 1_000_000
    round_steps: int = 20_000
    episodes: int = 10

    def identity(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


@dataclass(frozen=True)
class Point:
    """A point of the curve: means over test episodes without noise, and over the training
    episodes of the round, with noise."""

    step: int
    mean_return: float
    mean_length: float
    training_return: float
    training_length: float
    seconds: float


Report = Callable[[Point], None]


def train(
    plan: Plan, task: Task, steps: int, folder: Path, report: Report | None = None
) -> list[Point]:
    """Train to at least `steps` steps, going on from what the folder holds."""
    training = Training(plan, task, folder)
    while training.step < steps:
        point = training.round()
        if report is not None:
            report(point)
    return training.curve


class Training:
    """A training as far as its folder has come."""

    def __init__(self, plan: Plan, task: Task, folder: Path) -> None:
        self.plan, self.folder = plan, folder
        self.task = task
        self.environments = [task.environment() for _ in range(plan.environments)]
        self.box = action_box(task)
        n, m = self.task.observation_size, self.box.dimension
        self.replay = Replay(plan.capacity, n, m)
        self.state: State = plan.sac.init(jax.random.key(plan.seed), n, m)
        self.step = 0
        self.curve: list[Point] = []
        if (folder / "checkpoint.safetensors").exists():
            self.resume()
        else:
            self.save_policy()

    def round(self) -> Point:
        """`round_steps` steps of the environments with their updates, and an evaluation."""
        started = time.monotonic()
        number = self.step // self.plan.round_steps
        generator = np.random.default_rng([self.plan.seed, number])
        key = jax.random.fold_in(jax.random.key(self.plan.seed), number)
        episodes = Episodes(self.environments, generator)
        target = self.step + self.plan.round_steps
        while self.step < target:
            for _ in range(UPDATES):
                self.step_all(episodes, generator)
            if self.step > self.plan.warm_up:
                batches = self.replay.sample((UPDATES, self.plan.sac.batch_size), generator)
                self.state = self.plan.sac.updates(
                    self.state, batches, jax.random.fold_in(key, self.step)
                )
        point = self.evaluate(episodes, started)
        self.curve.append(point)
        self.save()
        return point

    def step_all(self, episodes: "Episodes", generator: np.random.Generator) -> None:
        """One step of every environment into the replay buffer."""
        shape = (len(self.environments), self.box.dimension)
        if self.step < self.plan.warm_up:
            actions = generator.uniform(-1, 1, shape).astype(np.float32)
        else:
            noise = generator.standard_normal(shape, np.float32)
            actions = np.asarray(sample(self.state["policy"], episodes.observations, noise)[0])
        for transition in episodes.advance(actions, from_unit(actions, self.box)):
            self.replay.add(*transition)
        self.step += len(self.environments)

    def evaluate(self, episodes: "Episodes", started: float) -> Point:
        behavior = Behavior(self.state["policy"], self.box, noisy=False)
        test = evaluate(behavior, self.task, self.plan.episodes, self.plan.seed)
        return Point(
            self.step,
            float(test.returns.mean()),
            float(test.lengths.mean()),
            *episodes.means(),
            time.monotonic() - started,
        )

    def save(self) -> None:
        curve = np.array([list(asdict(point).values()) for point in self.curve])
        tree = {"state": self.state, "replay": self.replay.arrays(), "curve": curve}
        notes = {"plan": self.plan.identity(), "step": str(self.step)}
        self.save_policy()
        write_atomically(self.folder / "curve.csv", curve_table(self.curve).encode())
        save_tree(self.folder / "checkpoint.safetensors", tree, notes)

    def save_policy(self) -> None:
        path = self.folder / "policies" / f"{self.step:08d}.safetensors"
        save_tree(path, self.state["policy"], {"plan": self.plan.identity()})

    def resume(self) -> None:
        path = self.folder / "checkpoint.safetensors"
        arrays, notes = load_arrays(path)
        if notes.get("plan") != self.plan.identity():
            raise BadInput("holds another training; choose another folder", file=self.folder)
        saved = nest(arrays)
        self.state, self.step = jax.tree.map(jax.numpy.asarray, saved["state"]), int(notes["step"])
        self.replay.restore(saved["replay"])
        self.curve = [Point(int(row[0]), *map(float, row[1:])) for row in saved["curve"]]


class Episodes:
    """Episodes under way in several environments; one that ends is followed by a new one."""

    def __init__(self, environments: list[Environment], generator: np.random.Generator) -> None:
        self.environments = environments
        seeds = generator.integers(0, 2**31, len(environments)).tolist()
        starts = [e.reset(seed=s)[0] for e, s in zip(environments, seeds, strict=True)]
        self.observations = np.array(starts, np.float32)
        self.totals = np.zeros((2, len(environments)))
        self.returns: list[float] = []
        self.lengths: list[float] = []

    def advance(self, units: Any, actions: Any) -> list[tuple[Any, ...]]:
        """One step of all; the transitions, with actions as the policy gave them."""
        transitions = []
        for i, environment in enumerate(self.environments):
            before = self.observations[i].copy()
            observation, reward, terminal, timeout, _ = environment.step(actions[i])
            after = np.asarray(observation, np.float32)
            transitions.append((before, units[i], reward, after, not terminal))
            self.totals[:, i] += float(reward), 1
            if terminal or timeout:
                self.returns.append(float(self.totals[0, i]))
                self.lengths.append(float(self.totals[1, i]))
                self.totals[:, i] = 0
                after = np.asarray(environment.reset()[0], np.float32)
            self.observations[i] = after
        return transitions

    def means(self) -> tuple[float, float]:
        """The mean return and length of the episodes that have ended."""
        if not self.returns:
            return math.nan, math.nan
        return float(np.mean(self.returns)), float(np.mean(self.lengths))


def curve_table(curve: list[Point]) -> str:
    """The curve as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(Point.__dataclass_fields__), lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(point) for point in curve)
    return text.getvalue()
