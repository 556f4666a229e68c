"""`instinct behaviors`: the policies that datasets are recorded from."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from instinct.behaviors.sac import SAC
from instinct.behaviors.selection import select
from instinct.behaviors.shipped import FOLDER, Shipped, curve, ship, shipped, shipped_tasks
from instinct.behaviors.training import TrainingConfig, TrainingPoint, train
from instinct.benchmarks.registry import BENCHMARKS, find_task, task_name
from instinct.cli.output import Json, out, print_json, progress, show_table
from instinct.report.behaviors import draw_curves
from instinct.report.kit.figures import save
from instinct.report.kit.markdown import markdown
from instinct.report.kit.tables import Table

app = typer.Typer(help="Train behaviour policies, and show those that are shipped.")

Task = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="hopper, walker2d, halfcheetah, or the id of an environment of Gymnasium's.",
        show_default=False,
    ),
]


@app.callback(invoke_without_command=True)
def show(
    context: typer.Context,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the training curves to this file.")
    ] = None,
    in_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables as Markdown.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the shipped behaviours with their measured returns and lengths.

    Example: instinct behaviors --json
    """
    if context.invoked_subcommand is not None:
        return
    all_shipped = [
        shipped(task)
        for family in BENCHMARKS.values()
        for task in family.tasks
        if task in shipped_tasks()
    ]
    if figure is not None:
        save(draw_curves([(one, curve(one.task)) for one in all_shipped]), figure)
    if json:
        print_json({"behaviors": [asdict(one) for one in all_shipped]})
        return
    for one in all_shipped:
        if in_markdown:
            out.print(f"### {one.task}\n\n`{one.command}`\n", soft_wrap=True, markup=False)
            out.print(f"{markdown(table(one), caption=False)}\n", soft_wrap=True, markup=False)
        else:
            show_table(table(one))
            out.print(f"Trained by: {one.command}\n", soft_wrap=True)


@app.command("train")
def train_behavior(
    task: Task,
    folder: Annotated[Path, typer.Option("--out", help="Where the training is kept.")],
    steps: Annotated[int, typer.Option(min=1, help="Steps of all environments.")] = 1_000_000,
    seed: Annotated[int, typer.Option(min=0, help="All randomness derives from it.")] = 0,
    environments: Annotated[
        int, typer.Option(min=1, help="Environments that are stepped for every update.")
    ] = 1,
    batch_size: Annotated[int, typer.Option(min=1, help="Transitions in an update.")] = 256,
    rate: Annotated[float, typer.Option(min=0, help="Adam's rate of learning.")] = 3e-4,
    round_steps: Annotated[
        int, typer.Option(min=1, help="Steps between evaluations and checkpoints.")
    ] = 20_000,
    json: Json = False,
) -> None:
    """Train a behaviour with SAC; run the same command again to go on where it was stopped.

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
    with progress(name) as step:

        def on_round(point: TrainingPoint) -> None:
            step(point.step, steps, f"return {point.mean_return:.1f}")

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
    folder: Annotated[Path, typer.Argument(help="A training of the task.", show_default=False)],
    medium: Annotated[float, typer.Option(help="The score that medium should come near to.")],
    command: Annotated[str, typer.Option(help="The command that made the training.")],
    episodes: Annotated[int, typer.Option(min=1, help="Test episodes per chosen policy.")] = 100,
    target: Annotated[
        Path, typer.Option("--out", help="Where the weights and their table go.")
    ] = FOLDER,
) -> None:
    """Choose random, medium, expert and the way to medium from a training, and measure them.

    Example: instinct behaviors select hopper training --medium 44 --command "…"
    """
    with progress(task) as step:
        chosen, networks = select(
            find_task(task), folder, medium, command, episodes=episodes, on_progress=step
        )
    ship(chosen, networks, folder, target)
    show_table(table(chosen))


def finite(row: dict[str, float]) -> dict[str, float | None]:
    """Where no training episode ended in a round, there is no mean."""
    return {name: value if math.isfinite(value) else None for name, value in row.items()}


def table(one: Shipped) -> Table:
    """Returns, scores and lengths with the policy's own noise and, starred, without."""
    return Table(
        "behaviors",
        f"{one.task}: means over test episodes, * without noise.",
        ("snapshot", "step", "return", "score", "length", "return*", "score*", "length*"),
        tuple(
            (
                s.name,
                f"{s.step:,}",
                f"{s.mean_return:.0f}",
                "–" if s.score is None else f"{s.score:.1f}",
                f"{s.length:.0f}",
                f"{s.mode_return:.0f}",
                "–" if s.mode_score is None else f"{s.mode_score:.1f}",
                f"{s.mode_length:.0f}",
            )
            for s in one.snapshots
        ),
    )
