"""The study of the grid world: BC and PEVI under the true and the wrong rewards.

PEVI needs a β above 0 here. With β = 0 the paper's V_min,h of the negative label is -2 at every
step, and then the recorded way into the lava and the way to the key are worth the same:
8·0.01 + 1 - 2 = 8·0.01 - 1.
"""

from collections.abc import Callable

import numpy as np

from instinct.data import LABELS, Array, relabel
from instinct.study.results import Results
from instinct.study.statistics import estimate
from instinct.tabular import Model, PEVIConfig, States, bc, bounds, pevi, remaining
from instinct.tasks.gridworld import GridWorld

EPISODES = 1000
BETA = 1.0

SMALLEST = {"original": -1.0, "zero": 0.0, "random": 0.0}
LARGEST = {"zero": 0.0, "random": 1.0, "negative": 1.0}
"""Rewards of a step, where the paper's Ṽ_min,h and Ṽ_max,h are that times the steps left."""
LEAST, MOST = {"negative": -1.0}, {"original": 1.0}
"""Where instead they are the same at every step: the key is reached only once."""


def value_bounds(label: str, horizon: int, beta: float) -> tuple[Array, Array]:
    """V_min,h and V_max,h as the paper sets them for each label."""
    left = remaining(horizon)
    least = SMALLEST[label] * left if label in SMALLEST else LEAST[label]
    most = LARGEST[label] * left if label in LARGEST else MOST[label]
    return bounds(horizon, beta, least, most)


def run(
    seed: int = 0,
    episodes: int = EPISODES,
    beta: float = BETA,
    step: Callable[[str], None] = lambda _: None,
) -> Results:
    """Train both algorithms under every label and judge them by the true reward."""
    world = GridWorld()
    dataset = world.dataset()
    rows, paths = [], {}
    for label in LABELS.values():
        shown = relabel(dataset, label, seed)
        model = Model.of(shown, horizon=world.horizon, states=States(world.observations))
        v_min, v_max = value_bounds(label.name, world.horizon, beta)
        policies = {
            "BC": bc(model).policy,
            "PEVI": pevi(model, PEVIConfig(beta, v_min, v_max)).policy,
        }
        for algorithm, policy in policies.items():
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
                }
            )
            paths[f"{algorithm} {label}"] = world.observations[test.paths[0]].tolist()
            step(f"{algorithm} under {label}")
    return Results(
        study="gridworld",
        results=tuple(rows),
        settings={"seed": seed, "beta": beta, "horizon": world.horizon},
        dataset=dataset.hash,
        paths=paths,
    )
