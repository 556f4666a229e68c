"""`instinct datasets`, and inspecting what it makes."""

from pathlib import Path

import pytest

from instinct.benchmarks.metaworld.datasets import DEMONSTRATIONS, Demonstrations
from instinct.benchmarks.registry import find_dataset
from instinct.benchmarks.safety.datasets import DRIVES
from tests.cli.conftest import Run
from tests.extras import needs_metaworld, needs_safety

pytestmark = pytest.mark.usefixtures("own_data")


def test_lists_all_with_size_state_and_provenance(run: Run) -> None:
    rows = {row["name"]: row for row in run("datasets", "--json").json["datasets"]}
    assert len(rows) == 15 + 30 + 16 + 12 + 1
    assert rows["gridworld"]["state"] == "built in"
    medium = rows["hopper-medium"]
    assert (medium["transitions"], medium["state"]) == (1_000_000, "not made")
    assert medium["provenance"]["environment"] == "Hopper-v4"
    assert medium["provenance"]["snapshots"] == ["medium"]
    reach = rows["metaworld:reach"]
    assert (reach["transitions"], reach["source"]) == (None, "110 scripted episodes")
    assert rows["metaworld:reach:no-goal-terminal"]["transitions"] == 110 * 500
    safe = rows["safety:CarCircle2"]
    assert (safe["transitions"], safe["source"]) == (150_000, "300 scripted episodes")
    assert (rows["cartpole"]["transitions"], rows["cartpole"]["source"]) == (
        30_000,
        "medium feedback, 20% random actions",
    )
    text = run("datasets").out
    assert "halfcheetah-medium-replay" in text
    assert "202,000" in text


def test_makes_a_dataset_that_can_be_inspected(run: Run, own_data: Path) -> None:
    made = run("datasets", "make", "hopper-random", "--transitions", 400, "--json").json
    assert (made["state"], made["transitions"]) == ("made", 400)
    assert Path(made["path"]).parent == own_data / "datasets"
    seen = run("inspect", "hopper-random@400", "--json").json
    assert seen["hash"] == made["hash"]
    assert seen["transitions"] == 400


def test_the_table_has_the_papers_numbers_beside_ours(run: Run, tmp_path: Path) -> None:
    figure = tmp_path / "bias.png"
    result = run("datasets", "table", "--transitions", 100, "--figure", figure, "--markdown")
    lines = result.out.strip().splitlines()
    assert len(lines) == 17
    cells = [cell.strip() for cell in lines[2].strip("|").split("|")]
    assert cells[0] == "hopper-random"
    assert (cells[2], cells[4]) == ("1.2", "22.1")
    assert figure.stat().st_size > 10_000
    assert "hopper-medium-expert" in run("datasets", "table", "--transitions", 100).out


def test_families_without_tables_in_the_paper_have_ours_alone(run: Run, tmp_path: Path) -> None:
    figure = tmp_path / "bias.svg"
    table = ("datasets", "table", "classic", "--transitions", 600, "--markdown")
    lines = run(*table, "--figure", figure).out.strip().splitlines()
    assert len(lines) == 2 + 12
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert rows[0][-4:] == ["return", "score", "length", "correlation"]
    by_name = {row[0]: row[1:] for row in rows}
    dataset = find_dataset("cartpole@600")
    assert by_name["cartpole"][:2] == ["600", str(dataset.episodes)]
    assert by_name["cartpole"][2] == by_name["cartpole"][4] == f"{dataset.lengths.mean():.1f}"
    assert by_name["cartpole"][5] == "1.000"
    assert by_name["mountaincar-random"][2:] == ["-200.0", "0.0", "200.0", "–"]
    assert figure.stat().st_size > 10_000


def test_unknown_name_is_one_message(run: Run) -> None:
    result = run("datasets", "make", "hopper-good")
    assert result.code == 2
    assert "no dataset is called 'hopper-good'" in result.err


@pytest.fixture
def two_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only two of Meta-World's tasks, with two episodes each: one without noise, one with much."""
    for name in [*DEMONSTRATIONS]:
        monkeypatch.delitem(DEMONSTRATIONS, name)
    for task in ("reach", "drawer-close"):
        one = Demonstrations(task, scripted=1, perturbed=1, noise=30.0)
        monkeypatch.setitem(DEMONSTRATIONS, one.name, one)


@needs_metaworld
@pytest.mark.usefixtures("two_tasks")
def test_goal_data_are_tabulated_by_success(run: Run, tmp_path: Path) -> None:
    figure = tmp_path / "bias.svg"
    result = run("datasets", "table", "metaworld", "--figure", figure, "--markdown")
    lines = result.out.strip().splitlines()
    cells = [cell.strip() for cell in lines[2].strip("|").split("|")]
    seen = run("inspect", "metaworld:reach", "--json").json
    assert cells[0] == "reach"
    assert cells[1] == str(seen["transitions"])
    assert (cells[2], seen["success_rate"]) == ("50%", 0.5)
    assert cells[3] == f"{seen['mean_length']:.1f}"
    assert cells[4] == f"{seen['min_length']:.1f}"
    assert figure.read_text().count("<use ") >= 4
    assert "1 of 2 (50%)" in run("inspect", "metaworld:reach").out


@needs_safety
def test_data_with_costs_are_tabulated_by_cost(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in {*DRIVES} - {"safety:PointCircle1"}:
        monkeypatch.delitem(DRIVES, name)
    figure = tmp_path / "costs.svg"
    table = ("datasets", "table", "safety", "--transitions", 2000, "--figure", figure, "--markdown")
    lines = run(*table).out.strip().splitlines()
    cells = [cell.strip() for cell in lines[2].strip("|").split("|")]
    dataset = find_dataset("safety:PointCircle1@2000")
    assert dataset.costs is not None
    costs = dataset.costs.reshape(4, 500).sum(axis=1)
    assert cells[:3] == ["PointCircle1", "4", "2,000"]
    assert cells[3] == f"{dataset.rewards.sum() / 4:.1f}"
    assert cells[5] == f"{costs.mean():.1f}"
    assert (cells[6], (costs <= 34.29).tolist()) == ("25%", [False, False, False, True])
    assert cells[7] == f"{costs.sum() / 2000:.1%}"
    assert "κ = 34.29" in figure.read_text()


def test_the_goal_terminal_is_an_option(run: Run) -> None:
    result = run("datasets", "make", "hopper-medium", "--no-goal-terminal")
    assert result.code == 2
    assert "hopper-medium has no variant without a goal terminal" in result.err


def test_unknown_family_is_one_message(run: Run) -> None:
    result = run("datasets", "table", "atari")
    assert result.code == 2
    assert "no family is called 'atari'; there are locomotion, metaworld, safety" in result.err
