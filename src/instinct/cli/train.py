"""`instinct train`: train one agent."""

from pathlib import Path
from typing import Annotated, Any

import typer

from instinct.benchmarks.names import check_dataset
from instinct.cli.loading import open_dataset
from instinct.cli.options import (
    FILTERS_HELP,
    ActionRange,
    Log,
    RemoveTerminals,
    Seed,
    Source,
    assignment_option,
    folder_option,
    parse_assignments,
)
from instinct.cli.output import Json, out, print_json, show_progress
from instinct.errors import InstinctError


def train(
    source: Source,
    algorithm: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="ATAC, PSPI, NoPessimism, IQL, CQL, CQL3, DT, AWR, TD3+BC, ReBRAC, EDAC, MOPO, "
            "MOReL, COMBO, ARMOR or BC.",
            show_default=False,
        ),
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
    assignments: Annotated[list[str] | None, assignment_option()] = None,
    without_terminals: RemoveTerminals = False,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="NAME",
            help=f"Remove transitions first: {FILTERS_HELP}. Can be repeated.",
        ),
    ] = None,
    action_range: ActionRange = None,
    folder: Annotated[
        Path | None,
        folder_option("The run's folder.", "runs/DATASET-ALGORITHM-LABEL-SEED"),
    ] = None,
    log: Log = None,
    json: Json = False,
) -> None:
    """Train one agent; call a stopped run again to continue it.

    Example: instinct train hopper-medium --algorithm pspi --label zero --preset quick --seed 1
    """
    check_dataset(source)
    from instinct.api import make_run
    from instinct.cli.diagnostics import show_diagnostics
    from instinct.cli.objects import own_label
    from instinct.data import find_label
    from instinct.deep import StageProgress, cache_programs, find_algorithm, settings_of
    from instinct.deep import train as train_run
    from instinct.engine.trackers import check_tracker, export_runs

    if log is not None:
        check_tracker(log)
    name = find_algorithm(algorithm).NAME
    given = own_label(label)
    chosen = find_label(given) if isinstance(given, str) else given
    changes: dict[str, Any] = {**parse_assignments(assignments)}
    folder = folder or Path("runs") / f"{Path(source).stem}-{name}-{chosen}-{seed}"
    run = make_run(
        open_dataset(source, action_range),
        name,
        label=chosen,
        seed=seed,
        preset=preset,
        settings=changes if steps is None else changes | {"steps": steps},
        filters=[*(filters or ()), *(["no-terminals"] if without_terminals else [])],
        folder=folder,
        source=source,
    )
    cache_programs()
    with show_progress(f"{name} on {source}") as on_progress:

        def report(at: StageProgress) -> None:
            on_progress(at.step, at.steps, at.stage)

        outcome = train_run(run, on_progress=report)
    if outcome.failure:
        raise InstinctError(f"{folder}: {outcome.failure}")
    if log is not None:
        export_runs(log, [folder], folder)
    if json:
        last = {metric: float(values[-1]) for metric, values in outcome.metrics.items()}
        document = {"run": str(folder), "settings": settings_of(run.algorithm), "metrics": last}
        found = dict(outcome.diagnostics)
        print_json(document | ({"diagnostics": found} if found else {}))
        return
    show_diagnostics(outcome.diagnostics)
    out.print(f"Run: {folder}", soft_wrap=True)
