"""Datasets, labels and filters."""

from instinct.data.arrays import Array
from instinct.data.assemble import ActionRange
from instinct.data.dataset import Dataset
from instinct.data.files import read, write
from instinct.data.filters import (
    ALL,
    FILTERS,
    apply_filters,
    find_filter,
    register_filter,
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
    check_label,
    find_label,
    register_label,
    relabel,
)
from instinct.data.predicates import (
    KAPPA,
    Predicate,
    canonical_name,
    costly,
    in_unsafe_episode,
)
from instinct.data.removal import Removal, measure_removal
from instinct.data.spaces import ActionSpace, Box, Discrete
from instinct.data.tables.describe import describe
from instinct.data.tables.reader import read_frame
from instinct.data.tables.roles import NO_ROLES, Roles, make_roles
from instinct.data.tables.source import is_frame, is_table

__all__ = [
    "ALL",
    "FILTERS",
    "KAPPA",
    "NO_ROLES",
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
    "Roles",
    "Uniform",
    "apply_filters",
    "canonical_name",
    "check_label",
    "costly",
    "describe",
    "find_filter",
    "find_label",
    "in_unsafe_episode",
    "is_frame",
    "is_table",
    "make_roles",
    "measure_removal",
    "read",
    "read_frame",
    "register_filter",
    "register_label",
    "relabel",
    "remove",
    "remove_terminals",
    "remove_where",
    "write",
]
