"""Datasets, the labels they are shown with, and the filters they go through."""

from instinct.data.arrays import Array
from instinct.data.assemble import ActionRange
from instinct.data.dataset import Dataset
from instinct.data.files import read, write
from instinct.data.filters import (
    FILTERS,
    costly,
    filtered,
    find_filter,
    remove,
    remove_terminals,
    remove_where,
)
from instinct.data.labels import LABELS, WRONG, Label, label, relabel
from instinct.data.spaces import ActionSpace, Box, Discrete

__all__ = [
    "FILTERS",
    "LABELS",
    "WRONG",
    "ActionRange",
    "ActionSpace",
    "Array",
    "Box",
    "Dataset",
    "Discrete",
    "Label",
    "costly",
    "filtered",
    "find_filter",
    "label",
    "read",
    "relabel",
    "remove",
    "remove_terminals",
    "remove_where",
    "write",
]
