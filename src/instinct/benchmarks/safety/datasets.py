"""The sixteen Safety-Gymnasium datasets, made on this machine by scripts of our own."""

from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np

from instinct.behaviors.collection import Report
from instinct.benchmarks.safety.compat import VERSION as SAFETY_GYMNASIUM
from instinct.benchmarks.safety.compat import need_safety
from instinct.benchmarks.safety.scripts import script
from instinct.benchmarks.safety.task import PREFIX, SETUPS, SafetyTask
from instinct.benchmarks.scripted import ScriptedDataset, record
from instinct.data import Array, Dataset
from instinct.errors import BadInput
from instinct.tasks.evaluation import episode_seed
from instinct.util.processes import process_pool

VERSION = 1
"""Raised when the same scripts are to give other data."""

TOGETHER = 10
"""Episodes that one process plays side by side."""

DATA = 1
"""Seeds of data derive from this number too: no test has the layout of an episode in the data."""

GOLDEN, SILVER = (np.sqrt(5) - 1) / 2, np.sqrt(2) - 1
"""Multiples of these, taken modulo 1, are spread evenly, and few of them as well as many."""


@dataclass(frozen=True)
class Drives(ScriptedDataset):
    """Episodes of a task that go from reckless to cautious.

    A share of them is reckless, with no caution at all; the others are spread evenly from there to
    full caution. i·0.618… modulo 1 tells how cautious episode i is, and the noise in its actions is
    Gaussian with the standard deviation `noise`·(i·0.414… modulo 1). An episode does not depend on
    how many others there are.
    """

    task: str
    episodes: int = 300
    reckless: float = 0.4
    noise: float = 0.4
    seed: int = 0

    @property
    def where(self) -> SafetyTask:
        return SafetyTask(PREFIX + self.task)

    @property
    def name(self) -> str:
        return self.where.name

    @property
    def transitions(self) -> int:
        return self.episodes * self.where.setup.horizon

    def sized(self, transitions: int) -> "Drives":
        """The same with so many transitions."""
        episodes, rest = divmod(transitions, self.where.setup.horizon)
        if rest or not episodes:
            raise BadInput(
                f"{self.name} has whole episodes of {self.where.setup.horizon} transitions; "
                "ask for a multiple of that"
            )
        return replace(self, episodes=episodes)

    def provenance(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "episodes": self.episodes,
            "reckless": self.reckless,
            "noise": self.noise,
            "seed": self.seed,
            "environment": f"Safety{self.task}-v0",
            "safety-gymnasium": SAFETY_GYMNASIUM,
            "mujoco": version("mujoco"),
            "recipe": VERSION,
        }

    def make(self, report: Report | None = None) -> Dataset:
        """Ten episodes at a time, on all cores."""
        need_safety()
        groups = [range(self.episodes)[i : i + TOGETHER] for i in range(0, self.episodes, TOGETHER)]
        if len(groups) == 1:
            parts = [self.play(groups[0], report)]
        else:
            parts = self.play_in_processes(groups, report)
        names = parts[0].keys()
        fields: dict[str, Any] = {n: np.concatenate([part[n] for part in parts]) for n in names}
        return Dataset(**fields, action_space=self.where.action_space)

    def play_in_processes(self, groups: list[range], report: Report | None) -> list[dict[str, Any]]:
        """The groups in their order, whichever is done first."""
        with process_pool(work=f"making {self.name}") as pool:
            jobs = [pool.submit(self.play, group) for group in groups]
            recorded = 0
            for job in as_completed(jobs):
                recorded += len(job.result()["rewards"])
                if report is not None:
                    report(recorded)
            return [job.result() for job in jobs]

    def play(self, episodes: range, report: Report | None = None) -> dict[str, Any]:
        """These episodes side by side."""
        numbers = np.array(episodes)
        caution = np.maximum(numbers * GOLDEN % 1 - self.reckless, 0) / (1 - self.reckless)
        noise = self.noise * (numbers * SILVER % 1)
        seeds = [episode_seed(self.seed, number, DATA) for number in episodes]
        randoms = [np.random.default_rng(seed) for seed in seeds]
        drive, box = script(self.task), self.where.action_space

        def act(playing: Array, observations: Array) -> Array:
            drawn = np.array([randoms[i].standard_normal(box.dimension) for i in playing])
            actions = drive(observations, caution[playing]) + noise[playing, None] * drawn
            return box.clip(actions.astype(np.float32))

        return record(self.where.simulation(len(episodes)), seeds, act, report)


DRIVES = {one.name: one for one in map(Drives, SETUPS)}
"""All by name."""
