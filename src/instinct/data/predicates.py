"""Predicates: which transitions of a dataset a filter removes."""

import io
import operator
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset
from instinct.errors import BadInput
from instinct.util.hashing import hash_bytes

Predicate = Callable[[Dataset], Array]

KAPPA = 3 / (1 / 20 + 1 / 40 + 1 / 80)
"""κ = 34.29, the cost that an episode may have: as if C/20, C/40 and C/80 were averaged."""
COMPARISON = re.compile(r"(\w+)(?:\[(\d+)\])?(>=|<=|==|!=|>|<)([^<>=!]+)")
OPERATORS: dict[str, Callable[[Array, float], Array]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
COMPARED = ("observations", "actions", "rewards", "next_observations", "costs")
MASK = re.compile(r"(.+\.npy)(?:@([0-9a-f]{16}))?")


def costs_of(dataset: Dataset) -> Array:
    if dataset.costs is None:
        raise BadInput("the dataset has no costs", field="costs")
    return dataset.costs


def costly(dataset: Dataset, before: int = 0) -> Array:
    """The transitions with a cost, and so many steps before each in the same episode."""
    rows = np.flatnonzero(costs_of(dataset))
    if not len(rows):
        return np.zeros(len(dataset), bool)
    here = np.arange(len(dataset))
    after = np.searchsorted(rows, here)
    following = rows[np.minimum(after, len(rows) - 1)]
    episode = np.repeat(np.arange(dataset.episodes), dataset.lengths)
    near = (following - here <= before) & (episode == episode[following])
    return np.asarray(near & (after < len(rows)))


def in_unsafe_episode(dataset: Dataset, limit: float = KAPPA) -> Array:
    """The transitions of all episodes whose cost is above the limit."""
    unsafe = dataset.per_episode(costs_of(dataset)) > limit
    return np.repeat(unsafe, dataset.lengths)


def comparison(text: str) -> Predicate | None:
    """Where a comparison such as `costs>0` or `observations[3]<=-0.5` holds; None if it is none."""
    match = COMPARISON.fullmatch(text)
    if match is None:
        return None
    field, column, sign, number = match.groups()
    if field not in COMPARED:
        raise BadInput(f"{text!r} compares {field!r}; there are {', '.join(COMPARED)}")
    try:
        value = float(number)
    except ValueError:
        raise BadInput(f"{text!r} compares with {number!r}, which is no number") from None

    def holds(dataset: Dataset) -> Array:
        values = costs_of(dataset) if field == "costs" else getattr(dataset, field)
        if (values.ndim == 2) != (column is not None):
            need = f"a column, such as {field}[0]" if values.ndim == 2 else "no column"
            raise BadInput(f"{text!r}: {field} need {need}")
        if column is not None:
            if int(column) >= values.shape[1]:
                raise BadInput(f"{text!r}: {field} have {values.shape[1]} columns, from 0")
            values = values[:, int(column)]
        return np.asarray(OPERATORS[sign](values, value))

    return holds


def mask(text: str) -> Predicate | None:
    """What the NumPy file `NAME.npy` marks true, or `NAME.npy@HASH` if its hash is still that."""
    match = MASK.fullmatch(text)
    if match is None:
        return None
    path, known = Path(match[1]), match[2]

    def marked(dataset: Dataset) -> Array:
        content = contents(path)
        if known not in (None, hash_bytes(content)[:16]):
            raise BadInput("has changed since the filter was chosen", file=path)
        try:
            rows: Array = np.load(io.BytesIO(content), allow_pickle=False)
        except (ValueError, EOFError, OSError) as error:
            raise BadInput(f"is not a NumPy file of true and false ({error})", file=path) from None
        if rows.dtype != np.bool_ or rows.shape != (len(dataset),):
            raise BadInput(
                f"holds {rows.dtype} values of shape {list(rows.shape)}; a filter needs one true "
                f"or false for each of the {len(dataset)} transitions",
                file=path,
            )
        return rows

    return marked


def exact(text: str) -> str:
    """The name without spaces; that of a mask's file with the hash of what it holds."""
    text = text.replace(" ", "") if COMPARISON.fullmatch(text.replace(" ", "")) else text
    match = MASK.fullmatch(text)
    return text if match is None or match[2] else f"{text}@{hash_bytes(contents(Path(text)))[:16]}"


def contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", file=path) from None
