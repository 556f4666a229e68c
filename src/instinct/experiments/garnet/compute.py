"""Compute regret and steps out of support on random MDPs with data of known bias.

Every algorithm learns from data of several sizes, under every label and at several degrees of
pessimism R. The results have the regret under the true reward, V_r^*(d_0) - V_r^π̂(d_0), the steps
out of support, V_cμ^π̂(d_0), and the paper's bounds on both for unlimited data.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from instinct.data import PAPER_LABELS, Array, find_label, relabel
from instinct.experiments.experiment import ExperimentSettings
from instinct.experiments.results import ExperimentResults
from instinct.study.statistics import DUST, estimate
from instinct.tabular import Model, States
from instinct.tabular.registry import ALGORITHMS
from instinct.theory.bias import Bias
from instinct.theory.bounds import iota, performance_bound
from instinct.theory.cmdp import implicit_cmdp
from instinct.theory.garnet import garnet, negatively_biased, positively_biased, sample, unbiased
from instinct.theory.mdp import MDP
from instinct.theory.support import costs, support
from instinct.util.progress import Progress

GAP = 0.02
"""The largest distance from the best (or worst) action in biased data."""
KINDS: dict[str, Callable[[MDP], Array]] = {
    "positive": lambda mdp: positively_biased(mdp, GAP),
    "zero": unbiased,
    "negative": lambda mdp: negatively_biased(mdp, GAP),
}
DEGREES = (1.0, 1.25, 1.5, 2.0, 4.0, 16.0, 64.0)
"""R: the pessimistic reward out of support is at least -R."""
SIZES = (100, 1000, 10_000)
"""Numbers of transitions."""


class GarnetProblem(NamedTuple):
    """A random MDP with a data distribution of a known kind of bias."""

    kind: str
    seed: int
    mdp: MDP
    mu: Array


def problems(settings: ExperimentSettings) -> Iterator[GarnetProblem]:
    for number in range(int(settings["mdps"])):
        seed = int(settings["seed"]) * 1000 + number
        mdp = garnet(int(settings["states"]), int(settings["actions"]), 2, seed)
        for kind, distribution in KINDS.items():
            yield GarnetProblem(kind, seed, mdp, distribution(mdp))


def compute_garnet(settings: ExperimentSettings, on_progress: Progress) -> ExperimentResults:
    """Run all algorithms on all MDPs, and average regret and steps out of support."""
    measured: dict[tuple[Any, ...], list[tuple[float, float]]] = defaultdict(list)
    bounds: dict[tuple[Any, ...], list[tuple[float, float]]] = defaultdict(list)
    every = [*problems(settings)]
    total, done = len(every) * len(SIZES), 0
    for problem in every:
        for label, R, *bound in limits(problem):
            bounds[problem.kind, label, R].append((bound[0], bound[1]))
        for size in SIZES:
            for algorithm, label, R, *found in learn(problem, size):
                measured[problem.kind, algorithm, label, size, R].append((found[0], found[1]))
            done += 1
            on_progress(done, total, f"{problem.kind} bias, {size:,} transitions")
    names = ("bias", "algorithm", "label", "transitions", "R")
    return ExperimentResults(
        study="garnet",
        results=tuple(
            dict(zip(names, key, strict=True)) | summary(values) for key, values in measured.items()
        ),
        settings=dict(settings) | {"gap": GAP, "discount": every[0].mdp.discount},
        dataset="",
        details={
            "bounds": [
                {"bias": kind, "label": label, "R": R, **averages(values)}
                for (kind, label, R), values in bounds.items()
            ]
        },
    )


def learn(problem: GarnetProblem, size: int) -> Iterator[tuple[str, str, float, float, float]]:
    """Yield algorithm, label, R, regret and V_cμ of every learned policy."""
    mdp, covered = problem.mdp, support(problem.mdp, problem.mu)
    best = float(mdp.initial @ mdp.optimal().V)
    dataset = sample(mdp, problem.mu, size, problem.seed)
    states = States(np.arange(mdp.states)[:, None])
    for label in map(find_label, PAPER_LABELS):
        relabeled = relabel(dataset, label, problem.seed)
        model = Model.of(relabeled, discount=mdp.discount, states=states)
        for name, algorithm in ALGORITHMS.items():
            if algorithm.finite_horizon_only:
                continue
            for R in DEGREES:
                policy = algorithm.solve(model, R).policy
                regret = best - mdp.value(policy)
                yield name, label.name, R, regret, mdp.value(policy, costs(covered))


def limits(problem: GarnetProblem) -> Iterator[tuple[str, float, float, float]]:
    """Yield label, R, and the paper's bounds on regret and V_cμ for R-admissible algorithms.

    δ follows from R = K/δ + 2. Then ι = δ + κ(δ) bounds V_cμ, and ε + O(ι) bounds the regret.
    There is no bound for R ≤ 2, unless K = 0: then δ may be 0.
    """
    mdp, covered = problem.mdp, support(problem.mdp, problem.mu)
    for label in map(find_label, PAPER_LABELS):
        assert label.expected is not None
        rewards = label.expected(mdp.rewards)
        cmdp = implicit_cmdp(mdp, covered, rewards)
        bias = Bias(mdp, covered, (rewards,))
        for R in DEGREES:
            if R <= 2:
                continue
            delta = cmdp.bound / (R - 2)
            out = min(iota(delta, cmdp.kappa(delta)), mdp.span)
            yield (
                label.name,
                R,
                min(performance_bound(bias.epsilon, bias.slope, out), mdp.span),
                out,
            )


def summary(values: list[tuple[float, float]]) -> dict[str, float]:
    regret, cost = np.array(values).T
    return {
        "regret": estimate(regret).mean,
        "regret_stderr": estimate(regret).stderr,
        "cost": estimate(cost).mean,
        "mdps": len(values),
    }


def averages(values: list[tuple[float, float]]) -> dict[str, float]:
    regret, cost = np.array(values).mean(axis=0)
    return {"regret": round(float(regret), DUST), "cost": round(float(cost), DUST)}
