"""The studies of the grid world, under the true and the wrong rewards.

`gridworld` is the paper's: BC and PEVI with the paper's value bounds. `gridworld-all` runs every
tabular algorithm, set pessimistic enough for the paper's theorem to hold.

PEVI needs a β above 0 in the first. With β = 0 the paper's V_min,h of the negative label is -2 at
every step, and then the recorded way into the lava and the way to the key are worth the same:
8·0.01 + 1 - 2 = 8·0.01 - 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from instinct.benchmarks.gridworld.world import GridWorld
from instinct.data import LABELS, Array, Label, relabel
from instinct.experiments.experiment import Progress, Settings, Study
from instinct.experiments.results import Results
from instinct.study.statistics import DUST, estimate
from instinct.tabular import Model, PEVIConfig, States, bc, pevi, steps_remaining, value_bounds
from instinct.tabular.registry import ALGORITHMS
from instinct.theory.bounds import required_admissibility
from instinct.theory.support import out_of_support, support

EVERY_STEP = {
    "original": (-1.0, None),
    "zero": (0.0, 0.0),
    "random": (0.0, 1.0),
    "negative": (None, 1.0),
}
"""The smallest and the largest reward that a step can have again and again, per label."""
ONCE = {"original": 1.0, "negative": -1.0}
"""The reward of the key, which can be had only once."""


class Learned(NamedTuple):
    algorithm: str
    policy: Array
    settings: dict[str, Any]


Learn = Callable[[Model, Label], Iterator[Learned]]


def paper_bounds(label: str, horizon: int, beta: float) -> tuple[Array, Array]:
    """V_min,h and V_max,h as the paper sets them for each label."""
    smallest, largest = EVERY_STEP[label]
    least = ONCE[label] if smallest is None else smallest * steps_remaining(horizon)
    most = ONCE[label] if largest is None else largest * steps_remaining(horizon)
    return value_bounds(horizon, beta, least, most)


def run_paper(settings: Settings, progress: Progress) -> Results:
    beta = settings["beta"]

    def learn(model: Model, label: Label) -> Iterator[Learned]:
        assert model.horizon is not None
        config = PEVIConfig(beta, *paper_bounds(label.name, model.horizon, beta))
        yield Learned("BC", bc(model).policy, {})
        yield Learned("PEVI", pevi(model, config).policy, stated(config))

    return run("gridworld", learn, 2, settings, progress)


def run_all(settings: Settings, progress: Progress) -> Results:
    R = settings["R"]

    def learn(model: Model, label: Label) -> Iterator[Learned]:  # noqa: ARG001 - one setting for all
        for name, algorithm in ALGORITHMS.items():
            config = algorithm.config.pessimistic(model, R)
            yield Learned(name, algorithm.run(model, config).policy, stated(config))

    return run("gridworld-all", learn, len(ALGORITHMS), settings, progress)


def stated(config: Any) -> dict[str, Any]:
    """The settings of an algorithm, in a form that can be written down."""
    values = {item.name: getattr(config, item.name) for item in fields(config)}
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


def run(
    study: str, learn: Learn, algorithms: int, settings: Settings, progress: Progress
) -> Results:
    """Train under every label and judge by the true reward."""
    world = GridWorld()
    dataset, episodes, seed = world.dataset(), int(settings["episodes"]), int(settings["seed"])
    rows: list[dict[str, Any]] = []
    paths = {}
    for label in LABELS.values():
        shown = relabel(dataset, label, seed)
        model = Model.of(shown, horizon=world.horizon, states=States(world.observations))
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
            progress(len(rows), algorithms * len(LABELS), f"{algorithm} under {label}")
    return Results(
        study=study,
        results=tuple(rows),
        settings=dict(settings) | {"horizon": world.horizon},
        dataset=dataset.hash,
        details={"paths": paths},
    )


def leaving(world: GridWorld, model: Model, policy: Array) -> float:
    """The exact probability that the policy leaves the data support within the horizon."""
    mdp = world.mdp
    end = np.full((1, mdp.actions), 1 / mdp.actions)
    counts = np.vstack([model.counts, end])
    return round(out_of_support(mdp, np.vstack([policy, end]), support(mdp, counts)), DUST)


GRIDWORLD = Study(
    "gridworld",
    "BC and PEVI in the paper's grid world, beside the paper's table",
    {"seed": 0, "episodes": 1000, "beta": 1.0},
    run_paper,
    lambda _: 2 * len(LABELS),
    least={"episodes": 2},
)
GRIDWORLD_ALL = Study(
    "gridworld-all",
    "every tabular algorithm in the grid world, set pessimistic enough",
    {"seed": 0, "episodes": 1000, "R": required_admissibility(2 * GridWorld().horizon + 1)},
    run_all,
    lambda _: len(ALGORITHMS) * len(LABELS),
    least={"episodes": 2, "R": 1.0},
)
