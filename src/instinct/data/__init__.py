"""Datasets, labels and filters."""

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
from instinct.data.labels import (
    NO_TERMINAL,
    ORIGINAL,
    PAPER_LABELS,
    WRONG_LABELS,
    Label,
    Uniform,
    find_label,
    register_label,
    relabel,
)
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
    "NO_TERMINAL",
    "ORIGINAL",
    "PAPER_LABELS",
    "WRONG_LABELS",
    "ActionRange",
    "ActionSpace",
    "Array",
    "Box",
    "Dataset",
    "Discrete",
    "Label",
    "Predicate",
    "Removal",
    "Uniform",
    "costly",
    "exact",
    "filtered",
    "find_filter",
    "find_label",
    "in_unsafe_episode",
    "read",
    "register_label",
    "relabel",
    "removal",
    "remove",
    "remove_terminals",
    "remove_where",
    "write",
]
