"""`instinct behaviors`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_shows_the_shipped_policies_and_how_they_were_made(run: Run) -> None:
    document = run("behaviors", "--json").json
    found = {(one["task"], one["name"]): one for one in document["behaviors"]}
    for (task, name), one in found.items():
        assert one["command"].startswith(f"instinct behaviors train {task} ")
        wanted = {"random", "medium", "expert"} if name == "sac-0" else {"replay-1", "medium"}
        assert wanted <= {row["name"] for row in one["snapshots"]}
    for task in ("hopper", "walker2d", "halfcheetah"):
        assert (task, "sac-0") in found
        for choice in document["choices"][task].values():
            assert (task, choice["default"]) in found
    assert "expert" in run("behaviors").out


def test_tables_of_the_choice_name_the_default(run: Run) -> None:
    default = run("behaviors", "--json").json["choices"]["hopper"]["medium"]["default"]
    lines = run("behaviors", "--markdown").out.splitlines()
    rows = lines[lines.index("### hopper-medium") :][:12]
    assert any(row.startswith("| D4RL | 44.3 |") for row in rows)
    assert any(row.startswith(f"| {default} (default) |") for row in rows)


@pytest.mark.slow
def test_behaviors_are_compared_with_d4rls_facts(run: Run, tmp_path: Path) -> None:
    outcome = run("behaviors", "compare", "walker2d", "--transitions", 2000, "--out", tmp_path)
    assert outcome.code == 0
    recorded = json.loads((tmp_path / "walker2d" / "choice.json").read_text())
    medium, replay = recorded["choices"]
    assert (medium["quality"], replay["quality"]) == ("medium", "medium-replay")
    assert medium["transitions"] == 2000
    assert {each["behavior"] for each in medium["candidates"]} >= {"sac-0"}
    assert "score" in replay["candidates"][0]["measured"]


def test_trains_any_gymnasium_environment_and_continues(run: Run, tmp_path: Path) -> None:
    command = ["behaviors", "train", "InvertedPendulum-v5", "--out", tmp_path, "--batch-size", 8]
    first = run(*command, "--steps", 100, "--round-steps", 100, "--json").json
    assert [point["step"] for point in first["curve"]] == [100]
    again = run(*command, "--steps", 200, "--round-steps", 100)
    assert "200 steps: return" in again.out
    assert (tmp_path / "policies" / "00000200.safetensors").exists()


def test_unknown_environment_is_one_message(run: Run, tmp_path: Path) -> None:
    result = run("behaviors", "train", "Hoper-v9", "--out", tmp_path)
    assert result.code == 2
    assert "Gymnasium cannot make 'Hoper-v9'" in result.err


def test_selection_needs_a_training(run: Run, tmp_path: Path) -> None:
    result = run("behaviors", "select", "hopper", tmp_path, "--name", "x", "--command", "x")
    assert result.code == 2
    assert "holds no policies" in result.err
    score = ("--medium", 44, "--name", "x", "--command", "x")
    assert "holds no policies" in run("behaviors", "select", "hopper", tmp_path, *score).err
