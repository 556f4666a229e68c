"""Audits estimate their policies from the data: the block without a task, and beside the truth."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import instinct
from instinct.audits import estimates
from instinct.audits.audit import Audit
from instinct.deep import ALGORITHMS
from instinct.engine.inline_executor import InlineExecutor
from instinct.estimate import DEFAULT
from instinct.study.store import FILE
from tests.own_pendulums import follow_the_reward, make_pendulum, record

SMALL = {"layers": 1, "units": 8, "batch_size": 32, "steps": 100}
EPISODES = 40


@instinct.hyperparameters
class Extreme(instinct.Algorithm):
    """Takes the largest action everywhere."""

    steps: int = instinct.setting(1, above=0)

    QUICK = {"steps": 1, "batch_size": 16}  # noqa: RUF012

    def init(self, key: jax.Array, data: Any, warm: Any = None) -> Any:
        del key, warm
        return {"action": jnp.ones(data.rows["actions"].shape[1])}

    def update(self, state: Any, batch: Any, key: jax.Array) -> Any:
        del batch, key
        return state, {"loss": jnp.zeros(())}

    def weights(self, state: Any) -> Any:
        return state

    def mode(self, weights: Any, observations: jax.Array) -> jax.Array:
        return jnp.broadcast_to(weights["action"], (len(observations), *weights["action"].shape))


def logs() -> instinct.Dataset:
    """Small actions that push a number towards 0; an episode ends when it is above 1."""
    random = np.random.default_rng(0)
    rows = []
    for _ in range(EPISODES):
        state = random.uniform(0.7, 1)
        for step in range(8):
            action = np.clip(-0.1 * state + 0.05 * random.standard_normal(), -1, 1)
            following = state + action + 0.2 * random.standard_normal()
            terminal = following > 1
            rows.append((state, action, 1 - state, following, terminal, step == 7 and not terminal))
            state = following
            if terminal:
                break
    s, a, r, s_next, terminals, timeouts = map(np.array, zip(*rows, strict=True))
    return instinct.Dataset(
        observations=s[:, None].astype(np.float32),
        actions=a[:, None].astype(np.float32),
        rewards=r.astype(np.float32),
        next_observations=s_next[:, None].astype(np.float32),
        terminals=terminals,
        timeouts=timeouts,
        costs=(s > 0.5).astype(np.float32),
        action_space=instinct.Box.of(1),
    )


def audit(dataset: object, folder: Path, **options: Any) -> Audit:
    return instinct.audit(
        dataset,
        labels=["original", "zero"],
        seeds=1,
        progress=False,
        folder=folder,
        executor=lambda where, _: InlineExecutor(where),
        **options,
    )


def audit_logs(folder: Path) -> Audit:
    return audit(logs(), folder, algorithms=[Extreme], settings={"BC": SMALL})


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("audits") / "logs"
    before = dict(ALGORITHMS)
    audit_logs(folder)
    yield folder
    ALGORITHMS.clear()
    ALGORITHMS.update(before)


def test_an_audit_without_a_task_ends_with_a_decision(audited: Path) -> None:
    found = audit_logs(audited)
    decision = found.document["decision"]
    status = {each["algorithm"]: each["status"] for each in decision["candidates"]}
    assert status["Extreme"] == "outside-data"
    assert decision["recommendation"] in ("imitation", "neither", "unknown")
    data = logs()
    recorded = decision["recorded"]
    assert recorded["return"] == pytest.approx(data.returns.mean(), rel=1e-5)
    assert data.costs is not None
    assert recorded["cost"] == pytest.approx(data.costs.sum() / EPISODES)
    assert recorded["length"] == pytest.approx(data.lengths.mean())
    assert recorded["end"] == pytest.approx(data.terminals.sum() / EPISODES)
    bc, *extreme = decision["cells"]
    assert bc["algorithm"] == "BC"
    for quantity in ("return", "cost", "length", "end"):
        value = bc["estimates"][quantity]
        assert value["low"] <= value["value"] <= value["high"]
    assert [each["judged"] for each in extreme] == [0, 0]
    assert {each["outside"] for each in extreme} == {1.0}
    assert {each["other_labels"] for each in extreme} == {0.0}
    ends = decision["collect"]["ends"]
    assert ends["share"] == pytest.approx(recorded["end"])
    assert [each["column"] for each in ends["columns"]] == ["observation 0"]
    assert ends["columns"][0]["difference"] > 1
    assert [verdict.code for verdict in found.page.verdicts][-1] == "decision"
    assert {"estimates", "differences", "reliability"} <= {*found.tables}
    answer = found.document["answer"]
    assert answer["sure"] == "estimated"
    assert found.page.verdicts[-1].text.startswith(answer["sentence"])
    assert "decision" not in [verdict.code for verdict in found.page.found]


def test_a_second_call_computes_nothing(audited: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "judge_all", None)
    assert audit_logs(audited).document["estimates"]["policies"]


def test_missing_estimates_are_made_again(audited: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def judge_all(dataset: Any, horizon: int, candidates: Any, *_: Any) -> dict[str, Any]:
        del dataset
        calls.append(len(candidates))
        return {"horizon": horizon, "recorded": {}, "problem": "gone", "problem_code": "gone"}

    monkeypatch.setattr(estimates, "judge_all", judge_all)
    connection = sqlite3.connect(audited / FILE)
    (kept,) = connection.execute("SELECT content FROM estimates").fetchall()
    with connection:
        connection.execute("DELETE FROM estimates")
    assert audit_logs(audited).document["decision"]["reason"] == "gone"
    assert audit_logs(audited).document["decision"]["reason"] == "gone"
    assert calls == [3]
    with connection:
        connection.execute("UPDATE estimates SET content = ?", kept)
        connection.execute("DELETE FROM checksums WHERE kind = 'estimates'")
    connection.close()


def test_few_episodes_are_refused_and_nothing_is_estimated_if_not_asked(tmp_path: Path) -> None:
    few = record(10, 8)
    options: dict[str, Any] = {"algorithms": [Extreme], "settings": {"BC": SMALL}}
    found = audit(few, tmp_path / "few", **options)
    decision = found.document["decision"]
    assert (decision["recommendation"], decision["reason"]) == ("unknown", "few-episodes")
    assert found.document["estimates"]["policies"] == []
    found = audit(few, tmp_path / "none", estimates=False, **options)
    assert found.document["estimates"] is None
    assert found.document["decision"] is None


def test_estimates_stand_beside_the_truth(tmp_path: Path) -> None:
    found = audit(
        record(EPISODES, 8),
        tmp_path,
        env=make_pendulum,
        episodes=2,
        algorithms=[Extreme, instinct.Own("mine", follow_the_reward)],
        settings={"BC": SMALL},
        estimates=True,
    )
    document = found.document["estimates"]
    assert found.document["decision"] is None
    rows = {(each["algorithm"], each["label"]): each for each in document["policies"]}
    assert all(each["truth"]["length"] > 0 for each in rows.values())
    mine = rows["mine", "original"]
    assert (mine["support"], mine["estimates"]) == (None, {})
    assert {*mine["refusals"]} == {*document["estimators"]}
    judged = [each for each in rows.values() if DEFAULT in each["estimates"]]
    for each in judged:
        assert each["support"]["outside"] <= 0.5
    assert judged
    (section,) = [each for each in found.page.sections if "beside the truth" in each.title]
    assert section.detail
    assert section.folded
    assert [*section.tables[0].columns[4:6]] == ["outside", "covered"]
