"""Every audit says how terminals are treated and why."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import instinct
from instinct.audits.audit import Audit
from instinct.data import write
from instinct.engine.inline_executor import InlineExecutor
from instinct.study.store import open_store
from instinct.util.versions import versions
from tests.cli.conftest import Run
from tests.pages import text_of
from tests.study.test_ends import recording

SMALL = {"batch_size": 4, "steps": 2, "units": 4}
TINY = {**SMALL, "BC": SMALL}
SET = ("--set", "units=4", "--set", "batch_size=4", "--set", "steps=2")
FALLS = recording([([1.0] * length, length < 9) for length in (3, 5, 7, 9)])
GOALS = recording([([0.0] * 4 + [float(goal)], goal) for goal in (True, True, False)])
UNCLEAR = recording([([1.0] * 5, True), ([1.0] * 5, False)])
NONE = recording([([1.0] * 5, False), ([1.0] * 5, False)])


def audit(dataset: object, folder: Path, **options: object) -> Audit:
    chosen = {"labels": ["zero"], "algorithms": ["IQL"], "settings": TINY, "seeds": 1} | options
    return instinct.audit(
        dataset,
        **chosen,  # type: ignore[arg-type]
        folder=folder,
        progress=False,
        executor=lambda where, _: InlineExecutor(where),
    )


def is_filtered(found: Audit) -> bool:
    """Tell whether any trial was trained without terminals."""
    return any("no-terminals" in name for name in found.findings.data)


@pytest.mark.parametrize(
    ("dataset", "end", "treatment", "reason"),
    [
        (FALLS, "fall", "removed", "data"),
        (GOALS, "goal", "kept", "data"),
        (UNCLEAR, "unknown", "kept", "unclear"),
    ],
)
def test_data_without_a_known_task_tell_what_a_terminal_is(
    dataset: instinct.Dataset, end: str, treatment: str, reason: str, tmp_path: Path
) -> None:
    found = audit(dataset, tmp_path)
    said = found.document["terminals"]
    assert (said["end"], said["guess"]) == (end, end)
    assert (said["treatment"], said["reason"]) == (treatment, reason)
    assert said["count"] == dataset.terminals.sum()
    assert is_filtered(found) == (treatment == "removed")
    assert found.page.premises == (said["text"],)
    assert said["text"] in text_of(found.write())


@pytest.mark.parametrize("remove", [True, False])
def test_a_choice_is_followed_against_the_data(remove: bool, tmp_path: Path) -> None:
    found = audit(GOALS if remove else FALLS, tmp_path, remove_terminals=remove)
    said = found.document["terminals"]
    assert said["treatment"] == ("removed" if remove else "kept")
    assert (said["reason"], said["guess"]) == ("asked", "goal" if remove else "fall")
    assert is_filtered(found) == remove


def test_data_without_terminals_have_nothing_to_say(tmp_path: Path) -> None:
    found = audit(NONE, tmp_path)
    assert found.document["terminals"] is None
    assert found.page.premises == ()
    with pytest.raises(instinct.BadInput, match="no terminals"):
        audit(NONE, tmp_path / "both", both_ends=True)


def test_under_the_true_reward_terminals_are_kept(tmp_path: Path) -> None:
    said = audit(FALLS, tmp_path, labels=["original"]).document["terminals"]
    assert (said["treatment"], said["reason"]) == ("kept", "true-reward")


def test_both_ends_are_trained_side_by_side(tmp_path: Path) -> None:
    found = audit(FALLS, tmp_path, both_ends=True)
    said = found.document["terminals"]
    assert (said["treatment"], said["reason"]) == ("both", "asked")
    assert {*found.results["filter"]} == {"all", "no-terminals"}
    assert found.document["filters"][0]["removed"] == 3


def test_an_audit_that_began_without_an_assumption_goes_on_without_one(tmp_path: Path) -> None:
    """Plans of earlier versions assume nothing, and their audits can be continued."""
    new = audit(FALLS, tmp_path / "new")
    plan = new.findings.plan
    old = replace(plan, assumed_end="unknown")
    assert "assumed_end" not in old.content
    assert plan.content == old.content | {"assumed_end": "fall"}
    with open_store(tmp_path / "old", old, versions()):
        pass
    found = audit(plan.datasets[0], tmp_path / "old")
    assert found.document["terminals"]["reason"] == "unclear"
    assert not is_filtered(found)


def test_the_first_line_of_the_command_says_it(run: Run, tmp_path: Path) -> None:
    write(FALLS, tmp_path / "logs.npz")
    arguments = ("audit", tmp_path / "logs.npz", "--algorithms", "iql", "--labels", "zero", *SET)
    outcome = run(*arguments, "--seeds", 1, "--out", tmp_path / "audit")
    assert "1 of 2 runs failed" in outcome.err  # BC: the log is smaller than its batch
    assert outcome.out.startswith("3 of 4 episodes end in a terminal; these transitions are")
    for option in ("--keep-terminals", "--both-ends"):
        assert option in outcome.out
        assert run(*arguments, "--remove-terminals", option).code == 2


def test_the_grid_world_knows_what_a_terminal_is(tmp_path: Path) -> None:
    found = instinct.audit("gridworld", seeds=1, episodes=2, folder=tmp_path, progress=False)
    said = found.document["terminals"]
    count = np.count_nonzero(instinct.load("gridworld").terminals)
    assert (said["count"], said["reason"], said["treatment"]) == (count, "task", "kept")
