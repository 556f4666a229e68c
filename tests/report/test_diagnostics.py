"""Diagnostics on the page, and the flags of runs that should not be trusted."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import instinct
from instinct.audits.audit import Audit
from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.cli.study_actions import study_document
from instinct.data import Array
from instinct.report.kit.page import Section, html
from instinct.report.run_verdicts import late_collapses
from instinct.report.sections.diagnostics import diagnostics_section
from instinct.report.study_page import compose
from instinct.report.verdicts import verdicts
from instinct.study.findings import Findings, read_findings
from instinct.study.measurement import Measurement
from instinct.study.plan import Plan
from instinct.study.trials import Trial
from tests.study.problems import PENDULUM, write_dataset
from tests.study.stores import scores, store_with

DATA = "hopper-medium"
STEPS = (250.0, 500.0, 750.0)
TITLE = "Can these runs be trusted?"
CRITICS = {
    "action_distance": 0.25,
    "value_at_starts": 120.0,
    "value_before_ends": 30.0,
    "disagreement": 4.0,
    "live_units": 0.5,
}


def diagnosed(
    trial: Trial, earlier: tuple[float, float, float], final: float, **changes: float
) -> Measurement:
    """A measurement with this score after every quarter of the training, and at the end."""
    found = CRITICS | changes
    if trial.algorithm == "BC":
        found = {"action_distance": found["action_distance"]}
    progress = {"step": STEPS, "score": earlier, "length": (1.0, 2.0, 3.0)}
    return replace(
        scores(trial, final),
        progress=progress,
        diagnostics=found,
        curves={"step": (500.0, 1000.0), "loss": (1.0, 0.5)},
    )


def audited(folder: Path, runs: Mapping[tuple[str, int], Any] | None = None) -> Findings:
    """PSPI and BC, two seeds: 50 everywhere, but for the PSPI runs given by label and seed."""

    def measure(trial: Trial) -> Measurement:
        given = (runs or {}).get((trial.label, trial.seed))
        if trial.algorithm != "PSPI" or given is None:
            return diagnosed(trial, (50.0, 50.0, 50.0), 50.0)
        return diagnosed(trial, *given)

    store_with(folder, audit_plan(DATA, AuditOptions(algorithms=["PSPI"], seeds=2)), measure)
    return read_findings(folder)


def collapsed(findings: Findings) -> dict[str, float]:
    """Return the numbers of the verdict; empty if there is none."""
    found = [each for each in verdicts(findings, DATA) if each.code == "late-collapse"]
    assert len(found) <= 1
    return dict(found[0].numbers) if found else {}


def section(findings: Findings) -> Section | None:
    return next(iter(diagnostics_section(findings)), None)


@pytest.mark.parametrize(
    ("earlier", "final", "expected"),
    [
        ((40.0, 93.0, 80.0), 65.0, True),  # 0.7 · 93 = 65.1
        ((40.0, 93.0, 80.0), 65.2, False),
        ((5.0, 20.0, 15.0), 9.9, True),  # a tenth of 100 is lost, and more than 0.3 · 20
        ((5.0, 20.0, 15.0), 10.0, False),
        ((5.0, 12.0, 10.0), 2.5, False),
        ((0.0, 8.0, 5.0), -3.0, True),  # 11 points
        ((0.0, 0.0, 0.0), 90.0, False),
    ],
)
def test_late_collapse_of_a_score(
    tmp_path: Path, earlier: tuple[float, ...], final: float, expected: bool
) -> None:
    """J* is 100 on D4RL's scale."""
    numbers = collapsed(audited(tmp_path, {("zero", 1): (earlier, final)}))
    assert bool(numbers) == expected
    if expected:
        step = STEPS[int(np.argmax(earlier))]
        assert numbers == pytest.approx(
            {
                "runs": 1,
                "PSPI, zero, seed 1, earlier": max(earlier),
                "PSPI, zero, seed 1, final": final,
                "PSPI, zero, seed 1, step": step,
            }
        )


@pytest.mark.parametrize(
    ("earlier", "final", "expected"),
    [
        (-150.0, -200.0, False),  # 50 of 200 is less than 0.3
        (-150.0, -220.0, True),
        (100.0, 60.0, True),
        (100.0, 71.0, False),
        (10.0, -5.0, False),  # less than a tenth of the best true-reward mean
    ],
)
def test_late_collapse_of_a_return(
    tmp_path: Path, earlier: float, final: float, expected: bool
) -> None:
    """Without a known J* the best true-reward mean takes its place: 200 here."""
    data = write_dataset(tmp_path / "noise.npz")
    options = AuditOptions(algorithms=["PSPI"], seeds=2, labels=["original", "zero"], env=PENDULUM)

    def measure(trial: Trial) -> Measurement:
        last = final if (trial.label, trial.algorithm) == ("zero", "PSPI") else 200.0
        first = earlier if last == final else 200.0
        return Measurement(
            {"return": (last, last)}, progress={"step": STEPS, "return": (first,) * 3}
        )

    store_with(tmp_path / "study", audit_plan(data, options), measure)
    found = verdicts(read_findings(tmp_path / "study"), data)
    assert ("late-collapse" in {each.code for each in found}) == expected


@pytest.mark.parametrize(
    ("earlier", "final", "expected"),
    [(1.0, 0.62, False), (1.0, 0.6, True), (0.5, 0.12, False), (0.5, 0.1, True), (0.3, 0.0, False)],
)
def test_late_collapse_of_a_success_rate(
    tmp_path: Path, earlier: float, final: float, expected: bool
) -> None:
    """2.5 · ½/√10 = 0.395: four of ten episodes."""
    data = "metaworld:reach"
    plan = Plan("goals", (data,), ("PSPI",), labels=("original",), seeds=1, episodes=50)

    def measure(trial: Trial) -> Measurement:
        return Measurement(
            {"success": (final,)}, progress={"step": STEPS, "success": (earlier,) * 3}
        )

    store_with(tmp_path, plan, measure)
    found = verdicts(read_findings(tmp_path), data)
    assert ("late-collapse" in {each.code for each in found}) == expected


@pytest.mark.parametrize("level", [0.1, 0.3, 0.4, 0.5, 0.7, 0.9])
def test_policies_that_do_not_change_are_rarely_flagged(tmp_path: Path, level: float) -> None:
    """In at most 4% of runs: success rates, and scores with half their mean as deviation."""
    runs, random = 4000, np.random.default_rng(0)
    early, late = (runs, 3, 10), (runs, 50)
    drawn: dict[str, tuple[Array, Array]] = {
        "success": (random.random(early) < level, random.random(late) < level),
        "score": (
            random.normal(100 * level, 50 * level, early),
            random.normal(100 * level, 50 * level, late),
        ),
    }
    for main, data in {"success": "metaworld:reach", "score": DATA}.items():
        plan = Plan(main, (data,), ("PSPI",), labels=("original",), seeds=1, episodes=50)
        measured = Measurement({main: (1.0,)})
        store_with(tmp_path / main, plan, partial(lambda found, _: found, measured))
        findings = read_findings(tmp_path / main)
        (cell,) = findings.results
        earlier, last = drawn[main]
        found = replace(
            findings.results[cell],
            seeds=tuple(range(runs)),
            means={main: last.mean(axis=1)},
            progress={"step": np.tile(STEPS, (runs, 1)), main: earlier.mean(axis=2)},
        )
        assert len([*late_collapses(replace(findings, results={cell: found}), found)]) < 0.04 * runs


def test_few_live_units(tmp_path: Path) -> None:
    def measure(trial: Trial) -> Measurement:
        share = 0.099 if (trial.label, trial.seed) == ("negative", 0) else 0.1
        return diagnosed(trial, (50.0, 50.0, 50.0), 50.0, live_units=share)

    plan = audit_plan(DATA, AuditOptions(algorithms=["PSPI"], seeds=2))
    store_with(tmp_path, plan, measure)
    (found,) = (v for v in verdicts(read_findings(tmp_path), DATA) if v.code == "few-live-units")
    assert found.level == "warning"
    assert found.numbers == {"runs": 1, "PSPI, negative, seed 0, live_units": 0.099}


def test_flags_are_in_the_document_and_in_a_table(tmp_path: Path) -> None:
    findings = audited(tmp_path, {("zero", 1): ((40.0, 93.0, 80.0), 30.0)})
    found = Audit(findings, tmp_path)
    rows = {
        (row["algorithm"], row["label"], row["seed"]): row for row in found.document["diagnostics"]
    }
    assert len(rows) == 2 + 4 * 2
    assert rows["PSPI", "zero", 1] == {
        "dataset": DATA,
        "algorithm": "PSPI",
        "label": "zero",
        "filter": "all",
        "seed": 1,
        "diagnostics": CRITICS,
        "progress": {"step": [*STEPS], "score": [40.0, 93.0, 80.0], "length": [1.0, 2.0, 3.0]},
        "flags": ["late-collapse"],
    }
    assert rows["PSPI", "zero", 0]["flags"] == []
    assert rows["BC", "original", 0]["diagnostics"] == {"action_distance": 0.25}
    assert "late-collapse" in [verdict["code"] for verdict in found.document["verdicts"]]
    assert study_document(findings)["diagnostics"] == found.document["diagnostics"]
    flagged = found.tables["flagged-runs"].iloc[0]
    assert [*flagged[:6]] == [DATA, "PSPI", "zero", "1", "late-collapse", "93.0"]
    assert flagged["final"] == "30.0"


def test_the_table_has_means_and_ranges(tmp_path: Path) -> None:
    def measure(trial: Trial) -> Measurement:
        return diagnosed(trial, (50.0, 50.0, 50.0), 50.0, value_at_starts=100.0 + 50 * trial.seed)

    plan = audit_plan(DATA, AuditOptions(algorithms=["PSPI"], seeds=2))
    store_with(tmp_path, plan, measure)
    found = section(read_findings(tmp_path))
    assert found is not None
    (table,) = found.tables
    rows = {row[1:3]: row[3:] for row in table.texts}
    assert len(rows) == 5
    assert rows["PSPI", "random"][1] == "125 [100, 150]"
    assert rows["PSPI", "random"][4] == "0.50 [0.50, 0.50]"
    assert rows["BC", ""] == ("0.250 [0.250, 0.250]", "–", "–", "–", "–")


def test_lines_end_at_the_final_policy(tmp_path: Path) -> None:
    found = section(audited(tmp_path, {("zero", 1): ((40.0, 93.0, 80.0), 30.0)}))
    assert found is not None
    (drawing,) = found.drawings
    bc, pspi = drawing.figure.axes
    assert (bc.get_title(), pspi.get_title()) == ("BC", "PSPI")
    of_bc, lines = (
        [xy for xy in (np.array(line.get_xydata()) for line in panel.lines) if len(xy) > 1]
        for panel in (bc, pspi)
    )
    assert (len(of_bc), len(lines)) == (2, 8)
    expected = [[250, 40], [500, 93], [750, 80], [1000, 30]]
    assert sum(line.tolist() == expected for line in lines) == 1


def test_nothing_is_shown_without_diagnostics(tmp_path: Path) -> None:
    """A store of an earlier version, and a tabular study."""
    plan = audit_plan(DATA, AuditOptions(algorithms=["PSPI"], seeds=2))
    store_with(tmp_path / "old", plan, lambda trial: scores(trial, 50.0))
    old = read_findings(tmp_path / "old")
    grid = instinct.audit(
        "gridworld", seeds=1, episodes=5, folder=tmp_path / "grid", progress=False
    )
    for findings in (old, grid.findings):
        assert section(findings) is None
        assert TITLE not in [each.title for each in compose(findings).sections]
    assert grid.document["diagnostics"] == []


def test_many_datasets_have_no_figures(tmp_path: Path) -> None:
    names = tuple(
        f"{task}-{kind}" for task in ("hopper", "walker2d") for kind in ("medium", "expert")
    )
    plan = Plan("many", names, ("PSPI",), preset="quick", labels=("original", "zero"), seeds=1)

    def measure(trial: Trial) -> Measurement:
        return diagnosed(trial, (90.0, 80.0, 70.0), 20.0 if trial.dataset == names[3] else 60.0)

    store_with(tmp_path, plan, measure)
    found = section(read_findings(tmp_path))
    assert found is not None
    assert found.drawings == ()
    flagged, cells = found.tables
    assert [row[:3] for row in flagged.texts] == [
        *[(name, "PSPI", label) for name in names[:3] for label in ("original", "zero")],
        *[(names[3], "PSPI", label) for label in ("original", "zero")],
    ]
    assert len(cells.rows) == 8


def test_the_page_of_a_small_audit(tmp_path: Path) -> None:
    found = instinct.audit(
        write_dataset(tmp_path / "noise.npz"),
        algorithms=["IQL"],
        labels=["original", "zero"],
        env=PENDULUM,
        seeds=1,
        episodes=2,
        settings={
            name: {"steps": 2000, "layers": 1, "units": 8, "batch_size": 16}
            for name in ("BC", "IQL")
        },
        folder=tmp_path / "audit",
        progress=False,
    )
    assert TITLE in html(found.page)
    assert found.tables["diagnostics"].shape == (3, 8)
    assert "progress-0" in found.figures
    for row in found.document["diagnostics"]:
        assert row["progress"]["step"] == [1000.0]
        assert 0 < row["diagnostics"]["action_distance"] < 2
