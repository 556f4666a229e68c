"""What a user can add, through the public API alone: each is reported by an audit."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import instinct
from tests import own_pendulums

PENDULUM = "InvertedPendulum-v5"
SMALL = {"layers": 1, "units": 8, "batch_size": 16, "steps": 20}
TINY = {"BC": SMALL, "IQL": SMALL}
ONCE: dict[str, Any] = {"seeds": 2, "episodes": 2, "progress": False}


@pytest.fixture(scope="module")
def dataset() -> instinct.Dataset:
    return own_pendulums.record()


def labels_of(found: instinct.Audit, algorithm: str) -> list[str]:
    rows = found.results
    return [*rows[rows.algorithm == algorithm].label]


def test_a_label_is_an_object_that_the_audit_takes(
    dataset: instinct.Dataset, tmp_path: Path
) -> None:
    label = instinct.Label("strength", own_pendulums.reward_strength)
    found = instinct.audit(
        dataset,
        env=PENDULUM,
        algorithms=["IQL"],
        labels=["original", "corrupt:0.5", label],
        settings=TINY,
        folder=tmp_path / "audit",
        **ONCE,
    )
    assert labels_of(found, "IQL") == ["original", "corrupt:0.5", "strength"]
    assert found.results.seeds.tolist() == [2] * 6
    assert not found.document["missing"]


def test_an_own_label_reaches_workers_or_else_runs_here(
    dataset: instinct.Dataset, tmp_path: Path
) -> None:
    def strength(data: instinct.Dataset, random: np.random.Generator) -> Any:
        return np.abs(data.actions[:, 0])

    results = []
    for number, rewards in enumerate([own_pendulums.reward_strength, strength]):
        found = instinct.audit(
            dataset,
            env=PENDULUM,
            algorithms=["IQL"],
            labels=[instinct.Label("strength", rewards)],
            settings=TINY,
            folder=tmp_path / str(number),
            **ONCE,
        )
        results.append(found.results.set_index("algorithm")["return"])
    assert results[0].to_dict() == results[1].to_dict()


@instinct.hyperparameters
class Slope(instinct.Algorithm):
    """Imitate with a linear policy."""

    rate: float = instinct.setting(0.1, above=0)

    CITATION: ClassVar[str] = "A linear policy."
    READS_REWARDS: ClassVar[bool] = False
    QUICK: ClassVar[dict[str, Any]] = {"steps": 200, "batch_size": 16}

    def init(self, key: jax.Array, data: Any, warm: Any = None) -> Any:
        n, m = data.rows["observations"].shape[1], data.rows["actions"].shape[1]
        return {"policy": 0.01 * jax.random.normal(key, (n, m))}

    def update(self, state: Any, batch: Any, key: jax.Array) -> Any:
        def loss(weights: jax.Array) -> jax.Array:
            return jnp.mean((batch.observations @ weights - batch.actions) ** 2)

        error, gradient = jax.value_and_grad(loss)(state["policy"])
        return {"policy": state["policy"] - self.rate * gradient}, {"error": error}

    def weights(self, state: Any) -> Any:
        return {"policy": state["policy"]}

    def mode(self, weights: Any, observations: jax.Array) -> jax.Array:
        actions: jax.Array = observations @ weights["policy"]
        return actions


def test_an_algorithm_is_a_class_with_its_metadata(
    dataset: instinct.Dataset, tmp_path: Path
) -> None:
    found = instinct.audit(
        dataset,
        env=PENDULUM,
        algorithms=[Slope],
        labels=["original", "zero"],
        settings={"BC": SMALL},
        folder=tmp_path / "audit",
        **ONCE,
    )
    rows = found.results[found.results.algorithm == "Slope"]
    assert len(rows) == 2
    assert rows["return"].nunique() == 1, "it reads no rewards, so it is trained once"
    assert not found.document["missing"]


class Pendulums(instinct.Benchmark):
    """A family with one task and one dataset."""

    name = "pendulums"
    title = "Inverted pendulums"
    prefix = "pendulum:"
    tasks = ("pendulum:single",)
    datasets = {  # noqa: RUF012 - never changed
        "pendulum:random": instinct.FunctionRecipe(
            "pendulum:random", "pendulum:single", own_pendulums.record
        )
    }
    default_algorithms = ("IQL",)
    test_episodes = 3

    def task(self, name: str) -> instinct.Task:
        return instinct.EnvironmentTask(name, own_pendulums.make_pendulum, end="fall")


def test_a_benchmark_family_is_one_object(tmp_path: Path) -> None:
    instinct.register(Pendulums())
    found = instinct.audit(
        "pendulum:random", settings=TINY, seeds=2, folder=tmp_path / "audit", progress=False
    )
    assert found.document["task"] == "pendulum:single"
    assert found.document["episodes"] == 3
    assert labels_of(found, "IQL") == ["original", "zero", "random", "negative"]
    assert {*found.results.algorithm} == {"BC", "IQL"}
    assert any("length" in name for name in found.tables)


def test_a_callable_of_ones_own_shows_whether_it_uses_the_reward(
    dataset: instinct.Dataset, tmp_path: Path
) -> None:
    found = instinct.audit(
        dataset,
        env=PENDULUM,
        algorithms=[instinct.Own("follower", own_pendulums.follow_the_reward)],
        labels=["original", "negative"],
        remove_terminals=False,
        settings={"BC": SMALL},
        folder=tmp_path / "audit",
        **ONCE,
    )
    true, negative = (
        instinct.relabel(dataset, label).actions[instinct.relabel(dataset, label).rewards.argmax()]
        for label in ("original", "negative")
    )
    assert not np.allclose(true, negative)
    moved = found.findings.action_distance(found.findings.plan.datasets[0], "follower", "negative")
    assert moved == pytest.approx(abs(float(true[0] - negative[0])) / 3, abs=1e-4)
    assert labels_of(found, "follower") == ["original", "negative"]


def test_an_own_callable_that_reads_no_rewards_is_trained_once(
    dataset: instinct.Dataset, tmp_path: Path
) -> None:
    trained = []

    def train(data: instinct.Dataset, seed: int) -> Any:
        trained.append(seed)
        return lambda observations: np.zeros((len(observations), 1))

    own = instinct.Own("still", train, reads_rewards=False)
    options: Any = {"env": PENDULUM, "algorithms": [own], "settings": {"BC": SMALL}, **ONCE}
    found = instinct.audit(dataset, folder=tmp_path, **options)
    assert sorted(trained) == [0, 1]
    again = instinct.audit(dataset, folder=tmp_path, **options)
    assert sorted(trained) == [0, 1], "what has ended is not trained again"
    assert again.results.equals(found.results)


def test_changed_code_never_gets_the_results_of_the_old(
    dataset: instinct.Dataset, tmp_path: Path
) -> None:
    def one(data: instinct.Dataset, seed: int) -> Any:
        return lambda observations: np.zeros((len(observations), 1))

    def other(data: instinct.Dataset, seed: int) -> Any:
        return lambda observations: np.ones((len(observations), 1))

    options: Any = {"env": PENDULUM, "settings": {"BC": SMALL}, "folder": tmp_path, **ONCE}
    instinct.audit(dataset, algorithms=[instinct.Own("mine", one)], **options)
    with pytest.raises(instinct.BadInput):
        instinct.audit(dataset, algorithms=[instinct.Own("mine", other)], **options)


@pytest.mark.parametrize("fault", ["train", "policy", "shape", "kind"])
def test_a_fault_in_own_code_is_reported_and_the_others_go_on(
    dataset: instinct.Dataset, tmp_path: Path, fault: str
) -> None:
    def train(data: instinct.Dataset, seed: int) -> Any:
        if fault == "train":
            raise RuntimeError("no luck")
        if fault == "policy":
            return lambda observations: 1 / 0
        return (lambda observations: np.zeros((1, 7))) if fault == "shape" else 3

    found = instinct.audit(
        dataset,
        env=PENDULUM,
        algorithms=[instinct.Own("broken", train)],
        settings={"BC": SMALL},
        labels=["original"],
        folder=tmp_path,
        **ONCE,
    )
    assert len(found.document["missing"]) == 2
    assert all("broken" in reason for reason in found.document["missing"])
    assert found.results.set_index("algorithm").loc["BC", "seeds"] == 2


def test_an_environment_may_be_an_object_or_a_function(
    dataset: instinct.Dataset, tmp_path: Path
) -> None:
    own = instinct.Own("follower", own_pendulums.follow_the_reward)
    returns = []
    for number, env in enumerate(
        [PENDULUM, own_pendulums.make_pendulum, own_pendulums.make_pendulum()]
    ):
        found = instinct.audit(
            dataset,
            env=env,
            algorithms=[own],
            settings={"BC": SMALL},
            labels=["original"],
            folder=tmp_path / str(number),
            **ONCE,
        )
        returns.append(found.results["return"].tolist())
    assert returns[0] == returns[1] == returns[2]


def test_a_registered_task_is_found_by_its_name() -> None:
    instinct.register(instinct.EnvironmentTask("swing", own_pendulums.make_pendulum, end="fall"))
    still = np.zeros((1, 1), np.float32)
    lengths = [
        instinct.evaluate(lambda states: np.repeat(still, len(states), axis=0), env, episodes=3)
        for env in ("swing", PENDULUM)
    ]
    assert lengths[0].lengths.tolist() == lengths[1].lengths.tolist()


@pytest.mark.parametrize("label", ["no-terminal", "original"])
def test_train_removes_the_terminals_of_a_label_that_says_so(
    dataset: instinct.Dataset, tmp_path: Path, label: str
) -> None:
    kept = len(instinct.remove_terminals(dataset)) if label == "no-terminal" else len(dataset)
    settings = SMALL | {"batch_size": kept}
    policy = instinct.train(dataset, "BC", label=label, settings=settings)
    assert policy.action_space == dataset.action_space
    with pytest.raises(instinct.InstinctError, match="batch"):
        instinct.train(dataset, "BC", label=label, settings=SMALL | {"batch_size": kept + 1})


def test_train_takes_a_class_and_reports_its_progress(dataset: instinct.Dataset) -> None:
    steps = []
    policy = instinct.train(
        dataset, Slope, preset="quick", on_progress=lambda at: steps.append((at.step, at.steps))
    )
    assert steps[-1] == (200, 200)
    assert instinct.evaluate(policy, PENDULUM, episodes=2).lengths.min() >= 1


def test_a_page_section_is_a_function_of_the_findings(tmp_path: Path) -> None:
    def spread(findings: instinct.Findings) -> Iterator[instinct.Section]:
        rows = tuple(
            (cell.algorithm, cell.label, instinct.Number(float(np.ptp(found.means["return"]))))
            for cell, found in findings.results.items()
        )
        table = instinct.Table("spread", "Over seeds.", ("algorithm", "label", "range"), rows)
        yield instinct.Section("How far seeds differ", tables=(table,))

    found = instinct.audit(
        "gridworld", seeds=2, episodes=10, folder=tmp_path, sections=[spread], progress=False
    )
    path = found.write()
    assert "How far seeds differ" in path.read_text("utf-8")
    assert [*found.tables["spread"].columns] == ["algorithm", "label", "range"]
    assert (tmp_path / "spread.csv").exists()


def test_what_is_not_an_extension_is_refused() -> None:
    with pytest.raises(instinct.BadInput):
        instinct.register(object())
    with pytest.raises(instinct.BadInput):
        instinct.register(instinct.Own("pspi", own_pendulums.follow_the_reward))
    with pytest.raises(instinct.BadInput):
        instinct.register(instinct.Label("zero", own_pendulums.reward_strength))
