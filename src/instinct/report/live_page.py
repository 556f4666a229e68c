"""The page of a study that is running: how far it is, what runs, and the results so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from instinct.deep import StageProgress
from instinct.engine.scheduler import StudyProgress
from instinct.report.answer import answer
from instinct.report.kit.live import REFRESH, Live, RunningRun, Spark
from instinct.report.kit.page import Page, Section
from instinct.report.kit.tables import Table
from instinct.report.sections.common import FEW
from instinct.report.sections.tables import grid
from instinct.report.study_page import premises, provenance, summary
from instinct.report.verdicts import verdicts
from instinct.study.findings import Findings
from instinct.study.measurement import QUANTITIES
from instinct.study.plan import reads_rewards
from instinct.study.trials import Trial

MOST_POINTS = 60
"""A curve that has more points loses every second one."""


@dataclass
class Curves:
    """The metrics of the runs that are running, by the identity of the trial and the stage."""

    points: dict[tuple[str, str], list[tuple[int, Mapping[str, float]]]] = field(
        default_factory=dict
    )

    def add(self, trial: Trial, stage: StageProgress) -> None:
        """Add the metrics of a report, once."""
        mine = self.points.setdefault((trial.identity, stage.stage), [])
        if stage.metrics and (not mine or mine[-1][0] < stage.step):
            mine.append((stage.step, stage.metrics))
            if len(mine) > MOST_POINTS:
                del mine[1:-1:2]

    def keep_only(self, trials: Sequence[Trial]) -> None:
        """Forget the runs that have ended."""
        there = {trial.identity for trial in trials}
        self.points = {key: each for key, each in self.points.items() if key[0] in there}

    def sparks(self, trial: Trial, stage: str) -> tuple[Spark, ...]:
        """Return a small curve for every metric that all reports of a stage have."""
        mine = self.points.get((trial.identity, stage), [])
        if len(mine) < 2:
            return ()
        names = [name for name in mine[0][1] if all(name in metrics for _, metrics in mine)]
        return tuple(
            Spark(name, tuple((float(step), float(metrics[name])) for step, metrics in mine))
            for name in names
        )


def compose_live(
    findings: Findings,
    progress: StudyProgress | None,
    curves: Curves,
    doing: str = "",
    refresh: int = REFRESH,
) -> Page:
    """Make the page of a study that is running; without progress, of one that was stopped."""
    plan = findings.plan
    found = {dataset: verdicts(findings, dataset) for dataset in plan.datasets}
    few = len(plan.datasets) <= FEW
    return Page(
        title=plan.name[:1].upper() + plan.name[1:],
        summary=summary(findings),
        sections=tuple(results_so_far(findings)),
        premises=premises(findings) if few else (),
        provenance=provenance(findings),
        verdicts=tuple(v for each in found.values() for v in each) if few else (),
        answer=answer(findings, found),
        live=None if progress is None else live_state(progress, curves, doing, refresh),
    )


def results_so_far(findings: Findings) -> list[Section]:
    """Make a table of the main quantity, if any run has ended."""
    main = findings.main
    if main is None:
        return []
    caption = f"{QUANTITIES[main].capitalize()} of the runs that have ended: mean over seeds."
    return [Section("Results so far", tables=(Table(main, caption, *grid(findings, main)),))]


def live_state(progress: StudyProgress, curves: Curves, doing: str, refresh: int) -> Live:
    """Say how far the study is, and what every worker does."""
    running = tuple(running_run(trial, stage, curves) for trial, stage in progress.running.values())
    now = datetime.now().astimezone().strftime("%H:%M:%S")
    return Live(progress.ended, progress.trials, running, now, doing, refresh)


def running_run(trial: Trial, stage: StageProgress | None, curves: Curves) -> RunningRun:
    label = [trial.label] if reads_rewards(trial.algorithm) else []
    name = ", ".join([trial.algorithm, *label, f"seed {trial.seed}"])
    if stage is None:
        return RunningRun(name, trial.dataset, "opening data", 0, 0)
    sparks = curves.sparks(trial, stage.stage)
    return RunningRun(name, trial.dataset, stage.stage, stage.step, stage.steps, sparks)
