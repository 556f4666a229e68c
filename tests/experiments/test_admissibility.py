"""The measured admissibility: pessimistic algorithms have it, behavior cloning does not."""

from collections.abc import Mapping
from typing import Any

import pytest

from instinct.experiments.admissibility import ADMISSIBILITY, compute
from instinct.experiments.results import ExperimentResults


@pytest.fixture(name="results", scope="module")
def small_study() -> ExperimentResults:
    patch = pytest.MonkeyPatch()
    patch.setattr(compute, "SIZES", (100, 5000))
    patch.setattr(compute, "DEGREES", (64.0,))
    results = ADMISSIBILITY.run(ADMISSIBILITY.configure(mdps=1, states=8, actions=2))
    patch.undo()
    return results


def regrets(results: ExperimentResults, **wanted: Any) -> list[float]:
    def fits(row: Mapping[str, Any]) -> bool:
        return all(row[key] == value for key, value in wanted.items())

    return [row["regret"] for row in results.results if fits(row) and row["algorithm"] != "BC"]


def test_every_algorithm_is_measured_in_the_grid_world(results: ExperimentResults) -> None:
    """All labels times ten pessimistic algorithms; the data are μ, so nothing may be lost."""
    found = regrets(results, problem="grid world")
    assert len(found) == 4 * 10
    assert max(found) <= 1e-6


@pytest.mark.parametrize("kind", ["positive bias", "zero bias", "negative bias"])
def test_the_regret_vanishes_with_more_data(results: ExperimentResults, kind: str) -> None:
    few = max(regrets(results, problem=kind, transitions=100))
    many = max(regrets(results, problem=kind, transitions=5000))
    assert many <= min(0.01, few)


def test_imitation_is_not_admissible(results: ExperimentResults) -> None:
    """In the grid world it leaves the data, and every such step may cost 64."""
    rows = [row for row in results.results if row["algorithm"] == "BC"]
    lava = [row for row in rows if row["problem"] == "grid world"]
    assert min(row["regret"] for row in lava) > 1
    assert max(row["degree"] for row in lava) < 1


def test_the_page_names_every_problem(results: ExperimentResults) -> None:
    page = ADMISSIBILITY.compose(results)
    assert [section.title for section in page.sections][1:] == [
        "Grid world",
        "Positive bias",
        "Zero bias",
        "Negative bias",
    ]
    assert "at most 0.00" in page.summary
