from pathlib import Path

from tests.cli.conftest import Run
from tests.study.problems import PENDULUM, write_dataset

TINY = ("layers=1", "units=8", "batch_size=16", "steps=20", "warm_start_steps=20")


def test_the_grid_world_needs_no_reward_and_resumes(run: Run, tmp_path: Path) -> None:
    size = ("--seeds", 2, "--episodes", 2, "--workers", 1)
    command = ("dose", "gridworld", *size, "--kinds", "rewards,ends", "--out", tmp_path, "--json")
    found = run(*command).json
    assert [each["code"] for each in found["verdicts"]] == ["dose-flat"] * 3
    assert "PEVI" in (tmp_path / "index.html").read_text("utf-8")
    store = tmp_path / "rewards" / "study.sqlite"
    written = store.stat().st_mtime_ns
    assert run(*command).json == found
    assert store.stat().st_mtime_ns == written


def test_deep_agents_and_a_kind_that_the_data_do_not_have(run: Run, tmp_path: Path) -> None:
    data = write_dataset(tmp_path / "data.npz")
    settings = [part for each in TINY for part in ("--set", each)]
    outcome = run(
        *("dose", data, "--task", PENDULUM, "--kinds", "quality,ends", "--seeds", 1),
        *("--episodes", 1, "--workers", 1, "--out", tmp_path / "out", "--json", *settings),
    )
    assert outcome.code == 0, outcome.err
    assert [each["code"] for each in outcome.json["verdicts"]] == ["dose-unknown"]
    assert outcome.json["missing"] == [
        "ends: all episodes are of the same kind, so there is nothing to mix"
    ]


def test_unknown_kinds_are_refused(run: Run, tmp_path: Path) -> None:
    outcome = run("dose", "gridworld", "--kinds", "more", "--out", tmp_path)
    assert outcome.code == 2
    assert "rewards, quality, ends" in outcome.err
