"""The page opens with one sentence that says what the verdict says, and with its picture."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.report.kit.page import Page, html
from instinct.report.study_page import compose
from instinct.study.findings import read_findings
from instinct.study.measurement import Measurement
from instinct.study.trials import Trial
from tests.study.stores import scores, store_with

Score = Callable[[Trial], float]


def page_of(folder: Path, score: Score, **options: object) -> Page:
    plan = audit_plan("hopper-medium", AuditOptions(algorithms=["PSPI"], **options))  # type: ignore[arg-type]
    store_with(folder, plan, lambda trial: scores(trial, score(trial)))
    return compose(read_findings(folder))


def of_label(trial: Trial) -> float:
    """BC has 40, PSPI 100 with the true reward and 95 or more with others, by seed ± 0.1."""
    if trial.algorithm == "BC":
        return 40 + trial.seed % 3
    level = {"original": 100.0, "zero": 97.0, "random": 96.0, "negative": 95.0}[trial.label]
    return level + 0.1 * (trial.seed % 3)


def test_a_certain_share_is_said_with_its_interval(tmp_path: Path) -> None:
    page = page_of(tmp_path, of_label, seeds=3)
    (verdict,) = [each for each in page.verdicts if each.code == "reward-use"]
    low, high = verdict.numbers["share_low"], verdict.numbers["share_high"]
    assert page.answer is not None
    assert page.answer.sentence == (
        "Whatever reward it is told, PSPI reaches 95% of the best result with the true reward "
        f"(95% interval {low:.0%} to {high:.0%}, 3 seeds): this dataset does not test reward use."
    )
    assert page.answer.sure == "certain"


def test_one_seed_promises_nothing(tmp_path: Path) -> None:
    page = page_of(tmp_path, of_label, seeds=1)
    assert page.answer is not None
    assert "(one seed, so no interval)" in page.answer.sentence
    assert page.answer.sentence.endswith("one seed is too few to be certain.")
    assert page.answer.sure == "one seed"
    plot = page.answer.plot
    assert plot is not None
    assert all(dot.low is None for line in plot.lines for dot in line.dots)
    captions = [
        *(table.caption for table in page.tables),
        *(drawing.caption for drawing in page.drawings),
        plot.caption,
    ]
    for caption in captions:
        assert "95% interval" not in caption
        assert "standard error" not in caption
        assert "spans the seeds" not in caption


def test_the_picture_shows_the_agents_of_the_verdict(tmp_path: Path) -> None:
    page = page_of(tmp_path, of_label, seeds=3)
    assert page.answer is not None
    plot = page.answer.plot
    assert plot is not None
    assert [(line.name, line.dots[0].kind) for line in plot.lines] == [
        ("true reward", "true"),
        ("zero reward", "wrong"),
        ("random reward", "wrong"),
        ("negative reward", "wrong"),
        ("imitation", "imitation"),
        ("recorded data", "recorded"),
    ]
    values = np.array([95.0, 95.1, 95.2])
    half = stats.t.ppf(0.975, 2) * values.std(ddof=1) / np.sqrt(3)
    dot = plot.lines[3].dots[0]
    assert (dot.low, dot.high) == pytest.approx((95.1 - half, 95.1 + half))
    assert plot.gap == pytest.approx((95.1, 100.1))
    start, width = plot.band or (0.0, 0.0)
    assert start == pytest.approx(plot.place(95.1), abs=0.01)
    assert start + width == pytest.approx(plot.place(100.1), abs=0.01)
    assert plot.best == 100


def test_agents_that_miss_what_is_possible_give_no_answer(tmp_path: Path) -> None:
    def weak(trial: Trial) -> float:
        return 90.0 + trial.seed if trial.algorithm == "BC" else 20.0 + trial.seed

    page = page_of(tmp_path, weak, seeds=3)
    assert page.answer is not None
    assert page.answer.sure == "inconclusive"
    assert page.answer.sentence.startswith("This audit cannot tell: the best normalized score")
    assert "another agent here reached 91.0" in page.answer.sentence


def test_a_wide_interval_is_not_certain(tmp_path: Path) -> None:
    def spread(trial: Trial) -> float:
        return of_label(trial) + (0 if trial.algorithm == "BC" else 30 * (trial.seed % 3) - 40)

    page = page_of(tmp_path, spread, seeds=3)
    assert page.answer is not None
    assert page.answer.sure == "not certain"
    assert "seems" in page.answer.sentence
    assert page.answer.sentence.endswith("these seeds are too few to be certain.")


def test_an_unfinished_audit_says_how_far_it_is(tmp_path: Path) -> None:
    plan = audit_plan("hopper-medium", AuditOptions(algorithms=["PSPI"], seeds=3))
    store_with(tmp_path, plan, lambda t: scores(t, 50.0) if t.algorithm == "BC" else None)
    answer = compose(read_findings(tmp_path)).answer
    assert answer is not None
    assert answer.sentence.endswith("yet: 3 of 15 runs have ended.")
    assert answer.sure == "unknown"


def test_warnings_do_not_look_like_the_answer(tmp_path: Path) -> None:
    page = page_of(tmp_path, of_label, seeds=1)
    assert [verdict.code for verdict in page.cautions] == ["one-seed"]
    assert {verdict.mark for verdict in page.cautions} == {"!"}
    assert "!" not in {verdict.mark for verdict in page.found}
    text = html(page)
    assert text.count('aria-label="warning"') == 1


def test_terms_are_explained_where_they_are_used_and_at_the_end(tmp_path: Path) -> None:
    page = page_of(tmp_path, of_label, seeds=3)
    assert {"BC", "PSPI", "J*", "positive bias", "wrong reward", "behavior", "∞"} <= {
        *page.glossary
    }
    assert "CQL" not in page.glossary
    text = html(page)
    assert 'abbr title="Pessimistic soft policy iteration' in text
    assert text.count("<dt>PSPI</dt>") == 1


def test_several_datasets_have_one_answer_and_a_row_each(tmp_path: Path) -> None:
    """On hopper-medium-replay the paper's agent is better than 100.1, so nothing is told."""
    names = tuple(
        f"{task}-medium{kind}" for task in ("hopper", "walker2d") for kind in ("", "-replay")
    )
    plan = replace(
        audit_plan("hopper-medium", AuditOptions(algorithms=["PSPI"], seeds=2)), datasets=names
    )

    def by_dataset(trial: Trial) -> float:
        wrong = trial.label != "original" and trial.algorithm == "PSPI"
        return of_label(trial) * (0.3 if wrong and trial.dataset.startswith("walker") else 1)

    store_with(tmp_path, plan, lambda trial: scores(trial, by_dataset(trial)))
    answer = compose(read_findings(tmp_path)).answer
    assert answer is not None
    assert answer.sentence == (
        "On 1 of 4 datasets agents reach at least 90% of the best true-reward result whatever "
        "reward they are told, on 2 less than 50%, and 1 could not be told (certain on 3)."
    )
    assert answer.plot is not None
    assert [line.number for line in answer.plot.lines] == ["95%", "?", "29%", "29%"]
    assert answer.plot.kinds == ("true", "wrong", "imitation")


def test_filters_are_answered_by_their_change_of_cost(tmp_path: Path) -> None:
    plan = audit_plan(
        "safety:PointGoal1",
        AuditOptions(algorithms=["PSPI"], seeds=3, filters=["cost-free"]),
    )

    def measure(trial: Trial) -> Measurement:
        cost = (10.0 if trial.filters else 70.0) + trial.seed
        return Measurement({"score": (20.0, 22.0), "cost": (cost, cost)}, seconds=1.0)

    store_with(tmp_path, plan, measure)
    answer = compose(read_findings(tmp_path)).answer
    assert answer is not None
    assert answer.question.startswith("What does leaving out data change")
    assert answer.sentence == (
        "The filter cost-free lowers the normalized cost of BC: 2.07 to 0.32 (safe), which is more "
        "than seeds differ."
    )
    assert answer.sure == "certain"
    assert answer.plot is not None
    assert answer.plot.quantity == "normalized cost"
    assert {line.detail for line in answer.plot.lines} == {"all data", "cost-free"}
