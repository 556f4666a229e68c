"""Train a behavior policy online with SAC, resumable to the bit.

A training consists of rounds. Each round starts new episodes, and all its randomness derives from
the seed and the number of the round. After each round the checkpoint, the current policy and the
evaluation curve are written. A training that was stopped and resumed therefore equals one that
was never stopped.
"""

import csv
import io
import json
import logging
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
from instinct.behaviors.sac import SAC, SACState, sample
from instinct.deep.algorithms.algorithm import from_unit
from instinct.deep.training.checkpoint import load_arrays, nest, restore, save_tree
from instinct.errors import BadInput, Damaged
from instinct.tasks.environments import Environment
from instinct.tasks.evaluation import evaluate
from instinct.tasks.simulation import Task, action_box
from instinct.util.atomic import write_atomically

log = logging.getLogger(__name__)

UPDATES = 50
"""Updates in one compiled call; each call follows as many steps of every environment."""


@dataclass(frozen=True)
class TrainingConfig:
    """Everything that determines a training, apart from its length.

    There is one update after every step of all environments. The first `warm_up` steps take
    uniformly random actions and make no updates. Steps are counted over all environments.
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
class TrainingPoint:
    """A point of the training curve.

    Test episodes are played without noise; training episodes are those of the round, with noise.
    """

    step: int
    mean_return: float
    mean_length: float
    training_return: float
    training_length: float
    seconds: float


OnRound = Callable[[TrainingPoint], None]
"""Called after every round."""


def train(
    config: TrainingConfig, task: Task, steps: int, folder: Path, on_round: OnRound | None = None
) -> list[TrainingPoint]:
    """Train for at least `steps` steps, resuming from the checkpoint in the folder."""
    training = Training(config, task, folder)
    while training.step < steps:
        point = training.round()
        if on_round is not None:
            on_round(point)
    return training.curve


class Training:
    """A training with its state; resumes from the checkpoint in its folder."""

    def __init__(self, config: TrainingConfig, task: Task, folder: Path) -> None:
        self.config, self.folder = config, folder
        self.task = task
        self.environments = [task.environment() for _ in range(config.environments)]
        self.box = action_box(task)
        n, m = self.task.observation_size, self.box.dimension
        self.replay = Replay(config.capacity, n, m)
        self.state: SACState = config.sac.init(jax.random.key(config.seed), n, m)
        self.step = 0
        self.curve: list[TrainingPoint] = []
        if not self.resume():
            self.save_policy()

    def round(self) -> TrainingPoint:
        """Train for `round_steps` steps, evaluate, and save everything."""
        started = time.monotonic()
        number = self.step // self.config.round_steps
        generator = np.random.default_rng([self.config.seed, number])
        key = jax.random.fold_in(jax.random.key(self.config.seed), number)
        episodes = Episodes(self.environments, generator)
        target = self.step + self.config.round_steps
        while self.step < target:
            for _ in range(UPDATES):
                self.step_all(episodes, generator)
            if self.step > self.config.warm_up:
                batches = self.replay.sample((UPDATES, self.config.sac.batch_size), generator)
                self.state = self.config.sac.updates(
                    self.state, batches, jax.random.fold_in(key, self.step)
                )
        point = self.evaluate(episodes, started)
        self.curve.append(point)
        self.save()
        return point

    def step_all(self, episodes: "Episodes", generator: np.random.Generator) -> None:
        """Step every environment once and add the transitions to the replay buffer."""
        shape = (len(self.environments), self.box.dimension)
        if self.step < self.config.warm_up:
            actions = generator.uniform(-1, 1, shape).astype(np.float32)
        else:
            noise = generator.standard_normal(shape, np.float32)
            actions = np.asarray(sample(self.state["policy"], episodes.observations, noise)[0])
        for transition in episodes.advance(actions, from_unit(actions, self.box)):
            self.replay.add(*transition)
        self.step += len(self.environments)

    def evaluate(self, episodes: "Episodes", started: float) -> TrainingPoint:
        behavior = Behavior(self.state["policy"], self.box, noisy=False)
        test = evaluate(behavior, self.task, self.config.episodes, self.config.seed)
        return TrainingPoint(
            self.step,
            float(test.returns.mean()),
            float(test.lengths.mean()),
            *episodes.means(),
            time.monotonic() - started,
        )

    def save(self) -> None:
        curve = np.array([list(asdict(point).values()) for point in self.curve])
        tree = {"state": self.state, "replay": self.replay.arrays(), "curve": curve}
        notes = {"plan": self.config.identity(), "step": str(self.step)}
        self.save_policy()
        write_atomically(self.folder / "curve.csv", curve_table(self.curve).encode())
        save_tree(self.folder / "checkpoint.safetensors", tree, notes)

    def save_policy(self) -> None:
        path = self.folder / "policies" / f"{self.step:08d}.safetensors"
        save_tree(path, self.state["policy"], {"plan": self.config.identity()})

    def resume(self) -> bool:
        """Resume from the checkpoint; return False if there is none or it is damaged."""
        path = self.folder / "checkpoint.safetensors"
        if not path.exists():
            return False
        try:
            arrays, notes = load_arrays(path)
        except Damaged as fault:
            log.warning("%s; the training begins again", fault)
            return False
        if notes.get("plan") != self.config.identity():
            raise BadInput("holds another training; choose another folder", file=self.folder)
        state = {name: arrays.pop(name) for name in [*arrays] if name.startswith("state/")}
        saved = nest(arrays)
        restored = restore({"state": self.state}, state, path)["state"]
        self.state, self.step = jax.tree.map(jax.numpy.asarray, restored), int(notes["step"])
        self.replay.restore(saved["replay"])
        self.curve = [TrainingPoint(int(row[0]), *map(float, row[1:])) for row in saved["curve"]]
        return True


class Episodes:
    """Running episodes in several environments; a new one starts when one ends."""

    def __init__(self, environments: list[Environment], generator: np.random.Generator) -> None:
        self.environments = environments
        seeds = generator.integers(0, 2**31, len(environments)).tolist()
        starts = [e.reset(seed=s)[0] for e, s in zip(environments, seeds, strict=True)]
        self.observations = np.array(starts, np.float32)
        self.totals = np.zeros((2, len(environments)))
        self.returns: list[float] = []
        self.lengths: list[float] = []

    def advance(self, units: Any, actions: Any) -> list[tuple[Any, ...]]:
        """Step all environments and return the transitions, with actions in [-1, 1]."""
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
        """Return the mean return and length of the finished episodes."""
        if not self.returns:
            return math.nan, math.nan
        return float(np.mean(self.returns)), float(np.mean(self.lengths))


def curve_table(curve: list[TrainingPoint]) -> str:
    """Return the curve as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(TrainingPoint.__dataclass_fields__), lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(point) for point in curve)
    return text.getvalue()
