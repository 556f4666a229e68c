"""Run the dose-response studies of a dataset: the shipped plans, for this dataset."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from instinct.audits.audit import assume_end, check
from instinct.audits.plan import require_task, settings_by_algorithm
from instinct.audits.progress import Display, Silent
from instinct.benchmarks.registry import find_benchmark, find_dataset
from instinct.data import Dataset, apply_filters
from instinct.engine.run_plan import MakeExecutor, run_plan
from instinct.errors import BadInput
from instinct.study.findings import Findings, read_findings
from instinct.study.plan import Plan, reads_rewards
from instinct.study.plan_files import shipped_plans

KINDS = ("rewards", "quality", "ends")
"""The kinds of doses; each is the shipped plan `dose-KIND`."""


@dataclass(frozen=True)
class DoseOptions:
    """The options of a dose-response study."""

    kinds: tuple[str, ...] = KINDS
    algorithms: tuple[str, ...] = ()
    task: str | None = None
    seeds: int | None = None
    episodes: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    action_range: tuple[float, float] | None = None


@dataclass(frozen=True)
class Doses:
    """The findings by kind, and the kinds that do not fit the data with their reasons."""

    dataset: str
    findings: Mapping[str, Findings]
    left_out: Mapping[str, str]


def dose_plan(dataset: str, kind: str, options: DoseOptions) -> Plan:
    """Return the shipped plan of a kind for another dataset, with the options."""
    if kind not in KINDS:
        raise BadInput(f"no kind of dose is called {kind!r}; there are {', '.join(KINDS)}")
    shipped = shipped_plans()[f"dose-{kind}"]
    task = require_task(dataset, options.task)
    benchmark = find_benchmark(task)
    usual = shipped.algorithms if benchmark.algorithms == "deep" else benchmark.default_algorithms
    algorithms = options.algorithms or tuple(filter(reads_rewards, usual))
    if not any(map(reads_rewards, algorithms)):
        raise BadInput("no algorithm reads rewards, so no dose can matter", field="algorithms")
    return replace(
        shipped,
        name=f"{shipped.name} of {dataset}",
        datasets=(dataset,),
        algorithms=algorithms,
        settings=settings_by_algorithm(options.settings, algorithms),
        seeds=options.seeds or shipped.seeds,
        episodes=options.episodes or benchmark.test_episodes,
        task=task,
        action_range=options.action_range,
    )


def run_doses(
    dataset: str,
    folder: Path,
    options: DoseOptions | None = None,
    display: Display | None = None,
    executor: MakeExecutor | None = None,
    *,
    retry_failed: bool = False,
) -> Doses:
    """Run or continue the studies of all kinds, each in a folder of its own."""
    options, display = options or DoseOptions(), display or Silent()
    plans = {kind: dose_plan(dataset, kind, options) for kind in options.kinds}
    task = next(iter(plans.values())).task or ""
    opened = find_dataset(
        dataset, action_range=options.action_range, task=task, on_progress=display.dataset
    )
    if not opened.has_rewards:
        raise BadInput("missing; doses are of the true rewards", file=dataset, field="rewards")
    left_out: dict[str, str] = {}
    for kind, plan in [*plans.items()]:
        reason = why_not(plan, opened)
        if reason is None:
            plans[kind] = assume_end(plan, opened, folder / kind)
            check(plan, opened)
        else:
            left_out[kind] = reason
            del plans[kind]
    if not plans:
        raise BadInput("; ".join(left_out.values()), file=dataset)
    del opened
    for kind, plan in plans.items():
        run_plan(plan, folder / kind, display.trials, executor, retry_failed=retry_failed)
    return read_doses(dataset, folder, [*plans], left_out)


def why_not(plan: Plan, dataset: Dataset) -> str | None:
    """Say why the data do not have a kind of dose; None if they do."""
    try:
        apply_filters(dataset, plan.filters[:1])
    except BadInput as fault:
        return fault.problem
    return None


def read_doses(
    dataset: str, folder: Path, kinds: Sequence[str], left_out: Mapping[str, str]
) -> Doses:
    found = {kind: read_findings(folder / kind) for kind in kinds}
    return Doses(dataset, found, left_out)
