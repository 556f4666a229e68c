import numpy as np
import pytest

from instinct.paper import gridworld as paper
from instinct.study import gridworld
from instinct.study.results import Results


def means(results: Results) -> dict[tuple[str, str], float]:
    return {(row["algorithm"], row["label"]): row["mean"] for row in results.results}


@pytest.mark.parametrize("seed", [0, 1, 2**31, 12345678901])
def test_all_cells_are_the_papers_under_any_seed(seed: int) -> None:
    results = gridworld.run(seed)
    assert means(results) == paper()
    assert {row["stderr"] for row in results.results} == {0.0}
    assert {row["episodes"] for row in results.results} == {1000}


@pytest.mark.parametrize("beta", [0.01, 0.1, 10, 1000])
def test_any_pessimism_above_zero_is_enough(beta: float) -> None:
    found = means(gridworld.run(beta=beta, episodes=2))
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
        v_min, v_max = gridworld.value_bounds(label, 20, beta=2)
        assert (v_min[0], v_min[-1]) == low
        assert (v_max[0], v_max[-1]) == high


def test_progress_is_told_cell_by_cell() -> None:
    steps: list[str] = []
    gridworld.run(episodes=2, step=steps.append)
    assert len(steps) == 8
    assert "PEVI under negative" in steps


def test_agents_take_the_paths_that_the_figure_shows() -> None:
    paths = gridworld.run(episodes=2).paths
    assert paths["PEVI random"] == paths["PEVI negative"]
    assert paths["PEVI zero"][9][:2] == [1, 4]
    assert paths["BC zero"][9][:2] == [4, 1]
    assert len(np.unique(paths["PEVI zero"], axis=0)) == 10
