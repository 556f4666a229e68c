"""Per-decision weighted importance sampling, with a cloned density of the behavior.

Precup, Sutton and Singh, "Eligibility Traces for Off-Policy Policy Evaluation", ICML 2000.

Episode i has after t steps the weight ρᵢ = Π π(a|s)/μ(a|s), and a step counts Σᵢ ρᵢ·rᵢ/Σᵢ ρᵢ. An
episode that ended stays with its weight and reward 0; one whose recording stopped leaves the sums.
A discrete policy is its most likely action. For continuous actions such a policy has no density: it
is judged with the noise of the behavior around its action.

It is a reference: unbiased for many episodes where all others rest on a model, and useless when few
episodes carry all the weight. It is refused then.
"""

from collections.abc import Sequence

import numpy as np

from instinct.data import Array, Discrete
from instinct.deep import TrainedPolicy
from instinct.estimate.answers import LEVEL, Answer, Answers, Estimate, Refusal
from instinct.estimate.behavior import Behavior
from instinct.estimate.policies import actions_at
from instinct.estimate.problem import Problem

RESAMPLES = 200
EFFECTIVE = 10.0
"""The weights must be worth so many episodes at every step."""


def evaluate(
    problem: Problem, behavior: Behavior, policies: Sequence[TrainedPolicy]
) -> list[Answers]:
    """Return the estimates of every policy."""
    actions = actions_at(policies, problem.observations)
    return [evaluate_one(problem, log_ratios(problem, behavior, each)) for each in actions]


def log_ratios(problem: Problem, behavior: Behavior, actions: Array) -> Array:
    """Return log π(a|s)/μ(a|s) of every recorded row; −∞ where π never acts like this."""
    s, recorded = problem.observations, problem.actions
    log_mu = behavior.log_density(s, recorded)
    if isinstance(problem.dataset.action_space, Discrete):
        same = actions.argmax(axis=1) == recorded.argmax(axis=1)
        return np.where(same, -log_mu, -np.inf)
    shift = behavior.most_likely(problem, s) - actions
    return np.asarray(behavior.log_density(s, recorded + shift) - log_mu)


def evaluate_one(problem: Problem, log_ratio: Array) -> dict[str, Answer]:
    """Estimate all quantities from the ratios of one policy, with intervals by the bootstrap."""
    weights = weight_table(problem, log_ratio)
    total, squares = weights.sum(axis=0), (weights**2).sum(axis=0)
    effective = float(np.min(divide(total**2, squares)))
    if effective < min(EFFECTIVE, problem.dataset.episodes):
        reason = f"the weights are worth {effective:.1f} of {problem.dataset.episodes} episodes"
        return dict.fromkeys(problem.quantities, Refusal(reason))
    counts = np.random.default_rng(problem.seed).multinomial(
        len(weights), np.full(len(weights), 1 / len(weights)), RESAMPLES
    )
    counts = np.concatenate([np.ones((1, len(weights))), counts])
    totals = counts @ weights
    found: dict[str, Answer] = {}
    for signal in problem.signals:
        table = signal_table(problem, signal.values)
        discounts = signal.discount ** np.arange(table.shape[1])
        value, *resampled = divide(counts @ (weights * table), totals) @ discounts
        low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        found[signal.quantity] = Estimate(float(value), float(low), float(high))
    return found


def divide(x: Array, y: Array) -> Array:
    """Return x/y, and 0 where y is 0."""
    return np.divide(x, y, out=np.zeros_like(x), where=y > 0)


def weight_table(problem: Problem, log_ratio: Array) -> Array:
    """Return the weight of every episode at every step; 0 after its recording stopped.

    Weights are divided by the largest of their step, which changes no mean.
    """
    data, horizon = problem.dataset, problem.horizon
    shape = (data.episodes, horizon)
    log_weights, present = np.zeros(shape), np.ones(shape, bool)
    for number, (start, stop) in enumerate(zip(data.starts, data.stops, strict=True)):
        sums = np.cumsum(log_ratio[start:stop])[:horizon]
        log_weights[number, : len(sums)] = sums
        log_weights[number, len(sums) :] = sums[-1]
        present[number, len(sums) :] = data.terminals[stop - 1]
    log_weights = np.where(present, log_weights, -np.inf)
    largest = log_weights.max(axis=0, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    return np.asarray(np.exp(log_weights - largest))


def signal_table(problem: Problem, values: Array) -> Array:
    """Return the values of a signal, [episodes, horizon]; 0 after an episode."""
    data, steps = problem.dataset, problem.dataset.steps
    table = np.zeros((data.episodes, problem.horizon))
    inside = steps < problem.horizon
    table[problem.episode_numbers[inside], steps[inside]] = values[inside]
    return table
