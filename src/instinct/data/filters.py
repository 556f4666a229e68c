"""Filters: the dataset without some of its transitions.

Where transitions are taken out of an episode, what is left of it on either side becomes an episode
of its own, and the one that now stops early ends by a timeout: the world did not end there.
"""

from collections.abc import Callable, Iterable

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset
from instinct.errors import BadInput

Predicate = Callable[[Dataset], Array]


def remove(dataset: Dataset, rows: Array) -> Dataset:
    """Remove the rows whose mask is true."""
    rows = np.asarray(rows)
    if rows.dtype != np.bool_ or rows.shape != (len(dataset),):
        raise BadInput(f"a filter must give one true or false per row ({len(dataset)} of them)")
    keep = ~rows
    if not keep.any():
        raise BadInput("the filter removes every transition")
    if keep.all():
        return dataset
    cut = np.append(rows[1:], False) & ~dataset.ends
    arrays = dict(dataset.fields()) | {"timeouts": dataset.timeouts | cut}
    return dataset.change(**{name: array[keep] for name, array in arrays.items()})


def remove_where(dataset: Dataset, predicate: Predicate) -> Dataset:
    """Remove the transitions for which the predicate holds."""
    return remove(dataset, predicate(dataset))


def remove_terminals(dataset: Dataset) -> Dataset:
    """Remove the terminal transitions, not only their flags."""
    return remove(dataset, dataset.terminals)


def costly(dataset: Dataset) -> Array:
    """The predicate of the paper's safety study: transitions with a cost above zero."""
    if dataset.costs is None:
        raise BadInput("the dataset has no costs", field="costs")
    return np.asarray(dataset.costs > 0)


FILTERS: dict[str, Predicate] = {
    "no-terminals": lambda dataset: dataset.terminals,
    "cost-free": costly,
}
"""Filters by name, with the transitions that each removes."""


def filtered(dataset: Dataset, names: Iterable[str]) -> Dataset:
    """The dataset after the filters of these names."""
    for name in names:
        dataset = remove_where(dataset, find_filter(name))
    return dataset


def find_filter(name: str) -> Predicate:
    if name not in FILTERS:
        raise BadInput(f"no filter is called {name!r}; there are {', '.join(FILTERS)}")
    return FILTERS[name]
