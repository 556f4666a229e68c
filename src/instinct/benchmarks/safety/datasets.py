"""The sixteen Safety-Gymnasium datasets, recorded on this machine from our own scripts."""

from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np

from instinct.benchmarks.recipe import Recipe
from instinct.benchmarks.safety.compat import VERSION as SAFETY_GYMNASIUM
from instinct.benchmarks.safety.compat import need_safety
from instinct.benchmarks.safety.scripts import script
from instinct.benchmarks.safety.task import PREFIX, SETUPS, SafetyTask
from instinct.benchmarks.scripted import record
from instinct.data import Array, Dataset
from instinct.errors import BadInput
from instinct.tasks.evaluation import episode_seed
from instinct.util.processes import process_pool
from instinct.util.progress import Progress, no_progress

VERSION = 1
"""Increased when the same scripts shall give other data."""

TOGETHER = 10
"""Episodes that one process plays side by side."""

DATA = 1
"""Part of every seed of the data, so that no test episode has the layout of a recorded one."""

GOLDEN, SILVER = (np.sqrt(5) - 1) / 2, np.sqrt(2) - 1
"""The first n multiples of these modulo 1 are spread evenly, for every n."""


@dataclass(frozen=True)
class Drives(Recipe):
    """Episodes of scripts that range from reckless to cautious.

    The share `reckless` of the episodes has no caution; the others are spread evenly from there to
    full caution. The caution of episode i follows from i·0.618… modulo 1. Its action noise is
    Gaussian with standard deviation `noise`·(i·0.414… modulo 1). An episode does not depend on
    the number of episodes.
    """

    short_name: str
    episodes: int = 300
    reckless: float = 0.4
    noise: float = 0.4
    seed: int = 0

    @property
    def task(self) -> str:
        return PREFIX + self.short_name

    @property
    def where(self) -> SafetyTask:
        return SafetyTask(self.task)

    @property
    def name(self) -> str:
        return self.task

    @property
    def transitions(self) -> int:
        return self.episodes * self.where.setup.horizon

    @property
    def source(self) -> str:
        return f"{self.episodes} scripted episodes"

    def resize(self, transitions: int) -> "Drives":
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
            "environment": f"Safety{self.short_name}-v0",
            "safety-gymnasium": SAFETY_GYMNASIUM,
            "mujoco": version("mujoco"),
            "recipe": VERSION,
        }

    def make(self, on_progress: Progress = no_progress) -> Dataset:
        """Play the episodes on all cores, ten at a time."""
        need_safety()
        groups = [range(self.episodes)[i : i + TOGETHER] for i in range(0, self.episodes, TOGETHER)]
        if len(groups) == 1:
            parts = [self.play(groups[0], on_progress)]
        else:
            parts = self.play_in_processes(groups, on_progress)
        names = parts[0].keys()
        fields: dict[str, Any] = {n: np.concatenate([part[n] for part in parts]) for n in names}
        return Dataset(**fields, action_space=self.where.action_space)

    def play_in_processes(self, groups: list[range], on_progress: Progress) -> list[dict[str, Any]]:
        """Play the groups in worker processes and return their fields in order."""
        with process_pool(work=f"making {self.name}") as pool:
            jobs = [pool.submit(self.play, group) for group in groups]
            recorded = 0
            for job in as_completed(jobs):
                recorded += len(job.result()["rewards"])
                on_progress(recorded, self.transitions, "transitions")
            return [job.result() for job in jobs]

    def play(self, episodes: range, on_progress: Progress = no_progress) -> dict[str, Any]:
        """Play these episodes side by side and return the fields of a dataset."""
        numbers = np.array(episodes)
        caution = np.maximum(numbers * GOLDEN % 1 - self.reckless, 0) / (1 - self.reckless)
        noise = self.noise * (numbers * SILVER % 1)
        seeds = [episode_seed(self.seed, number, DATA) for number in episodes]
        randoms = [np.random.default_rng(seed) for seed in seeds]
        drive, box = script(self.short_name), self.where.action_space

        def act(playing: Array, observations: Array) -> Array:
            drawn = np.array([randoms[i].standard_normal(box.dimension) for i in playing])
            actions = drive(observations, caution[playing]) + noise[playing, None] * drawn
            return box.clip(actions.astype(np.float32))

        simulation = self.where.simulation(len(episodes))
        return record(simulation, seeds, act, on_progress, self.transitions)


DRIVES = {one.name: one for one in map(Drives, SETUPS)}
"""The datasets by name."""
