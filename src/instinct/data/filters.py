"""Filters: the dataset without some of its transitions.

Where transitions are taken out of an episode, what is left of it on either side becomes an episode
of its own, and the one that now stops early ends by a timeout: the world did not end there.
"""

from collections.abc import Callable, Iterable

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset
from instinct.data.predicates import Predicate, comparison, costly, in_unsafe_episode, mask
from instinct.errors import BadInput

ALL = "all"
"""What the data are called that go through no filter."""


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


FILTERS: dict[str, Callable[..., Array]] = {
    "cost-free": costly,
    "safe-episodes": in_unsafe_episode,
    "no-terminals": lambda dataset: dataset.terminals,
}
"""Filters by name, with the transitions that each removes."""
NUMBERS: dict[str, type[int] | type[float]] = {"cost-free": int, "safe-episodes": float}
"""The kind of number that may follow a name after a colon."""
KINDS = (
    "cost-free, cost-free:STEPS, safe-episodes, safe-episodes:COST, no-terminals, a comparison "
    "such as costs>0 or observations[3]<0.5, or a mask in a file NAME.npy"
)


def filtered(dataset: Dataset, names: Iterable[str]) -> Dataset:
    """The dataset after the filters of these names."""
    for name in names:
        dataset = remove_where(dataset, find_filter(name))
    return dataset


def find_filter(name: str) -> Predicate:
    """Which transitions the filter of that name removes.

    `cost-free` removes every transition with a cost, `cost-free:5` also the 5 steps before it;
    `safe-episodes` whole episodes whose cost is above κ = 34.29, `safe-episodes:20` above 20;
    `no-terminals` the terminal transitions. A comparison removes the transitions for which it
    holds, a mask those that it marks true.
    """
    if name in FILTERS:
        return FILTERS[name]
    base, _, text = name.partition(":")
    if base in NUMBERS:
        number = number_after(base, text)
        return lambda dataset: FILTERS[base](dataset, number)
    found = mask(name) or comparison(name)
    if found is None:
        raise BadInput(f"no filter is called {name!r}; there are {KINDS}")
    return found


def number_after(base: str, text: str) -> float:
    kind = NUMBERS[base]
    try:
        number = kind(text)
    except ValueError:
        number = -1
    if not 0 <= number < float("inf"):
        need = "a whole number of steps" if kind is int else "a cost"
        raise BadInput(f"after {base}: comes {need} of at least 0, not {text!r}")
    return number
