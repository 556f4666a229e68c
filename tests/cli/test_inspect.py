from pathlib import Path

import h5py
import numpy as np
import pytest

from instinct.data import read, write
from tests.cli.conftest import Run
from tests.data.datasets import small


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write(small(), tmp_path / "data.hdf5")
    return tmp_path / "data.hdf5"


def test_json_is_one_document_with_all_keys(run: Run, file: Path) -> None:
    outcome = run("inspect", file, "--json")
    assert (outcome.code, outcome.err) == (0, "")
    document = outcome.json
    assert document["transitions"] == 6
    assert document["episodes"] == 3
    assert document["terminals"] == 2
    assert document["timeouts"] == 1
    assert document["mean_return"] == pytest.approx(12.5 / 3)
    assert document["mean_length"] == 2
    assert document["length_return_correlation"] == pytest.approx(-4.5 / np.sqrt(2 * 36.5 / 3))
    assert document["repairs"] == []
    assert document["hash"] == small().hash


def test_table_in_the_terminal(run: Run, file: Path) -> None:
    outcome = run("inspect", file, "--task", "hopper")
    assert outcome.code == 0
    for text in ("transitions", "2 terminals, 1 timeouts", "4.17 ± 2.01", "normalized score"):
        assert text in outcome.out


def test_repairs_are_listed(run: Run, file: Path) -> None:
    with h5py.File(file, "a") as opened:
        del opened["timeouts"]
    assert "1 marked where a row is not followed" in " ".join(run("inspect", file).out.split())
    assert len(run("inspect", file, "--json").json["repairs"]) == 1


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_the_length_bias_is_drawn(run: Run, file: Path, suffix: str, tmp_path: Path) -> None:
    figure = tmp_path / f"bias{suffix}"
    assert run("inspect", file, "--figure", figure).code == 0
    start = {".svg": b"<?xml", ".pdf": b"%PDF", ".png": b"\x89PNG"}[suffix]
    assert figure.read_bytes().startswith(start)


def test_the_drawn_marks_are_the_episodes(run: Run, file: Path, tmp_path: Path) -> None:
    figure = tmp_path / "bias.svg"
    run("inspect", file, "--figure", figure)
    assert figure.read_text().count("<use ") >= 3
    first = figure.read_bytes()
    run("inspect", file, "--figure", figure)
    assert figure.read_bytes() == first


def test_a_figure_that_cannot_be_drawn_is_refused_at_once(run: Run, file: Path) -> None:
    outcome = run("inspect", file, "--figure", "bias.docx")
    assert outcome.code == 2
    assert outcome.err == "instinct: bias.docx: a figure must end in .svg, .pdf, .png\n"


def test_bad_input_is_one_message_and_exit_code_2(run: Run, file: Path) -> None:
    with h5py.File(file, "a") as opened:
        opened["rewards"][3] = np.inf
    outcome = run("inspect", file, "--json")
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err == f"instinct: {file}: rewards, row 3: not a finite 32-bit number\n"


def test_debug_shows_the_traceback(run: Run, tmp_path: Path) -> None:
    for arguments in (("--debug", "inspect", "none"), ("inspect", "none", "--debug")):
        outcome = run(*arguments)
        assert outcome.code == 2
        assert "Traceback" in outcome.err
        assert "none: is neither a file nor the name of a dataset" in outcome.err


def test_a_dataset_of_ours_by_name(run: Run) -> None:
    assert run("inspect", "gridworld", "--json").json["episodes"] == 500


def test_an_action_range(run: Run, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "wide.hdf5", "w") as file:
        for name, array in small().fields():
            file[name] = array * 3 if name == "actions" else array
    found = run("inspect", tmp_path / "wide.hdf5", "--json").json
    assert (found["action_space"], len(found["repairs"])) == ("[-3, 3]", 1)
    narrow = run("inspect", tmp_path / "wide.hdf5", "--action-range", -1, 1)
    assert narrow.code == 2
    assert "--action-range" in narrow.err
    outcome = run("inspect", tmp_path / "wide.hdf5", "--action-range", -3, 3, "--json")
    assert (outcome.json["action_space"], outcome.json["repairs"]) == ("[-3, 3]", [])


@pytest.mark.parametrize("target", ["other.npz", "other.h5", "other"])
def test_converting_keeps_the_contents(run: Run, file: Path, target: str, tmp_path: Path) -> None:
    assert run("convert", file, tmp_path / target).code == 0
    assert read(tmp_path / target).hash == small().hash


def test_converting_never_overwrites(run: Run, file: Path) -> None:
    outcome = run("convert", file, file)
    assert outcome.code == 2
    assert "exists already" in outcome.err


@pytest.mark.usefixtures("own_data")
def test_the_behavior_that_recorded_a_dataset_is_named(run: Run, file: Path) -> None:
    document = run("inspect", "hopper-medium:sac-0@300", "--json").json
    assert document["recorded_from"] == "sac-0 at 200,000"
    assert "sac-0 at 200,000" in run("inspect", "hopper-medium:sac-0@300").out
    assert "recorded_from" not in run("inspect", file, "--json").json
