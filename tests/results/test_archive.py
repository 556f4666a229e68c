"""Results kept as text say the same as the store that they come from."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from instinct.data import KAPPA
from instinct.errors import BadInput
from instinct.report.sections.tuning import tuning_section
from instinct.report.verdicts import verdicts
from instinct.results.archive import PROGRESS, RUNS, STUDY, merge, read_archive, write_archive
from instinct.study.findings import Findings, read_findings
from instinct.study.measurement import Measurement
from instinct.study.plan import Cell, Plan
from instinct.study.trials import Trial
from tests.study.stores import scores, store_with

PLAN = Plan("small", ("hopper-medium",), ("BC", "PSPI"), preset="quick", seeds=2)


def measured(trial: Trial) -> Measurement:
    if trial.label == "random" and trial.seed == 1:
        return Measurement({}, failure="diverged at step 7")
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
    assert kept.results.keys() == findings.results.keys()
    for cell, found in findings.results.items():
        assert kept.results[cell].seeds == found.seeds
        assert kept.results[cell].missing == found.missing
        assert kept.results[cell].changes == found.changes
        for quantity, values in found.means.items():
            assert kept.results[cell].means[quantity] == pytest.approx(values, rel=1e-5)
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


def test_tuning_runs_are_kept(tmp_path: Path) -> None:
    """Two values of β with two seeds each, one of which failed."""
    plan = replace(
        PLAN,
        labels=("original",),
        grid={"PSPI": {"beta": (1.0, 2.0)}},
        tuning_seeds=2,
    )

    def by_beta(trial: Trial) -> Measurement:
        if trial.algorithm == "PSPI" and (trial.settings["beta"], trial.seed) == (2.0, 1):
            return Measurement({}, failure="diverged at step 7")
        return scores(trial, 10 * float(trial.settings.get("beta", 0)) + trial.seed)

    store_with(tmp_path / "study", plan, by_beta)
    findings = read_findings(tmp_path / "study")
    write_archive(findings, tmp_path / "kept")
    kept, _ = read_archive(tmp_path / "kept")
    for each in (findings, kept):
        assert [(dict(one.settings), one.seeds) for one in each.tried] == [
            ({"beta": 1.0}, (0, 1)),
            ({"beta": 2.0}, (0,)),
        ]
        assert [one.means["score"].tolist() for one in each.tried] == [[10, 11], [20]]
        (section,) = tuning_section(each)
        assert section.tables[0].columns[3:] == ("beta=1.0", "beta=2.0")
        assert [cell.value for cell in section.tables[0].rows[0][3:]] == [10.5, 20]  # type: ignore[union-attr]


def diagnosed(trial: Trial, score: float) -> Measurement:
    """A run with snapshots, and the diagnostics of an agent with or without critics."""
    critics = {} if trial.algorithm == "BC" else {"live_units": 1 / 3, "disagreement": 1234.5678}
    return replace(
        scores(trial, score),
        progress={"step": (1_000_000.0, 2_000_000.0), "score": (10 / 3 + trial.seed, 20.0)},
        diagnostics={"action_distance": 0.125 + trial.seed, **critics},
    )


def test_diagnostics_and_progress_are_kept(tmp_path: Path) -> None:
    store_with(tmp_path / "study", PLAN, lambda trial: diagnosed(trial, 40.0))
    findings = read_findings(tmp_path / "study")
    write_archive(findings, tmp_path / "kept")
    header, first = (tmp_path / "kept" / RUNS).read_text().splitlines()[:2]
    assert header.endswith(",length,action_distance,disagreement,live_units")
    assert first.endswith(",0.125,,")
    lines = (tmp_path / "kept" / PROGRESS).read_text().splitlines()
    assert lines[:2] == [
        "dataset,algorithm,label,filter,seed,step,score",
        "hopper-medium,BC,original,all,0,1000000,3.33333",
    ]
    assert len(lines) == 1 + 10 * 2
    kept, _ = read_archive(tmp_path / "kept")
    for cell, found in findings.results.items():
        assert [*kept.results[cell].progress] == ["step", "score"]
        assert {*kept.results[cell].diagnostics} == {*found.diagnostics}
        for name, values in found.progress.items():
            np.testing.assert_allclose(kept.results[cell].progress[name], values, rtol=1e-5)
        for name, values in found.diagnostics.items():
            np.testing.assert_allclose(kept.results[cell].diagnostics[name], values, rtol=1e-5)
    codes = [[v.code for v in verdicts(each, "hopper-medium")] for each in (kept, findings)]
    assert codes[0] == codes[1]


def test_an_archive_without_progress(tmp_path: Path, findings: Findings) -> None:
    """What was there before is removed."""
    store_with(tmp_path / "other", PLAN, lambda trial: diagnosed(trial, 40.0))
    write_archive(read_findings(tmp_path / "other"), tmp_path / "kept")
    write_archive(findings, tmp_path / "kept")
    assert not (tmp_path / "kept" / PROGRESS).exists()
    kept, _ = read_archive(tmp_path / "kept")
    assert all(not (each.progress or each.diagnostics) for each in kept.results.values())


def test_progress_of_other_runs_is_refused(tmp_path: Path) -> None:
    store_with(tmp_path / "study", PLAN, lambda trial: diagnosed(trial, 40.0))
    write_archive(read_findings(tmp_path / "study"), tmp_path / "kept")
    lines = (tmp_path / "kept" / PROGRESS).read_text().splitlines()
    (tmp_path / "kept" / PROGRESS).write_text("\n".join(lines[:-1]))
    with pytest.raises(BadInput, match=PROGRESS):
        read_archive(tmp_path / "kept")


def test_a_part_with_diagnostics_beside_results_without(tmp_path: Path) -> None:
    store_with(tmp_path / "whole", PLAN, lambda trial: scores(trial, 40.0))
    write_archive(read_findings(tmp_path / "whole"), tmp_path / "kept")
    plan = PLAN.scale_down(("PSPI", "zero"), 2, None)
    store_with(tmp_path / "part", plan, lambda trial: diagnosed(trial, 70.0))
    both = merge(read_archive(tmp_path / "kept")[0], read_findings(tmp_path / "part"))
    write_archive(both, tmp_path / "kept")
    again, _ = read_archive(tmp_path / "kept")
    for cell, found in again.results.items():
        there = cell.label == "zero"
        assert bool(found.progress) == bool(found.diagnostics) == there
        assert [*found.means["score"]] == [70.0 if there else 40.0] * 2
    zero = again.results[Cell("hopper-medium", "PSPI", "zero")]
    assert zero.progress["score"] == pytest.approx(np.array([[10 / 3, 20], [13 / 3, 20]]), rel=1e-5)


def test_what_was_run_is_kept_beside_what_the_preset_gives_today(
    tmp_path: Path, findings: Findings
) -> None:
    assert findings.outdated() == []
    cell = Cell("hopper-medium", "PSPI", "zero")
    assert findings.results[cell].changes["units"] == 64
    assert "discount" not in findings.results[cell].changes, "the paper's own"
    other = replace(findings.results[cell], changes={**findings.results[cell].changes, "units": 32})
    write_archive(replace(findings, results={**findings.results, cell: other}), tmp_path)
    assert read_archive(tmp_path)[0].outdated() == ["PSPI"]


def part(folder: Path, score: float, seeds: int = 2) -> Findings:
    """The study run again, PSPI told zero alone."""
    plan = PLAN.scale_down(("PSPI", "zero"), seeds, None)
    store_with(folder, plan, lambda trial: scores(trial, score))
    return read_findings(folder)


def test_a_part_that_was_run_again_takes_the_place_of_what_was_kept(tmp_path: Path) -> None:
    store_with(tmp_path / "whole", PLAN, lambda trial: scores(trial, 40.0))
    kept = read_findings(tmp_path / "whole")
    both = merge(kept, part(tmp_path / "part", 70.0))
    assert both.plan == PLAN
    assert (both.trials, both.ended, both.failed, both.missing) == (10, 10, 0, ())
    assert both.seconds == pytest.approx(kept.seconds)
    for cell, found in both.results.items():
        assert [*found.means["score"]] == [70.0 if cell.label == "zero" else 40.0] * 2
    assert [*both.results] == [*kept.results]


def test_a_part_is_joined_with_complete_cells_of_the_same_plan_only(
    tmp_path: Path, findings: Findings
) -> None:
    with pytest.raises(BadInput, match="PSPI / random is kept with gaps"):
        merge(findings, part(tmp_path / "part", 70.0))
    store_with(tmp_path / "whole", PLAN, lambda trial: scores(trial, 40.0))
    kept = read_findings(tmp_path / "whole")
    cell = Cell("hopper-medium", "BC", "original")
    other = replace(kept, results={**kept.results, cell: replace(kept.results[cell], changes={})})
    assert merge(other, part(tmp_path / "again", 70.0)).outdated() == ["BC"]
    with pytest.raises(BadInput, match="is not a part of the kept small"):
        merge(kept, part(tmp_path / "fewer", 70.0, seeds=1))


def test_nothing_is_kept_of_a_study_that_has_not_begun(tmp_path: Path, findings: Findings) -> None:
    empty = replace(
        findings,
        results={
            cell: replace(each, seeds=(), means={}) for cell, each in findings.results.items()
        },
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


def test_an_archive_with_the_keys_of_before(tmp_path: Path) -> None:
    """Costs were divided by κ, and the normalized return was called reward."""
    goal = "safety:PointGoal1"
    plan = Plan("old", (goal,), ("BC",), labels=("original",), preset="quick", seeds=1)
    store_with(
        tmp_path / "study", plan, lambda _: Measurement({"score": (0.5,), "cost": (2 * KAPPA,)})
    )
    write_archive(read_findings(tmp_path / "study"), tmp_path)
    lines = (tmp_path / RUNS).read_text().splitlines()
    assert lines[0] == "dataset,algorithm,label,filter,seed,score,cost,normalized_cost"
    (tmp_path / RUNS).write_text(
        f"dataset,algorithm,label,filter,seed,reward,cost\n{goal},BC,original,all,0,0.5,2\n"
    )
    content = json.loads((tmp_path / STUDY).read_text())
    del content["format"]
    content["datasets"] = {goal: {"hash": "1", "behavior": {"reward": 0.25, "cost": 3.0}}}
    (tmp_path / STUDY).write_text(json.dumps(content))
    kept, _ = read_archive(tmp_path)
    (found,) = kept.results.values()
    assert found.means == pytest.approx({"score": 0.5, "cost": 2 * KAPPA, "normalized_cost": 2})
    behavior = kept.data[goal]["behavior"]
    assert behavior == pytest.approx({"score": 0.25, "cost": 3 * KAPPA, "normalized_cost": 3})


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (("trials",), "ten", "trials: must be a whole number, not text"),
        (("seconds",), [], "seconds: must be a number, not a list"),
        (("versions",), {"jax": 1}, "versions.*: must be text, not a whole number"),
        (("cells", 0, "settings"), 3, r"cells\[0\].settings: must be a table, not a whole number"),
        (("cells", 1, "algorithm"), None, r"cells\[1\].algorithm: must be text, not nothing"),
        (("datasets",), [], "datasets: must be a table, not a list"),
        (("plan", "seeds"), "two", "seeds: must be a whole number, not text"),
        (("other",), 1, "other: is unknown"),
        (("machine",), 7, "machine: must be text, not a whole number"),
    ],
)
def test_fields_of_archives_are_checked(
    tmp_path: Path, findings: Findings, place: tuple[str | int, ...], value: object, problem: str
) -> None:
    write_archive(findings, tmp_path)
    content = json.loads((tmp_path / STUDY).read_text())
    part = content
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    (tmp_path / STUDY).write_text(json.dumps(content))
    with pytest.raises(BadInput, match=rf"study\.json: {problem}") as caught:
        read_archive(tmp_path)
    assert "\n" not in str(caught.value)


def test_all_kept_results_are_read() -> None:
    for path in (Path(__file__).parents[2] / "docs" / "results").glob(f"*/{STUDY}"):
        findings, _ = read_archive(path.parent)
        assert findings.results
