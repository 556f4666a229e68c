"""`instinct datasets`, and inspecting what it makes."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSTINCT_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_lists_all_with_size_state_and_provenance(run: Run) -> None:
    rows = {row["name"]: row for row in run("datasets", "--json").json["datasets"]}
    assert len(rows) == 16
    assert rows["gridworld"]["state"] == "built in"
    medium = rows["hopper-medium"]
    assert (medium["transitions"], medium["state"]) == (1_000_000, "not made")
    assert medium["provenance"]["environment"] == "Hopper-v4"
    assert medium["provenance"]["snapshots"] == ["medium"]
    text = run("datasets").out
    assert "halfcheetah-medium-replay" in text
    assert "202,000" in text


def test_makes_a_dataset_that_can_be_inspected(run: Run, own_folder: Path) -> None:
    made = run("datasets", "make", "hopper-random", "--transitions", 400, "--json").json
    assert (made["state"], made["transitions"]) == ("made", 400)
    assert Path(made["path"]).parent == own_folder / "datasets"
    seen = run("inspect", "hopper-random@400", "--json").json
    assert seen["hash"] == made["hash"]
    assert seen["transitions"] == 400


def test_the_table_has_the_papers_numbers_beside_ours(run: Run, tmp_path: Path) -> None:
    figure = tmp_path / "bias.png"
    result = run("datasets", "table", "--transitions", 20, "--figure", figure, "--markdown")
    lines = result.out.strip().splitlines()
    assert len(lines) == 17
    cells = [cell.strip() for cell in lines[2].strip("|").split("|")]
    assert cells[0] == "hopper-random"
    assert (cells[2], cells[4]) == ("1.2", "22.1")
    assert figure.stat().st_size > 10_000
    assert "hopper-medium-expert" in run("datasets", "table", "--transitions", 20).out


def test_an_unknown_name_is_one_sentence(run: Run) -> None:
    result = run("datasets", "make", "hopper-good")
    assert result.code == 2
    assert "no dataset is called 'hopper-good'" in result.err
