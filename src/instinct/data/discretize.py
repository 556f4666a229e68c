"""Discretise: continuous observations and actions as numbers of cells, for tabular methods."""

import numpy as np

from instinct.data.arrays import Array
from instinct.data.assemble import assemble
from instinct.data.dataset import Dataset
from instinct.data.spaces import Box, Discrete
from instinct.errors import BadInput


def discretise(dataset: Dataset, bins: int, action_bins: int | None = None) -> Dataset:
    """Every dimension cut into cells: of observations at quantiles, of actions evenly.

    Observations become the numbers of their cells, dimension by dimension; whole-number
    observations and discrete actions stay as they are. An episode that stays in one cell for some
    steps does so in the discretised dataset too.
    """
    if bins < 2 or (action_bins is not None and action_bins < 2):
        raise BadInput("discretising needs at least 2 bins")
    fields = dict(dataset.fields())
    if dataset.observations.dtype.kind == "f":
        edges = quantiles(dataset.observations, bins)
        for name in ("observations", "next_observations"):
            fields[name] = cells(fields[name], edges)
    space = dataset.action_space
    if isinstance(space, Box):
        per_dimension = action_bins or bins
        fields["actions"], space = numbered(dataset.actions, space, per_dimension)
    return assemble(fields, action_space=space).after(dataset.repairs)


def quantiles(values: Array, bins: int) -> list[Array]:
    """The inner edges of cells that are equally full, for every dimension."""
    levels = np.arange(1, bins) / bins
    return [np.unique(np.quantile(column, levels)) for column in values.T]


def cells(values: Array, edges: list[Array]) -> Array:
    columns = [
        np.searchsorted(edge, column, side="right")
        for edge, column in zip(edges, values.T, strict=True)
    ]
    return np.stack(columns, axis=1)


def numbered(actions: Array, space: Box, bins: int) -> tuple[Array, Discrete]:
    """One number per cell of the action box."""
    low, high = np.array(space.low), np.array(space.high)
    scaled = (actions - low) / (high - low) * bins
    cell = np.clip(scaled.astype(np.int64), 0, bins - 1)
    shape = (bins,) * space.dimension
    return np.ravel_multi_index(tuple(cell.T), shape), Discrete(bins**space.dimension)
