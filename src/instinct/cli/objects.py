"""Own objects on the command line: `package.module:name`.

The module is imported with the current folder on the path. This happens only for texts that the
user types, never for names in a plan, a store or a dataset.
"""

import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from instinct.benchmarks.registry import find_task
from instinct.data import Label, Predicate, find_filter, find_label
from instinct.errors import BadInput
from instinct.study.own import Own

REFERENCE = re.compile(r"(?P<module>[A-Za-z_]\w*(\.[A-Za-z_]\w*)*):(?P<name>[A-Za-z_]\w*)")


def own_algorithm(text: str) -> Any:
    """Return an algorithm's name, or the own algorithm that `package.module:name` refers to."""
    if not REFERENCE.fullmatch(text):
        return text
    found = import_object(text)
    return found if isinstance(found, Own | type) else Own(named(found, text), found)


def own_label(text: str) -> str | Label:
    """Return a label's name, or the own label that `package.module:name` refers to."""
    if not is_reference(text, find_label):
        return text
    found = import_object(text)
    return found if isinstance(found, Label) else Label(named(found, text), found)


def own_filter(text: str) -> str | Predicate:
    """Return a filter's name, or the function that `package.module:name` refers to."""
    if not is_reference(text, find_filter):
        return text
    found: Predicate = import_object(text)
    return found


def own_environment(text: str) -> Any:
    """Return a task's name, or the environment that `package.module:name` refers to."""
    return import_object(text) if is_reference(text, find_task) else text


def is_reference(text: str, find: Callable[[str], object]) -> bool:
    """Tell whether a text refers to an object, and is not a name that `find` knows."""
    if not REFERENCE.fullmatch(text):
        return False
    try:
        find(text)
    except BadInput:
        return True
    return False


def named(found: Any, text: str) -> str:
    """Return the name of a function in reports: `module.name`, which no other function has."""
    if not callable(found):
        raise BadInput(f"{text!r} is a {type(found).__name__}, not a function")
    return text.replace(":", ".")


def import_object(text: str) -> Any:
    """Import the object that `package.module:name` refers to."""
    match = REFERENCE.fullmatch(text)
    if match is None:
        raise BadInput(f"{text!r} does not have the form package.module:name")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        module = importlib.import_module(match["module"])
    except Exception as error:
        raise BadInput(
            f"{text!r}: cannot import {match['module']}: {type(error).__name__}: {error}"
        ) from error
    if not hasattr(module, match["name"]):
        raise BadInput(f"{text!r}: {match['module']} has no {match['name']}")
    return getattr(module, match["name"])
