"""The verdicts of an audit, from made-up measurements."""

from pathlib import Path

import pytest

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.report.kit.page import Verdict
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

    store_with(
        folder,
        audit_plan(DATA, AuditOptions(algorithms=["PSPI"], seeds=seeds, preset=preset)),
        measure,
    )
    return read_findings(folder)


def verdict(findings: Findings, code: str) -> Verdict:
    """Return the only verdict of that code."""
    (found,) = (each for each in verdicts(findings, DATA) if each.code == code)
    return found


def codes(findings: Findings) -> set[str]:
    return {each.code for each in verdicts(findings, DATA)}


def test_data_that_do_not_test_reward_use(tmp_path: Path) -> None:
    table = {"original": 90.0, "zero": 88.0, "random": 92.0, "negative": 85.0}
    findings = audited(tmp_path, table)
    use = verdict(findings, "reward-use")
    assert use.level == "warning"
    assert use.numbers == pytest.approx({"true": 90, "wrong": 85, "added": 5, "share": 85 / 90})
    assert "does not test reward use" in use.text
    assert "88.0 (zero), 92.0 (random), 85.0 (negative)" in use.text
    imitation = verdict(findings, "beside-imitation")
    assert imitation.level == "holds"
    assert imitation.numbers == pytest.approx({"bc": 40, "smallest_gain": 45, "probability": 1})
    survival = verdict(findings, "survival")
    assert survival.level == "holds"
    assert survival.numbers == pytest.approx(
        {"recorded": 300, "shortest": 10 * (88 + 92 + 85) / 3, "bc": 400}
    )
    bias = verdict(findings, "positive-bias")
    assert bias.numbers == pytest.approx({"PSPI": 100 / 15})
    assert "6.7 (PSPI, 95% interval" in bias.text


@pytest.mark.parametrize(
    ("worst", "level", "meaning"),
    [(20.0, "holds", "needs the reward"), (60.0, "note", "only in part")],
)
def test_data_that_need_the_reward(tmp_path: Path, worst: float, level: str, meaning: str) -> None:
    table = {"original": 90.0, "zero": 88.0, "random": 92.0, "negative": worst}
    use = verdict(audited(tmp_path, table), "reward-use")
    assert use.level == level
    assert use.numbers["share"] == pytest.approx(worst / 90)
    assert meaning in use.text


def test_wrong_rewards_that_do_better(tmp_path: Path) -> None:
    table = {"original": 41.0, "zero": 96.0, "random": 97.0, "negative": 98.0}
    use = verdict(audited(tmp_path, table), "reward-use")
    assert use.numbers["added"] == pytest.approx(41 - 96)
    assert "(96.0 against 41.0)" in use.text
    assert "The reward adds nothing." in use.text
    assert "%" not in use.text


@pytest.mark.parametrize(
    ("preset", "zero", "expected"),
    [("quick", 90.0, True), ("quick", 60.0, False), ("paper", 90.0, False)],
)
def test_quick_agents_are_a_first_look(
    tmp_path: Path, preset: str, zero: float, expected: bool
) -> None:
    """With the true reward the paper's PSPI has 94.5 on hopper-medium, its best."""
    table = {"original": 90.0, "zero": zero, "random": 90.0, "negative": 90.0}
    findings = audited(tmp_path, table, preset=preset)
    assert ("first-look" in codes(findings)) == expected
    if expected:
        assert verdict(findings, "first-look").numbers == {"paper": 94.5}


def test_one_seed_has_no_interval(tmp_path: Path) -> None:
    table = dict.fromkeys(("original", "zero", "random", "negative"), 50.0)
    assert verdict(audited(tmp_path / "one", table, seeds=1), "one-seed").level == "warning"
    assert "one-seed" not in codes(audited(tmp_path / "three", table))


def test_no_share_of_a_score_below_zero(tmp_path: Path) -> None:
    table = dict.fromkeys(("original", "zero", "random", "negative"), -5.0)
    use = verdict(audited(tmp_path, table), "reward-use")
    assert "share" not in use.numbers
    assert use.level == "note"


def test_no_verdict_names_an_option_of_the_command_line(tmp_path: Path) -> None:
    table = dict.fromkeys(("original", "zero", "random", "negative"), 90.0)
    assert "--" not in "".join(v.text for v in verdicts(audited(tmp_path, table, seeds=1), DATA))


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


def test_missing_runs_are_on_the_page(tmp_path: Path) -> None:
    def measure(trial: Trial) -> Measurement | None:
        if trial.algorithm == "BC":
            return Measurement({}, failure="the worker was killed (3 attempts)")
        return None if trial.label == "zero" else scores(trial, 50)

    store_with(tmp_path, audit_plan(DATA, AuditOptions(algorithms=["PSPI"], seeds=2)), measure)
    page = compose(read_findings(tmp_path))
    assert any("killed" in reason for reason in page.missing)
    assert any("not run yet" in reason for reason in page.missing)
