"""Roll policies out in a learned model, from recorded starts, with learned ends.

Chua et al., "Deep Reinforcement Learning in a Handful of Trials using Probabilistic Dynamics
Models", NeurIPS 2018, arXiv:1805.12114: at every step a random member of the ensemble predicts
(their TS1), so that the errors of single members do not add up. What the members leave unexplained
is their own error where it is little, and chance where it is much: there the next state is drawn
from the Gaussian that a member predicts.

There is one group of rollouts per member, which never uses that member. An estimate is the mean of
the groups, and its interval that of the jackknife: leaving a member out shows how much depends on
it.

The model predicts the probability of an end at every step; a step counts with the probability that
the episode still goes on. States are kept within the recorded range. A rollout has left what the
data cover at the first step where the members disagree more than at any recorded pair looked at.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import ActionSpace, Array
from instinct.deep import Algorithm, TrainedPolicy, Weights
from instinct.estimate.answers import Answers, from_jackknife, within
from instinct.estimate.model import Model, predict
from instinct.estimate.policies import group, mode
from instinct.estimate.problem import Problem

STARTS = 16
"""Rollouts per group."""
ROWS = 4096
"""Disagreement is measured at so many recorded pairs."""
CHANCE = 0.25
"""From this unexplained share of the variance on, the change of a column is drawn at random."""
COVERED = "covered"
"""The time until a rollout leaves what the data cover, or ends."""


class World(NamedTuple):
    """The model, and what a rollout needs besides."""

    networks: Any
    states: Any
    targets: Any
    low: jax.Array
    high: jax.Array
    limit: jax.Array
    """The largest disagreement at a recorded pair."""
    by_chance: jax.Array
    """Which targets are drawn at random."""
    can_end: jax.Array
    """Whether the data have terminals at all."""
    discount: jax.Array
    key: jax.Array


def evaluate(problem: Problem, model: Model, policies: Sequence[TrainedPolicy]) -> list[Answers]:
    """Return the estimates of every policy, with `covered` beside the problem's quantities."""
    found: dict[int, Answers] = {}
    starts = jnp.asarray(model.states.standardize(problem.observations[problem.start_rows(STARTS)]))
    world = make_world(problem, model)
    limits = {each.quantity: each.limits(problem.horizon) for each in problem.signals}
    limits[COVERED] = (0, problem.horizon)
    for places, stacked in group(policies):
        sums = roll_all(
            stacked, world, starts, problem.horizon, problem.dataset.action_space, model.signals
        )
        for number, place in enumerate(places):
            found[place] = {
                name: within(
                    from_jackknife(np.asarray(values[number], float).mean(axis=1)), *limits[name]
                )
                for name, values in sums.items()
            }
    return [found[place] for place in range(len(policies))]


def make_world(problem: Problem, model: Model) -> World:
    states = model.states.standardize(problem.observations)
    rows = problem.rows(ROWS)
    inputs = model.inputs(problem.observations[rows], problem.actions[rows])
    found = predict(model.networks, inputs)
    return World(
        networks=model.networks,
        states=tuple(map(jnp.asarray, model.states)),
        targets=tuple(map(jnp.asarray, model.targets)),
        low=jnp.asarray(states.min(axis=0)),
        high=jnp.asarray(states.max(axis=0)),
        limit=disagreement(found.means[..., : model.state_size]).max(),
        can_end=jnp.asarray(problem.dataset.terminals.any(), jnp.float32),
        by_chance=jnp.exp(found.log_variances).mean(axis=(0, 1)) > CHANCE,
        discount=jnp.asarray(problem.discount, jnp.float32),
        key=jax.random.key(problem.seed),
    )


def disagreement(changes: jax.Array) -> jax.Array:
    """Return how far the members' predictions differ, in deviations of the data's changes."""
    return jnp.sqrt(jnp.mean(jnp.var(changes, axis=0), axis=-1))


def roll_all(
    stacked: tuple[Algorithm, Weights],
    world: World,
    starts: jax.Array,
    horizon: int,
    space: ActionSpace,
    signals: tuple[str, ...],
) -> dict[str, Array]:
    """Return the sums along all rollouts, [policies, groups, starts] of every quantity."""

    @jax.jit
    def program(stacked: Any, world: World, starts: jax.Array, horizon: Any) -> Any:
        return jax.lax.map(lambda pair: roll(pair, world, starts, horizon, space, signals), stacked)

    sums: dict[str, Array] = program(stacked, world, starts, horizon)
    return sums


def roll(
    pair: tuple[Algorithm, Weights],
    world: World,
    starts: jax.Array,
    horizon: Any,
    space: ActionSpace,
    signals: tuple[str, ...],
) -> dict[str, jax.Array]:
    """Roll one policy out with all members but one, [members, starts]."""
    members, size = len(world.networks[0]["bias"]), starts.shape[1]
    (mean, std), (target_mean, target_std) = world.states, world.targets
    shape = (members, len(starts))
    left_out = jnp.arange(members)[:, None]
    rollouts = jnp.arange(members * len(starts))

    def step(n: Any, carry: Any) -> Any:
        states, going, covered, sums = carry
        flat = states.reshape(-1, size)
        inputs = jnp.concatenate([flat, mode(pair, flat * std + mean, space)], axis=-1)
        found = predict(world.networks, inputs)
        left = disagreement(found.means[..., :size]).reshape(shape) > world.limit
        choice, chance = jax.random.split(jax.random.fold_in(world.key, n))
        others = jax.random.randint(choice, shape, 1, members)
        chosen = ((left_out + others) % members).reshape(-1)
        means, log_variances, logits = (each[chosen, rollouts] for each in found)
        deviations = world.by_chance * jnp.exp(log_variances / 2)
        noise = deviations * jax.random.normal(chance, means.shape)
        values = ((means + noise) * target_std + target_mean).reshape(*shape, -1)
        states = jnp.clip(states + values[..., :size], world.low, world.high)
        covered = covered * ~left
        step_sums = {"length": going, COVERED: going * covered}
        for number, name in enumerate(signals):
            step_sums[name] = going * values[..., size + number]
        if "return" in signals:
            step_sums["discounted_return"] = world.discount**n * step_sums["return"]
        sums = {name: sums[name] + step_sums[name] for name in sums}
        end = world.can_end * jax.nn.sigmoid(logits.reshape(shape))
        return states, going * (1 - end), covered, sums

    names = [*signals, "length", COVERED, *(["discounted_return"] if "return" in signals else [])]
    sums = {name: jnp.zeros(shape) for name in names}
    first = jnp.broadcast_to(starts, (*shape, size))
    carry = (first, jnp.ones(shape), jnp.ones(shape), sums)
    _, going, _, sums = jax.lax.fori_loop(0, horizon, step, carry)
    return {**sums, "end": 1 - going}
