"""Turn the columns of a table into the numbers that agents learn from."""

from collections.abc import Iterable, Iterator

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import ObservationColumn
from instinct.data.tables.columns import Numbers, Texts
from instinct.data.tables.order import Order
from instinct.data.tables.roles import printable
from instinct.errors import BadInput


def observations_from(
    columns: Iterable[Numbers | Texts], order: Order, missing: str, standardize: bool
) -> tuple[Array, tuple[ObservationColumn, ...], list[str]]:
    """Return the observations [N, d], their columns, what was done; `columns` are used up."""
    repairs: list[str] = []
    found: list[Array] = []
    names: list[str] = []
    for column in columns:
        for name, numbers in encode(column, order, missing, repairs):
            if numbers.min() == numbers.max():
                repairs.append(f"observations: {name} is the same in every row, left out")
            else:
                found.append(numbers)
                names.append(name)
    if not found:
        raise BadInput("no column differs between rows (`observation=`)", option="observation")
    described = [ObservationColumn(name) for name in names]
    if standardize:
        described = [
            ObservationColumn(name, *standardize_column(numbers))
            for name, numbers in zip(names, found, strict=True)
        ]
        repairs.append(
            f"observations: shifted and scaled to mean 0 and deviation 1, {len(found)} columns"
        )
    return np.stack(found, axis=1), tuple(described), repairs


def standardize_column(numbers: Array) -> tuple[float, float]:
    """Shift and scale a column in place to mean 0 and deviation 1; return what these were."""
    exact = numbers.astype(np.float64)
    mean = exact.mean()
    exact -= mean
    deviation = np.sqrt(np.square(exact).mean())
    numbers[:] = exact / deviation
    return float(mean), float(deviation)


def encode(
    column: Numbers | Texts, order: Order, missing: str, repairs: list[str]
) -> Iterator[tuple[str, Array]]:
    """Yield the names and the numbers of the columns that one column becomes."""
    name = printable(column.name)
    if isinstance(column, Numbers):
        values = order.sort(column.values)
        unknown = np.isnan(values)
    else:
        words = column.in_order()
        values = order.sort(column.values)
        unknown = values < 0
    if unknown.all():
        repairs.append(f"observations: {name} has no values, left out")
        return
    if unknown.any():
        repairs.append(f"observations: {fill(name, values, unknown, order, missing)}")
    if isinstance(column, Numbers):
        yield name, values
    else:
        names = [f"{name}={printable(word)}" for word in words]
        repairs.append(f"observations: {name} became {', '.join(names)}")
        for number, each in enumerate(names):
            yield each, (values == number).astype(np.float32)
    if missing == "indicator" and unknown.any():
        yield f"{name}_missing", unknown.astype(np.float32)


def fill(name: str, values: Array, unknown: Array, order: Order, missing: str) -> str:
    """Fill missing values in place as the user chose, and say how many."""
    count = int(np.count_nonzero(unknown))
    refuse_missing(name, count, missing)
    left = unknown
    if missing == "carry":
        left = carry_forward(values, unknown, order)
    filled = "put in no category"
    if values.dtype.kind == "f":
        filled = "filled with the mean"
        values[left] = values[~unknown].mean(dtype=np.float64)
    rest = np.count_nonzero(left)
    if missing == "indicator":
        return f"{count} missing values of {name} {filled}, marked in {name}_missing"
    text = f"{count - rest} missing values of {name} carried forward"
    return text + (f", {rest} before any value {filled}" if rest else "")


def refuse_missing(name: str, count: int, missing: str) -> None:
    if missing == "refuse":
        raise BadInput(
            f"{count} values are missing; choose `missing=` carry (the last value of the episode) "
            "or indicator (the mean, and a column that marks them)",
            field=name,
            option="missing",
        )


def carry_forward(values: Array, unknown: Array, order: Order) -> Array:
    """Carry the last known value of the episode forward in place; mark where there is none."""
    places = np.arange(len(values))
    starts = np.append(True, order.last[:-1])
    known = np.maximum.accumulate(np.where(unknown, -1, places))
    start = np.maximum.accumulate(np.where(starts, places, 0))
    found = unknown & (known >= start)
    values[found] = values[known[found]]
    return np.asarray(unknown & ~found)


def amounts_from(columns: Iterable[Numbers], order: Order, missing: str) -> tuple[Array, list[str]]:
    """Return the actions [N, m] and what was done to make them."""
    found: list[tuple[str, Array]] = []
    repairs: list[str] = []
    for column in columns:
        name, values = printable(column.name), order.sort(column.values)
        unknown = np.isnan(values)
        fill_actions(name, values, unknown, order, missing, repairs)
        if values.min() == values.max():
            repairs.append(f"actions: {name} is the same in every row, left out")
        else:
            found.append((name, values))
    if not found:
        raise BadInput("no action differs between rows (`action=`)", option="action")
    for name, values in found:
        different = np.unique(values)
        if len(different) <= 32 and (different == np.round(different)).all():
            repairs.append(
                f"actions: the {len(different)} whole numbers of {name} are read as amounts, "
                "not as choices"
            )
    return np.stack([values for _, values in found], axis=1), repairs


def fill_actions(
    name: str, values: Array, unknown: Array, order: Order, missing: str, repairs: list[str]
) -> None:
    """Carry actions forward in place where they are missing, if the user allows it."""
    if not unknown.any():
        return
    count = np.count_nonzero(unknown)
    if missing != "carry" or carry_forward(values, unknown, order).any():
        raise BadInput(
            f"{count} actions are missing; "
            "`missing=` carry repeats the last of the episode, which must have a first",
            field=name,
            option="missing",
        )
    repairs.append(f"actions: {count} missing values of {name} carried forward")


def sums_from(role: str, column: Numbers, order: Order, missing: str) -> tuple[Array, list[str]]:
    """Return rewards or costs, 0 where they are missing if the user does not refuse that."""
    values = order.sort(column.values)
    unknown = np.isnan(values)
    if not unknown.any():
        return values, []
    name, count = printable(column.name), np.count_nonzero(unknown)
    if missing == "refuse":
        raise BadInput(
            f"{count} values are missing; with `missing=` carry or indicator they count as 0",
            field=name,
            option="missing",
        )
    values[unknown] = 0
    return values, [f"{role}: {count} missing values of {name} count as 0"]
