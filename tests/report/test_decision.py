"""The decision without a simulator, from made-up estimates: codes and numbers."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.estimate import DEFAULT, Coverage, Estimate, Reliability, Support, reliability
from instinct.report.cell_estimates import cell_estimates
from instinct.report.decision import bias_shares, decide
from instinct.report.estimates_document import decision_document, estimates_document
from instinct.report.verdicts import verdicts
from instinct.study.estimates import DatasetEstimates, PolicyEstimate
from instinct.study.findings import Findings, read_findings
from instinct.study.measurement import Measurement
from instinct.study.plan import Cell
from instinct.study.trials import Trial
from tests.study.stores import scores, store_with

DATA = "logs.npz"
LABELS = ["original", "zero"]
SECOND = "fqe"
MEASURED = Reliability(DEFAULT, "return", datasets=4, policies=40, rank=0.3, regret=0.1, held=0.9)
COVERAGE = Coverage(rows=1000, episodes=100, spread=0.5, terminals=0.2, cuts=0.0, volume=0.5)
NEAR = Support(distance=0.5, outside=0.0)
FAR = Support(distance=9.0, outside=0.9)


@pytest.fixture(autouse=True)
def _measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both estimators did as well as `MEASURED` where the truth is known."""
    known = {(DEFAULT, "return"): MEASURED, (SECOND, "return"): replace(MEASURED, estimator=SECOND)}
    monkeypatch.setattr(reliability, "shipped", lambda: known)


def around(value: float, half: float = 1.0) -> Estimate:
    return Estimate(value, value - half, value + half)


def act(trial: Trial) -> Measurement:
    """Policies that take the same action at two states: 0 for BC, by label and seed for others."""
    level = 0.0 if trial.algorithm == "BC" else 0.1 * trial.seed + 0.3 * (trial.label == "zero")
    return Measurement({}, actions=((level,), (level,)))


def judged(
    tmp_path: Path,
    returns: Mapping[tuple[str, str], Estimate | str],
    recorded: float = 10.0,
    cost_target: float | None = None,
    costs: Mapping[str, Estimate] | None = None,
    second: Mapping[tuple[str, str], Estimate] | None = None,
    **changes: Any,
) -> Findings:
    """Two seeds per cell with the given returns; a text refuses, `outside` for its support."""
    options = AuditOptions(
        algorithms=["PSPI", "ATAC"], labels=LABELS, seeds=2, cost_target=cost_target
    )
    store_with(tmp_path, audit_plan(DATA, options), act)
    policies = []
    for (algorithm, label), given in returns.items():
        for seed in (0, 1):
            cell = Cell(DATA, algorithm, label)
            if isinstance(given, str):
                near = FAR if given == "outside" else NEAR
                refused = PolicyEstimate(cell, seed, {}, {DEFAULT: given, SECOND: given}, near)
                policies.append(refused)
                continue
            values = {"return": given}
            if costs:
                values["cost"] = costs[algorithm]
            found = {DEFAULT: values}
            if second:
                found[SECOND] = {"return": second[algorithm, label]}
            policies.append(PolicyEstimate(cell, seed, found, {}, NEAR))
    means = {"return": recorded, **({"cost": 1.0} if costs else {})}
    estimates = DatasetEstimates(
        key="k",
        horizon=20,
        recorded=means,
        coverage=COVERAGE,
        policies=tuple(policies),
        estimators=(DEFAULT, SECOND),
    )
    return replace(read_findings(tmp_path), estimates={DATA: replace(estimates, **changes)})


BC, PSPI, ATAC = ("BC", "original"), ("PSPI", "original"), ("ATAC", "original")


def decided(findings: Findings) -> tuple[str, str, tuple[str, ...]]:
    found = decide(findings, DATA)
    assert found is not None
    return found.recommendation, found.reason, found.algorithms


@pytest.mark.parametrize(
    ("bc", "pspi", "atac", "expected"),
    [
        (around(12), around(20), around(30), ("offline-rl", "higher-return", ("ATAC",))),
        (around(12), around(29), around(30), ("offline-rl", "higher-return", ("PSPI", "ATAC"))),
        (around(30), around(20), around(12), ("imitation", "higher-return", ("BC",))),
        (around(12), around(13), around(11), ("unknown", "overlap", ())),
        (around(12), "outside", "outside", ("imitation", "others-excluded", ("BC",))),
        ("outside", around(12), "outside", ("offline-rl", "others-excluded", ("PSPI",))),
        ("outside", "outside", "outside", ("neither", "outside-data", ())),
        (around(2), around(3), around(4), ("neither", "below-data", ())),
        (around(2), around(3), "outside", ("neither", "all-excluded", ())),
        (around(12), around(20), "4 of 5 fits have diverged", ("unknown", "refused", ())),
    ],
)
def test_what_to_deploy(
    bc: Estimate | str,
    pspi: Estimate | str,
    atac: Estimate | str,
    expected: tuple[str, str, tuple[str, ...]],
    tmp_path: Path,
) -> None:
    assert decided(judged(tmp_path, {BC: bc, PSPI: pspi, ATAC: atac})) == expected


def test_intervals_that_only_touch_after_widening_overlap(tmp_path: Path) -> None:
    bc, rl = Estimate(10, 9, 11), Estimate(12.02, 11.01, 13)
    assert decided(judged(tmp_path, {BC: bc, PSPI: rl, ATAC: rl}))[:2] == ("unknown", "overlap")


def test_data_cut_short_are_no_measure(tmp_path: Path) -> None:
    returns = {BC: around(2), PSPI: around(3), ATAC: around(4)}
    found = judged(tmp_path, returns, cut_short=0.4)
    assert decided(found)[:2] == ("unknown", "overlap")


def test_costs_exclude_or_leave_it_open(tmp_path: Path) -> None:
    returns = {BC: around(12), PSPI: around(20), ATAC: around(20)}
    costs = {"BC": around(2), "PSPI": around(9), "ATAC": around(9)}
    found = judged(tmp_path / "a", returns, cost_target=5.0, costs=costs)
    assert decided(found) == ("imitation", "others-excluded", ("BC",))
    found = judged(tmp_path / "b", returns, cost_target=2.5, costs=costs)
    assert decided(found)[:2] == ("unknown", "cost-unclear")
    found = judged(tmp_path / "c", returns, cost_target=0.5, costs=costs)
    assert decided(found) == ("neither", "above-cost-target", ())
    found = judged(tmp_path / "d", returns, costs=costs)
    assert decided(found)[:2] == ("unknown", "higher-cost")
    cheap = {name: around(2) for name in costs}
    assert decided(judged(tmp_path / "e", returns, costs=cheap))[0] == "offline-rl"


def test_estimators_that_contradict_each_other_decide_nothing(tmp_path: Path) -> None:
    returns = {BC: around(12), PSPI: around(20), ATAC: around(20)}
    opposite = {BC: around(40), PSPI: around(12), ATAC: around(12)}
    found = judged(tmp_path, returns, second=opposite)
    assert decided(found)[:2] == ("unknown", "estimators-disagree")


def test_nothing_is_decided_without_estimates(tmp_path: Path) -> None:
    returns = {BC: around(12), PSPI: around(20), ATAC: around(20)}
    few = judged(tmp_path / "a", returns, problem="few", problem_code="few-episodes")
    assert decided(few)[:2] == ("unknown", "few-episodes")
    assert [each.code for each in verdicts(few, DATA)][-1] == "decision"
    silent = judged(tmp_path / "b", returns, recorded=0.0, ends=None)
    silent = replace(
        silent, estimates={DATA: replace(silent.estimates[DATA], recorded={"length": 3.0})}
    )
    assert decided(silent)[:2] == ("unknown", "no-rewards")
    none = replace(few, estimates={})
    assert decide(none, DATA) is None
    assert decision_document(none, DATA) is None
    assert "decision" not in {each.code for each in verdicts(none, DATA)}


def test_the_share_of_the_gain_that_is_bias(tmp_path: Path) -> None:
    returns = {
        BC: around(10),
        PSPI: around(30),
        ("PSPI", "zero"): around(25),
        ATAC: around(11),
        ("ATAC", "zero"): around(12),
    }
    pspi, atac = bias_shares(judged(tmp_path, returns), DATA)
    assert (pspi.algorithm, pspi.gain, pspi.is_certain) == ("PSPI", 20.0, True)
    assert pspi.shares == {"zero": 0.75}
    assert (atac.is_certain, dict(atac.shares)) == (False, {})


def test_how_far_labels_and_seeds_differ_in_spreads(tmp_path: Path) -> None:
    cells = cell_estimates(
        judged(tmp_path, {BC: around(1), PSPI: around(1), ("PSPI", "zero"): around(1)}), DATA
    )
    found = cells[Cell(DATA, "PSPI", "original")]
    # Actions 0 and 0.1 against 0.3 and 0.4; the spread of the behavior is 0.5.
    gaps = np.array([0.3, 0.4, 0.2, 0.3])
    assert found.other_labels == pytest.approx(np.sqrt(np.mean(gaps**2)) / 0.5)
    assert found.other_seeds == pytest.approx(0.1 / 0.5)
    imitation = cells[Cell(DATA, "BC", "original")]
    assert (imitation.other_labels, imitation.other_seeds) == (None, 0.0)


def test_an_interval_contains_those_of_all_seeds(tmp_path: Path) -> None:
    findings = judged(tmp_path, {BC: around(1)})
    first, second = findings.estimates[DATA].policies
    second = replace(second, estimates={DEFAULT: {"return": Estimate(3, 2.5, 6)}})
    changed = replace(findings.estimates[DATA], policies=(first, second))
    cells = cell_estimates(replace(findings, estimates={DATA: changed}), DATA)
    assert cells[Cell(DATA, "BC", "original")].values["return"] == Estimate(2.0, 0.0, 6.0)


def test_the_document_has_codes_and_says_that_ranking_is_not_reliable(tmp_path: Path) -> None:
    findings = judged(tmp_path, {BC: around(12), PSPI: around(20), ATAC: around(30)})
    document = decision_document(findings, DATA)
    assert document is not None
    assert document["recommendation"] == "offline-rl"
    assert [each["status"] for each in document["candidates"]] == ["eligible"] * 3
    by = {(each["estimator"], each["quantity"]): each for each in document["reliability"]}
    assert by[DEFAULT, "return"]["rank"] == MEASURED.rank
    by_code = {each.code: each for each in verdicts(findings, DATA)}
    assert by_code["decision"].numbers == {"BC": 12.0, "PSPI": 20.0, "ATAC": 30.0}
    assert by_code["estimate-reliability"].level == "warning"
    assert [each.code for each in verdicts(findings, DATA)][-1] == "decision"


def test_estimates_stand_beside_the_truth_with_their_rank(tmp_path: Path) -> None:
    plan = audit_plan("hopper-medium", AuditOptions(algorithms=["PSPI"], labels=LABELS, seeds=1))
    truth = {BC: 100.0, PSPI: 300.0, ("PSPI", "zero"): 200.0}
    store_with(tmp_path, plan, lambda t: scores(t, 1.0, length=truth[t.algorithm, t.label]))
    lengths = {BC: around(1), PSPI: around(2), ("PSPI", "zero"): around(3)}
    estimates = DatasetEstimates(
        key="k",
        horizon=20,
        recorded={"length": 1.0},
        policies=tuple(
            PolicyEstimate(Cell("hopper-medium", *key), 0, {DEFAULT: {"length": value}}, {}, NEAR)
            for key, value in lengths.items()
        ),
        estimators=(DEFAULT,),
    )
    findings = replace(read_findings(tmp_path), estimates={"hopper-medium": estimates})
    document = estimates_document(findings, "hopper-medium")
    assert document is not None
    assert [each["truth"]["length"] for each in document["policies"]] == [100.0, 300.0, 200.0]
    assert document["ranks"] == {DEFAULT: {"length": 0.5}}
    codes = {each.code for each in verdicts(findings, "hopper-medium")}
    assert not codes & {"decision", "estimate-reliability"}
