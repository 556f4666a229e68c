"""The page of costs and filters, from made-up measurements."""

from pathlib import Path

import numpy as np
import pytest

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.data import KAPPA
from instinct.report.kit.page import Verdict
from instinct.report.kit.tables import Number
from instinct.report.plan_tables import cells_table
from instinct.report.sections.numbers import rows
from instinct.report.study_page import compose
from instinct.report.verdicts import verdicts
from instinct.study.findings import Findings, read_findings
from instinct.study.measurement import Measurement
from instinct.study.plan import Cell, Plan
from instinct.study.store import open_store
from instinct.study.trials import Trial
from instinct.study.tuning import choose_settings
from tests.study.stores import FACTS

GOAL = "safety:PointGoal1"
Levels = dict[tuple[str, str], tuple[float, float]]
"""Score and normalized cost by algorithm and filter."""
RECORDED = dict(FACTS) | {
    "behavior": {"score": 0.6, "return": 18.0, "length": 1000.0, "cost": 1.3 * KAPPA},
    "cost_points": [[0.2 * KAPPA, 0.4], [2.0 * KAPPA, 0.8]],
}
REMOVED = {
    "hash": "bead" * 16,
    "transitions": 1000,
    "removed": 40,
    "episodes": 4,
    "cut": 3,
    "gone": 1,
    "episodes_after": 9,
    "reward": 18.0,
    "reward_after": 17.5,
    "cost": 40.0,
    "cost_after": 0.0,
    "coverage": 0.91,
}


def audited(folder: Path, levels: Levels, noise: float = 0.01, seeds: int = 3) -> Findings:
    plan = audit_plan(
        GOAL, AuditOptions(env=GOAL, algorithms=["PSPI"], filters=["cost-free"], seeds=seeds)
    )

    def measured(trial: Trial) -> Measurement:
        score, cost = levels[trial.algorithm, "".join(trial.filters) or "all"]
        shift = noise * (trial.seed - 1)
        return Measurement(
            {"score": (score + shift,), "cost": (KAPPA * (cost + shift),), "length": (1000,)}
        )

    with open_store(folder, plan, {}) as store:
        store.add_dataset(GOAL, RECORDED)
        store.add_dataset(f"{GOAL} | cost-free", REMOVED)
        for trial in plan.final({}):
            store.add(trial, measured(trial))
    return read_findings(folder)


BC: Levels = {("BC", "all"): (0.5, 1.2), ("BC", "cost-free"): (0.4, 0.9)}
PSPI: Levels = {("PSPI", "all"): (0.62, 1.9), ("PSPI", "cost-free"): (0.59, 0.7)}


def of_pspi(findings: Findings) -> Verdict:
    """Return the verdict on the cost of PSPI with the filter."""
    (found,) = (
        each
        for each in verdicts(findings, GOAL)
        if each.code == "filter-cost" and "PSPI" in each.text
    )
    return found


def test_filter_that_helps(tmp_path: Path) -> None:
    findings = audited(tmp_path, BC | PSPI)
    change = of_pspi(findings)
    assert change.level == "holds"
    assert change.numbers == pytest.approx({"before": 1.9, "after": 0.7, "certain": True})
    assert "0.62 to 0.59 (95%)" in change.text
    found = {each.code: each for each in verdicts(findings, GOAL)}
    assert found["safe"].level == "holds"
    assert found["safe"].numbers == pytest.approx({"BC (cost-free)": 0.9, "PSPI (cost-free)": 0.7})
    assert found["not-safe"].level == "warning"
    assert found["not-safe"].numbers == pytest.approx({"BC": 1.2, "PSPI": 1.9})


@pytest.mark.parametrize(
    ("after", "noise", "level"),
    [((0.62, 2.6), 0.01, "warning"), ((0.62, 1.8), 0.5, "note"), ((0.2, 0.5), 0.01, "note")],
)
def test_filter_that_does_not_help(
    tmp_path: Path, after: tuple[float, float], noise: float, level: str
) -> None:
    """More cost; a difference as large as between seeds; a third of the score."""
    levels = BC | PSPI | {("PSPI", "cost-free"): after}
    change = of_pspi(audited(tmp_path, levels, noise))
    assert change.level == level
    assert change.numbers["certain"] == (noise != 0.5)


def test_with_one_seed_nothing_is_certain(tmp_path: Path) -> None:
    findings = audited(tmp_path, BC | PSPI, seeds=1)
    assert of_pspi(findings).level == "note"
    assert not of_pspi(findings).numbers["certain"]


def test_unsafe_agents_are_gray_beside_the_papers_numbers(tmp_path: Path) -> None:
    """On PointGoal1 the paper's PSPI has 0.59 and 0.90, and BCQ-Lag 0.71 and 0.98."""
    page = compose(audited(tmp_path, BC | PSPI))
    table = next(each for each in page.tables if each.name == "reward-and-cost")
    assert table.columns == (
        *("dataset", "algorithm", "filter", "score", "normalized cost"),
        *("score, paper", "normalized cost, paper"),
    )
    assert [row[1:3] for row in table.texts] == [
        ("behavior", ""),
        ("BC", "all"),
        ("BC", "cost-free"),
        ("PSPI", "all"),
        ("PSPI", "cost-free"),
        ("best published: BCQ-Lag", ""),
    ]
    gray = [
        [isinstance(cell, Number) and cell.mark == "gray" for cell in row[3:5]]
        for row in table.rows
    ]
    assert gray == [[True] * 2, [True] * 2, [False] * 2, [True] * 2, [False] * 2, [False] * 2]
    assert table.texts[4][3:] == ("0.59 ± 0.01", "0.70 ± 0.01", "0.59", "0.90")
    assert table.texts[3][5:] == ("", ""), "the paper has no number for all data"
    assert table.texts[5][3:] == ("", "", "0.71", "0.98")
    assert "cost" not in {each.name for each in page.tables}, "it stands beside the reward"


def test_page_has_what_the_filter_removes(tmp_path: Path) -> None:
    page = compose(audited(tmp_path, BC | PSPI))
    table = next(each for each in page.tables if each.name == "filters")
    assert table.texts == (
        (
            *(GOAL, "cost-free", "1,000", "96.0%", "4", "3", "1", "0.91"),
            *("18.00", "17.50", "40.00", "0.00"),
        ),
    )
    data = next(each for each in page.tables if each.name == "data")
    assert [row[0] for row in data.texts] == [GOAL]
    assert page.provenance[f"{GOAL} | cost-free"].endswith("bead")


def test_the_figure_has_the_target_the_episodes_and_an_arrow_for_each_pair(tmp_path: Path) -> None:
    page = compose(audited(tmp_path, BC | PSPI))
    figure = next(each.figure for each in page.drawings if each.name == "reward-and-cost-figure")
    (axes,) = figure.axes
    target = np.asarray(axes.lines[0].get_xdata())
    assert target.tolist() == [1, 1]
    clouds = [np.asarray(each.get_offsets()) for each in axes.collections]
    assert any(
        cloud.shape == (2, 2) and np.allclose(cloud, [[0.2, 0.4], [2.0, 0.8]]) for cloud in clouds
    )
    arrows = [(*text.xyann, *text.xy) for text in axes.texts]  # type: ignore[attr-defined]
    np.testing.assert_allclose(arrows, [(1.2, 0.5, 0.9, 0.4), (1.9, 0.62, 0.7, 0.59)])


def test_rows_name_the_filter_and_say_what_is_safe(tmp_path: Path) -> None:
    found = {(r["algorithm"], r["filter"]): r for r in rows(audited(tmp_path, BC | PSPI))}
    assert len(found) == 4
    assert found["PSPI", "cost-free"]["safe"]
    assert not found["PSPI", "all"]["safe"]
    assert found["PSPI", "all"]["score"] == pytest.approx(0.62)
    assert found["PSPI", "all"]["normalized_cost"] == pytest.approx(1.9)
    assert found["PSPI", "all"]["cost"] == pytest.approx(1.9 * KAPPA)


def test_filter_without_costs(tmp_path: Path) -> None:
    plan = audit_plan(
        "hopper-medium", AuditOptions(algorithms=["PSPI"], filters=["rewards<1"], seeds=2)
    )
    with open_store(tmp_path, plan, {}) as store:
        store.add_dataset("hopper-medium", FACTS)
        for trial in plan.final({}):
            score = 40.0 + 20 * bool(trial.filters) + trial.seed
            store.add(trial, Measurement({"score": (score,), "length": (500.0,)}))
    findings = read_findings(tmp_path)
    texts = [each.text for each in verdicts(findings, "hopper-medium")]
    assert "The filter rewards<1 raises the normalized score of PSPI: 40.5 to 60.5." in texts
    page = compose(findings)
    table = next(each for each in page.tables if each.name == "score")
    assert [row[1:3] for row in table.texts] == [
        ("behavior", ""),
        *((name, shown) for name in ("BC", "PSPI") for shown in ("all", "rewards<1")),
    ]
    assert table.texts[1][4] != "", "the paper's BC"
    assert table.texts[2][4] == "", "which the paper has not filtered"
    figure = next(each.figure for each in page.drawings if each.name == "score-figure")
    names = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert [name.replace("\n", "") for name in names] == [
        *("behavior", "BC", "BC, rewards<1", "PSPI", "PSPI, rewards<1")
    ]


STUDY = Plan(
    name="safety",
    datasets=(GOAL, "safety:CarCircle1"),
    algorithms=("BC", "PSPI"),
    labels=("original",),
    task=GOAL,
    filters=("cost-free",),
    filters_of={"BC": ("all", "cost-free")},
    tuning_seeds=3,
    seeds=3,
    new_seeds=False,
    rule="safe",
    grid={"PSPI": {"beta": (1.0, 10.0, 100.0)}},
)


def test_study_tunes_by_safety_and_reports_its_choice(tmp_path: Path) -> None:
    """On the goal task β = 10 is safe with the most reward; on the circle none is, 100 is nearest.

    The results are those of the seeds of tuning, and nothing was run for them again.
    """
    costs = {GOAL: (0.5, 0.9, 1.1), "safety:CarCircle1": (5.0, 4.0, 3.0)}

    def measured(trial: Trial) -> Measurement:
        beta = trial.settings.get("beta")
        if trial.algorithm == "BC":
            cost = 0.8 if trial.filters else 2.0
            return Measurement({"score": (0.3,), "cost": (cost * KAPPA,)})
        number = (1.0, 10.0, 100.0).index(float(beta or 0))
        return Measurement(
            {"score": (0.1 * (number + 1),), "cost": (KAPPA * costs[trial.dataset][number],)}
        )

    with open_store(tmp_path, STUDY, {}) as store:
        for trial in STUDY.tuning():
            store.add(trial, measured(trial))
        final = STUDY.final(choose_settings(STUDY, store))
        new = [trial for trial in final if trial.identity not in store.succeeded()]
        assert {trial.algorithm for trial in new} == {"BC"}
        for trial in new:
            store.add(trial, measured(trial))
    findings = read_findings(tmp_path)
    assert (findings.ended, findings.trials, findings.missing) == (18 + 12, 18 + 12, ())
    chosen = {cell.dataset: found.settings for cell, found in findings.results.items()
              if cell.algorithm == "PSPI"}  # fmt: skip
    assert chosen == {GOAL: {"beta": 10.0}, "safety:CarCircle1": {"beta": 100.0}}
    page = compose(findings)
    table = next(each for each in page.tables if each.name == "reward-and-cost")
    pspi = {row[0]: row[2:] for row in table.texts if row[1] == "PSPI"}
    assert pspi[GOAL] == ("cost-free", "0.20 ± 0.00", "0.90 ± 0.00", "0.59", "0.90")
    assert pspi["safety:CarCircle1"][-2:] == ("0.64", "5.92")
    (section,) = (each for each in page.sections if each.title == "Score and cost")
    assert "PSPI / original / cost-free on 1 of 2" in section.text[1]
    assert "the paper's PSPI on 1 of 2" in section.text[1]
    assert "the best published on 1 of 2" in section.text[1]
    assert page.provenance["tuning"] == "3 of the same seeds, rule safe"
    assert page.provenance["seeds"] == "0 to 2"


def test_runs_are_listed_by_filter() -> None:
    table = cells_table(STUDY)
    assert table.texts[:3] == (
        (GOAL, "BC", "all", "original", "0", "3"),
        (GOAL, "BC", "cost-free", "original", "0", "3"),
        (GOAL, "PSPI", "cost-free", "original", "9", "0"),
    )
    assert table.texts[-1] == ("all", "", "", "", "18", "12")


def test_failure_is_reported_once(tmp_path: Path) -> None:
    cell = Cell(GOAL, "BC", "original", "all")
    with open_store(tmp_path, STUDY, {}) as store:
        store.add(STUDY.trial(cell, {}, 0), Measurement({}, failure="diverged"))
    missing = [each for each in read_findings(tmp_path).missing if "diverged" in each]
    assert missing == [f"{GOAL} / BC / original: seed 0: diverged"]
