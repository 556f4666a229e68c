"""What an audit says, from measurements that are made up."""

from pathlib import Path

import pytest

from instinct.audits.plan import audit_plan
from instinct.report.sections.numbers import rows
from instinct.report.study_page import compose
from instinct.report.verdicts import verdicts
from instinct.study.findings import Findings, read_findings
from instinct.study.measurement import Measurement
from instinct.study.trials import Trial
from tests.study.stores import scores, store_with

DATA = "hopper-medium"


def audited(
    folder: Path, table: dict[str, float], seeds: int = 3, bc: float = 40, preset: str = "quick"
) -> Findings:
    """PSPI with these scores under the labels."""

    def measure(trial: Trial) -> Measurement:
        level = bc if trial.algorithm == "BC" else table[trial.label]
        return scores(trial, level + trial.seed - 1, length=10 * level)

    store_with(folder, audit_plan(DATA, algorithms=["PSPI"], seeds=seeds, preset=preset), measure)
    return read_findings(folder)


def said(findings: Findings) -> str:
    return " ".join(verdict.text for verdict in verdicts(findings, DATA))


def test_data_that_need_no_reward_are_called_so(tmp_path: Path) -> None:
    table = {"original": 90.0, "zero": 88.0, "random": 92.0, "negative": 85.0}
    text = said(audited(tmp_path, table))
    assert "reach 94% of the true-reward policy: this dataset does not test reward use" in text
    assert "88.0 (zero), 92.0 (random), 85.0 (negative)" in text
    assert "the reward adds 5.0 at most" in text
    assert "Against imitation (BC, 40.0), PSPI with wrong rewards: +48.0 (zero)" in text
    assert "probability 1.00" in text
    assert "last 883 (PSPI) steps on average; the recorded ones last 300, BC's 400" in text
    assert "Positive bias of the data: 6.7 (PSPI, 95 % interval" in text


@pytest.mark.parametrize(
    ("worst", "judgement"),
    [(20.0, "needs the reward"), (60.0, "tests reward use only in part")],
)
def test_data_that_need_the_reward_are_called_so(
    tmp_path: Path, worst: float, judgement: str
) -> None:
    table = {"original": 90.0, "zero": 88.0, "random": 92.0, "negative": worst}
    assert judgement in said(audited(tmp_path, table))


def test_wrong_rewards_that_do_better_are_called_so(tmp_path: Path) -> None:
    table = {"original": 41.0, "zero": 96.0, "random": 97.0, "negative": 98.0}
    text = said(audited(tmp_path, table))
    assert "are better than the policy trained with it, 96.0 against 41.0: this dataset" in text
    assert "does not test reward use" in text
    assert "%" not in text.partition(";")[0]


@pytest.mark.parametrize(
    ("preset", "zero", "first_look"),
    [("quick", 90.0, True), ("quick", 60.0, False), ("paper", 90.0, False)],
)
def test_quick_agents_may_not_have_made_use_of_the_reward(
    tmp_path: Path, preset: str, zero: float, first_look: bool
) -> None:
    """With the true reward the paper's PSPI has 94.5 on hopper-medium, its best."""
    table = {"original": 90.0, "zero": zero, "random": 90.0, "negative": 90.0}
    text = said(audited(tmp_path, table, preset=preset))
    assert ("(the paper's, on its data, reach 94.5 with PSPI)" in text) == first_look
    assert ("--preset paper tells" in text) == first_look


def test_one_seed_is_a_glance(tmp_path: Path) -> None:
    table = dict.fromkeys(("original", "zero", "random", "negative"), 50.0)
    assert "One seed was trained per cell" in said(audited(tmp_path, table, seeds=1))


def test_no_share_of_what_is_not_above_zero(tmp_path: Path) -> None:
    table = dict.fromkeys(("original", "zero", "random", "negative"), -5.0)
    assert "A share cannot be told" in said(audited(tmp_path, table))


def test_the_page_has_the_numbers_of_the_store(tmp_path: Path) -> None:
    table = {"original": 90.0, "zero": 88.0, "random": 92.0, "negative": 85.0}
    findings = audited(tmp_path, table)
    page = compose(findings)
    found = {one.name: one for one in page.tables}
    assert found["score"].texts[2][:2] == ("hopper-medium", "PSPI")
    assert "88.0 ± 0.6" in found["score"].texts[2]
    assert "95.5 ± 1.2" not in found["score"].texts[2]
    assert page.provenance["seeds"] == "0 to 2"
    assert {"score-figure", "length-figure", "positive-bias-figure"} <= {
        drawing.name for drawing in page.drawings
    }
    zero = next(r for r in rows(findings) if r["algorithm"] == "PSPI" and r["label"] == "zero")
    assert zero["score"] == pytest.approx(88)
    assert zero["score_low"] <= 88 <= zero["score_high"]
    assert len([r for r in rows(findings) if r["algorithm"] == "BC"]) == 4


def test_missing_runs_stand_on_the_page(tmp_path: Path) -> None:
    def measure(trial: Trial) -> Measurement | None:
        if trial.algorithm == "BC":
            return Measurement({}, failure="the worker was killed (3 attempts)")
        return None if trial.label == "zero" else scores(trial, 50)

    store_with(tmp_path, audit_plan(DATA, algorithms=["PSPI"], seeds=2), measure)
    page = compose(read_findings(tmp_path))
    assert any("killed" in reason for reason in page.missing)
    assert any("not run yet" in reason for reason in page.missing)
