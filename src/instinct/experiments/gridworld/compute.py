"""Compute returns in the grid world under the true and the wrong rewards.

`gridworld` is the paper's experiment: BC and PEVI with the paper's value bounds. `gridworld-all`
runs every tabular algorithm with enough pessimism for the paper's theorem.

PEVI needs β > 0 in the first. With β = 0 the paper's V_min,h of the negative label is -2 at every
step. Then the recorded way into the lava and the way to the key have the same value:
8·0.01 + 1 - 2 = 8·0.01 - 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from instinct.benchmarks.gridworld.world import GridWorld
from instinct.data import PAPER_LABELS, Array, Label, find_label, relabel
from instinct.errors import BadInput
from instinct.experiments.experiment import ExperimentSettings
from instinct.experiments.results import ExperimentResults
from instinct.study.statistics import DUST, estimate
from instinct.tabular import Model, PEVIConfig, States, bc, pevi, steps_remaining, value_bounds
from instinct.tabular.registry import ALGORITHMS
from instinct.theory.support import out_of_support, support
from instinct.util.progress import Progress

EVERY_STEP = (-1.0, -0.01)
"""The range of the true rewards that every step can have."""
ONCE = 1.0
"""The true reward of the key, which an episode can have only once."""


class Learned(NamedTuple):
    """A policy with the algorithm and the settings that it was learned with."""

    algorithm: str
    policy: Array
    settings: dict[str, Any]


Learn = Callable[[Model, Label], Iterator[Learned]]


def paper_bounds(label: Label, horizon: int, beta: float) -> tuple[Array, Array]:
    """Return V_min,h and V_max,h as the paper sets them, from the range of the label's rewards."""
    if label.range is None:
        raise BadInput(f"the range of the rewards of {label.name!r} is not known", field="range")
    low, high = label.range(*EVERY_STEP)
    once_low, once_high = label.range(ONCE, ONCE)
    least = np.minimum(low * steps_remaining(horizon), once_low)
    most = np.maximum(high * steps_remaining(horizon), once_high)
    return value_bounds(horizon, beta, least, most)


def compute_paper(settings: ExperimentSettings, on_progress: Progress) -> ExperimentResults:
    beta = settings["beta"]

    def learn(model: Model, label: Label) -> Iterator[Learned]:
        assert model.horizon is not None
        config = PEVIConfig(beta, *paper_bounds(label, model.horizon, beta))
        yield Learned("BC", bc(model).policy, {})
        yield Learned("PEVI", pevi(model, config).policy, settings_data(config))

    return evaluate_labels("gridworld", learn, 2, settings, on_progress)


def compute_all(settings: ExperimentSettings, on_progress: Progress) -> ExperimentResults:
    R = settings["R"]

    def learn(model: Model, label: Label) -> Iterator[Learned]:  # noqa: ARG001 - one setting for all
        for name, algorithm in ALGORITHMS.items():
            config = algorithm.config.pessimistic(model, R)
            yield Learned(name, algorithm.run(model, config).policy, settings_data(config))

    return evaluate_labels("gridworld-all", learn, len(ALGORITHMS), settings, on_progress)


def settings_data(config: Any) -> dict[str, Any]:
    """Convert an algorithm's settings into JSON data."""
    values = {item.name: getattr(config, item.name) for item in fields(config)}
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


def evaluate_labels(
    study: str, learn: Learn, algorithms: int, settings: ExperimentSettings, on_progress: Progress
) -> ExperimentResults:
    """Train under every label, and evaluate with the true reward."""
    world = GridWorld()
    dataset, episodes, seed = world.dataset(), int(settings["episodes"]), int(settings["seed"])
    rows: list[dict[str, Any]] = []
    paths = {}
    for label in map(find_label, PAPER_LABELS):
        relabeled = relabel(dataset, label, seed)
        model = Model.of(relabeled, horizon=world.horizon, states=States(world.observations))
        for algorithm, policy, chosen in learn(model, label):
            random = np.random.default_rng([seed, *f"{algorithm} {label}".encode()])
            test = world.rollout(policy, episodes, random)
            mean, stderr = estimate(test.returns)
            rows.append(
                {
                    "algorithm": algorithm,
                    "label": label.name,
                    "mean": mean,
                    "stderr": stderr,
                    "episodes": episodes,
                    "out_of_support": leaving(world, model, policy),
                    "settings": chosen,
                }
            )
            paths[f"{algorithm} {label}"] = world.observations[test.paths[0]].tolist()
            on_progress(len(rows), algorithms * len(PAPER_LABELS), f"{algorithm} under {label}")
    return ExperimentResults(
        study=study,
        results=tuple(rows),
        settings=dict(settings) | {"horizon": world.horizon},
        dataset=dataset.hash,
        details={"paths": paths},
    )


def leaving(world: GridWorld, model: Model, policy: Array) -> float:
    """Compute the exact probability that a policy leaves the support within the horizon."""
    mdp = world.mdp
    end = np.full((1, mdp.actions), 1 / mdp.actions)
    counts = np.vstack([model.counts, end])
    return round(out_of_support(mdp, np.vstack([policy, end]), support(mdp, counts)), DUST)
