"""Roles: which columns of a table are the episode, the time, the actions and so on."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from instinct.errors import BadInput

MISSING = ("refuse", "carry", "indicator")
"""What can be done with missing values: see `Roles`."""
LISTS = ("action", "observation")
"""Roles of several columns; the others are of one column."""
MOST_BYTES = 1 << 20
"""The size of a TOML file that is refused."""


@dataclass(frozen=True)
class Roles:
    """The roles of a table's columns, by their names or by patterns such as "vitals_*".

    `missing` says what to do with missing values: "refuse" the table, "carry" the last value of
    the episode forward, or fill them with the mean and add a column that marks them
    ("indicator"). `discrete` says that the action is a choice, such as the name of a drug, or with
    false that it is an amount; by default the column decides. `standardize` shifts and scales
    every observation to mean 0 and deviation 1.

    >>> roles = Roles(episode="stay", action=("dose_*",))
    >>> roles.columns_of("action", ["stay", "dose_a", "dose_b"])
    ['dose_a', 'dose_b']
    """

    episode: str | None = None
    time: str | None = None
    action: tuple[str, ...] = ()
    observation: tuple[str, ...] = ()
    reward: str | None = None
    cost: str | None = None
    terminal: str | None = None
    timeout: str | None = None
    discrete: bool | None = None
    missing: str | None = None
    standardize: bool | None = None

    def __post_init__(self) -> None:
        if self.missing is not None and self.missing not in MISSING:
            raise BadInput(
                f"`missing=` is {self.missing!r}; it can be {', '.join(MISSING)}", option="missing"
            )

    def over(self, other: "Roles") -> "Roles":
        """Return these roles, with those of `other` where there is none."""
        given = {name: value for name, value in vars(self).items() if value not in (None, ())}
        return replace(other, **given)

    def columns_of(self, role: str, names: Sequence[str]) -> list[str]:
        """Return the columns with a role, in the order of the patterns and of the table."""
        given = getattr(self, role)
        patterns = given if role in LISTS else () if given is None else (given,)
        found = [name for pattern in patterns for name in match(pattern, names, role)]
        if role not in LISTS and len(found) > 1:
            raise BadInput(
                f"`{role}=` needs one column, and {printable(given)!r} names {len(found)}",
                option=role,
            )
        return [*dict.fromkeys(found)]


SWITCHES = ("discrete", "standardize")
"""Choices of true or false."""
ROLES = tuple(each.name for each in fields(Roles) if each.name not in ("missing", *SWITCHES))
"""The names of the roles."""
NO_ROLES = Roles()


def make_roles(given: Mapping[str, Any]) -> Roles:
    """Make roles from plain values, with a list or one text for several columns."""
    known = [each.name for each in fields(Roles)]
    for name, value in given.items():
        if name not in known:
            raise BadInput(f"is no role; there are {', '.join(known)}", field=printable(name))
        texts = value if isinstance(value, list | tuple) and name in LISTS else [value]
        kind = bool if name in SWITCHES else str
        if value is not None and not all(isinstance(text, kind) for text in texts):
            needed = "true or false" if kind is bool else "a text"
            needed = "a list of texts" if name in LISTS else needed
            raise BadInput(f"is not {needed}", field=name)
    lists = {name: as_tuple(given[name]) for name in LISTS if name in given}
    return Roles(**{**given, **lists})


def as_tuple(value: Any) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def match(pattern: str, names: Sequence[str], role: str) -> list[str]:
    """Return the columns of a name or a pattern; a name in full is never taken for a pattern."""
    if pattern in names:
        return [pattern]
    found = [name for name in names if fnmatchcase(name, pattern)]
    if not found:
        near = get_close_matches(pattern, names, n=3, cutoff=0.4) or names[:8]
        listed = ", ".join(map(printable, near))
        raise BadInput(
            f"no column is called {printable(pattern)!r} (`{role}=`); there are {listed}"
            + (" and others" if len(near) < len(names) else ""),
            option=role,
        )
    return found


def printable(name: str) -> str:
    """Return a column's name without characters that a terminal would act on."""
    return "".join(each if each.isprintable() else "?" for each in name)[:100]


def roles_path(path: Path) -> Path:
    """Return the path of the roles that lie beside a table: icu.toml beside icu.parquet."""
    return path.with_suffix(".toml")


def read_roles(path: Path) -> Roles:
    """Read roles from a TOML file, which can name columns and nothing else."""
    try:
        if path.stat().st_size >= MOST_BYTES:
            raise BadInput("is larger than 1 MiB, too large for names of columns")
        return make_roles(tomllib.loads(path.read_text("utf-8")))
    except BadInput as fault:
        raise fault.in_file(path) from None
    except (OSError, RecursionError, ValueError) as error:
        reason = str(error).splitlines()[0][:200]
        raise BadInput(f"is not a valid TOML file ({reason})", file=path) from error


def roles_beside(path: Path) -> Roles:
    """Return the roles that lie beside a table, or none."""
    beside = roles_path(path)
    return read_roles(beside) if beside.is_file() else NO_ROLES


def roles_toml(roles: Roles) -> str:
    """Write roles as TOML."""
    lines = []
    for name, value in asdict(roles).items():
        if value not in (None, ()):
            text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
            lines.append(f"{name} = {text}\n")
    return "".join(lines)
