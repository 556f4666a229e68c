"""`instinct study`: the paper's studies, and plans of one's own."""

from pathlib import Path
from typing import Annotated, Any

import typer

from instinct.cli.executors import Executor, RayAddress, Workers, executor_of
from instinct.cli.options import words
from instinct.cli.output import Json, out, print_json, progress, show_page, show_table
from instinct.cli.watch import watching
from instinct.engine.prediction import predict
from instinct.engine.run_plan import run_plan
from instinct.errors import BadInput
from instinct.experiments.experiment import Experiment, predict_seconds
from instinct.experiments.registry import EXPERIMENTS, find_experiment
from instinct.experiments.results import FILE, load, save
from instinct.report.kit.page import write_page
from instinct.report.plan_tables import cells_table, counts_table, hours_table, status_table
from instinct.report.sections.numbers import rows
from instinct.report.study_page import compose
from instinct.study.findings import Findings, read_findings
from instinct.study.paper_counts import compare, runs_of
from instinct.study.plan import Plan
from instinct.study.plan_files import read_plan, shipped_plans
from instinct.study.store import lock_holder
from instinct.util.jsonio import to_json_data

app = typer.Typer(help="Plan, run, watch and report the paper's studies.", no_args_is_help=True)

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help=f"One of: {', '.join([*EXPERIMENTS, *shipped_plans()])}; or a plan in a TOML file.",
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", help="The study's folder.", show_default="results/NAME")
]
Subset = Annotated[
    list[str] | None,
    typer.Option(
        "--subset",
        metavar="NAME,...",
        help="Only these datasets, algorithms or labels; the report says so.",
    ),
]
Seeds = Annotated[
    int | None, typer.Option("--seeds", min=1, help="Seeds of the results; the report says so.")
]
Steps = Annotated[
    int | None, typer.Option("--steps", min=1, help="Training steps; the report says so.")
]


@app.command("list")
def list_studies(json: Json = False) -> None:
    """List the studies with what they show and their settings.

    Example: instinct study list
    """
    plans = shipped_plans()
    if json:
        studies: list[dict[str, Any]] = [
            {"name": s.name, "description": s.description, "settings": dict(s.defaults)}
            for s in EXPERIMENTS.values()
        ]
        studies += [{"name": p.name, "description": p.description} for p in plans.values()]
        print_json({"studies": studies})
        return
    for study in EXPERIMENTS.values():
        settings = " ".join(f"{name}={value:g}" for name, value in study.defaults.items())
        out.print(f"[bold]{study.name}[/bold]: {study.description}  [dim]({settings})[/dim]")
    for plan in plans.values():
        size = f"{len(plan.datasets)} datasets, {plan.seeds} seeds"
        out.print(f"[bold]{plan.name}[/bold]: {plan.description}  [dim]({size})[/dim]")


@app.command()
def plan(
    name: Name,
    subset: Subset = None,
    seeds: Seeds = None,
    steps: Steps = None,
    machines: Annotated[
        int, typer.Option(min=1, help="Predict for so many machines like this one.")
    ] = 1,
    json: Json = False,
) -> None:
    """List the runs of a study and predict how long they take, from a short measurement.

    Example: instinct study plan d4rl --subset hopper-medium,PSPI --machines 4
    """
    if name in EXPERIMENTS:
        plan_at_once(EXPERIMENTS[name], machines, json)
        return
    planned = planned_as(name, subset, seeds, steps)
    with progress("measuring") as step:
        prediction = predict(planned, on_progress=step)
    comparison = compare(planned)
    tuning, final = (sum(counts) for counts in zip(*runs_of(planned).values(), strict=True))
    if json:
        document: dict[str, Any] = {
            "study": planned.name,
            "runs": {"tuning": tuning, "final": final, "total": tuning + final},
            "predicted_hours": prediction.hours(machines),
            "machines": machines,
            "core_hours": prediction.core_hours,
            "workers": prediction.workers,
            "memory_gib": prediction.memory_gib,
            "steps_per_second": prediction.steps_per_second,
            "scaled": [*planned.scaled],
            "cells": [cell._asdict() for cell in planned.cells()],
        }
        if comparison is not None:
            document["paper"] = {
                "tuning": comparison.paper_tuning,
                "final": comparison.paper_final,
                "differences": [vars(each) for each in comparison.differences],
            }
        print_json(document)
        return
    show_table(cells_table(planned))
    if comparison is not None:
        show_table(counts_table(comparison))
    show_table(hours_table(prediction, machines))


@app.command()
def run(
    name: Name,
    seed: Annotated[
        int, typer.Option(min=0, help="All randomness of a study without runs derives from it.")
    ] = 0,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SETTING=VALUE",
            help="Change a setting of a study without runs; `instinct study list` has all.",
        ),
    ] = None,
    subset: Subset = None,
    seeds: Seeds = None,
    steps: Steps = None,
    folder: Out = None,
    take: Annotated[
        list[Path] | None,
        typer.Option(
            "--take",
            metavar="FOLDER",
            help="Take over the runs that another study or audit has done already.",
        ),
    ] = None,
    workers: Workers = None,
    executor: Executor = "local",
    ray_address: RayAddress = None,
    json: Json = False,
) -> None:
    """Run a study, or go on with it; print its tables, and write figures and a page.

    Example: instinct study run d4rl --subset hopper-medium,BC,PSPI --seeds 3
    """
    if name in EXPERIMENTS:
        study = EXPERIMENTS[name]
        settings = study.configure(assignments or (), seed=seed)
        folder = folder or Path("results") / name
        with progress(name) as step:
            save(study.run(settings, step), folder)
        tell(name, folder, json)
        return
    if assignments:
        raise BadInput("the settings of a plan are in its file; --set is for studies without runs")
    planned = planned_as(name, subset, seeds, steps)
    folder = folder or Path("results") / planned.name
    with watching(planned.name) as watch:
        make = executor_of(executor, workers, ray_address)
        run_plan(planned, folder, watch, make, take or ())
    tell(name, folder, json)


@app.command()
def status(name: Name, folder: Out = None, json: Json = False) -> None:
    """Say how far a study is, also while it runs.

    Example: instinct study status d4rl
    """
    folder = folder or folder_of(name)
    if name in EXPERIMENTS:
        status_at_once(EXPERIMENTS[name], folder, json)
        return
    findings, by = read_findings(folder), lock_holder(folder)
    if json:
        print_json(
            {
                "study": findings.plan.name,
                "ended": findings.ended,
                "runs": findings.trials,
                "failed": findings.failed,
                "running": by or None,
                "core_hours": findings.seconds / 3600,
            }
        )
        return
    show_table(status_table(findings))
    out.print(
        f"{findings.ended:,} of {findings.trials:,} runs have ended, {findings.failed} failed."
    )
    out.print(f"Run by {by}." if by else "Nobody runs it at the moment.", soft_wrap=True)


@app.command()
def report(name: Name, folder: Out = None, json: Json = False) -> None:
    """Write the figures and the page anew from what a study has found so far.

    Example: instinct study report gridworld
    """
    tell(name, folder or folder_of(name), json)


def plan_at_once(study: Experiment, machines: int, json: bool) -> None:
    """A study without a store: its runs, and how long they take by a small one."""
    hours, runs = predict_seconds(study) / 3600, study.count_runs(study.defaults)
    if json:
        print_json(
            {
                "study": study.name,
                "runs": {"tuning": 0, "final": runs, "total": runs},
                "predicted_hours": hours,
                "machines": machines,
            }
        )
        return
    out.print(
        f"{study.name}: {runs} runs without tuning, computed at once on one core in about "
        f"{max(1, round(3600 * hours))} s."
    )


def status_at_once(study: Experiment, folder: Path, json: bool) -> None:
    """A study without a store is there or not."""
    runs = study.count_runs(study.defaults)
    ended = study.count_runs(load(folder).settings) if (folder / FILE).exists() else 0
    if json:
        document = {"study": study.name, "ended": ended, "runs": ended or runs, "failed": 0}
        print_json(document | {"running": None})
        return
    out.print(f"{ended} of {ended or runs} runs have ended.")


def folder_of(name: str) -> Path:
    """Where a study is unless another folder is given."""
    return Path("results") / (name if name in EXPERIMENTS else named_plan(name).name)


def named_plan(name: str) -> Plan:
    if name.endswith(".toml"):
        return read_plan(Path(name))
    plans = shipped_plans()
    if name not in plans:
        known = ", ".join([*EXPERIMENTS, *plans])
        raise BadInput(f"no study is called {name!r}; there are {known}, or a plan in a .toml file")
    return plans[name]


def planned_as(name: str, subset: list[str] | None, seeds: int | None, steps: int | None) -> Plan:
    return named_plan(name).scale_down(tuple(words(subset)), seeds, steps)


def tell(name: str, folder: Path, json: bool) -> None:
    """Write the page, and say what came out."""
    if name in EXPERIMENTS:
        results = load(folder)
        page = find_experiment(results.study).compose(results)
        content: dict[str, Any] = {
            "study": results.study,
            "results": results.results,
            "settings": results.settings,
            "dataset": results.dataset,
        }
    else:
        findings = read_findings(folder)
        page, content = compose(findings), document_of(findings)
    path = write_page(page, folder)
    if json:
        print_json(content | {"page": str(path)})
    else:
        show_page(page, path)


def document_of(findings: Findings) -> dict[str, Any]:
    document: dict[str, Any] = to_json_data(
        {
            "study": findings.plan.name,
            "runs": findings.trials,
            "ended": findings.ended,
            "results": rows(findings),
            "scaled": [*findings.plan.scaled],
            "missing": [*findings.missing],
            "datasets": {name: facts["hash"] for name, facts in findings.data.items()},
            "versions": dict(findings.versions),
        }
    )
    return document
