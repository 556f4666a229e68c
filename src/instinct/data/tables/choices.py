"""Actions that are choices, such as the name of a drug: when they are, and their numbers."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from instinct.data.arrays import Array
from instinct.data.assemble import ActionRange
from instinct.data.spaces import ActionSpace, Box, Discrete
from instinct.data.tables.columns import MAX_CATEGORIES, Column, Numbers, Texts, kind_of
from instinct.data.tables.encode import fill_actions
from instinct.data.tables.order import Order
from instinct.data.tables.roles import Roles, printable
from instinct.data.tables.source import require_arrow
from instinct.errors import BadInput

MOST_CODES = 32
"""More whole numbers than these are taken for amounts."""


def are_codes(numbers: Collection[float]) -> bool:
    """Tell whether whole numbers look like codes: few, without gaps, from 0 or 1 on.

    >>> are_codes({0, 1, 2}), are_codes({1, 2}), are_codes({0, 10, 20})
    (True, True, False)
    """
    if not 2 <= len(numbers) <= MOST_CODES:
        return False
    low = min(numbers)
    return low in (0, 1) and {*numbers} == {low + i for i in range(len(numbers))}


def are_choices(
    columns: Sequence[Column],
    types: Sequence[Any],
    roles: Roles,
    action_range: ActionRange | None,
    task_space: ActionSpace | None,
) -> bool:
    """Decide whether actions are choices: as the user says, the task, or else the one column.

    A column of texts or of true and false is a choice, and so are whole numbers that look like
    codes.
    """
    if roles.discrete is not None:
        return roles.discrete
    if action_range is not None or isinstance(task_space, Box):
        return False
    if isinstance(task_space, Discrete):
        return True
    if len(columns) != 1:
        return False
    if kind_of(types[0]) in ("text", "flag"):
        return True
    numbers = np.unique(columns[0].values)
    return bool(require_arrow().types.is_integer(types[0])) and are_codes(numbers.tolist())


def choices_from(
    columns: Sequence[Column], order: Order, missing: str, task_space: ActionSpace | None
) -> tuple[Array, Discrete, list[str]]:
    """Return the numbers of the choices [N], how many there are, and what was done."""
    if len(columns) != 1:
        raise BadInput(
            f"choices need one `action=` column, and there are {len(columns)}; join them into one",
            option="action",
        )
    column, repairs = columns[0], list[str]()
    name = printable(column.name)
    words = column.in_order() if isinstance(column, Texts) else []
    values = order.sort(column.values)
    unknown = values < 0 if words else np.isnan(values)
    fill_actions(name, values, unknown, order, missing, repairs)
    different = np.unique(values)
    if len(different) < 2:
        raise BadInput("no action differs between rows (`action=`)", option="action")
    if len(different) > MAX_CATEGORIES:
        raise BadInput(
            f"has {len(different)} different values, more than {MAX_CATEGORIES} choices; "
            "`discrete=` false reads amounts",
            field=name,
            option="discrete",
        )
    if isinstance(task_space, Discrete) and not words:
        if not np.isin(different, np.arange(task_space.n)).all():
            raise BadInput(f"are not the {task_space.n} choices of the task, from 0", field=name)
        return values.astype(np.int64), task_space, repairs
    labels = [printable(word) for word in words] or [f"{each:g}" for each in different]
    numbered = ", ".join(f"{i} = {label}" for i, label in enumerate(labels))
    repairs.append(f"actions: {name} is a choice, not an amount: {numbered}")
    numbers = values if words else np.searchsorted(different, values)
    count = task_space.n if isinstance(task_space, Discrete) else len(labels)
    return numbers.astype(np.int64), Discrete(count), repairs


def amounts_of(columns: Sequence[Column]) -> list[Numbers]:
    """Return the columns of actions that are amounts; texts are none."""
    for column in columns:
        if isinstance(column, Texts):
            raise BadInput(
                "holds text, which is a choice; choices need one action column, `discrete=` true, "
                "and no range",
                field=printable(column.name),
                option="discrete",
            )
    return [column for column in columns if isinstance(column, Numbers)]
