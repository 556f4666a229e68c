"""`instinct behaviors`: train and show the policies that datasets are recorded from."""

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
from instinct.cli.options import Seed
from instinct.cli.output import Json, out, print_json, show_progress, show_table
from instinct.report.behaviors import draw_curves
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
    medium: Annotated[float, typer.Option(help="The target score of medium.")],
    command: Annotated[str, typer.Option(help="The command of the training, for the record.")],
    episodes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Test episodes per selected policy.")
    ] = 100,
    target: Annotated[
        Path, typer.Option("--out", help="The folder of the weights and their table.")
    ] = FOLDER,
) -> None:
    """Select random, medium, expert and replay policies of a training, and evaluate them.

    Example: instinct behaviors select hopper training --medium 44 --command "…"
    """
    with show_progress(task) as on_progress:
        chosen, networks = select(
            find_task(task), folder, medium, command, episodes=episodes, on_progress=on_progress
        )
    ship(chosen, networks, folder, target)
    show_table(table(chosen))


def finite(row: dict[str, float]) -> dict[str, float | None]:
    """Replace numbers that are not finite by None."""
    return {name: value if math.isfinite(value) else None for name, value in row.items()}


def table(one: Shipped) -> Table:
    """Tabulate returns, scores and lengths with action noise, and without it (*)."""
    return Table(
        "behaviors",
        f"{one.task}: means over test episodes; * is without action noise.",
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
