"""Compute the regret where the reward is true or wrong and the data have a bias or none.

Corollary 1: if an optimal policy is covered, offline RL learns a near-optimal policy as long as the
reward is correct, or the data are positively biased. All data here cover an optimal policy. The
stochastic expert is the paper's remark: imitation works, although there is no positive bias.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from instinct.data import Array
from instinct.experiments.admissibility.compute import tell
from instinct.experiments.experiment import ExperimentSettings
from instinct.experiments.results import ExperimentResults
from instinct.study.statistics import DUST
from instinct.tabular import Model, States
from instinct.tabular.registry import ALGORITHMS
from instinct.theory.bias import Bias
from instinct.theory.examples import Example, stochastic_expert
from instinct.theory.garnet import garnet, positively_biased, sample, unbiased
from instinct.theory.mdp import MDP
from instinct.theory.support import concentrability, support
from instinct.util.jsonio import to_json_data
from instinct.util.progress import Progress

SOLUTIONS = "every solution of C_μ(r̃)"
"""The row of the theory: the largest regret of an optimal policy of the constrained problem."""


def biased(seed: int) -> Example:
    mdp = garnet(20, 3, 2, seed)
    return Example(mdp, positively_biased(mdp), None, np.inf)


def full(seed: int) -> Example:
    mdp = garnet(20, 3, 2, seed)
    return Example(mdp, unbiased(mdp), None, 0.0)


DATA: dict[str, Callable[[int], Example]] = {
    "positive bias": biased,
    "stochastic expert": stochastic_expert,
    "full coverage": full,
}
TOLD: dict[str, Callable[[MDP], Array]] = {
    "true": lambda mdp: mdp.rewards,
    "wrong": lambda mdp: -mdp.rewards,
}


class Lost(NamedTuple):
    """The regret under the true reward, V_r^*(d_0) - V_r^π̂(d_0), of one algorithm."""

    algorithm: str
    regret: float


def compute_doubly_robust(settings: ExperimentSettings, on_progress: Progress) -> ExperimentResults:
    """Run every algorithm with true and wrong rewards on all kinds of data."""
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    ratios = []
    cells = [(data, told) for data in DATA for told in TOLD]
    total = int(settings["mdps"]) * len(cells)
    for number in range(int(settings["mdps"])):
        seed = int(settings["seed"]) * 1000 + number
        for place, (data, told) in enumerate(cells, 1):
            example = DATA[data](seed)
            ratios.append(concentrability(example.mdp, example.mdp.optimal().policy, example.mu))
            for lost in learn(example, TOLD[told](example.mdp), settings, seed):
                found[data, told, lost.algorithm].append(lost.regret)
            on_progress(number * len(cells) + place, total, f"{data}, {told} reward")
    return ExperimentResults(
        study="doubly-robust",
        results=tuple(
            to_json_data(
                {
                    "data": data,
                    "reward": told,
                    "algorithm": algorithm,
                    "regret": round(float(np.mean(regrets)), DUST),
                    "least": round(min(regrets), DUST),
                    "most": round(max(regrets), DUST),
                    "mdps": len(regrets),
                }
            )
            for (data, told, algorithm), regrets in found.items()
        ),
        settings=dict(settings),
        dataset="",
        details={"concentrability": max(ratios)},
    )


def learn(
    example: Example, rewards: Array, settings: ExperimentSettings, seed: int
) -> Iterator[Lost]:
    """Yield the exact worst case of the theory, then the regret of every algorithm."""
    mdp, covered = example.mdp, support(example.mdp, example.mu)
    bias = Bias(mdp, covered, (rewards,))
    yield Lost(SOLUTIONS, bias.epsilon)
    dataset = tell(sample(mdp, example.mu, int(settings["transitions"]), seed), rewards)
    states = States(np.arange(mdp.states)[:, None])
    model = Model.of(dataset, discount=mdp.discount, states=states)
    for algorithm in ALGORITHMS.values():
        if not algorithm.finite_horizon_only:
            policy = algorithm.solve(model, settings["R"]).policy
            yield Lost(algorithm.name, bias.best - mdp.value(policy))
