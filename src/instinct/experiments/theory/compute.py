"""Compute the exact theory of a dataset: positive bias, κ(δ), λ†, and the assumptions.

The grid world's true MDP is known. For other datasets the MDP is estimated from the data. There, an
action without data leads to an absorbing state. Its true reward is the lowest possible, so the bias
is relative to the best policy in the data. Its reward under every label is the highest possible, so
κ(δ) and λ† are upper bounds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from instinct.benchmarks.gridworld.task import GridWorldTask
from instinct.benchmarks.gridworld.world import GridWorld
from instinct.benchmarks.registry import find_task, task_of
from instinct.data import PAPER_LABELS, Array, Dataset, find_label, relabel
from instinct.experiments.results import ExperimentResults
from instinct.tabular import Model, States
from instinct.tabular.world import observed_world
from instinct.theory.assumptions import check_assumptions
from instinct.theory.bias import Bias
from instinct.theory.bounds import printed_kappa_bound
from instinct.theory.cmdp import CMDP, implicit_cmdp
from instinct.theory.mdp import MDP
from instinct.theory.support import feasible, support
from instinct.util.jsonio import to_json_data
from instinct.util.progress import Progress

DELTAS = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)


@dataclass(frozen=True, eq=False)
class TheoryProblem:
    """An MDP with true rewards, the data distribution, and the rewards of every label."""

    mdp: MDP
    counts: Array
    rewards: dict[str, Array]
    dataset: str
    """Content hash."""
    settings: dict[str, Any]
    world: GridWorld | None = None
    """The grid world, if there is a map to draw."""


def gridworld(seed: int = 0) -> TheoryProblem:
    """Return the true grid world, whose end state has no rewards under any label."""
    grid = GridWorld()
    mdp, dataset = grid.mdp, grid.dataset()
    model = Model.of(dataset, horizon=grid.horizon, states=States(grid.observations))
    rewards = label_rewards(mdp.rewards, np.random.default_rng(seed))
    for told in rewards.values():
        told[-1] = 0.0
    counts = np.vstack([model.counts, np.zeros((1, mdp.actions))])
    settings = {"horizon": grid.horizon, "seed": seed}
    return TheoryProblem(mdp, counts, rewards, dataset.hash, settings, grid)


def known_problem(dataset: str, seed: int = 0) -> TheoryProblem | None:
    """Return the problem of a dataset whose true MDP is known, which is the grid world's."""
    task = task_of(dataset)
    known = task is not None and isinstance(find_task(task), GridWorldTask)
    return gridworld(seed) if known else None


def empirical(
    dataset: Dataset, *, discount: float | None = None, horizon: int | None = None, seed: int = 0
) -> TheoryProblem:
    """Estimate the MDP of a dataset; rewards are scaled into [-1, 1]."""
    scale = max(1.0, float(np.abs(dataset.rewards).max()))
    scaled = dataset.change(rewards=dataset.rewards / scale)
    states = States.of(dataset)
    rewards = {}
    for label in PAPER_LABELS:
        model = Model.of(
            relabel(scaled, label, seed), discount=discount, horizon=horizon, states=states
        )
        rewards[label] = observed_world(model, unknown=1.0).mdp.rewards
    true = observed_world(
        Model.of(scaled, discount=discount, horizon=horizon, states=states), unknown=-1.0
    )
    settings = {"horizon": horizon, "discount": discount, "seed": seed, "reward_scale": scale}
    return TheoryProblem(true.mdp, true.counts, rewards, dataset.hash, settings)


def label_rewards(true: Array, random: np.random.Generator) -> dict[str, Array]:
    """Return r̃(s, a) of the paper's labels; random rewards are drawn once per pair."""
    rewards = {}
    for label in map(find_label, PAPER_LABELS):
        assert label.acting is not None
        rewards[label.name] = np.array(label.acting(true, lambda shape: random.uniform(size=shape)))
    return rewards


def compute(problem: TheoryProblem, on_progress: Progress) -> ExperimentResults:
    """Compute bias, κ(δ), λ† and the assumptions."""
    mdp, covered = problem.mdp, support(problem.mdp, problem.counts)
    steps = len(problem.rewards) + 2
    checks = check_assumptions(mdp, problem.counts, tuple(problem.rewards.values()))
    on_progress(1, steps, "assumptions")
    found: dict[str, Any] = {"feasible": feasible(mdp, covered)}
    rows: list[dict[str, Any]] = []
    if found["feasible"]:
        everything = Bias(mdp, covered)
        found |= {
            "positive_bias": everything.degree,
            "epsilon": everything.epsilon,
            "slope": everything.slope,
            "best_return": everything.best,
            "regret": everything.curve((0.0, *DELTAS)).tolist(),
        }
        on_progress(2, steps, "positive bias")
        for label, rewards in problem.rewards.items():
            cmdp = implicit_cmdp(mdp, covered, rewards)
            rows.append(
                {
                    "label": label,
                    "lambda": cmdp.multiplier,
                    "kappa": [[delta, cmdp.kappa(delta)] for delta in DELTAS],
                    "positive_bias": Bias(mdp, covered, (rewards,)).degree,
                }
            )
            on_progress(len(rows) + 2, steps, f"{label} rewards")
        found |= {
            "lambda": max(row["lambda"] for row in rows),
            "kappa": [
                [delta, max(row["kappa"][number][1] for row in rows)]
                for number, delta in enumerate(DELTAS)
            ],
        }
        if problem.world is not None:
            found["path"] = path(
                problem.world, implicit_cmdp(mdp, covered, problem.rewards["zero"])
            )
        if mdp.horizon is not None:
            found["kappa_bound"] = [
                [delta, printed_kappa_bound(mdp.horizon, delta)] for delta in DELTAS
            ]
    found["assumptions"] = [item._asdict() for item in checks]
    return ExperimentResults(
        study="theory",
        results=tuple(to_json_data(row) for row in rows),
        settings=problem.settings,
        dataset=problem.dataset,
        details=to_json_data(found),
    )


def path(world: GridWorld, cmdp: CMDP) -> list[list[int]]:
    """Return the states that π† visits in the grid world."""
    test = world.rollout(cmdp.optimal.policy, 1, np.random.default_rng(0))
    states: list[list[int]] = world.observations[test.paths[0]].tolist()
    return states
