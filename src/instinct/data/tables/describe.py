"""Describe the columns of a table, and propose their roles by their names."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from instinct.data.formats.files import translate_errors
from instinct.data.tables.choices import MOST_CODES, are_codes
from instinct.data.tables.columns import MAX_CATEGORIES, as_text, kind_of
from instinct.data.tables.roles import LISTS, Roles, roles_toml
from instinct.data.tables.source import (
    Source,
    is_frame,
    is_table,
    open_file,
    open_frame,
    require_arrow,
)
from instinct.errors import BadInput

NUMBER = r"s?(_?(id|nr|no|number))?"
GUESSES = {
    "episode": (
        rf"(episode|trajectory|traj|stay|icustay|session|trip){NUMBER}",
        rf"(admission|hadm|visit){NUMBER}",
        rf"(patient|subject|user|customer){NUMBER}",
        r"(.*_)?id",
    ),
    "time": (
        r"(t|time|timestamp|datetime|charttime|timestep|step|hour|day|minute|date)s?",
        r".*_(time|timestamp|datetime|step|hour|day|date)",
    ),
    "action": (
        r"(actions?|act|dose|dosage|control|command|setpoint)(_.*|\d*)",
        r"(treatment|drug|medication|therapy)s?",
    ),
    "reward": (r"rewards?|r",),
    "cost": (r"costs?",),
    "terminal": (r"terminals?|terminated|done|ended|died|death|dead|discharged?|outcome",),
    "timeout": (r"timeouts?|truncat(ed|ions?)",),
}
"""The names, in lower case, that suggest a role, the best ones first."""


@dataclass(frozen=True)
class ColumnFacts:
    """Facts about a column; `values` is the number of different texts, counted up to 65."""

    name: str
    kind: str
    missing: int
    low: str
    high: str
    constant: bool
    values: int | None
    role: str


@dataclass(frozen=True, repr=False)
class Description:
    """The columns of a table, and the roles that their names suggest."""

    rows: int
    columns: tuple[ColumnFacts, ...]
    roles: Roles

    @property
    def toml(self) -> str:
        """The proposed roles, as a file that lies beside the table."""
        return (
            "# Roles of the columns, proposed by their names: check them.\n"
            + roles_toml(self.roles)
            + 'missing = "refuse"  # or "carry", "indicator"\nstandardize = true\n'
        )

    def __repr__(self) -> str:
        return f"Description({self.rows:,} rows, {len(self.columns)} columns)"


def describe(table: Path | str | Any) -> Description:
    """Describe a CSV, Parquet, Arrow or Feather file or a data frame, block by block.

    >>> import pandas as pd
    >>> found = describe(pd.DataFrame({"stay": [1, 1], "dose": [0.5, 1.0], "pulse": [80, 90]}))
    >>> found, found.roles.episode, found.roles.action
    (Description(2 rows, 3 columns), 'stay', ('dose',))
    """
    if is_frame(table):
        return describe_source(open_frame(table))
    path = Path(table)
    if not path.exists():
        raise BadInput("does not exist", file=path)
    if not is_table(path):
        raise BadInput("is not a CSV, Parquet, Arrow or Feather file", file=path)
    with translate_errors(path, "table"):
        return describe_source(open_file(path))


def describe_source(source: Source) -> Description:
    """Read a table once, in blocks, and keep only what is said of its columns."""
    tallies = {name: Tally(kind_of(each)) for name, each in source.types.items()}
    for block in source.blocks(source.names):
        for name, tally in tallies.items():
            tally.add(block.column(name))
    roles = propose(tallies)
    columns = tuple(
        ColumnFacts(
            name,
            tally.kind,
            tally.missing,
            show(tally.low),
            show(tally.high),
            tally.constant,
            len(tally.texts) if tally.kind == "text" else None,
            roles.get(name, ""),
        )
        for name, tally in tallies.items()
    )
    actions = [tallies[name] for name, role in roles.items() if role == "action"]
    discrete = True if len(actions) == 1 and actions[0].choice else None
    return Description(source.rows, columns, replace(as_roles(roles), discrete=discrete))


class Tally:
    """Counts of one column while its blocks are read."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.rows = self.missing = 0
        self.low: Any = None
        self.high: Any = None
        self.texts: set[str] = set()
        self.codes: set[int] = set()
        """The different whole numbers, up to one more than codes can be."""

    def add(self, block: Any) -> None:
        from pyarrow import compute

        arrow = require_arrow()
        self.rows += len(block)
        self.missing += block.null_count
        if self.kind == "text":
            if len(self.texts) <= MAX_CATEGORIES:
                self.texts.update(as_text(block.unique().drop_null()).to_pylist())
            block = as_text(block)
        elif arrow.types.is_floating(block.type):
            self.missing += compute.sum(compute.is_nan(block)).as_py() or 0
        elif arrow.types.is_integer(block.type) and len(self.codes) <= MOST_CODES:
            self.codes.update(block.unique().drop_null().to_pylist()[: MOST_CODES + 1])
        elif self.kind not in ("number", "flag", "time"):
            return
        extremes = compute.min_max(block)
        low, high = extremes["min"].as_py(), extremes["max"].as_py()
        if low is not None and low == low:
            self.low = low if self.low is None else min(self.low, low)
            self.high = high if self.high is None else max(self.high, high)

    @property
    def choice(self) -> bool:
        """Whether an action of this column is a choice rather than an amount."""
        return self.kind in ("text", "flag") or are_codes(self.codes)

    @property
    def constant(self) -> bool:
        return self.missing == 0 and self.low == self.high


def propose(tallies: Mapping[str, Tally]) -> dict[str, str]:
    """Propose the role of every column by its name and its kind; some get none."""
    roles: dict[str, str] = {}
    for role in GUESSES:
        free = [name for name in suggested(role, tallies) if name not in roles]
        fitting = [name for name in free if fits(role, tallies[name])]
        if role == "action":
            fitting = [each for each in fitting if tallies[each].kind == "number"] or fitting[:1]
        for name in fitting if role in LISTS else fitting[:1]:
            roles[name] = role
    ids = suggested("episode", tallies)
    for name, tally in tallies.items():
        if name not in roles and name not in ids and fits("observation", tally):
            roles[name] = "observation"
    return roles


def suggested(role: str, names: Iterable[str]) -> list[str]:
    """Return the columns whose names suggest a role, the best ones first."""
    return [name for each in GUESSES[role] for name in names if re.fullmatch(each, name.lower())]


def fits(role: str, tally: Tally) -> bool:
    """Tell whether a column of that kind can have the role."""
    if role == "episode":
        return tally.kind in ("number", "text")
    if role == "time":
        return tally.kind in ("number", "time")
    if role == "observation":
        few = len(tally.texts) <= MAX_CATEGORIES
        varied = tally.low is not None and not tally.constant
        return tally.kind in ("number", "flag", "text") and few and varied
    if role in ("terminal", "timeout"):
        return tally.kind in ("number", "flag") and {tally.low, tally.high} <= {0, 1}
    if role == "action" and tally.kind in ("text", "flag"):
        return not tally.constant and len(tally.texts) <= MAX_CATEGORIES
    return tally.kind == "number"


def as_roles(roles: Mapping[str, str]) -> Roles:
    lists = {
        role: tuple(name for name, each in roles.items() if each == role)
        for role in ("action", "observation")
    }
    single = {role: name for name, role in roles.items() if role not in lists}
    return Roles(**lists, **single)  # type: ignore[arg-type]


def show(value: Any) -> str:
    """Show the end of a range in a few characters."""
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)[:32]
