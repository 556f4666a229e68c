from pathlib import Path

import numpy as np
import pytest

from instinct.data import write
from tests.cli.conftest import Run
from tests.data.datasets import small
from tests.score.test_score import walks


def test_several_datasets_in_one_table(run: Run, tmp_path: Path) -> None:
    for name, falls in (("few", 0.1), ("many", 0.6)):
        write(walks(falls), tmp_path / f"{name}.npz")
    outcome = run("score", tmp_path / "few.npz", tmp_path / "many.npz")
    assert (outcome.code, outcome.err) == (0, "")
    for text in ("positive bias", "SACo", "few.npz", "many.npz: Agents that are trained"):
        assert text in outcome.out


def test_json(run: Run) -> None:
    outcome = run("score", "gridworld", "--json")
    (found,) = outcome.json["results"]
    assert found["dataset"] == "gridworld"
    assert found["score"] == pytest.approx(1)
    assert found["positive_bias"] == "inf"
    assert found["measures"]["TQ"] == pytest.approx(0.2)


def test_data_that_do_not_say_what_is_good_are_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "zeros.npz"
    write(small(rewards=np.zeros(6)), path)
    outcome = run("score", path)
    assert outcome.code == 2
    assert str(path) in outcome.err
    assert "--task" in outcome.err or "--env" in outcome.err


def test_the_kept_validation_is_read_again(run: Run, tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "docs" / "results" / "score.csv"
    figure = tmp_path / "score.svg"
    outcome = run("bench", "score", path, "--json", "--figure", figure)
    found = {row["measure"]: row["bias"][0] for row in outcome.json["results"]}
    assert found["score"] > max(found[name] for name in ("TQ", "SACo", "mean Q"))
    assert figure.read_text("utf-8").count("hopper") >= 1
