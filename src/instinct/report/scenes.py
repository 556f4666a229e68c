"""What can be seen of the agents of an audit: a map with their paths, or strips of pictures."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from instinct.benchmarks.gridworld.task import GridWorldTask
from instinct.benchmarks.locomotion.film import record_positions, render
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.benchmarks.registry import find_task
from instinct.data import Array
from instinct.deep import load_policy
from instinct.engine.tabular_trials import episode_random, learn_policy
from instinct.engine.trial_runner import RUNS, TrialRunner
from instinct.errors import InstinctError
from instinct.report.kit.filmstrip import Strip, draw_filmstrip
from instinct.report.kit.grid_map import GridPath, arrival, draw_map
from instinct.report.kit.page import Drawing
from instinct.report.reward_verdicts import find_agents
from instinct.study.findings import CellResult, Findings
from instinct.study.plan import reads_rewards
from instinct.tasks.evaluation import episode_seed

MOST_PATHS = 4
PICTURES = 7
FILM = "One test episode of imitation, and one of the agent that was told a reward of zero."
MAP = "Lava, key, the data (stronger green is more frequent), and the agents' paths."


def scene(findings: Findings, folder: Path | None = None) -> Drawing | None:
    """Draw what the agents of an audit do, where it can be drawn; else return None.

    Pictures of bodies need the policies of the runs, which are in the folder of the audit.
    """
    plan = findings.plan
    if len(plan.datasets) != 1:
        return None
    task = find_task(plan.task_of(plan.datasets[0])) if plan.task_of(plan.datasets[0]) else None
    if isinstance(task, GridWorldTask):
        return grid_scene(findings, task)
    if isinstance(task, LocomotionTask) and folder is not None:
        return film_scene(findings, task, folder)
    return None


def grid_scene(findings: Findings, task: GridWorldTask) -> Drawing | None:
    """Draw the map of the grid world with the paths of all agents; None if the data are gone."""
    runner = TrialRunner(Path())
    try:
        paths = dict(distinct_paths(findings, task, runner))
        if runner.dataset is None or not paths:
            return None
        return Drawing("map", draw_map(task.world, runner.dataset, paths), MAP)
    except InstinctError:
        return None


def distinct_paths(
    findings: Findings, task: GridWorldTask, runner: TrialRunner
) -> Iterator[tuple[str, GridPath]]:
    """Yield the different paths of every algorithm, named by the rewards that lead to them."""
    plan, [dataset] = findings.plan, findings.plan.datasets
    drawn = 0
    for algorithm in plan.algorithms:
        by_path: dict[tuple[tuple[int, ...], ...], list[str]] = {}
        for label in plan.labels if reads_rewards(algorithm) else plan.labels[:1]:
            found = findings.result(dataset, algorithm, label)
            if found is None or not found.seeds:
                continue
            trial = plan.trial(found.cell, found.settings, found.seeds[0])
            data = runner.prepare(trial, lambda _: None)
            policy = learn_policy(trial, task, data)
            states = task.world.rollout(policy, 1, episode_random(trial)).paths[0]
            path = task.world.observations[states].tolist()
            key = tuple(map(tuple, path[: arrival(task.world, path) + 1]))
            by_path.setdefault(key, []).append(label)
        for path, labels in by_path.items():
            if drawn < MOST_PATHS:
                drawn += 1
                yield path_name(findings, algorithm, labels), path


def path_name(findings: Findings, algorithm: str, labels: list[str]) -> str:
    if not reads_rewards(algorithm):
        return algorithm
    every = len(labels) == len(findings.plan.labels) > 1
    return f"{algorithm}, any reward" if every else f"{algorithm}, {' and '.join(labels)}"


class Episode(NamedTuple):
    """The positions of a body along one test episode."""

    name: str
    positions: Array


def film_scene(findings: Findings, task: LocomotionTask, folder: Path) -> Drawing | None:
    """Draw an episode of imitation above one of the zero-reward agent; None if it cannot be."""
    try:
        episodes = [*filmed(findings, task, folder)]
    except InstinctError:
        return None
    if len(episodes) < 2:
        return None
    longest = max(len(each.positions) for each in episodes)
    steps = np.linspace(0, longest - 1, PICTURES).astype(int)
    shown = [steps[steps < len(each.positions)] for each in episodes]
    positions = [e.positions[at] for e, at in zip(episodes, shown, strict=True)]
    frames = render(task, np.concatenate(positions))
    if frames is None:
        return None
    strips, first = [], 0
    for episode, at in zip(episodes, shown, strict=True):
        pictures = [*frames[first : first + len(at)], *[None] * (PICTURES - len(at))]
        word = "fell" if task.end == "fall" else "ended"
        strips.append(Strip(episode.name, pictures, f"{word} at\nstep {len(episode.positions):,}"))
        first += len(at)
    times = [int(step) + 1 for step in steps]
    half = [each._replace(pictures=each.pictures[::2]) for each in strips]
    narrow = draw_filmstrip(half, times[::2], width=1.1)
    return Drawing("film", draw_filmstrip(strips, times), FILM, narrow, is_photo=True)


def filmed(findings: Findings, task: LocomotionTask, folder: Path) -> Iterator[Episode]:
    """Play the episodes: imitation, and the best agent without the true reward, told zero."""
    plan, [dataset] = findings.plan, findings.plan.datasets
    agents = find_agents(findings, dataset) if findings.main is not None else None
    if agents is None:
        return
    for name, algorithm, label in (
        ("imitation (BC)", "BC", plan.labels[0]),
        (f"{agents.without}, zero reward", agents.without, "zero"),
    ):
        found = findings.result(dataset, algorithm, label)
        if found is not None and (place := middle_run(findings, found, folder)) is not None:
            seed, run = place
            yield Episode(name, record_positions(load_policy(run), task, episode_seed(seed)))


def middle_run(findings: Findings, found: CellResult, folder: Path) -> tuple[int, Path] | None:
    """Return the seed and the folder of the run in the middle of the seeds' results."""
    main = str(findings.main)
    if main not in found.means:
        return None
    order = np.argsort(found.means[main], kind="stable")
    seed = found.seeds[int(order[len(order) // 2])]
    trial = findings.plan.trial(found.cell, found.settings, seed)
    run = folder / RUNS / trial.identity
    return (seed, run) if run.is_dir() else None
