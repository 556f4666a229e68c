"""`instinct train`: train one agent."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.benchmarks.registry import task_of
from instinct.cli.loading import open_dataset
from instinct.cli.options import (
    ActionRange,
    Assignments,
    RemoveTerminals,
    Seed,
    Source,
    parse_assignments,
)
from instinct.cli.output import Json, out, print_json, show_progress
from instinct.data import find_label, relabel, remove_terminals
from instinct.deep import Run, StageProgress, cache_programs, configure, find_algorithm, settings_of
from instinct.deep import train as train_run
from instinct.errors import InstinctError
from instinct.study.presets import preset as preset_settings


def train(
    source: Source,
    algorithm: Annotated[
        str, typer.Option(help="ATAC, PSPI, IQL, CQL, CQL3, DT or BC.", show_default=False)
    ],
    label: Annotated[
        str, typer.Option(help="Training rewards: original, zero, random, negative, corrupt:0.3, …")
    ] = "original",
    seed: Seed = 0,
    steps: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Training steps.", show_default="the preset's"),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="The settings: `paper`, or `quick` with small networks.")
    ] = "paper",
    assignments: Assignments = None,
    without_terminals: RemoveTerminals = False,
    action_range: ActionRange = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--out", help="The run's folder.", show_default="runs/DATASET-ALGORITHM-LABEL-SEED"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Train one agent; call a stopped run again to continue it.

    Example: instinct train hopper-medium --algorithm pspi --label zero --preset quick --seed 1
    """
    name = find_algorithm(algorithm).NAME
    chosen = find_label(label)
    smaller = preset_settings(preset, name, chosen.base, task_of(source) or "")
    changes = {**smaller, **parse_assignments(assignments)}
    configured = configure(name, changes if steps is None else changes | {"steps": steps})
    dataset = relabel(open_dataset(source, action_range), chosen, seed)
    if without_terminals or chosen.remove_terminals:
        dataset = remove_terminals(dataset)
    folder = folder or Path("runs") / f"{Path(source).stem}-{name}-{chosen}-{seed}"
    run = Run(dataset, configured, seed, chosen.base, folder, source)
    cache_programs()
    with show_progress(f"{name} on {source}") as on_progress:

        def report(at: StageProgress) -> None:
            on_progress(at.step, at.steps, at.stage)

        outcome = train_run(run, on_progress=report)
    if outcome.failure:
        raise InstinctError(f"{folder}: {outcome.failure}")
    if json:
        last = {metric: float(values[-1]) for metric, values in outcome.metrics.items()}
        print_json({"run": str(folder), "settings": settings_of(configured), "metrics": last})
        return
    out.print(f"Run: {folder}", soft_wrap=True)
