"""`instinct audit --plan` and the estimate before an audit begins."""

from pathlib import Path

import pytest

from instinct.audits.audit import run_audit
from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.audits.progress import Silent
from instinct.engine.inline_executor import InlineExecutor
from instinct.engine.prediction import stages_of
from instinct.engine.speeds import remember
from instinct.engine.timekeeper import kind_of
from tests.cli.conftest import Run
from tests.study.problems import PENDULUM, SMALL, write_dataset


def test_the_command_prints_the_estimate_only(run: Run, tmp_path: Path) -> None:
    done = run("audit", "gridworld", "--plan", "--seeds", "2", "--out", str(tmp_path / "audit"))
    assert "10 runs need about 0.0 core-minutes" in done.out
    assert not (tmp_path / "audit").exists()
    document = run("audit", "gridworld", "--plan", "--seeds", "2", "--json").json
    assert document["runs"] == 10
    assert document["core_minutes"] == 0


class Announced(Silent):
    """Remembers what is announced."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def announce(self, text: str) -> None:
        self.texts.append(text)


def test_an_audit_says_first_how_long_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The speed of training is known from before; an audit that goes on says nothing."""
    monkeypatch.setenv("INSTINCT_CACHE", str(tmp_path / "cache"))
    data = write_dataset(tmp_path / "data.npz")
    options = AuditOptions(
        algorithms=["IQL"],
        labels=["zero"],
        settings={"BC": SMALL, "IQL": SMALL},
        env=PENDULUM,
        seeds=1,
        episodes=1,
    )
    kinds = {kind_of(each) for each in stages_of(audit_plan(data, options).final({})).values()}
    remember(dict.fromkeys(kinds, 3.0))
    first, second = Announced(), Announced()
    for display in (first, second):
        run_audit(
            data, options, tmp_path / "audit", (), display, lambda where, _: InlineExecutor(where)
        )
    (text,) = first.texts
    assert text.startswith("2 runs need about 2.")
    assert second.texts == []
