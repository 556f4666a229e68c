"""Plans of doses, and the curves of findings that are made up."""

from pathlib import Path

import numpy as np
import pytest

from instinct.data import write
from instinct.dose.curves import GAP, read_curves
from instinct.dose.page import compose_doses
from instinct.dose.run import KINDS, DoseOptions, Doses, dose_plan
from instinct.errors import BadInput
from instinct.study.findings import CellResult, Findings
from instinct.study.plan import Plan
from tests.data.datasets import small


def made_up(plan: Plan) -> Findings:
    """Scores fall by 100 per unit of negated rewards above one half, and by 20 without rewards."""
    results = {}
    for cell in plan.cells():
        texts = (each.partition(":")[2] for each in (cell.label, cell.filter))
        dose = float(next(filter(None, texts), 0))
        lost = 100 * max(dose - 0.5, 0) if cell.label.startswith("negate") else 0
        lost += 20 * dose * (cell.label == "zero")
        scores = 90 - lost + np.array([-1.0, 0.0, 1.0])
        results[cell] = CellResult(cell, (0, 1, 2), {"score": scores}, {}, {})
    return Findings(
        plan=plan, results=results, data={}, versions={}, trials=30, ended=30, failed=0,
        seconds=1.0, missing=(),
    )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_five_doses(kind: str) -> None:
    plan = dose_plan("hopper-medium", kind, DoseOptions())
    curves = [*read_curves(made_up(plan))]
    assert [curve.kind for curve in curves] == {
        "rewards": ["corrupt", "negate"],
        "quality": ["bad-episodes"],
        "ends": ["early-episodes"],
    }[kind]
    for curve in curves:
        assert [point.dose for point in curve.response.points] == [0, 0.25, 0.5, 0.75, 1]


def test_dose_0_lacks_the_terminals_that_all_doses_lack() -> None:
    plan = dose_plan("hopper-medium", "rewards", DoseOptions())
    untouched = {cell.label: plan.filters_of_cell(cell) for cell in plan.cells()}
    assert untouched["no-terminal"] == untouched["negate:0.5"] == ("no-terminals",)
    never = dose_plan("halfcheetah-medium", "rewards", DoseOptions())
    assert "no-terminal" not in {cell.label for cell in never.cells()}


def test_verdicts_name_the_dose_from_which_on_the_reward_matters() -> None:
    studies = {kind: made_up(dose_plan("hopper-medium", kind, DoseOptions())) for kind in KINDS[:2]}
    page = compose_doses(Doses("hopper-medium", studies, {"ends": "nothing to mix"}))
    flat, bent, gap = page.verdicts
    assert flat.code == "dose-flat"
    assert bent.code == "dose-changepoint"
    assert bent.numbers["dose"] == pytest.approx(0.5, abs=0.02)
    assert bent.numbers["change"] == pytest.approx(-50)
    assert gap.code == "dose-changepoint"
    assert GAP in gap.text
    assert gap.numbers["change"] == pytest.approx(20)
    assert page.missing == ("ends: nothing to mix",)


def test_what_cannot_be_planned_is_refused(tmp_path: Path) -> None:
    write(small(), tmp_path / "data.npz")
    with pytest.raises(BadInput, match="no task"):
        dose_plan(str(tmp_path / "data.npz"), "rewards", DoseOptions())
    with pytest.raises(BadInput, match="no kind of dose is called 'x'"):
        dose_plan("hopper-medium", "x", DoseOptions())
    with pytest.raises(BadInput, match="no algorithm reads rewards"):
        dose_plan("hopper-medium", "rewards", DoseOptions(algorithms=("BC",)))
