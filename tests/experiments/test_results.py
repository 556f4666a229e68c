import json
from pathlib import Path

import numpy as np
import pytest

from instinct.errors import BadInput
from instinct.experiments.results import ExperimentResults, load, save
from instinct.study.statistics import estimate


def test_saved_results_are_loaded(tmp_path: Path) -> None:
    rows = ({"algorithm": "BC", "label": "zero", "mean": 0.1},)
    saved = ExperimentResults("gridworld", rows, {"seed": 1}, dataset="abc")
    save(saved, tmp_path)
    back = load(tmp_path)
    assert (back.study, list(back.results), back.settings) == ("gridworld", [*rows], {"seed": 1})
    assert back.versions["numpy"] == np.__version__


@pytest.mark.parametrize("contents", ["", "[]", "{}", '{"study": 1, "other": 2}'])
def test_damaged_file_is_named_in_the_message(contents: str, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(contents)
    with pytest.raises(BadInput) as caught:
        load(tmp_path)
    assert str(caught.value).startswith(str(tmp_path / "results.json: "))


def test_missing_results_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="run the experiment first"):
        load(tmp_path)


def test_the_standard_error_by_hand() -> None:
    assert estimate(np.array([1.0, 2.0, 3.0, 4.0])) == pytest.approx((2.5, np.sqrt(5 / 3) / 2))


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("study", 1, "study: must be text, not a whole number"),
        ("results", {}, "results: must be a list, not a table"),
        ("settings", None, "settings: must be a table, not nothing"),
        ("other", 1, "other: is unknown"),
    ],
)
def test_fields_are_checked(tmp_path: Path, field: str, value: object, problem: str) -> None:
    save(ExperimentResults("gridworld", ({"mean": 0.1},), {"seed": 1}, dataset="abc"), tmp_path)
    content = json.loads((tmp_path / "results.json").read_text())
    del content["checksum"]
    (tmp_path / "results.json").write_text(json.dumps({**content, field: value}))
    with pytest.raises(BadInput, match=rf"results\.json: {problem}"):
        load(tmp_path)
