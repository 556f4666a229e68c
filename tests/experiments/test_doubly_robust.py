"""The doubly robust corollary: the true reward or a positive bias is enough, neither is not."""

import pytest

from instinct.experiments.doubly_robust import DOUBLY_ROBUST
from instinct.experiments.doubly_robust.compute import SOLUTIONS
from instinct.experiments.results import ExperimentResults


@pytest.fixture(name="results", scope="module")
def small_study() -> ExperimentResults:
    return DOUBLY_ROBUST.run(DOUBLY_ROBUST.configure(mdps=2))


def regrets(results: ExperimentResults, data: str, told: str) -> dict[str, tuple[float, float]]:
    return {
        row["algorithm"]: (row["least"], row["most"])
        for row in results.results
        if (row["data"], row["reward"]) == (data, told)
    }


@pytest.mark.parametrize(
    ("data", "told"),
    [("positive bias", "true"), ("positive bias", "wrong"), ("full coverage", "true")],
)
def test_either_is_enough(results: ExperimentResults, data: str, told: str) -> None:
    found = regrets(results, data, told)
    assert found[SOLUTIONS][1] <= 1e-6
    assert all(most < 0.05 for name, (_, most) in found.items() if name != "BC")


@pytest.mark.parametrize("data", ["stochastic expert", "full coverage"])
def test_neither_fails(results: ExperimentResults, data: str) -> None:
    found = regrets(results, data, "wrong")
    assert len(found) == 11
    assert all(least > 3 for name, (least, _) in found.items() if name != "BC")


def test_a_stochastic_expert_is_imitated_without_a_bias(results: ExperimentResults) -> None:
    assert regrets(results, "stochastic expert", "wrong")["BC"][1] <= 1e-6


def test_the_optimal_policy_is_covered(results: ExperimentResults) -> None:
    assert 1 <= results.details["concentrability"] < 1e6


def test_the_page_says_what_neither_costs(results: ExperimentResults) -> None:
    page = DOUBLY_ROBUST.compose(results)
    least = min(
        least
        for name, (least, _) in regrets(results, "full coverage", "wrong").items()
        if name != "BC"
    )
    assert f"at least {least:.2f} with neither" in page.summary
