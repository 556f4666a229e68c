"""Discrete actions from a recorded file to a report, as a user calls the commands."""

from pathlib import Path

import gymnasium
import numpy as np
import pytest

import instinct
from instinct.benchmarks.registry import find_dataset
from instinct.cli import audit as audit_room
from instinct.deep import find_algorithm
from tests.cli.conftest import Run
from tests.study.costs import in_process
from tests.study.problems import GAME, SMALL

TINY = {"BC": SMALL, "PSPI": GAME, "IQL": SMALL}


@pytest.fixture
def cartpole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Record random actions in the cart pole, and make the quick preset even quicker."""
    for name, settings in TINY.items():
        monkeypatch.setattr(find_algorithm(name), "QUICK", settings)
    monkeypatch.setattr(audit_room, "choose_executor", lambda *_: in_process)
    return record(tmp_path / "cartpole.npz")


def record(path: Path, episodes: int = 12) -> Path:
    environment, random = gymnasium.make("CartPole-v1"), np.random.default_rng(0)
    rows = []
    for episode in range(episodes):
        observation, _ = environment.reset(seed=episode)
        terminal = False
        while not terminal:
            action = random.integers(2)
            following, reward, terminal, _, _ = environment.step(action)
            rows.append((observation, action, reward, following, terminal))
            observation = following
    names = ("observations", "actions", "rewards", "next_observations", "terminals")
    columns = zip(*rows, strict=True)
    fields = {name: np.array(column) for name, column in zip(names, columns, strict=True)}
    np.savez(path, allow_pickle=False, **fields)
    return path


def test_an_audit_in_an_environment_with_discrete_actions(
    run: Run, cartpole: Path, tmp_path: Path
) -> None:
    outcome = run(
        *("audit", cartpole, "--env", "CartPole-v1", "--algorithms", "pspi,iql"),
        *("--labels", "original,zero", "--seeds", 1, "--episodes", 3),
        *("--out", tmp_path / "audit", "--json"),
    )
    assert outcome.code == 0, outcome.err
    found = {(row["algorithm"], row["label"]): row for row in outcome.json["results"]}
    assert [*found] == [(name, label) for name in TINY for label in ("original", "zero")]
    for row in found.values():
        assert row["return"] == row["length"] >= 8, "every step has the reward 1"
    assert (outcome.json["task"], outcome.json["missing"]) == ("gym:CartPole-v1", [])
    runs = [each for each in outcome.json["diagnostics"] if each["algorithm"] == "PSPI"]
    assert len(runs) == 2
    assert all(0 <= each["diagnostics"]["action_distance"] <= 1 for each in runs)


def test_an_audit_without_an_environment(run: Run, cartpole: Path, tmp_path: Path) -> None:
    arguments = ("audit", cartpole, "--algorithms", "iql", "--labels", "original,zero")
    outcome = run(*arguments, "--seeds", 2, "--out", tmp_path / "audit")
    assert outcome.code == 0, outcome.err
    text = " ".join(outcome.out.split())
    assert "No task to evaluate in" in text
    assert "shares of states with another action" in text


def test_a_trained_agent_is_evaluated(run: Run, cartpole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    outcome = run(
        *("train", cartpole, "--algorithm", "bc", "--preset", "quick", "--out", folder, "--json")
    )
    assert outcome.code == 0, outcome.err
    assert 0 <= outcome.json["diagnostics"]["action_distance"] <= 1
    test = run("evaluate", folder, "--task", "CartPole-v1", "--episodes", 3, "--json")
    assert test.code == 0, test.err
    assert (
        test.json["return"] == instinct.evaluate(folder, "CartPole-v1", episodes=3).lengths.mean()
    )
    wrong = run("evaluate", folder, "--task", "MountainCar-v0", "--episodes", 3)
    assert wrong.code == 2
    assert "acts in {0, …, 1}, but gym:MountainCar-v0 in {0, …, 2}" in " ".join(wrong.err.split())


def test_an_environment_may_have_more_actions_than_were_recorded(cartpole: Path) -> None:
    """The file holds the actions 0 and 1; in the acrobot there is a third one."""
    spaces = [find_dataset(str(cartpole), task=t).action_space for t in ("", "gym:Acrobot-v1")]
    assert spaces == [instinct.Discrete(2), instinct.Discrete(3)]


def push_against_the_fall(dataset: instinct.Dataset, seed: int) -> object:
    """An algorithm of one's own: it pushes to where the pole falls."""
    assert dataset.actions.dtype == np.int64
    return lambda observations: (observations[:, 2] + observations[:, 3] > 0).astype(int)


def test_an_algorithm_of_ones_own(cartpole: Path, tmp_path: Path) -> None:
    found = instinct.audit(
        cartpole,
        env="CartPole-v1",
        algorithms=[instinct.Own("push", push_against_the_fall)],
        labels=["zero"],
        settings={"BC": SMALL},
        seeds=1,
        episodes=2,
        folder=tmp_path / "audit",
        progress=False,
        executor=in_process,
    )
    (returns,) = found.results.query("algorithm == 'push'")["return"]
    assert returns > 100


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        (lambda s: np.full(len(s), 2), "outside {0, …, 1}"),
        (lambda s: np.full(len(s), 0.5), "no whole numbers"),
        (lambda s: np.full(len(s), np.nan), "no whole numbers"),
        (lambda s: ["left"] * len(s), "no whole numbers"),
        (lambda s: np.zeros((len(s), 2)), "of shape [32, 2] for 32 observations, not [32]"),
    ],
)
def test_a_wrong_policy_of_ones_own_is_refused(policy: object, problem: str) -> None:
    with pytest.raises(instinct.BadInput) as caught:
        instinct.evaluate(policy, "CartPole-v1", episodes=1)
    assert problem in str(caught.value)
