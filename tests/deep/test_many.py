"""Many runs: workers and one program agree, and nothing is trained twice."""

from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest

from instinct.data import Dataset, relabel
from instinct.deep import Outcome, Pace, Run, StageProgress, configure, train, train_many
from tests.deep.problems import discrete_noise_dataset, noise_dataset
from tests.deep.test_resume import small

PACE = Pace(report_steps=10)


def labeled(name: str) -> Dataset:
    return relabel(noise_dataset(), name, seed=1)


def assert_close(one: Outcome, other: Outcome) -> None:
    assert one.failure == other.failure
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5),
        one.weights,
        other.weights,
    )
    np.testing.assert_array_equal(one.metrics["step"], other.metrics["step"])


@pytest.mark.parametrize("name", ["TD3+BC", "AWR"])
def test_delayed_updates_and_weights_of_all_actions_together(name: str) -> None:
    runs = [Run(labeled(label), small(name), 0, label) for label in ("original", "random")]
    for one, run in zip(train_many(runs, how="together", pace=PACE), runs, strict=True):
        assert_close(one, train(run, pace=PACE))


def test_together_as_alone() -> None:
    """Seeds, labels and real-valued settings share one program."""
    runs = [
        Run(labeled("zero"), small("ATAC", beta=0.1), 0, "zero"),
        Run(labeled("random"), small("ATAC", beta=100), 0, "random"),
        Run(labeled("random"), small("ATAC", beta=100), 1, "random"),
        Run(labeled("zero"), small("ATAC", beta=10, discount=0.9), 1, "zero"),
        Run(labeled("zero"), small("IQL"), 1, "zero"),
    ]
    outcomes = train_many(runs, how="together", pace=PACE)
    for run, outcome in zip(runs, outcomes, strict=True):
        assert_close(outcome, train(run, pace=PACE))
    first, second = outcomes[1].weights["policy"], outcomes[2].weights["policy"]
    assert not np.array_equal(first[0]["weight"], second[0]["weight"])


def test_together_as_alone_with_discrete_actions() -> None:
    zero, noise = (relabel(discrete_noise_dataset(), name, seed=1) for name in ("zero", "random"))
    space = zero.action_space
    balanced = {"fit_returns": True, "tuned_beta": True, "scale_values": True}
    runs = [
        Run(zero, small("PSPI", space, **balanced), 0, "zero"),
        Run(noise, small("PSPI", space, **balanced, beta=10), 1, "random"),
        Run(noise, small("CQL", space, alpha=0.1), 0, "random"),
        Run(noise, small("CQL", space, alpha=10), 0, "random"),
    ]
    for run, outcome in zip(runs, train_many(runs, how="together", pace=PACE), strict=True):
        assert_close(outcome, train(run, pace=PACE))


def test_together_one_fails_alone() -> None:
    runs = [Run(noise_dataset(), small("IQL", rate=rate)) for rate in (3e-4, 1e9)]
    fine, failed = train_many(runs, how="together", pace=PACE)
    assert not fine.failure
    assert failed.failure == train(runs[1], pace=PACE).failure
    assert_close(fine, train(runs[0], pace=PACE))


def test_workers_as_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    runs = [
        Run(labeled(name), small("ATAC", beta=beta), 3, name, tmp_path / f"{name}-{beta}")
        for name, beta in (("zero", 1), ("negative", 10))
    ]
    reports: list[tuple[int, StageProgress]] = []
    outcomes = train_many(
        runs, how="workers", workers=1, pace=PACE, on_progress=lambda i, p: reports.append((i, p))
    )
    for run, outcome in zip(runs, outcomes, strict=True):
        assert_close(outcome, train(replace(run, folder=None), pace=PACE))
    stages = [(i, progress.stage) for i, progress in reports if progress.step == progress.steps]
    assert sorted(stages) == [
        (0, "ATAC"),
        (0, "Cloning"),
        (0, "Evaluation"),
        (1, "ATAC"),
        (1, "Evaluation"),
    ]


@pytest.mark.parametrize(
    ("other", "stages"),
    [
        ({"beta": 100}, ["ATAC"]),
        ({"label": "negative"}, ["Evaluation", "ATAC"]),
        ({"name": "PSPI"}, ["PSPI"]),
        ({"seed": 1}, ["Cloning", "Evaluation", "ATAC"]),
        ({"discount": 0.9}, ["Evaluation", "ATAC"]),
        ({"fast_rate": 1e-3}, ["Cloning", "Evaluation", "ATAC"]),
    ],
    ids=str,
)
def test_warm_starts_are_shared(
    other: dict[str, float | str], stages: list[str], tmp_path: Path
) -> None:
    """Runs that differ in β, in the label or in the algorithm train only what differs."""
    settings = dict(other)
    name, seed = str(settings.pop("name", "ATAC")), int(settings.pop("seed", 0))
    dataset = labeled(str(settings.pop("label", "zero")))
    train(Run(labeled("zero"), small("ATAC")), warm_starts=tmp_path, pace=PACE)
    algorithm = small(name, **{key: float(value) for key, value in settings.items()})
    trained: list[str] = []
    shared = train(
        Run(dataset, algorithm, seed),
        warm_starts=tmp_path,
        pace=PACE,
        on_progress=lambda progress: trained.append(progress.stage),
    )
    assert list(dict.fromkeys(trained)) == stages
    alone = train(Run(dataset, algorithm, seed), pace=PACE)
    jax.tree.map(np.testing.assert_array_equal, shared.weights, alone.weights)


def test_configured_for_the_paper() -> None:
    assert configure("ATAC").warm_start() == configure("PSPI").warm_start()
