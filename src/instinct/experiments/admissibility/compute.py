"""Measure the regret of the admissibility definition in the grid world and on random MDPs.

Every algorithm learns from r̃ with the settings that make it R-admissible. Its regret is the maximum
over all r̄ in R_R(r̃) and all comparators that stay in the support, which is exact. In the grid world
the data are the distribution μ itself. On the random MDPs they are samples of μ, so that the regret
has to vanish with more of them.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from instinct.data import Array, Dataset
from instinct.experiments.experiment import ExperimentSettings
from instinct.experiments.garnet.compute import SIZES, GarnetProblem, problems
from instinct.experiments.results import ExperimentResults
from instinct.experiments.theory.compute import gridworld, label_rewards
from instinct.study.statistics import DUST
from instinct.tabular import Model, States
from instinct.tabular.registry import ALGORITHMS
from instinct.theory.admissibility import admissibility_regret, admissible_degree
from instinct.theory.cmdp import CMDP, implicit_cmdp
from instinct.theory.garnet import sample
from instinct.theory.mdp import uniform
from instinct.theory.support import support
from instinct.util.jsonio import to_json_data
from instinct.util.progress import Progress

DEGREES = (4.0, 64.0)
"""R of the algorithms and of the reward class; 43 is enough in the grid world for any r̃."""
SMALL = 0.01
"""A regret per step that counts as small where the degree of admissibility is measured."""
GRIDWORLD = "grid world"


class Measured(NamedTuple):
    """A learned policy, with the numbers of the admissibility definition."""

    problem: str
    algorithm: str
    label: str
    R: float
    transitions: int
    regret: float
    """max over r̄ and covered π of V_r̄^π(d_0) - V_r̄^π̂(d_0), per step."""
    cost: float
    """V_cμ^π̂(d_0)."""
    degree: float
    """The largest R at which the regret per step is small."""


def compute_admissibility(settings: ExperimentSettings, on_progress: Progress) -> ExperimentResults:
    """Measure all algorithms; on the random MDPs the largest regret of several counts."""
    every = [*problems(settings)]
    total = len(DEGREES) * (1 + len(every) * len(SIZES))
    found: dict[tuple[Any, ...], list[Measured]] = defaultdict(list)
    for number, (name, group) in enumerate(measure_all(int(settings["seed"]), every), 1):
        for one in group:
            found[one[:5]].append(one)
        on_progress(number, total, name)
    return ExperimentResults(
        study="admissibility",
        results=tuple(to_json_data(worst(group)) for group in found.values()),
        settings=dict(settings) | {"small": SMALL},
        dataset="",
    )


def measure_all(seed: int, every: list[GarnetProblem]) -> Iterator[tuple[str, Iterator[Measured]]]:
    for R in DEGREES:
        yield GRIDWORLD, measure_gridworld(seed, R)
        for problem in every:
            for size in SIZES:
                name = f"{problem.kind} bias, {size:,} transitions"
                yield name, measure_garnet(problem, size, R)


def measure_gridworld(seed: int, R: float) -> Iterator[Measured]:
    problem = gridworld(seed)
    assert problem.world is not None
    covered = support(problem.mdp, problem.counts)
    dataset, states = problem.world.dataset(), States(problem.world.observations)
    rows = states.index(dataset.observations) + dataset.steps * len(states)
    for label, rewards in problem.rewards.items():
        told = dataset.change(rewards=rewards[rows, dataset.actions])
        model = Model.of(told, horizon=problem.world.horizon, states=states)
        cmdp = implicit_cmdp(problem.mdp, covered, rewards)
        yield from measure(GRIDWORLD, cmdp, model, label, R)


def measure_garnet(problem: GarnetProblem, size: int, R: float) -> Iterator[Measured]:
    mdp, covered = problem.mdp, support(problem.mdp, problem.mu)
    dataset = sample(mdp, problem.mu, size, problem.seed)
    states = States(np.arange(mdp.states)[:, None])
    for label, rewards in label_rewards(mdp.rewards, np.random.default_rng(problem.seed)).items():
        model = Model.of(tell(dataset, rewards), discount=mdp.discount, states=states)
        cmdp = implicit_cmdp(mdp, covered, rewards)
        yield from measure(f"{problem.kind} bias", cmdp, model, label, R)


def tell(dataset: Dataset, rewards: Array) -> Dataset:
    """Return the dataset with r̃(s, a); observations are state numbers."""
    return dataset.change(rewards=rewards[dataset.observations[:, 0], dataset.actions])


def measure(name: str, cmdp: CMDP, model: Model, label: str, R: float) -> Iterator[Measured]:
    """Run every algorithm on the model, and measure its policy in the true MDP."""
    mdp, span = cmdp.mdp, cmdp.mdp.span
    for algorithm in ALGORITHMS.values():
        if algorithm.finite_horizon_only and model.horizon is None:
            continue
        policy = algorithm.solve(model, R).policy
        policy = np.vstack([policy, uniform(mdp)[model.states :]])
        yield Measured(
            problem=name,
            algorithm=algorithm.name,
            label=label,
            R=R,
            transitions=len(model),
            regret=admissibility_regret(cmdp, policy, R) / span,
            cost=mdp.value(policy, cmdp.costs),
            degree=admissible_degree(cmdp, policy, SMALL * span),
        )


def worst(group: list[Measured]) -> dict[str, Any]:
    """Return the row of one or several MDPs: the largest regret and cost, the smallest degree."""
    names = ("problem", "algorithm", "label", "R", "transitions")
    return {name: getattr(group[0], name) for name in names} | {
        "regret": round(max(one.regret for one in group), DUST),
        "cost": round(max(one.cost for one in group), DUST),
        "degree": min(one.degree for one in group),
        "mdps": len(group),
    }
