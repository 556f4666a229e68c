"""The audit of data without rewards."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import instinct
from instinct.data import write
from tests.cli.conftest import Run
from tests.cli.test_terminals import audit
from tests.study.test_ends import recording

EPISODES = [([0.0] * length, length < 7) for length in (3, 5, 7)]


@pytest.fixture
def dataset() -> instinct.Dataset:
    whole = recording(EPISODES)
    return replace(whole, has_rewards=False)


def test_zero_and_random_rewards_are_compared(dataset: instinct.Dataset, tmp_path: Path) -> None:
    found = audit(dataset, tmp_path, labels=[], seeds=2)
    assert {*found.results["label"]} == {"zero", "random"}
    codes = {verdict.code: verdict.numbers for verdict in found.page.verdicts}
    assert "no-rewards" in codes
    assert codes["action-distance"]["seed"] > 0
    assert found.document["data"]["has_rewards"] is False
    assert "return" not in found.document["data"]["behavior"]
    assert found.document["terminals"]["reason"] == "unclear"
    assert found.document["missing"] == []
    assert any("rewards: missing" in premise for premise in found.page.premises)


def test_labels_that_need_rewards_are_refused(dataset: instinct.Dataset, tmp_path: Path) -> None:
    with pytest.raises(instinct.BadInput, match="'negative' needs them"):
        audit(dataset, tmp_path, labels=["zero", "negative"])


def test_inspect_and_train_say_it(run: Run, dataset: instinct.Dataset, tmp_path: Path) -> None:
    path = tmp_path / "logs.npz"
    write(dataset, path)
    assert run("inspect", path, "--json").json["mean_return"] is None
    assert run("inspect", path).code == 0
    trained = run("train", path, "--algorithm", "bc", "--out", tmp_path / "run")
    assert trained.code == 2
    assert "rewards" in trained.err
    theory = run("theory", path, "--bins", 2, "--out", tmp_path / "theory")
    assert theory.code == 2
    assert "no rewards" in theory.err


def test_rewards_that_are_sometimes_missing_are_counted(run: Run, tmp_path: Path) -> None:
    fields = dict(recording(EPISODES).fields())
    fields["rewards"] = np.where(np.arange(15) % 5 == 0, np.nan, 2.0)
    np.savez(tmp_path / "logs.npz", allow_pickle=False, **fields)
    found = run("inspect", tmp_path / "logs.npz", "--json").json
    assert found["mean_return"] == pytest.approx(2 * 12 / 3)
    assert [repair.split(" (")[0] for repair in found["repairs"]] == [
        "rewards: 3 of 15 are missing"
    ]
