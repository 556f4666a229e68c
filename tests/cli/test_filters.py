"""Filters on the command line: what they remove, and audits with filters."""

from pathlib import Path

import numpy as np
import pytest

import instinct
from instinct.cli import audit as audit_room
from instinct.data import KAPPA, Array, Dataset, apply_filters
from instinct.deep import find_algorithm
from instinct.errors import BadInput
from tests.cli.conftest import Run
from tests.study.costs import TASK, add_task, in_process, recorded, write_walks
from tests.study.problems import GAME, SMALL

TINY = {"BC": SMALL, "PSPI": GAME}


@pytest.fixture
def walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data of a registered task, with an even quicker quick preset."""
    add_task(monkeypatch)
    for name, settings in TINY.items():
        monkeypatch.setattr(find_algorithm(name), "QUICK", settings)
    monkeypatch.setattr(audit_room, "choose_executor", lambda *_: in_process)
    return write_walks(tmp_path / "walks.npz")


def test_an_audit_with_and_without_a_filter(run: Run, walks: Path, tmp_path: Path) -> None:
    arguments = ("audit", walks, "--env", TASK, "--filter", "cost-free", "--seeds", 2)
    outcome = run(
        *(*arguments, "--algorithms", "pspi", "--episodes", 3),
        *("--out", tmp_path / "audit", "--json"),
    )
    assert outcome.code == 0, outcome.err
    document = outcome.json
    rows = {(row["algorithm"], row["filter"]): row for row in document["results"]}
    assert [*rows] == [(name, shown) for name in ("BC", "PSPI") for shown in ("all", "cost-free")]
    for row in rows.values():
        assert row["label"] == "original"
        assert row["cost"] == row["cost_low"] == row["cost_high"] == 50
        assert row["normalized_cost"] == pytest.approx(50 / KAPPA)
        assert not row["safe"]
        assert row["score"] == pytest.approx(row["return"] / 10)
    assert rows["BC", "all"]["score"] != rows["BC", "cost-free"]["score"]
    (removed,) = document["filters"]
    assert (removed["filter"], removed["removed"], removed["transitions"]) == ("cost-free", 20, 200)
    assert (removed["cut"], removed["gone"], removed["cost_per_1000_after"]) == (10, 0, 0)
    assert removed["hash"] == apply_filters(recorded(), ["cost-free"]).hash
    assert document["data"]["behavior"]["cost"] == pytest.approx(20)
    assert document["data"]["behavior"]["normalized_cost"] == pytest.approx(20 / KAPPA)
    changes = [each for each in document["verdicts"] if each["code"] == "filter-cost"]
    texts = " ".join(change["text"] for change in changes)
    assert "does not lower the normalized cost of PSPI: 1.46 to 1.46" in texts
    assert (tmp_path / "audit" / "reward-and-cost-figure.svg").exists()
    assert (tmp_path / "audit" / "filters.csv").exists()


def test_the_table_and_the_verdicts_in_the_terminal(run: Run, walks: Path, tmp_path: Path) -> None:
    arguments = ("audit", walks, "--env", TASK, "--filter", "safe-episodes:20")
    outcome = run(
        *(*arguments, "--filter", "rewards > 0.9", "--algorithms", "bc"),
        *("--labels", "original,zero", "--seeds", 1, "--episodes", 1, "--out", tmp_path / "audit"),
    )
    assert outcome.code == 0, outcome.err
    text = " ".join(outcome.out.split())
    assert "What each filter removes" in text
    assert "data: all and safe-episodes:20 and rewards>0.9" in text
    assert "Not safe: BC 1.46, BC (safe-episodes:20) 1.46" in text
    assert "BC under original, zero rewards" in text


def test_own_predicate_as_filter(walks: Path, tmp_path: Path) -> None:
    def early(dataset: Dataset) -> Array:
        return np.asarray(dataset.steps < 2)

    def short(dataset: Dataset) -> Array:
        return np.zeros(3, bool)

    with pytest.raises(BadInput, match="one true or false per row"):
        instinct.audit(walks, env=TASK, filters=[short], folder=tmp_path / "audit")
    assert not (tmp_path / "audit").exists()
    found = instinct.audit(
        walks,
        env=TASK,
        filters=[early],
        algorithms=["BC"],
        seeds=1,
        episodes=1,
        folder=tmp_path / "audit",
        executor=in_process,
    )
    (name,) = {*found.results["filter"]} - {"all"}
    assert Path(name).name.startswith("early-")
    assert found.document["filters"][0]["removed"] == 40
    assert found.document["filters"][0]["cut"] == 20


def test_another_mask_of_the_same_name_is_another_audit(
    run: Run, walks: Path, tmp_path: Path
) -> None:
    mask = tmp_path / "mask.npy"
    np.save(mask, np.arange(200) < 10)
    arguments = ("audit", walks, "--filter", mask, "--algorithms", "bc", "--seeds", 1, "--json")
    first = run(*arguments, "--out", tmp_path / "audit")
    assert first.code == 0, first.err
    assert first.json["filters"][0]["gone"] == 1
    np.save(mask, np.arange(200) < 20)
    again = run(*arguments, "--out", tmp_path / "audit")
    assert again.code == 2
    assert "holds a study with another plan" in again.err


def test_inspect_shows_what_a_filter_removes(run: Run, walks: Path) -> None:
    outcome = run("inspect", walks, "--filter", "cost-free:1", "--filter", "safe-episodes:1")
    assert outcome.code == 0, outcome.err
    assert "cost-free:1" in outcome.out
    assert "85.0%" in outcome.out
    found = run("inspect", walks, "--filter", "safe-episodes:1", "--json").json["filters"]
    assert (found["safe-episodes:1"]["gone"], found["safe-episodes:1"]["cut"]) == (10, 0)
    assert "filters" not in run("inspect", walks, "--json").json


@pytest.mark.parametrize("command", ["audit", "inspect"])
@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("cost-free", "costs: the dataset has no costs"),
        ("safe", "no filter is called 'safe'; there are cost-free"),
        ("short.npy", "one true or false for each of the 200 transitions"),
        ("rewards<9", "the filter removes every transition"),
    ],
)
def test_bad_input_is_refused_before_anything_starts(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    name: str,
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("short.npy", np.zeros(199, bool))
    outcome = run(command, write_walks(tmp_path / "free.npz", costs=False), "--filter", name)
    assert outcome.code == 2
    assert complaint in " ".join(outcome.err.split())
    assert not (tmp_path / "results").exists()


def test_inspect_takes_a_filter_of_ones_own(run: Run, walks: Path) -> None:
    outcome = run("inspect", walks, "--filter", "tests.own_pendulums:is_strong", "--json")
    assert outcome.code == 0, outcome.err
    (found,) = outcome.json["filters"].items()
    assert found[0] == "tests.own_pendulums:is_strong"
    strong = abs(recorded().actions[:, 0]) > 0.5
    assert 0 < found[1]["removed"] == strong.sum()
