"""What can be seen of the agents of an audit: a map with their paths in the grid world."""

from collections.abc import Iterator
from pathlib import Path

from instinct.benchmarks.gridworld.task import GridWorldTask
from instinct.benchmarks.registry import find_task
from instinct.engine.tabular_trials import episode_random, learn_policy
from instinct.engine.trial_runner import TrialRunner
from instinct.errors import InstinctError
from instinct.report.kit.grid_map import GridPath, arrival, draw_map
from instinct.report.kit.page import Drawing
from instinct.study.findings import Findings
from instinct.study.plan import reads_rewards

MOST_PATHS = 4
MAP = "Lava, key, the data (stronger green is more frequent), and the agents' paths."


def scene(findings: Findings) -> Drawing | None:
    """Draw what the agents of an audit do, where it can be drawn; else return None."""
    plan = findings.plan
    if len(plan.datasets) != 1:
        return None
    task = find_task(plan.task_of(plan.datasets[0])) if plan.task_of(plan.datasets[0]) else None
    return grid_scene(findings, task) if isinstance(task, GridWorldTask) else None


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
