"""`instinct behaviors`."""

from pathlib import Path

from tests.cli.conftest import Run


def test_shows_the_shipped_policies_and_how_they_were_made(run: Run) -> None:
    tasks = {one["task"]: one for one in run("behaviors", "--json").json["behaviors"]}
    assert {*tasks} == {"hopper", "walker2d", "halfcheetah"}
    for name, one in tasks.items():
        assert one["command"].startswith(f"instinct behaviors train {name} ")
        assert {"random", "medium", "expert"} <= {row["name"] for row in one["snapshots"]}
    assert "expert" in run("behaviors").out


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
    result = run("behaviors", "select", "hopper", tmp_path, "--medium", 44, "--command", "x")
    assert result.code == 2
    assert "holds no policies" in result.err
