from pathlib import Path

import pytest

from instinct.data import write
from tests.cli.conftest import Run
from tests.data.datasets import small
from tests.experiments.test_theory import chain
from tests.pages import text_of


def test_the_grid_world(run: Run, tmp_path: Path) -> None:
    outcome = run("theory", "gridworld", "--json", "--out", tmp_path)
    assert (outcome.code, outcome.err) == (0, "")
    found = outcome.json
    assert found["positive_bias"] == "inf"
    for delta, kappa in found["kappa"]:
        assert 0 <= kappa <= min(2 * 20, (2 * 20 + 1) * delta)
        assert kappa <= found["lambda"] * delta + 1e-9
    assert all(item["holds"] for item in found["assumptions"])
    assert {"name", "holds", "numbers", "sentence"} == found["assumptions"][0].keys()
    page = (tmp_path / "index.html").read_text("utf-8")
    assert page.count("data:image/svg+xml") == 3
    assert "The positive bias of the data is infinite" in text_of(tmp_path / "index.html")


def test_a_dataset(run: Run, tmp_path: Path) -> None:
    write(chain(ends_by_terminal=True), tmp_path / "chain.npz")
    outcome = run("theory", tmp_path / "chain.npz", "--discount", 0.5, "--out", tmp_path)
    assert outcome.code == 0
    assert "The positive bias of the data is 2.5" in " ".join(outcome.out.split())


def test_a_dataset_with_continuous_states_needs_bins(run: Run, tmp_path: Path) -> None:
    write(small(), tmp_path / "data.npz")
    outcome = run("theory", tmp_path / "data.npz", "--out", tmp_path)
    assert outcome.code == 2
    assert "--bins" in outcome.err
    assert run("theory", tmp_path / "data.npz", "--bins", 2, "--out", tmp_path).code == 0


@pytest.mark.parametrize(
    "options", [("--discount", 0.5, "--horizon", 3), ("--horizon", 3), ("--discount", 1.5)]
)
def test_conflicting_options_are_refused(
    run: Run, options: tuple[object, ...], tmp_path: Path
) -> None:
    write(chain(ends_by_terminal=True), tmp_path / "chain.npz")
    source = (
        "gridworld" if len(options) == 2 and options[0] == "--horizon" else tmp_path / "chain.npz"
    )
    assert run("theory", source, *options, "--out", tmp_path).code == 2
