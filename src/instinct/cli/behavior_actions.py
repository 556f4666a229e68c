"""What the commands of `instinct behaviors` do."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from instinct.behaviors.choice import Choice, choices, write_choices
from instinct.behaviors.sac import SAC
from instinct.behaviors.selection import select
from instinct.behaviors.shipped import FOLDER, curve, ship, shipped, shipped_names, shipped_tasks
from instinct.behaviors.training import TrainingConfig, TrainingPoint, train
from instinct.benchmarks.locomotion.selection import compare_behaviors, select_nearest
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.benchmarks.registry import BENCHMARKS, find_task, task_name
from instinct.cli.output import out, print_json, show_progress, show_table
from instinct.report.behaviors import choice_table, draw_curves, snapshot_table
from instinct.report.kit.figures import save
from instinct.report.kit.markdown import markdown
from instinct.report.kit.tables import Table


def show(figure: Path | None, in_markdown: bool, json: bool) -> None:
    """Print the shipped behaviors, and draw their curves."""
    tasks = [
        task for family in BENCHMARKS.values() for task in family.tasks if task in shipped_tasks()
    ]
    by_task = {task: [shipped(task, name) for name in shipped_names(task)] for task in tasks}
    if figure is not None:
        trainings = {
            task: [(one, curve(task, one.name)) for one in each] for task, each in by_task.items()
        }
        save(draw_curves(trainings), figure)
    if json:
        print_json(
            {
                "behaviors": [asdict(one) for each in by_task.values() for one in each],
                "choices": {
                    task: {quality: describe(one) for quality, one in choices(task).items()}
                    for task in tasks
                },
            }
        )
        return
    for task, each in by_task.items():
        for choice in choices(task).values():
            print_part(f"{task}-{choice.quality}", "", choice_table(task, choice), in_markdown)
        for one in each:
            print_part(f"{task} {one.name}", one.command, snapshot_table(one), in_markdown)


def describe(choice: Choice) -> dict[str, Any]:
    return {"default": choice.default, **asdict(choice)}


def print_part(title: str, command: str, table: Table, in_markdown: bool) -> None:
    """Print a table, and the command of the training if there is one."""
    if in_markdown:
        trained = f"`{command}`\n\n" if command else ""
        text = f"### {title}\n\n{trained}{markdown(table, caption=False)}\n"
        out.print(text, soft_wrap=True, markup=False)
    else:
        show_table(table)
        out.print(f"Trained by: {command}\n" if command else "", soft_wrap=True)


def train_behavior(
    task: str,
    folder: Path,
    steps: int,
    seed: int,
    environments: int,
    batch_size: int,
    rate: float,
    round_steps: int,
    json: bool,
) -> None:
    """Train a behavior with SAC, and print its last evaluation."""
    name = task_name(task)
    config = TrainingConfig(
        name,
        SAC(batch_size=batch_size, rate=rate),
        seed=seed,
        environments=environments,
        round_steps=round_steps,
    )
    with show_progress(name) as on_progress:

        def on_round(point: TrainingPoint) -> None:
            on_progress(point.step, steps, f"return {point.mean_return:.1f}")

        points = train(config, find_task(name), steps, folder, on_round)
    if json:
        print_json({"folder": str(folder), "curve": [finite(asdict(point)) for point in points]})
        return
    last = points[-1]
    out.print(f"{last.step:,} steps: return {last.mean_return:.1f}, length {last.mean_length:.1f}")
    out.print(f"Curve, policies and checkpoint: {folder}", soft_wrap=True)


def select_behaviors(
    task: str,
    folder: Path,
    name: str,
    command: str,
    medium: float | None,
    episodes: int,
    target: Path | None,
) -> None:
    """Select policies of a training, ship them, and print their table."""
    known = find_task(task)
    with show_progress(task) as on_progress:
        if medium is not None:
            chosen, networks = select(
                known, folder, medium, name, command, episodes=episodes, on_progress=on_progress
            )
        else:
            chosen, networks = select_nearest(
                LocomotionTask(known.name),
                folder,
                name,
                command,
                episodes=episodes,
                on_progress=on_progress,
            )
    ship(chosen, networks, folder, target or FOLDER)
    show_table(snapshot_table(chosen))


def compare_all(task: str, transitions: int, target: Path | None) -> None:
    """Compare the data of all behaviors of a task with D4RL's, and keep the choice."""
    known = LocomotionTask(find_task(task).name)
    with show_progress(task) as on_progress:
        found = compare_behaviors(known, transitions, on_progress)
    write_choices(task, found, target or FOLDER)
    for choice in found:
        show_table(choice_table(task, choice))


def finite(row: dict[str, float]) -> dict[str, float | None]:
    """Replace numbers that are not finite by None."""
    return {name: value if math.isfinite(value) else None for name, value in row.items()}
