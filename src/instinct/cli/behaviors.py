"""`instinct behaviors`: train and show the policies that datasets are recorded from."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from instinct.behaviors.choice import Choice, choices, write_choices
from instinct.behaviors.sac import SAC
from instinct.behaviors.selection import select
from instinct.behaviors.shipped import FOLDER, curve, ship, shipped, shipped_names, shipped_tasks
from instinct.behaviors.training import TrainingConfig, TrainingPoint, train
from instinct.benchmarks.locomotion.selection import compare_behaviors, select_nearest
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.benchmarks.registry import BENCHMARKS, find_task, task_name
from instinct.cli.options import Seed
from instinct.cli.output import Json, out, print_json, show_progress, show_table
from instinct.report.behaviors import choice_table, draw_curves, snapshot_table
from instinct.report.kit.figures import save
from instinct.report.kit.markdown import markdown
from instinct.report.kit.tables import Table

app = typer.Typer(help="Train behavior policies, and show the shipped ones.")

Task = Annotated[
    str,
    typer.Argument(
        metavar="TASK",
        help="hopper, walker2d, halfcheetah, or the id of a Gymnasium environment.",
        show_default=False,
    ),
]


@app.callback(invoke_without_command=True)
def show(
    context: typer.Context,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the training curves into this file.")
    ] = None,
    in_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables as Markdown.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the shipped behaviors with their returns and lengths.

    Example: instinct behaviors --json
    """
    if context.invoked_subcommand is not None:
        return
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


@app.command("train")
def train_behavior(
    task: Task,
    folder: Annotated[Path, typer.Option("--out", help="The folder of the training.")],
    steps: Annotated[
        int, typer.Option(min=1, metavar="N", help="Environment steps in total.")
    ] = 1_000_000,
    seed: Seed = 0,
    environments: Annotated[
        int, typer.Option(min=1, metavar="N", help="Environments that step in parallel per update.")
    ] = 1,
    batch_size: Annotated[
        int, typer.Option(min=1, metavar="N", help="Transitions per update.")
    ] = 256,
    rate: Annotated[float, typer.Option(min=0, metavar="N", help="Adam's learning rate.")] = 3e-4,
    round_steps: Annotated[
        int, typer.Option(min=1, metavar="N", help="Steps between evaluations and checkpoints.")
    ] = 20_000,
    json: Json = False,
) -> None:
    """Train a behavior with SAC; call a stopped training again to continue it.

    Example: instinct behaviors train InvertedPendulum-v5 --steps 20000 --out pendulum
    """
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


@app.command("select")
def select_behaviors(
    task: Task,
    folder: Annotated[Path, typer.Argument(help="The folder of a training.", show_default=False)],
    name: Annotated[str, typer.Option(help="The name of the behavior, such as sac-1.")],
    command: Annotated[str, typer.Option(help="The command of the training, for the record.")],
    medium: Annotated[
        float | None,
        typer.Option(
            help="The target score of medium; also selects random and expert policies.",
            show_default="D4RL's facts",
        ),
    ] = None,
    episodes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Test episodes per selected policy.")
    ] = 100,
    target: Annotated[
        Path, typer.Option("--out", help="The folder of the weights and their table.")
    ] = FOLDER,
) -> None:
    """Select the policies of a training whose data are nearest to D4RL's, and evaluate them.

    Example: instinct behaviors select hopper training --name sac-1 --command "…"
    """
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
    ship(chosen, networks, folder, target)
    show_table(snapshot_table(chosen))


@app.command("compare")
def compare_all(
    task: Task,
    transitions: Annotated[
        int, typer.Option(min=1, metavar="N", help="Transitions that are recorded of each.")
    ] = 100_000,
    target: Annotated[
        Path, typer.Option("--out", help="The folder of the policies, for the choice.")
    ] = FOLDER,
) -> None:
    """Compare the data of a task's behaviors with D4RL's; the nearest become the defaults.

    Example: instinct behaviors compare hopper
    """
    known = LocomotionTask(find_task(task).name)
    with show_progress(task) as on_progress:
        found = compare_behaviors(known, transitions, on_progress)
    write_choices(task, found, target)
    for choice in found:
        show_table(choice_table(task, choice))


def finite(row: dict[str, float]) -> dict[str, float | None]:
    """Replace numbers that are not finite by None."""
    return {name: value if math.isfinite(value) else None for name, value in row.items()}
