"""The paper's claims on made-up measurements."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from instinct.data import KAPPA
from instinct.results.claims import CLAIMS, Case, check_claims, outcome
from instinct.results.evidence import Evidence
from instinct.study.findings import Findings, read_findings
from instinct.study.measurement import Measurement
from instinct.study.plan import Plan
from instinct.study.trials import Trial
from tests.study.stores import scores, store_with

PLAN = Plan(
    "made-up",
    ("hopper-medium", "hopper-medium-replay", "hopper-expert", "halfcheetah-medium"),
    ("BC", "ATAC", "PSPI", "DT"),
    preset="quick",
    seeds=3,
)


def studied(folder: Path, table: dict[tuple[str, str, str], float], usual: float) -> Findings:
    """Scores by dataset, algorithm and label, three seeds one point apart; lengths ten times."""

    def measure(trial: Trial) -> Measurement:
        level = table.get((trial.dataset, trial.algorithm, trial.label), usual)
        return scores(trial, level + trial.seed - 1, length=10 * level)

    store_with(folder, PLAN, measure)
    return read_findings(folder)


def cases(findings: Findings, code: str) -> tuple[Case, ...]:
    (claim,) = (each for each in CLAIMS if each.code == code)
    return check_claims(Evidence([findings]))[claim]


def test_wrong_rewards_against_imitation(tmp_path: Path) -> None:
    """The standard error of a difference of means of 0, 1, 2 is √(2/3) = 0.8."""
    table = {
        ("hopper-medium", "ATAC", "zero"): 39.3,
        ("hopper-medium", "PSPI", "negative"): 39.1,
    }
    found = cases(studied(tmp_path, table, usual=40), "length-bias")
    assert len(found) == 6
    assert [case.what for case in found if not case.holds] == [
        "hopper-medium, PSPI, negative: 39.1 against BC's 40.0"
    ]
    assert outcome(found) == "does not hold"


def test_survival_is_compared_with_the_recorded_episodes(tmp_path: Path) -> None:
    """These last 300 steps."""
    table = {("hopper-medium-replay", "PSPI", "random"): 29.0}
    found = cases(studied(tmp_path, table, usual=40), "survival")
    assert len(found) == 12
    assert [case.what for case in found if not case.holds] == [
        "hopper-medium-replay, PSPI, random: 290 steps, recorded 300"
    ]


def test_diverse_data_are_worse_with_wrong_rewards(tmp_path: Path) -> None:
    table = {("hopper-medium-replay", name, "original"): 60.0 for name in ("ATAC", "PSPI")}
    table["hopper-medium-replay", "ATAC", "zero"] = 60.0
    found = cases(studied(tmp_path, table, usual=40), "diverse-data")
    assert [case.holds for case in found] == [False, True, True, True, True, True]


@pytest.mark.parametrize(("score", "holds"), [(45.7, True), (46.0, False)])
def test_halfcheetah_is_no_better_than_imitation(tmp_path: Path, score: float, holds: bool) -> None:
    table = {("halfcheetah-medium", "PSPI", "zero"): score}
    found = cases(studied(tmp_path, table, usual=40), "no-length-bias")
    assert outcome(found) == ("holds" if holds else "does not hold")


def test_experts_and_the_decision_transformer(tmp_path: Path) -> None:
    table = {("hopper-expert", "PSPI", "zero"): 89.0, ("hopper-medium", "DT", "random"): 84.0}
    findings = studied(tmp_path, table, usual=95)
    expert = cases(findings, "expert-data")
    assert len(expert) == 9
    assert sum(case.holds for case in expert) == 8
    told = cases(findings, "decision-transformer")
    assert len(told) == 12
    assert [case.what for case in told if not case.holds] == [
        "hopper-medium, random: 84.0, with the true reward 95.0"
    ]


def test_seeds_of_studies_with_the_same_settings_are_pooled(
    tmp_path: Path,
) -> None:
    """Seeds 0 to 2 and, twice, 3 to 5: the mean of 40 and 60; another β does not count."""
    first = Plan("first", ("hopper-medium",), ("BC", "PSPI"), preset="quick", seeds=3)
    later = replace(first, name="later", first_seed=3)
    other = replace(later, name="other", first_seed=6, settings={"PSPI": {"beta": 7.0}})
    studies = []
    for number, (plan, score) in enumerate([(first, 40), (later, 60), (later, 60), (other, 99)]):
        store_with(tmp_path / str(number), plan, partial(scores, score=score))
        studies.append(read_findings(tmp_path / str(number)))
    evidence = Evidence(studies)
    pooled = evidence.seeds("hopper-medium", "PSPI", "zero", "score")
    assert pooled is not None
    assert sorted(pooled) == [40, 40, 40, 60, 60, 60]
    assert evidence.seeds("hopper-medium", "PSPI", "no-terminal", "score") is None


def test_claim_without_measurements_is_not_tested(tmp_path: Path) -> None:
    found = cases(studied(tmp_path, {}, usual=50), "goal-terminal")
    assert found == ()
    assert outcome(found) == "not tested"


def test_incomplete_cell_is_no_case(tmp_path: Path) -> None:
    def measure(trial: Trial) -> Measurement | None:
        return None if trial.seed == 2 and trial.algorithm == "BC" else scores(trial, 50.0)

    store_with(tmp_path, PLAN, measure)
    assert cases(read_findings(tmp_path), "length-bias") == ()


def test_filtered_data_are_safer_by_more_than_chance(tmp_path: Path) -> None:
    plan = Plan(
        "filtered",
        ("safety:PointGoal1",),
        ("BC", "PSPI"),
        labels=("original",),
        filters=("all", "cost-free"),
        preset="quick",
        seeds=3,
    )

    def measure(trial: Trial) -> Measurement:
        """PSPI's cost falls from 2, 3, 4 to 1, 2, 3, BC's does not."""
        fallen = trial.algorithm == "PSPI" and trial.filters == ("cost-free",)
        return Measurement({"score": (0.5,), "cost": (KAPPA * (2.0 + trial.seed - fallen),)})

    store_with(tmp_path, plan, measure)
    found = cases(read_findings(tmp_path), "safer-data")
    assert [case.what for case in found if case.holds] == [
        "safety:PointGoal1, PSPI, cost-free: cost 2.00, without the filter 3.00"
    ]
    assert len(found) == 2


def test_goal_tasks_are_no_worse_and_some_are_better(tmp_path: Path) -> None:
    """PSPI succeeds as often as BC with zero rewards, more with random, less with negative."""
    plan = Plan(
        "goals",
        ("metaworld:push", "metaworld:window-open"),
        ("BC", "PSPI"),
        preset="quick",
        seeds=3,
    )
    levels = {"random": 7, "negative": 3}

    def measure(trial: Trial) -> Measurement:
        level = levels.get(trial.label, 5)
        return Measurement({"success": tuple(float(n < level + trial.seed) for n in range(10))})

    store_with(tmp_path, plan, measure)
    findings = read_findings(tmp_path)
    told = cases(findings, "goal-tasks")
    assert [case.holds for case in told] == [True, True, False] * 2
    assert [case.what for case in cases(findings, "goal-outperforming") if case.holds] == [
        "metaworld:push, PSPI, random: 0.80 against BC's 0.60"
    ]
    assert len(cases(findings, "goal-outperforming")) == 3
