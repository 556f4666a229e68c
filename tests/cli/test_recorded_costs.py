"""Costs in a file are part of every audit of it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from instinct.audits.audit import Audit
from tests.cli.test_terminals import NONE, audit
from tests.own_pendulums import make_pendulum, record
from tests.study.test_ends import recording

COSTLY = replace(
    recording([([1.0, 0.0, 1.0], False)] * 4),
    costs=np.array([0, 0, 0, 1, 0, 0, 1, 2, 0, 2, 2, 2], np.float32),
)
"""Episodes with the costs 0, 1, 3 and 6."""


def recorded_cost(found: Audit) -> dict[str, float] | None:
    verdicts = {verdict.code: verdict for verdict in found.page.verdicts}
    return dict(verdicts["recorded-cost"].numbers) if "recorded-cost" in verdicts else None


def test_without_an_environment(tmp_path: Path) -> None:
    assert recorded_cost(audit(COSTLY, tmp_path)) == {"mean": 2.5, "highest": 6.0}


@pytest.mark.parametrize(("target", "above"), [(1, 0.5), (3, 0.25), (2.5, 0.5)])
def test_share_above_the_target(target: float, above: float, tmp_path: Path) -> None:
    found = recorded_cost(audit(COSTLY, tmp_path, cost_target=target))
    assert found == {"mean": 2.5, "highest": 6.0, "target": target, "above": above}


def test_with_an_environment_that_has_no_costs(tmp_path: Path) -> None:
    logs = record(3, 5)
    found = audit(
        replace(logs, costs=np.ones(len(logs), np.float32)),
        tmp_path,
        env=make_pendulum,
        episodes=1,
    )
    assert "return" in found.results
    numbers = recorded_cost(found)
    assert numbers is not None
    assert numbers["highest"] == logs.lengths.max()


def test_data_without_costs_have_none(tmp_path: Path) -> None:
    assert recorded_cost(audit(NONE, tmp_path)) is None
