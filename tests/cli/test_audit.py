"""The audit as a user calls it, on data so small that it takes seconds."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import instinct
from instinct.data import Box, Dataset, read, write
from instinct.data.assemble import assemble
from tests.cli.conftest import Run

SMALL = ("--set", "units=8", "--set", "batch_size=16", "--set", "steps=20")


def recording(episodes: int = 12, length: int = 15) -> Dataset:
    """Random actions in something with the shapes of the inverted pendulum."""
    random = np.random.default_rng(0)
    n = episodes * length
    observations = random.normal(size=(episodes, length + 1, 4)).astype(np.float32)
    last = np.arange(n) % length == length - 1
    return assemble(
        {
            "observations": observations[:, :-1].reshape(n, 4),
            "next_observations": observations[:, 1:].reshape(n, 4),
            "actions": random.uniform(-3, 3, size=(n, 1)).astype(np.float32),
            "rewards": np.ones(n, np.float32),
            "terminals": last & (np.arange(n) // length % 2 == 0),
            "timeouts": last & (np.arange(n) // length % 2 == 1),
        },
        action_space=Box((-3.0,), (3.0,)),
    )


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    path = tmp_path / "logs.npz"
    write(recording(), path)
    return path


def test_the_grid_world_has_a_table_verdicts_and_the_bias(run: Run, tmp_path: Path) -> None:
    outcome = run("audit", "gridworld", "--seeds", 2, "--episodes", 20, "--out", tmp_path)
    assert outcome.code == 0, outcome.err
    assert "does not test reward use" in " ".join(outcome.out.split())
    assert "Positive bias of the data: ∞ (PEVI" in outcome.out
    assert "first look" not in outcome.out
    assert outcome.out.rstrip().endswith(f"Page: {tmp_path / 'index.html'}")
    again = run("audit", "gridworld", "--seeds", 2, "--episodes", 20, "--out", tmp_path, "--json")
    assert again.json["positive_bias"][0]["estimate"] == "inf"
    found = {verdict["code"]: verdict for verdict in again.json["verdicts"]}
    assert found.keys() == {"reward-use", "beside-imitation", "positive-bias"}
    assert found["positive-bias"]["numbers"] == {"PEVI": "inf"}
    assert {(r["algorithm"], r["label"]) for r in again.json["results"]} >= {
        ("PEVI", "negative"),
        ("BC", "zero"),
    }


def test_other_seeds_are_other_agents(run: Run, tmp_path: Path) -> None:
    arguments = ("audit", "gridworld", "--seeds", 2, "--episodes", 5, "--first-seed", 5)
    outcome = run(*arguments, "--out", tmp_path, "--json")
    assert outcome.code == 0, outcome.err
    assert (outcome.json["seeds"], outcome.json["first_seed"]) == (2, 5)
    assert "5 to 6" in (tmp_path / "index.html").read_text()


def test_control_without_pessimism(run: Run, logs: Path, tmp_path: Path) -> None:
    arguments = ("audit", logs, "--env", "InvertedPendulum-v5", "--algorithms", "pspi", "--control")
    small = (*SMALL, "--set", "warm_start_steps=20", "--labels", "zero", "--keep-terminals")
    outcome = run(*arguments, *small, "--seeds", 2, "--episodes", 2, "--out", tmp_path, "--json")
    assert outcome.code == 0, outcome.err
    assert {row["algorithm"] for row in outcome.json["results"]} == {"BC", "PSPI", "NoPessimism"}
    codes = {verdict["code"] for verdict in outcome.json["verdicts"]}
    assert codes & {"pessimism-is-the-cause", "pessimism-is-not-the-cause", "cause-unclear"}
    refused = run("audit", logs, "--algorithms", "iql", "--control")
    assert (refused.code, refused.out) == (2, "")
    assert "no algorithm of the audit has a control; ATAC and PSPI have one" in refused.err


def test_algorithms_by_name(run: Run, logs: Path, tmp_path: Path) -> None:
    arguments = ("audit", logs, "--env", "InvertedPendulum-v5", "--labels", "original")
    names = ("--algorithms", "awr,td3+bc,rebrac,edac")
    small = (*SMALL, "--seeds", 1, "--episodes", 2, "--out", tmp_path, "--json")
    outcome = run(*arguments, *names, *small)
    assert outcome.code == 0, outcome.err
    found = [row["algorithm"] for row in outcome.json["results"]]
    assert found == ["BC", "AWR", "TD3+BC", "ReBRAC", "EDAC"]
    assert all(row["return"] > 0 for row in outcome.json["results"])


def test_file_is_evaluated_in_the_named_environment(run: Run, logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    arguments = ("audit", logs, "--env", "InvertedPendulum-v5", "--algorithms", "iql", *SMALL)
    outcome = run(*arguments, "--seeds", 2, "--episodes", 2, "--out", out, "--json")
    assert outcome.code == 0, outcome.err
    found = {(row["algorithm"], row["label"]): row for row in outcome.json["results"]}
    assert len(found) == 8
    assert found["IQL", "zero"]["return_low"] <= found["IQL", "zero"]["return"]
    assert outcome.json["task"] == "gym:InvertedPendulum-v5"
    assert (out / "return.tex").exists()
    assert Path(outcome.json["page"]).exists()


def test_the_environment_knows_the_range_of_actions(run: Run, tmp_path: Path) -> None:
    """The file does not describe its actions, which stay in [-2, 2]; the pendulum's are [-3, 3]."""
    fields = dict(recording().fields())
    fields["actions"] = fields["actions"] * 2 / 3
    np.savez(tmp_path / "plain.npz", allow_pickle=False, **fields)
    outcome = run(
        *("audit", tmp_path / "plain.npz", "--env", "InvertedPendulum-v5", *SMALL),
        *("--algorithms", "iql", "--labels", "zero", "--seeds", 1),
        *("--episodes", 1, "--out", tmp_path / "audit", "--json"),
    )
    assert outcome.code == 0, outcome.err
    assert outcome.json["missing"] == []
    assert outcome.json["data"]["repairs"] == []


def test_without_an_environment_only_the_data_are_reported(
    run: Run, logs: Path, tmp_path: Path
) -> None:
    arguments = ("audit", logs, "--algorithms", "iql", *SMALL, "--set", "beta=3", "--seeds", 2)
    outcome = run(*arguments, "--out", tmp_path / "audit")
    assert outcome.code == 0
    text = " ".join(outcome.out.split())
    assert "No task to evaluate in" in text
    assert "another reward changes the actions of IQL by" in text
    assert "180" in text


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("no-such-data",), "is neither a file nor"),
        (("hopper-medium@1000", "--algorithms", "sarsa"), "no algorithm is called"),
        (("gridworld", "--algorithms", "SARSA"), "algorithm is called"),
        (("gridworld", "--preset", "slow"), "preset"),
        (("gridworld", "--set", "beta=1"), "has no setting"),
    ],
)
def test_bad_input_is_refused_before_anything_starts(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    outcome = run("audit", *arguments, "--out", tmp_path / "audit")
    assert outcome.code == 2
    assert complaint in outcome.err
    assert not (tmp_path / "audit").exists()


def test_own_objects_are_given_as_module_and_name(run: Run, logs: Path, tmp_path: Path) -> None:
    own = "tests.own_pendulums"
    outcome = run(
        *("audit", logs, "--env", f"{own}:make_pendulum"),
        *("--algorithm", f"{own}:follow_the_reward"),
        *("--label", f"original,{own}:reward_strength", "--filter", f"{own}:is_strong"),
        *("--seeds", 2, "--episodes", 2, "--folder", tmp_path / "audit", "--json"),
    )
    assert outcome.code == 1, "too few transitions are left for a batch of BC"
    assert "instinct: 2 of 12 runs failed" in outcome.err
    rows = [row for row in outcome.json["results"] if row["algorithm"] != "BC"]
    assert {row["algorithm"] for row in rows} == {f"{own}.follow_the_reward"}
    assert {row["label"] for row in rows} == {"original", f"{own}.reward_strength"}
    assert [row["seeds"] for row in rows] == [2] * 4
    assert 0 < outcome.json["filters"][0]["removed"] < 180


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        ("--algorithm", "no_such_module"),
        ("--label", "no_such_module"),
        ("--filter", "no_such_module"),
        ("--env", "no_such_module"),
    ],
)
def test_own_object_that_cannot_be_imported_is_refused(
    run: Run, logs: Path, option: str, complaint: str
) -> None:
    outcome = run("audit", logs, option, "no_such_module:train")
    assert outcome.code == 2
    assert complaint in outcome.err


def test_terminals_cannot_be_both_removed_and_kept(run: Run) -> None:
    outcome = run("audit", "gridworld", "--remove-terminals", "--keep-terminals")
    assert outcome.code == 2
    assert "only one of" in outcome.err


def test_unknown_environment_is_refused(run: Run, logs: Path, tmp_path: Path) -> None:
    outcome = run("audit", logs, "--env", "NoSuchThing-v0", "--out", tmp_path / "audit")
    assert outcome.code == 2
    assert "NoSuchThing" in outcome.err


def test_environment_with_another_kind_of_actions_is_refused(
    run: Run, logs: Path, tmp_path: Path
) -> None:
    outcome = run("audit", logs, "--env", "CartPole-v1", "--out", tmp_path / "audit")
    assert outcome.code == 2
    text = " ".join(outcome.err.split())
    assert "the dataset has actions in [-3, 3], gym:CartPole-v1 in {0, …, 1}" in text
    assert "action-range" not in text
    assert not (tmp_path / "audit").exists()


def test_environment_with_other_actions_is_refused(run: Run, logs: Path, tmp_path: Path) -> None:
    outcome = run("audit", logs, "--env", "hopper", "--out", tmp_path / "audit")
    assert outcome.code == 2
    assert "actions" in outcome.err
    assert not (tmp_path / "audit").exists()


def test_the_python_api_gives_frames_figures_and_a_display(tmp_path: Path) -> None:
    found = instinct.audit("gridworld", seeds=2, episodes=10, folder=tmp_path)
    assert isinstance(found.results, pd.DataFrame)
    wrong = found.results.query("algorithm == 'PEVI' and label == 'negative'")
    assert wrong["return"].iloc[0] == pytest.approx(0.92)
    assert found.positive_bias["estimate"].iloc[0] == "inf"
    assert {"return-figure", "positive-bias-figure"} <= found.figures.keys()
    assert "srcdoc" in found._repr_html_()
    assert "does not test reward use" in str(found)
    assert found.write() == tmp_path / "index.html"


def test_dataset_in_memory_is_saved_as_a_file(tmp_path: Path) -> None:
    dataset = recording()
    small = {"units": 8, "batch_size": 16, "steps": 20}
    found = instinct.audit(dataset, algorithms=["IQL"], seeds=1, settings=small, folder=tmp_path)
    assert read(next(tmp_path.glob("*.npz"))).hash == dataset.hash
    assert "return" not in found.results
    assert found.findings.action_distance(found.findings.plan.datasets[0], "IQL", "zero") is None
