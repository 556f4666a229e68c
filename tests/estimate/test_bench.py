"""How estimates are compared with the truth, on numbers worked out by hand."""

from pathlib import Path

import numpy as np
import pytest

from instinct.bench.estimate import score
from instinct.data import write
from instinct.estimate import Answer, Estimate, Refusal
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.cli.test_audit import SMALL, recording

TRUTH = np.array([10.0, 20.0, 40.0, 30.0])


def around(value: float, half: float) -> Estimate:
    return Estimate(value, value - half, value + half)


def test_ranks_regret_and_intervals() -> None:
    answers = [around(value, 6.0) for value in (1.0, 22.0, 35.0, 36.0)]
    found = score("d", "return", "e", TRUTH, answers)
    # Ranks 1 2 3 4 against 1 2 4 3: 1 - 6·(1 + 1)/(4·15) = 0.8; 30 was chosen, 40 is best.
    assert found.rank == pytest.approx(0.8)
    assert found.regret == pytest.approx(0.25)
    assert (found.held, found.refused) == (0.75, 0.0)


def test_a_refused_policy_can_still_be_the_best() -> None:
    answers: list[Answer | None] = [around(9.0, 2.0), around(21.0, 2.0), Refusal("far")]
    answers.append(around(12.0, 2.0))
    found = score("d", "return", "e", TRUTH, answers)
    assert found.rank == pytest.approx(0.5)
    assert found.refused == 0.25
    assert found.regret == pytest.approx(0.5)
    assert found.held == pytest.approx(2 / 3)


def test_of_costs_the_lowest_is_best() -> None:
    found = score("d", "cost", "e", TRUTH, [around(x, 1.0) for x in (5.0, 3.0, 9.0, 8.0)])
    assert found.regret == pytest.approx(1.0)


def test_equal_estimates_choose_at_random_and_rank_nothing() -> None:
    found = score("d", "return", "e", TRUTH, [around(7.0, 1.0)] * 4)
    assert found.rank is None
    assert found.regret == pytest.approx((40 - 25) / 40)


def test_nothing_is_known_if_all_are_refused() -> None:
    found = score("d", "return", "e", TRUTH, [Refusal("far")] * 4)
    assert found.refused == 1.0
    assert (found.rank, found.regret, found.held) == (None, None, None)


def test_wrong_names_and_folders_are_refused(run: Run, tmp_path: Path) -> None:
    outcome = run("bench", "estimate", tmp_path, "--estimators", "magic")
    assert outcome.code == 2
    assert "no estimator is called 'magic'; there are dynamics, fqe, wis" in outcome.err
    outcome = run("bench", "estimate", tmp_path)
    assert outcome.code == 2
    assert "study.sqlite: does not exist" in outcome.err


@pytest.mark.slow
def test_the_policies_of_an_audit_are_judged(run: Run, tmp_path: Path) -> None:
    logs, audit = tmp_path / "logs.npz", tmp_path / "audit"
    write(recording(), logs)
    options = ("--env", "InvertedPendulum-v5", "--algorithms", "iql", "--seeds", 1, *SMALL)
    outcome = run("audit", logs, *options, "--episodes", 2, "--out", audit)
    assert outcome.code == 0, outcome.err
    kept = tmp_path / "compared.csv"
    compared = run("bench", "estimate", audit, "--json", "--out", kept)
    assert compared.code == 0, compared.err
    assert len(kept.read_text().splitlines()) == 11
    rows = compared.json["results"]
    names = ["dynamics", "fqe", "wis", "mean of the data", "imitation is best"]
    assert [(row["quantity"], row["estimator"]) for row in rows] == [
        (quantity, name) for quantity in ("return", "length") for name in names
    ]
    assert {row["policies"] for row in rows} == {5}
