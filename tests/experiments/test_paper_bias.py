import json
from pathlib import Path

import pytest
from scipy import stats

from instinct.experiments.paper_bias import PAPER_BIAS
from instinct.experiments.results import ExperimentResults, load, save
from instinct.paper.tables import table
from instinct.report.kit.tables import raw


@pytest.fixture(name="results", scope="module")
def run() -> ExperimentResults:
    return PAPER_BIAS.run()


def bias(results: ExperimentResults, dataset: str, algorithm: str) -> float | str:
    [row] = [
        row for row in results.results if (row["dataset"], row["algorithm"]) == (dataset, algorithm)
    ]
    found: float | str = row["positive_bias"]
    return found


def test_every_dataset_and_algorithm_has_a_bias(results: ExperimentResults) -> None:
    pairs = [(row["dataset"], row["algorithm"]) for row in results.results]
    assert len(pairs) == len({*pairs}) == 2 * 15 * 5
    assert [row["benchmark"] for row in results.results] == ["D4RL"] * 75 + ["Meta-World"] * 75


@pytest.mark.parametrize(
    ("dataset", "algorithm", "expected"),
    [
        ("hopper-medium", "ATAC", 100 / (100 - 91.5)),
        ("halfcheetah-random", "CQL", 100 / (100 + 5.4)),
        ("button-press", "ATAC", 1 / (1 - 0.9)),
        ("peg-insert-side", "CQL", 1),
    ],
)
def test_biases_by_hand(
    results: ExperimentResults, dataset: str, algorithm: str, expected: float
) -> None:
    assert bias(results, dataset, algorithm) == pytest.approx(expected)


def test_intervals_come_from_the_papers_standard_errors(results: ExperimentResults) -> None:
    """hopper-medium, ATAC: the worst label is negative, 91.5 ± 0.5 over ten seeds."""
    [row] = [
        row
        for row in results.results
        if (row["dataset"], row["algorithm"]) == ("hopper-medium", "ATAC")
    ]
    low, high = stats.t.interval(0.95, 9, loc=91.5, scale=0.5)
    assert row["positive_bias_low"] == pytest.approx(100 / (100 - low))
    assert row["positive_bias_high"] == pytest.approx(100 / (100 - high))


def test_atac_is_infinite_where_the_papers_figure_has_a_cross(results: ExperimentResults) -> None:
    infinite = [
        row["dataset"]
        for row in results.results
        if row["algorithm"] == "ATAC" and row["positive_bias"] == "inf"
    ]
    assert infinite == ["hopper-expert", "walker2d-expert"]


def test_results_can_be_saved(results: ExperimentResults, tmp_path: Path) -> None:
    save(results, tmp_path)
    assert json.loads(json.dumps([*load(tmp_path).results])) == [*results.results]


def test_the_page_has_the_papers_tables_and_figures(results: ExperimentResults) -> None:
    page = PAPER_BIAS.compose(results)
    assert "9 of 75 on D4RL, 4 of 75 on Meta-World" in page.summary
    published = {"d4rl_scores", "d4rl_episode_lengths", "metaworld_success"}
    assert {drawing.name for drawing in page.drawings} == published | {
        "bias_d4rl",
        "bias_metaworld",
    }
    found = {shown.name: shown for shown in page.tables}
    assert found["bias_d4rl"].texts[1][:2] == ("hopper-medium", "11.8 [10.4, 13.6]")
    assert found["bias_d4rl"].texts[4][:2] == ("hopper-expert", "∞ [∞, ∞]")
    for name in published:
        headings, rows = raw(found[name])
        cells = {(row[0], row[1]): dict(zip(headings, row, strict=True)) for row in rows}
        for number in table(name):
            if number.label is None:
                cell = cells[number.dataset, "IQL"]
            else:
                cell = cells[number.dataset, number.algorithm]
            kind = number.label or number.algorithm
            assert (cell[kind], cell.get(f"{kind} stderr")) == (number.mean, number.stderr)
