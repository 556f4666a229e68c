"""Filters: remove some transitions from a dataset.

Removing transitions from the middle of an episode splits it in two. The part that now stops early
ends with a timeout, because the world did not end there; it is marked as a cut, because what
followed was removed.
"""

import re
from collections.abc import Callable, Iterable

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset
from instinct.data.mixtures import outside_bad_mixture, outside_early_mixture
from instinct.data.predicates import (
    Predicate,
    costly,
    in_bad_episode,
    in_short_episode,
    in_unsafe_episode,
    parse_comparison,
    parse_mask,
    terminal,
)
from instinct.errors import BadInput

ALL = "all"
"""The name of the data without any filter."""


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
    cuts = cut if dataset.cuts is None else dataset.cuts | cut
    arrays = dict(dataset.fields()) | {"rewards": dataset.rewards}
    arrays |= {"timeouts": dataset.timeouts | cut, "cuts": cuts}
    return dataset.change(**{name: array[keep] for name, array in arrays.items()})


def remove_where(dataset: Dataset, predicate: Predicate) -> Dataset:
    """Remove the transitions for which the predicate is true.

    >>> import instinct
    >>> remove_where(instinct.load("gridworld"), lambda dataset: dataset.rewards < -0.5)
    Dataset(4,100 transitions, 500 episodes)
    """
    return remove(dataset, predicate(dataset))


def remove_terminals(dataset: Dataset) -> Dataset:
    """Remove the terminal transitions, not only their flags.

    >>> import instinct
    >>> int(remove_terminals(instinct.load("gridworld")).terminals.sum())
    0
    """
    return remove(dataset, dataset.terminals)


FILTERS: dict[str, Callable[..., Array]] = {
    "cost-free": costly,
    "safe-episodes": in_unsafe_episode,
    "good-episodes": in_bad_episode,
    "long-episodes": in_short_episode,
    "no-terminals": terminal,
    "bad-episodes": outside_bad_mixture,
    "early-episodes": outside_early_mixture,
}
"""The built-in filters by name, as predicates of the transitions that they remove."""
STEPS, SHARE = "a whole number of steps of at least 0", "a share from 0 to 1"
PARAMETERS: dict[str, tuple[type[int] | type[float], float, float, str]] = {
    "cost-free": (int, 0, np.inf, STEPS),
    "safe-episodes": (float, 0, np.inf, "a cost of at least 0"),
    "good-episodes": (float, -np.inf, np.inf, "a return"),
    "long-episodes": (int, 0, np.inf, STEPS),
    "no-terminals": (int, 0, np.inf, STEPS),
    "bad-episodes": (float, 0, 1, SHARE),
    "early-episodes": (float, 0, 1, SHARE),
}
"""Filters that take a number after a colon: its type, its limits, and what it is."""
KINDS = (
    "cost-free, cost-free:STEPS, safe-episodes, safe-episodes:COST, good-episodes:RETURN, "
    "long-episodes:STEPS, bad-episodes:SHARE, early-episodes:SHARE, no-terminals, "
    "no-terminals:STEPS, a comparison such as costs>0 or observations[3]<0.5, or a mask in a file "
    "NAME.npy"
)
NAME = re.compile(r"[\w-]+")
_registered: dict[str, Predicate] = {}


def apply_filters(dataset: Dataset, names: Iterable[str]) -> Dataset:
    """Apply the filters of these names, one after the other."""
    for name in names:
        dataset = remove_where(dataset, find_filter(name))
    return dataset


def find_filter(name: str) -> Predicate:
    """Return the predicate of the transitions that the filter of that name removes.

    >>> import instinct
    >>> dataset = instinct.load("gridworld")
    >>> int(find_filter("rewards<-0.5")(dataset).sum())
    400

    - `cost-free` removes every transition with a cost, `cost-free:5` also the 5 steps before it.
    - `safe-episodes` removes whole episodes with a cost above κ = 34.29, `safe-episodes:20` those
      with a cost above 20.
    - `bad-episodes:0.2` keeps a mixture of the better and the worse half of the episodes, by
      return, of which 20% are worse ones; `early-episodes:0.2` one of those that end by a terminal
      and by a timeout. Every share keeps the same number of episodes.
    - `good-episodes:1500` removes whole episodes with a return below 1500, `long-episodes:100`
      those of fewer than 100 steps; without a number, those below the median.
    - `no-terminals` removes the terminal transitions, `no-terminals:5` also the 5 steps before.
    - A comparison such as `costs>0` removes the transitions for which it is true.
    - A file `NAME.npy` with a mask removes the transitions whose mask is true.
    - A registered filter removes what its predicate marks.
    """
    if name in _registered:
        return _registered[name]
    if name in FILTERS:
        return FILTERS[name]
    base, _, text = name.partition(":")
    if base in PARAMETERS:
        number = read_number(base, text)
        return lambda dataset: FILTERS[base](dataset, number)
    found = parse_mask(name) or parse_comparison(name)
    if found is None:
        known = ", ".join([*_registered, KINDS])
        raise BadInput(f"no filter is called {name!r}; there are {known}", field="filter")
    return found


def register_filter(name: str, predicate: Predicate) -> None:
    """Make a filter of your own known by its name. A filter of the same name is replaced.

    `predicate` maps a dataset to one true or false per transition: true for those to remove.
    """
    if not NAME.fullmatch(name):
        problem = f"{name!r} is no name: use letters, digits, hyphens and underscores"
        raise BadInput(problem, field="filter")
    if name in FILTERS or name == ALL:
        raise BadInput(f"{name!r} is the name of a built-in filter", field="filter")
    _registered[name] = predicate


def read_number(base: str, text: str) -> float:
    """Read the number after the colon of a filter's name."""
    kind, least, most, need = PARAMETERS[base]
    try:
        number = kind(text)
    except ValueError:
        number = np.nan
    if not least <= number <= most or np.isinf(number):
        raise BadInput(f"{base} needs {need} after the colon, not {text!r}", field="filter")
    return number
