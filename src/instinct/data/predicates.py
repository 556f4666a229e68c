"""Predicates: the transitions that a filter removes."""

import io
import operator
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset
from instinct.data.formats.files import FILE_ERRORS
from instinct.errors import BadInput
from instinct.util.hashing import hash_bytes
from instinct.util.reading import read_bytes

Predicate = Callable[[Dataset], Array]
"""Maps a dataset to one true or false per transition."""

KAPPA = 3 / (1 / 20 + 1 / 40 + 1 / 80)
"""κ = 34.29, the cost limit of an episode: the harmonic mean of the limits 20, 40 and 80."""
COMPARISON = re.compile(r"(\w+)(?:\[(\d+)\])?(>=|<=|==|!=|>|<)([^<>=!]+)")
OPERATORS: dict[str, Callable[[Array, float], Array]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
COMPARABLE = ("observations", "actions", "rewards", "next_observations", "costs")
"""The fields that a comparison can name."""
MASK = re.compile(r"(.+\.npy)(?:@([0-9a-f]{16}))?")


def require_costs(dataset: Dataset) -> Array:
    """Return the costs of the dataset, or raise if it has none."""
    if dataset.costs is None:
        raise BadInput("the dataset has no costs", field="costs")
    return dataset.costs


def require_rewards(dataset: Dataset) -> Array:
    """Return the rewards of the dataset, or raise if it has none."""
    if not dataset.has_rewards:
        raise BadInput("the dataset has no rewards", field="rewards")
    return dataset.rewards


def costly(dataset: Dataset, before: int = 0) -> Array:
    """Mark the transitions with a cost, and the `before` steps before each in its episode."""
    return at_and_before(dataset, require_costs(dataset) != 0, before)


def terminal(dataset: Dataset, before: int = 0) -> Array:
    """Mark the terminal transitions, and the `before` steps before each in its episode."""
    return at_and_before(dataset, dataset.terminals, before)


def at_and_before(dataset: Dataset, events: Array, before: int) -> Array:
    """Mark the transitions at events, and the `before` steps before each in its episode."""
    rows = np.flatnonzero(events)
    if not len(rows):
        return np.zeros(len(dataset), bool)
    here = np.arange(len(dataset))
    after = np.searchsorted(rows, here)
    following = rows[np.minimum(after, len(rows) - 1)]
    episode = np.repeat(np.arange(dataset.episodes), dataset.lengths)
    near = (following - here <= before) & (episode == episode[following])
    return np.asarray(near & (after < len(rows)))


def in_unsafe_episode(dataset: Dataset, limit: float = KAPPA) -> Array:
    """Mark the transitions of all episodes with a cost above the limit."""
    unsafe = dataset.per_episode(require_costs(dataset)) > limit
    return np.repeat(unsafe, dataset.lengths)


def in_bad_episode(dataset: Dataset, limit: float | None = None) -> Array:
    """Mark the transitions of all episodes with a return below the limit, or below the median."""
    require_rewards(dataset)
    returns = dataset.returns
    worse = returns < (np.median(returns) if limit is None else limit)
    return np.repeat(worse, dataset.lengths)


def in_short_episode(dataset: Dataset, limit: int | None = None) -> Array:
    """Mark the transitions of all episodes with fewer steps than the limit, or than the median."""
    lengths = dataset.lengths
    return np.repeat(lengths < (np.median(lengths) if limit is None else limit), lengths)


def parse_comparison(text: str) -> Predicate | None:
    """Read a comparison such as `costs>0` or `observations[3]<=-0.5`.

    Return None if the text is not a comparison.
    """
    match = COMPARISON.fullmatch(text)
    if match is None:
        return None
    field, column, sign, number = match.groups()
    if field not in COMPARABLE:
        raise BadInput(f"{text!r} compares {field!r}; there are {', '.join(COMPARABLE)}")
    try:
        value = float(number)
    except ValueError:
        raise BadInput(f"{text!r} compares with {number!r}, which is no number") from None

    def is_true(dataset: Dataset) -> Array:
        read = {"costs": require_costs, "rewards": require_rewards}.get(field)
        values = getattr(dataset, field) if read is None else read(dataset)
        if (values.ndim == 2) != (column is not None):
            need = f"a column, such as {field}[0]" if values.ndim == 2 else "no column"
            raise BadInput(f"{text!r}: {field} need {need}")
        if column is not None:
            if int(column) >= values.shape[1]:
                raise BadInput(f"{text!r}: {field} have {values.shape[1]} columns, from 0")
            values = values[:, int(column)]
        return np.asarray(OPERATORS[sign](values, value))

    return is_true


def parse_mask(text: str) -> Predicate | None:
    """Read the name `NAME.npy` of a mask, or `NAME.npy@HASH` with the hash of its contents.

    Return None if the text is not such a name. The file is read when the predicate is called.
    """
    match = MASK.fullmatch(text)
    if match is None:
        return None
    path, expected_hash = Path(match[1]), match[2]

    def load(dataset: Dataset) -> Array:
        content = read_bytes(path)
        if expected_hash not in (None, hash_bytes(content)[:16]):
            raise BadInput("has changed since the filter was chosen", file=path)
        try:
            rows: Array = np.load(io.BytesIO(content), allow_pickle=False)
        except FILE_ERRORS as error:
            raise BadInput(f"is not a NumPy file of true and false ({error})", file=path) from None
        if rows.dtype != np.bool_ or rows.shape != (len(dataset),):
            raise BadInput(
                f"holds {rows.dtype} values of shape {list(rows.shape)}; a filter needs one true "
                f"or false for each of the {len(dataset)} transitions",
                file=path,
            )
        return rows

    return load


def canonical_name(text: str) -> str:
    """Return the name of a filter by which equal filters are known.

    A comparison loses its spaces. The file of a mask gets the hash of its contents.
    """
    text = text.replace(" ", "") if COMPARISON.fullmatch(text.replace(" ", "")) else text
    match = MASK.fullmatch(text)
    if match is None or match[2]:
        return text
    return f"{text}@{hash_bytes(read_bytes(Path(text)))[:16]}"
