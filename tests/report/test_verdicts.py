"""The verdicts of an audit, from made-up measurements."""

from pathlib import Path

import pytest
from scipy import stats

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.report.kit.page import Verdict
from instinct.report.reward_verdicts import find_agents, share_verdict
from instinct.report.sections.numbers import rows
from instinct.report.study_page import compose
from instinct.report.verdicts import verdicts
from instinct.study.findings import Findings, read_findings
from instinct.study.measurement import Measurement
from instinct.study.plan import Plan
from instinct.study.trials import Trial
from tests.study.stores import scores, store_with

DATA = "hopper-medium"


def audited(
    folder: Path,
    table: dict[str, float],
    seeds: int = 3,
    bc: float = 40,
    preset: str = "quick",
    apart: float = 1,
) -> Findings:
    """PSPI with these scores under the labels; seeds are so many points apart."""

    def measure(trial: Trial) -> Measurement:
        level = bc if trial.algorithm == "BC" else table[trial.label]
        return scores(trial, level + apart * (trial.seed - 1), length=10 * level)

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
    """Seeds are one point apart; the paper's PSPI has 94.5 ± 1.7 on hopper-medium."""
    table = {"original": 94.0, "zero": 92.0, "random": 95.0, "negative": 91.0}
    findings = audited(tmp_path, table)
    use = verdict(findings, "reward-use")
    assert use.level == "warning"
    numbers = dict(use.numbers)
    low, high = numbers.pop("share_low"), numbers.pop("share_high")
    assert 0.9 < low < 91 / 94 < high < 1
    assert numbers == pytest.approx(
        {"true": 94, "wrong": 91, "added": 3, "share": 91 / 94, "certain": True}
    )
    imitation = verdict(findings, "beside-imitation")
    assert imitation.level == "holds"
    half = stats.t.ppf(0.975, 4) * (2 / 3) ** 0.5
    assert imitation.numbers == pytest.approx(
        {
            "bc": 40,
            "smallest_gain": 51,
            "smallest_gain_low": 51 - half,
            "smallest_gain_high": 51 + half,
            "probability": 1,
        }
    )
    survival = verdict(findings, "survival")
    assert survival.level == "holds"
    assert survival.numbers == pytest.approx(
        {"recorded": 300, "shortest": 10 * (92 + 95 + 91) / 3, "bc": 400}
    )
    bias = verdict(findings, "positive-bias")
    assert bias.numbers == pytest.approx({"PSPI": 100 / 9})


@pytest.mark.parametrize(("worst", "level"), [(20.0, "holds"), (60.0, "note")])
def test_data_that_need_the_reward(tmp_path: Path, worst: float, level: str) -> None:
    table = {"original": 94.0, "zero": 88.0, "random": 92.0, "negative": worst}
    use = verdict(audited(tmp_path, table), "reward-use")
    assert use.level == level
    assert use.numbers["certain"]
    assert use.numbers["share"] == pytest.approx(worst / 94)


def test_share_whose_interval_crosses_a_limit_is_only_a_note(tmp_path: Path) -> None:
    """85/94 is 0.904: with three seeds one point apart it may be below 0.9."""
    table = {"original": 94.0, "zero": 88.0, "random": 92.0, "negative": 85.0}
    use = verdict(audited(tmp_path, table), "reward-use")
    assert use.numbers["share_low"] < 0.9 < use.numbers["share"] < use.numbers["share_high"]
    assert not use.numbers["certain"]
    assert use.level == "note"


def test_seeds_too_far_apart_for_an_interval(tmp_path: Path) -> None:
    """The true reward has 34, 94 and 154: its mean may be 0, and the share anything."""
    table = {"original": 94.0, "zero": 93.0, "random": 93.0, "negative": 93.0}
    use = verdict(audited(tmp_path, table, apart=60), "reward-use")
    assert not {"share_low", "share_high"} & {*use.numbers}
    assert not use.numbers["certain"]
    assert "inf" not in use.text
    answer = compose(read_findings(tmp_path)).answer
    assert answer is not None
    assert "inf" not in answer.sentence


def test_true_reward_below_other_agents_is_inconclusive(tmp_path: Path) -> None:
    table = {"original": 41.0, "zero": 96.0, "random": 97.0, "negative": 98.0}
    findings = audited(tmp_path, table)
    assert not codes(findings) & {"reward-use", "first-look"}
    found = verdict(findings, "true-reward-inconclusive")
    assert found.level == "warning"
    half = stats.t.ppf(0.975, 4) * (2 / 3) ** 0.5
    ours = {name: value for name, value in found.numbers.items() if "paper" not in name}
    assert ours == pytest.approx(
        {
            "true": 41,
            "wrong": 96,
            "reached": 98,
            "reached_gap": 57,
            "reached_gap_low": 57 - half,
            "reached_gap_high": 57 + half,
        }
    )
    assert found.numbers["paper"] == 94.5
    assert found.numbers["paper_gap"] == pytest.approx(94.5 - 41)
    assert "adds" not in found.text


@pytest.mark.parametrize(("original", "conclusive"), [(84.0, False), (91.5, True)])
def test_true_reward_below_the_paper_is_inconclusive(
    tmp_path: Path, original: float, conclusive: bool
) -> None:
    """The paper's 94.5 ± 1.7 over ten seeds, ours ± 1/√3 over three: Welch's interval is ± 4.0."""
    table = {"original": original, "zero": 80.0, "random": 81.0, "negative": 82.0}
    findings = audited(tmp_path, table)
    assert ("reward-use" in codes(findings)) == conclusive
    assert ("true-reward-inconclusive" in codes(findings)) != conclusive
    if not conclusive:
        numbers = verdict(findings, "true-reward-inconclusive").numbers
        assert "reached" not in numbers
        error = (1.7**2 + 1 / 3) ** 0.5
        freedom = error**4 / (1.7**4 / 9 + (1 / 3) ** 2 / 2)
        half = stats.t.ppf(0.975, freedom) * error
        assert numbers["paper_gap_low"] == pytest.approx(10.5 - half)
        assert numbers["paper_gap_high"] == pytest.approx(10.5 + half)


def test_true_reward_below_imitation_is_inconclusive(tmp_path: Path) -> None:
    table = {"original": 94.0, "zero": 90.0, "random": 91.0, "negative": 92.0}
    found = verdict(audited(tmp_path, table, bc=100), "true-reward-inconclusive")
    assert found.numbers["reached"] == 100
    assert "paper" not in found.numbers


@pytest.mark.parametrize(("original", "conclusive"), [(90.0, True), (80.0, False)])
def test_one_seed_is_inconclusive_from_a_tenth_on(
    tmp_path: Path, original: float, conclusive: bool
) -> None:
    table = {"original": original, "zero": 90.0, "random": 91.0, "negative": 92.0}
    findings = audited(tmp_path, table, seeds=1)
    assert ("true-reward-inconclusive" in codes(findings)) != conclusive
    if conclusive:
        use = verdict(findings, "reward-use")
        assert use.level == "note"
        assert "share_low" not in use.numbers


@pytest.mark.parametrize(
    ("preset", "zero", "expected"),
    [("quick", 93.0, True), ("quick", 60.0, False), ("paper", 93.0, False)],
)
def test_quick_agents_are_a_first_look(
    tmp_path: Path, preset: str, zero: float, expected: bool
) -> None:
    """With the true reward the paper's PSPI has 94.5 on hopper-medium, its best."""
    table = {"original": 94.0, "zero": zero, "random": 93.0, "negative": 93.0}
    findings = audited(tmp_path, table, preset=preset)
    assert ("first-look" in codes(findings)) == expected
    if expected:
        assert verdict(findings, "first-look").numbers == {"paper": 94.5}


def test_settings_that_differ_by_label_are_named(tmp_path: Path) -> None:
    """Tuning chooses the β with the best score: 10 under the true reward, 1 under wrong ones."""
    plan = Plan(
        "tuned",
        (DATA,),
        ("PSPI",),
        labels=("original", "zero"),
        tuning_seeds=2,
        seeds=2,
        grid={"PSPI": {"beta": (1.0, 10.0)}},
    )

    def measure(trial: Trial) -> Measurement:
        best = trial.settings["beta"] == {"original": 10.0}.get(trial.label, 1.0)
        return scores(trial, 50.0 + best)

    store_with(tmp_path, plan, measure)
    found = verdict(read_findings(tmp_path), "settings-differ")
    assert found.numbers == {"beta, original": 10.0, "beta, zero": 1.0}


def test_settings_that_agree_make_no_verdict(tmp_path: Path) -> None:
    plan = Plan("fixed", (DATA,), ("PSPI",), labels=("original", "zero"), seeds=2)
    store_with(tmp_path, plan, lambda trial: scores(trial, 50.0))
    assert "settings-differ" not in codes(read_findings(tmp_path))


def test_one_seed_has_no_interval(tmp_path: Path) -> None:
    table = dict.fromkeys(("original", "zero", "random", "negative"), 50.0)
    assert verdict(audited(tmp_path / "one", table, seeds=1), "one-seed").level == "warning"
    assert "one-seed" not in codes(audited(tmp_path / "three", table))


def test_no_share_of_a_score_below_zero(tmp_path: Path) -> None:
    table = dict.fromkeys(("original", "zero", "random", "negative"), -5.0)
    findings = audited(tmp_path, table)
    agents = find_agents(findings, DATA)
    assert agents is not None
    use = share_verdict(findings, DATA, agents)
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
