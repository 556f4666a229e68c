"""Datasets, the labels they are shown with, and the filters they go through."""

from instinct.data.arrays import Array
from instinct.data.assemble import ActionRange
from instinct.data.dataset import Dataset
from instinct.data.files import read, write
from instinct.data.filters import (
    ALL,
    FILTERS,
    filtered,
    find_filter,
    remove,
    remove_terminals,
    remove_where,
)
from instinct.data.labels import LABELS, WRONG, Label, label, relabel
from instinct.data.predicates import (
    KAPPA,
    Predicate,
    costly,
    exact,
    in_unsafe_episode,
)
from instinct.data.removal import Removal, removal
from instinct.data.spaces import ActionSpace, Box, Discrete

__all__ = [
    "ALL",
    "FILTERS",
    "KAPPA",
    "LABELS",
    "WRONG",
    "ActionRange",
    "ActionSpace",
    "Array",
    "Box",
    "Dataset",
    "Discrete",
    "Label",
    "Predicate",
    "Removal",
    "costly",
    "exact",
    "filtered",
    "find_filter",
    "in_unsafe_episode",
    "label",
    "read",
    "relabel",
    "removal",
    "remove",
    "remove_terminals",
    "remove_where",
    "write",
]
