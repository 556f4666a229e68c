"""The verdict on whether pessimism is the cause, from made-up measurements."""

from pathlib import Path

import pytest
from scipy import stats

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.errors import BadInput
from instinct.report.kit.page import Verdict
from instinct.report.verdicts import verdicts
from instinct.study.findings import Findings, read_findings
from instinct.study.measurement import Measurement
from instinct.study.trials import Trial
from tests.study.stores import scores, store_with

CODES = ("pessimism-is-the-cause", "pessimism-is-not-the-cause", "cause-unclear")


def audited(
    folder: Path, ours: float, control: float, dataset: str = "hopper-medium", seeds: int = 3
) -> Findings:
    """PSPI and its control under zero rewards; seeds are two points and twenty steps apart."""

    def measure(trial: Trial) -> Measurement:
        level = control if trial.algorithm == "NoPessimism" else ours
        return scores(trial, level + 2 * (trial.seed - 1), 10 * (level + 2 * (trial.seed - 1)))

    options = AuditOptions(
        algorithms=["PSPI"], control=True, labels=("original", "zero"), seeds=seeds
    )
    store_with(folder, audit_plan(dataset, options), measure)
    return read_findings(folder)


def cause(findings: Findings) -> Verdict:
    dataset = findings.plan.datasets[0]
    (found,) = (each for each in verdicts(findings, dataset) if each.code in CODES)
    return found


@pytest.mark.parametrize(
    ("ours", "control", "code"),
    [(95, 4, CODES[0]), (90, 92, CODES[1]), (90, 89, CODES[1]), (20, 18, CODES[2])],
)
def test_lengths_with_and_without_pessimism(
    tmp_path: Path, ours: float, control: float, code: str
) -> None:
    """The interval of the difference is ± 45 steps; of 900 steps a tenth is 90, of 200 it is 20."""
    found = cause(audited(tmp_path, ours, control))
    half = stats.t.ppf(0.975, 4) * (2 * 20**2 / 3) ** 0.5
    assert found.code == code
    assert found.numbers == pytest.approx(
        {
            "with": 10 * ours,
            "without": 10 * control,
            "difference_low": 10 * (ours - control) - half,
            "difference_high": 10 * (ours - control) + half,
        }
    )
    assert f"PSPI agents last {10 * ours} steps, and {10 * control} without" in found.text
    assert found.level == ("holds" if code == CODES[0] else "note")


def test_scores_where_nobody_falls(tmp_path: Path) -> None:
    found = cause(audited(tmp_path, 40, 10, "halfcheetah-medium"))
    assert (found.numbers["with"], found.numbers["without"]) == (40, 10)
    assert (
        "PSPI agents reach a normalized score of 40.0, and 10.0 without their pessimism"
        in found.text
    )


def test_one_seed_does_not_tell(tmp_path: Path) -> None:
    assert cause(audited(tmp_path, 95, 4, seeds=1)).code == "cause-unclear"


def test_the_control_has_no_verdicts_of_its_own(tmp_path: Path) -> None:
    """Survival is that of the pessimistic agents, not of the control."""
    findings = audited(tmp_path, 95, 4)
    others = [each for each in verdicts(findings, "hopper-medium") if each.code not in CODES]
    assert {each.code for each in others} >= {"survival", "beside-imitation"}
    assert not any("NoPessimism" in each.text for each in others)


def test_both_algorithms_share_the_control() -> None:
    plan = audit_plan("hopper-medium", AuditOptions(control=True))
    assert plan.algorithms == ("BC", "ATAC", "PSPI", "NoPessimism")


@pytest.mark.parametrize("dataset", ["hopper-medium", "gridworld"])
def test_an_audit_without_a_control_to_add(dataset: str) -> None:
    algorithm = "ATAC" if dataset == "gridworld" else "IQL"
    with pytest.raises(BadInput, match="no algorithm of the audit has a control"):
        audit_plan(dataset, AuditOptions(algorithms=[algorithm], control=True))
