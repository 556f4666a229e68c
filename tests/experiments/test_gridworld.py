import numpy as np
import pytest

from instinct.data import find_label
from instinct.experiments.experiment import Experiment, Value
from instinct.experiments.gridworld import GRIDWORLD, GRIDWORLD_ALL
from instinct.experiments.gridworld.compute import paper_bounds
from instinct.experiments.results import ExperimentResults
from instinct.paper import gridworld as paper
from instinct.tabular.registry import ALGORITHMS


def run(experiment: Experiment, **settings: Value) -> ExperimentResults:
    return experiment.run(experiment.configure((), **settings))


def means(results: ExperimentResults) -> dict[tuple[str, str], float]:
    return {(row["algorithm"], row["label"]): row["mean"] for row in results.results}


@pytest.mark.parametrize("seed", [0, 1, 2**31, 12345678901])
def test_all_cells_are_the_papers_under_any_seed(seed: int) -> None:
    results = run(GRIDWORLD, seed=seed)
    assert means(results) == paper()
    assert {row["stderr"] for row in results.results} == {0.0}
    assert {row["episodes"] for row in results.results} == {1000}


@pytest.mark.parametrize("beta", [0.01, 0.1, 10.0, 1000.0])
def test_any_pessimism_above_zero_is_enough(beta: float) -> None:
    found = means(run(GRIDWORLD, beta=beta, episodes=2))
    assert {found["PEVI", label] for _, label in found} == {0.92}


def test_the_bounds_are_the_papers() -> None:
    """V_min,h = Ṽ_min,h - β(H-h+1) - 1 at h = 1 and h = H = 20, for β = 2."""
    expected = {
        "original": ((-20 - 40 - 1, -1 - 2 - 1), (1, 1)),
        "zero": ((-40 - 1, -2 - 1), (0, 0)),
        "random": ((-40 - 1, -2 - 1), (20, 1)),
        "negative": ((-1 - 40 - 1, -1 - 2 - 1), (20, 1)),
    }
    for label, (low, high) in expected.items():
        v_min, v_max = paper_bounds(find_label(label), 20, beta=2)
        assert (v_min[0], v_min[-1]) == low
        assert (v_max[0], v_max[-1]) == high


def test_progress_is_reported_per_cell() -> None:
    steps: list[tuple[int, int, str]] = []
    GRIDWORLD.run(GRIDWORLD.configure(episodes=2), lambda *step: steps.append(step))
    assert [done for done, _, _ in steps] == [*range(1, 9)]
    assert steps[-1] == (8, 8, "PEVI under negative")


def test_paths_of_the_agents() -> None:
    paths = run(GRIDWORLD, episodes=2).details["paths"]
    assert paths["PEVI random"] == paths["PEVI negative"]
    assert paths["PEVI zero"][9][:2] == [1, 4]
    assert paths["BC zero"][9][:2] == [4, 1]
    assert len(np.unique(paths["PEVI zero"], axis=0)) == 10


@pytest.mark.parametrize("seed", [0, 7])
def test_every_pessimistic_algorithm_reaches_the_key_and_stays_in_the_data(seed: int) -> None:
    results = run(GRIDWORLD_ALL, seed=seed)
    assert len(results.results) == 4 * len(ALGORITHMS) == 44
    for row in results.results:
        imitates = row["algorithm"] == "BC"
        assert row["mean"] == (-1.19 if imitates else 0.92), row
        assert row["out_of_support"] == (1.0 if imitates else 0.0), row
        assert imitates == (row["settings"] == {})


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("gamma=1", "gridworld has no setting 'gamma'; its settings: seed, episodes, beta"),
        ("episodes=many", "episodes must be a whole number, not 'many'"),
        ("episodes=1", "episodes must be finite and at least 2, not 1"),
        ("beta=-1", "beta must be finite and at least 0, not -1"),
        ("beta=nan", "beta must be finite and at least 0, not nan"),
        ("beta", "beta must be a number, not ''"),
    ],
)
def test_wrong_settings_are_refused(assignment: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        GRIDWORLD.configure([assignment])


def test_settings_keep_their_types() -> None:
    assert GRIDWORLD.configure(["episodes=5", "beta=2"], seed=3) == {
        "seed": 3,
        "episodes": 5,
        "beta": 2.0,
    }
