"""The paper's claims on made-up measurements."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from instinct.data import KAPPA
from instinct.results.claims import CLAIMS, Case, CheckedClaim, Claim, count
from instinct.results.claims.claim import holds
from instinct.results.our_evidence import OurEvidence
from instinct.results.paper_evidence import PaperEvidence
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
    return tuple(claim(code).check(OurEvidence([findings])))


def claim(code: str) -> Claim:
    """Return the only claim of that code."""
    (found,) = (each for each in CLAIMS if each.code == code)
    return found


def failing(found: tuple[Case, ...]) -> dict[str, Mapping[str, float]]:
    """Return the numbers of the cases that fail, by name."""
    return {case.name: case.numbers for case in found if not case.holds}


def some(held: int, number: int) -> tuple[Case, ...]:
    return tuple(Case(str(n), "", n < held) for n in range(number))


@pytest.mark.parametrize(
    ("ours", "paper", "expected"),
    [
        ((35, 36), (48, 48), True),
        ((34, 36), (48, 48), False),
        ((34, 36), (47, 48), False),
        ((25, 36), (63, 90), True),
        ((24, 36), (63, 90), False),
        ((1, 1), (2, 2), True),
        ((0, 1), (2, 2), False),
        ((1, 2), (2, 2), False),
        ((2, 3), (2, 2), True),
        ((4, 10), (4, 10), True),
        ((3, 10), (4, 10), False),
        ((3, 4), (0, 0), True),
        ((2, 4), (0, 0), False),
    ],
)
def test_share_at_least_the_papers_less_one_case(
    ours: tuple[int, int], paper: tuple[int, int], expected: bool
) -> None:
    """1 of 2 is not enough, and without numbers in the paper all cases less one must hold."""
    assert holds(some(*ours), some(*paper)) == expected
    outcome = CheckedClaim(CLAIMS[0], some(*ours), some(*paper)).outcome
    assert outcome == ("holds" if expected else "does not hold")


PAPER_COUNTS = {
    "gridworld": (4, 4),
    "length-bias": (18, 18),
    "survival": (47, 48),
    "diverse-data": (24, 24),
    "no-length-bias": (18, 18),
    "degrading": (15, 16),
    "expert-data": (26, 27),
    "infinite-bias": (2, 2),
    "pessimism": (0, 0),
    "decision-transformer": (42, 45),
    "decision-transformer-survival": (24, 24),
    "cql-walker2d": (11, 12),
    "iql-more-robust": (24, 30),
    "goal-tasks": (63, 90),
    "goal-tasks-early-stopping": (63, 90),
    "goal-outperforming": (18, 18),
    "goal-outperforming-early-stopping": (18, 18),
    "goal-terminal": (0, 0),
    "safer-data": (0, 0),
    "low-cost": (15, 24),
    "terminals": (20, 20),
    "terminals-iql-cql": (18, 20),
    "architecture": (34, 36),
    "true-reward": (0, 0),
}


def test_the_papers_own_tables_by_the_same_code() -> None:
    paper = PaperEvidence()
    assert {each.code: count(tuple(each.check(paper))) for each in CLAIMS} == PAPER_COUNTS


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("survival", {"hopper-medium-expert, PSPI, random": {"length": 546, "recorded": 622.2}}),
        ("expert-data", {"halfcheetah-expert, PSPI, random": {"score": 88.0}}),
        (
            "decision-transformer",
            {
                f"hopper-medium-replay, {label}": {"score": score, "true": 84.0}
                for label, score in (("zero", 60.7), ("random", 67.8), ("negative", 68.8))
            },
        ),
        (
            "architecture",
            {
                "hopper-medium-expert, random": {"CQL3": 17.3, "CQL": 60.7},
                "hopper-medium-expert, negative": {"CQL3": 48.2, "CQL": 88.6},
            },
        ),
    ],
)
def test_cases_in_which_the_paper_fails_its_own_claims(
    code: str, expected: dict[str, dict[str, float]]
) -> None:
    assert failing(tuple(claim(code).check(PaperEvidence()))) == expected


def test_wrong_rewards_against_imitation(tmp_path: Path) -> None:
    """The standard error of a difference of means of 0, 1, 2 is √(2/3) = 0.8."""
    table = {
        ("hopper-medium", "ATAC", "zero"): 39.3,
        ("hopper-medium", "PSPI", "negative"): 39.1,
    }
    found = cases(studied(tmp_path, table, usual=40), "length-bias")
    assert len(found) == 6
    assert failing(found) == {
        "hopper-medium, PSPI, negative": pytest.approx({"score": 39.1, "bc": 40.0})
    }


def test_survival_is_compared_with_the_recorded_episodes(tmp_path: Path) -> None:
    """These last 300 steps."""
    table = {("hopper-medium-replay", "PSPI", "random"): 29.0}
    found = cases(studied(tmp_path, table, usual=40), "survival")
    assert len(found) == 12
    assert failing(found) == {
        "hopper-medium-replay, PSPI, random": pytest.approx({"length": 290, "recorded": 300})
    }


def test_diverse_data_are_worse_with_wrong_rewards(tmp_path: Path) -> None:
    table = {("hopper-medium-replay", name, "original"): 60.0 for name in ("ATAC", "PSPI")}
    table["hopper-medium-replay", "ATAC", "zero"] = 60.0
    found = cases(studied(tmp_path, table, usual=40), "diverse-data")
    assert [case.holds for case in found] == [False, True, True, True, True, True]


@pytest.mark.parametrize(
    ("wrong", "true", "expected"),
    [(45.7, 50.0, True), (46.0, 50.0, False), (45.7, 46.0, False)],
)
def test_halfcheetah_is_no_better_than_imitation_and_worse_than_the_true_reward(
    tmp_path: Path, wrong: float, true: float, expected: bool
) -> None:
    """BC has 40; the limits are five points and a standard error of 0.8."""
    table = {("halfcheetah-medium", name, "original"): 50.0 for name in ("ATAC", "PSPI")}
    table |= {
        ("halfcheetah-medium", "PSPI", "zero"): wrong,
        ("halfcheetah-medium", "PSPI", "original"): true,
    }
    found = cases(studied(tmp_path, table, usual=40), "no-length-bias")
    assert len(found) == 6
    held = {case.name: case.holds for case in found}
    assert held["halfcheetah-medium, PSPI, zero"] == expected


def test_experts_and_the_decision_transformer(tmp_path: Path) -> None:
    table = {("hopper-expert", "PSPI", "zero"): 89.0, ("hopper-medium", "DT", "random"): 84.0}
    findings = studied(tmp_path, table, usual=95)
    expert = cases(findings, "expert-data")
    assert len(expert) == 9
    assert sum(case.holds for case in expert) == 8
    told = cases(findings, "decision-transformer")
    assert len(told) == 12
    assert failing(told) == {"hopper-medium, random": pytest.approx({"score": 84, "true": 95})}
    assert count(cases(findings, "decision-transformer-survival")) == (6, 6)
    assert cases(findings, "infinite-bias")[0].numbers == pytest.approx({"bias": 20})


def test_effect_needs_pessimism_where_the_control_is_worse(tmp_path: Path) -> None:
    """Without the control in a study there are no cases."""
    assert cases(studied(tmp_path / "without", {}, usual=50), "pessimism") == ()
    plan = Plan("c", ("hopper-medium",), ("PSPI", "NoPessimism"), preset="quick", seeds=3)
    controls = {"zero": 20.0, "random": 49.5, "negative": 60.0}

    def measure(trial: Trial) -> Measurement:
        control = trial.algorithm == "NoPessimism" and trial.label in controls
        return scores(trial, (controls[trial.label] if control else 50) + trial.seed - 1)

    store_with(tmp_path / "with", plan, measure)
    found = cases(read_findings(tmp_path / "with"), "pessimism")
    assert len(found) == 3
    assert {case.name: case.numbers for case in found if case.holds} == {
        "hopper-medium, PSPI, zero": pytest.approx({"score": 50, "control": 20})
    }


def test_true_reward_scores_near_the_papers(tmp_path: Path) -> None:
    """The paper has 84.8 ± 1.5 for ATAC, 94.5 ± 1.7 for PSPI and 62.4 ± 0.6 for DT."""
    found = cases(studied(tmp_path, {}, usual=95), "true-reward")
    held = {case.name: case.holds for case in found}
    assert held["hopper-medium, PSPI"]
    assert held["hopper-medium, ATAC"]
    assert not held["hopper-medium, DT"]
    assert {case.name: case.numbers for case in found}["hopper-medium, DT"] == pytest.approx(
        {"score": 95, "paper": 62.4}
    )


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
    evidence = OurEvidence(studies)
    pooled = evidence.mean("hopper-medium", "PSPI", "zero", "score")
    assert pooled == pytest.approx((50, math.sqrt(600 / 5 / 6), 6))
    assert evidence.mean("hopper-medium", "PSPI", "no-terminal", "score") is None


def test_results_of_earlier_settings_do_not_count(tmp_path: Path) -> None:
    findings = studied(tmp_path, {}, usual=50)
    earlier = replace(
        findings,
        results={
            cell: replace(found, changes={"steps": 1}) if cell.algorithm == "PSPI" else found
            for cell, found in findings.results.items()
        },
    )
    evidence = OurEvidence([earlier])
    assert evidence.mean("hopper-medium", "PSPI", "zero", "score") is None
    assert evidence.mean("hopper-medium", "ATAC", "zero", "score") is not None
    assert earlier.outdated() == ["PSPI"]


def test_claim_without_measurements_is_not_tested(tmp_path: Path) -> None:
    found = cases(studied(tmp_path, {}, usual=50), "goal-terminal")
    assert found == ()
    assert CheckedClaim(claim("goal-terminal"), found, ()).outcome == "not tested"


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
    assert {case.name: case.numbers for case in found if case.holds} == {
        "safety:PointGoal1, PSPI, cost-free": pytest.approx({"cost": 2, "without": 3})
    }
    assert len(found) == 2
    assert [case.holds for case in cases(read_findings(tmp_path), "low-cost")] == [False]


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
    told = cases(findings, "goal-tasks-early-stopping")
    assert [case.holds for case in told] == [True, True, False] * 2
    better = cases(findings, "goal-outperforming-early-stopping")
    assert {case.name: case.numbers for case in better if case.holds} == {
        "metaworld:push, PSPI, random": pytest.approx({"success": 0.8, "bc": 0.6})
    }
    assert len(better) == 3
    assert cases(findings, "goal-tasks") == (), "this BC is stopped early"
    plain = replace(plan, name="plain", settings={"BC": {"held_out": 0.0}})
    store_with(tmp_path / "plain", plain, measure)
    assert len(cases(read_findings(tmp_path / "plain"), "goal-tasks")) == 6
