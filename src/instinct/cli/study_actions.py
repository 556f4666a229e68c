"""What the commands of `instinct study` do."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from instinct.audits.live import live_page
from instinct.audits.progress import show_study_progress
from instinct.cli.executors import check_failures
from instinct.cli.options import split_names
from instinct.cli.output import out, print_json, show_page, show_progress, show_table
from instinct.engine.prediction import predict
from instinct.engine.run_plan import MakeExecutor, run_plan
from instinct.engine.trackers import check_tracker, export_study
from instinct.errors import BadInput
from instinct.experiments.experiment import Experiment, predict_seconds
from instinct.experiments.registry import EXPERIMENTS, find_experiment
from instinct.experiments.results import FILE, ExperimentResults, load, save
from instinct.report.kit.page import Page, write_page
from instinct.report.kit.tables import Table
from instinct.report.plan_tables import cells_table, counts_table, hours_table, status_table
from instinct.report.run_verdicts import run_rows
from instinct.report.sections.numbers import rows
from instinct.report.study_page import compose
from instinct.study.findings import Findings, read_findings
from instinct.study.paper_counts import compare, runs_of
from instinct.study.plan import Plan
from instinct.study.plan_files import read_plan, shipped_plans
from instinct.study.store import lock_holder
from instinct.util.folders import folder_name
from instinct.util.jsonio import to_json_data


class Selection(NamedTuple):
    """The study that a user names, and the part of it."""

    name: str
    subset: list[str] | None = None
    seeds: int | None = None
    steps: int | None = None
    allow_imports: bool = False

    def plan(self) -> Plan:
        """Return the plan of the study, scaled down to that part."""
        whole = find_plan(self.name, allow_imports=self.allow_imports)
        return whole.scale_down(tuple(split_names(self.subset)), self.seeds, self.steps)


def is_experiment(name: str) -> bool:
    """Tell whether a study is computed at once, without runs."""
    return name in EXPERIMENTS


def list_studies(json: bool) -> None:
    """Print the studies and experiments with their settings."""
    plans = shipped_plans()
    if json:
        studies: list[dict[str, Any]] = [
            {"name": s.name, "description": s.description, "settings": dict(s.defaults)}
            for s in EXPERIMENTS.values()
        ]
        studies += [{"name": p.name, "description": p.description} for p in plans.values()]
        print_json({"studies": studies})
        return
    listed = [
        (each.name, each.description, " ".join(f"{k}={v:g}" for k, v in each.defaults.items()))
        for each in EXPERIMENTS.values()
    ]
    listed += [
        (each.name, each.description, f"datasets={len(each.datasets)} seeds={each.seeds}")
        for each in plans.values()
    ]
    columns = ("name", "description", "settings")
    show_table(Table("studies", "Experiments, then studies with runs.", columns, tuple(listed)))


def plan(selection: Selection, machines: int, json: bool) -> None:
    """Print the runs of a study, and the time that they will take."""
    if selection.name in EXPERIMENTS:
        plan_experiment(EXPERIMENTS[selection.name], machines, json)
        return
    planned = selection.plan()
    with show_progress("measuring") as on_progress:
        prediction = predict(planned, on_progress=on_progress)
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


def run(
    selection: Selection,
    folder: Path | None,
    make: MakeExecutor,
    reuse: list[Path],
    retry_failed: bool,
    log: str | None,
    json: bool,
) -> None:
    """Run or continue a study with runs, and report it."""
    if log is not None:
        check_tracker(log)
    planned = selection.plan()
    folder = folder or Path("results") / folder_name(planned.name)
    with show_study_progress(planned.name) as display, live_page(folder, display) as live:
        run_plan(planned, folder, live.trials, make, reuse, retry_failed=retry_failed)
    if log is not None:
        export_study(log, folder)
    write_report(selection.name, folder, json)
    check_failures(read_findings(folder))


def run_experiment(
    name: str, seed: int, assignments: list[str], folder: Path | None, json: bool
) -> None:
    """Compute an experiment, and report it."""
    experiment = EXPERIMENTS[name]
    settings = experiment.configure(assignments, seed=seed)
    folder = folder or Path("results") / name
    with show_progress(name) as on_progress:
        save(experiment.run(settings, on_progress), folder)
    write_report(name, folder, json)


def status(name: str, folder: Path | None, json: bool) -> None:
    """Print how many runs of a study have ended."""
    folder = folder or study_folder(name)
    if name in EXPERIMENTS:
        show_experiment_status(EXPERIMENTS[name], folder, json)
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
                "starts": [asdict(start) for start in findings.starts],
            }
        )
        return
    show_table(status_table(findings))
    for start in findings.starts:
        how = start.describe_settings() or "unknown settings"
        out.print(f"Started {start.started} on {start.machine}: {how}.", soft_wrap=True)
    out.print(f"{findings.ended:,} of {findings.trials:,} runs ended, {findings.failed} failed.")
    out.print(f"Running: {by}." if by else "Not running.", soft_wrap=True)


def report(name: str, folder: Path | None, json: bool) -> None:
    """Write the page of a study again."""
    write_report(name, folder or study_folder(name), json)


def plan_experiment(experiment: Experiment, machines: int, json: bool) -> None:
    """Print the runs of an experiment and their predicted time."""
    hours, runs = predict_seconds(experiment) / 3600, experiment.count_runs(experiment.defaults)
    if json:
        print_json(
            {
                "study": experiment.name,
                "runs": {"tuning": 0, "final": runs, "total": runs},
                "predicted_hours": hours,
                "machines": machines,
            }
        )
        return
    out.print(
        f"{experiment.name}: {runs} runs without tuning, about {max(1, round(3600 * hours))} s on "
        "one core."
    )


def show_experiment_status(experiment: Experiment, folder: Path, json: bool) -> None:
    """Print whether the results of an experiment exist."""
    runs = experiment.count_runs(experiment.defaults)
    ended = experiment.count_runs(load(folder).settings) if (folder / FILE).exists() else 0
    if json:
        document = {"study": experiment.name, "ended": ended, "runs": ended or runs, "failed": 0}
        print_json(document | {"running": None})
        return
    out.print(f"{ended} of {ended or runs} runs ended.")


def study_folder(name: str) -> Path:
    """Return the default folder of a study."""
    known = name in EXPERIMENTS
    return Path("results") / folder_name(
        name if known else find_plan(name, allow_imports=True).name
    )


def find_plan(name: str, *, allow_imports: bool = False) -> Plan:
    if name.endswith(".toml"):
        return read_plan(Path(name), allow_imports=allow_imports)
    plans = shipped_plans()
    if name not in plans:
        known = ", ".join([*EXPERIMENTS, *plans])
        raise BadInput(
            f"no study is called {name!r}; there are {known}, or a .toml file with a plan"
        )
    return plans[name]


def write_report(name: str, folder: Path, json: bool) -> None:
    """Write the page, and print the results."""
    if name in EXPERIMENTS:
        results = load(folder)
        page = compose_experiment(results, folder)
        content: dict[str, Any] = {
            "study": results.study,
            "results": results.results,
            "settings": results.settings,
            "dataset": results.dataset,
        }
    else:
        findings = read_findings(folder)
        page, content = compose(findings, folder=folder), study_document(findings)
    path = write_page(page, folder)
    if json:
        print_json(content | {"page": str(path)})
    else:
        show_page(page, path)


def compose_experiment(results: ExperimentResults, folder: Path) -> Page:
    """Make the page of an experiment; refuse results that the experiment cannot have written."""
    experiment = find_experiment(results.study)
    try:
        return experiment.compose(results)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        problem = f"does not hold the results of {experiment.name}"
        raise BadInput(problem, file=folder / FILE) from error


def study_document(findings: Findings) -> dict[str, Any]:
    document: dict[str, Any] = to_json_data(
        {
            "study": findings.plan.name,
            "runs": findings.trials,
            "ended": findings.ended,
            "results": rows(findings),
            "diagnostics": run_rows(findings),
            "scaled": [*findings.plan.scaled],
            "missing": [*findings.missing],
            "datasets": {name: facts["hash"] for name, facts in findings.data.items()},
            "versions": dict(findings.versions),
        }
    )
    return document
