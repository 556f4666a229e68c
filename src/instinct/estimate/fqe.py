"""Fitted Q evaluation: Q_n(s, a), the sum of a signal over n steps of a policy from (s, a).

Le, Voloshin and Yue, "Batch Policy Learning under Constraints", ICML 2019, arXiv:1903.08738.

Q₀ = 0, and Q_{n+1} is the least-squares fit to r + γ·Q_n(s′, π(s′)), with no continuation after a
terminal. The horizon is the number of fits, so nothing needs to be discounted. A critic is linear
in the features of a member of the ensemble (`model.py`): every fit is then exact and cheap, and the
features are shared by all policies. Each member fits its own bootstrap sample of the episodes. The
iteration can diverge where a policy leaves the data; members that did are left out.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Array
from instinct.deep import TrainedPolicy
from instinct.deep.nn.networks import MLP
from instinct.estimate.answers import Answer, Answers, Refusal, from_bootstrap, within
from instinct.estimate.model import Model, features
from instinct.estimate.policies import actions_at
from instinct.estimate.problem import Problem

ROWS = 16_384
"""Q is fitted at so many recorded pairs at most."""
STARTS = 256
RIDGE = 1e-2
"""The penalty on weights, relative to the mean square of the features."""
TOLERANCE = 0.05
"""A fit whose length or probability leaves its range by more than this share has diverged."""


class Transitions(NamedTuple):
    """Recorded pairs and starts, as the networks take them; all policies share them."""

    pairs: jax.Array
    signals: jax.Array
    goes_on: jax.Array
    next_states: jax.Array
    starts: jax.Array
    weights: jax.Array
    """How often every pair counts, [members, rows]."""
    start_weights: jax.Array
    discounts: jax.Array


def evaluate(problem: Problem, model: Model, policies: Sequence[TrainedPolicy]) -> list[Answers]:
    """Return the estimates of every policy, from the members whose fits have not diverged."""
    return [answers(problem, each) for each in member_values(problem, model, policies)]


def answers(problem: Problem, values: Array) -> dict[str, Answer]:
    """Return the estimates of one policy from its values by member and signal.

    Lengths and probabilities have known ranges. A member that leaves them has diverged.
    """
    sound = np.ones(len(values), bool)
    for number, signal in enumerate(problem.signals):
        if signal.quantity in ("length", "end"):
            _, most = signal.limits(problem.horizon)
            share = values[:, number] / most
            sound &= (share >= -TOLERANCE) & (share <= 1 + TOLERANCE)
    if sound.sum() <= len(values) / 2:
        reason = f"{(~sound).sum()} of {len(values)} fits have diverged"
        return dict.fromkeys(problem.quantities, Refusal(reason))
    found: dict[str, Answer] = {}
    for number, signal in enumerate(problem.signals):
        estimate = from_bootstrap(values[sound, number])
        found[signal.quantity] = within(estimate, *signal.limits(problem.horizon))
    return found


def member_values(problem: Problem, model: Model, policies: Sequence[TrainedPolicy]) -> Array:
    """Return the mean value at starts, [policies, members, signals]."""
    rows, starts = problem.rows(ROWS), problem.start_rows(STARTS)
    next_states, start_states = problem.next_observations[rows], problem.observations[starts]
    actions = actions_at(policies, np.concatenate([next_states, start_states]))
    return np.asarray(
        solve_all(
            model.networks,
            shared_arrays(problem, model, rows, starts),
            jnp.asarray(actions),
            problem.horizon,
        )
    )


def shared_arrays(problem: Problem, model: Model, rows: Array, starts: Array) -> Transitions:
    """Return the arrays that do not depend on the policy."""
    weights, numbers = problem.episode_weights, problem.episode_numbers
    signals = problem.signals
    return Transitions(
        pairs=model.inputs(problem.observations[rows], problem.actions[rows]),
        signals=jnp.stack([jnp.asarray(signal.values[rows]) for signal in signals], axis=1),
        goes_on=jnp.asarray(~problem.dataset.terminals[rows], jnp.float32),
        next_states=jnp.asarray(model.states.standardize(problem.next_observations[rows])),
        starts=jnp.asarray(model.states.standardize(problem.observations[starts])),
        weights=jnp.asarray(weights[:, numbers[rows]]),
        start_weights=jnp.asarray(start_weights(weights[:, numbers[starts]])),
        discounts=jnp.array([signal.discount for signal in signals], jnp.float32),
    )


def start_weights(counts: Array) -> Array:
    """Return the weights of starts in every bootstrap sample; those of none are equal."""
    counts = np.where(counts.sum(axis=1, keepdims=True) > 0, counts, 1)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


@jax.jit
def solve_all(networks: MLP, data: Transitions, actions: jax.Array, horizon: Any) -> jax.Array:
    """Evaluate all policies, given their actions at next states and starts, in one program."""
    projections = jax.vmap(projection, in_axes=(0, None, 0))(networks, data.pairs, data.weights)

    def one(actions: jax.Array) -> jax.Array:
        each = jax.vmap(solve, in_axes=(0, 0, 0, None, None, None))
        return each(networks, projections, data.start_weights, data, actions, horizon)

    values: jax.Array = jax.lax.map(one, actions)
    return values


def projection(network: MLP, pairs: jax.Array, weights: jax.Array) -> jax.Array:
    """Return the matrix from targets at recorded pairs to the weights of their best fit."""
    phi = with_constant(features(network, pairs))
    weighted = phi * weights[:, None]
    ridge = RIDGE * jnp.mean(jnp.sum(weighted * phi, axis=0))
    gram = weighted.T @ phi + ridge * jnp.eye(phi.shape[1])
    return jnp.asarray(jnp.linalg.solve(gram, weighted.T))


def solve(
    network: MLP,
    project: jax.Array,
    start_weights: jax.Array,
    data: Transitions,
    actions: jax.Array,
    horizon: Any,
) -> jax.Array:
    """Make `horizon` fits for one policy and one member; return the mean value at starts.

    Since the fit is linear in its targets, n fits need two arrays only: w ← b + γ·M·w.
    """
    states = jnp.concatenate([data.next_states, data.starts])
    phi = with_constant(features(network, jnp.concatenate([states, actions], axis=-1)))
    following, first = phi[: len(data.next_states)], phi[len(data.next_states) :]
    b = project @ data.signals
    m = project @ (data.goes_on[:, None] * following)

    def fit_next(_: jax.Array, weights: jax.Array) -> jax.Array:
        return b + data.discounts * (m @ weights)

    weights = jax.lax.fori_loop(0, horizon, fit_next, jnp.zeros_like(b))
    return jnp.asarray(start_weights @ (first @ weights))


def with_constant(phi: jax.Array) -> jax.Array:
    """Add a feature that is always 1."""
    return jnp.concatenate([phi, jnp.ones((len(phi), 1))], axis=1)
