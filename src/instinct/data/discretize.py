"""Discretize continuous observations and actions for tabular methods."""

import numpy as np

from instinct.data.arrays import Array
from instinct.data.assemble import assemble
from instinct.data.dataset import Dataset
from instinct.data.spaces import Box, Discrete
from instinct.errors import BadInput


def discretize(dataset: Dataset, bins: int, action_bins: int | None = None) -> Dataset:
    """Replace observations and actions by the numbers of their cells.

    Every dimension of the observations is cut at quantiles, every dimension of the actions into
    equal parts. Whole-number observations and discrete actions stay the same. Steps within one
    cell stay separate transitions.
    """
    if bins < 2 or (action_bins is not None and action_bins < 2):
        raise BadInput("discretizing needs at least 2 bins")
    fields = dict(dataset.fields())
    if dataset.observations.dtype.kind == "f":
        edges = quantile_edges(dataset.observations, bins)
        for name in ("observations", "next_observations"):
            fields[name] = cell_numbers(fields[name], edges)
    space = dataset.action_space
    if isinstance(space, Box):
        per_dimension = action_bins or bins
        fields["actions"], space = number_actions(dataset.actions, space, per_dimension)
    return assemble(fields, action_space=space).add_repairs(dataset.repairs)


def quantile_edges(values: Array, bins: int) -> list[Array]:
    """Return for every dimension the inner edges of cells with equally many values."""
    levels = np.arange(1, bins) / bins
    return [np.unique(np.quantile(column, levels)) for column in values.T]


def cell_numbers(values: Array, edges: list[Array]) -> Array:
    """Return the number of the cell of every value, dimension by dimension."""
    columns = [
        np.searchsorted(edge, column, side="right")
        for edge, column in zip(edges, values.T, strict=True)
    ]
    return np.stack(columns, axis=1)


def number_actions(actions: Array, space: Box, bins: int) -> tuple[Array, Discrete]:
    """Give every cell of the action box a number."""
    low, high = np.array(space.low), np.array(space.high)
    scaled = (actions - low) / (high - low) * bins
    cell = np.clip(scaled.astype(np.int64), 0, bins - 1)
    shape = (bins,) * space.dimension
    return np.ravel_multi_index(tuple(cell.T), shape), Discrete(bins**space.dimension)
