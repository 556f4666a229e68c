"""Read plans from TOML files such as this one.

name = "hopper"
description = "ATAC and PSPI on two hopper datasets"
datasets = ["hopper-medium", "hopper-expert"]
algorithms = ["BC", "ATAC", "PSPI"]
labels = ["original", "zero", "random", "negative"]
preset = "quick"
tuning_seeds = 2
seeds = 10
episodes = 50
filters = ["all"]
[filters_of]
BC = ["all", "no-terminals"]
[settings.ATAC]
steps = 100000
[grid.PSPI]
beta = [10.0, 100.0]
"""

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from instinct.data import canonical_name
from instinct.errors import BadInput
from instinct.study.plan import Plan
from instinct.study.plan_checks import MINIMUM
from instinct.util.reading import read_text

MOST_BYTES = 2**20
"""The largest plan."""


def from_content(content: Mapping[str, Any]) -> Plan:
    """Make a plan from plain data, as a file or a store has it."""
    known = {item.name: item for item in fields(Plan)}
    for name in content:
        if name not in known:
            raise BadInput(f"a plan has no such entry; it has {', '.join(known)}", field=name)
    for name in ("name", "datasets", "algorithms"):
        if name not in content:
            raise BadInput("is missing", field=name)
    given = dict(content)
    for name in ("datasets", "algorithms", "labels", "filters", "scaled"):
        if name in given:
            given[name] = names(name, given[name])
    given["filters"] = tuple(map(canonical_name, given.get("filters", ())))
    for name in MINIMUM:
        if name in given and (not isinstance(given[name], int) or isinstance(given[name], bool)):
            raise BadInput(f"must be a whole number, not {given[name]!r}", field=name)
    for name, kind in (("settings", dict), ("grid", dict), ("filters_of", list | tuple)):
        section = given.get(name, {})
        if not isinstance(section, dict) or not all(isinstance(v, kind) for v in section.values()):
            need = "table" if kind is dict else "list of names"
            raise BadInput(f"must be a {need} for each algorithm", field=name)
    given["filters_of"] = {
        algorithm: tuple(map(canonical_name, names("filters_of", filters)))
        for algorithm, filters in given.get("filters_of", {}).items()
    }
    own = given.get("own", {})
    if not isinstance(own, dict) or not all(isinstance(each, dict) for each in own.values()):
        raise BadInput("must be a table for each own object", field="own")
    if not isinstance(given.get("new_seeds", True), bool):
        raise BadInput("must be true or false", field="new_seeds")
    target = given.get("cost_target")
    if target is not None and not isinstance(target, int | float):
        raise BadInput(f"must be a number, not {target!r}", field="cost_target")
    if given.get("action_range") is not None:
        given["action_range"] = tuple(given["action_range"])
    return Plan(**given)


def names(field: str, values: Any) -> tuple[str, ...]:
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) for v in values):
        raise BadInput(f"must be a list of names, not {values!r}", field=field)
    return tuple(values)


def read_plan(path: Path) -> Plan:
    """Read the plan in a TOML file."""
    try:
        return from_content(tomllib.loads(read_text(path, MOST_BYTES)))
    except (RecursionError, ValueError) as error:
        raise BadInput(f"is not a readable TOML file ({error})", file=path) from None
    except BadInput as fault:
        raise fault.in_file(path) from None


@cache
def shipped_plans() -> dict[str, Plan]:
    """Return the plans of the paper's studies by name."""
    folder = files(__package__).joinpath("plans")
    plans = [
        from_content(tomllib.loads(file.read_text("utf-8")))
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    ]
    return {plan.name: plan for plan in sorted(plans, key=lambda plan: plan.name)}
