"""The empirical MDP of a dataset, which all tabular algorithms share."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from instinct.data import Array, Dataset, Discrete
from instinct.errors import BadInput
from instinct.theory.linear import Matrix
from instinct.theory.mdp import MDP


@dataclass(frozen=True, eq=False)
class States:
    """The observations that are states: row s of `rows` is state s."""

    rows: Array

    def __post_init__(self) -> None:
        rows = np.asarray(self.rows, np.float64)
        if rows.ndim != 2 or len(rows) == 0:
            raise BadInput(f"states have shape {list(rows.shape)}, not [states, dimension]")
        if row_ranks(rows).max() < len(rows) - 1:
            raise BadInput("two states are equal; the rows of States must be distinct")
        object.__setattr__(self, "rows", rows)

    @classmethod
    def of(cls, dataset: Dataset) -> "States":
        """Return the distinct observations and next observations of the dataset."""
        seen = np.concatenate([dataset.observations, dataset.next_observations])
        _, first = np.unique(row_ranks(seen), return_index=True)
        return cls(seen[first])

    def __len__(self) -> int:
        return len(self.rows)

    def index(self, observations: Array) -> Array:
        """Return the state number of every observation."""
        if observations.ndim != 2 or observations.shape[1] != self.rows.shape[1]:
            need = self.rows.shape[1]
            raise BadInput(f"has shape {list(observations.shape)}, not [rows, {need}]")
        rank = row_ranks(np.concatenate([self.rows, observations]))
        own, wanted = rank[: len(self)], rank[len(self) :]
        number = np.full(rank.max() + 1, -1)
        number[own] = np.arange(len(self))
        numbers = number[wanted]
        if (numbers < 0).any():
            raise BadInput("is not one of the states", row=int(numbers.argmin()))
        return np.asarray(numbers)


def row_ranks(rows: Array) -> Array:
    """Return the rank of every row among the distinct rows, in lexicographic order."""
    rank = np.zeros(len(rows), np.int64)
    for column in rows.T:
        values, place = np.unique(column, return_inverse=True)
        _, rank = np.unique(rank * len(values) + place, return_inverse=True)
    return rank


@dataclass(frozen=True, eq=False)
class Model:
    """Counts, mean rewards and transition frequencies of a dataset's states and actions.

    A transition with a terminal leads to the end state, which has value 0. So a row of
    `transitions` sums to the share of its transitions that are not terminal. A timeout does not
    lead to the end state: its next state is an ordinary state. If no data leave that state, all its
    actions are out of support.

    With a horizon H, states are layered by time: t·n + s for t = 0..H-1 and s one of the n states
    of `space`. Then γ = 1, and the last layer leads to the end state. Without a horizon, γ < 1.
    """

    space: States
    actions: int
    discount: float
    """γ."""
    horizon: int | None
    pairs: Array
    """s·A + a of every transition, [N]."""
    observed: Array
    """The reward of every transition, [N]."""
    successors: Array
    """The next state of every transition, [N]; S is the end state."""
    starts: Array
    """The first state of every episode, [episodes]."""

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        *,
        discount: float | None = None,
        horizon: int | None = None,
        states: States | None = None,
    ) -> "Model":
        """Build the model with either a discount or a horizon.

        The states are the given ones, or else the distinct observations of the dataset.
        """
        if not isinstance(dataset.action_space, Discrete):
            raise BadInput("tabular algorithms need a discrete action space", field="actions")
        space = States.of(dataset) if states is None else states
        layer, discount = time_layers(dataset, discount, horizon)
        n, A = len(space), dataset.action_space.n
        S = n * (horizon or 1)
        now = layer * n + state_numbers(space, dataset, "observations")
        following = state_numbers(space, dataset, "next_observations")
        if horizon is not None:
            following += (layer + 1) * n
        return cls(
            space=space,
            actions=A,
            discount=discount,
            horizon=horizon,
            pairs=now * A + dataset.actions,
            observed=dataset.rewards.astype(np.float64),
            successors=np.where(dataset.terminals, S, np.minimum(following, S)),
            starts=now[dataset.starts],
        )

    def __len__(self) -> int:
        """Return the number of transitions."""
        return len(self.pairs)

    @property
    def states(self) -> int:
        return len(self.space) * (self.horizon or 1)

    @cached_property
    def counts(self) -> Array:
        """n(s, a), [S, A]."""
        return self._sum_per_pair(None)

    @property
    def support(self) -> Array:
        """Which pairs have data, [S, A]."""
        return np.asarray(self.counts > 0)

    @cached_property
    def rewards(self) -> Array:
        """The mean reward r̂(s, a), [S, A]; 0 out of support."""
        return self._sum_per_pair(self.observed) / np.maximum(self.counts, 1)

    @cached_property
    def transitions(self) -> Matrix:
        """P̂, [S·A, S]; the row of (s, a) is s·A + a, and is zero out of support."""
        inside = self.successors < self.states
        rows, columns = self.pairs[inside], self.successors[inside]
        weights = 1 / self.counts.ravel()[rows]
        shape = (self.states * self.actions, self.states)
        return sparse.csr_array((weights, (rows, columns)), shape=shape)

    @cached_property
    def initial(self) -> Array:
        """The distribution of the first states of episodes, [S]."""
        return np.bincount(self.starts, minlength=self.states) / len(self.starts)

    @property
    def distribution(self) -> Array:
        """μ(s, a), [S, A]: the share of the transitions."""
        return self.counts / len(self)

    @cached_property
    def behavior(self) -> Array:
        """μ(a | s), [S, A]; uniform in states without data."""
        visits = self.counts.sum(axis=1, keepdims=True)
        return np.where(visits > 0, self.counts / np.maximum(visits, 1), 1 / self.actions)

    @cached_property
    def steps_left(self) -> Array:
        """The return of a reward of 1 at every step from here on, [S].

        It is 1/(1-γ), or the H - t remaining steps of the horizon.
        """
        if self.horizon is None:
            return np.full(self.states, 1 / (1 - self.discount))
        return np.repeat(np.arange(self.horizon, 0, -1.0), len(self.space))

    def mdp(self, rewards: Array, transitions: Matrix | None = None) -> MDP:
        """Return an MDP over these states, with the end state as its last state.

        The default transitions are P̂. If a row sums to less than one, the remaining probability
        leads to the end state. So a pair with a zero row ends the episode after its reward.
        """
        S, A = self.states, rewards.shape[1]
        P = self.transitions if transitions is None else transitions
        end = np.append(np.clip(1 - np.asarray(P.sum(axis=1)), 0, 1), np.ones(A))
        table = sparse.vstack([P, sparse.csr_array((A, S))])
        return MDP(
            sparse.csr_array(sparse.hstack([table, sparse.csr_array(end[:, None])])),
            np.vstack([rewards, np.zeros(A)]),
            np.append(self.initial, 0),
            self.discount,
            self.horizon,
        )

    def _sum_per_pair(self, weights: Array | None) -> Array:
        size = self.states * self.actions
        return np.bincount(self.pairs, weights, minlength=size).reshape(-1, self.actions)


def time_layers(
    dataset: Dataset, discount: float | None, horizon: int | None
) -> tuple[Array, float]:
    """Return the layer of every transition (0 without a horizon), and γ."""
    if (discount is None) == (horizon is None):
        raise BadInput("a model needs either a discount or a horizon")
    if horizon is None:
        if discount is None or not 0 <= discount < 1:
            raise BadInput(f"the discount is {discount}, which is not in [0, 1)")
        return np.zeros(len(dataset), np.int64), discount
    longest = int(dataset.lengths.max())
    if horizon < longest:
        raise BadInput(f"the horizon {horizon} is shorter than an episode of {longest} transitions")
    return dataset.steps, 1.0


def state_numbers(space: States, dataset: Dataset, field: str) -> Array:
    """Return the state numbers of a field; after a terminal the next observation may be any."""
    observations: Array = getattr(dataset, field)
    needed = np.ones(len(dataset), np.bool_)
    if field == "next_observations":
        needed = ~dataset.terminals
    numbers = np.zeros(len(dataset), np.int64)
    try:
        numbers[needed] = space.index(observations[needed])
    except BadInput as fault:
        row = None if fault.row is None else int(np.flatnonzero(needed)[fault.row])
        raise BadInput(fault.problem, field=field, row=row) from fault
    return numbers


def add_ending_action(transitions: Matrix, actions: int) -> Matrix:
    """Add an action, number A, that leads to the end state; returns [S·(A+1), S]."""
    starts = transitions.indptr[:-1].reshape(-1, actions)
    stops = transitions.indptr[actions::actions, None]
    indptr = np.append(np.hstack([starts, stops]), transitions.indptr[-1])
    shape = (len(indptr) - 1, transitions.shape[1])
    return sparse.csr_array((transitions.data, transitions.indices, indptr), shape=shape)


def restrict(transitions: Matrix, pairs: Array) -> Matrix:
    """Keep the transitions of the pairs of a mask [S, A]; the others lead to the end state."""
    kept = sparse.diags_array(pairs.ravel().astype(np.float64))
    return sparse.csr_array(kept @ transitions)
