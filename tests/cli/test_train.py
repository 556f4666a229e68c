"""Training from the command line, on a dataset small enough to train in moments."""

import json
from pathlib import Path

import pytest

from instinct.data import apply_filters, find_label, read, relabel, write
from instinct.deep import ALGORITHMS, configure, load_run
from instinct.study.presets import preset
from tests.cli.conftest import Run
from tests.deep.problems import noise_dataset

TINY = ("--steps", 20, "--set", "units=8", "--set", "layers=1", "--set", "batch_size=16")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    dataset = noise_dataset(rows=200, n=3, m=2, length=20)
    write(dataset, tmp_path / "tiny.npz")
    return tmp_path / "tiny.npz"


def test_a_run_folder_says_what_was_trained(run: Run, file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    options = ("--algorithm", "bc", "--label", "zero", "--seed", 3, "--out", folder, "--json")
    outcome = run("train", file, *options, *TINY)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.json["run"] == str(folder)
    assert outcome.json["settings"]["units"] == 8
    config = json.loads((folder / "config.json").read_text())
    assert (config["algorithm"], config["label"], config["seed"]) == ("BC", "zero", 3)
    assert config["source"] == str(file)
    outcome_there = load_run(folder).outcome
    assert outcome_there.failure == ""
    assert outcome.json["diagnostics"] == outcome_there.diagnostics
    assert "action_distance" in run("train", file, *options[:-1], *TINY).out


def test_terminals_can_be_removed(run: Run, file: Path, tmp_path: Path) -> None:
    hashes = set()
    for number, extra in enumerate([(), ("--remove-terminals",)]):
        folder = tmp_path / f"run{number}"
        assert run("train", file, "--algorithm", "bc", "--out", folder, *TINY, *extra).code == 0
        hashes.add(json.loads((folder / "config.json").read_text())["dataset"])
    assert len(hashes) == 2


def test_filters_see_the_recorded_rewards(run: Run, file: Path, tmp_path: Path) -> None:
    """Under zero rewards, a filter by return still knows which episodes were good."""
    folder = tmp_path / "run"
    options = ("--algorithm", "bc", "--label", "zero", "--filter", "good-episodes")
    outcome = run("train", file, *options, "--out", folder, *TINY)
    assert outcome.code == 0, outcome.err
    kept = relabel(apply_filters(read(file), ["good-episodes"]), find_label("zero"), 0)
    assert len(kept) < 200
    assert json.loads((folder / "config.json").read_text())["dataset"] == kept.hash


def test_default_folders_of_different_runs_differ(
    run: Run, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("train", file, "--algorithm", "bc", *TINY).code == 0
    assert (tmp_path / "runs" / "tiny-BC-original-0" / "result.json").exists()


def test_another_run_in_the_same_folder_is_refused(run: Run, file: Path, tmp_path: Path) -> None:
    run("train", file, "--algorithm", "bc", "--out", tmp_path / "run", *TINY)
    outcome = run("train", file, "--algorithm", "bc", "--seed", 1, "--out", tmp_path / "run", *TINY)
    assert outcome.code == 2
    assert "holds another run" in outcome.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--algorithm", "sarsa"), "no algorithm is called 'sarsa'; there are ATAC"),
        (("--algorithm", "pspi", "--set", "bta=1"), "PSPI has no hyperparameter 'bta'"),
        (("--algorithm", "pspi", "--set", "beta=0"), "PSPI needs beta above 0, not 0"),
        (("--algorithm", "pspi", "--set", "beta"), "--set needs NAME=VALUE, not 'beta'"),
        (("--algorithm", "iql", "--set", "tau=1"), "IQL needs tau between 0 and 1, not 1"),
        (("--algorithm", "bc", "--set", "units=a"), "BC needs a whole number for units, not 'a'"),
        (("--algorithm", "bc", "--set", "batch_size=500"), "a batch of 500 is larger than"),
        (("--algorithm", "bc", "--label", "wrong"), "no label is called 'wrong'"),
        (("--algorithm", "bc", "--preset", "slow"), "no preset is called 'slow'"),
    ],
)
def test_bad_input_is_refused_before_anything_starts(
    run: Run, file: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    outcome = run("train", file, *options, "--out", tmp_path / "run")
    assert outcome.code == 2
    assert message in outcome.err
    assert not (tmp_path / "run").exists()


def test_presets_fit_their_algorithms() -> None:
    assert {preset("paper", name) == {} for name in ALGORITHMS} == {True}
    for name in ALGORITHMS:
        quick, paper = configure(name, preset("quick", name)), configure(name)
        assert quick.steps < paper.steps
        assert quick.batch_size < paper.batch_size
