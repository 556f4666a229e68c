"""Results kept as text say the same as the store that they come from."""

from dataclasses import replace
from pathlib import Path

import pytest

from instinct.errors import BadInput
from instinct.study.archive import RUNS, STUDY, read_archive, write_archive
from instinct.study.findings import Findings, read_findings
from instinct.study.measured import Measured
from instinct.study.plan import Plan
from instinct.study.trials import Trial
from tests.study.stores import scores, store_with

PLAN = Plan("small", ("hopper-medium",), ("BC", "PSPI"), preset="quick", seeds=2)


def measured(trial: Trial) -> Measured:
    if trial.label == "random" and trial.seed == 1:
        return Measured({}, failure="diverged at step 7")
    return scores(trial, 10 / 3 + trial.seed, length=400.0)


@pytest.fixture(name="findings")
def stored(tmp_path: Path) -> Findings:
    store_with(tmp_path / "study", PLAN, measured)
    return read_findings(tmp_path / "study")


def test_what_is_kept_is_what_was_found(tmp_path: Path, findings: Findings) -> None:
    write_archive(findings, tmp_path / "kept")
    kept, machine = read_archive(tmp_path / "kept")
    assert "cores" in machine
    assert kept.plan == findings.plan
    assert kept.missing == findings.missing
    assert "seed 1: diverged at step 7" in " ".join(kept.missing)
    assert (kept.trials, kept.ended, kept.failed) == (10, 10, 1)
    assert kept.found.keys() == findings.found.keys()
    for cell, found in findings.found.items():
        assert kept.found[cell].seeds == found.seeds
        assert kept.found[cell].missing == found.missing
        for quantity, values in found.means.items():
            assert kept.found[cell].means[quantity] == pytest.approx(values, rel=1e-5)
    biases = [each.bias("hopper-medium", "PSPI") for each in (kept, findings)]
    assert biases[0] is not None
    assert biases[1] is not None
    assert biases[0].estimate == pytest.approx(biases[1].estimate, rel=1e-4)


def test_a_row_for_every_run_that_has_not_failed(tmp_path: Path, findings: Findings) -> None:
    write_archive(findings, tmp_path)
    lines = (tmp_path / RUNS).read_text().splitlines()
    assert lines[0] == "dataset,algorithm,label,filter,seed,score,length"
    assert len(lines) == 1 + 9
    assert lines[1].startswith("hopper-medium,BC,original,all,0,3.33333,")


def test_nothing_is_kept_of_a_study_that_has_not_begun(tmp_path: Path, findings: Findings) -> None:
    empty = replace(
        findings,
        found={cell: replace(each, seeds=(), means={}) for cell, each in findings.found.items()},
    )
    write_archive(empty, tmp_path)
    kept, _ = read_archive(tmp_path)
    assert kept.main is None


@pytest.mark.parametrize("damage", ["{}", "[1]", "not JSON", None])
def test_what_is_no_archive_is_refused(
    tmp_path: Path, findings: Findings, damage: str | None
) -> None:
    write_archive(findings, tmp_path)
    if damage is None:
        (tmp_path / STUDY).unlink()
    else:
        (tmp_path / STUDY).write_text(damage)
    with pytest.raises(BadInput):
        read_archive(tmp_path)
