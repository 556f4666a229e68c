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

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from instinct.data import canonical_name
from instinct.errors import BadInput
from instinct.study.plan import Plan
from instinct.util.reading import read_text
from instinct.util.validation import convert

MOST_BYTES = 2**20
"""The largest plan."""
IMPORTING = re.compile("gym:[^:]*:")
"""Names of tasks that import a module."""


def from_content(content: Mapping[str, Any]) -> Plan:
    """Make a plan from plain data, as a file or a store has it.

    Whole numbers in the range of actions stay whole: they are part of the identity of trials.
    """
    given = dict(content)
    if "frozen" in given:
        raise BadInput("is unknown", field="frozen")
    for name in ("filters", "filters_of"):
        given[name] = canonical(given.get(name, [] if name == "filters" else {}))
    plan = convert(given, Plan)
    if plan.action_range is None:
        return plan
    return replace(plan, action_range=tuple(given["action_range"]))


def canonical(filters: Any) -> Any:
    """Return filters by the names by which equal ones are known; leave all else as it is."""
    if isinstance(filters, Mapping):
        return {algorithm: canonical(names) for algorithm, names in filters.items()}
    if isinstance(filters, list | tuple):
        return [canonical_name(name) if isinstance(name, str) else name for name in filters]
    return filters


def read_plan(path: Path, *, allow_imports: bool = False) -> Plan:
    """Read the plan in a TOML file.

    A task gym:MODULE:ID makes Gymnasium import the module, which runs its code. A plan may be
    somebody else's, so that it has to be allowed.
    """
    try:
        plan = from_content(tomllib.loads(read_text(path, MOST_BYTES)))
        if IMPORTING.match(plan.task or "") and not allow_imports:
            raise BadInput(
                f"{plan.task} runs the code of a module; give `allow_imports=` if you trust it",
                field="task",
                option="allow_imports",
            )
        return plan
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
