"""Model: the empirical MDP of a dataset, built once and shared by every algorithm."""

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
    """The observations that count as states: row s of `rows` is state s."""

    rows: Array

    def __post_init__(self) -> None:
        rows = np.asarray(self.rows, np.float64)
        if rows.ndim != 2 or len(rows) == 0:
            raise BadInput(f"states have shape {list(rows.shape)}, not [states, dimension]")
        if row_ranks(rows).max() < len(rows) - 1:
            raise BadInput("a state is given twice; the rows of States must be distinct")
        object.__setattr__(self, "rows", rows)

    @classmethod
    def of(cls, dataset: Dataset) -> "States":
        """The distinct observations and next observations of the dataset."""
        seen = np.concatenate([dataset.observations, dataset.next_observations])
        _, first = np.unique(row_ranks(seen), return_index=True)
        return cls(seen[first])

    def __len__(self) -> int:
        return len(self.rows)

    def index(self, observations: Array) -> Array:
        """The number of the state of every observation."""
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
    """The rank of every row among the distinct rows, in lexicographic order."""
    rank = np.zeros(len(rows), np.int64)
    for column in rows.T:
        values, place = np.unique(column, return_inverse=True)
        _, rank = np.unique(rank * len(values) + place, return_inverse=True)
    return rank


@dataclass(frozen=True, eq=False)
class Model:
    """Counts, mean rewards and transition frequencies of a dataset's states and actions.

    The world may end: a transition with `terminals` leads out of all states, to where the value
    is 0. So a row of `transitions` sums to the share of its transitions that do not end the world.
    A timeout is no end: its next state counts as any other, and if no data leave that state, then
    all its actions are out of support.

    With a horizon H the states are layered by time, t·n + s for t = 0..H-1 and s one of the n
    `space` states; γ = 1; and the last layer leads to the end. Without one, γ < 1.
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
    """The next state of every transition, [N]; S stands for the end of the world."""
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
        """The model with either a discount or a horizon, over the given or the seen states."""
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
        """The number of transitions."""
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
        """Which states and actions the data hold, [S, A]."""
        return np.asarray(self.counts > 0)

    @cached_property
    def rewards(self) -> Array:
        """The mean reward r̂(s, a), [S, A]; 0 out of support."""
        return self._sum_per_pair(self.observed) / np.maximum(self.counts, 1)

    @cached_property
    def transitions(self) -> Matrix:
        """P̂, [S·A, S]: the row of (s, a) is s·A + a, and is empty out of support."""
        inside = self.successors < self.states
        rows, columns = self.pairs[inside], self.successors[inside]
        weights = 1 / self.counts.ravel()[rows]
        shape = (self.states * self.actions, self.states)
        return sparse.csr_array((weights, (rows, columns)), shape=shape)

    @cached_property
    def initial(self) -> Array:
        """The distribution of the episodes' first states, [S]."""
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
        """What a reward of 1 at every step from here on adds up to, [S].

        1/(1-γ), or the H - t steps left of the horizon.
        """
        if self.horizon is None:
            return np.full(self.states, 1 / (1 - self.discount))
        return np.repeat(np.arange(self.horizon, 0, -1.0), len(self.space))

    def mdp(self, rewards: Array, transitions: Matrix | None = None) -> MDP:
        """An MDP over these states and, as its last state, the end of the world.

        Transitions that are not given are P̂. What a row lacks of summing to one leads to the end:
        a pair with an empty row ends the world with its reward.
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
    """The layer of every transition (0 without a horizon), and γ."""
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
    """State numbers of a field; where the world ended, the next observation need not be one."""
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
    """The transitions of one more action, number A, that ends the world; [S·(A+1), S]."""
    starts = transitions.indptr[:-1].reshape(-1, actions)
    stops = transitions.indptr[actions::actions, None]
    indptr = np.append(np.hstack([starts, stops]), transitions.indptr[-1])
    shape = (len(indptr) - 1, transitions.shape[1])
    return sparse.csr_array((transitions.data, transitions.indices, indptr), shape=shape)


def restrict(transitions: Matrix, pairs: Array) -> Matrix:
    """The transitions of some pairs, by a mask [S, A]; the others end the world."""
    kept = sparse.diags_array(pairs.ravel().astype(np.float64))
    return sparse.csr_array(kept @ transitions)
