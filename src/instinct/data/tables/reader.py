"""Read a table into a Dataset: columns by their roles, rows by episode and time."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from instinct.data.arrays import Array
from instinct.data.assemble import ActionRange, assemble
from instinct.data.dataset import Dataset
from instinct.data.formats.files import check_expansion, check_memory, translate_errors
from instinct.data.spaces import ActionSpace, Box, Discrete
from instinct.data.tables.choices import amounts_of, are_choices, choices_from
from instinct.data.tables.columns import Column, Keys, Numbers, Texts, kind_of
from instinct.data.tables.encode import amounts_from, observations_from, sums_from
from instinct.data.tables.order import Order, ends_of, find_order
from instinct.data.tables.roles import NO_ROLES, ROLES, Roles, printable, roles_beside
from instinct.data.tables.source import Source, first_line, open_file, open_frame, require_arrow
from instinct.errors import BadInput

LEAST_ROWS = 2


def read_table(
    path: Path,
    *,
    roles: Roles = NO_ROLES,
    action_range: ActionRange | None = None,
    task_space: ActionSpace | None = None,
) -> Dataset:
    """Read a CSV, Parquet, Arrow or Feather file; roles that are not given are read beside it.

    Actions are in `action_range`, else in the space of the task, else in what is recorded.
    """
    roles = roles.over(roles_beside(path))
    with translate_errors(path, "table"):
        return dataset_from(open_file(path), roles, action_range, task_space)


def read_frame(
    frame: Any,
    *,
    roles: Roles = NO_ROLES,
    action_range: ActionRange | None = None,
    task_space: ActionSpace | None = None,
) -> Dataset:
    """Read a data frame of pandas or polars, or an Arrow table."""
    arrow = require_arrow()
    try:
        return dataset_from(open_frame(frame), roles, action_range, task_space)
    except arrow.ArrowException as error:
        raise BadInput(f"the data frame cannot be read ({first_line(error)})") from error


def dataset_from(
    source: Source,
    roles: Roles,
    action_range: ActionRange | None,
    task_space: ActionSpace | None = None,
) -> Dataset:
    """Make a Dataset from a table, and report every decision as a repair."""
    named = {role: roles.columns_of(role, source.names) for role in ROLES}
    check_roles(named)
    if source.rows < LEAST_ROWS:
        raise BadInput(f"has {source.rows} rows; a dataset needs {LEAST_ROWS} or more")
    columns = collect(source, named)
    categories = [
        len(column.numbers)
        for (role, _), column in columns.items()
        if role == "observation" and isinstance(column, Texts)
    ]
    check_memory(4 * source.rows * (len(columns) + sum(categories)))
    missing, standardize = roles.missing or "refuse", roles.standardize is not False

    def only(role: str) -> Any:
        return columns[role, named[role][0]] if named[role] else None

    order = find_order(only("episode"), only("time"), source.rows)
    terminals, timeouts, repairs = ends_of(
        order,
        flags(only("terminal"), order),
        flags(only("timeout"), order),
        *(named["terminal"] or [""]),
    )
    repairs = [*order.repairs, *repairs]
    arrays = {"terminals": terminals, "timeouts": timeouts}
    for field, role in (("rewards", "reward"), ("costs", "cost")):
        if named[role]:
            arrays[field], made = sums_from(field, only(role), order, missing)
            repairs += made
    acted = [columns.pop(("action", name)) for name in named["action"]]
    types = [source.types[name] for name in named["action"]]
    space: ActionSpace | None = task_space
    if are_choices(acted, types, roles, action_range, task_space):
        arrays["actions"], space, made = choices_from(acted, order, missing, task_space)
    else:
        arrays["actions"], made = amounts_from(amounts_of(acted), order, missing)
    repairs += made
    arrays["observations"], described, made = observations_from(
        (columns.pop(("observation", name)) for name in named["observation"]),  # type: ignore[misc]
        order,
        missing,
        standardize,
    )
    repairs += made
    actions = arrays["actions"]
    if action_range is None and not fits(space, actions):
        space = Box(tuple(actions.min(axis=0).tolist()), tuple(actions.max(axis=0).tolist()))
        repairs.append(f"actions: in {space}, the lowest and the highest in the table")
    made_of = assemble(arrays, action_space=space, action_range=action_range)
    together = tuple(dict.fromkeys((*repairs, *made_of.repairs)))
    return replace(made_of, repairs=together, columns=described)


def check_roles(named: dict[str, list[str]]) -> None:
    """Refuse roles that say too little, or two roles of one column but time and observation."""
    for role in ("action", "observation"):
        if not named[role]:
            raise BadInput(
                f"is a table: name its columns with `{role}=` and others, or in a TOML file "
                "beside it; `instinct describe` proposes them",
                option=role,
            )
    if not (named["episode"] or named["terminal"] or named["timeout"]):
        raise BadInput(
            "needs an `episode=` column, or a terminal or timeout column that ends episodes",
            option="episode",
        )
    taken: dict[str, str] = {}
    for role, names in named.items():
        for name in names:
            if name in taken and (taken[name], role) != ("time", "observation"):
                raise BadInput(f"is both {taken[name]} and {role}", field=printable(name))
            taken[name] = role


def collect(source: Source, named: dict[str, list[str]]) -> dict[tuple[str, str], Column]:
    """Read the columns that have a role, block by block; return them by role and name."""
    need = 4 * source.rows * sum(map(len, named.values()))
    check_memory(need)
    check_expansion(need, source.stored, "rows")
    columns = {
        (role, name): make_column(role, name, source)
        for role, names in named.items()
        for name in names
    }
    start = 0
    for block in source.blocks([*dict.fromkeys(name for _, name in columns)]):
        if start + block.num_rows > source.rows:
            raise BadInput("has more rows than it says")
        for (_, name), column in columns.items():
            column.put(start, block.column(name))
        start += block.num_rows
    if start != source.rows:
        raise BadInput(f"has {start} rows, not {source.rows} as it says")
    return columns


def make_column(role: str, name: str, source: Source) -> Column:
    """Choose how a column is stored by its role and its type, or refuse it."""
    arrow_type, rows = source.types[name], source.rows
    kind = kind_of(arrow_type)
    if role in ("episode", "time") and kind in ("number", "time"):
        return Keys(name, rows, arrow_type)
    if role == "episode" and kind == "text":
        return Texts(name, rows, most=None)
    if role in ("observation", "action") and kind == "text":
        return Texts(name, rows)
    if role not in ("episode", "time") and kind in ("number", "flag", "empty"):
        return Numbers(name, rows)
    holds = {"text": "text", "time": "times", "empty": "no values"}.get(kind, f"{kind} values")
    raise BadInput(f"holds {holds}, which cannot be the {role}", field=printable(name))


def flags(column: Numbers | None, order: Order) -> Array | None:
    """Return a column of flags in order, or None."""
    if column is None:
        return None
    values = column.values
    wrong = (values != 0) & (values != 1)
    if wrong.any():
        row = int(wrong.argmax())
        problem = "is missing" if np.isnan(values[row]) else "neither 0 nor 1"
        raise BadInput(problem, field=printable(column.name), row=row)
    return order.sort(values != 0)


def fits(space: ActionSpace | None, actions: Array) -> bool:
    """Tell whether actions are of the kind and the dimension of an action space."""
    if actions.ndim == 1:
        return isinstance(space, Discrete)
    return isinstance(space, Box) and space.dimension == actions.shape[1]
