from pathlib import Path

import pytest

from instinct.data import write
from tests.cli.conftest import Run
from tests.data.datasets import small


def test_tabular_algorithms_are_measured(run: Run) -> None:
    options = ("--states", 40, "--actions", 2, "--transitions", 400)
    rows = run("bench", "tabular", *options, "--json").json["results"]
    assert [row["algorithm"] for row in rows[:3]] == ["model", "BC", "PEVI"]
    assert all(row["seconds"] >= 0 and row["peak_mib"] > 0 for row in rows)


def test_training_is_measured_against_the_peak(run: Run) -> None:
    options = ("--algorithms", "bc", "--size", "small")
    (row,) = run("bench", "train", *options, "--json").json["results"]
    assert (row["algorithm"], row["size"]) == ("BC", "small")
    achieved = row["steps_per_second"] * row["gflop_per_step"]
    assert row["fraction_of_gemm_peak"] == pytest.approx(achieved / row["peak_gflops"])


def test_the_model_of_model_based_algorithms_is_measured(run: Run) -> None:
    options = ("--algorithms", "Dynamics", "--size", "small")
    (row,) = run("bench", "train", *options, "--json").json["results"]
    assert (row["algorithm"], row["size"]) == ("Dynamics", "small")
    assert 0 < row["fraction_of_gemm_peak"] < 1.5


def test_an_unknown_size_is_named(run: Run) -> None:
    outcome = run("bench", "train", "--size", "huge")
    assert outcome.code == 2
    assert "no size is called 'huge'; there are paper, small" in outcome.err


def test_the_products_of_an_update_are_all_accounted_for(run: Run) -> None:
    rows = run("bench", "profile", "bc", "--size", "small", "--json").json["results"]
    assert rows[-1]["product"] == "all else"
    assert sum(row["share_of_operations"] for row in rows) == pytest.approx(1)
    assert {row["times"] for row in rows if row["product"] == "[256, 64] · [64, 64]"} != set()


def test_the_start_of_training_is_measured(run: Run) -> None:
    options = ("--algorithms", "bc", "--transitions", 1000)
    (row,) = run("bench", "start", *options, "--json").json["results"]
    assert row.pop("algorithm") == "BC"
    assert {name for name in row if name.endswith("_mib")} == {"peak_mib", "compile_peak_mib"}
    assert all(value > 0 for value in row.values())


def test_the_safety_tasks_are_measured(run: Run) -> None:
    pytest.importorskip("xmltodict", reason="Safety-Gymnasium is not installed")
    options = ("--task", "PointCircle1", "--steps", 5)
    (row,) = run("bench", "safety", *options, "--json").json["results"]
    assert (row["task"], row["observed"], row["episode"]) == ("safety:PointCircle1", 28, 500)
    assert row["speedup"] > 0
    assert row["reset_ms"] > 0
    outcome = run("bench", "safety", "--task", "PointFly")
    assert outcome.code == 2
    assert "no safety task 'PointFly'; there are PointButton1" in outcome.err


def test_reading_tables_is_measured(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra tables is not installed")
    row = run("bench", "read", "--rows", 1000, "--columns", 4, "--json").json
    assert (row["rows"], row["columns"], row["megabytes"]) == (1000, 4, 0.016)
    assert row["megabytes_per_second"] == pytest.approx(row["megabytes"] / row["seconds"])
    assert row["peak_mib"] > 0
    (tmp_path / "log.csv").write_text("a,b,c\n1,2,3\n4,5,6\n")
    assert run("bench", "read", tmp_path / "log.csv", "--json").json["rows"] == 2


def test_opening_datasets_is_measured(run: Run, tmp_path: Path) -> None:
    write(small(), tmp_path / "data.hdf5")
    row = run("bench", "read", tmp_path / "data.hdf5", "--json").json
    assert (row["rows"], row["columns"]) == (6, 6), "s, a, r, s′ and two flags"
    assert row["file_megabytes"] == (tmp_path / "data.hdf5").stat().st_size / 1e6
    assert row["peak_mib"] > row["grown_mib"] >= 0
