"""EnvPool beside our simulation."""

import importlib.util

import pytest

from instinct.bench import envpool_speed
from tests.cli.conftest import Run
from tests.cli.conftest import run as run  # the fixture


def test_without_envpool_the_command_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    outcome = run("bench", "evaluate", "--envpool")
    assert outcome.code == 2
    assert "EnvPool is not installed" in outcome.err


def test_our_side_counts_its_steps() -> None:
    act = envpool_speed.random_actions("hopper", 3)
    found = envpool_speed.play_lockstep("hopper", act, 3, 40)
    assert found.steps == 120
    assert found.seconds > 0
    assert found.cpu_seconds > 0


def test_both_are_measured() -> None:
    pytest.importorskip("envpool", reason="EnvPool is not installed")
    rows = [*envpool_speed.measure(episodes=3, steps=5)]
    assert [row.task for row in rows[::2]] == ["hopper", "walker2d", "halfcheetah"]
    assert [row.acts for row in rows] == ["nobody", "policy"] * 3
    for row in rows:
        assert row.ratio == pytest.approx(row.envpool_per_second / row.lockstep_per_second)
        assert row.difference < 1e-9, "the same physics, up to rounding"
