"""Tabular MDPs with exact values: discounted, or with a horizon as layers of time."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.linear import Matrix, fixed_point

TOLERANCE = 1e-9
"""Largest accepted deviation of a sum of probabilities from one."""


class Optimal(NamedTuple):
    """Q*, V* and a deterministic optimal policy."""

    Q: Array
    V: Array
    policy: Array


@dataclass(frozen=True, eq=False)
class MDP:
    """The task MDP M = (S, A, r, P, γ) with states 0..S-1, actions 0..A-1 and initial d_0.

    A policy is an array [S, A] of action probabilities. Values are not normalized:
    V^π(s) = E[Σ_t γ^t r(s_t, a_t) | s_0 = s].

    If `ends` is true, the last state is the end state: it is absorbing, has reward 0, and is always
    in the support. With a `horizon` H there is always an end state. The other states are then
    layered by time, t·n + s for t = 0..H-1. Every step leads to the next layer or to the end state,
    and γ = 1 is allowed. `layered` makes such an MDP from one without a horizon.
    """

    transitions: Matrix
    """P, [S·A, S]: the row of (s, a) is s·A + a."""
    rewards: Array
    """r, [S, A]."""
    initial: Array
    """d_0, [S]."""
    discount: float
    """γ."""
    horizon: int | None = None
    ends: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "transitions", sparse.csr_array(self.transitions))
        object.__setattr__(self, "rewards", np.asarray(self.rewards, np.float64))
        object.__setattr__(self, "initial", np.asarray(self.initial, np.float64))
        object.__setattr__(self, "ends", self.ends or self.horizon is not None)
        self._check_shapes()
        self._check_probabilities()
        if self.horizon is not None:
            self._check_layers(self.horizon)
        elif not 0 <= self.discount < 1:
            raise BadInput(f"the discount is {self.discount}, which is not in [0, 1)")
        if self.ends:
            self._check_end(self.rewards)

    def _check_shapes(self) -> None:
        if self.rewards.ndim != 2 or 0 in self.rewards.shape:
            raise BadInput(f"the rewards have shape {list(self.rewards.shape)}, not [S, A]")
        if not np.isfinite(self.rewards).all():
            raise BadInput("the rewards of an MDP must be finite")
        need = (self.states * self.actions, self.states)
        if self.transitions.shape != need:
            got = list(self.transitions.shape)
            raise BadInput(f"the transition table has shape {got}, not {list(need)} = [S·A, S]")
        if self.initial.shape != (self.states,):
            raise BadInput(f"the initial distribution must have {self.states} entries, one a state")

    def _check_probabilities(self) -> None:
        P = self.transitions
        totals: Array = P.sum(axis=1)
        wrong = ~(np.abs(totals - 1) <= TOLERANCE)
        negative = ~(P.data >= 0)
        wrong[np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))[negative]] = True
        if wrong.any():
            row = int(wrong.argmax())
            state, action = divmod(row, self.actions)
            raise BadInput(
                f"the transition probabilities of state {state} and action {action} sum to "
                f"{totals[row]:.10g} or are not all in [0, 1]; each row must be a distribution"
            )
        if not (self.initial >= 0).all() or abs(self.initial.sum() - 1) > TOLERANCE:
            raise BadInput("the initial distribution must be non-negative and sum to one")

    def _check_layers(self, horizon: int) -> None:
        if not 0 <= self.discount <= 1:
            raise BadInput(f"the discount is {self.discount}, which is not in [0, 1]")
        if horizon < 1 or (self.states - 1) % horizon:
            raise BadInput(f"{self.states} states are not {horizon} equal layers and an end state")
        layer = np.arange(self.states) // self.width
        table = self.transitions.tocoo()
        now, later = layer[table.row // self.actions], layer[table.col]
        allowed = (later == now + 1) | (later == horizon)
        if (~allowed & (table.data > 0)).any():
            raise BadInput("a layered MDP may only step to the next layer or to the end state")

    def _check_end(self, rewards: Array) -> None:
        if rewards[-1].any():
            raise BadInput("the end state of an MDP must have reward 0")
        if (self.transitions[-self.actions :, [-1]].toarray() == 0).any():
            raise BadInput("the end state of an MDP must lead to itself")

    @classmethod
    def dense(cls, P: Array, rewards: Array, initial: Array, discount: float) -> "MDP":
        """Make an MDP from a dense table P[s, a, s′]."""
        P = np.asarray(P, np.float64)
        if P.ndim != 3:
            raise BadInput(f"the transition table has shape {list(P.shape)}, not [S, A, S]")
        return cls(sparse.csr_array(P.reshape(-1, P.shape[2])), rewards, initial, discount)

    @property
    def states(self) -> int:
        return int(self.rewards.shape[0])

    @property
    def actions(self) -> int:
        return int(self.rewards.shape[1])

    @property
    def width(self) -> int:
        """Number of states in a layer."""
        return self.states if self.horizon is None else (self.states - 1) // self.horizon

    @property
    def span(self) -> float:
        """Σ_t γ^t: V^π(d_0) = span · E_{d^π}[r], and |r| ≤ 1 gives |V| ≤ span."""
        if self.horizon is None:
            return 1 / (1 - self.discount)
        return float((self.discount ** np.arange(self.horizon)).sum())

    @cached_property
    def continuation(self) -> Matrix:
        """γP, [S·A, S], with zero rows for the end state."""
        if not self.ends:
            return sparse.csr_array(self.discount * self.transitions)
        alive = np.repeat(np.arange(self.states) < self.states - 1, self.actions)
        kept = sparse.csr_array(sparse.diags_array(self.discount * alive) @ self.transitions)
        kept.eliminate_zeros()
        return kept

    def with_rewards(self, rewards: Array) -> "MDP":
        return replace(self, rewards=rewards)

    def v(self, policy: Array, rewards: Array | None = None) -> Array:
        """Return V^π, [S], for the given rewards or else the MDP's own."""
        rewards = self._rewards(rewards)
        policy = self.check_policy(policy)
        return self.solve(policy, (policy * rewards).sum(axis=1))

    def q(self, policy: Array, rewards: Array | None = None) -> Array:
        """Return Q^π, [S, A]."""
        return self.backup(self.v(policy, rewards), rewards)

    def value(self, policy: Array, rewards: Array | None = None) -> float:
        """Return V^π(d_0)."""
        return float(self.initial @ self.v(policy, rewards))

    def backup(self, V: Array, rewards: Array | None = None) -> Array:
        """Return r(s, a) + γ E[V(s′)], [S, A]."""
        return np.asarray(
            self._rewards(rewards) + (self.continuation @ V).reshape(-1, self.actions)
        )

    def occupancy(self, policy: Array) -> Array:
        """Return d^π, [S, A]: (1-γ) Σ_t γ^t d_t^π, or the average over the H steps of a horizon.

        It sums to one minus the share of time in the end state.
        """
        policy = self.check_policy(policy)
        visits = self._fixed_point(sparse.csr_array(self._mixed(policy).T), self.initial)
        if self.ends:
            visits[-1] = 0
        return np.asarray(visits[:, None] * policy / self.span)

    def optimal(self, rewards: Array | None = None, allowed: Array | None = None) -> Optimal:
        """Solve the MDP by policy iteration, or by backward induction if it is layered.

        With `allowed`, [S, A], only these actions are used. In a state without an allowed action,
        all actions are.
        """
        rewards = self._rewards(rewards)
        if allowed is not None:
            barred = ~allowed & allowed.any(axis=1, keepdims=True)
            rewards = np.where(barred, -np.inf, rewards)
        V = self._backward(rewards) if self.horizon else self._iterate(rewards)
        Q = rewards + self._later(V)
        return Optimal(Q, V, deterministic(Q.argmax(axis=1), self.actions))

    def _backward(self, rewards: Array) -> Array:
        V = np.zeros(self.states)
        for start in range(self.states - 1 - self.width, -1, -self.width):
            layer = slice(start, start + self.width)
            rows = slice(layer.start * self.actions, layer.stop * self.actions)
            later = np.asarray(self.continuation[rows] @ V)
            V[layer] = (rewards[layer] + later.reshape(-1, self.actions)).max(axis=1)
        return V

    def _iterate(self, rewards: Array) -> Array:
        everyone = np.arange(self.states)
        chosen = rewards.argmax(axis=1)
        while True:
            V = self.solve(deterministic(chosen, self.actions), rewards[everyone, chosen])
            Q = rewards + self._later(V)
            best = Q.argmax(axis=1)
            gain = Q[everyone, best] - Q[everyone, chosen]
            better = gain > 1e-11 * max(1.0, np.abs(V).max())
            if not better.any():
                return V
            chosen = np.where(better, best, chosen)

    def _later(self, V: Array) -> Array:
        """Return γ E[V(s′)], [S, A]."""
        return np.asarray(self.continuation @ V).reshape(-1, self.actions)

    def _rewards(self, rewards: Array | None) -> Array:
        if rewards is None:
            return self.rewards
        rewards = np.asarray(rewards, np.float64)
        if rewards.shape != self.rewards.shape:
            need = list(self.rewards.shape)
            raise BadInput(f"the rewards have shape {list(rewards.shape)}, not {need}")
        if self.ends:
            self._check_end(rewards)
        return rewards

    def check_policy(self, policy: Array) -> Array:
        """Return the policy as an array, or refuse it if it is not one for this MDP."""
        policy = np.asarray(policy, np.float64)
        if policy.shape != self.rewards.shape:
            need = list(self.rewards.shape)
            raise BadInput(f"the policy has shape {list(policy.shape)}, not {need}")
        if not (policy >= 0).all() or (np.abs(policy.sum(axis=1) - 1) > TOLERANCE).any():
            raise BadInput("every row of a policy must be non-negative and sum to one")
        return policy

    def solve(self, weights: Array, target: Array) -> Array:
        """Solve x(s) = target(s) + γ Σ_a weights(s, a) E[x(s′)], [S]."""
        return self._fixed_point(self._mixed(weights), target)

    def _fixed_point(self, step: Matrix, target: Array) -> Array:
        return fixed_point(step, target, triangular=self.horizon is not None, span=self.span)

    def _mixed(self, weights: Array) -> Matrix:
        """Return γ Σ_a weights(s, a) P(s′|s, a), [S, S]."""
        pairs = np.arange(weights.size)
        where = (pairs // self.actions, pairs)
        mix = sparse.csr_array((weights.ravel(), where), shape=(self.states, weights.size))
        return sparse.csr_array(mix @ self.continuation)


def deterministic(chosen: Array, actions: int) -> Array:
    """Return the policy that takes the chosen action in every state."""
    return np.eye(actions)[chosen]


def uniform(mdp: MDP) -> Array:
    """Return the policy that takes every action with equal probability."""
    return np.full(mdp.rewards.shape, 1 / mdp.actions)


def layered(mdp: MDP, horizon: int) -> MDP:
    """Return the undiscounted H-step MDP with states t·S + s, t = 0..H-1, and an end state.

    This is the layered state space of the paper's Finite-Horizon Version.
    """
    if mdp.horizon is not None:
        raise BadInput("the MDP is already layered")
    if horizon < 1:
        raise BadInput(f"the horizon is {horizon}, not at least 1")
    S, A = mdp.states, mdp.actions
    states = horizon * S + 1
    table = mdp.transitions.tocoo()
    starts = np.arange(horizon - 1)[:, None]
    last = np.arange((horizon - 1) * S * A, states * A)
    rows = np.concatenate([(starts * S * A + table.row).ravel(), last])
    columns = np.concatenate(
        [((starts + 1) * S + table.col).ravel(), np.full_like(last, states - 1)]
    )
    data = np.concatenate([np.tile(table.data, horizon - 1), np.ones(len(last))])
    transitions = sparse.csr_array((data, (rows, columns)), shape=(states * A, states))
    rewards = repeat_over_time(mdp.rewards, horizon)
    initial = np.concatenate([mdp.initial, np.zeros(states - S)])
    return MDP(transitions, rewards, initial, 1.0, horizon)


def repeat_over_time(values: Array, horizon: int) -> Array:
    """Repeat values of pairs, [S, A], for each layer, with zeros for the end state."""
    return np.vstack([np.tile(values, (horizon, 1)), np.zeros_like(values[:1])])
