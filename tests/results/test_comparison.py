"""Audits side by side, the leaderboard of datasets, and the dataset card."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.cli import main
from instinct.report.kit.tables import raw
from instinct.results.archive import write_archive
from instinct.results.comparison import compose_comparison
from instinct.results.leaderboard import entries, leaderboard_table, ranked
from instinct.study.findings import Findings, read_findings
from instinct.study.trials import Trial
from tests.study.stores import scores, store_with


def audited(folder: Path, wrong: float, algorithm: str = "PSPI", seeds: int = 3) -> Findings:
    """An audit in which all wrong rewards have one score, and the true one 90."""

    def score(trial: Trial) -> float:
        if trial.algorithm == "BC":
            return 30.0
        return (90.0 if trial.label == "original" else wrong) + 0.1 * (trial.seed % 3)

    plan = audit_plan("halfcheetah-medium", AuditOptions(algorithms=[algorithm], seeds=seeds))
    store_with(folder, plan, lambda trial: scores(trial, score(trial)))
    return read_findings(folder)


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Run the command in this process and return its exit code."""
    monkeypatch.setattr("sys.argv", ["instinct", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_audits_stand_side_by_side(tmp_path: Path) -> None:
    audited(tmp_path / "one", 88.0)
    write_archive(audited(tmp_path / "two", 20.0, "ATAC"), tmp_path / "kept")
    page = compose_comparison([tmp_path / "one", tmp_path / "kept"])
    assert page.answer is not None
    assert page.answer.sentence.startswith("On 1 of 2 audits agents reach at least 90%")
    assert page.answer.sentence.endswith("on 1 less than 50% (certain on 2).")
    table = next(table for table in page.tables if table.name == "comparison")
    headings, rows = raw(table)
    found = [dict(zip(headings, row, strict=True)) for row in rows]
    assert [row["audit"] for row in found] == ["one", "kept"]
    assert [row["share"] for row in found] == pytest.approx([88.1 / 90.1, 20.1 / 90.1])
    assert [row["positive bias"] for row in found] == pytest.approx([100 / 11.9, 100 / 79.9])
    assert [row["by"] for row in found] == ["PSPI", "ATAC"]
    assert [row["imitation"] for row in found] == [30.0, 30.0]
    assert page.answer.plot is not None
    assert [line.number for line in page.answer.plot.lines] == ["98%", "22%"]
    answers = next(table for table in page.tables if table.name == "answers")
    assert "this dataset needs the reward" in answers.texts[1][1]


def test_the_command_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        audited(tmp_path / name, 88.0, seeds=2)
    both = tmp_path / "both"
    assert run(monkeypatch, "compare", tmp_path / "one", tmp_path / "two", "--out", both) == 0
    assert "2 audits side by side" in (both / "index.html").read_text("utf-8")
    assert (both / "comparison.csv").exists()
    assert run(monkeypatch, "compare", tmp_path / "one") == 2
    assert "two or more audits" in capsys.readouterr().err


def test_datasets_are_ranked_by_their_hash(tmp_path: Path) -> None:
    low, high = audited(tmp_path / "low", 20.0), audited(tmp_path / "high", 75.0)
    best = audited(tmp_path / "best", 101.0)
    more = audited(tmp_path / "more", 60.0, seeds=5)
    [dataset] = best.plan.datasets
    other = replace(best, data={dataset: {**best.data[dataset], "hash": "beef" * 16}})
    groups = ranked(entries([low, high, other, more]))
    assert [group[0].hash[:4] for group in groups] == ["beef", "c0ff"]
    assert groups[0][0].bias.estimate == math.inf
    (kept,) = groups[1]
    assert kept.seeds == 5
    assert kept.bias.estimate == pytest.approx(100 / (100 - 60.08))
    texts = leaderboard_table(groups).texts
    assert [row[0] for row in texts] == ["1", "2"]
    assert texts[1][-1] == f"`{('c0ffee' * 10)[:12]}`"


def test_results_have_a_leaderboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = tmp_path / "docs"
    write_archive(audited(tmp_path / "one", 88.0), docs / "results" / "one")
    assert run(monkeypatch, "results", "write", docs) == 0
    page = (docs / "leaderboard.md").read_text("utf-8")
    assert "| 1 | halfcheetah-medium | 8.4 [" in page
    assert "](results/leaderboard.svg)" in page
    assert "</svg>" in (docs / "results" / "leaderboard.svg").read_text("utf-8")
    assert "(leaderboard.md)" in (docs / "results.md").read_text("utf-8")


def test_the_card_has_metadata_and_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("audit", "gridworld", "--seeds", 2, "--episodes", 5, "--out", tmp_path)
    assert run(monkeypatch, *command) == 0
    assert not (tmp_path / "card.md").exists()
    assert run(monkeypatch, *command, "--card") == 0
    _, head, body = (tmp_path / "card.md").read_text("utf-8").split("---\n", 2)
    lines = head.splitlines()
    assert json.loads(lines[0].removeprefix("pretty_name: ")) == "gridworld"
    assert lines[1:3] == ["task_categories:", "- reinforcement-learning"]
    assert lines[-2:] == ["size_categories:", "- 1K<n<10K"]
    assert "**Whatever reward it is told, PEVI reaches 100%" in body
    assert "| gridworld | PEVI | 0.92 ± 0 | 0.92 ± 0 | 0.92 ± 0 | 0.92 ± 0 |" in body
    assert "4,500 transitions in 500 episodes" in body
