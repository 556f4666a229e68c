"""Cells: a finite model of a dataset, whose states and actions are the nearest of some rows."""

from typing import NamedTuple

import numpy as np

from instinct.data import Array, Box, Dataset
from instinct.data.filters import remove
from instinct.tabular.model import Model, States, row_ranks

TRANSITIONS = 100_000
"""Transitions that a model is built of; of larger datasets, that many in episodes at random."""
STATES, ACTIONS = 500, 8
"""Cells of observations, and of continuous actions."""
PER_CELL = 20
"""A small dataset has fewer cells: one for so many transitions."""
BLOCK = 20_000
"""Rows whose distances are computed at once; this limits the memory."""
DISCOUNT = 0.99
"""γ of plans."""


class Selection(NamedTuple):
    """Some rows of the cells and their model."""

    rows: Array
    cuts: Array
    """After which of these rows what follows is unknown."""
    model: Model


class Cells(NamedTuple):
    """The dataset that was cut into cells, and for every row its state, action and next state."""

    dataset: Dataset
    taken: Array
    """Which rows of the whole dataset these are."""
    state: Array
    action: Array
    following: Array
    states: int
    actions: int
    exact: bool
    """Whether every distinct observation and action is a cell of its own."""

    def model(self, episodes: Array | None = None) -> Model:
        """Return the empirical MDP of these episodes, which may repeat; by default of all."""
        return self.select(episodes).model

    def select(
        self,
        episodes: Array | None = None,
        removed: Array | None = None,
        *,
        cut: bool = True,
    ) -> Selection:
        """Return the model of these episodes, without the rows of a mask.

        It has the first states of all these episodes: a filter does not change where the world
        begins. What follows a row before a removed one is unknown, unless `cut` is false.
        """
        data = self.dataset
        if episodes is None:
            episodes = np.arange(data.episodes)
        rows, following = self.rows(episodes), self.following
        cuts = np.zeros(len(data), np.bool_) if data.cuts is None else data.cuts
        if removed is not None:
            rows = rows[~removed[rows]]
        if removed is not None and cut:
            cuts = cuts | (np.append(removed[1:], False) & ~data.ends)
            following = np.where(cuts, self.states, following)
        model = Model(
            space=States(np.arange(self.states)[:, None]),
            actions=self.actions,
            discount=DISCOUNT,
            horizon=None,
            pairs=(self.state * self.actions + self.action)[rows],
            observed=data.rewards.astype(np.float64)[rows],
            successors=following[rows],
            starts=self.state[data.starts[episodes]],
        )
        return Selection(rows, cuts[rows], model)

    def rows(self, episodes: Array) -> Array:
        """Return the rows of these episodes, one after the other."""
        lengths = self.dataset.lengths[episodes]
        before = np.cumsum(lengths) - lengths
        shift = np.repeat(self.dataset.starts[episodes] - before, lengths)
        return np.asarray(shift + np.arange(lengths.sum()))


def cut_into_cells(dataset: Dataset, seed: int = 0) -> Cells:
    """Assign every transition of a sample of the episodes to cells.

    Observations are scaled to deviation 1. The center of a cell is an observation or an action at
    random. If there are few distinct ones, each is its own cell. After the end of the world, and
    after a cut, comes the number after the last state.
    """
    random = np.random.default_rng(seed)
    taken = sample_episodes(dataset, random)
    dataset = remove(dataset, ~taken)
    scale = dataset.observations.std(axis=0, dtype=np.float64)
    scale = np.where(scale > 0, scale, 1)
    now, ends = dataset.observations / scale, dataset.ends
    last = dataset.next_observations[ends] / scale
    centers, own_states = choose_centers(now, last, STATES, random)
    state = nearest(now, centers)
    following = np.append(state[1:], 0)
    following[ends] = nearest(last, centers)
    over = dataset.terminals if dataset.cuts is None else dataset.terminals | dataset.cuts
    following[over] = len(centers)
    if isinstance(dataset.action_space, Box):
        chosen, own_actions = choose_centers(dataset.actions, dataset.actions[:0], ACTIONS, random)
        action, actions = nearest(dataset.actions, chosen), len(chosen)
    else:
        action, actions, own_actions = dataset.actions, dataset.action_space.n, True
    exact = own_states and own_actions
    return Cells(dataset, taken, state, action, following, len(centers), actions, exact)


def sample_episodes(dataset: Dataset, random: np.random.Generator) -> Array:
    """Return which rows to use: all, or of a large dataset those of episodes at random."""
    if len(dataset) <= TRANSITIONS:
        return np.ones(len(dataset), np.bool_)
    order = random.permutation(dataset.episodes)
    number = np.searchsorted(np.cumsum(dataset.lengths[order]), TRANSITIONS) + 1
    taken = np.zeros(dataset.episodes, np.bool_)
    taken[order[:number]] = True
    return np.repeat(taken, dataset.lengths)


def choose_centers(
    rows: Array, more: Array, most: int, random: np.random.Generator
) -> tuple[Array, bool]:
    """Return all distinct rows and True, or if there are too many some rows at random and False.

    Only distinct rows include those in `more`: cells at random always have data.
    """
    everything = np.concatenate([rows, more])
    _, first = np.unique(row_ranks(everything), return_index=True)
    number = max(1, min(most, len(rows) // PER_CELL))
    if len(first) <= number:
        return everything[first], True
    first = first[first < len(rows)]
    return rows[random.choice(first, min(number, len(first)), replace=False)], False


def nearest(rows: Array, centers: Array) -> Array:
    """Return for every row the number of the nearest center."""
    found = np.empty(len(rows), np.int64)
    origin = centers.mean(axis=0)
    around = centers - origin
    half = (around**2).sum(axis=1) / 2
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK] - origin
        found[start : start + BLOCK] = (block @ around.T - half).argmax(axis=1)
    return found
